/* Nested: processes whose variances are known. What is found is held against what thousands of them really take. */
#include "core/stats/nested.h"

#include "core/base/arena.h"
#include "tests/support/random.h"
#include "tests/support/test.h"

enum { BENCHMARKS = 100, PROCESSES = 5, MOST = 64 };

static struct pe_random draw;
static double values[BENCHMARKS][PROCESSES][MOST];
static struct pe_nested_process processes[BENCHMARKS][PROCESSES];
static struct pe_nested benchmarks[BENCHMARKS];

static double normal(void)
{
	double u = pe_random_unit(&draw), v = pe_random_unit(&draw);

	return sqrt(-2 * log(1 - u)) * cos(6.283185307179586 * v);
}

/* Each benchmark with a scale of its own; now and then a value is an outlier, as values are. */
static void make(size_t n_benchmarks, size_t n, double between, double within, double outliers)
{
	pe_random_seed(&draw, 3);
	for (size_t b = 0; b < n_benchmarks; b++) {
		double scale = exp(6 * pe_random_unit(&draw));

		for (size_t p = 0; p < PROCESSES; p++) {
			double level = between * normal();

			for (size_t i = 0; i < n; i++)
				values[b][p][i] =
					scale * (100 + level + within * normal() +
						 (pe_random_unit(&draw) < outliers ? 50 : 0));
			processes[b][p] = (struct pe_nested_process){values[b][p], n};
		}
		benchmarks[b] = (struct pe_nested){processes[b], PROCESSES};
	}
}

Test(nested, finds_the_ratio_of_variances)
{
	static const double ratios[] = {0.04, 0.25, 1, 4, 25};

	for (size_t i = 0; i < sizeof(ratios) / sizeof(*ratios); i++)
		for (size_t n = 8; n <= MOST; n *= 2) {
			struct pe_nested_choice choice;

			make(BENCHMARKS, n, sqrt(ratios[i]), 1, 0.02);
			choice = pe_nested_choose(benchmarks, BENCHMARKS, (double)n, 1, 1);
			cr_assert(eq(sz, choice.n, BENCHMARKS));
			/* Its error is that of the median of a hundred variances of four degrees of freedom. */
			cr_expect(fabs(choice.ratio - ratios[i]) <
					  0.35 * (ratios[i] + 1.5708 / (double)n),
				  "%g of %zu values: %g", ratios[i], n, choice.ratio);
		}
}

/* Seconds that a precision takes with n values a process, by the law of what was simulated. */
static double seconds(double ratio, double n, double start_s)
{
	return (ratio + 1.5708 / n) * (start_s + n);
}

/* The choice is within a tenth of the best that any number of values does. */
Test(nested, chooses_what_takes_the_fewest_seconds)
{
	static const double ratios[] = {0.04, 0.25, 1, 4}, starts[] = {1, 10, 100};

	for (size_t i = 0; i < 4; i++)
		for (size_t k = 0; k < 3; k++) {
			struct pe_nested_choice choice;
			double best = INFINITY;

			make(BENCHMARKS, 32, sqrt(ratios[i]), 1, 0);
			choice = pe_nested_choose(benchmarks, BENCHMARKS, 32, starts[k], 1);
			for (double n = 1; n <= 1000; n++)
				best = fmin(best, seconds(ratios[i], n, starts[k]));
			cr_expect(seconds(ratios[i], choice.best, starts[k]) < 1.1 * best,
				  "ratio %g, start %g: %g values", ratios[i], starts[k],
				  choice.best);
			cr_expect(fabs(log(choice.gain * best /
					   seconds(ratios[i], 32, starts[k]))) < log(1.3));
		}
}

/* One that jumps between processes does not decide for ninety-nine others. */
Test(nested, few_odd_benchmarks_decide_nothing)
{
	double ratio;

	make(BENCHMARKS, 32, 0.5, 1, 0);
	ratio = pe_nested_choose(benchmarks, BENCHMARKS, 32, 10, 1).ratio;
	for (size_t b = 0; b < BENCHMARKS / 20; b++)
		for (size_t i = 0; i < 32; i++)
			values[b][0][i] *= 10;
	cr_expect(fabs(pe_nested_choose(benchmarks, BENCHMARKS, 32, 10, 1).ratio / ratio - 1) <
		  0.2);
}

/* Five processes of one benchmark that agree by luck are no reason for a thousand values. */
Test(nested, a_single_benchmark_is_no_proof_of_calm)
{
	double one, all;

	make(BENCHMARKS, 8, 0, 1, 0);
	one = pe_nested_choose(benchmarks, 1, 8, 10, 1).best;
	all = pe_nested_choose(benchmarks, BENCHMARKS, 8, 10, 1).best;
	cr_expect(one < 15 && all > 20, "%g, %g", one, all);
}

Test(nested, says_nothing_without_values_within_processes)
{
	make(10, 1, 1, 1, 0);
	cr_expect_text("0 1 3", pe_nested_choose(benchmarks, 10, 1, 10, 1).n,
		       pe_nested_choose(benchmarks, 10, 1, 10, 1).best,
		       pe_nested_choose(benchmarks, 0, 3, 10, 1).best);
	make(10, 8, 1, 0, 0);
	cr_expect(isnan(pe_nested_choose(benchmarks, 10, 8, 10, 1).ratio), "all values are equal");
}
