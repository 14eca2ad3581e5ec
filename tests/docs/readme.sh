#!/bin/sh
# README has a row for each command that the tool lists, and no other, and at most 200 lines: readme.sh PERFEVO README.md
set -eu

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
# shellcheck disable=SC2016 # backticks of Markdown
sed -n 's/^| `perfevo \([a-z]*\)` |.*/\1/p' "$2" | sort >"$dir/readme"
"$1" help | sed -n '/^Commands/,/^$/s/^  \([a-z][a-z]*\) .*/\1/p' | sort >"$dir/tool"
[ "$(wc -l <"$dir/tool")" -gt 20 ] || { echo "the commands of '$1' are not recognised"; exit 1; }
diff "$dir/tool" "$dir/readme"
[ "$(wc -l <"$2")" -le 200 ] || { echo 'README is longer than 200 lines'; exit 1; }
