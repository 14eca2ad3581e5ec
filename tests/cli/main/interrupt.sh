# The first Ctrl-C on a terminal says what happens now, and what a second one would do.
empty_repo
top=$(dirname "$PWD")
cat >perfevo.yml <<END
build: "true"
benchmarks:
  wait:
    command: ": >$top/begun; while [ ! -e $top/go ]; do sleep 0.02; done"
    warmup: 0
    repeats: 2
    allocations: false
END
save one
save two

# wait_for WHAT COMMAND...: until the command succeeds, ten minutes at most
wait_for()
{
	what=$1
	shift
	n=0
	until "$@" 2>/dev/null; do
		n=$((n + 1))
		[ "$n" -lt 12000 ] || {
			echo "waited in vain for $what"
			cat "$top/shown"
			exit 1
		}
		sleep 0.05
	done
}

mkfifo "$top/keys"
: >"$top/shown"
script -qfec 'TERM=xterm perfevo track --no-open --last 2' /dev/null <"$top/keys" >"$top/shown" 2>&1 &
tool=$!
exec 3>"$top/keys"
wait_for "the first run" test -e "$top/begun"
printf '\003' >&3
wait_for "the message" grep -q 'at once' "$top/shown"
: >"$top/go"
status=0
wait "$tool" || status=$?
tr '\r' '\n' <"$top/shown" | grep -aoE 'perfevo: .*(in flight|stopped).*' | sed 's/\x1b\[K//g'
echo "status $status"
