# Many series are searched on all processors: what is found, and the order that it is shown in, is that of one processor.
command -v taskset >/dev/null || exit 77
benchmarks=40

# Google Benchmark's results of a run at commit $1: every third benchmark has a step at a commit of its own.
results()
{
	awk -v n="$benchmarks" -v commit="$1" -v run="$2" 'BEGIN {
		print "{\"context\": {\"library_build_type\": \"release\"}, \"benchmarks\": ["
		for (i = 1; i <= n; i++) {
			time = 1000 + (i * 7 + commit * 5 + run * 3) % 11
			if (i % 3 == 0 && commit > 2 + i % 7)
				time += 300
			printf "{\"name\": \"B%d\", \"run_name\": \"B%d\", \"run_type\": \"iteration\", \"iterations\": 9,", i, i
			printf " \"real_time\": %d, \"cpu_time\": %d, \"time_unit\": \"ns\"}%s\n", time, time, i < n ? "," : "]}"
		}
	}'
}

empty_repo
for i in 1 2 3 4 5 6 7 8 9 10; do
	echo "$i" >level
	save "c$i"
	for run in 1 2 3 4 5 6; do
		results "$i" "$run" >"../$i-$run.json"
	done
	perfevo -q import --suite micro ../"$i"-*.json
done
one=$(taskset -cp $$ | sed 's/.*: \([0-9]*\).*/\1/')
for what in log status "show HEAD~3"; do
	taskset -c "$one" perfevo $what >../alone 2>&1
	perfevo $what >../together 2>&1
	cmp ../alone ../together || fail "$what differs"
done
perfevo log >out 2>/dev/null
has "a jump" out 'suspect'
