#!/bin/sh
# What is checked without building: the formatter over every C file, shellcheck over every script.
set -eu

cd "$(dirname "$0")/.."

# The tree's files, without build directories, installed packages, the fuzzers' seeds and the samples that tests read.
tree()
{
	find . \( -name .git -o -name build -o -name node_modules -o -name seeds -o -name samples -o -name corpus \) -prune \
		-o -type f "$@" -print
}

tree \( -name '*.c' -o -name '*.h' \) | sort | xargs clang-format --dry-run --Werror

# Includes that point the wrong way, circles of rooms, tags in two headers, external names without their prefix,
# prototypes without a comment.
./scripts/house.py --check

# Scripts are told by their first line, so that those without a suffix are seen too.
tree ! -name '*.c' ! -name '*.h' | sort | while read -r file; do
	case $(head -c 32 "$file" | head -n 1 | tr -d '\000') in
	'#!/bin/sh'* | '#!/bin/bash'* | '#!/usr/bin/env bash'*) echo "$file" ;;
	esac
done | xargs shellcheck -x

# The cases of the command line's tests have no first line: run.sh gives them to sh, and what they source sets
# -e and the variables that they use. It is read once and not with each of them (-x), which takes three times as long.
# One process reads one file after another: as many at a time as there are processors.
printf '%s\0' tests/cli/*.sh tests/cli/*/*.sh tests/hostile/*.sh |
	xargs -0 -n 40 -P "$(getconf _NPROCESSORS_ONLN)" shellcheck -s sh -S warning -e SC2034,SC2154,SC2164,SC3045
# A part of a script: the tool prints what sets its variables.
shellcheck -s bash -e SC2034 cmd/ui/completion.bash
node scripts/check-docs.mjs
./scripts/config.py --check

# eslint and prettier, as scripts/package-lock.json pins them, over scripts for node and for the page; not over those
# that tests read, line by line. Style sheets have a rule a line, which prettier does not know; esbuild reads them.
tools=build/lint
if command -v npm >/dev/null && ! cmp -s scripts/package-lock.json "$tools/node_modules/.pinned"; then
	mkdir -p "$tools"
	cp scripts/package.json scripts/package-lock.json "$tools"
	(cd "$tools" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error) &&
		cp scripts/package-lock.json "$tools/node_modules/.pinned"
fi
if cmp -s scripts/package-lock.json "$tools/node_modules/.pinned"; then
	cp scripts/eslint.config.mjs "$tools"
	tree \( -name '*.js' -o -name '*.mjs' -o -name '*.cjs' \) | grep -v '^./bench/recordings/' | sort >"$tools/files"
	xargs "$tools/node_modules/.bin/eslint" -c "$tools/eslint.config.mjs" <"$tools/files"
	xargs "$tools/node_modules/.bin/prettier" --check --log-level=warn <"$tools/files"
elif [ "${CI:-}" = true ]; then
	exit 1
else
	echo "lint: eslint and prettier could not be fetched: .js and .mjs files were not checked" >&2
fi
echo "lint: clean"
