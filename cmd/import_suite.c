#include "cmd/import_suite.h"

#include "app/measure/import.h"
#include "suites/suite.h"

#include <string.h>
#include <sys/stat.h>

enum { MAX_FILE = 512 << 20 }; /* bytes of one file */

static int check(struct pe_cmd_ctx *ctx, const struct pe_import_request *asked)
{
	static const char safe[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.";
	pe_auto_text known = PE_TEXT_INIT;

	if (asked->suite[0] == '\0' || asked->suite[strspn(asked->suite, safe)] != '\0')
		return pe_fail(ctx->app.err, PE_EINVALID,
			       "--suite '%s': a name is made of letters, digits, '_', '-', '.'",
			       asked->suite);
	if (asked->machine != NULL &&
	    (asked->machine[0] == '\0' || asked->machine[strspn(asked->machine, safe)] != '\0'))
		return pe_fail(ctx->app.err, PE_EINVALID,
			       "--machine '%s': a name is made of letters, digits, '_', '-', '.'",
			       asked->machine);
	if (asked->format == NULL || strcmp(asked->format, "auto") == 0 ||
	    pe_suite_format_find(asked->format) != PE_SUITE_N_FORMATS)
		return PE_OK;
	for (int i = PE_SUITE_AUTO + 1; i < PE_SUITE_N_FORMATS; i++)
		pe_text_addf(&known, ", %s", pe_suite_format_name((enum pe_suite_format)i));
	return pe_fail(ctx->app.err, PE_EINVALID, "there is no format '%s': auto%s", asked->format,
		       pe_text_str(&known));
}

static int read_file(struct pe_import_file *out, struct pe_cmd_ctx *ctx, const char *path)
{
	pe_auto_text text = PE_TEXT_INIT;
	struct stat st;

	if (strcmp(path, "-") == 0) {
		out->name = "standard input";
		PE_TRY(pe_text_read_fd(&text, 0) == 0
			       ? PE_OK
			       : pe_fail_errno(ctx->app.err, "cannot read standard input"));
	} else {
		out->name = path;
		if (stat(path, &st) == 0 && st.st_size > MAX_FILE)
			return pe_fail(ctx->app.err, PE_EINVALID, "%s: larger than %d MiB", path,
				       MAX_FILE >> 20);
		PE_TRY(pe_text_read_file(&text, path, ctx->app.err));
	}
	out->n = text.len;
	out->bytes = pe_arena_strndup(ctx->app.arena, "", 0);
	if (text.len > 0)
		out->bytes =
			memcpy(pe_arena_alloc(ctx->app.arena, text.len, 1), text.data, text.len);
	return PE_OK;
}

static void report(struct pe_cmd_ctx *ctx, const struct pe_suite_import *import,
		   const struct pe_imported *imported, const struct pe_revision *revision)
{
	pe_auto_text shown = PE_TEXT_INIT;

	pe_text_add(&shown, "'perfevo log --no-graph --machine ");
	pe_text_add_word(&shown, import->machine);
	pe_text_add(&shown, "' shows them");

	if (imported->known > 0)
		pe_app_note(&ctx->app, "%zu of %zu file%s of '%s' at %.10s %s imported before",
			    imported->known, import->n, import->n == 1 ? "" : "s", import->suite,
			    revision->id, imported->known == 1 ? "was" : "were");
	if (imported->known == import->n)
		return;
	if (imported->failed > 0) {
		const struct pe_member_reading *first = imported->first_failed;

		pe_app_note(&ctx->app, "%zu result%s without values left out, %s%s: %s",
			    imported->failed, imported->failed == 1 ? "" : "s",
			    imported->failed == 1 ? "" : "the first is ", first->name.id,
			    first->error != NULL && *first->error != '\0'
				    ? first->error
				    : "the library says that it failed or was skipped");
	}
	pe_app_note(&ctx->app, "stored %zu run%s of %zu benchmark%s (%s) of '%s' at %.10s %s; %s",
		    imported->runs, imported->runs == 1 ? "" : "s", imported->members,
		    imported->members == 1 ? "" : "s", imported->format, import->suite,
		    revision->id, revision->subject, pe_text_str(&shown));
}

int pe_import_suite(struct pe_cmd_ctx *ctx, const struct pe_import_request *asked, char **paths,
		    size_t n)
{
	struct pe_import_file *files = pe_arena_new(ctx->app.arena, struct pe_import_file, n);
	const struct pe_suite_import import = {
		.suite = asked->suite,
		.machine = asked->machine != NULL ? asked->machine : "imported",
		.format = asked->format != NULL ? asked->format : "auto",
		.files = files,
		.n = n,
	};
	struct pe_imported imported;
	struct pe_revision revision;

	PE_TRY(check(ctx, asked));
	PE_TRY(pe_app_open(&ctx->app, PE_NEEDS_REPO | PE_NEEDS_STORE));
	PE_TRY(pe_repo_resolve(&revision, ctx->app.repo,
			       asked->revision != NULL ? asked->revision : "HEAD", ctx->app.arena,
			       ctx->app.err));
	for (size_t i = 0; i < n; i++)
		PE_TRY(read_file(&files[i], ctx, paths[i]));
	PE_TRY(pe_import_results(&imported, &ctx->app, &import, &revision));
	report(ctx, &import, &imported, &revision);
	return PE_EXIT_GOOD;
}
