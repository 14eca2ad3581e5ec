# Results that CI kept become series of their own, with their jumps, and never stand beside what is measured here.

# Google Benchmark's results of a run: BM_Sort takes $1 ns, with a little of $2.
results()
{
	cat <<END
{"context": {"library_build_type": "release"}, "benchmarks": [
{"name": "BM_Sort/8", "run_name": "BM_Sort/8", "run_type": "iteration", "iterations": 1000,
 "real_time": $1.$2, "cpu_time": $1.$2, "time_unit": "ns"},
{"name": "BM_Parse", "run_name": "BM_Parse", "run_type": "iteration", "iterations": 1000,
 "real_time": 50.$2, "cpu_time": 50.$2, "time_unit": "us"},
{"name": "BM_Bad", "run_name": "BM_Bad", "run_type": "iteration", "error_occurred": true, "error_message": "gone",
 "iterations": 0, "real_time": 0, "cpu_time": 0, "time_unit": "ns"}]}
END
}

empty_repo
store=.git/perfevo/perfevo.db
for i in 1 2 3 4 5 6 7 8 9 10; do
	echo "$i" >level
	save "c$i"
	level=1000
	[ "$i" -lt 6 ] || level=1300
	for run in 1 2 3; do
		results "$level" "$((run * 2 + i % 3))" >"../$i-$run.json"
	done
	perfevo -q import --suite micro ../"$i"-*.json
done
same "runs" 60 "$(sqlite3 "$store" 'SELECT count(*) FROM runs')"
same "members" "micro/BM_Parse
micro/BM_Sort[8]" "$(sqlite3 "$store" 'SELECT name FROM benchmarks ORDER BY 1')"
same "machine" "imported|imported" "$(sqlite3 "$store" 'SELECT hostname, origin FROM machines')"

# Once more is no new run; another file of the commit is.
perfevo import --suite micro ../10-*.json 2>err
has "files that are known" err 'were imported before'
results 1301 1 >../more.json
perfevo import --suite micro ../10-1.json - <../more.json 2>err
has "one is new" err '1 of 2 files'
has "what is stored" err 'stored 2 runs of 2 benchmarks (google-benchmark)'
has "what failed" err '1 result without values left out, BM_Bad: gone'
same "runs with it" 62 "$(sqlite3 "$store" 'SELECT count(*) FROM runs')"

# Without any of its own, log shows them.
perfevo log >out 2>err
has "whose they are" err 'these results are imported'
has "the jump" out '▲ c6  slower, suspected: '

# pyperf compresses what it writes to FILE.json.gz; numbers that are none are counted, and say so themselves.
printf '{"version":"1.0","metadata":{"name":"zip"},"benchmarks":[{"runs":[{"metadata":{},"values":[0.5,NaN]}]}]}' | gzip >../py.json.gz
perfevo import --suite packed --machine py ../py.json.gz 2>err
has "what is stored" err 'stored 1 run of 1 benchmark (pyperf)'
has "what is left out" err '1 value left out, the first of zip: no finite number'
head -c 40 ../py.json.gz >../half.json.gz
perfevo import --suite packed --machine py ../half.json.gz 2>err && fail "half a file was imported"
has "why" err 'half.json.gz: results: offset 40: the compressed file ends early'
results NaN 1 | sed 's/NaN.1/NaN/g' >../nan.json
perfevo import --suite packed --machine nan ../nan.json 2>err
has "why" err '2 results without values left out, the first is BM_Sort[8]: it has no value that is a finite number'

# What cannot be read is named, and nothing of the files beside it stays.
echo '{"benchmarks": 7' >../broken.json
results 999 1 >../new.json
perfevo import --suite micro ../new.json ../broken.json 2>err && fail "a broken file was imported"
has "the file's name" err 'broken.json'
same "runs after it" 64 "$(sqlite3 "$store" 'SELECT count(*) FROM runs')"
perfevo import --suite micro --input-format jmhh ../new.json 2>err && fail "an unknown format"
has "the formats" err "no format 'jmhh': auto, "

# Another machine, another series.
perfevo -q import --suite micro --machine ci-2 ../new.json
same "machines" "ci-2
imported
nan
py" "$(sqlite3 "$store" 'SELECT hostname FROM machines ORDER BY 1')"

# What is measured here is a series of its own, and what log shows from then on.
printf 'build: true\nbenchmarks: {own: {command: "true", repeats: 2, warmup: 0, allocations: false}}\n' >perfevo.yml
perfevo -q track --last 1 --no-confirm >/dev/null 2>&1
perfevo log --no-graph >out 2>/dev/null
has "the measured one" out own
has_not "the imported ones" out micro
perfevo log --no-graph --machine imported >out 2>err
has "the imported ones" out 'micro/BM_Sort'
has_not "the measured one" out own
perfevo log --machine nobody 2>err && fail "a machine that there is not"
has "the machines that there are" err "'imported'"
