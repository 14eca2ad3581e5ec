# Killed in every phase, perfevo loses and doubles nothing, leaves nothing behind, and goes on. P3.
# PERFEVO_FAULTS=all kills it 1,000 times, and 100 times while four builds are at work. Every second time the power goes.
[ -e "$BUILD_DIR/tests/hostile/faults/libpe_faults_shim.so" ] || exit 77
mkdir at
kills=12 lanes=1
[ -z "${PERFEVO_FAULTS-}" ] || kills=1000 lanes=100
kill_it()
{
	python3 "$CASE_DIR/faults/kills.py" "$(command -v perfevo)" "$BUILD_DIR/tests/hostile/faults/libpe_faults_shim.so" at "$@"
}
kill_it --kills "$kills" --power 2
kill_it lanes --kills "$lanes"
