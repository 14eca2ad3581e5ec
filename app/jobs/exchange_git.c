/* Sharing by way of git (app/git.h). */
#include "app/jobs/exchange_internal.h"

#include <string.h>

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
