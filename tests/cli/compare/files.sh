# Recorded profiles of any format need no repository: the first is old, the second new.
cat >old.folded <<'END2'
main;parse;probe 60
main;parse 20
main;print 20
END2
cat >new.folded <<'END2'
main;parse;probe 240
main;parse 20
main;write 20
END2
perfevo compare --tree --all old.folded new.folded 2>&1
perfevo compare --sample-interval 10ms old.folded new.folded 2>&1 | grep takes
echo "--- a list that is cut says what is left"
printf 'main;%s 200\n' lex parse emit >some.folded
printf 'main;%s 900\n' lex parse emit >more.folded
perfevo compare -q --top 1 some.folded more.folded | grep '… and'
perfevo compare -q --top 1 --format md some.folded more.folded | grep '^…'
echo "--- for programs"
perfevo compare -q --format json old.folded new.folded >../graph.json
json()
{
	sqlite3 -separator ' | ' :memory: "SELECT $1 FROM json_each(readfile('../graph.json'), '$2')"
}
json "key, value" '$.old'
json "key, value" '$.new'
json "value ->> 'kind', value ->> 'function', value ->> 'amount_ns', value ->> 'benchmark'" '$.verdict'
json "value ->> 'state', value ->> 'parent', value ->> 'total_ns'" '$.benchmarks[0].tree'
echo "--- misuse"
set +e
perfevo compare -q --format dot old.folded new.folded 2>&1
perfevo compare -q old.folded gone.folded --files 2>&1
perfevo compare -q --files old.folded 2>&1
perfevo compare -q -b x old.folded new.folded 2>&1
echo 'no profile' >bad
perfevo compare -q --files old.folded bad 2>&1
echo "--- a revision of the same name comes first"
empty_repo
set -e
save one
git tag a
save two
git tag b
cp ../old.folded a
cp ../new.folded b
perfevo compare -q a b 2>&1 || echo "status $?"
perfevo compare -q --files a b | head -n 2
