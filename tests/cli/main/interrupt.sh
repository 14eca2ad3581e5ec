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

mkfifo "$top/keys"
: >"$top/shown"
script -qfec 'TERM=xterm perfevo track --no-open --last 2' /dev/null <"$top/keys" >"$top/shown" 2>&1 &
tool=$!
exec 3>"$top/keys"
wait_for "the first run" test -e "$top/begun"
printf '\003' >&3
wait_for "the message" grep -q 'at once' "$top/shown"
: >"$top/go"
ended 128
tr '\r' '\n' <"$top/shown" | grep -aoE 'perfevo: .*(in flight|stopped).*' | sed 's/\x1b\[K//g'
