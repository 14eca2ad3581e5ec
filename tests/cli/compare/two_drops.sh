# The two drops of the Performance Evolution Blueprint's paper (section IV): a method that begins to call a costly
# helper in one version, a second that begins to hand on more work in a later one. Each is found at its version, and
# each method is the first in the verdict, in text and in the picture. All of it by exact counts.
needs gcc
sh "$SOURCE_DIR/scripts/two-drops.sh" repo
cd repo
cat >perfevo.yml <<'END2'
build: gcc -O2 -g -fno-inline layout.c -o layout
profile: {mode: counting}
metrics: {wall: {judge: false}, cpu: {judge: false}, max-rss: {judge: false}, allocated-bytes: {judge: false}, allocated-peak: {judge: false}}
benchmarks:
  fixed-size: {command: [./layout, "40"], repeats: 1, warmup: 0}
END2
perfevo track -q --last 7 --no-open | sed -n '/^[0-9a-f]\{8\} /,$p'

# boxes FILE: of each box of the picture its height, its colour, and its method with the difference of allocations
boxes()
{
	tr '\n' ' ' <"$1" | sed 's/<g class="node">/\n&/g' | awk '
		function found(expression, skip) {
			return match($0, expression) ? substr($0, RSTART + skip, RLENGTH - skip) : ""
		}
		/class="node"/ {
			rect = found("<rect class=\"box [^>]*", 0)
			match(rect, / height="[0-9.]*/)
			height = substr(rect, RSTART + 9, RLENGTH - 9)
			printf "%s %s: %s, %s\n", height, found("class=\"box [a-z ]*", 11), found("<title>[^;<]*", 7),
				found("allocations [^<]*", 12)
		}'
}

for versions in 'v1.97 v1.98' 'v1.107 v1.108'; do
	echo "--- $versions"
	perfevo compare -q --format json $versions >../one
	sqlite3 -separator ' | ' :memory: "SELECT value ->> 'blamed', value ->> 'probably', value ->> 'text'
		FROM json_each(readfile('../one'), '$.verdict')"
	perfevo compare -q --format svg $versions >../picture.svg
	boxes ../picture.svg | cut -d ' ' -f 2-
	perfevo compare -q --format svg --basis share $versions >../picture.svg
	echo "the tallest red box, as the paper draws them: $(boxes ../picture.svg | grep -F ' red: ' | sort -rn | sed -n '1s/^[^:]*: //p')"
done
echo "--- the stages attribute the new calls to the same method"
perfevo parcs -q --format json v1.97 v1.98 >../stages
sqlite3 -separator ' | ' :memory: "SELECT value ->> 'reason', value ->> 'function', value ->> '\$.modified[0]'
	FROM json_each(readfile('../stages'), '\$.benchmarks[0].cuts')"
