# P1: a commit that cannot be written here is refused, and those around it are measured.

empty_repo
perfevo_yml '"true"' 'prog: {command: "true", warmup: 0, repeats: 2, allocations: false}'
save good
config=$(git rev-parse HEAD:perfevo.yml)

# odd MODE NAME CONTENT [LINE]: a commit whose tree has an entry that git itself would not have made here, and another
odd()
{
	blob=$(printf %s "$3" | git hash-object -w --stdin)
	tree=$(printf '100644 blob %s\tperfevo.yml\n%s blob %s\t%s\n%s' "$config" "$1" "$blob" "$2" "${4-}" | git mktree)
	clock=$((clock + 60))
	git reset -q "$(GIT_AUTHOR_DATE="$clock +0000" GIT_COMMITTER_DATE="$clock +0000" git commit-tree -p HEAD -m "odd $1" "$tree")"
}

odd 100644 "$(printf '%0256d' 0)" x
odd 120000 empty ''
odd 120000 long "$(printf '%04096d' 0)"
# A pattern for attributes that takes git itself longer than anybody waits.
deep=$(printf '100644 blob %s\t%0250d\n' "$config" 0 | git mktree)
for folder in 1 2 3 4; do
	deep=$(printf '040000 tree %s\t%0200d\n' "$deep" 0 | git mktree)
done
stars=$(printf '*0%.0s' $(seq 40))
odd 100644 .gitattributes "**/$stars$(printf '**/%.0s' $(seq 20))${stars}x text" "$(printf '040000 tree %s\tdeep' "$deep")"
git reset -q --mixed HEAD
save 'good again'
timeout 600 perfevo track --quiet --no-open --no-confirm >../out 2>../messages || fail "track: $? $(cat ../messages)"
same 'commits with values' 2 "$(perfevo export --samples | cut -d, -f1 | sort -u | grep -c '^[0-9a-f]\{40\}')"
for odd in HEAD~1 HEAD~2 HEAD~3 HEAD~4; do
	perfevo show "$odd" >../shown 2>&1 || true
	has "$odd" ../shown 'files not written'
done

# Nothing that a user could do mends them: they are not tried again at each track, until another perfevo or another limit
# does. What lacks a submodule is.
builds() { sqlite3 .git/perfevo/perfevo.db "SELECT COUNT(*) FROM builds WHERE outcome = 1"; }
same 'refused' 4 "$(builds)"
timeout 600 perfevo track --quiet --no-open --no-confirm >../out 2>../messages || fail "track again: $? $(cat ../messages)"
same 'refused once' 4 "$(builds)"
sqlite3 .git/perfevo/perfevo.db "UPDATE builds SET refused_by = 'perfevo 0.0.1, 5 bytes' WHERE outcome = 1"
timeout 600 perfevo track --quiet --no-open --no-confirm >../out 2>../messages || fail "track by another: $?"
same 'tried again by another version' 8 "$(builds)"
echo 'disk: 20GiB' >>perfevo.yml
timeout 600 perfevo track --quiet --no-open --no-confirm >../out 2>../messages || fail "track with other limits: $?"
same 'tried again with other limits' 12 "$(builds)"
