# What fails is data: it is stored with its log, the history goes on, and nothing is tried for ever.

mark=87654.$$
new_repo
cat >prog.sh <<'END'
#!/bin/sh
exec sh ./behave
END
echo 'exit 0' >behave
save good
cp build.sh kept.sh
echo 'echo "level.h: no such file"; exit 3' >build.sh
save unbuildable
mv kept.sh build.sh
echo 'echo "about to crash" >&2; kill -SEGV $$' >behave
save crashes
echo 'echo "usage: prog FILE"; echo "wrong answer" >&2; exit 7' >behave
save exits
# What hangs has a grandchild that left the session and ignores polite signals.
printf 'setsid sh -c "trap \\"\\" TERM HUP; while :; do sleep %s; done" &\nsleep %s\n' "$mark" "$mark" >behave
save hangs
rm -f prog.sh
echo 'true' >build.sh
save gone
git checkout -q HEAD~5 -- .
save mended
plain_config
sed -i 's,^    command: .*,    command: [./prog],; s/^    warmup: 1/    warmup: 0\n    timeout: 5s/' perfevo.yml

track 0 --last 7
same "runs" 'gone|prog|timed|not started|1
good|prog|timed|measured|3
exits|prog|timed|wrong exit status|1
hangs|prog|timed|timed out|1
mended|prog|timed|measured|3
crashes|prog|timed|crashed|1' "$(counts)"
same "failed builds" 'unbuildable|build failed|3' "$(db 'SELECT v.subject, o.name, b.status FROM builds b
	JOIN revisions v ON v.key = b.revision JOIN outcomes o ON o.key = b.outcome WHERE b.outcome <> 0')"
same "log of the failed build" 1 "$(db "SELECT log LIKE '%level.h: no such file%' FROM builds WHERE outcome <> 0")"
same "log of the crash" 1 "$(db "SELECT log LIKE '%about to crash%' FROM runs_failed WHERE subject = 'crashes'")"
same "signal of the crash" 11 "$(db "SELECT status FROM runs_failed WHERE subject = 'crashes'")"
same "log of the wrong exit" '1|7' "$(db "SELECT log LIKE '%usage: prog FILE%wrong answer%', status FROM runs_failed
	WHERE subject = 'exits'")"
same "samples of failed runs" 0 "$(db 'SELECT count(*) FROM samples s JOIN runs r ON r.key = s.run
	WHERE r.outcome <> 0')"
! perfevo check --quiet HEAD~2 >"$case_dir/hangs" 2>&1 || fail "check of a commit that hangs"
has "what to do about it" "$case_dir/hangs" "    give it less to do, or in the config more time, as 'timeout: 5m'"
same "processes left behind" "" "$(strays "sleep $mark")"
has "the failed build in the report" "$case_dir/out" "build failed"
store_is_whole

runs=$(all_runs)
builds=$(db 'SELECT count(*) FROM builds')
track 0 --last 7
same "runs after a second time" "$runs" "$(all_runs)"
same "builds after a second time" "$builds" "$(db 'SELECT count(*) FROM builds')"
