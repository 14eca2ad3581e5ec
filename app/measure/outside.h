/*
 * Outside: state that commands leave outside of their tree, where those of all commits meet: a prefix that builds install
 * to, a file in /tmp that a setup makes, a cache in HOME that a run fills.
 *
 * The kernel stamps each file with the time of its last change (st_ctime), and the session remembers whose commands ran
 * when: so it is known of every file which commit wrote it last, whatever program did. What a benchmark reads outside of
 * its tree is seen by the counting library in a run of its own (core/exec/runner.h, pe_runner_probe()); where it cannot be,
 * the paths that its command names and those that its builds wrote stand for that. Before each run these files are looked
 * at. Where a build or setup of another commit wrote one, the commit's own setup is run again, then its build; where that
 * changes nothing, the run fails with the file's path. A file that runs alone write, such as a cache of the program's, is
 * told of, for whose it is nobody can say.
 *
 * System V objects and ports of the machine, which a setup or build and the runs both use, are always those of the last setup
 * or build: it must make their state anew, which a note says.
 *
 * Turns of builds and setups are kept in the cache for later sessions.
 */
#ifndef PE_APP_MEASURE_OUTSIDE_H
#define PE_APP_MEASURE_OUTSIDE_H

#include "app/app.h"
#include "core/base/vec.h"
#include "core/exec/dependencies.h"
#include "core/exec/ports.h"
#include "core/exec/slots.h"

/** Of commands. What builds and setups left is looked for in later sessions. */
enum pe_outside_kind { PE_OUTSIDE_RUN, PE_OUTSIDE_SETUP, PE_OUTSIDE_BUILD };

/** When commands of a commit ran. */
struct pe_outside_turn {
	const char *id; /**< of the revision; of a tree in no slot of the session its path */
	int64_t from_ns, to_ns; /**< by the clock of files */
	unsigned kind;          /**< enum pe_outside_kind */
};

/** A file that a benchmark reads. */
struct pe_outside_file {
	const char *path;
	bool listed; /**< a folder whose entries are read */
	bool seen;   /**< it was there before */
	bool left;   /**< a build or setup wrote it */
	bool named;  /**< by the command; no run was seen to read it */
	/** by no more than that a build left it, and that runs cannot be seen */
	bool guessed;
};

struct pe_outside_reads {
	const char *name; /**< of the benchmark or suite */
	PE_VEC(struct pe_outside_file) files;
	PE_VEC(struct pe_outside_turn) set_up; /**< when its setup ran last, by commit */
	bool known;                            /**< a run was seen */
	bool whole;                            /**< with all that it read */
	bool noted;                            /**< that its runs meet in a file was said */
	bool named_thing_noted; /**< that its setups meet in what is no file was said */
	bool guess_noted;       /**< that a guessed file was let pass was said */
};

/** Of a session. */
struct pe_outside {
	struct pe_executor inner; /**< what runs commands */
	const struct pe_app *app;
	const struct pe_slots *slots;
	struct pe_arena *arena;
	const char *file; /**< that keeps turns */
	const char *own;  /**< the folder of perfevo's own: nothing below it is looked at */
	/** of the config */
	const struct pe_benchmark *benchmarks;
	size_t n_benchmarks;
	/** folders that each commit's commands have for themselves; NULL: none */
	const struct pe_strings *apart;
	PE_VEC(struct pe_outside_turn) turns;
	PE_VEC(struct pe_outside_reads) reads;
	PE_VEC(const char *) written; /**< what builds were seen to leave, each once */
	int64_t since_ns;             /**< the first turn's beginning */
	const char *found; /**< the last file of another commit that was found; NULL: none was */
	bool noted;        /**< that builds are made again was said */
};

/**
 * Read the turns of earlier sessions.
 *
 * @param slots  of the session
 * @param file   where they are kept
 */
void pe_outside_open(struct pe_outside *out, const struct pe_app *app, const struct pe_slots *slots,
		     const char *file, struct pe_arena *arena);

/** An executor that remembers whose turn it was. Both are borrowed. */
struct pe_executor pe_outside_executor(struct pe_outside *outside, struct pe_executor inner);

/**
 * Begin a turn. The time of a file is a tick of the file system's clock, 1 to 10 ms long, and turns are told apart by such
 * times. So a turn of another kind than the last one, or a build or setup of another commit, waits for the next tick.
 *
 * @return  when the turn began, by the clock of files
 */
int64_t pe_outside_begin_turn(const struct pe_outside *outside, const char *id, unsigned kind);

/** Commands of a commit ran that the executor did not run. */
void pe_outside_add_turn(struct pe_outside *outside, const char *id, int64_t from_ns, int64_t to_ns,
			 unsigned kind);

/** A run of a benchmark was seen. */
void pe_outside_learn(struct pe_outside *outside, const struct pe_benchmark *benchmark,
		      const struct pe_dependencies *seen);

/** A build was seen. */
void pe_outside_learn_build(struct pe_outside *outside, const struct pe_dependencies *seen);

/** Whether a run of a benchmark is to be seen: something is left outside of the trees, and it is not known whether it reads that. */
bool pe_outside_wants_look(const struct pe_outside *outside, const struct pe_benchmark *benchmark);

/** What finds files of other commits before a run. */
struct pe_outside_port pe_outside_port_of(struct pe_outside *outside);

/**
 * A file outside of the tree that a benchmark reads and that commands of any commit wrote, or would have: the commits share
 * it, and the results of one are not those of another because their trees are the same. NULL: there is none.
 */
const char *pe_outside_shared(struct pe_outside *outside, const struct pe_benchmark *benchmark);

/** Whether any of the config's benchmarks would read what another commit wrote. */
bool pe_outside_is_foreign(struct pe_outside *outside, const char *tree);

/** Free what it remembers. @param keep  write the turns that later sessions need */
void pe_outside_close(struct pe_outside *outside, bool keep);

#endif
