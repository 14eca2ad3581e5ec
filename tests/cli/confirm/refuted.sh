# What looked like a change and is not there when it is measured again is no jump: it is kept, and not asked again.

noisy_repo 10 6 0 1
echo 6 0.05 >"$extra"
track 0 --last 10 --no-confirm
has "the suspect" "$case_dir/out" "c6"
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
