# What ended in the middle of a confirmation goes on with the same plan, in the batch and with the runs that it had: a process
# that is killed, and --budget, which bounds confirming, too.

# confirmed_after: the next track comes to the answer
confirmed_after()
{
	said 1 --last 10 --fail-on-regression
	same "answers" 'score|score|c6|confirmed' "$(answers)"
	same "batches aside" 1 "$(db 'SELECT count(*) FROM batches WHERE aside')"
	same "pairs with two runs each" "$(db 'SELECT 2 * max(pairs) FROM confirmations')" "$(fresh_runs)"
	store_is_whole
}

noisy_repo 10 6 8 1
track 0 --last 10 --no-confirm
cp -r .git/perfevo "$case_dir/measured"
echo "$(($(cat "$runs") + 9))" >"$case_dir/kill"
ends 137 with_pid perfevo track --quiet --last 10
rm "$case_dir/kill"
same "fresh runs before it was killed" 9 "$(fresh_runs)"
same "the answer so far" 'score|score|c6|going on' "$(answers)"
confirmed_after

# A pair takes longer than the budget.
rm -r .git/perfevo
cp -r "$case_dir/measured" .git/perfevo
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
confirmed_after
