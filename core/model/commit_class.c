#include "core/model/commit_class.h"

#include "core/base/number.h"

#include <math.h>
#include <string.h>

const char *pe_class_name(enum pe_class class)
{
	static const char *const names[PE_N_CLASSES] = {
		[PE_CLASS_SLOWER] = "slower", [PE_CLASS_MIXED] = "mixed",
		[PE_CLASS_FASTER] = "faster", [PE_CLASS_COUNTS] = "counts",
		[PE_CLASS_LAYOUT] = "layout",
	};

	return names[class];
}

const char *pe_standing_name(enum pe_standing standing)
{
	static const char *const names[PE_N_STANDINGS] = {
		[PE_STANDING_CONFIRMED] = "confirmed",
		[PE_STANDING_SUSPECTED] = "suspected",
		[PE_STANDING_ACCEPTED] = "accepted",
	};

	return names[standing];
}

/* --- Classes --- */

static enum pe_standing standing_of(const struct pe_class_jump *jumps, size_t n)
{
	enum pe_standing standing = PE_STANDING_ACCEPTED;

	for (size_t i = 0; i < n; i++) {
		if (!jumps[i].accepted && jumps[i].confirmed)
			return PE_STANDING_CONFIRMED;
		if (!jumps[i].accepted)
			standing = PE_STANDING_SUSPECTED;
	}
	return standing;
}

static bool decides(const struct pe_class_jump *jump, enum pe_standing standing)
{
	if (standing == PE_STANDING_ACCEPTED)
		return true;
	return !jump->accepted && (jump->confirmed || standing == PE_STANDING_SUSPECTED);
}

static unsigned direction_of(const struct pe_class_jump *jump)
{
	return jump->worse ? PE_MOVED_WORSE : PE_MOVED_BETTER;
}

static void take(struct pe_commit_class *class, const struct pe_class_jump *jump)
{
	unsigned *const directions[] = {
		[PE_MEASURES_TIME] = &class->time,
		[PE_MEASURES_MEMORY] = &class->memory,
		[PE_MEASURES_INSTRUCTIONS] = &class->instructions,
		[PE_MEASURES_ALLOCATIONS] = &class->allocations,
		[PE_MEASURES_OTHER_COUNTS] = &class->others,
	};

	*directions[pe_metric_measures(jump->metric)] |= direction_of(jump);
}

/* Whether a benchmark's decided time and its decided instructions moved in opposite directions, and which way the time did. */
static unsigned against_counts(const struct pe_class_jump *jumps, size_t n,
			       enum pe_standing standing)
{
	unsigned found = 0;

	for (size_t i = 0; i < n; i++) {
		unsigned others = 0;

		if (pe_metric_measures(jumps[i].metric) != PE_MEASURES_TIME || jumps[i].layout ||
		    !decides(&jumps[i], standing))
			continue;
		for (size_t k = 0; k < n; k++)
			if (pe_metric_measures(jumps[k].metric) == PE_MEASURES_INSTRUCTIONS &&
			    decides(&jumps[k], standing) &&
			    strcmp(jumps[k].benchmark, jumps[i].benchmark) == 0)
				others |= direction_of(&jumps[k]);
		if (others != 0 && (others & direction_of(&jumps[i])) == 0)
			found |= direction_of(&jumps[i]);
	}
	return found;
}

struct pe_commit_class pe_commit_class_of(const struct pe_class_jump *jumps, size_t n)
{
	struct pe_commit_class class = {.standing = standing_of(jumps, n)};
	bool any = false;

	for (size_t i = 0; i < n; i++)
		if (decides(&jumps[i], class.standing) && !jumps[i].layout) {
			take(&class, &jumps[i]);
			any = true;
		}
	if (!any)
		class.class = PE_CLASS_LAYOUT;
	else if (class.time == 0)
		class.class = PE_CLASS_COUNTS;
	else if (class.time == (PE_MOVED_WORSE | PE_MOVED_BETTER))
		class.class = PE_CLASS_MIXED;
	else
		class.class = class.time == PE_MOVED_WORSE ? PE_CLASS_SLOWER : PE_CLASS_FASTER;
	class.against_counts = against_counts(jumps, n, class.standing);
	return class;
}

/* Append one of three words, by the directions. */
static void add_word(struct pe_text *out, unsigned moved, const char *worse, const char *better,
		     const char *both, bool *first)
{
	if (moved == 0)
		return;
	pe_text_addf(out, "%s%s", *first ? "" : ", ",
		     moved == PE_MOVED_WORSE    ? worse
		     : moved == PE_MOVED_BETTER ? better
						: both);
	*first = false;
}

void pe_commit_class_add(struct pe_text *out, const struct pe_commit_class *class)
{
	bool first = true;

	if (class->class == PE_CLASS_LAYOUT)
		pe_text_add(out, "layout alone");
	add_word(out, class->time, "slower", "faster", "mixed", &first);
	add_word(out, class->memory, "more memory", "less memory", "more and less memory", &first);
	if (class->class == PE_CLASS_COUNTS) {
		add_word(out, class->instructions, "executes more", "executes less",
			 "executes more and less", &first);
		add_word(out, class->allocations, "allocates more", "allocates less",
			 "allocates more and less", &first);
		if (first)
			add_word(out, class->others, "counts rise", "counts fall",
				 "counts rise and fall", &first);
	}
	if (class->standing != PE_STANDING_CONFIRMED)
		pe_text_addf(out, ", %s", pe_standing_name(class->standing));
}

unsigned pe_commit_class_direction(const struct pe_commit_class *class)
{
	return class->time != 0
		       ? class->time
		       : class->memory | class->instructions | class->allocations | class->others;
}

const char *pe_commit_class_contradiction(const struct pe_commit_class *class)
{
	if (class->against_counts == 0)
		return NULL;
	return class->against_counts == PE_MOVED_BETTER
		       ? "executes more instructions, and takes less time"
		       : "executes fewer instructions, and takes longer";
}

/* --- Counting --- */

void pe_class_counts_take(struct pe_class_counts *counts, const struct pe_commit_class *class)
{
	counts->n[class->standing][class->class]++;
	counts->memory += class->standing == PE_STANDING_CONFIRMED &&
			  class->class == PE_CLASS_COUNTS && class->memory != 0;
}

/* "2 slower, 3 faster, 1 mixed"; @return  whether there are any */
static bool add_times(struct pe_text *out, const size_t *n)
{
	static const enum pe_class order[] = {PE_CLASS_SLOWER, PE_CLASS_FASTER, PE_CLASS_MIXED};
	bool any = false;

	for (size_t i = 0; i < 3; i++) {
		if (n[order[i]] == 0)
			continue;
		pe_text_addf(out, "%s%zu %s", any ? ", " : "", n[order[i]],
			     pe_class_name(order[i]));
		any = true;
	}
	return any;
}

static size_t sum(const size_t *n)
{
	size_t all = 0;

	for (size_t i = 0; i < PE_N_CLASSES; i++)
		all += n[i];
	return all;
}

/* "; 4 more change counts alone" */
static void add_more(struct pe_text *out, size_t n, const char *what, bool more)
{
	if (n > 0)
		pe_text_addf(out, "; %zu%s change%s %s", n, more ? " more" : "", n == 1 ? "s" : "",
			     what);
}

static void add_suspected(struct pe_text *out, const size_t *n)
{
	bool any;

	if (sum(n) == 0)
		return;
	pe_text_add(out, "; suspected: ");
	any = add_times(out, n);
	if (n[PE_CLASS_COUNTS] + n[PE_CLASS_LAYOUT] > 0)
		pe_text_addf(out, "%s%zu in counts", any ? ", " : "",
			     n[PE_CLASS_COUNTS] + n[PE_CLASS_LAYOUT]);
}

void pe_class_counts_add(struct pe_text *out, const struct pe_class_counts *counts,
			 const char *where)
{
	const size_t *confirmed = counts->n[PE_STANDING_CONFIRMED];
	const size_t accepted = sum(counts->n[PE_STANDING_ACCEPTED]);
	const size_t in_counts = confirmed[PE_CLASS_COUNTS];
	const bool any = add_times(out, confirmed), untimed = counts->untimed && !any;

	if (untimed && in_counts > 0)
		pe_text_addf(out, "%zu change%s counts", in_counts, in_counts == 1 ? "s" : "");
	else if (!any)
		pe_text_add(out, untimed ? "None changes counts" : "None slower or faster");
	pe_text_addf(out, " %s", where);
	if (!untimed) {
		add_more(out, counts->memory, "memory", any);
		add_more(out, in_counts - counts->memory, "counts alone",
			 any || counts->memory > 0);
	}
	if (confirmed[PE_CLASS_LAYOUT] > 0)
		pe_text_addf(out, "; %zu by layout alone", confirmed[PE_CLASS_LAYOUT]);
	add_suspected(out, counts->n[PE_STANDING_SUSPECTED]);
	if (accepted > 0)
		pe_text_addf(out, "; %zu accepted", accepted);
}

/* --- Gates --- */

double pe_gate_limit(const struct pe_gate_limits *limits, const struct pe_metric *metric)
{
	switch (pe_metric_measures(metric)) {
	case PE_MEASURES_MEMORY:
		return limits->peak;
	case PE_MEASURES_ALLOCATIONS:
		return limits->allocations;
	case PE_MEASURES_INSTRUCTIONS:
	case PE_MEASURES_OTHER_COUNTS:
		return limits->instructions;
	default:
		return limits->wall;
	}
}

static void add_limit(struct pe_text *out, const char *name, double limit, const char *end)
{
	pe_text_addf(out, "%s ", name);
	if (isinf(limit)) {
		pe_text_addf(out, "off%s", end);
		return;
	}
	pe_number_significant(out, limit * 100, 3);
	pe_text_addf(out, " %%%s", end);
}

void pe_gate_limits_add(struct pe_text *out, const struct pe_gate_limits *limits)
{
	add_limit(out, "wall", limits->wall, ", ");
	add_limit(out, "instructions", limits->instructions, ", ");
	add_limit(out, "allocations", limits->allocations, ", ");
	add_limit(out, "peak", limits->peak, "");
}

static bool is_count(const struct pe_metric *metric)
{
	return pe_metric_measures(metric) > PE_MEASURES_MEMORY;
}

/* Whether a benchmark's time is confirmed to be better, and none of it to be worse. */
static bool is_faster(const char *benchmark, const struct pe_class_jump *all, size_t n)
{
	unsigned moved = 0;

	for (size_t i = 0; i < n; i++)
		if (all[i].confirmed && !all[i].layout &&
		    pe_metric_measures(all[i].metric) == PE_MEASURES_TIME &&
		    strcmp(all[i].benchmark, benchmark) == 0)
			moved |= direction_of(&all[i]);
	return moved == PE_MOVED_BETTER;
}

enum pe_gate_rule pe_gate_rule_of(const struct pe_class_jump *jump, const struct pe_class_jump *all,
				  size_t n, const struct pe_gate_limits *limits)
{
	if (!jump->worse || !jump->confirmed || jump->accepted ||
	    (jump->layout && !limits->layout_fails))
		return PE_GATE_IGNORES;
	if (isinf(pe_gate_limit(limits, jump->metric)) ||
	    fabs(jump->relative) < pe_gate_limit(limits, jump->metric))
		return PE_GATE_BELOW;
	return is_count(jump->metric) && is_faster(jump->benchmark, all, n) ? PE_GATE_OUTWEIGHED
									    : PE_GATE_FAILS;
}
