/* Push and pull: results to other clones and from them. */
#include "app/jobs/exchange.h"
#include "cmd/commands.h"

static void add_counts(struct pe_text *out, const struct pe_exchange_sum *sum)
{
	pe_text_addf(out, "%zu %s in %zu %s", sum->runs, sum->runs == 1 ? "run" : "runs",
		     sum->batches, sum->batches == 1 ? "batch" : "batches");
	if (sum->builds != 0)
		pe_text_addf(out, ", %zu failed %s", sum->builds,
			     sum->builds == 1 ? "build" : "builds");
	if (sum->reused != 0)
		pe_text_addf(out, ", %zu reused", sum->reused);
	if (sum->confirmations != 0)
		pe_text_addf(out, ", %zu %s decided", sum->confirmations,
			     sum->confirmations == 1 ? "suspect" : "suspects");
}

static int tell(struct pe_cmd_ctx *ctx, const struct pe_exchange_sum *sum, const char *before,
		const char *after)
{
	pe_auto_text out = PE_TEXT_INIT;

	if (sum->batches + sum->builds + sum->reused + sum->confirmations == 0) {
		pe_text_addf(&out, "nothing new%s\n", after);
	} else {
		pe_text_add(&out, before);
		add_counts(&out, sum);
		pe_text_addf(&out, "%s\n", after);
	}
	return pe_cmd_print(ctx, &out, false);
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
		"Sends measured results to a remote of this repository, where 'perfevo pull' of other clones finds them. They are stored there under " PE_BUNDLE_REFS
		", one ref a push, which are never changed: pushes of several clones cannot "
		"conflict. Branches and tags are not touched, here or there, and an ordinary 'git "
		"fetch' does not bring results along.\n\n"
		"Every run is sent once, when its batch is complete, with its samples and the "
		"machine it was made on; so are failed builds, reused results and confirmations. "
		"Calling context trees and the config stay here. Without REMOTE it is that of the "
		"current branch's upstream, else origin.",
	.examples = push_examples,
};

int cmd_push(struct pe_cmd_ctx *ctx, int argc, char **argv)
{
	bool dry_run = false;
	const struct pe_opt opts[] = {
		OPT_FLAG('n', "dry-run", &dry_run, "only print what would be sent"),
		OPT_END,
	};
	struct pe_exchange exchange;
	struct pe_exchange_sum sum;
	size_t bundles;
	int code = pe_cmd_begin(ctx, opts, &push_usage, &argc, &argv), rc;

	if (code >= 0)
		return code;
	if (argc > 1)
		return pe_cmd_misused(ctx, "one remote at most");
	if (dry_run) {
		rc = pe_exchange_count(&sum, &ctx->app);
		if (rc == PE_OK)
			rc = tell(ctx, &sum, "would send ", "");
		return rc == PE_OK ? PE_EXIT_GOOD : pe_cmd_fail(ctx);
	}
	rc = pe_exchange_open(&exchange, &ctx->app, argc > 0 ? argv[0] : NULL);
	if (rc == PE_OK)
		rc = pe_exchange_pack(&sum, &exchange);
	if (rc == PE_OK)
		rc = pe_exchange_send(&bundles, &exchange);
	if (rc == PE_OK && bundles > sum.bundles)
		pe_app_note(&ctx->app, "%zu %s that %s did not have were sent along",
			    bundles - sum.bundles,
			    bundles - sum.bundles == 1 ? "bundle" : "bundles",
			    exchange.remote.name);
	if (rc == PE_OK)
		rc = tell(ctx, &sum, "sent ",
			  pe_arena_printf(ctx->app.arena, " to %s", exchange.remote.name));
	pe_exchange_close(&exchange);
	return rc == PE_OK ? PE_EXIT_GOOD : pe_cmd_fail(ctx);
}

static const char *const pull_lines[] = {"perfevo pull [REMOTE]", NULL};

static const struct pe_example pull_examples[] = {
	{"perfevo pull", "fetch what others have measured and pushed to origin"},
	{NULL, NULL},
};

static const struct pe_usage pull_usage = {
	.lines = pull_lines,
	.description =
		"Fetches the results that 'perfevo push' of other clones has sent to a remote and "
		"stores them in this clone's database. Results of different machines stay apart: "
		"they are never joined into one series. What is here already is not stored twice, "
		"and what 'perfevo gc' has deleted does not come back.\n\n"
		"A bundle that cannot be read is left out, with a note that names it.",
	.examples = pull_examples,
};

int cmd_pull(struct pe_cmd_ctx *ctx, int argc, char **argv)
{
	const struct pe_opt opts[] = {OPT_END};
	struct pe_exchange exchange;
	struct pe_exchange_sum sum;
	int code = pe_cmd_begin(ctx, opts, &pull_usage, &argc, &argv), rc;

	if (code >= 0)
		return code;
	if (argc > 1)
		return pe_cmd_misused(ctx, "one remote at most");
	rc = pe_exchange_open(&exchange, &ctx->app, argc > 0 ? argv[0] : NULL);
	if (rc == PE_OK)
		rc = pe_exchange_receive(&exchange);
	if (rc == PE_OK)
		rc = pe_exchange_take_in(&sum, &exchange);
	if (rc == PE_OK)
		rc = tell(ctx, &sum, "took in ",
			  pe_arena_printf(ctx->app.arena, " from %s", exchange.remote.name));
	pe_exchange_close(&exchange);
	return rc == PE_OK ? PE_EXIT_GOOD : pe_cmd_fail(ctx);
}
