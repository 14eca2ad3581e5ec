/*
 * Dispatch through Slurm. Its programs are called, not linked: what they print has been stable for many versions. Every
 * job of a spool has one name, and its shard as its comment, so that one question tells of all of them, and a job is found
 * again whose number got lost on the way.
 */
#include "app/cluster/dispatch.h"

#include "core/base/array.h"
#include "core/base/spawn.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PATIENCE_S = 60, MOST_WORDS = 48, MOST_OUTPUT = 4 << 20 };

struct slurm {
	const char *name; /* of the spool's jobs */
	bool begins;      /* at a time that the options say, and not at once */
};

/* --- Calling --- */

struct words {
	const char *at[MOST_WORDS];
	size_t n;
	struct pe_arena *arena;
};

/* Both streams are read: where Slurm cannot do something, it says why on the second. */
static void begin(struct words *words, const char *program, struct pe_arena *arena)
{
	words->arena = arena;
	words->n = 0;
	words->at[words->n++] = "/bin/sh";
	words->at[words->n++] = "-c";
	words->at[words->n++] = "exec \"$0\" \"$@\" 2>&1";
	words->at[words->n++] = program;
}

static void add(struct words *words, const char *option, const char *value)
{
	if (value != NULL && words->n < MOST_WORDS - 1)
		words->at[words->n++] = pe_arena_printf(words->arena, "%s%s", option, value);
}

/* What comes and goes: the controller is restarted, the network is slow, too many ask at once. */
static bool passes(const char *said)
{
	static const char *const signs[] = {
		"ontact slurm controller",
		"Socket timed out",
		"Connection refused",
		"Connection timed out",
		"temporarily",
		"try again",
		"Zero Bytes were transmitted",
		"Unable to establish",
		"Communication connection failure",
		"Transport endpoint",
		"slurm_persist_conn",
		"backup controller",
	};

	for (size_t i = 0; i < sizeof(signs) / sizeof(*signs); i++)
		if (strstr(said, signs[i]) != NULL)
			return true;
	return false;
}

static const char *first_line(const char *text, struct pe_arena *arena)
{
	return pe_arena_strndup(arena, text, strcspn(text, "\n"));
}

/* PE_EBUSY: ask again later; PE_EUNSUPPORTED: Slurm says no. */
static int call(struct pe_text *said, struct pe_dispatch *dispatch, struct words *words,
		const char *input)
{
	struct pe_app *app = dispatch->app;
	const struct pe_spawn spawn = {
		.argv = words->at, .in = -1, .out = -1, .err = -1, .hand = -1};
	const struct pe_spawn_io io = {.input = input,
				       .n_input = input != NULL ? strlen(input) : 0,
				       .output = said,
				       .output_bytes = MOST_OUTPUT,
				       .timeout_ns = PATIENCE_S * UINT64_C(1000000000)};
	int status;

	words->at[words->n] = NULL;
	if (pe_spawn_run(&status, &spawn, &io, app->err) != PE_OK)
		return PE_EBUSY;
	if (pe_spawn_succeeded(status))
		return PE_OK;
	return pe_fail(app->err, passes(pe_text_str(said)) ? PE_EBUSY : PE_EUNSUPPORTED, "%s: %s",
		       words->at[3], first_line(pe_text_str(said), app->arena));
}

/* --- Jobs --- */

static const char *joined(const struct pe_strings *names, struct pe_arena *arena)
{
	pe_auto_text text = PE_TEXT_INIT;

	for (size_t i = 0; i < names->n; i++)
		pe_text_addf(&text, "%s%s", i > 0 ? "," : "", names->at[i]);
	return names->n > 0 ? pe_arena_strdup(arena, pe_text_str(&text)) : NULL;
}

static void add_options(struct words *words, const struct pe_dispatch *dispatch,
			const struct pe_job *job)
{
	const struct pe_app *app = dispatch->app;
	const struct pe_farm_plan *plan = &app->config->farm;
	const struct slurm *slurm = dispatch->own;

	add(words, "--parsable", "");
	add(words, "--exclusive", "");
	add(words, "--requeue", "");
	add(words, "--nodes=", "1");
	add(words, "--ntasks=", "1");
	add(words, "--open-mode=", "append");
	add(words, "--signal=", "B:TERM@60");
	add(words, "--job-name=", slurm->name);
	add(words, "--comment=", job->shard != NULL ? job->shard : "probe");
	add(words, "--chdir=", app->config->root);
	add(words, "--output=", pe_arena_printf(words->arena, "%s/logs/%%j", dispatch->spool));
	add(words, "--partition=", plan->partition);
	add(words, "--constraint=", plan->constraint);
	add(words, "--account=", plan->account);
	if (plan->time_ns > 0)
		add(words, "--time=",
		    pe_arena_printf(
			    words->arena, "%llu",
			    (unsigned long long)((plan->time_ns + 59999999999u) / 60000000000u)));
	add(words, "--nodelist=", job->node);
	add(words, "--exclude=", joined(&job->avoid, words->arena));
	for (size_t i = 0; i < plan->options.n; i++)
		add(words, plan->options.at[i], "");
}

/* "1234" or "1234;cluster", perhaps after warnings. */
static bool read_id(char id[PE_JOB_ID], const char *said)
{
	for (const char *line = said; *line != '\0'; line += strcspn(line, "\n")) {
		size_t n;

		line += *line == '\n';
		n = strspn(line, "0123456789");
		if (n == 0 || n >= PE_JOB_ID || strchr(";\n", line[n]) == NULL)
			continue;
		memcpy(id, line, n);
		id[n] = '\0';
		return true;
	}
	return false;
}

static int submit(struct pe_dispatch *dispatch, struct pe_job *job)
{
	struct pe_app *app = dispatch->app;
	pe_auto_text said = PE_TEXT_INIT;
	struct words words;
	int rc;

	begin(&words, "sbatch", app->arena);
	add_options(&words, dispatch, job);
	rc = call(&said, dispatch, &words, pe_dispatch_script(dispatch, job));
	if (rc == PE_OK && !read_id(job->id, pe_text_str(&said)))
		rc = pe_fail(app->err, PE_EUNSUPPORTED, "sbatch printed no number: %s",
			     first_line(pe_text_str(&said), app->arena));
	if (rc == PE_OK)
		job->state = PE_JOB_WAITING;
	return rc;
}

/* A line of squeue: number, state, node, comment, why it waits. */
struct row {
	char id[PE_JOB_ID], state[24], node[PE_NODE_NAME], comment[40], reason[64];
};

static const char *field(char *out, size_t size, const char *at)
{
	size_t n = strcspn(at, "|\n");

	snprintf(out, size, "%.*s", (int)(n < size ? n : size - 1), at);
	return at + n + (at[n] == '|');
}

static const char *read_row(struct row *out, const char *line)
{
	const char *at = field(out->id, sizeof(out->id), line);

	at = field(out->state, sizeof(out->state), at);
	at = field(out->node, sizeof(out->node), at);
	at = field(out->comment, sizeof(out->comment), at);
	at = field(out->reason, sizeof(out->reason), at);
	at += strcspn(at, "\n");
	return at + (*at == '\n');
}

static enum pe_job_state state_of(const char *name)
{
	static const char *const over[] = {"BOOT_FAIL", "CANCELLED", "COMPLETED",     "DEADLINE",
					   "FAILED",    "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED",
					   "REVOKED",   "TIMEOUT"};

	for (size_t i = 0; i < sizeof(over) / sizeof(*over); i++)
		if (strcmp(name, over[i]) == 0)
			return PE_JOB_OVER;
	return strcmp(name, "RUNNING") == 0 || strcmp(name, "COMPLETING") == 0 ? PE_JOB_RUNNING
									       : PE_JOB_WAITING;
}

/* What Slurm queued again, or did not bring to its node, it holds back: for two minutes, or for ever. */
static void set_state(struct pe_job *job, const struct slurm *slurm, const struct row *row)
{
	const bool back = strstr(row->reason, "launch failed") != NULL ||
			  (strcmp(row->reason, "BeginTime") == 0 && !slurm->begins);

	job->state = state_of(row->state);
	/* "ReqNodeNotAvail, UnavailableNodes:n1", "Nodes required for job are DOWN, ..." */
	job->without_node = job->state == PE_JOB_WAITING &&
			    (strncmp(row->reason, "ReqNodeNotAvail", 15) == 0 ||
			     strncmp(row->reason, "Nodes required for job are", 26) == 0 ||
			     strcmp(row->reason, "NodeDown") == 0);
	if (back && job->state == PE_JOB_WAITING)
		job->state = PE_JOB_STUCK;
	if (row->node[0] != '\0')
		memcpy(job->seen_on, row->node, sizeof(row->node));
}

static struct pe_job *job_of(struct pe_job *const *jobs, size_t n, const struct row *row)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(jobs[i]->id, row->id) == 0)
			return jobs[i];
	return NULL;
}

/* A job with a number that no work has: the number never arrived, or it is a second one of its work, which is to end. */
static void take_stray(struct pe_dispatch *dispatch, struct pe_job *const *jobs, size_t n,
		       const struct row *row)
{
	const enum pe_job_state state = state_of(row->state);
	struct pe_job stray = {.state = state}, *one = &stray;

	for (size_t i = 0; i < n && state != PE_JOB_OVER; i++) {
		if (jobs[i]->shard == NULL || strcmp(jobs[i]->shard, row->comment) != 0)
			continue;
		if (jobs[i]->id[0] == '\0' && strcmp(jobs[i]->before, row->id) != 0) {
			memcpy(jobs[i]->id, row->id, sizeof(row->id));
			set_state(jobs[i], dispatch->own, row);
			return;
		}
		memcpy(stray.id, row->id, sizeof(stray.id));
		dispatch->cancel(dispatch, &one, 1);
		return;
	}
}

/* Ended jobs are asked for, too: one that is not among them was forgotten, with a controller that was killed. */
static int poll_queue(struct pe_dispatch *dispatch, struct pe_job *const *jobs, size_t n)
{
	const struct slurm *slurm = dispatch->own;
	pe_auto_arena scratch = PE_ARENA_INIT;
	pe_auto_text said = PE_TEXT_INIT;
	struct words words;
	int rc;

	begin(&words, "squeue", &scratch);
	add(&words, "--noheader", "");
	add(&words, "--states=", "all");
	add(&words, "--name=", slurm->name);
	add(&words, "--format=", "%i|%T|%N|%k|%r");
	rc = call(&said, dispatch, &words, NULL);
	if (rc == PE_EUNSUPPORTED)
		rc = PE_EBUSY; /* a question that was right before */
	for (size_t i = 0; rc == PE_OK && i < n; i++)
		if (jobs[i]->id[0] != '\0')
			jobs[i]->state = PE_JOB_LOST;
	for (const char *line = pe_text_str(&said); rc == PE_OK && *line != '\0';) {
		struct pe_job *job;
		struct row row;

		line = read_row(&row, line);
		job = job_of(jobs, n, &row);
		if (job != NULL)
			set_state(job, slurm, &row);
		else
			take_stray(dispatch, jobs, n, &row);
	}
	return rc;
}

static int cancel(struct pe_dispatch *dispatch, struct pe_job *const *jobs, size_t n)
{
	pe_auto_arena scratch = PE_ARENA_INIT;
	int rc = PE_OK;

	for (size_t i = 0; i < n;) {
		pe_auto_text said = PE_TEXT_INIT;
		struct words words;
		int rc_some;

		begin(&words, "scancel", &scratch);
		/* To the batch script alone, which is the worker; at once where it did not begin. */
		add(&words, "--batch", "");
		add(&words, "--signal=", "TERM");
		for (; i < n && words.n < MOST_WORDS - 1; i++)
			if (jobs[i]->id[0] != '\0' && jobs[i]->state == PE_JOB_RUNNING)
				add(&words, jobs[i]->id, "");
		rc_some = words.n > 6 ? call(&said, dispatch, &words, NULL) : PE_OK;
		if (rc == PE_OK && rc_some == PE_EBUSY)
			rc = rc_some;
	}
	for (size_t i = 0; i < n; i++) {
		pe_auto_text said = PE_TEXT_INIT;
		struct words words;

		if (jobs[i]->id[0] == '\0' ||
		    (jobs[i]->state != PE_JOB_WAITING && jobs[i]->state != PE_JOB_STUCK))
			continue;
		begin(&words, "scancel", &scratch);
		add(&words, jobs[i]->id, "");
		if (call(&said, dispatch, &words, NULL) == PE_EBUSY)
			rc = PE_EBUSY;
	}
	return rc;
}

/* --- Nodes --- */

/* What follows a node's name: " idle", " drain*"; jobs for one of these wait until somebody mends it. */
static bool takes_jobs(const char *state)
{
	static const char *const broken[] = {" down", " drain", " drng",
					     " fail", " inval", " maint"};

	for (size_t i = 0; i < sizeof(broken) / sizeof(*broken); i++)
		if (strncmp(state, broken[i], strlen(broken[i])) == 0)
			return false;
	return true;
}

static int nodes(struct pe_strings *out, struct pe_dispatch *dispatch)
{
	struct pe_app *app = dispatch->app;
	const struct pe_farm_plan *plan = &app->config->farm;
	pe_auto_free PE_VEC(const char *) names = {NULL, 0, 0};
	pe_auto_text said = PE_TEXT_INIT;
	struct words words;
	const char **copy;
	int rc;

	begin(&words, "sinfo", app->arena);
	add(&words, "--noheader", "");
	add(&words, "--Node", "");
	add(&words, "--responding", "");
	add(&words, "--format=", "%N %t");
	add(&words, "--partition=", plan->partition);
	rc = call(&said, dispatch, &words, NULL);
	for (const char *at = pe_text_str(&said); rc == PE_OK && *at != '\0';) {
		const size_t n = strcspn(at, " \n");
		const char *name = pe_arena_strndup(app->arena, at, n);
		const bool usable = n > 0 && takes_jobs(at + n);
		size_t k = 0;

		while (k < names.n && strcmp(names.data[k], name) != 0)
			k++;
		if (usable && k == names.n)
			pe_vec_push(&names, name);
		at += strcspn(at, "\n");
		at += *at == '\n';
	}
	copy = pe_vec_copy(app->arena, &names);
	*out = (struct pe_strings){copy, names.n};
	return rc;
}

static void close_slurm(struct pe_dispatch *dispatch)
{
	(void)dispatch; /* its jobs live on */
}

void pe_dispatch_slurm(struct pe_dispatch *out, struct pe_app *app, const char *spool)
{
	struct slurm *slurm = pe_arena_new(app->arena, struct slurm, 1);
	char hex[PE_HASH_HEX];
	struct pe_hash hash;

	pe_hash_init(&hash);
	pe_hash_string(&hash, spool);
	pe_hash_hex(&hash, hex);
	slurm->name = pe_arena_printf(app->arena, "perfevo-%.12s", hex);
	for (size_t i = 0; i < app->config->farm.options.n; i++)
		slurm->begins |= strncmp(app->config->farm.options.at[i], "--begin", 7) == 0 ||
				 strncmp(app->config->farm.options.at[i], "-b", 2) == 0;
	*out = (struct pe_dispatch){
		.app = app,
		.spool = spool,
		.patience_ms = 2000,
		.least_ms = 1000,
		.most_ms = 30000,
		.submit = submit,
		.poll = poll_queue,
		.cancel = cancel,
		.nodes = nodes,
		.close = close_slurm,
		.own = slurm,
	};
}
