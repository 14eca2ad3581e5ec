/*
 * Exceptions, thrown over functions with and without something to clean up, caught and thrown on.
 *
 *   exceptions x1
 *     main x1
 *       attempt @attempt x3 ~
 *         first @first x3
 *           guard::guard @guard x3
 *           second @second x3
 *             thrower @thrower x3 ~
 *           guard::~guard @* x3
 *             cleaned @cleaned x3
 *         caught @caught x3
 *         next @next x3
 *           cleaned @next_cleaned x3
 *       rethrow @rethrow x1 ~
 *         attempt_more @more x1
 *           thrower @more_thrower x1 ~
 *           caught @more_caught x1
 *         caught @rethrow_caught x1
 *       cleaned @last x1
 */
#include <stdexcept>

#define KEEP __attribute__((noinline))

KEEP static void cleaned()
{
	__asm__ volatile("");
}

struct guard {
	KEEP guard()
	{
		__asm__ volatile("");
	}

	KEEP ~guard()
	{
		cleaned(); /* <cleaned> */
	}
};

KEEP static void thrower(int n)
{
	if (n >= 0)
		throw std::runtime_error("thrown");
}

KEEP static void second(int n)
{
	thrower(n); /* <thrower> */
	__asm__ volatile("");
}

KEEP static void first(int n)
{
	guard one; /* <guard> */

	second(n); /* <second> */
}

KEEP static void caught()
{
	__asm__ volatile("");
}

KEEP static void next()
{
	cleaned(); /* <next_cleaned> */
}

KEEP static void attempt(int n)
{
	try {
		first(n); /* <first> */
	} catch (const std::exception &) {
		caught(); /* <caught> */
	}
	next(); /* <next> */
}

KEEP static void attempt_more()
{
	try {
		thrower(1); /* <more_thrower> */
	} catch (...) {
		caught(); /* <more_caught> */
		throw;
	}
}

KEEP static void rethrow()
{
	try {
		attempt_more(); /* <more> */
	} catch (...) {
		caught(); /* <rethrow_caught> */
	}
}

int main()
{
	for (int i = 0; i < 3; i++)
		attempt(i); /* <attempt> */
	rethrow();          /* <rethrow> */
	cleaned();          /* <last> */
	return 0;
}
