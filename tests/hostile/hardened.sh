# What is installed was built so that a fault is harder to use: P10.
grep -q '^CMAKE_BUILD_TYPE:STRING=Rel' "$BUILD_DIR/CMakeCache.txt" || exit 77
! grep -q '^PERFEVO_SANITIZE:BOOL=ON' "$BUILD_DIR/CMakeCache.txt" || exit 77

# linked FILE: no memory both writable and executable, and tables of the linker that are read-only once it runs
linked()
{
	readelf -lW "$1" >../segments
	has "$1" ../segments GNU_RELRO
	! grep -E 'GNU_STACK.*RWE|LOAD.*RWE' ../segments || fail "$1: memory to write to and to run"
}

perfevo=$BUILD_DIR/cmd/perfevo
linked "$perfevo"
readelf -dW "$perfevo" >../dynamic
has "bound at once" ../dynamic BIND_NOW
has "at any place" ../dynamic PIE
readelf -sW "$perfevo" >../symbols
has "guarded stacks" ../symbols __stack_chk_fail
has "bounds" ../symbols _chk@GLIBC
for library in rt sample calls; do
	linked "$BUILD_DIR/runtime/libperfevo_$library.so"
	readelf -dW "$BUILD_DIR/runtime/libperfevo_$library.so" >../dynamic
	has "$library bound at once" ../dynamic NOW
done
linked "$BUILD_DIR/launcher/perfevo-launch"
