# Timelines of Node and of Chromium, of a library that begins to put off each step: the function that schedules is named,
# and nothing else. A plain CPU profile has no events: it says that something is waited for, and blames nobody.
turns=$CASE_DIR/../../profile/imports/turns
for pair in "node timer" "chromium timer" "chromium frame" "cpuprofile timer" "chromium old" "node old"; do
	set -- $pair
	printf '%s, old and %s: ' "$1" "$2"
	perfevo localize -q --old "$turns/$1/old" --new "$turns/$1/$2" -o graph.json
	sqlite3 -separator ' ' :memory: "
		SELECT (graph ->> 'causes') || ' causes:' ||
			coalesce((SELECT group_concat(' ' || (value ->> 'name') || ', '
				|| iif(2 * (value ->> 'new_waiting_ns') > value ->> 'new_ns', 'mostly waiting', 'mostly processing'))
				FROM json_each(graph, '\$.nodes') WHERE value ->> 'cause'), '') ||
			iif(graph ->> 'new_waiting_ns' > 1e8 + (graph ->> 'old_waiting_ns'), ' waiting, it is not known for whom', '')
		FROM (SELECT readfile('graph.json') AS graph)"
done
echo "--- in words"
perfevo localize -q --old "$turns/chromium/old" --new "$turns/chromium/frame" | grep -e '\*' -e besides | sed 's/ [+−0-9].*ms//g'
