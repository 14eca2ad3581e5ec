# A farm measures what track measures: the same values of the same commits, each cell as often, what fails and what is
# reused, too. No piece is left over.

work=$PWD
. "$SOURCE_DIR/tests/cli/slurm_stand_in.sh"

empty_repo
score_config '{steps: sh build.sh, parallel: 1}' 3 "farm: {cache: $work/cache}" none
for name in one two three four; do
	n=$((${n-0} + 1))
	scored $name "sh prog.sh $n"
done
echo 'exit 0' >build.sh
for figure in 100 100 200; do
	echo "echo score \$((\$1 * $figure))" >prog.sh
	save "score $figure"
done
echo 'echo no compiler here; exit 3' >build.sh
save 'break the build'
echo 'exit 0' >build.sh
save 'mend the build'
echo nothing >readme
save 'write a readme'

# What a store says, by names that mean the same in every store
content()
{
	sqlite3 "$1" "SELECT substr(v.id, 1, 10), b.name, r.kind, m.name, count(*), group_concat(DISTINCT s.value)
		FROM runs r JOIN batches w ON w.key = r.batch AND NOT w.aside JOIN batch_cells c ON c.batch = r.batch
		AND c.revision = r.revision AND c.benchmark = r.benchmark AND c.role = 0
		JOIN revisions v ON v.key = r.revision JOIN benchmarks b ON b.key = r.benchmark
		JOIN samples s ON s.run = r.key JOIN metrics m ON m.key = s.metric WHERE m.name = 'score'
		GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4;
		SELECT DISTINCT substr(v.id, 1, 10), d.outcome, d.status FROM builds d JOIN revisions v ON v.key = d.revision ORDER BY 1, 2;
		SELECT substr(v.id, 1, 10), b.name, substr(o.id, 1, 10) FROM reused u JOIN revisions v ON v.key = u.revision
		JOIN revisions o ON o.key = u.source JOIN benchmarks b ON b.key = u.benchmark ORDER BY 1, 2;
		SELECT DISTINCT c.answer, substr(v.id, 1, 10), c.settled FROM confirmations c JOIN revisions v ON v.key = c.after;
		SELECT count(*) FROM batches WHERE is_open; SELECT count(DISTINCT machine) FROM batches"
}

perfevo --store ../plain.db track --quiet --no-open --format csv >../plain.csv
export XDG_CACHE_HOME="$HOME/other"
perfevo --store ../farm.db farm init >/dev/null
perfevo --store ../farm.db track --farm slurm --no-open --format csv >../farm.csv 2>../notes
content ../plain.db >../plain
content ../farm.db >../farm
same 'stores' "$(cat ../plain)" "$(cat ../farm)"
same 'jumps' "$(cut -d, -f1-6 ../plain.csv)" "$(cut -d, -f1-6 ../farm.csv)"
has 'notes' ../notes '4 benchmarks are handed out in 3 parts'
same 'nodes' 'n2 n3' "$(sqlite3 ../farm.db 'SELECT DISTINCT node FROM batches ORDER BY 1' | paste -sd ' ')"
same 'workers, and one that confirms' 4 "$(sqlite3 ../farm.db 'SELECT count(DISTINCT shard) FROM farm_pieces')"
same 'pieces that are left' '' "$(find ../farm.db-farm/pieces ../farm.db-farm/refused -type f)"

# One commit more is measured alone, beside those before it.
echo 'echo score $(($1 * 300))' >prog.sh
save 'score 300'
perfevo --store ../farm.db track --farm slurm --quiet --no-open >/dev/null
same 'runs of the new commit' 12 "$(sqlite3 ../farm.db "SELECT count(*) FROM runs r JOIN batches w ON w.key = r.batch AND NOT w.aside
	WHERE r.revision = (SELECT key FROM revisions WHERE id = '$(git rev-parse HEAD)')")"
perfevo --store ../farm.db farm status >../status
has 'status' ../status 'no work is handed out'
