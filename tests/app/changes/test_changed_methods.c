/* Changed methods of real commits: what differs, what is stored of it, and when it is read again. */
#include "app/changes/changed_methods.h"

#include "tests/support/app_fixture.h"
#include "tests/support/test.h"

static struct app_fixture fixture;
static struct pe_revision_changes seen; /* of the running test */

TestSuiteWith(changed_methods, (void)0, app_fixture_close(&fixture), .timeout = 600);

static const char config[] = "build: ./build\n"
			     "benchmarks:\n"
			     "  only: {command: ./only}\n";

static const char before[] = "int twice(int x)\n{\n\treturn x + x;\n}\n"
			     "static int sum(const int *at, int n)\n{\n\tint all = 0;\n"
			     "\tfor (int i = 0; i < n; i++)\n\t\tall += at[i];\n\treturn all;\n}\n"
			     "int gone(void)\n{\n\treturn 7;\n}\n";
static const char after[] = "int twice(int x)\n{\n\treturn x << 1;\n}\n"
			    "static int total(const int *at, int n)\n{\n\tint all = 0;\n"
			    "\tfor (int i = 0; i < n; i++)\n\t\tall += at[i];\n\treturn all;\n}\n"
			    "int fresh(const char *s)\n{\n\treturn s[0] == 'f';\n}\n";

/* One commit of the fixture's, then `before`, then `after`. */
static void open_two(void)
{
	app_fixture_open(&fixture, 1, config);
	tmp_repo_write(&fixture.repo, "lib/a.c", before);
	tmp_repo_write(&fixture.repo, "notes.txt", "int nobody(void) { return 1; }\n");
	tmp_repo_commit(&fixture.repo, "before");
	tmp_repo_write(&fixture.repo, "lib/a.c", after);
	tmp_repo_commit(&fixture.repo, "after");
	app_fixture_walk(&fixture);
}

static struct pe_revision_changes changes_of(size_t commit, const char *base, bool keep)
{
	struct pe_comparer *comparer = pe_comparer_new(&fixture.app, keep);
	struct pe_revision_changes changes;
	OK(pe_changes_of(&changes, comparer, &fixture.commits.at[commit], base, &fixture.arena));
	pe_comparer_free(comparer);
	return changes;
}

/* What became of a method, by its name on either side; PE_N_METHOD_CHANGES: nothing. */
static enum pe_method_change_kind kind_of(const struct pe_revision_changes *changes,
					  const char *name)
{
	for (size_t i = 0; i < changes->methods.n; i++) {
		const struct pe_method_change *one = &changes->methods.at[i];

		if ((one->before != NULL && strcmp(one->before->name, name) == 0) ||
		    (one->after != NULL && strcmp(one->after->name, name) == 0))
			return one->kind;
	}
	return PE_N_METHOD_CHANGES;
}

static void expect_after(const struct pe_revision_changes *changes)
{
	cr_expect(eq(sz, changes->files, 1), "a text file holds no methods");
	cr_expect(eq(sz, changes->methods.n, 4));
	cr_expect(eq(int, kind_of(changes, "twice"), PE_METHOD_MODIFIED));
	cr_expect(eq(int, kind_of(changes, "gone"), PE_METHOD_DELETED));
	cr_expect(eq(int, kind_of(changes, "fresh"), PE_METHOD_ADDED));
	cr_expect(eq(int, kind_of(changes, "total"), PE_METHOD_RENAMED));
	cr_expect(eq(sz, pe_method_changes_mc(&changes->methods), 3));
}

Test(changed_methods, are_found_anew_under_other_paths)
{
	const int64_t *counts;

	open_two();
	seen = changes_of(2, NULL, true);
	fixture.app.config->paths.exclude = (struct pe_strings){(const char *[]){"lib/"}, 1};
	OK(pe_changes_counts(&counts, &fixture.app, fixture.commits.at, 3));
	cr_expect(counts == NULL, "what was stored holds for other paths");
	seen = changes_of(2, NULL, true);
	cr_expect(eq(sz, seen.files, 0));
	cr_expect(eq(sz, seen.methods.n, 0));
}

Test(changed_methods, are_read_again_where_the_store_is_damaged)
{
	open_two();
	seen = changes_of(2, NULL, true);
	EXPECT_ROWS("extractions", 2);
	app_fixture_ask(&fixture, "DELETE FROM changed_methods; DELETE FROM compared");
	app_fixture_ask(&fixture, "UPDATE extractions SET data = x'00ff'");
	seen = changes_of(2, NULL, true);
	expect_after(&seen);
	EXPECT_ROWS("extractions WHERE data = x'00ff'", 0); /* and stored in its place */
}

Test(changed_methods, of_a_history_are_stored_but_where_a_commit_cannot_be_read)
{
	const struct pe_revision *revisions[3];
	char *blob;

	open_two();
	for (size_t i = 0; i < 3; i++)
		revisions[i] = &fixture.commits.at[i];
	/* The content of the newest commit is lost. */
	blob = tmp_repo_output(&fixture.repo, "git -C repo rev-parse HEAD:lib/a.c");
	tmp_repo_sh(&fixture.repo, "rm -f repo/.git/objects/%.2s/%s", blob, blob + 2);
	OK(pe_changes_keep(&fixture.app, revisions, 3));
	EXPECT_ROWS("compared", 2);
	cr_expect_has(pe_text_str(&fixture.notes), "are not known");
	cr_expect_has(pe_text_str(&fixture.notes), "lib/a.c");
	cr_expect(eq(int, fixture.err.code, PE_OK));
}

Test(changed_methods, stop_at_ctrl_c)
{
	const struct pe_revision *revision;

	open_two();
	revision = &fixture.commits.at[2];
	fixture.interrupts = 1;
	cr_expect(eq(int, pe_changes_keep(&fixture.app, &revision, 1), PE_ESTOPPED));
	EXPECT_ROWS("compared", 0);
}

/* Ctrl-C comes before the third commit is looked at. */
static void stop_at_the_third(const struct pe_progress_event *event, void *payload)
{
	struct app_fixture *stopped = payload;

	cr_expect(eq(int, event->phase, PE_PROGRESS_METHODS));
	if (event->done == 2)
		stopped->interrupts = 1;
}

Test(changed_methods, of_a_history_go_on_after_ctrl_c)
{
	enum { COMMITS = 6 };
	const struct pe_revision *revisions[COMMITS];
	int64_t undisturbed;

	app_fixture_open(&fixture, 1, config);
	for (int i = 1; i < COMMITS; i++) {
		struct pe_text text = PE_TEXT_INIT;

		pe_text_addf(&text, "int f(void)\n{\n\treturn %d;\n}\n", i);
		tmp_repo_write(&fixture.repo, "a.c", pe_text_str(&text));
		tmp_repo_commit(&fixture.repo, "change f");
		pe_text_release(&text);
	}
	app_fixture_walk(&fixture);
	for (size_t i = 0; i < COMMITS; i++)
		revisions[i] = &fixture.commits.at[i];
	fixture.app.progress = (struct pe_progress){stop_at_the_third, &fixture};
	cr_assert(eq(int, pe_changes_keep(&fixture.app, revisions, COMMITS), PE_ESTOPPED));
	EXPECT_ROWS("compared", 2); /* what was found out is stored */
	app_fixture_ask(&fixture, "UPDATE compared SET unread = 77");

	fixture.interrupts = 0;
	fixture.app.progress = (struct pe_progress){NULL, NULL};
	OK(pe_changes_keep(&fixture.app, revisions, COMMITS));
	EXPECT_ROWS("compared", COMMITS);
	EXPECT_ROWS("compared WHERE unread = 77", 2); /* and not found out again */
	undisturbed = app_fixture_ask(&fixture, "SELECT count(*) FROM changed_methods");
	cr_expect(eq(i64, undisturbed, COMMITS - 1));
}
