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
	cmake --preset "$preset" -DPERFEVO_TESTS=ON -DPERFEVO_TRAPS=ON
	cmake --build --preset "$preset" -j "$jobs"
done
# What one pass alone proves runs in that one: see tests/CMakeLists.txt.
# Many a test waits for something: two for each processor keep them all busy.
printf '\n== dev: testing\n'
# What is freed is kept from use for a while: 256 MB of it in each of ten thousand processes are pages that the kernel clears.
ASAN_OPTIONS=quarantine_size_mb=4${ASAN_OPTIONS:+:$ASAN_OPTIONS} ctest --preset dev -j "$((2 * jobs))" -LE '^release$'
printf '\n== release: testing\n'
ctest --preset release -j "$((2 * jobs))" -LE '^sanitized$'
