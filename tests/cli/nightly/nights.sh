# Every night a few commits, one of them slower: it is named by the following night's run, once, and nobody else is.
# NIGHTS says how many; bench/nights.sh asks for thirty.
watched_repo
night
state=7
for n in $(seq 1 "${NIGHTS:-3}"); do
	state=$(((state * 1103515245 + 12345) % 2147483648))
	guilty=$((state / 65536 % 4 + 1))
	for k in 1 2 3 4; do
		[ "$k" -ne "$guilty" ] || figure=$((figure * 110 / 100))
		commit "night $n commit $k"
	done
	said=$(night)
	[ "$said" = "status 1
score|night $n commit $guilty|1|10.0" ] || printf 'night %s, commit %s: %s\n' "$n" "$guilty" "$said"
done
echo "# a night without commits"
night
