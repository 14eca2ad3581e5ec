#include "store/exchange/results.h"

#include "core/model/modules.h"

#include <string.h>

enum { NOT_SEEN, KEPT, LEFT_OUT };

struct place {
	int what;
	size_t at; /* of one that is kept */
};

static bool has_room(const char *lines, size_t *modules)
{
	size_t n = 0;

	if (strlen(lines) > PE_RESULTS_TEXT || !pe_modules_are_sound(lines, &n) ||
	    *modules + n > PE_RESULTS_MODULES)
		return false;
	*modules += n;
	return true;
}

void pe_results_keep_modules(struct pe_results *results, struct pe_arena *arena)
{
	struct place *places = pe_arena_new(arena, struct place, results->n_module_sets);
	struct pe_results_module_set *sets =
		pe_arena_new(arena, struct pe_results_module_set, results->n_module_sets);
	size_t n = 0, modules = 0;

	for (size_t i = 0; i < results->n_runs; i++) {
		struct pe_results_run *run = &results->runs[i];
		struct place *place;

		if (!run->has_modules)
			continue;
		place = &places[run->modules];
		if (place->what == NOT_SEEN) {
			const struct pe_results_module_set *set =
				&results->module_sets[run->modules];

			*place = has_room(set->lines, &modules) ? (struct place){KEPT, n}
								: (struct place){LEFT_OUT, 0};
			if (place->what == KEPT)
				sets[n++] = *set;
		}
		run->has_modules = place->what == KEPT;
		run->modules = place->at;
	}
	results->module_sets = sets;
	results->n_module_sets = n;
}
