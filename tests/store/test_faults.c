/*
 * Promises 1, 4 and 7 under faults: of all calls that change a file, the n-th fails, for every n of a whole sequence of
 * what `track` stores. Whatever fails: the file is whole, and what was reported as stored is there, each run with all of
 * its samples. PERFEVO_FAULTS=all takes every n, otherwise it is a stride of them.
 */
#include "failing_vfs.h"
#include "fixture.h"
#include "tests/support/test.h"

TestSuite(faults, .timeout = 600);

enum { ROUNDS = 4, RUNS = ROUNDS * N_REVISIONS * N_BENCHMARKS, STRIDE = 89 };

/* What the calls said. */
struct told {
	unsigned runs; /* stored */
	bool opened;
};

static int put_cells(struct told *told, struct fixture *at)
{
	int rc = PE_OK;

	for (unsigned i = 0; i < RUNS && rc == PE_OK; i++) {
		struct pe_run run = fixture_run(i / (N_REVISIONS * N_BENCHMARKS), 3, i);
		unsigned r = i % N_REVISIONS, w = i / N_REVISIONS % N_BENCHMARKS;
		struct pe_build build = {.outcome = PE_MEASURED, .log = ""};
		int64_t key;

		rc = pe_store_put_build(&key, at->store, at->revisions[r], at->machine, "recipe",
					&build, &at->err);
		if (rc == PE_OK)
			rc = pe_store_put_run(at->store, at->batch, at->revisions[r],
					      at->benchmarks[w], &run, &at->err);
		told->runs += rc == PE_OK;
	}
	return rc;
}

/* The store of the fixture is opened, written and closed, as a command does. */
static struct told work(struct fixture *at)
{
	struct told told = {0};
	struct pe_store_gc what = {.old_versions = true};
	struct pe_store_gc_result result;

	if (pe_store_open(&at->store, at->path, 0, &at->err) != PE_OK)
		return told;
	told.opened = true;
	if (put_cells(&told, at) == PE_OK)
		pe_store_collect(&result, at->store, &what, &at->err);
	pe_store_close(at->store);
	at->store = NULL;
	return told;
}

/* With call n failing, of a kind; false where there are fewer calls. */
static bool try_one(long n, enum failing_kind kind, bool stays)
{
	struct fixture at;
	struct told told;
	bool failed;

	failing_vfs_install();
	fixture_open_filled(&at);
	pe_store_close(at.store);
	at.store = NULL;
	failing_vfs = (struct failing_vfs){.fails = n, .kind = kind, .stays = stays};
	told = work(&at);
	failed = failing_vfs.failed;
	failing_vfs = (struct failing_vfs){0};
	fixture_expect_whole(&at);
	cr_expect(ge(i64, fixture_rows(&at, "runs"), told.runs),
		  "call %ld, kind %d: lost what was reported as stored", n, (int)kind);
	cr_expect(le(i64, fixture_rows(&at, "runs"), told.runs + 1),
		  "call %ld, kind %d: stored what nobody asked for", n, (int)kind);
	cr_expect(eq(i64, fixture_rows(&at, "samples"), 3 * fixture_rows(&at, "runs")),
		  "call %ld, kind %d: a run without all its samples", n, (int)kind);
	/* And the next command goes on. */
	fixture_reopen(&at, 0);
	fixture_machine(&at, "after");
	fixture_close(&at);
	return failed;
}

static void try_all(enum failing_kind kind, bool stays)
{
	const char *all = getenv("PERFEVO_FAULTS");
	long n = 1, step = all != NULL ? 1 : STRIDE;

	while (try_one(n, kind, stays))
		n += step;
	cr_expect(gt(long, n, 2 * RUNS), "the sequence has %ld calls only", n);
}

Test(faults, a_call_that_fails_loses_nothing)
{
	try_all(FAILING_IO, false);
}

Test(faults, a_disk_that_is_full_from_then_on_loses_nothing)
{
	try_all(FAILING_FULL, true);
}
