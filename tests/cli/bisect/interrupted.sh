# Killed without a word, or stopped by Ctrl-C, a bisection goes on from the runs that are stored.
line_repo
# The benchmark itself strikes, at its fourth run and at its eighth.
cat >>prog.sh <<'END'
case $n in
4) kill -KILL "$(cat "$COUNT.pid")" ;;
8) kill -INT "$(cat "$COUNT.pid")" ;;
esac
END
commits 1 16 100
commits 17 30 108

# bisected FILE: its id is where the benchmark finds it
bisected()
{
	status=0
	sh -c 'echo $$ >"$COUNT.pid"; exec perfevo bisect c1 c30 --confidence 99.9% --no-compare' \
		>"$1" 2>"$1.err" || status=$?
	echo "$1 $status"
}
bisected killed 2>/dev/null
bisected stopped
grep -o 'run the same command to resume' stopped.err
bisected finished
sed -n '2,3p' finished | cut -d: -f1
stored=$(sed -n 's/.*; \([0-9]*\) stored readings.*/\1/p' finished)
[ "${stored:-0}" -ge 6 ] || cat finished
