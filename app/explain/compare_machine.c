/*
 * Machine: the one whose results are compared. Trees of two machines are never compared with each other: a machine without
 * both sides is skipped.
 */
#include "app/explain/compare.h"
#include "app/history/detect.h"

static bool has_both(struct pe_comparing *comparing, int64_t machine,
		     const struct pe_comparing_couple *couples, const char *const ids[2])
{
	for (size_t p = 0; p < comparing->pairs.n; p++)
		if (pe_collect_is_stored(comparing->app, machine, couples[p].benchmarks[0],
					 ids[0]) &&
		    pe_collect_is_stored(comparing->app, machine, couples[p].benchmarks[1], ids[1]))
			return true;
	return false;
}

/* Machines measured here come first, then the latest. */
static bool is_better(const struct pe_stored_machine *one, const struct pe_stored_machine *best)
{
	if (best == NULL || (one->origin[0] == '\0') != (best->origin[0] == '\0'))
		return best == NULL || one->origin[0] == '\0';
	return one->last_run_s > best->last_run_s;
}

int pe_comparing_machine(int64_t *out, struct pe_comparing *comparing,
			 const struct pe_session *session,
			 const struct pe_comparing_couple *couples, const char *const ids[2])
{
	struct pe_app *app = comparing->app;
	const struct pe_stored_machine *best = NULL;
	struct pe_stored_machine *machines;
	struct pe_evolution named = {0};
	size_t n;

	*out = session->machine_key;
	if (!comparing->opts->anybodys || has_both(comparing, *out, couples, ids))
		return PE_OK;
	PE_TRY(pe_store_machines(&machines, &n, app->store, app->arena, app->err));
	for (size_t i = 0; i < n; i++)
		if (is_better(&machines[i], best) &&
		    has_both(comparing, machines[i].key, couples, ids))
			best = &machines[i];
	if (best == NULL)
		return PE_OK;
	pe_detect_describe(&named, app, best);
	comparing->out.origin = named.machine;
	*out = best->key;
	return PE_OK;
}
