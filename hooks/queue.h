/*
 * Queue: what the hook after a commit and the worker behind it tell each other, in small files below one folder
 * (perfevo/hooks in the common git directory), each written beside its place and moved there:
 *
 *	queue/TIME-ID    a commit to be measured; gone once there is a result
 *	results/TIME-ID  what came of it; .shown once the user has seen it
 *	worker.lock      held while a worker lives
 *	worker           what it is at
 *	worker.log       what it had to say
 *
 * Its promises, which the tests cite:
 *  (1) A commit leaves the queue for a result, or because nothing leads to it any more; whoever is killed when.
 *  (2) One worker at a time: the lock goes with its process.
 *  (3) A commit queued while a worker is about to end is seen by it or by the next one, which its committer starts.
 */
#ifndef PE_HOOKS_QUEUE_H
#define PE_HOOKS_QUEUE_H

#include "core/base/arena.h"
#include "core/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Longest id, and its terminator. */
enum { PE_QUEUE_ID = 65 };

struct pe_queued {
	const char *name; /**< of its file */
	char id[PE_QUEUE_ID];
	int64_t queued_ns;
	const char *tree;    /**< where it was committed: its perfevo.yml counts */
	const char *git_dir; /**< of that tree; "": git finds it by the tree */
	unsigned attempts;   /**< how often a worker began with it and did not end */
};

/** Append a commit; `name`, `queued_ns` and `attempts` are not read. Makes the folders. PE_ESYS, PE_EFULL */
int pe_queue_add(const char *folder, const struct pe_queued *commit, struct pe_err *err);

/** What waits, newest first; a commit that is there twice comes once. An absent folder is empty. */
int pe_queue_list(struct pe_queued **out, size_t *n, const char *folder, struct pe_arena *arena,
		  struct pe_err *err);

/** Note how often a worker began with a commit: before it begins, so that dying over it counts. */
int pe_queue_note(const char *folder, struct pe_queued *commit, unsigned attempts,
		  struct pe_err *err);

/** Take a commit off, all times that it is there. */
int pe_queue_drop(const char *folder, const char *id, struct pe_arena *arena, struct pe_err *err);

/* --- The worker --- */

/**
 * Become the worker, for as long as the descriptor is open.
 *
 * @return  PE_EBUSY, without a sentence: there is one
 */
int pe_worker_lock(int *fd, const char *folder, struct pe_err *err);

/**
 * Become the worker with a lock that another process took and handed over, so that there was no moment without one.
 *
 * @return  false: the descriptor is no such lock
 */
bool pe_worker_take_over(int fd, const char *folder);

/** Be no worker any more: the state that it wrote is removed, and the lock is free. */
void pe_worker_leave(int fd, const char *folder);

/** What a worker is at; zeroed: nothing. */
struct pe_worker_state {
	int64_t pid;
	char id[PE_QUEUE_ID]; /**< "": none yet */
	char phase[16];       /**< "build", "run", ... as progress calls it */
	int64_t since_s;      /**< when it began with this commit */
	uint64_t done, total; /**< runs */
};

/** Write the state; a failure is of no account to the work. */
void pe_worker_report(const char *folder, const struct pe_worker_state *state);

/** Whether a worker lives, and what it is at as far as it wrote that. */
bool pe_worker_ask(struct pe_worker_state *out, const char *folder);

/* --- Results --- */

enum pe_result_verdict {
	PE_RESULT_PASS,
	PE_RESULT_REGRESSED, /**< and confirmed */
	PE_RESULT_SUSPECTED, /**< a regression, not confirmed */
	PE_RESULT_IMPROVED,
	PE_RESULT_FAILED, /**< it could not be measured */
	PE_N_VERDICTS,
};

/** "pass", "regressed", "suspected", "improved", "failed". */
const char *pe_result_verdict_name(enum pe_result_verdict verdict);

struct pe_hook_result {
	const char *name; /**< of its file */
	char id[PE_QUEUE_ID];
	enum pe_result_verdict verdict;
	int64_t found_s;
	bool shown;
	const char *text; /**< a sentence for people, without the commit */
	const char *subject;
};

/** Keep a result; `name` and `shown` are not read. The oldest ones beyond fifty go. */
int pe_result_add(const char *folder, const struct pe_hook_result *result, struct pe_arena *arena,
		  struct pe_err *err);

/** Results, newest first. @param all  false: only those that were not shown */
int pe_result_list(struct pe_hook_result **out, size_t *n, const char *folder, bool all,
		   struct pe_arena *arena, struct pe_err *err);

/** The user has seen it. @return  whether it was us who took it: of two that show it, one does */
bool pe_result_shown(const char *folder, const struct pe_hook_result *result,
		     struct pe_arena *arena);

#endif
