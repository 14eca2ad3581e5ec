/*
 * The look at a push. git says on standard input which references it is about to set, and to what; what is new of
 * each is compared with what the other side has, on this machine, interleaved, within a budget of time. Only a
 * confirmed regression that nobody accepted stops the push: a hook that is wrong, slow or broken would soon be
 * switched off.
 */
#include "cmd/hooked_push.h"

#include "cmd/hooked.h"
#include "cmd/open.h"
#include "cmd/standing.h"
#include "core/base/clock.h"
#include "core/bench/files.h"
#include "hooks/push.h"
#include "report/format.h"
#include "vcs/hooked.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

/* How the session is told to stop: 2 by the clock, 3 by the user. Handlers reach nothing else. */
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

/* A commit that is new on the other side, and what it is compared with. */
struct new_commit {
	struct pe_revision base, tip;
	const char *ref; /* "main" */
};

struct push {
	struct pe_cmd_ctx *ctx;
	const char *remote;
	uint64_t began_ns;
	PE_VEC(struct new_commit) commits;
	bool unknown; /* something is new of which no base is known */
};

/* --- What is pushed --- */

static int read_input(struct pe_text *out, struct pe_err *err)
{
	char bytes[4096];
	ssize_t n;

	while ((n = read(STDIN_FILENO, bytes, sizeof(bytes))) != 0) {
		if (n < 0 && errno != EINTR)
			return pe_fail_errno(err, "cannot read what is pushed");
		if (n > 0)
			pe_text_addn(out, bytes, (size_t)n);
	}
	/* pre-commit reads git's lines itself, and hands on what it made of them. */
	if (out->len == 0 && getenv("PRE_COMMIT_TO_REF") != NULL) {
		const char *from = getenv("PRE_COMMIT_FROM_REF");

		pe_text_addf(out, "%s %s %s %s\n", getenv("PRE_COMMIT_TO_REF"),
			     getenv("PRE_COMMIT_TO_REF"), getenv("PRE_COMMIT_TO_REF"),
			     from != NULL ? from : "0000000000000000000000000000000000000000");
	}
	return PE_OK;
}

static bool is_of_interest(const struct pe_pushed *pushed)
{
	return !pushed->deletes && strncmp(pushed->remote_ref, "refs/notes/", 11) != 0 &&
	       strncmp(pushed->remote_ref, "refs/perfevo/", 13) != 0;
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
static int add_pushed(struct push *push, const struct pe_pushed *pushed)
{
	struct pe_cmd_ctx *ctx = push->ctx;
	struct new_commit commit = {.ref = short_ref(pushed->remote_ref)};
	char base[PE_OID_HEX];
	int rc;

	if (!is_of_interest(pushed) ||
	    pe_repo_resolve(&commit.tip, ctx->repo, pushed->local_oid, ctx->arena, NULL) != PE_OK)
		return PE_OK;
	if (has_tip(push, commit.tip.id))
		return PE_OK;
	rc = pe_repo_fork_point(base, ctx->repo, commit.tip.id,
				pushed->creates ? NULL : pushed->remote_oid, push->remote,
				ctx->err);
	if (rc != PE_OK || strcmp(base, commit.tip.id) == 0)
		return rc;
	if (base[0] == '\0') {
		push->unknown = true;
		return PE_OK;
	}
	rc = pe_repo_resolve(&commit.base, ctx->repo, base, ctx->arena, ctx->err);
	if (rc == PE_OK)
		pe_vec_push(&push->commits, commit);
	return rc;
}

static int read_push(struct push *push)
{
	struct pe_cmd_ctx *ctx = push->ctx;
	struct pe_text text = PE_TEXT_INIT;
	struct pe_push lines;
	int rc = read_input(&text, ctx->err);

	if (rc == PE_OK)
		rc = pe_push_parse(&lines, pe_text_str(&text), text.len, ctx->arena, ctx->err);
	for (size_t i = 0; rc == PE_OK && i < lines.n; i++)
		rc = add_pushed(push, &lines.at[i]);
	pe_text_release(&text);
	return rc;
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
static struct pe_revisions revisions_of(const struct push *push)
{
	struct pe_revisions all = {
		pe_arena_new(push->ctx->arena, struct pe_revision, 2 * push->commits.n), 0, false};

	for (size_t i = 0; i < 2 * push->commits.n; i++) {
		const struct new_commit *commit = &push->commits.data[i / 2];
		const struct pe_revision *one = i % 2 == 0 ? &commit->base : &commit->tip;
		bool there = false;

		for (size_t j = 0; j < all.n; j++)
			there = there || strcmp(all.at[j].id, one->id) == 0;
		if (!there)
			all.at[all.n++] = *one;
	}
	return all;
}

static int ask_one(struct pe_push_answer *out, const struct push *push, struct pe_session *session,
		   const struct new_commit *commit, uint64_t deadline_ns)
{
	struct pe_cmd_ctx *ctx = push->ctx;
	const struct pe_push_question question = {
		.base = index_of(session, commit->base.id),
		.tip = index_of(session, commit->tip.id),
		.notebook = pe_push_notebook(session, commit->base.id, commit->tip.id),
		.deadline_ns = deadline_ns,
	};
	enum pe_bearing *bearing = pe_arena_new(ctx->arena, enum pe_bearing, session->workloads.n);
	int rc = pe_bearing_guess(bearing, session, commit->base.id, &commit->tip);

	*out = (struct pe_push_answer){.verdict = PE_PUSH_INCONCLUSIVE};
	if (rc == PE_OK)
		rc = pe_push_ask(out, session, &question, bearing);
	return rc;
}

/* --- Saying --- */

static void say(const struct push *push, const struct pe_text *line)
{
	pe_cmd_note(push->ctx, "%s", pe_text_str(line));
}

static void add_finding(struct pe_text *out, const struct pe_push_finding *finding)
{
	const struct pe_metric *metric = finding->metric;

	pe_text_addf(out, "  %s %s ", finding->workload->name,
		     metric->label != NULL ? metric->label : metric->name);
	pe_format_change(out, finding->relative);
	if (isfinite(finding->low)) {
		pe_text_add(out, " [");
		pe_format_change(out, finding->low);
		pe_text_add(out, ", ");
		pe_format_change(out, finding->high);
		pe_text_add(out, "]");
	}
	if (finding->accepted)
		pe_text_add(out, " (accepted)");
}

static void add_counts(struct pe_text *out, const struct pe_push_answer *answer)
{
	if (answer->looked_at > 0)
		pe_text_addf(out, "%zu benchmark%s measured", answer->looked_at,
			     answer->looked_at == 1 ? "" : "s");
	if (answer->same > 0)
		pe_text_addf(out, "%s%zu with identical builds", answer->looked_at > 0 ? ", " : "",
			     answer->same);
	if (answer->open > 0)
		pe_text_addf(out, "%s%zu without an answer",
			     answer->looked_at + answer->same > 0 ? ", " : "", answer->open);
}

/* "main 3f2a91c8: no regression since 1a2b3c4d, after 12 s (3 benchmarks measured)", and what got worse. */
static void tell(const struct push *push, const struct new_commit *commit,
		 const struct pe_push_answer *answer)
{
	static const char *const verdicts[] = {
		[PE_PUSH_PASSES] = "no regression since",
		[PE_PUSH_REGRESSED] = "worse than",
		[PE_PUSH_INCONCLUSIVE] = "inconclusive against",
	};
	enum { MOST = 5 };
	struct pe_text line = PE_TEXT_INIT;

	pe_text_addf(&line, "%s %s: %s %s, after ", commit->ref,
		     pe_hooked_short(commit->tip.id, push->ctx->arena), verdicts[answer->verdict],
		     pe_hooked_short(commit->base.id, push->ctx->arena));
	pe_format_duration(&line, pe_clock_ns() - push->began_ns);
	pe_text_add(&line, " (");
	if (answer->why != NULL)
		pe_text_add(&line, answer->why);
	else
		add_counts(&line, answer);
	pe_text_add(&line, ")");
	say(push, &line);
	for (size_t i = 0; i < answer->n_worse && i < MOST; i++) {
		pe_text_clear(&line);
		add_finding(&line, &answer->worse[i]);
		say(push, &line);
	}
	if (answer->n_worse > MOST) {
		pe_text_clear(&line);
		pe_text_addf(&line, "  and %zu more", answer->n_worse - MOST);
		say(push, &line);
	}
	pe_text_release(&line);
}

/*
 * Whether somebody accepted a change of this benchmark and metric at one of the new commits. A file that cannot be
 * read accepts nothing, and says so.
 */
static void mark_accepted(const struct push *push, const struct new_commit *commit,
			  struct pe_push_answer *answer)
{
	struct pe_cmd_ctx *ctx = push->ctx;
	const struct pe_range range = {
		.spec = pe_arena_printf(ctx->arena, "%s..%s", commit->base.id, commit->tip.id),
		.all_parents = true,
	};
	struct pe_accepted_list accepted;
	struct pe_revisions revisions;

	if (answer->n_worse == 0)
		return;
	if (pe_standing_load_accepted(&accepted, ctx) != PE_OK ||
	    pe_repo_walk(&revisions, ctx->repo, &range, ctx->arena, ctx->err) != PE_OK) {
		pe_cmd_note(ctx, "%s", ctx->err->message);
		return;
	}
	for (size_t i = 0; i < answer->n_worse; i++)
		for (size_t r = 0; r < revisions.n && !answer->worse[i].accepted; r++)
			answer->worse[i].accepted =
				pe_accepted_find(&accepted, answer->worse[i].workload->name,
						 answer->worse[i].metric->name,
						 revisions.at[r].id) != NULL;
}

static bool is_blocking(const struct pe_push_answer *answer)
{
	for (size_t i = 0; i < answer->n_worse; i++)
		if (!answer->worse[i].accepted)
			return true;
	return false;
}

/* --- The hook --- */

/* Each commit gets its share of what is left of the budget. *blocked: the first that is surely worse. */
static int ask_all(const struct push *push, struct pe_session *session,
		   const struct new_commit **blocked)
{
	struct pe_cmd_ctx *ctx = push->ctx;
	uint64_t budget_ns = ctx->config->hooks.push_budget_ns;
	int rc = PE_OK;

	for (size_t i = 0; rc == PE_OK && stop != 3 && i < push->commits.n; i++) {
		uint64_t now_ns = pe_clock_ns(), spent_ns = now_ns - push->began_ns;
		uint64_t share_ns =
			spent_ns < budget_ns ? (budget_ns - spent_ns) / (push->commits.n - i) : 0;
		struct pe_push_answer answer;

		if (stop == 2)
			stop = 0;
		/* A timer of nothing would never ring. */
		set_alarm(share_ns + 1000);
		rc = ask_one(&answer, push, session, &push->commits.data[i], now_ns + share_ns);
		set_alarm(0);
		if (rc == PE_ESTOPPED && stop != 3)
			rc = PE_OK;
		if (rc != PE_OK)
			break;
		mark_accepted(push, &push->commits.data[i], &answer);
		tell(push, &push->commits.data[i], &answer);
		if (*blocked == NULL && is_blocking(&answer))
			*blocked = &push->commits.data[i];
	}
	return rc;
}

static int measure(const struct push *push, const struct new_commit **blocked)
{
	struct pe_cmd_ctx *ctx = push->ctx;
	struct pe_revisions revisions = revisions_of(push);
	struct pe_session session = {0};
	int rc = pe_cmd_open(ctx, PE_NEEDS_STORE);

	if (rc == PE_OK)
		rc = pe_session_open(&session, ctx, true);
	if (rc == PE_OK)
		rc = pe_session_choose(&session, &revisions, NULL);
	if (rc == PE_OK && session.workloads.n > 0)
		rc = ask_all(push, &session, blocked);
	pe_session_close(&session);
	return rc;
}

/* What is wrong with perfevo or its config stops no push. */
static int finish(const struct push *push, int rc, const struct new_commit *blocked)
{
	struct pe_cmd_ctx *ctx = push->ctx;

	if (stop == 3)
		return PE_EXIT_FAILURE;
	if (rc == PE_ESTOPPED)
		pe_cmd_note(ctx, "this push was not looked at: no time was left (%s)",
			    ctx->err->message);
	else if (rc != PE_OK)
		pe_cmd_note(ctx, "this push was not looked at: %s", ctx->err->message);
	if (blocked == NULL)
		return PE_EXIT_GOOD;
	if (!ctx->config->hooks.push_blocks) {
		pe_cmd_note(ctx, "pushed all the same ('hooks: pre-push: {block: false}')");
		return PE_EXIT_GOOD;
	}
	pe_cmd_note(ctx,
		    "the push is stopped; 'perfevo compare %s %s' says why, 'git push --no-verify' "
		    "pushes all the same",
		    pe_hooked_short(blocked->base.id, ctx->arena),
		    pe_hooked_short(blocked->tip.id, ctx->arena));
	return PE_EXIT_REGRESSED;
}

int pe_hooked_push(struct pe_cmd_ctx *ctx, const char *remote)
{
	struct push push = {.ctx = ctx, .remote = remote, .began_ns = pe_clock_ns()};
	const struct new_commit *blocked = NULL;
	int rc, code;

	if (pe_hooked_config(ctx) == NULL && pe_repo_workdir(ctx->repo) != NULL)
		return PE_EXIT_GOOD;
	if (isatty(STDIN_FILENO) == 1)
		return pe_cmd_misused(ctx, "git gives this hook its lines on standard input");
	handle(SIGINT, on_user);
	handle(SIGTERM, on_user);
	handle(SIGHUP, on_user);
	handle(SIGALRM, on_alarm);
	ctx->interrupts = &stop;
	rc = read_push(&push);
	if (rc == PE_OK && push.unknown)
		pe_cmd_note(ctx,
			    "nothing is known of what the other side has: what is new there is not "
			    "compared");
	if (rc == PE_OK && push.commits.n > 0)
		rc = pe_open_config(ctx);
	if (rc == PE_OK && push.commits.n > 0) {
		set_alarm(ctx->config->hooks.push_budget_ns);
		pe_hooked_stop_worker(ctx);
		rc = measure(&push, &blocked);
		set_alarm(0);
		pe_hooked_start_worker(ctx);
	}
	code = finish(&push, rc, blocked);
	pe_vec_release(&push.commits);
	return code;
}
