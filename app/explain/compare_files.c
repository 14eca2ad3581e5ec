/* Files: profiles of other tools, or exported by perfevo, without a repository. Several of one side are its repetitions. */
#include "app/explain/compare.h"

static int read_side(struct pe_collected *out, struct pe_comparing *comparing,
		     const struct pe_recorded_paths *paths, struct pe_recorded_opts *opts)
{
	out->trees = pe_arena_new(comparing->app->arena, struct pe_cct *, paths->list.n);
	for (; out->n_trees < paths->list.n; out->n_trees++)
		PE_TRY(pe_recorded_read(&out->trees[out->n_trees], comparing->app,
					paths->list.data[out->n_trees], opts, &comparing->frames));
	return PE_OK;
}

/*
 * Check whether both sides are comparable: different units are an error. Sides without a common method get a note, because
 * only their wholes can be compared.
 */
static int check_sides(struct pe_comparing *comparing, const struct pe_collected trees[2],
		       const struct pe_recorded_paths sides[2])
{
	const struct pe_recorded one = {trees[0].trees[0], sides[0].list.data[0]};
	const struct pe_recorded other = {trees[1].trees[0], sides[1].list.data[0]};
	const char *apart = pe_recorded_apart(&one, &other, comparing->app->arena);

	if (!pe_recorded_have_one_unit(&one, &other))
		return pe_fail(comparing->app->err, PE_EINVALID, "%s", apart);
	if (apart != NULL)
		pe_app_note(comparing->app, "%s", apart);
	return PE_OK;
}

static const char *name_of(const struct pe_recorded_paths *paths, struct pe_arena *arena)
{
	return paths->list.n == 1 ? paths->list.data[0]
				  : pe_arena_printf(arena, "%s and %zu more", paths->list.data[0],
						    paths->list.n - 1);
}

int pe_comparing_files(struct pe_comparing *comparing, const struct pe_recorded_paths sides[2],
		       struct pe_recorded_opts *opts)
{
	struct pe_collected *trees;

	comparing->couples = pe_arena_new(comparing->app->arena, struct pe_comparing_couple, 1);
	trees = comparing->couples[0].sides;
	PE_TRY(read_side(&trees[0], comparing, &sides[0], opts));
	comparing->n_old_frames = comparing->frames.n;
	PE_TRY(read_side(&trees[1], comparing, &sides[1], opts));
	PE_TRY(check_sides(comparing, trees, sides));
	pe_vec_push(&comparing->pairs, (struct pe_compare_pair){.name = NULL});
	comparing->out.old_side.name = name_of(&sides[0], comparing->app->arena);
	comparing->out.new_side.name = name_of(&sides[1], comparing->app->arena);
	return PE_OK;
}
