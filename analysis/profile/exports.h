/* Exports: the writers of pe_exports[], and their common helper. */
#ifndef PE_PROFILE_EXPORTS_H
#define PE_PROFILE_EXPORTS_H

#include "analysis/profile/export.h"

/** Writers of pe_exports[], see struct pe_export_format. */
int pe_export_folded(struct pe_text *out, const struct pe_cct *cct,
		     const struct pe_export_options *options, struct pe_err *err);
int pe_export_pprof(struct pe_text *out, const struct pe_cct *cct,
		    const struct pe_export_options *options, struct pe_err *err);
int pe_export_speedscope(struct pe_text *out, const struct pe_cct *cct,
			 const struct pe_export_options *options, struct pe_err *err);

/** Append a frame's name and signature. */
void pe_export_add_name(struct pe_text *out, const struct pe_frame *frame);

#endif
