/* Share: `perfevo push` and `perfevo pull`: results by way of a git server, without another server. */
#include "app/jobs/exchange.h"

#include "core/base/vec.h"
#include "store/exchange.h"

#include <inttypes.h>
#include <string.h>

enum {
	BUNDLE_BYTES = 32 << 20,   /* of documents, from which a bundle is full */
	DOCUMENT_MOST = 256 << 20, /* bytes of one that is read */
	FINDINGS_AT_ONCE = 20000,  /* rows of a document of builds, reused cells, confirmations */
	OTHER_PASS = 1,            /* a bundle is for the other pass over all of them */
};

int pe_exchange_open(struct pe_exchange *out, struct pe_app *app, const char *remote)
{
	int rc;

	*out = (struct pe_exchange){.app = app};
	rc = pe_remote_find(&out->remote, app->repo, remote, app->arena, app->err);
	return rc == PE_OK ? pe_bundles_open(&out->bundles, app->repo, app->err) : rc;
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
	PE_VEC(int64_t) batches;
	int64_t time_s; /* of the newest run in it */
	size_t bytes;
};

static int seal(struct packing *packing)
{
	struct pe_app *app = packing->exchange->app;
	char name[PE_OID_HEX];
	int rc = pe_bundles_seal(name, packing->exchange->bundles, packing->time_s, app->err);

	if (rc != PE_OK || name[0] == '\0')
		return rc;
	rc = pe_store_begin(app->store, app->err);
	if (rc != PE_OK)
		return rc;
	for (size_t i = 0; rc == PE_OK && i < packing->batches.n; i++)
		rc = pe_store_batch_left(app->store, packing->batches.data[i], app->err);
	if (rc == PE_OK)
		rc = pe_store_see_bundle(app->store, name, app->err);
	if (rc == PE_OK)
		rc = pe_store_commit(app->store, app->err);
	else
		pe_store_rollback(app->store);
	packing->batches.n = 0;
	packing->bytes = 0;
	packing->time_s = 0;
	packing->sum->bundles++;
	return rc;
}

static void note_time(struct packing *packing, const struct pe_results *results)
{
	for (size_t i = 0; i < results->n_runs; i++)
		if (results->runs[i].started_s > packing->time_s)
			packing->time_s = results->runs[i].started_s;
	for (size_t i = 0; i < results->n_builds; i++)
		if (results->builds[i].build.started_s > packing->time_s)
			packing->time_s = results->builds[i].build.started_s;
}

static int add(struct packing *packing, const struct pe_results *results)
{
	struct pe_text text = PE_TEXT_INIT;
	int rc;

	pe_results_write(&text, results);
	rc = pe_bundles_add(packing->exchange->bundles, &text, packing->exchange->app->err);
	packing->bytes += text.len;
	packing->sum->runs += results->n_runs;
	packing->sum->batches += results->has_batch;
	packing->sum->builds += results->n_builds;
	packing->sum->reused += results->n_reused;
	packing->sum->confirmations += results->n_confirmations;
	note_time(packing, results);
	pe_text_release(&text);
	return rc;
}

static int pack_batch(struct packing *packing, int64_t batch)
{
	struct pe_app *app = packing->exchange->app;
	struct pe_arena scratch = PE_ARENA_INIT;
	struct pe_results results;
	int rc = pe_store_pack_batch(&results, app->store, batch, &scratch, app->err);

	if (rc == PE_OK)
		rc = add(packing, &results);
	pe_vec_push(&packing->batches, batch);
	pe_arena_release(&scratch);
	return rc == PE_OK && packing->bytes >= BUNDLE_BYTES ? seal(packing) : rc;
}

/* Each document of findings is a bundle of its own: what was sent is known by asking for the same again. */
static int pack_findings(struct packing *packing, int64_t machine)
{
	struct pe_app *app = packing->exchange->app;
	bool more = true;
	int rc = PE_OK;

	while (rc == PE_OK && more) {
		struct pe_arena scratch = PE_ARENA_INIT;
		struct pe_results results;

		rc = pe_store_pack_findings(&results, app->store, machine, FINDINGS_AT_ONCE,
					    &scratch, app->err);
		more = results.n_builds == FINDINGS_AT_ONCE ||
		       results.n_reused == FINDINGS_AT_ONCE ||
		       results.n_confirmations == FINDINGS_AT_ONCE;
		if (rc == PE_OK &&
		    results.n_builds + results.n_reused + results.n_confirmations != 0) {
			rc = add(packing, &results);
			if (rc == PE_OK)
				rc = seal(packing);
			if (rc == PE_OK)
				rc = pe_store_findings_left(app->store, machine, FINDINGS_AT_ONCE,
							    app->err);
		}
		pe_arena_release(&scratch);
	}
	return rc;
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
	pe_vec_release(&packing.batches);
	return rc == PE_ESTOPPED ? pe_fail(app->err, rc, "interrupted: nothing was sent") : rc;
}

int pe_exchange_count(struct pe_exchange_sum *out, struct pe_app *app)
{
	struct pe_stored_machine *machines = NULL;
	int64_t *batches = NULL;
	size_t n_machines = 0;
	int rc;

	*out = (struct pe_exchange_sum){0};
	rc = pe_store_batches_to_share(&batches, &out->batches, app->store, app->arena, app->err);
	for (size_t i = 0; rc == PE_OK && i < out->batches; i++) {
		struct pe_arena scratch = PE_ARENA_INIT;
		struct pe_results results;

		rc = pe_store_pack_batch(&results, app->store, batches[i], &scratch, app->err);
		out->runs += rc == PE_OK ? results.n_runs : 0;
		pe_arena_release(&scratch);
	}
	if (rc == PE_OK)
		rc = pe_store_machines(&machines, &n_machines, app->store, app->arena, app->err);
	for (size_t i = 0; rc == PE_OK && i < n_machines; i++) {
		struct pe_arena scratch = PE_ARENA_INIT;
		struct pe_results results;

		rc = pe_store_pack_findings(&results, app->store, machines[i].key, SIZE_MAX / 2,
					    &scratch, app->err);
		out->builds += rc == PE_OK ? results.n_builds : 0;
		out->reused += rc == PE_OK ? results.n_reused : 0;
		out->confirmations += rc == PE_OK ? results.n_confirmations : 0;
		pe_arena_release(&scratch);
	}
	return rc;
}

/* --- Unpacking --- */

struct unpacking {
	struct pe_app *app;
	bool batches;               /* only bundles of batches are read; else those of findings */
	struct pe_exchange_sum sum; /* of the bundle at hand */
};

static int take_in(const char *text, size_t n, void *payload)
{
	struct unpacking *unpacking = payload;
	struct pe_app *app = unpacking->app;
	struct pe_arena scratch = PE_ARENA_INIT;
	struct pe_results results;
	size_t runs = 0;
	int rc = pe_results_read(&results, text, n, &scratch, app->err);

	if (rc == PE_OK && results.has_batch != unpacking->batches)
		rc = OTHER_PASS;
	if (rc == PE_OK)
		rc = pe_store_unpack(&runs, app->store, &results, app->err);
	if (rc == PE_OK) {
		unpacking->sum.runs += runs;
		unpacking->sum.batches += runs != 0;
		unpacking->sum.builds += results.n_builds;
		unpacking->sum.reused += results.n_reused;
		unpacking->sum.confirmations += results.n_confirmations;
	}
	pe_arena_release(&scratch);
	return rc;
}

/* A bundle that cannot be read is somebody's mistake, and no reason to keep the others out. */
static bool is_refusal(int rc)
{
	return rc == PE_EINVALID || rc == PE_EUNSUPPORTED || rc == PE_EVCS || rc == PE_ENOTFOUND;
}

static int unpack_bundle(struct pe_exchange_sum *out, struct pe_exchange *exchange,
			 const char *name, bool batches)
{
	struct pe_app *app = exchange->app;
	struct unpacking unpacking = {.app = app, .batches = batches};
	int rc = pe_store_begin(app->store, app->err);

	if (rc != PE_OK)
		return rc;
	rc = pe_bundles_read(exchange->bundles, name, DOCUMENT_MOST, take_in, &unpacking, app->err);
	if (rc == PE_OK)
		rc = pe_store_see_bundle(app->store, name, app->err);
	if (rc == PE_OK)
		rc = pe_store_commit(app->store, app->err);
	else
		pe_store_rollback(app->store);
	if (rc == OTHER_PASS)
		return PE_OK;
	if (is_refusal(rc)) {
		if (batches)
			return PE_OK; /* the other pass will say so */
		pe_app_note(app, PE_BUNDLE_REFS "%s is left out: %s", name, app->err->message);
		out->refused++;
		return PE_OK;
	}
	out->bundles++;
	out->batches += unpacking.sum.batches;
	out->runs += unpacking.sum.runs;
	out->builds += unpacking.sum.builds;
	out->reused += unpacking.sum.reused;
	out->confirmations += unpacking.sum.confirmations;
	return rc;
}

int pe_exchange_take_in(struct pe_exchange_sum *out, struct pe_exchange *exchange)
{
	struct pe_app *app = exchange->app;
	const char **names = NULL;
	size_t n = 0;
	int rc = pe_bundles_list(&names, &n, exchange->bundles, app->arena, app->err);

	*out = (struct pe_exchange_sum){0};
	/* Batches first: findings refer to them. */
	for (size_t i = 0; rc == PE_OK && i < 2 * n; i++) {
		const char *name = names[i % n];
		bool seen;

		if (*app->interrupts > 0)
			return pe_fail(app->err, PE_ESTOPPED,
				       "interrupted: run 'perfevo pull' again for the rest");
		rc = pe_store_bundle_seen(&seen, app->store, name, app->err);
		if (rc == PE_OK && !seen)
			rc = unpack_bundle(out, exchange, name, i < n);
	}
	return rc;
}
