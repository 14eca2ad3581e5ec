#include "app/history/values.h"

#include "app/history/jump_functions.h"
#include "app/measure/names.h"
#include "core/base/text.h"

#include <string.h>

/* Where the oldest of the revisions stands that is among them; n_revisions: none is. */
static size_t place_of_oldest(const struct pe_evolution *whole, const struct pe_revisions *asked)
{
	for (size_t i = 0; i < asked->n; i++)
		for (size_t k = whole->n_revisions; k-- > 0;)
			if (strcmp(whole->revisions[k].id, asked->at[i].id) == 0)
				return k;
	return whole->n_revisions;
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

/* Changes that are seen from `asked` on; what they are against lies from `first` on. */
static void keep_of_jumps(struct pe_jump *jumps, size_t *n_jumps, size_t first, size_t asked,
			  size_t end)
{
	size_t n = 0;

	for (size_t i = 0; i < *n_jumps; i++) {
		struct pe_jump jump = jumps[i];

		if (jump.before < first || jump.after < asked || jump.after >= end)
			continue;
		jump.before -= first;
		jump.after -= first;
		/* What may hold its beginning may reach out of what is left. */
		jump.first = jump.first > first ? jump.first - first : 0;
		jump.last = (jump.last < end ? jump.last : end - 1) - first;
		jumps[n++] = jump;
	}
	*n_jumps = n;
}

/* The revision that a point is reused from may not be among those that are left. */
static void move_point(struct pe_point *point, const struct pe_evolution *whole, size_t first,
		       size_t end)
{
	if (point->reused && (point->source < first || point->source >= end)) {
		point->outside = whole->revisions[point->source].id;
		point->source = point->revision;
	}
	point->revision -= first;
	point->source -= first;
}

static void keep_of_line(struct pe_line *line, const struct pe_evolution *whole, size_t first,
			 size_t asked, size_t end)
{
	while (line->n_points > 0 && line->points[0].revision < first) {
		line->points++;
		line->n_points--;
	}
	while (line->n_points > 0 && line->points[line->n_points - 1].revision >= end)
		line->n_points--;
	for (size_t i = 0; i < line->n_points; i++)
		move_point(&line->points[i], whole, first, end);
	keep_of_jumps(line->jumps, &line->n_jumps, first, asked, end);
	keep_of_jumps(line->refuted, &line->n_refuted, first, asked, end);
}

/* The oldest revision that a change within a range is against: it may lie before the range. */
static size_t oldest_before(const struct pe_evolution *evolution, size_t first, size_t end)
{
	size_t oldest = first;

	for (size_t i = 0; i < evolution->n_lines; i++)
		for (size_t j = 0; j < evolution->lines[i].n_jumps; j++) {
			const struct pe_jump *jump = &evolution->lines[i].jumps[j];

			if (jump->after >= first && jump->after < end && jump->before < oldest)
				oldest = jump->before;
		}
	return oldest;
}

/*
 * Revisions `asked` up to `end`, which is none of them, and what is known of these; before them, as far as `first` says,
 * what their changes are against: the change of the first commit of A..B is against A.
 */
static void keep_between(struct pe_evolution *evolution, size_t asked, size_t end)
{
	size_t failures = 0, lines = 0, first = oldest_before(evolution, asked, end);

	for (size_t i = 0; i < evolution->n_lines; i++) {
		keep_of_line(&evolution->lines[i], evolution, first, asked, end);
		if (evolution->lines[i].n_points > 0)
			evolution->lines[lines++] = evolution->lines[i];
	}
	for (size_t i = 0; i < evolution->n_failures; i++) {
		struct pe_failure failure = evolution->failures[i];

		if (failure.revision < asked || failure.revision >= end)
			continue;
		failure.revision -= first;
		evolution->failures[failures++] = failure;
	}
	evolution->n_lines = lines;
	for (size_t i = 0; i < evolution->n_events; i++)
		pe_event_shift(&evolution->events[i], first, end - first);
	evolution->n_failures = failures;
	evolution->revisions += first;
	if (evolution->keys != NULL)
		evolution->keys += first;
	evolution->n_revisions = end - first;
	evolution->first = asked - first;
	if (evolution->decorations != NULL)
		evolution->decorations += first;
	if (evolution->build_s != NULL)
		evolution->build_s += first;
	if (evolution->mc != NULL)
		evolution->mc += first;
}

void pe_values_keep_newest(struct pe_evolution *evolution, size_t n)
{
	if (n > 0 && n < evolution->n_revisions)
		keep_between(evolution, evolution->n_revisions - n, evolution->n_revisions);
}

/* --- Loading --- */

static int load_line(struct pe_revisions *out, struct pe_app *app, const char *id, bool own_line)
{
	const struct pe_range head = {.spec = "HEAD"}, own = {.spec = id};

	if (!own_line && pe_repo_walk(out, app->repo, &head, app->arena, NULL) == PE_OK)
		for (size_t i = out->n; i-- > 0;)
			if (strcmp(out->at[i].id, id) == 0)
				return PE_OK;
	return pe_repo_walk(out, app->repo, &own, app->arena, app->err);
}

int pe_values_line(struct pe_revisions *out, struct pe_app *app, const char *id)
{
	return load_line(out, app, id, false);
}

/* The oldest revision, from one on, of which anything is known. */
static size_t first_known(const struct pe_evolution *evolution, size_t from)
{
	size_t first = evolution->n_revisions;

	for (size_t l = 0; l < evolution->n_lines; l++)
		for (size_t p = 0; p < evolution->lines[l].n_points; p++) {
			size_t revision = evolution->lines[l].points[p].revision;

			if (revision >= from && revision < first)
				first = revision;
		}
	for (size_t i = 0; i < evolution->n_failures; i++)
		if (evolution->failures[i].revision >= from &&
		    evolution->failures[i].revision < first)
			first = evolution->failures[i].revision;
	return first;
}

/* All that is stored is judged, and the range taken out of it: a jump is what it is however much is asked for. */
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
	for (end = out->n_revisions; end > 0; end--)
		if (strcmp(out->revisions[end - 1].id, asked.at[asked.n - 1].id) == 0)
			break;
	first = first_known(out, place_of_oldest(out, &asked));
	if (first >= end)
		return pe_fail(
			app->err, PE_ENOTFOUND,
			"nothing is stored for this selection: run 'perfevo track', or widen --bench, --metric or the range");
	keep_between(out, first, end);
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
		   const struct pe_values_asked *asked)
{
	struct pe_detect_opts opts = PE_DETECT_DEFAULTS;

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
