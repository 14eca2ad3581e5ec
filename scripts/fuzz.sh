#!/bin/sh
# Fuzz one target of the preset `fuzz`, which is built already. What is new in its corpus stays in the build
# directory; the output is shown where something was found. Without arguments: how often each target was executed since
# the build directory was made, and all of them.
#
#   scripts/fuzz.sh [SECONDS TARGET]
set -eu

cd "$(dirname "$0")/.."
counts=build/fuzz/corpus/executions
if [ $# -eq 0 ]; then
	awk '{ of[$1] += $2; all += $2 }
		END { for (target in of) print target "\t" of[target] | "sort"; close("sort"); print "all\t" all }' "$counts"
	exit
fi

seconds=$1
target=${2:?"usage: scripts/fuzz.sh [SECONDS TARGET]"}
name=${target#fuzz_}
corpus=build/fuzz/corpus/$name
made=build/fuzz/corpus/seeds/$name
mkdir -p "$corpus" "$made"

# What the tests read is a seed, too, behind the byte that chooses its format.
#   seed BYTE FILE...
seed()
{
	byte=$1
	shift
	for file; do
		[ -f "$file" ] || continue
		{ printf %s "$byte" && gzip -cdf "$file"; } >"$made/$(basename "$file")"
	done
}
# Each case of a file of cases (tests/support/cases.h) is a seed.
#   cases BYTE FILE...
cases()
{
	byte=$1
	shift
	for file; do
		n=0
		gzip -cdf "$file" | grep '^<[^ ]* [^@]' | cut -d ' ' -f 2- | while IFS= read -r input; do
			n=$((n + 1))
			printf '%s%b' "$byte" "$input" >"$made/$byte-$(basename "$file")-$n"
		done
	done
}
seed "" "tests/fuzz/seeds/$name"/*
case $name in
config)
	seed "" configs/examples/*.yml
	cases "" tests/configs/cases/config.gz
	;;
extract)
	language=0
	for suffix in rs rb c cpp py js ts tsx java go; do
		seed "$language" tests/methods/samples/*."$suffix".gz
		language=$((language + 1))
	done
	;;
import)
	cases H tests/profile/cases/*
	cases I tests/profile/cases/callgrind.gz
	seed H tests/profile/imports/*.folded tests/profile/imports/busy-flat.perf.gz tests/profile/imports/busy-inlined.perf.gz tests/profile/imports/node.trace.json
	;;
suite)
	cases F tests/suites/cases/*
	seed F tests/suites/data/*.txt.gz tests/suites/data/*.xml.gz tests/suites/data/*.json.gz
	;;
esac
# Two targets read many formats each: of importers, and of suites.
case $target in
fuzz_import | fuzz_suite) seconds=$((5 * seconds)) ;;
esac
# Little memory is kept from being used again, and stacks of allocations are not kept, which the most time would go into.
export ASAN_OPTIONS="quarantine_size_mb=4:malloc_context_size=4:max_malloc_fill_size=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
rc=0
"$(find build/fuzz -type f -name "$target")" -max_total_time="$seconds" -timeout=10 \
	-rss_limit_mb=2048 -artifact_prefix="$corpus-" -print_final_stats=1 -print_funcs=0 "$corpus" "$made" >"$corpus.log" 2>&1 || rc=$?
executed=$(sed -n 's/^stat::number_of_executed_units: *//p' "$corpus.log")
printf '%s\t%s\n' "$target" "${executed:-0}" >>"$counts"
if [ $rc -ne 0 ]; then
	cat "$corpus.log"
	exit 255
fi
echo "$target: $executed executions"
