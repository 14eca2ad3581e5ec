# The profiles of a jump travel with it: another machine, which has built nothing, shows its blueprint, and says whose it is.
. "$CASE_DIR/../compare/lib.sh"
project
echo '/* nothing */' >>prog.c
save 'say nothing'
probe_thrice
save 'probe thrice'
hub
git clone -q ../hub.git ../other
perfevo track -q --no-open --last 3 >/dev/null
perfevo report >/dev/null 2>&1
profiles() { sqlite3 .git/perfevo/perfevo.db "SELECT count(*) FROM profiles p JOIN machines m ON m.key = p.machine WHERE m.origin $1 ''"; }
stored=$(profiles "=")
[ "$stored" -ge 4 ] || fail "the report stored $stored profiles"

perfevo push --no-profiles >../out
has_not 'a push without profiles' ../out profile
perfevo push -n >../out
has 'what is left for the next' ../out "$stored profiles"
perfevo push >../out
has 'that' ../out "$stored profiles"
same 'once' 'nothing new to origin' "$(perfevo push)"

cd ../other
on_machine other
perfevo compare --stored HEAD~1 >../out 2>../messages || cat ../messages
has 'before the pull' ../out 'no profile of old is stored'
perfevo pull >../out
has 'the pull' ../out "$stored profiles"
same 'theirs' "$stored" "$(profiles '<>')"
same 'none of this machine' 0 "$(profiles "=")"
same 'again' 'nothing new from origin' "$(perfevo pull)"

perfevo compare --stored HEAD~1 -b '^large$' >../out
has 'whose they are' ../out 'unsigned, pulled from origin'
has 'the verdict' ../out 'probe'
perfevo compare --stored HEAD~1 -b '^large$' --format json >../json
same 'the tree' 'intern 300 300|probe 300 900|release 300 900' "$(sqlite3 -separator ' ' :memory: "
	SELECT b.value ->> ('\$.methods[' || (n.value ->> 'method') || '].name') AS name, n.value ->> '\$.calls[0]',
		n.value ->> '\$.calls[1]'
	FROM json_each(readfile('../json'), '\$.benchmarks') b, json_each(b.value, '\$.tree') n
	WHERE name IN ('intern', 'probe', 'release') ORDER BY 1" | tr '\n' '|' | sed 's/|$//')"
same 'origin' 1 "$(sqlite3 :memory: "SELECT readfile('../json') ->> '\$.origin' LIKE '%unsigned, pulled from origin%'")"
perfevo compare --stored HEAD~1 --format html -o ../page.html --no-open >/dev/null
[ -n "$(page_block ../page.html c0)" ] || fail 'no blueprint in the page'

perfevo report -o ../report.html >/dev/null 2>&1
page_block ../report.html index >../index
same 'explained in the report' 'say nothing|probe thrice' "$(sqlite3 :memory: "
	SELECT value ->> '\$.old.subject', value ->> '\$.new.subject' FROM json_each(readfile('../index'), '\$.comparisons')")"
same 'nothing was run here' 0 "$(sqlite3 .git/perfevo/perfevo.db "SELECT count(*) FROM batches b JOIN machines m ON m.key = b.machine
	WHERE m.origin = ''")"
ends 129 perfevo compare --stored HEAD~1 --fail-on-regression # they decide nothing

# What is taken here stands beside it.
perfevo compare HEAD~1 -b '^large$' >/dev/null 2>&1
same 'own profiles' 2 "$(profiles "=")"
same 'theirs, still' "$stored" "$(profiles '<>')"
perfevo compare --stored HEAD~1 -b '^large$' >../out
has_not 'its own come first' ../out 'unsigned'
