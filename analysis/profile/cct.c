/* The finished tree: columns over a preorder array. */
#include "analysis/profile/cct.h"

#include "core/base/search.h"

#include <math.h>
#include <string.h>

struct pe_cct *pe_cct_new(struct pe_frames *frames, uint32_t n, unsigned known,
			  struct pe_arena *arena)
{
	struct pe_cct *cct = pe_arena_new(arena, struct pe_cct, 1);
	static const unsigned needs[PE_CCT_N_COLUMNS] = {
		PE_CCT_CALLS,       PE_CCT_ALLOCATIONS, PE_CCT_ALLOCATIONS,
		PE_CCT_ALLOCATIONS, PE_CCT_TIME,        PE_CCT_SAMPLES,
	};

	cct->frames = frames;
	cct->n = n;
	cct->known = known;
	cct->nodes = pe_arena_new(arena, struct pe_cct_node, n);
	cct->flags = pe_arena_new(arena, uint8_t, n);
	for (int c = 0; c < PE_CCT_N_COLUMNS; c++)
		if ((known & needs[c]) != 0)
			cct->columns[c] = pe_arena_new(arena, uint64_t, n);
	if ((known & PE_CCT_TIME) != 0)
		cct->total_ns = pe_arena_new(arena, uint64_t, n);
	if ((known & PE_CCT_ALLOCATIONS) != 0) {
		cct->total_allocations = pe_arena_new(arena, uint64_t, n);
		cct->total_bytes = pe_arena_new(arena, uint64_t, n);
	}
	return cct;
}

uint32_t *pe_cct_no_nodes(size_t n, struct pe_arena *arena)
{
	uint32_t *nodes = pe_arena_new(arena, uint32_t, n);

	memset(nodes, 0xff, n * sizeof(*nodes));
	return nodes;
}

const struct pe_cct_range *pe_cct_range_of(const struct pe_cct *cct, uint32_t node)
{
	uint32_t at = 0;

	pe_search(at, cct->n_ranges, i, cct->ranges[i].node < node);
	return at < cct->n_ranges && cct->ranges[at].node == node ? &cct->ranges[at] : NULL;
}

void pe_cct_sum_column(const struct pe_cct *cct, const uint64_t *own, uint64_t *total)
{
	for (uint32_t i = 0; own != NULL && i < cct->n; i++)
		total[i] = own[i];
	for (uint32_t i = cct->n; own != NULL && i-- > 1;)
		pe_cct_add(&total[cct->nodes[i].parent], total[i]);
}

void pe_cct_sum(struct pe_cct *cct)
{
	cct->waiting_ns = 0;
	for (uint32_t i = 0; cct->self_ns != NULL && i < cct->n; i++)
		if (pe_cct_frame(cct, i)->kind == PE_FRAME_WAITING)
			pe_cct_add(&cct->waiting_ns, cct->self_ns[i]);
	pe_cct_sum_column(cct, cct->self_ns, cct->total_ns);
	pe_cct_sum_column(cct, cct->allocations, cct->total_allocations);
	pe_cct_sum_column(cct, cct->allocated_bytes, cct->total_bytes);
}

int pe_cct_check(const struct pe_cct *cct, struct pe_err *err)
{
	if (cct->n == 0)
		return pe_fail(err, PE_EINVALID, "a calling context tree without a root");
	for (uint32_t i = 0; i < cct->n; i++) {
		const struct pe_cct_node *node = &cct->nodes[i];
		bool root = i == 0;
		bool placed;

		/* In preorder a node follows its parent, or the end of its elder sibling. */
		if (root)
			placed = node->parent == PE_CCT_NONE && node->end == cct->n;
		else
			placed = node->parent < i && node->end > i &&
				 node->end <= cct->nodes[node->parent].end;
		if (placed && !root && node->parent != i - 1) {
			uint32_t elder = i - 1;

			while (elder != PE_CCT_NONE && cct->nodes[elder].parent != node->parent)
				elder = cct->nodes[elder].end == i ? cct->nodes[elder].parent
								   : PE_CCT_NONE;
			placed = elder != PE_CCT_NONE && cct->nodes[elder].end == i;
		}
		if (!placed || node->frame >= cct->frames->n)
			return pe_fail(err, PE_EINVALID,
				       "node %u of a calling context tree of %u is out of place", i,
				       cct->n);
	}
	return PE_OK;
}

bool pe_cct_share_interval(const struct pe_cct *cct, uint64_t samples, double z, double *low_ns,
			   double *high_ns)
{
	double n = (double)cct->facts.samples;
	double p, centre, half, duration;

	if (cct->facts.samples == 0 || cct->facts.duration_ns == 0)
		return false;
	duration = (double)cct->facts.duration_ns - (double)cct->waiting_ns;
	p = (double)samples / n;
	centre = (p + z * z / (2 * n)) / (1 + z * z / n);
	half = z / (1 + z * z / n) * sqrt(p * (1 - p) / n + z * z / (4 * n * n));
	*low_ns = fmax(0, centre - half) * duration;
	*high_ns = fmin(1, centre + half) * duration;
	return true;
}

bool pe_cct_self_interval(const struct pe_cct *cct, uint32_t node, double z, double *low_ns,
			  double *high_ns)
{
	if (cct->samples != NULL &&
	    pe_cct_share_interval(cct, cct->samples[node], z, low_ns, high_ns))
		return true;
	*low_ns = *high_ns = cct->self_ns != NULL ? (double)cct->self_ns[node] : 0;
	return false;
}
