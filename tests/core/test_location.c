#include "core/stats/location.h"

#include "tests/support/random.h"
#include "tests/support/test.h"

#include <math.h>

TestSuite(location, .timeout = 600);

/* Reference value: numpy's quantile. */
Test(location, agrees_with_another_implementation)
{
	const double x[] = {12.1, 11.8, 12.6, 15.9, 11.9, 12.3, 12.0, 12.2, 11.7, 13.4};
	const size_t start[] = {0, 10};
	struct pe_arena arena = PE_ARENA_INIT;

	cr_expect(epsilon_eq(dbl, pe_locate_all(&(struct pe_samples){x, start, 1}, &arena).at[0],
			     11.925, 1e-12));
	pe_arena_release(&arena);
}

/* What is said of an error, of 400 owners of 30 normal values each: within a tenth of how they really scatter. */
Test(location, errors_are_what_they_say)
{
	enum { OWNERS = 400, EACH = 30 };
	struct pe_arena arena = PE_ARENA_INIT;
	double *value = pe_arena_new(&arena, double, OWNERS *EACH);
	size_t *start = pe_arena_new(&arena, size_t, OWNERS + 1);
	struct pe_random random;
	struct pe_located located;
	double mean = 0, scatter = 0, said = 0;

	pe_random_seed(&random, 5);
	for (size_t i = 0; i < OWNERS * EACH; i++)
		value[i] = 10 + pe_random_normal(&random);
	for (size_t i = 0; i <= OWNERS; i++)
		start[i] = i * EACH;
	located = pe_locate_all(&(struct pe_samples){value, start, OWNERS}, &arena);
	for (size_t i = 0; i < OWNERS; i++)
		mean += located.at[i] / OWNERS;
	for (size_t i = 0; i < OWNERS; i++) {
		scatter += pow(located.at[i] - mean, 2) / (OWNERS - 1);
		said += located.variance[i] / OWNERS;
	}
	cr_expect(epsilon_eq(dbl, sqrt(said / scatter), 1, 0.1), "%g", sqrt(said / scatter));
	pe_arena_release(&arena);
}
