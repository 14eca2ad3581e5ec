#include "analysis/compare/zam_same.h"

static bool is_same(const struct pe_match *match, uint32_t j, const struct pe_changes *changes)
{
	uint32_t i = match->to_old[j], frame = match->new_cct->nodes[j].frame;

	return i != PE_CCT_NONE && pe_changes_same(changes, frame) &&
	       match->old_cct->calls[i] > 0 && match->old_cct->calls[i] == match->new_cct->calls[j];
}

static bool is_sampled(const struct pe_cct *cct)
{
	return cct->calls != NULL && cct->facts.samples > 0;
}

void pe_zam_same_find(struct zam_same *out, const struct pe_match *match,
		      const struct pe_changes *changes, struct pe_arena *arena)
{
	const struct pe_cct *old_cct = match->old_cct, *new_cct = match->new_cct;

	out->own = pe_arena_new(arena, struct zam_same_times, new_cct->n);
	out->total = pe_arena_new(arena, struct zam_same_times, new_cct->n);
	if (!is_sampled(old_cct) || !is_sampled(new_cct))
		return;
	for (uint32_t j = new_cct->n; j-- > 0;) {
		struct zam_same_times *total = &out->total[j];

		if (is_same(match, j, changes))
			out->own[j] =
				(struct zam_same_times){(double)old_cct->self_ns[match->to_old[j]],
							(double)new_cct->self_ns[j]};
		total->old_ns += out->own[j].old_ns;
		total->new_ns += out->own[j].new_ns;
		if (j == 0)
			break;
		out->total[new_cct->nodes[j].parent].old_ns += total->old_ns;
		out->total[new_cct->nodes[j].parent].new_ns += total->new_ns;
	}
}
