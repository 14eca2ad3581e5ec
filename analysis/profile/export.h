/* Export: trees as the files of other tools, for users of these tools. */
#pragma once

#include "core/base/text.h"
#include "analysis/profile/weight.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pe_export_options {
	/** for formats with one value a node; those with several write all for AUTO */
	enum pe_weight weight;
	const char *title; /**< "parse at 3f2a91c"; NULL: none */
	int64_t time_s;    /**< when it was collected; 0: unknown */
};

struct pe_export_format {
	const char *name;    /**< "folded"; the argument of --format */
	const char *summary; /**< "folded stacks, for flame graphs" */
	bool binary;         /**< not for a terminal */
	/**
	 * Append the whole tree. Memory is that of the text: about 100 bytes a node, for folded stacks their
	 * whole path.
	 *
	 * @return  PE_ENOTFOUND: the tree does not have the requested weight
	 */
	int (*write)(struct pe_text *out, const struct pe_cct *cct,
		     const struct pe_export_options *options, struct pe_err *err);
};

extern const struct pe_export_format pe_exports[];
extern const size_t pe_n_exports;

/** Find a format by its name; NULL with the list of names. */
const struct pe_export_format *pe_export_find(const char *name, struct pe_err *err);

/* --- Private to analysis/profile/ --- */

/** Writers of pe_exports[], see struct pe_export_format. */
int pe_export_folded(struct pe_text *out, const struct pe_cct *cct,
		     const struct pe_export_options *options, struct pe_err *err);
int pe_export_pprof(struct pe_text *out, const struct pe_cct *cct,
		    const struct pe_export_options *options, struct pe_err *err);
int pe_export_speedscope(struct pe_text *out, const struct pe_cct *cct,
			 const struct pe_export_options *options, struct pe_err *err);

/** Append a frame's name and signature. */
void pe_export_add_name(struct pe_text *out, const struct pe_frame *frame);
