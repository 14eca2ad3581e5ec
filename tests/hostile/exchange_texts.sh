# P2, P6: names of benchmarks, metrics and machines that speak to a terminal or to SQLite. The former are refused, the
# latter are names.

measured_repo
open_hub
genuine '"batch":{' | elsewhere >../honest
# A9: escape, newline, C1, bidirectional, line separator; in a name, a unit, a label, a host
n=0
for poison in '\\u001b[31m' '\\nperfevo: all is well' '\\u009b31m' '\\u202e' '\\u2028' '\\u007f' '\\u0007'; do
	n=$((n + 1))
	sed "s/^\[\"score\",\"\([0-9a-f]*\)\"/[\"score$poison\",\"\1\"/" ../honest >"../name$n"
	sed "s/\"hostname\":\"elsewhere\"/\"hostname\":\"else$poison\"/" ../honest >"../host$n"
	sed "s/^\[\"score\",\"points\"/[\"score\",\"points$poison\"/" ../honest >"../unit$n"
	for part in name host unit; do
		! cmp -s ../honest "../$part$n" || fail "$part$n is not poisoned"
		forge "../$part$n"
	done
done
refused_once 21

# A11: quotes and statements
sed "s/^\[\"score\",\"\([0-9a-f]*\)\"/[\"x'); DELETE FROM runs; --\",\"\1\"/
	s/\"hostname\":\"elsewhere\"/\"hostname\":\"'; DROP TABLE runs; --\"/" ../honest >../sql
forge ../sql
refused_once 0
same "the benchmark has its name" "x'); DELETE FROM runs; --" \
	"$(sqlite3 "$database" "SELECT name FROM benchmarks WHERE name <> 'score'")"
