# What the cases of bisect share: thirty commits whose benchmark prints a figure with noise of its own, so that
# no clock and no load has a say.

# line_repo: commits 1 to 30; the figure is 100 up to commit 16, 110 from 17 on, each with a noise of about 1 %
# that a counter in COUNT decides.
line_repo()
{
	empty_repo
	score_config 'sh build.sh' 3 'run: {pass-env: [COUNT]}'
	echo 'exit 0' >build.sh
	cat >prog.sh <<'END'
level=$(cat level)
n=$(($(cat "$COUNT" 2>/dev/null || echo 0) + 1))
echo $n >"$COUNT"
awk -v n=$n -v level="$level" 'BEGIN {
	srand(n * 7919); for (i = 0; i < 12; i++) sum += rand()
	printf "score %.4f\n", level * (1 + 0.01 * (sum - 6))
}'
END
	COUNT=$PWD/../count
	export COUNT
	PERFEVO_SEED=1
	export PERFEVO_SEED
}

# commits FROM TO LEVEL
commits()
{
	echo "$3" >level
	i=$1
	while [ "$i" -le "$2" ]; do
		echo "$i" >number
		save "commit $i"
		git tag "c$i"
		i=$((i + 1))
	done
}
