# A store that cannot be written: a report of what is stored needs no more than reading it.
unshare -Urm true 2>/dev/null || exit 77
measured_repo
perfevo report --no-profile -o ../before.html >/dev/null 2>&1
unshare -Urm sh -c '
	mount --bind .git .git && mount -o remount,bind,ro .git || exit 77
	perfevo report --no-profile -o ../after.html' >../out 2>&1 || fail "report: $? $(cat ../out)"
[ -s ../after.html ] || fail 'no page'
# The page holds the second in which it was made, compressed with all else: some bytes more or fewer.
difference=$(($(wc -c <../before.html) - $(wc -c <../after.html)))
[ "${difference#-}" -le 64 ] || fail "the page is $difference bytes shorter"
