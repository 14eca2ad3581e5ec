#!/bin/sh
# What a run costs beyond the command itself: perfevo's launcher beside hyperfine, on the same command, in
# turns. Both figures are whole programs, started and ended, divided by their runs.
#
#   bench/run_cost.sh BUILD_DIR [COMMAND [RUNS [ROUNDS]]]
set -eu

build=${1:?"usage: bench/run_cost.sh BUILD_DIR [COMMAND [RUNS [ROUNDS]]]"}
command=${2:-/bin/true}
runs=${3:-1000}
rounds=${4:-9}
driver=$build/bench/pe_bench_run_cost

command -v hyperfine >/dev/null || { echo "run_cost: hyperfine is not installed" >&2; exit 125; }
[ -x "$driver" ] || { echo "run_cost: $driver is not built (-DPERFEVO_BENCH=ON)" >&2; exit 125; }

ours=$(mktemp)
theirs=$(mktemp)
trap 'rm -f "$ours" "$theirs"' EXIT

# Hyperfine without its progress bar and without warm-up: nothing but its runs.
round=0
while [ "$round" -lt "$rounds" ]; do
	"$driver" cost "$runs" "$driver" runs "$runs" "$command" >>"$ours"
	"$driver" cost "$runs" hyperfine -N --style none --warmup 0 --runs "$runs" "$command" \
		2>/dev/null >>"$theirs"
	round=$((round + 1))
done

# median FILE COLUMN
median()
{
	cut -d ' ' -f "$2" "$1" | sort -n | awk '{ v[NR] = $1 } END { print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'
}

printf '%s, %s runs, median of %s rounds, microseconds per run:\n' "$command" "$runs" "$rounds"
printf '%-14s %10s %10s\n' '' wall cpu
printf '%-14s %10.1f %10.1f\n' perfevo "$(median "$ours" 1)" "$(median "$ours" 2)"
printf '%-14s %10.1f %10.1f\n' 'hyperfine -N' "$(median "$theirs" 1)" "$(median "$theirs" 2)"
awk -v a="$(median "$ours" 1)" -v b="$(median "$theirs" 1)" -v c="$(median "$ours" 2)" -v d="$(median "$theirs" 2)" \
	'BEGIN { printf "%-14s %10.2f %10.2f\n", "ratio", a / b, c / d }'
