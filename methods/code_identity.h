/* Identity: hashes of functions, and one of everything a module brings into memory. */
#ifndef PE_METHODS_CODE_IDENTITY_H
#define PE_METHODS_CODE_IDENTITY_H

#include "core/base/xxh.h"
#include "methods/code_unwind.h"
#include "methods/code_view.h"

/** The three hashes of a function (struct pe_code_function). */
struct pe_code_hashes {
	struct pe_xxh hash, instructions, unlined;
};

/** @param line  of the definition; 0: unknown */
void pe_code_hash(struct pe_code_hashes *out, const struct pe_view *view,
		  const struct pe_landings *landings, const struct pe_view_code *code,
		  uint32_t line);

/** Whether a function comes from the toolchain's start-up files. */
bool pe_code_startup(const struct pe_atom *atom);

/**
 * Everything of a module that is loaded, without addresses.
 *
 * @param data    the same without named functions and without places in cache lines and alignments
 * @param hashes  of view->code, one each
 */
void pe_code_identity(struct pe_xxh *out, struct pe_xxh *data, const struct pe_view *view,
		      const struct pe_landings *landings, const struct pe_xxh *hashes);

/** The same for modules that cannot be read so: all loaded bytes as they are but for the build id. */
void pe_code_raw_identity(struct pe_xxh *out, const struct pe_view *view);

#endif
