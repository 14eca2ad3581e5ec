/*
 * Functions with tables of their own, two of one name, and what several functions share. test_code.c edits single lines
 * of it; the lines it looks for stand here once each.
 *
 *   main ── weigh, price, spell, act, pick, grade, count, draw, refill, turn
 */
#include <stdio.h>

#define APART    __attribute__((noinline))
#define PRICES   40, 41, 42, 43
#define KNOWN(n) ((n)&3)

typedef int act_fn(int);

static const int shared[] = {5, 6, 7, 8};
static int level = 50;
int mode = 60;

APART static int weigh(int n)
{
	static const int table[] = {10, 11, 12, 13};

	return table[KNOWN(n)];
}

APART static int price(int n)
{
	static const int table[] = {PRICES};

	return table[KNOWN(n)];
}

APART static char spell(int n)
{
	static const char *const names[] = {"zero", "one", "two", "three"};

	return names[KNOWN(n)][n & 1];
}

APART static int up(int n)
{
	return n + 3;
}

APART static int down(int n)
{
	return n - 3;
}

APART static int act(int n)
{
	static act_fn *const acts[] = {up, down, up};

	return acts[n % 3](n);
}

APART static int pick(int n)
{
	static const int low[] = {20, 21, 22, 23}, high[] = {30, 31, 32, 33};
	static const int *const both[] = {low, high};

	return both[n & 1][KNOWN(n)];
}

APART static int grade(int n)
{
	switch (n) {
	case 0:
		return 71;
	case 1:
		return 14;
	case 2:
		return 93;
	case 3:
		return 27;
	case 4:
		return 58;
	default:
		return 1;
	}
}

APART static int count(void)
{
	static int n[] = {100, 200};

	n[0] += n[1]++;
	return n[0];
}

APART static int draw(int n)
{
	level -= n + mode;
	return level + shared[KNOWN(n)];
}

APART static int refill(int n)
{
	level += n;
	return level - shared[KNOWN(n + 1)];
}

APART static int turn(int n)
{
	return mode += n;
}

int main(int argc, char **argv)
{
	(void)argv;
	printf("%d %d %c %d\n", weigh(argc), price(argc), spell(argc), act(argc));
	printf("%d %d %d %d\n", pick(argc), grade(argc), count(), draw(argc));
	printf("%d %d\n", refill(argc), turn(argc));
	return 0;
}
