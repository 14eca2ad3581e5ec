#include "core/stats/fdr.h"

#include "tests/support/random.h"
#include "core/stats/order.h"
#include "tests/support/test.h"

TestSuite(fdr, .timeout = 600);

/* Benjamini and Hochberg (1995), section 3.2: of these fifteen, four are discoveries at 0.05; Bonferroni: three. */
static const double fifteen[] = {0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344,
				 0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000};

Test(fdr, agrees_with_the_paper)
{
	double adjusted[15];
	size_t n = 0;

	pe_fdr_adjust(adjusted, fifteen, 15);
	for (size_t i = 0; i < 15; i++)
		n += adjusted[i] <= 0.05;
	cr_expect(eq(sz, n, 4));
	cr_expect(epsilon_eq(dbl, adjusted[3], 0.0095 * 15 / 4, 1e-12));
	/* The sixth is no better than the eighth lets it be: 0.0344 * 15 / 8 < 0.0278 * 15 / 6. */
	cr_expect(epsilon_eq(dbl, adjusted[5], 0.0298 * 15 / 7, 1e-12));
}

/* R: p.adjust(c(0.03, 0.01, 0.05, 0.02, 0.04), "BH"): all 0.05. */
Test(fdr, agrees_with_r_whatever_the_order)
{
	double p[] = {0.03, 0.01, 0.05, 0.02, 0.04};

	pe_fdr_adjust(p, p, 5);
	for (size_t i = 0; i < 5; i++)
		cr_expect(epsilon_eq(dbl, p[i], 0.05, 1e-12));
}

Test(fdr, what_was_not_tested_does_not_count)
{
	double p[] = {0.01, NAN, 0.04, NAN};

	pe_fdr_adjust(p, p, 4);
	cr_expect(epsilon_eq(dbl, p[0], 0.02, 1e-12));
	cr_expect(epsilon_eq(dbl, p[2], 0.04, 1e-12));
	cr_expect(isnan(p[1]) && isnan(p[3]));
	pe_fdr_adjust(NULL, NULL, 0);
}

/* What is spent without a discovery is the wealth, and no more: 10,000 levels leave a tail. */
Test(fdr, levels_add_up_to_the_wealth)
{
	double sum = 0, last = 1;

	for (size_t t = 1; t <= 10000; t++) {
		double level = pe_fdr_level(t, NULL, 0);

		cr_assert(gt(dbl, level, 0));
		cr_assert(lt(dbl, level, last));
		last = level;
		sum += level;
	}
	cr_expect(lt(dbl, sum, 0.025));
	cr_expect(gt(dbl, sum, 0.025 * 0.35));
}

/* By hand: the level is what is left of the first wealth, and each discovery's share since it was known. */
Test(fdr, discoveries_earn)
{
	const size_t known[] = {10, 12};
	double silent = pe_fdr_level(13, NULL, 0);
	double share1 = pe_fdr_level(1, NULL, 0) / 0.025;
	double share3 = pe_fdr_level(3, NULL, 0) / 0.025;

	cr_expect(epsilon_eq(dbl, pe_fdr_level(13, known, 1), silent + 0.025 * share3, 1e-12));
	cr_expect(epsilon_eq(dbl, pe_fdr_level(13, known, 2),
			     silent + 0.025 * share3 + 0.05 * share1, 1e-12));
}

/*
 * Streams of 400 tests, one in twenty of something that is there, answers known up to five tests later: the
 * false rate is held in the mean, and most of what is there is found.
 */
Test(fdr, stream_holds_the_rate)
{
	double rate = 0, found = 0, there = 0;
	const size_t streams = 200;

	for (uint64_t seed = 1; seed <= streams; seed++) {
		size_t known[400], n_known = 0, pending[6] = {0}, n_false = 0, n_found = 0;
		struct pe_random random = random_of(seed);

		for (size_t t = 1; t <= 400; t++) {
			bool real = pe_random_unit(&random) < 0.05;
			double z = pe_random_normal(&random) + (real ? 5 : 0);
			size_t delay = pe_random_below(&random, 6);

			/* Answers that came in while the test before was the last one begun. */
			for (; pending[t % 6] > 0; pending[t % 6]--)
				known[n_known++] = t - 1;
			there += real;
			if (pe_normal_tail(z) > pe_fdr_level(t, known, n_known))
				continue;
			n_found++;
			n_false += !real;
			found += real;
			pending[(t + 1 + delay) % 6]++;
		}
		rate += n_found > 0 ? (double)n_false / (double)n_found / (double)streams : 0;
	}
	cr_expect(le(dbl, rate, 0.05), "%g", rate);
	cr_expect(ge(dbl, found, 0.8 * there), "%g of %g", found, there);
}

/* Each jump an event of its own: what it was without events. */
Test(fdr, events_of_one_member_are_members)
{
	double plain[15], of_events[15];
	size_t event[15];

	for (size_t i = 0; i < 15; i++)
		event[i] = 100 - i;
	pe_fdr_adjust(plain, fifteen, 15);
	pe_fdr_adjust_events(of_events, fifteen, event, 15);
	for (size_t i = 0; i < 15; i++)
		cr_expect(epsilon_eq(dbl, of_events[i], plain[i], 1e-12));
}

/*
 * One event of 200 benchmarks that moved and ten of one that may not have: by jumps the 200 would pay for the ten
 * (0.03 adjusted over 210 tests is called), by events they count as one of eleven.
 */
Test(fdr, a_wide_event_does_not_pay_for_others)
{
	double p[210], by_jump[210], by_event[210];
	size_t event[210], called = 0;

	for (size_t i = 0; i < 210; i++) {
		event[i] = i < 200 ? 7 : i;
		p[i] = i < 200 ? 1e-6 : 0.03 + 0.01 * (double)(i - 200);
	}
	pe_fdr_adjust(by_jump, p, 210);
	pe_fdr_adjust_events(by_event, p, event, 210);
	cr_expect(le(dbl, by_jump[200], 0.05), "which was the fault");
	for (size_t i = 0; i < 210; i++)
		called += by_event[i] <= 0.05;
	cr_expect(eq(sz, called, 200));
	cr_expect(epsilon_eq(dbl, by_event[0], 1.1e-5, 1e-9), "one of eleven events");
}

Test(fdr, members_that_did_not_move_are_not_called_with_their_event)
{
	double p[] = {1e-6, 0.4, NAN, 0.5}, adjusted[4];
	const size_t event[] = {1, 1, 1, 2};

	pe_fdr_adjust_events(adjusted, p, event, 4);
	cr_expect(lt(dbl, adjusted[0], 0.001));
	cr_expect(gt(dbl, adjusted[1], 0.05));
	cr_expect(isnan(adjusted[2]));
	cr_expect(gt(dbl, adjusted[3], 0.05));
	pe_fdr_adjust_events(NULL, NULL, NULL, 0);
}
