#!/usr/bin/env python3
"""Are simulated instructions the same on two processors?

Real programs (bench/programs.sh) are counted by `perfevo track`; then the same build is counted in machines that qemu emulates,
one a processor, with what perfevo gives valgrind, and without its settings for the C library. A machine has nothing but the
program, its input, valgrind, a shell and the libraries of these, in memory. A process identifies its processor when it starts,
in the loader and the C library: that takes about 7,000 instructions more where the processor says less of itself.

Needs git, gcc, valgrind, cpio, qemu-system-x86_64, a static busybox, a kernel (--kernel, package linux-image-cloud-amd64) and
clones of lua, zlib, lz4, cJSON and wren. Exit status 1 where two processors count otherwise with the settings, by more
than START.
"""
import argparse
import gzip
import os
import re
import shutil
import subprocess
import sys
import tempfile

from simulated import Program, run

START = 10_000  # instructions
INIT = '''#!/bin/busybox sh
/bin/busybox --install -s /bin
mkdir -p /proc /dev /tmp /records
mount -t proc none /proc
mount -t devtmpfs none /dev
cd /program
for settings in with without; do
	rm -f /records/*
	tunables=$(cat /tunables)
	[ $settings = with ] || tunables=
	env -i PATH=/usr/bin:/bin HOME=/ LC_ALL=C GLIBC_TUNABLES="$tunables" valgrind -q --command-line-only=yes \
		--tool=cachegrind --cache-sim=no --trace-children=yes --cachegrind-out-file=/records/%p \
		/bin/dash -c "$(cat /command)" >/dev/null 2>/tmp/err </dev/null
	echo "status $settings $?"
	awk -v s=$settings '/^summary/ { n += $2 } END { printf "counted %s %d\\n", s, n }' /records/*
done
cat /tmp/err
poweroff -f
'''


def libraries(path):
    return set(re.findall(r'(/\S+) \(0x', run('ldd', path)))


def copy(root, path, to=None):
    to = root + (to or path)
    os.makedirs(os.path.dirname(to), exist_ok=True)
    shutil.copy(path, to)


def make_image(program, folder):
    """A file system in memory that counts once with the settings and once without; the path of its archive."""
    root = os.path.join(folder, 'root')
    tools = run('sh', '-c', 'dirname "$(find /usr/libexec /usr/lib -name cachegrind-amd64-linux)"').strip()
    copy(root, '/bin/busybox')
    for path in ('/bin/dash', '/usr/bin/valgrind', '/usr/bin/valgrind.bin'):
        if os.path.exists(path):
            copy(root, path)
    for name in ('cachegrind-amd64-linux', 'default.supp', 'vgpreload_core-amd64-linux.so'):
        copy(root, os.path.join(tools, name))
    os.makedirs(root + '/program')
    program.perfevo('shell', '-q', '-b', 'work', 'HEAD', '--', 'cp', 'bench', f'{root}/program/')
    for binary in ('/bin/dash', f'{root}/program/bench'):
        for library in libraries(binary):
            copy(root, library)
    given = os.path.join(program.dir, 'input')
    if os.path.isdir(given):
        shutil.copytree(given, root + given)
    elif os.path.exists(given):
        copy(root, given)
    for name, text in (('init', INIT), ('command', program.command), ('tunables', program.tunables())):
        with open(os.path.join(root, name), 'w') as file:
            file.write(text)
    os.chmod(root + '/init', 0o755)
    archive = subprocess.run('find . | cpio -o -H newc --quiet', shell=True, cwd=root, check=True, stdout=subprocess.PIPE)
    path = os.path.join(folder, 'image')
    with gzip.open(path, 'wb', 1) as file:
        file.write(archive.stdout)
    return path


def count(kernel, image, processor):
    """What one processor counts, by 'with' and 'without'."""
    said = run('qemu-system-x86_64', '-accel', 'tcg', '-cpu', processor, '-m', '2048', '-nographic', '-no-reboot', '-net', 'none',
               '-kernel', kernel, '-initrd', image, '-append', 'console=ttyS0 quiet panic=-1 no_timer_check', stdin=subprocess.DEVNULL)
    counted = dict(re.findall(r'counted (with|without) (\d+)', said))
    ended = dict(re.findall(r'status (with|without) (\d+)', said))
    if set(ended.values()) != {'0'} or len(counted) != 2:
        sys.exit(f'{processor}: {said}')
    return {settings: int(n) for settings, n in counted.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('build', help='build directory of perfevo')
    parser.add_argument('clones', nargs='+')
    parser.add_argument('--size', type=int, default=1, help='of the work, in per cent')
    parser.add_argument('--kernel', required=True, help='such as /boot/vmlinuz-VERSION-cloud-amd64')
    parser.add_argument('--processors', default='Nehalem,Haswell', help='of qemu, with and without AVX2')
    options = parser.parse_args()
    missed = False
    print(f'{"program":8} {"processor":12} {"with settings":>15} {"without":>15}')
    for clone in options.clones:
        with tempfile.TemporaryDirectory() as folder:
            program = Program(options, clone, folder)
            program.counted()
            image = make_image(program, folder)
            counts = {processor: count(options.kernel, image, processor) for processor in options.processors.split(',')}
        for processor, of in counts.items():
            print(f'{program.name:8} {processor:12} {of["with"]:15,} {of["without"]:15,}', flush=True)
        whole = [of['with'] for of in counts.values()]
        missed |= max(whole) - min(whole) > START
    return 1 if missed else 0


if __name__ == '__main__':
    sys.exit(main())
