/*
 * The schema for editors and the reader know the same keys: an unknown key makes the reader list all that it
 * knows, and each of them must be a property of the schema.
 */
#include "configs/config.h"

#include "core/base/text.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <string.h>

static struct pe_arena arena;
static struct pe_text schema;

static void init(void)
{
	struct pe_err err = PE_ERR_INIT;

	cr_assert(eq(int,
		     pe_text_read_file(&schema, PE_SOURCE_DIR "/configs/perfevo.schema.json", &err),
		     PE_OK),
		  "%s", err.message);
}

static void release(void)
{
	pe_text_release(&schema);
	pe_arena_release(&arena);
}

TestSuite(schema, .init = init, .fini = release, .timeout = 20.0);

/* Check every key that the refusal of a text lists; give their number. */
static size_t check_known(const char *text)
{
	struct pe_err err = PE_ERR_INIT;
	struct pe_config config;
	char *names, *rest = NULL;
	size_t n = 0;

	cr_assert(
		eq(int, pe_config_load(&config, "c.yml", "/top", text, &arena, &err), PE_EINVALID));
	names = strstr(err.message, "(known: ");
	cr_assert(ne(ptr, names, NULL), "%s", err.message);
	names += strlen("(known: ");
	names[strcspn(names, ")")] = '\0';
	for (char *name = strtok_r(names, ", ", &rest); name != NULL;
	     name = strtok_r(NULL, ", ", &rest), n++)
		cr_expect(ne(ptr, strstr(schema.data, pe_arena_printf(&arena, "\"%s\": {", name)),
			     NULL),
			  "'%s' is not in the schema", name);
	return n;
}

Test(schema, knows_every_key_of_the_reader)
{
	cr_expect(eq(sz, check_known("qqqqqqqqqqqq: 1\n"), 14));
	cr_expect(eq(sz, check_known("build: {qqqqqqqqqqqq: 1}\n"), 6));
	cr_expect(eq(sz, check_known("defaults: {qqqqqqqqqqqq: 1}\n"), 6));
	cr_expect(eq(sz, check_known("benchmarks: {b: {qqqqqqqqqqqq: 1}}\n"), 18));
	cr_expect(eq(sz, check_known("benchmarks: {b: {metrics: {m: {qqqqqqqqqqqq: 1}}}}\n"), 7));
	cr_expect(eq(sz, check_known("tests: {qqqqqqqqqqqq: 1}\n"), 13));
	cr_expect(eq(sz, check_known("tests: {ctest: {qqqqqqqqqqqq: 1}}\n"), 9));
	cr_expect(eq(sz, check_known("overlay: {qqqqqqqqqqqq: 1}\n"), 2));
	cr_expect(eq(sz, check_known("benchmarks: {b: x}\npaths: {qqqqqqqqqqqq: 1}\n"), 2));
	cr_expect(eq(sz, check_known("benchmarks: {b: x}\nprofile: {qqqqqqqqqqqq: 1}\n"), 7));
	cr_expect(eq(sz, check_known("profile: {exclude: {qqqqqqqqqqqq: 1}}\n"), 3));
	cr_expect(eq(sz, check_known("benchmarks: {b: x}\nhooks: {qqqqqqqqqqqq: 1}\n"), 2));
	cr_expect(eq(sz,
		     check_known("benchmarks: {b: x}\nhooks: {post-commit: {qqqqqqqqqqqq: 1}}\n"),
		     1));
	cr_expect(eq(sz, check_known("benchmarks: {b: x}\nhooks: {pre-push: {qqqqqqqqqqqq: 1}}\n"),
		     2));
	cr_expect(eq(sz, check_known("run: {qqqqqqqqqqqq: 1}\n"), 4));
	cr_expect(eq(sz, check_known("benchmarks: {b: x}\nnightly: {qqqqqqqqqqqq: 1}\n"), 6));
	cr_expect(eq(sz, check_known("benchmarks: {b: x}\nnightly: {notify: {qqqqqqqqqqqq: 1}}\n"),
		     3));
	cr_expect(eq(sz, check_known("benchmarks: {b: x}\nspark: {qqqqqqqqqqqq: 1}\n"), 1));
	cr_expect(
		eq(sz, check_known("benchmarks: {b: x}\nmetrics: {wall: {qqqqqqqqqqqq: 1}}\n"), 3));
}
