# A comparison as a page: where it is written, what it holds, and that uncommitted files are read as they were taken.
exec 2>&1
project
probe_thrice
sed -i 's/^static void release/static void let_go/; s/release();/let_go();/' table.c
save 'probe thrice, let go'

show()
{
	page_block "$1" index >../index
	sqlite3 -separator ' | ' :memory: "
		SELECT value ->> '\$.old.name', value ->> '\$.new.name', value ->> '\$.new.revision', value ->> '\$.benchmarks'
			FROM json_each(readfile('../index'), '\$.comparisons')"
	page_block "$1" c0 >../c0
	sqlite3 -separator ' | ' :memory: "
		SELECT value ->> 'name', readfile('../c0') ->> 'match', json_array_length(value, '\$.tree.frame'),
			json_array_length(value, '\$.parcs.cuts') FROM json_each(readfile('../c0'), '\$.pairs');
		SELECT readfile('../c0') ->> ('\$.frames.name[' || (value ->> 'frame') || ']') AS name,
			value ->> 'path', value ->> 'line', value ->> 'same', value ->> '\$.text[0]', value ->> '\$.text[1]'
			FROM json_each(readfile('../c0'), '\$.sources') WHERE name <> 'parse' AND name <> 'main' ORDER BY name"
}
echo "--- two commits"
perfevo compare --no-open -b small --format html HEAD~1 2>&1 | grep -v 'done in'
show .git/perfevo/compare.html
echo "--- the uncommitted tree, by another rule"
sed -i 's/i < 3/i < 5/' table.c
perfevo compare -q --worktree -b small --match strict --no-call-sites --format html -o ../page.html
sed -i 's/i < 5/i < 7/' table.c
show ../page.html
echo "--- files"
cd ..
printf 'main;work 10\nmain;idle 5\n' >old.folded
printf 'main;work 30\nmain;idle 5\n' >new.folded
perfevo compare -q old.folded new.folded --format html || echo "status $?"
perfevo compare -q old.folded new.folded --format html -o files.html
mkdir here
cd here
show ../files.html
cd ..
perfevo compare -q old.folded new.folded --format json -o files.html || echo "status $?"
perfevo compare -q old.folded new.folded --format html -o nowhere/files.html || echo "status $?"
