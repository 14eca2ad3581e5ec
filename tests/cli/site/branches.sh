# A site has a page, values and a badge a branch; a second run changes nothing, and what is no longer named is removed.
branches_repo
folder='w~2F~C3~A9~26~3Cb~3E~22~C3~B1'
slower=$(git rev-parse HEAD~1)
faster=$(git rev-parse "$hostile")

# of SITE MEMBER...: members of index.json
of()
{
	sqlite3 :memory: "SELECT $2 FROM (SELECT readfile('$1/index.json') AS j)"
}

stamps()
{
	(cd "$1" && find . -type f -printf '%P %i %T@\n' | sort)
}

perfevo site ../site --branch main --branch "$hostile" --url https://example.org/perf/ 2>../err
has 'what was done' ../err "site: ../site/index.html (files: 10 written, 0 unchanged, 0 removed)"
same 'files' "feed.atom
index.html
index.json
latest/index.html
main/badge.svg
main/data.json
main/index.html
$folder/badge.svg
$folder/data.json
$folder/index.html" "$(cd ../site && find . -type f -printf '%P\n' | sort)"
same 'modes' 644 "$(stat -c %a ../site/main/index.html)"
same 'branches' "main|no-class|1|0 $hostile|faster|1|1" "$(sqlite3 :memory: "SELECT group_concat(value ->> 'name' || '|' ||
	coalesce(value ->> 'class', 'no-class') || '|' || (value ->> 'slower') || '|' || (value ->> 'faster'), ' ')
	FROM json_each(readfile('../site/index.json'), '\$.branches')")"
same 'changes, newest first, each once' "$faster $slower" "$(sqlite3 :memory: "SELECT group_concat(value ->> 'commit', ' ')
	FROM json_each(readfile('../site/index.json'), '\$.changes')")"

# What others wrote is text.
for file in index.html feed.atom "$folder/badge.svg" latest/index.html; do
	has_not "$file" "../site/$file" '<script'
	has_not "$file" "../site/$file" '<b>'
done
has 'the name' ../site/index.html 'w/é&amp;&lt;b&gt;&quot;ñ'
has 'the subject' ../site/feed.atom '&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt; &amp; ]]&gt;'
if command -v xmllint >/dev/null; then
	xmllint --noout --nonet ../site/feed.atom "../site/$folder/badge.svg" ../site/main/badge.svg
fi
has 'the latest change' ../site/main/badge.svg "slower at $(git rev-parse --short=8 "$slower")"
has 'the latest page' ../site/latest/index.html 'url=../main/index.html'
has 'an address' ../site/feed.atom "<link rel=\"alternate\" href=\"https://example.org/perf/main/index.html#/evolution?commit=$slower\"/>"
has 'a time' ../site/feed.atom '<updated>2024-01-01T00:05:00Z</updated>'

# Nothing changed, and nothing is written; the commit that is checked out does not matter, nor does the day.
stamps ../site >../before
git switch -q "$hostile"
PERFEVO_NOW=1900000000 perfevo site ../site --branch main --branch "$hostile" --url https://example.org/perf 2>../err
has 'a second run' ../err '0 written, 10 unchanged, 0 removed'
same 'files after it' "$(cat ../before)" "$(stamps ../site)"
git switch -q main
perfevo site -q ../again --branch main --branch "$hostile" --url https://example.org/perf
diff -r ../site ../again >../difference || fail "another folder: $(cat ../difference)"

# What changes on one branch leaves the pages of the other alone. (A commit more does not: builds of both are measured with it.)
figure 100 'halve the score'
perfevo track --quiet --no-open >/dev/null
perfevo site ../site --branch main --branch "$hostile" --url https://example.org/perf 2>../err
has 'after a commit' ../err '8 written, 2 unchanged, 0 removed'
git tag v1 main
perfevo site ../site --branch main --branch "$hostile" --url https://example.org/perf 2>../err
has 'after a tag' ../err '4 written, 6 unchanged, 0 removed'

# By default the branch that is checked out; the files of others go, and what is not the site's stays.
echo mine >../site/"$folder"/mine
echo mine >../site/CNAME
perfevo site ../site 2>../err
has 'one branch' ../err '3 removed'
same 'what is left' "CNAME
feed.atom
index.html
index.json
latest/index.html
main/badge.svg
main/data.json
main/index.html
$folder/mine" "$(cd ../site && find . -type f -printf '%P\n' | sort)"
has_not 'without an address' ../site/feed.atom 'href="http'
