#!/bin/sh
# Make the pictures of README out of a real run: the report of the sample history that try.sh leaves.
#
#   picture.sh [PAGE.html]    build/sample's report by default; it has to have a comparison
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
page=${1:-$root/build/sample/.git/perfevo/report.html}
[ -s "$page" ] || {
	echo "picture: there is no page '$page': run scripts/try.sh first" >&2
	exit 128
}
grep -q 'id="block-c0"' "$page" || {
	echo "picture: '$page' explains no jump: run 'perfevo report' in the sample history first" >&2
	exit 128
}
"$root/scripts/install-deps.sh" --test

# playwright-core lies where the tests were built last.
for dir in "${PERFEVO_NODE_DIR:-}" "$root"/build/*/tests/browser; do
	[ -d "$dir/node_modules/playwright-core" ] && break
done
[ -d "$dir/node_modules/playwright-core" ] || {
	echo "picture: playwright-core is missing: run scripts/test.sh first" >&2
	exit 128
}
mkdir -p "$root/docs"

# take NAME ADDRESS WIDTH HEIGHT [OPTION]: docs/NAME.png of a view
take()
{
	out=$root/docs/$1.png
	PERFEVO_NODE_DIR=$dir node "$root/scripts/screenshot.mjs" "$page" "$out" --at="$2" --width="$3" --height="$4" ${5:+"$5"}
	node "$root/scripts/palette.mjs" "$out"
	size=$(stat -c %s "$out")
	echo "docs/$1.png: $size bytes"
	[ "$size" -lt 150000 ] || {
		echo "picture: larger than 150 kB" >&2
		exit 1
	}
}

take evolution '#/evolution' 1200 860
take commits '#/commits' 1100 1150
take blueprint '#/compare/0/0/blueprint' 1200 900 --full
