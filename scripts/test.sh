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
# What one pass alone proves runs in that one: see tests/CMakeLists.txt.
# Many a test waits for something: one more than there are processors keeps them all busy.
printf '\n== dev: testing\n'
ctest --preset dev -j "$((jobs + 1))" -LE '^release$'
printf '\n== release: testing\n'
ctest --preset release -j "$((jobs + 1))" -LE '^sanitized$'
