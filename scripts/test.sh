#!/bin/sh
# Install what is missing, build perfevo twice (with sanitizers and warnings as errors, then as it is installed) and run
# all tests on both. The end says which tests failed in which pass, and how to repeat one.
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

# Whether 8 GiB are there, by the machine and by the control group: the tests need a part of it.
has_memory() {
	[ "$(awk '/^MemAvailable/ { print int($2 / 1048576) }' /proc/meminfo)" -ge 8 ] || return 1
	limit=$(cat /sys/fs/cgroup/memory.max /sys/fs/cgroup/memory/memory.limit_in_bytes 2>/dev/null | head -n 1)
	case $limit in
	'' | max) return 0 ;;
	*) [ "${#limit}" -gt 10 ] ;; # digits of bytes: 10 GB or more
	esac
}

# Tests write and sync much, and keep nothing. In memory, which root may mount, they take a quarter less processor time, and wait
# for no disk. It ends with the last process of the namespace.
memory=
if [ -z "${TMPDIR-}" ] && has_memory && unshare -m mount -t tmpfs tmpfs /mnt 2>/dev/null; then
	memory=$(mktemp -d)
	trap 'rmdir "$memory"' EXIT
fi

# in_memory COMMAND...
in_memory() {
	if [ -n "$memory" ]; then
		# shellcheck disable=SC2016 # of the inner shell
		set -- env TMPDIR="$memory" unshare -m sh -c 'mount -t tmpfs -o mode=1777 tmpfs "$TMPDIR" && exec "$@"' sh "$@"
	fi
	"$@"
}

# run PRESET LABEL [ASAN_OPTIONS]: the tests without the label. What one pass alone proves has the label of the other one, see
# tests/CMakeLists.txt. Many tests wait for something: two for each processor keep them all busy.
run() {
	printf '\n== %s: testing\n' "$1"
	rm -f "build/$1/Testing/Temporary/LastTestsFailed.log"
	in_memory env ASAN_OPTIONS="${3:-}${ASAN_OPTIONS:+:$ASAN_OPTIONS}" ctest --preset "$1" -j "$((2 * jobs))" -LE "^$2\$" --output-junit results.xml || status=1
}

# count PRESET ATTRIBUTE: of the results.
count() {
	sed -n "1,/>/s/.*[[:space:]]$2=\"\([0-9]*\)\".*/\1/p" "build/$1/results.xml" | head -n 1
}

status=0
# What is freed is kept from use for a while: 256 MB of it in each of ten thousand processes are pages that the kernel clears.
run dev release quarantine_size_mb=4
run release sanitized

printf '\n'
passed=0 failed=0 skipped=0
for preset in dev release; do
	log=build/$preset/Testing/Temporary/LastTestsFailed.log
	if [ -s "$log" ]; then
		sed "s|^[0-9]*:\(.*\)|failed: \1   (again: ctest --preset $preset -R '^\1\$')|" "$log"
	fi
	failures=$(count "$preset" failures) left_out=$(count "$preset" skipped)
	passed=$((passed + $(count "$preset" tests) - failures - left_out))
	failed=$((failed + failures)) skipped=$((skipped + left_out))
done
[ "$skipped" -eq 0 ] || echo "$skipped skipped"
echo "$passed passed, $failed failed"
exit "$status"
