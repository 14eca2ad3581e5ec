# An event of seven benchmarks is confirmed by the one that takes the least time: it alone is measured again, the others
# are told with it. Their test has one number, so that they spend and earn once; the event of another commit has the next.

noisy_repo 9 4 20 1
echo 7 0.3 >"$extra"
{
	printf 'build: sh build.sh\nmetrics:\n  wall: {judge: false}\n  max-rss: {judge: false}\nbenchmarks:\n'
	for name in a b c d e f g; do
		printf '  %s:\n    command: ./prog %s\n    warmup: 0\n    repeats: 4\n    allocations: false\n' $name $name
		printf "    metrics:\n      score: {unit: points, better: lower, regex: 'score ([0-9.]+)'}\n"
	done
} >perfevo.yml
track 0 --last 9
out=$case_dir/out
has "two events" "$out" '2 slower in 9 commits of 7 benchmarks'
same "both have all benchmarks" 14 "$(grep -c '^   [a-g]  score  ' "$out")"
same "one benchmark of each was measured again" '1|1
2|1' "$(db 'SELECT number, count(*) FROM confirmations GROUP BY 1')"
same "both are confirmed" 2 "$(db 'SELECT count(*) FROM confirmations WHERE answer = 1')"
perfevo show HEAD~5 >shown
same "the others are told with it" 6 "$(grep -c '^[a-g], score: event confirmed' shown)"

# Nothing is left to do.
before=$(cat "$runs")
track 0 --last 9
same "runs of another track" "$before" "$(cat "$runs")"
