/*
 * History: the commits of a repository for a picture of it: every parent is followed, from one commit or from
 * all branches and tags, newest first. What is read is what is shown and a little more, so that the newest
 * fifty of a million commits cost as much as of a hundred.
 */
#pragma once

#include "vcs/repo.h"

/** A commit of the picture. In place of a parent that cannot be parsed its own parent stands. */
struct pe_repo_commit {
	struct pe_revision revision;
	/** In git's order: "HEAD" and its branch, tags as "tag: v1.0", other branches, branches of remotes. */
	const char *const *refs;
	size_t n_refs;
};

/** Which commits. Zero-initialise; every filter that is set must hold. */
struct pe_repo_history_query {
	const char *spec; /**< "A..B", "B"; NULL: HEAD, before the first commit nothing */
	bool all;         /**< from every branch, tag and remote branch as well */
	struct pe_strings
		also;    /**< from these ids as well; those that are not there are passed over */
	size_t last;     /**< at most this many, the newest; 0: no limit */
	int64_t since_s; /**< commit time at or after; 0: no limit */
	int64_t until_s; /**< commit time at or before; 0: no limit */
};

struct pe_repo_history {
	struct pe_repo_commit *at; /**< every commit before its parents, else by commit time */
	size_t n;
	bool cut; /**< one of them has a parent that is not among them */
};

/**
 * Read the commits of a history.
 *
 * Where clocks are wrong (a commit is older than one of its parents by more than 256 commits) and the query is limited,
 * a commit may be missed; the others keep their order all the same.
 *
 * @param arena  owns all of it
 * @return       PE_ENOTFOUND and PE_EINVALID as pe_repo_resolve(), PE_EVCS
 */
int pe_repo_history(struct pe_repo_history *out, struct pe_repo *repo,
		    const struct pe_repo_history_query *query, struct pe_arena *arena,
		    struct pe_err *err);
