/* Words: a verdict as sentences. Old before new, always. */
#include "compare/verdict.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Per-call costs that differ by less are the same in words. */
static const double SAME_COST = 0.02;
/* Bytes of a name; those of templates and regular expressions would bury the sentence. */
enum { LONGEST_NAME = 100 };

/*
 * Three significant digits, or as many decimals as asked for; whole numbers from 100 on. By integers, so
 * that the user's locale has no say.
 */
static void add_number(struct pe_text *out, double value, int decimals)
{
	static const int64_t powers[] = {1, 10, 100};
	int64_t scaled;

	if (decimals < 0)
		decimals = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
	scaled = llround(fmin(value, 1e15) * (double)powers[decimals]);
	pe_text_addf(out, "%" PRId64, scaled / powers[decimals]);
	if (decimals > 0)
		pe_text_addf(out, ".%0*" PRId64, decimals, scaled % powers[decimals]);
}

static void add_count(struct pe_text *out, uint64_t count)
{
	char digits[24];
	int n = 0;

	do
		digits[n++] = (char)('0' + count % 10);
	while ((count /= 10) != 0);
	while (n-- > 0) {
		pe_text_addc(out, digits[n]);
		if (n > 0 && n % 3 == 0)
			pe_text_addc(out, ',');
	}
}

struct scale {
	double size;
	const char *name;
};

static void add_scaled(struct pe_text *out, double value, const struct scale *scales)
{
	while (value < scales->size && scales->size > 1)
		scales++;
	if (scales->size <= 1)
		add_number(out, value, value >= 9.95 || value == floor(value) ? 0 : 1);
	else
		add_number(out, value / scales->size, -1);
	pe_text_addf(out, " %s", scales->name);
}

/* An amount without its sign. */
static void add_amount(struct pe_text *out, double value, enum pe_verdict_unit unit)
{
	static const struct scale times[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}, {1, "ns"}};
	static const struct scale bytes[] = {
		{1073741824, "GiB"}, {1048576, "MiB"}, {1024, "KiB"}, {1, "B"}};

	value = fabs(value);
	if (unit == PE_VERDICT_NS) {
		add_scaled(out, value, times);
	} else if (unit == PE_VERDICT_BYTES) {
		add_scaled(out, value, bytes);
	} else {
		if (value >= 9.95 || value == floor(value))
			add_count(out, (uint64_t)llround(fmin(value, 9e18)));
		else
			add_number(out, value, -1);
		pe_text_add(out, unit == PE_VERDICT_CALLS ? " call" : " allocation");
		pe_text_add(out, value == 1 ? "" : "s");
	}
}

static void add_signed(struct pe_text *out, int64_t amount, enum pe_verdict_unit unit)
{
	pe_text_add(out, amount < 0 ? "−" : "+");
	add_amount(out, (double)amount, unit);
}

static void add_name(struct pe_text *out, const struct pe_delta *delta, uint32_t frame)
{
	const char *name;
	size_t n;

	if (frame == PE_FRAME_NONE) {
		pe_text_add(out, "the benchmark");
		return;
	}
	name = delta->frames->at[frame].name;
	n = strlen(name);
	if (n <= LONGEST_NAME) {
		pe_text_addf(out, "`%s`", name);
		return;
	}
	for (n = LONGEST_NAME; n > 0 && ((unsigned char)name[n] & 0xc0) == 0x80;)
		n--;
	pe_text_add(out, "`");
	pe_text_addn(out, name, n);
	pe_text_add(out, "…`");
}

const char *pe_change_words(struct pe_frame_change change)
{
	static const char *const words[PE_N_SOURCE_CHANGES][PE_N_BINARY_CHANGES] = {
		[PE_SOURCE_UNKNOWN] = {NULL, "not recompiled", "recompiled"},
		[PE_SOURCE_SAME] = {"source unchanged", "unchanged",
				    "recompiled, its source unchanged"},
		[PE_SOURCE_MODIFIED] = {"modified here",
					"modified here, without effect on its code",
					"modified here"},
		[PE_SOURCE_ADDED] = {"new", "new", "new"},
		[PE_SOURCE_DELETED] = {"deleted", "deleted", "deleted"},
		[PE_SOURCE_RENAMED] = {"renamed", "renamed", "renamed and recompiled"},
	};

	return change.source < PE_N_SOURCE_CHANGES && change.code < PE_N_BINARY_CHANGES
		       ? words[change.source][change.code]
		       : NULL;
}

/* In brackets; nothing where nothing is known. */
static void add_change(struct pe_text *out, struct pe_frame_change change)
{
	const char *word = pe_change_words(change);

	if (word != NULL)
		pe_text_addf(out, " (%s)", word);
}

static void add_method(struct pe_text *out, const struct pe_delta *delta, uint32_t frame,
		       struct pe_frame_change change)
{
	add_name(out, delta, frame);
	if (frame != PE_FRAME_NONE)
		add_change(out, change);
}

static void add_factor(struct pe_text *out, double factor)
{
	add_number(out, factor, factor < 9.95 ? 1 : 0);
	pe_text_add(out, "×");
}

static void add_calls(struct pe_text *out, const struct pe_cause *cause)
{
	if (cause->old_calls == 0 && cause->new_calls == 0)
		return;
	pe_text_add(out, ", ");
	if (cause->old_calls != cause->new_calls) {
		add_count(out, cause->old_calls);
		pe_text_add(out, " → ");
	}
	add_count(out, cause->new_calls);
	pe_text_add(out, cause->new_calls == 1 && cause->old_calls == 1 ? " call" : " calls");
}

static void add_cost(struct pe_text *out, const struct pe_cause *cause, enum pe_verdict_unit unit)
{
	double change;

	if (unit == PE_VERDICT_CALLS || isnan(cause->old_per_call) || isnan(cause->new_per_call))
		return;
	if (cause->old_per_call == 0 && cause->new_per_call == 0)
		return;
	change = cause->new_per_call / cause->old_per_call - 1;
	if (fabs(change) <= SAME_COST) {
		pe_text_add(out, "; cost per call unchanged");
		return;
	}
	pe_text_add(out, "; cost per call ");
	add_amount(out, cause->old_per_call, unit);
	pe_text_add(out, " → ");
	add_amount(out, cause->new_per_call, unit);
}

static void say_calls(struct pe_text *out, const struct pe_cause *cause,
		      const struct pe_delta *delta, enum pe_verdict_unit unit)
{
	bool more = cause->new_calls > cause->old_calls;

	add_method(out, delta, cause->frame, cause->change);
	if (cause->new_calls == 0) {
		pe_text_add(out, " is never called");
	} else if (cause->old_calls == 0) {
		pe_text_add(out, " is called");
	} else {
		double factor = (double)cause->new_calls / (double)cause->old_calls;

		pe_text_add(out, " is called ");
		if (more && factor < 1.095) {
			add_number(out, 100 * (factor - 1), 1);
			pe_text_add(out, " % more often");
		} else if (more) {
			add_factor(out, factor);
			pe_text_add(out, " as often");
		} else {
			add_number(out, 100 * (1 - factor), 1);
			pe_text_add(out, " % less often");
		}
	}
	pe_text_add(out, " from ");
	add_method(out, delta, cause->caller, cause->caller_change);
	add_calls(out, cause);
	add_cost(out, cause, unit);
}

static void say_cache(struct pe_text *out, const struct pe_cause *cause,
		      const struct pe_delta *delta, enum pe_verdict_unit unit)
{
	pe_text_add(out, cause->kind == PE_CAUSE_CACHE_MISSES ? "a cache no longer hits as it did: "
							      : "a cache hits more often: ");
	add_method(out, delta, cause->caller, cause->caller_change);
	pe_text_add(out, " calls ");
	add_method(out, delta, cause->frame, cause->change);
	pe_text_add(out, " in ");
	add_number(out, 100 * (double)cause->old_calls / (double)cause->old_caller_calls, -1);
	pe_text_add(out, " % → ");
	add_number(out, 100 * (double)cause->new_calls / (double)cause->new_caller_calls, -1);
	pe_text_add(out, " % of its calls");
	add_calls(out, cause);
	add_cost(out, cause, unit);
}

/* Of what changed in some contexts only, and not by a method that stands behind it. */
static void add_where(struct pe_text *out, const struct pe_cause *cause,
		      const struct pe_delta *delta)
{
	if (cause->elsewhere == 0 || cause->caller == PE_FRAME_NONE ||
	    cause->caller == cause->origin)
		return;
	pe_text_add(out, " when called from ");
	add_name(out, delta, cause->caller);
}

static void say_suspect(struct pe_text *out, const struct pe_cause *cause,
			const struct pe_delta *delta)
{
	pe_text_add(out, "probably ");
	add_method(out, delta, cause->frame, cause->change);
	pe_text_addf(out,
		     ": it costs %s with all that it calls, and no part of that stands out of the "
		     "noise",
		     cause->amount > 0 ? "more" : "less");
	add_calls(out, cause);
}

static void say_counted(struct pe_text *out, const struct pe_cause *cause,
			const struct pe_delta *delta)
{
	double part = cause->old_instructions > 0
			      ? fabs((double)cause->instructions) / cause->old_instructions
			      : 0;

	add_method(out, delta, cause->frame, cause->change);
	pe_text_add(out, " executes ");
	add_count(out, (uint64_t)llabs(cause->instructions));
	pe_text_addf(out, " %s instructions", cause->instructions > 0 ? "more" : "fewer");
	if (part > 0) {
		pe_text_add(out, cause->instructions > 0 ? " (+" : " (−");
		add_number(out, 100 * part, part < 0.0995 ? 1 : 0);
		pe_text_add(out, " %)");
	}
	pe_text_add(out,
		    ", by exact counts: the time is that of as many others, for its samples are "
		    "too few to show it");
}

static void say_cost(struct pe_text *out, const struct pe_cause *cause,
		     const struct pe_delta *delta, enum pe_verdict_unit unit)
{
	const char *more = cause->amount > 0 ? "more" : "less";

	add_method(out, delta, cause->frame, cause->change);
	if (cause->kind == PE_CAUSE_ALLOCATES) {
		pe_text_add(out, " allocates more");
		add_where(out, cause, delta);
		pe_text_add(out, ": ");
		add_count(out, cause->old_allocations);
		pe_text_add(out, " → ");
		add_count(out, cause->new_allocations);
		pe_text_add(out, " allocations of its own");
	} else if (cause->kind == PE_CAUSE_LAYOUT) {
		pe_text_addf(out,
			     " takes %s, with the same calls, allocations and code: "
			     "placement in memory",
			     cause->amount > 0 ? "longer" : "less long");
	} else {
		pe_text_addf(out, " itself costs %s%s", more,
			     cause->kind == PE_CAUSE_CHANGED ? "" : " per call");
		add_where(out, cause, delta);
		if (cause->kind == PE_CAUSE_CHANGED)
			pe_text_add(out, "; its calls are not known");
	}
	add_calls(out, cause);
	if (unit != PE_VERDICT_CALLS && cause->old_calls > 0 && cause->new_calls > 0) {
		pe_text_add(out, "; self cost per call ");
		add_amount(out, cause->old_per_call, unit);
		pe_text_add(out, " → ");
		add_amount(out, cause->new_per_call, unit);
	}
}

static void add_new_calls(struct pe_text *out, const struct pe_cause *cause,
			  enum pe_verdict_unit unit)
{
	bool came = cause->kind != PE_CAUSE_CALL_REMOVED;
	uint64_t calls = came ? cause->new_calls : cause->old_calls;
	double per_call = came ? cause->new_per_call : cause->old_per_call;

	if (calls == 0)
		return;
	pe_text_add(out, ", ");
	add_count(out, calls);
	pe_text_add(out, calls == 1 ? " call" : " calls");
	if (unit == PE_VERDICT_CALLS || isnan(per_call))
		return;
	pe_text_add(out, " at ");
	add_amount(out, per_call, unit);
}

static void say_added(struct pe_text *out, const struct pe_cause *cause,
		      const struct pe_delta *delta, enum pe_verdict_unit unit)
{
	const bool removed = cause->kind == PE_CAUSE_CALL_REMOVED;
	const bool counted = (removed ? cause->old_calls : cause->new_calls) > 0;

	/* Who is new has never called anything before: it took the place of another one. */
	if (removed && cause->caller_change.source == PE_SOURCE_ADDED) {
		add_method(out, delta, cause->frame, cause->change);
		pe_text_add(out, counted ? " is no longer called" : " is in no sample of new");
		add_new_calls(out, cause, unit);
		return;
	}
	add_method(out, delta, cause->caller, cause->caller_change);
	/* Calls that are too brief for a sample may have been there all the same. */
	if (counted)
		pe_text_add(out, removed ? " no longer calls " : " now calls ");
	else
		pe_text_add(out, removed ? " no longer spends time in " : " now spends time in ");
	add_method(out, delta, cause->frame, cause->change);
	if (cause->kind == PE_CAUSE_CALL_IN_LOOP) {
		pe_text_add(out, " ");
		add_number(out, (double)cause->new_calls / (double)cause->new_caller_calls, -1);
		pe_text_add(out, " times in each call");
	}
	add_new_calls(out, cause, unit);
}

static void say_moved(struct pe_text *out, const struct pe_cause *cause,
		      const struct pe_delta *delta, enum pe_verdict_unit unit)
{
	add_method(out, delta, cause->frame, cause->change);
	pe_text_add(out, " is called from ");
	add_method(out, delta, cause->caller, cause->caller_change);
	if (cause->other == cause->caller) {
		pe_text_add(out, " on another call path");
	} else {
		pe_text_add(out, ", no longer from ");
		add_method(out, delta, cause->other, cause->other_change);
	}
	add_calls(out, cause);
	add_cost(out, cause, unit);
}

static void say_swapped(struct pe_text *out, const struct pe_cause *cause,
			const struct pe_delta *delta, enum pe_verdict_unit unit)
{
	add_method(out, delta, cause->caller, cause->caller_change);
	pe_text_add(out, " calls ");
	add_method(out, delta, cause->frame, cause->change);
	pe_text_add(out, " in place of ");
	add_method(out, delta, cause->other, cause->other_change);
	add_calls(out, cause);
	add_cost(out, cause, unit);
}

static void say_work(struct pe_text *out, const struct pe_cause *cause,
		     const struct pe_delta *delta)
{
	add_method(out, delta, cause->frame, cause->change);
	pe_text_add(out, cause->kind == PE_CAUSE_INLINED ? " does itself what "
							 : " leaves work of its own to ");
	add_method(out, delta, cause->other, cause->other_change);
	if (cause->kind == PE_CAUSE_INLINED)
		pe_text_add(out, " did for it (inlined)");
}

static void say_kind(struct pe_text *out, const struct pe_cause *cause,
		     const struct pe_delta *delta, enum pe_verdict_unit unit)
{
	switch (cause->kind) {
	case PE_CAUSE_MORE_CALLS:
	case PE_CAUSE_FEWER_CALLS:
		say_calls(out, cause, delta, unit);
		break;
	case PE_CAUSE_CACHE_MISSES:
	case PE_CAUSE_CACHE_HITS:
		say_cache(out, cause, delta, unit);
		break;
	case PE_CAUSE_CALL_ADDED:
	case PE_CAUSE_CALL_IN_LOOP:
	case PE_CAUSE_CALL_REMOVED:
		say_added(out, cause, delta, unit);
		break;
	case PE_CAUSE_CALL_MOVED:
		say_moved(out, cause, delta, unit);
		break;
	case PE_CAUSE_SWAPPED:
		say_swapped(out, cause, delta, unit);
		break;
	case PE_CAUSE_INLINED:
	case PE_CAUSE_OUTLINED:
		say_work(out, cause, delta);
		break;
	case PE_CAUSE_COUNTED:
		say_counted(out, cause, delta);
		break;
	case PE_CAUSE_SUSPECT:
		say_suspect(out, cause, delta);
		break;
	case PE_CAUSE_OUTSIDE:
		pe_text_add(out, "outside of every known call path");
		break;
	default:
		say_cost(out, cause, delta, unit);
	}
}

/* Who stands behind what an unchanged method does. */
static void say_origin(struct pe_text *out, const struct pe_cause *cause,
		       const struct pe_delta *delta)
{
	bool more = cause->old_calls != cause->new_calls ? cause->new_calls > cause->old_calls
							 : cause->amount > 0;

	if (cause->origin == PE_FRAME_NONE)
		return;
	add_method(out, delta, cause->origin, cause->origin_change);
	pe_text_addf(out, " %shands on %s work: ", cause->probably ? "probably " : "",
		     more ? "more" : "less");
}

/* In how many places it happens, and in how many it could have, and did not. */
static void say_contexts(struct pe_text *out, const struct pe_cause *cause)
{
	if (cause->contexts > 1) {
		pe_text_add(out, "; on ");
		add_count(out, cause->contexts);
		pe_text_add(out, " call paths");
	}
	if (cause->elsewhere == 0)
		return;
	pe_text_add(out, cause->contexts > 1 ? ", not on " : "; not on ");
	add_count(out, cause->elsewhere);
	pe_text_add(out, cause->contexts > 1     ? " others"
			 : cause->elsewhere == 1 ? " other call path"
						 : " other call paths");
}

void pe_verdict_say(struct pe_text *out, const struct pe_verdict_report *report, uint32_t index,
		    const struct pe_delta *delta)
{
	const struct pe_cause *cause = &report->causes[index];

	/* More than all of a difference is no share of it: others cancel it out. */
	if (!isnan(cause->share) && fabs(cause->share) < 1.05) {
		pe_text_add(out, cause->share < 0 ? "−" : "");
		add_number(out, 100 * fabs(cause->share), fabs(cause->share) < 0.0995 ? 1 : 0);
		pe_text_add(out, " % of ");
		add_signed(out, report->whole, report->unit);
	} else {
		add_signed(out, cause->amount, report->unit);
	}
	pe_text_add(out, ": ");
	say_origin(out, cause, delta);
	say_kind(out, cause, delta, report->unit);
	say_contexts(out, cause);
	if (cause->noise > 0) {
		pe_text_add(out, "; ");
		add_number(out, fabs((double)cause->amount) / cause->noise, -1);
		pe_text_add(out, " standard errors");
	}
}

void pe_verdict_say_whole(struct pe_text *out, const struct pe_verdict_report *report)
{
	const char *verb = report->unit == PE_VERDICT_NS      ? "takes"
			   : report->unit == PE_VERDICT_CALLS ? "makes"
							      : "allocates";

	if (report->unit == PE_VERDICT_NOTHING) {
		pe_text_add(out, "old and new have no metric in common");
		return;
	}
	if (report->whole == 0) {
		pe_text_addf(out, "new %s what old did: ", verb);
		add_amount(out, (double)report->new_whole, report->unit);
		return;
	}
	pe_text_addf(out, "new %s ", verb);
	add_amount(out, (double)report->whole, report->unit);
	pe_text_addf(out, " %s than old: ", report->whole > 0 ? "more" : "less");
	add_amount(out, (double)report->old_whole, report->unit);
	pe_text_add(out, " → ");
	add_amount(out, (double)report->new_whole, report->unit);
}
