/*
 * Import of received bundles. A git server controls who may write to it, and does not tell who did: a bundle is checked
 * before anything of it is inflated, within bounds (store/exchange/results.h), and read once. Refused bundles are stored,
 * with the refusing version, so that the next pull skips them; so is a missing commit, until it arrives.
 */
#include "app/jobs/exchange_internal.h"

#include "core/base/clock.h"
#include "core/base/vec.h"
#include "core/exec/machine.h"

#include <string.h>

/* A confirmation that its runs refute costs as much time as this much text. */
enum { MISS_BYTES = 256 * 1024 };

/* A document that was read, in the bundle's arena. */
struct document {
	struct pe_results results;
	struct pe_results_source source;
};

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
	size_t misses;           /* confirmations that were tested for nothing */
	PE_VEC(struct document) documents;
	struct pe_results_sum sum;
	struct pe_arena arena;
};

int pe_exchange_stopped(const struct pe_app *app)
{
	return pe_fail(app->err, PE_ESTOPPED, "interrupted: run 'perfevo pull' again for the rest");
}

/* This machine's own results are in its own store, and are not accepted from others. */
static int is_own(bool *out, struct taking *taking, const struct pe_results *results)
{
	struct pe_app *app = taking->exchange->app;

	*out = strcmp(results->machine.fingerprint, taking->here) == 0;
	return *out ? PE_OK
		    : pe_store_is_own(out, app->store, results->machine.fingerprint, app->err);
}

static int check_results(struct taking *taking, struct document *document)
{
	struct pe_app *app = taking->exchange->app;
	const struct pe_results *results = &document->results;
	struct pe_results_source *source = &document->source;
	const char *missing = NULL;
	int64_t *keys, *times_s;

	*source = (struct pe_results_source){.origin = taking->origin.name,
					     .public_key = taking->origin.public_key,
					     .remote = taking->exchange->remote.name,
					     .interrupts = app->interrupts};
	PE_TRY(pe_app_find_revisions(&keys, &times_s, &missing, app, results, &taking->arena));
	if (taking->missing == NULL && missing != NULL)
		taking->missing = pe_arena_strdup(&taking->arena, missing);
	PE_TRY(pe_results_check(results, times_s, pe_clock_now_s(), app->err));
	source->revisions = keys;
	return pe_store_weigh(&source->weighed, &taking->misses, app->store, results, source,
			      &taking->arena, app->err);
}

static int read_document(struct taking *taking, const struct pe_bundle_document *from)
{
	struct pe_app *app = taking->exchange->app;
	struct document document = {0};
	struct pe_results *results = &document.results;
	const char *text;
	bool own = false;

	taking->bytes += from->size;
	PE_TRY(pe_bundles_read(&text, taking->exchange->bundles, from, &taking->arena, app->err));
	PE_TRY(pe_results_read(results, text, from->size, &taking->arena, app->err));
	if (results->has_batch != taking->batches) {
		taking->other = true;
		return pe_fail(app->err, PE_EINVALID, "it mixes batches with findings");
	}
	taking->rows += pe_results_count(results);
	if (taking->rows > PE_RESULTS_ROWS)
		return pe_fail(app->err, PE_EINVALID, "it has more than %d rows", PE_RESULTS_ROWS);
	PE_TRY(is_own(&own, taking, results));
	if (own)
		taking->own++;
	else
		PE_TRY(check_results(taking, &document));
	if (!own)
		pe_vec_push(&taking->documents, document);
	return PE_OK;
}

/* Read and test it all, while others may write. */
static int read_bundle(struct taking *taking)
{
	struct pe_exchange *exchange = taking->exchange;
	struct pe_app *app = exchange->app;
	struct pe_bundle bundle;

	PE_TRY(pe_bundles_look(&bundle, exchange->bundles, taking->name, PE_RESULTS_BYTES,
			       &taking->arena, app->err));
	PE_TRY(pe_exchange_origin(&taking->origin, &bundle, app, &taking->arena));
	for (size_t i = 0; i < bundle.n; i++)
		PE_TRY(*app->interrupts > 0 ? pe_exchange_stopped(app)
					    : read_document(taking, &bundle.documents[i]));
	return PE_OK;
}

/* In a transaction: all of a bundle or nothing. */
static int take_bundle(struct taking *taking)
{
	struct pe_app *app = taking->exchange->app;
	const struct pe_stored_bundle done = {.missing = taking->missing};
	pe_auto_transaction store = app->store;

	PE_TRY(pe_store_begin(store, app->err));
	for (size_t i = 0; i < taking->documents.n; i++) {
		const struct document *document = &taking->documents.data[i];

		PE_TRY(pe_store_take_in(&taking->sum, store, &document->results, &document->source,
					app->err));
	}
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
	int rc = read_bundle(taking);

	if (rc == PE_OK)
		rc = take_bundle(taking);
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
			return pe_exchange_stopped(app);
		rc = pe_exchange_is_due(&due, exchange, taking.name);
		if (rc == PE_OK && due && bytes >= exchange->limits.text_bytes)
			++*left;
		else if (rc == PE_OK && due)
			rc = visit(out, &taking);
		bytes += taking.other ? 0 : taking.bytes + MISS_BYTES * taking.misses;
		pe_vec_release(&taking.documents);
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
