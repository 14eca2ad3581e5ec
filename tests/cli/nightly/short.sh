# Two nightly runs do not overlap; the next run continues one whose time budget is exhausted; old logs are removed.
# shellcheck source=tests/cli/nightly/lib.sh
. "$CASE_DIR/lib.sh"
watched_repo
figure=1500
commit 'slow one'
mkdir -p .git/perfevo/nightly
exec 9>.git/perfevo/nightly/lock
flock 9
perfevo nightly 2>&1
exec 9>&-
echo "# a night of no length"
perfevo nightly --budget 1ms >../out 2>&1 || echo "status $?"
grep 'budget exhausted' ../out || grep 'budget exhausted' .git/perfevo/nightly/*.log
echo "# the next one"
perfevo nightly --quiet >/dev/null || echo "status $?"
sqlite3 :memory: "SELECT value ->> 'subject' FROM json_each(readfile('../news.json'), '\$.regressions')"
echo "# logs"
for day in 01 02 03 04 05 06 07 08 09 10 11 12 13 14 15 16; do
	: >".git/perfevo/nightly/2020-01-$day.log"
done
perfevo nightly --quiet
find .git/perfevo/nightly -name "*.log" | wc -l
