#include "app/history/values.h"

#include <string.h>

int pe_figures_line(struct pe_revisions *out, struct pe_app *app, const char *id)
{
	const struct pe_range head = {.spec = "HEAD"}, own = {.spec = id};

	if (pe_repo_walk(out, app->repo, &head, app->arena, NULL) == PE_OK)
		for (size_t i = out->n; i-- > 0;)
			if (strcmp(out->at[i].id, id) == 0)
				return PE_OK;
	return pe_repo_walk(out, app->repo, &own, app->arena, app->err);
}

int pe_figures_load(struct pe_evolution *out, struct pe_app *app,
		    const struct pe_figures_asked *asked)
{
	const struct pe_range range = {.spec = asked->range};
	struct pe_judge_opts opts = PE_JUDGE_DEFAULTS;
	struct pe_revisions revisions;
	int rc = PE_OK;

	if (asked->range != NULL) {
		rc = pe_repo_walk(&revisions, app->repo, &range, app->arena, app->err);
		if (rc == PE_OK && revisions.n == 0)
			rc = pe_fail(app->err, PE_ENOTFOUND, "no matching commits in '%s'",
				     asked->range);
		opts.revisions = &revisions;
	}
	opts.bench = asked->bench;
	opts.metrics = asked->metrics.n > 0 ? &asked->metrics : NULL;
	if (rc == PE_OK)
		rc = pe_judge_load(out, app, &opts);
	if (rc == PE_OK && asked->bench != NULL && out->n_lines == 0)
		rc = pe_fail(app->err, PE_ENOTFOUND, "no measured benchmark matches '%s'",
			     asked->bench);
	return rc;
}

/* Where the oldest of the revisions stands that is among them; n_revisions: none is. */
static size_t place_of_oldest(const struct pe_evolution *whole, const struct pe_revisions *asked)
{
	for (size_t i = 0; i < asked->n; i++)
		for (size_t k = whole->n_revisions; k-- > 0;)
			if (strcmp(whole->revisions[k].id, asked->at[i].id) == 0)
				return k;
	return whole->n_revisions;
}

struct pe_evolution pe_figures_within(const struct pe_evolution *whole,
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

static void keep_of_jumps(struct pe_jump *jumps, size_t *n_jumps, size_t first)
{
	size_t n = 0;

	for (size_t i = 0; i < *n_jumps; i++) {
		struct pe_jump jump = jumps[i];

		if (jump.before < first)
			continue;
		jump.before -= first;
		jump.after -= first;
		/* What may hold its beginning may reach out of what is left. */
		jump.first = jump.first > first ? jump.first - first : 0;
		jump.last = jump.last > first ? jump.last - first : 0;
		jumps[n++] = jump;
	}
	*n_jumps = n;
}

static void keep_of_line(struct pe_line *line, size_t first)
{
	while (line->n_points > 0 && line->points[0].revision < first) {
		line->points++;
		line->n_points--;
	}
	for (size_t i = 0; i < line->n_points; i++)
		line->points[i].revision -= first;
	keep_of_jumps(line->jumps, &line->n_jumps, first);
	keep_of_jumps(line->refuted, &line->n_refuted, first);
}

void pe_figures_keep_newest(struct pe_evolution *evolution, size_t n)
{
	size_t first = evolution->n_revisions - n, failures = 0;

	if (n == 0 || n >= evolution->n_revisions)
		return;
	evolution->revisions += first;
	evolution->n_revisions = n;
	if (evolution->decorations != NULL)
		evolution->decorations += first;
	if (evolution->mc != NULL)
		evolution->mc += first;
	for (size_t i = 0; i < evolution->n_lines; i++)
		keep_of_line(&evolution->lines[i], first);
	for (size_t i = 0; i < evolution->n_failures; i++) {
		if (evolution->failures[i].revision < first)
			continue;
		evolution->failures[failures] = evolution->failures[i];
		evolution->failures[failures++].revision -= first;
	}
	evolution->n_failures = failures;
}
