#define _GNU_SOURCE /* pipe2, ppoll */
#include "app/measure/crew.h"

#include "app/measure/session.h"
#include "core/base/clock.h"
#include "core/exec/build_lanes.h"
#include "core/exec/jobserver.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

struct lane {
	struct pe_crew *crew;
	struct pe_launcher *launcher; /* NULL: the session's own, or none is needed */
	struct pe_builder builder;
	pthread_t thread;
	bool ready, threaded;
	struct pe_crew_task *task; /* NULL: nothing to do */
	/* What the thread wants to be called by who takes results; NULL: nothing. The crew's mutex is for it. */
	void (*call)(void *payload);
	void *call_payload;
};

/* In `done`, of a lane that calls and is not over. */
enum { CALLS = 0x80 };

_Static_assert((int)PE_BUILD_LANES_MAX <= (int)CALLS, "a lane's number and a mark fit in a byte");

struct pe_crew {
	struct pe_session *session;
	unsigned n, busy;
	uint64_t shared_ns; /* when time was divided last */
	int done[2];        /* a lane's number for each task that is over, or that calls */
	pthread_t taker;    /* the thread that begins tasks and takes them */
	pthread_mutex_t calling;
	pthread_cond_t answered;
	struct pe_jobserver jobs;
	int stop[2]; /* readable when its other end is closed: all are to end */
	pthread_mutex_t repo;
	struct lane lanes[PE_BUILD_LANES_MAX];
};

/* --- What all share: the repository --- */

static int fill_alone(struct pe_fill *out, const struct pe_fill_spec *spec, void *payload,
		      struct pe_err *err)
{
	struct pe_crew *crew = payload;
	const struct pe_source *source = &crew->session->builder.source;
	int rc;

	pthread_mutex_lock(&crew->repo);
	rc = source->fill(out, spec, source->payload, err);
	pthread_mutex_unlock(&crew->repo);
	return rc;
}

static int overlay_alone(const char *tree, void *payload, struct pe_err *err)
{
	struct pe_crew *crew = payload;
	const struct pe_builder *builder = &crew->session->builder;
	int rc;

	pthread_mutex_lock(&crew->repo);
	rc = builder->overlay(tree, builder->overlay_payload, err);
	pthread_mutex_unlock(&crew->repo);
	return rc;
}

/* --- Opening and closing --- */

static int open_stop(struct pe_crew *crew, struct pe_err *err)
{
	if (pipe2(crew->stop, O_CLOEXEC) == 0)
		return PE_OK;
	crew->stop[0] = crew->stop[1] = -1;
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

int pe_crew_open(struct pe_crew **out, struct pe_session *session, unsigned lanes)
{
	struct pe_crew *crew = pe_realloc(NULL, 1, sizeof(*crew));
	int rc = PE_OK;

	*crew = (struct pe_crew){.session = session,
				 .n = lanes < PE_BUILD_LANES_MAX ? lanes : PE_BUILD_LANES_MAX,
				 .jobs = PE_JOBSERVER_INIT,
				 .done = {-1, -1},
				 .stop = {-1, -1}};
	crew->taker = pthread_self();
	pthread_mutex_init(&crew->repo, NULL);
	pthread_mutex_init(&crew->calling, NULL);
	pthread_cond_init(&crew->answered, NULL);
	if (pipe2(crew->done, O_CLOEXEC) != 0) {
		crew->done[0] = crew->done[1] = -1;
		rc = pe_fail_errno(session->app->err, "cannot open a pipe");
	}
	if (rc == PE_OK)
		rc = open_stop(crew, session->app->err);
	/* Without one, each build has its share. Nor is there one where a build has reason to disturb the other. */
	if (session->app->config->recipe.jobs > 1 && !session->apart)
		pe_jobserver_open(&crew->jobs, session->app->config->recipe.jobs, NULL);
	*out = crew;
	if (rc == PE_OK)
		return PE_OK;
	pe_crew_close(crew);
	*out = NULL;
	return rc;
}

void pe_crew_close(struct pe_crew *crew)
{
	if (crew == NULL)
		return;
	for (unsigned i = 0; i < crew->n; i++)
		pe_launcher_close(crew->lanes[i].launcher);
	shut(crew->done);
	shut(crew->stop);
	pe_jobserver_close(&crew->jobs);
	pthread_cond_destroy(&crew->answered);
	pthread_mutex_destroy(&crew->calling);
	pthread_mutex_destroy(&crew->repo);
	free(crew);
}

/* The first lane has the session's launcher, which nobody else uses meanwhile. */
static int prepare(struct lane *lane, struct pe_crew *crew, struct pe_err *err)
{
	struct pe_session *session = crew->session;
	int rc = PE_OK;

	lane->crew = crew;
	lane->builder = session->builder;
	lane->builder.source = (struct pe_source){fill_alone, crew};
	lane->builder.overlay = session->builder.overlay != NULL ? overlay_alone : NULL;
	lane->builder.overlay_payload = crew;
	lane->builder.interrupts = NULL;
	lane->builder.jobserver = pe_jobserver_ends(&crew->jobs);
	lane->builder.executor = session->kept.inner;
	if (lane != &crew->lanes[0] && session->launcher != NULL) {
		rc = pe_session_open_launcher(&lane->launcher, session, err);
		if (rc == PE_OK)
			lane->builder.executor.payload = lane->launcher;
	}
	lane->ready = rc == PE_OK;
	return rc;
}

/* --- At work --- */

static void tell(struct lane *lane, unsigned mark)
{
	unsigned char number = (unsigned char)((unsigned)(lane - lane->crew->lanes) | mark);

	while (write(lane->crew->done[1], &number, 1) < 0 && errno == EINTR)
		;
}

static void build(struct lane *lane, struct pe_crew_task *task)
{
	struct pe_recipe recipe = *task->recipe;

	recipe.jobs = task->jobs;
	lane->builder.recipe = &recipe;
	lane->builder.recipe_hash = task->recipe_hash;
	lane->builder.watch = task->watch;
	task->rc = pe_build_revision(&task->build, &lane->builder, &task->slot, task->id,
				     &task->arena, &task->err);
	/* A tree that could not be written holds nothing to build upon. */
	if (task->rc == PE_OK && task->slot.id[0] != '\0')
		task->rc = pe_kept_record(&task->slot, &task->err);
}

static void *work(void *payload)
{
	struct lane *lane = payload;
	const struct pe_crew_place place = {
		.crew = lane->crew,
		.lane = (unsigned)(lane - lane->crew->lanes),
		.executor = &lane->builder.executor,
		.stop_fd = lane->builder.stop_fd,
	};

	if (lane->task->work != NULL)
		lane->task->work(lane->task, &place);
	else
		build(lane, lane->task);
	tell(lane, 0);
	return NULL;
}

void pe_crew_call(const struct pe_crew_place *place, void (*fn)(void *payload), void *payload)
{
	struct pe_crew *crew = place->crew;
	struct lane *lane = &crew->lanes[place->lane];

	/* Where no thread could be had, it works in the taker's own. */
	if (pthread_equal(pthread_self(), crew->taker)) {
		fn(payload);
		return;
	}
	pthread_mutex_lock(&crew->calling);
	lane->call = fn;
	lane->call_payload = payload;
	tell(lane, CALLS);
	while (lane->call != NULL)
		pthread_cond_wait(&crew->answered, &crew->calling);
	pthread_mutex_unlock(&crew->calling);
}

/* What it calls runs without the mutex: other lanes only ask meanwhile. */
static void answer(struct pe_crew *crew, struct lane *lane)
{
	void (*fn)(void *payload);
	void *payload;

	pthread_mutex_lock(&crew->calling);
	fn = lane->call;
	payload = lane->call_payload;
	pthread_mutex_unlock(&crew->calling);
	fn(payload);
	pthread_mutex_lock(&crew->calling);
	lane->call = NULL;
	pthread_cond_broadcast(&crew->answered);
	pthread_mutex_unlock(&crew->calling);
}

static void begin(struct lane *lane)
{
	sigset_t all, were;

	/* Signals are for the thread that waits. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &were);
	lane->threaded = pthread_create(&lane->thread, NULL, work, lane) == 0;
	pthread_sigmask(SIG_SETMASK, &were, NULL);
	if (lane->threaded)
		return;
	lane->builder.interrupts = lane->crew->session->app->interrupts;
	work(lane);
	lane->builder.interrupts = NULL;
}

unsigned pe_crew_busy(const struct pe_crew *crew)
{
	return crew->busy;
}

const struct pe_crew_task *pe_crew_at(const struct pe_crew *crew, unsigned lane)
{
	return lane < crew->n ? crew->lanes[lane].task : NULL;
}

/* Before one more is at work, or one less. */
static void divide_time(struct pe_crew *crew)
{
	uint64_t now = pe_clock_ns();

	for (unsigned i = 0; i < crew->n; i++)
		if (crew->lanes[i].task != NULL)
			crew->lanes[i].task->share_ns += (now - crew->shared_ns) / crew->busy;
	crew->shared_ns = now;
}

int pe_crew_start(struct pe_crew *crew, struct pe_crew_task *task, struct pe_err *err)
{
	struct lane *lane = NULL;

	for (unsigned i = 0; lane == NULL && i < crew->n; i++)
		if (crew->lanes[i].task == NULL)
			lane = &crew->lanes[i];
	if (lane == NULL)
		return PE_EBUSY;
	PE_TRY(lane->ready ? PE_OK : prepare(lane, crew, err));
	if (crew->stop[0] < 0)
		PE_TRY(open_stop(crew, err));
	divide_time(crew);
	lane->builder.stop_fd = crew->stop[0];
	lane->task = task;
	task->beside = crew->busy++ > 0;
	if (task->work == NULL)
		pe_jobserver_enter(&crew->jobs);
	begin(lane);
	return PE_OK;
}

void pe_crew_stop(struct pe_crew *crew)
{
	if (crew->stop[1] >= 0)
		close(crew->stop[1]);
	crew->stop[1] = -1;
}

/* Signals are let in by ppoll(2) alone, so that one which comes after the counter was looked at still ends the wait. */
static unsigned char wait_for_number(struct pe_crew *crew)
{
	const volatile sig_atomic_t *interrupts = crew->session->app->interrupts;
	struct pollfd ready[2] = {{.fd = crew->done[0], .events = POLLIN}, {.events = POLLIN}};
	unsigned char number = 0;
	sigset_t all, before;
	int n;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	do {
		if (interrupts != NULL && *interrupts >= 2)
			pe_crew_stop(crew);
		ready[1].fd = pe_jobserver_settle(&crew->jobs);
		ready[0].revents = 0;
		n = ppoll(ready, 2, NULL, &before);
	} while (n < 0 ? errno == EINTR : ready[0].revents == 0);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	while (read(crew->done[0], &number, 1) < 0 && errno == EINTR)
		;
	return number;
}

struct pe_crew_task *pe_crew_take(struct pe_crew *crew)
{
	struct pe_crew_task *task;
	struct lane *lane;
	unsigned number;

	if (crew->busy == 0)
		return NULL;
	for (unsigned i = 0; crew->busy > 1 && i < crew->n; i++)
		if (crew->lanes[i].task != NULL)
			crew->lanes[i].task->beside = true;
	while ((number = wait_for_number(crew)) >= CALLS)
		answer(crew, &crew->lanes[number - CALLS]);
	lane = &crew->lanes[number];
	if (lane->threaded)
		pthread_join(lane->thread, NULL);
	divide_time(crew);
	task = lane->task;
	lane->task = NULL;
	crew->busy--;
	if (task->work == NULL)
		pe_jobserver_leave(&crew->jobs);
	/* Those that come later are not stopped. */
	if (crew->busy == 0 && crew->stop[1] < 0)
		shut(crew->stop);
	return task;
}
