# Ctrl-C while a push is looked at: nothing is pushed, what was measured stays, and a background measurement that
# had to step aside goes on.

measured_project
hub
perfevo hooks install --pre-push --post-commit >/dev/null
cat >prog.sh <<END
n=\$(cat "$PWD/../n" 2>/dev/null || echo 0)
echo \$((n + 1)) >"$PWD/../n"
[ -e "$PWD/../fast" ] || [ "\$n" -lt 1 ] || sleep 31415
echo score 100
END
git commit -q -a -m slow 2>/dev/null
wait_for 'the background hangs' sh -c '[ "$(cat ../n)" -ge 2 ]'
! is_gone || fail 'the job is not at it'
rm ../n
setsid --fork sh -c 'echo $$ >../pid; exec env --default-signal=INT git push -q origin main >../said 2>&1'
wait_for 'the push hangs' sh -c '[ "$(cat ../n)" -ge 2 ]'
perfevo status --format json | grep -o '"running":null'
kill -INT "-$(cat ../pid)"
: >../fast
wait_for 'git has ended' sh -c '! kill -0 "$(cat ../pid)" 2>/dev/null'
same 'nothing was pushed' "$(git rev-parse HEAD^)" "$(git -C ../hub.git rev-parse main)"
[ "$(sqlite3 -cmd '.timeout 600000' .git/perfevo/perfevo.db 'SELECT count(*) > 0 FROM runs')" = 1 ] || fail 'no run is kept'
git commit -q --allow-empty -m 'the background goes on' 2>/dev/null
idle
same 'both commits have their results' 'pass pass' "$(results HEAD HEAD^)"
