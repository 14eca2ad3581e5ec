# What was found out is kept: without the contents of any file the answers are the same.
empty_repo
for i in 1 2 3 4; do
	printf 'int f(void)\n{\n\treturn %s;\n}\n' "$i" >a.c
	printf 'int g%s(int x)\n{\n\twhile (x > 9)\n\t\tx = x / 10 + x %% 10;\n\treturn x;\n}\n' "$i" >"b$i.c"
	save "commit $i"
done
perfevo changes --each >first
perfevo changes HEAD~3..HEAD >net
git cat-file --batch-all-objects --batch-check='%(objecttype) %(objectname)' | sed -n 's/^blob //p' >blobs
while read -r blob; do
	rm -f ".git/objects/$(echo "$blob" | cut -c1-2)/$(echo "$blob" | cut -c3-)"
done <blobs
git cat-file -e "$(head -1 blobs)" 2>/dev/null && echo 'the contents are still there'
echo '# each'
perfevo changes --each | cmp - first && echo equal
echo '# between commits that are no neighbours, from the cached methods of each content'
perfevo changes HEAD~3..HEAD | cmp - net && echo equal
perfevo changes HEAD~2..HEAD -s
echo '# without the cache, what is known of commits stays'
perfevo gc --cache -n | sed -n '/parsed/p'
perfevo gc --cache | sed -n '/parsed/p'
perfevo gc -q --unreachable
perfevo changes --each | cmp - first && echo equal
perfevo changes HEAD~3..HEAD || echo "status $?"
echo '# commits that are gone'
git update-ref refs/heads/main main~2
perfevo gc -q --unreachable
sqlite3 .git/perfevo/perfevo.db 'SELECT count(*) FROM compared'
echo '# where nothing can be kept, the answer comes all the same'
git init -q ../other
cd ../other
printf 'int f(void)\n{\n\treturn 1;\n}\n' >a.c
save root
touch .git/perfevo
perfevo changes -s
perfevo changes -s -q
echo nonsense >file.db
perfevo changes -s --store file.db || echo "status $?"
