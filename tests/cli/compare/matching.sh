# A method that was renamed is the same method, and a call that lines above it were added to is the same call;
# with --no-call-sites calls from several lines are one.
project
sed -i 's/intern(i);/intern(i);\n\tintern(n);/; s/\tfor (int i = 0; i < n; i++)/&/' prog.c
save 'intern twice'
sed -i 's/\bprobe\b/look_up/' table.c table.h
sed -i '1i /* three */\n/* more */\n/* lines */' prog.c
save 'rename probe, add lines'
contexts()
{
	perfevo compare -q -b small "$@" --format json HEAD~1 >../one
	sqlite3 -separator ' ' :memory: "SELECT key, value FROM json_each(readfile('../one'), '\$.benchmarks[0].nodes')"
}
contexts
echo "--- no call sites"
contexts --no-call-sites
# A method between a caller and what it called: only 'subsequence' sees that what is below it is the same.
sed -i 's/^\tintern(n);$/\tcount(n);/; s/^static void parse/static void count(int n)\n{\n\tintern(n);\n}\n\n&/' prog.c
save 'put a method between'
for rule in strict relaxed subsequence hybrid; do
	echo "--- $rule"
	contexts --match $rule
done
