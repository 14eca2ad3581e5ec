/* Push and pull: results to other clones and from them. */
#include "app/jobs/exchange.h"
#include "cmd/commands.h"
#include "core/json/writer.h"

/* ", 2 failed builds"; nothing where there is none */
static void add_count(struct pe_text *out, size_t n, const char *one, const char *many)
{
	if (n > 0)
		pe_text_addf(out, ", %zu %s", n, n == 1 ? one : many);
}

static void add_counts(struct pe_text *out, const struct pe_results_sum *sum)
{
	pe_text_addf(out, "%zu %s in %zu %s", sum->runs, sum->runs == 1 ? "run" : "runs",
		     sum->batches, sum->batches == 1 ? "batch" : "batches");
	add_count(out, sum->builds, "failed build", "failed builds");
	add_count(out, sum->reused, "reused", "reused");
	add_count(out, sum->confirmations, "suspect decided", "suspects decided");
	add_count(out, sum->profiles, "profile", "profiles");
}

/* { "format": 1, "dry_run", "remote": null for a dry run, and the numbers of what went or came } */
static void add_json(struct pe_text *out, const struct pe_exchange_sum *sum, const char *remote)
{
	struct pe_json json = PE_JSON_INIT(out);

	pe_json_begin_object(&json, NULL);
	pe_json_put(&json, "format", 1);
	pe_json_bool(&json, "dry_run", remote == NULL);
	pe_json_put(&json, "remote", remote);
	pe_json_members(&json, &sum->rows, batches, runs, builds, reused, confirmations, profiles,
			unproved);
	pe_json_members(&json, sum, bundles, refused, left, waiting, too_large, own);
	pe_json_finish(&json);
}

/* done: "sent"; way: " to ", before the remote's name. */
static int report(struct pe_cmd_ctx *ctx, const struct pe_exchange_sum *sum, const char *done,
		  const char *way, const char *remote, int format)
{
	pe_auto_text out = PE_TEXT_INIT;

	if (format == PE_FORMAT_JSON) {
		add_json(&out, sum, remote);
	} else if (sum->rows.batches + sum->rows.runs + sum->rows.builds + sum->rows.reused +
			   sum->rows.confirmations + sum->rows.profiles ==
		   0) {
		pe_text_addf(&out, "nothing new%s%s\n", way, remote != NULL ? remote : "");
	} else {
		pe_text_addf(&out, "%s ", done);
		add_counts(&out, &sum->rows);
		pe_text_addf(&out, "%s%s\n", way, remote != NULL ? remote : "");
	}
	return pe_cmd_print(ctx, &out, false);
}

int cmd_push(struct pe_cmd_ctx *ctx, int argc, char **argv)
{
	bool dry_run = false, unsigned_too = false, no_profiles = false;
	int format = PE_FORMAT_TERM;
	const struct pe_opt opts[] = {
		OPT_FLAG('n', "dry-run", &dry_run, "only print what would be sent"),
		OPT_FLAG(0, "no-sign", &unsigned_too, "do not sign, although a key is configured"),
		OPT_FLAG(0, "no-profiles", &no_profiles,
			 "leave out the profiles that explain confirmed jumps"),
		OPT_JSON(&format),
		OPT_END,
	};
	pe_auto_exchange exchange = {.app = NULL};
	struct pe_exchange_sum sum = {0};
	size_t bundles;

	PE_TRY(pe_cmd_begin(ctx, opts, &argc, &argv));
	if (dry_run) {
		PE_TRY(pe_exchange_count(&sum, &ctx->app, no_profiles));
		return report(ctx, &sum, "would send", "", NULL, format);
	}
	PE_TRY(pe_exchange_open(&exchange, &ctx->app, argc > 0 ? argv[0] : NULL));
	if (unsigned_too)
		exchange.signing_key = NULL;
	exchange.no_profiles = no_profiles;
	PE_TRY(pe_exchange_pack(&sum, &exchange));
	PE_TRY(pe_exchange_send(&bundles, &exchange));
	if (sum.too_large > 0)
		pe_app_note(
			&ctx->app,
			"%zu %s too large to be sent: leave out methods that are called often and "
			"do little ('profile: exclude:')",
			sum.too_large, sum.too_large == 1 ? "profile is" : "profiles are");
	if (bundles > sum.bundles)
		pe_app_note(&ctx->app, "%zu %s that %s did not have were sent along",
			    bundles - sum.bundles,
			    bundles - sum.bundles == 1 ? "bundle" : "bundles",
			    exchange.remote.name);
	return report(ctx, &sum, "sent", " to ", exchange.remote.name, format);
}

/* Note what was left out, and why. */
static void note_left_out(struct pe_cmd_ctx *ctx, const struct pe_exchange_sum *sum)
{
	if (sum->refused > PE_EXCHANGE_NAMED)
		pe_app_note(&ctx->app, "%zu bundles more are left out",
			    sum->refused - PE_EXCHANGE_NAMED);
	if (sum->left != 0)
		pe_app_note(&ctx->app, "%zu %s more than one pull takes: run 'perfevo pull' again",
			    sum->left, sum->left == 1 ? "bundle is" : "bundles are");
	if (sum->own != 0)
		pe_app_note(
			&ctx->app,
			"left out: %zu %s of results of a machine that this database has measured on "
			"itself: nobody else's are taken for it",
			sum->own, sum->own == 1 ? "document" : "documents");
	if (sum->waiting != 0)
		pe_app_note(
			&ctx->app,
			"%zu %s of commits that are not here: run 'git fetch' and 'perfevo pull' again",
			sum->waiting, sum->waiting == 1 ? "bundle speaks" : "bundles speak");
	if (sum->rows.unproved != 0)
		pe_app_note(&ctx->app, "%zu %s left out: the runs that came along do not say so",
			    sum->rows.unproved,
			    sum->rows.unproved == 1 ? "confirmation is" : "confirmations are");
}

int cmd_pull(struct pe_cmd_ctx *ctx, int argc, char **argv)
{
	int format = PE_FORMAT_TERM;
	const struct pe_opt opts[] = {OPT_JSON(&format), OPT_END};
	pe_auto_exchange exchange = {.app = NULL};
	struct pe_exchange_sum sum = {0};

	PE_TRY(pe_cmd_begin(ctx, opts, &argc, &argv));
	PE_TRY(pe_exchange_open(&exchange, &ctx->app, argc > 0 ? argv[0] : NULL));
	PE_TRY(pe_exchange_receive(&sum, &exchange));
	PE_TRY(pe_exchange_take_in(&sum, &exchange));
	note_left_out(ctx, &sum);
	return report(ctx, &sum, "imported", " from ", exchange.remote.name, format);
}
