# Source and machine code crossed: what of a change reached the program, and why what nobody touched did change.
command -v cc >/dev/null || exit 77
empty_repo
mkdir src
perfevo_yml 'cc -g -O2 -Isrc src/main.c src/shape.c -o prog' \
	'prog: {command: [./prog], warmup: 0, repeats: 3}' \
	'same program: {command: ./prog >out, warmup: 0, repeats: 3}'
cat >src/scale.h <<'END'
#define APART __attribute__((noinline))
#define SCALE 3
#define SCALED(x) ((x) * SCALE)
struct box {
	int w, h;
};
int area(const struct box *b);
int grow(const struct box *b);
int sum(const struct box *b);
int never(int x);
void check(const struct box *b, int line);
END
cat >src/shape.c <<'END'
#include "scale.h"
#include <stdio.h>

static inline __attribute__((always_inline)) int cube(int x)
{
	return x * x * x;
}

APART int area(const struct box *b)
{
	return b->w * b->h;
}

APART int grow(const struct box *b)
{
	return SCALED(b->w) + 100;
}

APART int sum(const struct box *b)
{
	return cube(b->h) + 7;
}

APART int never(int x)
{
	if (0)
		x++;
	return x ^ 5;
}

APART void check(const struct box *b, int line)
{
	if (b->w < line)
		printf("%d\n", line);
}

#ifdef NO_SUCH_SYSTEM
int elsewhere(int x)
{
	return x;
}
#endif
END
cat >src/main.c <<'END'
#include "scale.h"
#include <stdio.h>

int main(int argc, char **argv)
{
	struct box b;

	(void)argv;
	b.w = argc;
	b.h = 2;
	check(&b, __LINE__);
	printf("%d %d %d %d\n", area(&b), grow(&b), sum(&b), never(argc));
	return 0;
}
END
save first

changed 'a method' src/shape.c 's/b->w \* b->h/b->w * b->h + 1/'
changed 'a comment' src/shape.c 's|^APART int area|/* how large\n * it is */\nAPART int area|'
changed 'a line number' src/main.c 's|^int main|/* it\n * starts */\nint main|'
changed 'a macro, used through another' src/scale.h 's/SCALE 3/SCALE 5/'
changed 'what is never compiled' src/shape.c 's/x++/x--/'
changed 'an inlined method' src/shape.c 's/return x \* x \* x/return x * x * x * x/'
changed 'a header' src/scale.h 's/int w, h/int pad, w, h/'
changed 'another system' src/shape.c 's/return x;/return x + 1;/'
changed 'a new method' src/shape.c '$a APART int fresh(int x)\n{\n\treturn x ^ 77;\n}'
changed 'a new name' src/shape.c 's/fresh/renewed/'

echo '# all of it, with what was built already'
perfevo changes --code -q HEAD~10.. | sed '1d; $s/of [0-9]* functions/of N functions/'
echo '# some of it'
perfevo changes --code -q -k indirect -b same HEAD~10.. | sed '1d; $s/of [0-9]* functions/of N functions/'
perfevo changes --code -q --format json HEAD~7..HEAD~4 |
	sed 's/[0-9a-f]\{40\}/@ID@/g; s/"functions":[0-9]*/"functions":N/; s/"exact":[a-z]*/"exact":B/
		s/\("outside":0,"bytes":\)\[[1-9][0-9]*,[1-9][0-9]*\]/\1N/
		s/"bytes":\[0,0\]/"bytes":0/; s/"bytes":\[\([0-9]*\),\1\]/"bytes":"equal"/'
echo '# builds and runs in the store'
sqlite3 .git/perfevo/perfevo.db 'SELECT count(*) FROM builds; SELECT count(*) FROM runs'
git status --short

echo '# stripped and without debug information, with other flags that a file of the repository tells'
printf 'cc %s -Isrc src/main.c src/shape.c -o prog\n' -O2 >build.sh
sed -i 's/^build: .*/build: sh build.sh/' perfevo.yml
save 'a build of its own'
printf 'cc %s -Isrc src/main.c src/shape.c -o prog\n' '-O0 -DNDEBUG -s' >build.sh
sed -i 's/return x \* x/return x + x/; s/b->h + 1/b->h + 2/' src/shape.c
save 'other flags'
perfevo changes --code -q | sed 1d | grep -v 'functions recompiled'
