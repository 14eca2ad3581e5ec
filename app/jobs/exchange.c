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

static int seal(struct packing *packing)
{
	struct pe_app *app = packing->exchange->app;
	pe_auto_transaction store = app->store;
	char name[PE_OID_HEX];

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

/* Its text leaves with the bundle. A pe_document_fn, as add_alone() is. */
static int add(const struct pe_document *packed, void *payload)
{
	struct packing *packing = payload;

	if (packing->bytes + packed->text.len > BUNDLE_BYTES ||
	    packing->rows + packed->rows > BUNDLE_ROWS)
		PE_TRY(seal(packing));
	PE_TRY(pe_bundles_add(packing->exchange->bundles, &packed->text,
			      packing->exchange->app->err));
	packing->bytes += packed->text.len;
	packing->rows += packed->rows;
	pe_results_sum_add(&packing->sum->rows, &packed->sum);
	if (packed->time_s > packing->time_s)
		packing->time_s = packed->time_s;
	return PE_OK;
}

/* Each document of findings is a bundle of its own, whose name shows whether it was sent before. */
static int add_alone(const struct pe_document *packed, void *payload)
{
	PE_TRY(add(packed, payload));
	return seal(payload);
}

/* A large batch is several documents, each with the whole plan. It has left when all of them have. */
static int pack_batch(struct packing *packing, int64_t batch)
{
	struct pe_app *app = packing->exchange->app;

	PE_TRY(pe_store_pack_batch(app->store, batch, true, add, packing, app->err));
	packing->sum->rows.batches++;
	pe_vec_push(&packing->batches, batch);
	return PE_OK;
}

/* A profile too large for any bundle is not sent; there is one note for all. */
static int pack_profile(struct packing *packing, const struct pe_stored_profile *profile)
{
	struct pe_app *app = packing->exchange->app;
	pe_auto_document packed = {.more = false};

	if (profile->nodes > PE_RESULTS_NODES || profile->bytes > BUNDLE_BYTES / 4 * 3) {
		packing->sum->too_large++;
		return PE_OK;
	}
	PE_TRY(pe_store_pack_profile(&packed, app->store, profile->key, app->err));
	if (packed.text.len > BUNDLE_BYTES || packed.rows > BUNDLE_ROWS) {
		packing->sum->too_large++;
		return PE_OK;
	}
	PE_TRY(add(&packed, packing));
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
	for (size_t i = 0; i < n; i++)
		PE_TRY(*app->interrupts > 0 ? PE_ESTOPPED : pack_profile(packing, &profiles[i]));
	return seal(packing);
}

static int pack_all(struct packing *packing)
{
	struct pe_app *app = packing->exchange->app;
	struct pe_stored_machine *machines;
	int64_t *batches;
	size_t n;

	PE_TRY(pe_store_batches_to_share(&batches, &n, app->store, app->arena, app->err));
	for (size_t i = 0; i < n; i++)
		PE_TRY(*app->interrupts > 0 ? PE_ESTOPPED : pack_batch(packing, batches[i]));
	PE_TRY(seal(packing));
	PE_TRY(pe_store_machines(&machines, &n, app->store, app->arena, app->err));
	for (size_t i = 0; i < n; i++) {
		const struct pe_findings all = {.machine = machines[i].key,
						.most = FINDINGS_AT_ONCE};

		PE_TRY(pe_store_pack_findings(app->store, &all, add_alone, packing, app->err));
	}
	return packing->exchange->no_profiles ? PE_OK : pack_profiles(packing);
}

int pe_exchange_pack(struct pe_exchange_sum *out, struct pe_exchange *exchange)
{
	struct packing packing = {.exchange = exchange, .sum = out};
	int rc;

	*out = (struct pe_exchange_sum){0};
	rc = pack_all(&packing);
	pe_vec_release(&packing.batches);
	pe_vec_release(&packing.profiles);
	return rc == PE_ESTOPPED ? pe_fail(exchange->app->err, rc, "interrupted: nothing was sent")
				 : rc;
}

int pe_exchange_count(struct pe_exchange_sum *out, struct pe_app *app, bool no_profiles)
{
	*out = (struct pe_exchange_sum){0};
	PE_TRY(pe_store_count_to_share(&out->rows, app->store, app->arena, app->err));
	if (no_profiles)
		out->rows.profiles = 0;
	return PE_OK;
}

/* --- Sharing by way of git (app/git.h) --- */

#define REFSPEC PE_BUNDLE_REFS "*:" PE_BUNDLE_REFS "*"

struct pe_git_call pe_exchange_call(const struct pe_exchange *exchange, const char *const *argv,
				    const char *what, struct pe_text *output)
{
	return (struct pe_git_call){.argv = argv,
				    .git_dir = pe_bundles_dir(exchange->bundles),
				    .remote = &exchange->remote,
				    .what = what,
				    .output = output};
}

int pe_exchange_send(size_t *bundles, struct pe_exchange *exchange)
{
	const char *const argv[] = {"git",         "-C",          pe_git_base_dir(exchange->app),
				    "push",        "--porcelain", "--no-progress",
				    "--no-verify", "--",          exchange->remote.push_url,
				    REFSPEC,       NULL};
	pe_auto_text lines = PE_TEXT_INIT;
	const struct pe_git_call call = pe_exchange_call(
		exchange, argv,
		pe_arena_printf(exchange->app->arena, "pushing to '%s'", exchange->remote.name),
		&lines);
	int rc = pe_git_call(exchange->app, &call);

	/* A line a ref, which begins with what became of it, '*' for a new one. */
	*bundles = 0;
	for (const char *at = pe_text_str(&lines); at != NULL && *at != '\0';
	     at = strchr(at, '\n')) {
		at += *at == '\n';
		*bundles += *at == '*';
	}
	return rc;
}
