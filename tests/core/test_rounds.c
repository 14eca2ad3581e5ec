#include "core/stats/rounds.h"

#include "core/stats/order.h"
#include "tests/core/history.h"
#include "tests/support/test.h"

static struct pe_arena arena = PE_ARENA_INIT;
static struct history h;
static struct pe_readings r; /* the history's, on the scale where the machine adds */
static struct pe_rounds rounds;

TestSuiteWith(rounds, (void)0, pe_arena_release(&arena);
	      pe_vec_release(&h.readings), .timeout = 600);

static void remove_machine(void)
{
	struct pe_reading *at = pe_arena_new(&arena, struct pe_reading, h.readings.n);

	for (size_t i = 0; i < h.readings.n; i++) {
		at[i] = h.readings.data[i];
		at[i].value = log(at[i].value);
	}
	r = (struct pe_readings){at, h.readings.n, h.n_commits};
	rounds = pe_rounds_remove(&r, &arena);
}

/* Median of a commit's corrected readings that count. */
static double middle(size_t commit)
{
	double *values = pe_arena_new(&arena, double, r.n);
	size_t n = 0;

	for (size_t i = 0; i < r.n; i++)
		if (r.at[i].commit == commit && rounds.used[i])
			values[n++] = rounds.value[i];
	return pe_order_median(values, n);
}

Test(rounds, without_noise_the_machine_is_taken_away_whole)
{
	history_init(&h, 6, 100, 0, 1);
	history_step(&h, 3, 1.25);
	history_rounds(&h, 9, 0.3);
	remove_machine();
	cr_expect(eq(sz, rounds.n_components, 1));
	for (size_t i = 0; i < r.n; i++) {
		double same = rounds.value[r.at[i].commit]; /* the first round's */

		cr_expect(rounds.used[i]);
		cr_expect(epsilon_eq(dbl, rounds.value[i], same, 1e-9));
	}
	cr_expect(epsilon_eq(dbl, middle(5) - middle(0), log(1.25), 1e-9));
}

Test(rounds, wandering_machine_shrinks_to_the_runs_own_noise)
{
	double raw[1000], corrected[1000];

	history_init(&h, 40, 100, 0.004, 2);
	history_rounds(&h, 25, 0.05);
	remove_machine();
	for (size_t i = 0; i < r.n; i++) {
		raw[i] = r.at[i].value - log(100);
		corrected[i] = rounds.value[i] - middle(20);
	}
	cr_expect(gt(dbl, pe_order_scale(raw, r.n), 0.03));
	cr_expect(lt(dbl, pe_order_scale(corrected, r.n), 0.006));
}

/* With three commits a round says little: a machine that does not wander must not cost precision. */
Test(rounds, still_machine_is_left_alone)
{
	double moved[90];

	history_init(&h, 3, 100, 0.01, 3);
	history_rounds(&h, 30, 0);
	remove_machine();
	for (size_t i = 0; i < r.n; i++)
		moved[i] = rounds.value[i] - r.at[i].value;
	cr_expect(lt(dbl, pe_order_scale(moved, r.n), 0.005));
}

/* A later batch is 20 % slower altogether and holds one new commit, two before it and two references. */
Test(rounds, slower_day_is_undone_in_an_unbalanced_design)
{
	const size_t first[] = {0, 1, 2, 3, 4, 5}, second[] = {0, 1, 4, 5, 6},
		     third[] = {0, 1, 5, 6, 7};

	history_init(&h, 8, 100, 0.002, 4);
	history_step(&h, 6, 1.05);
	history_batch(&h, first, 6, 10, 15, 0, 0.01);
	history_batch(&h, second, 5, 20, 15, 0.18, 0.01);
	history_batch(&h, third, 5, 30, 15, -0.12, 0.01);
	remove_machine();
	cr_expect(eq(sz, rounds.n_components, 1));
	for (size_t i = 0; i < 8; i++) {
		double level = middle(i) - middle(0);

		cr_expect(epsilon_eq(dbl, level, i >= 6 ? log(1.05) : 0, 0.004), "commit %zu", i);
		cr_expect(gt(dbl, rounds.block_variance[i], 0));
		cr_expect(lt(dbl, rounds.block_variance[i], 1e-5));
	}
}

/* Batches that overlap in one commit only: the offsets have to travel along the whole chain. */
Test(rounds, chain_of_batches_is_followed_to_its_end)
{
	history_init(&h, 101, 100, 0, 5);
	history_step(&h, 50, 2);
	for (size_t w = 0; w < 50; w++) {
		const size_t commits[] = {2 * w, 2 * w + 1, 2 * w + 2};

		history_batch(&h, commits, 3, (int64_t)w, 3, 0.1 * (double)(w % 7), 0);
	}
	remove_machine();
	cr_expect(eq(sz, rounds.n_components, 1));
	cr_expect(epsilon_eq(dbl, middle(100) - middle(0), log(2), 1e-6));
	cr_expect(epsilon_eq(dbl, middle(49) - middle(0), 0, 1e-6));
}

Test(rounds, reference_that_behaved_differently_one_day_is_outvoted)
{
	const size_t together[] = {0, 1, 2, 3, 4, 5};

	history_init(&h, 6, 100, 0.002, 6);
	history_batch(&h, together, 6, 1, 15, 0, 0);
	h.level[0] = 150;
	history_batch(&h, together, 6, 2, 15, 0.1, 0);
	remove_machine();
	cr_expect(epsilon_eq(dbl, middle(5) - middle(4), 0, 0.003));
	for (size_t i = 0; i < r.n; i++)
		if (r.at[i].commit == 3)
			cr_assert(lt(dbl, fabs(rounds.value[i] - middle(3)), 0.7));
	/* Commit 3 in both batches: their difference of 0.1 is gone. */
	cr_expect(epsilon_eq(dbl,
			     rounds.value[3] - r.at[3].value - (rounds.value[93] - r.at[93].value),
			     0.1, 0.01));
}

Test(rounds, batches_without_a_common_commit_stay_components)
{
	const size_t left[] = {0, 2, 4}, right[] = {1, 3, 5};

	history_init(&h, 7, 100, 0.001, 7);
	history_batch(&h, left, 3, 1, 10, 0, 0);
	history_batch(&h, right, 3, 2, 10, 0.5, 0);
	remove_machine();
	cr_expect(eq(sz, rounds.n_components, 2));
	for (size_t i = 0; i < 6; i++) {
		cr_expect(eq(sz, rounds.component[i], i % 2));
		/* Each on its own scale. */
		cr_expect(epsilon_eq(dbl, middle(i), log(100) + (i % 2 == 1 ? 0.5 : 0), 0.002));
	}
	cr_expect(eq(sz, rounds.component[6], PE_NO_COMPONENT));
}

Test(rounds, commit_measured_alone_keeps_its_values)
{
	const size_t alone[] = {0};

	history_init(&h, 1, 100, 0.02, 9);
	history_batch(&h, alone, 1, 1, 5, 0, 0.1);
	history_batch(&h, alone, 1, 2, 5, 0.3, 0.1);
	remove_machine();
	cr_expect(eq(sz, rounds.n_components, 1));
	for (size_t i = 0; i < r.n; i++)
		cr_expect(rounds.used[i] && rounds.value[i] == r.at[i].value);
}

Test(rounds, lone_batch_of_a_linked_commit_does_not_count)
{
	const size_t both[] = {0, 1}, alone[] = {1};

	history_init(&h, 2, 100, 0.001, 10);
	history_batch(&h, both, 2, 1, 10, 0, 0);
	history_batch(&h, alone, 1, 2, 10, 0.5, 0);
	remove_machine();
	for (size_t i = 0; i < r.n; i++)
		cr_expect(eq(int, rounds.used[i], r.at[i].batch == 1));
	cr_expect(epsilon_eq(dbl, middle(1), log(100), 0.002));
}
