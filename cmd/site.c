/* Site: the reports of branches with an index, a feed and badges, as files for a web server. */
#include "cmd/commands.h"
#include "app/pages/site.h"

#include <string.h>
#include <unistd.h>

/* The site's address without slashes at its end; NULL: it is none. */
static const char *address_of(const char *url, struct pe_arena *arena)
{
	size_t n = strlen(url);

	if (strncmp(url, "http://", 7) != 0 && strncmp(url, "https://", 8) != 0)
		return NULL;
	for (size_t i = 0; i < n; i++)
		if ((unsigned char)url[i] <= ' ')
			return NULL;
	while (n > 0 && url[n - 1] == '/')
		n--;
	return pe_arena_strndup(arena, url, n);
}

/* As for a report, a store that cannot be written is read; jumps are not explained then. */
static int write_site(struct pe_site_sum *out, struct pe_cmd_ctx *ctx,
		      const struct pe_site_opts *opts)
{
	const bool writable = access(pe_app_store_path(&ctx->app), W_OK) == 0;

	PE_TRY(pe_app_open(&ctx->app, writable ? PE_NEEDS_STORE : PE_NEEDS_STORE_READ));
	return pe_site_write(out, &ctx->app, opts);
}

int cmd_site(struct pe_cmd_ctx *ctx, int argc, char **argv)
{
	struct pe_site_opts options = {0};
	const struct pe_opt opts[] = {
		OPT_LIST(0, "branch", &options.branches, "NAME",
			 "this branch, in place of the one that is checked out"),
		OPT_STRING(0, "title", &options.title, "TEXT", "the title of index and feed"),
		OPT_STRING(0, "url", &options.url, "URL",
			   "where the site will be: the feed then has whole addresses"),
		OPT_END,
	};
	struct pe_site_sum sum;

	PE_TRY(pe_cmd_begin(ctx, opts, &argc, &argv));
	if (argc != 1)
		return pe_cmd_misused(ctx, "name the folder that the site is written to");
	options.folder = argv[0];
	if (options.url != NULL) {
		options.url = address_of(options.url, ctx->app.arena);
		if (options.url == NULL)
			return pe_cmd_misused(
				ctx, "--url takes an address, 'https://example.org/performance'");
	}
	PE_TRY(write_site(&sum, ctx, &options));
	pe_app_note(&ctx->app,
		    "site: %s/index.html (files: %zu written, %zu unchanged, %zu removed)",
		    options.folder, sum.written, sum.unchanged, sum.removed);
	return PE_EXIT_GOOD;
}
