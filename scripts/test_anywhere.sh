#!/bin/bash
# Run the tests in four ways, to find those that depend on how fast or how busy the machine is: as it is; beside four
# busy loops a processor; with a third of the processor time; with a sampler that never delivers.
#
#   test_anywhere.sh [REGEX] [WAY...]     REGEX of ctest -R; ways: plain busy third never
#
# It builds the preset `release`. A third: by a cgroup (of version 2 or 1), which root may make, else the tests' processes are
# stopped for two thirds of the time. Where the sampler never delivers (PERFEVO_SAMPLE_CLOCK=never), tests that are
# about samples, labelled `sampler`, are left out.
set -eu

cd "$(dirname "$0")/.."
exec </dev/null

regex=${1:-.}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- plain busy third never
cmake --preset release -DPERFEVO_TESTS=ON -DPERFEVO_TRAPS=ON >/dev/null
cmake --build --preset release

processors=$(getconf _NPROCESSORS_ONLN)
group='' pids='' wrong=''

finish()
{
	# shellcheck disable=SC2086
	[ -z "$pids" ] || kill $pids 2>/dev/null || :
	pids=''
	if [ -n "$group" ]; then
		rmdir "$group" 2>/dev/null || :
		group=''
	fi
}
trap finish EXIT
trap 'exit 130' INT TERM HUP

# tests [LABEL]: but for those with the label; those labelled `sanitized` are built by the preset dev alone
tests()
{
	ctest --preset release -j "$((2 * processors))" -R "$regex" -LE "^(sanitized${1:+|$1})\$"
}

# A cgroup with a third of the processor time, in $group.
make_group()
{
	local quota=$((processors * 100000 / 3)) name=perfevo-third.$$
	if [ -w /sys/fs/cgroup/cgroup.subtree_control ]; then
		mkdir "/sys/fs/cgroup/$name" && group=/sys/fs/cgroup/$name
		{ echo +cpu >/sys/fs/cgroup/cgroup.subtree_control && echo "$quota 100000" >"$group/cpu.max"; } 2>/dev/null && return
	elif [ -w /sys/fs/cgroup/cpu/cpu.cfs_quota_us ] || [ -w /sys/fs/cgroup/cpu/tasks ]; then
		mkdir "/sys/fs/cgroup/cpu/$name" && group=/sys/fs/cgroup/cpu/$name
		echo "$quota" >"$group/cpu.cfs_quota_us" && return
	fi
	return 1
}

# descendants PID
descendants()
{
	ps -eo pid=,ppid= | awk -v top="$1" '{ parent[$1] = $2 }
		END { for (pid in parent) { for (at = pid; at in parent && at != top; at = parent[at]); if (at == top && pid != top) print pid } }'
}

# With a third of the time: $1 is the process whose descendants are stopped.
stop_and_continue()
{
	local stopped
	while kill -0 "$1" 2>/dev/null; do
		stopped=$(descendants "$1")
		# shellcheck disable=SC2086
		kill -STOP $stopped 2>/dev/null || :
		sleep 0.2
		# shellcheck disable=SC2086
		kill -CONT $stopped 2>/dev/null || :
		sleep 0.1
	done
}

third()
{
	local tested
	if make_group; then
		(echo "$BASHPID" >"$group/cgroup.procs" && tests)
		return
	fi
	tests &
	tested=$!
	stop_and_continue "$tested" &
	pids=$!
	wait "$tested"
}

busy()
{
	for _ in $(seq $((4 * processors))); do
		(while :; do :; done) &
		pids="$pids $!"
	done
	tests
}

for way; do
	printf '\n== %s\n' "$way"
	case $way in
	plain) tests || wrong="$wrong $way" ;;
	busy) busy || wrong="$wrong $way" ;;
	third) third || wrong="$wrong $way" ;;
	never) PERFEVO_SAMPLE_CLOCK=never tests sampler || wrong="$wrong $way" ;;
	*) echo "no such way: $way" >&2 && exit 2 ;;
	esac
	finish
done
[ -z "$wrong" ] || printf '\nSomething failed:%s\n' "$wrong"
[ -z "$wrong" ]
