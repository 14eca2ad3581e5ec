/* A version changes with what defines a benchmark, and with nothing else. */
#include "core/model/benchmark.h"

#include "core/model/build.h"
#include "tests/support/test.h"

static struct pe_benchmark plain(void)
{
	static const char *const argv[] = {"./bench", "10", NULL};

	return (struct pe_benchmark){.name = "a",
				     .command = {argv, "./bench 10"},
				     .cwd = ".",
				     .warmup = 2,
				     .repeats = 25,
				     .timeout_ns = 60};
}

static const char *version(struct pe_benchmark *benchmark)
{
	pe_benchmark_version(benchmark, "recipe", "");
	return benchmark->version;
}

Test(benchmark, name_repeats_and_limits_are_not_part_of_the_version)
{
	struct pe_benchmark a = plain(), b = plain();

	b.name = "renamed";
	b.warmup = 0;
	b.repeats = 5;
	b.timeout_ns = 1;
	b.count_allocations = true;
	cr_expect(eq(int, strcmp(version(&a), version(&b)), 0));
}

Test(benchmark, whatever_defines_it_is_part_of_the_version)
{
	static const char *const argv[] = {"./bench", "11", NULL};
	static const char *const env[] = {"A=1"};
	const struct pe_command prepare = {argv, "x"};
	const struct pe_custom_metric custom = {.metric = {.name = "m", .unit = "1"},
						.expression = "x"};
	struct pe_benchmark a = plain(), edited[7];

	for (int i = 0; i < 7; i++)
		edited[i] = plain();
	edited[0].command.argv = argv;
	edited[1].cwd = "sub";
	edited[2].env = (struct pe_strings){env, 1};
	edited[3].input = "data.txt";
	edited[4].expected_status = 1;
	edited[5].prepare = (struct pe_commands){&prepare, 1};
	edited[6].customs = &custom;
	edited[6].n_customs = 1;
	version(&a);
	for (int i = 0; i < 7; i++) {
		cr_expect(strcmp(version(&edited[i]), a.version) != 0, "edit %d", i);
		for (int k = 0; k < i; k++)
			cr_expect(strcmp(edited[i].version, edited[k].version) != 0);
	}
}

Test(benchmark, recipe_and_inputs_are_part_of_the_version)
{
	struct pe_benchmark a = plain(), b = plain(), c = plain();

	pe_benchmark_version(&a, "r1", "i1");
	pe_benchmark_version(&b, "r2", "i1");
	pe_benchmark_version(&c, "r1", "i2");
	cr_expect(strcmp(a.version, b.version) != 0);
	cr_expect(strcmp(a.version, c.version) != 0);
	cr_expect(strcmp(b.version, c.version) != 0);
}
