# Databases that somebody else prepared, in a tarball or a shared clone: every command that reads one ends with one
# sentence and 128, and prints nothing of what was planted. P4.
command -v sqlite3 >/dev/null || exit 77

measured_repo
db=.git/perfevo/perfevo.db
sqlite3 "$db" 'PRAGMA wal_checkpoint(TRUNCATE)' >/dev/null
cp "$db" ../good.db

# prepared NAME SQL: the good database, changed by somebody else
prepared()
{
	rm -f "$db"-*
	cp ../good.db "$db"
	sqlite3 "$db" "$2" >/dev/null
}

# refused WHAT WORD
refused()
{
	for command in 'log' 'status' 'show HEAD' 'report --no-open -o ../page.html' 'compare HEAD~3 HEAD~2' \
		'export --format csv' 'gc' 'track --no-confirm'; do
		status=0
		timeout 600 perfevo $command >../out 2>../err || status=$?
		same "$1: status of perfevo $command ($(cat ../err))" 128 "$status"
		has "$1: perfevo $command" ../err "$2"
		same "$1: one line of perfevo $command" 1 "$(wc -l <../err)"
	done
}

endless='WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT'
prepared view "PRAGMA legacy_alter_table = ON; ALTER TABLE revisions RENAME TO theirs;
	CREATE VIEW revisions AS $endless x AS key, 'a' AS id, 1 AS time_s, '' AS author, '' AS subject FROM n"
refused 'a view that never ends' "lacks its table 'revisions'"
prepared trigger 'CREATE TRIGGER planted AFTER INSERT ON runs BEGIN DELETE FROM samples; END'
refused 'a trigger' "a trigger 'planted' of its own"
prepared log "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, 'name TEXT NOT NULL,', 'name TEXT,')
	WHERE name = 'benchmarks'; PRAGMA writable_schema = RESET; UPDATE benchmarks SET name = NULL"
refused 'names that are NULL' "another table 'benchmarks'"
prepared empty 'DROP TABLE runs'
refused 'a table that is missing' "lacks its "

# What the tables allow: keys that are beyond all sizes are no sizes in memory.
prepared keys 'INSERT INTO frames VALUES (4611686018427387904, 1, 1, 1, 3)'
(
	ulimit -v 1048576
	perfevo gc >/dev/null
)
same 'frames after gc' 0 "$(sqlite3 "$db" 'SELECT count(*) FROM frames')"

# Rubbish in the file: an answer, of whatever kind, and no crash.
for at in 100 4096 9000 20000 50000 90000; do
	cp ../good.db "$db"
	rm -f "$db"-*
	printf '\377\377\377\377\377\377\377\377' | dd of="$db" bs=1 seek=$at conv=notrunc 2>/dev/null
	for command in log status; do
		status=0
		timeout 600 perfevo $command >../out 2>../err || status=$?
		[ "$status" -eq 0 ] || [ "$status" -eq 128 ] || fail "byte $at: perfevo $command ended with $status"
	done
done
