/*
 * Two profiles beside each other. A profile tells what its benchmark did while it was taken; on a machine that does
 * other things too, that is not what it does an hour later. Counts are exact whenever they were taken, but times
 * of two revisions are compared by samples of both in turns.
 */
#include "app/profiling/collect_internal.h"

#include "analysis/profile/tree.h"
#include "core/base/clock.h"

#include <string.h>

/* The counts of a tree: without times, and without nodes that only samples have. */
static struct pe_cct *counts_of(const struct pe_cct *cct, struct pe_arena *arena)
{
	const unsigned known = cct->known & (PE_CCT_CALLS | PE_CCT_SITES | PE_CCT_ALLOCATIONS);
	struct pe_cct_builder *builder = pe_cct_builder_new(cct->frames, known);
	pe_auto_free uint32_t *at = pe_realloc(NULL, cct->n, sizeof(*at));
	struct pe_cct_facts facts = cct->facts;
	struct pe_cct *out;

	for (uint32_t i = 0; i < cct->n; i++) {
		const struct pe_cct_node *node = &cct->nodes[i];
		const uint32_t above = i > 0 ? at[node->parent] : 0;
		const bool counted = above != PE_CCT_NONE && (i == 0 || pe_cct_is_counted(cct, i));

		at[i] = !counted ? PE_CCT_NONE
			: i == 0 ? 0
				 : pe_cct_builder_child(builder, above, node->frame, node->site);
		if (!counted)
			continue;
		pe_cct_builder_flag(builder, at[i], cct->flags[i]);
		pe_cct_builder_add(builder, at[i], cct, i);
	}
	for (uint32_t i = 0; i < cct->n_ranges; i++)
		if (at[cct->ranges[i].node] != PE_CCT_NONE)
			pe_cct_builder_vary(builder, at[cct->ranges[i].node], &cct->ranges[i]);
	facts.duration_ns = facts.samples = facts.samples_lost = 0;
	out = pe_cct_builder_finish(builder, &facts, arena);
	out->nodes[0].frame = cct->nodes[0].frame;
	return out;
}

static bool is_fit(const struct pe_collected *side)
{
	return side->cct != NULL && side->profile.settings != NULL &&
	       side->cct->facts.source != NULL &&
	       (side->untimed ||
		strcmp(side->cct->facts.source, pe_profile_mode_name(PE_PROFILE_BOTH)) == 0);
}

/* The row of one side's profile that was taken beside the other's. */
static struct pe_stored_profile row_of(const struct pe_collected sides[2], int side,
				       struct pe_arena *arena)
{
	struct pe_stored_profile row = sides[side].profile;

	row.settings =
		pe_arena_printf(arena, "%s beside %s", row.settings, sides[!side].profile.revision);
	return row;
}

static int load(struct pe_collected *out, struct pe_app *app,
		const struct pe_stored_profile *wanted, struct pe_frames *frames,
		struct pe_arena *arena)
{
	const struct pe_profile_query query = {
		.machine = wanted->machine,
		.benchmark = wanted->benchmark,
		.revision = wanted->revision,
		.kind = wanted->kind,
		.settings = wanted->settings,
	};
	struct pe_stored_profile row;

	PE_TRY(pe_store_find_profile(&row, app->store, &query, arena, app->err));
	if (row.taken_s < out->profile.taken_s)
		return PE_ENOTFOUND;
	return pe_collecting_load_trees(out, app, row.key, row.n_trees, frames, arena);
}

static int load_both(struct pe_collected sides[2], struct pe_app *app, struct pe_frames *frames,
		     struct pe_arena *arena)
{
	struct pe_collected loaded[2] = {sides[0], sides[1]};

	for (int side = 0; side < 2; side++) {
		const struct pe_stored_profile row = row_of(sides, side, arena);

		PE_TRY(load(&loaded[side], app, &row, frames, arena));
	}
	for (int side = 0; side < 2; side++)
		sides[side] = loaded[side];
	return PE_OK;
}

static int keep(struct pe_collected sides[2], struct pe_app *app,
		const struct pe_collecting_turn turns[2], struct pe_arena *arena)
{
	uint64_t now_s = pe_clock_now_s();

	for (int side = 0; side < 2; side++) {
		struct pe_stored_profile row = row_of(sides, side, arena);

		row.taken_s = now_s;
		row.n_trees = turns[side].n_trees;
		PE_TRY(pe_store_put_profile(&row.key, app->store, &row,
					    (const struct pe_cct *const *)turns[side].trees,
					    turns[side].n_trees, app->err));
	}
	for (int side = 0; side < 2; side++) {
		sides[side].trees = turns[side].trees;
		sides[side].n_trees = turns[side].n_trees;
		sides[side].cct = turns[side].trees[0];
	}
	return PE_OK;
}

int pe_collect_load_beside(struct pe_collected sides[2], struct pe_app *app,
			   struct pe_frames *frames, struct pe_arena *arena)
{
	if (!is_fit(&sides[0]) || !is_fit(&sides[1]))
		return PE_ENOTFOUND;
	return load_both(sides, app, frames, arena);
}

static int show(struct pe_collecting_turn turns[2], void *payload)
{
	const struct pe_collect_pair *pair = payload;
	struct pe_collected early[2] = {pair->sides[0], pair->sides[1]};
	int rc;

	for (int side = 0; side < 2; side++) {
		early[side].trees = turns[side].trees;
		early[side].n_trees = turns[side].n_trees;
		early[side].cct = turns[side].trees[0];
	}
	rc = pair->look(early, pair->payload);
	for (int side = 0; side < 2; side++)
		turns[side].calls = counts_of(pair->sides[side].cct, pair->arena);
	return rc;
}

/* @param more  NULL: by the plan */
static int sample(struct pe_collecting_turn turns[2], const struct pe_collect_pair *pair,
		  const struct pe_collect_more *more)
{
	struct pe_collected scratch = {.outcome = PE_MEASURED, .log = ""};
	pe_auto_collecting collecting = {
		.session = pair->session,
		.plan = pe_collecting_plan(pair->benchmarks[0]),
		.mode = PE_PROFILE_BOTH,
		.frames = pair->frames,
		.arena = pair->arena,
		.out = &scratch,
		.more = more,
		.look = pair->look != NULL ? show : NULL,
		.look_payload = (void *)pair,
	};

	for (int side = 0; side < 2; side++)
		turns[side] = (struct pe_collecting_turn){
			pair->revisions[side], pair->benchmarks[side],
			counts_of(pair->sides[side].cct, pair->arena), NULL, 0};
	PE_TRY(pe_collecting_open_slots(&collecting));
	return pe_collecting_turns(&collecting, turns);
}

/* Sides that are still untimed: what was sampled beside the other is each one's own profile, too. */
static int settle_untimed(const struct pe_collect_pair *pair, bool sampled)
{
	struct pe_app *app = pair->session->app;

	for (int side = 0; side < 2; side++) {
		struct pe_collected *one = &pair->sides[side];

		if (!one->untimed)
			continue;
		one->untimed = false;
		one->profile.n_trees = one->n_trees;
		PE_TRY(sampled ? pe_store_put_profile(&one->profile.key, app->store, &one->profile,
						      (const struct pe_cct *const *)one->trees,
						      one->n_trees, app->err)
			       : pe_collecting_alone(one, pair->session, pair->revisions[side],
						     pair->benchmarks[side], pair->frames,
						     pair->arena));
	}
	return PE_OK;
}

int pe_collect_beside(const struct pe_collect_pair *pair, bool again)
{
	struct pe_collected *sides = pair->sides;
	struct pe_app *app = pair->session->app;
	struct pe_collecting_turn turns[2];
	bool sampled = false;
	int rc;

	if (is_fit(&sides[0]) && is_fit(&sides[1])) {
		/* Counts of the same second and content have the same key as those of the last session. */
		rc = again ? PE_ENOTFOUND : load_both(sides, app, pair->frames, pair->arena);
		if (rc != PE_ENOTFOUND)
			return rc;
		PE_TRY(sample(turns, pair, NULL));
		sampled = turns[0].n_trees > 0 && turns[1].n_trees > 0;
		if (sampled)
			PE_TRY(keep(sides, app, turns, pair->arena));
	}
	return settle_untimed(pair, sampled);
}

/* Whether each tree of a turn has one that it is pooled with: the first is of all samples, the others of halves. */
static bool can_be_pooled(const struct pe_collecting_turn *turn, const struct pe_collected *side)
{
	bool sampled = turn->n_trees > 0 && turn->n_trees == side->n_trees;

	for (size_t i = 0; sampled && i < turn->n_trees; i++)
		sampled = turn->trees[i]->facts.samples > 0 && side->trees[i]->facts.samples > 0;
	return sampled;
}

int pe_collect_beside_more(const struct pe_collect_pair *pair, const struct pe_collect_more *more)
{
	struct pe_collected *sides = pair->sides;
	struct pe_collecting_turn turns[2];

	if (!is_fit(&sides[0]) || !is_fit(&sides[1]))
		return PE_OK;
	PE_TRY(sample(turns, pair, more));
	if (!can_be_pooled(&turns[0], &sides[0]) || !can_be_pooled(&turns[1], &sides[1]))
		return PE_OK;
	for (int side = 0; side < 2; side++)
		for (size_t i = 0; i < turns[side].n_trees; i++)
			turns[side].trees[i] = pe_tree_pooled(sides[side].trees[i],
							      turns[side].trees[i], pair->arena);
	return keep(sides, pair->session->app, turns, pair->arena);
}
