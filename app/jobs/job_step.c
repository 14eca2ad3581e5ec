#include "app/jobs/job_step.h"

#include "core/base/clock.h"
#include "core/base/spawn.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

static const uint64_t SECOND = 1000000000;

const char *const *pe_job_step_command(struct pe_app *app, const char *const *words)
{
	const char **argv;
	size_t n = 0, n_words = 0;

	while (words[n_words] != NULL)
		n_words++;
	argv = pe_arena_new(app->arena, const char *, n_words + 7);
	argv[n++] = "/proc/self/exe";
	argv[n++] = "--no-pager";
	if (app->config_path != NULL) {
		argv[n++] = "--config";
		argv[n++] = app->config_path;
	}
	if (app->store_path != NULL) {
		argv[n++] = "--store";
		argv[n++] = app->store_path;
	}
	for (size_t i = 0; i < n_words; i++)
		argv[n++] = words[i];
	return argv;
}

static int wait_for(bool *cut_short, const struct pe_job_step *step, pid_t pid, struct pe_app *app)
{
	enum { KILL_S = 120, PAUSE_MS = 50 };
	uint64_t asked_ns = 0, looked_ns = pe_clock_ns();
	sig_atomic_t seen = 0; /* interrupts of ours that were passed on */
	int status = 0, asked = 0;
	bool over = false;

	for (;;) {
		pid_t gone = waitpid(pid, &status, WNOHANG);
		uint64_t now_ns = pe_clock_ns();
		uint64_t pause_ns = asked == 1 ? step->patience_ns : KILL_S * SECOND;

		if (gone == pid || (gone < 0 && errno != EINTR))
			return status;
		if (step->go_on != NULL && now_ns - looked_ns > SECOND) {
			looked_ns = now_ns;
			over = over || !step->go_on(step->payload);
		}
		over = over || now_ns >= step->deadline_ns || *app->interrupts > 0;
		if (over &&
		    (asked == 0 || *app->interrupts > seen || now_ns - asked_ns > pause_ns)) {
			kill(pid, asked++ < 2 ? SIGTERM : SIGKILL);
			seen = *app->interrupts;
			asked_ns = now_ns;
			*cut_short = true;
		}
		poll(NULL, 0, PAUSE_MS);
	}
}

int pe_job_step_run(int *status, bool *cut_short, const struct pe_job_step *step,
		    struct pe_app *app)
{
	const struct pe_spawn spawn = {
		.argv = step->argv,
		.env = step->env,
		.dir = step->dir,
		.in = -1,
		.out = step->out,
		.err = step->err,
		.hand = -1,
		.flags = PE_SPAWN_FOLLOW,
	};
	pid_t pid;

	PE_TRY(pe_spawn_start(&pid, &spawn, app->err));
	*status = wait_for(cut_short, step, pid, app);
	return PE_OK;
}
