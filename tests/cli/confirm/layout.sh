# A confirmed change of a time whose two sides execute the same machine code on the same data, with the same
# allocations, is called layout: a function that nobody calls moves the one that counts, and so does one that its runs do
# not enter. What differs in the code, or in what it reads, is not. The question is asked once.

command -v cc >/dev/null && [ "$(uname -m)" = x86_64 ] || exit 77
new_repo
rm -f prog.sh build.sh
numbers_in .
echo 0 >"$runs"
other=0

# commit NAME LEVEL IDLE [SPARE]: the score depends on where work() lies and on the number of the run. In the order in
# which they are linked: a function that nobody calls, one that is not executed, with IDLE bytes more, and work().
commit()
{
	echo "${4:-}" >spare.c
	cat >idle.c <<END
__attribute__((aligned(16))) int idle(int x)
{
	__asm__ volatile(".skip $3, 0x90");
	return x + 1;
}

int executed(int x)
{
	return x + 3;
}
END
	cat >work.c <<'END'
__attribute__((aligned(16))) int work(int x)
{
	return x ^ 1;
}
END
	cat >main.c <<END
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include "number.h"

int idle(int), executed(int), behind(int), work(int);

int main(int argc, char **argv)
{
	FILE *input = fopen("input", "r");
	uint64_t state;
	double sum = 0;
	int n = (int)next_number();

	if (input != NULL)
		fclose(input);
	if (argc > 5)
		return idle(argc) + behind(argv[1][0]);
	state = (uint64_t)work(executed(n)) * 7919 + 13;
	for (int i = 0; i < 12; i++) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		sum += (double)(state >> 40) / (1 << 24);
	}
	printf("score %.4f\n", ((uintptr_t)work / 16 % 2 ? 110 : 100) * $2 * (1 + 0.01 * (sum - 6)));
	return 0;
}
END
	echo "int behind(int x) { return x * $other; }" >behind.c
	save "$1"
	other=$((other + 1)) # what is behind moves nothing, and makes the next one another program
}

# stretch NAME ...: three commits of one level; the first differs from the last before it in nothing else
stretch()
{
	name=$1
	shift
	[ "$other" -eq 0 ] || other=$((other - 1))
	for i in 1 2 3; do commit "$name$i" "$@"; done
}

echo one >input
stretch a 1 0
stretch b 1 0 '__attribute__((aligned(16))) int spare(int x) { return x + 2; }'
stretch c 1.3 0 '__attribute__((aligned(16))) int spare(int x) { return x + 2; }'
stretch d 1.3 16 '__attribute__((aligned(16))) int spare(int x) { return x + 2; }'
echo other >input
stretch e 1.3 0 '__attribute__((aligned(16))) int spare(int x) { return x + 2; }'
cat >"$case_dir/build.sh" <<END
[ ! -e "$case_dir/pid" ] || kill -INT "\$(cat "$case_dir/pid")"
cc -g -O1 spare.c idle.c work.c behind.c main.c -o prog
END
score_config "sh '$case_dir/build.sh'" 4 '' '[./prog]' ''
echo perfevo.yml >>.git/info/exclude

# What was said of the first commits of the stretches: 1 layout, 0 not, x it cannot be told.
said_of()
{
	db "SELECT substr(subject, 1, 1), coalesce(layout, 'x') FROM confirmations_named
	    WHERE answer = 'confirmed' ORDER BY 1" | tr '|\n' '= '
}

# Forget what was said, and track: nothing is run, and nothing fails.
ask_again()
{
	db 'UPDATE confirmations SET layout = 0'
	track 0 --last 15
}

sentence='layout: same machine code, same allocations; only its placement in memory differs'
# All are run: of what executes the same one is enough otherwise, and where it lies is not asked.
track 0 --last 15 --all --no-confirm
has_not "what is not confirmed" "$case_dir/out" layout
# What the code answers takes no pair of runs, unless layout is to fail.
cp "$store" "$case_dir/stored.db"
track 0 --last 15
same "what pairs confirmed" 'c=0 e=0 ' "$(said_of)"
same "what the code answered" 2 "$(grep -c 'and is the same by code: placement in memory, or the machine' "$case_dir/out")"
rm -f "$store"-*
mv "$case_dir/stored.db" "$store"
echo 'layout: fail' >>perfevo.yml
track 0 --last 15
sed -i '$d' perfevo.yml
# Of the regressions one is in the code, whatever the placement; those that are layout fail only who asks for it.
track 1 --last 15 --fail-on-regression
same "what is layout" 'b=1 c=0 d=1 e=0 ' "$(said_of)"
same "sentences" 2 "$(grep -c "^ *$sentence\$" "$case_dir/out")"
track 0 --last 15 --format md
same "rows with the sentence" 2 "$(grep -c "; $sentence |\$" "$case_dir/out")"
track 0 --last 15 --format json
same "members that say so, of series and commits" 4 "$(grep -c '"layout":true' "$case_dir/out")"
same "members that say the opposite" 4 "$(grep -c '"layout":false' "$case_dir/out")"
same "rows of the log" 2 "$(perfevo log --no-graph -b score -n 15 -m score | grep -c "$sentence")"
ends 0 perfevo track HEAD~8..HEAD~3 --no-confirm --no-open --fail-on-regression
has "what is said of it" "$case_dir/err" "1 confirmed regression is layout and not counted ('layout: fail' counts it)"
echo 'layout: fail' >>perfevo.yml
ends 1 perfevo track HEAD~8..HEAD~3 --no-confirm --no-open --fail-on-regression
sed -i '$d' perfevo.yml
perfevo log -b score -n 15 >"$case_dir/out"
same "jumps of the graph" 'b1 d1 ' "$(sed -n 's/.*  \([a-z][0-9]*\)  layout alone: .*/\1/p' "$case_dir/out" | sort | tr '\n' ' ')"
perfevo show HEAD~11 >"$case_dir/out"
has "one commit" "$case_dir/out" "   $sentence"

# Once is enough.
before=$(cat "$runs")
db 'UPDATE confirmations SET layout = 1'
track 0 --last 15
same "what is not asked again" 'b=0 c=0 d=0 e=0 ' "$(said_of)"
# Ctrl-C in a build that it takes: the question stays open.
db 'UPDATE confirmations SET layout = 0'
rm -rf "$XDG_CACHE_HOME"
ends 128 with_pid perfevo track --quiet --last 15
rm "$case_dir/pid"
same "what was said until then" 'b=x c=x d=x e=x ' "$(said_of)"
track 0 --last 15
same "what is layout, asked again" 'b=1 c=0 d=1 e=0 ' "$(said_of)"
# Without a tree the functions count that a run was seen to enter; without what the benchmark executes nothing can be told;
# where allocations differ the code is not looked at.
db 'DELETE FROM trees; DELETE FROM profiles'
ask_again
same "what is layout without a tree" 'b=1 c=0 d=1 e=0 ' "$(said_of)"
db 'DELETE FROM executions'
ask_again
same "what cannot be told" 'b=x c=x d=x e=x ' "$(said_of)"
db "DROP TRIGGER samples_are_immutable; UPDATE samples SET value = value + 1 WHERE metric IN (SELECT key FROM metrics WHERE name = 'allocations')
	AND run IN (SELECT r.key FROM runs r JOIN revisions v ON v.key = r.revision WHERE v.subject = 'a3');
	$(db "SELECT sql FROM sqlite_schema WHERE name = 'samples_are_immutable'")"
ask_again
same "other allocations" 'b=0 c=x d=x e=x ' "$(said_of)"
same "runs since it was confirmed" "$before" "$(cat "$runs")"
store_is_whole
