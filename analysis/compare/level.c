#include "analysis/compare/pairing.h"

static void collect(struct children *out, const struct side *side, uint32_t parent)
{
	const struct pe_cct *cct = side->cct;

	uint32_t n = 0;

	out->n = 0;
	for (uint32_t c = pe_cct_first(cct, parent); c != PE_CCT_NONE; c = pe_cct_next(cct, c))
		if (!pe_side_skips(side, c))
			pe_vec_push(out, pe_level_child(side, c, n++));
}

static void pair_places(struct level *level)
{
	for (uint32_t i = 0; i < level->a.n && i < level->b.n; i++)
		if (level->a.data[i].key == level->b.data[i].key)
			level->to_b.data[i] = i;
}

/* Whether both levels are equal, which is the common case. */
static bool all_equal(const struct level *level)
{
	if (level->a.n != level->b.n)
		return false;
	for (size_t i = 0; i < level->a.n; i++)
		if (level->a.data[i].key != level->b.data[i].key ||
		    level->a.data[i].site != level->b.data[i].site ||
		    level->a.data[i].content != level->b.data[i].content)
			return false;
	return true;
}

static void pair_sequences(struct level *level, enum level_rule rule)
{
	uint32_t na = (uint32_t)level->a.n, nb = (uint32_t)level->b.n;
	bool alike;

	if (all_equal(level)) {
		pair_places(level);
		return;
	}
	alike = pe_alike_canonical(level, level->a.data, na);
	alike = pe_alike_canonical(level, level->b.data, nb) || alike;
	if (rule == LEVEL_PLACE)
		pair_places(level);
	else if (rule == LEVEL_ORDER)
		pe_level_lcs(level);
	else
		pe_level_occurrences(level, &(struct span){0, na, 0, nb}, false);
	if (alike)
		pe_alike_regroup(level);
}

void pe_level_pair(struct level *level, uint32_t l, uint32_t r, enum level_rule rule)
{
	collect(&level->a, level->left, l);
	collect(&level->b, level->right, r);
	if (level->a.n == 0 || level->b.n == 0)
		return;
	pe_level_room(&level->to_b, level->a.n);
	for (size_t i = 0; i < level->a.n; i++)
		level->to_b.data[i] = PE_CCT_NONE;
	pair_sequences(level, rule);
	for (size_t i = 0; i < level->a.n; i++) {
		uint32_t place = level->to_b.data[i];

		if (place == PE_CCT_NONE)
			continue;
		level->left->partner[level->a.data[i].node] = level->b.data[place].node;
		level->right->partner[level->b.data[place].node] = level->a.data[i].node;
	}
}

void pe_level_release(struct level *level)
{
	pe_vec_release(&level->a);
	pe_vec_release(&level->b);
	pe_vec_release(&level->to_b);
	pe_vec_release(&level->other);
	pe_vec_release(&level->sorted_a);
	pe_vec_release(&level->sorted_b);
	pe_vec_release(&level->row);
	pe_vec_release(&level->step);
	pe_vec_release(&level->tail);
	pe_vec_release(&level->before);
	pe_map_release(&level->heads);
}
