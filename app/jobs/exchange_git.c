/* Sharing by way of git (app/git.h). */
#include "app/jobs/exchange_internal.h"

#include "app/git.h"

#include <string.h>

#define REFSPEC PE_BUNDLE_REFS "*:" PE_BUNDLE_REFS "*"

const char *pe_exchange_base_dir(const struct pe_exchange *exchange)
{
	return pe_git_base_dir(exchange->app);
}

int pe_exchange_git(struct pe_exchange *exchange, const struct pe_exchange_git *call)
{
	const struct pe_git_call one = {.argv = call->argv,
					.git_dir = pe_bundles_dir(exchange->bundles),
					.remote = &exchange->remote,
					.what = call->what,
					.output = call->output,
					.output_bytes = call->output_bytes,
					.file_bytes = call->file_bytes,
					.messages = call->messages};

	return pe_git_call(exchange->app, &one);
}

int pe_exchange_send(size_t *bundles, struct pe_exchange *exchange)
{
	const char *const argv[] = {"git",         "-C",          pe_exchange_base_dir(exchange),
				    "push",        "--porcelain", "--no-progress",
				    "--no-verify", "--",          exchange->remote.push_url,
				    REFSPEC,       NULL};
	pe_auto_text lines = PE_TEXT_INIT;
	const struct pe_exchange_git call = {
		.argv = argv,
		.what = pe_arena_printf(exchange->app->arena, "pushing to '%s'",
					exchange->remote.name),
		.output = &lines,
	};
	int rc = pe_exchange_git(exchange, &call);

	/* A line a ref, which begins with what became of it, '*' for a new one. */
	*bundles = 0;
	for (const char *at = pe_text_str(&lines); at != NULL && *at != '\0';
	     at = strchr(at, '\n')) {
		at += *at == '\n';
		*bundles += *at == '*';
	}
	return rc;
}
