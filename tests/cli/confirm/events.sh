# An event of seven benchmarks is confirmed by the one that takes the least time: it alone is measured again, the others
# are told with it. Their test has one number, so that they spend and earn once; the event of another commit has the next.

noisy_repo 9 4 20 1
echo 7 0.3 >"$extra"
score_config 'sh build.sh' 4 '' none
for name in a b c d e f g; do
	scored $name "./prog $name"
done
track 0 --last 9
out=$case_dir/out
has "two events" "$out" '2 slower in 9 commits of 7 benchmarks'
same "both have all benchmarks" 14 "$(grep -c '^   [a-g]  score  ' "$out")"
same "one benchmark of each was measured again" '1|1
2|1' "$(db 'SELECT number, count(*) FROM confirmations GROUP BY 1')"
same "both are confirmed" 2 "$(db 'SELECT count(*) FROM confirmations WHERE answer = 1')"
perfevo show HEAD~5 >shown
same "the others are told with it" 6 "$(grep -c '^   [a-g]  score  .*not confirmed itself' shown)"

# Nothing is left to do.
before=$(cat "$runs")
track 0 --last 9
same "runs of another track" "$before" "$(cat "$runs")"
