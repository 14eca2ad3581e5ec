/*
 * Alike: pairs the most similar members of two sets. Siblings of one method and call site have no meaningful order, and a
 * child that moved may fit several places; their subtrees and weights decide.
 */
#include "analysis/compare/pairing.h"

#include "core/base/sort.h"

#include <math.h>

enum {
	MOST_COMBINATIONS = 4096, /* up to so many, each is compared for the nearest weights */
};

PE_SORT_BY(by_content, struct child, shape, content, place);
PE_SORT_DOWN_BY(by_weight, struct child, weight, shape, content, place);
PE_SORT_BY(by_group, struct child, key, site, shape, content, place);
PE_SORT_NUMBERS(by_number, uint32_t);

static bool one_group(const struct child *a, const struct child *b)
{
	return a->key == b->key && a->site == b->site;
}

struct pairing {
	struct child *a, *b;
	uint32_t na, nb, left;
	void (*pair)(void *payload, const struct child *a, const struct child *b);
	void *payload;
};

/* Pair members of two sorted sets that are equal by content (or by shape alone); the others stay, in order. */
static void pair_equal(struct pairing *p, bool whole)
{
	uint32_t i = 0, j = 0, kept_a = 0, kept_b = 0;

	while (i < p->na && j < p->nb) {
		const struct child *a = &p->a[i], *b = &p->b[j];
		int order = (a->shape > b->shape) - (a->shape < b->shape);

		if (order == 0 && whole)
			order = (a->content > b->content) - (a->content < b->content);
		if (order == 0 && p->left > 0) {
			p->pair(p->payload, a, b);
			p->left--;
			i++;
			j++;
		} else if (order <= 0) {
			p->a[kept_a++] = p->a[i++];
		} else {
			p->b[kept_b++] = p->b[j++];
		}
	}
	while (i < p->na)
		p->a[kept_a++] = p->a[i++];
	while (j < p->nb)
		p->b[kept_b++] = p->b[j++];
	p->na = kept_a;
	p->nb = kept_b;
}

/* Exceeds the distance of any two shares: pairs of one shape come before all others. */
static const double OTHER_SHAPE = 2;

struct combination {
	double apart;
	uint32_t i, j;
};

PE_SORT_BY(by_distance, struct combination, apart, i, j);

static void pair_nearest(struct pairing *p)
{
	uint32_t n = p->na * p->nb;
	pe_auto_free struct combination *all = pe_realloc(NULL, n, sizeof(*all));

	for (uint32_t i = 0; i < p->na; i++)
		for (uint32_t j = 0; j < p->nb; j++)
			all[i * p->nb + j] = (struct combination){
				fabs(p->a[i].weight - p->b[j].weight) +
					(p->a[i].shape == p->b[j].shape ? 0 : OTHER_SHAPE),
				i, j};
	pe_sort(all, n, by_distance);
	for (uint32_t k = 0; k < n && p->left > 0; k++) {
		struct child *a = &p->a[all[k].i], *b = &p->b[all[k].j];

		if (a->node == PE_CCT_NONE || b->node == PE_CCT_NONE)
			continue;
		p->pair(p->payload, a, b);
		a->node = b->node = PE_CCT_NONE;
		p->left--;
	}
}

void pe_alike_pair(struct child *a, uint32_t na, struct child *b, uint32_t nb, uint32_t limit,
		   void (*pair)(void *payload, const struct child *a, const struct child *b),
		   void *payload)
{
	struct pairing p = {a, b, na, nb, limit, pair, payload};

	pe_sort(a, na, by_content);
	pe_sort(b, nb, by_content);
	if (na == 1 && nb == 1 && limit > 0) {
		pair(payload, a, b);
		return;
	}
	pair_equal(&p, true);
	if ((uint64_t)p.na * p.nb > MOST_COMBINATIONS)
		pair_equal(&p, false);
	if (p.left == 0 || p.na == 0 || p.nb == 0)
		return;
	pe_sort(a, p.na, by_weight);
	pe_sort(b, p.nb, by_weight);
	if ((uint64_t)p.na * p.nb <= MOST_COMBINATIONS) {
		pair_nearest(&p);
		return;
	}
	for (uint32_t i = 0; i < p.na && i < p.nb && p.left > 0; i++, p.left--)
		pair(payload, &a[i], &b[i]);
}

/* Put the members sorted[from, end) into the group's places, in the order of their content. */
static void place_group(struct level *level, struct child *children, uint32_t from, uint32_t end)
{
	const struct child *sorted = level->sorted_a.data;

	pe_level_room(&level->tail, end - from);
	for (uint32_t i = from; i < end; i++)
		level->tail.data[i - from] = sorted[i].place;
	pe_sort(level->tail.data, end - from, by_number);
	for (uint32_t i = from; i < end; i++) {
		uint32_t place = level->tail.data[i - from];

		children[place] = sorted[i];
		children[place].place = place;
	}
}

bool pe_alike_canonical(struct level *level, struct child *children, uint32_t n)
{
	bool any = false;
	uint32_t end;

	level->sorted_a.n = 0;
	for (uint32_t i = 0; i < n; i++)
		pe_vec_push(&level->sorted_a, children[i]);
	pe_sort(level->sorted_a.data, n, by_group);
	for (uint32_t from = 0; from < n; from = end) {
		for (end = from + 1;
		     end < n && one_group(&level->sorted_a.data[from], &level->sorted_a.data[end]);)
			end++;
		if (end - from > 1)
			place_group(level, children, from, end);
		any = any || end - from > 1;
	}
	return any;
}

static void pair_places(void *payload, const struct child *a, const struct child *b)
{
	struct level *level = payload;

	level->to_b.data[a->place] = b->place;
}

/* Pair again the members of one group: sorted_a[from_a, end_a) and sorted_b[from_b, end_b). */
static void regroup(struct level *level, size_t from_a, size_t end_a, size_t from_b, size_t end_b)
{
	struct child *a = level->sorted_a.data, *b = level->sorted_b.data;
	uint32_t *to_b = level->to_b.data, *to_a = level->other.data;
	uint32_t na = 0, nb = 0, pairs = 0;

	for (size_t i = from_a; i < end_a; i++) {
		uint32_t place = to_b[a[i].place];
		bool within = place != PE_CCT_NONE && one_group(&a[i], &level->b.data[place]);

		if (within)
			pairs++;
		if (within || place == PE_CCT_NONE)
			a[from_a + na++] = a[i];
	}
	for (size_t i = from_b; i < end_b; i++) {
		uint32_t place = to_a[b[i].place];

		if (place == PE_CCT_NONE || one_group(&level->a.data[place], &b[i]))
			b[from_b + nb++] = b[i];
	}
	if (pairs == 0)
		return;
	for (uint32_t i = 0; i < na; i++)
		to_b[a[from_a + i].place] = PE_CCT_NONE;
	pe_alike_pair(a + from_a, na, b + from_b, nb, pairs, pair_places, level);
}

void pe_alike_regroup(struct level *level)
{
	size_t na = level->a.n, nb = level->b.n, j = 0, end_a, end_b;

	pe_level_room(&level->sorted_a, na);
	pe_level_room(&level->sorted_b, nb);
	pe_level_room(&level->other, nb);
	for (size_t i = 0; i < nb; i++) {
		level->sorted_b.data[i] = level->b.data[i];
		level->other.data[i] = PE_CCT_NONE;
	}
	for (size_t i = 0; i < na; i++) {
		level->sorted_a.data[i] = level->a.data[i];
		if (level->to_b.data[i] != PE_CCT_NONE)
			level->other.data[level->to_b.data[i]] = (uint32_t)i;
	}
	pe_sort(level->sorted_a.data, na, by_group);
	pe_sort(level->sorted_b.data, nb, by_group);
	for (size_t i = 0; i < na; i = end_a) {
		const struct child *a = &level->sorted_a.data[i];

		for (end_a = i + 1; end_a < na && one_group(a, &level->sorted_a.data[end_a]);)
			end_a++;
		while (j < nb && (level->sorted_b.data[j].key < a->key ||
				  (level->sorted_b.data[j].key == a->key &&
				   level->sorted_b.data[j].site < a->site)))
			j++;
		for (end_b = j; end_b < nb && one_group(a, &level->sorted_b.data[end_b]);)
			end_b++;
		if (end_a - i > 1 || end_b - j > 1)
			regroup(level, i, end_a, j, end_b);
		j = end_b;
	}
}
