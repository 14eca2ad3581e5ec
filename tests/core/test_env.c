#include "core/exec/env.h"

#include "tests/support/test.h"

static struct pe_arena arena = PE_ARENA_INIT;

TestSuiteWith(env, (void)0, pe_arena_release(&arena));

static const char *const *for_run(const char *setting)
{
	const char *const settings[] = {setting};
	struct pe_benchmark benchmark = {.cwd = ".", .env = {settings, setting != NULL}};

	return pe_env_for_run(&benchmark, NULL, "/cache/0001/tree", "/home/me/project", NULL,
			      &arena);
}

Test(env, a_run_has_one_size_whatever_the_callers_is)
{
	size_t before = pe_env_size(for_run(NULL));
	char value[3000];

	memset(value, 'v', sizeof(value) - 1);
	value[sizeof(value) - 1] = '\0';
	setenv("SOMETHING_OF_THE_USERS", value, 1);
	cr_expect(eq(sz, before, PE_ENV_BYTES));
	cr_expect(eq(sz, pe_env_size(for_run(NULL)), before));
	cr_expect(eq(sz, pe_env_size(for_run("MINE=1")), before));
	cr_expect(pe_env_get(for_run(NULL), "SOMETHING_OF_THE_USERS") == NULL);
}

Test(env, padding_meets_the_multiple_for_every_length)
{
	char setting[PE_ENV_BYTES * 2];

	for (size_t n = 2; n < sizeof(setting); n += 37) {
		memset(setting, 'x', n);
		setting[1] = '=';
		setting[n] = '\0';
		cr_assert(eq(sz, pe_env_size(for_run(setting)) % PE_ENV_BYTES, 0));
	}
}

Test(env, the_benchmarks_own_settings_win_and_passed_names_come_through)
{
	const char *const names[] = {"DISPLAY_OF_TEST"};
	const char *const settings[] = {"HOME=/elsewhere"};
	const struct pe_strings pass = {names, 1};
	struct pe_benchmark benchmark = {.cwd = ".", .env = {settings, 1}};
	const char *const *env;

	setenv("DISPLAY_OF_TEST", ":7", 1);
	env = pe_env_for_run(&benchmark, &pass, "/t", "/r", NULL, &arena);
	cr_expect_text("/elsewhere :7 /t /r", pe_env_get(env, "HOME"),
		       pe_env_get(env, "DISPLAY_OF_TEST"), pe_env_get(env, "PERFEVO_TREE"),
		       pe_env_get(env, "PERFEVO_ROOT"));
}

/* A benchmark's own word, as it is given below valgrind. */
static const char *below_valgrind(const char *setting)
{
	const char *const settings[] = {setting};
	const struct pe_benchmark benchmark = {.cwd = ".", .env = {settings, setting != NULL}};
	const struct pe_strings extra = pe_env_for_simulation(&benchmark, NULL, &arena);

	return pe_env_get(pe_env_for_run(&benchmark, NULL, "/t", "/r", &extra, &arena),
			  "GLIBC_TUNABLES");
}

Test(env, below_valgrind_the_processor_is_the_oldest_and_the_benchmarks_own_word_comes_last)
{
	const char *none = below_valgrind(NULL);
	const char *own = below_valgrind("GLIBC_TUNABLES=glibc.malloc.arena_max=1");

	cr_assert(none != NULL && own != NULL);
#ifdef __x86_64__
	cr_expect_has(none, "-AVX2,");
	/* Else the C library of Debian 12 reads on in what stands behind. */
	cr_expect_has(none, ",:glibc.cpu.");
#elif defined(__aarch64__)
	cr_expect_has(none, "glibc.cpu.name=generic");
#endif
	cr_expect(eq(int, strncmp(own, none, strlen(none)), 0));
	cr_expect(eq(str, (char *)own + strlen(none), (char *)":glibc.malloc.arena_max=1"));
	cr_expect(eq(str, (char *)below_valgrind("GLIBC_TUNABLES="), (char *)none));
}

Test(env, a_build_inherits_what_toolchains_need_and_no_secrets)
{
	const char *const passed[] = {"MY_*", "ONE"};
	const struct pe_recipe recipe = {.jobs = 3, .pass_env = {(const char **)(size_t)passed, 2}};
	static const char *const secrets[] = {
		"GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY",    "SSH_AUTH_SOCK",
		"https_proxy",  "DBUS_SESSION_BUS_ADDRESS", "ONE_MORE"};
	const char *const *env;

	for (size_t i = 0; i < sizeof(secrets) / sizeof(*secrets); i++)
		setenv(secrets[i], "secret", 1);
	setenv("CFLAGS", "-O3", 1);
	setenv("LC_TIME", "C", 1);
	setenv("ONE", "1", 1);
	setenv("GIT_DIR", "/somewhere/.git", 1);
	setenv("GIT_INDEX_FILE", "/somewhere/index", 1);
	setenv("PERFEVO_TRACE", "run", 1);
	setenv("MY_TOOLCHAIN", "yes", 1);
	env = pe_env_for_build(&recipe, "/t", NULL, false, &arena);
	cr_expect(pe_env_get(env, "GIT_DIR") == NULL);
	cr_expect(pe_env_get(env, "GIT_INDEX_FILE") == NULL);
	cr_expect(pe_env_get(env, "PERFEVO_TRACE") == NULL);
	cr_expect(pe_env_get(env, "PERFEVO_ROOT") == NULL);
	cr_expect_text("yes 1 -O3 C", pe_env_get(env, "MY_TOOLCHAIN"), pe_env_get(env, "ONE"),
		       pe_env_get(env, "CFLAGS"), pe_env_get(env, "LC_TIME"));
	for (size_t i = 0; i < sizeof(secrets) / sizeof(*secrets); i++)
		cr_expect(pe_env_get(env, secrets[i]) == NULL, "%s", secrets[i]);
	unsetenv("https_proxy");
	cr_expect(eq(str, (char *)pe_env_get(env, "MAKEFLAGS"), (char *)"-j3"));
	cr_expect(eq(str, (char *)pe_env_get(env, "PWD"), (char *)"/t"));
}
