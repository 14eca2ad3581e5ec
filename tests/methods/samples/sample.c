/* One of each way in which C defines a function. */
#include <stdio.h>

#define EXPORT
#define CALL
#define TWICE(x) ((x) * 2)

int declared(int a);

int plain(int a)
{
	return TWICE(a);
}

static const char *pointer_result(void)
{
	return "text";
}

static int (*returns_function(int which))(int)
{
	return which ? plain : declared;
}

int (parenthesised)(int a)
{
	return a;
}

EXPORT int (hidden_by_macro) (int a)
{
	return a;
}

EXPORT size_t after_two_words(size_t n)
{
	return n;
}

int CALL with_calling_convention(int a)
{
	return a;
}

int old_style(a, b)
	int a;
	char *b;
{
	return a + *b;
}

implicit_int()
{
	return 0;
}

#ifdef WITH_ALTERNATIVE
int alternative(int a)
{
	return a + 1;
}
#else
int alternative(int a)
{
	return a - 1;
}
#endif

#ifdef OLD
int cut_head(int a)
#else
int cut_head(long a)
#endif
{
	return (int)a;
}

int cut_statement(int a)
{
	if (a > 1) {
		a--;
	}
#ifdef WITH_NEGATIVE
	else if (a < -1) {
		a++;
	}
#endif
	else {
		a = 0;
	}
	return a &&
#ifdef OLD
	       a > 2;
#else
	       a > 3;
#endif
}

int cut_braces(int a)
{
#ifdef OLD
	if (a > 1) {
#else
	if (a > 2) {
#endif
		return 1;
	}
	return 0;
}

TEST(suite, first_case)
{
	plain(1);
}

TEST(suite, second_case)
{
	plain(2);
}

DEFINE(generated)
{
	int x = 0;
}

int blocks_of_macros(int a)
{
	FOR_EACH(a, list) {
		plain(a);
	}
	vmcase(OP_MOVE) {
		a = 1;
	}
	if (a) {
		return 1;
	}
	STATEMENT_MACRO
	return 0;
}

int last(int a) { return a; }
