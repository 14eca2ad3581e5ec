/*
 * Recursion: direct, with two call sites in one function, and between two functions. It is folded: a call
 * whose function and call site stand on the path already is counted there.
 *
 *   recursion x1
 *     main x1
 *       down @first x1
 *         leaf @leaf x1 +1:16
 *         down @down x5 folded
 *           leaf @leaf x5 +5:80
 *       fibonacci @fibonacci x1
 *         fibonacci @left x55 folded
 *           fibonacci @right x54 folded
 *         fibonacci @right x34 folded
 *           fibonacci @left x33 folded
 *       even @even x1
 *         odd @odd x5 folded
 *           even @back x5
 */
#include <stdlib.h>

static void *kept[16];
static int n_kept;

static void leaf(void)
{
	kept[n_kept++] = malloc(16);
}

static void down(int n)
{
	leaf(); /* <leaf> */
	if (n > 1)
		down(n - 1); /* <down> */
}

static int fibonacci(int n)
{
	int left, right;

	if (n < 2)
		return n;
	left = fibonacci(n - 1);  /* <left> */
	right = fibonacci(n - 2); /* <right> */
	return left + right;
}

static int odd(int n);

static int even(int n)
{
	return n == 0 ? 1 : odd(n - 1); /* <odd> */
}

static int odd(int n)
{
	return n == 0 ? 0 : even(n - 1); /* <back> */
}

int main(void)
{
	down(6);          /* <first> */
	fibonacci(10);    /* <fibonacci> */
	return !even(10); /* <even> */
}
