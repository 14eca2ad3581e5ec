# A change that is there is confirmed by fresh runs, which two metrics share; the next track has nothing to do.

noisy_repo 10 6 8 1
echo "      double: {unit: points, better: lower, regex: 'double ([0-9.]+)'}" >>perfevo.yml
said 0 --last 10 --no-confirm --fail-on-regression
has "what is not confirmed" "$case_dir/err" \
	"2 suspected regressions are not counted: fresh runs have not confirmed them"
same "fresh runs" 0 "$(fresh_runs)"

track 0 --last 10 --dry-run
has "the plan" "$case_dir/out" "1 suspected change to confirm: about 50 runs"
same "fresh runs of a plan" 0 "$(fresh_runs)"

track 1 --last 10 --fail-on-regression
same "answers" 'score|double|c6|confirmed
score|score|c6|confirmed' "$(answers)"
same "batches aside" 1 "$(db 'SELECT count(*) FROM batches WHERE aside')"
same "pairs with two runs each" "$(db 'SELECT 2 * max(pairs) FROM confirmations')" "$(fresh_runs)"
same "runs of the series" 40 "$(db "SELECT count(*) FROM measurements WHERE metric = 'score'")"

# One change has one size wherever it is printed: that of the fresh pairs, which nobody picked for it.
size=$(db "SELECT printf('%+.1f %%', 100 * relative) FROM confirmations_named WHERE metric = 'score'")
exact=$(db "SELECT printf('%.6f', relative) FROM confirmations_named WHERE metric = 'score'")
pairs=$(db "SELECT pairs FROM confirmations_named WHERE metric = 'score'")
sizes()
{
	grep -o '"relative":[-0-9.e]*,\("low":[-0-9.e]*,"high":[-0-9.e]*,\)\?"source":"[a-z]*"' "$case_dir/json" | head -n 1 |
		sed 's/.*"relative":\([-0-9.e]*\),.*"source":"\([a-z]*\)"/\1 \2/' |
		{ read -r relative source; printf '%.6f %s' "$relative" "$source"; }
}
has "the table" "$case_dir/out" "$size"
has "what it rests on" "$case_dir/out" "$pairs fresh pairs"
for command in 'log' 'log --no-graph -m score' 'show HEAD~4'; do
	perfevo $command | grep -e ' c6$' -e ' c6  ' -e '^score ' >"$case_dir/rows"
	has "perfevo $command" "$case_dir/rows" "$size"
done
# It does not depend on how much is looked at: --last 5 begins at the jump. Both metrics are one event, told by the larger.
worst=$(db "SELECT printf('%s %+.1f %%', metric, 100 * relative) FROM confirmations_named ORDER BY relative DESC LIMIT 1")
for last in 5 6 10; do
	same "status --last $last" 1 "$(perfevo status --last $last | grep -c "^confirmed   slower: score $worst at ")"
done
for command in log export status; do
	perfevo $command --format json >"$case_dir/json"
	case $command in status) perfevo status --format json | grep -o '{"state.*' >"$case_dir/json" ;; esac
	same "the size that $command says for programs" "$exact pairs" "$(sizes)"
done
perfevo export --format csv >"$case_dir/csv"
same "the CSV" "$exact confirmed pairs" "$(awk -F , '$18 != "" && $6 == "score" {
	printf "%.6f %s %s", $18, $21, $22 }' "$case_dir/csv")"
perfevo show HEAD~4 >"$case_dir/out"
has "what it rests on" "$case_dir/out" "$pairs fresh pairs"

before=$(cat "$runs")
track 1 --last 10 --fail-on-regression
same "runs of a track with nothing to do" "$before" "$(cat "$runs")"
# Only changes of the range that was asked for count.
track 0 --last 3 --fail-on-regression
store_is_whole

# A comparison across the jump has its size too, and what the runs of the two commits alone say beside it.
perfevo compare HEAD~5 HEAD~4 -b score >"$case_dir/out" 2>/dev/null || :
has "the comparison" "$case_dir/out" "$size"
has "the jump that it names" "$case_dir/out" "change: of the jump at $(git rev-parse --short=8 HEAD~4) (confirmed, $pairs fresh pairs); the runs of these two alone: "
perfevo compare HEAD~5 HEAD~4 -b score --format json 2>/dev/null >"$case_dir/json" || :
same "the comparison for programs" "$exact pairs" "$(sizes)"
# Against the order of history, or within a level, there is no jump to name.
perfevo compare HEAD~4 HEAD~3 -b score >"$case_dir/out" 2>/dev/null || :
has_not "a comparison without a jump" "$case_dir/out" "of the jump"

# A confirmed jump does not vanish without a word.
sed -i 's/^metrics: {/&double: {min-change: 90%}, /' perfevo.yml
track 0 --last 10 --no-confirm
relative=$(db "SELECT printf('%+.1f %%', 100 * relative) FROM confirmations_named WHERE metric = 'double'")
has "what is withdrawn" "$case_dir/out" "double at $(git rev-parse --short=8 HEAD~4): was confirmed as $relative by $pairs fresh pairs, and is withdrawn: the series as it is measured and judged now has no jump there"
