# A farm of three nodes that is disturbed at random moments: workers, slurmd, slurmctld and the coordinator are killed, jobs
# queued again, a node is taken away, a piece of results cut short, a second coordinator started. In the end every commit has
# all of its runs and none is there twice. PERFEVO_FARM_CHAOS=ROUNDS runs it, for Slurm takes its time to forget what was
# done to it; PERFEVO_TEST_SEED begins another way.
. "$SOURCE_DIR/tests/cli/lib.sh"

rounds=${PERFEVO_FARM_CHAOS:-0}
[ "$rounds" -gt 0 ] || exit 77
state=${PERFEVO_TEST_SEED:-$$}
work=$PWD
SLURM_PORT=$((20000 + $$ % 10000 * 4))
export SLURM_PORT SLURM_CONF="$work/s/slurm.conf"
PATH=$PATH:/usr/sbin:/sbin
"$SOURCE_DIR/scripts/slurm_nodes.sh" start "$work/s" 3 || exit 77
trap '"$SOURCE_DIR/scripts/slurm_nodes.sh" stop "$work/s"' EXIT

# draw N: a number below N
draw()
{
	state=$(((state * 1103515245 + 12345) % 2147483648))
	drawn=$((state / 65536 % $1))
}

# worker: the process of a job at work, if there is one
worker()
{
	for comm in /proc/[0-9]*/comm; do
		[ "$(cat "$comm" 2>/dev/null)" = perfevo ] || continue
		pid=${comm#/proc/}
		pid=${pid%/comm}
		tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null | grep -q "farm work $work/spool" && echo "$pid" && return
	done
	return 0
}

track()
{
	perfevo track --farm slurm --no-open --no-confirm --quiet >/dev/null 2>>../said &
	coordinator=$!
}

disturb()
{
	draw 8
	echo "disturbance $drawn" >>../said
	case $drawn in
	0) pid=$(worker) && [ -n "$pid" ] && kill -9 "$pid" ;;
	1) kill -9 "$(cat "$work/s/slurmd-n1.pid")" && slurmd -N n1 ;;
	2) kill -9 "$(cat "$work/s/ctld.pid")" && sleep 0.5 && slurmctld ;;
	3) squeue --noheader --states=running --format=%i | head -n 1 | xargs -r scontrol requeue ;;
	4) scontrol update nodename=n2 state=down reason=chaos && sleep 1 && scontrol update nodename=n2 state=resume ;;
	5) for piece in "$work"/spool/pieces/*; do [ ! -s "$piece" ] || truncate -s -100 "$piece"; break; done ;;
	6) timeout 1 perfevo track --farm slurm --no-open --quiet >/dev/null ;;
	7) kill -9 "$coordinator"; wait "$coordinator" || :; track ;;
	esac 2>>../said || :
}

git init -q repo
cd repo
cat >perfevo.yml <<END
build: sh build.sh
farm: {spool: $work/spool, cache: $work/cache}
metrics:
  wall: {judge: false}
  max-rss: {judge: false}
defaults: {warmup: 0, repeats: 3, allocations: false}
benchmarks:
END
for n in 1 2 3; do
	echo "  b$n: {command: sh prog.sh $n, metrics: {score: {unit: points, better: lower, regex: 'score ([0-9]+)'}}}" >>perfevo.yml
done
echo 'exit 0' >build.sh
for n in 1 2 3 4; do
	echo "sleep 0.05; echo score \$((\$1 * $n))" >prog.sh
	save "score $n"
done
perfevo farm init >/dev/null

db=.git/perfevo/perfevo.db
cp "$db" ../fresh.db
round=0
while [ $round -lt "$rounds" ]; do
	round=$((round + 1))
	scancel --user="$(id -un)" || :
	scontrol update nodename=n1,n2,n3 state=resume 2>/dev/null || :
	rm -rf "$db"* ../spool ../said
	cp ../fresh.db "$db"
	track
	for _ in 1 2 3; do
		draw 20
		sleep "$((drawn / 10)).$((drawn % 10))"
		disturb
	done
	# A node that let work down twice gets no more, and a coordinator may end for want of others: the next one goes on.
	tries=0
	while ! wait "$coordinator"; do
		tries=$((tries + 1))
		[ "$tries" -le 5 ] || fail "round $round does not end: $(cat ../said)"
		track
	done
	same "round $round: cells" '12|1' "$(sqlite3 "$db" "SELECT count(*), min(n >= 3 AND v = 1) FROM (SELECT count(*) AS n,
		count(DISTINCT s.value) AS v FROM runs r JOIN batches w ON w.key = r.batch AND NOT w.is_open JOIN samples s ON s.run = r.key
		JOIN metrics m ON m.key = s.metric AND m.name = 'score' GROUP BY r.revision, r.benchmark)")"
	same "round $round: runs that are there twice" '' "$(sqlite3 "$db" "SELECT 1 FROM runs GROUP BY benchmark, revision, sequence, started_s,
		batch HAVING count(*) > 1")"
done
