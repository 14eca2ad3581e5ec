/*
 * Sources: the files of a change and of its newer revision. They tell why a function with unchanged source was compiled to
 * other code: by what it mentions, and by what differs outside of methods.
 */
#ifndef PE_APP_CHANGES_SOURCES_H
#define PE_APP_CHANGES_SOURCES_H

#include "app/app.h"
#include "analysis/methods/method.h"

/** The sources of a revision, each read when it is first asked for, and what differs from an older one. */
struct pe_sources;

/**
 * @param before, after  ids of the revisions
 * @param arena          owns the strings that are given out
 * @return               as pe_repo_changes()
 */
int pe_sources_open(struct pe_sources **out, struct pe_app *app, const char *before,
		    const char *after, struct pe_arena *arena);

/** NULL is allowed. */
void pe_sources_close(struct pe_sources *sources);

/** The innermost method of the newer revision around a line; NULL: none, or no file that perfevo reads. */
const struct pe_method *pe_sources_method(struct pe_sources *sources, const char *file,
					  uint32_t line);

/** The method of a file of the newer revision whose unqualified name it is; NULL: none. */
const struct pe_method *pe_sources_named(struct pe_sources *sources, const char *file,
					 const char *name);

/**
 * The first of some names that a method's text mentions, comments and strings left out.
 *
 * @param names  sorted by strcmp()
 * @return       one of them; NULL: none
 */
const char *pe_sources_mentioned(struct pe_sources *sources, const struct pe_method *method,
				 const struct pe_strings *names);

/** In how many files of C and C++ nothing differs but methods, comments and blanks. */
size_t pe_sources_only_methods(const struct pe_sources *sources);

/**
 * Files of C and C++ in which something differs outside of methods, with the macros among it, and what tells how to build.
 *
 * @return  "scale.h (macro SCALE), table.c, CMakeLists.txt"; NULL: nothing
 */
const char *pe_sources_outside(const struct pe_sources *sources);

/** The last part of a qualified name: "method" of "ns::Class::method". Points into it. */
const char *pe_unqualified(const char *name);

#endif
