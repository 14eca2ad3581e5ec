# A change that is there is confirmed by fresh runs, which two metrics share; the next track has nothing to do.
# shellcheck source=tests/cli/confirm/lib.sh
. "$CASE_DIR/lib.sh"

noisy_repo 10 6 8 1
echo "      double: {unit: points, better: lower, regex: 'double ([0-9.]+)'}" >>perfevo.yml
said 0 --last 10 --no-confirm --fail-on-regression
has "what is not confirmed" "$case_dir/err" \
	"2 suspected regressions are not counted: fresh runs have not confirmed them"
same "fresh runs" 0 "$(fresh_runs)"

track 0 --last 10 -n
has "the plan" "$case_dir/out" "1 suspected change to confirm: about 50 runs"
same "fresh runs of a plan" 0 "$(fresh_runs)"

track 1 --last 10 --fail-on-regression
same "answers" 'score|double|c6|confirmed
score|score|c6|confirmed' "$(answers)"
same "windows aside" 1 "$(db 'SELECT count(*) FROM windows WHERE aside')"
same "pairs with two runs each" "$(db 'SELECT 2 * max(pairs) FROM confirmations')" "$(fresh_runs)"
same "runs of the series" 40 "$(db "SELECT count(*) FROM measurements WHERE metric = 'score'")"

before=$(cat "$runs")
track 1 --last 10 --fail-on-regression
same "runs of a track with nothing to do" "$before" "$(cat "$runs")"
# Only changes of the range that was asked for count.
track 0 --last 3 --fail-on-regression
store_is_whole
