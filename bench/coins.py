#!/usr/bin/env python3
"""Does `perfevo parcs` tell side effects from coins that a program tosses?

  bench/coins.py --perfevo build/release/cmd/perfevo --comparisons 40 --dir FOLDER

PARCS (UCSB TR 2008-19, section 3.3) leaves reasons 3 and 4, side effects and non-determinism, to its reader. Programs
are made here of which both are known. Unmodified functions toss coins, by the time and the number of the process:
between two callees, with one rarely called, as to how often a callee is called, and in which order two of them are.
Other unmodified functions ask a global variable whether they call something; the second revision changes nothing but
the function that sets these. Each subtree that the stages cut is known by the name of its root, and counted under
what was true (rows) and what was said (columns). Side effects that nothing was said of are "missed"; a coin that is
not cut was matched, which is right. --seed makes the programs, not the coins.
"""
import argparse
import json
import os
import random
import subprocess
import sys

SAID = ('side effect', 'non-determinism', 'direct modification', 'missed')
HEAD = '''#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#define APART __attribute__((noinline))
static volatile int sink;
static unsigned state;
static unsigned coin(void)
{
	state = state * 1103515245u + 12345u;
	return state >> 16;
}
'''


def toss(rng, i):
    """An unmodified function that tosses a coin, and its callees."""
    names = [f'coin_{i}_{side}' for side in 'ab']
    kind = rng.randrange(4)
    callees = ''.join(f'APART void {name}(void) {{ sink++; }}\n' for name in names)
    a, b = names
    body = (f'if (coin() % 2) {a}(); else {b}();',
            f'if (coin() % {rng.randrange(3, 9)} == 0) {a}();',
            f'for (unsigned n = coin() % 5; n > 0; n--) {a}();',
            f'if (coin() % 2) {{ {a}(); {b}(); }} else {{ {b}(); {a}(); }}')[kind]
    return f'{callees}APART void toss_{i}(void) {{ {body} sink--; }}\n', f'toss_{i}();'


def effect(rng, i):
    """An unmodified function that asks a global, which the new revision sets another way."""
    deep = rng.random() < 0.5
    inner = f'APART void effect_{i}_below(void) {{ sink++; }}\n' if deep else ''
    call = f'effect_{i}_below();' if deep else 'sink++;'
    times = rng.choice(('', 'for (int n = 0; n < 3; n++) '))
    return (f'static int want_{i};\n{inner}APART void effect_{i}(void) {{ {call} }}\n'
            f'APART void ask_{i}(void) {{ if (want_{i}) {times}effect_{i}(); sink--; }}\n', f'ask_{i}();')


def program(rng):
    """The sources of both revisions, and the names of the effects."""
    coins = [toss(rng, i) for i in range(rng.randrange(1, 5))]
    effects = [effect(rng, i) for i in range(rng.randrange(0, 4))]
    before = [rng.randrange(2) for _ in effects]
    calls = [call for _, call in coins + effects]
    rng.shuffle(calls)

    def source(wants):
        sets = ' '.join(f'want_{i} = {want};' for i, want in enumerate(wants))
        return (HEAD + ''.join(text for text, _ in coins + effects)
                + f'APART void set_up(void) {{ {sets} sink = {len(wants) + sum(wants)}; }}\n'
                + 'int main(void)\n{\n\tstruct timespec now;\n\n\tclock_gettime(CLOCK_REALTIME, &now);\n'
                + '\tstate = (unsigned)now.tv_nsec ^ (unsigned)getpid() << 8;\n\tset_up();\n\t'
                + '\n\t'.join(calls) + '\n\treturn 0;\n}\n')

    after = [1 - want for want in before]
    text = source(after)
    # Without effects something else must change, or the two are one build.
    return source(before), text if effects else text.replace('sink = 0;', 'sink = 1;'), len(effects)


def run(*args, **options):
    return subprocess.run(args, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=True, **options)


def save(folder, text):
    with open(os.path.join(folder, 'coins.c'), 'w') as file:
        file.write(text)
    run('git', 'add', '-A', cwd=folder)
    run('git', '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qm', 'coins', cwd=folder)


def compare(options, number, matrix):
    rng = random.Random(options.seed * 1000 + number)
    folder = os.path.join(options.dir, f'coins-{options.seed}-{number}')
    before, after, n_effects = program(rng)
    os.makedirs(folder)
    run('git', 'init', '-q', folder)
    with open(os.path.join(folder, 'perfevo.yml'), 'w') as file:
        file.write('build: gcc -O1 coins.c -o coins\nprofile: {mode: counting}\n'
                   'benchmarks: {coins: {command: ./coins, warmup: 0, repeats: 2, allocations: false}}\n')
    save(folder, before)
    save(folder, after)
    report = json.loads(run(options.perfevo, 'parcs', '-q', '--format', 'json', 'HEAD~1', 'HEAD', cwd=folder).stdout)
    bench, said = report['benchmarks'][0], set()
    for cut in bench['cuts']:
        name = cut['function']
        truth = 'side effect' if name.startswith('effect_') else 'coin'
        matrix[truth][cut['reason']] += 1
        said.add(name)
        if (truth, cut['reason']) not in (('side effect', 'side effect'), ('coin', 'non-determinism')):
            print(f'{folder}: {name} is said to be {cut["reason"]}', file=sys.stderr)
    for i in range(n_effects):
        if f'effect_{i}' not in said:
            matrix['side effect']['missed'] += 1
            print(f'{folder}: effect_{i} is missed', file=sys.stderr)
    return bench['counting_runs']


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--perfevo', required=True, type=os.path.abspath)
    parser.add_argument('--dir', required=True, type=os.path.abspath)
    parser.add_argument('--comparisons', type=int, default=40)
    parser.add_argument('--seed', type=int, default=1)
    options = parser.parse_args()
    matrix = {truth: dict.fromkeys(SAID, 0) for truth in ('side effect', 'coin')}
    runs = [n for number in range(options.comparisons) for n in compare(options, number, matrix)]
    print(f'{options.comparisons} comparisons, seed {options.seed}, '
          f'{sum(runs) / len(runs):.1f} counting runs a revision\n')
    print('| true | ' + ' | '.join(SAID) + ' |\n| --- |' + ' ---: |' * len(SAID))
    for truth, row in matrix.items():
        print(f'| {truth} | ' + ' | '.join(str(row[said]) for said in SAID) + ' |')
    right = matrix['side effect']['side effect'] + matrix['coin']['non-determinism']
    whole = sum(sum(row.values()) for row in matrix.values())
    print(f'\n{right} of {whole} right: {100 * right / whole:.1f} %')
    sys.exit(0 if right >= 0.95 * whole else 1)


if __name__ == '__main__':
    main()
