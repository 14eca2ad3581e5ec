/* While a build runs, its worker has a copy of the slot, and the slot itself looks empty to all other code. */
#include "app/measure/ahead.h"

#include "app/measure/kept.h"
#include "app/measure/pool.h"
#include "app/measure/session.h"
#include "core/exec/limits.h"
#include "core/exec/parallel_builds.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* A running build. */
struct work {
	struct pe_pool_job job;
	const struct pe_build_request *request;
	const char *watch; /* see struct pe_builder */
	unsigned jobs;     /* job slots that it may use */
	struct pe_slot *slot, copy;
	struct pe_build build; /* the outcome; strings are in the job's arena */
};

struct all {
	struct pe_session *session;
	const struct pe_build_request *requests;
	size_t n, next;
	unsigned jobs;  /* in use */
	bool wait;      /* there is no slot for the next one */
	bool disturbed; /* a build may have failed because of others: no other begins */
	int rc;
};

/* --- In a worker --- */

static void build(struct pe_pool_job *job, const struct pe_pool_worker *worker)
{
	struct work *work = (struct work *)job;
	struct pe_builder builder = *worker->builder;
	struct pe_recipe recipe = *work->request->recipe;

	recipe.jobs = work->jobs;
	builder.recipe = &recipe;
	builder.recipe_hash = work->request->recipe_hash;
	builder.watch = work->watch;
	job->rc = pe_build_revision(&work->build, &builder, &work->copy, job->id, &job->arena,
				    &job->err);
	/* A tree that could not be written is no base for an incremental build. */
	if (job->rc == PE_OK && work->copy.id[0] != '\0')
		job->rc = pe_kept_record(&work->copy, &job->err);
}

/* --- Outcomes --- */

static size_t find_ahead(const struct pe_session *session, const char *id, const char *recipe_hash)
{
	size_t i = 0;

	while (i < session->ahead.n &&
	       (strcmp(session->ahead.data[i].id, id) != 0 ||
		strcmp(session->ahead.data[i].recipe_hash, recipe_hash) != 0))
		i++;
	return i;
}

/* Whether the slot still holds the build: it may have been released and used for another. */
static bool still_holds(const struct pe_ahead *one)
{
	return one->build.outcome != PE_MEASURED ||
	       (strcmp(one->slot->id, one->id) == 0 &&
		strcmp(one->slot->recipe, one->recipe_hash) == 0);
}

bool pe_session_take_ahead(struct pe_ahead *out, struct pe_session *session, const char *id,
			   const char *recipe_hash)
{
	size_t i = find_ahead(session, id, recipe_hash);
	struct pe_ahead one;

	if (i == session->ahead.n)
		return false;
	one = session->ahead.data[i];
	session->ahead.data[i] = session->ahead.data[--session->ahead.n];
	if (!still_holds(&one))
		return false;
	*out = one;
	return true;
}

/* The outcome of a build that was not requested yet; NULL: there is none. */
static const struct pe_ahead *ahead_of(const struct pe_session *session,
				       const struct pe_build_request *request)
{
	size_t i = find_ahead(session, request->revision->id, request->recipe_hash);

	return i < session->ahead.n && still_holds(&session->ahead.data[i])
		       ? &session->ahead.data[i]
		       : NULL;
}

static void keep_ahead(struct pe_session *session, const struct work *work,
		       const struct pe_build *build)
{
	struct pe_ahead one = {.id = work->job.id, .slot = work->slot, .build = *build};

	if (!work->request->stored && build->outcome == PE_MEASURED)
		return;
	if (!work->request->stored)
		one.slot = NULL;
	memcpy(one.recipe_hash, work->request->recipe_hash, sizeof(one.recipe_hash));
	pe_vec_push(&session->ahead, one);
}

static int keep(struct all *all, struct work *work)
{
	struct pe_session *session = all->session;
	struct pe_build build = work->build;
	struct pe_slot *slot = work->slot;
	int rc;

	/* The other strings are the recipe's, and constants of perfevo. */
	build.log = pe_arena_strdup(session->arena, build.log);
	/*
	 * The next estimate uses its share of the time: durations of builds side by side add up to several times the real
	 * one.
	 */
	build.duration_ns = work->job.share_ns > 0 ? work->job.share_ns : 1;
	rc = pe_session_keep_build(session, work->request, slot, &build);
	if (rc != PE_OK) {
		pe_err_context(session->app->err, "building %.10s", work->job.id);
		return rc;
	}
	/* The reads are in the job's arena. */
	build.reads = NULL;
	slot->held = build.outcome == PE_MEASURED;
	pe_slots_touch(work->request->slots, slot);
	keep_ahead(session, work, &build);
	return PE_OK;
}

/* --- Failures beside others --- */

/* A failure that other builds may have caused by their use of memory, disk or processors. */
static bool is_for_want(enum pe_outcome outcome)
{
	return outcome == PE_INCONCLUSIVE || outcome == PE_BUILD_TIMED_OUT;
}

/* Whether others may have caused the failure of a build: then it is made again, alone, when it is requested. */
static bool is_doubtful(const struct all *all, const struct work *work)
{
	const enum pe_outcome outcome = work->build.outcome;

	return work->job.beside && (is_for_want(outcome) ||
				    (outcome == PE_BUILD_FAILED && !all->session->failure_is_fact));
}

void pe_session_learn_alone(struct pe_session *session, const char *id, enum pe_outcome outcome)
{
	const enum pe_outcome before = session->doubted.build.outcome;

	if (session->doubted.id == NULL || strcmp(session->doubted.id, id) != 0)
		return;
	session->doubted.id = NULL;
	session->failure_is_fact |= outcome != PE_MEASURED && !is_for_want(before);
	if (outcome != PE_MEASURED || session->workers == 1)
		return;
	session->workers = is_for_want(before) && session->workers > 3 ? session->workers / 2 : 1;
	pe_app_note(
		session->app,
		"%.10s builds alone and failed beside other builds: %u at a time from now on ('build: {parallel: %u}' keeps it so)",
		id, session->workers, session->workers);
}

/* --- Beginning and ending --- */

/* Whether there is nothing to build: it is built, and did not change since. */
static bool is_built(struct all *all, const struct pe_build_request *request)
{
	const struct pe_ahead *ahead = ahead_of(all->session, request);
	struct pe_slot *slot;

	if (ahead != NULL && ahead->slot != NULL)
		ahead->slot->held = true;
	if (ahead != NULL)
		return true;
	all->rc = pe_session_find_build(&slot, all->session, request);
	return all->rc == PE_OK && slot != NULL;
}

/* The number of job slots that are left for it. */
static unsigned jobs_for(const struct all *all, const struct pe_build_request *request)
{
	unsigned workers = all->session->workers - pe_pool_busy(all->session->pool);
	size_t left = all->n - all->next + 1;

	return pe_parallel_builds_jobs(request->recipe->jobs, all->jobs,
				       left < workers ? (unsigned)left : workers);
}

static void put_back(struct work *work)
{
	*work->slot = work->copy;
	work->slot->held = work->slot->building = false;
}

static int begin(struct all *all, const struct pe_build_request *request, struct pe_slot *slot)
{
	struct pe_session *session = all->session;
	struct work *work = pe_realloc(NULL, 1, sizeof(*work));
	bool whole;
	int rc = PE_OK;

	/* An incremental build needs the leftovers of the slot's last build unchanged. */
	if (slot->id[0] != '\0' && request->recipe->clean != PE_CLEAN_ALWAYS)
		rc = pe_session_compare(&whole, session, slot, NULL);
	*work = (struct work){.job = {.work = build,
				      .id = request->revision->id,
				      .builds = true,
				      .err = PE_ERR_INIT,
				      .arena = PE_ARENA_INIT},
			      .request = request,
			      /* Without a row in the store, its reads are not needed. */
			      .watch = request->stored ? session->builder.watch : NULL,
			      .jobs = jobs_for(all, request),
			      .slot = slot,
			      .copy = *slot};
	slot->held = slot->building = true;
	slot->id[0] = slot->recipe[0] = '\0';
	if (rc == PE_OK)
		rc = pe_pool_start(session->pool, &work->job, session->app->err);
	if (rc != PE_OK) {
		put_back(work);
		free(work);
		return rc;
	}
	all->jobs += work->jobs;
	pe_session_report_build(all->session, request->revision);
	return PE_OK;
}

/* After a failure that ends the call, stop the other builds, too. */
static void give_up(struct all *all, const struct work *work)
{
	struct pe_app *app = all->session->app;

	if (all->rc == PE_OK) {
		all->rc = work->job.rc;
		*app->err = work->job.err;
		pe_err_context(app->err, "building %.10s", work->job.id);
	}
	pe_pool_stop(all->session->pool);
}

static void end(struct all *all, struct work *work)
{
	struct pe_session *session = all->session;
	int rc = PE_OK;

	all->jobs -= work->jobs;
	put_back(work);
	pe_outside_add_turn(
		&session->outside,
		work->request->slots == &session->slots ? work->job.id : work->slot->tree,
		work->build.started_ns, work->build.started_ns + (int64_t)work->build.duration_ns,
		PE_OUTSIDE_BUILD);
	if (work->job.rc != PE_OK) {
		give_up(all, work);
	} else if (is_doubtful(all, work)) {
		rc = pe_session_count_build(session, work->slot, &work->build);
		all->disturbed = true;
		if (work->request->stored)
			session->doubted = (struct pe_ahead){.id = work->job.id,
							     .build.outcome = work->build.outcome};
	} else {
		rc = keep(all, work);
	}
	if (rc != PE_OK && all->rc == PE_OK) {
		all->rc = rc;
		pe_pool_stop(session->pool);
	}
	pe_arena_release(&work->job.arena);
	free(work);
}

/* --- Scheduling --- */

static void begin_next(struct all *all)
{
	struct pe_session *session = all->session;
	const struct pe_build_request *request = &all->requests[all->next];
	struct pe_slot *slot;
	int rc;

	if (is_built(all, request)) {
		all->next++;
		return;
	}
	slot = all->rc == PE_OK ? pe_slots_take(request->slots) : NULL;
	/* A running build may fail, and release its slot. */
	all->wait = slot == NULL;
	if (slot == NULL)
		return;
	all->next++;
	rc = begin(all, request, slot);
	if (rc == PE_OK || pe_pool_busy(session->pool) == 0) {
		all->rc = rc;
		return;
	}
	/* No further launcher can be started: the present workers go on. */
	all->next--;
	session->workers = pe_pool_busy(session->pool);
	*session->app->err = (struct pe_err)PE_ERR_INIT;
}

static void begin_some(struct all *all)
{
	const struct pe_session *session = all->session;

	all->wait = false;
	while (all->rc == PE_OK && *session->app->interrupts == 0 && !all->wait &&
	       !all->disturbed && all->next < all->n &&
	       pe_pool_busy(session->pool) < session->workers)
		begin_next(all);
}

static size_t count_missing(const struct pe_session *session,
			    const struct pe_build_request *requests, size_t n)
{
	size_t missing = 0;

	for (size_t i = 0; i < n; i++)
		missing += ahead_of(session, &requests[i]) == NULL &&
			   pe_slots_find(requests[i].slots, requests[i].revision->id,
					 requests[i].recipe_hash) == NULL;
	return missing;
}

unsigned pe_session_workers(struct pe_session *session)
{
	if (session->workers == 0)
		session->workers = session->apart && !session->confined
					   ? 1
					   : pe_parallel_builds_count(&session->app->config->recipe,
								      pe_memory_available(),
								      session->confined);
	return session->workers;
}

int pe_session_open_pool(struct pe_session *session)
{
	if (pe_session_workers(session) < 2 || session->pool != NULL)
		return PE_OK;
	return pe_pool_open(&session->pool, session, session->workers);
}

struct pe_build_request pe_session_build_request(struct pe_session *session,
						 const struct pe_revision *revision)
{
	return (struct pe_build_request){.revision = revision,
					 .slots = &session->slots,
					 .recipe = &session->app->config->recipe,
					 .recipe_hash = session->recipe_hash,
					 .stored = true};
}

int pe_session_build_ahead(size_t *done, struct pe_session *session,
			   const struct pe_build_request *requests, size_t n)
{
	struct all all = {.session = session, .requests = requests, .n = n};
	struct pe_pool_job *job;

	if (done != NULL)
		*done = n;
	if (count_missing(session, requests, n) < 2)
		return PE_OK;
	all.rc = pe_session_open_pool(session);
	if (all.rc != PE_OK || pe_session_workers(session) < 2)
		return all.rc;
	do {
		begin_some(&all);
		job = pe_pool_take(session->pool);
		if (job != NULL)
			end(&all, (struct work *)job);
	} while (job != NULL);
	if (all.rc == PE_OK && *session->app->interrupts > 0 && all.next < n)
		all.rc = pe_fail(session->app->err, PE_ESTOPPED, "stopped while building");
	if (done != NULL)
		*done = all.next;
	return all.rc;
}
