# Recorded profiles need no repository: one of each side, several, folders; a page beside the text.
mkdir old new
for run in 1 2 3; do
	printf 'main;parse;hash %s\nmain;parse;read 300\nmain;render;draw %s\nmain;render;layout 80\n' \
		$((118 + run)) $((497 + 3 * run)) >old/$run.folded
	printf 'main;parse;hash %s\nmain;parse;read 300\nmain;render;draw %s\nmain;render;flow 80\n' \
		$((417 + run)) $((502 - run)) >new/$run.folded
done
touch old/.hidden
perfevo diff old/1.folded new/1.folded 2>&1
echo "--- several of each side"
perfevo -q diff old/1.folded old/2.folded old/3.folded -- new/*.folded >several
cat several
perfevo -q diff old new >folders
cmp several folders
perfevo -q diff new old | grep takes
perfevo -q diff --format json old new >graph.json
sqlite3 :memory: "SELECT value ->> 'function', value ->> 'amount_ns' FROM json_each(readfile('graph.json'), '$.verdict')"
echo "--- a page"
perfevo diff -q old new --html page.html --no-open | head -n 2
grep -o '<title>[^<]*' page.html
echo "--- counts of an event are no times"
for side in old:90 new:225; do
	printf 'version: 1\nevents: Ir\n\nfn=mix\n1 %s\n\nfn=main\n2 10\ncfn=mix\ncalls=100 1\n3 %s\n\ntotals: %s\n' \
		"${side#*:}000" "${side#*:}000" "${side#*:}010" >"${side%:*}.callgrind"
done
perfevo -q diff old.callgrind new.callgrind --tree
perfevo -q diff old.callgrind new.callgrind --format md | head -n 1
perfevo -q diff old.callgrind new.callgrind --format json |
	jq -c '.verdict[] | [.unit, .amount, .amount_ns, .noise]'
perfevo -q diff old.callgrind new.callgrind --format svg | grep -o '<title>mix.*calls'
echo "--- misuse"
set +e
printf 'events: Ir\n\nfn=main\n1 10\n' >counts.callgrind
for sides in "old" "old/1.folded counts.callgrind" "old new old" "-- new" "old --" "old gone" "empty new"; do
	mkdir -p empty
	echo "\$ perfevo diff $sides"
	perfevo -q diff $sides 2>&1 | head -n 1
done
