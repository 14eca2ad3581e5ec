/*
 * Whether counted instructions hold for this processor: functions that a run chose here and that execute nothing where
 * instructions are counted (app/measure/generic.h). Where such functions differ between both builds, the counts do not
 * show the change.
 */
#include "app/search/ab_test_internal.h"

#include "app/measure/generic.h"

/* Whether functions that one side's run chose differ in the other build, or are not there. */
static bool differ(const struct pe_executed *chosen, const char *const trees[2],
		   struct pe_arena *arena)
{
	struct pe_xxh hashes[2];
	struct pe_err ignored = PE_ERR_INIT;
	bool same = true;

	for (int side = 0; side < 2; side++) {
		struct pe_executed_trees *opened = pe_executed_trees_new(arena);

		pe_xxh_init(&hashes[side]);
		for (size_t i = 0; i < chosen->n && same; i++)
			same = pe_executed_hash(&hashes[side], opened, &chosen->programs[i],
						trees[side], &ignored) == PE_OK;
		pe_executed_trees_close(opened);
	}
	return !same || hashes[0].high != hashes[1].high || hashes[0].low != hashes[1].low;
}

int pe_ab_find_generic(struct pe_ab *pairing, struct pe_ab_subject *subject)
{
	const struct pe_session *session = pairing->session;
	const size_t revisions[] = {pairing->question->base, pairing->question->tip};
	const char *const trees[] = {pe_engine_tree_of(pairing->engine, revisions[0]),
				     pe_engine_tree_of(pairing->engine, revisions[1])};
	struct pe_generic sides[2] = {{.known = false}, {.known = false}};
	struct pe_executed entered;

	if (session->runner.valgrind == NULL || subject->trace == NULL)
		return PE_OK;
	for (int i = 0; i < 2; i++) {
		if (!pe_generic_asks(&subject->trace->touched.programs, trees[i]))
			continue;
		PE_TRY(pe_ab_watch(&entered, pairing, subject, &subject->trace->touched.programs,
				   trees[i]));
		PE_TRY(pe_generic_find(&sides[i], pairing->session,
				       session->revisions[revisions[i]].key,
				       subject->pairs.benchmark->key, trees[i], &entered));
	}
	for (int i = 0; i < 2; i++)
		if (sides[i].first != NULL) {
			subject->generic = sides[i].first;
			subject->generic_changed = subject->generic_changed ||
						   differ(&sides[i].chosen, trees, session->arena);
		}
	return PE_OK;
}
