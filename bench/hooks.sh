#!/bin/sh
# What the post-commit hook costs: `git commit` without it, with it, and with it while a measurement runs in the
# background, side by side in shuffled order. The bar: 50 ms more, in the median.
#
#   bench/hooks.sh BUILD [ROUNDS]
set -eu

build=$(cd "$1" && pwd)
rounds=${2:-30}
PATH=$build/cmd:$PATH
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export HOME="$dir" XDG_CACHE_HOME="$dir/cache" GIT_CONFIG_NOSYSTEM=1
git config --global user.name Bench
git config --global user.email bench@example.org
git config --global init.defaultBranch main

# repository NAME SECONDS: a benchmark that takes so long
repository()
{
	git init -q "$dir/$1"
	cd "$dir/$1"
	printf 'build: "true"\nbenchmarks:\n  wait: {command: "sleep %s", repeats: 1000, allocations: false}\n' \
		"$2" >perfevo.yml
	git add -A
	git commit -q -m start
}

repository plain 1
repository idle 1
repository busy 0.05
perfevo hooks install --post-commit >/dev/null
# A queue that never ends: its worker measures as long as this script runs.
git commit -q --allow-empty -m busy
cd "$dir/idle"
perfevo hooks install --post-commit >/dev/null

# once NAME: microseconds of one commit
once()
{
	cd "$dir/$1"
	before=$(date +%s%N)
	git commit -q --allow-empty -m again 2>/dev/null
	after=$(date +%s%N)
	echo "$(((after - before) / 1000))" >>"$dir/$1.times"
	# Alone: what this commit started is not to run beside the next one.
	if [ "$1" = idle ]; then
		kill "$(sed -n 's/^pid //p' .git/perfevo/hooks/worker 2>/dev/null)" 2>/dev/null || :
		rm -rf .git/perfevo/hooks/queue 2>/dev/null || :
	fi
}

i=0
while [ "$i" -lt "$rounds" ]; do
	for name in $(printf 'plain\nidle\nbusy\n' | shuf); do
		once "$name"
	done
	i=$((i + 1))
done
cd "$dir/busy"
state=$(perfevo status --format json | grep -o '"phase":"[a-z]*"' || echo 'nothing')
kill "$(sed -n 's/^pid //p' .git/perfevo/hooks/worker 2>/dev/null)" 2>/dev/null || :

median()
{
	sort -n "$dir/$1.times" | awk '{ v[NR] = $1 } END { printf "%.1f", v[int((NR + 1) / 2)] / 1000 }'
}

plain=$(median plain)
for name in plain idle busy; do
	awk -v name="$name" -v ms="$(median "$name")" -v plain="$plain" \
		'BEGIN { printf "%-6s %6.1f ms  %+6.1f ms\n", name, ms, ms - plain }'
done
echo "in the background of busy: $state"
