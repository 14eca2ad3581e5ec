#include "app/history/values.h"

#include "app/history/jump_functions.h"
#include "app/measure/names.h"
#include "core/base/text.h"

#include <string.h>

/* Where the oldest of the revisions stands that is among them; n_revisions: none is. */
static size_t place_of_oldest(const struct pe_evolution *whole, const struct pe_revisions *asked)
{
	size_t at = whole->n_revisions;

	for (size_t i = 0; i < asked->n && at == whole->n_revisions; i++)
		at = pe_revision_find(whole->revisions, whole->n_revisions, asked->at[i].id);
	return at;
}

struct pe_evolution pe_values_within(const struct pe_evolution *whole,
				     const struct pe_revisions *asked, struct pe_arena *arena)
{
	struct pe_evolution part = *whole;
	size_t first = place_of_oldest(whole, asked);

	part.first = first;
	part.lines = pe_arena_new(arena, struct pe_line, whole->n_lines);
	for (size_t i = 0; i < whole->n_lines; i++) {
		part.lines[i] = whole->lines[i];
		while (part.lines[i].n_jumps > 0 && part.lines[i].jumps[0].after < first) {
			part.lines[i].jumps++;
			part.lines[i].n_jumps--;
		}
		while (part.lines[i].n_refuted > 0 && part.lines[i].refuted[0].after < first) {
			part.lines[i].refuted++;
			part.lines[i].n_refuted--;
		}
	}
	part.failures = pe_arena_new(arena, struct pe_failure, whole->n_failures);
	part.n_failures = 0;
	for (size_t i = 0; i < whole->n_failures; i++)
		if (whole->failures[i].revision >= first)
			part.failures[part.n_failures++] = whole->failures[i];
	return part;
}

void pe_values_keep_newest(struct pe_evolution *evolution, size_t n)
{
	if (n > 0 && n < evolution->n_revisions)
		pe_evolution_keep(evolution, evolution->n_revisions - n, evolution->n_revisions);
}

/* --- Loading --- */

static int load_line(struct pe_revisions *out, struct pe_app *app, const char *id, bool own_line)
{
	const struct pe_range head = {.spec = "HEAD"}, own = {.spec = id};

	if (!own_line && pe_repo_walk(out, app->repo, &head, app->arena, NULL) == PE_OK &&
	    pe_revision_find(out->at, out->n, id) < out->n)
		return PE_OK;
	return pe_repo_walk(out, app->repo, &own, app->arena, app->err);
}

int pe_values_line(struct pe_revisions *out, struct pe_app *app, const char *id)
{
	return load_line(out, app, id, false);
}

/* All stored values are judged, and the range is cut out afterwards: a jump does not depend on the range. */
static int load_range(struct pe_evolution *out, struct pe_app *app, struct pe_detect_opts *opts,
		      const char *spec, bool own_line)
{
	const struct pe_range range = {.spec = spec};
	struct pe_revisions asked, line;
	size_t first, end;

	PE_TRY(pe_repo_walk(&asked, app->repo, &range, app->arena, app->err));
	if (asked.n == 0)
		return pe_fail(app->err, PE_ENOTFOUND, "no matching commits in '%s'", spec);
	PE_TRY(load_line(&line, app, asked.at[asked.n - 1].id, own_line));
	opts->revisions = &line;
	PE_TRY(pe_detect_load(out, app, opts));
	opts->revisions = NULL;
	end = pe_revision_find(out->revisions, out->n_revisions, asked.at[asked.n - 1].id);
	end = end < out->n_revisions ? end + 1 : 0;
	first = pe_evolution_first_known(out, place_of_oldest(out, &asked));
	if (first >= end)
		return pe_fail(
			app->err, PE_ENOTFOUND,
			"nothing is stored for this selection: run 'perfevo track', or widen --bench, --metric or the range");
	pe_evolution_keep(out, first, end);
	return PE_OK;
}

int pe_values_machine(int64_t *key, struct pe_app *app, const char *name)
{
	const struct pe_stored_machine *best = NULL;
	struct pe_stored_machine *machines;
	pe_auto_text known = PE_TEXT_INIT;
	size_t n;

	PE_TRY(pe_store_machines(&machines, &n, app->store, app->arena, app->err));
	for (size_t i = 0; i < n; i++) {
		pe_text_addf(&known, "%s'%s'", i > 0 ? ", " : "", machines[i].machine.hostname);
		if (strcmp(machines[i].machine.hostname, name) == 0 &&
		    (best == NULL || machines[i].last_run_s > best->last_run_s))
			best = &machines[i];
	}
	if (best == NULL)
		return pe_fail(app->err, PE_ENOTFOUND, "no results of a machine '%s'%s%s", name,
			       n > 0 ? "; there are those of " : "", pe_text_str(&known));
	*key = best->key;
	return PE_OK;
}

int pe_values_load(struct pe_evolution *out, struct pe_app *app,
		   const struct pe_values_query *asked)
{
	struct pe_detect_opts opts = {0};

	PE_TRY(pe_names_check_metrics(app, &asked->metrics));
	if (asked->machine != NULL)
		PE_TRY(pe_values_machine(&opts.machine, app, asked->machine));
	opts.bench = asked->bench;
	opts.anybodys = !asked->decides;
	opts.metrics = asked->metrics.n > 0 ? &asked->metrics : NULL;
	PE_TRY(asked->range != NULL ? load_range(out, app, &opts, asked->range, asked->own_line)
				    : pe_detect_load(out, app, &opts));
	PE_TRY(pe_jump_functions_fill(out, app));
	if (out->origin != NULL && asked->machine == NULL)
		pe_app_note(app, "nothing is measured on this machine: these results are %s",
			    out->machine);
	if (asked->bench != NULL && out->n_lines == 0)
		PE_TRY(pe_names_fail_benchmark(app, asked->bench, true));
	return PE_OK;
}
