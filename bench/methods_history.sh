#!/bin/sh
# What it costs to find the changed methods of every commit of a history, and to find them again: the second
# walk reads what the first one kept, and must take less than 2 % of its time. Between the two stands the walk
# that knows the methods of every file's content but not what each commit changed (as after an edit of `paths:`).
#
#   bench/methods_history.sh BUILD_DIR REPOSITORY [A..B]
#
# The repository is cloned first and not touched. Exit status 1 when the second walk takes longer.
set -eu

build=${1:?"usage: bench/methods_history.sh BUILD_DIR REPOSITORY [A..B]"}
repository=${2:?"usage: bench/methods_history.sh BUILD_DIR REPOSITORY [A..B]"}
range=${3:-HEAD}
perfevo=$(cd "$build" && pwd)/cmd/perfevo

[ -x "$perfevo" ] || { echo "methods_history: $perfevo is not built" >&2; exit 125; }

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
git clone -q --bare "$repository" "$dir/copy.git"
cd "$dir/copy.git"

# walk NAME: print the seconds that a walk over the range takes; its answer goes to NAME
walk()
{
	begin=$(date +%s.%N)
	"$perfevo" changes -q --each "$range" --format json --store "$dir/store.db" >"$dir/$1"
	date +"%s.%N $begin" | awk '{ printf "%.3f\n", $1 - $2 }'
}

first=$(walk first)
second=$(walk second)
cmp "$dir/first" "$dir/second"
commits=$(grep -c '"after":"[0-9a-f]*","subject"' "$dir/first")
methods=$(grep -c '^{"kind"' "$dir/first" || :)
echo "$commits commits, $methods changed methods, a store of $(du -k "$dir/store.db" | cut -f1) KiB"
echo "first walk              $first s"
if command -v sqlite3 >/dev/null; then
	sqlite3 "$dir/store.db" 'PRAGMA foreign_keys = ON; DELETE FROM compared'
	echo "with contents known     $(walk third) s"
	cmp "$dir/first" "$dir/third"
fi
echo "second walk             $second s"
awk -v first="$first" -v second="$second" 'BEGIN {
	ratio = 100 * second / first
	printf "second of the first     %.2f %%\n", ratio
	exit ratio < 2 ? 0 : 1
}'
