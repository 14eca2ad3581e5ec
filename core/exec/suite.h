/*
 * Suite: how one process serves many benchmarks. What the libraries understand on their command lines and write is the
 * port's (suites/, through app/measure/suite_port.h); here a process is run and its entries become runs.
 */
#pragma once

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/base/text.h"
#include "core/model/run.h"
#include "core/model/suite.h"

struct pe_runner;

/** What is to be done with a suite's program. */
struct pe_suite_task {
	enum pe_suite_what {
		PE_ASK_RUN,  /**< measured as the library measures */
		PE_ASK_ONCE, /**< with a fixed number of iterations */
		PE_ASK_BRIEFLY, /**< all, as short as can be, results to no file; never PE_EUNSUPPORTED */
		PE_ASK_LIST, /**< names alone */
		PE_ASK_HELP, /**< its options, in words */
	} what;
	const char *const *names; /**< as the library names them; NULL: all */
	size_t n;
	const char *output; /**< file that it may write its results to */
};

/** A command for it. */
struct pe_suite_command {
	struct pe_command command;
	const char *output; /**< file with the results, absolute or relative to cwd; NULL: stdout */
	unsigned iterations; /**< PE_ASK_ONCE: of each benchmark */
};

/** Speaks with the libraries. Supplied by app/measure/suite_port.h; scripted in tests. */
struct pe_suite_port {
	/** PE_EUNSUPPORTED: the library has no such option. */
	int (*command)(struct pe_suite_command *out, const struct pe_suite *suite,
		       const struct pe_suite_task *request, const char *tree,
		       struct pe_arena *arena, void *payload, struct pe_err *err);
	/** Read a listing. PE_EINVALID: it is none. */
	int (*list)(struct pe_member_name **out, size_t *n, const struct pe_suite *suite,
		    const char *text, size_t size, struct pe_arena *arena, void *payload,
		    struct pe_err *err);
	/** Read results, also of a process that ended before its end. PE_EINVALID: nothing of them can be read. */
	int (*read)(struct pe_suite_readings *out, const struct pe_suite *suite, const char *text,
		    size_t size, struct pe_arena *arena, void *payload, struct pe_err *err);
	/**
	 * A folder that a library leaves its results in: add them to a text, or with NULL remove those of earlier runs.
	 * No link below the tree is followed. PE_ENOTFOUND: there are none. NULL: no library has such a folder.
	 */
	int (*folder)(struct pe_text *out, const char *tree, const char *path, struct pe_err *err);
	void *payload;
};

/** One process of a suite. */
struct pe_suite_process {
	struct pe_run run; /**< how it ended; without samples */
	struct pe_suite_readings said;
};

/**
 * Prepare, run a suite once and read its results.
 *
 * @param member  any of its members: the suite's settings are theirs
 * @param names   as the library names them; NULL: all
 * @return        PE_EUNSUPPORTED: the library cannot run these alone; PE_ESTOPPED, PE_ESYS, PE_EFULL
 */
int pe_suite_run(struct pe_suite_process *out, const struct pe_runner *runner,
		 const struct pe_benchmark *member, const char *const *names, size_t n,
		 const char *tree, struct pe_arena *arena, struct pe_err *err);

/**
 * Ask a suite's program for its benchmarks.
 *
 * @return  PE_EUNSUPPORTED: it has no list, or failed to print it; PE_ESTOPPED, PE_ESYS, PE_EFULL
 */
int pe_suite_list(struct pe_member_name **names, size_t *n, const struct pe_runner *runner,
		  const struct pe_benchmark *member, const char *tree, struct pe_arena *arena,
		  struct pe_err *err);

/** What a suite's program prints of its options, whatever its exit status. As pe_suite_list(). */
int pe_suite_help(struct pe_text *out, const struct pe_runner *runner,
		  const struct pe_benchmark *member, const char *tree, struct pe_arena *arena,
		  struct pe_err *err);

/** Fill in a run of a member from a process's reading: samples, or the library's error. */
void pe_suite_take(struct pe_run *run, const struct pe_member_reading *reading,
		   const struct pe_suite_process *process, struct pe_arena *arena);
