# Two tracks at once on one store: one measures at a time, so that they do not measure each other, and the
# second finds done what the first did. Two that share a store and no cache are safe too.
. "$CASE_DIR/../track/lib.sh"

new_repo
sed -i 's/^echo.*/sleep 0.02/' prog.sh
history 4
plain_config

both()
{
	XDG_CACHE_HOME=$1 perfevo track --no-open --no-confirm --last 4 >"$case_dir/out1" 2>"$case_dir/err1" </dev/null &
	one=$!
	XDG_CACHE_HOME=$2 perfevo track --no-open --no-confirm --last 4 >"$case_dir/out2" 2>"$case_dir/err2" </dev/null &
	two=$!
	wait "$one" || fail "the first: exit status $?: $(cat "$case_dir/err1")"
	wait "$two" || fail "the second: exit status $?: $(cat "$case_dir/err2")"
	store_is_whole
}

both "$case_dir/cache" "$case_dir/cache"
same "runs of two tracks with one cache" 'c1|prog|timed|measured|3
c2|prog|timed|measured|3
c3|prog|timed|measured|3
c4|prog|timed|measured|3' "$(counts)"

rm -rf .git/perfevo
both "$case_dir/cache-a" "$case_dir/cache-b"
same "cells with too few runs" "" "$(counts | awk -F'|' '$5 < 3')"
same "cells" 4 "$(counts | wc -l)"
