/* Fixture: a store in a folder of its own, with a machine, some revisions, benchmarks and a batch. */
#pragma once

#include "store/sql.h"

#define N_REVISIONS  4
#define N_BENCHMARKS 2

struct fixture {
	char dir[64];
	char path[96];
	struct pe_store *store;
	struct pe_arena arena;
	struct pe_err err;
	int64_t machine;
	int64_t revisions[N_REVISIONS];
	int64_t benchmarks[N_BENCHMARKS];
	int64_t batch;
};

/** A folder with an empty store. */
void fixture_open(struct fixture *fixture);

/** The same, filled: every (revision, benchmark) is a cell of an open batch. */
void fixture_open_filled(struct fixture *fixture);

/** Close the store and open it again. */
void fixture_reopen(struct fixture *fixture, unsigned flags);

/** Close, and remove the folder. */
void fixture_close(struct fixture *fixture);

/** The parts, for tests that need more of them. Each asserts that it worked. */
int64_t fixture_machine(struct fixture *fixture, const char *hostname);
int64_t fixture_revision(struct fixture *fixture, unsigned number);
int64_t fixture_benchmark(struct fixture *fixture, const char *name, const char *version);
int64_t fixture_batch(struct fixture *fixture, int64_t machine);

/** Give machines and benchmarks identifiers of the form that documents of results ask for, by their keys. */
void fixture_identify(struct fixture *fixture);

/** A measured run with `n` built-in metrics, whose values are base, base + 1, ... */
struct pe_run fixture_run(unsigned round, unsigned n, double base);

/** A failed one. */
struct pe_run fixture_failure(unsigned round, enum pe_outcome outcome, const char *log);

/** Put a run of cell (revision r, benchmark w) of the fixture's batch and assert that it worked. */
void fixture_put(struct fixture *fixture, unsigned r, unsigned w, const struct pe_run *run);

/** Put a run as fixture_put() does, without the assertion. @return  as pe_store_put_run() */
int fixture_try(struct fixture *fixture, unsigned r, unsigned w, const struct pe_run *run);

/** A call on the fixture `at` that succeeds, or ends the test. */
#define OK(call) cr_assert_ok(call, at.err.message)

/** How many rows a table has, and what else stands in FROM. */
int64_t fixture_rows(const struct fixture *fixture, const char *from);

/** The one integer, or text, that a query gives, on a connection of its own. */
int64_t fixture_ask(const struct fixture *fixture, const char *sql);
const char *fixture_ask_text(struct fixture *fixture, const char *sql);

/** The file is whole: SQLite's integrity check and its foreign keys. */
void fixture_expect_whole(const struct fixture *fixture);

/**
 * Replace the jumps of a benchmark's metric. Their revisions are places in fixture->revisions; the place behind the last one is
 * of a key that the store does not have.
 */
int fixture_replace_jumps(struct fixture *fixture, unsigned benchmark, const char *metric,
			  const struct pe_jump *jumps, size_t n);
