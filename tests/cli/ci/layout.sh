# A function that nobody calls moves the one that counts: what the benchmark executes is the same, so compare, ci and the hook
# before a push run nothing, unless the config lets layout fail: then it is measured, and told. What differs in the code, in
# data, or in allocations, is no layout.

command -v cc >/dev/null && [ "$(uname -m)" = x86_64 ] || exit 77
empty_repo
cat >work.c <<'END'
__attribute__((aligned(16))) int work(int x)
{
	return x ^ 1;
}
END
cat >main.c <<'END'
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int work(int);
extern const int extra;

/* A score that depends on where work() lies. */
int main(void)
{
	volatile char *block = malloc(SIZE);

	block[0] = 1;
	free((char *)block);
	printf("score %d\n", ((uintptr_t)work / 16 % 2 ? 130 : 100) + work(LEVEL) + extra);
	return 0;
}
END
# program LEVEL SIZE [SPARE]
program()
{
	sed "s/LEVEL/$1/; s/SIZE/$2/" ../main.c >main.c
	echo "${3:-}" >spare.c
}
mv main.c ..
score_config 'cc -O1 spare.c data.c work.c main.c -o prog' 5 'profile: {mode: counting}' '[./prog]' ''
echo 'const int extra = 0;' >data.c
spare='__attribute__((aligned(16))) int spare(int x) { return x + 2; }'
program 1 100
save start
perfevo track --quiet --no-open --no-confirm >/dev/null
# Which of the two placements is the slow one is the linker's affair.
if perfevo log --no-graph -m score | grep -q '130 points'; then
	program 1 100 "$spare"
	git commit -q -a --amend -m start
	spare=
fi
git switch -q -c topic

# ci: its status and answers
ci()
{
	status=0
	perfevo ci --base main --no-profile --markdown ../ci.md --junit ../ci.xml --sarif ../ci.sarif --json ../ci.json \
		>../out 2>&1 || status=$?
	echo "status $status: $(sed -n 's/.*"metric":"\([a-z-]*\)".*"answer":"\([a-z]*\)".*"layout":\([a-z]*\).*/\1 \2 \3/p' ../ci.json |
		sort | tr '\n' ';')"
}

# compared [OPTION]: the status, and what the table says of the score
compared()
{
	status=0
	perfevo compare -q --fail-on-regression "$@" HEAD~1 >../out 2>../err || status=$?
	echo "status $status: $(grep -oE '(worse|layout)$' ../out), $(grep -c '^   layout: same machine code' ../out) layout"
}

why='same machine code, same allocations; only its placement in memory differs'
program 1 100 "$spare"
save moved
ci
has "JSON" ../ci.json '"all that it executes is the same"'
echo '# before a push'
hub
perfevo hooks install --pre-push >/dev/null
git push -q origin topic 2>../said && echo 'went through'
git push -q --no-verify origin :topic
echo 'layout: fail' >>perfevo.yml
git push -q origin topic 2>../said || echo 'was stopped'
ci
has "on the terminal" ../out "     layout: $why"
sed -i '$d' perfevo.yml
echo '# compared: nothing is run, unless that is asked for'
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
git reset -q --hard HEAD~1
echo '# other code, and other allocations'
program 50 100 "$spare"
save dearer
ci
program 1 101 "$spare"
save larger
ci
