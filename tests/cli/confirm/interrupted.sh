# A process that is killed in the middle of a confirmation goes on with the same plan and the runs that it had.

noisy_repo 10 6 8 1
track 0 --last 10 --no-confirm
echo "$(($(cat "$runs") + 9))" >"$case_dir/kill"
status=0
sh -c 'echo $$ >"$1"; exec perfevo track --quiet --last 10' sh "$case_dir/pid" >"$case_dir/out" 2>&1 </dev/null || status=$?
same "status of a killed process" 137 "$status"
rm "$case_dir/kill"
same "fresh runs before it was killed" 9 "$(fresh_runs)"
same "the answer so far" 'score|score|c6|going on' "$(answers)"

track 1 --last 10 --fail-on-regression
same "answers" 'score|score|c6|confirmed' "$(answers)"
same "batches aside" 1 "$(db 'SELECT count(*) FROM batches WHERE aside')"
same "pairs with two runs each" "$(db 'SELECT 2 * max(pairs) FROM confirmations')" "$(fresh_runs)"
store_is_whole
