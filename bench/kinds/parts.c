/* A program of parts that take about the same time: bench/kinds.py changes one of them in each commit. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define APART __attribute__((noinline))

enum { WORDS = 6000, CODE = 512, ROUNDS = 40 };

static unsigned state = 1;

APART static unsigned draw(void)
{
	state = state * 1664525 + 1013904223;
	return state >> 8;
}

/* A chain of functions, each inlined into the next: twist() is in stir(), that in fold(), that in digest(). */
static inline unsigned twist(unsigned x)
{
	for (int i = 0; i < 40; i++)
		x = (x ^ x >> 3) * 2654435761u;
	return x;
}

static inline unsigned stir(unsigned x)
{
	return twist(x + 1) ^ x;
}

static inline unsigned fold(unsigned x)
{
	return stir(x) + (x >> 16);
}

APART static unsigned digest(const char *text, size_t n)
{
	unsigned sum = 0;

	for (size_t i = 0; i < n; i++)
		sum = fold(sum + (unsigned char)text[i]);
	return sum;
}

/* A helper that several functions call with a length. */
APART static unsigned repeat(unsigned x, int times)
{
	for (int i = 0; i < times; i++)
		x = x * 31 + (x >> 5);
	return x;
}

APART static unsigned border(unsigned x)
{
	return repeat(x, 60);
}

APART static unsigned corner(unsigned x)
{
	return repeat(x, 40);
}

APART static unsigned frame(unsigned rows)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < rows; i++)
		sum += border(i) + corner(sum);
	return sum;
}

/* What compiles makes the program that execute() runs. */
struct program {
	int n;
	unsigned char code[CODE];
};

APART static void compile(struct program *program)
{
	program->n = 0;
	for (int i = 0; i < 160; i++)
		program->code[program->n++] = (unsigned char)(i % 5);
}

APART static unsigned execute(const struct program *program, int times)
{
	unsigned a = 1;

	for (int t = 0; t < times; t++)
		for (int i = 0; i < program->n; i++)
			switch (program->code[i]) {
			case 0:
				a += 3;
				break;
			case 1:
				a ^= a >> 7;
				break;
			case 2:
				a *= 5;
				break;
			case 3:
				a -= 11;
				break;
			default:
				a = (a << 3) | (a >> 29);
				break;
			}
	return a;
}

/* A table that says which bytes are escaped, one after the other. */
static const unsigned char escaped[256] = {['"'] = 1, ['\\'] = 1, ['\n'] = 1};

APART static size_t escape(char *out, const char *text, size_t n)
{
	size_t at = 0;

	for (size_t i = 0; i < n; i++)
		if (escaped[(unsigned char)text[i]])
			at += (size_t)snprintf(out + at, 8, "\\u%04x",
					       (unsigned)(unsigned char)text[i]);
		else
			out[at++] = text[i];
	return at;
}

/* Sorting by a function of its own, which another may replace. */
APART static void sort_runs(unsigned *values, int n, int gap)
{
	for (int i = gap; i < n; i++) {
		unsigned value = values[i];
		int at = i;

		for (; at >= gap && values[at - gap] > value; at -= gap)
			values[at] = values[at - gap];
		values[at] = value;
	}
}

APART static void sort_gaps(unsigned *values, int n)
{
	for (int gap = 64; gap > 0; gap /= 4)
		sort_runs(values, n, gap);
}

APART static unsigned order(unsigned *values, int n)
{
	sort_gaps(values, n);
	return values[n / 2];
}

/* Checks of three lengths, each of which may go. */
APART static int is_sorted(const unsigned *values, int n)
{
	int good = 1;

	for (int i = 1; i < n; i++)
		good &= values[i - 1] <= values[i];
	return good;
}

APART static unsigned weigh(const unsigned *values, int n)
{
	unsigned sum = 1;

	for (int i = 0; i < n; i++)
		for (int bit = 0; bit < 8; bit++)
			sum += (values[i] >> bit & 1) + (sum >> 7);
	return sum;
}

APART static unsigned audit(const unsigned *values, int n)
{
	unsigned sum = 1;

	for (int i = 0; i < n; i++)
		for (unsigned left = values[i]; left > 0; left /= 3)
			sum += left % 3 + (sum >> 5);
	return sum;
}

APART static void verify(const unsigned *values, int n)
{
	unsigned good = 1;

	good &= (unsigned)is_sorted(values, n);
	good &= weigh(values, n) > 0;
	good &= audit(values, n) > 0;
	if (!good)
		abort();
}

/* A loop on one side of a call. */
APART static unsigned shade_row(const unsigned char *row, int n)
{
	unsigned sum = 0;

	for (int i = 0; i < n; i++)
		sum += row[i] * 3u + (sum >> 4);
	return sum;
}

APART static unsigned shade(const unsigned char *pixels, int rows, int n)
{
	unsigned sum = 0;

	for (int r = 0; r < rows; r++)
		sum ^= shade_row(pixels + r * n, n);
	return sum;
}

int main(void)
{
	static char text[WORDS], out[8 * WORDS];
	static unsigned values[WORDS];
	static unsigned char pixels[800 * 500];
	struct program program;
	unsigned sum = 0;

	for (int i = 0; i < WORDS; i++)
		text[i] = (char)(' ' + draw() % 90);
	for (size_t i = 0; i < sizeof(pixels); i++)
		pixels[i] = (unsigned char)draw();
	compile(&program);
	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < WORDS; i++)
			values[i] = draw();
		sum += digest(text, WORDS) + frame(3000) + execute(&program, 1200);
		sum += (unsigned)escape(out, text, WORDS) + order(values, WORDS);
		verify(values, WORDS);
		sum += shade(pixels, 800, 500);
	}
	printf("%u\n", sum);
	return 0;
}
