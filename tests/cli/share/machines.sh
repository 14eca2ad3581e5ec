# Results of another machine are taken in, and stay apart from this one's.
measured_repo
hub
git clone -q ../hub.git ../other
perfevo push -q >/dev/null
# as if the hub had been filled from elsewhere: the same results under another machine's name
cd ..
git clone -q --bare --mirror hub.git elsewhere.git
cd elsewhere.git
for ref in $(git for-each-ref --format='%(refname)' refs/perfevo); do
	tree=$(git ls-tree "$ref" | while read -r mode kind blob name; do
		changed=$(git cat-file blob "$blob" |
			sed 's/"fingerprint":"[0-9a-f]*","hostname":"[^"]*"/"fingerprint":"00112233445566778899aabbccddeeff","hostname":"elsewhere"/' |
			git hash-object -w --stdin)
		printf '%s %s %s\t%s\n' "$mode" "$kind" "$changed" "$name"
	done | git mktree)
	commit=$(git commit-tree -m 'results of perfevo' "$tree")
	git push -q ../hub.git "$commit:refs/perfevo/results/$tree"
done
cd ../repo
figures() { perfevo export --format csv; }
before=$(figures)
perfevo pull
sqlite3 .git/perfevo/perfevo.db 'SELECT count(*) FROM machines; SELECT count(DISTINCT machine) FROM batches;'
[ "$before" = "$(figures)" ] || echo "another machine's figures got into the series"
perfevo push # what came from elsewhere does not go out again
cd ../other
on_machine other
perfevo pull
sqlite3 .git/perfevo/perfevo.db 'SELECT machine, count(*) FROM batches GROUP BY 1 ORDER BY 1'
