/*
 * View: an image without its addresses. A pointer is written as the name and offset of its target, or, for a target
 * without a name (strings, constants, switch tables), as its content.
 */
#pragma once

#include "core/base/xxh.h"
#include "core/base/text.h"
#include "core/base/vec.h"
#include "analysis/methods/code_image.h"
#include "analysis/methods/code_x86.h"

/** A place in nameless constants at which something begins, because something points there. */
struct pe_bound {
	uint64_t addr;
	const struct pe_atom *owner; /**< a function that points there; NULL */
	bool whole; /**< its address is taken: what begins here may reach over the bounds that only are accessed */
};

/** The hash of a nameless constant, once somebody asked for it. */
struct pe_constant_hash {
	struct pe_xxh hash;
	enum { PE_KNOWN_NOT, PE_KNOWN_SOON, PE_KNOWN } state;
};

/** What one function refers to: a range of pe_view.refs. */
struct pe_view_code {
	const struct pe_atom *atom; /**< NULL: code between atoms */
	uint64_t addr, size;        /**< without the padding behind it */
	size_t first, n;
};

struct pe_view {
	const struct pe_image *image;
	struct pe_refs refs;
	PE_VEC(struct pe_view_code) code; /**< by address */
	PE_VEC(struct pe_bound) bounds;   /**< by address, no two alike */
	struct pe_constant_hash *known; /**< of the constants that begin at the bounds, one each */
};

/** Scan all code of an image, which is for x86-64 or as it is; release with pe_view_close(). */
void pe_view_open(struct pe_view *out, const struct pe_image *image);
/** Free its lists. The image is borrowed, and stays open. */
void pe_view_close(struct pe_view *view);

/** Write bytes with the tree's path masked, preceded by their length. */
void pe_view_add_bytes(struct pe_text *out, const struct pe_view *view, const void *bytes,
		       size_t n);

/**
 * Write what a reference points at.
 *
 * @param exact  takes what tells variables of one stem apart; NULL: goes into out
 * @param owner  function that refers; NULL
 */
void pe_view_add_target(struct pe_text *out, struct pe_text *exact, const struct pe_view *view,
			const struct pe_ref *ref, const struct pe_atom *owner);

/** Write an address, as a pointer that is stored somewhere. */
void pe_view_add_pointer(struct pe_text *out, const struct pe_view *view, uint64_t addr);

/**
 * Write the content from an address to another in one section: pointers by what they point at.
 *
 * @param owner  function whose switch tables may stand here; NULL
 * @param trim   leave out the zeros at the end
 */
void pe_view_add_content(struct pe_text *out, const struct pe_view *view, uint64_t addr,
			 uint64_t end, const struct pe_atom *owner, bool trim);

/**
 * Write what a named object holds when the program starts: pointers by what they point at.
 *
 * @param exact  as of pe_view_add_target()
 */
void pe_view_add_object(struct pe_text *out, struct pe_text *exact, const struct pe_view *view,
			const struct pe_atom *atom);

/** The next pointer that an object holds, from an offset on. @return  behind it; 0: there is no further one */
uint64_t pe_view_next_pointer(uint64_t *target, const struct pe_view *view,
			      const struct pe_atom *atom, uint64_t from);

/**
 * Whether two functions are one in the source: one and what the compiler split off from it, "f" and "f.cold", or
 * "f@unit#0" and "f.cold@unit#0" where several units have an f.
 */
bool pe_view_kin(const struct pe_atom *a, const struct pe_atom *b);

/** Whether a section's content is constant once the program is loaded. */
bool pe_view_constant(const struct pe_section *section);

/** Index of the first bound after an address. */
size_t pe_view_bound_after(const struct pe_view *view, uint64_t addr);
