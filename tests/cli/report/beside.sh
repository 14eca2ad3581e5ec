# What was measured on a branch beside HEAD's line is in the page's commit graph, as it is in 'log --all': its figures,
# what they are compared with, and its jump. It is no revision of the chart.
measured_repo
git checkout -q -b side HEAD~3
for figure in 100 300; do
	echo "echo score $figure # on the side" >prog.sh
	save "side $figure"
done
perfevo track --quiet --no-open --no-confirm --last 5 >/dev/null
git checkout -q main
save 'not measured'

# What the page says of commits: their revision, or what is known beside it.
graph()
{
	perfevo report "$@" --no-profile 2>/dev/null
	page_block .git/perfevo/report.html index >../index
	sqlite3 -separator ' | ' :memory: "
		SELECT value ->> 'subject', iif(value ->> 'measured', 'revision', 'no revision'),
			value -> '\$.beside[0][1]', value -> '\$.beside[0][2]',
			(SELECT r.value ->> 'subject' FROM json_each(readfile('../index'), '\$.history.commits') r
			 WHERE r.value ->> 'id' = c.value ->> '\$.beside[0][3]'),
			value -> '\$.beside[0][4]', printf('%.2f', value ->> '\$.beside[0][5].relative'),
			value ->> '\$.beside[0][5].source', value ->> 'id' = value ->> '\$.beside[0][5].after'
			FROM json_each(readfile('../index'), '\$.history.commits') c ORDER BY value ->> 'time'"
}
echo "--- every branch"
graph --all
echo "--- HEAD's line alone"
graph | grep side || echo 'nothing of the side'
echo "--- the terminal says the same"
perfevo log --all | grep -o '[▲▼].*side.*'
