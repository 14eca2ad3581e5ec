/* Allow: let the config have what it asks for, after somebody else changed it. */
#include "cmd/commands.h"

#include "app/measure/allowed.h"
#include "core/base/utf8.h"

static int allow(struct pe_cmd_ctx *ctx)
{
	pe_auto_text lines = PE_TEXT_INIT, out = PE_TEXT_INIT;
	size_t new;
	int rc = pe_allowed_put(&ctx->app, &lines, &new);

	if (rc != PE_OK)
		return rc;
	pe_utf8_add_visible(&out, ctx->app.config->path, "");
	if (lines.len == 0)
		pe_text_add(&out, " asks for nothing beyond its sandbox\n");
	else
		pe_text_addf(&out, " may have (%zu of it new):\n", new);
	pe_utf8_add_visible(&out, pe_text_str(&lines), "\n");
	return pe_cmd_print(ctx, &out, false);
}

int cmd_allow(struct pe_cmd_ctx *ctx, int argc, char **argv)
{
	const struct pe_opt opts[] = {OPT_END};
	int code = pe_cmd_begin(ctx, opts, &argc, &argv);

	if (code >= 0)
		return code;
	if (argc > 0)
		return pe_cmd_misused(ctx, "allow takes no operands");
	return allow(ctx) == PE_OK ? PE_EXIT_GOOD : pe_cmd_fail(ctx);
}
