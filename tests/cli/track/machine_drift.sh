# A machine that is slower than yesterday is told apart from the code: by the commits that were measured both days,
# never by those that are new. The benchmarks print times of their own, with noise drawn from the number of the run;
# how slow the machine is stands in a file, so nothing depends on the real one.

export PERFEVO_SEED=7
speed=$case_dir/speed # how many times as long everything takes: parse, print
runs=$case_dir/runs   # how many there were

new_repo
cat >prog.sh <<END
#!/bin/sh
n=\$(cat "$runs")
echo \$((n + 1)) >"$runs"
read -r level <level
read -r parse print <"$speed"
[ "\$1" = parse ] || parse=\$print
awk -v n="\$n" -v level="\$level" -v slow="\$parse" 'BEGIN {
	srand(7919 * n + 13)
	for (i = 0; i < 12; i++) sum += rand()
	printf "took %.1f\\n", 1000000 * level * slow * (1 + 0.004 * (sum - 6))
}'
END
echo 0 >"$runs"
echo 1 1 >"$speed"
for level in 1 1.2 1.3 1.4; do
	echo "$level" >level
	save "level $level"
done
cat >perfevo.yml <<'END'
build: sh build.sh
metrics:
  wall: {judge: false}
  max-rss: {judge: false}
benchmarks:
  parse:
    command: ./prog parse
    warmup: 0
    repeats: 5
    allocations: false
    metrics:
      took: {unit: ns, better: lower, regex: 'took ([0-9.]+)'}
  print:
    command: ./prog print
    warmup: 0
    repeats: 5
    allocations: false
    metrics:
      took: {unit: ns, better: lower, regex: 'took ([0-9.]+)'}
END
echo perfevo.yml >>.git/info/exclude

# moved: what the JSON of the last track says of the machine
moved()
{
	sqlite3 -batch :memory: "SELECT coalesce(value ->> 'metric' || '|' || round(100 * (value ->> 'relative')) || '|'
		|| (value ->> 'cells') || '|' || (value ->> 'commits') || '|' || (value ->> 'benchmarks') || '|'
		|| (value ->> 'low' < value ->> 'relative' AND value ->> 'relative' < value ->> 'high') || '|'
		|| (value ->> 'from') || '|' || (value ->> 'since'), 'null')
		FROM json_each(readfile('$case_dir/out')) WHERE key = 'machine_drift'"
}

# yesterday: what is stored was measured long ago
yesterday()
{
	db "UPDATE batches SET created_s = strftime('%s', '2024-03-01')"
}

track 0 --format json
same "the first session" null "$(moved)"
yesterday

# The newest commit takes twice as long, on the same machine: that is the code.
echo 2.4 >level
save 'twice as long'
track 0 --format json
same "a slower commit on the same machine" null "$(moved)"
same "its jumps" 'parse
print' "$(sqlite3 -batch :memory: "SELECT l.value ->> 'benchmark' FROM json_each(readfile('$case_dir/out'), '\$.lines') l,
	json_each(l.value, '\$.jumps') j WHERE j.value ->> 'after' = '$(git rev-parse HEAD)' ORDER BY 1")"
yesterday

# Everything takes a tenth longer, on a day with two new commits: that is the machine, and no jump.
echo '# one' >>prog.sh
save 'on a slow day'
echo '# another' >>prog.sh
save 'on the same day'
sqlite3 "$store" "VACUUM INTO '$case_dir/before.db'"
again()
{
	rm -f "$store" "$store-wal" "$store-shm"
	cp "$case_dir/before.db" "$store"
	echo "$1" "$2" >"$speed"
}
echo 1.1 1.1 >"$speed"
track 0 --format json
same "a slower machine" 'took|10.0|8|4|2|1|2024-03-01T00:00:00Z|2024-03-01T00:00:00Z' "$(moved)"
same "jumps of that day" '' "$(sqlite3 -batch :memory: "SELECT l.value ->> 'benchmark', j.value FROM
	json_each(readfile('$case_dir/out'), '\$.lines') l, json_each(l.value, '\$.jumps') j
	WHERE j.value ->> 'after' IN ('$(git rev-parse HEAD)', '$(git rev-parse HEAD~1)')")"
track 0 --format json
same "a track with nothing to do" null "$(moved)"

again 0.9 0.9
track 0
same "the last line of the table" 'machine drift: P % faster (P to P) than on 2024-03-01, by 4 builds measured both times; corrected' \
	"$(tail -n 1 "$case_dir/out" | sed -E 's/\((9|10)\.[0-9] to (9|10)\.[0-9]\)/(P to P)/; s/(9\.[5-9]|10\.[0-4]) %/P %/')"

# One benchmark alone is not the machine: its data may be another.
again 1.1 1
track 0 --format json
same "one benchmark of two" null "$(moved)"
again 1.1 1
track 0 -b parse --format md
same "a comment" 1 "$(grep -c '^machine drift: .* slower .* by 4 builds ' "$case_dir/out")"

# Figures that are no times say nothing of the machine.
sed -i 's/unit: ns/unit: points/' perfevo.yml
rm -f "$store" "$store-wal" "$store-shm"
echo 1 1 >"$speed"
track 0 -b parse --last 2 HEAD~1
echo 1.1 1.1 >"$speed"
track 0 -b parse --last 1 --format json
same "anchors of the second session" 2 "$(db 'SELECT count(DISTINCT revision) FROM batch_cells WHERE role = 1')"
same "figures that are no times" null "$(moved)"
store_is_whole
