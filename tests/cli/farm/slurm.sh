# A farm of two nodes, in a Slurm that is started here: a worker that is killed is followed by another one, a change is
# confirmed on another node than the one that saw it, and the store has what track would have measured.

work=$PWD
SLURM_PORT=$((20000 + $$ % 3000 * 4)) # below those that the kernel gives away
export SLURM_PORT SLURM_CONF="$work/s/slurm.conf"
"$SOURCE_DIR/scripts/slurm_nodes.sh" start "$work/s" 2 || exit 77
trap '"$SOURCE_DIR/scripts/slurm_nodes.sh" stop "$work/s"' EXIT

empty_repo
score_config 'sh build.sh' 3 "farm: {spool: $work/spool, cache: $work/cache}" none
scored one 'sh prog.sh 1'
scored two 'sh prog.sh 2'
echo exit 0 >build.sh
n=0
for figure in 100 100 200 200; do
	n=$((n + 1))
	# The worker of the first run of all ends in the middle of it.
	cat >prog.sh <<END
if mkdir $work/killed 2>/dev/null; then
	pid=\$PPID
	while [ "\$(cat /proc/\$pid/comm)" != perfevo ]; do
		pid=\$(cut -d' ' -f4 /proc/\$pid/stat)
	done
	kill -9 "\$pid"
fi
echo score \$((\$1 * $figure)) # $n
END
	save "score $figure"
done

perfevo farm init >../init
has 'nodes' ../init ': n1 n2'
perfevo track --farm slurm --no-open --format json >../json 2>../notes
db=.git/perfevo/perfevo.db
has 'a killed worker' ../notes 'ended before the part was done'
same 'runs of each cell' 3 "$(sqlite3 $db "SELECT DISTINCT count(*) FROM runs r JOIN batches w ON w.key = r.batch AND NOT w.aside
	JOIN batch_cells c ON c.batch = r.batch AND c.revision = r.revision AND c.benchmark = r.benchmark AND c.role = 0
	GROUP BY r.revision, r.benchmark")"
same 'cells' 8 "$(sqlite3 $db 'SELECT count(*) FROM (SELECT DISTINCT revision, benchmark FROM runs)')"
same 'benchmarks that moved' 0 "$(sqlite3 $db "SELECT count(*) FROM (SELECT c.benchmark FROM batches w JOIN batch_cells c ON c.batch = w.key
	WHERE NOT w.aside GROUP BY 1 HAVING count(DISTINCT w.node) > 1)")"
same 'confirmed where it was measured' 0 "$(sqlite3 $db "SELECT count(*) FROM confirmations f JOIN batches a ON a.key = f.batch
	WHERE EXISTS (SELECT 1 FROM batches w JOIN batch_cells c ON c.batch = w.key AND c.benchmark = f.benchmark
	WHERE NOT w.aside AND w.node = a.node)")"
same 'confirmed' 1 "$(sqlite3 $db 'SELECT DISTINCT answer FROM confirmations')"
same 'pieces that are left' '' "$(find ../spool/pieces ../spool/refused -type f)"
node=$(sqlite3 $db "SELECT DISTINCT w.node FROM batches w JOIN batch_cells c ON c.batch = w.key JOIN benchmarks b ON b.key = c.benchmark
	WHERE b.name = 'one' AND NOT w.aside")
perfevo show >../show
has 'node of a benchmark' ../show "measured on $node"
perfevo log --bench one >../log
has 'node of a line' ../log "measured on $node"
perfevo show --format json >../show.json
has 'node, for programs' ../show.json "\"nodes\":\"$node\""
perfevo farm status >../status
has 'status' ../status 'node n1:'
has 'class' ../status "class $(cut -c1-8 ../init)"
