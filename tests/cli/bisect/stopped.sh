# Ctrl-C at a terminal reaches every process of the group, in a run as in a build: the bisection ends with 128 and
# says so, what ran is stored and whole, no build counts as failed, and the same command goes on without making a
# run again.
line_repo
# strike WHAT: once, when it is asked for
cat >../strike <<END
if [ "\$(cat '$PWD/../when' 2>/dev/null)" = "\$1" ]; then
	rm '$PWD/../when'
	kill -s INT -- "-\$(cat '$PWD/../group')"
	# A second one of the same number could come before the first is seen, and be none.
	[ ! -e '$PWD/../twice' ] || { kill -s TERM "\$(cat '$PWD/../group')" && sleep 600; }
fi
END
echo "sh '$PWD/../strike' build" >build.sh
echo "sh '$PWD/../strike' run\$n" >>prog.sh
commits 1 16 100
commits 17 30 108

db()
{
	sqlite3 .git/perfevo/perfevo.db "$1"
}

# bisected STATUS: in a group of its own, as a shell with a terminal starts it
bisected()
{
	status=0
	setsid -w sh -c 'echo $$ >../group; exec perfevo bisect c1 c30 --confidence 99.9% --no-compare' \
		>../found 2>../said </dev/null || status=$?
	[ "$status" -eq "$1" ] || fail "exit status $status, expected $1: $(cat ../found ../said)"
	same "integrity of the store" ok "$(db 'PRAGMA integrity_check')"
	same "foreign keys of the store" "" "$(db 'PRAGMA foreign_key_check')"
	same "runs that were stored" "$(($(cat "$COUNT" 2>/dev/null || echo 0) - ended))" "$(db 'SELECT count(*) FROM runs')"
	same "measured ones" "$(db 'SELECT count(*) FROM runs')" "$(db 'SELECT count(DISTINCT run) FROM samples
		JOIN runs ON runs.key = run WHERE outcome = 0')"
	same "failed builds" 0 "$(db 'SELECT count(*) FROM builds WHERE outcome <> 0')"
}

ended=0
for when in build run1 run3 build run6; do
	echo "$when" >../when
	bisected 128
	[ ! -e ../when ] || fail "$when has not struck"
	has "$when: what is said" ../said 'run the same command to resume'
	same "$when: an answer" "" "$(cat ../found)"
done

# The second one ends the run in flight, of which nothing is kept.
touch ../twice
echo run7 >../when
ended=1
bisected 128
rm ../twice

before=$(db 'SELECT count(*) FROM runs')
bisected 0
sed -n '2,3s/^[0-9a-f]* *\([^:]*\).*/\1/p' ../found
same "runs before, used" "$before" "$(sed -n 's/.*; \([0-9]*\) stored reading.*/\1/p' ../found)"
same "runs since" "$(($(cat "$COUNT") - ended - before))" "$(sed -n 's/ runs*, .*//p' ../found)"
