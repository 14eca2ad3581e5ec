#!/bin/sh
# Fuzz one target of the preset `fuzz`, which is built already. What is new in its corpus stays in the build
# directory; the output is shown where something was found.
#
#   scripts/fuzz.sh SECONDS TARGET
set -eu

seconds=${1:?"usage: scripts/fuzz.sh SECONDS TARGET"}
target=${2:?"usage: scripts/fuzz.sh SECONDS TARGET"}

cd "$(dirname "$0")/.."
name=${target#fuzz_}
corpus=build/fuzz/corpus/$name
mkdir -p "$corpus"
if "$(find build/fuzz -type f -name "$target")" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 \
	-artifact_prefix="$corpus-" -print_final_stats=1 "$corpus" "tests/fuzz/seeds/$name" >"$corpus.log" 2>&1; then
	echo "$target: $(grep executed_units "$corpus.log")"
else
	cat "$corpus.log"
	exit 255
fi
