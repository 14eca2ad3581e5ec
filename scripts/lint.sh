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

# Scripts are told by their first line, so that those without a suffix are seen too.
tree ! -name '*.c' ! -name '*.h' | sort | while read -r file; do
	case $(head -c 32 "$file" | head -n 1 | tr -d '\000') in
	'#!/bin/sh'* | '#!/bin/bash'* | '#!/usr/bin/env bash'*) echo "$file" ;;
	esac
done | xargs shellcheck

# The cases of the command line's tests have no first line: run.sh gives them to sh, and what they source sets
# -e and the variables that they use.
shellcheck -s sh -x -S warning -e SC2034,SC2154,SC2164 tests/cli/*.sh tests/cli/*/*.sh
# A part of a script: the tool prints what sets its variables.
shellcheck -s bash -e SC2034 cmd/ui/completion.bash
node scripts/check-docs.mjs
echo "lint: clean"
