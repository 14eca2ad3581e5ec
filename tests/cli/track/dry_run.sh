# --dry-run says what it would do, and does none of it.
# shellcheck source=tests/cli/track/lib.sh
. "$CASE_DIR/lib.sh"

new_repo
history 7
plain_config

track 0 --dry-run --last 5
has "number of revisions" "$case_dir/out" 5
same "runs in the store" 0 "$([ -f "$store" ] && db 'SELECT count(*) FROM runs' || echo 0)"
same "windows in the store" 0 "$([ -f "$store" ] && db 'SELECT count(*) FROM batches' || echo 0)"
same "trees in the cache" "" "$(find "${XDG_CACHE_HOME:-$HOME}" -name prog.sh 2>/dev/null)"

track 0 --last 5
track 0 -n --last 7
same "runs after the plan for more" 15 "$(db 'SELECT count(*) FROM runs')"
