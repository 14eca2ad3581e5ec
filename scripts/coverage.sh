#!/bin/sh
# Print which lines of the parsers the unit tests execute: file, lines, executed, percent, and all of them together. With
# LEAST it fails where all together have less.
#
#   scripts/coverage.sh [LEAST]          FILES='suites/*.c' scripts/coverage.sh
#
# Parsers are the files that take bytes that others made: configs and build files of a checkout, JSON, YAML, what suites,
# profilers and simulators print, profiles, archives, results and lists of files, requests to the launcher, debug information,
# machine code and sources, and the texts on a command line that have a grammar. What only writes such formats, and what
# opens, walks and fetches, is not among them.
set -eu

cd "$(dirname "$0")/.."
least=${1:-0}
files=${FILES:-"
	core/base/base64.c core/base/glob.c core/base/number.c core/base/regex.c core/base/utf8.c
	configs/*.c
	store/exchange_in.c store/exchange_read.c store/sql_functions.c
	hooks/journal.c hooks/script.c
	core/json/cmake.c core/json/ctest.c core/json/fields.c core/json/json.c core/json/meson.c core/json/npm.c core/json/stream.c core/json/tree.c
	probe/launcher/request.c probe/launcher/wire.c
	analysis/methods/code*.c analysis/methods/comments.c analysis/methods/extract.c analysis/methods/languages.c analysis/methods/macros*.c analysis/methods/names*.c
	analysis/methods/pack.c analysis/methods/tokens.c analysis/methods/walk*.c
	core/base/packed.c analysis/profile/archive.c analysis/profile/import*.c analysis/profile/input.c analysis/profile/samples*.c
	analysis/profile/trace*.c
	suites/*.c
	analysis/symbols/*.c
	vcs/date.c vcs/encoding.c"}
rooms='core configs store hooks json methods profile suites symbols vcs'

# Not the tests that build and run the programs of others: they prove that formats are what they are, and take long.
tests=
for room in $rooms; do
	for source in tests/"$room"/test_*.c; do
		name=$(basename "$source" .c)
		case $room.${name#test_} in
		core.base | core.glob | core.regex | core.request | hooks.journal | hooks.script | vcs.attributes | vcs.date | vcs.fill) ;;
		core.* | hooks.* | suites.real | profile.calls | vcs.*) continue ;;
		esac
		tests="$tests $room.${name#test_}"
	done
done

cmake --preset coverage -DPERFEVO_TESTS=ON >&2
# shellcheck disable=SC2046,SC2086 # one word a target
cmake --build --preset coverage -j "$(nproc)" --target $(printf ' test_%s' $tests | tr . _) >&2
find build/coverage -name '*.gcda' -delete
# shellcheck disable=SC2086 # one word a test
ctest --preset coverage -j "$(nproc)" -R "^($(printf '|%s' $tests | tail -c +2))\$" >&2

# shellcheck disable=SC2086 # patterns
for file in $files; do
	find build/coverage -path "*/$file.gcda" | sed 's|^build/coverage/||' |
		(cd build/coverage && xargs -r -n 1 gcov --stdout 2>/dev/null) |
		awk -F: -v file="$file" -v show="${SHOW:-}" '
			$2 + 0 == 0 && $3 == "Source" { ours = substr($0, length($0) - length(file) + 1) == file; next }
			!ours || $1 ~ /-$/ { next }
			$1 !~ /[#=]$/ { executed[$2 + 0] = 1 }
			{ lines[$2 + 0] = file ":" $2 + 0 ":" substr($0, index($0, ":") + length($2) + 2) }
			END {
				for (line in lines) { n++; if (executed[line]) e++; else if (show) print lines[line] | "sort -t: -k2n >&2" }
				close("sort -t: -k2n >&2")
				printf "%s\t%d\t%d\n", file, n, e
			}'
done | awk -F'\t' -v least="$least" '
	{ printf "%-36s %6d %6d %6.1f\n", $1, $2, $3, $2 ? 100 * $3 / $2 : 0; n += $2; e += $3 }
	END {
		printf "%-36s %6d %6d %6.1f\n", "all", n, e, n ? 100 * e / n : 0
		exit 100 * e < least * n
	}'
