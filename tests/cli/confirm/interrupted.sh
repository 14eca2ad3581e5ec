# A process that is killed in the middle of a confirmation goes on with the same plan and the runs that it had.

noisy_repo 10 6 8 1
track 0 --last 10 --no-confirm
echo "$(($(cat "$runs") + 9))" >"$case_dir/kill"
ends 137 with_pid perfevo track --quiet --last 10
rm "$case_dir/kill"
same "fresh runs before it was killed" 9 "$(fresh_runs)"
same "the answer so far" 'score|score|c6|going on' "$(answers)"

track 1 --last 10 --fail-on-regression
same "answers" 'score|score|c6|confirmed' "$(answers)"
same "batches aside" 1 "$(db 'SELECT count(*) FROM batches WHERE aside')"
same "pairs with two runs each" "$(db 'SELECT 2 * max(pairs) FROM confirmations')" "$(fresh_runs)"
store_is_whole
