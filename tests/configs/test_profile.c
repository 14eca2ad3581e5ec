#include "configs/config.h"
#include "core/exec/build_variant.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <string.h>

static struct pe_arena arena;
static struct pe_err err;
static struct pe_config config;

static void release(void)
{
	pe_arena_release(&arena);
}

TestSuite(profile, .fini = release, .timeout = 600);

static const struct pe_profile_plan *plan_of(size_t i)
{
	return config.benchmarks[i].profile;
}

static int load(const char *text)
{
	err = (struct pe_err)PE_ERR_INIT;
	return pe_config_load(&config, "perfevo.yml", "/top", text, &arena, &err);
}

static void loads(const char *text)
{
	cr_assert(eq(int, load(text), PE_OK), "%s", err.message);
}

static void refused(const char *text, const char *message)
{
	cr_expect(eq(int, load(text), PE_EINVALID), "accepted: %s", text);
	cr_expect_str_eq(err.message, message);
}

Test(profile, says_nothing_by_default)
{
	loads("benchmarks: {b: x}\n");
	cr_expect(eq(int, plan_of(0)->mode, PE_PROFILE_DEFAULT));
	cr_expect(eq(sz, plan_of(0)->exclude.files.n, 0));
	cr_expect(eq(ptr, (void *)plan_of(0)->command.argv, NULL));
	cr_expect(eq(sz, plan_of(0)->build.n, 0));
}

Test(profile, is_a_language_or_has_one)
{
	loads("profile: python\n"
	      "benchmarks:\n"
	      "  a: {command: x, profile: go}\n"
	      "  b: {command: x, profile: {language: node, runs: 2}}\n"
	      "  c: x\n"
	      "  d: {command: x, profile: {command: y}}\n"
	      "  e: {command: x, profile: {mode: samples}}\n");
	cr_expect(eq(int, (int)plan_of(0)->language, PE_PROFILE_GO));
	cr_expect(eq(int, (int)plan_of(1)->language, PE_PROFILE_NODE));
	cr_expect(eq(u32, plan_of(1)->runs, 2));
	cr_expect(eq(int, (int)plan_of(2)->language, PE_PROFILE_PYTHON));
	cr_expect(eq(int, (int)plan_of(2)->mode, PE_PROFILE_COMMAND));
	cr_expect(eq(int, (int)plan_of(3)->language, PE_PROFILE_NO_LANGUAGE));
	cr_expect(eq(int, (int)plan_of(4)->language, PE_PROFILE_NO_LANGUAGE));
	refused("profile: perl\nbenchmarks: {b: x}\n",
		"perfevo.yml:1:10: 'profile' must be python, node or go, not 'perl'");
	refused("profile: {language: node, command: x}\nbenchmarks: {b: x}\n",
		"perfevo.yml:1:21: 'profile' takes one of 'mode', 'command' and 'language' and no other");
}

Test(profile, holds_all_it_can)
{
	loads("profile:\n"
	      "  exclude: {files: [vendor/, gen.c], functions: list_, size: 64}\n"
	      "  build: [make clean, make hooks]\n"
	      "  mode: counting\n"
	      "  rate: 2000\n"
	      "  runs: 5\n"
	      "benchmarks: {b: x}\n"
	      "tests: ctest\n");
	cr_assert(eq(sz, plan_of(0)->exclude.files.n, 2));
	cr_expect_str_eq(plan_of(0)->exclude.files.at[1], "gen.c");
	cr_expect_str_eq(plan_of(0)->exclude.functions.at[0], "list_");
	cr_expect(eq(u64, plan_of(0)->exclude.size_bytes, 64));
	cr_assert(eq(sz, plan_of(0)->build.n, 2));
	cr_expect_str_eq(plan_of(0)->build.at[1].text, "make hooks");
	cr_expect(eq(int, plan_of(0)->mode, PE_PROFILE_COUNTING));
	cr_expect(eq(uint, plan_of(0)->rate, 2000));
	cr_expect(eq(uint, plan_of(0)->runs, 5));
	cr_expect(eq(ptr, (void *)config.tests.model.profile, (void *)config.profile));
}

Test(profile, of_a_benchmark_goes_over_that_of_all)
{
	loads("benchmarks:\n"
	      "  a: {command: x, profile: {mode: samples, exclude: {functions: f}}}\n"
	      "  b: x\n"
	      "profile: {runs: 3, exclude: {files: v/}}\n");
	cr_expect(eq(int, plan_of(0)->mode, PE_PROFILE_SAMPLES));
	cr_expect(eq(uint, plan_of(0)->runs, 3));
	cr_expect(eq(sz, plan_of(0)->exclude.files.n, 1));
	cr_expect(eq(sz, plan_of(0)->exclude.functions.n, 1));
	cr_expect(eq(int, plan_of(1)->mode, PE_PROFILE_DEFAULT));
	cr_expect(eq(sz, plan_of(1)->exclude.functions.n, 0));
}

Test(profile, takes_a_command_of_the_project)
{
	loads("benchmarks:\n"
	      "  js[]:\n"
	      "    command: x {n}\n"
	      "    parameters: {n: [1, 2]}\n"
	      "    profile: {command: 'node --cpu-prof {n} >{profile}', format: cpuprofile}\n"
	      "  py: {command: y, profile: {command: [py-spy, -o, '{profile}', '{n}']}}\n");
	cr_assert(eq(sz, config.n_benchmarks, 3));
	cr_expect(eq(int, plan_of(1)->mode, PE_PROFILE_COMMAND));
	cr_expect_str_eq(plan_of(1)->command.text, "node --cpu-prof 2 >{profile}");
	cr_expect_str_eq(plan_of(1)->format, "cpuprofile");
	cr_expect_str_eq(plan_of(2)->command.argv[2], "{profile}");
	cr_expect_str_eq(plan_of(2)->command.argv[3], "{n}");
	cr_expect(eq(ptr, (void *)plan_of(2)->format, NULL));
}

Test(profile, of_a_benchmark_turns_a_command_back_into_a_mode)
{
	loads("profile: {command: 'x {profile}'}\n"
	      "benchmarks: {a: {command: x, profile: {mode: counting}}, b: y}\n");
	cr_expect(eq(ptr, (void *)plan_of(0)->command.argv, NULL));
	cr_expect(eq(int, plan_of(0)->mode, PE_PROFILE_COUNTING));
	cr_expect(eq(int, plan_of(1)->mode, PE_PROFILE_COMMAND));
}

Test(profile, is_no_part_of_a_benchmarks_version)
{
	char before[PE_HASH_HEX];

	loads("benchmarks: {b: x}\n");
	cr_assert(eq(int, pe_config_seal(&config, NULL, &err), PE_OK));
	memcpy(before, config.benchmarks[0].version, sizeof(before));
	loads("benchmarks: {b: {command: x, profile: {mode: counting}}}\n");
	cr_assert(eq(int, pe_config_seal(&config, NULL, &err), PE_OK));
	cr_expect_str_eq(config.benchmarks[0].version, before);
}

Test(profile, says_what_was_expected)
{
	refused("benchmarks: {b: x}\nprofile: {mode: exact}\n",
		"perfevo.yml:2:17: 'mode' must be counting+samples, counting or samples, not "
		"'exact'");
	refused("benchmarks: {b: x}\nprofile: {rate: 1}\n",
		"perfevo.yml:2:17: 'rate' must be a number of samples a second, 10 to 20000, not "
		"'1'");
	refused("benchmarks: {b: x}\nprofile: {mode: samples, command: x}\n",
		"perfevo.yml:2:17: 'profile' takes either 'mode' or 'command', not both");
	refused("benchmarks: {b: x}\nprofile: {format: folded}\n",
		"perfevo.yml:2:19: 'format' says what 'command' leaves, and there is none");
	refused("benchmarks: {b: x}\nprofile: {exclude: {files: [a, '']}}\n",
		"perfevo.yml:2:32: 'files' must be a part of a name, not ''");
	refused("benchmarks: {b: x}\nprofile: {exclude: {functions: \"a\\nb\"}}\n",
		"perfevo.yml:2:32: 'functions' must be a part of a name, not 'a\nb'");
}
