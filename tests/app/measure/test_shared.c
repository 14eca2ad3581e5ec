/* Builds that workers make for each other (app/measure/shared.h): here one after the other, with caches of their own. */
#include "app/measure/shared.h"

#include "core/base/files.h"
#include "tests/support/app_fixture.h"
#include "tests/support/test.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { COMMITS = 3 };

static char folder[64];
static bool names_itself; /* what is built holds its own path */
static unsigned bad;      /* a revision that does not build */

static void set_up(void)
{
	strcpy(folder, "/tmp/pe-shared-XXXXXX");
	cr_assert(mkdtemp(folder) != NULL);
	names_itself = false;
	bad = COMMITS;
}

static void tear_down(void)
{
	pe_files_remove(folder, NULL);
}

TestSuite(shared, .init = set_up, .fini = tear_down, .timeout = 600);

static void answer(struct pe_proc_result *result, const struct fake_command *command, void *payload)
{
	(void)payload;
	if (strcmp(command->text, "./build") != 0)
		return;
	if (command->revision == bad)
		*result = (struct pe_proc_result){.end = PE_PROC_EXITED, .status = 2};
}

static struct pe_executor inner;

/* Each command leaves where it ran. */
static int run(struct pe_proc_result *out, const struct pe_proc_spec *spec, void *payload,
	       struct pe_err *err)
{
	char path[PATH_MAX];
	FILE *file;

	(void)payload;
	if (names_itself) {
		snprintf(path, sizeof(path), "%s/program", spec->cwd);
		file = fopen(path, "w");
		cr_assert(file != NULL);
		fputs(spec->cwd, file);
		fclose(file);
	}
	return inner.run(out, spec, inner.payload, err);
}

/* What a worker with an empty cache and store does, and how often it builds. */
static size_t work(const char *build, const char **notes, struct pe_arena *arena)
{
	struct app_fixture fixture;
	struct pe_session session;
	size_t builds;

	app_fixture_open(
		&fixture, COMMITS,
		pe_arena_printf(arena,
				"build: {steps: [./build], %s}\n"
				"disk: 100GB\n"
				"benchmarks: {only: {command: ./only, warmup: 0, repeats: 2}}\n",
				build));
	fixture.executor.answer = answer;
	inner = fixture.app.executor;
	fixture.app.executor.run = run;
	app_fixture_open_session(&fixture, &session, COMMITS);
	session.shared.dir = folder;
	cr_assert(eq(int, pe_session_measure(&session), PE_OK), "%s", fixture.err.message);
	pe_session_close(&session);
	builds = fake_executor_ran(&fixture.executor, 0, "./build", UINT_MAX);
	cr_expect(eq(i64, app_fixture_ask(&fixture, "SELECT COUNT(*) FROM builds"), COMMITS));
	cr_expect(eq(i64,
		     app_fixture_ask(&fixture,
				     "SELECT COUNT(*) FROM runs WHERE outcome = 0 AND kind = 0"),
		     2 * (bad < COMMITS ? COMMITS - 1 : COMMITS)));
	if (notes != NULL)
		*notes = pe_arena_strdup(arena, pe_text_str(&fixture.notes));
	app_fixture_close(&fixture);
	return builds;
}

/* Files of a kind, by the length of their names; they are cut short by so many bytes. */
static size_t cut(size_t length, off_t by)
{
	DIR *dir = opendir(folder);
	size_t n = 0;

	cr_assert(dir != NULL);
	for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
		char path[PATH_MAX];
		struct stat st;

		if (strlen(entry->d_name) != length || strchr(entry->d_name, '.') != NULL)
			continue;
		n++;
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		cr_assert(eq(int, stat(path, &st), 0));
		if (by > 0)
			cr_assert(eq(int, truncate(path, st.st_size - by), 0));
	}
	closedir(dir);
	return n;
}

enum { PARCEL = 40, OFFER = 32 };

/* Whoever made them has ended, and let go of them. */
static size_t lock_claims(int locks[], size_t most)
{
	DIR *dir = opendir(folder);
	size_t n = 0;

	cr_assert(dir != NULL);
	for (struct dirent *entry; n < most && (entry = readdir(dir)) != NULL;) {
		char path[PATH_MAX];

		if (strstr(entry->d_name, ".lock") == NULL)
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		locks[n] = open(path, O_RDWR);
		cr_assert(eq(int, flock(locks[n++], LOCK_EX | LOCK_NB), 0));
	}
	closedir(dir);
	return n;
}

Test(shared, what_one_builds_the_others_take)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	int locks[COMMITS];

	cr_expect(eq(sz, work("parallel: 4", NULL, &arena), COMMITS));
	cr_expect(eq(sz, cut(PARCEL, 0), COMMITS));
	cr_expect(eq(sz, lock_claims(locks, COMMITS), COMMITS));
	cr_expect(eq(sz, work("parallel: 1", NULL, &arena), 0), "an offer needs no claim");
	for (size_t i = 0; i < COMMITS; i++)
		close(locks[i]);
}

Test(shared, what_was_cut_short_is_built_again_and_offered_anew)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	const char *notes;

	cr_assert(eq(sz, work("parallel: 1", NULL, &arena), COMMITS));
	for (int i = 0; i < 2; i++) {
		cr_expect(eq(sz, cut(i == 0 ? PARCEL : OFFER, 3), COMMITS));
		cr_expect(eq(sz, work("parallel: 1", &notes, &arena), COMMITS));
		cr_expect(strstr(notes, "was cut short or altered") != NULL, "%s", notes);
	}
	cr_expect(eq(sz, work("parallel: 1", NULL, &arena), 0));
}

Test(shared, what_names_its_own_folder_or_does_not_build_is_built_by_each)
{
	pe_auto_arena arena = PE_ARENA_INIT;

	bad = 1;
	cr_expect(eq(sz, work("parallel: 1", NULL, &arena), COMMITS));
	cr_expect(eq(sz, work("parallel: 1", NULL, &arena), 1), "the one that does not build");
	cr_expect(eq(sz, cut(PARCEL, 0), COMMITS - 1));
	names_itself = true;
	bad = COMMITS;
	for (int i = 0; i < 2; i++)
		cr_expect(eq(sz, work("env: {A: b}", NULL, &arena), COMMITS), "another recipe");
	cr_expect(eq(sz, cut(PARCEL, 0), COMMITS - 1), "none of these");
}
