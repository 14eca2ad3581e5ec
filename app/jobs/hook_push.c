/*
 * The look at a push. What is new on the other side (hooked_push_read.c) is compared with what it has, on this
 * machine, interleaved, within a budget of time (ab_test.h). Only a confirmed regression that nobody accepted stops
 * the push: a hook that is wrong, slow or broken would soon be switched off.
 */
#include "app/jobs/hook_push.h"

#include "app/jobs/hook.h"
#include "app/history/jump_status.h"
#include "core/base/clock.h"

#include <signal.h>
#include <string.h>
#include <sys/time.h>

/* How the session is stopped: 2 by the clock, 3 by the user. Handlers reach nothing else. */
static volatile sig_atomic_t stop;

static void on_alarm(int number)
{
	(void)number;
	if (stop < 2)
		stop = 2;
}

static void on_user(int number)
{
	if (stop == 3) {
		signal(number, SIG_DFL);
		raise(number);
	}
	stop = 3;
}

static void handle(int number, void (*handler)(int))
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};

	sigemptyset(&action.sa_mask);
	sigaction(number, &action, NULL);
}

/* @param ns  from now; 0: none */
static void set_alarm(uint64_t ns)
{
	struct itimerval timer = {0};

	timer.it_value.tv_sec = (time_t)(ns / 1000000000);
	timer.it_value.tv_usec = (suseconds_t)(ns % 1000000000 / 1000);
	setitimer(ITIMER_REAL, &timer, NULL);
}

/* --- Asking --- */

static size_t index_of(const struct pe_session *session, const char *id)
{
	size_t r = session->n_revisions;

	while (r-- > 0)
		if (strcmp(session->revisions[r].revision->id, id) == 0)
			return r;
	return 0;
}

/* Bases and tips, each once. */
static struct pe_revisions revisions_of(const struct pe_pushing *pushing)
{
	struct pe_revisions all = {
		pe_arena_new(pushing->app->arena, struct pe_revision, 2 * pushing->commits.n), 0,
		false};

	for (size_t i = 0; i < 2 * pushing->commits.n; i++) {
		const struct pe_pushing_commit *commit = &pushing->commits.data[i / 2];
		const struct pe_revision *one = i % 2 == 0 ? &commit->base : &commit->tip;
		bool there = false;

		for (size_t j = 0; j < all.n; j++)
			there = there || strcmp(all.at[j].id, one->id) == 0;
		if (!there)
			all.at[all.n++] = *one;
	}
	return all;
}

static int ask_one(struct pe_ab_test_answer *out, const struct pe_pushing *pushing,
		   struct pe_session *session, const struct pe_pushing_commit *commit,
		   uint64_t deadline_ns)
{
	struct pe_app *app = pushing->app;
	const struct pe_ab_test_question question = {
		.base = index_of(session, commit->base.id),
		.tip = index_of(session, commit->tip.id),
		.checkpoint = pe_ab_test_checkpoint(session, commit->base.id, commit->tip.id),
		.deadline_ns = deadline_ns,
	};
	enum pe_impact *impact = pe_arena_new(app->arena, enum pe_impact, session->benchmarks.n);
	int rc = pe_impact_guess(impact, session, commit->base.id, &commit->tip);

	*out = (struct pe_ab_test_answer){.verdict = PE_AB_TEST_INCONCLUSIVE};
	if (rc == PE_OK)
		rc = pe_ab_test_ask(out, session, &question, impact);
	return rc;
}

/* --- What is accepted --- */

/*
 * Whether somebody accepted a change of this benchmark and metric at one of the new commits. A file that cannot be
 * read accepts nothing, and says so.
 */
static void mark_accepted(const struct pe_pushing *pushing, const struct pe_pushing_commit *commit,
			  struct pe_ab_test_answer *answer)
{
	struct pe_app *app = pushing->app;
	const struct pe_range range = {
		.spec = pe_arena_printf(app->arena, "%s..%s", commit->base.id, commit->tip.id),
		.all_parents = true,
	};
	struct pe_accepted_list accepted;
	struct pe_revisions revisions;

	if (answer->n_worse == 0)
		return;
	if (pe_jump_status_load_accepted(&accepted, app) != PE_OK ||
	    pe_repo_walk(&revisions, app->repo, &range, app->arena, app->err) != PE_OK) {
		pe_app_note(app, "%s", app->err->message);
		return;
	}
	for (size_t i = 0; i < answer->n_worse; i++)
		for (size_t r = 0; r < revisions.n && !answer->worse[i].accepted; r++)
			answer->worse[i].accepted =
				pe_accepted_find(&accepted, answer->worse[i].benchmark->name,
						 answer->worse[i].metric->name,
						 revisions.at[r].id) != NULL;
}

static struct pe_class_jump jump_of(const struct pe_ab_test_finding *finding)
{
	return (struct pe_class_jump){
		.benchmark = finding->benchmark->name,
		.metric = finding->metric,
		.relative = finding->relative,
		.worse = true,
		.confirmed = true,
		.accepted = finding->accepted,
		.layout = finding->layout,
	};
}

/* Apply the gate to what is worse, beside what is better; classify it all. @return  whether something fails it */
static bool apply_gate(const struct pe_pushing *pushing, struct pe_ab_test_answer *answer,
		       struct pe_commit_class *class)
{
	struct pe_class_jump *jumps = pe_arena_new(pushing->app->arena, struct pe_class_jump,
						   answer->n_worse + answer->n_checks);
	bool fails = false;
	size_t n = 0;

	for (size_t i = 0; i < answer->n_worse; i++)
		jumps[n++] = jump_of(&answer->worse[i]);
	for (size_t i = 0; i < answer->n_checks; i++) {
		const struct pe_ab_test_check *check = &answer->checks[i];

		if (check->state == PE_AB_TEST_NOT_WORSE && check->metric != NULL &&
		    pe_ab_test_is_better(check))
			jumps[n++] = (struct pe_class_jump){.benchmark = check->benchmark->name,
							    .metric = check->metric,
							    .relative = check->result.relative,
							    .confirmed = true};
	}
	if (n > 0)
		*class = pe_commit_class_of(jumps, n);
	for (size_t i = 0; i < answer->n_worse; i++) {
		answer->worse[i].rule =
			pe_gate_rule_of(&jumps[i], jumps, n, &pushing->app->config->gate);
		fails = fails || answer->worse[i].rule == PE_GATE_FAILS;
	}
	return fails;
}

/* --- The hook --- */

/* Each commit gets its share of what is left of the budget. *blocked: the first that is surely worse. */
static int ask_all(const struct pe_pushing *pushing, struct pe_session *session,
		   const struct pe_pushing_commit **blocked)
{
	struct pe_app *app = pushing->app;
	uint64_t budget_ns = app->config->hooks.push_budget_ns;
	int rc = PE_OK;

	for (size_t i = 0; rc == PE_OK && stop != 3 && i < pushing->commits.n; i++) {
		uint64_t now_ns = pe_clock_ns(), spent_ns = now_ns - pushing->began_ns;
		uint64_t share_ns = spent_ns < budget_ns
					    ? (budget_ns - spent_ns) / (pushing->commits.n - i)
					    : 0;
		struct pe_commit_class class = {.class = PE_N_CLASSES};
		struct pe_ab_test_answer answer;
		bool fails;

		if (stop == 2)
			stop = 0;
		/* A timer of nothing would never ring. */
		set_alarm(share_ns + 1000);
		rc = ask_one(&answer, pushing, session, &pushing->commits.data[i],
			     now_ns + share_ns);
		set_alarm(0);
		if (rc == PE_ESTOPPED && stop != 3)
			rc = PE_OK;
		if (rc != PE_OK)
			break;
		mark_accepted(pushing, &pushing->commits.data[i], &answer);
		fails = apply_gate(pushing, &answer, &class);
		pe_pushing_report(pushing, &pushing->commits.data[i], &answer, &class);
		if (*blocked == NULL && fails)
			*blocked = &pushing->commits.data[i];
	}
	return rc;
}

static int measure(const struct pe_pushing *pushing, const struct pe_pushing_commit **blocked)
{
	struct pe_app *app = pushing->app;
	struct pe_revisions revisions = revisions_of(pushing);
	struct pe_session session = {0};
	int rc = pe_app_open(app, PE_NEEDS_STORE);

	if (rc == PE_OK)
		rc = pe_session_open(&session, app, true);
	if (rc == PE_OK)
		rc = pe_session_choose(&session, &revisions, NULL);
	if (rc == PE_OK && session.benchmarks.n > 0)
		rc = ask_all(pushing, &session, blocked);
	pe_session_close(&session);
	return rc;
}

/* What is wrong with perfevo or its config stops no push. */
static bool finish(const struct pe_pushing *pushing, int rc,
		   const struct pe_pushing_commit *blocked)
{
	struct pe_app *app = pushing->app;

	if (rc == PE_ESTOPPED)
		pe_app_note(app, "this push was not tested: time budget exhausted (%s)",
			    app->err->message);
	else if (rc != PE_OK)
		pe_app_note(app, "this push was not tested: %s", app->err->message);
	if (blocked == NULL)
		return false;
	if (!app->config->hooks.push_blocks) {
		pe_app_note(app, "pushed anyway ('hooks: pre-push: {block: false}')");
		return false;
	}
	pe_app_note(
		app,
		"the push is stopped; 'perfevo compare %s %s' says why, 'git push --no-verify' pushes anyway",
		pe_hook_short(blocked->base.id, app->arena),
		pe_hook_short(blocked->tip.id, app->arena));
	return true;
}

int pe_hook_push(bool *blocks, struct pe_app *app, const char *remote)
{
	struct pe_pushing pushing = {.app = app, .remote = remote, .began_ns = pe_clock_ns()};
	const struct pe_pushing_commit *blocked = NULL;
	int rc;

	*blocks = false;
	if (pe_app_tree_config(app) == NULL && pe_repo_workdir(app->repo) != NULL)
		return PE_OK;
	handle(SIGINT, on_user);
	handle(SIGTERM, on_user);
	handle(SIGHUP, on_user);
	handle(SIGALRM, on_alarm);
	app->interrupts = &stop;
	rc = pe_pushing_read(&pushing);
	if (rc == PE_OK && pushing.unknown)
		pe_app_note(
			app,
			"the remote's commits are not here, so new references are not compared: run 'git fetch' first");
	if (rc == PE_OK && pushing.commits.n > 0)
		rc = pe_app_open_config(app);
	if (rc == PE_OK && pushing.commits.n > 0) {
		set_alarm(app->config->hooks.push_budget_ns);
		pe_hook_stop_job(app);
		rc = measure(&pushing, &blocked);
		set_alarm(0);
		pe_hook_start_job(app);
	}
	if (stop != 3)
		*blocks = finish(&pushing, rc, blocked);
	pe_vec_release(&pushing.commits);
	return stop == 3 ? PE_ESTOPPED : PE_OK;
}
