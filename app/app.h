/*
 * App: what a command drives. It has no options and no terminal: its caller decides where notes and progress go.
 *
 * The sub-rooms, each of which uses only those below it: jobs; search and explain; history; changes and profiling;
 * measure.
 */
#pragma once

#include "configs/config.h"
#include "core/base/arena.h"
#include "core/exec/ports.h"
#include "store/exchange.h"
#include "vcs/repo.h"

#include <signal.h>

/** Exit codes as `git bisect run` expects them. Jobs that run perfevo as a process of its own read them. */
enum pe_exit {
	PE_EXIT_GOOD = 0,
	PE_EXIT_REGRESSED = 1,
	PE_EXIT_UNMEASURABLE = 125,
	PE_EXIT_FAILURE = 128,
	PE_EXIT_USAGE = 129,
};

/** What pe_app_open() opens. */
enum pe_app_needs {
	PE_NEEDS_REPO = 1 << 0,
	PE_NEEDS_CONFIG = 1 << 1, /**< of the user's current tree, or config_path */
	PE_NEEDS_STORE = 1 << 2,  /**< created when it is not there */
	PE_NEEDS_STORE_READ =
		1 << 3,           /**< must exist: "nothing measured yet; run 'perfevo track'" */
	PE_WANTS_CONFIG = 1 << 4, /**< read where there is a good one; a bad one is a note */
	PE_N_APP_NEEDS = 5,
};

/** Surroundings of whatever the application does. What is not needed is NULL. */
struct pe_app {
	struct pe_arena *arena; /**< released when the command is over */
	struct pe_repo *repo;
	struct pe_config *config;
	struct pe_store *store;
	const char *config_path; /**< of the user's choice, or NULL */
	/** The revision whose config and accepted changes are used; NULL: the user's tree, HEAD where there is none. */
	const char *config_revision;
	bool confinement_noted; /**< the note about how commits are confined was printed */
	bool any_config; /**< what the config asks for is not compared with what was allowed (app/measure/allowed.h) */
	const char *store_path; /**< of the user's choice, or NULL: COMMON_DIR/perfevo/perfevo.db */
	bool quiet;             /**< no progress, no advice */
	/** Exact counts are taken, instructions among them, and nothing is timed: pe_session_open() has valgrind count. */
	bool counts_only;
	struct pe_progress progress;
	struct pe_executor executor; /**< runs commands; none: a launcher of the session's does */
	const struct pe_machine *
		machine; /**< whose results are measured: a farm's class of machines; NULL: this one's */
	const struct pe_machine *here;           /**< of pe_app_here(), once that was called */
	const volatile sig_atomic_t *interrupts; /**< how often Ctrl-C, SIGTERM or SIGHUP came */
	struct pe_err *err;
	/** Receives a line of advice or warning; NULL is allowed. */
	void (*note)(void *payload, const char *sentence);
	void *note_payload;
};

/** Whether a pipeline runs this (CI is set): no user answers questions there, and others' commits are built. */
bool pe_app_is_pipeline(void);

/** Print one line of advice or warning, unless quiet. */
void pe_app_note(const struct pe_app *app, const char *format, ...) PE_PRINTF(2, 3);

/**
 * Open what is needed and not open yet.
 *
 * @param needs  of enum pe_app_needs
 * @return       PE_ENOTFOUND: "no perfevo.yml in /home/me/tool: run 'perfevo init'", and as pe_repo_open(),
 *               pe_config_load(), pe_store_open()
 */
int pe_app_open(struct pe_app *app, unsigned needs);

/** The revision that a name of the user's means; its texts are in the arena. As pe_repo_resolve(). */
int pe_app_resolve(struct pe_revision *out, struct pe_app *app, const char *spec);

/** This machine, identified once. In the arena. */
const struct pe_machine *pe_app_here(struct pe_app *app);

/** The machine whose results are measured here: app->machine, else this one. */
const struct pe_machine *pe_app_machine(struct pe_app *app);

/**
 * Store the commits that results name and this repository has: the others' rows are left out.
 *
 * @param missing  set to the first missing id, unless it is set; that of the results
 */
int pe_app_find_revisions(const char **missing, struct pe_app *app,
			  const struct pe_results *results, struct pe_arena *arena);

/** Close the store and the repository, and release the arena. */
void pe_app_close(struct pe_app *app);

/**
 * Find, read and seal the config into app->config: --config, else perfevo.yml or .perfevo.yml of
 * config_revision, else the one at the top of the user's tree, else (bare repository) the one of HEAD. What a
 * revision's config refers to is copied into the cache.
 *
 * @return  PE_ENOTFOUND: "no perfevo.yml in /home/me/tool: run 'perfevo init'"; PE_EINVALID
 */
int pe_app_open_config(struct pe_app *app);

/** Names that a config has at the top of a tree, in the order in which they are looked for. */
enum { PE_N_CONFIG_NAMES = 2 };
extern const char *const pe_config_names[PE_N_CONFIG_NAMES];

/** The path of the config at the top of the user's tree, whether good or not; NULL: there is none. In the arena. */
const char *pe_app_tree_config(struct pe_app *app);

/**
 * The path, from the top of a revision's tree, of the config that perfevo would read there.
 *
 * @param out  NULL: that tree has none
 */
int pe_app_config_name(const char **out, struct pe_app *app, const char *revision);

/**
 * Open app->store: --store, else perfevo/perfevo.db in the repository's common directory, whose folder is
 * made when the store may be created.
 *
 * @param needs  PE_NEEDS_STORE: for writing; PE_NEEDS_STORE_READ: it must exist
 */
int pe_app_open_store(struct pe_app *app, unsigned needs);

/** Whether a process of this machine measures into the store now. */
bool pe_app_is_measured(struct pe_app *app);

/** Whether another process measures on this machine now, into any store. */
bool pe_app_is_machine_busy(struct pe_app *app);

/**
 * Take the lock under which one perfevo measures at a time, without waiting for it.
 *
 * @param lock  descriptor, the caller's to close; -1: nothing was ever measured here
 * @return      PE_EBUSY: another one measures
 */
int pe_app_lock_cache(int *lock, const struct pe_app *app, struct pe_err *err);

/** Path of the store, whether or not it exists; in the arena. */
const char *pe_app_store_path(struct pe_app *app);

/** Folder of perfevo's caches and of this machine's measuring lock; in the arena. */
const char *pe_app_cache_root(const struct pe_app *app);

/**
 * Make a folder of the cache, or the cache's root, and check who may write to it and to each above it.
 *
 * @param folder  pe_app_cache_root() or below it
 * @return        PE_ESYS: there is no place for a cache, or others may write to it; the sentence has the remedy
 */
int pe_app_make_cache(struct pe_app *app, const char *folder);

/** Folder of this repository's slots and scratch files; in the arena. */
const char *pe_app_cache_dir(struct pe_app *app);

/** The folder of the hooks' journal and log, and of what was measured for pushes; in the arena. */
const char *pe_app_hook_dir(struct pe_app *app);
