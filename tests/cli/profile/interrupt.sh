# Ctrl-C while a profile is collected: nothing of it is kept, the store is whole, and the same command collects it.
needs gcc sqlite3
empty_repo
sources
cat >perfevo.yml <<'END'
build: gcc -O2 prog.c work.c -o prog
benchmarks: {prog: 'touch $PERFEVO_ROOT/../running; ./prog; test -e $PERFEVO_ROOT/../go || sleep 100'}
END
save first
# What a shell starts in the background ignores SIGINT otherwise.
env --default-signal=INT perfevo profile --mode counting >../out 2>../err &
pid=$!
while ! [ -e ../running ]; do
	kill -0 $pid
	sleep 0.05
done
# The second one ends the run that the first one would have waited for.
while kill -INT $pid 2>/dev/null; do
	sleep 1
done
code=0
wait $pid || code=$?
echo "status $code"
cat ../out
tail -n 1 ../err | sed 's/while .*/@WHERE@/'
sqlite3 .git/perfevo/perfevo.db 'PRAGMA integrity_check; SELECT count(*) FROM profiles'
touch ../go
calls | grep prog
