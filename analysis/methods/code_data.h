/*
 * Data of functions: the named objects that each refers to, by what they hold when the program starts. A nameless constant
 * is in a function's own hash (code_view.h).
 */
#ifndef PE_METHODS_CODE_DATA_H
#define PE_METHODS_CODE_DATA_H

#include "core/base/vec.h"
#include "analysis/methods/code.h"
#include "analysis/methods/code_view.h"

/** An atom of the image as data. */
struct pe_code_object {
	struct pe_code_datum *datum;     /**< NULL: not computed yet */
	const struct pe_view_code *last; /**< the last function that refers to it; NULL */
	bool leaf;                       /**< it points at nothing that a function declares */
};

struct pe_code_data {
	const struct pe_view *view;
	struct pe_arena *arena;         /**< owns what is handed out */
	struct pe_code_object *objects; /**< by atom of the image */
	PE_VEC(size_t) list;            /**< atoms that the function at hand refers to */
};

/** Release with pe_code_data_close(). Borrows the view and the arena. */
void pe_code_data_open(struct pe_code_data *out, const struct pe_view *view,
		       struct pe_arena *arena);
/** Free its tables. Data that were listed live in the arena. */
void pe_code_data_close(struct pe_code_data *data);

/**
 * List the data of a function. Which of them are its own is decided once all functions were listed.
 *
 * @return  n of them in the arena, in the order of the references
 */
const struct pe_code_datum *const *pe_code_data_of(size_t *n, struct pe_code_data *data,
						   const struct pe_view_code *code);

#endif
