/*
 * App fixture: an application with all of its surroundings, and nothing of this machine's but its processor: a
 * repository of n commits (tmp_repo.h), a config, an empty store, and commands that are not started
 * (fake_executor.h).
 *
 *	app_fixture_open(&fixture, 6, "build: ./build\nbenchmarks:\n  parse: {command: ./parse, repeats: 4}\n");
 *	app_fixture_open_session(&fixture, &session, 6);
 *	pe_session_measure(&session);
 *	pe_session_close(&session);
 *	app_fixture_close(&fixture);
 *
 * A test that ends with a failed assertion leaves its folder under TMPDIR.
 */
#pragma once

#include "app/measure/session.h"
#include "tests/support/fake_executor.h"
#include "tests/support/tmp_repo.h"

struct app_fixture {
	struct tmp_repo repo;
	struct fake_executor executor;
	struct pe_app app; /**< its arena, err and interrupts are those below */
	struct pe_arena arena;
	struct pe_err err;
	volatile sig_atomic_t interrupts;
	struct pe_text notes; /**< one a line */
	struct pe_revisions
		commits; /**< all n, oldest first: commit i holds its number in the file "number" */
};

/**
 * Open all of it. Rounds come in the same order in every run (PERFEVO_SEED).
 *
 * @param n       commits
 * @param config  text of perfevo.yml
 */
void app_fixture_open(struct app_fixture *fixture, size_t n, const char *config);

/** Close all of it and remove the folder. */
void app_fixture_close(struct app_fixture *fixture);

/** Begin anew as another process would: no Ctrl-C, no failure, the same repository, cache and store. */
void app_fixture_reopen(struct app_fixture *fixture);

/** Open a session over the last n commits and all benchmarks, as `track --last n` does; pe_session_close() it. */
void app_fixture_open_session(struct app_fixture *fixture, struct pe_session *session, size_t n);

/** Read the commits anew, once a test has made more of them with tmp_repo_commit(). */
void app_fixture_walk(struct app_fixture *fixture);

/** The one integer that a query of the store gives. */
int64_t app_fixture_ask(const struct app_fixture *fixture, const char *sql);

/** How many rows a part of a query finds: "runs WHERE kind = 0". */
int64_t app_fixture_rows(const struct app_fixture *fixture, const char *from);

/** What the fixture `fixture` is asked by a query, how many rows it has, and how often it ran a command at a revision. */
#define EXPECT_ASKED(sql, n) cr_expect(eq(i64, app_fixture_ask(&fixture, sql), n))
#define EXPECT_ROWS(from, n) cr_expect(eq(i64, app_fixture_rows(&fixture, from), n))
#define RAN(text, revision)  fake_executor_ran(&fixture.executor, 0, text, revision)

/** A call on the fixture `fixture` that succeeds, or ends the test. */
#define OK(call) cr_assert_ok(call, fixture.err.message)
