/*
 * Own cost: parts of a method's own cost that gained as much as all others did, noise considered, are one change of the
 * method itself. A part that stands apart is tested alone, for the noise of the others would hide it: its arguments are
 * what changed, and these come from above.
 *
 * Almost every context may be a part of its own, so parts are not groups: one method's are looked at at a time, in the
 * order of the tree, and only what comes of them becomes groups.
 */
#include "compare/own.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One method's nodes lie all over the tree: how many are on their way from memory while one is looked at. */
enum { AHEAD = 16 };

/* A part stands apart when what the others gained explains less of it. */
static const double EXPLAINED = 0.5;

/* Own cost of a method's calls from one caller below one modified method. */
struct part {
	uint32_t caller, origin;
	uint32_t contexts;
	uint32_t group; /* that it is put to */
	int64_t amount;
	uint64_t old_cost, new_cost;
	double variance, floor;
	double sure; /* variance, with what repetitions cannot tell */
	bool apart;
};

/* The parts of one method's own cost. */
struct family {
	struct causes *causes;
	struct own_share *shares; /* by node */
	enum cause_class class;
	uint32_t frame;
	const uint32_t *at; /* nodes */
	uint32_t n;
	struct own_witness steady;
	uint32_t contexts; /* with steady ones */
	PE_VEC(struct part) parts;
	struct pe_hash_index index; /* over parts, by caller and origin */
	struct pe_map apart;        /* groups of parts that stand apart, by origin */
};

void pe_own_begin(struct own *own, const struct pe_delta *delta, struct pe_arena *arena)
{
	*own = (struct own){
		.shares = pe_arena_new(arena, struct own_share, delta->n),
		.marks = pe_arena_new(arena, uint8_t, delta->n),
		.steady = pe_arena_new(arena, struct own_witness, delta->frames->n),
		.families = pe_arena_new(arena, uint32_t, 2 * (size_t)delta->frames->n),
	};
}

/* --- Parts --- */

/* Few runs may agree by chance; their samples never know a time better than by their number. */
static void weigh(const struct causes *causes, struct part *part)
{
	if (causes->unit == PE_VERDICT_NS)
		part->floor =
			pe_runs_sampling_variance(causes->delta->old_runs, (double)part->old_cost) +
			pe_runs_sampling_variance(causes->delta->new_runs, (double)part->new_cost);
	part->sure = pe_causes_common_variance(causes, (double)part->old_cost, part->variance,
					       part->floor);
}

/* The part of a caller and an origin, made when it is new. */
static uint32_t part_of(struct family *family, uint32_t caller, uint32_t origin)
{
	const uint32_t hash = pe_hash_pair(caller, origin), n = (uint32_t)family->parts.n;

	for (struct pe_hash_slot *slot = NULL;
	     (slot = pe_hash_index_next(&family->index, hash, slot)) != NULL;) {
		const struct part *part = &family->parts.data[slot->row];

		if (part->caller == caller && part->origin == origin)
			return slot->row;
	}
	pe_hash_index_add(&family->index, hash, n);
	pe_vec_push(&family->parts, (struct part){.caller = caller, .origin = origin});
	return n;
}

/* A node's share names its part from here on. */
static void split(struct family *family)
{
	/* Only how sure samples are depends on what is spent now. */
	const bool sampled = family->causes->delta->new_runs->cct->facts.samples != 0;

	pe_hash_index_reset(&family->index, family->n);
	family->parts.n = 0;
	for (uint32_t i = 0; i < family->n; i++) {
		struct own_share *share = &family->shares[family->at[i]];
		struct part *part;

		__builtin_prefetch(&family->shares[family->at[i + AHEAD]]);
		share->group = part_of(family, share->caller, share->origin);
		part = &family->parts.data[share->group];
		part->contexts++;
		part->amount = (int64_t)((uint64_t)part->amount + (uint64_t)share->amount);
		part->variance += share->variance;
		part->old_cost += share->old_cost;
		if (sampled)
			part->new_cost +=
				pe_causes_cost(family->causes, family->at[i], false).new_value;
	}
	family->contexts = family->n + family->steady.contexts;
}

/* --- Standing apart --- */

/* What parts have gained, from how much, and how sure that is. */
struct gain {
	double amount, variance, cost;
};

static struct gain sum_gains(const struct family *family)
{
	struct gain sum = {0};

	for (size_t i = 0; i < family->parts.n; i++) {
		const struct part *part = &family->parts.data[i];

		sum.amount += (double)part->amount;
		sum.variance += part->sure;
		sum.cost += (double)part->old_cost;
	}
	sum.cost += (double)family->steady.old_cost;
	return sum;
}

/* Whether a part gained otherwise than all others together, each in proportion to what it was. */
static bool stands_apart(const struct part *part, const struct gain *all, double z, double asked)
{
	const double gained = (double)part->amount, was = (double)part->old_cost;
	double cost = all->cost - was, ratio, contrast, error;

	/* What cost nothing before bears no witness. */
	if (cost <= 0)
		return false;
	ratio = was / cost;
	contrast = gained - (all->amount - gained) * ratio;
	if (fabs(contrast) <= EXPLAINED * fabs(gained))
		return false;
	error = sqrt(part->sure + ratio * ratio * (all->variance - part->sure));
	return fabs(contrast) > asked * error && fabs(gained) > z * sqrt(part->sure);
}

/* One of many parts is asked for more, by what the greatest of so many would be by chance (Bonferroni). */
static bool find_apart(struct family *family)
{
	const double n = (double)(family->parts.n + (family->steady.contexts > 0));
	const double z = family->causes->opts->z, asked = sqrt(z * z + 2 * log(n));
	struct gain all;
	bool any = false;

	for (size_t i = 0; i < family->parts.n; i++)
		weigh(family->causes, &family->parts.data[i]);
	all = sum_gains(family);
	for (size_t i = 0; i < family->parts.n; i++) {
		struct part *part = &family->parts.data[i];

		part->apart = stands_apart(part, &all, z, asked);
		any = any || part->apart;
	}
	return any;
}

/* --- Groups --- */

/* The group of a part; `rest` is that of all that agree. */
static struct group *group_of(struct family *family, const struct part *part, uint32_t *rest,
			      bool *is_new)
{
	struct causes *causes = family->causes;
	const uint32_t next = (uint32_t)causes->groups.n;
	uint32_t *at =
		part->apart ? pe_map_put(&family->apart, part->origin, 0, next, is_new) : rest;

	if (!part->apart) {
		*is_new = *rest == PE_CCT_NONE;
		*rest = *is_new ? next : *rest;
	}
	if (*is_new)
		pe_vec_push(&causes->groups, (struct group){.class = family->class,
							    .apart = part->apart,
							    .cause = {
								    .node = PE_CCT_NONE,
								    .frame = family->frame,
								    .caller = part->caller,
								    .other = PE_FRAME_NONE,
								    .origin = part->origin,
							    }});
	return &causes->groups.data[*at];
}

static void absorb(struct group *group, const struct part *part)
{
	struct pe_cause *cause = &group->cause;

	cause->amount = (int64_t)((uint64_t)cause->amount + (uint64_t)part->amount);
	cause->nodes += part->contexts;
	group->variance += part->variance;
	group->floor += part->floor;
	if (cause->caller != part->caller)
		cause->caller = PE_FRAME_NONE;
	if (cause->origin != part->origin)
		cause->origin = PE_FRAME_NONE;
}

/* Those apart that have one origin are one change, and so are all without any; so are all that agree. */
static void merge(struct family *family, bool any_apart)
{
	struct group *groups;
	uint32_t rest = PE_CCT_NONE;
	const size_t first = family->causes->groups.n;

	pe_map_reset(&family->apart, 0);
	for (size_t i = 0; i < family->parts.n; i++) {
		struct part *part = &family->parts.data[i];
		bool is_new;
		struct group *group = group_of(family, part, &rest, &is_new);

		absorb(group, part);
		part->group = (uint32_t)(group - family->causes->groups.data);
	}
	groups = family->causes->groups.data;
	for (size_t i = first; i < family->causes->groups.n; i++)
		if (groups[i].apart)
			groups[i].cause.elsewhere = family->contexts - groups[i].cause.nodes;
	if (rest == PE_CCT_NONE)
		return;
	/* The method is the same to all who call it. */
	groups[rest].floor = 0;
	groups[rest].cause.caller = PE_FRAME_NONE;
	groups[rest].cause.probably = true;
	if (any_apart)
		groups[rest].cause.origin = PE_FRAME_NONE;
}

/* --- All methods --- */

/* The nodes of each family, one family after the other, and AHEAD more; sizes become ends. */
static uint32_t *sort_nodes(const struct own *own, const struct pe_delta *delta)
{
	const size_t n_families = 2 * (size_t)delta->frames->n;
	uint32_t n = 0, *ends = own->families, *at;

	for (size_t f = 0; f < n_families; f++) {
		const uint32_t size = ends[f];

		ends[f] = n;
		n += size;
	}
	at = pe_realloc(NULL, (size_t)n + AHEAD, sizeof(*at));
	memset(at + n, 0, AHEAD * sizeof(*at));
	for (uint32_t i = 0; i < delta->n; i++)
		if ((own->marks[i] & OWN_MARKS) != 0)
			at[ends[pe_own_family(delta->nodes[i].frame,
					      (own->marks[i] & OWN_UNSPLIT) != 0)]++] = i;
	return at;
}

static void merge_family(struct family *family)
{
	split(family);
	merge(family, find_apart(family));
	for (uint32_t i = 0; i < family->n; i++) {
		struct own_share *share = &family->shares[family->at[i]];

		share->group = family->parts.data[share->group].group;
	}
}

void pe_own_merge(struct own *own, struct causes *causes)
{
	const uint32_t n_frames = causes->delta->frames->n;
	pe_auto_free uint32_t *at = sort_nodes(own, causes->delta);
	struct family family = {.causes = causes, .shares = own->shares};
	uint32_t from = 0;

	for (uint32_t frame = 0; frame < n_frames; frame++)
		for (int unsplit = 0; unsplit < 2; unsplit++) {
			const uint32_t end = own->families[pe_own_family(frame, unsplit)];

			if (end == from)
				continue;
			family.at = at + from;
			family.n = end - from;
			family.frame = frame;
			family.class = unsplit ? CLASS_UNSPLIT : CLASS_PER_CALL;
			family.steady = unsplit ? (struct own_witness){0} : own->steady[frame];
			merge_family(&family);
			from = end;
		}
	pe_vec_release(&family.parts);
	pe_hash_index_release(&family.index);
	pe_map_release(&family.apart);
}
