#include "app/cluster/farm.h"

#include "core/base/clock.h"
#include "core/base/files.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
	TRIES = 3,         /* jobs of a shard in a row that measure nothing */
	VISIBLE_MS = 2000, /* after which a file server shows what an ended worker wrote */
	LEAST_MS = 1000,   /* between two queries of Slurm */
	MOST_MS = 30000,
	TICK_MS = 50,
	LOOK_MS = 250, /* between looks into the spool, which cost little */
};

/* A file that asks the coordinator of a spool to end. */
static const char *stop_file(const struct pe_farm *farm, struct pe_arena *arena)
{
	return pe_arena_printf(arena, "%s/stop", farm->spool);
}

int pe_farm_open(struct pe_farm *out, struct pe_app *app)
{
	*out = (struct pe_farm){.app = app, .spool = pe_spool_path(app), .lock = -1};
	PE_TRY(pe_spool_make(app, out->spool));
	PE_TRY(pe_spool_lock(&out->lock, app, out->spool));
	pe_jobs_open(&out->jobs, app, out->spool);
	return app->machine != NULL
		       ? pe_farm_other_nodes(&out->others, app, out->spool, app->machine)
		       : PE_OK;
}

void pe_farm_close(struct pe_farm *farm)
{
	pe_jobs_close(&farm->jobs);
	if (farm->app != NULL && farm->lock >= 0)
		close(farm->lock);
	pe_vec_release(&farm->parts);
	*farm = (struct pe_farm){.lock = -1};
}

static size_t left(const struct pe_farm *farm)
{
	size_t n = 0;

	for (size_t i = 0; i < farm->parts.n; i++)
		n += !farm->parts.data[i].over;
	return n;
}

static struct pe_farm_part *find_part(struct pe_farm *farm, const char *shard)
{
	for (size_t i = 0; i < farm->parts.n; i++)
		if (strcmp(farm->parts.data[i].name, shard) == 0)
			return &farm->parts.data[i];
	return NULL;
}

/* A note when the queue stops answering, and one when it answers again. */
static void note_silence(struct pe_farm *farm, bool silent)
{
	if (silent && !farm->silent)
		pe_app_note(farm->app, "the queue cannot be asked: waiting for it (%s)",
			    farm->app->err->message);
	else if (!silent && farm->silent)
		pe_app_note(farm->app, "the queue answers again");
	farm->silent = silent;
}

/* --- Parts --- */

void pe_farm_add(struct pe_farm *farm, const char *name, const struct pe_shard *shard)
{
	const struct pe_farm_part part = {.name = pe_arena_strdup(farm->app->arena, name),
					  .node = shard->node,
					  .avoid = shard->avoid};

	pe_vec_push(&farm->parts, part);
}

static void adopt(struct pe_farm *farm, const char *name)
{
	struct pe_shard shard;

	/* A probe, or a shard of a spool that somebody emptied: nothing can be taken in of it. */
	if (find_part(farm, name) == NULL &&
	    pe_shard_get(&shard, farm->app, farm->spool, name, farm->app->arena) == PE_OK)
		pe_farm_add(farm, name, &shard);
}

int pe_farm_adopt(struct pe_farm *farm)
{
	for (int rc = PE_EBUSY; rc == PE_EBUSY;) {
		rc = pe_jobs_poll(&farm->jobs);
		note_silence(farm, rc == PE_EBUSY);
		if (rc == PE_EBUSY && pe_farm_pause(farm, LEAST_MS))
			return pe_fail(farm->app->err, PE_ESTOPPED, "stopped");
	}
	for (size_t i = 0; i < farm->jobs.at.n; i++)
		adopt(farm, farm->jobs.at.data[i].shard);
	return PE_OK;
}

static void give_up(struct pe_farm *farm, struct pe_farm_part *part, const char *reason)
{
	part->over = true;
	part->reason = reason;
	farm->given_up++;
}

static int submit(struct pe_farm *farm, struct pe_farm_part *part)
{
	struct pe_app *app = farm->app;
	const char **exclude = pe_arena_new(app->arena, const char *, farm->others.n + 1);
	struct pe_strings excluded = {exclude, farm->others.n + (part->avoid != NULL)};
	int rc;

	for (size_t i = 0; i < farm->others.n; i++)
		exclude[i] = farm->others.at[i];
	exclude[farm->others.n] = part->avoid;
	if (part->tries >= TRIES) {
		give_up(farm, part,
			part->reason != NULL ? part->reason
					     : "its jobs ended without reporting a result");
		return PE_OK;
	}
	rc = pe_jobs_submit(&farm->jobs, part->name, part->node, &excluded);
	note_silence(farm, rc == PE_EBUSY);
	if (rc == PE_EUNSUPPORTED)
		give_up(farm, part, pe_arena_strdup(app->arena, app->err->message));
	if (rc == PE_EBUSY || rc == PE_EUNSUPPORTED)
		return PE_OK;
	part->tries++;
	part->handed_out = true;
	part->gone = false;
	farm->pause_ms = LEAST_MS;
	return rc;
}

/* A job that is gone may have left a piece that is not seen yet: the next query decides. */
static int look_after(struct pe_farm *farm, struct pe_farm_part *part)
{
	const struct pe_job *job = pe_jobs_find(&farm->jobs, part->name);
	const bool was_gone = part->gone;

	if (job != NULL && job->lacks_node && !part->waits)
		pe_app_note(farm->app,
			    "part %.8s waits for %s, which is down or drained: 'perfevo farm stop' "
			    "and the same command give it to another node",
			    part->name, part->node != NULL ? part->node : "a node");
	part->waits = job != NULL && job->lacks_node;
	part->gone = job == NULL;
	if (part->over || job != NULL)
		return PE_OK;
	if (!part->handed_out)
		return submit(farm, part);
	if (!was_gone)
		return PE_OK;
	pe_app_note(farm->app, "the job of part %.8s ended before the part was done%s%s",
		    part->name, part->reason != NULL ? ": " : "",
		    part->reason != NULL ? part->reason : "");
	return submit(farm, part);
}

/* --- Pieces --- */

static void act(struct pe_farm *farm, const struct pe_piece *piece)
{
	struct pe_farm_part *part = find_part(farm, piece->shard);

	if (part == NULL || part->over)
		return;
	if (piece->state == PE_PIECE_PART) {
		part->tries = 0;
		return;
	}
	if (piece->state == PE_PIECE_FAILED) {
		part->reason =
			pe_arena_printf(farm->app->arena, "%s: %s", piece->node, piece->failure);
		return;
	}
	part->over = true;
	part->reason = NULL;
	pe_app_note(farm->app, "%s is done with part %.8s: %zu left", piece->node, part->name,
		    left(farm));
	/* Requeued, it would be measured once more. */
	pe_jobs_drop(&farm->jobs, part->name);
}

static int take(struct pe_farm *farm)
{
	pe_auto_arena scratch = PE_ARENA_INIT;
	struct pe_pieces found;

	PE_TRY(pe_pieces_take(&found, farm->app, farm->spool, NULL, &scratch));
	for (size_t i = 0; i < found.n; i++)
		act(farm, &found.at[i].piece);
	return PE_OK;
}

/* @param waits  set: a job is gone since the query before, and what it wrote last may be visible only after some time */
static int look_after_all(struct pe_farm *farm, bool *waits)
{
	for (size_t i = 0; i < farm->parts.n; i++) {
		struct pe_farm_part *part = &farm->parts.data[i];
		const bool was_gone = part->gone;

		PE_TRY(look_after(farm, part));
		*waits = *waits || (part->handed_out && !part->over && part->gone && !was_gone);
	}
	return PE_OK;
}

/* The queue is queried first: pieces that a job wrote before it ended are imported before it counts as gone. */
static int step(struct pe_farm *farm)
{
	const uint64_t now_ns = pe_clock_ns();
	const bool due = now_ns >= farm->due_ns;
	const int asked = due ? pe_jobs_poll(&farm->jobs) : PE_EBUSY;
	bool waits = false;

	PE_TRY(take(farm));
	if (!due)
		return PE_OK;
	note_silence(farm, asked == PE_EBUSY);
	farm->pause_ms = farm->pause_ms * 5 / 4 < MOST_MS ? farm->pause_ms * 5 / 4 : MOST_MS;
	if (asked == PE_OK)
		PE_TRY(look_after_all(farm, &waits));
	/* However soon a job that was submitted meanwhile is to be seen. */
	if (waits)
		farm->pause_ms = VISIBLE_MS;
	farm->due_ns = pe_clock_ns() + farm->pause_ms * UINT64_C(1000000);
	return PE_OK;
}

bool pe_farm_pause(const struct pe_farm *farm, unsigned ms)
{
	const struct timespec tick = {.tv_nsec = TICK_MS * 1000000L};
	pe_auto_arena scratch = PE_ARENA_INIT;

	for (unsigned i = 0; i < ms / TICK_MS && *farm->app->interrupts == 0; i++)
		nanosleep(&tick, NULL);
	return *farm->app->interrupts > 0 || access(stop_file(farm, &scratch), F_OK) == 0;
}

/* --- The end --- */

/* Shards stay: a piece that comes late is checked against its shard. */
static int clean(struct pe_farm *farm)
{
	struct pe_app *app = farm->app;
	pe_auto_arena scratch = PE_ARENA_INIT;
	struct pe_strings pieces;
	bool known;

	PE_TRY(pe_spool_list(&pieces, farm->spool, "pieces", &scratch, app->err));
	for (size_t i = 0; i < pieces.n; i++) {
		PE_TRY(pe_store_has_piece(&known, app->store, pieces.at[i], app->err));
		if (known)
			PE_TRY(pe_files_remove(pe_arena_printf(&scratch, "%s/pieces/%s",
							       farm->spool, pieces.at[i]),
					       app->err));
	}
	PE_TRY(pe_files_remove(pe_arena_printf(&scratch, "%s/stores", farm->spool), app->err));
	return pe_spool_make(app, farm->spool);
}

static int stop(struct pe_farm *farm)
{
	pe_auto_arena scratch = PE_ARENA_INIT;
	const size_t n = left(farm);

	if (*farm->app->interrupts == 0) {
		pe_jobs_cancel(&farm->jobs);
	} else if (n > 0) {
		pe_app_note(farm->app,
			    "%zu jobs go on: the same command takes in what they measure, "
			    "'perfevo farm stop' ends them",
			    n);
	}
	pe_files_remove(stop_file(farm, &scratch), NULL);
	return pe_fail(farm->app->err, PE_ESTOPPED, "stopped");
}

int pe_farm_watch(struct pe_farm *farm)
{
	const char *reason = NULL;

	farm->due_ns = 0;
	farm->pause_ms = LEAST_MS;
	farm->given_up = 0;
	PE_TRY(step(farm));
	while (left(farm) > 0) {
		if (pe_farm_pause(farm, LOOK_MS))
			return stop(farm);
		PE_TRY(step(farm));
	}
	PE_TRY(clean(farm));
	for (size_t i = 0; farm->given_up > 0 && reason == NULL; i++)
		reason = farm->parts.data[i].reason;
	return farm->given_up == 0
		       ? PE_OK
		       : pe_fail(farm->app->err, PE_EUNSUPPORTED,
				 "%zu of %zu parts could not be measured: %s (%s/logs has more)",
				 farm->given_up, farm->parts.n, reason, farm->spool);
}

int pe_farm_stop(size_t *n, struct pe_app *app)
{
	pe_auto_farm farm = {.app = NULL};
	pe_auto_text nothing = PE_TEXT_INIT;
	int rc = pe_farm_open(&farm, app);
	const bool coordinated = rc == PE_EBUSY && farm.lock < 0;

	/* First, so that the coordinator submits nothing anew. */
	PE_TRY(coordinated ? pe_text_write_file(&nothing, stop_file(&farm, app->arena), app->err)
			   : rc);
	pe_jobs_open(&farm.jobs, app, farm.spool);
	rc = pe_jobs_poll(&farm.jobs);
	*n = farm.jobs.at.n;
	if (rc == PE_OK && *n > 0)
		rc = pe_jobs_cancel(&farm.jobs);
	return rc == PE_EBUSY && coordinated ? PE_OK : rc;
}
