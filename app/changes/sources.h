/* Sources: the files of a change's newer revision with their methods, and the files that differ in more than methods. */
#pragma once

#include "app/changes/changed_methods.h"

/** The sources of a revision, each read when it is first asked for. */
struct pe_sources;

/**
 * @param revision  id, borrowed
 * @param arena     owns the methods
 */
struct pe_sources *pe_sources_open(struct pe_app *app, const char *revision,
				   struct pe_arena *arena);

/** NULL is allowed. */
void pe_sources_close(struct pe_sources *sources);

/** The innermost method around a line; NULL: none, or no file that perfevo reads. */
const struct pe_method *pe_sources_method(struct pe_sources *sources, const char *file,
					  uint32_t line);

/** The method of a file whose unqualified name it is; NULL: none. */
const struct pe_method *pe_sources_named(struct pe_sources *sources, const char *file,
					 const char *name);

/**
 * The files that differ in more than methods, comments and blanks, those among them that tell how to build.
 *
 * @param out  "scale.h, table.c, CMakeLists.txt" in the arena; NULL: there is none
 */
int pe_sources_outside(const char **out, struct pe_app *app, struct pe_comparer *comparer,
		       const struct pe_revision_changes *changes, struct pe_arena *arena);

/** The last part of a qualified name: "method" of "ns::Class::method". Points into it. */
const char *pe_unqualified(const char *name);
