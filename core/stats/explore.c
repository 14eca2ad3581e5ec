/* Inner structs: map (the line), gap (between known revisions), plan (the batch as it grows), jump (one that was found and is open). */
#include "core/stats/explore.h"

#include "core/base/search.h"
#include "core/base/sort.h"
#include "core/stats/line.h"
#include "core/stats/order.h"

#include <math.h>

#define NONE SIZE_MAX /* no revision */
/* What a place weighs without any reason to suspect it, in means of all weights. */
#define FLOOR 0.5

/* --- The line --- */

/* The known revisions of a line, and the probability of a change at each. */
struct map {
	const struct pe_explore_revision *revisions;
	size_t n;
	size_t *class; /* one a revision: the oldest that executes the same */
	size_t *known; /* one a class: a measured revision of it, or none */
	/* one a revision: chance that a level begins here or before, up to a factor; none within a class */
	double *upto;
	size_t first, last; /* the outermost revisions that can be measured */
	/* one a revision: the next measurable one at or after it, the last one at or before it; or none */
	size_t *next, *previous;
};

/* A stretch between two neighbouring known revisions; or of the whole line when nothing is known. */
struct gap {
	size_t left, right;
	double mass; /* of the places in it */
};

/* The measured revision that executes the same as a revision, or is it; or none. */
static size_t known_of(const struct map *map, size_t revision)
{
	return map->known[map->class[revision]];
}

/* Would measuring it tell anything? */
static bool can_ask(const struct map *map, size_t revision)
{
	return !map->revisions[revision].lost && known_of(map, revision) == NONE;
}

/* Known, or could be. */
static bool is_open(const struct map *map, size_t revision)
{
	return known_of(map, revision) != NONE || !map->revisions[revision].lost;
}

static double mean_weight(const struct pe_explore_revision *revisions, size_t n)
{
	double sum = 0;

	for (size_t i = 1; i < n; i++)
		sum += fmax(0, revisions[i].weight);
	return sum > 0 ? sum / (double)(n - 1) : 1;
}

static void link_up(struct map *map, struct pe_arena *work)
{
	size_t last = NONE;

	map->next = pe_arena_new(work, size_t, map->n + 1);
	map->previous = pe_arena_new(work, size_t, map->n);
	for (size_t i = 0; i < map->n; i++)
		map->previous[i] = last = can_ask(map, i) ? i : last;
	map->next[map->n] = NONE;
	for (size_t i = map->n; i-- > 0;)
		map->next[i] = can_ask(map, i) ? i : map->next[i + 1];
}

/* Map a line, which it borrows; all else lives in the arena. */
static struct map survey(const struct pe_explore_revision *revisions, size_t n,
			 struct pe_arena *work)
{
	double mean = mean_weight(revisions, n);
	struct map map = {.revisions = revisions,
			  .n = n,
			  .class = pe_arena_new(work, size_t, n),
			  .known = pe_arena_new(work, size_t, n),
			  .upto = pe_arena_new(work, double, n)};

	for (size_t i = 0; i < n; i++) {
		size_t same = revisions[i].same;

		map.class[i] = same < i ? map.class[same] : i;
		map.known[i] = NONE;
		if (revisions[i].measured && known_of(&map, i) == NONE)
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
static size_t nearest(const struct map *map, size_t left, size_t right, double target)
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
static double cost_of(const struct map *map, size_t revision)
{
	double cost = map->revisions[revision].cost;

	return isfinite(cost) && cost > 0 ? cost : 1;
}

/* Information, in bits, about a place that is before a measured point with probability p. */
static double information_at(double p)
{
	return p > 0 && p < 1 ? -(p * log2(p) + (1 - p) * log2(1 - p)) : 0;
}

/*
 * The one that halves the places between two revisions, as nearly as can be; or none. Where costs differ, the one that
 * tells most for its cost: one that is built already, though it be a little off the middle.
 */
static size_t halve(const struct map *map, size_t left, size_t right)
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

/*
 * The measurable revision between two others at which `upto` is nearest to `target`; or none. `slack` more or less does not
 * matter: the cheapest of those within it, if there is one that costs less than half.
 */
static size_t find_near(const struct map *map, size_t left, size_t right, double target,
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

/* All gaps with something to ask in them, in order. */
static size_t find_gaps(struct gap **out, const struct map *map, struct pe_arena *work)
{
	size_t n = 0, left = map->first;

	*out = pe_arena_new(work, struct gap, map->n);
	for (size_t i = map->first + 1; i <= map->last; i++) {
		if (known_of(map, i) == NONE && i != map->last)
			continue;
		if (halve(map, left, i) != NONE)
			(*out)[n++] = (struct gap){left, i, map->upto[i] - map->upto[left]};
		left = i;
	}
	return n;
}

/* Of how many classes a revision was measured. */
static size_t count_known(const struct map *map)
{
	size_t n = 0;

	for (size_t i = 0; i < map->n; i++)
		n += map->known[i] != NONE;
	return n;
}

/* Is there nothing left to ask? */
static bool is_complete(const struct map *map)
{
	return map->n == 0 || map->next[0] == NONE;
}

size_t pe_explore_halve(const struct pe_explore_revision *revisions, size_t n, size_t left,
			size_t right)
{
	pe_auto_arena work = PE_ARENA_INIT;
	const struct map map = survey(revisions, n, &work);

	return halve(&map, left, right);
}

/* --- The batch --- */

/* The one to measure again for a revision that has readings, be they its own or those of its equal. */
static size_t vouching(const struct map *map, size_t revision)
{
	size_t measured = known_of(map, revision);

	return measured == NONE ? revision : measured;
}

/* A batch as it grows. */
struct plan {
	const struct map *map;
	const struct pe_explore_opts *opts;
	struct pe_explore_pick *at;
	size_t n, room;
	size_t *place; /* one a class of revisions: the position of its only one in `at`, or NONE */
};

/* Of revisions that execute the same, one is enough. */
static void add(struct plan *plan, struct pe_explore_pick pick)
{
	size_t place = plan->place[plan->map->class[pick.revision]];

	if (place != NONE) {
		plan->at[place].want = fmin(plan->at[place].want, pick.want);
		return;
	}
	plan->place[plan->map->class[pick.revision]] = plan->n;
	plan->at[plan->n++] = pick;
}

static bool is_planned(const struct plan *plan, size_t revision)
{
	return plan->place[plan->map->class[revision]] != NONE;
}

static void add_company(struct plan *plan, size_t revision, double want)
{
	add(plan, (struct pe_explore_pick){revision, PE_EXPLORE_COMPANY, want, revision, revision});
}

/* A jump that was found, with the revisions that can be measured between its sides. */
struct jump {
	size_t left, right; /* known revisions that hold it */
	size_t sides[2];    /* measured ones next to it */
	size_t ask;
	double strength, want;
};

/* Which side of a change a revision between its sides is on that executes the same as a measured one. */
static bool is_after(const struct pe_changepoints *found, const struct pe_changepoint *at,
		     size_t measured)
{
	double level = found->commits[measured].level;

	return fabs(level - at->level_after) < fabs(level - at->level_before);
}

/* Carried revisions between the sides of a change bring them closer at no cost. */
static void close_in(struct jump *jump, const struct map *map, const struct pe_changepoints *found,
		     const struct pe_changepoint *at)
{
	for (size_t i = jump->left + 1; i < jump->right; i++) {
		size_t measured = known_of(map, i);

		if (measured == NONE || found->commits[measured].n == 0)
			continue;
		if (is_after(found, at, measured))
			jump->right = i;
		else
			jump->left = i;
	}
}

/* Where to halve a change; ask is NONE when its sides are neighbours, as far as can be measured. */
static struct jump take_jump(const struct map *map, const struct pe_changepoints *found,
			     size_t change, double least)
{
	const struct pe_changepoint *at = &found->at[change];
	struct pe_changepoint_reach reach = pe_changepoint_reach(found, change);
	/* A side may be known through a revision that executes the same: that one is measured along. */
	struct jump jump = {
		at->before, at->index, {vouching(map, at->before), vouching(map, at->index)},
		NONE,       0,         least};
	size_t left = at->first;

	jump.strength = fabs(at->strength) > 0 ? fabs(at->strength) : INFINITY;
	if (isfinite(at->relative))
		jump.want = fmax(least, fabs(at->relative));
	close_in(&jump, map, found, at);
	jump.ask = halve(map, jump.left, jump.right);
	if (jump.ask != NONE)
		return jump;
	/* Its sides are neighbours, but are they the right ones? */
	while (left > reach.from && (left >= at->first || found->commits[left].n == 0))
		left--;
	jump.left = left;
	jump.right = at->last;
	jump.ask = halve(map, left, at->last);
	return jump;
}

PE_SORT_DOWN_BY(by_strength, struct jump, strength, ask);

/* All jumps that are open, the clearest first. */
static size_t find_jumps(struct jump **out, const struct map *map,
			 const struct pe_changepoints *const *found, size_t n_found, double least,
			 struct pe_arena *work)
{
	size_t n = 0, most = 0;

	for (size_t s = 0; s < n_found; s++)
		most += found[s]->n;
	*out = pe_arena_new(work, struct jump, most);
	for (size_t s = 0; s < n_found; s++) {
		for (size_t c = 0; c < found[s]->n; c++) {
			struct jump jump = take_jump(map, found[s], c, least);

			if (jump.ask != NONE)
				(*out)[n++] = jump;
		}
	}
	pe_sort(*out, n, by_strength);
	return n;
}

/* Each jump that there is room for, with both of its sides. */
static void plan_jumps(struct plan *plan, const struct jump *jumps, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct jump *jump = &jumps[i];
		size_t more = !is_planned(plan, jump->ask) + !is_planned(plan, jump->sides[0]) +
			      !is_planned(plan, jump->sides[1]);

		if (plan->n + more > plan->room)
			continue;
		add(plan, (struct pe_explore_pick){jump->ask, PE_EXPLORE_REFINE, jump->want,
						   jump->left, jump->right});
		add_company(plan, jump->sides[0], jump->want);
		add_company(plan, jump->sides[1], jump->want);
	}
}

static void add_between(struct plan *plan, size_t revision, enum pe_explore_why why,
			const struct gap *gap)
{
	size_t left = known_of(plan->map, gap->left) == NONE ? revision : gap->left;
	size_t right = known_of(plan->map, gap->right) == NONE ? revision : gap->right;

	add(plan, (struct pe_explore_pick){revision, why, plan->opts->min_effect, left, right});
}

/* A revision at an end of a stretch of one level, and the least step next to it that would have been found. */
struct end {
	size_t revision, next; /* the end, and the known one next to it */
	double least;
	bool known; /* as well as builds of equal speed are alike: more runs of it would tell nothing */
};

PE_SORT_DOWN_BY(by_least, struct end, least, revision);

static struct end end_of(const struct pe_changepoints *found, size_t revision, size_t next,
			 double least)
{
	const struct pe_commit_level *at = &found->commits[revision];

	return (struct end){revision, next, least, at->error <= found->jitter * fabs(at->location)};
}

/* Both ends of a stretch where a step next to them could be missed. */
static size_t ends_of(struct end *out, const struct pe_changepoints *found, size_t from, size_t to,
		      double want)
{
	size_t known[2] = {NONE, NONE}, last[2] = {NONE, NONE}, n = 0;

	for (size_t i = from; i < to; i++) {
		if (found->commits[i].n == 0)
			continue;
		if (known[1] == NONE)
			known[known[0] != NONE] = i;
		last[0] = last[1];
		last[1] = i;
	}
	if (known[1] != NONE && found->commits[known[1]].least > want)
		out[n++] = end_of(found, known[0], known[1], found->commits[known[1]].least);
	if (known[1] != NONE && found->commits[last[1]].least > want)
		out[n++] = end_of(found, last[1], last[0], found->commits[last[1]].least);
	return n;
}

/* Measure the end again, or a revision next to it when it is known well enough. */
static void plan_end(struct plan *plan, const struct end *end)
{
	size_t left = end->revision < end->next ? end->revision : end->next;
	size_t right = end->revision < end->next ? end->next : end->revision;
	size_t ask = NONE;

	if (!end->known) {
		add(plan,
		    (struct pe_explore_pick){end->revision, PE_EXPLORE_LEVEL,
					     plan->opts->min_effect, end->revision, end->revision});
		return;
	}
	if (right - left > 1)
		ask = end->revision == left ? plan->map->next[left + 1]
					    : plan->map->previous[right - 1];
	if (ask != NONE && left < ask && ask < right)
		add_between(plan, ask, PE_EXPLORE_CANCEL, &(struct gap){left, right, 0});
}

/*
 * Ends of stretches, the least known first. A step that hides in a stretch sets its ends apart, wherever in it the
 * step is: of all revisions, runs of these tell most of it.
 */
static void plan_levels(struct plan *plan, const struct pe_changepoints *const *found,
			size_t n_found, size_t room, struct pe_arena *work)
{
	struct end *ends;
	size_t n = 0, most = 0;

	for (size_t s = 0; s < n_found; s++)
		most += 2 * (found[s]->n + 1);
	ends = pe_arena_new(work, struct end, most);
	for (size_t s = 0; s < n_found; s++) {
		for (size_t c = 0; c <= found[s]->n; c++) {
			size_t from = c > 0 ? found[s]->at[c - 1].index : 0;
			size_t to = c < found[s]->n ? found[s]->at[c].index : found[s]->n_commits;

			n += ends_of(ends + n, found[s], from, to, plan->opts->min_effect);
		}
	}
	pe_sort(ends, n, by_least);
	for (size_t i = 0; i < n && plan->n < room; i++)
		plan_end(plan, &ends[i]);
}

PE_SORT_DOWN_BY(by_mass, struct gap, mass, left);

/* The points that divide all gaps into pieces of about `mass`, at most one a revision. */
static size_t divide(struct pe_explore_pick *out, const struct map *map, const struct gap *gaps,
		     size_t n, double mass)
{
	size_t count = 0;

	for (size_t g = 0; g < n; g++) {
		/* No more pieces than revisions: a single place can weigh any number of pieces. */
		double most = (double)(gaps[g].right - gaps[g].left);
		double pieces = fmin(floor(gaps[g].mass / mass + 0.5), most);
		size_t after = gaps[g].left;

		for (size_t piece = 1; (double)piece < pieces; piece++) {
			double target =
				map->upto[gaps[g].left] + gaps[g].mass * (double)piece / pieces;
			size_t ask = find_near(map, gaps[g].left, gaps[g].right, target,
					       gaps[g].mass / pieces / 4);

			if (ask == NONE || ask <= after)
				continue;
			out[count++] = (struct pe_explore_pick){ask, PE_EXPLORE_GRID, 0,
								gaps[g].left, gaps[g].right};
			after = ask;
		}
	}
	return count;
}

/* How many measured revisions a batch of such room has along where no jump names them. */
static size_t company_in(const struct map *map, size_t room)
{
	size_t known = count_known(map), want = room / 4 > 2 ? room / 4 : 2;

	return known < want ? known : want;
}

/* Measured revisions beside the picks, spread over them. */
static void accompany(struct plan *plan, size_t want)
{
	size_t picks = plan->n;

	for (size_t i = 0; i < want && picks > 0 && plan->n < plan->room; i++) {
		const struct pe_explore_pick *pick = &plan->at[i * picks / want];
		size_t sides[] = {known_of(plan->map, pick->left),
				  known_of(plan->map, pick->right)};

		for (size_t s = 0; s < 2; s++) {
			size_t measured = sides[(i + s) % 2];

			if (measured == NONE || is_planned(plan, measured))
				continue;
			add_company(plan, measured, plan->opts->min_effect);
			break;
		}
	}
}

static size_t grid_of(const struct map *map, const struct pe_explore_opts *opts)
{
	return opts->grid > 0 ? opts->grid : 10 + map->n / 25;
}

/* Ends and grid, as far as they are not known; a part of it, evenly spread, where there is no room for all. */
static void plan_grid(struct plan *plan, struct pe_arena *work)
{
	const struct map *map = plan->map;
	size_t company = company_in(map, plan->room), grid = grid_of(map, plan->opts), n, left;
	size_t ends[] = {map->first, map->last};
	double mass = map->upto[map->last] - map->upto[map->first];
	struct pe_explore_pick *points = pe_arena_new(work, struct pe_explore_pick, map->n);
	struct gap *gaps;

	for (size_t i = 0; i < 2; i++)
		if (can_ask(map, ends[i]) && plan->n + company < plan->room)
			add(plan,
			    (struct pe_explore_pick){ends[i], PE_EXPLORE_ENDS,
						     plan->opts->min_effect, ends[i], ends[i]});
	/* The ends come first: their difference is the answer that the user waits for, and shows how large a change to seek. */
	if (plan->n > 0 && plan->opts->ends_first) {
		accompany(plan, company);
		return;
	}
	n = find_gaps(&gaps, map, work);
	n = grid > 2 ? divide(points, map, gaps, n, mass / (double)(grid - 1)) : 0;
	left = plan->room > plan->n + company ? plan->room - plan->n - company : 0;
	for (size_t i = 0; i < n && i < left; i++) {
		const struct pe_explore_pick *point =
			&points[n > left ? (2 * i + 1) * n / (2 * left) : i];

		add_between(plan, point->revision, PE_EXPLORE_GRID,
			    &(struct gap){point->left, point->right, 0});
	}
	accompany(plan, company);
}

/* The middles of the gaps that most may hide in. */
static void plan_cancel(struct plan *plan, struct pe_arena *work)
{
	const struct map *map = plan->map;
	double least = plan->opts->least_gap * (map->upto[map->last] - map->upto[map->first]);
	size_t company = company_in(plan->map, plan->room), n;
	struct gap *gaps;

	n = find_gaps(&gaps, plan->map, work);
	pe_sort(gaps, n, by_mass);
	for (size_t i = 0; i < n && gaps[i].mass > least && plan->n + company < plan->room; i++)
		add_between(plan, halve(plan->map, gaps[i].left, gaps[i].right), PE_EXPLORE_CANCEL,
			    &gaps[i]);
	accompany(plan, company);
}

PE_SORT_BY(by_revision, struct pe_explore_pick, revision);

static struct plan begin(const struct map *map, const struct pe_explore_opts *opts,
			 struct pe_arena *arena, struct pe_arena *work)
{
	size_t afford = opts->runs_left / (opts->repeats > 0 ? opts->repeats : 1);
	struct plan plan = {.map = map,
			    .opts = opts,
			    .at = pe_arena_new(arena, struct pe_explore_pick, map->n),
			    .room = opts->slots < afford ? opts->slots : afford,
			    .place = pe_arena_new(work, size_t, map->n)};

	for (size_t i = 0; i < map->n; i++)
		plan.place[i] = NONE;
	return plan;
}

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

size_t pe_explore_reserve(size_t budget, size_t revisions, size_t jumps)
{
	enum { A_JUMP = 60 };
	size_t needed = revisions * 5 / 2, spare = budget > needed ? budget - needed : 0;

	return A_JUMP * smaller(jumps, smaller(spare, budget / 3) / A_JUMP);
}

static bool asks(const struct plan *plan)
{
	for (size_t i = 0; i < plan->n; i++)
		if (plan->at[i].why != PE_EXPLORE_COMPANY)
			return true;
	return false;
}

struct pe_explore_batch pe_explore_next(const struct pe_explore_revision *revisions, size_t n,
					const struct pe_changepoints *const *found, size_t n_found,
					const struct pe_explore_opts *opts, struct pe_arena *arena)
{
	pe_auto_arena work = PE_ARENA_INIT;
	struct map map = survey(revisions, n, &work);
	struct pe_explore_batch out = {.answer = PE_EXPLORE_GO_ON};
	struct plan plan;
	struct jump *jumps;

	plan = begin(&map, opts, arena, &work);
	out.open = find_jumps(&jumps, &map, found, n_found, opts->min_effect, &work);
	if (is_complete(&map)) {
		out.answer = PE_EXPLORE_COMPLETE;
	} else {
		plan_grid(&plan, &work);
		if (!asks(&plan)) {
			plan_jumps(&plan, jumps, out.open);
			plan_levels(&plan, found, n_found, plan.room / 2, &work);
			if (out.open == 0)
				plan_cancel(&plan, &work);
		}
		out.answer = asks(&plan)               ? PE_EXPLORE_GO_ON
			     : plan.room < opts->slots ? PE_EXPLORE_SPENT
						       : PE_EXPLORE_DECIDED;
	}
	if (out.answer == PE_EXPLORE_GO_ON) {
		out.at = plan.at;
		out.n = plan.n;
		pe_sort(out.at, out.n, by_revision);
	}
	return out;
}

/* --- When a commit of a batch has been run enough --- */

/* Half the width of the 95 % interval of a location, relative to it. */
static double half_width(const struct pe_commit_line *line, const struct pe_scale *scale, size_t i)
{
	double t = pe_student_quantile(pe_normal_quantile(0.025), line->located.freedom);
	double half = t * sqrt(line->located.variance[i]);

	return scale->linear ? half / fabs(line->located.at[i]) : expm1(half);
}

size_t pe_explore_enough(bool *enough, const struct pe_readings *batch, const double *want,
			 const struct pe_explore_enough_opts *opts)
{
	struct pe_changepoint_opts how = PE_CHANGEPOINT_DEFAULTS;
	pe_auto_arena work = PE_ARENA_INIT;
	struct pe_lines lines = pe_lines_of(batch, &how, &work);
	size_t count = 0;

	for (size_t i = 0; i < batch->n_commits; i++)
		enough[i] = false;
	for (size_t l = 0; l < lines.n; l++) {
		const struct pe_commit_line *line = &lines.at[l];

		for (size_t i = 0; i < line->n; i++) {
			size_t commit = line->commit[i], n = line->start[i + 1] - line->start[i];

			/* One run shows no error. */
			enough[commit] = n >= opts->most ||
					 (n >= opts->least && line->located.freedom > 0 &&
					  half_width(line, &lines.scale, i) <= want[commit] / 2);
			count += enough[commit];
		}
	}
	return count;
}
