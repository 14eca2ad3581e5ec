# The two drops of the Performance Evolution Blueprint's paper (section IV): a method that begins to call a costly
# helper in one version, a second that begins to hand on more work in a later one. Each is found at its version, and
# each method is the first in the verdict, in text and in the picture. All of it by exact counts.
# shellcheck source=tests/cli/compare/lib.sh
. "$CASE_DIR/lib.sh"
needs gcc
sh "$SOURCE_DIR/scripts/two-drops.sh" repo
cd repo
cat >perfevo.yml <<'END2'
build: gcc -O2 -g -fno-inline layout.c -o layout
profile: {mode: counting}
metrics:
  wall: {judge: false}
  cpu: {judge: false}
  max-rss: {judge: false}
  allocated-bytes: {judge: false}
  allocated-peak: {judge: false}
benchmarks:
  fixed-size: {command: [./layout, "40"], repeats: 1, warmup: 0}
END2
perfevo track -q --last 7 --no-open | sed -n '/^ *benchmark/,$p'

# boxes FILE: the colour of each box of the picture, and its method with the difference of its allocations
boxes()
{
	sed -n '/<g class="node">/{N;s/.*<title>\([^;]*\);.*; allocations \([^<]*\)<.*class="box \([a-z ]*\)".*/\3: \1, \2/p;}' "$1"
}

# tallest FILE: the red box of the greatest height
tallest()
{
	sed -n '/<g class="node">/{N;s/.*<title>\([^;]*\);.*class="box red".* height="\([0-9.]*\)".*/\2 \1/p;}' "$1" | sort -rn |
		sed -n '1s/^[^ ]* //p'
}

for versions in 'v1.97 v1.98' 'v1.107 v1.108'; do
	echo "--- $versions"
	# shellcheck disable=SC2086 # two words
	perfevo compare -q --format json $versions >../one
	sqlite3 -separator ' | ' :memory: "SELECT value ->> 'blamed', value ->> 'probably', value ->> 'text'
		FROM json_each(readfile('../one'), '$.verdict')"
	# shellcheck disable=SC2086 # likewise
	perfevo compare -q --format svg $versions >../picture.svg
	boxes ../picture.svg
	# shellcheck disable=SC2086 # likewise
	perfevo compare -q --format svg --basis share $versions >../picture.svg
	echo "the tallest red box, as the paper draws them: $(tallest ../picture.svg)"
done
echo "--- the stages attribute the new calls to the same method"
perfevo parcs -q --format json v1.97 v1.98 >../stages
sqlite3 -separator ' | ' :memory: "SELECT value ->> 'reason', value ->> 'function', value ->> '\$.modified[0]'
	FROM json_each(readfile('../stages'), '\$.benchmarks[0].cuts')"
