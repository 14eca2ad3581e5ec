/*
 * Exchange: `perfevo push` and `perfevo pull`: results by way of a git server, without another server. Packing is here;
 * exchange_take.c imports received bundles.
 */
#include "app/jobs/exchange_internal.h"

#include "core/base/vec.h"

#include <string.h>

enum {
	BUNDLE_BYTES =
		PE_RESULTS_BYTES / 4 * 3, /* what a bundle gets, well below what is taken in */
	BUNDLE_ROWS = PE_RESULTS_ROWS / 2,
	DOCUMENT_BYTES = PE_RESULTS_BYTES / 4, /* about: of the runs of a batch in one document */
	FINDINGS_AT_ONCE = 8192, /* rows of a document of builds, reused cells, confirmations */
};

int pe_exchange_open(struct pe_exchange *out, struct pe_app *app, const char *remote)
{
	*out = (struct pe_exchange){.app = app, .limits = PE_EXCHANGE_LIMITS};
	out->signing_key = pe_repo_signing_key(&out->key_is_literal, app->repo, app->arena);
	PE_TRY(pe_remote_find(&out->remote, app->repo, remote, app->arena, app->err));
	return pe_bundles_open(&out->bundles, app->repo, app->err);
}

void pe_exchange_close(struct pe_exchange *exchange)
{
	pe_bundles_close(exchange->bundles);
	exchange->bundles = NULL;
}

/* --- Packing --- */

/* A bundle that is being filled, and what has left the store when it is sealed. */
struct packing {
	struct pe_exchange *exchange;
	struct pe_exchange_sum *sum;
	PE_VEC(int64_t) batches, profiles;
	int64_t time_s; /* of the newest run in it */
	size_t bytes, rows;
};

/* Whether all is only counted: nothing is written, neither here nor into the store. */
static bool is_counting(const struct packing *packing)
{
	return packing->exchange->bundles == NULL;
}

static int seal(struct packing *packing)
{
	struct pe_app *app = packing->exchange->app;
	pe_auto_transaction store = app->store;
	char name[PE_OID_HEX];

	if (is_counting(packing))
		return PE_OK;
	PE_TRY(pe_bundles_seal(name, packing->exchange->bundles, packing->time_s,
			       packing->exchange->signing_key != NULL ? pe_exchange_sign : NULL,
			       packing->exchange, app->err));
	if (name[0] == '\0')
		return PE_OK;
	PE_TRY(pe_store_begin(store, app->err));
	for (size_t i = 0; i < packing->batches.n; i++)
		PE_TRY(pe_store_batch_left(store, packing->batches.data[i], app->err));
	for (size_t i = 0; i < packing->profiles.n; i++)
		PE_TRY(pe_store_profile_left(store, packing->profiles.data[i], app->err));
	PE_TRY(pe_store_put_bundle(store, name, &(struct pe_stored_bundle){0}, app->err));
	PE_TRY(pe_store_commit(store, app->err));
	packing->batches.n = packing->profiles.n = 0;
	packing->bytes = packing->rows = 0;
	packing->time_s = 0;
	packing->sum->bundles++;
	return PE_OK;
}

static void note_time(struct packing *packing, const struct pe_results *results)
{
	for (size_t i = 0; i < results->n_runs; i++)
		if (results->runs[i].started_s > packing->time_s)
			packing->time_s = results->runs[i].started_s;
	for (size_t i = 0; i < results->n_builds; i++)
		if (results->builds[i].build.started_s > packing->time_s)
			packing->time_s = results->builds[i].build.started_s;
	for (size_t i = 0; i < results->n_profiles; i++)
		if (results->profiles[i].taken_s > packing->time_s)
			packing->time_s = results->profiles[i].taken_s;
}

static int add_text(struct packing *packing, const struct pe_results *results, struct pe_text *text)
{
	struct pe_results_sum *sum = &packing->sum->rows;
	const size_t rows = pe_results_count(results);

	sum->runs += results->n_runs;
	sum->builds += results->n_builds;
	sum->reused += results->n_reused;
	sum->confirmations += results->n_confirmations;
	sum->profiles += results->n_profiles;
	if (is_counting(packing))
		return PE_OK;
	if (packing->bytes + text->len > BUNDLE_BYTES || packing->rows + rows > BUNDLE_ROWS)
		PE_TRY(seal(packing));
	PE_TRY(pe_bundles_add(packing->exchange->bundles, text, packing->exchange->app->err));
	packing->bytes += text->len;
	packing->rows += rows;
	note_time(packing, results);
	return PE_OK;
}

static int add(struct packing *packing, const struct pe_results *results)
{
	pe_auto_text text = PE_TEXT_INIT;

	if (!is_counting(packing))
		pe_results_write(&text, results);
	return add_text(packing, results, &text);
}

/* How many runs from the first on fill a document. */
static size_t slice(const struct pe_results *results, size_t first)
{
	size_t bytes = 0, i = first;

	for (; i < results->n_runs && bytes < DOCUMENT_BYTES; i++) {
		const struct pe_results_run *run = &results->runs[i];

		bytes += 64 + 24 * run->n_samples + 2 * (run->log != NULL ? strlen(run->log) : 0);
	}
	return i - first;
}

/* A large batch is several documents, each with the whole plan. It has left when all of them have. */
static int pack_batch(struct packing *packing, int64_t batch)
{
	struct pe_app *app = packing->exchange->app;
	pe_auto_arena scratch = PE_ARENA_INIT;
	struct pe_results whole, part;
	int rc = pe_store_pack_batch(&whole, app->store, batch, &scratch, app->err);

	part = whole;
	for (size_t first = 0; rc == PE_OK && first < whole.n_runs; first += part.n_runs) {
		part.runs = whole.runs + first;
		part.n_runs = slice(&whole, first);
		rc = add(packing, &part);
	}
	packing->sum->rows.batches++;
	pe_vec_push(&packing->batches, batch);
	return rc;
}

/* Each document of findings is a bundle of its own, whose name shows whether it was sent before. */
static int pack_findings(struct packing *packing, int64_t machine)
{
	struct pe_app *app = packing->exchange->app;
	bool more = true;

	while (more) {
		pe_auto_arena scratch = PE_ARENA_INIT;
		/* What is only counted does not leave, and is seen at once. */
		const struct pe_findings all = {
			machine, is_counting(packing) ? SIZE_MAX / 2 : FINDINGS_AT_ONCE, false};
		struct pe_results results;

		PE_TRY(pe_store_pack_findings(&results, app->store, &all, &scratch, app->err));
		more = results.n_builds == PE_BUILDS_AT_ONCE(all.most) ||
		       results.n_reused == all.most || results.n_confirmations == all.most;
		if (results.n_builds + results.n_reused + results.n_confirmations == 0)
			continue;
		PE_TRY(add(packing, &results));
		PE_TRY(seal(packing));
		if (!is_counting(packing))
			PE_TRY(pe_store_findings_left(app->store, &all, app->err));
	}
	return PE_OK;
}

/* A profile too large for any bundle is not sent; there is one note for all. */
static int pack_profile(struct packing *packing, const struct pe_stored_profile *profile)
{
	struct pe_app *app = packing->exchange->app;
	pe_auto_arena scratch = PE_ARENA_INIT;
	pe_auto_text text = PE_TEXT_INIT;
	struct pe_results results;

	if (profile->nodes > PE_RESULTS_NODES || profile->bytes > BUNDLE_BYTES / 4 * 3) {
		packing->sum->too_large++;
		return PE_OK;
	}
	PE_TRY(pe_store_pack_profile(&results, app->store, profile->key, &scratch, app->err));
	pe_results_write(&text, &results);
	if (text.len > BUNDLE_BYTES || pe_results_count(&results) > BUNDLE_ROWS) {
		packing->sum->too_large++;
		return PE_OK;
	}
	PE_TRY(add_text(packing, &results, &text));
	pe_vec_push(&packing->profiles, profile->key);
	return PE_OK;
}

/* In bundles of their own: they are taken in after the batches, as findings are. */
static int pack_profiles(struct packing *packing)
{
	struct pe_app *app = packing->exchange->app;
	struct pe_stored_profile *profiles;
	size_t n;

	PE_TRY(pe_store_profiles_to_share(&profiles, &n, app->store, app->arena, app->err));
	if (is_counting(packing))
		packing->sum->rows.profiles = n;
	for (size_t i = 0; !is_counting(packing) && i < n; i++)
		PE_TRY(*app->interrupts > 0 ? PE_ESTOPPED : pack_profile(packing, &profiles[i]));
	return seal(packing);
}

int pe_exchange_pack(struct pe_exchange_sum *out, struct pe_exchange *exchange)
{
	struct pe_app *app = exchange->app;
	struct packing packing = {.exchange = exchange, .sum = out};
	struct pe_stored_machine *machines = NULL;
	int64_t *batches = NULL;
	size_t n_batches = 0, n_machines = 0;
	int rc;

	*out = (struct pe_exchange_sum){0};
	rc = pe_store_batches_to_share(&batches, &n_batches, app->store, app->arena, app->err);
	for (size_t i = 0; rc == PE_OK && i < n_batches; i++)
		rc = *app->interrupts > 0 ? PE_ESTOPPED : pack_batch(&packing, batches[i]);
	if (rc == PE_OK)
		rc = seal(&packing);
	if (rc == PE_OK)
		rc = pe_store_machines(&machines, &n_machines, app->store, app->arena, app->err);
	for (size_t i = 0; rc == PE_OK && i < n_machines; i++)
		rc = pack_findings(&packing, machines[i].key);
	if (rc == PE_OK && !exchange->no_profiles)
		rc = pack_profiles(&packing);
	pe_vec_release(&packing.batches);
	pe_vec_release(&packing.profiles);
	return rc == PE_ESTOPPED ? pe_fail(app->err, rc, "interrupted: nothing was sent") : rc;
}

int pe_exchange_count(struct pe_exchange_sum *out, struct pe_app *app, bool no_profiles)
{
	struct pe_exchange counting = {.app = app, .no_profiles = no_profiles};

	return pe_exchange_pack(out, &counting);
}
