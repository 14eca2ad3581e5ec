/*
 * Events: the jumps of an evolution as causes, for writers: a line an event, whichever and however many benchmarks it
 * moves. An event of one benchmark is written as its jumps are.
 */
#ifndef PE_REPORT_EVENTS_H
#define PE_REPORT_EVENTS_H

#include "report/query.h"

struct pe_ranked_event {
	const struct pe_event *event;
	/** Its jumps as pe_evolution_rank() orders them: the worst first; one at least. */
	const struct pe_ranked_jump *jumps;
	size_t n;
	size_t worse, better; /**< benchmarks: with a regression in any metric, and the others */
};

/** Every event with a jump, by its first one, in the order of pe_evolution_rank(). The arena owns the array. */
struct pe_ranked_event *pe_evolution_events(size_t *n, const struct pe_evolution *evolution,
					    struct pe_arena *arena);

/** One an event of the evolution: its place in that order; for members of JSON. SIZE_MAX: no jump of it is shown. */
const size_t *pe_events_numbers(const struct pe_evolution *evolution, struct pe_arena *arena);

/** How many ranked events stand before those that are accepted. */
size_t pe_events_open(const struct pe_ranked_event *events, size_t n);

/** Whether it moves more than one benchmark, so that it is written as one. */
bool pe_event_is_wide(const struct pe_ranked_event *event);

/** Count the benchmarks of its jumps anew: of those that are left of an event. */
void pe_event_count(struct pe_ranked_event *event);

/** Append "12 benchmarks worse (worst parse[size=1024] +36.4 %), 2 better". */
void pe_event_add_counts(struct pe_text *out, const struct pe_ranked_event *event);

/**
 * Append "; rather at a1b2c3d4: sort, parse and 2 more", a commit after the other: the benchmarks whose own values speak
 * for another commit than that of their event, which may have a cause of its own there. Nothing without them.
 */
void pe_event_add_elsewhere(struct pe_text *out, const struct pe_evolution *evolution,
			    const struct pe_ranked_event *event);

/** Append "parse_number, skip_space and 3 more", the functions that its benchmarks share; nothing without them. */
void pe_event_add_functions(struct pe_text *out, const struct pe_ranked_event *event);

/**
 * Append "1 confirmed regression, 2 suspected improvements in 30 revisions of 6 benchmarks": by events.
 *
 * @param events  as pe_evolution_events() gives them
 */
void pe_evolution_add_headline(struct pe_text *out, const struct pe_evolution *evolution,
			       const struct pe_ranked_event *events, size_t n);

struct pe_json;

/** The members of one event, as below, of an object that is open. */
void pe_event_json(struct pe_json *json, const struct pe_evolution *evolution,
		   const struct pe_ranked_event *event);

/**
 * The member "events" of an object: [{ commit: id, subject, first: id, last: id, sure, state, regression, benchmarks,
 * worse, better, functions: [name], jumps: [{ benchmark, metric, relative, state }] }], the worst first.
 */
void pe_events_json(struct pe_json *json, const struct pe_evolution *evolution);

/** Rows of CSV: an event with its commit, counts, worst change and functions each. */
void pe_events_csv(struct pe_text *out, const struct pe_evolution *evolution);

#endif
