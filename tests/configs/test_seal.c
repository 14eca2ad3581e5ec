#include "configs/config.h"

#include "scratch.h"
#include "tests/support/test.h"

static struct scratch scratch;
static struct pe_err err;

static void init(void)
{
	scratch_init(&scratch);
	scratch_write(&scratch, "data/in.txt", "one\n");
	scratch_write(&scratch, "bench/b.c", "int main(void) { return 0; }\n");
}

static void release(void)
{
	scratch_release(&scratch);
}

TestSuite(seal, .init = init, .fini = release, .timeout = 600);

/* The version of the first benchmark of a config, now. */
static const char *version(const char *text)
{
	struct pe_config config;

	err = (struct pe_err)PE_ERR_INIT;
	cr_assert_ok(pe_config_load(&config, "c.yml", scratch.dir, text, &scratch.arena, &err),
		     err.message);
	cr_assert_ok(pe_config_seal(&config, NULL, &err), err.message);
	cr_assert(eq(sz, strlen(config.benchmarks[0].version), PE_HASH_HEX - 1));
	return pe_arena_strdup(&scratch.arena, config.benchmarks[0].version);
}

#define PLAIN "build: make\nbenchmarks:\n  b: {command: x, inputs: [data], warmup: 1}\n"

Test(seal, what_defines_a_benchmark_moves_its_version)
{
	static const char *const others[] = {
		"build: make\nbenchmarks:\n  b: {command: y, inputs: [data]}\n",
		"build: make\nbenchmarks:\n  b: {command: [x], inputs: [data]}\n",
		"build: make\nbenchmarks:\n  b: {command: x}\n",
		"build: make\nbenchmarks:\n  b: {command: x, inputs: [data], cwd: d}\n",
		"build: make\nbenchmarks:\n  b: {command: x, inputs: [data], env: {A: 1}}\n",
		"build: make\nbenchmarks:\n  b: {command: x, inputs: [data], input: data/in.txt}\n",
		"build: make\nbenchmarks:\n  b: {command: x, inputs: [data], setup: s}\n",
		"build: make\nbenchmarks:\n  b: {command: x, inputs: [data], prepare: s}\n",
		"build: make\nbenchmarks:\n  b: {command: x, inputs: [data], cleanup: s}\n",
		"build: make\nbenchmarks:\n  b: {command: x, inputs: [data], exit: 1}\n",
		"build: make\nbenchmarks:\n  b: {command: x, inputs: [data], metrics: {m: {json: "
		"/a}}}\n",
		"build: make -j1\nbenchmarks:\n  b: {command: x, inputs: [data]}\n",
		"build: {steps: make, env: {CFLAGS: -O3}}\nbenchmarks:\n  b: {command: x, inputs: "
		"[data]}\n",
		"build: make\noverlay: bench\nbenchmarks:\n  b: {command: x, inputs: [data]}\n",
	};
	const char *plain = version(PLAIN);

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		cr_expect_str_neq(version(others[i]), plain, "%s", others[i]);
}

Test(seal, names_and_amounts_do_not_move_it)
{
	const char *plain = version(PLAIN);

	cr_expect_str_eq(
		version("build: {steps: [make], timeout: 5s, jobs: 9, parallel: 3, clean: never, "
			"ccache: no}\nbenchmarks:\n  renamed: {command: x, inputs: "
			"data, warmup: 9, repeats: 3, timeout: 1s, tags: t, allocations: no}\n"),
		plain);
}

Test(seal, an_edited_input_is_another_version)
{
	const char *before = version(PLAIN);

	scratch_write(&scratch, "data/in.txt", "two\n");
	cr_expect_str_neq(version(PLAIN), before);
	scratch_write(&scratch, "data/in.txt", "one\n");
	cr_expect_str_eq(version(PLAIN), before);
	scratch_shell(&scratch, "chmod +x data/in.txt");
	cr_expect_str_neq(version(PLAIN), before);
	scratch_shell(&scratch, "chmod -x data/in.txt; mv data/in.txt data/other.txt");
	cr_expect_str_neq(version(PLAIN), before);
	scratch_shell(&scratch, "mv data/other.txt data/in.txt; ln -s in.txt data/link");
	cr_expect_str_neq(version(PLAIN), before);
	scratch_shell(&scratch, "ln -sfn elsewhere data/link; touch data/link2; rm data/link2");
	cr_expect_str_neq(version(PLAIN), before);
	scratch_shell(&scratch, "rm data/link");
	cr_expect_str_eq(version(PLAIN), before);
}

Test(seal, an_edited_overlay_is_another_version)
{
	const char *text = "overlay: [bench]\nbenchmarks: {b: x}\n";
	const char *before = version(text);

	scratch_write(&scratch, "bench/b.c", "int main(void) { return 1; }\n");
	cr_expect_str_neq(version(text), before);
}

Test(seal, combinations_have_versions_of_their_own)
{
	struct pe_config config;

	cr_assert(eq(int,
		     pe_config_load(&config, "c.yml", scratch.dir,
				    "benchmarks:\n  b: {command: 'x {n}', parameters: {n: [1, 2]}, "
				    "inputs: [data]}\n",
				    &scratch.arena, &err),
		     PE_OK));
	cr_assert(eq(int, pe_config_seal(&config, NULL, &err), PE_OK));
	cr_expect_str_neq(config.benchmarks[0].version, config.benchmarks[1].version);
}

static void refused(const char *root, const char *text, enum pe_code code, const char *message)
{
	struct pe_config config;

	err = (struct pe_err)PE_ERR_INIT;
	cr_assert(
		eq(int, pe_config_load(&config, "c.yml", root, text, &scratch.arena, &err), PE_OK));
	cr_expect(eq(int, pe_config_seal(&config, NULL, &err), code));
	cr_expect_str_eq(err.message, message);
}

Test(seal, what_is_not_there_is_named)
{
	refused(scratch.dir, "benchmarks: {b: {command: x, inputs: gone}}\n", PE_EINVALID,
		pe_arena_printf(&scratch.arena,
				"c.yml: benchmark 'b': input 'gone': no such file or folder in %s",
				scratch.dir));
	refused(scratch.dir, "overlay: gone/too\nbenchmarks: {b: x}\n", PE_EINVALID,
		pe_arena_printf(&scratch.arena,
				"c.yml: overlay 'gone/too': no such file or folder in %s",
				scratch.dir));
	scratch_shell(&scratch, "mkfifo pipe");
	refused(scratch.dir, "overlay: pipe\nbenchmarks: {b: x}\n", PE_EINVALID,
		"c.yml: overlay 'pipe': neither a file, a folder nor a symbolic link");
	refused(NULL, "overlay: bench\nbenchmarks: {b: x}\n", PE_EUNSUPPORTED,
		"c.yml: an overlay without 'revision' needs a working tree, and there is none "
		"here");
	refused(NULL, "benchmarks: {b: {command: x, inputs: data}}\n", PE_EUNSUPPORTED,
		"c.yml: benchmark 'b': 'inputs' needs a working tree, and there is none here");
}
