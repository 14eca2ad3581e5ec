/*
 * Machine: the one whose results are compared. Trees of two machines are never compared with each other: a machine without
 * both sides is skipped.
 */
#include "app/explain/compare.h"
#include "app/history/detect.h"

static bool has_both(const struct pe_comparing *comparing, int64_t machine)
{
	for (size_t p = 0; p < comparing->pairs.n; p++) {
		bool both = true;

		for (int side = 0; side < 2; side++)
			both = both && pe_collect_is_stored(comparing->app, machine,
							    comparing->couples[p].benchmarks[side],
							    comparing->revisions[side].id);
		if (both)
			return true;
	}
	return false;
}

/* Machines measured here come first, then the latest. */
static bool is_better(const struct pe_stored_machine *one, const struct pe_stored_machine *best)
{
	if (best == NULL || (one->origin[0] == '\0') != (best->origin[0] == '\0'))
		return best == NULL || one->origin[0] == '\0';
	return one->last_run_s > best->last_run_s;
}

int pe_comparing_machine(struct pe_comparing *comparing)
{
	struct pe_app *app = comparing->app;
	const struct pe_stored_machine *best = NULL;
	struct pe_stored_machine *machines;
	struct pe_evolution named = {0};
	size_t n;

	if (!comparing->opts->anybodys || has_both(comparing, comparing->session.machine_key))
		return PE_OK;
	PE_TRY(pe_store_machines(&machines, &n, app->store, app->arena, app->err));
	for (size_t i = 0; i < n; i++)
		if (is_better(&machines[i], best) && has_both(comparing, machines[i].key))
			best = &machines[i];
	if (best == NULL)
		return PE_OK;
	pe_detect_describe(&named, app, best);
	comparing->out.origin = named.machine;
	comparing->session.machine_key = best->key;
	return PE_OK;
}
