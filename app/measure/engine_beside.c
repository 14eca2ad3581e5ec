/*
 * Counting runs side by side. Counts do not depend on elapsed time, so several builds are counted at one time where their
 * runs have separate places: each by a worker of the session's pool, with a launcher, a folder for records and, where
 * runs are pinned, a processor of its own. A build has one worker, for its runs share its tree.
 *
 * The session's own launcher makes all set-ups before. Runs are stored one at a time, as soon as they are over; each
 * build gets the sequence numbers of its runs before the first build begins. Runs that fail here are not stored, and are
 * counted alone later.
 */
#define _GNU_SOURCE /* sched_getaffinity, CPU_ISSET */
#include "app/measure/engine_internal.h"

#include "core/base/clock.h"
#include "core/base/files.h"

#include <sched.h>
#include <signal.h>

/* All builds that are counted in one call. */
struct beside {
	struct pe_engine *engine;
	unsigned from, to;      /* rounds */
	unsigned workers, most; /* at one time: now, and at the start */
	struct pe_arena arena;
	int rc;
};

/* A build that is counted. */
struct counting {
	struct pe_pool_job job;
	struct beside *all;
	size_t revision;
	struct pe_cell *const *cells;
	size_t n;
	struct pe_engine_worker worker; /* with resources of the job's own: */
	struct pe_session_count count;
	uint64_t took_ns;
	int64_t from_ns; /* by the clock of files */
};

/* --- In a worker --- */

/*
 * The processor that a worker's runs are pinned to, if the session's are: the first has the session's, the others get the
 * highest remaining ones.
 */
static int worker_cpu(int cpu, unsigned worker)
{
#ifdef CPU_SETSIZE
	cpu_set_t set;

	if (cpu < 0 || worker == 0 || sched_getaffinity(0, sizeof(set), &set) != 0)
		return cpu;
	for (int other = CPU_SETSIZE - 1; other >= 0; other--)
		if (other != cpu && CPU_ISSET(other, &set) && --worker == 0)
			return other;
#else
	(void)worker;
#endif
	return cpu;
}

/* A name as long as the session's own, "scratch": a longer path in the environment would move the stack. */
static const char *worker_scratch(const struct pe_session *session, unsigned worker,
				  struct pe_arena *arena)
{
	return pe_arena_printf(arena, "%s/count%02u", session->cache_dir, worker);
}

static const char *find_foreign(const struct pe_benchmark *benchmark, const char *tree,
				struct pe_arena *arena, void *payload)
{
	struct pe_engine_worker *worker = payload;
	const struct pe_outside_port *port = &worker->engine->own.runner->outside;
	const char *found;

	pe_engine_enter(worker);
	found = port->find(benchmark, tree, arena, port->payload);
	pe_engine_leave(worker);
	return found;
}

static void set_up(const struct pe_benchmark *benchmark, const char *tree, void *payload)
{
	struct pe_engine_worker *worker = payload;
	const struct pe_outside_port *port = &worker->engine->own.runner->outside;

	pe_engine_enter(worker);
	port->set_up(benchmark, tree, port->payload);
	pe_engine_leave(worker);
}

static void count_build(struct pe_pool_job *job, const struct pe_pool_worker *beside)
{
	struct counting *counting = (struct counting *)job;
	struct pe_engine_worker *worker = &counting->worker;
	const struct beside *all = counting->all;
	const struct pe_session *session = all->engine->session;
	struct pe_runner runner = session->runner;
	uint64_t began_ns = pe_clock_ns();

	runner.scratch = worker_scratch(session, beside->number, &job->arena);
	runner.executor = beside->builder->executor;
	runner.outside = (struct pe_outside_port){find_foreign, set_up, worker};
	runner.stop_fd = beside->builder->stop_fd;
	runner.interrupts = &worker->interrupts;
	runner.cpu = worker_cpu(runner.cpu, beside->number);
	worker->beside = beside;
	worker->runner = &runner;
	job->rc = pe_files_make_dir(runner.scratch, &job->err);
	for (unsigned round = all->from; job->rc == PE_OK && round < all->to; round++)
		job->rc = pe_engine_run_cells(worker, PE_RUN_COUNTED, round, counting->cells,
					      counting->n);
	pe_arena_release(&worker->scratch);
	counting->took_ns = pe_clock_ns() - began_ns;
}

/* --- Scheduling --- */

static struct counting *new_counting(struct beside *all, struct pe_cell *const *cells, size_t n)
{
	struct pe_engine *engine = all->engine;
	struct pe_session *session = engine->session;
	struct counting *out = pe_arena_new(&all->arena, struct counting, 1);

	*out = (struct counting){
		.job = {.work = count_build,
			.id = session->revisions[cells[0]->revision].id,
			.err = PE_ERR_INIT,
			.arena = PE_ARENA_INIT},
		.all = all,
		.revision = cells[0]->revision,
		.cells = cells,
		.n = n,
		.count = {.sequence = session->count.sequence},
	};
	out->worker = (struct pe_engine_worker){
		.engine = engine,
		.count = &out->count,
		.costs = pe_arena_new(&all->arena, struct pe_spending, session->benchmarks.n),
		.scratch = PE_ARENA_INIT,
		.err = &out->job.err,
		.job = &out->job,
	};
	out->from_ns = pe_outside_begin_turn(&session->outside, out->job.id, PE_OUTSIDE_RUN);
	session->count.sequence += n * (all->to - all->from);
	return out;
}

/* Add the costs, as for builds: runs at one time share the elapsed time. */
static void add_costs(struct pe_engine *engine, const struct counting *counting)
{
	double part = counting->took_ns > 0
			      ? (double)counting->job.share_ns / (double)counting->took_ns
			      : 1;

	for (size_t w = 0; w < engine->session->benchmarks.n; w++)
		for (size_t k = 0; k < PE_N_SPENT; k++) {
			const struct pe_spent *spent = &counting->worker.costs[w].of[k];

			engine->own.costs[w].of[k].n += spent->n;
			engine->own.costs[w].of[k].seconds += part * spent->seconds;
		}
}

static void end(struct beside *all, struct counting *counting)
{
	struct pe_session *session = all->engine->session;

	pe_outside_add_turn(&session->outside, counting->job.id, counting->from_ns,
			    pe_clock_file_ns(), PE_OUTSIDE_RUN);
	all->engine->revisions[counting->revision].doubtful |= counting->worker.doubtful;
	add_costs(all->engine, counting);
	session->count.done += counting->count.done;
	if (counting->job.rc != PE_OK && !counting->worker.doubtful && all->rc == PE_OK) {
		all->rc = counting->job.rc;
		*session->app->err = counting->job.err;
		/* After the first Ctrl-C running jobs finish; the pool handles the second one. */
		if (all->rc != PE_ESTOPPED)
			pe_pool_stop(session->pool);
	}
	pe_arena_release(&counting->job.arena);
}

static size_t end_of_build(struct pe_cell *const *cells, size_t n, size_t i)
{
	const size_t revision = cells[i]->revision;

	while (i < n && cells[i]->revision == revision)
		i++;
	return i;
}

static void begin_some(struct beside *all, struct pe_cell *const *cells, size_t n, size_t *at,
		       uint64_t until_ns)
{
	struct pe_session *session = all->engine->session;
	size_t last;

	for (; all->rc == PE_OK && *at < n && *session->app->interrupts == 0 &&
	       !pe_engine_is_over(until_ns) && pe_pool_busy(session->pool) < all->workers;
	     *at = last) {
		struct counting *counting;

		last = end_of_build(cells, n, *at);
		if (pe_engine_count_lacking(all->engine, &cells[*at], last - *at, all->to) == 0)
			continue;
		counting = new_counting(all, &cells[*at], last - *at);
		all->rc = pe_pool_start(session->pool, &counting->job, session->app->err);
		if (all->rc != PE_OK && pe_pool_busy(session->pool) > 0) {
			/* No further launcher can be started: the present workers go on. */
			all->workers = pe_pool_busy(session->pool);
			all->rc = PE_OK;
			*session->app->err = (struct pe_err)PE_ERR_INIT;
			break;
		}
	}
}

static void release(struct beside *all)
{
	pe_auto_arena arena = PE_ARENA_INIT;

	for (unsigned worker = 0; worker < all->most; worker++)
		pe_files_remove(worker_scratch(all->engine->session, worker, &arena), NULL);
	pe_arena_release(&all->arena);
}

static int count_all(struct beside *all, struct pe_cell *const *cells, size_t n, uint64_t until_ns)
{
	struct pe_engine *engine = all->engine;
	struct pe_session *session = engine->session;
	const size_t runs = engine->runs, done = session->count.done;
	struct pe_pool_job *job;
	size_t at = 0;

	do {
		begin_some(all, cells, n, &at, until_ns);
		job = pe_pool_take(session->pool);
		if (job != NULL)
			end(all, (struct counting *)job);
	} while (job != NULL);
	if (engine->rounds > 0)
		session->count.done = done + (engine->runs - runs);
	if (all->rc == PE_OK && *session->app->interrupts > 0)
		return pe_fail(session->app->err, PE_ESTOPPED, "stopped");
	return all->rc;
}

/* The number of builds that lack a run. */
static size_t count_lacking_builds(const struct pe_engine *engine, struct pe_cell *const *cells,
				   size_t n, unsigned to)
{
	size_t builds = 0;

	for (size_t i = 0, last; i < n; i = last) {
		last = end_of_build(cells, n, i);
		builds += pe_engine_count_lacking(engine, &cells[i], last - i, to) > 0;
	}
	return builds;
}

int pe_engine_count_beside(struct pe_engine *engine, struct pe_cell *const *cells, size_t n,
			   unsigned from, unsigned to, uint64_t until_ns)
{
	struct pe_session *session = engine->session;
	struct beside all = {.engine = engine, .from = from, .to = to, .arena = PE_ARENA_INIT};
	int rc;

	if (pe_session_counting_workers(session) < 2 ||
	    count_lacking_builds(engine, cells, n, to) < 2)
		return PE_OK;
	PE_TRY(pe_session_open_pool(session));
	for (unsigned round = from; round < to; round++)
		PE_TRY(pe_engine_ready_counting(engine, round, cells, n));
	all.workers = all.most = pe_session_counting_workers(session);
	rc = count_all(&all, cells, n, until_ns);
	release(&all);
	return rc;
}

void pe_engine_learn_beside(struct pe_engine *engine)
{
	struct pe_session *session = engine->session;

	for (size_t i = 0; i < engine->n_order; i++) {
		const size_t r = engine->order[i];
		struct pe_engine_revision *one = &engine->revisions[r];
		bool fails = false, known = one->doubtful;

		one->doubtful = false;
		for (size_t w = 0; known && w < engine->n_benchmarks; w++) {
			const struct pe_cell *cell = &one->cells[engine->benchmarks[w]];

			fails |= cell->not_counted || cell->uncounted != NULL;
			/* The time limit ended the counting before its turn. */
			known &= cell->counted_rounds == 0 || cell->failed || cell->not_counted ||
				 cell->counted[0];
		}
		if (!known)
			continue;
		session->uncounted_is_fact |= fails;
		if (fails || session->counts_alone)
			continue;
		session->counts_alone = true;
		pe_app_note(
			session->app,
			"%.10s is counted alone and not beside other commits: one at a time from now on ('build: {parallel: 1}' keeps it so)",
			session->revisions[r].id);
	}
}
