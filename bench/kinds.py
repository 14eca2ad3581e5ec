#!/usr/bin/env python3
"""Does `perfevo compare` name the method that was changed, whatever kind of change it is?

Two programs (bench/kinds/) get changes of one method each, as commits on the same baseline: a function that is inlined
thrice, an argument that grows, data made otherwise, a static table, a callee replaced or deleted, a loop moved across a
call, a template. Each change is compared with the baseline in both directions. The first cause has to be the method that
was changed (or the one that came or went with it), with the right sign; further causes of a fifth of it or more count as
false answers. Commits that change no work must have no cause. Results stay below --dir: a second run measures only what is
missing.
"""
import argparse
import json
import os
import shutil
import sys

from faults import run, wall

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'kinds')
BUILD = {'parts.c': 'gcc -O2 -g parts.c -o parts', 'parts.cpp': 'g++ -O2 -g parts.cpp -o parts'}
MIN_SHARE = 0.2  # of the first cause

# Kind, file, methods that may be named, text before and after. The sizes go from 0.2 to 60 % of the instructions.
HALVES = 'for (int gap = 64; gap > 0; gap /= 4)\n\t\tsort_runs(values, n, gap);\n}\n'
CHANGES = [
    ('inlined thrice', 'parts.c', ['twist'], 'i < 40; i++)\n\t\tx = (x ^', 'i < 42; i++)\n\t\tx = (x ^'),
    ('inlined thrice', 'parts.c', ['twist'], 'i < 40; i++)\n\t\tx = (x ^', 'i < 48; i++)\n\t\tx = (x ^'),
    ('inlined thrice', 'parts.c', ['twist'], 'i < 40; i++)\n\t\tx = (x ^', 'i < 90; i++)\n\t\tx = (x ^'),
    ('argument grown', 'parts.c', ['border'], 'repeat(x, 60)', 'repeat(x, 63)'),
    ('argument grown', 'parts.c', ['border'], 'repeat(x, 60)', 'repeat(x, 75)'),
    ('argument grown', 'parts.c', ['border'], 'repeat(x, 60)', 'repeat(x, 180)'),
    ('data made otherwise', 'parts.c', ['compile'], 'i < 160', 'i < 165'),
    ('data made otherwise', 'parts.c', ['compile'], 'i < 160', 'i < 180'),
    ('data made otherwise', 'parts.c', ['compile'], 'i < 160', 'i < 320'),
    ('static table', 'parts.c', ['escape'], "['\\n'] = 1};", "['\\n'] = 1, ['a' ... 'c'] = 1};"),
    ('static table', 'parts.c', ['escape'], "['\\n'] = 1};", "['\\n'] = 1, ['a' ... 'm'] = 1};"),
    ('static table', 'parts.c', ['escape'], "['\\n'] = 1};", "['\\n'] = 1, ['A' ... 'Z'] = 1, ['a' ... 'y'] = 1};"),
    ('callee replaced', 'parts.c', ['order', 'sort_halves', 'sort_gaps'], HALVES, HALVES +
     '\nAPART static void sort_halves(unsigned *values, int n)\n{\n\tfor (int gap = 128; gap > 0; gap /= 2)\n'
     '\t\tsort_runs(values, n, gap);\n}\n', '\tsort_gaps(values, n);', '\tsort_halves(values, n);'),
    ('callee replaced', 'parts.c', ['order', 'sort_halves', 'sort_gaps'], 'sort_gaps(unsigned *values, int n)\n{\n\tfor (int gap = 64; gap > 0; gap /= 4)',
     'sort_halves(unsigned *values, int n)\n{\n\tfor (int gap = 81; gap > 0; gap /= 3)',
     '\tsort_gaps(values, n);', '\tsort_halves(values, n);'),
    ('callee deleted', 'parts.c', ['verify', 'is_sorted'], '\tgood &= (unsigned)is_sorted(values, n);\n', ''),
    ('callee deleted', 'parts.c', ['verify', 'weigh'], '\tgood &= weigh(values, n) > 0;\n', ''),
    ('callee deleted', 'parts.c', ['verify', 'audit'], '\tgood &= audit(values, n) > 0;\n', ''),
    ('loop moved', 'parts.c', ['frame', 'main'], 'static unsigned frame(unsigned rows)\n{\n\tunsigned sum = 0;\n\n'
     '\tfor (unsigned i = 0; i < rows; i++)\n\t\tsum += border(i) + corner(sum);\n\treturn sum;',
     'static unsigned frame(unsigned i, unsigned sum)\n{\n\treturn border(i) + corner(sum);',
     '+ frame(3000) +', '+', '\t\tverify(values, WORDS);',
     '\t\tunsigned part = 0;\n\t\tfor (unsigned i = 0; i < 3000; i++)\n\t\t\tpart += frame(i, part);\n\t\tsum += part;\n'
     '\t\tverify(values, WORDS);'),
    ('loop moved', 'parts.c', ['shade', 'shade_row'], 'sum ^= shade_row(pixels + r * n, n);',
     'for (int i = 0; i < n; i += 20)\n\t\t\tsum ^= shade_row(pixels + r * n + i, 20);'),
    ('loop moved', 'parts.c', ['shade', 'shade_row'], 'sum ^= shade_row(pixels + r * n, n);',
     'for (int i = 0; i < n; i++)\n\t\t\tsum = shade_row(pixels + r * n + i, sum);',
     'static unsigned shade_row(const unsigned char *row, int n)\n{\n\tunsigned sum = 0;\n\n\tfor (int i = 0; i < n; i++)\n\t\tsum += row[i]',
     'static unsigned shade_row(const unsigned char *row, unsigned sum)\n{\n\tsum += row[0]'),
    ('template instance', 'parts.cpp', ['shop::blur', 'shop::blend<9>', 'shop::blend<8>'], 'blend<8>', 'blend<9>'),
    ('template instance', 'parts.cpp', ['shop::blur', 'shop::blend<12>', 'shop::blend<8>'], 'blend<8>', 'blend<12>'),
    ('template body', 'parts.cpp', ['shop::total<'], 'sum > 1000 ? 1 : 2', 'sum > 1000 ? 1 : value > 50 ? 2 : 3'),
    ('template body', 'parts.cpp', ['shop::blend<'], 'sum = sum * 3 + line[i + k];', 'sum = sum * 3 + line[i + k] / 3;'),
    ('callee replaced', 'parts.cpp', ['shop::stock::arrange'], 'std::sort', 'std::stable_sort'),
    ('callee replaced', 'parts.cpp', ['shop::stock::find_all'], 'std::map<', 'std::unordered_map<'),
    ('argument grown', 'parts.cpp', ['shop::trade'], 'find_all(40)', 'find_all(36)'),
    ('argument grown', 'parts.cpp', ['shop::trade'], 'i < 1500; i++', 'i < 1550; i++'),
    ('callee deleted', 'parts.cpp', ['shop::stock::label'], "\t\t\ttext += ':';\n", ''),
    ('loop moved', 'parts.cpp', ['shop::stock::label'], '\t\t\tstd::string text = one.name;',
     '\t\t\tstd::string text;\n\n\t\t\tfor (char c : one.name)\n\t\t\t\ttext += c;'),
]
IDLE = {'parts.c': '\n__attribute__((used)) static int idle_%d(int i)\n{\n\treturn i * %d + 7;\n}\n',
        'parts.cpp': '\nint idle_%d(int i);\nint idle_%d(int i)\n{\n\treturn i * %d + 7;\n}\n'}
IDLES = 4  # of each program


class Parts:
    def __init__(self, options, name):
        self.options, self.name = options, name
        self.tree = os.path.join(options.dir, name)
        if not os.path.isdir(os.path.join(self.tree, '.git')):
            self.make()

    def git(self, *args):
        return run('git', '-C', self.tree, '-c', 'user.name=Kinds', '-c', 'user.email=kinds@localhost', *args).stdout.strip()

    def make(self):
        os.makedirs(self.tree)
        self.git('init', '-q', '-b', 'main')
        shutil.copy(os.path.join(HERE, self.name), self.tree)
        with open(os.path.join(self.tree, 'perfevo.yml'), 'w') as file:
            file.write(f'build: {BUILD[self.name]}\nbenchmarks: {{parts: {{command: [./parts], repeats: 5}}}}\n'
                       'metrics: {max-rss: {judge: false}}\n')
        self.git('add', '.')
        self.git('commit', '-q', '-m', 'baseline')

    def commit(self, branch, file, change):
        """The baseline with a change of one file, kept under a branch."""
        if run('git', '-C', self.tree, 'rev-parse', '-q', '--verify', branch, check=False).returncode == 0:
            return branch
        self.git('checkout', '-q', '-B', 'making', 'main')
        path = os.path.join(self.tree, file)
        with open(path) as source:
            before = source.read()
        after = change(before)
        assert after != before, f'{self.name}: {branch} changes nothing'
        with open(path, 'w') as source:
            source.write(after)
        self.git('commit', '-q', '-a', '-m', branch)
        self.git('branch', branch)
        self.git('checkout', '-q', 'main')
        return branch

    def compare(self, branch, base='main'):
        done = run(self.options.perfevo, 'compare', '-q', '--format', 'json', base, branch, cwd=self.tree, check=False)
        if done.returncode not in (0, 1):
            raise RuntimeError(f'{self.name}: {branch}: {done.stderr[-2000:]}')
        return json.loads(done.stdout)['benchmarks'][0]


def causes(answer):
    """What is blamed, with its share of the first, by time where that is explained and by instructions where not."""
    found = answer['verdict'] or []
    cost = 'time' if any(cause['cost'] == 'time' for cause in found) else 'instructions'
    found = [cause for cause in found if cause['cost'] == cost]
    return [(cause['blamed'] or '?', cause['amount'], abs(cause['amount'] / (found[0]['amount'] or 1))) for cause in found]


def replace(text, edits):
    for old, new in zip(edits[::2], edits[1::2]):
        assert old in text, old
        text = text.replace(old, new, 1)
    return text


def instructions(answer):
    for value in answer['metrics']:
        if 'instructions' in value['name'] and value['relative'] is not None:
            return value['relative']
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--perfevo', default='perfevo')
    parser.add_argument('--dir', required=True, help='where everything is kept')
    parser.add_argument('--only', default='', help='kinds, by commas')
    options = parser.parse_args()
    options.perfevo, options.dir = os.path.abspath(options.perfevo), os.path.abspath(options.dir)
    programs = {name: Parts(options, name) for name in BUILD}
    asked = named = right = outputs = quiet = 0
    for number, (kind, file, allowed, *edits) in enumerate(CHANGES):
        if options.only and kind not in options.only.split(','):
            continue
        branch = programs[file].commit(f'change-{number}', file, lambda text: replace(text, edits))
        for old, new in (('main', branch), (branch, 'main')):
            answer = programs[file].compare(new, old)
            found = causes(answer)
            change = instructions(answer)
            first = found[0] if found else ('nothing', 0, 0)
            hit = first[0].startswith(tuple(allowed)) and first[1] * change > 0
            counted = [name for name, _, share in found if share >= MIN_SHARE]
            asked, named, outputs = asked + 1, named + hit, outputs + len(counted)
            right += sum(name.startswith(tuple(allowed)) for name in counted)
            print(f'{kind:20} {100 * change:+7.2f} % {wall(answer)} {allowed[0]:20} '
                  f'{"first" if hit else "MISSED"}: '
                  f'{", ".join(f"{name} {100 * share:.0f} %" for name, _, share in found) or "nothing"}', flush=True)
    baselines = IDLES * len(BUILD)
    for file, text in IDLE.items():
        for i in range(IDLES):
            idle = text % tuple([i] * (text.count('%d') - 1) + [i + 3])
            branch = programs[file].commit(f'idle-{i}', file, lambda before: before + idle)
            found = causes(programs[file].compare(branch))
            quiet += not found
            if found:
                print(f'{file}: ALARM: {", ".join(name for name, _, _ in found)}', flush=True)
    print(f'{named} of {asked} changes named first; precision {right} of {outputs}; {quiet} of {baselines} without work quiet')
    return 0 if named >= 0.95 * asked and right >= 0.95 * outputs and quiet == baselines else 1


if __name__ == '__main__':
    sys.exit(main())
