/*
 * Reach: what the functions that a run enters can get at. Marks spread from what is executed to the data that it points at
 * and to what that points at, over the borders of modules by name.
 */
#ifndef PE_METHODS_CODE_REACH_H
#define PE_METHODS_CODE_REACH_H

#include "core/base/vec.h"
#include "analysis/methods/code_unwind.h"

/** How something is reached. */
enum pe_reach_how {
	PE_REACH_NOT,
	PE_REACHED, /**< functions that it only calls or points at are executed if they were seen to be */
	PE_REACH_ALL, /**< it may run unseen: with all that it calls or points at */
};

/** A module and what of it is reached. */
struct pe_reach_part {
	const struct pe_image *image;
	struct pe_view view;
	struct pe_landings landings;
	unsigned char *code, *atoms,
		*bounds;          /**< enum pe_reach_how, as struct pe_code_choice has it */
	PE_VEC(size_t) split_off; /**< code that the compiler cut out of functions */
};

/** A name that modules offer each other. */
struct pe_reach_name {
	const char *name;
	size_t part;
	uint64_t addr;
};

/** Work in progress: something whose own pointers are to be followed. */
struct pe_reach_item {
	size_t part, index;
	enum { PE_REACH_CODE, PE_REACH_ATOM, PE_REACH_BOUND } kind;
};

struct pe_reach {
	struct pe_reach_part *parts;
	size_t n;
	PE_VEC(struct pe_reach_name) names; /**< by name */
	PE_VEC(struct pe_reach_item) work;
};

/** Collect the names of parts; release with pe_reach_close(). Borrows the parts. */
void pe_reach_open(struct pe_reach *out, struct pe_reach_part *parts, size_t n);
void pe_reach_close(struct pe_reach *reach);

/** Nothing is reached any more. */
void pe_reach_clear(struct pe_reach *reach);

/** Mark a function, with what the compiler split off from it. @param code  index into the view's */
void pe_reach_code(struct pe_reach *reach, size_t part, size_t code, enum pe_reach_how how);

/** Mark what of a part is always in: see code_executed.h. @param first  it is the program itself */
void pe_reach_roots(struct pe_reach *reach, size_t part, bool first);

/** Mark all of a part. */
void pe_reach_whole(struct pe_reach *reach, size_t part);

/** Follow the pointers of all that is marked, until nothing is new. */
void pe_reach_spread(struct pe_reach *reach);

#endif
