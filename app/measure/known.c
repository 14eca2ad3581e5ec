/* Look-ups in the store's rows, and the runs that a cell still wants by them. */
#include "app/measure/plan.h"

#include "core/base/search.h"
#include "core/base/sort.h"

PE_SORT_BY(compare_cells, struct pe_coverage, benchmark, revision);

const struct pe_coverage *pe_known_cell(const struct pe_known *known, int64_t revision,
					int64_t benchmark)
{
	const struct pe_coverage *found =
		pe_coverage_find(known->stored, known->n_stored, revision, benchmark);

	return found != NULL && found->tried ? found : NULL;
}

const struct pe_coverage *pe_known_at(const struct pe_known *known,
				      const struct pe_session *session, size_t revision,
				      size_t benchmark)
{
	return pe_known_cell(known, session->revisions[revision].key,
			     session->benchmarks.data[benchmark]->key);
}

/* With --all, neither cells that were taken over without a build nor skipped ones have a source. */
static bool is_assumed(const struct pe_coverage *cell, const struct pe_session *session)
{
	return (session->whole && cell->unbuilt) ||
	       ((session->whole || session->unskipped) && cell->skipped);
}

/* Both lists are in order: each cell is there once, with its runs and its source. */
static void join_cells(struct pe_known *out, const struct pe_session *session,
		       const struct pe_coverage *runs, size_t n_runs,
		       const struct pe_coverage *reused, size_t n_reused)
{
	size_t i = 0;

	out->stored = pe_arena_new(session->arena, struct pe_coverage, n_runs + n_reused);
	out->n_stored = 0;
	for (size_t k = 0; k < n_reused; k++) {
		int order = 1;

		while (i < n_runs && (order = compare_cells(&runs[i], &reused[k])) < 0)
			out->stored[out->n_stored++] = runs[i++];
		if (is_assumed(&reused[k], session))
			continue;
		out->stored[out->n_stored] = i < n_runs && order == 0 ? runs[i++] : reused[k];
		out->stored[out->n_stored].source = reused[k].source;
		out->stored[out->n_stored].unbuilt = reused[k].unbuilt;
		out->stored[out->n_stored++].skipped = reused[k].skipped;
	}
	while (i < n_runs)
		out->stored[out->n_stored++] = runs[i++];
}

int pe_known_load(struct pe_known *out, struct pe_session *session)
{
	struct pe_app *app = session->app;
	struct pe_coverage *runs, *reused;
	size_t n_runs, n_reused;

	out->counts_only = app->counts_only;
	PE_TRY(pe_store_coverage(&runs, &n_runs, app->store, session->machine_key, session->arena,
				 app->err));
	/* Later builds are this session's: what they refuse is not tried again in it, or exploring would never end. */
	if (session->builds_before < 0)
		PE_TRY(pe_store_newest_build(&session->builds_before, app->store, app->err));
	PE_TRY(pe_store_unbuildable(&out->unbuildable, &out->n_unbuildable, app->store,
				    session->machine_key, session->recipe_hash,
				    pe_session_limits(session), session->builds_before,
				    session->arena, app->err));
	PE_TRY(pe_store_reused(&reused, &n_reused, app->store, session->machine_key, session->arena,
			       app->err));
	join_cells(out, session, runs, n_runs, reused, n_reused);
	return PE_OK;
}

bool pe_known_unbuildable(const struct pe_known *known, int64_t revision)
{
	size_t at = 0;

	pe_search(at, known->n_unbuildable, i, known->unbuildable[i] < revision);
	return at < known->n_unbuildable && known->unbuildable[at] == revision;
}

struct pe_coverage pe_known_reused(const struct pe_known *known, int64_t revision,
				   int64_t benchmark)
{
	const struct pe_coverage *found =
		pe_coverage_find(known->stored, known->n_stored, revision, benchmark);

	return found != NULL ? *found : (struct pe_coverage){.source = 0};
}

bool pe_known_is_measured(const struct pe_known *known, const struct pe_coverage *cell)
{
	return cell != NULL && cell->failure == PE_MEASURED &&
	       (cell->timed > 0 || (known->counts_only && cell->counted > 0));
}

bool pe_known_is_reused(const struct pe_known *known, int64_t revision, int64_t benchmark)
{
	const struct pe_coverage *source =
		pe_known_cell(known, pe_known_reused(known, revision, benchmark).source, benchmark);

	return source != NULL &&
	       (pe_known_is_measured(known, source) || source->failure == PE_ABSENT);
}

bool pe_known_is_equal(const struct pe_known *known, const struct pe_session *session,
		       size_t benchmark)
{
	const int64_t key = session->benchmarks.data[benchmark]->key;
	int64_t first = 0;
	size_t n = 0;
	bool equal = session->compares && !session->again;

	for (size_t r = 0; r < session->n_revisions && equal; r++) {
		int64_t source;

		if (!session->wanted[r])
			continue;
		source = pe_known_reused(known, session->revisions[r].key, key).source;
		source = source != 0 ? source : session->revisions[r].key;
		equal = n++ == 0 || source == first;
		first = source;
	}
	return equal && n == 2;
}

struct pe_coverage pe_plan_wants(const struct pe_session *session, const struct pe_known *known,
				 size_t revision, size_t benchmark)
{
	const struct pe_benchmark *one = session->benchmarks.data[benchmark];
	const struct pe_coverage *have = pe_known_at(known, session, revision, benchmark);
	const int64_t key = session->revisions[revision].key;
	const unsigned repeats = known->counts_only ? 0 : one->repeats;
	const bool counts =
		one->count_allocations ||
		session->app->config->surroundings.instructions == PE_INSTRUCTIONS_SIMULATED;
	const unsigned counted = counts ? PE_COUNTED_ROUNDS : 0;
	const struct pe_coverage none = {.timed = 0};

	if (session->again)
		return (struct pe_coverage){.timed = repeats,
					    .counted = session->timed_only ? 0 : counted};
	if (pe_known_unbuildable(known, key))
		return (struct pe_coverage){.failure = PE_BUILD_FAILED};
	if (pe_known_is_equal(known, session, benchmark) ||
	    (have == NULL && pe_known_is_reused(known, key, one->key)))
		return none;
	if (have == NULL)
		return (struct pe_coverage){.timed = repeats, .counted = counted};
	if (have->failure != PE_MEASURED)
		return have->failure == PE_ABSENT ? none
						  : (struct pe_coverage){.failure = have->failure};
	return (struct pe_coverage){
		.timed = have->timed < repeats && (session->whole || !have->enough)
				 ? repeats - have->timed
				 : 0,
		.counted = have->counted < counted && have->counted_failure == PE_MEASURED
				   ? counted - have->counted
				   : 0,
	};
}

size_t pe_plan_runs(const struct pe_session *session, const struct pe_known *known, size_t r)
{
	size_t runs = 0;

	for (size_t w = 0; w < session->benchmarks.n; w++) {
		struct pe_coverage wants = pe_plan_wants(session, known, r, w);

		runs += wants.timed + wants.counted;
	}
	return runs;
}
