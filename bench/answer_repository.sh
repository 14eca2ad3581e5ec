#!/bin/sh
# How long the last N commits of a repository take, in turns with another perfevo: the whole of `track`, from an empty cache
# and store and without ccache, so that builds are what a user waits for.
#
#   bench/answer_repository.sh BUILD_DIR OLD_BUILD_DIR REPOSITORY N STEP COMMAND
#
# STEP is a shell command that builds a commit, COMMAND one that is measured: five times, after one warm-up. Suspects are
# not confirmed, and instructions are not simulated. Double quotes and backslashes in either are not understood.
#
# Printed are the seconds of both and their ratio, and for each the bound that it cannot fall below: the processor time of
# the builds that it made, over the processors, and the time of its runs.
set -eu

usage='usage: bench/answer_repository.sh BUILD_DIR OLD_BUILD_DIR REPOSITORY N STEP COMMAND'
[ $# -eq 6 ] || { echo "$usage" >&2; exit 125; }
new=$(cd "$1" && pwd)/cmd/perfevo
old=$(cd "$2" && pwd)/cmd/perfevo
repository=$3 commits=$4 step=$5 command=$6
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
trap 'exit 130' INT TERM
export PERFEVO_BACKGROUND=normal PERFEVO_VALGRIND='' CI=true

# track WHO PERFEVO: seconds
track()
{
	git clone -q "$repository" "$dir/$1"
	mkdir "$dir/$1.builds"
	cat >"$dir/$1/perfevo.yml" <<END
build: {steps: ["{ $step; }; status=\$?; times >>$dir/$1.builds/times; exit \$status"], ccache: false}
sandbox: {write: [$dir/$1.builds]}
benchmarks:
  it: {command: [sh, -c, "$command"], warmup: 1, repeats: 5}
END
	mkdir "$dir/$1.home"
	began=$(date +%s%N)
	(cd "$dir/$1" && HOME=$dir/$1.home XDG_CACHE_HOME=$dir/$1.home "$2" track --last "$commits" --no-confirm --no-open) \
		>"$dir/$1.out" 2>"$dir/$1.err" </dev/null || { cat "$dir/$1.err" >&2; exit 1; }
	ended=$(date +%s%N)
	awk "BEGIN { printf \"%.1f\", ($ended - $began) / 1e9 }"
}

# bound WHO SECONDS: what it did, and how far it is from its bound
bound()
{
	runs=$(sqlite3 "$dir/$1/.git/perfevo/perfevo.db" 'SELECT coalesce(sum(seconds), 0) FROM costs' 2>/dev/null) || {
		echo "$1: this perfevo did not write down what its runs took"
		return 0
	}
	# times(1) of a shell: two lines of minutes and seconds, its own and its children's.
	tr 'ms' '  ' <"$dir/$1.builds/times" | awk -v who="$1" -v took="$2" -v runs="$runs" -v width="$(nproc)" '
		{ builds += 60 * ($1 + $3) + $2 + $4 }
		END {
			bound = builds / width + runs
			printf "%s: %d builds take %.1f s of %d processors, runs %.1f s: bound %.1f s, took %.2f of it\n",
				who, NR / 2, builds, width, runs, bound, took / bound
		}'
}

theirs=$(track old "$old")
ours=$(track new "$new")
awk "BEGIN { printf \"old %s s, new %s s, ratio %.2f\\n\", $theirs, $ours, $ours / $theirs }"
bound old "$theirs"
bound new "$ours"
sed -n '/reused\|not made/s/^/new: /p' "$dir/new.out" | head -n 1
