#!/bin/sh
# How long the commands take that read a large store: 1,000 benchmarks by 1,000 revisions, three runs each.
#
#   bench/scale.sh BUILD_DIR DIR [REVISIONS [BENCHMARKS [ROUNDS]]]
#
# DIR must not exist; the repository and its store are left there. Printed is a line a command: seconds, and how many of
# them of its own processor time. Each is run twice, the second time is that of a store that was read before.
set -eu

build=$(cd "$1" && pwd)
mkdir "$2"
cd "$2"
revisions=${3:-1000}
git init -q -b main .
i=0
while [ "$i" -lt "$revisions" ]; do
	i=$((i + 1))
	printf 'commit refs/heads/main\ncommitter A Name <a@example.org> %s +0000\ndata 8\nchange %%\n\n' $((1700000000 + 3600 * i))
done | sed 's/^change %$/change .\n/; s/^data 8$/data 9/' | git fast-import --quiet
git log --reverse --format=%H >ids
mkdir -p .git/perfevo
"$build/bench/pe_bench_store" .git/perfevo/perfevo.db "$revisions" "${4:-1000}" "${5:-3}" ids
for command in 'log --no-pager' 'status' 'show HEAD~100' 'report --no-profile -o page.html' 'site site'; do
	for time in first second; do
		# shellcheck disable=SC2086 # words of a command
		/usr/bin/env time -f "%e s, %U s of its own, %M KiB: $command, $time time" "$build/cmd/perfevo" $command \
			>/dev/null 2>spent || cat spent >&2
		tail -n 1 spent
	done
done
