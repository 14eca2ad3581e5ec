/* Patterns: groups that are one change are put together, and each gets the kind of change that it is. */
#include "compare/causes.h"

#include <math.h>
#include <stdlib.h>
#include <strings.h>

/* A callee that is called in fewer of its caller's calls than this is called on a condition. */
static const double SOMETIMES = 0.9;
/* How much more often it must be called for the condition to have changed. */
static const double MUCH_MORE = 1.2;
/* Calls from one call of the caller above which they stand in a loop. */
static const double LOOP = 1.5;
/* Allocations in a call that are more than before. */
static const double MORE_ALLOCATIONS = 1.05;

/* A group, as groups are brought together. */
struct entry {
	uint32_t by;    /* method, or caller */
	uint32_t class; /* CLASS_ADDED before CLASS_REMOVED */
	uint64_t size;
	uint32_t group;
};

static int by_entry(const void *x, const void *y)
{
	const struct entry *a = x, *b = y;

	if (a->by != b->by)
		return a->by < b->by ? -1 : 1;
	if (a->class != b->class)
		return a->class < b->class ? -1 : 1;
	if (a->size != b->size)
		return a->size > b->size ? -1 : 1;
	return (a->group > b->group) - (a->group < b->group);
}

static uint64_t size_of(int64_t amount)
{
	return amount < 0 ? -(uint64_t)amount : (uint64_t)amount;
}

static struct entry *list(const struct causes *causes, bool by_caller, size_t *n)
{
	struct entry *entries = pe_realloc(NULL, causes->groups.n, sizeof(*entries));

	*n = 0;
	for (size_t i = 0; i < causes->groups.n; i++) {
		const struct group *group = &causes->groups.data[i];

		if (group->gone || (group->class != CLASS_ADDED && group->class != CLASS_REMOVED))
			continue;
		/* What may be chance is no sign of anything. */
		if (fabs((double)group->cause.amount) <= causes->opts->z * sqrt(group->variance))
			continue;
		entries[(*n)++] = (struct entry){
			.by = by_caller ? group->cause.caller : group->cause.frame,
			.class = group->class,
			.size = size_of(group->cause.amount),
			.group = (uint32_t)i,
		};
	}
	if (*n > 1)
		qsort(entries, *n, sizeof(*entries), by_entry);
	return entries;
}

/* Whether two counts are within a factor of each other, or not known. */
static bool calls_fit(uint64_t a, uint64_t b, double factor)
{
	return (double)a <= factor * (double)b && (double)b <= factor * (double)a;
}

/* What is gone becomes the old side of what came. */
static void unite(struct group *came, struct group *went, enum pe_cause_kind kind, uint32_t other)
{
	came->cause.kind = kind;
	came->cause.other = other;
	came->cause.origin = PE_FRAME_NONE;
	came->cause.amount += went->cause.amount;
	came->variance += went->variance;
	came->cause.nodes += went->cause.nodes;
	came->cause.old_calls = went->cause.old_calls;
	came->cause.old_caller_calls = went->cause.old_caller_calls;
	came->cause.old_allocations = went->cause.old_allocations;
	came->old_cost = went->old_cost;
	came->class = CLASS_CALLS; /* no longer to be brought together with anything */
	went->gone = true;
}

/*
 * One method that came in one place and went from another was moved; two methods of which one came and the
 * other went below one caller were swapped. The greatest with the greatest, as long as their calls fit.
 */
static void bring_together(struct causes *causes, bool by_caller)
{
	size_t n, end, removed;
	pe_auto_free struct entry *entries = list(causes, by_caller, &n);
	double factor = by_caller ? 1.1 : 2;

	for (size_t from = 0; from < n; from = end) {
		removed = from;
		while (removed < n && entries[removed].by == entries[from].by &&
		       entries[removed].class == CLASS_ADDED)
			removed++;
		for (end = removed; end < n && entries[end].by == entries[from].by;)
			end++;
		for (size_t i = from, j = removed; i < removed && j < end; i++, j++) {
			struct group *came = &causes->groups.data[entries[i].group];
			struct group *went = &causes->groups.data[entries[j].group];

			if (!calls_fit(came->cause.new_calls, went->cause.old_calls, factor))
				continue;
			unite(came, went, by_caller ? PE_CAUSE_SWAPPED : PE_CAUSE_CALL_MOVED,
			      by_caller ? went->cause.frame : went->cause.caller);
		}
	}
}

static double rate(uint64_t calls, uint64_t of)
{
	return of > 0 ? (double)calls / (double)of : NAN;
}

static bool says_cache(const char *name)
{
	for (; *name != '\0'; name++)
		if (strncasecmp(name, "cache", 5) == 0 || strncasecmp(name, "memoi", 5) == 0)
			return true;
	return false;
}

/*
 * Whether the code calls a method, or the file that it is in, a cache. Fewer calls alone do not show one: who defers
 * work, filters it or does it in larger pieces calls less often, too.
 */
static bool is_cache(const struct causes *causes, uint32_t frame)
{
	const struct pe_frame *at;

	if (frame == PE_FRAME_NONE)
		return false;
	at = &causes->delta->frames->at[frame];
	return says_cache(at->name) || says_cache(at->component);
}

static enum pe_cause_kind kind_of_calls(const struct causes *causes, const struct pe_cause *cause)
{
	double before = rate(cause->old_calls, cause->old_caller_calls);
	double after = rate(cause->new_calls, cause->new_caller_calls);
	bool more = cause->new_calls > cause->old_calls;

	/* Called in some of its caller's calls and never twice in one, before as after: on a condition. */
	if (before > 0 && after > 0 && before <= 1 && after <= 1 &&
	    (is_cache(causes, cause->frame) || is_cache(causes, cause->caller) ||
	     is_cache(causes, cause->origin))) {
		if (more && before <= SOMETIMES && after >= MUCH_MORE * before)
			return PE_CAUSE_CACHE_MISSES;
		if (!more && after <= SOMETIMES && before >= MUCH_MORE * after)
			return PE_CAUSE_CACHE_HITS;
	}
	return more ? PE_CAUSE_MORE_CALLS : PE_CAUSE_FEWER_CALLS;
}

static enum pe_cause_kind kind_of_cost(const struct causes *causes, const struct group *group)
{
	const struct pe_cause *cause = &group->cause;
	const struct pe_changes *changes = causes->opts->changes;
	double before = rate(cause->old_allocations, cause->old_calls);
	double after = rate(cause->new_allocations, cause->new_calls);

	if (cause->amount > 0 && after > 0 && !(after <= MORE_ALLOCATIONS * before))
		return PE_CAUSE_ALLOCATES;
	if (causes->unit == PE_VERDICT_NS && causes->counted && !causes->counts_differ &&
	    !causes->opts->work && !causes->touched && changes != NULL &&
	    (pe_changes_source(changes, cause->frame) == PE_SOURCE_SAME ||
	     pe_changes_binary(changes, cause->frame) == PE_BINARY_SAME))
		return PE_CAUSE_LAYOUT;
	if (group->class == CLASS_UNSPLIT)
		return PE_CAUSE_CHANGED;
	return cause->amount > 0 ? PE_CAUSE_DEARER : PE_CAUSE_CHEAPER;
}

static enum pe_cause_kind kind_of(const struct causes *causes, const struct group *group)
{
	const struct pe_cause *cause = &group->cause;

	switch (group->class) {
	case CLASS_CALLS:
		return kind_of_calls(causes, cause);
	case CLASS_ADDED:
		return rate(cause->new_calls, cause->new_caller_calls) > LOOP
			       ? PE_CAUSE_CALL_IN_LOOP
			       : PE_CAUSE_CALL_ADDED;
	case CLASS_REMOVED:
		return PE_CAUSE_CALL_REMOVED;
	case CLASS_INLINED:
		return PE_CAUSE_INLINED;
	case CLASS_OUTLINED:
		return PE_CAUSE_OUTLINED;
	default:
		return kind_of_cost(causes, group);
	}
}

void pe_causes_recognise(struct causes *causes)
{
	for (size_t i = 0; i < causes->groups.n; i++)
		causes->groups.data[i].cause.kind = kind_of(causes, &causes->groups.data[i]);
	bring_together(causes, false);
	bring_together(causes, true);
}
