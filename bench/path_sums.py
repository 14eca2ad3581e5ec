#!/usr/bin/env python3
"""Does the path of what a program waits for add up to its wall time?

Ten commands of other people's, single-threaded, of several threads and of several processes, run once below the library that
samples. What the path sums to, with what lacked a processor, is compared with the time from their start to their end. What no
sample can know is the first program's start and its end, 4 to 10 ms on a busy machine: a command should take some 500 ms.
Needs a build with -DPERFEVO_BENCH=ON.
"""
import argparse
import os
import subprocess
import sys
import tempfile
import time

WITHIN = 3  # per cent

# Each in a folder with text.txt (7 MB) and a git repository.
COMMANDS = [
    'gzip -9 <text.txt >text.gz',
    'xz -T2 -2 -k -f text.txt',
    'zstd -q -f -T2 -17 text.txt -o text.zst',
    'sort --parallel=2 -S 1M text.txt text.txt text.txt text.txt -o sorted.txt',
    'tar czf all.tar.gz text.txt repo',
    'git -C repo -c pack.threads=2 repack -adfq',
    'find /usr/share/doc -name "copyright" | head -600 | xargs -n 6 wc -l',
    'gcc -O2 -c big.c -o big.o',
    'python3 -c "import threading as t; w=[t.Thread(target=lambda: sum(range(1500000))) for _ in range(3)]; '
    '[x.start() for x in w]; [x.join() for x in w]"',
    'perl -e \'for (1..160) { open(my $c, "-|", "sh -c \\"wc -c <text.txt\\"") or die; my $l = <$c>; close $c }\'',
]


def prepare(folder):
    line = 'the quick brown fox jumps over the lazy dog %d %d\n'
    with open(os.path.join(folder, 'text.txt'), 'w') as file:
        file.writelines(line % (i * 7919 % 65536, i) for i in range(150000))
    with open(os.path.join(folder, 'big.c'), 'w') as file:
        file.writelines(f'int f{i}(int x) {{ for (int j = 0; j < x; j++) x = x * {i} + j % 7; return x; }}\n'
                        for i in range(600))
    subprocess.run('git init -q repo && cp text.txt repo && cd repo && for i in 1 2 3 4; do sed -i "$i~5s/the/a/" text.txt '
                   '&& git add . && git -c user.name=A -c user.email=a@b commit -q -m $i; done',
                   shell=True, check=True, cwd=folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('build', help='the folder that perfevo was built in')
    options = parser.parse_args()
    build, within = os.path.abspath(options.build), 0
    with tempfile.TemporaryDirectory() as folder:
        prepare(folder)
        for number, command in enumerate(COMMANDS):
            samples = os.path.join(folder, f'samples-{number}')
            os.mkdir(samples)
            env = dict(os.environ, PERFEVO_SAMPLE_DIR=samples,
                       LD_PRELOAD=os.path.join(build, 'runtime', 'libperfevo_sample.so'))
            began = time.monotonic_ns()
            subprocess.run(['/bin/bash', '-c', command], cwd=folder, env=env, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, check=True)
            wall = time.monotonic_ns() - began
            said = subprocess.run([os.path.join(build, 'bench', 'pe_bench_path_sums'), samples], check=True,
                                  stdout=subprocess.PIPE, text=True).stdout.split()
            path, unseen, processes, threads = (int(word) for word in said)
            off = 100 * ((path + unseen) / wall - 1)
            within += abs(off) <= WITHIN
            print(f'{wall / 1e6:8.0f} ms wall, {path / 1e6:8.0f} ms path, {unseen / 1e6:6.0f} ms no processor, '
                  f'{off:+5.2f} %, {processes} processes, {threads} threads: {command[:50]}', flush=True)
    print(f'{within} of {len(COMMANDS)} within {WITHIN} %')
    return 0 if within == len(COMMANDS) else 1


if __name__ == '__main__':
    sys.exit(main())
