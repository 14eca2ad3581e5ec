# A program that tosses coins: what they change is non-determinism, what a modified method changes by a global is not.
needs gcc
# Only two counting runs of the second revision come to rare().
coin_repo <<'END'
APART void heads(void) { work(1); }
APART void tails(void) { work(2); }
APART void rare(void) { free(malloc(10)); }
APART void toss(int coin)
{
	if (coin & 1)
		heads();
	else
		tails();
	for (int i = 0; i < coin % 4; i++)
		work(4);
	if (coin == 5 || coin == 7)
		rare();
}
END
cat >../fields <<'END'
SELECT value ->> 'reason', value ->> 'in', value ->> 'function', value ->> 'differs_in' > 0
FROM json_each(readfile('../one'), '$.benchmarks[0].cuts');
SELECT 'counting runs', value > 2 FROM json_each(readfile('../one'), '$.benchmarks[0].counting_runs');
SELECT key, value ->> 'threshold' < 1, value ->> 'own_noise', json_array_length(value, '$.pairs')
FROM json_each(readfile('../one'), '$.benchmarks[0].weights');
END
for _ in 1 2; do
	perfevo parcs -q -b flip --format json HEAD~1 >../one 2>/dev/null
	sqlite3 -separator ' | ' :memory: <../fields
done
# The page has them by node, as the rows of the stages do.
perfevo compare -q -b flip --format html -o ../page.html HEAD~1 2>/dev/null
page_block ../page.html c0 >../c0
sqlite3 -separator ' | ' :memory: "
	SELECT 'runs', p ->> '\$.tree.counting_runs[1]' = r FROM (SELECT readfile('../c0') -> '\$.pairs[0]' p,
		readfile('../one') ->> '\$.benchmarks[0].counting_runs[1]' r);
	WITH tree AS (SELECT readfile('../c0') -> '\$.pairs[0].tree' t)
	SELECT c.value ->> 'function', c.value ->> 'differs_in' = d.value ->> 1
		FROM tree, json_each(readfile('../c0'), '\$.pairs[0].parcs.cuts') c, json_each(t, '\$.differs[1]') d
		WHERE c.value ->> 'in' = 'new' AND d.value ->> 0 =
			(SELECT sum(value) - 1 FROM json_each(t, '\$.new') WHERE key <= c.value ->> 'node')"
