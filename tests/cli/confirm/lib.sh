# Helpers of the cases of confirmation: a history whose benchmark prints a figure with noise of its own, drawn from
# the number of the run. So nothing depends on the machine, and every run of a case sees the same noise.
# shellcheck shell=sh
# shellcheck source=tests/cli/track/lib.sh
. "$CASE_DIR/../track/lib.sh"

export PERFEVO_SEED=7
confirming=--confirm
runs=$case_dir/runs   # how many there were
extra=$case_dir/extra # what comes on top of the level from a commit on, "7 0.06"; a third field multiplies the noise

# noisy_repo COMMITS STEP PERCENT NOISE: a history of so many commits with a step of so many percent; the deviation
# of a run is NOISE percent
noisy_repo()
{
	new_repo
	cat >prog.sh <<END
#!/bin/sh
n=\$(cat "$runs")
echo \$((n + 1)) >"$runs"
if [ "\$n" = "\$(cat "$case_dir/kill" 2>/dev/null)" ]; then kill -9 "\$(cat "$case_dir/pid")"; fi
read -r commit level <level
read -r from more wide <"$extra"
[ "\$more" != fail ] || [ "\$commit" -le "\$from" ] || exit 1
awk -v n="\$n" -v commit="\$commit" -v level="\$level" -v from="\$from" -v more="\$more" -v wide="\${wide:-1}" 'BEGIN {
	srand(7919 * n + 13)
	for (i = 0; i < 12; i++) sum += rand()
	value = level * (1 + (commit >= from ? more : 0)) * (1 + wide * $4 / 100 * (sum - 6))
	printf "score %.4f\\ndouble %.4f\\n", value, 2 * value
}'
END
	echo 0 >"$runs"
	echo 1000 0 >"$extra"
	commit=0
	while [ "$commit" -lt "$1" ]; do
		commit=$((commit + 1))
		if [ "$commit" -lt "$2" ]; then level=100; else level=$(echo "100 + $3" | bc); fi
		echo "$commit $level" >level
		save "c$commit"
	done
	cat >perfevo.yml <<'END'
build: sh build.sh
metrics:
  wall: {judge: false}
  max-rss: {judge: false}
benchmarks:
  score:
    command: ./prog
    warmup: 0
    repeats: 4
    allocations: false
    metrics:
      score: {unit: points, better: lower, regex: 'score ([0-9.]+)'}
END
	echo perfevo.yml >>.git/info/exclude
}

answers()
{
	db "SELECT benchmark, metric, substr(subject, 1, 3), answer FROM confirmations_named ORDER BY 1, 2, 3, 4"
}

fresh_runs()
{
	db 'SELECT count(*) FROM runs r JOIN windows w ON w.key = r.window WHERE w.aside'
}

# said STATUS ARGUMENTS...: track with its advice
said()
{
	expected=$1
	shift
	status=0
	perfevo track --no-open "$@" >"$case_dir/out" 2>"$case_dir/err" </dev/null || status=$?
	same "exit status of track $*" "$expected" "$status"
}
