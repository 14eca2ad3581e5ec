# Commands whose allocations fail, that may open few files, or whose clock jumps: an answer, and nothing is lost. P3.
# PERFEVO_FAULTS=all disturbs each command 90 times instead of three.
[ -e "$BUILD_DIR/tests/hostile/faults/libpe_faults_shim.so" ] || exit 77
mkdir at
tries=1
[ -z "${PERFEVO_FAULTS-}" ] || tries=30
python3 "$CASE_DIR/faults/faults.py" "$(command -v perfevo)" "$BUILD_DIR/tests/hostile/faults/libpe_faults_shim.so" at --tries "$tries"
