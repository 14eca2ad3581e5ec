#include "app/pages/compare_page.h"

#include "core/base/clock.h"

#include "core/base/files.h"
#include "core/base/outfile.h"

#include <string.h>

int pe_comparing_page(struct pe_page_comparison *out, struct pe_comparing *comparing)
{
	*out = (struct pe_page_comparison){
		.compare = &comparing->out,
		.frames = &comparing->frames,
		.old_revision = SIZE_MAX,
		.new_revision = SIZE_MAX,
		.stored = comparing->no_code,
	};
	if (comparing->revisions == NULL)
		return PE_OK;
	return pe_comparing_sources(&out->sources, &out->n_sources, comparing);
}

int pe_page_path(const char **out, bool *named, struct pe_app *app, const char *name)
{
	const char *folder =
		pe_arena_printf(app->arena, "%s/perfevo", pe_repo_common_dir(app->repo));
	const char *store = app->store != NULL ? pe_store_path(app->store) : "";
	const char *base = strrchr(store, '/');
	size_t n = strlen(store);

	*named = base != NULL && strncmp(store, folder, strlen(folder)) != 0;
	if (*named) {
		n -= n > 3 && strcmp(store + n - 3, ".db") == 0 ? 3 : 0;
		*out = pe_arena_printf(app->arena, "%.*s-%s", (int)n, store, name);
		return PE_OK;
	}
	*out = pe_arena_printf(app->arena, "%s/%s", folder, name);
	return pe_files_make_dir(folder, app->err);
}

int pe_page_write(const char **path, struct pe_app *app, const struct pe_text *page,
		  const char *asked, const char *name)
{
	bool named = asked != NULL;

	*path = asked;
	if (asked == NULL)
		PE_TRY(pe_page_path(path, &named, app, name));
	return named ? pe_outfile_write_file(page, *path, app->err)
		     : pe_text_write_file(page, *path, app->err);
}

int pe_comparing_write(const char **path, struct pe_comparing *comparing, const char *asked,
		       const char *name)
{
	struct pe_app *app = comparing->app;
	const struct pe_compare *compare = &comparing->out;
	const struct pe_evolution around = {
		.project = app->repo != NULL ? pe_repo_name(app->repo) : NULL,
		.machine = compare->origin,
		.version = PE_VERSION,
		.generated_s = pe_clock_now_s(),
	};
	struct pe_page_comparison comparison;
	const struct pe_page page = {
		.title = pe_arena_printf(app->arena, "%s against %s", compare->new_side.name,
					 compare->old_side.name),
		.evolution = &around,
		.comparisons = &comparison,
		.n_comparisons = 1,
	};
	pe_auto_text text = PE_TEXT_INIT;

	PE_TRY(pe_comparing_page(&comparison, comparing));
	pe_page_html(&text, &page);
	return pe_page_write(path, app, &text, asked, name);
}
