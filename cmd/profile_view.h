/* View: how a profile is looked at: the options that `profile` and `import --print` share, and the printing. */
#pragma once

#include "cmd/ui/cmd.h"
#include "analysis/profile/cct.h"

struct pe_profile_view {
	bool hot, methods; /**< in place of the tree */
	int format;        /**< index into pe_profile_formats */
	const char *weight;
	const char *least; /**< share, as text; NULL: the default */
	size_t depth, most;
};

/** "term", "json", "folded", "dot". */
extern const char *const pe_profile_formats[];

/** The rows of a command's table of options. */
#define PE_PROFILE_VIEW_OPTS(view)                                                                 \
	OPT_FLAG(0, "hot", &(view)->hot, "methods by what they themselves spend"),                 \
		OPT_FLAG(0, "methods", &(view)->methods,                                           \
			 "methods by what they and all they call spend"),                          \
		OPT_STRING('w', "weight", &(view)->weight, "NAME",                                 \
			   "what counts: time, samples, calls, allocations or bytes"),             \
		OPT_STRING(0, "min-share", &(view)->least, "SHARE",                                \
			   "sum up what is less than this, such as 2% (0.5% by default)"),         \
		OPT_NUMBER(0, "depth", &(view)->depth, "N", "only so many levels of the tree"),    \
		OPT_NUMBER('n', "number", &(view)->most, "N",                                      \
			   "rows of --hot and --methods (40 by default)"),                         \
		OPT_CHOICE(0, "format", &(view)->format, pe_profile_formats,                       \
			   "how the result is printed")

/** What a profile is of; all may be NULL. */
struct pe_profile_subject {
	const char *benchmark, *revision, *subject;
	int64_t taken_s;
	const uint64_t *instructions; /**< as in struct pe_profile */
};

/** Whether the options fit together: PE_OK, or an exit status to return. */
int pe_profile_view_check(struct pe_cmd_ctx *ctx, const struct pe_profile_view *view);

/** Print a tree. PE_ENOTFOUND when the tree lacks the weight; PE_EINVALID; PE_ESYS. */
int pe_profile_print(struct pe_cmd_ctx *ctx, const struct pe_cct *cct,
		     const struct pe_profile_subject *subject, const struct pe_profile_view *view);
