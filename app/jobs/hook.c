/*
 * Hook: what the installed scripts call. After a commit it enters the commit into the journal, starts the job and prints
 * results of earlier commits: a dozen system calls. A failure here never fails the commit: the hook exits with 0, and prints
 * one line.
 */
#include "app/jobs/hook.h"

#include "configs/config.h"
#include "hooks/background.h"
#include "vcs/hooked.h"
#include "core/base/utf8.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* --- The job --- */

const char *const *pe_hook_env(struct pe_app *app)
{
	const char *tree = pe_repo_workdir(app->repo);
	bool has_place = tree == NULL || getenv("GIT_DIR") != NULL;

	return pe_background_env(has_place ? pe_repo_git_dir(app->repo, app->arena) : NULL, tree,
				 app->arena);
}

static int start_job(struct pe_app *app)
{
	static const char *const argv[] = {"perfevo", "hook", "work", NULL};
	const char *folder = pe_app_hook_dir(app);
	const char *tree = pe_repo_workdir(app->repo);
	struct pe_journal journal;

	PE_TRY(pe_journal_read(&journal, folder, app->arena, app->err));
	/* A job that is about to end looks once more when its lock is free: it sees what was entered before this. */
	if (pe_journal_waiting(&journal, NULL) == NULL || pe_job_process(folder) != 0)
		return PE_OK;
	return pe_background_start("/proc/self/exe", argv, pe_hook_env(app),
				   tree != NULL ? tree : pe_repo_common_dir(app->repo),
				   pe_arena_printf(app->arena, "%s/worker.log", folder), app->err);
}

void pe_hook_start_job(struct pe_app *app)
{
	if (start_job(app) != PE_OK)
		pe_app_note(app, "the background measurement did not start: %s", app->err->message);
}

void pe_hook_stop_job(struct pe_app *app)
{
	enum { TENTHS = 100 };
	const struct timespec pause = {.tv_nsec = 100 * 1000 * 1000};
	const char *folder = pe_app_hook_dir(app);
	pid_t job, asked = 0;

	for (int i = 0; i < TENTHS && *app->interrupts == 0; i++) {
		job = pe_job_process(folder);
		if (job == 0)
			return;
		/* Asked twice, it would be gone at once. */
		if (job != asked)
			kill(job, SIGTERM);
		asked = job;
		nanosleep(&pause, NULL);
	}
}

/* --- After a commit --- */

/* Subjects of commits that were just pulled are among them. */
static void print_result(const struct pe_journal_commit *commit)
{
	pe_auto_text line = PE_TEXT_INIT;

	pe_utf8_add_visible(&line, commit->subject, "");
	pe_text_add(&line, ": ");
	pe_utf8_add_visible(&line, commit->text, "");
	fprintf(stderr, "perfevo: %.8s %s\n", commit->id, line.data);
}

/* Two lines at most: what is worst first, of these the newest. */
static void print_results(const struct pe_journal *results)
{
	enum { MOST = 2 };
	static const enum pe_journal_event order[] = {PE_JOURNAL_REGRESSED, PE_JOURNAL_SUSPECTED,
						      PE_JOURNAL_FAILED, PE_JOURNAL_IMPROVED,
						      PE_JOURNAL_PASS};
	size_t lines = results->n > MOST ? MOST - 1 : results->n;

	for (size_t v = 0; v < sizeof(order) / sizeof(order[0]); v++)
		for (size_t i = results->n; i-- > 0 && lines > 0;)
			if (results->at[i].state == order[v]) {
				print_result(&results->at[i]);
				lines--;
			}
	if (results->n > MOST)
		fprintf(stderr, "perfevo: and %zu more results: 'perfevo status' lists them\n",
			results->n - MOST + 1);
}

/* Enter HEAD, and take the results that were not printed yet. */
static int enter_commit(struct pe_journal *results, struct pe_app *app)
{
	struct pe_journal_commit commit = {.tree = pe_repo_workdir(app->repo), .git_dir = ""};
	struct pe_revision head;

	PE_TRY(pe_app_resolve(&head, app, "HEAD"));
	commit.id = head.id;
	if (getenv("GIT_DIR") != NULL)
		commit.git_dir = pe_repo_git_dir(app->repo, app->arena);
	return pe_journal_commit(results, pe_app_hook_dir(app), &commit, app->arena, app->err);
}

void pe_hook_commit(struct pe_app *app)
{
	struct pe_journal results = {0};
	int rc;

	if (pe_app_tree_config(app) == NULL)
		return;
	rc = enter_commit(&results, app);
	if (rc != PE_OK)
		pe_app_note(app, "this commit is not measured in the background: %s",
			    app->err->message);
	print_results(&results);
	/* Last: a job would want the processor. */
	if (rc == PE_OK)
		pe_hook_start_job(app);
}

/* --- Before a commit --- */

/* A staged config that cannot be read would break every later measurement. */
bool pe_hook_config_is_broken(struct pe_app *app)
{
	const char *tree = pe_repo_workdir(app->repo);
	struct pe_config config;
	int rc = PE_OK;

	for (size_t i = 0; tree != NULL && i < PE_N_CONFIG_NAMES; i++) {
		pe_auto_text text = PE_TEXT_INIT;

		rc = pe_repo_staged(&text, app->repo, pe_config_names[i], app->err);
		if (rc == PE_OK)
			rc = pe_config_load(&config, pe_config_names[i], tree, pe_text_str(&text),
					    app->arena, app->err);
		if (rc == PE_EINVALID) {
			pe_auto_text said = PE_TEXT_INIT;

			pe_utf8_add_visible(&said, app->err->message, "");
			fprintf(stderr,
				"perfevo: the staged %s\nperfevo: fix it and 'git add %s', or 'git commit --no-verify'\n",
				said.data, pe_config_names[i]);
			return true;
		}
		if (rc == PE_OK)
			return false;
	}
	/* An index that cannot be read is no reason to refuse the commit. */
	return false;
}
