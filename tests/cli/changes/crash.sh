# Files that bring the parser down, or that it takes far too long for, cost themselves alone: they count as unread,
# the commit's other files are found, and what was a matter of time alone is not stored.

# rows OF: what the store keeps of HEAD, whatever version of the parser it is
rows()
{
	sqlite3 -batch -noheader "$PWD/store.db" "SELECT count(*) FROM $1"
}

git init -q .
echo store.db >.git/info/exclude
printf 'int f(void)\n{\n\treturn 1;\n}\n' >a.c
printf 'int g(void)\n{\n\treturn 2;\n}\n' >z.c
awk 'BEGIN { for (i = 0; i < 70000; i++) printf "+ " }' >p.c
save 'crash at once'
perfevo changes --store store.db -q
perfevo changes --store store.db -q
echo "contents kept: $(rows extractions), commits: $(rows compared)"

awk 'BEGIN { for (i = 0; i < 31000; i++) printf "a < " }' >Slow.java
sed -i 's/1/4/' a.c
save slow
perfevo changes --store store.db -q
sqlite3 -batch -noheader store.db "SELECT 'answers kept of the slow one', count(*) FROM extractions
	WHERE blob = '$(git rev-parse HEAD:Slow.java)'
	UNION ALL SELECT 'and of its commit', count(*) FROM compared JOIN revisions r ON r.key = revision
	WHERE r.id = '$(git rev-parse HEAD)'"
