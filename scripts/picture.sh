#!/bin/sh
# Make docs/picture.png, the picture of README: the page that try.sh left of the sample history.
#
#   picture.sh [PAGE.html]    build/sample's report by default
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
page=${1:-$root/build/sample/.git/perfevo/report.html}
[ -s "$page" ] || {
	echo "picture: there is no page '$page': run scripts/try.sh first" >&2
	exit 128
}
"$root/scripts/install-deps.sh" --test

profile=$(mktemp -d)
trap 'rm -rf "$profile"' EXIT
mkdir -p "$root/docs"
chromium --headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage --hide-scrollbars \
	--user-data-dir="$profile" --force-color-profile=srgb --window-size=1200,830 \
	--virtual-time-budget=3000 --screenshot="$root/docs/picture.png" "file://$(realpath "$page")" \
	</dev/null >"$profile/log" 2>&1 || {
	cat "$profile/log" >&2
	exit 128
}
size=$(stat -c %s "$root/docs/picture.png")
echo "docs/picture.png: $size bytes"
[ "$size" -lt 200000 ] || {
	echo "picture: larger than 200 kB" >&2
	exit 1
}
