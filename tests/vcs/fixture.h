/* Fixture: a repository made on the spot, opened by the room under test, and a folder to fill. */
#pragma once

#include "tests/support/tmp_repo.h"
#include "vcs/repo.h"

/** One for each test, which is a process of its own. */
struct fixture {
	struct tmp_repo tmp;
	struct pe_repo *repo;
	struct pe_arena arena;
	struct pe_err err;
	char *dir; /* the folder that is filled: root/slot */
};

void fixture_init(struct fixture *fixture);
void fixture_release(struct fixture *fixture);

/** Open root/<name>, closing what was open. */
void fixture_open(struct fixture *fixture, const char *name);

/** Fill; a failure ends the test. */
struct pe_fill fixture_fill(struct fixture *fixture, const char *have, const char *id,
			    enum pe_clean clean);

/** Fill and give back its code. */
int fixture_try_fill(struct fixture *fixture, const char *have, const char *id);

/** Whether the folder holds exactly what `git clone` and `git checkout` of a commit make: bytes, modes, links. */
void fixture_matches_git(struct fixture *fixture, const char *id);

/** Fill, and compare with git. */
void fixture_fill_as_git(struct fixture *fixture, const char *have, const char *id,
			 enum pe_clean clean);

/** Content of a file below root, which lives as long as the fixture. Ends the test when there is none. */
char *fixture_read(struct fixture *fixture, const char *path);

/** Whether there is anything at a path below root (links are not followed). */
int fixture_exists(struct fixture *fixture, const char *path);

/** Modification time of a path below root, in nanoseconds. */
int64_t fixture_mtime_ns(struct fixture *fixture, const char *path);

/** Give a path below root an old mtime, so that a later write shows. */
void fixture_age(struct fixture *fixture, const char *path);

/**
 * A merge, whose commits have their numbers as subjects; times tick.
 *
 *	1 - 2 - 3 - - - 6(merge) - 7     main
 *	     \         /
 *	      4 - 5 --'- 8               side at 5, later at 8; tags are v2, v5 and v7
 */
void fixture_make_merge(struct fixture *fixture);
