#!/bin/sh
# shellcheck disable=SC1091,SC2154 # programs.sh sets what is used here
# What counting costs: real histories are tracked, and what all counting runs took (allocations, and instructions below
# valgrind, told by `run: {instructions: simulated}`) stands beside what their timed runs took. The bar: less.
#
#   bench/count_first.sh BUILD_DIR REPOSITORY...
#
# LAST (100) commits, SIZE (5) as in programs.sh; RUNS (25) is `repeats`. A commit that needs no build is in neither. As many
# builds are counted at one time as there are processors; seconds are those that pass, so have nothing else at work. Exit
# status 1 where counting took longer.
set -eu

usage='usage: bench/count_first.sh BUILD_DIR REPOSITORY...'
build=$(cd "${1:?"$usage"}" && pwd)
: "${2:?"$usage"}"
shift
. "$(dirname "$0")/programs.sh"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
trap 'exit 130' INT TERM
export HOME="$dir" XDG_CACHE_HOME="$dir/cache"
missed=0
printf '%-10s %7s %9s %9s %7s %9s %6s\n' program builds counting seconds timed seconds part
for repository; do
	programs_from "$dir" "$repository"
	programs_prepare "$dir" "${SIZE:-5}"
	rm -rf "$dir/clone" "$dir/cache"
	git clone -q "$repository" "$dir/clone"
	cat >"$dir/build.sh" <<END
. "$programs_here/programs.sh"
programs_here=$programs_here
kind=$kind
programs_compile ./bench-prog -O2 -w
END
	cat >"$dir/clone/perfevo.yml" <<END
build: {steps: [sh $dir/build.sh], parallel: $(nproc)}
run: {instructions: simulated}
benchmarks:
  $kind: {command: "$(programs_command "$dir" ./bench-prog)", repeats: ${RUNS:-25}, warmup: 1}
END
	"$build/cmd/perfevo" -C "$dir/clone" track --last "${LAST:-100}" --all --no-confirm --no-open --quiet >"$dir/out" 2>&1 ||
		{ cat "$dir/out" >&2; exit 2; }
	row=$(sqlite3 -separator ' ' "$dir/clone/.git/perfevo/perfevo.db" "SELECT (SELECT count(DISTINCT revision) FROM runs
		WHERE kind = 1), c.n, c.seconds, t.n, t.seconds, c.seconds / t.seconds FROM costs c JOIN costs t
		WHERE c.kind = 1 AND t.kind = 0")
	# shellcheck disable=SC2086 # a list of figures
	printf '%-10s %7d %9.0f %9.1f %7.0f %9.1f %6.2f\n' "$kind" $row
	[ "$(echo "${row##* } < 1" | bc)" = 1 ] || missed=1
done
exit "$missed"
