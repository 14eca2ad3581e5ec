/* A benchmark's lines: loaded, searched chain by chain, filled in, and their jumps kept. */
#include "app/history/detect_internal.h"
#include "app/measure/thresholds.h"

#include "app/measure/exactness.h"
#include "core/base/parallel.h"
#include "core/base/sort.h"
#include "report/commit_blocks.h"

#include <string.h>

/* --- Jumps --- */

/* Number of commits that a jump may be at: all of the first-parent line after `before`, up to and including `after`. */
static size_t count_commits(const struct pe_detection *detection, size_t before, size_t after)
{
	const struct pe_revision *from = &detection->out->revisions[before];
	const struct pe_revision *to = &detection->out->revisions[after];
	struct pe_revisions between = {NULL, 0, false, 0};
	struct pe_range range = {0};

	if (to->n_parents > 0 && strcmp(to->parents[0], from->id) == 0)
		return 1;
	range.spec = pe_arena_printf(detection->app->arena, "%s..%s", from->id, to->id);
	/* A walk that fails leaves what is shown: the two revisions. */
	if (pe_repo_walk(&between, detection->app->repo, &range, detection->app->arena, NULL) !=
		    PE_OK ||
	    between.n == 0)
		return after - before;
	return between.n;
}

PE_SORT_BY(compare_jumps, struct pe_jump, after);

/* Fill in the class of a commit's leading jump. */
static void put_class(struct pe_jump *out, const struct pe_commit_block *block,
		      struct pe_arena *arena)
{
	pe_auto_text text = PE_TEXT_INIT;

	pe_commit_block_add_short(&text, block);
	out->class = pe_class_name(block->class.class);
	out->standing = pe_standing_name(block->class.standing);
	out->summary = pe_arena_strdup(arena, pe_text_str(&text));
}

static int keep_jumps(const struct pe_detection *detection, const struct pe_line *line)
{
	return pe_store_replace_jumps(detection->app->store, detection->machine, detection->out,
				      line, detection->app->err);
}

/* --- Lines --- */

/* By revision: the cell of a benchmark that takes its results from another one; NULL: it takes none. */
static const struct pe_coverage **reused_of(const struct pe_detection *detection, int64_t benchmark,
					    struct pe_arena *scratch)
{
	const struct pe_coverage **out =
		pe_arena_new(scratch, const struct pe_coverage *, detection->out->n_revisions);

	for (size_t i = 0; i < detection->n_reused; i++) {
		const struct pe_coverage *one = &detection->reused[i];
		const size_t revision =
			one->benchmark == benchmark
				? pe_key_index_find(&detection->places, one->revision)
				: SIZE_MAX;

		if (revision != SIZE_MAX)
			out[revision] = one;
	}
	return out;
}

static void detect_chain(struct pe_series_values *work, struct pe_detection *detection,
			 const struct pe_series_found *found)
{
	struct pe_line *line = &work->line;
	const struct pe_detect_opts *opts = detection->opts;
	size_t first = line->n_jumps;

	if (opts->visit != NULL)
		opts->visit(found, &detection->status, opts->payload);
	if (pe_series_apply(line, found))
		detection->apart = true;
	pe_jump_status_apply(line, first, &detection->status, found, detection->app->arena);
}

static void detect_line(struct pe_series_values *work, struct pe_detection *detection)
{
	struct pe_line *line = &work->line;
	struct pe_jump *jumps;

	/* Lines meet at their bases only, so there are at most twice as many jumps as points; few of a thousand lines stay. */
	line->jumps = pe_arena_new(&work->scratch, struct pe_jump, 2 * line->n_points);
	for (size_t i = 0; i < detection->n_chains; i++)
		detect_chain(work, detection, &work->found[i]);
	jumps = pe_arena_new(detection->app->arena, struct pe_jump, line->n_jumps);
	if (line->n_jumps > 0)
		memcpy(jumps, line->jumps, line->n_jumps * sizeof(*jumps));
	line->jumps = jumps;
	for (size_t i = 0; i < line->n_jumps; i++)
		line->jumps[i].commits =
			count_commits(detection, line->jumps[i].before, line->jumps[i].after);
	for (size_t i = 0; i < line->n_refuted; i++)
		line->refuted[i].commits =
			count_commits(detection, line->refuted[i].before, line->refuted[i].after);
	pe_sort(line->jumps, line->n_jumps, compare_jumps);
	pe_sort(line->refuted, line->n_refuted, compare_jumps);
}

/*
 * Places of sources that the history does not have: of commits that were amended or rebased away, or are of another branch.
 * The values of such a source count at the first revision that takes them and has none of its own.
 *
 * @param place  for each observation the position of its revision; completed
 */
static void stand_in(struct pe_key_index *out, const struct pe_detection *detection,
		     const struct pe_coverage *const *reused, const struct pe_observation *at,
		     size_t *place, size_t n, struct pe_arena *scratch)
{
	const size_t n_revisions = detection->out->n_revisions;
	bool *measured = pe_arena_new(scratch, bool, n_revisions);

	for (size_t i = 0; i < n; i++)
		if (place[i] != SIZE_MAX)
			measured[place[i]] = true;
	for (size_t r = 0; r < n_revisions; r++)
		if (reused[r] != NULL && !measured[r] &&
		    pe_key_index_find(&detection->places, reused[r]->source) == SIZE_MAX)
			pe_key_index_put(out, reused[r]->source, r);
	for (size_t i = 0; i < n; i++)
		if (place[i] == SIZE_MAX)
			place[i] = pe_key_index_find(out, at[i].revision);
}

static size_t source_of(const struct pe_detection *detection, const struct pe_key_index *stand_ins,
			const struct pe_coverage *reused, size_t revision)
{
	size_t place = SIZE_MAX;

	if (reused != NULL)
		place = pe_key_index_find(&detection->places, reused->source);
	if (reused != NULL && place == SIZE_MAX)
		place = pe_key_index_find(stand_ins, reused->source);
	return place != revision ? place : SIZE_MAX;
}

/* A point whose values are of a source that is not shown has them from outside. */
static void mark_point(struct pe_point *point, const struct pe_detection *detection,
		       const struct pe_key_index *stand_ins, const struct pe_coverage *reused)
{
	if (reused != NULL && !point->reused &&
	    pe_key_index_find(stand_ins, reused->source) == point->revision) {
		point->reused = true;
		point->outside =
			detection->known[pe_key_index_find(&detection->stored, reused->source)].id;
	}
	if (!point->reused)
		return;
	/* Those that have another's figures without an identical build of their own. */
	point->unbuilt = reused->unbuilt;
	point->skipped = reused->skipped;
}

/* From what was read: its values, its points and what it is judged by. */
static int fill_line(struct pe_series_values *out, struct pe_detection *detection,
		     const struct pe_observation *at, size_t n)
{
	struct pe_app *app = detection->app;
	struct pe_line *line = &out->line;
	const int64_t benchmark = line->benchmark_key;
	const size_t n_revisions = detection->out->n_revisions;
	const struct pe_coverage **reused = reused_of(detection, benchmark, &out->scratch);
	size_t *place = pe_arena_new(&out->scratch, size_t, n);
	size_t *source = pe_arena_new(&out->scratch, size_t, n_revisions);
	struct pe_key_index stand_ins = {0};

	line->judged = true;
	line->metric = pe_thresholds_metric(&(bool){false}, app, line->metric);
	if (line->metric->kind == PE_METRIC_DETERMINISTIC)
		line->kept = pe_exactness_of(at, n, detection->reused, detection->n_reused,
					     benchmark, line->metric);
	line->metric = pe_exactness_metric(line->metric, &line->kept, app->arena);
	for (size_t i = 0; i < n; i++)
		place[i] = pe_key_index_find(&detection->places, at[i].revision);
	stand_in(&stand_ins, detection, reused, at, place, n, &out->scratch);
	for (size_t r = 0; r < n_revisions; r++)
		source[r] = source_of(detection, &stand_ins, reused[r], r);
	pe_series_group(out, at, n, place, source, n_revisions, &out->scratch);
	pe_series_points(line, out, app->arena);
	for (size_t i = 0; i < line->n_points; i++)
		mark_point(&line->points[i], detection, &stand_ins,
			   reused[line->points[i].revision]);
	pe_key_index_release(&stand_ins);
	/* What has no points any more has no jumps; those of the others are kept with their events. */
	if (line->n_points == 0 && detection->opts->keep)
		return keep_jumps(detection, line);
	return PE_OK;
}

int pe_detection_keep_jumps(const struct pe_detection *detection)
{
	const struct pe_evolution *out = detection->out;
	const struct pe_commit_block *blocks;
	size_t n_blocks;

	if (!detection->opts->keep)
		return PE_OK;
	blocks = pe_commit_blocks(&n_blocks, out, detection->app->arena);
	for (size_t b = 0; b < n_blocks; b++) {
		const struct pe_ranked_jump *leading = &blocks[b].jumps[0];
		struct pe_line *line = &out->lines[leading->line - out->lines];

		put_class(&line->jumps[leading->jump - line->jumps], &blocks[b],
			  detection->app->arena);
	}
	for (size_t l = 0; l < out->n_lines; l++)
		PE_TRY(keep_jumps(detection, &out->lines[l]));
	return PE_OK;
}

/* --- Searching --- */

/* Whether the cache may have the result of a chain, and its key. */
static bool find_key(struct pe_search_key *key, const struct pe_detection *detection,
		     struct pe_series_values *one, size_t chain)
{
	const struct pe_series_found *found = &one->found[chain];

	if (detection->cache == NULL || found->exact || found->readings.n < PE_SEARCH_CACHE_LEAST)
		return false;
	pe_search_cache_begin(key, detection->cache, found->benchmark, found->metric->name, chain);
	pe_series_digest(&key->digest, found, one, &one->scratch);
	return true;
}

/* Is called on several threads. */
static void search_line(void *payload, size_t number)
{
	struct pe_detection *detection = payload;
	struct pe_series_values *one = &detection->lines.data[number];
	struct pe_arena *scratch = &one->scratch;

	if (one->line.n_points == 0)
		return;
	one->found = pe_arena_new(scratch, struct pe_series_found, detection->n_chains);
	one->keys = pe_arena_new(scratch, struct pe_search_key, detection->n_chains);
	for (size_t i = 0; i < detection->n_chains; i++) {
		struct pe_series_found *found = &one->found[i];

		*found = detection->chains[i];
		found->name = one->line.benchmark;
		found->metric = one->line.metric;
		found->benchmark = one->line.benchmark_key;
		pe_series_read(found, one, scratch);
		/* Who wants layout to fail wants it shown. */
		if (detection->app->config == NULL || !detection->app->config->gate.layout_fails)
			found->twin = one->twin;
		found->remembered = find_key(&one->keys[i], detection, one, i) &&
				    pe_search_cache_find(&found->found, detection->cache,
							 &one->keys[i], found->n_states, scratch);
		if (!found->remembered)
			pe_series_search(found, one, scratch);
	}
}

static void remember(struct pe_detection *detection, const struct pe_series_values *one)
{
	for (size_t i = 0; i < detection->n_chains; i++) {
		const struct pe_series_found *found = &one->found[i];

		if (one->keys[i].name[0] != '\0' && !found->remembered)
			pe_search_cache_put(detection->cache, &one->keys[i], &found->found);
	}
}

void pe_detection_finish_lines(struct pe_detection *detection)
{
	/* Fewer values are searched before a thread would have begun. */
	const size_t many = 2000;
	struct pe_series_values *lines = detection->lines.data;

	if (detection->n_values >= many)
		pe_parallel(detection->lines.n, search_line, detection);
	else
		for (size_t i = 0; i < detection->lines.n; i++)
			search_line(detection, i);
	for (size_t i = 0; i < detection->lines.n; i++) {
		if (lines[i].line.n_points > 0) {
			remember(detection, &lines[i]);
			detect_line(&lines[i], detection);
			pe_vec_push(&detection->shown, lines[i].line);
		}
		pe_arena_release(&lines[i].scratch);
	}
	detection->lines.n = 0;
	detection->n_values = 0;
}

void pe_detection_release_lines(struct pe_detection *detection)
{
	for (size_t i = 0; i < detection->lines.n; i++)
		pe_arena_release(&detection->lines.data[i].scratch);
	pe_vec_release(&detection->lines);
	pe_vec_release(&detection->shown);
}

/* --- Reading --- */

/* Fill in the lines from `first` on, which are of one benchmark, in few passes over its runs. */
static int read_lines(struct pe_detection *detection, size_t first)
{
	struct pe_series_values *lines = &detection->lines.data[first];
	const size_t n = detection->lines.n - first;
	struct pe_app *app = detection->app;
	struct pe_series *series = pe_arena_new(app->arena, struct pe_series, n);

	for (size_t i = 0; i < n; i++)
		series[i] = (struct pe_series){.metric = lines[i].line.metric->name,
					       .arena = &lines[i].scratch};
	if (n > 0)
		PE_TRY(pe_store_read_series(series, n, app->store, detection->machine,
					    lines[0].line.benchmark_key, app->err));
	for (size_t i = 0; i < n; i++) {
		PE_TRY(fill_line(&lines[i], detection, series[i].at, series[i].n));
		detection->n_values += series[i].n;
	}
	return PE_OK;
}

int pe_detection_add_lines(struct pe_detection *detection,
			   const struct pe_stored_benchmark *benchmark)
{
	/* All of them are in memory, with what the search makes of them. */
	const size_t most_values = 500000;
	const size_t first = detection->lines.n;
	struct pe_app *app = detection->app;
	struct pe_metric *metrics;
	size_t n;

	PE_TRY(pe_store_benchmark_metrics(&metrics, &n, app->store, detection->machine,
					  benchmark->key, app->arena, app->err));
	for (size_t i = 0; i < n; i++)
		if (pe_thresholds_wants(app, &metrics[i], detection->opts->metrics))
			pe_vec_push(
				&detection->lines,
				((struct pe_series_values){.line = {.benchmark = benchmark->name,
								    .benchmark_key = benchmark->key,
								    .metric = &metrics[i]}}));
	PE_TRY(read_lines(detection, first));
	if (detection->n_values >= most_values)
		pe_detection_finish_lines(detection);
	return PE_OK;
}
