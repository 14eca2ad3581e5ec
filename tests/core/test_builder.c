/* Builds with a prepared folder for a source and real shell commands for steps. */
#include "core/exec/builder.h"
#include "core/exec/build_variant.h"

#include "core/base/files.h"
#include "core/exec/alloc.h"
#include "core/exec/dependencies.h"
#include "core/exec/ports.h"
#include "tests/support/test.h"

#include <stdio.h>

static const char A[] = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
static struct pe_slot *slot; /* of the running test */
static const char B[] = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";
static const char HASH[] = "0123456789abcdef0123456789abcdef";

/* What the source was asked for, and what it answers. */
struct source {
	char have[PE_OID_HEX], id[PE_OID_HEX];
	int code;
};

static struct pe_arena arena = PE_ARENA_INIT;
static struct pe_launcher *launcher;
static struct pe_slots slots;
static struct source source;
static char root[64];
static const char *seen; /* where commands see their tree */

static void begin(void)
{
	struct pe_err err = PE_ERR_INIT;

	setenv("PERFEVO_LAUNCH", PE_BINARY_DIR "/launcher/perfevo-launch", 1);
	strcpy(root, "/tmp/pe-build-XXXXXX");
	cr_assert(mkdtemp(root) != NULL);
	cr_assert(eq(int, pe_slots_open(&slots, root, 1ull << 40, &arena, &err), PE_OK));
	cr_assert_ok(pe_launcher_open(&launcher, NULL, &err), err.message);
}

static void end(void)
{
	pe_launcher_close(launcher);
	pe_files_remove(root, NULL);
	pe_arena_release(&arena);
}

TestSuite(builder, .init = begin, .fini = end, .timeout = 600);

static int fill(struct pe_fill *out, const struct pe_fill_spec *spec, void *payload,
		struct pe_err *err)
{
	struct source *asked = payload;

	*out = (struct pe_fill){0};
	snprintf(asked->have, sizeof(asked->have), "%s", spec->have != NULL ? spec->have : "");
	snprintf(asked->id, sizeof(asked->id), "%s", spec->id);
	if (asked->code != PE_OK)
		return pe_fail(err, asked->code, "submodule 'x' is not here: fetch it");
	return pe_files_make_dir(spec->dir, err);
}

static struct pe_build build_watched(const char *watch, const char *id, const char *step,
				     uint64_t timeout_ns, struct pe_slot **taken)
{
	const char *const argv[] = {"/bin/sh", "-c", step, NULL};
	const struct pe_command command = {argv, step};
	const struct pe_recipe recipe = {
		.steps = {&command, 1}, .timeout_ns = timeout_ns, .jobs = 1};
	struct pe_builder builder = {.recipe = &recipe,
				     .recipe_hash = HASH,
				     .source = {fill, &source},
				     .watch = watch,
				     .executor = pe_process_executor(launcher)};
	struct pe_err err = PE_ERR_INIT;
	struct pe_build result;

	builder.executor.tree = seen;
	*taken = pe_slots_take(&slots);
	cr_assert(taken[0] != NULL);
	cr_assert_ok(pe_build_revision(&result, &builder, *taken, id, &arena, &err), err.message);
	return result;
}

static struct pe_build build(const char *id, const char *step, uint64_t timeout_ns,
			     struct pe_slot **taken)
{
	return build_watched(NULL, id, step, timeout_ns, taken);
}

Test(builder, a_good_build_is_found_once_it_is_remembered)
{
	struct pe_build result = build(A, "echo made > product", 0, &slot);

	cr_expect(eq(int, (int)result.outcome, PE_MEASURED));
	cr_expect(result.duration_ns > 0);
	cr_expect(pe_slots_find(&slots, A, HASH) == NULL);
	cr_assert(eq(int, pe_slot_remember(slot, A, HASH, NULL), PE_OK));
	cr_expect(pe_slots_find(&slots, A, HASH) == slot);
	cr_expect(eq(int, access(pe_arena_printf(&arena, "%s/product", slot->tree), F_OK), 0));
}

Test(builder, a_failing_step_is_data_with_its_log)
{
	struct pe_build result = build(A, "echo cannot find -lfoo >&2; exit 3", 0, &slot);

	cr_expect(eq(int, (int)result.outcome, PE_BUILD_FAILED));
	cr_expect(eq(int, result.status, 3));
	cr_expect_has(result.log, "cannot find -lfoo");
	cr_expect_has(result.step, "exit 3");
	cr_expect(pe_slots_find(&slots, A, HASH) == NULL);
}

Test(builder, a_step_that_takes_too_long_is_ended)
{
	struct pe_build result = build(A, "sleep 60", 100 * 1000 * 1000, &slot);

	cr_expect(eq(int, (int)result.outcome, PE_BUILD_TIMED_OUT));
}

Test(builder, a_refused_tree_is_data_with_the_way_out)
{
	struct pe_build result;

	source.code = PE_EUNSUPPORTED;
	result = build(A, "true", 0, &slot);
	cr_expect(eq(int, (int)result.outcome, PE_TREE_REFUSED));
	cr_expect(eq(str, (char *)result.log, (char *)"submodule 'x' is not here: fetch it"));
	cr_expect(eq(str, slot->id, (char *)""));
}

Test(builder, the_next_revision_in_a_slot_starts_from_the_one_before)
{
	build(A, "true", 0, &slot);
	cr_expect(eq(str, source.have, (char *)""));
	slot->recipe[0] = '\0';
	build(B, "true", 0, &slot);
	cr_expect(eq(str, source.have, (char *)A));
	cr_expect(eq(str, source.id, (char *)B));
}

Test(builder, products_that_know_the_tree_by_another_path_are_not_built_upon)
{
	struct pe_build result;
	struct pe_slots again;

	build(A, "true", 0, &slot);
	slot->recipe[0] = '\0';
	seen = "/tmp"; /* in place of where a sandbox shows it */
	result = build(B, "[ \"$PWD $PERFEVO_TREE\" = '/tmp /tmp' ]", 0, &slot);
	cr_expect(eq(int, (int)result.outcome, PE_MEASURED), "%s", result.log);
	cr_expect(eq(str, source.have, (char *)""));
	cr_expect(eq(str, slot->id, (char *)B));
	slot->recipe[0] = '\0';
	build(A, "true", 0, &slot);
	cr_expect(eq(str, source.have, (char *)B), "of the same path");
	cr_assert(eq(int, pe_slot_remember(slot, A, HASH, NULL), PE_OK));
	cr_assert(eq(int, pe_slots_open(&again, root, 1ull << 40, &arena, NULL), PE_OK));
	cr_expect(again.at[0].one_path);
	cr_expect(eq(str, again.at[0].id, (char *)A));
	slot->recipe[0] = '\0';
	seen = NULL;
	build(B, "true", 0, &slot);
	cr_expect(eq(str, source.have, (char *)""), "another path again");
}

Test(builder, the_log_says_what_was_cut)
{
	struct pe_build result = build(A, "seq 100000; echo the end; exit 1", 0, &slot);
	int first, second;

	cr_expect(strlen(result.log) < 70 * 1024);
	cr_expect_has(result.log, "earlier bytes left out]");
	cr_expect(eq(int, sscanf(strchr(result.log, '\n'), "%d %d", &first, &second), 2));
	cr_expect(eq(int, second, first + 1), "it goes on with a whole line");
	cr_expect_has(result.log, "the end");
}

static bool lists(const struct pe_strings *strings, const char *path)
{
	for (size_t i = 0; i < strings->n; i++)
		if (strcmp(strings->at[i], path) == 0)
			return true;
	return false;
}

Test(builder, what_a_watched_build_reads_is_seen_and_leaves_nothing_behind)
{
	struct pe_err err = PE_ERR_INIT;
	struct pe_build result = build_watched(
		pe_build_variant_library(PE_LIBRARY_COUNTING, &arena, &err), A,
		"mkdir sub; cat first > product; test -e in_vain; ls sub > /dev/null; true", 0,
		&slot);

	cr_assert(eq(int, (int)result.outcome, PE_MEASURED), "%s", result.log);
	cr_assert(result.reads != NULL);
	cr_expect(result.reads->complete, "%s", result.reads->reason);
	cr_expect(result.reads->impure == NULL);
	cr_expect(lists(&result.reads->files, "first"));
	cr_expect(lists(&result.reads->files, "in_vain"));
	cr_expect(lists(&result.reads->files, "product") == false);
	cr_expect(lists(&result.reads->made, "product"));
	cr_expect(ne(int, access(pe_arena_printf(&arena, "%s/reads", slot->dir), F_OK), 0));
}

/* Each step is a command of its own that must have been seen. */
Test(builder, a_step_that_cannot_be_watched_leaves_the_build_unseen)
{
	static const char static_one[] = PE_BINARY_DIR "/tests/core/pe_program_allocate_static";
	struct pe_err err = PE_ERR_INIT;
	const char *library = pe_build_variant_library(PE_LIBRARY_COUNTING, &arena, &err);
	struct pe_build result = build_watched(
		library, A, pe_arena_printf(&arena, "%s known", static_one), 0, &slot);

	cr_assert(eq(int, (int)result.outcome, PE_MEASURED), "%s", result.log);
	cr_expect(result.reads->complete == false);
	result = build_watched(library, A, "exec env -i /bin/true", 0, &slot);
	cr_assert(eq(int, (int)result.outcome, PE_MEASURED), "%s", result.log);
	cr_expect(result.reads->complete == false);
}

/* As a program with a sanitizer's library does: it wants to be loaded first. */
Test(builder, a_build_that_fails_because_it_is_watched_is_made_without)
{
	struct pe_err err = PE_ERR_INIT;
	struct pe_build result =
		build_watched(pe_build_variant_library(PE_LIBRARY_COUNTING, &arena, &err), A,
			      "test -z \"$LD_PRELOAD\" && echo made > product", 0, &slot);

	cr_expect(eq(int, (int)result.outcome, PE_MEASURED), "%s", result.log);
	cr_expect(result.reads == NULL);
	cr_expect(eq(int, access(pe_arena_printf(&arena, "%s/product", slot->tree), F_OK), 0));
}
