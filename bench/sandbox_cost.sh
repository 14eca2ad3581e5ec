#!/bin/sh
# What a sandbox costs: the same command, confined and not, in pairs. A ratio of 1 is no cost; a quiet machine and 1,000
# pairs tell 0.1 %. The same for landlock, and for bounds of memory and processes; what the machine does not give is left out.
#
#   bench/sandbox_cost.sh BUILD_DIR [PAIRS]
set -eu

build=${1:?"usage: bench/sandbox_cost.sh BUILD_DIR [PAIRS]"}
pairs=${2:-1000}
driver=$build/bench/pe_bench_sandbox_cost

[ -x "$driver" ] || { echo "sandbox_cost: $driver is not built (-DPERFEVO_BENCH=ON)" >&2; exit 125; }
for mode in auto require landlock limits; do
	echo "== $mode"
	"$driver" "$mode" "$pairs" || [ $? -eq 125 ]
done
