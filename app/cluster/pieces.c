#include "app/cluster/pieces.h"

#include "app/cluster/shard.h"
#include "core/base/array.h"
#include "core/base/clock.h"

#include <stdio.h>
#include <string.h>

/* What is taken in. */
struct taking {
	struct pe_app *app;
	const char *spool, *only;
	struct pe_pieces *out;
	PE_VEC(struct pe_piece_taken) taken;
	struct pe_arena *arena;
};

static int read_shard(struct pe_shard *out, const struct taking *taking, const char *name,
		      struct pe_arena *arena)
{
	const int rc = pe_shard_get(out, taking->app, taking->spool, name, arena);

	return rc != PE_ENOTFOUND
		       ? rc
		       : pe_fail(taking->app->err, PE_EINVALID, "its work is not of this farm");
}

static bool has_benchmark(const struct pe_shard *shard, const struct pe_results_benchmark *one)
{
	for (size_t i = 0; i < shard->names.n; i++)
		if (strcmp(shard->names.at[i], one->name) == 0 &&
		    strcmp(shard->versions.at[i], one->version) == 0)
			return true;
	return false;
}

/* Whether results are those of a shard, and of nothing else. */
static int check(const struct taking *taking, const struct pe_shard *shard,
		 const struct pe_results *results)
{
	struct pe_err *err = taking->app->err;

	if (strcmp(results->fingerprint, shard->machine) != 0)
		return pe_fail(err, PE_EINVALID, "it is of another machine than its work");
	for (size_t i = 0; i < results->n_benchmarks; i++)
		if (!has_benchmark(shard, &results->benchmarks[i]))
			return pe_fail(err, PE_EINVALID, "it has '%s', which is not of its work",
				       results->benchmarks[i].name);
	return PE_OK;
}

static int take_document(struct taking *taking, const struct pe_shard *shard, const char *node,
			 const char *document, struct pe_arena *arena)
{
	struct pe_app *app = taking->app;
	const struct pe_results_source source = {
		.origin = "", .remote = "", .node = node, .now_s = pe_clock_now_s()};
	const char *missing = NULL;
	struct pe_results results;

	PE_TRY(pe_results_read(&results, app->store, document, arena, app->err));
	PE_TRY(check(taking, shard, &results));
	PE_TRY(pe_app_find_revisions(&missing, app, &results, arena));
	if (missing != NULL)
		return pe_fail(app->err, PE_EINVALID, "it speaks of %.10s, which is not here",
			       missing);
	return pe_store_take_in(&taking->out->rows, app->store, &source, app->err);
}

/* What earlier pieces of the shard had is in the store: these rows stay as they are. */
static int take_piece(struct taking *taking, const char *name, const struct pe_piece *piece,
		      struct pe_arena *arena)
{
	struct pe_app *app = taking->app;
	struct pe_shard shard;
	int rc = read_shard(&shard, taking, piece->shard, arena);

	for (char *at = piece->documents, *end; rc == PE_OK && *at != '\0'; at = end + 1) {
		end = strchr(at, PE_PIECE_END);
		if (end == NULL)
			return pe_fail(app->err, PE_EINVALID, "it is no piece of results");
		*end = '\0';
		rc = take_document(taking, &shard, piece->node, at, arena);
		*end = PE_PIECE_END;
	}
	PE_TRY(rc);
	return pe_store_put_piece(app->store, name, piece->shard, app->err);
}

/* The next look does not find it any more. */
static int set_aside(struct taking *taking, const char *name, struct pe_arena *arena)
{
	struct pe_app *app = taking->app;
	const char *from = pe_arena_printf(arena, "%s/pieces/%s", taking->spool, name);
	const char *to = pe_arena_printf(arena, "%s/refused/%s", taking->spool, name);

	pe_app_note(app, "a piece of results is set aside as %s: %s", to, app->err->message);
	taking->out->refused++;
	return rename(from, to) == 0 ? PE_OK : pe_fail_errno(app->err, "cannot rename %s", from);
}

/* In a transaction: all of a piece or nothing. */
static int take_whole(struct taking *taking, const char *name, const struct pe_piece *piece,
		      struct pe_arena *scratch)
{
	struct pe_app *app = taking->app;
	pe_auto_transaction store = app->store;

	PE_TRY(pe_store_begin(store, app->err));
	PE_TRY(take_piece(taking, name, piece, scratch));
	return pe_store_commit(store, app->err);
}

static int visit(struct taking *taking, const char *name)
{
	struct pe_app *app = taking->app;
	pe_auto_arena scratch = PE_ARENA_INIT;
	struct pe_piece piece;
	bool known;
	int rc;

	PE_TRY(pe_store_has_piece(&known, app->store, name, app->err));
	if (known)
		return PE_OK;
	rc = pe_piece_get(&piece, app, taking->spool, name, taking->arena);
	if (rc == PE_ENOTFOUND ||
	    (rc == PE_OK && taking->only != NULL && strcmp(taking->only, piece.shard) != 0))
		return PE_OK;
	if (rc == PE_OK)
		rc = take_whole(taking, name, &piece, &scratch);
	if (rc == PE_OK)
		pe_vec_push(&taking->taken,
			    ((struct pe_piece_taken){pe_arena_strdup(taking->arena, name), piece}));
	return rc == PE_EINVALID || rc == PE_EUNSUPPORTED ? set_aside(taking, name, &scratch) : rc;
}

int pe_pieces_take(struct pe_pieces *out, struct pe_app *app, const char *spool, const char *shard,
		   struct pe_arena *arena)
{
	/* Released after each pass: there may be many. */
	pe_auto_arena scratch = PE_ARENA_INIT;
	struct pe_app look = *app;
	struct taking taking = {
		.app = &look, .spool = spool, .only = shard, .out = out, .arena = arena};
	struct pe_strings names;
	int rc = pe_spool_list(&names, spool, "pieces", &scratch, app->err);

	*out = (struct pe_pieces){0};
	look.arena = &scratch;
	for (size_t i = 0; rc == PE_OK && i < names.n; i++)
		rc = visit(&taking, names.at[i]);
	out->n = taking.taken.n;
	out->at = pe_vec_copy(arena, &taking.taken);
	pe_vec_release(&taking.taken);
	return rc;
}
