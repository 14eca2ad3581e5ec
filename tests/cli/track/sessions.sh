# A commit is measured in a quiet session and, with others, in a busy one: what log, show, export and the page show of it is
# what was judged, and no median over the runs of both.

timed_repo parse

# commit LEVEL SUBJECT: another program, also where it takes as long
commit()
{
	echo "$1" >level
	echo "# $2" >>prog.sh
	save "$2"
}

commit 1 one
commit 1 two
commit 1 three
commit 1.3 four
track 0
echo 2.5 >"$speed"
commit 1.3 five
track 0 --last 2
commit 1.3 six
track 0 --again --last 4
same 'sessions' 3 "$(db 'SELECT count(*) FROM batches WHERE NOT aside')"

# steps WHAT: how each of the figures, oldest first, differs from the one before: 30 % at the fourth, and nothing elsewhere
steps()
{
	same "$1" 'same same more same same' "$(awk '
		function kind(percent) {
			if (percent > -3 && percent < 3)
				return "same"
			return percent > 27 && percent < 33 ? "more" : percent
		}
		NR > 1 { printf "%s%s", (NR > 2 ? " " : ""), kind(100 * ($1 / before - 1)) }
		{ before = $1 }')"
}

perfevo export -m took >"$case_dir/csv"
for column in median value min max; do
	awk -F, -v column="$column" 'NR == 1 { while ($(++at) != column); next } { print $at }' "$case_dir/csv" |
		steps "export: $column"
done
perfevo export -m took --format json >"$case_dir/json"
sqlite3 :memory: "SELECT value ->> 'median' FROM json_each(readfile('$case_dir/json'), '\$.lines[0].points')" |
	steps 'export as JSON'
perfevo log -m took --no-graph --no-pager >"$case_dir/log"
awk '/  20[0-9]+-/ { print $1 }' "$case_dir/log" | tac | steps 'log'
for commit in $(git rev-list --reverse HEAD); do
	perfevo show "$commit" | awk '$2 == "took" && $3 ~ /^[0-9]+$/ { print $4 }'
done | steps 'show'
perfevo report --no-profile 2>/dev/null
page_block .git/perfevo/report.html index >"$case_dir/index"
sqlite3 :memory: "SELECT value FROM json_each(readfile('$case_dir/index'), '\$.lines[0].value')" | steps 'the page'
