#include "app/cluster/farm.h"

#include "app/cluster/shard.h"
#include "core/base/array.h"
#include "core/base/clock.h"
#include "core/base/files.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
	TRIES = 3,         /* that a shard has, as long as none of them brings a piece */
	LOST = 10,         /* how often Slurm may forget its job */
	NODE_FAILURES = 2, /* after which a node gets no more work */
	NODE_WAIT_S = 600, /* for a node that is down */
	TICK_MS = 50,
	LOOK_MS = 250, /* between looks into the spool, which cost little */
};

int pe_farm_open(struct pe_farm *out, struct pe_app *app, int how)
{
	int rc;

	*out = (struct pe_farm){.app = app, .spool = pe_spool_path(app), .how = how, .lock = -1};
	rc = pe_spool_make(app, out->spool);
	if (rc == PE_OK)
		rc = pe_spool_lock(&out->lock, app, out->spool);
	if (rc == PE_OK)
		rc = pe_farm_read_jobs(out);
	if (rc != PE_OK)
		return rc;
	(how == PE_FARM_LOCAL ? pe_dispatch_local : pe_dispatch_slurm)(&out->dispatch, app,
								       out->spool);
	return PE_OK;
}

void pe_farm_close(struct pe_farm *farm)
{
	if (farm->dispatch.close != NULL)
		farm->dispatch.close(&farm->dispatch);
	if (farm->app != NULL && farm->lock >= 0)
		close(farm->lock);
	pe_vec_release(&farm->work);
	pe_vec_release(&farm->nodes);
	*farm = (struct pe_farm){.lock = -1};
}

static bool is_over(const struct pe_farm_work *work)
{
	return work->done || work->given_up;
}

static size_t left(const struct pe_farm *farm)
{
	size_t n = 0;

	for (size_t i = 0; i < farm->work.n; i++)
		n += !is_over(&farm->work.data[i]);
	return n;
}

/* A full spool is waited for: those whose number is not remembered are found by their work. */
static int write_jobs(struct pe_farm *farm)
{
	const int rc = pe_farm_write_jobs(farm);

	if (rc != PE_EFULL)
		farm->unwritten = false;
	else if (!farm->unwritten)
		pe_app_note(farm->app, "%s: waiting for room", farm->app->err->message);
	farm->unwritten |= rc == PE_EFULL;
	return rc == PE_EFULL ? PE_OK : rc;
}

/* --- Handing out --- */

static struct pe_strings excluded(const struct pe_farm *farm, const struct pe_shard *shard)
{
	const char **at = pe_arena_new(farm->app->arena, const char *, farm->nodes.n + 1);
	size_t n = 0;

	for (size_t i = 0; i < farm->nodes.n; i++)
		if (farm->nodes.data[i].excluded)
			at[n++] = pe_arena_strdup(farm->app->arena, farm->nodes.data[i].name);
	if (shard->avoid != NULL)
		at[n++] = shard->avoid;
	return (struct pe_strings){at, n};
}

static bool has(const struct pe_strings *names, const char *name)
{
	for (size_t i = 0; i < names->n; i++)
		if (strcmp(names->at[i], name) == 0)
			return true;
	return false;
}

static void give_up(struct pe_farm_work *work, const char *said)
{
	work->given_up = true;
	work->said = said;
}

/* Nothing can be handed out at the moment: said once, and once that it can again. */
static void note_silence(struct pe_farm *farm, bool silent)
{
	if (silent && !farm->silent)
		pe_app_note(farm->app, "the queue cannot be asked: waiting for it (%s)",
			    farm->app->err->message);
	else if (!silent && farm->silent)
		pe_app_note(farm->app, "the queue answers again");
	farm->silent = silent;
}

static int hand_out(struct pe_farm *farm, struct pe_farm_work *work)
{
	struct pe_app *app = farm->app;
	struct pe_job job = {.shard = work->name};
	struct pe_shard shard;
	int rc = pe_shard_get(&shard, app, farm->spool, work->name, app->arena);

	if (rc == PE_OK)
		rc = pe_store_count_pieces(&work->known, app->store, work->name, app->err);
	if (rc != PE_OK)
		return rc;
	memcpy(job.before, work->job.before, sizeof(job.before));
	job.avoid = excluded(farm, &shard);
	/* A node that is lost, or that has let it down, is stayed on no longer. */
	job.node = shard.node != NULL && !work->moved && !has(&job.avoid, shard.node) ? shard.node
										      : NULL;
	rc = farm->dispatch.submit(&farm->dispatch, &job);
	note_silence(farm, rc == PE_EBUSY);
	if (rc == PE_EUNSUPPORTED)
		give_up(work, pe_arena_strdup(app->arena, app->err->message));
	if (rc != PE_OK)
		return rc == PE_EBUSY || rc == PE_EUNSUPPORTED ? PE_OK : rc;
	work->job = job;
	work->gone_ns = work->waits_ns = 0;
	work->stopped = false;
	farm->pause_ms = farm->dispatch.least_ms;
	return write_jobs(farm);
}

/* --- Failures --- */

static void blame(struct pe_farm *farm, const char *name, const char *said, unsigned weight)
{
	struct pe_farm_node *node;

	if (name == NULL || name[0] == '\0' || farm->how == PE_FARM_LOCAL)
		return;
	node = pe_farm_node_of(farm, name);
	node->failures += weight;
	node->said = said;
	if (node->failures < NODE_FAILURES || node->excluded)
		return;
	node->excluded = true;
	pe_app_note(farm->app, "%s gets no more work: %s", node->name, said);
}

/* It has no job any more. */
static void take_back(struct pe_farm *farm, struct pe_farm_work *work)
{
	work->stopped = false;
	memcpy(work->job.before, work->job.id, sizeof(work->job.before));
	work->job.id[0] = '\0';
	work->job.state = PE_JOB_NONE;
	work->job.without_node = false;
	farm->due_ns = 0;
}

/*
 * Work that ended without being done goes to another worker, unless that leads nowhere. Slurm forgets all jobs at once, and
 * none for what it did: that counts apart.
 */
static int fail(struct pe_farm *farm, struct pe_farm_work *work, const char *said)
{
	struct pe_app *app = farm->app;
	const bool lost = work->job.state == PE_JOB_LOST;
	size_t known;
	int rc = pe_store_count_pieces(&known, app->store, work->name, app->err);

	if (rc != PE_OK)
		return rc;
	if (known > work->known)
		work->failures = work->lost = 0;
	work->failures += !lost;
	work->lost += lost;
	work->said = said;
	take_back(farm, work);
	if (work->failures >= TRIES || work->lost >= LOST)
		give_up(work, said);
	else
		pe_app_note(app, "work %.8s is handed out again: %s", work->name, said);
	return write_jobs(farm);
}

/* --- What comes back --- */

static struct pe_farm_work *work_of(struct pe_farm *farm, const char *name)
{
	for (size_t i = 0; i < farm->work.n; i++)
		if (strcmp(farm->work.data[i].name, name) == 0)
			return &farm->work.data[i];
	return NULL;
}

static int cancel(struct pe_farm *farm, struct pe_farm_work *work)
{
	struct pe_job *job = &work->job;

	if (job->id[0] == '\0' || job->state >= PE_JOB_OVER)
		return PE_OK;
	return farm->dispatch.cancel(&farm->dispatch, &job, 1) == PE_ESYS ? PE_ESYS : PE_OK;
}

static int end_done(struct pe_farm *farm, struct pe_farm_work *work, const struct pe_piece *end)
{
	bool whole;
	int rc = pe_pieces_whole(&whole, farm->app, end);

	if (rc != PE_OK)
		return rc;
	if (!whole)
		return fail(farm, work, "a piece of its results was cut short or altered");
	work->done = true;
	pe_app_note(farm->app, "%s is done with work %.8s: %zu left", end->node, work->name,
		    left(farm));
	if (work->job.state == PE_JOB_WAITING || work->job.state == PE_JOB_STUCK)
		rc = cancel(farm, work); /* Slurm would do it once more */
	return rc == PE_OK ? write_jobs(farm) : rc;
}

static int act(struct pe_farm *farm, const struct pe_piece_end *end)
{
	const struct pe_piece *piece = &end->piece;
	struct pe_farm_work *work = work_of(farm, piece->shard);
	struct pe_arena *arena = farm->app->arena;
	const char *said, *why;
	bool current;

	if (work == NULL || is_over(work))
		return PE_OK;
	/* It may be of a worker whose place another one has taken. */
	current = strcmp(piece->job, work->job.id) == 0;
	why = pe_arena_strdup(arena, piece->said != NULL ? piece->said : "it was asked to end");
	said = pe_arena_printf(arena, "%s: %s", piece->node, why);
	switch (piece->kind) {
	case PE_PIECE_DONE:
		return end_done(farm, work, piece);
	case PE_PIECE_REFUSED:
		blame(farm, piece->node, why, NODE_FAILURES);
		break;
	case PE_PIECE_FAILED:
		blame(farm, piece->node, why, 1);
		break;
	default:
		/* Slurm may know more of it: it queues again what an administrator, or another job, drove out. */
		if (!current)
			return PE_OK;
		work->stopped = true;
		work->said = said;
		farm->due_ns = 0;
		return write_jobs(farm);
	}
	return current ? fail(farm, work, said) : PE_OK;
}

static int take(struct pe_farm *farm)
{
	pe_auto_arena scratch = PE_ARENA_INIT;
	struct pe_pieces found = {.n_ends = 0};
	int rc = pe_pieces_take(&found, farm->app, farm->spool, NULL, &scratch);

	farm->taken += found.taken;
	farm->refused += found.refused;
	for (size_t i = 0; rc == PE_OK && i < found.n_ends; i++) {
		rc = act(farm, &found.ends[i]);
		if (rc == PE_OK)
			rc = pe_files_remove(pe_arena_printf(&scratch, "%s/pieces/%s", farm->spool,
							     found.ends[i].name),
					     farm->app->err);
	}
	return rc;
}

/* --- What became of the jobs --- */

static int poll_jobs(struct pe_farm *farm)
{
	pe_auto_free struct pe_job **jobs = pe_realloc(NULL, farm->work.n + 1, sizeof(*jobs));
	size_t n = 0;
	int rc;

	for (size_t i = 0; i < farm->work.n; i++)
		if (!is_over(&farm->work.data[i]))
			jobs[n++] = &farm->work.data[i].job;
	rc = farm->dispatch.poll(&farm->dispatch, jobs, n);
	note_silence(farm, rc == PE_EBUSY);
	return rc;
}

/*
 * What becomes of a job whose worker was asked to end. Slurm holds what it queued again back for two minutes: another job
 * takes its place.
 */
static int look_after_stopped(struct pe_farm *farm, struct pe_farm_work *work)
{
	const enum pe_job_state state = work->job.state;

	return state == PE_JOB_RUNNING ? PE_OK : fail(farm, work, work->said);
}

/*
 * Slurm has a job wait as long as its node is down. It may be back soon, and goes on with what it measured; after a while
 * another one does, as if the node had been down when the work was handed out.
 */
static int look_after_waiting(struct pe_farm *farm, struct pe_farm_work *work)
{
	const uint64_t now_ns = pe_clock_ns(), wait_ns = farm->app->config->farm.wait_ns;
	const uint64_t most_ns = wait_ns > 0 ? wait_ns : NODE_WAIT_S * UINT64_C(1000000000);

	if (work->waits_ns == 0) {
		work->waits_ns = now_ns;
		pe_app_note(farm->app,
			    "work %.8s waits for %s, which is down or drained: another node gets "
			    "it when that has taken %.0f s ('farm: wait:')",
			    work->name, work->job.node, 1e-9 * (double)most_ns);
		return write_jobs(farm);
	}
	if (now_ns - work->waits_ns < most_ns)
		return PE_OK;
	if (cancel(farm, work) != PE_OK)
		return PE_ESYS;
	work->said = pe_arena_printf(farm->app->arena, "%s is not to be had", work->job.node);
	work->moved = true;
	pe_app_note(farm->app, "work %.8s goes to another node than before: %s", work->name,
		    work->said);
	take_back(farm, work);
	return write_jobs(farm);
}

/*
 * A job that is gone may have left a piece that is not seen yet, and its worker may live: Slurm forgets jobs, or cannot start
 * again what it does not know to run.
 */
static int look_after(struct pe_farm *farm, struct pe_farm_work *work)
{
	const uint64_t now_ns = pe_clock_ns();
	const bool lost = work->job.state == PE_JOB_LOST;
	char node[PE_NODE_NAME];

	if (work->job.id[0] != '\0' && work->stopped)
		return look_after_stopped(farm, work);
	if (work->job.without_node && work->job.node != NULL)
		return look_after_waiting(farm, work);
	work->waits_ns = 0;
	if (work->job.state < PE_JOB_STUCK || work->job.id[0] == '\0' ||
	    pe_spool_is_held(farm->spool, work->name)) {
		work->gone_ns = 0;
		return PE_OK;
	}
	if (work->gone_ns == 0)
		work->gone_ns = now_ns;
	if (now_ns - work->gone_ns < farm->dispatch.patience_ms * UINT64_C(1000000))
		return PE_OK;
	memcpy(node, work->job.seen_on, sizeof(node));
	if (lost)
		return fail(farm, work,
			    pe_arena_printf(farm->app->arena, "Slurm does not know job %s any more",
					    work->job.id));
	blame(farm, node, "work ended there without a word", 1);
	return fail(farm, work,
		    pe_arena_printf(farm->app->arena, "job %s%s%s ended without a word",
				    work->job.id, node[0] != '\0' ? " on " : "", node));
}

/* The queue is asked, seldom; what a job that is gone wrote is there before it is missed. */
static int step(struct pe_farm *farm)
{
	const uint64_t now_ns = pe_clock_ns();
	const bool due = now_ns >= farm->due_ns;
	bool told;
	int rc = due ? poll_jobs(farm) : PE_OK;

	told = due && rc == PE_OK;
	if (rc == PE_OK || rc == PE_EBUSY)
		rc = take(farm);
	if (rc == PE_OK && farm->unwritten)
		rc = write_jobs(farm);
	if (due) {
		farm->due_ns = now_ns + farm->pause_ms * UINT64_C(1000000);
		farm->pause_ms = farm->pause_ms * 5 / 4 < farm->dispatch.most_ms
					 ? farm->pause_ms * 5 / 4
					 : farm->dispatch.most_ms;
	}
	for (size_t i = 0; rc == PE_OK && told && i < farm->work.n; i++)
		if (!is_over(&farm->work.data[i]))
			rc = look_after(farm, &farm->work.data[i]);
	for (size_t i = 0; rc == PE_OK && told && i < farm->work.n; i++)
		if (!is_over(&farm->work.data[i]) && farm->work.data[i].job.id[0] == '\0')
			rc = hand_out(farm, &farm->work.data[i]);
	return rc;
}

static bool asked_to_stop(const struct pe_farm *farm, struct pe_arena *arena)
{
	return *farm->app->interrupts > 0 ||
	       access(pe_arena_printf(arena, "%s/" PE_FARM_STOP, farm->spool), F_OK) == 0;
}

bool pe_farm_pause(const struct pe_farm *farm, unsigned ms)
{
	const struct timespec tick = {.tv_nsec = TICK_MS * 1000000L};
	pe_auto_arena scratch = PE_ARENA_INIT;

	for (unsigned i = 0; i < ms / TICK_MS; i++) {
		if (*farm->app->interrupts > 0)
			return true;
		nanosleep(&tick, NULL);
	}
	return asked_to_stop(farm, &scratch);
}

/* --- The end --- */

/* Work that is over leaves nothing behind but its description: a piece that comes late is known by it. */
static int clean(struct pe_farm *farm)
{
	struct pe_app *app = farm->app;
	pe_auto_arena scratch = PE_ARENA_INIT;
	struct pe_strings pieces;
	bool known;
	int rc;

	if (left(farm) > 0)
		return PE_OK;
	rc = pe_spool_list(&pieces, farm->spool, "pieces", &scratch, app->err);
	for (size_t i = 0; rc == PE_OK && i < pieces.n; i++) {
		rc = pe_store_has_piece(&known, app->store, pieces.at[i], app->err);
		if (rc == PE_OK && known)
			rc = pe_files_remove(pe_arena_printf(&scratch, "%s/pieces/%s", farm->spool,
							     pieces.at[i]),
					     app->err);
	}
	return rc == PE_OK ? pe_spool_empty(app, farm->spool, "stores") : rc;
}

/* Children are waited for; what they leave is taken in, as far as it is whole. */
static int stop(struct pe_farm *farm)
{
	pe_auto_arena scratch = PE_ARENA_INIT;
	const bool for_good = *farm->app->interrupts == 0;

	for (size_t i = 0; i < farm->work.n; i++)
		if (farm->how == PE_FARM_LOCAL || for_good)
			cancel(farm, &farm->work.data[i]);
	if (farm->how == PE_FARM_LOCAL) {
		farm->dispatch.close(&farm->dispatch);
		farm->dispatch.close = NULL;
		take(farm);
	}
	if (farm->how == PE_FARM_LOCAL || for_good) {
		farm->work.n = 0;
		pe_farm_write_jobs(farm);
	} else if (left(farm) > 0) {
		pe_app_note(farm->app,
			    "%zu jobs go on: the same command takes in what they "
			    "measure, 'perfevo farm stop' ends them",
			    left(farm));
	}
	pe_files_remove(pe_arena_printf(&scratch, "%s/" PE_FARM_STOP, farm->spool), NULL);
	return pe_fail(farm->app->err, PE_ESTOPPED, "stopped");
}

static int report_given_up(struct pe_farm *farm)
{
	const struct pe_farm_work *worst = NULL;
	size_t n = 0;

	for (size_t i = 0; i < farm->work.n; i++)
		if (farm->work.data[i].given_up) {
			worst = &farm->work.data[i];
			n++;
		}
	if (n == 0)
		return PE_OK;
	return pe_fail(farm->app->err, PE_EUNSUPPORTED,
		       "%zu of %zu parts of the work could not be done: %s (%s/logs has more)", n,
		       farm->work.n, worst->said, farm->spool);
}

int pe_farm_watch(struct pe_farm *farm)
{
	int rc = PE_OK;

	farm->due_ns = 0;
	farm->pause_ms = farm->dispatch.least_ms;
	while (rc == PE_OK && left(farm) > 0) {
		rc = step(farm);
		if (rc == PE_OK && left(farm) > 0 && pe_farm_pause(farm, LOOK_MS))
			return stop(farm);
	}
	if (rc == PE_OK)
		rc = clean(farm);
	return rc == PE_OK ? report_given_up(farm) : rc;
}

int pe_farm_stop(size_t *n, struct pe_app *app)
{
	struct pe_farm farm;
	pe_auto_text nothing = PE_TEXT_INIT;
	int rc = pe_farm_open(&farm, app, PE_FARM_SLURM);

	*n = 0;
	if (rc == PE_EBUSY && farm.lock < 0)
		return pe_text_write_file(
			&nothing, pe_arena_printf(app->arena, "%s/" PE_FARM_STOP, farm.spool),
			app->err);
	if (rc == PE_OK)
		rc = poll_jobs(&farm);
	if (rc == PE_OK)
		rc = take(&farm);
	for (size_t i = 0; rc == PE_OK && i < farm.work.n; i++) {
		*n += farm.work.data[i].job.state == PE_JOB_RUNNING ||
		      farm.work.data[i].job.state == PE_JOB_WAITING;
		rc = cancel(&farm, &farm.work.data[i]);
	}
	if (rc == PE_OK) {
		farm.work.n = 0;
		rc = pe_farm_write_jobs(&farm);
	}
	pe_farm_close(&farm);
	return rc;
}
