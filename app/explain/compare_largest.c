/* Largest: chooses the benchmarks to explain, because each profile costs seconds, and a hundred explanations are not read. */
#include "app/explain/compare.h"

#include "core/base/sort.h"

#include <math.h>
#include <stdlib.h>

/* The largest change of a judged metric on a logarithmic scale, where half and double are equal. 0: none changed. */
static double size_of_change(const struct pe_compare_pair *pair)
{
	double largest = 0;

	for (size_t i = 0; i < pair->n_values; i++) {
		const struct pe_compare_value *value = &pair->values[i];
		double size = fabs(log1p(fmax(value->relative, -1 + 1e-9)));

		if (value->judged &&
		    (value->verdict == PE_REGRESSED || value->verdict == PE_IMPROVED))
			largest = fmax(largest, isfinite(size) ? size : INFINITY);
	}
	return largest;
}

struct ranked {
	double size;
	size_t pair;
};

PE_SORT_DOWN_BY(compare_ranked, struct ranked, size, pair);

static const char *say_left_out(const struct pe_compare_pair *pair, struct pe_arena *arena)
{
	pe_auto_text text = PE_TEXT_INIT;

	pe_text_addf(&text, "not explained, because %d benchmarks changed more: add -b ",
		     PE_COMPARING_MOST);
	pe_text_add_word(&text, pair->name);
	pe_text_add(&text, " for this one");
	return pe_arena_strdup(arena, pe_text_str(&text));
}

void pe_comparing_leave_small(struct pe_comparing *comparing)
{
	size_t n = comparing->pairs.n;
	pe_auto_free struct ranked *ranked = NULL;

	if (n <= PE_COMPARING_MOST || comparing->opts->kept || comparing->opts->stages)
		return;
	ranked = pe_realloc(NULL, n, sizeof(*ranked));
	for (size_t p = 0; p < n; p++)
		ranked[p] = (struct ranked){size_of_change(&comparing->pairs.data[p]), p};
	pe_sort(ranked, n, compare_ranked);
	for (size_t i = 0; i < n; i++) {
		struct pe_compare_pair *pair = &comparing->pairs.data[ranked[i].pair];

		pair->unprofiled = i >= PE_COMPARING_MOST || ranked[i].size == 0;
		if (i >= PE_COMPARING_MOST && ranked[i].size > 0 && !pair->same &&
		    pair->problem == NULL)
			pair->problem = say_left_out(pair, comparing->app->arena);
	}
}
