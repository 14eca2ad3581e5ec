/*
 * A shop that counts: one of everything that lies in a program. test_code.c compiles it, edits single lines
 * of it and compiles it again; the lines it looks for stand here once each.
 *
 *   main ── close_shop, cost, share, label, next_ticket, next_order, first, second, resolved, apply, look_up
 *   first ── add_tax      second ── add_fee      apply ── rules: add_tax, add_fee, add_tip
 */
#include <stdio.h>
#include <stdlib.h>

#define APART __attribute__((noinline))

struct item {
	int price;
	int weight;
	const char *name;
};

typedef int rule_fn(int);

static const int rates[] = {3, 5, 7, 11, 13, 17, 19, 23};
static const struct item items[] = {{120, 5, "apple"}, {340, 9, "melon"}, {75, 2, "lemon"}};
int discount = 10;
static long sales[64];
static _Thread_local int visits = 4;
static _Thread_local int leaves;

APART static int add_tax(int x)
{
	return x * 119 / 100;
}

APART static int add_fee(int x)
{
	return x * 103 / 100;
}

APART static int add_tip(int x)
{
	return x + x / 10;
}

static rule_fn *const rules[] = {add_tax, add_fee, add_tip};

APART static int apply(int rule, int x)
{
	return rules[rule % 3](x);
}

static rule_fn *pick(void)
{
	return add_tax;
}

int resolved(int x) __attribute__((ifunc("pick")));

APART static const char *label(int kind)
{
	switch (kind) {
	case 0:
		return "small";
	case 1:
		return "middle";
	case 2:
		return "large";
	case 3:
		return "huge";
	case 4:
		return "sold out";
	default:
		return "unknown";
	}
}

APART static int cost(int kind, int n)
{
	switch (kind) {
	case 0:
		return puts("free");
	case 1:
		return n * rates[n & 7];
	case 2:
		return abs(n) + discount;
	case 3:
		sales[n & 63]++;
		return n;
	case 4:
		return n / 3;
	case 5:
		return puts("ask");
	case 6:
		return ++visits + --leaves;
	default:
		return 0;
	}
}

APART static double share(double part)
{
	return part * 0.375 + 2.25;
}

APART static int next_ticket(void)
{
	static int ticket = 100;

	return ++ticket;
}

APART static int next_order(void)
{
	static int ticket = 200;

	return ticket += 2;
}

/* first begins */
APART static int first(int x)
{
	return add_tax(x) + 1;
}
/* first ends */

APART static int second(int x)
{
	return add_fee(x) + 2;
}

APART static int look_up(int n)
{
	return items[n % 3].price + items[n % 3].weight + items[n % 3].name[0];
}

APART static void close_shop(void)
{
	puts("the shop is closed");
	puts(__FILE__);
}

int main(int argc, char **argv)
{
	(void)argv;
	close_shop();
	printf("%d %f %s %d\n", cost(argc, argc + 2), share(argc), label(argc),
	       apply(argc, argc + 100));
	printf("%d %d %d %d\n", next_ticket(), next_order(), first(argc), second(argc));
	printf("%d %d\n", resolved(argc), look_up(argc));
	return 0;
}
