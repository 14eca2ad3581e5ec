# A suspect whose fresh runs fail stays one, is called undecided, and is not asked again unless --again says so.

noisy_repo 10 6 8 1
track 0 --last 10 --no-confirm
# The new side: every commit of it fails once, and then is left alone.
echo 5 fail >"$extra"
track 0 --last 10 --fail-on-regression
same "answers" 'score|score|c6|undecided' "$(answers)"
has "the suspect" "$case_dir/out" "None slower or faster in 10 commits of 1 benchmark; suspected: 1 slower"
has "why it is one" "$case_dir/out" "undecided, its fresh runs failed"
same "fresh runs that failed" 3 "$(db 'SELECT count(*) FROM runs r JOIN batches w ON w.key = r.batch
	WHERE w.aside AND outcome <> 0')"
before=$(cat "$runs")
track 0 --last 10
same "runs of a track with nothing to do" "$before" "$(cat "$runs")"

echo 1000 0 >"$extra"
track 1 --last 10 --again --fail-on-regression
same "answers to both" 'score|score|c6|confirmed
score|score|c6|undecided' "$(answers)"
has_not "what was undecided" "$case_dir/out" "undecided"
store_is_whole
