#include "core/stats/location.h"

#include "core/base/random.h"
#include "tests/support/test.h"

#include <math.h>

TestSuite(location, .timeout = 600);

/*
 * Reference values: numpy's quantile and median, scipy.stats 1.10's trim_mean(x, 0.2), and numpy's median of
 * (a + b) / 2 for all a and b of x.
 */
Test(location, agrees_with_another_implementation)
{
	const double wanted[PE_N_LOCATIONS] = {
		[PE_LOCATION_QUARTILE] = 11.925,
		[PE_LOCATION_MEDIAN] = 12.15,
		[PE_LOCATION_TRIMMED] = 12.183333333333332,
		[PE_LOCATION_HODGES_LEHMANN] = 12.225,
	};

	for (int how = 0; how < PE_N_LOCATIONS; how++) {
		double x[] = {12.1, 11.8, 12.6, 15.9, 11.9, 12.3, 12.0, 12.2, 11.7, 13.4};

		cr_expect(epsilon_eq(dbl, pe_locate(x, 10, (enum pe_location)how), wanted[how],
				     1e-12),
			  "%d", how);
	}
}

/* What is said of an error, of 400 owners of 30 normal values each: within a tenth of how they really scatter. */
Test(location, errors_are_what_they_say)
{
	enum { OWNERS = 400, EACH = 30 };
	struct pe_arena arena = PE_ARENA_INIT;
	double *value = pe_arena_new(&arena, double, OWNERS *EACH);
	size_t *start = pe_arena_new(&arena, size_t, OWNERS + 1);
	struct pe_random random;

	pe_random_seed(&random, 5);
	for (size_t i = 0; i < OWNERS * EACH; i++)
		value[i] = 10 + pe_random_normal(&random);
	for (size_t i = 0; i <= OWNERS; i++)
		start[i] = i * EACH;
	for (int how = 0; how < PE_N_LOCATIONS; how++) {
		struct pe_samples samples = {value, start, OWNERS};
		struct pe_located located = pe_locate_all(&samples, (enum pe_location)how, &arena);
		double mean = 0, scatter = 0, said = 0;

		for (size_t i = 0; i < OWNERS; i++)
			mean += located.at[i] / OWNERS;
		for (size_t i = 0; i < OWNERS; i++) {
			scatter += pow(located.at[i] - mean, 2) / (OWNERS - 1);
			said += located.variance[i] / OWNERS;
		}
		cr_expect(epsilon_eq(dbl, sqrt(said / scatter), 1, 0.1), "%d: %g", how,
			  sqrt(said / scatter));
	}
	pe_arena_release(&arena);
}
