# Files that bring the parser down, or that it takes far too long for, cost themselves alone: they count as unread,
# the commit's other files are found, and only what was a matter of time is tried again.
# shellcheck source=tests/cli/lib.sh
. "$CASE_DIR/../lib.sh"

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

# These crash after a while, which a slow machine does not give them.
awk 'BEGIN { for (i = 0; i < 7500; i++) printf "A<B<C<(D) " }' >t.cpp
awk 'BEGIN { for (i = 0; i < 40000; i++) printf "a \342\200\271 " }' >B.java
sed -i 's/1/3/' a.c
save 'crash or not'
perfevo changes --store store.db -q | sed 's/;.*/; unread/'

awk 'BEGIN { for (i = 0; i < 31000; i++) printf "a < " }' >Slow.java
rm t.cpp B.java
sed -i 's/3/4/' a.c
save slow
perfevo changes --store store.db -q
perfevo changes --store store.db -q
sqlite3 -batch -noheader store.db "SELECT 'answers kept of the slow one', count(*) FROM extractions
	WHERE blob = '$(git rev-parse HEAD:Slow.java)'
	UNION ALL SELECT 'and of its commit', count(*) FROM compared JOIN revisions r ON r.key = revision
	WHERE r.id = '$(git rev-parse HEAD)'"
