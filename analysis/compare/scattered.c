/* Scattered: own times below a call, by method. */
#include "analysis/compare/scattered.h"

#include "core/base/arena.h"

#include <math.h>

/* Of what all contexts gained: where one has more, it is this one's gain. */
static const double MOST = 0.75;

static const uint32_t *nearest_changed(const struct pe_cct *cct, const struct pe_changes *changes,
				       struct pe_arena *arena)
{
	uint32_t *changed = pe_arena_new(arena, uint32_t, cct->n);

	for (uint32_t j = 0; j < cct->n; j++)
		changed[j] = pe_changes_touched(changes, cct->nodes[j].frame) ? j
			     : j > 0 ? changed[cct->nodes[j].parent]
				     : PE_CCT_NONE;
	return changed;
}

void pe_scatter_init(struct scatter *out, const struct pe_match *match, const struct zam_same *same,
		     const struct pe_changes *changes, const uint32_t *key, uint32_t n,
		     struct pe_arena *arena)
{
	*out = (struct scatter){
		.match = match,
		.same = same,
		.changed = nearest_changed(match->new_cct, changes, arena),
		.key = key,
		.old_ns = pe_arena_new(arena, double, n),
		.new_ns = pe_arena_new(arena, double, n),
		.most = pe_arena_new(arena, double, n),
		.places = pe_arena_new(arena, uint32_t, n),
		.same_sums = pe_arena_new(arena, struct zam_same_times, n),
		/* Every key may come from both trees. */
		.touched = pe_arena_new(arena, uint32_t, 2 * (size_t)n),
	};
}

/* Times are sums of whole nanoseconds: a key whose sum is 0 so far may be listed twice, which does no harm. */
static void add(struct scatter *scatter, double *sums, const struct pe_cct *cct, uint32_t from)
{
	for (uint32_t i = from; i < cct->nodes[from].end; i++) {
		uint32_t key = scatter->key[cct->nodes[i].frame];

		if (cct->self_ns[i] == 0 || pe_cct_frame(cct, i)->kind == PE_FRAME_WAITING)
			continue;
		if (sums[key] == 0)
			scatter->touched[scatter->n_touched++] = key;
		sums[key] += (double)cct->self_ns[i];
	}
}

static double gain_of(const struct pe_match *match, uint32_t j)
{
	uint32_t i = match->to_old[j];

	return (double)match->new_cct->self_ns[j] -
	       (i != PE_CCT_NONE ? (double)match->old_cct->self_ns[i] : 0);
}

/* What each context below a node of the new tree gained by itself. */
static void add_gains(struct scatter *scatter, uint32_t from)
{
	const struct pe_cct *cct = scatter->match->new_cct;
	const struct zam_same_times *same = scatter->same->own;

	for (uint32_t j = from; j < cct->nodes[from].end; j++) {
		uint32_t key = scatter->key[cct->nodes[j].frame];
		double gain = gain_of(scatter->match, j);

		scatter->same_sums[key].old_ns += same[j].old_ns;
		scatter->same_sums[key].new_ns += same[j].new_ns;
		if (gain <= 0)
			continue;
		scatter->places[key]++;
		if (gain > scatter->most[key])
			scatter->most[key] = gain;
	}
}

static struct scattered found_of(const struct scatter *scatter, uint32_t key)
{
	struct scattered found = {key, scatter->old_ns[key], scatter->new_ns[key],
				  scatter->places[key], scatter->same_sums[key]};

	if (scatter->most[key] > MOST * (found.new_ns - found.old_ns))
		found.places = 1;
	return found;
}

struct scattered pe_scatter_find(struct scatter *scatter, uint32_t new_node)
{
	uint32_t old_node = scatter->match->to_old[new_node];
	struct scattered best = {.key = PE_FRAME_NONE};

	scatter->n_touched = 0;
	add(scatter, scatter->new_ns, scatter->match->new_cct, new_node);
	if (old_node != PE_CCT_NONE)
		add(scatter, scatter->old_ns, scatter->match->old_cct, old_node);
	add_gains(scatter, new_node);
	for (uint32_t i = 0; i < scatter->n_touched; i++) {
		uint32_t key = scatter->touched[i];

		if (best.key == PE_FRAME_NONE ||
		    scatter->new_ns[key] - scatter->old_ns[key] > best.new_ns - best.old_ns)
			best = found_of(scatter, key);
	}
	for (uint32_t i = 0; i < scatter->n_touched; i++) {
		uint32_t key = scatter->touched[i];

		scatter->old_ns[key] = scatter->new_ns[key] = scatter->most[key] = 0;
		scatter->places[key] = 0;
		scatter->same_sums[key] = (struct zam_same_times){0};
	}
	return best;
}

/* Of whom contexts of a method below a node are the doing; PE_FRAME_NONE: of none there. */
static uint32_t origin_of(const struct scatter *scatter, uint32_t from, uint32_t j)
{
	uint32_t at = scatter->changed[j];

	return at != PE_CCT_NONE && at > from
		       ? scatter->key[scatter->match->new_cct->nodes[at].frame]
		       : PE_FRAME_NONE;
}

/* The one that has more than half of the gains, if any has: votes of others cancel its own. */
static uint32_t majority(const struct scatter *scatter, uint32_t from, uint32_t key)
{
	const struct pe_cct *cct = scatter->match->new_cct;
	uint32_t leader = PE_FRAME_NONE;
	double lead = 0;

	for (uint32_t j = from + 1; j < cct->nodes[from].end; j++) {
		double gain = gain_of(scatter->match, j);
		uint32_t origin;

		if (scatter->key[cct->nodes[j].frame] != key || gain <= 0)
			continue;
		origin = origin_of(scatter, from, j);
		if (lead <= 0)
			leader = origin;
		lead += origin == leader ? gain : -gain;
		if (lead < 0) {
			leader = origin;
			lead = -lead;
		}
	}
	return leader;
}

static bool has_most(const struct scatter *scatter, uint32_t from, uint32_t key, uint32_t origin)
{
	const struct pe_cct *cct = scatter->match->new_cct;
	double all = 0, its = 0;

	for (uint32_t j = from + 1; j < cct->nodes[from].end; j++) {
		double gain = fmax(0, gain_of(scatter->match, j));

		if (scatter->key[cct->nodes[j].frame] != key)
			continue;
		all += gain;
		its += origin_of(scatter, from, j) == origin ? gain : 0;
	}
	return its >= MOST * all;
}

struct scattered_origin pe_scatter_origin(const struct scatter *scatter, uint32_t new_node,
					  uint32_t key)
{
	const struct pe_cct *old_cct = scatter->match->old_cct, *cct = scatter->match->new_cct;
	struct scattered_origin out = {.key = majority(scatter, new_node, key)};

	if (out.key == PE_FRAME_NONE || out.key == key ||
	    !has_most(scatter, new_node, key, out.key)) {
		out.key = PE_FRAME_NONE;
		return out;
	}
	for (uint32_t j = new_node + 1; j < cct->nodes[new_node].end;) {
		uint32_t i = scatter->match->to_old[j];

		if (scatter->key[cct->nodes[j].frame] != out.key) {
			j++;
			continue;
		}
		out.places++;
		out.same.old_ns += scatter->same->total[j].old_ns;
		out.same.new_ns += scatter->same->total[j].new_ns;
		out.new_ns += (double)cct->total_ns[j];
		out.old_ns += i != PE_CCT_NONE ? (double)old_cct->total_ns[i] : 0;
		j = cct->nodes[j].end;
	}
	return out;
}
