#!/usr/bin/env python3
"""Are simulated instructions what valgrind's own tools count, on any processor, and at their cost?

Real programs (bench/programs.sh) are counted by `perfevo track`, then by hand in the same tree and environment (`perfevo
shell -b work`, with the GLIBC_TUNABLES that counting runs have), and without these, as the processor at hand has the C library
take its functions (bench/processors.py emulates others):

  whole       instructions, and how many more or fewer cachegrind counts by hand
  functions   the program's own that are counted
  cachegrind  how many of these it counts otherwise by hand
  callgrind   the self instructions that it counts in them otherwise, in per cent of the whole, and where it differs most;
              it counts up to 0.2 % fewer than cachegrind does, in functions with long loops
  processor   how many of them move without GLIBC_TUNABLES, and how many instructions the whole does
  cost        processor time that valgrind needs for a counting run of perfevo's, in times of cachegrind's by hand: the
              median of pairs

Needs git, gcc, valgrind and clones of lua, zlib, lz4, cJSON and wren. Exit status 1 where a count differs from cachegrind's,
a function moves, callgrind's differ by more than 0.5 %, or counting costs more than 1.05 times cachegrind.
"""
import argparse
import collections
import csv
import io
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
CACHEGRIND = 'valgrind -q --tool=cachegrind --cache-sim=no --trace-children=yes --cachegrind-out-file={}/%p'
CALLGRIND = 'valgrind -q --tool=callgrind --skip-plt=no --trace-children=yes --callgrind-out-file={}/%p'
BAR = 1.05


def run(*args, **options):
    return subprocess.run(args, check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options).stdout


class Program:
    def __init__(self, options, clone, folder):
        self.perfevo_path, self.dir = os.path.join(os.path.abspath(options.build), 'cmd', 'perfevo'), folder
        self.tree = os.path.join(folder, 'source')
        self.records = os.path.join(folder, 'records')
        self.env = dict(os.environ, HOME=folder, XDG_CACHE_HOME=os.path.join(folder, 'cache'))
        self.env['PERFEVO_VALGRIND'] = self.wrapper()
        script = (f'. {HERE}/programs.sh; programs_from {folder} {os.path.abspath(clone)}; '
                  f'programs_prepare {folder} {options.size}; programs_command {folder} ./bench')
        self.command = run('bash', '-ec', script, f'{HERE}/programs.sh').strip()
        self.name = os.path.basename(os.path.normpath(clone))
        build = f"bash -ec '. $0; kind={self.name}; programs_compile bench -O2 -g' {HERE}/programs.sh"
        with open(os.path.join(self.tree, 'perfevo.yml'), 'w') as file:
            file.write(f'build: "{build}"\nrun: {{instructions: simulated}}\nbenchmarks:\n'
                       f'  work: {{command: "{self.command}", repeats: 1, warmup: 0, allocations: false}}\n')
        for args in (('init', '-q'), ('add', '-A', '-f'), ('commit', '-q', '-m', 'as it is')):
            run('git', '-C', self.tree, '-c', 'user.name=Bench', '-c', 'user.email=bench@localhost', *args, env=self.env)

    def wrapper(self):
        """Valgrind, which leaves the C library's settings and its processor time."""
        path = os.path.join(self.dir, 'noting-valgrind')
        with open(path, 'w') as file:
            file.write(f'#!/bin/bash\nprintf %s "$GLIBC_TUNABLES" >{self.dir}/tunables\n'
                       f'{shutil.which("valgrind")} "$@"; status=$?; times >>{self.dir}/times; exit $status\n')
        os.chmod(path, 0o755)
        return path

    def tunables(self):
        with open(os.path.join(self.dir, 'tunables')) as file:
            return file.read()

    def perfevo(self, *args):
        return run(self.perfevo_path, args[0], '-C', self.tree, *args[1:], env=self.env)

    def counted(self):
        """Self instructions by function's name, and whether it is the program's, as perfevo has them."""
        self.perfevo('track', '--all', '--no-confirm', '-q')
        counts = collections.Counter()
        for row in csv.DictReader(io.StringIO(self.perfevo('export', '--functions', 'HEAD'))):
            if row['least'] == row['most']:
                counts[row['name'], self.owns(row['component'])] += int(row['most'])
        return counts

    def owns(self, component):
        """Whether it is a source of the program's: a library's debug information may have relative names, too."""
        return not os.path.isabs(component) and os.path.isfile(os.path.join(self.tree, component))

    def by_hand(self, tool, tunables=''):
        """Run it below a tool, where perfevo runs it; processor time in seconds."""
        run('rm', '-rf', self.records)
        os.mkdir(self.records)
        setting = f'GLIBC_TUNABLES={tunables} ' if tunables else ''
        inner = f"exec {tool.format(self.records)} /bin/sh -c '{self.command}' >/dev/null 2>&1"
        self.perfevo('shell', '-q', '-b', 'work', 'HEAD', '--', 'bash', '-c',
                     f'( {setting}{inner} ); times >{self.records}.time')
        with open(f'{self.records}.time') as file:
            text = file.read().splitlines()[1]
        return seconds(text)

    def read(self):
        """Self instructions by function's name, of the last run by hand; inclusive costs of calls are left out."""
        counts = collections.Counter()
        for record in os.listdir(self.records):
            with open(os.path.join(self.records, record), encoding='latin-1') as file:
                add_record(counts, file)
        return counts


def add_record(counts, lines):
    names, here, call = {}, None, False
    for line in lines:
        if line.startswith('fn='):
            number, name = re.match(r'fn=(?:\((\d+)\) ?)?(.*)', line).groups()
            here = names.setdefault(number, name) if number else name
            continue
        found = re.match(r'cfn=\((\d+)\) (.+)', line)
        if found:
            names[found[1]] = found[2]
        elif line.startswith('calls='):
            call = True
        elif re.match(r'[+*\-0-9]', line):
            if not call and here is not None and len(line.split()) > 1:
                counts[here] += int(line.split()[1])
            call = False
        elif line.startswith('summary:') or line.startswith('totals:'):
            here = None


def plain(name):
    """Callgrind marks levels of recursion, and perfevo leaves out what the compiler made of a name."""
    return re.sub(r"(\.(isra|part|constprop|cold|lto_priv)(\.\d+)?)*('\d+)?$", '', name)


def merged(records):
    counts = collections.Counter()
    for name, count in records.items():
        counts[plain(name)] += count
    return counts


def cost(program, pairs):
    """The median of processor time in a counting run of perfevo's, in times of cachegrind's by hand."""
    log = os.path.join(program.dir, 'times')
    parts = []
    for _ in range(pairs):
        os.remove(log)
        program.perfevo('track', '--all', '--again', '--no-confirm', '-q')
        by_hand = program.by_hand(CACHEGRIND, program.tunables())
        with open(log) as file:
            lines = file.read().splitlines()
        counted = [seconds(children) for children in lines[1::2]]
        parts.append(statistics.mean(counted) / by_hand)
    return statistics.median(parts)


def seconds(times):
    return sum(60 * int(minutes) + float(rest) for minutes, rest in re.findall(r'(\d+)m([\d.]+)s', times))


def examine(program, pairs):
    counts = program.counted()
    names = collections.Counter(name for name, _ in counts)
    own = {name: count for (name, mine), count in counts.items() if mine and names[name] == 1}
    whole = sum(counts.values())
    program.by_hand(CACHEGRIND, program.tunables())
    ground = merged(program.read())
    program.by_hand(CALLGRIND, program.tunables())
    called = merged(program.read())
    program.by_hand(CACHEGRIND)
    other = merged(program.read())
    apart = {name: abs(called[name] - count) / whole * 100 for name, count in own.items()}
    most = max(apart, key=apart.get)
    return dict(whole=whole, more=sum(ground.values()) - whole, functions=len(own),
                ground=sum(ground[name] != count for name, count in own.items()),
                called=sum(apart.values()), most=most, moved=sum(other[name] != count for name, count in own.items()), aside=sum(other.values()) - whole,
                cost=cost(program, pairs))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('build', help='build directory of perfevo')
    parser.add_argument('clones', nargs='+')
    parser.add_argument('--size', type=int, default=2, help='of the work, in per cent')
    parser.add_argument('--pairs', type=int, default=5)
    options = parser.parse_args()
    missed = False
    print(f'{"program":8} {"whole":>13} {"by hand":>8} {"functions":>9} {"cachegrind":>10} {"callgrind":>32} '
          f'{"processor":>22} {"cost":>5}')
    for clone in options.clones:
        with tempfile.TemporaryDirectory() as folder:
            program = Program(options, clone, folder)
            got = examine(program, options.pairs)
        print(f'{program.name:8} {got["whole"]:13,} {got["more"]:+8d} {got["functions"]:9} {got["ground"]:10} '
              f'{got["called"]:8.3f} % {got["most"]:>22} {got["moved"]:9} {got["aside"]:+12,} {got["cost"]:5.2f}', flush=True)
        missed |= got['ground'] > 0 or got['moved'] > 0 or got['called'] > 0.5 or got['cost'] > BAR
    return 1 if missed else 0


if __name__ == '__main__':
    sys.exit(main())
