# --dry-run says what it would do, and does none of it.

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
has_not 'short work' "$case_dir/out" 'commits take up to'
track 0 --dry-run --last 5
has 'a plan after a check' "$case_dir/out" ' in all: builds '
same "runs of a check in the store" 0 "$(db 'SELECT count(*) FROM runs')"
# Long work is told before it begins, by both.
sed 's/repeats:.*/repeats: 200000/' perfevo.yml >"$case_dir/long.yml"
perfevo check --config "$case_dir/long.yml" --quiet >"$case_dir/out" 2>"$case_dir/err" || fail "exit status $?: $(cat "$case_dir/err")"
has 'long work' "$case_dir/out" "20 commits take up to"
track 0 --dry-run --last 5 --config "$case_dir/long.yml"
has 'a plan for long work' "$case_dir/out" 'what fits into the budget, at most'
track 0 --dry-run --last 5 --all --config "$case_dir/long.yml"
has_not 'a plan for all' "$case_dir/out" 'adaptively'

track 0 --last 5
track 0 --dry-run --last 7
has 'a plan for more' "$case_dir/out" '2 revisions to measure: 2 builds, 18 runs'
has 'what is stored' "$case_dir/out" '5 results (revision, benchmark) are stored already'
track 0 --dry-run --last 6
has 'a plan for one more' "$case_dir/out" '1 revision to measure: 1 build, 15 runs'
has 'a warm-up' "$case_dir/out" 'benchmark prog: 1 warm-up, 3 runs'
track 0 --dry-run --last 1
has 'a plan for nothing' "$case_dir/out" '1 result (revision, benchmark) is stored already'
same "runs after the plan for more" 15 "$(db 'SELECT count(*) FROM runs')"
