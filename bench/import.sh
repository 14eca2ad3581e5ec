#!/bin/sh
# How fast profiles of other tools are imported, on one core: bytes a second of each format, beside counting the
# lines of the same file; and the memory that it takes. Each file is read in a process of its own.
#
#   bench/import.sh BUILD_DIR [MB]                  made profiles of MB megabytes (default 100)
#   bench/import.sh BUILD_DIR --files FILE...       profiles that are there
#
# The bars are 100 MB/s on folded stacks and 50 MB/s on JSON, in an optimised build without sanitizers.
set -eu

usage='usage: bench/import.sh BUILD_DIR [MB] | BUILD_DIR --files FILE...'
build=${1:?"$usage"}
driver=$(cd "$build" && pwd)/bench/pe_bench_import
[ -x "$driver" ] || { echo "import: $driver is not built (-DPERFEVO_BENCH=ON)" >&2; exit 125; }
shift

if [ "${1-}" = --files ]; then
	shift
	for file; do
		"$driver" read "$file"
	done
	exit 0
fi

megabytes=${1-100}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
for format in folded folded-sorted perf-script callgrind uftrace cpuprofile chrome speedscope pprof; do
	echo "$format"
	"$driver" make "$format" "$megabytes" >profile
	"$driver" read profile
	rm -f profile
done
# Memory follows the tree: ten times the file, the same memory. (Sizes and speeds of this one are of gzip.)
echo "folded, ten times as much, through gzip"
"$driver" make folded "$((megabytes * 10))" | gzip -1 >folded-x10.gz
"$driver" read folded-x10.gz
