#define _GNU_SOURCE /* pipe2, ppoll */
#include "app/measure/pool.h"

#include "app/measure/session.h"
#include "core/base/clock.h"
#include "core/exec/parallel_builds.h"
#include "core/exec/jobserver.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

struct worker {
	struct pe_pool_worker as;     /* passed to jobs */
	struct pe_launcher *launcher; /* NULL: the session's own, or none is needed */
	struct pe_builder builder;
	pthread_t thread;
	bool ready;
	struct pe_pool_job *job; /* NULL: idle */
};

_Static_assert((int)PE_PARALLEL_BUILDS_MAX <= UCHAR_MAX, "a worker's number fits in a byte");

struct pe_pool {
	struct pe_session *session;
	unsigned n, busy;
	uint64_t shared_ns; /* when elapsed time was last divided */
	int done[2];        /* pipe with the number of each worker whose job is over */
	/* Guards the store and the session: the taker holds it except while it waits. */
	pthread_mutex_t turn;
	int interrupts; /* as the taker last read them */
	struct pe_jobserver jobs;
	int stop[2]; /* a pipe; closing one end makes the other readable, which stops all jobs */
	pthread_mutex_t repo;
	struct worker workers[PE_PARALLEL_BUILDS_MAX];
};

/* --- Access to the repository --- */

static int fill_alone(struct pe_fill *out, const struct pe_fill_spec *spec, void *payload,
		      struct pe_err *err)
{
	struct pe_pool *pool = payload;
	const struct pe_source *source = &pool->session->builder.source;
	int rc;

	pthread_mutex_lock(&pool->repo);
	rc = source->fill(out, spec, source->payload, err);
	pthread_mutex_unlock(&pool->repo);
	return rc;
}

static int overlay_alone(const char *tree, void *payload, struct pe_err *err)
{
	struct pe_pool *pool = payload;
	const struct pe_builder *builder = &pool->session->builder;
	int rc;

	pthread_mutex_lock(&pool->repo);
	rc = builder->overlay(tree, builder->overlay_payload, err);
	pthread_mutex_unlock(&pool->repo);
	return rc;
}

/* --- Opening and closing --- */

static int open_pipe(int ends[2], struct pe_err *err)
{
	if (pipe2(ends, O_CLOEXEC) == 0)
		return PE_OK;
	ends[0] = ends[1] = -1;
	return pe_fail_errno(err, "cannot open a pipe");
}

static void shut(int ends[2])
{
	for (int i = 0; i < 2; i++) {
		if (ends[i] >= 0)
			close(ends[i]);
		ends[i] = -1;
	}
}

int pe_pool_open(struct pe_pool **out, struct pe_session *session, unsigned workers)
{
	struct pe_pool *pool = pe_realloc(NULL, 1, sizeof(*pool));
	int rc;

	*pool = (struct pe_pool){.session = session,
				 .n = workers < PE_PARALLEL_BUILDS_MAX ? workers
								       : PE_PARALLEL_BUILDS_MAX,
				 .jobs = PE_JOBSERVER_INIT,
				 .done = {-1, -1},
				 .stop = {-1, -1}};
	pthread_mutex_init(&pool->repo, NULL);
	pthread_mutex_init(&pool->turn, NULL);
	pthread_mutex_lock(&pool->turn);
	rc = open_pipe(pool->done, session->app->err);
	if (rc == PE_OK)
		rc = open_pipe(pool->stop, session->app->err);
	/*
	 * Without a jobserver, each build has a fixed share. That is also safer where one build has reason to disturb the
	 * other.
	 */
	if (session->app->config->recipe.jobs > 1 && !session->apart)
		pe_jobserver_open(&pool->jobs, session->app->config->recipe.jobs, NULL);
	*out = pool;
	if (rc == PE_OK)
		return PE_OK;
	pe_pool_close(pool);
	*out = NULL;
	return rc;
}

void pe_pool_close(struct pe_pool *pool)
{
	if (pool == NULL)
		return;
	for (unsigned i = 0; i < pool->n; i++)
		pe_launcher_close(pool->workers[i].launcher);
	shut(pool->done);
	shut(pool->stop);
	pe_jobserver_close(&pool->jobs);
	pthread_mutex_unlock(&pool->turn);
	pthread_mutex_destroy(&pool->turn);
	pthread_mutex_destroy(&pool->repo);
	free(pool);
}

/* Prepare a worker. The first one uses the session's launcher, which is idle meanwhile. */
static int prepare(struct worker *worker, struct pe_pool *pool, struct pe_err *err)
{
	struct pe_session *session = pool->session;
	int rc = PE_OK;

	worker->as =
		(struct pe_pool_worker){pool, (unsigned)(worker - pool->workers), &worker->builder};
	worker->builder = session->builder;
	worker->builder.source = (struct pe_source){fill_alone, pool};
	worker->builder.overlay = session->builder.overlay != NULL ? overlay_alone : NULL;
	worker->builder.overlay_payload = pool;
	worker->builder.interrupts = NULL;
	worker->builder.jobserver = pe_jobserver_ends(&pool->jobs);
	worker->builder.executor = session->outside.inner;
	if (worker != &pool->workers[0] && session->launcher != NULL) {
		rc = pe_session_open_launcher(&worker->launcher, session, err);
		if (rc == PE_OK)
			worker->builder.executor.payload = worker->launcher;
	}
	worker->ready = rc == PE_OK;
	return rc;
}

/* --- Jobs --- */

static void *work(void *payload)
{
	struct worker *worker = payload;
	const unsigned char number = (unsigned char)worker->as.number;

	worker->job->work(worker->job, &worker->as);
	while (write(worker->as.pool->done[1], &number, 1) < 0 && errno == EINTR)
		;
	return NULL;
}

int pe_pool_enter(const struct pe_pool_worker *worker)
{
	pthread_mutex_lock(&worker->pool->turn);
	return worker->pool->interrupts;
}

void pe_pool_leave(const struct pe_pool_worker *worker)
{
	pthread_mutex_unlock(&worker->pool->turn);
}

static int begin(struct worker *worker, struct pe_err *err)
{
	sigset_t all, were;

	/* The waiting thread is to get all signals. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &were);
	errno = pthread_create(&worker->thread, NULL, work, worker);
	pthread_sigmask(SIG_SETMASK, &were, NULL);
	return errno == 0 ? PE_OK : pe_fail_errno(err, "cannot start a thread");
}

unsigned pe_pool_busy(const struct pe_pool *pool)
{
	return pool->busy;
}

/* Divide the time since the last change, before a job starts or ends. */
static void divide_time(struct pe_pool *pool)
{
	uint64_t now = pe_clock_ns();

	for (unsigned i = 0; i < pool->n; i++)
		if (pool->workers[i].job != NULL)
			pool->workers[i].job->share_ns += (now - pool->shared_ns) / pool->busy;
	pool->shared_ns = now;
}

static struct pe_pool_job *release(struct worker *worker)
{
	struct pe_pool *pool = worker->as.pool;
	struct pe_pool_job *job = worker->job;

	worker->job = NULL;
	pool->busy--;
	if (job->builds)
		pe_jobserver_leave(&pool->jobs);
	return job;
}

int pe_pool_start(struct pe_pool *pool, struct pe_pool_job *job, struct pe_err *err)
{
	struct worker *worker = NULL;
	int rc;

	for (unsigned i = 0; worker == NULL && i < pool->n; i++)
		if (pool->workers[i].job == NULL)
			worker = &pool->workers[i];
	if (worker == NULL)
		return PE_EBUSY;
	PE_TRY(worker->ready ? PE_OK : prepare(worker, pool, err));
	if (pool->stop[0] < 0)
		PE_TRY(open_pipe(pool->stop, err));
	divide_time(pool);
	worker->builder.stop_fd = pool->stop[0];
	worker->job = job;
	job->beside = pool->busy++ > 0;
	if (job->builds)
		pe_jobserver_enter(&pool->jobs);
	rc = begin(worker, err);
	if (rc != PE_OK)
		release(worker);
	return rc;
}

void pe_pool_stop(struct pe_pool *pool)
{
	if (pool->stop[1] >= 0)
		close(pool->stop[1]);
	pool->stop[1] = -1;
}

/*
 * Wait for the number of a worker. Signals are unblocked in ppoll(2) alone, so that one which arrives after the counter
 * was read still ends the wait. Jobs may use the session meanwhile.
 */
static unsigned char wait_for_number(struct pe_pool *pool)
{
	const volatile sig_atomic_t *interrupts = pool->session->app->interrupts;
	struct pollfd ready[2] = {{.fd = pool->done[0], .events = POLLIN}, {.events = POLLIN}};
	unsigned char number = 0;
	sigset_t all, before;
	int n;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	do {
		pool->interrupts = interrupts != NULL ? *interrupts : 0;
		if (pool->interrupts >= 2)
			pe_pool_stop(pool);
		ready[1].fd = pe_jobserver_settle(&pool->jobs);
		ready[0].revents = 0;
		pthread_mutex_unlock(&pool->turn);
		n = ppoll(ready, 2, NULL, &before);
		pthread_mutex_lock(&pool->turn);
	} while (n < 0 ? errno == EINTR : ready[0].revents == 0);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	while (read(pool->done[0], &number, 1) < 0 && errno == EINTR)
		;
	return number;
}

struct pe_pool_job *pe_pool_take(struct pe_pool *pool)
{
	struct pe_pool_job *job;
	struct worker *worker;

	if (pool->busy == 0)
		return NULL;
	for (unsigned i = 0; pool->busy > 1 && i < pool->n; i++)
		if (pool->workers[i].job != NULL)
			pool->workers[i].job->beside = true;
	worker = &pool->workers[wait_for_number(pool)];
	pthread_join(worker->thread, NULL);
	divide_time(pool);
	job = release(worker);
	/* Later jobs are not to be stopped. */
	if (pool->busy == 0 && pool->stop[1] < 0)
		shut(pool->stop);
	return job;
}
