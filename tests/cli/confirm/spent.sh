# A suspect whose fresh pairs are spent without an answer, because they are much noisier than the series was, is
# called undecided, with how many more would decide it. It is not asked again, and fails nothing. What looked like a change
# and is not there when it is measured again is no jump: it is kept, and not asked again either.

noisy_repo 10 6 0 1
echo 6 0.05 >"$extra"
track 0 --last 10 --no-confirm
has "the suspect" "$case_dir/out" "c6"
cp -r .git/perfevo "$case_dir/measured"
echo 6 0.03 30 >"$extra"
said 0 --last 10 --fail-on-regression
same "answers" 'score|score|c6|undecided' "$(answers)"
same "pairs that were spent" '135|270' "$(db 'SELECT pairs FROM confirmations')|$(fresh_runs)"
more=$(db 'SELECT more FROM confirmations')
[ "$more" -gt 1000 ] || fail "a difference of a tenth of the noise would be decided by $more more pairs"
needed="too noisy here: more than 1000 more are needed"

has "the suspect" "$case_dir/out" "None slower or faster in 10 commits of 1 benchmark; suspected: 1 slower"
has "how many more" "$case_dir/out" "undecided after 135 pairs of fresh runs; $needed"
has "that it does not count" "$case_dir/err" "1 suspected regression is not counted"
perfevo log >"$case_dir/log"
# The size that is told is that of the pairs: the search picked its levels for their difference.
size=$(db "SELECT printf('%+.1f %%', 100 * relative) FROM confirmations")
has "the log" "$case_dir/log" "c6  slower, suspected: score score $size"
has "the size" "$case_dir/out" "$size"
has "what it rests on" "$case_dir/out" "undecided, 135 fresh pairs"
perfevo show HEAD~4 >"$case_dir/show"
has "the commit" "$case_dir/show" "undecided, 135 fresh pairs"
for command in 'log' 'export'; do
	perfevo $command --format json >"$case_dir/json"
	same "what $command says for programs" "\"state\":\"suspect\" \"undecided\":true \"more\":$more" \
		"$(grep -o '"state":"[a-z]*"\|"undecided":[a-z]*\|"more":[0-9]*' "$case_dir/json" | head -n 3 | paste -s -d ' ' -)"
done

before=$(cat "$runs")
track 0 --last 10 --fail-on-regression
same "runs of a track with nothing to do" "$before" "$(cat "$runs")"
has "the answer stays" "$case_dir/out" "undecided after 135 pairs of fresh runs; $needed"
store_is_whole

rm -r .git/perfevo
cp -r "$case_dir/measured" .git/perfevo
echo 1000 0 >"$extra"
track 0 --last 10 --fail-on-regression
same "answers" 'score|score|c6|refuted' "$(answers)"
has "no jump" "$case_dir/out" "No jumps in 10 commits"
has "what was refuted" "$case_dir/out" "pairs of fresh runs found nothing (they would have detected"
perfevo export --format json >"$case_dir/json"
same "the state of what was refuted" '"refuted":[{"before" "state":"refuted"' \
	"$(tr -d '\n' <"$case_dir/json" | grep -o '"refuted":\[{"before"\|"state":"[a-z]*"' | paste -s -d ' ' -)"
before=$(cat "$runs")
track 0 --last 10
same "runs of a track with nothing to do" "$before" "$(cat "$runs")"
store_is_whole
