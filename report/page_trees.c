/*
 * The delta tree of a pair by column: numbers that are alike stand beside each other and pack well. Heights, widths and
 * colours of its boxes come with it.
 */
#include "report/page_parts.h"

#include "core/json/writer.h"

static const struct {
	const char *name, *column;
	enum pe_cost cost;
} metrics[] = {
	{"time", "self_ns", PE_COST_TIME}, {"allocations", "allocations", PE_COST_ALLOCATIONS},
	{"bytes", "bytes", PE_COST_BYTES}, {"instructions", "instructions", PE_COST_INSTRUCTIONS},
	{"count", "calls", PE_COST_CALLS},
};

#define N_METRICS (sizeof(metrics) / sizeof(*metrics))

static const struct pe_runs *runs_of(const struct pe_delta *delta, int side)
{
	return side == 0 ? delta->old_runs : delta->new_runs;
}

static uint32_t node_of(const struct pe_delta *delta, int side, size_t node)
{
	return side == 0 ? delta->nodes[node].old_node : delta->nodes[node].new_node;
}

/* Which nodes of a side the tree is of: mostly each the next one, so the distance from the last is written. */
static void put_nodes(struct pe_json *json, const char *key, const struct pe_delta *delta, int side)
{
	int64_t last = -1;

	pe_json_begin_array(json, key);
	for (uint32_t i = 0; i < delta->n; i++) {
		uint32_t node = node_of(delta, side, i);

		pe_json_put(json, NULL, node != PE_CCT_NONE ? (int64_t)node - last : 0);
		if (node != PE_CCT_NONE)
			last = node;
	}
	pe_json_end(json);
}

/* By frame in old: that of the same method in new, where it is another. */
static void put_renamed(struct pe_json *json, const struct pe_delta *delta)
{
	const struct pe_cct *old_cct = delta->old_runs->cct;

	pe_json_begin_array(json, "renamed");
	for (uint32_t i = 0; i < delta->n; i++) {
		const struct pe_delta_node *node = &delta->nodes[i];

		if (pe_delta_state(delta, i) != PE_DELTA_BOTH ||
		    old_cct->nodes[node->old_node].frame == node->frame)
			continue;
		pe_json_pair(json, NULL, old_cct->nodes[node->old_node].frame, node->frame);
	}
	pe_json_end(json);
}

static void put_sites(struct pe_json *json, const struct pe_delta *delta)
{
	if ((delta->old_runs->cct->known & delta->new_runs->cct->known & PE_CCT_SITES) == 0)
		return;
	pe_json_begin_array(json, "site");
	for (int side = 0; side < 2; side++)
		pe_json_each(json, NULL, i, delta->n,
			     pe_json_put(json, NULL,
					 node_of(delta, side, i) == PE_CCT_NONE
						 ? 0
						 : runs_of(delta, side)
							   ->cct->nodes[node_of(delta, side, i)]
							   .site));
	pe_json_end(json);
}

/* By side: nodes in which counting runs differ, by their numbers there, each with the number of these runs. */
static void put_differs(struct pe_json *json, const struct pe_delta *delta)
{
	const struct pe_cct *trees[] = {delta->old_runs->cct, delta->new_runs->cct};

	pe_json_pair(json, "counting_runs", trees[0]->facts.counting_runs,
		     trees[1]->facts.counting_runs);
	pe_json_begin_array(json, "differs");
	for (int side = 0; side < 2; side++)
		pe_json_each(json, NULL, i, trees[side]->n_ranges,
			     pe_json_row(json, NULL, &trees[side]->ranges[i], node, runs));
	pe_json_end(json);
}

static void put_value(struct pe_json *json, const struct pe_delta *delta, size_t node, size_t m,
		      int side)
{
	const struct pe_delta_values values =
		pe_delta_values(delta, (uint32_t)node, pe_cost_own(metrics[m].cost));

	if (values.known)
		pe_json_put(json, NULL, side == 0 ? values.old_value : values.new_value);
	else
		pe_json_null(json, NULL);
}

static void put_values(struct pe_json *json, const struct pe_delta *delta, size_t m)
{
	pe_json_begin_array(json, metrics[m].column);
	for (int side = 0; side < 2; side++)
		pe_json_each(json, NULL, i, delta->n, put_value(json, delta, i, m, side));
	pe_json_end(json);
}

static void put_boxes(struct pe_json *json, const struct pe_compare_pair *pair, size_t m)
{
	const struct pe_delta *delta = pair->delta;

	pe_json_begin_object(json, metrics[m].name);
	for (int basis = 0; basis < PE_N_BASES; basis++) {
		const struct pe_blueprint_opts opts = {
			.basis = (enum pe_basis)basis,
			.changes = pair->changes,
			.cause_of = pair->time != NULL ? pair->time->cause_of : NULL};
		pe_auto_arena arena = PE_ARENA_INIT;
		struct pe_blueprint blueprint;

		pe_blueprint_make_of(&blueprint, delta, metrics[m].cost, &opts, &arena);
		if (basis == 0) {
			pe_json_put(json, "of", blueprint.old_whole > 0 ? "old" : "new");
			pe_json_each(json, "first", i, delta->n,
				     if (blueprint.boxes[i].first) pe_json_put(json, NULL, i));
		}
		pe_json_begin_object(json, pe_basis_name((enum pe_basis)basis));
		pe_json_each(json, "height", i, delta->n,
			     pe_page_put_value(json, NULL, blueprint.boxes[i].signed_height));
		pe_json_each(json, "colour", i, delta->n,
			     pe_json_put(json, NULL, blueprint.boxes[i].colour));
		pe_json_end(json);
	}
	pe_json_end(json);
}

static void put_width(struct pe_json *json, const struct pe_delta *delta)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	struct pe_blueprint blueprint;

	pe_blueprint_make(&blueprint, delta, NULL, &arena);
	pe_json_each(json, "width", i, delta->n,
		     pe_page_put_value(json, NULL, blueprint.boxes[i].width));
}

void pe_page_put_tree(struct pe_json *json, const struct pe_compare_pair *pair)
{
	const struct pe_delta *delta = pair->delta;
	bool known[N_METRICS];

	if (!pe_json_begin_maybe(json, "tree", delta != NULL))
		return;
	pe_json_pair(json, "runs", delta->old_runs->n, delta->new_runs->n);
	pe_json_put(json, "event", pe_delta_event(delta));
	put_differs(json, delta);
	put_nodes(json, "old", delta, 0);
	put_nodes(json, "new", delta, 1);
	/* A parent is written as its distance, which is mostly 1. */
	pe_json_each(json, "parent", i, delta->n,
		     pe_json_put(json, NULL, i > 0 ? (uint32_t)i - delta->nodes[i].parent : 0));
	pe_json_each(json, "frame", i, delta->n, pe_json_put(json, NULL, delta->nodes[i].frame));
	put_renamed(json, delta);
	put_sites(json, delta);
	put_width(json, delta);
	for (size_t m = 0; m < N_METRICS; m++) {
		const enum pe_delta_metric own = pe_cost_own(metrics[m].cost);

		known[m] = pe_delta_column(delta->old_runs, own) != NULL &&
			   pe_delta_column(delta->new_runs, own) != NULL;
		if (known[m])
			put_values(json, delta, m);
	}
	pe_json_begin_object(json, "boxes");
	for (size_t m = 0; m < N_METRICS; m++)
		if (known[m])
			put_boxes(json, pair, m);
	pe_json_end(json);
	pe_json_end(json);
}
