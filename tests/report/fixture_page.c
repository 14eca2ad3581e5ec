#include "fixture_page.h"

#include "fixture_trees.h"
#include "analysis/compare/method_counts.h"
#include "core/json/writer.h"
#include "core/base/number.h"
#include "report/query.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Values and verdict --- */

static void put_value(struct pe_compare_pair *pair, const struct pe_metric *metric,
		      double old_value, double new_value)
{
	bool exact = metric->kind == PE_METRIC_DETERMINISTIC;
	double relative = new_value / old_value - 1, open = exact ? 0 : 0.006;

	pair->values[pair->n_values++] = (struct pe_compare_value){
		.metric = metric,
		.old_value = old_value,
		.new_value = new_value,
		.old_n = exact ? 2 : 25,
		.new_n = exact ? 2 : 25,
		.relative = relative,
		.low = relative - open,
		.high = relative + open,
		.exact = exact,
		.judged = strcmp(metric->name, "cpu") != 0,
		.verdict = fabs(relative) <= open ? PE_UNCHANGED
			   : relative > 0         ? PE_REGRESSED
						  : PE_IMPROVED,
	};
}

static void fill_values(struct pe_compare_pair *pair, struct pe_arena *arena)
{
	const struct pe_cct *olds = pair->old_runs->cct, *news = pair->new_runs->cct;

	pair->values = pe_arena_new(arena, struct pe_compare_value, 4);
	put_value(pair, &pe_metrics[PE_WALL], (double)olds->total_ns[0], (double)news->total_ns[0]);
	put_value(pair, &pe_metrics[PE_CPU], (double)olds->total_ns[0] * 0.97,
		  (double)news->total_ns[0] * 0.97);
	if (olds->allocations != NULL)
		put_value(pair, &pe_metrics[PE_ALLOCATIONS], (double)olds->total_allocations[0],
			  (double)news->total_allocations[0]);
}

static void judge(struct pe_compare_pair *pair, struct pe_arena *arena)
{
	pair->reports = pe_arena_new(arena, struct pe_attribution, 2);
	for (int cost = PE_COST_TIME; cost <= PE_COST_ALLOCATIONS; cost++) {
		const struct pe_attribution_opts opts = {
			.changes = pair->changes, .cost = (enum pe_cost)cost, .top = 10};

		if (pe_delta_knows(pair->delta, opts.cost))
			pe_attribution_make(&pair->reports[pair->n_reports++], pair->delta, &opts,
					    arena);
	}
}

/* --- One pair, as the command puts it together --- */

static void add_pictures(struct pe_compare_pair *pair, const struct pe_match_opts *matched,
			 struct pe_arena *arena)
{
	bool *shows = pe_arena_new(arena, bool, pair->delta->frames->n);
	const struct pe_parcs_opts parcs_opts = {
		.match = *matched, .changes = pair->changes, .shows = shows};
	struct pe_parcs *parcs = pe_arena_new(arena, struct pe_parcs, 1);

	for (uint32_t i = 0; i < pair->delta->n; i++)
		if (pair->reports[0].cause_of[i] != 0)
			shows[pair->delta->nodes[i].frame] = true;
	if (pair->reports[0].cost == PE_COST_TIME) {
		struct pe_zam *zam = pe_arena_new(arena, struct pe_zam, 1);

		pe_zam_of_causes(zam, pair->delta, &pair->reports[0], pair->reports[0].least,
				 arena);
		pair->critical = zam;
	}
	pe_parcs_make(parcs, pair->old_runs, pair->new_runs, &parcs_opts, arena);
	pair->parcs = parcs;
}

/* As if somebody had counted: what a method executes follows from its calls; a library's functions are in no method. */
static void count_methods(struct pe_runs runs[2], struct pe_arena *arena)
{
	const struct pe_frames *frames = runs[0].cct->frames;
	struct pe_frame_count *by_frame = pe_arena_new(arena, struct pe_frame_count, frames->n);
	struct pe_function_changes counts = {
		.by_frame = by_frame, .n_frames = frames->n, .old_whole = 100000};

	if (runs[0].cct->calls == NULL || runs[1].cct->calls == NULL)
		return;
	for (int side = 0; side < 2; side++) {
		const struct pe_cct *cct = runs[side].cct;

		for (uint32_t i = 0; i < cct->n; i++) {
			struct pe_frame_count *count = &by_frame[cct->nodes[i].frame];
			const uint64_t executed = (side == 0 ? 40 : 43) * cct->calls[i];

			if (strcmp(frames->at[cct->nodes[i].frame].name, "memcpy") == 0)
				continue;
			count->before += side == 0 ? executed : 0;
			count->amount += side == 0 ? -(int64_t)executed : (int64_t)executed;
		}
	}
	for (uint32_t f = 0; f < frames->n; f++) {
		counts.old_whole += by_frame[f].before;
		counts.amount += by_frame[f].amount;
	}
	pe_method_counts_lay(runs, &counts, NULL, arena);
}

static void compare_trees(struct pe_compare_pair *pair, const struct fixture_trees *trees,
			  struct pe_arena *arena)
{
	struct pe_runs *runs = pe_arena_new(arena, struct pe_runs, 2);
	struct pe_match *match = pe_arena_new(arena, struct pe_match, 1);
	struct pe_delta *delta = pe_arena_new(arena, struct pe_delta, 1);
	struct pe_delta_methods *methods = pe_arena_new(arena, struct pe_delta_methods, 1);
	struct pe_blueprint *blueprint = pe_arena_new(arena, struct pe_blueprint, 1);
	struct pe_changes *changes = pe_arena_new(arena, struct pe_changes, 1);
	struct pe_blueprint_opts drawn = {.changes = changes};
	const struct pe_match_opts matched = {.rule = PE_MATCH_SUBSEQUENCE};

	*changes = trees->changes;
	for (int side = 0; side < 2; side++)
		pe_runs_make(&runs[side], trees->at[side], trees->n, arena);
	count_methods(runs, arena);
	pe_match_make(match, runs[0].cct, runs[1].cct, &matched, arena);
	pe_delta_make(delta, &runs[0], &runs[1], match, arena);
	pe_delta_methods_sum(methods, delta, arena);
	pair->old_runs = &runs[0];
	pair->new_runs = &runs[1];
	pair->delta = delta;
	pair->methods = methods;
	pair->changes = changes;
	fill_values(pair, arena);
	judge(pair, arena);
	if (pair->reports[0].cost == PE_COST_TIME) {
		pair->time = &pair->reports[0];
		drawn.cause_of = pair->time->cause_of;
	}
	pe_blueprint_make(blueprint, delta, &drawn, arena);
	pair->blueprint = blueprint;
	add_pictures(pair, &matched, arena);
}

/* --- One comparison --- */

static void name_side(struct pe_compare_side *side, size_t *at, struct fixture_report *report,
		      size_t revision)
{
	const struct pe_revision *of = &report->fixture.evolution.revisions[revision];

	side->name = pe_arena_strndup(&report->fixture.arena, of->id, 8);
	side->id = of->id;
	side->subject = of->subject;
	*at = revision;
}

static void finish(struct pe_page_comparison *comparison, struct fixture_report *report,
		   struct pe_compare_pair *pairs, size_t n)
{
	struct pe_compare *compare = &report->compares[report->page.n_comparisons];

	compare->match = "subsequence";
	compare->call_sites = true;
	compare->min_change = 0.005;
	compare->pairs = pairs;
	compare->n_pairs = n;
	pe_compare_rank(compare, &report->fixture.arena);
	comparison->compare = compare;
	report->page.n_comparisons++;
}

/* @param revisions  old and new; SIZE_MAX: the uncommitted tree */
static void add_comparison(struct fixture_report *report, const char *benchmark,
			   const size_t revisions[2], const struct fixture_trees *trees,
			   const char *others)
{
	struct pe_arena *arena = &report->fixture.arena;
	size_t at = report->page.n_comparisons;
	struct pe_page_comparison *comparison = &report->comparisons[at];
	struct pe_compare *compare = &report->compares[at];
	struct pe_compare_pair *pairs = pe_arena_new(arena, struct pe_compare_pair, 3);

	pairs[0].name = benchmark;
	compare_trees(&pairs[0], trees, arena);
	pairs[1] = (struct pe_compare_pair){.name = "startup", .same = true};
	pairs[2] = (struct pe_compare_pair){.name = "query[index=hash]", .problem = others};
	name_side(&compare->old_side, &comparison->old_revision, report, revisions[0]);
	if (revisions[1] != SIZE_MAX) {
		name_side(&compare->new_side, &comparison->new_revision, report, revisions[1]);
		compare->source = (struct pe_compare_source){.known = true,
							     .files = {14, 15},
							     .methods = {212, 214},
							     .added = 3,
							     .deleted = 2,
							     .modified = 4,
							     .renamed = 1};
	} else {
		compare->new_side = (struct pe_compare_side){.name = "the uncommitted tree"};
		comparison->new_revision = SIZE_MAX;
	}
	comparison->frames = trees->frames;
	comparison->sources = trees->sources;
	comparison->n_sources = trees->n_sources;
	finish(comparison, report, pairs, others != NULL ? 3 : 1);
}

/* A jump of a line of wall times. */
static const struct pe_jump *find_jump(const struct fixture_report *report, const char *benchmark)
{
	const struct pe_evolution *evolution = &report->fixture.evolution;

	for (size_t l = 0; l < evolution->n_lines; l++)
		if (strcmp(evolution->lines[l].benchmark, benchmark) == 0 &&
		    evolution->lines[l].n_jumps > 0)
			return &evolution->lines[l].jumps[0];
	return NULL;
}

static void add_written(struct fixture_report *report, const char *benchmark,
			const size_t revisions[2], const struct fixture_trees_opts *opts,
			const char *others)
{
	struct pe_frames *frames = &report->frames[report->page.n_comparisons];
	struct fixture_trees trees;

	fixture_trees_written(&trees, frames, opts, &report->fixture.arena);
	if (opts->sampled)
		trees.n_sources = 0;
	add_comparison(report, benchmark, revisions, &trees, others);
}

static void add_at_jump(struct fixture_report *report, const char *benchmark,
			const struct fixture_trees_opts *opts, const char *others)
{
	const struct pe_jump *jump = find_jump(report, benchmark);
	const size_t revisions[] = {jump->before, jump->after};

	add_written(report, benchmark, revisions, opts, others);
}

static void make_small(struct fixture_report *report)
{
	const size_t uncommitted[] = {report->fixture.evolution.n_revisions - 1, SIZE_MAX};

	add_at_jump(report, "parse/large-file", &(struct fixture_trees_opts){.hostile = false},
		    NULL);
	add_at_jump(report, "query[index=hash]", &(struct fixture_trees_opts){.swapped = true},
		    "old could not be profiled: build: exit status 2 ('perfevo profile 9e3779b1' "
		    "says more)");
	add_written(report, "parse/small-file", uncommitted,
		    &(struct fixture_trees_opts){.sampled = true}, NULL);
}

static void make_hostile(struct fixture_report *report)
{
	add_at_jump(report, report->fixture.evolution.lines[0].benchmark,
		    &(struct fixture_trees_opts){.hostile = true},
		    "</script><script>alert(3)</script>");
}

static void make_large(struct fixture_report *report)
{
	for (uint32_t i = 0; i < FIXTURE_COMPARISONS; i++) {
		const char *benchmark =
			pe_arena_printf(&report->fixture.arena, "suite/case-%03u", i);
		const struct pe_jump *jump = find_jump(report, benchmark);
		const size_t revisions[] = {jump->before, jump->after};
		struct fixture_trees trees;

		fixture_trees_drawn(&trees, &report->frames[i], 14500, 40 + i,
				    &report->fixture.arena);
		add_comparison(report, benchmark, revisions, &trees, NULL);
	}
}

/* --- From end to end --- */

static const struct {
	const char *kind, *evolution;
	void (*make)(struct fixture_report *report);
} kinds[] = {
	{"page-small", "small", make_small},
	{"page-hostile", "hostile", make_hostile},
	{"page-large", "hundred", make_large},
	{"page-history", "long", NULL},
};

bool fixture_report_make(struct fixture_report *out, const char *kind)
{
	size_t k = 0, n = sizeof(kinds) / sizeof(kinds[0]);

	*out = (struct fixture_report){.page = {.n_comparisons = 0}};
	while (k < n && strcmp(kinds[k].kind, kind) != 0)
		k++;
	if (k == n || !fixture_make(&out->fixture, kinds[k].evolution))
		return false;
	fixture_history(&out->history, &out->fixture);
	if (kinds[k].make != NULL)
		kinds[k].make(out);
	out->page.title = pe_arena_printf(&out->fixture.arena, "%s: performance over its history",
					  out->fixture.evolution.project);
	out->page.evolution = &out->fixture.evolution;
	out->page.history = &out->history;
	out->page.comparisons = out->comparisons;
	return true;
}

void fixture_report_release(struct fixture_report *report)
{
	for (size_t i = 0; i < FIXTURE_COMPARISONS; i++)
		pe_frames_release(&report->frames[i]);
	fixture_release(&report->fixture);
}
