# Added, deleted and modified methods, and what follows from them, each in its stage; 'compare --stages' is the same.
. "$CASE_DIR/../compare/lib.sh"
project
sed -i 's/^\trelease();$/\tgive_back();/; s/^static void release(void)$/static void give_back(void)/' table.c
sed -i 's/^\tfree(sink);$/\tfree(sink);\n\tsink = 0;/' table.c
sed -i 's/^\tprobe(word);$/\tprobe(word);\n\tcheck(word);/; s/^void intern/static void count(int word)\n{\n\tsink = word < 0 ? sink : 0;\n}\n\nstatic void check(int word)\n{\n\tcount(word);\n}\n\n&/' table.c
save 'check words'
perfevo parcs -q -b small HEAD~1
perfevo compare -q --stages -b small HEAD~1 >../two
perfevo parcs -q -b small HEAD~1 | diff - ../two && echo "the same"
echo "--- for programs"
perfevo parcs -q -b small --format json HEAD~1 >../one
sqlite3 -separator ' | ' :memory: "
	SELECT value ->> 'reason', value ->> 'in', value ->> 'function', value ->> 'caller', value ->> 'nodes', value ->> 'modified' FROM json_each(readfile('../one'), '\$.benchmarks[0].cuts');
	SELECT key, value ->> 'overlap', value ->> 'own_noise' FROM json_each(readfile('../one'), '\$.benchmarks[0].weights');
	SELECT key, value FROM json_each(readfile('../one'), '\$.source');"
echo "--- pictures are the page's"
perfevo parcs -q -b small --format svg HEAD~1 2>&1 || echo "status $?"
perfevo compare -q -b small --stages --format svg HEAD~1 2>&1 || echo "status $?"
