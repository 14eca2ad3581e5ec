# --budget bounds confirming, too: what is open when it is spent goes on with the next track, in the batch that it has.

noisy_repo 10 6 8 1
track 0 --last 10 --no-confirm
# A pair takes longer than the budget.
: >"$case_dir/slow"
said 0 --last 10 --budget 1s
has "what is left" "$case_dir/err" "the time budget ended before all changes were confirmed"
# Where the machine is slow, not even the first pair was begun.
case $(answers) in
'' | 'score|score|c6|going on') ;;
*) fail "the answer so far: $(answers)" ;;
esac
begun=$(fresh_runs)
[ "$begun" -le 2 ] || fail "$begun fresh runs of 0.6 s in a second"
rm "$case_dir/slow"
said 1 --last 10 --fail-on-regression
same "answers" 'score|score|c6|confirmed' "$(answers)"
same "batches aside" 1 "$(db 'SELECT count(*) FROM batches WHERE aside')"
same "pairs with two runs each" "$(db 'SELECT 2 * max(pairs) FROM confirmations')" "$(fresh_runs)"
store_is_whole
