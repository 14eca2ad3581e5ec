/*
 * Agree: the own cost of a method is collected apart by caller and by the modified method above. Parts that gained as
 * much as all others did, noise considered, are one change of the method itself. A part that stands apart is tested
 * alone, for the noise of the others would hide it: its arguments are what changed, and these come from above.
 */
#include "compare/causes.h"

#include <math.h>
#include <stdlib.h>

/* Calls changed alike when the ratios of both differ by less. */
static const double SAME_RATIO = 0.02;
/* A part stands apart when what the others gained explains less of it. */
static const double EXPLAINED = 0.5;

/* The parts of one method's own cost, or of its calls from one caller. */
struct family {
	struct causes *causes;
	const uint32_t *at; /* groups */
	size_t n;
	struct group *steady; /* likewise what did not change at all, or NULL */
};

/* --- Merging --- */

static void absorb(struct group *to, struct group *from)
{
	struct pe_cause *sum = &to->cause;
	const struct pe_cause *part = &from->cause;

	sum->amount = (int64_t)((uint64_t)sum->amount + (uint64_t)part->amount);
	to->variance += from->variance;
	to->floor += from->floor;
	sum->contexts += part->contexts;
	sum->nodes += part->nodes;
	sum->old_calls += part->old_calls;
	sum->new_calls += part->new_calls;
	sum->old_caller_calls += part->old_caller_calls;
	sum->new_caller_calls += part->new_caller_calls;
	sum->old_allocations += part->old_allocations;
	sum->new_allocations += part->new_allocations;
	to->old_cost += from->old_cost;
	to->new_cost += from->new_cost;
	if (from->greatest > to->greatest) {
		sum->node = part->node;
		to->greatest = from->greatest;
	}
	if (sum->caller != part->caller)
		sum->caller = PE_FRAME_NONE;
	if (sum->origin != part->origin)
		sum->origin = PE_FRAME_NONE;
	from->gone = true;
}

/* All of them into one; NULL where there is none. */
static struct group *absorb_all(const struct family *family, bool apart)
{
	struct group *first = NULL;

	for (size_t i = 0; i < family->n; i++) {
		struct group *group = &family->causes->groups.data[family->at[i]];

		if (group->apart != apart)
			continue;
		if (first != NULL)
			absorb(first, group);
		else
			first = group;
	}
	return first;
}

/* --- Own cost --- */

/* Of a sum of samples: each stands for so much, and one more may have been found. */
static double sampling_variance(const struct pe_runs *runs, double time_ns)
{
	const struct pe_cct *cct = runs->cct;
	double each;

	if (cct->facts.samples == 0 || cct->total_ns == NULL)
		return 0;
	each = (double)(cct->total_ns[0] - pe_cct_waiting_ns(cct)) / (double)cct->facts.samples;
	return (time_ns + each) * each;
}

/* Few runs may agree by chance; their samples never know a time better than by their number. */
static void set_floor(const struct causes *causes, struct group *group)
{
	if (causes->unit == PE_VERDICT_NS)
		group->floor = sampling_variance(causes->delta->old_runs, (double)group->old_cost) +
			       sampling_variance(causes->delta->new_runs, (double)group->new_cost);
}

/* What the parts have gained, from how much, and how sure that is. */
struct gain {
	double amount, variance, cost;
};

static struct gain gain_of(const struct causes *causes, const struct group *group)
{
	return (struct gain){(double)group->cause.amount, pe_causes_variance(causes, group),
			     (double)group->old_cost};
}

static struct gain sum_gains(const struct family *family)
{
	struct gain sum = {0};

	for (size_t i = 0; i < family->n; i++) {
		struct gain gain =
			gain_of(family->causes, &family->causes->groups.data[family->at[i]]);

		sum.amount += gain.amount;
		sum.variance += gain.variance;
		sum.cost += gain.cost;
	}
	if (family->steady != NULL)
		sum.cost += (double)family->steady->old_cost;
	return sum;
}

/*
 * Whether a part gained otherwise than all others together, each in proportion to what it was. One of many parts
 * is asked for more, by what the greatest of so many would be by chance (Bonferroni).
 */
static bool stands_apart(const struct gain *part, const struct gain *all, size_t n, double z)
{
	double cost = all->cost - part->cost, ratio, contrast, error;

	/* What cost nothing before bears no witness. */
	if (cost <= 0)
		return false;
	ratio = part->cost / cost;
	contrast = part->amount - (all->amount - part->amount) * ratio;
	error = sqrt(part->variance + ratio * ratio * (all->variance - part->variance));
	return fabs(contrast) > sqrt(z * z + 2 * log((double)n)) * error &&
	       fabs(contrast) > EXPLAINED * fabs(part->amount) &&
	       fabs(part->amount) > z * sqrt(part->variance);
}

/* Those of one origin are one change; so are all without any. */
static void merge_apart(const struct family *family)
{
	struct group *groups = family->causes->groups.data;

	for (size_t i = 0; i < family->n; i++) {
		struct group *group = &groups[family->at[i]];

		if (!group->apart || group->gone)
			continue;
		for (size_t k = i + 1; k < family->n; k++) {
			struct group *other = &groups[family->at[k]];

			if (other->apart && !other->gone &&
			    other->cause.origin == group->cause.origin)
				absorb(group, other);
		}
	}
}

static void agree_on_cost(const struct family *family)
{
	struct causes *causes = family->causes;
	struct gain all;
	uint32_t contexts = family->steady != NULL ? family->steady->cause.contexts : 0;
	struct group *rest;
	bool any = false;

	for (size_t i = 0; i < family->n; i++)
		set_floor(causes, &causes->groups.data[family->at[i]]);
	all = sum_gains(family);
	for (size_t i = 0; i < family->n; i++) {
		struct group *group = &causes->groups.data[family->at[i]];
		struct gain gain = gain_of(causes, group);

		contexts += group->cause.contexts;
		group->apart = stands_apart(&gain, &all, family->n + (family->steady != NULL),
					    causes->opts->z);
		any = any || group->apart;
	}
	merge_apart(family);
	for (size_t i = 0; any && i < family->n; i++) {
		struct group *group = &causes->groups.data[family->at[i]];

		if (group->apart)
			group->cause.elsewhere = contexts - group->cause.contexts;
	}
	rest = absorb_all(family, false);
	if (rest == NULL)
		return;
	/* The method is the same to all who call it. */
	rest->floor = 0;
	rest->cause.caller = PE_FRAME_NONE;
	rest->cause.probably = true;
	if (any)
		rest->cause.origin = PE_FRAME_NONE;
}

/* --- Calls --- */

static bool same_ratio(const struct pe_cause *a, const struct pe_cause *b)
{
	double cross = (double)a->new_calls * (double)b->old_calls;

	return fabs((double)b->new_calls * (double)a->old_calls - cross) <= SAME_RATIO * cross;
}

/* Calls that changed by one ratio below several modified methods follow from something else. */
static void agree_on_calls(const struct family *family)
{
	struct group *groups = family->causes->groups.data;
	uint32_t steady = family->steady != NULL ? family->steady->cause.contexts : 0;
	bool alike = true;

	for (size_t i = 1; i < family->n; i++)
		alike = alike &&
			same_ratio(&groups[family->at[0]].cause, &groups[family->at[i]].cause);
	if (alike && family->n > 1)
		absorb_all(family, false);
	for (size_t i = 0; i < family->n; i++) {
		groups[family->at[i]].cause.elsewhere = steady;
		groups[family->at[i]].cause.probably = steady == 0;
	}
}

/* --- All of them --- */

/* A group by what its family has in common, those that did not change first. */
struct row {
	uint32_t frame, class, caller;
	uint32_t group;
	bool changed;
};

static struct row row_of(const struct causes *causes, size_t i)
{
	const struct group *group = &causes->groups.data[i];
	bool own = causes->keys.data[i].with == PE_FRAME_NONE;
	struct row row = {group->cause.frame, group->class, PE_FRAME_NONE, (uint32_t)i, true};

	if (group->class == CLASS_STEADY) {
		row.class = own ? CLASS_PER_CALL : CLASS_CALLS;
		row.changed = false;
	}
	if (row.class == CLASS_CALLS)
		row.caller = group->cause.caller;
	return row;
}

static int by_family(const void *x, const void *y)
{
	const struct row *a = x, *b = y;

	if (a->frame != b->frame)
		return a->frame < b->frame ? -1 : 1;
	if (a->class != b->class)
		return a->class < b->class ? -1 : 1;
	return (a->caller > b->caller) - (a->caller < b->caller);
}

static int by_row(const void *x, const void *y)
{
	const struct row *a = x, *b = y;
	int order = by_family(x, y);

	if (order == 0)
		order = (int)a->changed - (int)b->changed;
	return order != 0 ? order : (a->group > b->group) - (a->group < b->group);
}

static struct row *list_rows(const struct causes *causes, size_t *n)
{
	struct row *rows = pe_realloc(NULL, causes->groups.n + 1, sizeof(*rows));

	*n = 0;
	for (size_t i = 0; i < causes->groups.n; i++) {
		enum cause_class class = causes->groups.data[i].class;

		if (class == CLASS_PER_CALL || class == CLASS_UNSPLIT || class == CLASS_CALLS ||
		    class == CLASS_STEADY)
			rows[(*n)++] = row_of(causes, i);
	}
	if (*n > 1)
		qsort(rows, *n, sizeof(*rows), by_row);
	return rows;
}

/* What names the method that changed itself needs no other one. */
static void drop_needless_origins(struct causes *causes)
{
	const struct pe_changes *changes = causes->opts->changes;

	for (size_t i = 0; i < causes->groups.n; i++) {
		struct group *group = &causes->groups.data[i];
		struct pe_cause *cause = &group->cause;

		if (group->class == CLASS_STEADY)
			group->gone = true;
		if ((cause->origin == cause->caller && group->class != CLASS_PER_CALL &&
		     group->class != CLASS_UNSPLIT) ||
		    pe_changes_touched(changes, cause->frame))
			cause->origin = PE_FRAME_NONE;
		if (cause->origin == PE_FRAME_NONE)
			cause->probably = false;
	}
}

void pe_causes_agree(struct causes *causes)
{
	size_t n, end;
	pe_auto_free struct row *rows = list_rows(causes, &n);
	pe_auto_free uint32_t *at = pe_realloc(NULL, n + 1, sizeof(*at));

	for (size_t from = 0; from < n; from = end) {
		struct family family = {.causes = causes, .at = at};

		for (end = from; end < n && by_family(&rows[from], &rows[end]) == 0; end++) {
			if (rows[end].changed)
				at[family.n++] = rows[end].group;
			else
				family.steady = &causes->groups.data[rows[end].group];
		}
		if (family.n > 0 && rows[from].class == CLASS_CALLS)
			agree_on_calls(&family);
		else if (family.n > 0)
			agree_on_cost(&family);
	}
	drop_needless_origins(causes);
}
