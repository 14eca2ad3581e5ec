# Ctrl-C while a profile is collected: nothing of it is kept, the store is whole, and the same command collects it.
needs gcc sqlite3
empty_repo
sources
cat >perfevo.yml <<'END'
build: gcc -O2 prog.c work.c -o prog
benchmarks: {prog: 'touch $PERFEVO_ROOT/../running; ./prog; test -e $PERFEVO_ROOT/../go || sleep 100'}
END
save first
begins ../running perfevo profile --mode counting
# The second one ends the run that the first one would have waited for.
while kill -INT "$tool" 2>/dev/null; do
	sleep 1
done
ended 128
cat ../out
tail -n 1 ../err | sed 's/while .*/@WHERE@/'
sqlite3 .git/perfevo/perfevo.db 'PRAGMA integrity_check; SELECT count(*) FROM profiles'
touch ../go
calls | grep prog
