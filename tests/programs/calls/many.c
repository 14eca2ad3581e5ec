/*
 * A function with thousands of children, in an order of its own: main calls child_0000 to child_7777 (octal:
 * there are 4096), then all of them again, backwards. Too many to be drawn; the test knows it.
 */
/* The formatter does not come to an end with these. */
/* clang-format off */
#define ONE(x)  __attribute__((noinline)) static void child_##x(void) { __asm__ volatile(""); }
#define TWO(x)  ONE(x##0) ONE(x##1) ONE(x##2) ONE(x##3) ONE(x##4) ONE(x##5) ONE(x##6) ONE(x##7)
#define FOUR(x) TWO(x##0) TWO(x##1) TWO(x##2) TWO(x##3) TWO(x##4) TWO(x##5) TWO(x##6) TWO(x##7)
#define SIX(x)  FOUR(x##0) FOUR(x##1) FOUR(x##2) FOUR(x##3) FOUR(x##4) FOUR(x##5) FOUR(x##6) \
		FOUR(x##7) struct to_be_ended_by_a_semicolon
/* clang-format on */

SIX(0);
SIX(1);
SIX(2);
SIX(3);
SIX(4);
SIX(5);
SIX(6);
SIX(7);

#define N1(x) child_##x,
#define N2(x) N1(x##0) N1(x##1) N1(x##2) N1(x##3) N1(x##4) N1(x##5) N1(x##6) N1(x##7)
#define N4(x) N2(x##0) N2(x##1) N2(x##2) N2(x##3) N2(x##4) N2(x##5) N2(x##6) N2(x##7)
#define N6(x) N4(x##0) N4(x##1) N4(x##2) N4(x##3) N4(x##4) N4(x##5) N4(x##6) N4(x##7)

static void (*const children[])(void) = {N6(0) N6(1) N6(2) N6(3) N6(4) N6(5) N6(6) N6(7)};

enum { N = sizeof(children) / sizeof(*children) };

int main(void)
{
	for (int i = 0; i < N; i++)
		children[i](); /* <call> */
	for (int i = N; i-- > 0;)
		children[i](); /* <again> */
	return 0;
}
