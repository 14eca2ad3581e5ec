# P8: a launcher that was stopped (SIGSTOP) ends with its processes when perfevo is killed; one SIGTERM ends a run of any length.

empty_repo
perfevo_yml '"true"' 'waits: {command: sh wait.sh, warmup: 0, repeats: 2, allocations: false}'
echo 'cut -d" " -f4 /proc/$PPID/stat >"$PERFEVO_ROOT/../launcher.part"; mv "$PERFEVO_ROOT/../launcher.part" "$PERFEVO_ROOT/../launcher"; sleep 1019' >wait.sh
save one

# over PID: it is gone, or a zombie
over()
{
	[ ! -e "/proc/$1" ] || grep -q '^State:.*Z' "/proc/$1/status" 2>/dev/null
}

start()
{
	rm -f ../launcher
	perfevo track --quiet --no-open --no-confirm >/dev/null 2>../messages &
	perfevo=$!
	wait_for 'the launcher' test -e ../launcher
	launcher=$(cat ../launcher)
	kill -STOP "$launcher"
}

start
kill -KILL "$perfevo"
wait_for 'the end of the launcher' over "$launcher"

start
kill -TERM "$perfevo"
wait_for 'the end of perfevo' over "$perfevo"
wait_for 'the end of the launcher' over "$launcher"
! pgrep -f 'sleep 1019' >/dev/null || fail 'a process was left behind'
