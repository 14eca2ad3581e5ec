#include "configs/config.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

static struct pe_arena arena;
static struct pe_err err;
static struct pe_config config;

static void release(void)
{
	pe_arena_release(&arena);
}

TestSuite(parameters, .fini = release, .timeout = 600);

static void loads(const char *text)
{
	err = (struct pe_err)PE_ERR_INIT;
	cr_assert(eq(int, pe_config_load(&config, "c.yml", "/top", text, &arena, &err), PE_OK),
		  "%s", err.message);
}

static void refused(const char *text, const char *message)
{
	err = (struct pe_err)PE_ERR_INIT;
	cr_expect(
		eq(int, pe_config_load(&config, "c.yml", "/top", text, &arena, &err), PE_EINVALID));
	cr_expect_str_eq(err.message, message);
}

Test(parameters, every_combination_is_a_benchmark_the_last_moving_fastest)
{
	static const char *const names[] = {
		"sort[size=10,kind=a]",  "sort[size=10,kind=b]",   "sort[size=100,kind=a]",
		"sort[size=100,kind=b]", "sort[size=1000,kind=a]", "sort[size=1000,kind=b]",
	};

	loads("benchmarks:\n  sort:\n    parameters: {size: [10, 100, 1000], kind: [a, b]}\n"
	      "    command: ./sort {size} {kind}\n");
	cr_assert(eq(sz, config.n_benchmarks, 6));
	for (size_t i = 0; i < 6; i++)
		cr_expect_str_eq(config.benchmarks[i].name, names[i]);
	cr_expect_str_eq(config.benchmarks[3].command.text, "./sort 100 b");
	cr_expect_str_eq(config.benchmarks[3].command.argv[2], "./sort 100 b");
	cr_assert(eq(sz, config.benchmarks[3].parameters.n, 2));
	cr_expect_str_eq(config.benchmarks[3].parameters.at[0], "size=100");
	cr_expect_str_eq(config.benchmarks[3].parameters.at[1], "kind=b");
}

Test(parameters, are_filled_in_wherever_texts_stand)
{
	const struct pe_benchmark *b;

	loads("benchmarks:\n  b:\n    parameters: {n: 7}\n    command: [./b, '-n{n}', '{{n}}']\n"
	      "    cwd: d{n}\n    env: {N: 'x{n}'}\n    setup: gen {n}\n    prepare: ['p {n}']\n"
	      "    cleanup: [[rm, 'f{n}']]\n    input: in{n}\n    inputs: ['i{n}']\n"
	      "    tags: ['size-{n}']\n    repeats: '{n}'\n");
	cr_assert(eq(sz, config.n_benchmarks, 1));
	b = &config.benchmarks[0];
	cr_expect_str_eq(b->command.argv[1], "-n7");
	cr_expect_str_eq(b->command.argv[2], "{n}");
	cr_expect_str_eq(b->cwd, "d7");
	cr_expect_str_eq(b->env.at[0], "N=x7");
	cr_expect_str_eq(b->setup.at[0].text, "gen 7");
	cr_expect_str_eq(b->prepare.at[0].text, "p 7");
	cr_expect_str_eq(b->cleanup.at[0].argv[1], "f7");
	cr_expect_str_eq(b->input, "in7");
	cr_expect_str_eq(b->inputs.at[0], "i7");
	cr_expect_str_eq(b->tags.at[0], "size-7");
	cr_expect(eq(uint, b->repeats, 7));
}

Test(parameters, braces_of_expressions_are_left_alone)
{
	loads("benchmarks:\n  b:\n    parameters: {n: [1]}\n    command: x {n}\n"
	      "    metrics: {m: {regex: '([0-9]{3})'}}\n");
	cr_expect_str_eq(config.benchmarks[0].customs[0].expression, "([0-9]{3})");
}

Test(parameters, without_them_braces_are_plain)
{
	loads("benchmarks:\n  b: \"awk '{print ${HOME}}' {a,b}\"\n");
	cr_expect_str_eq(config.benchmarks[0].command.text, "awk '{print ${HOME}}' {a,b}");
}

Test(parameters, mistakes_are_refused_in_place)
{
	refused("benchmarks:\n  b:\n    parameters: {size: [1]}\n    command: x {sise}\n",
		"c.yml:4:14: 'command' has no parameter {sise} (did you mean 'size'?); write "
		"{{sise}} for the braces");
	refused("benchmarks:\n  b:\n    parameters: {size: [1]}\n    command: x {size} { y\n",
		"c.yml:4:14: 'command' has a single '{': with parameters, write '{{' for it");
	refused("benchmarks:\n  b:\n    parameters: {size: [1]}\n    command: x {size} }\n",
		"c.yml:4:14: 'command' has a single '}': with parameters, write '}}' for it");
	refused("benchmarks:\n  b:\n    parameters: {size: [1]}\n    command: x\n",
		"c.yml:3:18: parameter 'size' is never used: write {size} where its value belongs");
	refused("benchmarks:\n  b:\n    parameters: {size: []}\n    command: x\n",
		"c.yml:3:24: parameter 'size' has no values");
	refused("benchmarks:\n  b:\n    parameters: {'a b': 1}\n    command: x\n",
		"c.yml:3:18: parameter 'a b': a name is made of letters, digits, '_' and '-'");
	refused("benchmarks:\n  b:\n    parameters: {n: [1, 1]}\n    command: x {n}\n",
		"c.yml:2:3: there is a benchmark 'b[n=1]' already");
}

Test(parameters, combinations_are_bounded)
{
	refused("benchmarks:\n  b:\n    command: '{a}{b}{c}{d}'\n"
		"    parameters: {a: &v [0,1,2,3,4,5,6,7,8,9], b: *v, c: *v, d: *v}\n",
		"c.yml:4:17: more than 1000 combinations of parameters");
}
