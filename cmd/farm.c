/* Farm: the machines of a Slurm cluster that `track --farm slurm` measures on. */
#include "app/cluster/farm.h"
#include "app/cluster/worker.h"
#include "cmd/commands.h"

#include <string.h>

static int init(struct pe_cmd_ctx *ctx)
{
	pe_auto_text text = PE_TEXT_INIT;

	PE_TRY(pe_app_open(&ctx->app, PE_NEEDS_STORE));
	PE_TRY(pe_farm_init(&ctx->app, &text));
	return pe_cmd_print(ctx, &text, false);
}

static int status(struct pe_cmd_ctx *ctx, int format)
{
	pe_auto_text text = PE_TEXT_INIT, document = PE_TEXT_INIT;

	PE_TRY(pe_app_open(&ctx->app, PE_NEEDS_STORE_READ));
	PE_TRY(pe_farm_status(&text, &document, &ctx->app));
	return pe_cmd_print(ctx, format == PE_FORMAT_JSON ? &document : &text, false);
}

static int stop(struct pe_cmd_ctx *ctx)
{
	pe_auto_text text = PE_TEXT_INIT;
	size_t n;

	PE_TRY(pe_app_open(&ctx->app, PE_NEEDS_STORE));
	PE_TRY(pe_farm_stop(&n, &ctx->app));
	pe_text_addf(&text, "asked %zu job%s to end\n", n, n == 1 ? "" : "s");
	return pe_cmd_print(ctx, &text, false);
}

/* The command of a job: SPOOL and the name of a shard, or SPOOL alone to probe the node. */
static int work(struct pe_cmd_ctx *ctx, int argc, char **argv)
{
	int rc = argc == 2 ? pe_farm_describe_node(&ctx->app, argv[1])
			   : pe_farm_work(&ctx->app, argv[1], argv[2]);

	return rc == PE_ESTOPPED ? PE_EXIT_REQUEUE : rc;
}

int cmd_farm(struct pe_cmd_ctx *ctx, int argc, char **argv)
{
	int format = PE_FORMAT_TERM;
	const struct pe_opt opts[] = {OPT_JSON(&format), OPT_END};

	PE_TRY(pe_cmd_begin(ctx, opts, &argc, &argv));
	if (argc >= 2 && argc <= 3 && strcmp(argv[0], "work") == 0)
		return work(ctx, argc, argv);
	if (argc != 1)
		return pe_cmd_misused(ctx, "say what to do: init, status or stop");
	if (strcmp(argv[0], "init") == 0)
		return init(ctx);
	if (strcmp(argv[0], "status") == 0)
		return status(ctx, format);
	if (strcmp(argv[0], "stop") == 0)
		return stop(ctx);
	return pe_cmd_misused(ctx, "there is no 'farm %s': init, status or stop", argv[0]);
}
