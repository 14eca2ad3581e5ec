# Two runs of each revision that agree may be luck: where no source accounts for a difference, more runs are counted.
needs gcc
# The first two counting runs of the old revision do not come to late(), those of the new one do; later ones do or not.
coin_repo <<'END'
APART void late(void) { sink++; }
APART void toss(int coin)
{
	if (coin == 3 || coin == 4 || coin == 6 || coin == 9)
		late();
}
END
perfevo parcs -q -b flip --format json HEAD~1 >../one 2>/dev/null
sqlite3 -separator ' | ' :memory: "
	SELECT value ->> 'reason', value ->> 'function' FROM json_each(readfile('../one'), '\$.benchmarks[0].cuts');
	SELECT 'counting runs', value > 2 FROM json_each(readfile('../one'), '\$.benchmarks[0].counting_runs');"
