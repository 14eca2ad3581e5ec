/* What the views of a profile have in common: shares, intervals, marks, and the sentences below. */
#ifndef PE_REPORT_PROFILE_TEXT_H
#define PE_REPORT_PROFILE_TEXT_H

#include "report/profile.h"
#include "report/terminal.h"

struct pe_json;

/** A profile with its totals at hand. */
struct pe_profile_view_data {
	const struct pe_profile *profile;
	const struct pe_cct *cct;
	const uint64_t *self, *total; /**< of the weight; NULL: unknown */
	const uint64_t *samples;      /**< with everything below; NULL: unknown */
	double whole;                 /**< total of the root */
	struct pe_arena arena;
	unsigned flags; /**< of all that was shown: enum pe_cct_flag */
	bool intervals; /**< some were shown */
	bool differs;   /**< "differs in 3 of 8 runs" was shown */
};

/** Sum up what the views of a profile share; pe_profile_end() releases it. */
void pe_profile_begin(struct pe_profile_view_data *view, const struct pe_profile *profile);
/** Release what pe_profile_begin() summed up. */
void pe_profile_end(struct pe_profile_view_data *view);

/** The sum of two values, UINT64_MAX where it is more. */
static inline uint64_t pe_profile_sum(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/** Put a value into the next cell of a table; nothing where it is unknown. */
void pe_profile_put(struct pe_table *table, bool known, double value, const char *unit);

/** "97.6 %"; "–" of nothing. */
void pe_profile_add_share(struct pe_text *out, double share);

/** "±0.3": half of the 95 % interval of a share, in points; nothing where there are no samples. */
void pe_profile_add_half(struct pe_text *out, struct pe_profile_view_data *view, uint64_t samples);

/** Name and signature; the root is the benchmark. */
void pe_profile_add_method(struct pe_text *out, const struct pe_profile_view_data *view,
			   const struct pe_frame *frame);

/** The marks of a node; where counting runs differ, "differs in 3 of 8 runs" replaces "unstable". */
void pe_profile_add_marks_of(struct pe_text *out, struct pe_profile_view_data *view, unsigned flags,
			     uint32_t differs);

/** The marks of a node, with "differs in 3 of 8 runs" in place of "unstable" if the runs were counted. */
void pe_profile_add_node_marks(struct pe_text *out, struct pe_profile_view_data *view,
			       uint32_t node);

/** "differs in 3 of 8 runs": how many of the counting runs are unlike the one shown; nothing where none is. */
bool pe_profile_add_differs(struct pe_text *out, const struct pe_cct *cct, uint32_t node);

/** The same as members of an object: "differs_in" and "runs". */
void pe_profile_json_differs(struct pe_json *json, const struct pe_cct *cct, uint32_t node);

/** A timeline by column (profile_json.c). @param methods  numbers by frame; NULL: those of the frames */
void pe_profile_json_timeline(struct pe_json *json, const char *key,
			      const struct pe_timeline *timeline, const uint32_t *methods);

/** The benchmark, the commit, and what was collected. */
void pe_profile_add_head(struct pe_text *out, const struct pe_profile_view_data *view,
			 const struct pe_term *term);

/** What the values are and what the marks mean, in sentences. */
void pe_profile_add_facts(struct pe_text *out, const struct pe_profile_view_data *view,
			  const struct pe_term *term);

#endif
