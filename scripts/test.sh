#!/bin/sh
# Install what is missing, build perfevo twice (with sanitizers and warnings as errors, then as it is
# installed) and run all tests on both. The last lines are ctest's.
set -eu

cd "$(dirname "$0")/.."
exec </dev/null

./scripts/install-deps.sh --test

jobs=$(getconf _NPROCESSORS_ONLN)
for preset in dev release; do
	printf '\n== %s: building\n' "$preset"
	cmake --preset "$preset" -DPERFEVO_TESTS=ON
	cmake --build --preset "$preset" -j "$jobs"
done
# Whether the flags of a profile reach a build is the build's matter, the pages are the browser's, and what brings the
# parser down is the parser's, not the sanitizers': once is enough.
printf '\n== dev: testing\n'
ctest --preset dev -j "$jobs" -E '^(cli\.profile\.(autotools|cmake|meson)_|cli\.changes\.crash$|browser\.)'
printf '\n== release: testing\n'
# Many a test waits for something: one more than there are processors keeps them all busy.
ctest --preset release -j "$((jobs + 1))"
