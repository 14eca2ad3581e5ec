/* Init: write a perfevo.yml for the tree, list what is left to fill in, and try it on request. */
#include "cmd/commands.h"

#include "app/measure/guess.h"
#include "core/base/outfile.h"
#include "core/base/utf8.h"
#include "core/json/writer.h"

#include <unistd.h>

/* Where the config is to go. PE_EINVALID: another one already counts there. */
static int choose_path(const char **out, struct pe_cmd_ctx *ctx, const char *root, bool force)
{
	const char *hidden = pe_arena_printf(ctx->app.arena, "%s/.perfevo.yml", root);

	*out = ctx->app.config_path;
	if (*out == NULL)
		*out = pe_arena_printf(ctx->app.arena, "%s/perfevo.yml", root);
	if (!force && access(*out, F_OK) == 0)
		return pe_fail(ctx->app.err, PE_EINVALID,
			       "%s is there already; --force writes it anew", *out);
	if (!force && ctx->app.config_path == NULL && access(hidden, F_OK) == 0)
		return pe_fail(
			ctx->app.err, PE_EINVALID,
			"%s is there already; --force writes a perfevo.yml beside it, which then counts",
			hidden);
	return PE_OK;
}

/* What is to be filled in, but for one sentence; NULL: all of them. */
static void add_unknown(struct pe_text *out, const struct pe_guess *guess, const char *but)
{
	size_t n = 0;

	for (size_t i = 0; i < guess->unknown.n; i++)
		if (guess->unknown.at[i] != but)
			pe_text_addf(out, "%s  %s\n", n++ == 0 ? "still to do:\n" : "",
				     guess->unknown.at[i]);
}

/* checks: the result is tried at once, which ends at '...' with the same sentence and its line. */
static void explain(struct pe_text *out, const struct pe_guess *guess, const char *path,
		    bool checks)
{
	pe_text_add(out, "wrote ");
	pe_utf8_add_visible(out, path, "");
	if (guess->system != NULL)
		pe_text_addf(out, " for a project built with %s", guess->system);
	pe_text_add(out, "\n");
	add_unknown(out, guess, checks ? guess->to_do : NULL);
	if (!checks)
		pe_text_add(out, guess->unknown.n > 0 ? "then try it with 'perfevo check'\n"
						      : "next: 'perfevo check' tries it\n");
}

/* path: where the config was written; NULL: nowhere. */
static int print_json(struct pe_cmd_ctx *ctx, const struct pe_guess *guess, const char *path)
{
	pe_auto_text text = PE_TEXT_INIT;
	struct pe_json json = PE_JSON_INIT(&text);

	pe_json_begin_object(&json, NULL);
	pe_json_put(&json, "format", 1);
	pe_json_put(&json, "path", path);
	pe_json_members(&json, guess, system, yaml);
	pe_json_texts(&json, "unknown", guess->unknown.at, guess->unknown.n);
	pe_json_finish(&json);
	return pe_cmd_print(ctx, &text, false);
}

static int write_config(struct pe_cmd_ctx *ctx, const struct pe_guess *guess, const char *path,
			int format, bool checks)
{
	pe_auto_text text = PE_TEXT_INIT;

	pe_text_add(&text, guess->yaml);
	PE_TRY(path == ctx->app.config_path ? pe_outfile_write_file(&text, path, ctx->app.err)
					    : pe_text_write_file(&text, path, ctx->app.err));
	pe_text_clear(&text);
	if (format == PE_FORMAT_JSON)
		return print_json(ctx, guess, path);
	if (!ctx->app.quiet) {
		explain(&text, guess, path, checks);
		PE_TRY(pe_cmd_print(ctx, &text, false));
	}
	return PE_OK;
}

static int print_config(struct pe_cmd_ctx *ctx, const struct pe_guess *guess, int format)
{
	pe_auto_text text = PE_TEXT_INIT;

	if (format == PE_FORMAT_JSON)
		return print_json(ctx, guess, NULL);
	pe_text_add(&text, guess->yaml);
	PE_TRY(pe_cmd_print(ctx, &text, true));
	for (size_t i = 0; i < guess->unknown.n; i++)
		pe_app_note(&ctx->app, "still to do: %s", guess->unknown.at[i]);
	return PE_OK;
}

int cmd_init(struct pe_cmd_ctx *ctx, int argc, char **argv)
{
	bool force = false, print = false, check = false;
	int format = PE_FORMAT_TERM;
	const struct pe_opt opts[] = {
		OPT_FLAG('f', "force", &force, "write over a config that is there"),
		OPT_FLAG(0, "print", &print, "print the config, write nothing"),
		OPT_FLAG(0, "check", &check, "then build HEAD with it and run what was found once"),
		OPT_JSON(&format),
		OPT_END,
	};
	const struct pe_guess_request request = {.one = false};
	struct pe_guess guess;
	const char *root, *path = NULL;

	PE_TRY(pe_cmd_begin(ctx, opts, &argc, &argv));
	print = print || pe_outfile_is_standard(ctx->app.config_path);
	if (check && (print || format == PE_FORMAT_JSON))
		return pe_cmd_misused(
			ctx, "--check tries the file that was written: not with --print or JSON");
	root = pe_repo_workdir(ctx->app.repo);
	if (!print && root != NULL)
		PE_TRY(choose_path(&path, ctx, root, force));
	PE_TRY(pe_guess_head(&guess, &ctx->app, &request));
	PE_TRY(print ? print_config(ctx, &guess, format)
		     : write_config(ctx, &guess, path, format, check));
	if (!check)
		return PE_EXIT_GOOD;
	PE_TRY(pe_app_open(&ctx->app, PE_NEEDS_CONFIG | PE_NEEDS_STORE));
	return cmd_check_revision(ctx, NULL, NULL, PE_FORMAT_TERM);
}
