#!/bin/sh
# How long the last N commits of a repository take, in turns with another perfevo: the whole of `track`, from an empty cache
# and store and without ccache, so that builds are what a user waits for.
#
#   bench/answer_repository.sh BUILD_DIR OLD_BUILD_DIR REPOSITORY N STEP COMMAND
#
# STEP is a shell command that builds a commit, COMMAND one that is measured: five times, after one warm-up. Suspects are
# not confirmed, and instructions are not simulated. Double quotes and backslashes in either are not understood.
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
	cat >"$dir/$1/perfevo.yml" <<END
build: {steps: ["$step"], ccache: false}
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

theirs=$(track old "$old")
ours=$(track new "$new")
awk "BEGIN { printf \"old %s s, new %s s, ratio %.2f\\n\", $theirs, $ours, $ours / $theirs }"
sed -n '/reused\|not made/s/^/new: /p' "$dir/new.out" | head -n 1
