/*
 * Inner structs: a reading (one jump's evidence about one commit), a group (jumps with one assumed cause, and their
 * commit), a room (jumps whose reaches overlap: groups never reach out of it).
 */
#include "core/stats/events.h"

#include "core/base/sort.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#define CONCENTRATION                                                                              \
	0.3 /* of the Chinese restaurant process: new causes are rarer than more of one */
#define MOST_DRAW     8     /* jumps, beyond which a cause draws others no more strongly */
#define OUTSIDE       0.05  /* of a jump's probability is outside of first..last */
#define REACH         3     /* commits beyond them that are considered at all */
#define LEAST_OUTSIDE 0.003 /* a search that is surer than that of its place has been wrong, too */
#define CORRELATION   0.1   /* of the places of jumps that share their rounds */
#define HELD          0.95
#define MOST_PASSES   50
#define NONE          SIZE_MAX /* no event yet */

struct group {
	size_t commit;
	size_t n;     /* jumps; 0: given up */
	size_t first; /* of its members; the others follow by room->next */
	double score; /* at its commit */
};

struct room {
	const struct pe_event *jumps;
	const size_t *benchmarks; /* by jump */
	const struct pe_events_opts *opts;
	const size_t *member; /* indices of the jumps, by the commit that each is likeliest at */
	size_t n, *next;      /* members; SIZE_MAX ends a group */
	struct group *groups;
	size_t n_groups;
	size_t *group_of; /* one a member */
	size_t widest;    /* commits that one of the jumps may be at */
};

/* --- The evidence of one jump --- */

static size_t lowest(const struct pe_event *jump)
{
	size_t low = jump->from < jump->first ? jump->from : jump->first;

	if (jump->exact)
		return jump->from;
	return low > REACH ? low - REACH : 0;
}

static size_t highest(const struct pe_event *jump, size_t n_commits)
{
	const size_t high = jump->last > jump->commit ? jump->last : jump->commit;

	if (jump->exact)
		return jump->commit;
	return high + REACH < n_commits ? high + REACH : n_commits - 1;
}

/*
 * Calibrate the search's `sure`: the search counts only three quarters of the readings' evidence (pin.h), since variances
 * are estimates too. Where it gives a place .65, .78 and .8 to .95, that is right in .92, .98 and .98 of simulated jumps
 * (docs/judging.md): about the odds squared. Below one half squaring would lower it.
 */
static double calibrated(double sure)
{
	const double own = sure * sure, rest = (1 - sure) * (1 - sure);

	return fmax(sure, own / (own + rest));
}

/* Probability of the place, before the evidence about the commit. 0: out of reach. */
static double place_chance(const struct pe_event *jump, size_t commit)
{
	const size_t low = jump->from < jump->first ? jump->from : jump->first;
	const size_t high = jump->last > jump->commit ? jump->last : jump->commit;
	const size_t named = jump->commit - jump->from + 1, others = high - low + 1 - named;
	double sure = isnan(jump->sure) ? HELD * (double)named / (double)(named + others)
					: calibrated(jump->sure);
	double within;
	size_t beyond;

	if (commit < lowest(jump) || commit > high + REACH)
		return 0;
	if (jump->exact)
		return commit > jump->commit ? 0 : 1 / (double)named;
	if (others == 0 || sure > 1 - LEAST_OUTSIDE)
		sure = fmin(sure, 1 - LEAST_OUTSIDE);
	if (commit >= jump->from && commit <= jump->commit)
		return sure / (double)named;
	within = fmax(1 - sure - OUTSIDE, (1 - sure) / 2);
	if (commit >= low && commit <= high)
		return within / (double)others;
	beyond = commit < low ? low - commit : commit - high;
	return fmax(1 - sure - (others > 0 ? within : 0), LEAST_OUTSIDE) *
	       pow(0.5, (double)beyond + 1);
}

/*
 * Its likeliest commit. Where the search is not sure of its own at all, that is the edge of the interval on the other
 * side.
 */
static size_t peak_of(const struct pe_event *jump)
{
	const size_t other = jump->first < jump->from ? jump->first : jump->last;

	return place_chance(jump, other) > place_chance(jump, jump->commit) ? other : jump->commit;
}

static double log_chance(const struct room *room, size_t member, size_t commit)
{
	const size_t which = room->member[member];
	double chance = place_chance(&room->jumps[which], commit);

	if (chance > 0 && room->opts->bears != NULL)
		chance *= room->opts->bears(room->benchmarks[which], commit, room->opts->payload);
	return log(chance);
}

static double log_prior(const struct room *room, size_t commit)
{
	return room->opts->prior != NULL ? log(room->opts->prior[commit]) : 0;
}

/* --- Groups --- */

/* How strongly n jumps of a cause draw another one. */
static double draw_of(size_t n)
{
	return n == 0 ? CONCENTRATION : n < MOST_DRAW ? (double)n : MOST_DRAW;
}

/* Prior probability of n jumps of one cause: the product of draw_of() over them, added one by one. */
static double log_table(size_t n)
{
	if (n <= MOST_DRAW)
		return log(CONCENTRATION) + lgamma((double)n);
	return log(CONCENTRATION) + lgamma(MOST_DRAW) + (double)(n - MOST_DRAW) * log(MOST_DRAW);
}

/* The groups' members, in order. */
static void list_members(struct room *room)
{
	for (size_t g = 0; g < room->n_groups; g++) {
		room->groups[g].first = SIZE_MAX;
		room->groups[g].n = 0;
	}
	for (size_t i = room->n; i-- > 0;) {
		struct group *group = &room->groups[room->group_of[i]];

		room->next[i] = group->first;
		group->first = i;
		group->n++;
	}
}

static double score_at(const struct room *room, const struct group *group, size_t commit)
{
	double score = 0;

	for (size_t i = group->first; i != SIZE_MAX && score > -INFINITY; i = room->next[i])
		score += log_chance(room, i, commit);
	return score;
}

/*
 * The likeliest commit of the members of two groups, or of one and itself, among those that they name, and the score
 * there. -INFINITY: none agrees with all of them.
 */
static struct group best_of(const struct room *room, const struct group *one,
			    const struct group *other)
{
	const size_t n = one->n + (other != one ? other->n : 0);
	struct group best = {.n = n, .score = -INFINITY};

	for (int side = 0; side < (other != one ? 2 : 1); side++) {
		size_t last = SIZE_MAX;

		for (size_t i = (side == 0 ? one : other)->first; i != SIZE_MAX;
		     i = room->next[i]) {
			const size_t commit = peak_of(&room->jumps[room->member[i]]);
			double score;

			if (commit == last)
				continue;
			last = commit;
			score = log_prior(room, commit) + log_table(n) +
				score_at(room, one, commit);
			if (other != one && score > best.score)
				score += score_at(room, other, commit);
			if (score > best.score) {
				best.score = score;
				best.commit = commit;
			}
		}
	}
	return best;
}

static void score_group(const struct room *room, struct group *group)
{
	const struct group best = best_of(room, group, group);

	group->score = best.score;
	group->commit = best.commit;
}

/* Every commit that is named begins as a group. */
static void begin(struct room *room)
{
	for (size_t i = 0; i < room->n; i++) {
		const size_t commit = peak_of(&room->jumps[room->member[i]]);

		if (i == 0 || room->groups[room->n_groups - 1].commit != commit)
			room->groups[room->n_groups++] = (struct group){.commit = commit};
		room->group_of[i] = room->n_groups - 1;
	}
	list_members(room);
	for (size_t g = 0; g < room->n_groups; g++)
		score_group(room, &room->groups[g]);
}

/* Move each jump to the group that draws it most. @return  whether one moved */
static bool move_jumps(struct room *room)
{
	bool moved = false;

	for (size_t i = 0; i < room->n; i++) {
		const size_t was = room->group_of[i];
		size_t best = was;
		double most = -INFINITY;

		for (size_t g = 0; g < room->n_groups; g++) {
			const struct group *group = &room->groups[g];
			const size_t others = group->n - (g == was);
			double draw = log_chance(room, i, group->commit);

			if (group->n == 0)
				continue;
			draw += log(draw_of(others));
			draw += others == 0 ? log_prior(room, group->commit) : 0;
			if (draw > most + 1e-9) {
				most = draw;
				best = g;
			}
		}
		if (best == was)
			continue;
		room->group_of[i] = best;
		room->groups[was].n--;
		room->groups[best].n++;
		moved = true;
	}
	if (moved)
		list_members(room);
	for (size_t g = 0; moved && g < room->n_groups; g++)
		if (room->groups[g].n > 0)
			score_group(room, &room->groups[g]);
	return moved;
}

static bool is_near(const struct room *room, const struct group *one, const struct group *other)
{
	const size_t apart = one->commit > other->commit ? one->commit - other->commit
							 : other->commit - one->commit;

	return apart < 2 * room->widest;
}

/* Join a group with the one that it gains most by. @return  whether there is one */
static bool join_group(struct room *room, size_t which)
{
	struct group *one = &room->groups[which], joined = {0};
	size_t with = SIZE_MAX;
	double most = 1e-9;

	for (size_t g = which + 1; g < room->n_groups; g++) {
		const struct group *other = &room->groups[g];
		struct group both;

		if (other->n == 0 || !is_near(room, one, other))
			continue;
		both = best_of(room, one, other);
		if (both.score - one->score - other->score <= most)
			continue;
		most = both.score - one->score - other->score;
		with = g;
		joined = both;
	}
	if (with == SIZE_MAX)
		return false;
	for (size_t i = room->groups[with].first; i != SIZE_MAX; i = room->next[i])
		room->group_of[i] = which;
	list_members(room);
	one->commit = joined.commit;
	one->score = joined.score;
	return true;
}

/* @return  whether any were joined */
static bool join_groups(struct room *room)
{
	bool joined = false;

	for (size_t g = 0; g < room->n_groups; g++)
		while (room->groups[g].n > 0 && join_group(room, g))
			joined = true;
	return joined;
}

/* --- Where an event is --- */

static void widen(size_t *first, size_t *last, const double *chance, size_t low, size_t n)
{
	double held = chance[*first - low];

	while (held < HELD && (*first > low || *last + 1 < low + n)) {
		const double left = *first > low ? chance[*first - 1 - low] : -1;
		const double right = *last + 1 < low + n ? chance[*last + 1 - low] : -1;

		held += fmax(left, right);
		if (left >= right)
			--*first;
		else
			++*last;
	}
}

static struct pe_event place(const struct room *room, size_t g)
{
	struct pe_event found = {.commit = room->groups[g].commit};
	const double weight = 1 / (1 + CORRELATION * (double)(room->groups[g].n - 1));
	size_t low = SIZE_MAX, high = 0, n;
	pe_auto_free double *chance = NULL;
	double most = -INFINITY, sum = 0;

	if (room->groups[g].n == 1) {
		const struct pe_event *jump = &room->jumps[room->member[room->groups[g].first]];

		/* The place that the search found stays. */
		return (struct pe_event){.commit = jump->commit,
					 .first = jump->first,
					 .last = jump->last,
					 .sure = jump->sure};
	}
	for (size_t i = 0; i < room->n; i++) {
		const struct pe_event *jump = &room->jumps[room->member[i]];

		if (room->group_of[i] != g)
			continue;
		low = lowest(jump) < low ? lowest(jump) : low;
		high = highest(jump, room->opts->n_commits) > high
			       ? highest(jump, room->opts->n_commits)
			       : high;
	}
	n = high - low + 1;
	chance = pe_realloc(NULL, n, sizeof(*chance));
	for (size_t c = 0; c < n; c++) {
		double all = 0;

		for (size_t i = 0; i < room->n && all > -INFINITY; i++)
			if (room->group_of[i] == g)
				all += log_chance(room, i, low + c);
		chance[c] = all > -INFINITY ? weight * all + log_prior(room, low + c) : -INFINITY;
		most = fmax(most, chance[c]);
	}
	for (size_t c = 0; c < n; c++)
		sum += chance[c] = exp(chance[c] - most);
	for (size_t c = 0; c < n; c++)
		chance[c] /= sum;
	found.sure = chance[found.commit - low];
	found.first = found.last = found.commit;
	widen(&found.first, &found.last, chance, low, n);
	return found;
}

/* --- The whole --- */

static void settle(struct room *room)
{
	begin(room);
	for (size_t pass = 0; room->n_groups > 1 && pass < MOST_PASSES; pass++)
		if (!move_jumps(room) && !join_groups(room))
			break;
}

/* Each group becomes an event, in its place by commit among those before. The jumps are n in all. */
static void keep(struct pe_events *out, const struct room *room, size_t n)
{
	for (size_t g = 0; g < room->n_groups; g++) {
		size_t at = out->n;
		struct pe_event event;

		if (room->groups[g].n == 0)
			continue;
		event = place(room, g);
		for (; at > 0 && out->at[at - 1].commit > event.commit; at--)
			out->at[at] = out->at[at - 1];
		for (size_t i = 0; at < out->n && i < n; i++)
			out->event_of[i] += out->event_of[i] != NONE && out->event_of[i] >= at;
		for (size_t i = 0; i < room->n; i++)
			if (room->group_of[i] == g)
				out->event_of[room->member[i]] = at;
		out->at[at] = event;
		out->n++;
	}
}

struct ordered {
	const struct pe_event *jump;
	size_t peak, benchmark, place;
};

PE_SORT_BY(by_commit, struct ordered, peak, benchmark, place);

struct pe_events pe_events_find(const struct pe_event *jumps, const size_t *benchmarks, size_t n,
				const struct pe_events_opts *opts, struct pe_arena *arena)
{
	struct pe_events out = {pe_arena_new(arena, struct pe_event, n), 0,
				pe_arena_new(arena, size_t, n)};
	pe_auto_free struct ordered *order = pe_realloc(NULL, n + 1, sizeof(*order));
	pe_auto_free size_t *member = pe_realloc(NULL, n + 1, sizeof(*member));
	pe_auto_free size_t *group_of = pe_realloc(NULL, n + 1, sizeof(*group_of));
	pe_auto_free size_t *next = pe_realloc(NULL, n + 1, sizeof(*next));
	pe_auto_free struct group *groups = pe_realloc(NULL, n + 1, sizeof(*groups));
	size_t end;

	for (size_t i = 0; i < n; i++) {
		assert(jumps[i].from <= jumps[i].commit && jumps[i].first <= jumps[i].last);
		order[i] = (struct ordered){&jumps[i], peak_of(&jumps[i]), benchmarks[i], i};
		out.event_of[i] = NONE;
	}
	pe_sort(order, n, by_commit);
	for (size_t i = 0; i < n; i++)
		member[i] = order[i].place;
	for (size_t i = 0; i < n; i = end) {
		size_t high = highest(&jumps[member[i]], opts->n_commits);
		struct room room = {.jumps = jumps,
				    .benchmarks = benchmarks,
				    .opts = opts,
				    .member = member + i,
				    .groups = groups,
				    .group_of = group_of,
				    .next = next};

		for (end = i; end < n && lowest(order[end].jump) <= high; end++) {
			const size_t its = highest(order[end].jump, opts->n_commits);
			const size_t width = its - lowest(order[end].jump) + 1;

			high = its > high ? its : high;
			room.widest = width > room.widest ? width : room.widest;
		}
		room.n = end - i;
		settle(&room);
		keep(&out, &room, n);
	}
	return out;
}

/* --- Parting the benchmarks of an event by the functions that they execute --- */

static size_t root_of(size_t *parent, size_t at)
{
	while (parent[at] != at)
		at = parent[at] = parent[parent[at]];
	return at;
}

struct executed {
	size_t function, benchmark;
};

PE_SORT_BY(by_function, struct executed, function, benchmark);

/* Benchmarks that share a function get one root. */
static void unite(size_t *parent, const struct pe_event_functions *benchmarks, size_t n)
{
	pe_auto_free struct executed *all = NULL;
	size_t total = 0, at = 0;

	for (size_t i = 0; i < n; i++)
		total += benchmarks[i].known ? benchmarks[i].n : 0;
	all = pe_realloc(NULL, total + 1, sizeof(*all));
	for (size_t i = 0; i < n; i++)
		for (size_t f = 0; benchmarks[i].known && f < benchmarks[i].n; f++)
			all[at++] = (struct executed){benchmarks[i].at[f], i};
	pe_sort(all, total, by_function);
	for (size_t i = 1; i < total; i++)
		if (all[i].function == all[i - 1].function)
			parent[root_of(parent, all[i].benchmark)] =
				root_of(parent, all[i - 1].benchmark);
}

size_t pe_events_part(size_t *part, const struct pe_event_functions *benchmarks, size_t n)
{
	pe_auto_free size_t *parent = pe_realloc(NULL, n + 1, sizeof(*parent));
	pe_auto_free size_t *count = pe_realloc(NULL, n + 1, sizeof(*count));
	size_t n_parts = 0, largest = SIZE_MAX;

	memset(count, 0, (n + 1) * sizeof(*count));
	for (size_t i = 0; i < n; i++)
		parent[i] = i;
	unite(parent, benchmarks, n);
	for (size_t i = 0; i < n; i++)
		if (benchmarks[i].known && benchmarks[i].n > 0) {
			const size_t root = root_of(parent, i);

			count[root]++;
			if (largest == SIZE_MAX || count[root] > count[largest])
				largest = root;
		}
	/* From roots to numbers: count is free for them. */
	for (size_t i = 0; i < n; i++)
		count[i] = SIZE_MAX;
	for (size_t i = 0; i < n; i++) {
		const bool has = benchmarks[i].known && benchmarks[i].n > 0;
		const size_t root = has ? root_of(parent, i) : largest != SIZE_MAX ? largest : 0;

		if (count[root] == SIZE_MAX)
			count[root] = n_parts++;
		part[i] = count[root];
	}
	return n_parts;
}
