/*
 * Sandbox: which places builds and benchmarks get, and the launcher that confines them to these. What the modes mean
 * stands in docs/config.md; how it is kept in probe/launcher/confine.h.
 */
#pragma once

#include "core/base/proc.h"
#include "core/model/sandbox.h"

/** The folders of a session. Strings are absolute; NULL: there is no such folder. Borrowed. */
struct pe_sandbox_site {
	const struct pe_sandbox *sandbox;
	const char *cache_dir;  /**< of the repository: holds slots and scratch; exists */
	const char *root;       /**< the user's tree */
	const char *git_dir;    /**< the repository's common folder */
	const char *store;      /**< the store's file */
	const char *ccache_dir; /**< where ccache keeps its results, if it is used */
	struct pe_strings
		texts; /**< commands and settings of the config: paths in them are needed */
	struct pe_strings programs; /**< what comes with perfevo and takes part in runs */
	uint64_t file_bytes;        /**< most that a file may hold, with `require` */
	unsigned processes;         /**< most at one time; 0: no bound */
};

/** Places in the order in which they are made; in the arena. */
struct pe_places {
	const struct pe_place *at;
	size_t n;
};

/** The places of a session. Reads $HOME, $TMPDIR, $PATH and what exists. */
struct pe_places pe_sandbox_places(const struct pe_sandbox_site *site, struct pe_arena *arena);

/**
 * Confine a launcher by its site: with namespaces, or with landlock where the site's sandbox has that mark.
 *
 * @return  PE_EUNSUPPORTED with the reason where this machine cannot; PE_ESYS
 */
int pe_sandbox_enter(struct pe_launcher *launcher, const struct pe_sandbox_site *site,
		     struct pe_arena *arena, struct pe_err *err);

/** What this machine keeps `auto` by, tried by a process of its own that ends at once. */
enum pe_sandbox_means pe_sandbox_find_means(void);

/** The word of the config: "off", "auto", "require". */
const char *pe_sandbox_mode_name(enum pe_sandbox_mode mode);

/** A sentence on what a mode gives, for `perfevo check`; in the arena. */
const char *pe_sandbox_describe(const struct pe_sandbox *sandbox, struct pe_arena *arena);

/** Whether each commit's commands have a path for themselves, in namespaces. */
bool pe_sandbox_is_own(const struct pe_sandbox *sandbox, const char *path);

/** Whether `auto` hides a path of the machine from commands: below folders of their own, or with keys. */
bool pe_sandbox_auto_keeps(const char *path);
