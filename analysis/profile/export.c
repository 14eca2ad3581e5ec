#include "analysis/profile/export.h"

#include <string.h>

const struct pe_export_format pe_exports[] = {
	{"folded", "folded stacks, for flame graphs", false, pe_export_folded},
	{"pprof", "protocol buffer of pprof, compressed", true, pe_export_pprof},
	{"speedscope", "JSON of speedscope", false, pe_export_speedscope},
};

const size_t pe_n_exports = sizeof(pe_exports) / sizeof(pe_exports[0]);

const struct pe_export_format *pe_export_find(const char *name, struct pe_err *err)
{
	pe_auto_text names = PE_TEXT_INIT;

	for (size_t i = 0; i < pe_n_exports; i++)
		if (strcmp(pe_exports[i].name, name) == 0)
			return &pe_exports[i];
	for (size_t i = 0; i < pe_n_exports; i++)
		pe_text_addf(&names, "%s%s", i > 0 ? ", " : "", pe_exports[i].name);
	pe_fail(err, PE_EINVALID, "unknown format '%s' for a profile (there are %s)", name,
		pe_text_str(&names));
	return NULL;
}

void pe_export_add_name(struct pe_text *out, const struct pe_frame *frame)
{
	pe_text_add(out, frame->name);
	pe_text_add(out, frame->signature);
}
