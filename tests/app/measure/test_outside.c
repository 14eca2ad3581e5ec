#include "app/measure/outside.h"

#include "core/base/files.h"
#include "core/exec/slots.h"
#include "tests/support/test.h"

#include <sys/stat.h>
#include <unistd.h>

/* Commands of three commits, each in a tree of its own; one that writes leaves a file that all of them read. */
static const char *const X = "/trees/x", *const Y = "/trees/y", *const Z = "/trees/z";

static struct pe_arena arena = PE_ARENA_INIT;
static struct pe_slots slots;
static struct pe_outside outside;
static struct pe_executor executor;
static struct pe_benchmark benchmark = {.name = "reads"};
static char root[64];
static const char *file, *linked; /* linked: a link that the next command makes */
static bool writes;

static int run(struct pe_proc_result *out, const struct pe_proc_spec *spec, void *payload,
	       struct pe_err *err)
{
	(void)spec;
	(void)payload;
	(void)err;
	if (writes) {
		FILE *left = fopen(file, "w");

		cr_assert(left != NULL);
		fputs("left", left);
		fclose(left);
	}
	if (linked != NULL)
		cr_assert(eq(int, symlink(".", linked), 0));
	linked = NULL;
	*out = (struct pe_proc_result){.end = PE_PROC_EXITED};
	return PE_OK;
}

static void open_session(void)
{
	outside = (struct pe_outside){.slots = &slots,
				      .arena = &arena,
				      .own = pe_arena_printf(&arena, "%s/own", root),
				      .file = pe_arena_printf(&arena, "%s/own/turns", root)};
	executor = pe_outside_executor(&outside, (struct pe_executor){.run = run});
	pe_outside_learn(&outside, &benchmark,
			 &(struct pe_dependencies){.outside = {&file, 1}, .complete = true}, false);
}

static void set_up(void)
{
	strcpy(root, "/tmp/pe-outside-XXXXXX");
	cr_assert(mkdtemp(root) != NULL);
	file = pe_arena_printf(&arena, "%s/state", root);
	cr_assert(eq(int, pe_files_make_dir(pe_arena_printf(&arena, "%s/own", root), NULL), PE_OK));
	open_session();
}

static void tear_down(void)
{
	pe_outside_close(&outside, false);
	pe_files_remove(root, NULL);
	pe_arena_release(&arena);
}

static void command(const char *tree, enum pe_outside_kind kind, bool leaves_file)
{
	struct pe_proc_result result;
	const struct pe_proc_spec spec = {.places = {tree},
					  .builds = kind == PE_OUTSIDE_BUILD,
					  .leaves = kind != PE_OUTSIDE_RUN};

	writes = leaves_file;
	cr_assert(eq(int, executor.run(&result, &spec, executor.payload, NULL), PE_OK));
}

static bool is_refused(const char *tree)
{
	const struct pe_outside_port port = pe_outside_port_of(&outside);

	return port.find(&benchmark, tree, &arena, port.payload) != NULL;
}

TestSuite(outside, .init = set_up, .fini = tear_down);

/* Builds that follow at once, within a tick of the clock of files, did not write what a run wrote. */
Test(outside, a_run_wrote_it_before_builds)
{
	command(X, PE_OUTSIDE_RUN, true);
	command(Y, PE_OUTSIDE_BUILD, false);
	command(Z, PE_OUTSIDE_BUILD, false);
	cr_expect(!is_refused(Z));
}

/* Nor did a run write what a build left just before it. */
Test(outside, a_build_wrote_it_before_a_run)
{
	command(Y, PE_OUTSIDE_BUILD, true);
	command(X, PE_OUTSIDE_RUN, false);
	cr_expect(is_refused(Z));
	cr_expect(!is_refused(Y));
}

/* The later of two builds is not to blame for what the first one left. */
Test(outside, each_build_has_its_own)
{
	command(X, PE_OUTSIDE_BUILD, true);
	command(Y, PE_OUTSIDE_BUILD, false);
	cr_expect(!is_refused(X));
	cr_expect(is_refused(Y));
}

/* A link that a run made says nothing of one behind it, which a build left. */
Test(outside, a_link_of_a_build_counts_behind_one_of_a_run)
{
	command(Z, PE_OUTSIDE_BUILD, true);
	file = pe_arena_printf(&arena, "%s/outer/inner/state", root);
	pe_outside_learn(&outside, &benchmark,
			 &(struct pe_dependencies){.outside = {&file, 1}, .complete = true}, false);
	linked = pe_arena_printf(&arena, "%s/outer", root);
	command(X, PE_OUTSIDE_RUN, false);
	cr_expect(!is_refused(Z));
	linked = pe_arena_printf(&arena, "%s/inner", root);
	command(Y, PE_OUTSIDE_BUILD, false);
	cr_expect(is_refused(Z));
}

static void open_again(void)
{
	pe_outside_close(&outside, true);
	pe_outside_open(&outside, NULL, &slots, outside.own, &arena);
	executor = pe_outside_executor(&outside, (struct pe_executor){.run = run});
	pe_outside_learn(&outside, &benchmark,
			 &(struct pe_dependencies){.outside = {&file, 1}, .complete = true}, false);
}

/* Two builds of a commit are two turns in the next session, too: what a run wrote between them is its own. */
Test(outside, turns_of_earlier_sessions_are_not_joined)
{
	command(X, PE_OUTSIDE_BUILD, false);
	command(Y, PE_OUTSIDE_RUN, true);
	command(X, PE_OUTSIDE_BUILD, false);
	open_again();
	cr_expect(!is_refused(Z));
}

/* A build makes it again; one that leaves it no more is good, too. */
Test(outside, what_a_kept_build_left_and_somebody_removed_is_missed)
{
	command(X, PE_OUTSIDE_BUILD, true);
	pe_outside_learn_build(&outside, &(struct pe_dependencies){.written = {&file, 1}});
	open_again();
	cr_expect(!is_refused(X));
	open_again();
	cr_assert(eq(int, unlink(file), 0));
	open_again();
	cr_expect(is_refused(X));
	command(X, PE_OUTSIDE_BUILD, false);
	cr_expect(!is_refused(X));
}

/* Otherwise Python would run what it compiled for the other commit. */
Test(outside, modules_of_python_are_written_in_seconds_of_their_own)
{
	struct stat of_x, of_y;

	file = pe_arena_printf(&arena, "%s/module.py", root);
	pe_outside_learn(&outside, &benchmark,
			 &(struct pe_dependencies){.outside = {&file, 1}, .complete = true}, false);
	command(X, PE_OUTSIDE_BUILD, true);
	cr_assert(eq(int, stat(file, &of_x), 0));
	cr_expect(is_refused(Y));
	command(Y, PE_OUTSIDE_BUILD, true);
	cr_assert(eq(int, stat(file, &of_y), 0));
	cr_expect(ne(i64, of_x.st_mtim.tv_sec, of_y.st_mtim.tv_sec));
}
