#!/bin/sh
# shellcheck disable=SC1091,SC2154 # made_history.sh sets what is used here
# Adaptive measuring on a real program: a history of a hundred commits with steps of 2, 5 and 10 % in computing time,
# each at a random commit, up or down, tracked adaptively on the machine as it is. The bar: all three confirmed at
# their commits and nothing else, with at most a quarter of the runs of `--all`.
#
#   bench/adaptive.sh BUILD_DIR [REPEATS_OF_THE_EXPERIMENT]         5
#
# Every commit builds another program: nothing is carried over. Set in the environment: COMMITS (100), RUNS (40, of each
# revision in --all: a program of 20 ms wants many), SEED (1; of the places of the steps in the first experiment, counted
# up), STEPS ('2 5 10', percent), LOOPS (12000000, of the program), METRIC: cpu (the default, the time of computing) or
# wall, which is mostly time of waiting for processors where others want them too. Times are judged from 1 % on. ALL=1
# tracks each history with --all as well, for what that finds and takes; MAX_RUNS is given to --max-runs in place of the
# quarter. With KEEP=DIR the stores are left there, with what was printed.
#
# The runs that choose (`runs`) and those that confirm (`fresh`) are counted apart; `part` is that of the first in
# the runs of --all, `with fresh` that of both in them, and what the bar is about: that --all makes fresh ones too is not
# counted. Exit status 1 when the bar is missed.
set -eu

usage='usage: bench/adaptive.sh BUILD_DIR [REPEATS]'
build=$(cd "${1:?"$usage"}" && pwd)
times=${2:-5}
commits=${COMMITS:-100}
runs=${RUNS:-40}
steps=${STEPS:-2 5 10}
metric=${METRIC:-cpu}
. "$(dirname "$0")/made_history.sh"

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
trap 'exit 130' INT TERM
keep=
if [ -n "${KEEP:-}" ]; then
	mkdir -p "$KEEP"
	keep=$(cd "$KEEP" && pwd)
fi
history_env "$build" "$dir"

# Where the steps of this seed are, a line each: commit, percent. They stand at least five commits from each other
# and from the ends.
places()
{
	history_random "$1" 400 | awk -v commits="$commits" -v steps="$steps" '
	{ u[NR] = $1 }
	END {
		n = split(steps, size, " ")
		for (i = 1; i <= n; i++) {
			do {
				at = 6 + int(u[++k] * (commits - 10))
				near = 0
				for (j = 1; j < i; j++)
					near = near || (at - place[j] < 5 && place[j] - at < 5)
			} while (near && k < NR - n)
			place[i] = at
			print at, (u[++k] < 0.5 ? -1 : 1) * size[i]
		}
	}' | sort -n
}

# make_history SEED: in $dir/SEED, with the places in $dir/SEED.steps
make_history()
{
	places "$1" >"$dir/$1.steps"
	history_begin "$dir/$1"
	commit=0
	loops=${LOOPS:-12000000}
	while [ "$commit" -lt "$commits" ]; do
		commit=$((commit + 1))
		loops=$(awk -v commit="$commit" -v loops="$loops" \
			'$1 == commit { loops *= 1 + $2 / 100 } END { printf "%d", loops }' "$dir/$1.steps")
		history_commit "$commit" "$loops" binary
	done
	history_config "$runs" 1% "$metric"
}

# track NAME OPTION SEED: track it into $dir/NAME.db, and say what was found: runs, fresh ones, found, elsewhere
track()
{
	# shellcheck disable=SC2086 # an option with its number, or none
	"$perfevo" track --quiet --no-open --last "$commits" $2 --store "$dir/$1.db" --html "$dir/page.html" \
		--format json >"$dir/$1.json" 2>"$dir/$1.err" || { cat "$dir/$1.err" >&2; exit 128; }
	history_jumps "$dir/$1.json" "$metric" >"$dir/$1.jumps"
	history_db "$dir/$1.db" "
		SELECT count(*) FILTER (WHERE NOT w.aside), count(*) FILTER (WHERE w.aside)
		FROM runs r JOIN batches w ON w.key = r.batch WHERE r.kind = 0"
	awk 'NR == FNR { percent["c" $1] = $2; next }
		$2 == "confirmed" { if (percent[$1] * $3 > 0) found++; else elsewhere++ }
		END { print found + 0, elsewhere + 0 }' "$dir/$3.steps" "$dir/$1.jumps"
	if [ -n "$keep" ]; then
		cp "$dir/$1.db" "$dir/$1.json" "$dir/$1.jumps" "$dir/$1.err" "$dir/$3.steps" "$keep/"
	fi
}

# row NAME OPTION SEED
row()
{
	begin=$(date +%s)
	# shellcheck disable=SC2046 # four numbers
	set -- "$1" "$2" "$3" $(track "$1" "$2" "$3")
	printf '%4d %-14s %6d %6d %7s %10s %5d of %d %9d %5s %% %8d  %s\n' "$3" "$2" "$4" "$5" \
		"$(awk "BEGIN { printf \"%.1f %%\", 100 * $4 / ($commits * $runs) }")" \
		"$(awk "BEGIN { printf \"%.1f %%\", 100 * ($4 + $5) / ($commits * $runs) }")" \
		"$6" "$(wc -l <"$dir/$3.steps")" "$7" "$(history_noise "$dir/$1.db" "$metric")" \
		"$(($(date +%s) - begin))" "$(history_load)"
	sed 's/^/        made   c/; s/$/ %/' "$dir/$3.steps"
	awk '{ print "        found  " $1 " " $3 " % " $2 ", " $4 " pairs, sure " $5 }' "$dir/$1.jumps"
	[ "$2" = --all ] || missed=$((missed + ($6 < $(wc -l <"$dir/$3.steps") || $7 > 0 || 4 * ($4 + $5) > commits * runs)))
}

printf '%4s %-14s %6s %6s %7s %10s %10s %9s %7s %8s\n' \
	seed track runs fresh part 'with fresh' found elsewhere noise seconds
missed=0
seed=${SEED:-1}
end=$((seed + times))
while [ "$seed" -lt "$end" ]; do
	make_history "$seed"
	row "$seed" "${MAX_RUNS:+--max-runs }${MAX_RUNS:---adaptive}" "$seed"
	[ -z "${ALL:-}" ] || row "$seed-all" --all "$seed"
	seed=$((seed + 1))
done
echo "$missed of $times missed the bar"
[ "$missed" -eq 0 ]
