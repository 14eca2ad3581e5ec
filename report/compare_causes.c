/* A cause in words: who made the difference, by how much, and what it does now. */
#include "report/compare_text.h"

#include "report/format.h"
#include "report/short_name.h"

#include <math.h>
#include <string.h>

enum { MOST_COLUMNS = 68, MOST_NAMES = 1 + 2 * PE_CAUSE_PARTS + PE_CAUSE_CANDIDATES };

/* Of the wall time of a side: what is explained is called processor time if it is less. */
static const double OF_WALL = 0.97;

/* Counts within this share of each other are called the same where times differ by more. */
static const double AS_MANY = 0.001;

/* Below this share of its part, a method's own work is not said beside that of a library. */
static const double LEAST_OWN = 0.05;

/* Find the frames that a cause names. */
static uint32_t find_named(uint32_t out[MOST_NAMES], const struct pe_cause *cause)
{
	uint32_t n = 0;

	out[n++] = cause->frame;
	for (uint32_t i = 0; i < cause->n_parts; i++) {
		out[n++] = cause->parts[i].frame;
		out[n++] = cause->parts[i].other;
	}
	for (uint32_t i = 0; i < cause->n_candidates && i < PE_CAUSE_CANDIDATES; i++)
		out[n++] = cause->candidates[i];
	return n;
}

/* Append a method's name, cut so that it differs from the others that its cause names. */
static void add_name(struct pe_text *out, const struct pe_cause *cause,
		     const struct pe_frames *frames, uint32_t frame)
{
	struct pe_short_name names[1 + MOST_NAMES] = {{.columns = MOST_COLUMNS}};
	uint32_t others[MOST_NAMES], n = find_named(others, cause);
	pe_auto_arena arena = PE_ARENA_INIT;
	size_t n_names = 1;

	if (frame == PE_FRAME_NONE) {
		pe_text_add(out, "functions in no call path");
		return;
	}
	if (frames->at[frame].kind == PE_FRAME_ROOT) {
		pe_text_add(out, "the benchmark");
		return;
	}
	names[0].name = frames->at[frame].name;
	for (uint32_t i = 0; i < n; i++)
		if (others[i] != PE_FRAME_NONE)
			names[n_names++] = (struct pe_short_name){frames->at[others[i]].name,
								  MOST_COLUMNS, NULL};
	pe_short_names_fit(names, n_names, "\xe2\x80\xa6", &arena);
	pe_text_addf(out, "`%s`", names[0].shown);
}

/* Whether a method has the name of another one of its cause, so that parameters tell them apart. */
static bool has_namesake(const struct pe_cause *cause, const struct pe_frames *frames,
			 uint32_t frame)
{
	uint32_t others[MOST_NAMES], n = find_named(others, cause);

	for (uint32_t i = 0; i < n; i++)
		if (others[i] != PE_FRAME_NONE && others[i] != frame && frame != PE_FRAME_NONE &&
		    strcmp(frames->at[others[i]].name, frames->at[frame].name) == 0)
			return true;
	return false;
}

static void add_part_name(struct pe_text *out, const struct pe_cause *cause,
			  const struct pe_frames *frames, uint32_t frame)
{
	add_name(out, cause, frames, frame);
	if (has_namesake(cause, frames, frame) && frames->at[frame].signature[0] != '\0')
		pe_text_addf(out, " %s", frames->at[frame].signature);
}

const char *pe_compare_change_word(struct pe_frame_change change)
{
	static const char *const words[PE_N_SOURCE_CHANGES][PE_N_BINARY_CHANGES] = {
		[PE_SOURCE_UNKNOWN] = {NULL, "not recompiled", "recompiled"},
		[PE_SOURCE_SAME] = {"source unchanged", "unchanged",
				    "recompiled, its source unchanged"},
		[PE_SOURCE_MODIFIED] = {"modified", "modified, without effect on its code",
					"modified"},
		[PE_SOURCE_ADDED] = {"new", "new", "new"},
		[PE_SOURCE_DELETED] = {"deleted", "deleted", "deleted"},
		[PE_SOURCE_RENAMED] = {"renamed", "renamed", "renamed and recompiled"},
	};
	const bool otherwise =
		change.executed == PE_EXECUTED_MORE || change.executed == PE_EXECUTED_FEWER;

	/* Who executes otherwise is not called unchanged. */
	if (otherwise && change.code != PE_BINARY_RECOMPILED &&
	    (change.source == PE_SOURCE_SAME || change.source == PE_SOURCE_UNKNOWN))
		return "its source unchanged";
	return words[change.source][change.code];
}

/* "(modified, table.c:32)". */
static void add_place(struct pe_text *out, const struct pe_frames *frames, uint32_t frame,
		      struct pe_frame_change change)
{
	const char *word = pe_compare_change_word(change);
	const struct pe_frame *at = &frames->at[frame];

	if (word == NULL && at->line == 0)
		return;
	pe_text_add(out, " (");
	if (change.source == PE_SOURCE_SAME && change.reason != NULL)
		pe_text_addf(out, "recompiled: %s", change.reason);
	else if (word != NULL)
		pe_text_add(out, word);
	if (at->line > 0) {
		pe_text_add(out, word != NULL ? ", " : "");
		pe_text_add_columns(out, at->component, 60);
		pe_text_addf(out, ":%u", at->line);
	}
	pe_text_addc(out, ')');
}

static void add_amount(struct pe_text *out, double amount, const struct pe_attribution *report)
{
	pe_format_value(out, amount, pe_compare_cost_unit(report->cost, report->event));
	if (report->cost != PE_COST_TIME && report->cost != PE_COST_BYTES)
		pe_text_addf(out, " %s", pe_compare_cost_name(report->cost));
}

/* --- Who and how much --- */

static void add_candidates(struct pe_text *out, const struct pe_cause *cause,
			   const struct pe_frames *frames)
{
	const uint32_t n = cause->n_candidates < PE_CAUSE_CANDIDATES ? cause->n_candidates
								     : PE_CAUSE_CANDIDATES;

	if (n == 0) {
		pe_text_add(out, "data");
		return;
	}
	pe_text_add(out, "data, by one of ");
	for (uint32_t i = 0; i < n; i++) {
		pe_text_add(out, i > 0 ? ", " : "");
		add_name(out, cause, frames, cause->candidates[i]);
	}
	if (cause->n_candidates > n)
		pe_text_addf(out, " and %u more", cause->n_candidates - n);
}

static void add_who(struct pe_text *out, const struct pe_cause *cause,
		    const struct pe_frames *frames)
{
	if (cause->frame == PE_FRAME_NONE) {
		add_candidates(out, cause, frames);
		return;
	}
	if (cause->probably)
		pe_text_add(out, "probably ");
	add_name(out, cause, frames, cause->frame);
	add_place(out, frames, cause->frame, cause->change);
}

void pe_compare_say_cause(struct pe_text *out, const struct pe_attribution *report,
			  const struct pe_cause *cause, const struct pe_frames *frames)
{
	add_who(out, cause, frames);
	pe_text_add(out, cause->amount > 0 ? ": +" : ": ");
	add_amount(out, (double)cause->amount, report);
	if (cause->noise >= 1) {
		pe_text_add(out, " ± ");
		add_amount(out, cause->noise, report);
	}
	/* More than all of a difference is no share of it: others cancel it out. */
	if (!isnan(cause->share) && fabs(cause->share) < 1.05) {
		pe_text_add(out, ", ");
		if (cause->share < 0)
			pe_text_add(out, "−");
		pe_text_addf(out, "%.*f %%", fabs(cause->share) < 0.0995 ? 1 : 0,
			     100 * fabs(cause->share));
	}
	if (report->cost == PE_COST_TIME && report->instructions != 0 && cause->instructions != 0) {
		pe_text_add(out, cause->instructions > 0 ? ", +" : ", ");
		pe_format_value(out, (double)cause->instructions, "1");
		pe_text_add(out,
			    report->instructions > 0 ? " instructions of +" : " instructions of ");
		pe_format_value(out, (double)report->instructions, "1");
	}
}

void pe_compare_say_first(struct pe_text *out, const struct pe_attribution *report,
			  const struct pe_frames *frames)
{
	if (report->n == 0) {
		pe_text_add(out, "nothing differs beyond noise so far");
		return;
	}
	pe_compare_say_cause(out, report, &report->causes[0], frames);
	pe_text_add(out, "; ");
	pe_compare_say_parts(out, report, &report->causes[0], frames);
}

/* --- What it does now --- */

struct quantity {
	double values[2];
	const char *unit, *noun; /* the noun is of one; NULL: the unit says it */
};

static bool is_near(uint64_t a, uint64_t b)
{
	const uint64_t more = a > b ? a - b : b - a;

	return (double)more <= AS_MANY * (double)(a > b ? a : b);
}

/* Whether a method takes another time for what it did: memory, as a rule. */
static bool is_same_work(const struct pe_cause_part *part, enum pe_cost cost)
{
	return cost == PE_COST_TIME && part->instructions[0] > 0 &&
	       is_near(part->instructions[0], part->instructions[1]);
}

/* Whether bytes differ and allocations do not: the blocks are larger or smaller. */
static bool is_by_size(const struct pe_cause_part *part, enum pe_cost cost)
{
	return cost == PE_COST_BYTES && part->allocations[0] == part->allocations[1];
}

static bool find_quantity(struct quantity *out, const struct pe_cause_part *part,
			  const struct pe_attribution *report)
{
	const enum pe_cost cost = report->cost;
	const uint64_t *counts = cost == PE_COST_ALLOCATIONS || cost == PE_COST_BYTES
					 ? part->allocations
					 : part->instructions;

	*out = (struct quantity){.unit = "1", .noun = "allocation"};
	if (counts == part->instructions)
		out->noun = "instruction";
	if (cost == PE_COST_TIME && (counts[0] == counts[1] || is_same_work(part, cost))) {
		/* The difference is the cause's, which instructions and samples give together. */
		const double from = fmax(part->own_ns[0], -part->amount);

		*out = (struct quantity){{from, from + part->amount},
					 pe_compare_cost_unit(cost, report->event),
					 NULL};
		return part->own_ns[0] + part->own_ns[1] > 0;
	}
	out->values[0] = (double)counts[0];
	out->values[1] = (double)counts[1];
	return cost != PE_COST_CALLS && counts[0] + counts[1] > 0 && !is_by_size(part, cost);
}

enum { BOTH = 2 };

/* The side that alone has a part. */
static int side_of(const struct pe_cause_part *part)
{
	return part->kind == PE_CAUSE_ADDED ? 1 : part->kind == PE_CAUSE_REMOVED ? 0 : BOTH;
}

/* "39 → 134", or the value of a side, or of both if it is the same. */
static void add_step(struct pe_text *out, const double values[2], int side, const char *unit)
{
	if (side == BOTH && values[0] != values[1])
		pe_format_step(out, values[0], values[1], unit);
	else
		pe_format_value(out, values[side == 0 ? 0 : 1], unit);
}

static void add_calls(struct pe_text *out, const struct pe_cause_part *part, int side)
{
	const double calls[2] = {(double)part->calls[0], (double)part->calls[1]};

	add_step(out, calls, side, "1");
	pe_text_add(out, part->calls[0] <= 1 && part->calls[1] <= 1 ? " call" : " calls");
}

/* "now starts `git` 165 times and waits for it, 2.4 ms each". */
static void add_starts(struct pe_text *out, const struct pe_cause_part *part, const char *program)
{
	static const char *const verbs[] = {"no longer starts `", "now starts `", "starts `"};
	const double calls[2] = {(double)part->calls[0], (double)part->calls[1]};
	const int side = side_of(part), shown = side == 0 ? 0 : 1;

	pe_text_addf(out, "%s%.*s` ", verbs[side], (int)strlen(program) - 1, program);
	add_step(out, calls, side, "1");
	pe_text_add(out, part->calls[shown] == 1 ? " time" : " times");
	pe_text_add(out, " and waits for it, ");
	pe_format_value(out, part->own_ns[shown] / fmax(1, calls[shown]), "ns");
	pe_text_add(out, " each");
}

/* "39 → 134 instructions a call, 500,000 calls"; "2,000 calls, 47,500 instructions" of the side that has them. */
static void add_quantity(struct pe_text *out, const struct pe_cause_part *part,
			 const struct pe_attribution *report)
{
	const int side = side_of(part);
	const bool called = part->calls[0] + part->calls[1] > 0;
	const bool same_work = side == BOTH && is_same_work(part, report->cost);
	const bool steady = called && (part->calls[0] == part->calls[1] ||
				       (same_work && is_near(part->calls[0], part->calls[1])));
	const double per = steady ? (double)part->calls[0] : 1;
	struct quantity quantity;
	bool known = find_quantity(&quantity, part, report);
	double *values = quantity.values;

	if (side == BOTH && is_by_size(part, report->cost)) {
		pe_text_add(out, part->amount > 0 ? "+" : "");
		add_amount(out, round(part->amount), report);
		pe_text_add(out, called && (!steady || per > 1) ? ", " : "");
	}
	if (called && !steady)
		add_calls(out, part, side);
	if (known) {
		pe_text_add(out, called && !steady ? ", " : "");
		values[0] /= per;
		values[1] /= per;
		if (quantity.noun != NULL && per > 1 && fabs(values[0]) >= 10 &&
		    fabs(values[1]) >= 10 && round(values[0]) != round(values[1])) {
			values[0] = round(values[0]);
			values[1] = round(values[1]);
		}
		add_step(out, values, side, quantity.unit);
		if (quantity.noun != NULL)
			pe_text_addf(out, " %s%s", quantity.noun,
				     (side == 1 || values[0] == 1) && (side == 0 || values[1] == 1)
					     ? ""
					     : "s");
		pe_text_add(out, steady && per > 1 ? " a call" : "");
	}
	if (steady && per > 1) {
		pe_text_add(out, known ? ", " : "");
		pe_format_value(out, (double)part->calls[1], "1");
		pe_text_add(out, " calls");
	}
	if (same_work)
		pe_text_add(out, ", of as many instructions");
	if (side == BOTH && part->contexts > 1)
		pe_text_addf(out, ", on %u call paths", part->contexts);
}

/* Whether a call takes more of what add_quantity() prints of it. */
static bool is_longer(const struct pe_cause_part *part, const struct pe_attribution *report)
{
	const double calls[2] = {fmax(1, (double)part->calls[0]), fmax(1, (double)part->calls[1])};
	struct quantity quantity;

	if (!find_quantity(&quantity, part, report) || quantity.values[0] == quantity.values[1])
		return part->amount > 0;
	return quantity.values[1] / calls[1] > quantity.values[0] / calls[0];
}

static double change_of(const struct pe_cause_part *part)
{
	return fabs((double)part->instructions[1] - (double)part->instructions[0]);
}

/* "strcat" of "__strcat_sse2_unaligned": the C library has a function for each kind of processor. */
static void add_library_name(struct pe_text *out, const char *name)
{
	static const char *const kinds[] = {"_sse", "_avx", "_evex", "_fma", "_erms"};
	size_t n = strlen(name);

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		const char *at = strstr(name, kinds[i]);

		if (name[0] == '_' && at != NULL && at > name && (size_t)(at - name) < n)
			n = (size_t)(at - name);
	}
	if (name[n] != '\0')
		while (n > 0 && *name == '_') {
			name++;
			n--;
		}
	pe_text_addf(out, "`%.*s`", (int)n, name);
}

/* Take instructions of callees from those of a part. */
static void take_out(struct pe_cause_part *part, uint64_t old, uint64_t new)
{
	part->instructions[0] -= old < part->instructions[0] ? old : part->instructions[0];
	part->instructions[1] -= new < part->instructions[1] ? new : part->instructions[1];
}

/* "no longer calls `strcat`: 500 calls, 9,000 instructions", or "calls `malloc` in place of `calloc`: ..." */
static void add_callee(struct pe_text *out, const struct pe_charge *charge)
{
	static const char *const verbs[] = {"no longer calls ", "now calls ", ""};
	const struct pe_attribution counted = {.cost = PE_COST_INSTRUCTIONS};
	const struct pe_cause_part callee = {
		.kind = charge->new_calls == 0   ? PE_CAUSE_REMOVED
			: charge->old_calls == 0 ? PE_CAUSE_ADDED
						 : PE_CAUSE_CALLS,
		.calls = {charge->old_calls, charge->new_calls},
		.instructions = {charge->old_cost, charge->new_cost},
	};

	pe_text_add(out, charge->replaced[0] != '\0' ? "calls " : verbs[side_of(&callee)]);
	add_library_name(out, charge->callee);
	if (charge->replaced[0] != '\0') {
		pe_text_add(out, " in place of ");
		add_library_name(out, charge->replaced);
	}
	pe_text_add(out, ": ");
	add_quantity(out, &callee, &counted);
}

/*
 * Name the callee in no profile that makes most of a method's difference, and add the instructions of the others, which are
 * all taken from the method's own.
 *
 * @return  whether enough is left to be told
 */
static bool add_callees(struct pe_text *out, struct pe_cause_part *own)
{
	const struct pe_charge *charge = own->charge;
	const double change = (double)own->instructions[1] - (double)own->instructions[0];
	const double callee = (double)charge->new_cost - (double)charge->old_cost;
	const bool is_most = charge->callee[0] != '\0' && callee * change > change * change / 2;
	const double others[2] = {
		(double)charge->old_others + (is_most ? 0 : (double)charge->old_cost),
		(double)charge->new_others + (is_most ? 0 : (double)charge->new_cost)};
	const bool has_others = fabs(others[1] - others[0]) > LEAST_OWN * fabs(change);

	if (is_most)
		add_callee(out, charge);
	if (has_others) {
		pe_text_add(out, is_most ? "; other functions in no call path: "
					 : "functions in no call path: ");
		pe_format_step(out, others[0], others[1], "1");
		pe_text_add(out, " instructions");
	}
	take_out(own, charge->old_cost, charge->new_cost);
	take_out(own, charge->old_others, charge->new_others);
	if (!is_most && !has_others)
		return true;
	if (change_of(own) < LEAST_OWN * fabs(change))
		return false;
	pe_text_add(out, "; ");
	return true;
}

static void add_part(struct pe_text *out, const struct pe_attribution *report,
		     const struct pe_cause *cause, const struct pe_cause_part *part,
		     const struct pe_frames *frames)
{
	static const char *const verbs[2][3] = {
		{"no longer spends time in ", "now spends time in ", ""},
		{"no longer calls ", "now calls ", ""},
	};
	const bool counted = part->calls[0] + part->calls[1] > 0;
	const char *program =
		part->frame != PE_FRAME_NONE ? pe_frame_program(&frames->at[part->frame]) : NULL;
	struct pe_cause_part own = *part;

	if (part->frame == PE_FRAME_NONE) {
		add_part_name(out, cause, frames, part->frame);
		pe_text_add(out, part->amount > 0 ? ": +" : ": ");
		add_amount(out, round(part->amount), report);
		return;
	}
	if (program != NULL && counted) {
		add_starts(out, part, program);
		return;
	}
	if (part->kind == PE_CAUSE_ITSELF) {
		if (part->charge != NULL && !is_same_work(part, report->cost) &&
		    !add_callees(out, &own))
			return;
		pe_text_add(out, "itself");
	} else {
		pe_text_add(out, verbs[counted][side_of(part)]);
		if (part->kind == PE_CAUSE_REPLACED)
			pe_text_add(out, "calls ");
		add_part_name(out, cause, frames, part->frame);
	}
	if (part->kind == PE_CAUSE_REPLACED) {
		pe_text_add(out, " in place of ");
		add_part_name(out, cause, frames, part->other);
	}
	if (part->kind == PE_CAUSE_WORK && report->cost != PE_COST_CALLS &&
	    !is_same_work(part, report->cost))
		pe_text_add(out,
			    is_by_size(part, report->cost)
				    ? (part->amount > 0 ? ", larger blocks" : ", smaller blocks")
			    : is_longer(part, report) ? ", longer work"
						      : ", less work");
	pe_text_add(out, ": ");
	add_quantity(out, &own, report);
}

void pe_compare_say_parts(struct pe_text *out, const struct pe_attribution *report,
			  const struct pe_cause *cause, const struct pe_frames *frames)
{
	if (cause->kind == PE_CAUSE_MEMORY)
		pe_text_add(out, "executes exactly what it did: caches, or placement in memory; ");
	if (cause->kind == PE_CAUSE_UNKNOWN)
		pe_text_add(out, "nothing that changed is known: flags, libraries, data or the "
				 "machine; ");
	if (cause->kind == PE_CAUSE_DATA)
		pe_text_add(out, "by way of data: ");
	for (uint32_t i = 0; i < cause->n_parts; i++) {
		pe_text_add(out, i > 0 ? "; " : "");
		add_part(out, report, cause, &cause->parts[i], frames);
	}
	if (cause->more_parts > 0 && cause->n_parts == PE_CAUSE_PARTS)
		pe_text_addf(out, "; and %u more", cause->more_parts);
}

/* --- The whole and the rest --- */

void pe_compare_say_rest(struct pe_text *out, const struct pe_attribution *report)
{
	const uint32_t more = report->small + report->more;

	if (report->rest != 0 && report->n > 0) {
		pe_text_add(out, report->rest > 0 ? "rest +" : "rest ");
		add_amount(out, (double)report->rest, report);
	}
	if (more > 0)
		pe_text_addf(out, "%s%u smaller cause%s", out->len > 0 ? "; " : "", more,
			     more == 1 ? "" : "s");
	if (report->within_noise > 0)
		pe_text_addf(out, "%s%u smaller difference%s within noise",
			     out->len > 0 ? "; " : "", report->within_noise,
			     report->within_noise == 1 ? "" : "s");
}

static void add_whole(struct pe_text *out, const struct pe_attribution *report, bool of_cpu)
{
	static const char *const verbs[] = {
		[PE_COST_TIME] = "takes",      [PE_COST_ALLOCATIONS] = "makes",
		[PE_COST_BYTES] = "allocates", [PE_COST_INSTRUCTIONS] = "executes",
		[PE_COST_CALLS] = "makes",
	};
	const char *unit = pe_compare_cost_unit(report->cost, report->event);
	const char *noun = report->cost == PE_COST_TIME || report->cost == PE_COST_BYTES
				   ? ""
				   : pe_compare_cost_name(report->cost);

	pe_text_addf(out, "new %s ", verbs[report->cost]);
	if (report->whole == 0) {
		pe_text_addf(out, "as %s%s as old: ", noun[0] != '\0' ? "many " : "much", noun);
		pe_format_value(out, (double)report->new_whole, unit);
		return;
	}
	pe_format_value(out, fabs((double)report->whole), unit);
	pe_text_addf(out, " %s%s%s, ",
		     report->whole > 0 ? "more"
		     : noun[0] != '\0' ? "fewer"
				       : "less",
		     noun[0] != '\0' || of_cpu ? " " : "", of_cpu ? "processor time" : noun);
	pe_format_step(out, (double)report->old_whole, (double)report->new_whole, unit);
	pe_text_add(out, " (");
	pe_format_change(out, (double)report->whole / (double)report->old_whole);
	pe_text_addc(out, ')');
}

/* Whether a run waits, for a processor as a rule, and trees show how it computes. */
static bool is_of_cpu(const struct pe_compare_pair *pair, const struct pe_attribution *report)
{
	const struct pe_compare_value *wall = &pair->wall;

	return report->cost == PE_COST_TIME && pair->cpu.old_n > 0 && wall->old_n > 0 &&
	       ((double)report->old_whole < OF_WALL * wall->old_value ||
		(double)report->new_whole < OF_WALL * wall->new_value);
}

/* Whether trees show another difference than was measured; they are scaled by processor time, and short of what waits. */
static bool is_apart(double measured, double seen)
{
	return fabs(measured - seen) > fmax(0.02, fabs(measured) / 10);
}

void pe_compare_say_whole(struct pe_text *out, const struct pe_compare_pair *pair,
			  const struct pe_attribution *report)
{
	const struct pe_compare_value *value = pe_compare_time(pair);
	double seen = (double)report->whole / (double)report->old_whole;

	add_whole(out, report, is_of_cpu(pair, report));
	if (report->cost != PE_COST_TIME || report->old_whole == 0)
		return;
	if (value == NULL)
		value = pair->wall.old_n > 0 ? &pair->wall : &pair->cpu;
	if (value->old_n == 0 || !isfinite(value->low) || !isfinite(value->high) ||
	    !is_apart(value->relative, seen) || (seen >= value->low && seen <= value->high))
		return;
	pe_text_add(out, "; the timed runs measured ");
	pe_format_change(out, value->relative);
	pe_text_add(out, ", the profiled runs ");
	pe_format_change(out, seen);
}
