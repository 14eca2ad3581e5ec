# Helpers of the attacks by way of a git remote: somebody who may push there writes bundles of results.

# open_hub: an empty remote, which has the branch; what is measured here is pushed to it
open_hub()
{
	hub=$PWD/../hub.git
	git init -q --bare -b main "$hub"
	git remote add origin "$hub"
	git push -q origin main
	perfevo push -q >/dev/null
}

# genuine PATTERN: the first document on the remote that has it
genuine()
{
	git -C "$hub" for-each-ref --format='%(refname)' refs/perfevo | while read -r ref; do
		git -C "$hub" ls-tree --format='%(objectname)' "$ref"
	done | while read -r blob; do
		git -C "$hub" cat-file blob "$blob" >"$hub/document"
		if grep -q -- "$1" "$hub/document"; then
			cat "$hub/document"
			break
		fi
	done
}

# forge FILE...: a bundle of these documents on the remote
forge()
{
	tree=$(for file in "$@"; do
		printf '100644 blob %s\t%s.json\n' "$(git -C "$hub" hash-object -w "$file")" "$(basename "$file")"
	done | git -C "$hub" mktree)
	git -C "$hub" update-ref "refs/perfevo/results/$tree" \
		"$(git -C "$hub" commit-tree -m x "$tree" </dev/null)"
}

# elsewhere: a document, as if of another machine
elsewhere() { sed 's/"fingerprint":"[0-9a-f]*","hostname":"[^"]*"/"fingerprint":"00112233445566778899aabbccddeeff","hostname":"elsewhere"/'; }

database=.git/perfevo/perfevo.db

# ours: every row of the machines that were measured on here, and every commit with its parents
ours()
{
	sqlite3 "$database" "SELECT * FROM machines WHERE origin = '';
		SELECT * FROM batches b JOIN machines m ON m.key = b.machine WHERE origin = '';
		SELECT c.* FROM batch_cells c JOIN batches b ON b.key = c.batch JOIN machines m ON m.key = b.machine
			WHERE origin = '';
		SELECT r.*, s.* FROM runs r JOIN batches b ON b.key = r.batch JOIN machines m ON m.key = b.machine
			LEFT JOIN samples s ON s.run = r.key WHERE origin = '';
		SELECT * FROM builds b JOIN machines m ON m.key = b.machine WHERE origin = '';
		SELECT * FROM reused b JOIN machines m ON m.key = b.machine WHERE origin = '';
		SELECT * FROM confirmations c JOIN machines m ON m.key = c.machine WHERE origin = '';
		SELECT name, version, generation, definition FROM benchmarks WHERE EXISTS
			(SELECT 1 FROM runs r JOIN batches b ON b.key = r.batch JOIN machines m ON m.key = b.machine
			WHERE origin = '' AND r.benchmark = benchmarks.key);
		SELECT * FROM revisions; SELECT * FROM parents"
}

# refused_once N: a pull leaves so many bundles out, changes no row of ours, prints no control byte, and the next one
# says nothing of them
refused_once()
{
	ours >../before
	perfevo pull >../out 2>&1 </dev/null || fail "pull ended with $?: $(cat ../out)"
	ours >../after
	[ "$1" -le 20 ] || set -- "$1" 20 "$(($1 - 20)) bundles more are left out"
	same "bundles that are left out" "${2-$1}" "$(grep -c 'is left out' ../out)"
	grep -qF -- "${3-}" ../out || fail "no '$3' in $(cat ../out)"
	cmp ../before ../after || fail "a pull changed what was measured here"
	! LC_ALL=C grep -q "$(printf '[\001-\010\013-\037\177]\|\302[\200-\237]\|\342\200[\250-\256]')" ../out ||
		fail "a control byte came through: $(od -c ../out | head)"
	perfevo pull >../out 2>&1 </dev/null || fail "a second pull ended with $?: $(cat ../out)"
	! grep 'is left out' ../out || fail "a refused bundle was looked at again"
	same "integrity" ok "$(sqlite3 "$database" 'PRAGMA integrity_check')"
}

# elsewhere_read_only COMMAND ARG...: run it with all file systems read-only but the current folder and devices; as it is
# where the kernel does not let us
elsewhere_read_only()
{
	if unshare -Urm true 2>/dev/null; then
		unshare -Urm sh -c '
			mount --bind "$PWD" "$PWD" || exit 99
			awk "{ print \$2 }" /proc/self/mounts | sort -u | while read -r at; do
				case $at in "$PWD" | "$PWD"/* | /dev | /dev/* | /proc | /proc/*) continue ;; esac
				mount -o remount,bind,ro "$at" 2>/dev/null || :
			done
			cd "$PWD" # through the mount of its own
			exec "$@"' sh "$@"
	else
		"$@"
	fi
}
