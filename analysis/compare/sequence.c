/*
 * Sequences: finds the longest common subsequence of two levels. Equal ends are taken off first; the rest is solved with a
 * table if that fits the budget. Beyond it, equal call sites in order are fixed points, and the gaps between them have tables
 * again, or, where these are too large, pairs of methods by occurrence.
 */
#include "analysis/compare/pairing.h"

#include "core/base/search.h"

#include <string.h>

enum { SKIP_A, SKIP_B, TAKE };

/* The value of a pair; one more pair outweighs any number of more similar ones. */
static const uint64_t ONE_PAIR = UINT64_C(1) << 32;

static bool same(const struct child *a, const struct child *b)
{
	return a->key == b->key && a->site == b->site && a->shape == b->shape;
}

static uint64_t worth(const struct level *level, const struct child *a, const struct child *b)
{
	uint64_t site = level->sites_lead ? 2 : 1;

	return ONE_PAIR + (a->site == b->site ? site : 0) + (a->shape == b->shape ? 3 - site : 0);
}

/* Find the value of the best pairing of a[i..] and b[j..], from the ends to the starts; keep the steps. */
static void fill_table(struct level *level, const struct span *span)
{
	uint32_t n = span->end_a - span->from_a, m = span->end_b - span->from_b;
	const struct child *a = level->a.data + span->from_a;
	const struct child *b = level->b.data + span->from_b;
	uint64_t *row;

	pe_level_room(&level->row, (size_t)m + 1);
	pe_level_room(&level->step, (size_t)n * m);
	row = level->row.data;
	for (uint32_t j = 0; j <= m; j++)
		row[j] = 0;
	for (uint32_t i = n; i-- > 0;) {
		uint8_t *step = level->step.data + (size_t)i * m;
		uint64_t diagonal = row[m];

		for (uint32_t j = m; j-- > 0;) {
			uint64_t below = row[j];
			uint64_t best = below;

			step[j] = SKIP_A;
			if (row[j + 1] > best) {
				best = row[j + 1];
				step[j] = SKIP_B;
			}
			if (a[i].key == b[j].key && diagonal + worth(level, &a[i], &b[j]) >= best) {
				best = diagonal + worth(level, &a[i], &b[j]);
				step[j] = TAKE;
			}
			diagonal = below;
			row[j] = best;
		}
	}
}

static void pair_by_table(struct level *level, const struct span *span)
{
	uint32_t n = span->end_a - span->from_a, m = span->end_b - span->from_b;
	uint32_t i = 0, j = 0;

	if (n == 0 || m == 0)
		return;
	fill_table(level, span);
	while (i < n && j < m)
		switch (level->step.data[(size_t)i * m + j]) {
		case TAKE:
			level->to_b.data[span->from_a + i++] = span->from_b + j++;
			break;
		case SKIP_A:
			i++;
			break;
		default:
			j++;
		}
}

/* Of the pairs of a range, keep a longest set without crossings (patience sorting). */
static void keep_increasing(struct level *level, const struct span *span)
{
	uint32_t *to_b = level->to_b.data;
	uint32_t *tail, *before;
	uint32_t length = 0, last;

	pe_level_room(&level->tail, level->a.n);
	pe_level_room(&level->before, level->a.n);
	tail = level->tail.data; /* by length - 1: last place of the best sequence */
	before = level->before.data;
	for (uint32_t i = span->from_a; i < span->end_a; i++) {
		uint32_t at = 0;

		if (to_b[i] == PE_CCT_NONE)
			continue;
		pe_search(at, length, middle, to_b[tail[middle]] < to_b[i]);
		before[i] = at > 0 ? tail[at - 1] : PE_CCT_NONE;
		tail[at] = i;
		if (at == length)
			length++;
	}
	last = length > 0 ? tail[length - 1] : PE_CCT_NONE;
	for (uint32_t i = span->end_a; i-- > span->from_a;) {
		if (i == last)
			last = before[i];
		else
			to_b[i] = PE_CCT_NONE;
	}
}

void pe_level_occurrences(struct level *level, const struct span *span, bool of_one_site)
{
	const struct child *a = level->a.data, *b = level->b.data;
	const uint32_t none_left = UINT32_MAX;
	uint32_t *next;

	/* For each code, a queue of its places, filled from the end. */
	pe_map_reset(&level->heads, span->end_b - span->from_b);
	pe_level_room(&level->before, level->b.n);
	next = level->before.data;
	for (uint32_t j = span->end_b; j-- > span->from_b;) {
		uint32_t *head = pe_map_put(&level->heads, pe_level_code(&b[j], of_one_site), 0,
					    none_left, NULL);

		next[j] = *head;
		*head = j;
	}
	for (uint32_t i = span->from_a; i < span->end_a && span->from_b < span->end_b; i++) {
		uint32_t *head = pe_map_find(&level->heads, pe_level_code(&a[i], of_one_site), 0);

		if (head == NULL || *head == none_left)
			continue;
		level->to_b.data[i] = *head;
		*head = next[*head];
	}
}

static uint32_t count_pairs(const struct level *level, const struct span *span)
{
	uint32_t n = 0;

	for (uint32_t i = span->from_a; i < span->end_a; i++)
		n += level->to_b.data[i] != PE_CCT_NONE;
	return n;
}

static bool fits(const struct level *level, const struct span *span)
{
	return (uint64_t)(span->end_a - span->from_a) * (span->end_b - span->from_b) <=
	       level->cells;
}

static void pair_gap(struct level *level, const struct span *gap)
{
	if (fits(level, gap)) {
		pair_by_table(level, gap);
		return;
	}
	pe_level_occurrences(level, gap, false);
	keep_increasing(level, gap);
}

static void pair_between_sites(struct level *level, const struct span *span)
{
	struct span gap = *span;

	pe_level_occurrences(level, span, true);
	keep_increasing(level, span);
	for (uint32_t i = span->from_a; i < span->end_a; i++) {
		uint32_t place = level->to_b.data[i];

		if (place == PE_CCT_NONE)
			continue;
		gap.end_a = i;
		gap.end_b = place;
		pair_gap(level, &gap);
		gap.from_a = i + 1;
		gap.from_b = place + 1;
	}
	gap.end_a = span->end_a;
	gap.end_b = span->end_b;
	pair_gap(level, &gap);
}

/* Neither way always finds the longest; take the longer of both results. */
static void pair_beyond_budget(struct level *level, const struct span *span)
{
	uint32_t n = span->end_a - span->from_a, *to_b = level->to_b.data + span->from_a;
	uint32_t by_method;

	pe_level_occurrences(level, span, false);
	if (level->unordered)
		return;
	keep_increasing(level, span);
	by_method = count_pairs(level, span);
	pe_level_room(&level->other, n);
	memcpy(level->other.data, to_b, n * sizeof(*to_b));
	memset(to_b, 0xff, n * sizeof(*to_b)); /* PE_CCT_NONE */
	pair_between_sites(level, span);
	if (count_pairs(level, span) < by_method)
		memcpy(to_b, level->other.data, n * sizeof(*to_b));
}

void pe_level_lcs(struct level *level)
{
	struct span span = {0, (uint32_t)level->a.n, 0, (uint32_t)level->b.n};
	const struct child *a = level->a.data, *b = level->b.data;

	/* A pair at either end that is equal in method, site and subtree is in some best pairing. */
	while (span.from_a < span.end_a && span.from_b < span.end_b &&
	       same(&a[span.from_a], &b[span.from_b]))
		level->to_b.data[span.from_a++] = span.from_b++;
	while (span.from_a < span.end_a && span.from_b < span.end_b &&
	       same(&a[span.end_a - 1], &b[span.end_b - 1]))
		level->to_b.data[--span.end_a] = --span.end_b;
	if (fits(level, &span))
		pair_by_table(level, &span);
	else
		pair_beyond_budget(level, &span);
}
