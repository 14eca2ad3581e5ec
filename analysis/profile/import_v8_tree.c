/* From a profile of V8's to a tree, after all its nodes and samples have been read. */
#include "analysis/profile/import_v8.h"

#include "analysis/profile/importers.h"

#include <inttypes.h>
#include <string.h>

/* The node in the tree of each node in the profile; parents are made first, whatever the order. */
struct building {
	struct pe_v8 *v8;
	struct pe_cct_builder *builder;
	const struct pe_frames *frames;
	uint32_t *made; /* PE_CCT_NONE: not yet */
	PE_VEC(uint32_t) path;
};

bool pe_v8_is_root(const struct pe_v8 *v8, const struct pe_frames *frames, uint32_t node)
{
	return v8->nodes.data[node].parent == PE_CCT_NONE &&
	       strcmp(frames->at[v8->nodes.data[node].frame].name, "(root)") == 0;
}

static bool is_code(const struct pe_v8 *v8, const struct pe_frames *frames, size_t node)
{
	return frames->at[v8->nodes.data[node].frame].kind != PE_FRAME_WAITING;
}

uint64_t pe_v8_samples(const struct pe_v8 *v8, const struct pe_frames *frames)
{
	uint64_t n = 0;

	for (size_t i = 0; i < v8->nodes.n; i++)
		if (v8->nodes.data[i].is_defined && is_code(v8, frames, i))
			pe_cct_add(&n, v8->sums.data[i].samples);
	return n;
}

/* Whether a node counts: one that is only listed among the children of others does not, as where unexecuted code was cut. */
static bool counts(const struct pe_v8 *v8, size_t node)
{
	return v8->nodes.data[node].is_defined || v8->sums.data[node].samples > 0;
}

int pe_v8_settle(struct pe_v8 *v8, const struct pe_import *import, uint64_t *missing)
{
	const struct pe_frame unknown = {.name = "[unknown]", .kind = PE_FRAME_UNKNOWN};
	struct pe_v8_node *nodes = v8->nodes.data;
	/* The last walk over each node: a node that the current walk meets again is below itself. */
	pe_auto_free uint32_t *walk = pe_realloc(NULL, v8->nodes.n + 1, sizeof(*walk));

	memset(walk, 0xff, v8->nodes.n * sizeof(*walk));
	for (uint32_t i = 0; i < v8->nodes.n; i++) {
		uint32_t at = counts(v8, i) ? i : PE_CCT_NONE;

		for (; at != PE_CCT_NONE && walk[at] == UINT32_MAX; at = nodes[at].parent) {
			walk[at] = i;
			if (nodes[at].is_defined)
				continue;
			nodes[at].is_defined = true;
			nodes[at].frame = pe_frames_add(import->frames, &unknown);
			++*missing;
		}
		if (at != PE_CCT_NONE && walk[at] == i)
			return pe_import_refuse_at(import, nodes[i].offset, "a tree",
						   "node %" PRId64 " stands below itself",
						   nodes[i].id);
	}
	return PE_OK;
}

static void make_path(struct building *building, uint32_t index, uint32_t under)
{
	const struct pe_v8_node *nodes = building->v8->nodes.data;

	for (uint32_t at = index; at != PE_CCT_NONE && building->made[at] == PE_CCT_NONE;
	     at = nodes[at].parent)
		pe_vec_push(&building->path, at);
	while (building->path.n > 0) {
		uint32_t at = building->path.data[--building->path.n], parent = nodes[at].parent;

		if (pe_v8_is_root(building->v8, building->frames, at)) {
			building->made[at] = under;
			continue;
		}
		parent = parent != PE_CCT_NONE ? building->made[parent] : under;
		if (!is_code(building->v8, building->frames, at))
			parent = 0;
		building->made[at] =
			pe_cct_builder_child(building->builder, parent, nodes[at].frame, 0);
	}
}

/* Whether a node has any time or samples of its own left. */
static bool has_any(const struct building *building, uint32_t index)
{
	const struct pe_v8_sum *sum = &building->v8->sums.data[index];

	return sum->us > 0 || (sum->samples > 0 && is_code(building->v8, building->frames, index));
}

static void add_values(struct building *building)
{
	for (size_t i = 0; i < building->v8->nodes.n; i++) {
		const struct pe_v8_sum *sum = &building->v8->sums.data[i];
		struct pe_cct_values *values;

		if (building->made[i] == PE_CCT_NONE)
			continue;
		values = pe_cct_builder_at(building->builder, building->made[i]);
		if (is_code(building->v8, building->frames, i))
			pe_cct_add(&values->samples, sum->samples);
		pe_cct_add(&values->self_ns,
			   sum->us < UINT64_MAX / 1000 ? sum->us * 1000 : UINT64_MAX);
	}
}

void pe_v8_build(struct pe_v8 *v8, const struct pe_import *import, uint32_t under)
{
	pe_auto_free uint32_t *made = pe_realloc(NULL, v8->nodes.n + 1, sizeof(*made));
	struct building building = {
		.v8 = v8,
		.builder = import->builder,
		.frames = import->frames,
		.made = made,
	};

	memset(made, 0xff, v8->nodes.n * sizeof(*made));
	for (uint32_t i = 0; i < v8->nodes.n; i++)
		if (v8->nodes.data[i].is_defined && (!v8->is_spread || has_any(&building, i)))
			make_path(&building, i, under);
	add_values(&building);
	pe_vec_release(&building.path);
}
