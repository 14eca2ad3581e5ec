/* Two profiles of other tools, or of perfevo's export: no repository is needed. */
#include "app/explain/compare.h"

static int read_side(struct pe_comparing_trees *out, struct pe_comparing *comparing,
		     const char *path, struct pe_recorded_opts *opts)
{
	int rc;

	out->at = pe_arena_new(comparing->app->arena, struct pe_cct *, 1);
	rc = pe_recorded_read(&out->at[0], comparing->app, path, opts, &comparing->frames);
	out->n = rc == PE_OK;
	return rc;
}

/* A program that shares no method with its older self was written anew, or is another: the wholes can be compared. */
static void warn_apart(struct pe_comparing *comparing, const struct pe_comparing_trees *olds,
		       const struct pe_comparing_trees *news, const char *old_path,
		       const char *new_path)
{
	const struct pe_recorded one = {olds->at[0], old_path}, other = {news->at[0], new_path};
	const char *apart = pe_recorded_apart(&one, &other, comparing->app->arena);

	if (apart != NULL)
		pe_app_note(comparing->app, "%s", apart);
}

int pe_comparing_files(struct pe_comparing *comparing, const char *old_path, const char *new_path,
		       struct pe_recorded_opts *opts)
{
	struct pe_comparing_trees olds = {NULL, 0}, news = {NULL, 0};
	struct pe_compare_pair pair = {.name = NULL};
	int rc = read_side(&olds, comparing, old_path, opts);

	comparing->n_old_frames = comparing->frames.n;
	if (rc == PE_OK)
		rc = read_side(&news, comparing, new_path, opts);
	if (rc != PE_OK)
		return rc;
	warn_apart(comparing, &olds, &news, old_path, new_path);
	pe_vec_push(&comparing->pairs, pair);
	pe_vec_push(&comparing->olds, olds);
	pe_vec_push(&comparing->news, news);
	comparing->out.old_side.name = old_path;
	comparing->out.new_side.name = new_path;
	return PE_OK;
}
