/* Dispatch on this machine, and what both ways share. */
#include "app/cluster/dispatch.h"

#include "app/cluster/worker.h"
#include "core/base/array.h"
#include "core/base/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The path that this program has on every node; a farm of one machine does with what it is. */
static const char *program(struct pe_arena *arena)
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	return n > 0 ? pe_arena_strndup(arena, path, (size_t)n) : "perfevo";
}

const char *const *pe_dispatch_command(const struct pe_dispatch *dispatch, const struct pe_job *job)
{
	struct pe_app *app = dispatch->app;
	const char **argv = pe_arena_new(app->arena, const char *, 12);
	size_t n = 0;

	argv[n++] = program(app->arena);
	argv[n++] = "--no-pager";
	if (app->config_path != NULL) {
		argv[n++] = "--config";
		argv[n++] = app->config_path;
	}
	argv[n++] = "farm";
	argv[n++] = "work";
	argv[n++] = dispatch->spool;
	if (job->shard != NULL)
		argv[n++] = job->shard;
	return argv;
}

const char *pe_dispatch_script(const struct pe_dispatch *dispatch, const struct pe_job *job)
{
	const char *const *argv = pe_dispatch_command(dispatch, job);
	pe_auto_text text = PE_TEXT_INIT;

	/* In the shell's place: Slurm tells this process that the time is up. */
	pe_text_add(&text, "#!/bin/sh\nexec");
	for (size_t i = 0; argv[i] != NULL; i++) {
		pe_text_addc(&text, ' ');
		pe_text_add_quoted(&text, argv[i]);
	}
	pe_text_addc(&text, '\n');
	return pe_arena_strdup(dispatch->app->arena, pe_text_str(&text));
}

/* --- Children --- */

struct children {
	PE_VEC(pid_t) at;
};

static int submit(struct pe_dispatch *dispatch, struct pe_job *job)
{
	struct pe_app *app = dispatch->app;
	struct children *children = dispatch->own;
	const char *log = pe_arena_printf(app->arena, "%s/logs/%s", dispatch->spool,
					  job->shard != NULL ? job->shard : "probe");
	int out = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	const struct pe_spawn spawn = {.argv = pe_dispatch_command(dispatch, job),
				       .in = -1,
				       .out = out,
				       .err = out,
				       .hand = -1,
				       .flags = PE_SPAWN_FOLLOW};
	pid_t pid;
	int rc;

	if (out < 0)
		return pe_fail_errno(app->err, "cannot open %s", log);
	rc = pe_spawn_start(&pid, &spawn, app->err);
	close(out);
	if (rc != PE_OK)
		return rc;
	pe_vec_push(&children->at, pid);
	snprintf(job->id, sizeof(job->id), "%ld", (long)pid);
	snprintf(job->seen_on, sizeof(job->seen_on), "%s", pe_farm_node(app->arena));
	job->state = PE_JOB_RUNNING;
	return PE_OK;
}

/* One that is no child of this process is of a coordinator that ended, and ended with it. */
static bool lives(struct children *children, pid_t pid)
{
	for (size_t i = 0; i < children->at.n; i++) {
		if (children->at.data[i] != pid)
			continue;
		if (waitpid(pid, NULL, WNOHANG) == 0)
			return true;
		children->at.data[i] = children->at.data[--children->at.n];
		return false;
	}
	return false;
}

static int poll_children(struct pe_dispatch *dispatch, struct pe_job *const *jobs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		jobs[i]->state = lives(dispatch->own, (pid_t)strtol(jobs[i]->id, NULL, 10))
					 ? PE_JOB_RUNNING
					 : PE_JOB_OVER;
	return PE_OK;
}

static int cancel(struct pe_dispatch *dispatch, struct pe_job *const *jobs, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const pid_t pid = (pid_t)strtol(jobs[i]->id, NULL, 10);

		if (lives(dispatch->own, pid))
			kill(pid, SIGTERM);
	}
	return PE_OK;
}

static int nodes(struct pe_strings *out, struct pe_dispatch *dispatch)
{
	const char **at = pe_arena_new(dispatch->app->arena, const char *, 1);

	at[0] = pe_farm_node(dispatch->app->arena);
	*out = (struct pe_strings){at, 1};
	return PE_OK;
}

static void close_children(struct pe_dispatch *dispatch)
{
	struct children *children = dispatch->own;

	for (size_t i = 0; i < children->at.n; i++) {
		kill(children->at.data[i], SIGTERM);
		pe_spawn_wait(children->at.data[i]);
	}
	pe_vec_release(&children->at);
	free(children);
}

void pe_dispatch_local(struct pe_dispatch *out, struct pe_app *app, const char *spool)
{
	struct children *children = pe_realloc(NULL, 1, sizeof(*children));

	*children = (struct children){0};
	*out = (struct pe_dispatch){
		.app = app,
		.spool = spool,
		.least_ms = 50,
		.most_ms = 500,
		.submit = submit,
		.poll = poll_children,
		.cancel = cancel,
		.nodes = nodes,
		.close = close_children,
		.own = children,
	};
}
