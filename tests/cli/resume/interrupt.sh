# The first Ctrl-C finishes the run in flight, keeps it and stops; the second stops at once, with everything
# that runs. Either way the same command goes on, and in the end nothing is missing and nothing twice.
. "$CASE_DIR/../track/lib.sh"

# No benchmark is tried before: what is interrupted is the measuring.
export PERFEVO_PATIENCE=0
mark=31536.$$
new_repo
# Every run says that it has begun, and goes on when it may.
cat >prog.sh <<END
#!/bin/sh
: >"$case_dir/begun"
[ -e "$case_dir/go" ] || sleep $mark &
while [ ! -e "$case_dir/go" ]; do
	sleep 0.02
done
exit 0
END
history 3
plain_config
sed -i 's/warmup: 1/warmup: 0/' perfevo.yml

start()
{
	rm -f "$case_dir/go"
	begins "$case_dir/begun" perfevo track --no-open --no-confirm --last 3
}

start
kill -INT "$tool"
sleep 0.3
kill -0 "$tool" 2>/dev/null || fail "the first Ctrl-C did not wait for the run in flight"
: >"$case_dir/go"
ended 128
same "the run in flight is kept" 1 "$(db 'SELECT count(*) FROM runs WHERE outcome = 0')"
has "how to go on" "$case_dir/err" "run the same command to resume"

start
ctrl_c "$tool"
ctrl_c "$tool"
ended 128
same "a run that was cut off is not kept" 1 "$(db 'SELECT count(*) FROM runs')"
same "processes left behind" "" "$(strays "sleep $mark")"

: >"$case_dir/go"
track 0 --last 3
same "runs in the end" 'c1|prog|timed|measured|3
c2|prog|timed|measured|3
c3|prog|timed|measured|3' "$(counts)"
same "windows" 1 "$(db 'SELECT count(*) FROM batches')"
store_is_whole
