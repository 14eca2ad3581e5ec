#include "report/variants.h"

#include "analysis/compare/method_counts.h"

/* Runs of both sides, and what they are matched with. */
struct form {
	bool call_sites;
	const struct pe_runs *runs[2];
};

static const uint8_t *find_colours(const struct pe_delta *delta, const struct pe_changes *changes,
				   enum pe_basis basis, struct pe_arena *arena)
{
	const struct pe_blueprint_opts opts = {.basis = basis, .changes = changes};
	uint8_t *colours = pe_arena_new(arena, uint8_t, delta->n);
	struct pe_arena scratch = PE_ARENA_INIT;
	struct pe_blueprint blueprint;

	pe_blueprint_make(&blueprint, delta, &opts, &scratch);
	for (uint32_t i = 0; i < delta->n; i++)
		colours[i] = blueprint.boxes[i].colour;
	pe_arena_release(&scratch);
	return colours;
}

static void add_colours(struct pe_page_variant *out, const struct pe_compare_pair *pair,
			struct pe_arena *arena)
{
	for (int basis = 0; basis < PE_N_BASES; basis++)
		out->colours[basis] =
			find_colours(out->delta, pair->changes, (enum pe_basis)basis, arena);
}

static void make_variant(struct pe_page_variant *out, const struct form *form,
			 enum pe_match_rule rule, const struct pe_compare_pair *pair,
			 const struct pe_variants_opts *opts, struct pe_arena *arena)
{
	struct pe_match *match = pe_arena_new(arena, struct pe_match, 1);
	struct pe_delta *delta = pe_arena_new(arena, struct pe_delta, 1);
	struct pe_match_opts how = *opts->match;

	how.rule = rule;
	how.no_call_sites = !form->call_sites;
	pe_match_make(match, form->runs[0]->cct, form->runs[1]->cct, &how, arena);
	pe_delta_make(delta, form->runs[0], form->runs[1], match, arena);
	*out = (struct pe_page_variant){
		.rule = rule, .call_sites = form->call_sites, .delta = delta};
	add_colours(out, pair, arena);
}

/* The pair's trees in the form that it was not asked for. */
static void make_form(struct form *out, bool call_sites, const struct pe_compare_pair *pair,
		      const struct pe_variants_opts *opts, struct pe_arena *arena)
{
	struct pe_runs *runs = pe_arena_new(arena, struct pe_runs, 2);

	out->call_sites = call_sites;
	for (int side = 0; side < 2; side++) {
		const struct pe_cct **at =
			pe_arena_new(arena, const struct pe_cct *, opts->n[side]);

		for (uint32_t i = 0; i < opts->n[side]; i++)
			at[i] = call_sites ? opts->at[side][i]
					   : pe_tree_without_sites(opts->at[side][i], arena);
		pe_runs_make(&runs[side], at, opts->n[side], arena);
		out->runs[side] = &runs[side];
	}
	runs[0].scale_error = pair->old_runs->scale_error;
	runs[1].scale_error = pair->new_runs->scale_error;
	if (pair->method_counts != NULL)
		pe_method_counts_lay(runs, pair->method_counts, arena);
}

static bool knows_sites(const struct pe_variants_opts *opts)
{
	return ((opts->at[0][0]->known | opts->at[1][0]->known) & PE_CCT_SITES) != 0;
}

void pe_variants_make(struct pe_page_variants *out, const struct pe_compare_pair *pair,
		      const struct pe_variants_opts *opts, struct pe_arena *arena)
{
	struct pe_page_variant *at =
		pe_arena_new(arena, struct pe_page_variant, 2 * PE_N_MATCH_RULES);
	struct form forms[2] = {
		{!opts->match->no_call_sites, {pair->old_runs, pair->new_runs}},
	};
	size_t n_forms = knows_sites(opts) ? 2 : 1;

	at[0] = (struct pe_page_variant){
		.rule = opts->match->rule, .call_sites = forms[0].call_sites, .delta = pair->delta};
	add_colours(&at[0], pair, arena);
	*out = (struct pe_page_variants){.at = at, .n = 1};
	if (pair->old_runs->cct->n > PE_VARIANTS_NODES ||
	    pair->new_runs->cct->n > PE_VARIANTS_NODES)
		return;
	if (n_forms == 2)
		make_form(&forms[1], !forms[0].call_sites, pair, opts, arena);
	for (size_t f = 0; f < n_forms; f++)
		for (int rule = 0; rule < PE_N_MATCH_RULES; rule++)
			if (f > 0 || (enum pe_match_rule)rule != opts->match->rule)
				make_variant(&at[out->n++], &forms[f], (enum pe_match_rule)rule,
					     pair, opts, arena);
}
