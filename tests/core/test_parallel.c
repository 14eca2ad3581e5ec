#include "core/base/parallel.h"

#include "core/stats/changepoint.h"
#include "tests/core/history.h"
#include "tests/support/test.h"

TestSuite(parallel, .timeout = 600);

static void count(void *payload, size_t number)
{
	unsigned *counts = payload;

	counts[number]++;
}

Test(parallel, calls_once_for_each_number)
{
	unsigned counts[1000] = {0};

	pe_parallel(0, count, counts);
	pe_parallel(1, count, counts);
	pe_parallel(1000, count, counts);
	cr_assert(eq(uint, counts[0], 2));
	for (size_t i = 1; i < 1000; i++)
		cr_assert(eq(uint, counts[i], 1));
}

Test(parallel, leaves_the_caller_its_signals)
{
	unsigned counts[4] = {0};
	sigset_t before, after;

	sigemptyset(&before);
	sigaddset(&before, SIGUSR1);
	sigprocmask(SIG_SETMASK, &before, NULL);
	pe_parallel(4, count, counts);
	sigprocmask(SIG_SETMASK, NULL, &after);
	cr_assert(eq(int, sigismember(&after, SIGUSR1), 1));
	cr_assert(eq(int, sigismember(&after, SIGINT), 0));
}

enum { N_SERIES = 40 };

struct searched {
	struct pe_readings readings;
	struct pe_changepoints found;
	struct pe_arena arena;
};

static void search(void *payload, size_t number)
{
	struct searched *one = (struct searched *)payload + number;

	one->found = pe_changepoints_find(&one->readings, &usual, &one->arena);
}

static struct pe_readings series_of(size_t number, struct pe_arena *arena)
{
	enum { COMMITS = 60, ROUNDS = 5 };
	struct pe_reading *at = pe_arena_new(arena, struct pe_reading, COMMITS * ROUNDS);
	struct pe_random random = random_of(number + 1);
	size_t n = 0;

	for (size_t c = 0; c < COMMITS; c++)
		for (unsigned r = 0; r < ROUNDS; r++)
			at[n++] = (struct pe_reading){c, 1, r,
						      (c > number ? 1200. : 1000.) +
							      (double)pe_random_below(&random, 20)};
	return (struct pe_readings){at, n, COMMITS};
}

static bool same(const void *a, const void *b, size_t bytes)
{
	return memcmp(a, b, bytes) == 0;
}

/* The search keeps nothing outside of its arena: on many threads it answers as it does on one. */
Test(parallel, searches_as_one_thread_does)
{
	struct searched all[N_SERIES] = {0};

	for (size_t i = 0; i < N_SERIES; i++)
		all[i].readings = series_of(i, &all[i].arena);
	pe_parallel(N_SERIES, search, all);
	for (size_t i = 0; i < N_SERIES; i++) {
		struct pe_changepoints alone =
			pe_changepoints_find(&all[i].readings, &usual, &all[i].arena);

		cr_assert(gt(sz, alone.n, 0), "series %zu", i);
		cr_assert(eq(sz, all[i].found.n, alone.n));
		for (size_t k = 0; k < alone.n; k++) {
			cr_assert(eq(sz, all[i].found.at[k].index, alone.at[k].index));
			cr_assert(same(&all[i].found.at[k].strength, &alone.at[k].strength,
				       sizeof(double)));
		}
		for (size_t c = 0; c < alone.n_commits; c++) {
			cr_assert(same(&all[i].found.commits[c].level, &alone.commits[c].level,
				       sizeof(double)));
			cr_assert(same(&all[i].found.commits[c].least, &alone.commits[c].least,
				       sizeof(double)));
		}
		pe_arena_release(&all[i].arena);
	}
}
