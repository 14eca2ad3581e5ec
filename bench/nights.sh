#!/bin/sh
# Thirty nights of a generated history, with a regression pushed at a random commit each night: is each one named by
# the following night's run, at its commit, and nothing else? Prints the nights that went wrong.
#
#   bench/nights.sh BUILD_DIR [NIGHTS]
set -eu

build=${1:?"usage: bench/nights.sh BUILD_DIR [NIGHTS]"}
root=$(cd "$(dirname "$0")/.." && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/home" "$dir/work"
build=$(cd "$build" && pwd)
cd "$dir/work"
env -i HOME="$dir/home" XDG_CACHE_HOME="$dir/home/cache" PATH="$build/cmd:/usr/local/bin:/usr/bin:/bin" \
	LC_ALL=C.UTF-8 TZ=UTC GIT_CONFIG_NOSYSTEM=1 CASE_DIR="$root/tests/cli/nightly" NIGHTS="${2:-30}" \
	sh "$root/tests/cli/nightly/nights.sh"
echo "${2:-30} nights"
