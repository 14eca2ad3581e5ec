# Programs that nothing can be preloaded into are named. Few samples are asked for, so that a run of a shell gets none.
needs gcc
empty_repo
sources
gcc -static work.c prog.c -o try 2>/dev/null || exit 77
rm try
echo '{build: gcc -static prog.c work.c -o prog, benchmarks: {prog: [./prog], script: sh run.sh}, profile: {rate: 10, runs: 3}}' >perfevo.yml
echo 'exec ./prog' >run.sh
save first
for bench in prog script; do
	for mode in counting samples; do
		code=0
		perfevo profile -b $bench --mode $mode >out 2>&1 || code=$?
		grep -v 'builds\{0,1\} done' out | sed 's/^perfevo: [0-9a-f]\{10\} /perfevo: @ID@ /'
		echo "status $code"
	done
done
