/*
 * Hook: what git calls. A hook returns fast and lets git go on whatever happens; what takes time is a worker's.
 * `perfevo hook NAME` is not in the list of commands: only hooks call it.
 */
#ifndef PE_APP_JOBS_HOOK_H
#define PE_APP_JOBS_HOOK_H

#include "app/app.h"
#include "hooks/queue.h"

/** The config at the top of the tree, whether good or not; NULL: none, so this repository is not measured. */
const char *pe_hook_config(struct pe_app *app);

/** "3f2a91c" in the arena. */
const char *pe_hook_short(const char *id, struct pe_arena *arena);

/** Start a worker where commits wait and none lives. A failure is a note, and of no account. */
void pe_hook_start_worker(struct pe_app *app);

/** Ask the worker to step aside, and wait until it is gone: `perfevo hook pre-push` needs the machine now. */
void pe_hook_stop_worker(struct pe_app *app);

/**
 * The worker: measure what waits, until nothing does. Opens what it needs.
 *
 * @param locked  it was started with the lock, as PE_BACKGROUND_HAND
 * @return        as the queue and the store
 */
int pe_hook_work(struct pe_app *app, bool locked);

/** What came of measuring one commit. */
struct pe_tracked {
	enum pe_result_verdict verdict;
	const char *text; /**< a sentence, in the arena */
	bool stopped;     /**< it was stopped: no result */
	bool died;        /**< killed by a signal that was not ours: to be tried again */
};

/**
 * Measure a commit beside its anchors, as `perfevo track` does, in a process of its own. Where its nearest ancestors
 * are not measured they are, too: there is nothing to compare it with otherwise.
 *
 * @param ids     of them and of the commit, a line each, as `track --stdin` takes them
 * @param go_on   asked every second whether the commit is still worth it; NULL: it is
 */
int pe_hook_track(struct pe_tracked *out, struct pe_app *app, const struct pe_queued *commit,
		  const char *ids, bool (*go_on)(void *payload), void *payload,
		  struct pe_arena *arena);

/**
 * Read what track said of a commit.
 *
 * @param document  its JSON
 * @return          PE_EINVALID: it is not that
 */
int pe_tracked_read(struct pe_tracked *out, const char *document, size_t n, const char *id,
		    struct pe_arena *arena, struct pe_err *err);

/**
 * After a commit: queue HEAD, show two lines of finished results, start a worker. What goes wrong is a note.
 */
void pe_hook_commit(struct pe_app *app);

/** Before a commit: whether a config is staged that nobody could read afterwards; says so on stderr. */
bool pe_hook_config_is_broken(struct pe_app *app);

/**
 * The look at a push; git's lines on stdin.
 *
 * @param blocked  a confirmed regression is to stop the push
 * @return         PE_ESTOPPED: by the user. What is wrong with perfevo or its config is a note
 */
int pe_hook_push(bool *blocked, struct pe_app *app, const char *remote);

#endif
