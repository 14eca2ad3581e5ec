/* Pieces that the writers of comparisons share. Private to the room. */
#pragma once

#include "core/json/writer.h"
#include "report/compare.h"
#include "report/terminal.h"

/** "name(signature)", or the benchmark for a root. */
void pe_compare_add_method(struct pe_text *out, const struct pe_frames *frames, uint32_t frame);

/** An amount with its sign: "+12.1 ms", "−3". */
void pe_compare_add_signed(struct pe_text *out, int64_t amount, const char *unit);

struct pe_doc;

/** "old: 3f2a91c0 subject" and "new: ...", and where they were measured. */
void pe_compare_put_sides(struct pe_doc *doc, const struct pe_compare *compare);

/** What a list leaves out, and how to see it: "… and 37 more causes (--top N)"; nothing where that is none. */
void pe_compare_add_more(struct pe_text *out, size_t more, const char *noun, const char *how);

/** The table of metrics; the name is in the first column, "" where it stands elsewhere. Release it. */
void pe_compare_begin_metrics(struct pe_table *out, const struct pe_term *term);
void pe_compare_put_metrics(struct pe_table *table, const struct pe_compare_pair *pair,
			    const char *name);

/** "instructions by function: 12 of 330 execute more or fewer"; pair->functions is not NULL. */
void pe_compare_say_functions(struct pe_text *out, const struct pe_compare_pair *pair);

/** The functions that changed most: how much, and what became of their source. Release the table; it may be empty. */
void pe_compare_list_functions(struct pe_table *out, const struct pe_compare_pair *pair,
			       const struct pe_term *term);

/** What the list leaves out, and what varies; nothing where that is none. */
void pe_compare_add_other_functions(struct pe_text *out, const struct pe_compare_pair *pair);

/** Members "source" and "code". */
void pe_compare_json_change(struct pe_json *json, struct pe_frame_change change);

/** Member "functions": those that changed or vary, or null without counts. */
void pe_compare_json_functions(struct pe_json *json, const struct pe_compare_pair *pair);

/** Why a pair has no report, as a sentence; NULL: it has one. */
const char *pe_compare_unexplained(const struct pe_compare_pair *pair);

/** The unit of a cost. @param event  of pe_delta_event() */
const char *pe_compare_cost_unit(enum pe_cost cost, const char *event);

/** "time", "allocations", "bytes", "instructions". */
const char *pe_compare_cost_name(enum pe_cost cost);

/** Member "metrics" of a benchmark, as compare_json.c has it. */
void pe_compare_json_metrics(struct pe_json *json, const struct pe_compare_pair *pair);

/** Member "judged"; `causes` adds the parts of each, by numbers of frames and nodes. */
void pe_compare_json_judged(struct pe_json *json, const struct pe_compare_pair *pair, bool causes);

/** Members "old" and "new": each side's name, id and subject. */
void pe_compare_json_sides(struct pe_json *json, const struct pe_compare *compare);

/** A member with the name of a method, null for none. */
void pe_compare_json_method(struct pe_json *json, const char *key, const struct pe_frames *frames,
			    uint32_t frame);

/** The member "source": the counts of both sides' sources, or null where they are not known. */
void pe_compare_json_source(struct pe_json *json, const struct pe_compare_source *source);

/** The stages of one pair as an object, as pe_parcs_json() has it among its benchmarks. */
void pe_parcs_json_benchmark(struct pe_json *json, const char *key,
			     const struct pe_compare_pair *pair);

/**
 * The whole difference of a report as a sentence: "new takes 8.3 ms more, 22.0 ms → 30.3 ms (+37.9 %)". It adds the
 * difference of the profiled runs where the timed runs measured another one.
 */
void pe_compare_say_whole(struct pe_text *out, const struct pe_compare_pair *pair,
			  const struct pe_attribution *report);

/** The change of a method in a word: "modified", "recompiled"; NULL: unknown. */
const char *pe_compare_change_word(struct pe_frame_change change);

/** Who made a difference and how much: "`hash` (modified, table.c:32): +8.2 ms ± 0.3 ms, 99 %, +47.5 M instructions". */
void pe_compare_say_cause(struct pe_text *out, const struct pe_attribution *report,
			  const struct pe_cause *cause, const struct pe_frames *frames);

/** What it does now: "itself: 39 → 134 instructions a call, 500,000 calls; ..."; nothing where it is unknown. */
void pe_compare_say_parts(struct pe_text *out, const struct pe_attribution *report,
			  const struct pe_cause *cause, const struct pe_frames *frames);

/** What is left of a difference beside its causes; nothing where that is none. */
void pe_compare_say_rest(struct pe_text *out, const struct pe_attribution *report);
