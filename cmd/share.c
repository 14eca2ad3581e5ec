/* Share: `perfevo push` and `perfevo pull`: results by way of a git server, without another server. */
#include "cmd/share.h"

#include "core/base/vec.h"
#include "json/parcel.h"
#include "report/parcel.h"
#include "store/exchange.h"

#include <inttypes.h>
#include <string.h>

enum {
	BUNDLE_BYTES = 32 << 20,  /* of parcels, from which a bundle is full */
	PARCEL_MOST = 256 << 20,  /* bytes of one that is read */
	FINDINGS_AT_ONCE = 20000, /* rows of a parcel of builds, carried cells, confirmations */
	OTHER_PASS = 1,           /* a bundle is for the other pass over all of them */
};

int pe_share_open(struct pe_share *out, struct pe_cmd_ctx *ctx, const char *remote)
{
	int rc;

	*out = (struct pe_share){.ctx = ctx};
	rc = pe_remote_find(&out->remote, ctx->repo, remote, ctx->arena, ctx->err);
	return rc == PE_OK ? pe_exchange_open(&out->exchange, ctx->repo, ctx->err) : rc;
}

void pe_share_close(struct pe_share *share)
{
	pe_exchange_close(share->exchange);
	share->exchange = NULL;
}

/* --- Packing --- */

/* A bundle that is being filled, and what has left the store when it is sealed. */
struct packing {
	struct pe_share *share;
	struct pe_share_sum *sum;
	PE_VEC(int64_t) windows;
	int64_t time_s; /* of the newest run in it */
	size_t bytes;
};

static int seal(struct packing *packing)
{
	struct pe_cmd_ctx *ctx = packing->share->ctx;
	char name[PE_OID_HEX];
	int rc = pe_exchange_seal(name, packing->share->exchange, packing->time_s, ctx->err);

	if (rc != PE_OK || name[0] == '\0')
		return rc;
	rc = pe_store_begin(ctx->store, ctx->err);
	if (rc != PE_OK)
		return rc;
	for (size_t i = 0; rc == PE_OK && i < packing->windows.n; i++)
		rc = pe_store_window_left(ctx->store, packing->windows.data[i], ctx->err);
	if (rc == PE_OK)
		rc = pe_store_see_parcel(ctx->store, name, ctx->err);
	if (rc == PE_OK)
		rc = pe_store_commit(ctx->store, ctx->err);
	else
		pe_store_rollback(ctx->store);
	packing->windows.n = 0;
	packing->bytes = 0;
	packing->time_s = 0;
	packing->sum->bundles++;
	return rc;
}

static void note_time(struct packing *packing, const struct pe_parcel *parcel)
{
	for (size_t i = 0; i < parcel->n_runs; i++)
		if (parcel->runs[i].started_s > packing->time_s)
			packing->time_s = parcel->runs[i].started_s;
	for (size_t i = 0; i < parcel->n_builds; i++)
		if (parcel->builds[i].build.started_s > packing->time_s)
			packing->time_s = parcel->builds[i].build.started_s;
}

static int add(struct packing *packing, const struct pe_parcel *parcel)
{
	struct pe_text text = PE_TEXT_INIT;
	int rc;

	pe_parcel_json(&text, parcel);
	rc = pe_exchange_add(packing->share->exchange, &text, packing->share->ctx->err);
	packing->bytes += text.len;
	packing->sum->runs += parcel->n_runs;
	packing->sum->windows += parcel->has_window;
	packing->sum->builds += parcel->n_builds;
	packing->sum->carried += parcel->n_carried;
	packing->sum->confirmations += parcel->n_confirmations;
	note_time(packing, parcel);
	pe_text_release(&text);
	return rc;
}

static int pack_window(struct packing *packing, int64_t window)
{
	struct pe_cmd_ctx *ctx = packing->share->ctx;
	struct pe_arena scratch = PE_ARENA_INIT;
	struct pe_parcel parcel;
	int rc = pe_store_pack_window(&parcel, ctx->store, window, &scratch, ctx->err);

	if (rc == PE_OK)
		rc = add(packing, &parcel);
	pe_vec_push(&packing->windows, window);
	pe_arena_release(&scratch);
	return rc == PE_OK && packing->bytes >= BUNDLE_BYTES ? seal(packing) : rc;
}

/* Each parcel of findings is a bundle of its own: what has left is told by asking for the same again. */
static int pack_findings(struct packing *packing, int64_t machine)
{
	struct pe_cmd_ctx *ctx = packing->share->ctx;
	bool more = true;
	int rc = PE_OK;

	while (rc == PE_OK && more) {
		struct pe_arena scratch = PE_ARENA_INIT;
		struct pe_parcel parcel;

		rc = pe_store_pack_findings(&parcel, ctx->store, machine, FINDINGS_AT_ONCE,
					    &scratch, ctx->err);
		more = parcel.n_builds == FINDINGS_AT_ONCE ||
		       parcel.n_carried == FINDINGS_AT_ONCE ||
		       parcel.n_confirmations == FINDINGS_AT_ONCE;
		if (rc == PE_OK &&
		    parcel.n_builds + parcel.n_carried + parcel.n_confirmations != 0) {
			rc = add(packing, &parcel);
			if (rc == PE_OK)
				rc = seal(packing);
			if (rc == PE_OK)
				rc = pe_store_findings_left(ctx->store, machine, FINDINGS_AT_ONCE,
							    ctx->err);
		}
		pe_arena_release(&scratch);
	}
	return rc;
}

int pe_share_pack(struct pe_share_sum *out, struct pe_share *share)
{
	struct pe_cmd_ctx *ctx = share->ctx;
	struct packing packing = {.share = share, .sum = out};
	struct pe_stored_machine *machines = NULL;
	int64_t *windows = NULL;
	size_t n_windows = 0, n_machines = 0;
	int rc;

	*out = (struct pe_share_sum){0};
	rc = pe_store_windows_to_share(&windows, &n_windows, ctx->store, ctx->arena, ctx->err);
	for (size_t i = 0; rc == PE_OK && i < n_windows; i++)
		rc = *ctx->interrupts > 0 ? PE_ESTOPPED : pack_window(&packing, windows[i]);
	if (rc == PE_OK)
		rc = seal(&packing);
	if (rc == PE_OK)
		rc = pe_store_machines(&machines, &n_machines, ctx->store, ctx->arena, ctx->err);
	for (size_t i = 0; rc == PE_OK && i < n_machines; i++)
		rc = pack_findings(&packing, machines[i].key);
	pe_vec_release(&packing.windows);
	return rc == PE_ESTOPPED ? pe_fail(ctx->err, rc, "interrupted: nothing was sent") : rc;
}

int pe_share_count(struct pe_share_sum *out, struct pe_cmd_ctx *ctx)
{
	struct pe_stored_machine *machines = NULL;
	int64_t *windows = NULL;
	size_t n_machines = 0;
	int rc;

	*out = (struct pe_share_sum){0};
	rc = pe_store_windows_to_share(&windows, &out->windows, ctx->store, ctx->arena, ctx->err);
	for (size_t i = 0; rc == PE_OK && i < out->windows; i++) {
		struct pe_arena scratch = PE_ARENA_INIT;
		struct pe_parcel parcel;

		rc = pe_store_pack_window(&parcel, ctx->store, windows[i], &scratch, ctx->err);
		out->runs += rc == PE_OK ? parcel.n_runs : 0;
		pe_arena_release(&scratch);
	}
	if (rc == PE_OK)
		rc = pe_store_machines(&machines, &n_machines, ctx->store, ctx->arena, ctx->err);
	for (size_t i = 0; rc == PE_OK && i < n_machines; i++) {
		struct pe_arena scratch = PE_ARENA_INIT;
		struct pe_parcel parcel;

		rc = pe_store_pack_findings(&parcel, ctx->store, machines[i].key, SIZE_MAX / 2,
					    &scratch, ctx->err);
		out->builds += rc == PE_OK ? parcel.n_builds : 0;
		out->carried += rc == PE_OK ? parcel.n_carried : 0;
		out->confirmations += rc == PE_OK ? parcel.n_confirmations : 0;
		pe_arena_release(&scratch);
	}
	return rc;
}

/* --- Unpacking --- */

struct unpacking {
	struct pe_cmd_ctx *ctx;
	bool windows;            /* only bundles of windows are read; else those of findings */
	struct pe_share_sum sum; /* of the bundle at hand */
};

static int take_in(const char *text, size_t n, void *payload)
{
	struct unpacking *unpacking = payload;
	struct pe_cmd_ctx *ctx = unpacking->ctx;
	struct pe_arena scratch = PE_ARENA_INIT;
	struct pe_parcel parcel;
	size_t runs = 0;
	int rc = pe_json_parcel(&parcel, text, n, &scratch, ctx->err);

	if (rc == PE_OK && parcel.has_window != unpacking->windows)
		rc = OTHER_PASS;
	if (rc == PE_OK)
		rc = pe_store_unpack(&runs, ctx->store, &parcel, ctx->err);
	if (rc == PE_OK) {
		unpacking->sum.runs += runs;
		unpacking->sum.windows += runs != 0;
		unpacking->sum.builds += parcel.n_builds;
		unpacking->sum.carried += parcel.n_carried;
		unpacking->sum.confirmations += parcel.n_confirmations;
	}
	pe_arena_release(&scratch);
	return rc;
}

/* A bundle that cannot be read is somebody's mistake, and no reason to keep the others out. */
static bool is_refusal(int rc)
{
	return rc == PE_EINVALID || rc == PE_EUNSUPPORTED || rc == PE_EVCS || rc == PE_ENOTFOUND;
}

static int unpack_bundle(struct pe_share_sum *out, struct pe_share *share, const char *name,
			 bool windows)
{
	struct pe_cmd_ctx *ctx = share->ctx;
	struct unpacking unpacking = {.ctx = ctx, .windows = windows};
	int rc = pe_store_begin(ctx->store, ctx->err);

	if (rc != PE_OK)
		return rc;
	rc = pe_exchange_read(share->exchange, name, PARCEL_MOST, take_in, &unpacking, ctx->err);
	if (rc == PE_OK)
		rc = pe_store_see_parcel(ctx->store, name, ctx->err);
	if (rc == PE_OK)
		rc = pe_store_commit(ctx->store, ctx->err);
	else
		pe_store_rollback(ctx->store);
	if (rc == OTHER_PASS)
		return PE_OK;
	if (is_refusal(rc)) {
		if (windows)
			return PE_OK; /* the other pass will say so */
		pe_cmd_note(ctx, PE_EXCHANGE_REFS "%s is left out: %s", name, ctx->err->message);
		out->refused++;
		return PE_OK;
	}
	out->bundles++;
	out->windows += unpacking.sum.windows;
	out->runs += unpacking.sum.runs;
	out->builds += unpacking.sum.builds;
	out->carried += unpacking.sum.carried;
	out->confirmations += unpacking.sum.confirmations;
	return rc;
}

int pe_share_unpack(struct pe_share_sum *out, struct pe_share *share)
{
	struct pe_cmd_ctx *ctx = share->ctx;
	const char **names = NULL;
	size_t n = 0;
	int rc = pe_exchange_bundles(&names, &n, share->exchange, ctx->arena, ctx->err);

	*out = (struct pe_share_sum){0};
	/* Windows first: findings refer to them. */
	for (size_t i = 0; rc == PE_OK && i < 2 * n; i++) {
		const char *name = names[i % n];
		bool seen;

		if (*ctx->interrupts > 0)
			return pe_fail(ctx->err, PE_ESTOPPED,
				       "interrupted: the rest is taken in next time");
		rc = pe_store_parcel_seen(&seen, ctx->store, name, ctx->err);
		if (rc == PE_OK && !seen)
			rc = unpack_bundle(out, share, name, i < n);
	}
	return rc;
}

/* --- The commands --- */

static void add_counts(struct pe_text *out, const struct pe_share_sum *sum)
{
	pe_text_addf(out, "%zu %s in %zu %s", sum->runs, sum->runs == 1 ? "run" : "runs",
		     sum->windows, sum->windows == 1 ? "window" : "windows");
	if (sum->builds != 0)
		pe_text_addf(out, ", %zu failed %s", sum->builds,
			     sum->builds == 1 ? "build" : "builds");
	if (sum->carried != 0)
		pe_text_addf(out, ", %zu carried over", sum->carried);
	if (sum->confirmations != 0)
		pe_text_addf(out, ", %zu %s decided", sum->confirmations,
			     sum->confirmations == 1 ? "suspect" : "suspects");
}

static int tell(struct pe_cmd_ctx *ctx, const struct pe_share_sum *sum, const char *before,
		const char *after)
{
	struct pe_text out = PE_TEXT_INIT;
	int rc;

	if (sum->windows + sum->builds + sum->carried + sum->confirmations == 0) {
		pe_text_addf(&out, "nothing new%s\n", after);
	} else {
		pe_text_add(&out, before);
		add_counts(&out, sum);
		pe_text_addf(&out, "%s\n", after);
	}
	rc = pe_cmd_print(ctx, &out, false);
	pe_text_release(&out);
	return rc;
}

static const char *const push_lines[] = {"perfevo push [-n] [REMOTE]", NULL};

static const struct pe_example push_examples[] = {
	{"perfevo push", "send what was measured here to origin"},
	{"perfevo push -n", "what that would send"},
	{NULL, NULL},
};

static const struct pe_usage push_usage = {
	.lines = push_lines,
	.description =
		"Sends measured results to a remote of this repository, where 'perfevo pull' of "
		"other "
		"clones finds them. They lie there under " PE_EXCHANGE_REFS
		", one ref a push, which "
		"are never changed: pushes of several clones cannot get into each other's way. "
		"Branches and tags are not touched, here or there, and an ordinary 'git fetch' "
		"does "
		"not bring results along.\n\n"
		"Every run is sent once, when its window is complete, with its samples and the "
		"machine it was made on; failed builds, carried-over cells and confirmations go "
		"along. Calling "
		"context trees and the config stay here. Without REMOTE it is that of the current "
		"branch's upstream, else origin.",
	.examples = push_examples,
};

int cmd_push(struct pe_cmd_ctx *ctx, int argc, char **argv)
{
	bool dry_run = false;
	const struct pe_opt opts[] = {
		OPT_FLAG('n', "dry-run", &dry_run, "only say what would be sent"),
		OPT_END,
	};
	struct pe_share share;
	struct pe_share_sum sum;
	size_t bundles;
	int code = pe_cmd_begin(ctx, opts, &push_usage, &argc, &argv), rc;

	if (code >= 0)
		return code;
	if (argc > 1)
		return pe_cmd_misused(ctx, "one remote at most");
	if (dry_run) {
		rc = pe_share_count(&sum, ctx);
		if (rc == PE_OK)
			rc = tell(ctx, &sum, "would send ", "");
		return rc == PE_OK ? PE_EXIT_GOOD : pe_cmd_fail(ctx);
	}
	rc = pe_share_open(&share, ctx, argc > 0 ? argv[0] : NULL);
	if (rc == PE_OK)
		rc = pe_share_pack(&sum, &share);
	if (rc == PE_OK)
		rc = pe_share_send(&bundles, &share);
	if (rc == PE_OK && bundles > sum.bundles)
		pe_cmd_note(ctx, "%zu %s that %s did not have went along", bundles - sum.bundles,
			    bundles - sum.bundles == 1 ? "bundle" : "bundles", share.remote.name);
	if (rc == PE_OK)
		rc = tell(ctx, &sum, "sent ",
			  pe_arena_printf(ctx->arena, " to %s", share.remote.name));
	pe_share_close(&share);
	return rc == PE_OK ? PE_EXIT_GOOD : pe_cmd_fail(ctx);
}

static const char *const pull_lines[] = {"perfevo pull [REMOTE]", NULL};

static const struct pe_example pull_examples[] = {
	{"perfevo pull", "take in what others have measured and pushed to origin"},
	{NULL, NULL},
};

static const struct pe_usage pull_usage = {
	.lines = pull_lines,
	.description = "Fetches the results that 'perfevo push' of other clones has sent to a "
		       "remote and puts "
		       "them into this clone's database. Figures of different machines stay apart: "
		       "they are "
		       "never joined into one series. What is here already is not taken in twice, "
		       "and what "
		       "'perfevo gc' has dropped does not come back.\n\n"
		       "A bundle that cannot be read is left out, with a note that names it.",
	.examples = pull_examples,
};

int cmd_pull(struct pe_cmd_ctx *ctx, int argc, char **argv)
{
	const struct pe_opt opts[] = {OPT_END};
	struct pe_share share;
	struct pe_share_sum sum;
	int code = pe_cmd_begin(ctx, opts, &pull_usage, &argc, &argv), rc;

	if (code >= 0)
		return code;
	if (argc > 1)
		return pe_cmd_misused(ctx, "one remote at most");
	rc = pe_share_open(&share, ctx, argc > 0 ? argv[0] : NULL);
	if (rc == PE_OK)
		rc = pe_share_receive(&share);
	if (rc == PE_OK)
		rc = pe_share_unpack(&sum, &share);
	if (rc == PE_OK)
		rc = tell(ctx, &sum, "took in ",
			  pe_arena_printf(ctx->arena, " from %s", share.remote.name));
	pe_share_close(&share);
	return rc == PE_OK ? PE_EXIT_GOOD : pe_cmd_fail(ctx);
}
