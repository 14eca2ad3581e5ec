#!/bin/bash
# What counting every call costs, on real programs, as a multiple of the plain program's processor time:
#
#   perfevo    with libperfevo_calls.so, built with -finstrument-functions
#   uftrace    the same program under `uftrace record`
#   callgrind  the same program under valgrind's callgrind
#
#   bench/counting.sh BUILD_DIR REPOSITORY...
#
# A repository is a clone, also a bare one, of lua, zlib, lz4, cJSON, wren or leveldb (bench/programs.sh). Needs valgrind and
# uftrace. ROUNDS (3) says how often the plain program and perfevo run in turns, SIZE how much work there is, in percent
# (20). The others run once: they take minutes, and uftrace writes gigabytes below TMPDIR.
set -euo pipefail

usage='usage: bench/counting.sh BUILD_DIR REPOSITORY...'
build=$(cd "${1:?"$usage"}" && pwd)
: "${2:?"$usage"}"
shift
runtime=$build/runtime/libperfevo_calls.so
[ -e "$runtime" ] || { echo "counting: $runtime is not built" >&2; exit 125; }
for program in valgrind uftrace; do
	command -v $program >/dev/null || { echo "counting: $program is not installed" >&2; exit 125; }
done
kind=
# shellcheck source=/dev/null
. "$(dirname "$0")/programs.sh"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# cpu FOLDER COMMAND: seconds of processor time
cpu()
{
	(cd "$dir/$1" && TIMEFORMAT='%U %S' && { time sh -c "$2" >/dev/null 2>&1; } 2>&1) | awk '{ print $1 + $2 }'
}

build_in()
{
	rm -rf "${dir:?}/$1"
	cp -a "$dir/source" "$dir/$1"
	(cd "$dir/$1" && shift && programs_compile "./$kind" -w "$@") >"$dir/log" 2>&1 || { cat "$dir/log" >&2; exit 125; }
}

median()
{
	sort -n | awk '{ v[NR] = $1 } END { print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'
}

printf '%-8s %8s %8s %8s %10s\n' program 'plain, s' perfevo uftrace callgrind
for repository; do
	programs_from "$dir" "$repository" || exit 129
	programs_prepare "$dir" "${SIZE:-20}"
	run=$(programs_command "$dir" "./$kind")
	build_in plain -O2 -g
	build_in hooks -O2 -g -finstrument-functions -finstrument-functions-exclude-file-list=/usr/include,/usr/lib/gcc
	rm -f "$dir/plain.s" "$dir/ours.s"
	for ((round = 0; round < ${ROUNDS:-3}; round++)); do
		rm -rf "$dir/traces" "$dir/db"
		mkdir "$dir/traces"
		cpu plain "$run" >>"$dir/plain.s"
		rm -rf "$dir/db"
		cpu hooks "env PERFEVO_CALLS_DIR=$dir/traces LD_PRELOAD=$runtime $run" >>"$dir/ours.s"
	done
	rm -rf "$dir/db"
	uftrace=$(cpu hooks "uftrace record --no-libcall --no-pager -d $dir/uftrace $run")
	rm -rf "$dir/uftrace" "$dir/db"
	callgrind=$(cpu hooks "valgrind --tool=callgrind --callgrind-out-file=/dev/null $run")
	awk -v name="$kind" -v plain="$(median <"$dir/plain.s")" -v ours="$(median <"$dir/ours.s")" -v uftrace="$uftrace" \
		-v callgrind="$callgrind" 'BEGIN { printf "%-8s %8.2f %8.1f %8.1f %10.1f\n", name, plain, ours / plain,
			uftrace / plain, callgrind / plain }'
done
