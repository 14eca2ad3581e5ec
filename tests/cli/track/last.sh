# --last N measures the newest N, each as often as asked; a second time nothing is left; --last beyond the
# root takes what there is. --dry-run says beforehand what it would do, and does none of it.

new_repo
history 7
plain_config

track 0 --dry-run --last 5
has "number of revisions" "$case_dir/out" 5
same "runs in the store" 0 "$([ -f "$store" ] && db 'SELECT count(*) FROM runs' || echo 0)"
same "windows in the store" 0 "$([ -f "$store" ] && db 'SELECT count(*) FROM batches' || echo 0)"
same "trees in the cache" "" "$(find "${XDG_CACHE_HOME:-$HOME}" -name prog.sh 2>/dev/null)"

# What check tried is known to a plan: nothing was measured, and it can tell what measuring takes.
has 'a plan before anything ran' "$case_dir/out" 'time unknown: nothing was built or run here yet'
perfevo check --quiet >"$case_dir/out" 2>"$case_dir/err" || fail "exit status $?: $(cat "$case_dir/err")"
track 0 --dry-run --last 5
has 'a plan after a check' "$case_dir/out" ' in all: builds '
same "runs of a check in the store" 0 "$(db 'SELECT count(*) FROM runs')"
# Long work is told before it begins.
sed 's/repeats:.*/repeats: 200000/' perfevo.yml >"$case_dir/long.yml"
track 0 --dry-run --last 5 --config "$case_dir/long.yml"
has 'a plan for long work' "$case_dir/out" 'what fits into the budget, at most'
track 0 --dry-run --last 5 --all --config "$case_dir/long.yml"
has_not 'a plan for all' "$case_dir/out" 'adaptively'

track 0 --last 5
same "runs" 'c3|prog|timed|measured|3
c4|prog|timed|measured|3
c5|prog|timed|measured|3
c6|prog|timed|measured|3
c7|prog|timed|measured|3' "$(counts)"
same "one window" 1 "$(db 'SELECT count(*) FROM batches')"
same "open windows" 0 "$(db 'SELECT count(*) FROM batches WHERE is_open')"
same "builds" 5 "$(db 'SELECT count(*) FROM builds WHERE outcome = 0')"
same "machines" 1 "$(db 'SELECT count(*) FROM machines')"
store_is_whole

# Rounds go over all revisions: between two runs of one revision every other one has its turn.
same "runs of a round that stand among those of another" 0 "$(db '
	SELECT count(*) FROM runs a JOIN runs b ON a.round < b.round AND a.sequence > b.sequence')"

track 0 --dry-run --last 7
has 'a plan for more' "$case_dir/out" '2 revisions to measure: 2 builds, 18 runs'
has 'what is stored' "$case_dir/out" '5 results (revision, benchmark) are stored already'
track 0 --dry-run --last 6
has 'a plan for one more' "$case_dir/out" '1 revision to measure: 1 build, 15 runs'
has 'a warm-up' "$case_dir/out" 'benchmark prog: 1 warm-up, 3 runs'
track 0 --dry-run --last 1
has 'a plan for nothing' "$case_dir/out" '1 result (revision, benchmark) is stored already'
same "runs after the plan for more" 15 "$(db 'SELECT count(*) FROM runs')"

before=$(db 'SELECT count(*) FROM runs')
track 0 --last 5
same "runs after measuring again" "$before" "$(db 'SELECT count(*) FROM runs')"

track 0 --last 100
same "revisions" 'c1 c2 c3 c4 c5 c6 c7 ' "$(measured)"
same "runs of the new ones" 6 "$(db "SELECT count(*) FROM runs r JOIN revisions v ON v.key = r.revision
	WHERE v.subject IN ('c1', 'c2')")"
same "runs of a new one in rounds with anchors" 1 "$(db "SELECT count(*) > 0 FROM batch_cells WHERE role = 1")"
store_is_whole
track 129 --last 0
has "no commit" "$case_dir/err" "a number from 1 on, not '0'"
