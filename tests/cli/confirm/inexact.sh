# The peak of live allocations of a program with threads differs from run to run: it is judged as noise is, with as
# many counting runs as that takes, and what chance makes of it is no jump. A peak that doubles is found. What is
# exact of the same program stays so.

# counting_runs: of each commit, those for confirmations aside
counting_runs()
{
	db "SELECT DISTINCT count(*) FROM runs r JOIN batches w ON w.key = r.batch
	    WHERE r.kind = 1 AND NOT w.aside GROUP BY r.revision"
}

threads_repo
for i in 1 2 3 4 5 6; do level 1 "c$i"; done
track 0 --last 6 --fail-on-regression
has "no jump" "$case_dir/out" "No jumps in 6 commits"
has "why" "$case_dir/out" 'pool: peak of live allocations not exact: runs of one build differ in'
same "counting runs of a commit" 8 "$(counting_runs)"
level 2 c7
level 2 c8
# Two runs of each anchor beside them: of one to four, for commits whose runs entered the same functions are one.
same "plan" "2 revisions to measure: 2 builds, some runs" "$(perfevo track --dry-run --last 8 | grep -o '.* revisions to measure: .* runs' | sed 's/ 2[2468] runs/ some runs/')"
track 1 --last 8 --fail-on-regression
has "the commit" "$case_dir/out" 'more memory, allocates more'
has "its noisy jump" "$case_dir/out" '   pool  peak of live allocations  +'
has "its exact jump" "$case_dir/out" '         allocated bytes           +'
same "answers" 'pool|allocated-peak|c7|confirmed' "$(answers)"
same "counting runs of a commit" 8 "$(counting_runs)"
perfevo export --format json >"$case_dir/json"
# Commits that execute the same are one build, and with threads not all runs enter the same functions.
same "what is not exact" 1 "$(grep -o '"inexact":{"builds":[1-8],"differing"' "$case_dir/json" | wc -l | tr -d ' ')"
before=$(cat "$runs")
track 1 --last 8 --fail-on-regression
same "runs of a track with nothing to do" "$before" "$(cat "$runs")"
store_is_whole
