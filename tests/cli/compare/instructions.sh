# Instructions as a metric of contexts: a method has exactly what was counted of it, its contexts have it by their calls, and
# what no method executes makes up the whole.
with_valgrind
empty_repo
cat >prog.c <<'END2'
#define APART __attribute__((noinline))
static volatile unsigned sink;
APART static void leaf(void)
{
	for (unsigned i = 0; i < 100; i++)
		sink++;
}
APART static void once(void)
{
	for (unsigned i = 0; i < 1000; i++)
		leaf();
}
APART static void thrice(void)
{
	for (unsigned i = 0; i < 3000; i++)
		leaf();
}
APART static void alone(void)
{
	for (unsigned i = 0; i < 50000; i++)
		sink++;
}
int main(void)
{
	once();
	thrice();
	alone();
	return 0;
}
END2
cat >perfevo.yml <<'END2'
build: gcc -O2 -g prog.c -o prog
benchmarks: {prog: {command: [./prog], warmup: 0, repeats: 1}}
run: {instructions: simulated}
profile: {mode: counting}
metrics: {wall: {judge: false}, cpu: {judge: false}, max-rss: {judge: false}}
END2
save first
sed -i 's/i < 100;/i < 110;/; s/i < 50000;/i < 51000;/' prog.c
save 'ten more turns, and a thousand'
sed -i 's/i < 3000;/i < 3500;/; s/alone/lonely/' prog.c
save 'more calls; a rename'
# show OLD NEW: what methods execute, and what of it leaf has; turns of its loop take as many instructions as the compiler made
show()
{
	perfevo compare -q --format json "$@" >answer.json
	sqlite3 -separator ' | ' :memory: "
		CREATE TABLE b AS SELECT readfile('answer.json') -> '\$.benchmarks[0]' AS b;
		SELECT 'as counted', (SELECT sum(m.value ->> 'instructions') FROM json_each(b, '\$.methods') m)
			= (SELECT (m.value ->> 'new') - (m.value ->> 'old') FROM json_each(b, '\$.metrics') m
				WHERE m.value ->> 'name' = 'simulated-instructions') FROM b;
		SELECT name, per_call <> 0, per_call % 10 FROM (SELECT m.value ->> 'name' AS name,
			(m.value ->> 'instructions_new') * 1.0 / (m.value ->> 'calls_new')
				- (m.value ->> 'instructions_old') * 1.0 / (m.value ->> 'calls_old') AS per_call
			FROM b, json_each(b, '\$.methods') m WHERE name IN ('leaf', 'alone', 'lonely'));
		SELECT 'calls of leaf', (leaf ->> 'instructions') = ((leaf ->> 'calls_new') - (leaf ->> 'calls_old'))
				* (leaf ->> 'instructions_old') / (leaf ->> 'calls_old')
			FROM (SELECT m.value AS leaf FROM b, json_each(b, '\$.methods') m WHERE m.value ->> 'name' = 'leaf')
			WHERE leaf ->> 'calls_new' <> leaf ->> 'calls_old'"
	sqlite3 -separator ' | ' :memory: "
		CREATE TABLE b AS SELECT readfile('answer.json') -> '\$.benchmarks[0]' AS b;
		SELECT 'tree', b ->> ('\$.methods[' || (t.value ->> 'method') || '].name'), t.value ->> '\$.instructions[0]'
			<> t.value ->> '\$.instructions[1]' FROM b, json_each(b, '\$.tree') t ORDER BY 2, 3"
}
show HEAD~2 HEAD~1
# By contexts: leaf has a quarter below once, and three below thrice.
perfevo compare -q --no-open --format html -o page.html HEAD~2 HEAD~1
page_block page.html c0 >c0.json
sqlite3 -separator ' | ' :memory: "
	CREATE TABLE tree AS SELECT readfile('c0.json') -> '\$.pairs[0].tree' AS t;
	WITH own AS (SELECT s.key AS side, t ->> ('\$.calls[' || s.key || '][' || c.key || ']') AS calls,
			c.value AS instructions, readfile('c0.json') ->>
			('\$.frames.name[' || ((t -> 'frame') ->> c.key) || ']') AS name
		FROM tree, json_each(t, '\$.instructions') s, json_each(s.value) c)
	SELECT side, name, calls, instructions * 4000 = calls * (SELECT sum(instructions) FROM own o
		WHERE o.name = own.name AND o.side = own.side) FROM own WHERE name = 'leaf' ORDER BY side, calls"
show HEAD~1 HEAD
