# The report lies beside its store and has all that this holds: what measures a few commits more, or into another store, takes
# nothing from it.
. "$CASE_DIR/../nightly/lib.sh"
watched_repo
commit two
commit three
perfevo track -q --no-open --no-confirm >/dev/null
all=$(git rev-list --count HEAD)
revisions()
{
	page_block "$1" index >../index
	sqlite3 :memory: "SELECT json_array_length(readfile('../index'), '\$.revisions')"
}
same 'all that was measured' "$all" "$(revisions .git/perfevo/report.html)"
cp .git/perfevo/report.html ../before.html

perfevo --store ../other.db track -q --no-open --no-confirm --last 1 >../out
cmp -s .git/perfevo/report.html ../before.html || fail 'another store has its report in this place'
same 'of the other store' 1 "$(revisions ../other-report.html)"

perfevo track -q --no-open --no-confirm --last 1 --again >/dev/null
same 'after a track of one commit' "$all" "$(revisions .git/perfevo/report.html)"
perfevo track -q --no-open --no-confirm --again HEAD~2..HEAD~1 >/dev/null
same 'after a track of an older one' "$all" "$(revisions .git/perfevo/report.html)"
sed -i "s/^benchmarks:$/&\n  other: {command: sh prog.sh, metrics: {more: {unit: points, regex: '([0-9]+)'}}}/" perfevo.yml
perfevo track -q --no-open --no-confirm -b other >/dev/null
same 'after a track of one benchmark' "$all" "$(revisions .git/perfevo/report.html)"
same 'its lines' 'other score' "$(sqlite3 :memory: "SELECT group_concat(name, ' ') FROM (SELECT DISTINCT value ->> 'benchmark' AS name
	FROM json_each(readfile('../index'), '\$.lines') ORDER BY 1)")"
commit 'one more'
perfevo nightly -q --last 2 >/dev/null || :
same 'after a night of two' $((all + 1)) "$(revisions .git/perfevo/report.html)"

perfevo --store ../other.db nightly -q --last 1 >/dev/null || :
same 'after a night of the other store' $((all + 1)) "$(revisions .git/perfevo/report.html)"
same 'of the other store' 2 "$(revisions ../other-report.html)"
