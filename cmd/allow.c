/* Allow: let the config have what it asks for, after somebody else changed it. */
#include "cmd/commands.h"

#include "app/measure/allowed.h"
#include "core/base/utf8.h"
#include "core/json/writer.h"

#include <string.h>

/* A text a line of "lines". */
static void print_json(struct pe_text *out, const char *path, const char *lines, size_t new)
{
	struct pe_json json = PE_JSON_INIT(out);

	pe_json_begin_object(&json, NULL);
	pe_json_put(&json, "format", 1);
	pe_json_put(&json, "config", path);
	pe_json_put(&json, "new", new);
	pe_json_begin_array(&json, "allowed");
	for (size_t n; *lines != '\0'; lines += n + (lines[n] != '\0')) {
		pe_auto_text line = PE_TEXT_INIT;

		n = strcspn(lines, "\n");
		pe_text_addn(&line, lines, n);
		pe_json_put(&json, NULL, pe_text_str(&line));
	}
	pe_json_finish(&json);
}

static int allow(struct pe_cmd_ctx *ctx, int format)
{
	pe_auto_text lines = PE_TEXT_INIT, out = PE_TEXT_INIT;
	size_t new;

	PE_TRY(pe_allowed_put(&ctx->app, &lines, &new));
	if (format == PE_FORMAT_JSON) {
		print_json(&out, ctx->app.config->path, pe_text_str(&lines), new);
		return pe_cmd_print(ctx, &out, false);
	}
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
	int format = PE_FORMAT_TERM;
	const struct pe_opt opts[] = {OPT_JSON(&format), OPT_END};

	PE_TRY(pe_cmd_begin(ctx, opts, &argc, &argv));
	return allow(ctx, format);
}
