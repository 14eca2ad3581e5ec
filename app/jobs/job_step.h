/* Job step: a program that a job runs and waits for: git, or perfevo itself, whose results are kept whatever ends it. */
#pragma once

#include "app/app.h"

struct pe_job_step {
	const char *const *argv;
	const char *const *env; /**< NULL: ours */
	const char *dir;
	int out, err;         /**< descriptors; -1: /dev/null */
	uint64_t deadline_ns; /**< of pe_clock_ns(), when it is interrupted; UINT64_MAX: never */
	uint64_t
		patience_ns; /**< that it has to finish the run in flight before it is interrupted again */
	bool (*go_on)(
		void *payload); /**< called every second; false interrupts it; NULL is allowed */
	void *payload;
};

/** One of perfevo's own commands, with the options for config and store. In the context's arena. */
const char *const *pe_job_step_command(struct pe_app *app, const char *const *words);

/**
 * Run a step to its end. A signal to this process interrupts it, too. On the first interrupt perfevo finishes the run in
 * flight; on the second it ends at once; two minutes later it is killed.
 *
 * @param status     as of waitpid(2)
 * @param cut_short  set to true when it was interrupted
 */
int pe_job_step_run(int *status, bool *cut_short, const struct pe_job_step *step,
		    struct pe_app *app);
