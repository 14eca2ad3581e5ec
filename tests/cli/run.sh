#!/bin/sh
# Run one case of the command line's tests.
#
#   run.sh BUILD_DIR CASE.sh
#
# The case is run by sh in a fresh folder, with a HOME of its own, an environment that holds nothing of the
# user's, and the built perfevo (and git-perfevo) on PATH. Then its output, its messages and its exit status are
# compared with CASE.out, CASE.err and CASE.exit beside it; an output of more than 15 lines is in CASE.out.gz.
# Without them nothing may be printed and the status must be 0; without CASE.err the messages are not looked at,
# but for reports of a sanitizer, which always fail. In both streams the fresh folder is called @CASE@.
# `git -c diff.gzip.textconv='gzip -cd' diff` shows what changed in compressed files.
#
# Leaks are looked for by the tests of the headers: at the end of each of ten thousand processes it would take as long as
# all else they do. PERFEVO_LEAKS=1 looks here, too.
#
# Instructions are not simulated (PERFEVO_VALGRIND is empty), so that a case says the same wherever valgrind is installed.
# Lines may be long (COLUMNS), so that what is looked for in them is not broken. What runs in the background does not give way
# (PERFEVO_BACKGROUND): at idle priority it would wait for every other test.
#
# The first clang on PATH only tells a version (tests/support/bin). `own_clang` of lib.sh takes it away.
#
# A case that cannot be run here (a program is missing) ends with 77 and is skipped.
#
# For the case: CASE_DIR is the folder it lies in, SOURCE_DIR the project's, BUILD_DIR the build's. A case of
# tests/cli or tests/hostile has what tests/cli/lib.sh and the lib.sh of its own folder define.
# PERFEVO_UPDATE_GOLDEN=1 writes the files instead of comparing.
set -u

build=$(cd "$1" && pwd) || exit 128
case_dir=$(cd "$(dirname "$2")" && pwd) || exit 128
name=$(basename "$2" .sh)
source_dir=$(cd "$(dirname "$0")/../.." && pwd) || exit 128
fresh=$(mktemp -d "${TMPDIR:-/tmp}/perfevo-cli.XXXXXX") || exit 128
fresh=$(cd "$fresh" && pwd -P)
trap 'rm -rf "$fresh"' EXIT
trap 'exit 130' INT TERM HUP

mkdir "$fresh/home" "$fresh/work" "$fresh/tmp"
cd "$fresh/work" || exit 128
# shellcheck disable=SC2016 # it is for the shell that is started
env -i HOME="$fresh/home" XDG_CACHE_HOME="$fresh/home/cache" TMPDIR="$fresh/tmp" PERFEVO_SANDBOX="${PERFEVO_SANDBOX-}" \
	PATH="$build/cmd:$source_dir/tests/support/bin:/usr/local/bin:/usr/bin:/bin" LC_ALL=C.UTF-8 TZ=UTC TERM=dumb \
	GIT_CONFIG_NOSYSTEM=1 PERFEVO_TEST_SEED="${PERFEVO_TEST_SEED-}" PERFEVO_HOSTILE_EVERY="${PERFEVO_HOSTILE_EVERY-}" PERFEVO_FAULTS="${PERFEVO_FAULTS-}" PERFEVO_FARM_CHAOS="${PERFEVO_FARM_CHAOS-}" PERFEVO_SAMPLE_CLOCK="${PERFEVO_SAMPLE_CLOCK-}" CASE_DIR="$case_dir" SOURCE_DIR="$source_dir" BUILD_DIR="$build" \
	PERFEVO_VALGRIND="" PERFEVO_BACKGROUND=normal COLUMNS=1000 ASAN_OPTIONS="detect_leaks=${PERFEVO_LEAKS:-0}:malloc_context_size=1${ASAN_OPTIONS:+:$ASAN_OPTIONS}" UBSAN_OPTIONS="${UBSAN_OPTIONS-}" \
	LSAN_OPTIONS="${LSAN_OPTIONS-}" GCOV_PREFIX="${GCOV_PREFIX-}" \
	sh -c 'case $CASE_DIR in
	"$SOURCE_DIR"/tests/cli/* | "$SOURCE_DIR"/tests/hostile)
		. "$SOURCE_DIR/tests/cli/lib.sh"
		[ ! -e "$CASE_DIR/lib.sh" ] || . "$CASE_DIR/lib.sh"
		;;
	esac
	. "$0"' "$case_dir/$name.sh" >"$fresh/out.raw" 2>"$fresh/err.raw" </dev/null
status=$?
[ "$status" -ne 77 ] || exit 77
cd / || exit 128
for stream in out err; do
	sed "s|$fresh/work|@CASE@|g; s|$fresh|@CASE@|g" "$fresh/$stream.raw" >"$fresh/$stream"
done
echo "$status" >"$fresh/exit"

golden=$case_dir/$name
if [ "${PERFEVO_UPDATE_GOLDEN-}" = 1 ]; then
	gzip -cdf "$golden.out" "$golden.out.gz" 2>/dev/null | cmp -s - "$fresh/out" || {
		rm -f "$golden.out" "$golden.out.gz"
		if [ "$(wc -l <"$fresh/out")" -gt 15 ]; then
			gzip -9cn "$fresh/out" >"$golden.out.gz"
		elif [ -s "$fresh/out" ]; then
			cp "$fresh/out" "$golden.out"
		fi
	}
	[ ! -e "$golden.err" ] || cp "$fresh/err" "$golden.err"
	if [ "$status" -ne 0 ]; then cp "$fresh/exit" "$golden.exit"; else rm -f "$golden.exit"; fi
	exit 0
fi

failed=0

# compare WHAT EXPECTED FOUND
compare()
{
	diff -u --label "expected $1" --label "found $1" "$2" "$3" || failed=1
}

echo 0 >"$fresh/zero"
if [ -e "$golden.out.gz" ]; then gzip -cd "$golden.out.gz"; elif [ -e "$golden.out" ]; then cat "$golden.out"; fi >"$fresh/expected"
compare output "$fresh/expected" "$fresh/out"
if [ -e "$golden.exit" ]; then compare status "$golden.exit" "$fresh/exit"; else compare status "$fresh/zero" "$fresh/exit"; fi
[ ! -e "$golden.err" ] || compare messages "$golden.err" "$fresh/err"
if grep -E 'ERROR: (Leak|Address)Sanitizer|runtime error:' "$fresh/out" "$fresh/err"; then
	failed=1
fi
if [ "$failed" -ne 0 ] && [ ! -e "$golden.err" ]; then
	echo "--- messages"
	cat "$fresh/err"
fi
exit "$failed"
