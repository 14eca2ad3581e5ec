/*
 * Search cache: what comes back is what was put, bit by bit, or nothing; a history that is loaded twice is searched once,
 * and reads the same.
 */
#include "app/history/search_cache.h"

#include "app/history/detect.h"
#include "tests/support/random.h"
#include "core/exec/machine.h"
#include "tests/support/app_fixture.h"
#include "tests/support/test.h"

enum { COMMITS = 50, ROUNDS = 102 };

static struct app_fixture fixture;
static struct pe_random draw;

static void begin(void)
{
	app_fixture_open(&fixture, COMMITS, "benchmarks:\n  parse: {command: ./parse}\n");
	pe_random_seed(&draw, 5);
}

static void end(void)
{
	app_fixture_close(&fixture);
}

TestSuite(search_cache, .init = begin, .fini = end, .timeout = 600);

/* The file of a chain of the benchmark "parse", or of one that is made here: by its number. */
static const char *file(int64_t benchmark)
{
	struct pe_search_cache *cache = pe_search_cache_open(&fixture.app);
	struct pe_search_key key;

	pe_search_cache_begin(&key, cache, benchmark, "wall", 0);
	pe_search_cache_close(cache);
	return pe_arena_printf(&fixture.arena, "%s/found/%s", pe_app_cache_dir(&fixture.app),
			       key.name);
}

static struct pe_changepoints made(size_t n_commits)
{
	struct pe_changepoints found = {.n_commits = n_commits, .n_components = 2, .jitter = 0.01};

	found.at = pe_arena_new(&fixture.arena, struct pe_changepoint, n_commits);
	found.commits = pe_arena_new(&fixture.arena, struct pe_commit_level, n_commits);
	for (size_t i = 0; i < n_commits; i++) {
		bool begins = i > 0 && pe_random_below(&draw, 7) == 0;

		found.commits[i].level =
			begins || i == 0 ? pe_random_unit(&draw) : found.commits[i - 1].level;
		found.commits[i].least = i == 0 ? NAN : pe_random_unit(&draw);
		found.commits[i].location = pe_random_unit(&draw);
		found.commits[i].spread = (struct pe_spread){.q25 = (float)pe_random_unit(&draw),
							     .mad = (float)pe_random_unit(&draw)};
		if (begins)
			found.at[found.n++] =
				(struct pe_changepoint){.index = i,
							.before = i - 1,
							.first = i,
							.last = n_commits - 1,
							.level_after = found.commits[i].level,
							.relative = NAN,
							.strength = -3,
							.sure = 0.5};
	}
	return found;
}

static bool is_same_number(double a, double b)
{
	return memcmp(&a, &b, sizeof(a)) == 0;
}

static bool is_same(const struct pe_changepoints *a, const struct pe_changepoints *b)
{
	bool same = a->n == b->n && a->n_commits == b->n_commits &&
		    a->n_components == b->n_components && is_same_number(a->jitter, b->jitter);

	for (size_t i = 0; same && i < a->n; i++) {
		const struct pe_changepoint *x = &a->at[i], *y = &b->at[i];

		same = x->index == y->index && x->before == y->before && x->first == y->first &&
		       x->last == y->last && is_same_number(x->relative, y->relative) &&
		       is_same_number(x->level_after, y->level_after) &&
		       is_same_number(x->strength, y->strength) && is_same_number(x->sure, y->sure);
	}
	for (size_t i = 0; same && i < a->n_commits; i++)
		same = is_same_number(a->commits[i].level, b->commits[i].level) &&
		       is_same_number(a->commits[i].least, b->commits[i].least) &&
		       is_same_number(a->commits[i].location, b->commits[i].location) &&
		       memcmp(&a->commits[i].spread, &b->commits[i].spread,
			      sizeof(a->commits[i].spread)) == 0;
	return same;
}

static void put(uint64_t number, const struct pe_changepoints *found)
{
	struct pe_search_cache *cache = pe_search_cache_open(&fixture.app);
	struct pe_search_key key;

	pe_search_cache_begin(&key, cache, 1, "wall", 0);
	pe_xxh_number(&key.digest, number);
	pe_search_cache_put(cache, &key, found);
	pe_search_cache_close(cache);
}

static bool get(struct pe_changepoints *out, uint64_t number, size_t n_commits)
{
	struct pe_search_cache *cache = pe_search_cache_open(&fixture.app);
	struct pe_search_key key;
	bool there;

	pe_search_cache_begin(&key, cache, 1, "wall", 0);
	pe_xxh_number(&key.digest, number);
	there = pe_search_cache_find(out, cache, &key, n_commits, &fixture.arena);
	pe_search_cache_close(cache);
	return there;
}

Test(search_cache, gives_what_was_put)
{
	for (size_t n = 2; n < 200; n += 33) {
		struct pe_changepoints found = made(n), back;

		cr_assert_not(get(&back, n, n));
		put(n, &found);
		cr_assert(get(&back, n, n));
		cr_assert(is_same(&found, &back));
		/* A key that is met by chance has other commits. */
		cr_assert_not(get(&back, n, n + 1));
		cr_assert_not(get(&back, n, n - 1));
	}
}

/* Any byte may be another, and the file may end anywhere: what is read then is right, or nothing. */
Test(search_cache, gives_nothing_wrong_of_a_damaged_file)
{
	struct pe_changepoints found = made(20), back;
	pe_auto_text whole = PE_TEXT_INIT;
	size_t refused = 0;

	put(1, &found);
	OK(pe_text_read_file(&whole, file(1), NULL));
	for (size_t at = 0; at < whole.len; at++) {
		pe_auto_text damaged = PE_TEXT_INIT;

		pe_text_addn(&damaged, whole.data, at % 2 == 0 ? whole.len : at);
		if (at % 2 == 0)
			damaged.data[at] ^= (char)(1 << pe_random_below(&draw, 8));
		OK(pe_text_write_file(&damaged, file(1), NULL));
		if (!get(&back, 1, 20))
			refused++;
		else
			cr_assert(is_same(&found, &back), "byte %zu", at);
	}
	cr_expect(refused > whole.len * 9 / 10);
}

/* A chain has one result: that of the readings that it had last. */
Test(search_cache, a_new_result_takes_the_place_of_the_last)
{
	struct pe_changepoints found = made(40), back;

	put(1, &found);
	cr_assert(get(&back, 1, 40));
	put(2, &found);
	cr_assert_not(get(&back, 1, 40));
	cr_assert(get(&back, 2, 40));
}

/* A file that is no file of perfevo's is left alone. */
Test(search_cache, follows_no_link)
{
	struct pe_changepoints found = made(40), back;
	const char *aside = pe_arena_printf(&fixture.arena, "%s.aside", file(1));

	put(1, &found);
	OK(rename(file(1), aside));
	OK(symlink(aside, file(1)));
	cr_assert_not(get(&back, 1, 40));
}

/* --- The whole way --- */

static int64_t put_batch(struct pe_batch *batch)
{
	struct pe_app *app = &fixture.app;
	struct pe_machine machine;
	struct pe_coverage *cells =
		pe_arena_new(&fixture.arena, struct pe_coverage, fixture.commits.n);

	pe_machine_identify(&machine, NULL, &fixture.arena);
	OK(pe_store_put_machine(&batch->machine, app->store, &machine, app->err));
	OK(pe_store_put_benchmark(&cells[0].benchmark, app->store, &app->config->benchmarks[0],
				  app->err));
	for (size_t i = 0; i < fixture.commits.n; i++) {
		cells[i].benchmark = cells[0].benchmark;
		OK(pe_store_put_revision(&cells[i].revision, app->store, &fixture.commits.at[i],
					 app->err));
	}
	batch->cells = cells;
	batch->n_cells = fixture.commits.n;
	OK(pe_store_put_batch(app->store, batch, app->err));
	return batch->cells[0].benchmark;
}

static void put_runs(const struct pe_batch *batch, unsigned from, unsigned to)
{
	struct pe_app *app = &fixture.app;

	OK(pe_store_begin(app->store, app->err));
	for (unsigned round = from; round < to; round++)
		for (size_t i = 0; i < batch->n_cells; i++) {
			struct pe_run run = {.round = round,
					     .sequence = round * batch->n_cells + i,
					     .started_s = 1700000000,
					     .n_samples = 1};

			run.samples[0] =
				(struct pe_sample){.metric = &pe_metrics[PE_WALL],
						   .value = (i < COMMITS / 2 ? 1e6 : 1.2e6) *
							    (1 + 0.01 * pe_random_unit(&draw))};
			OK(pe_store_put_run(app->store, batch->key, batch->cells[i].revision,
					    batch->cells[i].benchmark, &run, app->err));
		}
	OK(pe_store_commit(app->store, app->err));
}

static struct pe_line load(void)
{
	struct pe_detect_opts opts = {0};
	struct pe_evolution evolution;

	OK(pe_detect_load(&evolution, &fixture.app, &opts));
	cr_assert(eq(sz, evolution.n_lines, 1));
	return evolution.lines[0];
}

static ino_t file_number(int64_t benchmark)
{
	struct stat st;

	OK(stat(file(benchmark), &st));
	return st.st_ino;
}

static void expect_same_line(const struct pe_line *a, const struct pe_line *b)
{
	cr_assert(eq(sz, a->n_points, b->n_points));
	for (size_t i = 0; i < a->n_points; i++) {
		cr_expect(is_same_number(a->points[i].level, b->points[i].level));
		cr_expect(is_same_number(a->points[i].least, b->points[i].least));
	}
	cr_assert(eq(sz, a->n_jumps, b->n_jumps));
	for (size_t i = 0; i < a->n_jumps; i++) {
		cr_expect(is_same_number(a->jumps[i].relative, b->jumps[i].relative));
		cr_expect(is_same_number(a->jumps[i].low, b->jumps[i].low));
		cr_expect(is_same_number(a->jumps[i].sure, b->jumps[i].sure));
		cr_expect(eq(sz, a->jumps[i].after, b->jumps[i].after));
	}
}

/* What was replaced is another file: one that stays was enough. */
Test(search_cache, a_history_that_is_known_is_not_searched_again)
{
	struct pe_batch batch = {.open = true};
	const int64_t benchmark = put_batch(&batch);
	struct pe_line first, second;
	ino_t number;

	put_runs(&batch, 0, 5);
	first = load();
	cr_assert(access(file(benchmark), F_OK) != 0, "few readings are searched in no time");
	put_runs(&batch, 5, ROUNDS - 1);
	first = load();
	cr_assert(eq(sz, first.n_jumps, 1));
	number = file_number(benchmark);
	second = load();
	cr_expect(eq(u64, file_number(benchmark), number));
	expect_same_line(&first, &second);
	put_runs(&batch, ROUNDS - 1, ROUNDS);
	second = load();
	cr_expect(ne(u64, file_number(benchmark), number), "one reading more is another question");
	cr_assert(eq(sz, second.n_jumps, 1));
}

/* Of a metric that only commits beside the history have, nothing is left to show; the metric after it is read with it. */
Test(search_cache, a_metric_without_points_leaves_the_next_one_whole)
{
	struct pe_batch batch = {.open = true};
	struct pe_detect_opts opts = {0};
	struct pe_revisions newer = {fixture.commits.at + 1, fixture.commits.n - 1, false, 0};
	struct pe_evolution evolution;

	put_batch(&batch);
	for (size_t i = 0; i < batch.n_cells; i++) {
		struct pe_run run = {.sequence = i, .started_s = 1700000000, .n_samples = 1};

		run.samples[0] = (struct pe_sample){
			.metric = &pe_metrics[i == 0 ? PE_WALL : PE_MAX_RSS], .value = 1e6};
		cr_assert(zero(
			i32, pe_store_put_run(fixture.app.store, batch.key, batch.cells[i].revision,
					      batch.cells[i].benchmark, &run, fixture.app.err)));
	}
	opts.revisions = &newer;
	OK(pe_detect_load(&evolution, &fixture.app, &opts));
	cr_assert(eq(sz, evolution.n_lines, 1));
	cr_expect_str_eq(evolution.lines[0].metric->name, "max-rss");
	cr_expect(eq(sz, evolution.lines[0].n_points, COMMITS - 1));
}
