# A bundle that is no bundle, one with a broken document, one of a newer perfevo: left out with a note, the good
# ones come in.
measured_repo
hub
git clone -q ../hub.git ../other
perfevo push -q >/dev/null
cd ../hub.git
bundle() # bundle TEXT
{
	blob=$(printf '%s' "$1" | git hash-object -w --stdin)
	tree=$(printf '100644 blob %s\tx.json\n' "$blob" | git mktree)
	git update-ref "refs/perfevo/results/$tree" "$(git commit-tree -m x "$tree" </dev/null)"
}
bundle 'no JSON'
bundle '{"format":"perfevo results","version":99}'
bundle '{"format":"perfevo results","version":2,"machine":{"fingerprint":"../../etc/passwd"}}'
good=$(git for-each-ref --format='%(refname)' refs/perfevo | while read -r ref; do
	git ls-tree --format='%(objectname)' "$ref"
done | while read -r blob; do git cat-file blob "$blob" | grep -q '"batch":{' && echo "$blob"; done | head -n 1)
bundle "$(git cat-file blob "$good" | sed 's/"cells":\[/"cells":[[99,0,0,1,0],/')"
bundle "$(git cat-file blob "$good" | sed '/"runs":\[/,$ s/,"measured",0,null,\[0,/,"measured",0,null,[77,/')"
cd ../other
on_machine other
perfevo pull 2>&1 | sed 's/results\/[0-9a-f]*/results\/ID/' | sort
sqlite3 .git/perfevo/perfevo.db 'SELECT count(*) FROM runs'
