# A profile is of one benchmark: the one that is called exactly so, also one of the tests.
needs gcc
empty_repo
sources
cat >perfevo.yml <<'END'
build: gcc -O2 prog.c work.c -o prog
benchmarks:
  prog: [./prog]
  prog again: [./prog]
tests: {list: 'echo one; echo two', run: './prog {name}', sources: work.c}
END
save first
perfevo profile -q --mode counting -b prog --format folded -w calls | wc -l
for bench in pro.* again none 'x['; do
	code=0
	perfevo profile -q --mode counting -b "$bench" --format folded -w calls 2>&1 | wc -l
	perfevo profile -q --mode counting -b "$bench" --format folded -w calls 2>err >/dev/null || echo "status $?"
	cat err
	rm err
done
perfevo profile -q --mode counting -b '^two$' --format folded -w calls | tail -n 1 | sed 's/.*;//'
perfevo profile -q --hot --methods || echo "status $?"
perfevo profile -q --min-share much || echo "status $?"
perfevo profile -q -b prog -w volume || echo "status $?"
