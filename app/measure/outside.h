/*
 * Outside: state that commands leave outside of their tree, in places that all commits share: a prefix that builds
 * install to, a file in /tmp that a setup makes, a cache in HOME that a run fills.
 *
 * The kernel stamps each file with the time of its last change (st_ctime), and the session records which commit's
 * commands ran when: together they tell which commit wrote a file last, with whatever program. The counting library lists
 * the files that a benchmark reads outside of its tree, in a separate run (core/exec/runner.h, pe_runner_probe()); where
 * it cannot, the paths in its command and those that its builds wrote are used instead. These files are checked before
 * each run. If a build or setup of another commit wrote one, the commit's own setup is run again, then its build; if that
 * changes nothing, the run fails with the file's path. A file that only runs write, such as a program's cache, is noted,
 * for its owner cannot be determined.
 *
 * System V objects and ports of the machine carry no times. If a setup or build uses one and the runs do, too, its state
 * counts as that of the last setup or build of any commit, which must create it anew; a note tells the user.
 *
 * The same turns tell whether a kept build was changed by its own runs (app/measure/kept.h).
 *
 * Turns of builds and setups, and the paths that builds left, are kept in the cache for later sessions. A build of an
 * earlier session is made again where a file that it left and that a benchmark reads is gone.
 */
#pragma once

#include "app/app.h"
#include "core/base/vec.h"
#include "core/exec/dependencies.h"
#include "core/exec/ports.h"
#include "core/exec/slots.h"

/** Kind of a turn's commands. Turns of builds and setups are kept for later sessions. */
enum pe_outside_kind { PE_OUTSIDE_RUN, PE_OUTSIDE_SETUP, PE_OUTSIDE_BUILD };

/** A time in which commands of a commit ran. */
struct pe_outside_turn {
	const char *id; /**< of the revision; for a tree in no slot of the session its path */
	int64_t from_ns, to_ns; /**< by the clock of files */
	unsigned kind;          /**< enum pe_outside_kind */
};

/** A file that a benchmark reads. */
struct pe_outside_file {
	const char *path;
	bool listed; /**< a folder whose entries are read */
	bool seen;   /**< it existed at an earlier check */
	bool left;   /**< a build or setup wrote it */
	bool named;  /**< by the command, without a run that was seen to read it */
	/** only because a build left it and runs cannot be traced */
	bool guessed;
};

struct pe_outside_reads {
	const char *name; /**< of the benchmark or suite */
	PE_VEC(struct pe_outside_file) files;
	PE_VEC(struct pe_outside_turn) set_up; /**< when its setup ran last, by commit */
	bool known;                            /**< a run was traced */
	bool stored;            /**< all traces are from the store, and lack what its setup uses */
	bool whole;             /**< a trace was complete */
	bool noted;             /**< the note that its runs share a file was printed */
	bool named_thing_noted; /**< the note that its setups share an object without a time was printed */
	bool guess_noted; /**< the note about an accepted guessed file was printed */
};

/** The state of a session. */
struct pe_outside {
	struct pe_executor inner; /**< that runs the commands */
	const struct pe_app *app;
	const struct pe_slots *slots;
	struct pe_arena *arena;
	const char *file; /**< that stores turns */
	/** perfevo's own folder: files below it are ignored. The cache may have others, of the user's. */
	const char *own;
	/** in which each commit's commands have folders of their own; NULL: they have none */
	const struct pe_sandbox *sandbox;
	PE_VEC(struct pe_outside_turn) turns;
	PE_VEC(struct pe_outside_reads) reads;
	PE_VEC(const char *) written;   /**< paths that builds were seen to write, each once */
	PE_VEC(const char *) installed; /**< those of builds of earlier sessions */
	int64_t since_ns;               /**< the first turn's beginning */
	const char *found; /**< the last file of another commit that stopped a run; NULL: none */
	bool noted;        /**< the note that builds are made again was printed */
};

/**
 * Read the turns of earlier sessions.
 *
 * @param slots  of the session
 * @param own    the repository's folder in the cache, which stores the turns
 */
void pe_outside_open(struct pe_outside *out, const struct pe_app *app, const struct pe_slots *slots,
		     const char *own, struct pe_arena *arena);

/** Make an executor that records turns. Both are borrowed. */
struct pe_executor pe_outside_executor(struct pe_outside *outside, struct pe_executor inner);

/**
 * Begin a turn. The time of a file decides in which turn it was written, with the resolution of the file system's clock, 1
 * to 10 ms. So a turn of another kind than the last one, or a build or setup of another commit, waits for the next tick.
 * Where builds or setups leave modules of Python, those of another commit wait for the next second: Python takes a module
 * that was compiled before for the present one if both have the same size and were written in the same second.
 *
 * @return  when the turn began, by the clock of files
 */
int64_t pe_outside_begin_turn(const struct pe_outside *outside, const char *id, unsigned kind);

/** The name of the commit in whose turn the commands of a tree run: the id of its slot's revision, else the tree's path. */
const char *pe_outside_id(const struct pe_outside *outside, const char *tree);

/** Whether a file's time is in a turn of a tree's. On file systems with times in seconds, the whole second counts. */
bool pe_outside_is_own(const struct pe_outside *outside, const char *tree, int64_t ctime_ns);

/** Record a turn of commands that the executor did not run. */
void pe_outside_add_turn(struct pe_outside *outside, const char *id, int64_t from_ns, int64_t to_ns,
			 unsigned kind);

/**
 * Learn from the trace of a benchmark's run.
 *
 * @param stored  the trace is from the store, and lacks what the benchmark's setup uses
 */
void pe_outside_learn(struct pe_outside *outside, const struct pe_benchmark *benchmark,
		      const struct pe_dependencies *seen, bool stored);

/** Learn from the trace of a build. */
void pe_outside_learn_build(struct pe_outside *outside, const struct pe_dependencies *seen);

/** Whether a benchmark needs a traced run: files were left outside of the trees, and it is unknown whether it reads them. */
bool pe_outside_wants_look(const struct pe_outside *outside, const struct pe_benchmark *benchmark);

/** The port that finds files of other commits before a run. */
struct pe_outside_port pe_outside_port_of(struct pe_outside *outside);

/**
 * Find a file outside of the tree that a benchmark reads and that commands of any commit wrote. The commits share it, so
 * equal trees do not prove equal results. NULL: there is none.
 */
const char *pe_outside_shared(struct pe_outside *outside, const struct pe_benchmark *benchmark);

/** Whether any of the config's benchmarks would read a file that another commit wrote. */
bool pe_outside_is_foreign(struct pe_outside *outside, const char *tree);

/** Free all memory. @param keep  write the turns that later sessions need */
void pe_outside_close(struct pe_outside *outside, bool keep);
