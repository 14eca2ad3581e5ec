# The report explains the largest jumps: what the database lacks of the two commits is measured and profiled, and the
# page has their trees and the sources of their methods. --no-profile shows what is stored, and track leaves the same.
. "$CASE_DIR/../compare/lib.sh"
project
echo '/* nothing */' >>prog.c
save 'say nothing'
probe_thrice
save 'probe thrice'
echo '/* nothing either */' >>prog.c
save 'say nothing again'

# page FILE: what the page says, by the names of what it speaks of
page()
{
	page_block "$1" index >../index
	sqlite3 -separator ' | ' :memory: "
		SELECT json_array_length(i, '\$.revisions'), json_array_length(i, '\$.history.commits'),
			json_array_length(i, '\$.comparisons') FROM (SELECT readfile('../index') i);
		SELECT value ->> '\$.old.subject', value ->> '\$.old.revision', value ->> '\$.new.subject',
			value ->> '\$.new.revision', value ->> '\$.benchmarks'
			FROM json_each(readfile('../index'), '\$.comparisons')"
	page_block "$1" c0 >../c0
	[ -s ../c0 ] || return 0
	sqlite3 -separator ' | ' :memory: "
		SELECT value ->> 'name', value ->> 'problem', json_array_length(value, '\$.tree.frame') > 0,
			value ->> '\$.judged[0].causes[0].text'
			FROM json_each(readfile('../c0'), '\$.pairs');
		SELECT readfile('../c0') ->> ('\$.frames.name[' || (value ->> 'frame') || ']') AS name,
			value ->> 'path', value ->> 'line', value ->> 'same', value ->> '\$.text[1]' IS NULL
			FROM json_each(readfile('../c0'), '\$.sources') ORDER BY name"
}

# causes FILE: those of every benchmark in a page's block or in the JSON of a comparison
causes()
{
	sqlite3 :memory: "SELECT c.value ->> 'text' FROM json_tree(readfile('$1')) t, json_each(t.value) c
		WHERE t.key IN ('causes', 'verdict') AND t.type = 'array' AND t.path LIKE '%[%' ORDER BY 1"
}

echo "--- nothing is profiled yet"
perfevo track -q --last 4 --no-open >/dev/null 2>../messages || cat ../messages
grep -v 'done in' ../messages
page .git/perfevo/report.html
echo "--- what is missing is taken"
perfevo report -q --jumps 1 -o ../page.html
page ../page.html
echo "--- now it is stored, machine code and all"
perfevo report -q --no-profile
page .git/perfevo/report.html
echo "--- and says what a comparison says"
perfevo compare -q --format json HEAD~2 HEAD~1 >../compared
causes ../compared >../compared.said
causes ../c0 | diff - ../compared.said && wc -l <../compared.said
sqlite3 :memory: "SELECT readfile('../index') ->> '\$.comparisons[0].stored' IS NULL AND readfile('../c0') ->> '\$.stored' IS NULL"
perfevo track -q --last 4 --no-open >/dev/null 2>&1
page .git/perfevo/report.html | head -n 2
echo "--- track takes what is missing when it is asked to"
perfevo gc --profiles >/dev/null 2>&1
perfevo track -q --last 4 --no-open >/dev/null 2>&1
page .git/perfevo/report.html
perfevo track -q --last 4 --no-open --profile >/dev/null 2>&1
page .git/perfevo/report.html | head -n 2
echo "--- no jump"
perfevo report -q --jumps 0
page .git/perfevo/report.html
echo "--- the jump at the first of two commits, against the one before"
perfevo report -q -n 2 --no-profile
page .git/perfevo/report.html | head -n 1
git status --short
