# --fail-on-regression goes by what compare finds itself: a change that is layout alone fails nothing where no jump is
# stored, and one whose code or data differ fails. A function that nobody calls moves the one that counts.
needs cc
[ "$(uname -m)" = x86_64 ] || exit 77
empty_repo
cat >work.c <<'END2'
__attribute__((aligned(16))) int work(int x)
{
	return x ^ 1;
}
END2
cat >main.c <<'END2'
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int work(int);
extern const int extra;

/* A score that depends on where work() lies. */
int main(void)
{
	volatile char *block = malloc(100);

	block[0] = 1;
	free((char *)block);
	printf("score %d\n", ((uintptr_t)work / 16 % 2 ? 130 : 100) + work(1) + extra);
	return 0;
}
END2
score_config 'cc -O1 spare.c data.c work.c main.c -o prog' 5 'profile: {mode: counting}' '[./prog]' ''
spare='__attribute__((aligned(16))) int spare(int x) { return x + 2; }'
echo 'const int extra = 0;' >data.c
echo >spare.c
save start
perfevo track --quiet --no-open --no-confirm >/dev/null
# Which of the two placements is the slow one is the linker's affair.
if perfevo log --no-graph -m score | grep -q '130 points'; then
	echo "$spare" >spare.c
	git commit -q -a --amend -m start
	spare=
fi

# compared [OPTION]: the status, and what the table says of the score
compared()
{
	status=0
	perfevo compare -q --fail-on-regression "$@" HEAD~1 >../out 2>../err || status=$?
	echo "status $status: $(grep -oE '(worse|layout)$' ../out), $(grep -c '^   layout: same machine code' ../out) layout"
}

echo "$spare" >spare.c
save moved
echo '# same by code: nothing is run, unless that is asked for'
compared
grep -o 'old and new execute the same' ../out
compared --again
perfevo compare -q --format json HEAD~1 | grep -o '"layout":true,"contradicted":false,"verdict":"[a-z]*"'
echo 'layout: fail' >>perfevo.yml
compared
sed -i '$d' perfevo.yml
echo '# data that is read differs'
echo 'const int extra = 25;' >data.c
save data
compared
