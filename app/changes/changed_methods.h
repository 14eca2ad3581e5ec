/*
 * Changed methods: which methods a commit changed (PARCS §3.2, Spark Circle §IV). Here the repository, the extraction
 * and the store meet: only files that differ are looked at, a content is parsed once in the life of a store,
 * and what a commit changed against its first parent is found out once.
 */
#pragma once

#include "app/app.h"
#include "analysis/methods/method.h"

/** A source file with parts that could not be parsed. */
struct pe_unread_file {
	const char *path;
	size_t parts;
};

/** What differs between two revisions. */
struct pe_revision_changes {
	const char *before; /**< id; "": an empty tree */
	const char *after;  /**< id */
	struct pe_method_changes methods;
	size_t files; /**< source files that differ */
	/** Parts of them that could not be parsed, in the newer content of each. */
	size_t unread;
	struct pe_unread_file *unread_files; /**< where these are; most parts first */
	size_t n_unread_files;
	bool ran_out; /**< parsing one of the files took too long: nothing of this is kept, see pe_worker_extract() */
};

/** Holds contents that are to be stored, and what decides the answers: the extraction's version and the config's `paths:`. */
struct pe_comparer;

/**
 * @param app   with repo; config and store where the command has them
 * @param keep  write into the store what is found out; a failure to do so is a note, and ends the keeping
 */
struct pe_comparer *pe_comparer_new(struct pe_app *app, bool keep);

/** NULL is allowed. */
void pe_comparer_free(struct pe_comparer *comparer);

/**
 * The methods that differ between two revisions. Left out are files in a language that perfevo does not read, those that
 * `paths:` excludes, and those that .gitattributes marks as generated or vendored.
 *
 * @param before  id; NULL: the first parent of after, at a root an empty tree: these results are stored
 * @param arena   owns all of it
 * @return        PE_ENOTFOUND for the first parent of a shallow clone's oldest commit; PE_ESTOPPED after Ctrl-C
 *                in a command that counts it; as the repository and the store
 */
int pe_changes_of(struct pe_revision_changes *out, struct pe_comparer *comparer,
		  const struct pe_revision *after, const char *before, struct pe_arena *arena);

/**
 * The methods of one content, from the store, or parsed now and stored.
 *
 * @param path  in a language that perfevo reads
 * @param blob  id, in an arena that outlives the comparer
 * @param out   in the arena; empty where nothing could be read
 */
int pe_comparer_read(struct pe_methods *out, struct pe_comparer *comparer, const char *path,
		     const char *blob, struct pe_arena *arena);

/**
 * How many methods each revision changed, from the store; nothing is computed.
 *
 * @param out  n counts, -1: unknown, in the context's arena; NULL when all are unknown or no
 *             file of a language that perfevo reads changed in any of them
 */
int pe_changes_counts(const int64_t **out, struct pe_app *app, const struct pe_revision *revisions,
		      size_t n);

/** Report that a revision is about to be compared, `done` of `total` before it. */
void pe_changes_report(const struct pe_app *app, const struct pe_revision *revision, size_t done,
		       size_t total);

/**
 * Compute and store the changed methods of revisions that the store lacks, with progress. A revision that cannot be
 * compared is left out, with one note for all.
 *
 * @return  PE_ESTOPPED after Ctrl-C: results so far are kept
 */
int pe_changes_keep(struct pe_app *app, const struct pe_revision *const *revisions, size_t n);
