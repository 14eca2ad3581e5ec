# A farm of three nodes that is disturbed at random moments: workers, slurmd, slurmctld and the coordinator are killed, jobs
# queued again, a node is taken away, the spool is full, a piece of results is cut short, a second coordinator is
# started. In the end the store says what that of an undisturbed farm says, no run that was in the store is lost, and none is
# there twice. PERFEVO_FARM_CHAOS=ROUNDS runs it, three disturbances a round, in turn all of
# them; PERFEVO_TEST_SEED begins another way. Run it as root: the spool gets a file system of its own, which can be filled.

rounds=${PERFEVO_FARM_CHAOS:-0}
[ "$rounds" -gt 0 ] || exit 77
if [ -z "${PERFEVO_FARM_MOUNTED-}" ] && [ "$(id -u)" -eq 0 ] && unshare --mount true 2>/dev/null; then
	PERFEVO_FARM_MOUNTED=1 exec unshare --mount sh -c '. "$SOURCE_DIR/tests/cli/lib.sh" && . "$CASE_DIR/lib.sh" && . "$0"' "$0"
fi
state=${PERFEVO_TEST_SEED:-$$}
work=$PWD
SLURM_PORT=$((20000 + $$ % 3000 * 4)) # below those that the kernel gives away
export SLURM_PORT SLURM_CONF="$work/s/slurm.conf"
PATH=$PATH:/usr/sbin:/sbin
mkdir spool
faults=8
if [ -n "${PERFEVO_FARM_MOUNTED-}" ] && mount -t tmpfs -o size=16m,mode=700 none spool; then
	faults=9
fi
"$SOURCE_DIR/scripts/slurm_nodes.sh" start "$work/s" 3 || exit 77
administrator=
trap 'kill $administrator 2>/dev/null || :; "$SOURCE_DIR/scripts/slurm_nodes.sh" stop "$work/s"' EXIT

# A coordinator that was killed leaves a log to who opens the store next, which then is its own for a moment.
sqlite3()
{
	command sqlite3 -cmd '.timeout 10000' "$@"
}

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
		read -r name 2>/dev/null <"$comm" && [ "$name" = perfevo ] || continue
		pid=${comm#/proc/}
		pid=${pid%/comm}
		tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null | grep -q "farm work $work/spool" && echo "$pid" && return
	done
	return 0
}

track()
{
	perfevo track --farm slurm --no-open --no-confirm >/dev/null 2>>../said &
	coordinator=$!
}

runs()
{
	sqlite3 "$db" "SELECT w.seed, r.benchmark, r.revision, r.kind, r.round, s.value FROM runs r JOIN batches w ON w.key = r.batch
		JOIN samples s ON s.run = r.key JOIN metrics m ON m.key = s.metric AND m.name = 'score'"
}

disturb()
{
	if [ -z "$deck" ]; then
		yes "$state" | head -c 65536 >../random
		deck=$(seq 0 $((faults - 1)) | sort -R --random-source=../random)
	fi
	fault=${deck%%"$newline"*}
	deck=${deck#"$fault"}
	deck=${deck#"$newline"}
	echo "disturbance $fault" >>../said
	case $fault in
	0) pid=$(worker) && [ -n "$pid" ] && kill -9 "$pid" ;;
	1) kill -9 "$(cat "$work/s/slurmd-n1.pid")" && sleep "0.$drawn" && slurmd -N n1 ;;
	2) kill -9 "$(cat "$work/s/ctld.pid")" && sleep 0.5 && slurmctld ;;
	3) squeue --noheader --states=running --format=%i | head -n 1 | xargs -r scontrol requeue ;;
	4) scontrol update nodename=n2 state=down reason=chaos && sleep 1 && scontrol update nodename=n2 state=resume ;;
	5) for piece in "$work"/spool/pieces/*; do
		[ -s "$piece" ] || continue
		truncate -s -100 "$piece"
		break
	done ;;
	6) timeout 1 perfevo track --farm slurm --no-open --quiet >/dev/null ;;
	7) kill -9 "$coordinator"; wait "$coordinator" || :; track ;;
	8) cat /dev/zero >"$work/spool/filler" 2>/dev/null || sleep 1; rm "$work/spool/filler" ;;
	esac 2>>../said || :
}

# What a store says, by names that mean the same in every store. A good build is told by the worker that made it: one that
# continues after it was killed takes the kept build, and has no attempt to report.
content()
{
	sqlite3 "$db" "SELECT substr(v.id, 1, 10), b.name, m.name, group_concat(DISTINCT s.value), count(*) >= 3
		FROM runs r JOIN batches w ON w.key = r.batch AND NOT w.is_open
		JOIN revisions v ON v.key = r.revision JOIN benchmarks b ON b.key = r.benchmark
		JOIN samples s ON s.run = r.key JOIN metrics m ON m.key = s.metric WHERE m.name = 'score' GROUP BY 1, 2, 3 ORDER BY 1, 2, 3;
		SELECT DISTINCT substr(v.id, 1, 10), d.outcome, d.status FROM builds d JOIN revisions v ON v.key = d.revision
		WHERE d.outcome <> 0 ORDER BY 1, 2;
		SELECT substr(v.id, 1, 10), b.name, substr(o.id, 1, 10) FROM reused u JOIN revisions v ON v.key = u.revision
		JOIN revisions o ON o.key = u.source JOIN benchmarks b ON b.key = u.benchmark ORDER BY 1, 2;
		SELECT count(*) FROM batches WHERE is_open; SELECT count(DISTINCT machine) FROM batches"
}

# A slurmctld that forgot numbers gives them to others, and takes nodes that know them for broken ("Duplicate jobid"). It
# holds what it queued again back for two minutes.
administrator()
{
	while sleep 3; do
		scontrol update nodename=n1,n2,n3 state=resume 2>/dev/null || :
		for job in $(squeue --noheader --states=pending --format='%i %r' | sed -n 's/ BeginTime$//p'); do
			scontrol update jobid="$job" starttime=now || :
		done 2>/dev/null
	done
}

# farm: track until it is done
farm()
{
	administrator &
	administrator=$!
	# Where three jobs of a part ended in a row, the coordinator gives it up: the next one goes on.
	tries=0
	while ! wait "$coordinator"; do
		tries=$((tries + 1))
		[ "$tries" -le 5 ] || fail "round $round does not end: $(cat ../said)"
		track
	done
	kill "$administrator"
}

begin()
{
	scancel --user="$(id -un)" || :
	while [ -n "$(worker)" ]; do
		sleep 0.1
	done
	scontrol update nodename=n1,n2,n3 state=resume 2>/dev/null || :
	rm -rf "$db"* "$work"/spool/* ../cache ../said ../runs
	cp ../fresh.db "$db"
	track
}

empty_repo
score_config 'sh build.sh' 3 "farm: {spool: $work/spool, cache: $work/cache}" none
for n in 1 2 3; do
	scored b$n "sh prog.sh $n"
done
echo 'sleep 0.2' >build.sh
for n in 1 2 3 4; do
	echo "sleep 0.15; echo score \$((\$1 * $n))" >prog.sh
	save "score $n"
done
perfevo farm init >/dev/null

newline='
'
deck=
db=.git/perfevo/perfevo.db
cp "$db" ../fresh.db
round=0
begin
farm
content >../undisturbed
while [ $round -lt "$rounds" ]; do
	round=$((round + 1))
	began=$(date +%s)
	begin
	names=
	# Until workers are at work, which is what there is to disturb
	sleep 1
	for _ in 1 2 3; do
		draw 10
		sleep "0.$drawn"
		runs >>../runs
		draw 10
		disturb
		names="$names $fault"
	done
	farm
	content >../disturbed
	[ -z "${PERFEVO_FARM_SAID-}" ] || sed "s/^/$round: /" ../said >>"$PERFEVO_FARM_SAID"
	echo "round $round: disturbances$names, $(($(date +%s) - began)) s, $tries more coordinators, $(runs | wc -l) runs" >&2
	same "round $round: content" "$(cat ../undisturbed)" "$(cat ../disturbed)"
	same "round $round: runs that are there twice" '' "$(sqlite3 "$db" "SELECT 1 FROM runs GROUP BY benchmark, revision, sequence, started_s,
		batch HAVING count(*) > 1")"
	runs | sort >../now
	same "round $round: runs that were there" '' "$(sort -u ../runs | comm -23 - ../now)"
done
