# P8: a launcher that was stopped (SIGSTOP) ends with its processes when perfevo is killed; one SIGTERM ends a run of any length.

empty_repo
cat >perfevo.yml <<'END'
build: "true"
benchmarks:
  waits: {command: sh wait.sh, warmup: 0, repeats: 2, allocations: false}
END
# shellcheck disable=SC2016
echo 'cut -d" " -f4 /proc/$PPID/stat >"$PERFEVO_ROOT/../launcher.part"; mv "$PERFEVO_ROOT/../launcher.part" "$PERFEVO_ROOT/../launcher"; sleep 1019' >wait.sh
save one

# over PID: it is gone, or a zombie
over()
{
	[ ! -e "/proc/$1" ] || grep -q '^State:.*Z' "/proc/$1/status" 2>/dev/null
}

# until SECONDS COMMAND
until_true()
{
	left=$(($1 * 10))
	shift
	until "$@"; do
		left=$((left - 1))
		[ "$left" -gt 0 ] || return 1
		sleep 0.1
	done
}

start()
{
	rm -f ../launcher
	perfevo track --quiet --no-open --no-confirm >/dev/null 2>../messages &
	perfevo=$!
	until_true 600 [ -e ../launcher ] || fail 'no launcher'
	launcher=$(cat ../launcher)
	kill -STOP "$launcher"
}

start
kill -KILL "$perfevo"
until_true 600 over "$launcher" || fail 'the launcher outlives perfevo'

start
kill -TERM "$perfevo"
until_true 600 over "$perfevo" || fail 'perfevo waits for a stopped launcher'
until_true 600 over "$launcher" || fail 'the launcher outlives perfevo'
! pgrep -f 'sleep 1019' >/dev/null || fail 'a process was left behind'
