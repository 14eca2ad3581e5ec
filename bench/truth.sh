#!/bin/sh
# Whether times are true (bench/truth.c), over real programs: each is built for counting, natively as perfevo
# samples it, and plainly; the counting build runs once, the others a few times under the sampler. The bars: a
# share of 0.08 on the wrong function in C and 0.15 in C++; 97 % of samples find their path in C, 90 % in C++.
#
#   bench/truth.sh BUILD_DIR REPOSITORY...
#
# A repository is a clone, also a bare one, of lua, zlib, lz4, cJSON, wren or leveldb; what it is is told by
# its files. RUNS (3) says how often each build is sampled, CC and CXX by what it is built.
set -eu

build=${1:?"usage: bench/truth.sh BUILD_DIR REPOSITORY..."}
shift
kind=
# shellcheck source=/dev/null
. "$(dirname "$0")/programs.sh"
build=$(cd "$build" && pwd)
truth=$build/bench/pe_bench_truth
counter=${COUNTER:-$build/runtime/libperfevo_calls.so}
sampler=$build/runtime/libperfevo_sample.so
runs=${RUNS:-3}
for needed in "$truth" "$counter" "$sampler"; do
	[ -e "$needed" ] || { echo "truth: $needed is not built (-DPERFEVO_BENCH=ON)" >&2; exit 125; }
done
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT INT TERM

case $("${CC:-gcc}" --version) in
*clang*) count='-finstrument-functions-after-inlining' ;;
*) count='-finstrument-functions -finstrument-functions-exclude-file-list=/usr/include,/usr/lib/gcc' ;;
esac

# One run of a program; it prints nothing.
work()
{
	eval "$(programs_command "$dir" "$1")" >"$dir/said"
}

# sampled PROGRAM FOLDER: once more.
sampled()
{
	LD_PRELOAD=$sampler PERFEVO_SAMPLE_DIR=$2 work "$1"
}

for repository; do
	rm -rf "${dir:?}"/*
	programs_from "$dir" "$repository" || exit 129
	cd "$dir/source"
	# One name: that is what joins the processes of several builds.
	mkdir "$dir/counting" "$dir/native" "$dir/plain"
	# shellcheck disable=SC2086 # a list of flags
	programs_compile "$dir/counting/$kind" -g -O2 $count -w
	programs_compile "$dir/native/$kind" -g -O2 -fno-optimize-sibling-calls -w
	programs_compile "$dir/plain/$kind" -g -O2 -w
	programs_prepare "$dir" 100
	mkdir "$dir/traces"
	LD_PRELOAD=$counter PERFEVO_CALLS_DIR=$dir/traces work "$dir/counting/$kind"
	# In turns, so that all see the same drift of the machine.
	mkdir "$dir/samples" "$dir/first" "$dir/second"
	i=0
	while [ $i -lt "$runs" ]; do
		sampled "$dir/native/$kind" "$dir/samples"
		sampled "$dir/plain/$kind" "$dir/first"
		sampled "$dir/plain/$kind" "$dir/second"
		i=$((i + 1))
	done
	echo "$kind:"
	"$truth" "$dir/source" "$dir/traces" "$dir/samples" "$dir/first" "$dir/second"
done
