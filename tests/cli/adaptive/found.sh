# A long range is measured where it matters: its steps are found at their commits with a part of the runs, a second
# track has nothing to do, a killed one goes on, and --all measures the rest.
. "$CASE_DIR/../confirm/lib.sh"

noisy_repo 64 41 10 1
sed -i 's/repeats: 4/repeats: 5/' perfevo.yml
track 0 --last 64 --dry-run
has "the plan" "$case_dir/out" "adaptively: 0 of 64 commits are known; at most 86 timed runs"

# Killed in the third round.
echo 40 >"$case_dir/kill"
ends 137 with_pid perfevo track --quiet --last 64
rm "$case_dir/kill"
same "runs before it was killed" 40 "$(db 'SELECT count(*) FROM runs')"

track 1 --last 64 --fail-on-regression
same "the step" 'c41|1' "$(db "SELECT subject, regression FROM jumps_named WHERE metric = 'score'")"
same "answers" 'score|score|c41|confirmed' "$(answers)"
same "runs within the budget" 1 "$(db 'SELECT count(*) <= 86 FROM runs r JOIN batches w ON w.key = r.batch WHERE NOT w.aside')"
store_is_whole

before=$(cat "$runs")
track 0 --last 64
same "runs of a track with nothing to do" "$before" "$(cat "$runs")"
has "what is said of it" "$case_dir/out" "c41"

track 0 --last 64 --max-runs 12
same "runs of a small budget" 1 "$(db "SELECT $(cat "$runs") BETWEEN $before + 1 AND $before + 12")"
track 128 --last 64 --all --adaptive
track 128 --last 64 --budget soon
track 0 --last 64 --all
same "revisions that lack runs" 0 "$(db "SELECT count(*) FROM (SELECT revision FROM measurements
	WHERE metric = 'score' GROUP BY 1 HAVING count(*) < 5)")"
same "revisions measured" 64 "$(db "SELECT count(DISTINCT revision) FROM measurements WHERE metric = 'score'")"
