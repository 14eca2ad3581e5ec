#include "app/measure/exactness.h"

#include "tests/support/test.h"

TestSuite(exactness);

/* Revisions 1 and 2 have two runs each; revision 3 executes the same as 1 and was measured, too. */
static const struct pe_observation at[] = {
	{.revision = 1, .value = 100}, {.revision = 1, .value = 100}, {.revision = 2, .value = 90},
	{.revision = 2, .value = 90},  {.revision = 3, .value = 104},
};

Test(exactness, builds_that_execute_the_same_are_one_build)
{
	const struct pe_coverage reused[] = {{.revision = 3, .benchmark = 6, .source = 2},
					     {.revision = 3, .benchmark = 7, .source = 1}};
	struct pe_exactness apart =
		pe_exactness_of(at, 5, reused, 0, 7, &pe_metrics[PE_ALLOCATIONS]);
	struct pe_exactness kept =
		pe_exactness_of(at, 5, reused, 2, 7, &pe_metrics[PE_ALLOCATIONS]);

	cr_expect_text("2 0 2 1", apart.builds, apart.broken, kept.builds, kept.broken);
	cr_expect(epsilon_eq(dbl, kept.most, 4. / 104, 1e-12));
}

Test(exactness, what_is_reused_in_another_benchmark_is_of_no_account)
{
	const struct pe_coverage reused[] = {{.revision = 3, .benchmark = 6, .source = 1}};

	cr_expect(eq(sz, pe_exactness_of(at, 5, reused, 1, 7, &pe_metrics[PE_ALLOCATIONS]).broken,
		     0));
	cr_expect(eq(sz, pe_exactness_of(NULL, 0, NULL, 0, 7, &pe_metrics[PE_ALLOCATIONS]).builds,
		     0));
}

Test(exactness, a_broken_promise_makes_a_noisy_metric)
{
	const struct pe_exactness broken = {2, 1, 0.01}, kept = {2, 0, 0};
	pe_auto_arena arena = PE_ARENA_INIT;
	const struct pe_metric *peak = &pe_metrics[PE_ALLOCATED_PEAK];

	cr_expect(eq(ptr, (void *)pe_exactness_metric(peak, &kept, &arena), (void *)peak));
	cr_expect(eq(int, pe_exactness_metric(peak, &broken, &arena)->kind, PE_METRIC_NOISY));
	cr_expect(eq(ptr, (void *)pe_exactness_metric(&pe_metrics[PE_CPU], &broken, &arena),
		     (void *)&pe_metrics[PE_CPU]));
}
