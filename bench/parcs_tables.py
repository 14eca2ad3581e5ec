#!/usr/bin/env python3
"""Table 3 of PARCS (Mostafa and Krintz, UCSB TR 2008-19, section 5) on C programs: subtrees / nodes that go at each stage.

  bench/parcs_tables.py --perfevo build/release/cmd/perfevo --pairs 5 --dir FOLDER CLONE...

Each CLONE is a clone of a program below, known by its folder's name. Of its history the latest commits that touch the
sources are taken (with --every 20, each 20th), and each is compared with the one before by `perfevo parcs --format json`, in counting mode: calls
are exact and no time is taken, so that a busy machine changes nothing. Beside the paper's columns stand

  subsequence      contexts that perfevo's default rule of matching pairs, which lets inner calls come and go
  non-determinism  subtrees and nodes that differ between counting runs of one revision

A pair that does not build or run is named on stderr and left out. The clones are not touched: what is compared are
clones of them below --dir, which is kept, so that what was interrupted goes on.
"""
import argparse
import json
import os
import sys

from faults import json_input, lua_input, run, text_input, wren_input

HERE = os.path.dirname(os.path.abspath(__file__))
REASONS = ('deleted method', 'added method', 'direct modification', 'side effect', 'non-determinism')


def markdown_input():
    return ''.join(f'# Part {i}\n\nSome *words* of `code` and a [link](http://a.b/{i} "t").\n\n* one\n* two\n'
                   f'  1. three\n\n> quoted **{i}**\n\n    indented\n\n<b>x</b> &amp; &copy;\n\n' for i in range(300))


def yaml_input():
    return ''.join(f'key{i}: {{a: [1, "two", \'three\'], b: &x{i} text}}\nlist{i}:\n- one\n- {{c: d}}\n- |\n  literal\n  text\n'
                   for i in range(300))


# What each is, its sources in git's words (what else a commit touches changes nothing), how one command compiles it.
# Drivers are files of this folder; $ROOT is where inputs and drivers are.
CC = 'gcc -O2 -g -w'
CMAKE = 'cmake -S {tree} -B out -DCMAKE_BUILD_TYPE=Release -DCMAKE_POLICY_VERSION_MINIMUM=3.5 {more} && make -C out -j2 {target}'
PROGRAMS = {
    'lua': dict(sources='l*.c l*.h',
                input=lambda: lua_input(3000, 15),
                build=CC + ' -DLUA_USE_POSIX "-Dluai_makeseed()=1" $(ls l*.c | grep -v ltests) -o bench -lm',
                command='./bench $ROOT/input'),
    'zlib': dict(sources='*.c *.h', input=lambda: text_input(20000),
                 build=CC + ' -D_LARGEFILE64_SOURCE=1 -DHAVE_UNISTD_H -I. *.c test/minigzip.c -o bench',
                 command='./bench -6 <$ROOT/input >$OUT && ./bench -d <$OUT'),
    'lz4': dict(sources='lib programs', input=lambda: text_input(20000),
                build=CC + ' -Ilib lib/*.c programs/*.c -o bench -pthread',
                command='./bench -9 -f -q $ROOT/input $OUT && ./bench -d -f -q $OUT $OUT.txt'),
    'cJSON': dict(sources='cJSON.c cJSON.h', input=lambda: json_input(400),
                  build=CC + ' -I. cJSON.c $ROOT/driver.c -o bench -lm', driver='truth_cjson.c',
                  command='./bench $ROOT/input 2'),
    'wren': dict(sources='src/vm src/optional',
                 input=lambda: wren_input(6000, 15),
                 build=CC + ' -Isrc/include -Isrc/vm -Isrc/optional src/vm/*.c src/optional/*.c $ROOT/driver.c -o bench -lm',
                 driver='truth_wren.c', command='./bench $ROOT/input'),
    'cmark': dict(sources='src', input=markdown_input,
                  build=CMAKE.format(tree='.', more='-DCMARK_TESTS=OFF -DBUILD_TESTING=OFF -DBUILD_SHARED_LIBS=OFF '
                                     '-DCMARK_SHARED=OFF', target=''),
                  command='out/src/cmark $ROOT/input'),
    'jansson': dict(sources='src', input=lambda: json_input(400),
                    build=CMAKE.format(tree='.', more='-DJANSSON_BUILD_DOCS=OFF -DJANSSON_WITHOUT_TESTS=ON', target='jansson')
                    + ' && ' + CC + ' -Iout/include $ROOT/driver.c $(find out -name libjansson.a) -lm -o bench',
                    text='#include <jansson.h>\n#include <stdlib.h>\nint main(int n, char **a) {\n\tjson_error_t e;\n'
                         '\tjson_t *j = json_load_file(a[1], 0, &e);\n\tchar *s = j ? json_dumps(j, JSON_SORT_KEYS) : 0;\n'
                         '\t(void)n;\n\tfree(s);\n\tjson_decref(j);\n\treturn s == 0;\n}\n',
                    command='./bench $ROOT/input'),
    'libyaml': dict(sources='src include', input=yaml_input,
                    build=CC + ' -DYAML_VERSION_STRING="\\"0\\"" -DYAML_VERSION_MAJOR=0 -DYAML_VERSION_MINOR=0 '
                    '-DYAML_VERSION_PATCH=0 -Iinclude src/*.c $ROOT/driver.c -o bench',
                    text='#include <stdio.h>\n#include <yaml.h>\nint main(int n, char **a) {\n\tyaml_parser_t p;\n'
                         '\tyaml_event_t e;\n\tint more = 1;\n\tFILE *f = fopen(a[1], "r");\n\t(void)n;\n'
                         '\tyaml_parser_initialize(&p);\n\tyaml_parser_set_input_file(&p, f);\n\twhile (more) {\n'
                         '\t\tif (!yaml_parser_parse(&p, &e)) return 1;\n\t\tmore = e.type != YAML_STREAM_END_EVENT;\n'
                         '\t\tyaml_event_delete(&e);\n\t}\n\tyaml_parser_delete(&p);\n\treturn 0;\n}\n',
                    command='./bench $ROOT/input'),
    'sds': dict(sources='*.c *.h', input=lambda: '',
                build=CC + ' -std=gnu99 -DSDS_TEST_MAIN sds.c -o bench', command='./bench'),
}


def prepare(options, clone):
    """A clone of one's own, what the benchmark needs beside it, and the config; the revisions, oldest first."""
    name = os.path.basename(clone.rstrip('/'))
    recipe, root = PROGRAMS[name], os.path.join(options.dir, name)
    repo = os.path.join(root, 'repo')
    os.makedirs(root, exist_ok=True)
    if not os.path.isdir(repo):
        run('git', 'clone', '-q', clone, repo)
    with open(os.path.join(root, 'input'), 'w') as file:
        file.write(recipe['input']())
    driver = recipe.get('text')
    if 'driver' in recipe:
        with open(os.path.join(HERE, recipe['driver'])) as file:
            driver = file.read()
    if driver:
        with open(os.path.join(root, 'driver.c'), 'w') as file:
            file.write(driver)

    def filled(text):
        return text.replace('$ROOT', root).replace('$OUT', os.path.join(root, 'output'))

    with open(os.path.join(repo, 'perfevo.yml'), 'w') as file:
        json.dump({'build': filled(recipe['build']),
                   'benchmarks': {'work': {'command': filled(recipe['command']), 'warmup': 0, 'repeats': 2,
                                           'allocations': False}},
                   'profile': {'mode': 'counting'}}, file, indent=1)
    log = run('git', '-C', repo, 'log', '--first-parent', '--format=%H', '-n', str(options.pairs * options.every + 1),
              '--', *recipe['sources'].split()).stdout.split()
    return name, repo, log[::options.every][::-1]


def compare(options, name, repo, old, new):
    """The benchmark of one pair; None where there is none. Kept, so that it is asked for once."""
    kept = os.path.join(options.dir, name, f'{old[:12]}-{new[:12]}.json')
    if not os.path.exists(kept):
        done = run(options.perfevo, 'parcs', '-q', '--format', 'json', old, new, cwd=repo, check=False)
        try:
            report = json.loads(done.stdout)
        except ValueError:
            print(f'{name} {old[:8]} {new[:8]}: {done.stderr.strip().splitlines()[-1:]}', file=sys.stderr)
            return None
        with open(kept, 'w') as file:
            json.dump(report, file)
    with open(kept) as file:
        bench = json.load(file)['benchmarks'][0]
    if 'stages' not in bench and not bench['same']:
        print(f'{name} {old[:8]} {new[:8]}: {bench["problem"]}', file=sys.stderr)
    return bench if 'stages' in bench else None


def percent(share):
    return f'{100 * share:.2f} %'


def row(name, benches):
    def went(reason, what):
        return sum(bench['stages'][reason].get(what, 0) for bench in benches)

    return (name, str(len(benches)), percent(sum(bench['common_share'] for bench in benches) / len(benches)),
            percent(sum(bench['matched'] / bench['nodes'][0] for bench in benches) / len(benches)),
            *(f'{went(reason, "subtrees")} / {went(reason, "nodes")}' for reason in REASONS))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--perfevo', required=True, type=os.path.abspath)
    parser.add_argument('--dir', required=True, type=os.path.abspath)
    parser.add_argument('--pairs', type=int, default=5)
    parser.add_argument('--every', type=int, default=1, help='take every n-th of these commits')
    parser.add_argument('clones', nargs='+', type=os.path.abspath)
    options = parser.parse_args()
    print('| program | pairs | common tree | subsequence | ' + ' | '.join(REASONS) + ' |\n| --- |' + ' ---: |' * 8)
    for clone in options.clones:
        name, repo, revisions = prepare(options, clone)
        benches = [compare(options, name, repo, old, new) for old, new in zip(revisions, revisions[1:])]
        benches = [bench for bench in benches if bench]
        if benches:
            print('| ' + ' | '.join(row(name, benches)) + ' |', flush=True)
        else:
            print(f'{name}: no pair could be compared', file=sys.stderr)


if __name__ == '__main__':
    main()
