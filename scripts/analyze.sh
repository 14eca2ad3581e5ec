#!/bin/sh
# Look for faults without running anything: clang's static analyzer over all product sources, or those that are named.
#
#   scripts/analyze.sh BUILD_DIR [FILE.c...]
#
# BUILD_DIR is configured (compile_commands.json says how each file is compiled). Findings fail it.
set -eu

build=$1
shift
export build
if [ $# -eq 0 ]; then
	# shellcheck disable=SC2046 # a name a word: none of ours has a space
	set -- $(sed -n 's/^ *"file": "\(.*\.c\)",*$/\1/p' "$build/compile_commands.json" | grep -vE '/(tests|bench|build|node_modules)/' | sort -u)
fi
printf '%s\0' "$@" | xargs -0 -n 8 -P "$(nproc)" clang-tidy --quiet -p "$build" --extra-arg=-UNDEBUG \
	--checks='-*,clang-analyzer-*,-clang-analyzer-security.insecureAPI.DeprecatedOrUnsafeBufferHandling,-clang-analyzer-valist.Uninitialized' \
	--warnings-as-errors='*'
