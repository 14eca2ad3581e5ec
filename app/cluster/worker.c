#include "app/cluster/worker.h"

#include "app/cluster/pieces.h"
#include "app/measure/session.h"
#include "core/base/clock.h"
#include "core/base/files.h"
#include "core/exec/machine.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

enum {
	PAUSE_S = 10, /* from one piece to the next: about as much is lost when the node dies */
	SHARE = 20,   /* or as many times as long as writing took */
	FINDINGS_AT_ONCE = 8192,
	ROOM_S = 600,        /* that a full spool is waited for, at the end */
	ROOM_STOPPED_S = 30, /* and by a worker that was interrupted: Slurm gives it a minute */
};

struct worker {
	struct pe_app *app;
	const char *spool, *id, *node;
	struct pe_shard shard;
	struct pe_session session;
	const char *folder;    /* for the copy of the store; NULL: none yet */
	uint64_t due_ns;       /* when the next piece is */
	struct pe_text closed; /* documents of closed batches, and of earlier workers' pieces */
	PE_VEC(const char *) pieces; /* that the next one replaces */
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
	for (int s = 0; rc == PE_EFULL && !worker->measures &&
			s < (*app->interrupts > 0 ? ROOM_STOPPED_S : ROOM_S);
	     s++) {
		nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
		rc = pe_piece_put(name, app, worker->spool, piece);
	}
	return rc;
}

/* @param more  documents that the next piece has anew */
static int put(struct worker *worker, enum pe_piece_state state, const char *failure,
	       const struct pe_text *more)
{
	struct pe_arena *arena = worker->app->arena;
	pe_auto_text all = PE_TEXT_INIT;
	struct pe_piece piece = {
		.state = state,
		.shard = worker->id,
		.node = worker->node,
		.failure = failure,
		.time_ns = state != PE_PIECE_PART ? pe_clock_file_ns() : 0,
	};
	char name[PE_HASH_HEX];

	pe_text_addn(&all, pe_text_str(&worker->closed), worker->closed.len);
	pe_text_addn(&all, pe_text_str(more), more->len);
	piece.documents = all.data;
	PE_TRY(put_when_room(name, worker, &piece));
	for (size_t i = 0; i < worker->pieces.n; i++)
		if (strcmp(worker->pieces.data[i], name) != 0)
			pe_files_remove(pe_arena_printf(arena, "%s/pieces/%s", worker->spool,
							worker->pieces.data[i]),
					NULL);
	worker->pieces.n = 0;
	pe_vec_push(&worker->pieces, pe_arena_strdup(arena, name));
	return PE_OK;
}

/* A pe_document_fn; the payload is a text. */
static int add_document(const struct pe_document *document, void *payload)
{
	struct pe_text *out = payload;

	pe_text_addn(out, document->text.data, document->text.len);
	pe_text_addc(out, PE_PIECE_END);
	return PE_OK;
}

/*
 * The signal that ends this process ends its programs, too: Slurm signals all of a job. A failure at that time is not the
 * program's, and an earlier one will be found again by the worker that continues.
 */
static bool doubts_failures(const struct worker *worker)
{
	return *worker->app->interrupts > 0;
}

/* Those that are open come again, with more runs. */
static int add_batches(struct pe_text *out, const struct worker *worker, bool open)
{
	struct pe_app *app = worker->app;
	pe_auto_arena scratch = PE_ARENA_INIT;
	int64_t *keys;
	size_t n;

	PE_TRY(pe_store_farm_batches(&keys, &n, app->store, open, &scratch, app->err));
	for (size_t i = 0; i < n; i++) {
		PE_TRY(pe_store_pack_batch(app->store, keys[i], !doubts_failures(worker),
					   add_document, out, app->err));
		if (!open)
			PE_TRY(pe_store_batch_left(app->store, keys[i], app->err));
	}
	return PE_OK;
}

/* Leave all that was measured; findings, which rest on closed batches, with the last piece. */
static int leave(struct worker *worker, enum pe_piece_state state, bool last)
{
	struct pe_app *app = worker->app;
	const struct pe_findings findings = {.machine = worker->session.machine_key,
					     .most = FINDINGS_AT_ONCE,
					     .good_builds = true,
					     .no_failures = doubts_failures(worker)};
	pe_auto_text open = PE_TEXT_INIT;

	PE_TRY(add_batches(&worker->closed, worker, false));
	PE_TRY(add_batches(&open, worker, true));
	if (last)
		PE_TRY(pe_store_pack_findings(app->store, &findings, add_document, &open,
					      app->err));
	return put(worker, state, NULL, &open);
}

/* After a round; a failure is reported at the end of measuring, because this callback cannot return one. */
static void look(void *payload)
{
	struct worker *worker = payload;
	const uint64_t began_ns = pe_clock_ns();
	uint64_t took_ns;

	if (worker->rc != PE_OK || began_ns < worker->due_ns)
		return;
	worker->measures = true;
	worker->rc = leave(worker, PE_PIECE_PART, false);
	worker->measures = false;
	if (worker->rc == PE_EFULL)
		worker->rc = PE_OK;
	took_ns = pe_clock_ns() - began_ns;
	worker->due_ns = began_ns + PAUSE_S * UINT64_C(1000000000) + SHARE * took_ns;
}

/* --- The shard --- */

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
		return pe_fail(app->err, PE_EUNSUPPORTED,
			       "%s is of another kind than the machines of this farm: %s",
			       worker->node, pe_machine_describe(machine, app->arena));
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

/* Import the pieces of earlier workers of the shard, which the next piece has too. */
static int take_earlier(struct worker *worker)
{
	struct pe_app *app = worker->app;
	struct pe_pieces taken;

	PE_TRY(pe_pieces_take(&taken, app, worker->spool, worker->id, app->arena));
	for (size_t i = 0; i < taken.n; i++) {
		pe_text_add(&worker->closed, taken.at[i].piece.documents);
		pe_vec_push(&worker->pieces, taken.at[i].name);
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

static int measure(struct worker *worker)
{
	struct pe_session *session = &worker->session;
	int rc;

	PE_TRY(choose(worker));
	PE_TRY(check_versions(worker));
	session->look = look;
	session->look_payload = worker;
	worker->due_ns = pe_clock_ns() + PAUSE_S * UINT64_C(1000000000);
	rc = pe_track_measure(session, &worker->shard.request);
	if (rc == PE_OK && doubts_failures(worker))
		rc = pe_fail(worker->app->err, PE_ESTOPPED, "stopped");
	if (rc != PE_OK && rc != PE_ESTOPPED)
		return rc;
	PE_TRY(worker->rc);
	PE_TRY(leave(worker, rc == PE_OK ? PE_PIECE_DONE : PE_PIECE_PART, true));
	return rc;
}

static int work(struct worker *worker)
{
	struct pe_app *app = worker->app;
	const char *cache = app->config->farm.cache;

	PE_TRY(pe_shard_get(&worker->shard, app, worker->spool, worker->id, app->arena));
	if (cache == NULL)
		cache = pe_arena_printf(app->arena, "/var/tmp/perfevo-%ld", (long)geteuid());
	app->config->cache_dir = pe_arena_printf(app->arena, "%s/%s", cache, worker->node);
	if (worker->shard.quick)
		pe_track_make_quick(app);
	PE_TRY(take_class(worker));
	PE_TRY(open_store(worker));
	PE_TRY(take_earlier(worker));
	return measure(worker);
}

/* The coordinator shows the reason; Slurm's log has it, too. A worker that was interrupted is followed by another one. */
static int report(struct worker *worker, int rc)
{
	const struct pe_text nothing = PE_TEXT_INIT;
	struct pe_app *app = worker->app;
	const char *failure = pe_arena_strdup(app->arena, app->err->message);

	return rc == PE_OK || rc == PE_ESTOPPED ? rc
						: put(worker, PE_PIECE_FAILED, failure, &nothing);
}

int pe_farm_work(struct pe_app *app, const char *spool, const char *id)
{
	struct worker worker = {
		.app = app, .spool = spool, .id = id, .node = pe_farm_node(app->arena)};
	const int rc = report(&worker, work(&worker));

	pe_session_close(&worker.session);
	pe_store_close(app->store);
	app->store = NULL;
	if (worker.folder != NULL)
		pe_files_remove(worker.folder, NULL);
	pe_text_release(&worker.closed);
	pe_vec_release(&worker.pieces);
	return rc;
}
