/*
 * Ports: calls from core outward. Core declares the functions that it needs; another room supplies them, and tests supply
 * fakes. Every port is a struct of functions with the payload they are called with.
 */
#pragma once

#include "core/base/err.h"
#include "core/base/proc.h"
#include "core/model/benchmark.h"
#include "core/model/build.h"
#include "core/model/revision.h"

/** Runs commands. Supplied by pe_process_executor() (slots.c); scripted in tests. */
struct pe_executor {
	/** See pe_launcher_run(). */
	int (*run)(struct pe_proc_result *out, const struct pe_proc_spec *spec, void *payload,
		   struct pe_err *err);
	void *payload;
	/** where commands see the first place of their spec, a tree; NULL: at its own path */
	const char *tree;
};

/** The executor that runs commands for real. The launcher is borrowed and must outlive it. */
struct pe_executor pe_process_executor(struct pe_launcher *launcher);

/** The path at which commands see a tree. */
static inline const char *pe_executor_tree(const struct pe_executor *executor, const char *tree)
{
	return executor->tree != NULL ? executor->tree : tree;
}

/** What a directory must be made to hold. */
struct pe_fill_spec {
	const char *dir; /**< absolute; created when it is not there */
	/**
	 * A folder above it. Links on the way to this one are the user's; below it a link is what a build left, and is
	 * replaced. NULL: the whole path is the user's.
	 */
	const char *trusted;
	/** id of the revision that it holds whole; NULL: empty or unknown, start anew */
	const char *have;
	const char *id; /**< id of the revision that it shall hold */
	enum pe_clean clean;
	uint64_t most_bytes; /**< that its files may have together; 0: any */
};

/** What filling did. */
struct pe_fill {
	size_t written, removed, kept; /**< files */
	/** build products of `have` are still there (an incremental build) */
	bool products_kept;
};

/** Puts revisions into directories. Supplied by pe_repo_source() in vcs/; a prepared folder in tests. */
struct pe_source {
	/**
	 * Make a directory hold a revision's tree. Files that are equal in `have` and `id` are not touched
	 * and keep their mtimes.
	 *
	 * @return  PE_EINVALID for a tree that can be written nowhere here; PE_EUNSUPPORTED for one that lacks something,
	 *          with the way out; PE_EVCS; PE_ESYS; PE_EFULL. After a failure the directory holds no revision.
	 */
	int (*fill)(struct pe_fill *out, const struct pe_fill_spec *spec, void *payload,
		    struct pe_err *err);
	void *payload;
};

/** Reads a number out of a JSON document. Supplied by core/json/. */
struct pe_json_reader {
	/** The number at an RFC 6901 pointer. PE_EINVALID: not JSON; PE_ENOTFOUND: nothing or no number there. */
	int (*number)(double *out, const char *document, size_t n, const char *pointer,
		      void *payload, struct pe_err *err);
	void *payload;
};

/** State outside of the measured trees, which the commands of all commits share. Supplied by app/measure/outside.h. */
struct pe_outside_port {
	/**
	 * A file that a benchmark reads there and that the commands of another commit wrote last. NULL: none was seen.
	 *
	 * @param tree  of the commit that is measured now
	 * @return      a sentence in the arena
	 */
	const char *(*find)(const struct pe_benchmark *benchmark, const char *tree,
			    struct pe_arena *arena, void *payload);
	/** The setup of a benchmark ran in a tree. */
	void (*set_up)(const struct pe_benchmark *benchmark, const char *tree, void *payload);
	void *payload;
};

/** What a room tells about long work; cmd/ draws it. */
struct pe_progress_event {
	enum pe_progress_phase {
		PE_PROGRESS_BUILD, /**< revision `done` of `total` is being built */
		PE_PROGRESS_WARMUP,
		PE_PROGRESS_RUN,     /**< run `done` of `total` of this session */
		PE_PROGRESS_COUNT,   /**< counting run `done` of `total`, before any is timed */
		PE_PROGRESS_METHODS, /**< changed methods of revision `done` of `total` are found */
		PE_PROGRESS_NOTE,    /**< text is a message of its own line */
		PE_PROGRESS_ASK, /**< text names the build system that is asked for its targets: no number */
	} phase;
	size_t done, total;   /**< total: 0, or less than is done, where it is not known yet */
	const char *revision; /**< id, or NULL */
	const char *subject;  /**< of the revision, or NULL */
	/** the revision's place among those measured in turn, from 1; 0: unknown */
	size_t commit, commits;
	const char *benchmark; /**< name, or NULL */
	size_t round, rounds;
	size_t failed; /**< building: revisions in trouble so far */
	const char *text;
};

struct pe_progress {
	void (*report)(const struct pe_progress_event *event, void *payload);
	void *payload;
};
