# A change that is much smaller than it looked, in much noise, is neither confirmed nor refuted by all pairs: it stays a
# suspect, says how many more would decide it, and is not asked again unless --again says so.
# shellcheck source=tests/cli/confirm/lib.sh
. "$CASE_DIR/lib.sh"

noisy_repo 10 6 3 6
echo 6 0.08 >"$extra"
track 0 --last 10 --no-confirm
echo 1000 0 >"$extra"
track 0 --last 10 --fail-on-regression
same "answers" 'score|score|c6|undecided' "$(answers)"
same "fresh runs" 270 "$(fresh_runs)"
has "what it takes" "$case_dir/out" "undecided after 135 pairs of fresh runs; about "
before=$(cat "$runs")
track 0 --last 10
same "runs of a track with nothing to do" "$before" "$(cat "$runs")"
store_is_whole
