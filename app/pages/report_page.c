#include "app/pages/report_page.h"

#include "app/pages/compare_page.h"
#include "app/history/commit_graph.h"
#include "report/query.h"

#include <string.h>

/* Most commits of the graph: more take too long to unpack. */
enum { MOST_COMMITS = 20000 };

/* A place of jumps: two neighbouring measured revisions, and the benchmarks that moved there. */
struct place {
	size_t before, after;
	const char **benchmarks;
	struct pe_strings names; /* of these benchmarks */
};

struct comparisons {
	struct pe_app *app;
	const struct pe_evolution *evolution;
	struct pe_comparing_opts *opts; /* by place */
	struct pe_comparing *comparing;
	struct pe_page_comparison *at;
	size_t n_comparing, n;
};

/* --- Choice of places --- */

/* The first revision whose jumps are explained. */
static size_t first_explained(const struct pe_evolution *evolution,
			      const struct pe_reporting_opts *opts)
{
	size_t n = evolution->n_revisions;
	size_t first = opts->newest > 0 && opts->newest < n ? n - opts->newest : 0;

	return first > evolution->first ? first : evolution->first;
}

static size_t choose_places(struct place **places, const struct pe_evolution *evolution,
			    const struct pe_reporting_opts *opts, struct pe_arena *arena)
{
	size_t n_jumps, n = 0;
	const struct pe_ranked_jump *jumps = pe_evolution_rank(&n_jumps, evolution, arena);
	const size_t first = first_explained(evolution, opts);
	const size_t most = n_jumps < opts->jumps ? n_jumps : opts->jumps;
	struct place *out = *places = pe_arena_new(arena, struct place, most);

	for (size_t i = 0, k; i < n_jumps; i++) {
		const struct pe_jump *jump = jumps[i].jump;

		for (k = 0; k < n; k++)
			if (out[k].before == jump->before && out[k].after == jump->after)
				break;
		if (k == n && (n == most || jump->after < first))
			continue;
		if (k == n)
			out[n++] = (struct place){
				.before = jump->before,
				.after = jump->after,
				.benchmarks = pe_arena_new(arena, const char *, evolution->n_lines),
			};
		out[k].benchmarks[out[k].names.n++] = jumps[i].line->benchmark;
		out[k].names.at = out[k].benchmarks;
	}
	return n;
}

/* --- Comparing --- */

static bool has_trees(const struct pe_comparing *comparing)
{
	for (size_t p = 0; p < comparing->pairs.n; p++)
		if (comparing->pairs.data[p].delta != NULL)
			return true;
	return false;
}

/* Compare a place. PE_ENOTFOUND: it has no trees to show. */
static int compare_once(struct comparisons *all, const struct place *place, bool measure)
{
	struct pe_app *app = all->app;
	const struct pe_revision *revisions = all->evolution->revisions;
	struct pe_comparing_opts *opts = &all->opts[all->n_comparing];
	struct pe_comparing *comparing = &all->comparing[all->n_comparing++];
	struct pe_page_comparison *out = &all->at[all->n];

	*opts = (struct pe_comparing_opts){.page = true,
					   .kept = !measure,
					   .anybodys = all->evolution->origin != NULL,
					   .names = &place->names};
	*comparing = (struct pe_comparing){.app = app, .opts = opts};
	PE_TRY(pe_comparing_revisions(comparing, revisions[place->before].id,
				      revisions[place->after].id));
	pe_comparing_decide_trees(comparing);
	if (!measure && !has_trees(comparing))
		return PE_ENOTFOUND;
	PE_TRY(pe_comparing_page(out, comparing));
	out->old_revision = place->before;
	out->new_revision = place->after;
	all->n++;
	return PE_OK;
}

/* Compare a place. Results of other machines are explained by their own profiles, if these were received. */
static int compare_place(struct comparisons *all, const struct place *place, bool measure)
{
	int rc = PE_ENOTFOUND;

	if (measure && all->evolution->origin != NULL)
		rc = compare_once(all, place, false);
	return rc == PE_ENOTFOUND ? compare_once(all, place, measure) : rc;
}

/* Compare all places. A failed comparison does not stop the others. */
static int compare_all(struct comparisons *all, const struct pe_reporting_opts *opts)
{
	struct pe_app *app = all->app;
	struct place *places;
	const size_t n = choose_places(&places, all->evolution, opts, app->arena);

	all->opts = pe_arena_new(app->arena, struct pe_comparing_opts, 2 * n);
	all->comparing = pe_arena_new(app->arena, struct pe_comparing, 2 * n);
	all->at = pe_arena_new(app->arena, struct pe_page_comparison, n);
	for (size_t i = 0; i < n; i++) {
		int rc = compare_place(all, &places[i], opts->measure);

		if (rc == PE_ESTOPPED)
			return rc;
		if (rc == PE_OK)
			continue;
		if (opts->measure)
			pe_app_note(app, "%.10s and %.10s are not compared: %s",
				    all->evolution->revisions[places[i].before].id,
				    all->evolution->revisions[places[i].after].id,
				    app->err->message);
		*app->err = (struct pe_err)PE_ERR_INIT;
	}
	return PE_OK;
}

/* Load the graph again with the stored commits of side branches; NULL where there are none. */
static int load_beside(const struct pe_history **out, struct pe_app *app,
		       const struct pe_history *history)
{
	const struct pe_evolution *evolution = history->evolution;
	struct pe_evolution *wide = pe_arena_new(app->arena, struct pe_evolution, 1);
	struct pe_history *copy = pe_arena_new(app->arena, struct pe_history, 1);
	const char **names = pe_arena_new(app->arena, const char *, evolution->n_lines);
	const struct pe_strings metrics = {names, evolution->n_lines};
	struct pe_detect_opts opts = {0};
	bool any;

	*out = NULL;
	for (size_t i = 0; i < evolution->n_lines; i++)
		names[i] = evolution->lines[i].metric->name;
	opts.metrics = &metrics;
	opts.anybodys = true;
	PE_TRY(pe_history_detect_beside(wide, &any, app, history, &opts));
	if (!any)
		return PE_OK;
	*copy = *history;
	copy->commits = pe_arena_new(app->arena, struct pe_history_commit, history->n);
	memcpy(copy->commits, history->commits, history->n * sizeof(*copy->commits));
	pe_history_place(copy, wide);
	pe_history_lay_out(copy, app->arena);
	*out = copy;
	return PE_OK;
}

/* Hide the mark of HEAD: on the page of a branch, this clone's checkout does not matter. */
static void hide_head(struct pe_history *history)
{
	for (size_t i = 0; i < history->n; i++) {
		struct pe_history_commit *commit = &history->commits[i];

		if (commit->n_refs > 0 && strcmp(commit->refs[0], "HEAD") == 0) {
			commit->refs++;
			commit->n_refs--;
		}
	}
}

static int make_page(struct pe_text *out, struct comparisons *all, const struct pe_history *history,
		     const struct pe_history *beside, const struct pe_reporting_opts *opts)
{
	struct pe_app *app = all->app;
	struct pe_page page = {
		.title = pe_arena_printf(app->arena, "%s: performance over its history",
					 all->evolution->project),
		.evolution = all->evolution,
		.history = history,
		.beside = beside,
	};
	int rc = app->config != NULL ? compare_all(all, opts) : PE_OK;

	page.comparisons = all->at;
	page.n_comparisons = all->n;
	if (rc == PE_OK)
		pe_page_html(out, &page);
	for (size_t i = 0; i < all->n_comparing; i++)
		pe_comparing_release(&all->comparing[i]);
	return rc;
}

int pe_report_html(struct pe_text *out, struct pe_app *app, const struct pe_evolution *evolution,
		   const struct pe_reporting_opts *opts)
{
	const struct pe_history_opts shown = {
		.query = {.spec = opts->branch, .all = opts->all, .last = MOST_COMMITS},
		.back_to_evolution = !opts->all};
	struct comparisons all = {.app = app, .evolution = evolution};
	const struct pe_history *beside = NULL;
	struct pe_history history;

	PE_TRY(pe_history_load(&history, app, evolution, &shown));
	if (opts->branch != NULL)
		hide_head(&history);
	if (evolution->n_lines > 0)
		PE_TRY(load_beside(&beside, app, &history));
	return make_page(out, &all, &history, beside, opts);
}

int pe_report_write(const char **path, struct pe_app *app, const struct pe_evolution *evolution,
		    const struct pe_reporting_opts *opts)
{
	pe_auto_text text = PE_TEXT_INIT;

	PE_TRY(pe_report_html(&text, app, evolution, opts));
	return pe_page_write(path, app, &text, opts->file, "report.html");
}
