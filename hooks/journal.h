/*
 * Journal: the messages between the post-commit hook and its background job. A file of lines below one folder
 * (perfevo/hooks in the common git directory), to which both append; it is read as a whole, and the last line about a
 * commit is that commit's state:
 *
 *	journal      TIME EVENT ID [FIELD FIELD], separated by tabs
 *	lock         held while a job lives
 *	worker.log   what the job and its `perfevo track` printed
 *
 * Its promises, which the tests cite:
 *  (1) A commit waits until it has a result, or until no branch leads to it, whichever process is killed.
 *  (2) One job at a time: the lock goes with its process.
 *  (3) A commit entered while a job is about to end is seen by it or by the next one, which its committer starts.
 */
#pragma once

#include "core/base/arena.h"
#include "core/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum pe_journal_event {
	PE_JOURNAL_COMMIT,  /**< it waits; the fields are the tree and its git directory */
	PE_JOURNAL_BEGUN,   /**< a job begins to measure it */
	PE_JOURNAL_SKIPPED, /**< nothing leads to it any more */
	PE_JOURNAL_SHOWN,   /**< the user has seen its result */
	/* Results; the fields are the subject of the commit and a sentence for people. */
	PE_JOURNAL_PASS,
	PE_JOURNAL_REGRESSED, /**< and confirmed */
	PE_JOURNAL_SUSPECTED, /**< a regression, not confirmed */
	PE_JOURNAL_IMPROVED,
	PE_JOURNAL_FAILED, /**< it could not be measured */
	PE_N_JOURNAL_EVENTS,
};

/** "commit", "pass", "regressed", ...: as in the journal and in JSON. */
const char *pe_journal_event_name(enum pe_journal_event event);

/** How a commit stands. */
struct pe_journal_commit {
	const char *id;
	const char *tree;    /**< where it was committed: its perfevo.yml counts */
	const char *git_dir; /**< of that tree; "": git finds it by the tree */
	enum pe_journal_event
		state;   /**< PE_JOURNAL_COMMIT: it waits; PE_JOURNAL_SKIPPED, or its result */
	int64_t begun_s; /**< when a job began with it last; 0: none has */
	int64_t found_s; /**< when its result was found */
	bool shown;      /**< the user has seen its result */
	const char *subject, *text; /**< of its result: the commit's subject; a sentence */
};

struct pe_journal {
	struct pe_journal_commit
		*at; /**< oldest first; a commit once for each time it was entered */
	size_t n;
	const struct pe_journal_commit *begun; /**< with which a job began last; NULL: with none */
};

/** Read the journal. An absent one is empty, and malformed lines are skipped. PE_ESYS */
int pe_journal_read(struct pe_journal *out, const char *folder, struct pe_arena *arena,
		    struct pe_err *err);

/** The newest commit that waits; NULL: none does. @param n  how many do; may be NULL */
const struct pe_journal_commit *pe_journal_waiting(const struct pe_journal *journal, size_t *n);

/** Whether a commit has a result. */
bool pe_journal_has_result(const struct pe_journal_commit *commit);

/** Append an event, of which tabs and line ends become blanks. @param fields  NULL: none. PE_ESYS, PE_EFULL */
int pe_journal_add(const char *folder, enum pe_journal_event event, const char *id,
		   const char *const fields[2], struct pe_err *err);

/**
 * What the hook after a commit does: enter a commit, and take the results that were not shown. Of two hooks that take a
 * result, one gets it.
 *
 * @param results  in the arena; those not shown before, and no others
 * @return         PE_ESYS, PE_EFULL: the commit is not entered
 */
int pe_journal_commit(struct pe_journal *results, const char *folder,
		      const struct pe_journal_commit *commit, struct pe_arena *arena,
		      struct pe_err *err);

/* --- The job --- */

/**
 * Become the job of a folder, that of the hooks or the night's, for as long as the descriptor is open.
 *
 * @return  PE_EBUSY, without a sentence: there is one
 */
int pe_job_lock(int *fd, const char *folder, struct pe_err *err);

/** The process that is the job; 0: none. */
pid_t pe_job_process(const char *folder);
