/*
 * Import of received bundles. A git server controls who may write to it, and does not tell who did: a bundle is checked
 * before anything of it is inflated, within bounds (store/exchange.h), and read once. Refused bundles are stored,
 * with the refusing version, so that the next pull skips them; so is a missing commit, until it arrives.
 */
#include "app/jobs/exchange_internal.h"

#include "core/base/clock.h"

#include <string.h>

/* A confirmation that its runs refute costs as much time as this much text. */
enum { MISS_BYTES = 256 * 1024 };

/* The bundle at hand. */
struct taking {
	struct pe_exchange *exchange;
	const char *name;
	struct pe_bundle_origin origin;
	const char *here; /* this machine's fingerprint */
	const char *missing;
	bool batches;            /* only bundles of batches are read; else those of findings */
	bool other;              /* it is for the other pass over all of them */
	size_t rows, bytes, own; /* of the documents so far */
	struct pe_results_sum sum;
	struct pe_arena *arena;
};

int pe_exchange_stopped(const struct pe_app *app)
{
	return pe_fail(app->err, PE_ESTOPPED, "interrupted: run 'perfevo pull' again for the rest");
}

/* This machine's own results are in its own store, and are not accepted from others. */
static int is_own(bool *out, struct taking *taking, const struct pe_results *results)
{
	struct pe_app *app = taking->exchange->app;

	*out = strcmp(results->fingerprint, taking->here) == 0;
	return *out ? PE_OK : pe_store_is_own(out, app->store, results->fingerprint, app->err);
}

static int take_results(struct taking *taking, const struct pe_results *results)
{
	struct pe_app *app = taking->exchange->app;
	const struct pe_results_source source = {.origin = taking->origin.name,
						 .public_key = taking->origin.public_key,
						 .remote = taking->exchange->remote.name,
						 .now_s = pe_clock_now_s(),
						 .interrupts = app->interrupts};

	PE_TRY(pe_app_find_revisions(&taking->missing, app, results, taking->arena));
	return pe_store_take_in(&taking->sum, app->store, &source, app->err);
}

static int take_document(struct taking *taking, const struct pe_bundle_document *from)
{
	struct pe_app *app = taking->exchange->app;
	struct pe_results results;
	const char *text;
	bool own = false;

	taking->bytes += from->size;
	PE_TRY(pe_bundles_read(&text, taking->exchange->bundles, from, taking->arena, app->err));
	PE_TRY(pe_results_read(&results, app->store, text, taking->arena, app->err));
	if (results.has_batch != taking->batches) {
		taking->other = true;
		return pe_fail(app->err, PE_EINVALID, "it mixes batches with findings");
	}
	taking->rows += results.n_rows;
	if (taking->rows > PE_RESULTS_ROWS)
		return pe_fail(app->err, PE_EINVALID, "it has more than %d rows", PE_RESULTS_ROWS);
	PE_TRY(is_own(&own, taking, &results));
	taking->own += own;
	return own ? PE_OK : take_results(taking, &results);
}

/* In a transaction: all of a bundle or nothing. */
static int take_bundle(struct taking *taking)
{
	struct pe_app *app = taking->exchange->app;
	struct pe_bundle bundle;
	struct pe_stored_bundle done = {.refused = NULL};
	pe_auto_transaction store = NULL;

	PE_TRY(pe_bundles_look(&bundle, taking->exchange->bundles, taking->name, PE_RESULTS_BYTES,
			       taking->arena, app->err));
	PE_TRY(pe_exchange_origin(&taking->origin, &bundle, app, taking->arena));
	PE_TRY(pe_store_begin(app->store, app->err));
	store = app->store;
	for (size_t i = 0; i < bundle.n; i++)
		PE_TRY(*app->interrupts > 0 ? pe_exchange_stopped(app)
					    : take_document(taking, &bundle.documents[i]));
	done.missing = taking->missing;
	PE_TRY(pe_store_put_bundle(store, taking->name, &done, app->err));
	return pe_store_commit(store, app->err);
}

/* A bundle that cannot be read is somebody's mistake or malice, and no reason to keep the others out. */
static bool is_refusal(int rc)
{
	return rc == PE_EINVALID || rc == PE_EUNSUPPORTED || rc == PE_EVCS;
}

/* Git forgets it, too: another version of perfevo fetches it again. */
int pe_exchange_refuse(struct pe_exchange_sum *out, struct pe_exchange *exchange, const char *name)
{
	struct pe_app *app = exchange->app;
	const struct pe_stored_bundle refused = {
		.refused = pe_arena_strdup(app->arena, app->err->message), .reader = PE_VERSION};
	int rc = pe_store_put_bundle(app->store, name, &refused, app->err);

	if (out->refused++ < PE_EXCHANGE_NAMED)
		pe_app_note(app, PE_BUNDLE_REFS "%s is left out: %s", name, refused.refused);
	return rc == PE_OK ? pe_bundles_forget(exchange->bundles, name, app->err) : rc;
}

/* Nothing is wrong with it, but there is no ssh-keygen that could tell. */
static int postpone(const struct taking *taking)
{
	struct pe_app *app = taking->exchange->app;

	if (!taking->batches)
		pe_app_note(app, PE_BUNDLE_REFS "%s is left for later: %s", taking->name,
			    app->err->message);
	return PE_OK;
}

static void add_sum(struct pe_exchange_sum *out, const struct taking *taking)
{
	out->bundles++;
	out->waiting += taking->missing != NULL;
	out->own += taking->own;
	pe_results_sum_add(&out->rows, &taking->sum);
}

/* Import a bundle, in the pass that is for it: batches first, for confirmations rest on their runs. */
static int visit(struct pe_exchange_sum *out, struct taking *taking)
{
	int rc = take_bundle(taking);

	if (rc == PE_OK)
		add_sum(out, taking);
	else if (taking->other && taking->batches)
		return PE_OK;
	else if (is_refusal(rc))
		return pe_exchange_refuse(out, taking->exchange, taking->name);
	else if (rc == PE_ENOTFOUND)
		return postpone(taking);
	return rc;
}

int pe_exchange_is_due(bool *out, struct pe_exchange *exchange, const char *name)
{
	struct pe_app *app = exchange->app;
	pe_auto_arena scratch = PE_ARENA_INIT;
	struct pe_stored_bundle stored;
	struct pe_revision revision;
	int rc = pe_store_get_bundle(&stored, app->store, name, &scratch, app->err);

	*out = rc == PE_ENOTFOUND;
	if (rc == PE_ENOTFOUND)
		return PE_OK;
	PE_TRY(rc);
	if (stored.refused != NULL)
		*out = stored.reader == NULL || strcmp(stored.reader, PE_VERSION) != 0;
	else if (stored.missing != NULL)
		*out = pe_repo_commit(&revision, app->repo, stored.missing, &scratch) == PE_OK;
	return PE_OK;
}

/*
 * One pass over what is due, until as much text was read as a pull takes.
 *
 * @param left  set to the number of bundles of this pass, or the next, that were not looked at
 */
static int pass(struct pe_exchange_sum *out, size_t *left, struct pe_exchange *exchange,
		const char *const *names, size_t n, bool batches)
{
	struct pe_app *app = exchange->app;
	uint64_t bytes = 0;

	*left = 0;
	for (size_t i = 0; i < n; i++) {
		pe_auto_arena arena = PE_ARENA_INIT;
		struct taking taking = {.exchange = exchange,
					.name = names[i],
					.here = pe_app_here(app)->fingerprint,
					.batches = batches,
					.arena = &arena};
		bool due;

		if (*app->interrupts > 0)
			return pe_exchange_stopped(app);
		PE_TRY(pe_exchange_is_due(&due, exchange, taking.name));
		if (due && bytes >= exchange->limits.text_bytes)
			++*left;
		else if (due)
			PE_TRY(visit(out, &taking));
		bytes += taking.other ? 0 : taking.bytes + MISS_BYTES * taking.sum.misses;
	}
	return PE_OK;
}

int pe_exchange_take_in(struct pe_exchange_sum *out, struct pe_exchange *exchange)
{
	struct pe_app *app = exchange->app;
	const char **names;
	size_t n, left;

	PE_TRY(pe_bundles_list(&names, &n, exchange->bundles, app->arena, app->err));
	/* Confirmations rest on the runs of batches: as long as some of these are left, they wait. */
	PE_TRY(pass(out, &left, exchange, names, n, true));
	if (left == 0)
		PE_TRY(pass(out, &left, exchange, names, n, false));
	out->left += left;
	return pe_exchange_tidy(out, exchange);
}
