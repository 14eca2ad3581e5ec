/*
 * Before a push: git lists on standard input the references that it is about to set, with their new commits (githooks(5)).
 * The new commits of each are compared with the last one that the remote has, by `perfevo ci` within a budget of time.
 * Only a regression that fails its gate stops the push: a hook that is wrong, slow or broken would soon be switched
 * off.
 */
#include "app/jobs/hook.h"

#include "app/jobs/job_step.h"
#include "app/measure/allowed.h"
#include "core/base/clock.h"
#include "core/base/vec.h"
#include "vcs/hooked.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A commit that is new on the other side, and what it is compared with. */
struct pushed {
	struct pe_revision base, tip;
	const char *ref; /* "main" */
};

struct push {
	struct pe_app *app;
	const char *remote;
	PE_VEC(struct pushed) commits;
	bool unknown;                 /* there are new commits without a known base */
	const struct pushed *blocked; /* the first that fails the gate; NULL: none */
};

/* --- What is pushed --- */

static int read_input(struct pe_text *out, struct pe_err *err)
{
	const char *from = getenv("PRE_COMMIT_FROM_REF"), *to = getenv("PRE_COMMIT_TO_REF");

	if (pe_text_read_fd(out, STDIN_FILENO) < 0)
		return pe_fail_errno(err, "cannot read what is pushed");
	/* pre-commit reads git's lines itself, and passes on what it made of them. */
	if (out->len == 0 && to != NULL)
		pe_text_addf(out, "%s %s %s %s\n", to, to, to,
			     from != NULL ? from : "0000000000000000000000000000000000000000");
	return PE_OK;
}

/* 40 digits, or 64 (SHA-256). @param zeros  it stands for no commit */
static bool is_oid(const char *word, bool *zeros)
{
	size_t n = strlen(word);

	*zeros = strspn(word, "0") == n;
	return (n == 40 || n == 64) && strspn(word, "0123456789abcdefABCDEF") == n;
}

/*
 * Cut "<local ref> <local oid> <remote ref> <remote oid>" into its words. A local side that git took from the command line
 * may hold blanks ("HEAD@{1 day ago}"), so the line is read from its end.
 */
static bool split(char *words[4], char *line)
{
	for (int i = 3; i > 0; i--) {
		char *blank = strrchr(line, ' ');

		if (blank == NULL || blank[1] == '\0')
			return false;
		*blank = '\0';
		words[i] = blank + 1;
	}
	words[0] = line;
	return line[0] != '\0';
}

static const char *short_ref(const char *ref)
{
	static const char *const prefixes[] = {"refs/heads/", "refs/tags/", "refs/"};

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (strncmp(ref, prefixes[i], strlen(prefixes[i])) == 0)
			return ref + strlen(prefixes[i]);
	return ref;
}

static bool has_tip(const struct push *push, const char *id)
{
	for (size_t i = 0; i < push->commits.n; i++)
		if (strcmp(push->commits.data[i].tip.id, id) == 0)
			return true;
	return false;
}

/* One line. A tag of a tree has no commit, and a commit that is there already is not new. */
static int add_line(struct push *push, char *line, size_t number)
{
	struct pe_app *app = push->app;
	char *words[4], base[PE_OID_HEX];
	struct pushed commit;
	bool deletes, creates;

	if (!split(words, line) || !is_oid(words[1], &deletes) || !is_oid(words[3], &creates))
		return pe_fail(
			app->err, PE_EINVALID,
			"line %zu of what git says it pushes is not '<local ref> <local oid> <remote ref> <remote oid>'",
			number);
	commit.ref = short_ref(words[2]);
	if (deletes || strncmp(words[2], "refs/notes/", 11) == 0 ||
	    strncmp(words[2], "refs/perfevo/", 13) == 0 ||
	    pe_repo_resolve(&commit.tip, app->repo, words[1], app->arena, NULL) != PE_OK ||
	    has_tip(push, commit.tip.id))
		return PE_OK;
	PE_TRY(pe_repo_fork_point(base, app->repo, commit.tip.id, creates ? NULL : words[3],
				  push->remote, app->err));
	if (strcmp(base, commit.tip.id) == 0)
		return PE_OK;
	if (base[0] == '\0') {
		push->unknown = true;
		return PE_OK;
	}
	PE_TRY(pe_app_resolve(&commit.base, app, base));
	pe_vec_push(&push->commits, commit);
	return PE_OK;
}

static int read_push(struct push *push)
{
	pe_auto_text text = PE_TEXT_INIT;
	size_t number = 1;

	PE_TRY(read_input(&text, push->app->err));
	if (strlen(pe_text_str(&text)) != text.len)
		return pe_fail(push->app->err, PE_EINVALID, "what git says it pushes has a NUL");
	for (const char *at = pe_text_str(&text); *at != '\0'; number++) {
		size_t n = strcspn(at, "\n");

		if (n > 0)
			PE_TRY(add_line(push, pe_arena_strndup(push->app->arena, at, n), number));
		at += n + (at[n] == '\n');
	}
	return PE_OK;
}

/* --- The test --- */

/* Test a commit within its share of the budget. Its answer is printed where our messages go. */
static int test_commit(struct push *push, const struct pushed *commit, uint64_t budget_ns)
{
	enum { GRACE_S = 5 };
	struct pe_app *app = push->app;
	const char *const words[] = {
		"ci",
		"--no-profile",
		"--no-tests",
		"--budget",
		pe_arena_printf(app->arena, "%" PRIu64 "ms", budget_ns / 1000000 + 1),
		"--base",
		commit->base.id,
		commit->tip.id,
		NULL};
	const struct pe_job_step step = {
		.argv = pe_job_step_command(app, words),
		.env = pe_hook_env(app),
		.out = STDERR_FILENO,
		.err = STDERR_FILENO,
		/* 'ci' ends within its budget, unless a build or a run takes longer. */
		.deadline_ns = pe_clock_ns() + budget_ns + GRACE_S * UINT64_C(1000000000),
		.patience_ns = UINT64_C(1000000000),
	};
	bool cut_short = false;
	int status;

	pe_app_note(app, "testing %s: %.8s against %.8s", commit->ref, commit->tip.id,
		    commit->base.id);
	PE_TRY(pe_job_step_run(&status, &cut_short, &step, app));
	if (*app->interrupts > 0)
		return pe_fail(app->err, PE_ESTOPPED, "stopped");
	if (WIFEXITED(status) && WEXITSTATUS(status) == PE_EXIT_REGRESSED && push->blocked == NULL)
		push->blocked = commit;
	return PE_OK;
}

/* Each commit gets its share of what is left of the budget. */
static int test_commits(struct push *push)
{
	uint64_t budget_ns = push->app->config->hooks.push_budget_ns, began_ns = pe_clock_ns();

	for (size_t i = 0; i < push->commits.n; i++) {
		uint64_t spent_ns = pe_clock_ns() - began_ns;
		uint64_t left_ns = spent_ns < budget_ns ? budget_ns - spent_ns : 0;

		PE_TRY(test_commit(push, &push->commits.data[i], left_ns / (push->commits.n - i)));
	}
	return PE_OK;
}

/* Read what is pushed, and test it where the config has benchmarks. */
static int test(struct push *push)
{
	struct pe_app *app = push->app;

	PE_TRY(read_push(push));
	if (push->unknown)
		pe_app_note(
			app,
			"the remote's commits are not here, so new references are not compared: run 'git fetch' first");
	if (push->commits.n == 0)
		return PE_OK;
	PE_TRY(pe_app_open_config(app));
	if (app->config->n_benchmarks == 0 && app->config->n_suites == 0)
		return PE_OK;
	/* 'ci' never asks the user: pipelines call it. */
	PE_TRY(pe_allowed_check(app));
	pe_hook_stop_job(app);
	return test_commits(push);
}

int pe_hook_push(bool *blocks, struct pe_app *app, const char *remote)
{
	struct push push = {.app = app, .remote = remote};
	const struct pushed *blocked;
	int rc;

	*blocks = false;
	if (pe_app_tree_config(app) == NULL && pe_repo_workdir(app->repo) != NULL)
		return PE_OK;
	rc = test(&push);
	blocked = push.blocked;
	/* What is wrong with perfevo or its config stops no push. */
	if (rc != PE_OK && rc != PE_ESTOPPED)
		pe_app_note(app, "this push was not tested: %s", app->err->message);
	*blocks = rc != PE_ESTOPPED && blocked != NULL && app->config->hooks.push_blocks;
	if (*blocks)
		pe_app_note(
			app,
			"the push is stopped; 'perfevo compare %.8s %.8s' says why, 'git push --no-verify' pushes anyway",
			blocked->base.id, blocked->tip.id);
	else if (blocked != NULL && rc != PE_ESTOPPED)
		pe_app_note(app, "pushed anyway ('hooks: pre-push: {block: false}')");
	pe_hook_start_job(app);
	pe_vec_release(&push.commits);
	return rc == PE_ESTOPPED ? PE_ESTOPPED : PE_OK;
}
