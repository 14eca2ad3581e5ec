#include "app/cluster/worker.h"

#include "app/cluster/pieces.h"
#include "app/measure/session.h"
#include "core/base/array.h"
#include "core/base/clock.h"
#include "core/base/files.h"
#include "core/exec/machine.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

enum {
	PAUSE_S =
		10, /* between exports of an open batch: at most this much is lost when the node dies */
	FINDINGS_AT_ONCE = 8192,
	HOLD_S = 600, /* that another worker of the shard is waited for: its machine may be dead */
	ROOM_S = 600, /* that a full spool is waited for, at the end */
	ROOM_STOPPED_S = 30, /* and by a worker that was interrupted: Slurm gives it a minute */
};

/* What has left of a batch. */
struct sent {
	int64_t batch;
	uint64_t sequence; /* runs before this one */
};

struct worker {
	struct pe_app *app;
	const char *spool, *id, *node;
	struct pe_shard shard;
	struct pe_session session;
	const char *folder; /* for the copy of the store; NULL: none yet */
	uint64_t looked_ns;
	PE_VEC(struct sent) sent;
	PE_VEC(const char *) pieces; /* that the shard has */
	int held;                    /* its lock, as long as it works */
	bool measures;               /* what cannot be written now leaves later */
	int rc;                      /* of what was written while somebody else measured */
};

const char *pe_farm_node(struct pe_arena *arena)
{
	const char *slurm = getenv("SLURMD_NODENAME");
	struct utsname system;

	if (slurm != NULL && slurm[0] != '\0')
		return pe_arena_strdup(arena, slurm);
	return pe_arena_strdup(arena, uname(&system) == 0 ? system.nodename : "localhost");
}

/* --- Pieces --- */

/* Write a piece, waiting for room in the spool rather than losing results. */
static int put_when_room(char name[PE_HASH_HEX], const struct worker *worker,
			 const struct pe_piece *piece)
{
	struct pe_app *app = worker->app;
	int rc = pe_piece_put(name, app, worker->spool, piece);

	if (rc == PE_EFULL && !worker->measures)
		pe_app_note(app, "%s: waiting for room", app->err->message);
	for (unsigned s = 0; rc == PE_EFULL && !worker->measures &&
			     s < (unsigned)(*app->interrupts > 0 ? ROOM_STOPPED_S : ROOM_S);
	     s++) {
		nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
		rc = pe_piece_put(name, app, worker->spool, piece);
	}
	return rc;
}

static int put(struct worker *worker, const struct pe_piece *piece)
{
	struct pe_piece whole = *piece;
	char name[PE_HASH_HEX];

	whole.shard = worker->id;
	whole.node = worker->node;
	whole.time_ns = whole.kind >= PE_PIECE_DONE ? pe_clock_file_ns() : 0;
	PE_TRY(put_when_room(name, worker, &whole));
	if (whole.kind < PE_PIECE_DONE)
		pe_vec_push(&worker->pieces, pe_arena_strdup(worker->app->arena, name));
	return PE_OK;
}

static int put_results(struct worker *worker, enum pe_piece_kind kind, const struct pe_text *text)
{
	return put(worker,
		   &(struct pe_piece){.kind = kind, .document = text->data, .n = text->len});
}

static struct sent *sent_of(struct worker *worker, int64_t batch)
{
	for (size_t i = 0; i < worker->sent.n; i++)
		if (worker->sent.data[i].batch == batch)
			return &worker->sent.data[i];
	pe_vec_push(&worker->sent, (struct sent){.batch = batch});
	return &worker->sent.data[worker->sent.n - 1];
}

/*
 * The signal that ends this process ends its programs, too: Slurm signals all of a job. A failure at that time is not the
 * program's, and an earlier one will be found again by the worker that continues.
 */
static bool doubts_failures(const struct worker *worker)
{
	return *worker->app->interrupts > 0;
}

static int put_batch(struct worker *worker, int64_t key)
{
	struct pe_app *app = worker->app;
	pe_auto_arena scratch = PE_ARENA_INIT;
	struct pe_batch_part part = {.batch = key,
				     .from = sent_of(worker, key)->sequence,
				     .failures = !doubts_failures(worker)};
	struct pe_batch batch;
	uint64_t next = part.from;
	bool more = true;
	int rc = PE_OK;

	PE_TRY(pe_store_get_batch(&batch, app->store, key, &scratch, app->err));
	/* The runs of a confirmation count when it is decided. */
	if (batch.open && batch.aside)
		return PE_OK;
	for (; rc == PE_OK && more; part.part++) {
		struct pe_document packed;

		rc = pe_store_pack_batch(&packed, app->store, &part, app->err);
		more = packed.more;
		if (rc == PE_OK && packed.sum.runs > 0)
			rc = put_results(worker, PE_PIECE_BATCH, &packed.text);
		if (packed.next > next)
			next = packed.next;
		pe_text_release(&packed.text);
	}
	PE_TRY(rc);
	sent_of(worker, key)->sequence = next;
	return batch.open ? PE_OK : pe_store_batch_left(app->store, key, app->err);
}

static int put_batches(struct worker *worker)
{
	struct pe_app *app = worker->app;
	pe_auto_arena scratch = PE_ARENA_INIT;
	int64_t *keys;
	size_t n;

	PE_TRY(pe_store_farm_batches(&keys, &n, app->store, &scratch, app->err));
	for (size_t i = 0; i < n; i++)
		PE_TRY(put_batch(worker, keys[i]));
	return PE_OK;
}

static int put_findings(struct worker *worker)
{
	struct pe_app *app = worker->app;
	struct pe_findings news = {.machine = worker->session.machine_key,
				   .most = FINDINGS_AT_ONCE,
				   .good_builds = true};
	bool more = true;
	int rc = PE_OK;

	while (rc == PE_OK && more) {
		struct pe_document packed;
		const struct pe_results_sum *sum = &packed.sum;

		news.no_failures = doubts_failures(worker);
		rc = pe_store_pack_findings(&packed, app->store, &news, app->err);
		more = sum->builds + sum->reused + sum->confirmations > 0;
		if (rc == PE_OK && more)
			rc = put_results(worker, PE_PIECE_FINDINGS, &packed.text);
		if (rc == PE_OK && more)
			rc = pe_store_findings_left(app->store, &news, app->err);
		pe_text_release(&packed.text);
	}
	return rc;
}

/* After a round; a failure is reported at the end of measuring, because this callback cannot return one. */
static void look(void *payload)
{
	struct worker *worker = payload;
	const uint64_t now_ns = pe_clock_ns();

	if (worker->rc != PE_OK || now_ns - worker->looked_ns < PAUSE_S * UINT64_C(1000000000))
		return;
	worker->looked_ns = now_ns;
	worker->measures = true;
	worker->rc = put_batches(worker);
	worker->measures = false;
	if (worker->rc == PE_EFULL)
		worker->rc = PE_OK;
}

/* --- The shard --- */

/*
 * Slurm may start a second worker: it forgot the first, or cannot reach its node. Two would measure the same, so one waits,
 * and goes on from what the other left.
 */
static int hold(struct worker *worker)
{
	struct pe_app *app = worker->app;
	int rc = pe_spool_hold(&worker->held, app, worker->spool, worker->id);

	if (rc == PE_EBUSY)
		pe_app_note(app, "%s: waiting for it", app->err->message);
	for (unsigned s = 0; rc == PE_EBUSY && s < HOLD_S; s++) {
		if (*app->interrupts > 0)
			return pe_fail(app->err, PE_ESTOPPED, "stopped");
		nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
		rc = pe_spool_hold(&worker->held, app, worker->spool, worker->id);
	}
	return rc == PE_EBUSY ? PE_OK : rc;
}

/* The results are those of a class of machines where this node is of it. PE_EUNSUPPORTED: it is not. */
static int take_class(struct worker *worker)
{
	struct pe_app *app = worker->app;
	struct pe_machine *machine = pe_arena_new(app->arena, struct pe_machine, 1);

	*machine = *pe_app_here(app);
	pe_machine_as_class(machine);
	/* The signal also ends compilers that were run for their versions. */
	if (*app->interrupts > 0)
		return pe_fail(app->err, PE_ESTOPPED, "stopped");
	if (strcmp(machine->fingerprint, worker->shard.machine) != 0)
		return pe_fail(
			app->err, PE_EUNSUPPORTED,
			"%s is of another kind than the machines of this farm: %s, %u cores, "
			"%llu GiB, %s",
			worker->node, machine->cpu, machine->cores,
			(unsigned long long)((machine->memory_bytes + (1u << 29)) >> 30),
			machine->kernel);
	app->machine = machine;
	return PE_OK;
}

/* The copy is on the node: SQLite is not written over a network. */
static int open_store(struct worker *worker)
{
	struct pe_app *app = worker->app;
	const char *tmp = getenv("TMPDIR");
	char *folder = pe_arena_printf(app->arena, "%s/perfevo-work-XXXXXX",
				       tmp != NULL && tmp[0] == '/' ? tmp : "/tmp");
	const char *from =
		pe_arena_printf(app->arena, "%s/stores/%s", worker->spool, worker->shard.store);
	pe_auto_text copy = PE_TEXT_INIT;

	if (mkdtemp(folder) == NULL)
		return pe_fail_errno(app->err, "cannot make a folder in %s", folder);
	worker->folder = folder;
	app->store_path = pe_arena_printf(app->arena, "%s/perfevo.db", folder);
	PE_TRY(pe_text_read_file(&copy, from, app->err));
	PE_TRY(pe_text_write_file(&copy, app->store_path, app->err));
	return pe_app_open(app, PE_NEEDS_STORE);
}

/* Import the pieces of earlier workers of the shard. */
static int take_earlier(struct worker *worker)
{
	struct pe_app *app = worker->app;
	struct pe_pieces taken;
	struct pe_strings names;
	bool known;

	PE_TRY(pe_pieces_take(&taken, app, worker->spool, worker->id, app->arena));
	PE_TRY(pe_spool_list(&names, worker->spool, "pieces", app->arena, app->err));
	for (size_t i = 0; i < names.n; i++) {
		PE_TRY(pe_store_has_piece(&known, app->store, names.at[i], app->err));
		if (known)
			pe_vec_push(&worker->pieces, names.at[i]);
	}
	return pe_store_all_left(app->store, app->err);
}

static int choose(struct worker *worker)
{
	const struct pe_range range = {.ids = worker->shard.revisions};
	struct pe_app *app = worker->app;
	struct pe_session *session = &worker->session;
	struct pe_revisions revisions;

	PE_TRY(pe_repo_walk(&revisions, app->repo, &range, app->arena, app->err));
	PE_TRY(pe_session_open(session, app, true));
	if (strcmp(session->recipe_hash, worker->shard.recipe) != 0)
		return pe_fail(app->err, PE_EINVALID,
			       "the config builds otherwise than when the work was handed out");
	session->names = &worker->shard.names;
	session->metrics = worker->shard.metrics.n > 0 ? &worker->shard.metrics : NULL;
	session->whole = worker->shard.whole;
	return pe_session_choose(session, &revisions, NULL);
}

/* A config that was edited meanwhile has other benchmarks of the same names. */
static int check_versions(const struct worker *worker)
{
	const struct pe_session *session = &worker->session;
	const struct pe_shard *shard = &worker->shard;

	for (size_t w = 0; w < session->benchmarks.n; w++) {
		const struct pe_benchmark *one = session->benchmarks.data[w];

		for (size_t i = 0; i < shard->names.n; i++)
			if (strcmp(one->name, shard->names.at[i]) == 0 &&
			    strcmp(one->version, shard->versions.at[i]) != 0)
				return pe_fail(worker->app->err, PE_EINVALID,
					       "the config has another benchmark '%s' than when "
					       "the work was handed out",
					       one->name);
	}
	return PE_OK;
}

static int put_done(struct worker *worker)
{
	struct pe_app *app = worker->app;
	const struct pe_session *session = &worker->session;
	const struct pe_shard *shard = &worker->shard;
	struct pe_piece piece = {.kind = PE_PIECE_DONE,
				 .pieces = {worker->pieces.data, worker->pieces.n},
				 .n_costs = shard->names.n};

	piece.costs = pe_arena_new(app->arena, struct pe_spending, piece.n_costs);
	for (size_t w = 0; w < session->benchmarks.n; w++)
		for (size_t i = 0; i < shard->names.n; i++)
			if (strcmp(session->benchmarks.data[w]->name, shard->names.at[i]) == 0)
				PE_TRY(pe_store_get_costs(
					&piece.costs[i], app->store, session->machine_key,
					session->benchmarks.data[w]->key, app->err));
	return put(worker, &piece);
}

static int measure(struct worker *worker)
{
	struct pe_session *session = &worker->session;
	int rc;

	PE_TRY(choose(worker));
	PE_TRY(check_versions(worker));
	session->look = look;
	session->look_payload = worker;
	worker->looked_ns = pe_clock_ns();
	rc = pe_track_measure(session, &worker->shard.request);
	if (rc == PE_OK && doubts_failures(worker))
		rc = pe_fail(worker->app->err, PE_ESTOPPED, "stopped");
	if (rc != PE_OK && rc != PE_ESTOPPED)
		return rc;
	PE_TRY(worker->rc);
	PE_TRY(put_batches(worker));
	PE_TRY(put_findings(worker));
	return rc == PE_OK ? put_done(worker) : rc;
}

static int work(struct worker *worker, void (*quick)(struct pe_app *app))
{
	struct pe_app *app = worker->app;
	const char *cache = app->config->farm.cache;

	PE_TRY(pe_shard_get(&worker->shard, app, worker->spool, worker->id, app->arena));
	if (cache == NULL)
		cache = pe_arena_printf(app->arena, "/var/tmp/perfevo-%ld", (long)geteuid());
	app->config->cache_dir = pe_arena_printf(app->arena, "%s/%s", cache, worker->node);
	if (worker->shard.quick)
		quick(app);
	PE_TRY(take_class(worker));
	PE_TRY(hold(worker));
	PE_TRY(open_store(worker));
	PE_TRY(take_earlier(worker));
	return measure(worker);
}

/* The coordinator shows the reason; Slurm's log has it, too. A worker that was interrupted is followed by another one. */
static int report(struct worker *worker, int rc)
{
	struct pe_app *app = worker->app;
	const char *failure = pe_arena_strdup(app->arena, app->err->message);

	if (rc == PE_OK || rc == PE_ESTOPPED)
		return rc;
	return put(worker, &(struct pe_piece){.kind = PE_PIECE_FAILED, .failure = failure});
}

int pe_farm_work(struct pe_app *app, const char *spool, const char *id,
		 void (*quick)(struct pe_app *app))
{
	struct worker worker = {
		.app = app, .spool = spool, .id = id, .node = pe_farm_node(app->arena), .held = -1};
	const int rc = report(&worker, work(&worker, quick));

	pe_session_close(&worker.session);
	pe_store_close(app->store);
	app->store = NULL;
	if (worker.folder != NULL)
		pe_files_remove(worker.folder, NULL);
	if (worker.held >= 0)
		close(worker.held);
	pe_vec_release(&worker.sent);
	pe_vec_release(&worker.pieces);
	return rc;
}
