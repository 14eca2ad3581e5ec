# Stripped programs: perfevo keeps the names that the linker would throw away; where it cannot, it says so.
needs gcc make strip
empty_repo
sources
cat >Makefile <<'END'
linked: prog.c work.c
	gcc -Wl,-O1,-s prog.c work.c -o linked
END
cat >perfevo.yml <<'END'
build: make
benchmarks: {linked: [./linked]}
profile: {runs: 2}
END
save first
perfevo profile --quiet -b linked --mode samples --format folded -w samples | grep -q ';main ' && echo sampled
calls -b linked

# Names that are gone all the same: of all functions, and of those of one file. The shared library's exported
# names stay.
cat >Makefile <<'END'
all:
	gcc prog.c work.c -o prog && strip prog
	gcc -shared -fPIC work.c -o libwork.so
	gcc prog.c -o part -L. -lwork -Wl,-rpath,$(CURDIR) && strip part
END
echo '{build: make, benchmarks: {prog: [./prog], part: [./part], bare: env -i ./prog}}' >perfevo.yml
save 'strip'
for bench in prog part bare; do
	code=0
	perfevo profile -b $bench --mode counting >out 2>&1 || code=$?
	grep -v 'builds\{0,1\} done' out |
		sed 's/^perfevo: [0-9a-f]\{10\} /perfevo: @ID@ /; s/ at [0-9a-f]\{8\} / at @ID@ /; s/+0x[0-9a-f]*/+0x@/'
	echo "status $code"
done
