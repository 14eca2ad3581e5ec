#!/bin/sh
# Make the recordings of tests/profile/imports again that real tools made: needs gcc, perf, valgrind and uftrace. The files that come out
# differ in times and samples, not in calls.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
recordings=$here/../../tests/profile/imports
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$here/busy.c" "$work"
cd "$work"

# Paths of the machine that made them have no place in fixtures.
keep()
{
	sed "s,$work,/src,g" | gzip -9n >"$recordings/$1.gz"
}

flags='-O1 -g -fno-optimize-sibling-calls -fno-omit-frame-pointer -pthread'
# shellcheck disable=SC2086 # one word a flag
gcc $flags busy.c -o busy
# shellcheck disable=SC2086
gcc $flags -pg busy.c -o busy-pg

perf record -q -e cpu-clock -c 1000000 -g -o fp.data ./busy 8000000
perf script -i fp.data | keep busy.perf
perf record -q -e cpu-clock -F 200 --call-graph dwarf -o dwarf.data ./busy 8000000
perf script --header -i dwarf.data -F +pid | grep -v -e '^# [chops]' -e '^# .*:' | keep busy-inlined.perf
perf script -i dwarf.data -F comm,pid,tid,ip,sym,dso,srcline | keep busy-lines.perf
perf record -q -e page-faults,cpu-clock -F 200 -o flat.data ./busy 8000000
perf script -i flat.data | keep busy-flat.perf

grind()
{
	out=$1
	shift
	valgrind -q --tool=callgrind --callgrind-out-file=raw.out "$@" ./busy 100
	keep "$out" <raw.out
}
grind busy.callgrind --toggle-collect=main
grind busy-callers.callgrind --toggle-collect=main --separate-callers=20 --separate-recs=20
grind busy-jumps.callgrind --toggle-collect=main --dump-instr=yes --collect-jumps=yes --cache-sim=yes
grind busy-parts.callgrind --toggle-collect=main --combine-dumps=yes --dump-every-bb=10000

uftrace record -d trace ./busy-pg 100 >/dev/null
uftrace dump -d trace | keep busy.uftrace
