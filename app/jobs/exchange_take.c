/*
 * Exchange, inwards. A git server says who may write to it, not who has: a bundle is looked at before anything of it is
 * inflated, within bounds (store/exchange/results.h), and read once. What was refused, and by which version, is stored, so that
 * the next pull passes it over; so is a commit that was not here, until it is.
 */
#include "app/jobs/exchange_internal.h"

#include "core/base/clock.h"
#include "core/exec/machine.h"

#include <string.h>

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
	struct pe_arena arena;
};

/* This machine's own results are in its own store, and nobody else's word on it is taken. */
static int is_own(bool *out, struct taking *taking, const struct pe_results *results)
{
	struct pe_app *app = taking->exchange->app;

	*out = strcmp(results->machine.fingerprint, taking->here) == 0;
	return *out ? PE_OK
		    : pe_store_is_own(out, app->store, results->machine.fingerprint, app->err);
}

static int take_results(struct taking *taking, const struct pe_results *results,
			struct pe_arena *arena)
{
	struct pe_app *app = taking->exchange->app;
	struct pe_results_source source = {.origin = taking->origin.name,
					   .public_key = taking->origin.public_key,
					   .remote = taking->exchange->remote.name};
	const char *missing = NULL;
	int64_t *keys, *times_s;
	bool own;
	int rc = is_own(&own, taking, results);

	if (rc == PE_OK && own) {
		taking->own++;
		return PE_OK;
	}
	if (rc == PE_OK)
		rc = pe_app_find_revisions(&keys, &times_s, &missing, app, results, arena);
	if (rc == PE_OK && taking->missing == NULL && missing != NULL)
		taking->missing = pe_arena_strdup(&taking->arena, missing);
	if (rc == PE_OK)
		rc = pe_results_check(results, times_s, pe_clock_now_s(), app->err);
	if (rc != PE_OK)
		return rc;
	source.revisions = keys;
	return pe_store_take_in(&taking->sum, app->store, results, &source, app->err);
}

static int take_document(struct taking *taking, const struct pe_bundle_document *document)
{
	struct pe_app *app = taking->exchange->app;
	struct pe_arena scratch = PE_ARENA_INIT;
	struct pe_results results;
	const char *text;
	int rc;

	taking->bytes += document->size;
	rc = pe_bundles_read(&text, taking->exchange->bundles, document, &scratch, app->err);

	if (rc == PE_OK)
		rc = pe_results_read(&results, text, document->size, &scratch, app->err);
	if (rc == PE_OK && results.has_batch != taking->batches) {
		taking->other = true;
		rc = pe_fail(app->err, PE_EINVALID, "it mixes batches with findings");
	}
	if (rc == PE_OK) {
		taking->rows += pe_results_count(&results);
		if (taking->rows > PE_RESULTS_ROWS)
			rc = pe_fail(app->err, PE_EINVALID, "it has more than %d rows",
				     PE_RESULTS_ROWS);
	}
	if (rc == PE_OK)
		rc = take_results(taking, &results, &scratch);
	pe_arena_release(&scratch);
	return rc;
}

/* In a transaction: all of a bundle or nothing. */
static int take_bundle(struct taking *taking)
{
	struct pe_exchange *exchange = taking->exchange;
	struct pe_app *app = exchange->app;
	struct pe_stored_bundle done = {0};
	struct pe_bundle bundle;
	int rc = pe_bundles_look(&bundle, exchange->bundles, taking->name, PE_RESULTS_BYTES,
				 &taking->arena, app->err);

	if (rc == PE_OK)
		rc = pe_exchange_origin(&taking->origin, &bundle, app, &taking->arena);
	for (size_t i = 0; rc == PE_OK && i < bundle.n; i++)
		rc = take_document(taking, &bundle.documents[i]);
	done.missing = taking->missing;
	return rc == PE_OK ? pe_store_put_bundle(app->store, taking->name, &done, app->err) : rc;
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
	const struct pe_results_sum *one = &taking->sum;

	out->bundles++;
	out->waiting += taking->missing != NULL;
	out->own += taking->own;
	out->rows.batches += one->batches;
	out->rows.runs += one->runs;
	out->rows.builds += one->builds;
	out->rows.reused += one->reused;
	out->rows.confirmations += one->confirmations;
	out->rows.profiles += one->profiles;
	out->rows.unproved += one->unproved;
}

/* Read a bundle, in the pass that is for it: batches first, for confirmations rest on their runs. */
static int visit(struct pe_exchange_sum *out, struct taking *taking)
{
	struct pe_app *app = taking->exchange->app;
	int rc = pe_store_begin(app->store, app->err);

	if (rc != PE_OK)
		return rc;
	rc = take_bundle(taking);
	if (rc == PE_OK)
		rc = pe_store_commit(app->store, app->err);
	else
		pe_store_rollback(app->store);
	if (rc == PE_OK)
		add_sum(out, taking);
	else if (taking->other && taking->batches)
		rc = PE_OK;
	else if (is_refusal(rc))
		rc = pe_exchange_refuse(out, taking->exchange, taking->name);
	else if (rc == PE_ENOTFOUND)
		rc = postpone(taking);
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
	if (rc == PE_OK && stored.refused != NULL)
		*out = stored.reader == NULL || strcmp(stored.reader, PE_VERSION) != 0;
	else if (rc == PE_OK && stored.missing != NULL)
		*out = pe_repo_commit(&revision, app->repo, stored.missing, &scratch) == PE_OK;
	return rc == PE_ENOTFOUND ? PE_OK : rc;
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
	int rc = PE_OK;

	*left = 0;
	for (size_t i = 0; rc == PE_OK && i < n; i++) {
		struct taking taking = {.exchange = exchange,
					.name = names[i],
					.here = pe_app_here(app)->fingerprint,
					.batches = batches,
					.arena = PE_ARENA_INIT};
		bool due;

		if (*app->interrupts > 0)
			return pe_fail(app->err, PE_ESTOPPED,
				       "interrupted: run 'perfevo pull' again for the rest");
		rc = pe_exchange_is_due(&due, exchange, taking.name);
		if (rc == PE_OK && due && bytes >= exchange->limits.text_bytes)
			++*left;
		else if (rc == PE_OK && due)
			rc = visit(out, &taking);
		bytes += taking.other ? 0 : taking.bytes;
		pe_arena_release(&taking.arena);
	}
	return rc;
}

int pe_exchange_take_in(struct pe_exchange_sum *out, struct pe_exchange *exchange)
{
	struct pe_app *app = exchange->app;
	const char **names = NULL;
	size_t n = 0, left = 0;
	int rc = pe_bundles_list(&names, &n, exchange->bundles, app->arena, app->err);

	/* Confirmations rest on the runs of batches: as long as some of these are left, they wait. */
	if (rc == PE_OK)
		rc = pass(out, &left, exchange, names, n, true);
	if (rc == PE_OK && left == 0)
		rc = pass(out, &left, exchange, names, n, false);
	out->left += left;
	return rc == PE_OK ? pe_exchange_tidy(out, exchange) : rc;
}
