#!/bin/sh
# shellcheck disable=SC1091,SC2154 # made_history.sh sets what is used here
# No change, no jump: a program is tracked over revisions that are all the same, on the machine as it is, and any
# jump that is confirmed is a false one. Suspects that fresh runs refute are what they are for.
#
#   bench/again.sh BUILD_DIR [REPEATS_OF_THE_EXPERIMENT [KIND]]     10, identical
#
#   identical   every revision builds the same program; `--again` runs all of them nevertheless
#   binary      every revision builds another program, which computes the same; `--all` runs all of them
#   adaptive    likewise, tracked adaptively
#
# COMMITS (100), RUNS (25, of each revision), METRIC (wall, or cpu) and MIN_CHANGE (2 %, from where it is judged) are set
# in the environment. With KEEP=DIR each experiment's store is left there, with what was printed. Exit status 1 when
# there is a confirmed jump, in any metric; `open` are suspects that fresh runs left undecided.
set -eu

usage='usage: bench/again.sh BUILD_DIR [REPEATS [identical|binary|adaptive]]'
build=$(cd "${1:?"$usage"}" && pwd)
times=${2:-10}
kind=${3:-identical}
commits=${COMMITS:-100}
runs=${RUNS:-25}
metric=${METRIC:-wall}
. "$(dirname "$0")/made_history.sh"

case $kind in
identical) differ=text how=--again ;;
binary) differ=binary how=--all ;;
adaptive) differ=binary how=--adaptive ;;
*) echo "$usage" >&2; exit 129 ;;
esac
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
trap 'exit 130' INT TERM
keep=
if [ -n "${KEEP:-}" ]; then
	mkdir -p "$KEEP"
	keep=$(cd "$KEEP" && pwd)
fi
history_env "$build" "$dir"
history_begin "$dir/repository"
commit=0
while [ "$commit" -lt "$commits" ]; do
	commit=$((commit + 1))
	history_commit "$commit" 12000000 "$differ"
done
history_config "$runs" "${MIN_CHANGE:-2%}" "$metric"

printf '%s commits, %s, up to %s runs each (track %s)\n' "$commits" "$kind" "$runs" "$how"
printf '%3s %7s %7s %9s %9s %9s %9s %9s %7s %7s\n' \
	'' runs fresh suspected refuted undecided open confirmed noise seconds
time=0
false_ones=0
while [ "$time" -lt "$times" ]; do
	time=$((time + 1))
	store=$dir/$time.db
	begin=$(date +%s)
	"$perfevo" track --quiet --no-open --last "$commits" $how --store "$store" --html "$dir/page.html" \
		--format json >"$dir/$time.json" 2>"$dir/$time.err" || { cat "$dir/$time.err" >&2; exit 128; }
	figures=$(history_db "$store" "
		SELECT (SELECT count(*) FROM runs r JOIN batches w ON w.key = r.batch WHERE r.kind = 0 AND NOT w.aside),
			(SELECT count(*) FROM runs r JOIN batches w ON w.key = r.batch WHERE r.kind = 0 AND w.aside),
			count(*), coalesce(sum(answer = 2), 0), coalesce(sum(answer = 3), 0) FROM confirmations")
	open=$(history_states "$dir/$time.json" suspect)
	confirmed=$(history_states "$dir/$time.json" confirmed)
	false_ones=$((false_ones + confirmed))
	# shellcheck disable=SC2086 # five numbers
	printf '%3d %7d %7d %9d %9d %9d %9d %9d %5s %% %7d  %s\n' "$time" $figures "$open" "$confirmed" \
		"$(history_noise "$store" "$metric")" "$(($(date +%s) - begin))" "$(history_load)"
	if [ -n "$keep" ]; then
		cp "$store" "$dir/$time.json" "$dir/$time.err" "$keep/"
	fi
done
echo "$false_ones false alarms in $times times $commits revisions"
[ "$false_ones" -eq 0 ]
