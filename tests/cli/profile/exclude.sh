# What is excluded by file, name or size has no node, whichever compiler built it, and its callees keep their place.
needs gcc clang
empty_repo
sources
mkdir vendor
cat >vendor/big.c <<'END'
#include "../work.h"

APART int big(int n)
{
	int sum = n;

	for (int i = 0; i < n; i++)
		sum = sum * 31 + leaf(i) * n;
	for (int i = 0; i < n; i++)
		sum = sum / 7 + leaf(n) % (i + 1) + leaf(sum) * (sum ^ n);
	return sum;
}
END
sed -i 's/work(n + 1)/big(n + 1)/; s/^static/int big(int n);\n\nstatic/' prog.c
save first

# summed: the calls of each stack, wherever it was called from: gcc has the lines of what it left out
summed()
{
	calls | awk '{ calls[$1] += $2 } END { for (stack in calls) print stack, calls[stack] }' | LC_ALL=C sort
}

for compiler in gcc clang; do
	for exclude in '{}' '{files: vendor/}' '{functions: [twi, none]}' '{files: [work.c, vendor/]}' '{size: 10K}' '{size: 1}'; do
		echo "# $exclude"
		cat >perfevo.yml <<END
build: $compiler -O2 prog.c work.c vendor/big.c -o prog
benchmarks: {prog: [./prog]}
profile: {exclude: $exclude}
END
		summed
	done >../$compiler
done
cat ../gcc
diff ../gcc ../clang && echo 'clang counts the same'
