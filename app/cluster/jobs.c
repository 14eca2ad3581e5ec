/* Slurm's programs are called, not linked: what they print has been stable for many versions. */
#include "app/cluster/jobs.h"

#include "core/base/array.h"
#include "core/base/spawn.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PATIENCE_S = 60, MOST_WORDS = 48, MOST_OUTPUT = 4 << 20 };

/* --- Calling Slurm --- */

struct words {
	const char *at[MOST_WORDS];
	size_t n;
	struct pe_arena *arena;
};

/* Both streams are read: Slurm reports its errors on the second. */
static struct words words_begin(const char *program, struct pe_arena *arena)
{
	return (struct words){{"/bin/sh", "-c", "exec \"$0\" \"$@\" 2>&1", program}, 4, arena};
}

static void words_add(struct words *words, const char *option, const char *value)
{
	if (value != NULL && words->n < MOST_WORDS - 1)
		words->at[words->n++] = pe_arena_printf(words->arena, "%s%s", option, value);
}

/* The controller is restarted, the network is slow, or too many ask at once: the same question is answered later. */
static bool is_transient(const char *message)
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
		if (strstr(message, signs[i]) != NULL)
			return true;
	return false;
}

/* PE_EBUSY: ask again later; PE_EUNSUPPORTED: Slurm refuses. */
static int call(struct pe_text *output, struct pe_jobs *jobs, struct words *words,
		const char *input)
{
	struct pe_err *err = jobs->app->err;
	const struct pe_spawn spawn = {
		.argv = words->at, .in = -1, .out = -1, .err = -1, .hand = -1};
	const struct pe_spawn_io io = {.input = input,
				       .n_input = input != NULL ? strlen(input) : 0,
				       .output = output,
				       .output_bytes = MOST_OUTPUT,
				       .timeout_ns = PATIENCE_S * UINT64_C(1000000000)};
	const char *message;
	int status;

	words->at[words->n] = NULL;
	if (pe_spawn_run(&status, &spawn, &io, err) != PE_OK)
		return PE_EBUSY;
	if (pe_spawn_succeeded(status))
		return PE_OK;
	message = pe_text_str(output);
	return pe_fail(err, is_transient(message) ? PE_EBUSY : PE_EUNSUPPORTED, "%s: %.*s",
		       words->at[3], (int)strcspn(message, "\n"), message);
}

/* --- Submitting --- */

/* The path that this program has on every node. */
static const char *program(struct pe_arena *arena)
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	return n > 0 ? pe_arena_strndup(arena, path, (size_t)n) : "perfevo";
}

static void worker_command(const char *argv[9], const struct pe_jobs *jobs, const char *shard)
{
	size_t n = 0;

	argv[n++] = program(jobs->app->arena);
	argv[n++] = "--no-pager";
	if (jobs->app->config_path != NULL) {
		argv[n++] = "--config";
		argv[n++] = jobs->app->config_path;
	}
	argv[n++] = "farm";
	argv[n++] = "work";
	argv[n++] = jobs->spool;
	argv[n++] = shard;
	argv[n] = NULL;
}

static const char *joined(const struct pe_strings *names, struct pe_arena *arena)
{
	pe_auto_text text = PE_TEXT_INIT;

	for (size_t i = 0; i < names->n; i++)
		pe_text_addf(&text, "%s%s", i > 0 ? "," : "", names->at[i]);
	return names->n > 0 ? pe_arena_strdup(arena, pe_text_str(&text)) : NULL;
}

static void add_options(struct words *words, const struct pe_jobs *jobs)
{
	const struct pe_farm_plan *plan = &jobs->app->config->farm;
	const uint64_t minutes = (plan->time_ns + UINT64_C(59999999999)) / UINT64_C(60000000000);

	words_add(words, "--exclusive", "");
	words_add(words, "--requeue", "");
	words_add(words, "--nodes=", "1");
	words_add(words, "--ntasks=", "1");
	words_add(words, "--open-mode=", "append");
	words_add(words, "--signal=", "B:TERM@60");
	words_add(words, "--job-name=", jobs->name);
	words_add(words, "--chdir=", jobs->app->config->root);
	words_add(words, "--output=", pe_arena_printf(words->arena, "%s/logs/%%j", jobs->spool));
	words_add(words, "--partition=", plan->partition);
	words_add(words, "--constraint=", plan->constraint);
	words_add(words, "--account=", plan->account);
	if (minutes > 0)
		words_add(words, "--time=",
			  pe_arena_printf(words->arena, "%llu", (unsigned long long)minutes));
}

int pe_jobs_submit(struct pe_jobs *jobs, const char *shard, const char *node,
		   const struct pe_strings *exclude)
{
	pe_auto_arena scratch = PE_ARENA_INIT;
	pe_auto_text script = PE_TEXT_INIT, output = PE_TEXT_INIT;
	struct words words = words_begin("sbatch", &scratch);
	const struct pe_strings *options = &jobs->app->config->farm.options;
	const char *argv[9];

	add_options(&words, jobs);
	words_add(&words, "--comment=", shard != NULL ? shard : "probe");
	words_add(&words, "--nodelist=", node);
	words_add(&words, "--exclude=", joined(exclude, &scratch));
	for (size_t i = 0; i < options->n; i++)
		words_add(&words, options->at[i], "");
	worker_command(argv, jobs, shard);
	/* In the shell's place: Slurm tells this process that the time is up. */
	pe_text_add(&script, "#!/bin/sh\nexec");
	for (size_t i = 0; argv[i] != NULL; i++) {
		pe_text_addc(&script, ' ');
		pe_text_add_quoted(&script, argv[i]);
	}
	pe_text_addc(&script, '\n');
	return call(&output, jobs, &words, pe_text_str(&script));
}

/* --- The queue --- */

static const char *read_field(char *out, size_t size, const char *at)
{
	const size_t n = strcspn(at, "|\n");

	snprintf(out, size, "%.*s", (int)(n < size ? n : size - 1), at);
	return at + n + (at[n] == '|');
}

/* A line of squeue: number, state, node, comment, why it waits. @return the next one */
static const char *read_job(struct pe_job *out, char (*reason)[80], const char *line)
{
	char state[24];
	const char *at = read_field(out->id, sizeof(out->id), line);

	at = read_field(state, sizeof(state), at);
	at = read_field(out->node, sizeof(out->node), at);
	at = read_field(out->shard, sizeof(out->shard), at);
	at = read_field(*reason, sizeof(*reason), at);
	out->runs = strcmp(state, "RUNNING") == 0 || strcmp(state, "COMPLETING") == 0;
	/* "ReqNodeNotAvail, UnavailableNodes:n1", "Nodes required for job are DOWN, ..." */
	out->lacks_node = !out->runs && (strncmp(*reason, "ReqNodeNotAvail", 15) == 0 ||
					 strncmp(*reason, "Nodes required for job are", 26) == 0 ||
					 strcmp(*reason, "NodeDown") == 0);
	at += strcspn(at, "\n");
	return at + (*at == '\n');
}

static void drop(struct pe_jobs *jobs, const char *id)
{
	pe_auto_arena scratch = PE_ARENA_INIT;
	pe_auto_text output = PE_TEXT_INIT;
	struct words words = words_begin("scancel", &scratch);

	words_add(&words, id, "");
	call(&output, jobs, &words, NULL);
}

int pe_jobs_poll(struct pe_jobs *jobs)
{
	pe_auto_arena scratch = PE_ARENA_INIT;
	pe_auto_text output = PE_TEXT_INIT;
	struct words words = words_begin("squeue", &scratch);

	words_add(&words, "--noheader", "");
	words_add(&words, "--name=", jobs->name);
	words_add(&words, "--format=", "%i|%T|%N|%k|%r");
	/* A question that was right before is right later. */
	if (call(&output, jobs, &words, NULL) != PE_OK)
		return PE_EBUSY;
	jobs->at.n = 0;
	for (const char *line = pe_text_str(&output); *line != '\0';) {
		struct pe_job job;
		char reason[80];
		bool second;

		line = read_job(&job, &reason, line);
		second = strcmp(job.shard, "probe") != 0 && pe_jobs_find(jobs, job.shard) != NULL;
		if (!job.runs && (second || strstr(reason, "launch failed") != NULL))
			drop(jobs, job.id);
		else
			pe_vec_push(&jobs->at, job);
	}
	return PE_OK;
}

const struct pe_job *pe_jobs_find(const struct pe_jobs *jobs, const char *shard)
{
	for (size_t i = 0; i < jobs->at.n; i++)
		if (strcmp(jobs->at.data[i].shard, shard) == 0)
			return &jobs->at.data[i];
	return NULL;
}

void pe_jobs_drop(struct pe_jobs *jobs, const char *shard)
{
	const struct pe_job *job = pe_jobs_find(jobs, shard);

	if (job != NULL && !job->runs)
		drop(jobs, job->id);
}

int pe_jobs_cancel(struct pe_jobs *jobs)
{
	pe_auto_arena scratch = PE_ARENA_INIT;
	pe_auto_text output = PE_TEXT_INIT;
	struct words waiting = words_begin("scancel", &scratch);
	struct words running = waiting;

	words_add(&waiting, "--name=", jobs->name);
	words_add(&waiting, "--state=", "PENDING");
	words_add(&running, "--name=", jobs->name);
	words_add(&running, "--state=", "RUNNING");
	/* To the batch script alone, which is the worker: it finishes its run and leaves what it measured. */
	words_add(&running, "--batch", "");
	words_add(&running, "--signal=", "TERM");
	PE_TRY(call(&output, jobs, &waiting, NULL));
	return call(&output, jobs, &running, NULL);
}

/* --- Nodes --- */

/* What follows a node's name: " idle", " drain*". Jobs for a broken node wait until somebody repairs it. */
static bool takes_jobs(const char *state)
{
	static const char *const broken[] = {" down", " drain", " drng",
					     " fail", " inval", " maint"};

	for (size_t i = 0; i < sizeof(broken) / sizeof(*broken); i++)
		if (strncmp(state, broken[i], strlen(broken[i])) == 0)
			return false;
	return true;
}

int pe_jobs_nodes(struct pe_strings *out, struct pe_jobs *jobs)
{
	struct pe_arena *arena = jobs->app->arena;
	pe_auto_free PE_VEC(const char *) names = {NULL, 0, 0};
	pe_auto_text output = PE_TEXT_INIT;
	struct words words = words_begin("sinfo", arena);
	const char **copy;

	words_add(&words, "--noheader", "");
	words_add(&words, "--Node", "");
	words_add(&words, "--responding", "");
	words_add(&words, "--format=", "%N %t");
	words_add(&words, "--partition=", jobs->app->config->farm.partition);
	PE_TRY(call(&output, jobs, &words, NULL));
	for (const char *at = pe_text_str(&output); *at != '\0'; at += *at == '\n') {
		const size_t n = strcspn(at, " \n");
		const char *name = pe_arena_strndup(arena, at, n);

		if (n > 0 && takes_jobs(at + n) && !pe_has_string(names.data, names.n, name))
			pe_vec_push(&names, name);
		at += strcspn(at, "\n");
	}
	copy = pe_vec_copy(arena, &names);
	*out = (struct pe_strings){copy, names.n};
	return PE_OK;
}

/* --- Opening and closing --- */

void pe_jobs_open(struct pe_jobs *out, struct pe_app *app, const char *spool)
{
	char hex[PE_HASH_HEX];
	struct pe_hash hash;

	pe_hash_init(&hash);
	pe_hash_string(&hash, spool);
	pe_hash_hex(&hash, hex);
	*out = (struct pe_jobs){.app = app,
				.spool = spool,
				.name = pe_arena_printf(app->arena, "perfevo-%.12s", hex)};
}

void pe_jobs_close(struct pe_jobs *jobs)
{
	pe_vec_release(&jobs->at);
	*jobs = (struct pe_jobs){.app = NULL};
}
