/* Identity: hashes of functions, and one of everything a module brings into memory. */
#pragma once

#include "core/base/xxh.h"
#include "analysis/methods/code_unwind.h"
#include "analysis/methods/code_view.h"

/** The hashes of a function (struct pe_code_function). */
struct pe_code_hashes {
	struct pe_xxh hash, instructions, unlined;
	/** Hash, with variables of one stem told apart: for the identity of a program. */
	struct pe_xxh exact;
};

/** @param line  of the definition; 0: unknown */
void pe_code_hash(struct pe_code_hashes *out, const struct pe_view *view,
		  const struct pe_landings *landings, const struct pe_view_code *code,
		  uint32_t line);

/** A part of a module: what counts of it, one number each; 0: it does not. */
struct pe_code_choice {
	const unsigned char *code;   /**< of view->code */
	const unsigned char *atoms;  /**< of the image's atoms that are data */
	const unsigned char *bounds; /**< of view->bounds: nameless constants */
};

/** Whether a function comes from the toolchain's start-up files. */
bool pe_code_startup(const struct pe_atom *atom);

/**
 * Everything of a module that is loaded, without addresses; or a part of it, without places in cache lines and alignments.
 * Unnamed code and data, the loader's tables, and variables of threads are in every part; imports are in none, since they
 * count where they are used.
 *
 * @param hashes  exact ones of view->code, of what is chosen
 * @param choice  NULL: everything
 */
void pe_code_identity(struct pe_xxh *out, const struct pe_view *view, const struct pe_xxh *hashes,
		      const struct pe_code_choice *choice);

/** Whether the order within a section has no meaning; in others it may be a table that a program collects. */
bool pe_code_usual(const struct pe_section *section);

/** The same for modules that cannot be read so: all loaded bytes as they are but for the build id. */
void pe_code_raw_identity(struct pe_xxh *out, const struct pe_view *view);
