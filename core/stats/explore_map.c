#include "core/stats/explore_map.h"

#include "core/base/search.h"

#include <math.h>

#define NONE PE_EXPLORE_NONE
/* What a place weighs without any reason to suspect it, in means of all weights. */
#define FLOOR 0.5

size_t pe_explore_known(const struct pe_explore_map *map, size_t revision)
{
	return map->known[map->class[revision]];
}

bool pe_explore_can_ask(const struct pe_explore_map *map, size_t revision)
{
	return !map->revisions[revision].lost && pe_explore_known(map, revision) == NONE;
}

/* Known, or could be. */
static bool is_open(const struct pe_explore_map *map, size_t revision)
{
	return pe_explore_known(map, revision) != NONE || !map->revisions[revision].lost;
}

static double mean_weight(const struct pe_explore_revision *revisions, size_t n)
{
	double sum = 0;

	for (size_t i = 1; i < n; i++)
		sum += fmax(0, revisions[i].weight);
	return sum > 0 ? sum / (double)(n - 1) : 1;
}

static void link_up(struct pe_explore_map *map, struct pe_arena *work)
{
	size_t last = NONE;

	map->next = pe_arena_new(work, size_t, map->n + 1);
	map->previous = pe_arena_new(work, size_t, map->n);
	for (size_t i = 0; i < map->n; i++)
		map->previous[i] = last = pe_explore_can_ask(map, i) ? i : last;
	map->next[map->n] = NONE;
	for (size_t i = map->n; i-- > 0;)
		map->next[i] = pe_explore_can_ask(map, i) ? i : map->next[i + 1];
}

struct pe_explore_map pe_explore_survey(const struct pe_explore_revision *revisions, size_t n,
					struct pe_arena *work)
{
	double mean = mean_weight(revisions, n);
	struct pe_explore_map map = {.revisions = revisions,
				     .n = n,
				     .class = pe_arena_new(work, size_t, n),
				     .known = pe_arena_new(work, size_t, n),
				     .upto = pe_arena_new(work, double, n)};

	for (size_t i = 0; i < n; i++) {
		size_t same = revisions[i].same;

		map.class[i] = same < i ? map.class[same] : i;
		map.known[i] = NONE;
		if (revisions[i].measured && pe_explore_known(&map, i) == NONE)
			map.known[map.class[i]] = i;
		if (i > 0)
			map.upto[i] = map.upto[i - 1];
		if (i > 0 && map.class[i] != map.class[i - 1])
			map.upto[i] += FLOOR + fmax(0, revisions[i].weight) / mean;
	}
	while (map.first + 1 < n && !is_open(&map, map.first))
		map.first++;
	for (map.last = n > 0 ? n - 1 : 0; map.last > map.first && !is_open(&map, map.last);)
		map.last--;
	link_up(&map, work);
	return map;
}

/* The measurable revision between two others at which `upto` is nearest to `target`; or none. */
static size_t nearest(const struct pe_explore_map *map, size_t left, size_t right, double target)
{
	size_t at = left + 1, before, after;

	pe_search(at, right, i, map->upto[i] < target);
	after = map->next[at];
	before = map->previous[at - 1];
	if (after >= right)
		after = NONE;
	if (before == NONE || before <= left)
		return after;
	if (after == NONE || target - map->upto[before] <= map->upto[after] - target)
		return before;
	return after;
}

/* What it takes to ask a revision; unknown ones cost what is usual: 1. */
static double cost_of(const struct pe_explore_map *map, size_t revision)
{
	double cost = map->revisions[revision].cost;

	return isfinite(cost) && cost > 0 ? cost : 1;
}

/* Information, in bits, about a place that is before a measured point with probability p. */
static double information_at(double p)
{
	return p > 0 && p < 1 ? -(p * log2(p) + (1 - p) * log2(1 - p)) : 0;
}

size_t pe_explore_halve(const struct pe_explore_map *map, size_t left, size_t right)
{
	double from = map->upto[left], mass = map->upto[right] - from;
	size_t best = nearest(map, left, right, from + mass / 2);
	double most;

	if (best == NONE || !(mass > 0))
		return best;
	most = information_at((map->upto[best] - from) / mass) / cost_of(map, best);
	for (size_t i = map->next[left + 1]; i < right; i = map->next[i + 1]) {
		double information = information_at((map->upto[i] - from) / mass) / cost_of(map, i);

		/* The middle stays where others are hardly better. */
		if (information > 1.05 * most) {
			most = information;
			best = i;
		}
	}
	return best;
}

size_t pe_explore_near(const struct pe_explore_map *map, size_t left, size_t right, double target,
		       double slack)
{
	size_t best = nearest(map, left, right, target);
	double least;

	if (best == NONE)
		return NONE;
	least = cost_of(map, best) / 2;
	for (size_t i = map->next[left + 1]; i < right; i = map->next[i + 1]) {
		if (fabs(map->upto[i] - target) > slack || cost_of(map, i) >= least)
			continue;
		least = cost_of(map, i);
		best = i;
	}
	return best;
}

size_t pe_explore_gaps(struct pe_explore_gap **out, const struct pe_explore_map *map,
		       struct pe_arena *work)
{
	size_t n = 0, left = map->first;

	*out = pe_arena_new(work, struct pe_explore_gap, map->n);
	for (size_t i = map->first + 1; i <= map->last; i++) {
		if (pe_explore_known(map, i) == NONE && i != map->last)
			continue;
		if (pe_explore_halve(map, left, i) != NONE)
			(*out)[n++] =
				(struct pe_explore_gap){left, i, map->upto[i] - map->upto[left]};
		left = i;
	}
	return n;
}

size_t pe_explore_count_known(const struct pe_explore_map *map)
{
	size_t n = 0;

	for (size_t i = 0; i < map->n; i++)
		n += map->known[i] != NONE;
	return n;
}

bool pe_explore_is_complete(const struct pe_explore_map *map)
{
	return map->n == 0 || map->next[0] == NONE;
}
