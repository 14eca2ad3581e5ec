# Commits are not equally likely: what changed methods that the benchmark executes is tried first, and where an exact
# count moved before all others. A prior that misleads ends at the right commit all the same.
line_repo
# A figure as in line_repo, by a program that has methods.
score_config 'cc -g -O1 -o prog main.c used.c unused.c -lm' 3 'run: {pass-env: [COUNT]}' ./prog ''
cat >main.c <<'END'
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
double used(void);
double unused(void);
int main(int argc, char **argv)
{
	FILE *file = fopen(getenv("COUNT"), "r+");
	unsigned long n = 0, seed;
	double sum = 0;
	if (file == NULL) file = fopen(getenv("COUNT"), "w+");
	if (fscanf(file, "%lu", &n) != 1) n = 0;
	rewind(file);
	fprintf(file, "%lu\n", n + 1);
	fclose(file);
	seed = (n + 1) * 7919;
	for (int i = 0; i < 12; i++) {
		seed = seed * 6364136223846793005ul + 1442695040888963407ul;
		sum += (double)(seed >> 33) / 2147483648.;
	}
	printf("score %.4f\n", (argc > 3 ? unused() : used()) * (1 + 0.01 * (sum - 6)));
	return 0;
}
END
cat >unused.c <<'END'
double unused(void) { return 0; }
END
# used LEVEL BLOCKS: what the executed method does
used()
{
	cat >used.c <<END
#include <stdlib.h>
double used(void)
{
	volatile char *block = NULL;
	for (int i = 0; i < $2; i++) {
		block = malloc(64);
		block[0] = 1;
		free((void *)block);
	}
	return $1;
}
END
}
# others N: so many commits that touch a text, or a method that is not executed
others()
{
	i=0
	while [ "$i" -lt "$1" ]; do
		i=$((i + 1))
		k=$((${k:-0} + 1))
		if [ $((k % 2)) = 0 ]; then
			echo "$k" >notes
		else
			printf 'double unused(void) { return %s; }\n' "$k" >unused.c
		fi
		save "other $k"
	done
}
# found MOST ARGUMENTS...: the commit and what was tried first; MOST timed runs at most
found()
{
	most=$1
	shift
	perfevo bisect "$@" -m score --no-compare -q --min-change 2% >../found 2>../err || cat ../err
	sed -n '2s/.*Example  //p; /tried first/p' ../found | sed 's/by [0-9]* counting/by N counting/'
	runs=$(sed -n 's/^\([0-9]*\) runs*, .*/\1/p' ../found)
	[ "$runs" -le "$most" ] || cat ../found
}
used 100 1
others 2
git tag start
others 6
used 110 1
save 'the loop'
others 8
git tag first
echo '== methods'
perfevo profile -b score start >/dev/null 2>&1
found 30 start first
echo '== a count'
used 121 50
save 'the blocks'
others 8
git tag second
found 16 first second
echo '== a count that moved elsewhere'
used 121 5000
save 'blocks alone'
others 4
used 133 5000
save 'the time alone'
others 4
perfevo bisect second HEAD -m score --no-compare -q --min-change 2% --format json >../json 2>../err || fail "exit status $?: $(cat ../json ../err)"
grep -o '"subject":"[^"]*"' ../json | head -n 1
grep -o '"prior":{[^}]*}' ../json
grep -o '"count":{"metric":"allocations","old_value":72,"new_value":5022' ../json
grep -o '"held":[a-z]*' ../json
runs=$(sed -n 's/.*"runs":\([0-9]*\).*/\1/p' ../json)
[ "$runs" -le 60 ] || cat ../json
