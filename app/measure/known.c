/* Look-ups in the store's rows, and the runs that a cell still wants by them. */
#include "app/measure/plan.h"

#include "core/base/sort.h"

#include <stdlib.h>
#include <string.h>

PE_SORT_BY(compare_coverage, struct pe_coverage, benchmark, revision);

const struct pe_coverage *pe_known_cell(const struct pe_known *known, int64_t revision,
					int64_t benchmark)
{
	const struct pe_coverage key = {.revision = revision, .benchmark = benchmark};

	if (known->n_coverage == 0)
		return NULL;
	return bsearch(&key, known->coverage, known->n_coverage, sizeof(key), compare_coverage);
}

const struct pe_coverage *pe_known_at(const struct pe_known *known,
				      const struct pe_session *session, size_t revision,
				      size_t benchmark)
{
	return pe_known_cell(known, session->revisions[revision].key,
			     session->benchmarks.data[benchmark]->key);
}

/* With --all: drop cells that were taken over without a build, and skipped ones. */
static void drop_assumed(struct pe_known *known, const struct pe_session *session)
{
	size_t n = 0;

	for (size_t i = 0; i < known->n_reused; i++)
		if (!(known->reused[i].unbuilt && session->whole) && !known->reused[i].skipped)
			known->reused[n++] = known->reused[i];
	known->n_reused = n;
}

/* Remember the newest build at the first call: later builds were made in this session. */
static void note_builds(struct pe_known *known, struct pe_session *session)
{
	int64_t newest = 0;

	for (size_t i = 0; i < known->n_builds; i++)
		newest = known->builds[i].key > newest ? known->builds[i].key : newest;
	if (session->builds_before < 0)
		session->builds_before = newest;
	known->builds_before = session->builds_before;
}

int pe_known_load(struct pe_known *out, struct pe_session *session)
{
	struct pe_app *app = session->app;

	out->limits = pe_session_limits(session);
	out->counts_only = app->counts_only;
	PE_TRY(pe_store_coverage(&out->coverage, &out->n_coverage, app->store, session->machine_key,
				 session->arena, app->err));
	PE_TRY(pe_store_builds(&out->builds, &out->n_builds, app->store, session->machine_key,
			       session->recipe_hash, session->arena, app->err));
	note_builds(out, session);
	PE_TRY(pe_store_reused(&out->reused, &out->n_reused, app->store, session->machine_key,
			       session->arena, app->err));
	if (session->whole || session->unskipped)
		drop_assumed(out, session);
	return PE_OK;
}

PE_SORT_BY(compare_builds, struct pe_stored_build, revision);

static const struct pe_stored_build *known_build(const struct pe_known *known, int64_t revision)
{
	const struct pe_stored_build key = {.revision = revision};

	if (known->n_builds == 0)
		return NULL;
	return bsearch(&key, known->builds, known->n_builds, sizeof(key), compare_builds);
}

bool pe_known_unbuildable(const struct pe_known *known, int64_t revision)
{
	const struct pe_stored_build *stored = known_build(known, revision);

	if (stored == NULL || stored->build.outcome == PE_MEASURED)
		return false;
	/*
	 * A refused tree may lack a submodule that is fetched before the next session, or one that no fetch can provide.
	 * It is not tried again in the same session, or exploring would never end.
	 */
	if (stored->build.outcome == PE_TREE_REFUSED)
		return stored->key > known->builds_before ||
		       (stored->build.refused_by != NULL && known->limits != NULL &&
			strcmp(stored->build.refused_by, known->limits) == 0);
	return !stored->retry;
}

struct pe_reused pe_known_reused(const struct pe_known *known, int64_t revision, int64_t benchmark)
{
	const struct pe_reused *found =
		pe_reused_find(known->reused, known->n_reused, revision, benchmark);

	return found != NULL ? *found : (struct pe_reused){.source = 0};
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
