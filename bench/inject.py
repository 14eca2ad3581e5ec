#!/usr/bin/env python3
"""Does `perfevo` name the function that executes a little more, by counts alone?

Into functions that the benchmark executes, chosen at random, goes a loop that runs once in each execution and is a given
part of its instructions (--size, 0.005 % by default). Each is a commit of its own on the same baseline. Between them are
commits that change no work: a function that nobody calls, at another place each time. One run of each is counted by
valgrind; then each loop is compared with the baseline, and each commit without one with the baseline and all others without
one, by nothing but the stored counts.

  named    the function, or one that the compiler inlined it into, is among those that execute more or fewer for sure
  found    by at least half of what was put in: where not, the compiler arranged the function otherwise, beside the loop
  alone    and no other function of the program is
  quiet    pairs in which no work was changed
  alarms   functions of the program that execute more or fewer in one of these

Of libraries and of the start of a program nothing is asked: another program is loaded otherwise. Needs git, gcc, valgrind
and clones of the programs' repositories. Everything is kept below --dir, so that what was interrupted goes on.
"""
import argparse
import itertools
import json
import os
import random
import re
import sqlite3
import sys

import faults


def config(recipe, folder):
    makefile = os.path.join(folder, 'inject.mk')
    faults.write_makefile(recipe, makefile)
    command = recipe['command'].replace('$IN', os.path.join(folder, 'input')).replace('$OUT', 'output')
    return f"""build:
  steps: make -s -f {makefile}
  clean: never
run: {{instructions: simulated}}
metrics: {{wall: {{judge: false}}, cpu: {{judge: false}}, max-rss: {{judge: false}}}}
benchmarks:
  work: {{command: {json.dumps(command)}, repeats: 1, warmup: 0, allocations: false}}
"""


class Program:
    def __init__(self, options, clone):
        self.name = os.path.basename(os.path.normpath(clone))
        self.options, self.recipe = options, faults.PROGRAMS[self.name]
        self.dir = os.path.join(options.dir, self.name)
        self.tree = os.path.join(self.dir, 'tree')
        if not os.path.isdir(os.path.join(self.tree, '.git')):
            os.makedirs(self.dir, exist_ok=True)
            faults.run('git', 'clone', '-q', clone, self.tree)
            self.git('checkout', '-q', '-b', 'inject', self.recipe.get('new', 'HEAD'))
            with open(os.path.join(self.dir, 'input'), 'w') as file:
                file.write(self.work())
        with open(os.path.join(self.dir, 'perfevo.yml'), 'w') as file:
            file.write(config(self.recipe, self.dir))
        self.base = self.git('rev-parse', self.recipe.get('new', 'origin/HEAD'))

    def work(self):
        """A tenth of the input that faults are timed by: counts need no length."""
        text = self.recipe['input']()
        if self.name in ('lua', 'wren'):
            return re.sub(r'\b(30000|60000)\b', '3000', re.sub(r'(fib\(|get\()2[24]\)', r'\g<1>15)', text))
        return json.dumps(json.loads(text)[:100]) if self.name == 'cJSON' else text[:len(text) // 10]

    def git(self, *args):
        return faults.run('git', '-C', self.tree, '-c', 'user.name=Inject', '-c', 'user.email=inject@localhost',
                          *args).stdout.strip()

    def perfevo(self, *args, **options):
        return faults.run(self.options.perfevo, *args, '-C', self.tree, '--config',
                          os.path.join(self.dir, 'perfevo.yml'), **options).stdout

    def count(self, revisions):
        self.perfevo('track', '--all', '--no-confirm', '--no-open', '--stdin', input='\n'.join(revisions) + '\n')

    def owns(self, path):
        """Whether it is a source of the program's, not of the driver or a library."""
        return path and not os.path.isabs(path) and os.path.isfile(os.path.join(self.tree, path))

    def functions(self):
        """Functions of the program's own sources that the baseline executes."""
        with sqlite3.connect(os.path.join(self.tree, '.git', 'perfevo', 'perfevo.db')) as db:
            rows = db.execute('SELECT n.text, c.text FROM frames f JOIN strings n ON n.key = f.name '
                              'JOIN strings c ON c.key = f.component WHERE f.kind = 0 ORDER BY 1, 2').fetchall()
        return [row for row in rows if self.owns(row[1])]

    def total(self):
        with sqlite3.connect(os.path.join(self.tree, '.git', 'perfevo', 'perfevo.db')) as db:
            return db.execute("SELECT min(value) FROM measurements WHERE metric = 'simulated-instructions' "
                              'AND revision = ?', (self.base,)).fetchone()[0]

    def read(self, path):
        """As the baseline has it, with all of the tree."""
        self.git('checkout', '-q', self.base, '--', '.')
        with open(os.path.join(self.tree, path), encoding='latin-1') as file:
            return file.read()

    def commit(self, subject):
        self.git('commit', '-q', '-a', '-m', subject)
        return self.git('rev-parse', 'HEAD')

    def inject(self, name, path, turns):
        text = self.read(path)
        code = faults.masked(text)
        for found in re.finditer(r'\b' + re.escape(name) + r'\b', code):
            try:
                brace, _ = faults.body_of(code, name, code.count('\n', 0, found.start()) + 1)
            except (faults.Unfit, IndexError):
                continue
            loop = (' { static volatile char pe_once; if (!pe_once) { pe_once = 1; '
                    f'for (volatile unsigned pe_i = 0; pe_i < {turns}u; pe_i++) ; }} }} ')
            with open(os.path.join(self.tree, path), 'w', encoding='latin-1') as file:
                file.write(text[:brace + 1] + loop + text[brace + 1:])
            homes = self.homes()
            if homes:
                return dict(name=name, homes=homes, revision=self.commit(f'more {name}'))
        raise faults.Unfit('it is not defined there')

    def homes(self):
        """The compiled functions that the loop is in, for it may have been inlined; none: the compiler does not read it."""
        built = faults.run('make', '-s', '-f', os.path.join(self.dir, 'inject.mk'), cwd=self.tree, check=False)
        if built.returncode != 0:
            return []
        homes, here = set(), None
        for line in faults.run('objdump', '-d', '--no-show-raw-insn', 'bench', cwd=self.tree).stdout.splitlines():
            if line.endswith('>:'):
                here = line[line.index('<') + 1:-2]
            elif '<pe_once.' in line:
                homes.add(re.sub(r'(\.(isra|part|constprop|cold)(\.\d+)?)+$', '', here))
        return sorted(homes)

    def idle(self, path, number):
        self.read(path)
        with open(os.path.join(self.tree, path), 'a', encoding='latin-1') as file:
            # Weak: lz4's sources include each other.
            file.write(f'\n__attribute__((weak)) int pe_idle_{number}(int i) {{ return i * {number + 3}; }}\n')
        return dict(name=None, revision=self.commit(f'idle {number}'))

    def changed(self, old, new):
        """Of the program's own functions; None: one could not be counted."""
        answer = json.loads(self.perfevo('compare', old, new, '--stored', '--format', 'json'))
        functions = answer['benchmarks'][0]['functions']
        return functions and {one['name']: one for one in functions['changed']
                              if self.owns(one['component'])}


def examine(program, wanted, quiet, rng, log):
    kept = os.path.join(program.dir, 'commits.json')
    program.count([program.base])
    work = program.options.size * program.total()
    if os.path.isfile(kept):
        with open(kept) as file:
            commits = json.load(file)
    else:
        candidates, commits = program.functions(), []
        rng.shuffle(candidates)
        program.git('reset', '-q', '--hard', program.base)
        for name, path in candidates:
            if sum(1 for one in commits if one['name']) == wanted:
                break
            try:
                commits.append(program.inject(name, path, round(work / 5)))
            except faults.Unfit:
                continue
        for number in range(quiet):
            commits.append(program.idle(rng.choice(candidates)[1], number))
        with open(kept, 'w') as file:
            json.dump(commits, file)
    program.count([program.base] + [one['revision'] for one in commits])
    sums = dict(injected=0, named=0, found=0, alone=0, quiet=0, alarms=0)
    for one in (one for one in commits if one['name']):
        changed = program.changed(program.base, one['revision'])
        if changed is None:
            log(f'{program.name}: {one["name"]}: not counted')
            continue
        sums['injected'] += 1
        amounts = [changed[home]['amount'] for home in one['homes'] if home in changed]
        found = max(amounts, default=0) >= work / 2
        sums['named'] += len(amounts) > 0
        sums['found'] += found
        sums['alone'] += found and len(changed) == 1
        if not found:
            log(f'{program.name}: {one["name"]} is not found; changed: '
                f'{", ".join(name + format(how["amount"], "+,d") for name, how in changed.items()) or "nothing"}')
    for old, new in itertools.combinations([program.base] + [one['revision'] for one in commits if not one['name']], 2):
        changed = program.changed(old, new)
        if changed is None:
            log(f'{program.name}: {old[:10]}, {new[:10]}: not counted')
            continue
        sums['quiet'] += 1
        sums['alarms'] += len(changed)
        if changed:
            log(f'{program.name}: alarm: {old[:10]}, {new[:10]}: {", ".join(changed)}')
    return sums


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('clones', nargs='+', help='of ' + ', '.join(faults.PROGRAMS))
    parser.add_argument('--perfevo', default='perfevo')
    parser.add_argument('--dir', required=True, help='where everything is kept')
    parser.add_argument('--size', type=float, default=0.00005, help='part of the instructions')
    parser.add_argument('--injections', type=int, default=20, help='of each program')
    parser.add_argument('--quiet', type=int, default=20, help='commits of each program that change no work: N make N (N + 1) / 2 pairs')
    parser.add_argument('--seed', type=int, default=1)
    options = parser.parse_args()
    options.perfevo, options.dir = os.path.abspath(options.perfevo), os.path.abspath(options.dir)
    sums = {}
    for clone in options.clones:
        program = Program(options, clone)
        rng = random.Random(f'{options.seed} {program.name}')
        for key, value in examine(program, options.injections, options.quiet, rng, print).items():
            sums[key] = sums.get(key, 0) + value
        print(f'{program.name} done:', sums, flush=True)
    return 0 if sums['named'] >= 0.99 * sums['injected'] and sums['alarms'] == 0 else 1


if __name__ == '__main__':
    sys.exit(main())
