#include "core/base/nearest.h"

#include <stdbool.h>
#include <string.h>

enum { MAX_WORD = 64 }; /* longest word with a suggestion */

static unsigned least(unsigned a, unsigned b, unsigned c)
{
	unsigned ab = a < b ? a : b;

	return ab < c ? ab : c;
}

/*
 * The edit distance by optimal string alignment: insertions, deletions, substitutions and swaps of neighbours cost one
 * each (Damerau 1964). Three rows of the table are enough.
 */
static unsigned distance(const char *a, const char *b)
{
	unsigned rows[3][MAX_WORD + 1];
	size_t na = strlen(a), nb = strlen(b);

	for (size_t j = 0; j <= nb; j++)
		rows[0][j] = (unsigned)j;
	for (size_t i = 1; i <= na; i++) {
		unsigned *now = rows[i % 3], *last = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];

		now[0] = (unsigned)i;
		for (size_t j = 1; j <= nb; j++) {
			now[j] = least(now[j - 1] + 1, last[j] + 1,
				       last[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    before[j - 2] + 1 < now[j])
				now[j] = before[j - 2] + 1;
		}
	}
	return rows[na % 3][nb];
}

/*
 * Whether a word is an abbreviation: the beginning, "v1" of "v1.0", or "cmd" for "command", some letters in order, with the
 * first and the last one.
 */
static bool abbreviates(const char *word, const char *candidate)
{
	size_t n = strlen(word), m = strlen(candidate);
	const char *at = candidate;

	if (n >= 2 && n < m && strncmp(word, candidate, n) == 0)
		return true;
	if (n < 2 || n >= m || word[0] != candidate[0] || word[n - 1] != candidate[m - 1])
		return false;
	for (; *word != '\0' && at != NULL; word++) {
		at = strchr(at, *word);
		at = at != NULL ? at + 1 : NULL;
	}
	return at != NULL;
}

const char *pe_nearest(const char *word, const char *const *candidates, size_t n)
{
	const char *nearest = NULL;
	unsigned best = (unsigned)(strlen(word) + 2) / 3 + 1;

	if (strlen(word) > MAX_WORD)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		unsigned d;

		if (strlen(candidates[i]) > MAX_WORD)
			continue;
		d = abbreviates(word, candidates[i]) ? 1 : distance(word, candidates[i]);
		/* An abbreviation is preferred to another word at the same distance. */
		if (d < best || (d == best && d == 1 && abbreviates(word, candidates[i]))) {
			best = d;
			nearest = candidates[i];
		}
	}
	return nearest;
}
