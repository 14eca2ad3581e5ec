/* Sources: the files of a change and of its newer revision. Shared by app/changes/sources.c and app/changes/reason.c. */
#ifndef PE_APP_CHANGES_SOURCES_H
#define PE_APP_CHANGES_SOURCES_H

#include "app/changes/reason.h"
#include "core/base/vec.h"

struct pe_worker;

/* A file that differs, reduced to the lines outside of methods that only one of its two contents has. */
struct pe_changed_lines {
	const char *path;
	const char **macros; /* names of the macros among them, sorted */
	size_t n_macros;
	bool declarations; /* others are among them */
};

/* A macro that means something else than before, itself or by what it uses. */
struct pe_tainted {
	const char *name;
	const char *root; /* the changed macro that it comes to */
	const char *path; /* of the root */
};

/* A file of the newer revision. */
struct pe_source_file {
	const char *path;
	struct pe_text text; /* empty: it is not there, or cannot be read */
	struct pe_methods methods;
	struct pe_text outside;                          /* see pe_outside_add() */
	bool closed;                                     /* what follows was found out */
	PE_VEC(const struct pe_changed_lines *) headers; /* that it includes, itself left out */
	PE_VEC(struct pe_tainted) tainted;               /* by name */
};

struct pe_sources {
	struct pe_app *app;
	const char *after;
	struct pe_arena *arena;
	struct pe_worker *worker;
	struct pe_changed_lines *changed; /* by path */
	size_t n_changed;
	const char *build;                       /* see pe_sources_build() */
	PE_VEC(struct pe_source_file *) sources; /* by path */
};

/** A file of the newer revision, read at most once; it stands between its neighbours by path. */
struct pe_source_file *pe_sources_find(struct pe_sources *sources, const char *path);

#endif
