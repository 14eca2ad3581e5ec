#!/bin/sh
# What a run costs beyond the command itself: perfevo's launcher beside hyperfine, on the same command, in
# turns; and a loop of posix_spawn and waitpid, below which nobody can go. The figures are of whole programs,
# started and ended, divided by their runs; the ratio is the median of the rounds' ratios, because the machine
# drifts from round to round.
#
#   bench/run_cost.sh BUILD_DIR [COMMAND [RUNS [ROUNDS]]]
set -eu

build=${1:?"usage: bench/run_cost.sh BUILD_DIR [COMMAND [RUNS [ROUNDS]]]"}
command=${2:-/bin/true}
runs=${3:-500}
rounds=${4:-15}
driver=$build/bench/pe_bench_run_cost

command -v hyperfine >/dev/null || { echo "run_cost: hyperfine is not installed" >&2; exit 125; }
[ -x "$driver" ] || { echo "run_cost: $driver is not built (-DPERFEVO_BENCH=ON)" >&2; exit 125; }

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# Hyperfine without its progress bar and without warm-up: nothing but its runs.
round=0
while [ "$round" -lt "$rounds" ]; do
	"$driver" cost "$runs" "$driver" spawns "$runs" "$command" >>"$dir/bare"
	"$driver" cost "$runs" "$driver" runs "$runs" "$command" >>"$dir/ours"
	"$driver" cost "$runs" hyperfine -N --style none --warmup 0 --runs "$runs" "$command" \
		2>/dev/null >>"$dir/theirs"
	round=$((round + 1))
done

# Of the numbers on standard input.
median()
{
	sort -n | awk '{ v[NR] = $1 } END { print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'
}

row()
{
	printf '%-18s %10.1f %10.1f\n' "$1" "$(cut -d ' ' -f 1 "$2" | median)" "$(cut -d ' ' -f 2 "$2" | median)"
}

printf '%s, %s runs, median of %s rounds, microseconds per run:\n' "$command" "$runs" "$rounds"
printf '%-18s %10s %10s\n' '' wall cpu
row 'posix_spawn' "$dir/bare"
row 'perfevo' "$dir/ours"
row 'hyperfine -N' "$dir/theirs"
paste -d ' ' "$dir/ours" "$dir/theirs" >"$dir/both"
printf '%-18s %10.2f %10.2f\n' 'perfevo/hyperfine' "$(awk '{ print $1 / $3 }' "$dir/both" | median)" \
	"$(awk '{ print $2 / $4 }' "$dir/both" | median)"
