#include "app/measure/plan.h"

#include "app/measure/carry.h"
#include "app/measure/costs.h"
#include "app/measure/exactness.h"

#include <stdlib.h>
#include <string.h>

static int compare_coverage(const void *a, const void *b)
{
	const struct pe_coverage *x = a, *y = b;

	if (x->benchmark != y->benchmark)
		return x->benchmark < y->benchmark ? -1 : 1;
	return (x->revision > y->revision) - (x->revision < y->revision);
}

const struct pe_coverage *pe_known_cell(const struct pe_known *known, int64_t revision,
					int64_t benchmark)
{
	const struct pe_coverage key = {.revision = revision, .benchmark = benchmark};

	if (known->n_coverage == 0)
		return NULL;
	return bsearch(&key, known->coverage, known->n_coverage, sizeof(key), compare_coverage);
}

/* A cell of an open batch that has the usual counting runs, and not those of a noisy one. */
static bool may_be_uncounted(const struct pe_known *known, const struct pe_session *session,
			     const struct pe_batch_cell *cell)
{
	const struct pe_coverage *have = pe_known_cell(known, cell->revision, cell->benchmark);
	size_t w = pe_session_benchmark_of(session, cell->benchmark);

	return cell->role == PE_ROLE_NEW && have != NULL && w != SIZE_MAX &&
	       session->benchmarks.data[w].benchmark->count_allocations &&
	       have->allocations >= PE_ALLOCATION_ROUNDS &&
	       have->allocations < PE_ALLOCATION_ROUNDS_NOISY &&
	       have->allocations_failure == PE_MEASURED;
}

static int find_uncounted(struct pe_known *known, struct pe_session *session)
{
	struct pe_app *app = session->app;
	/* By benchmark: -1 while not asked. */
	int *noisy = pe_arena_new(session->arena, int, session->benchmarks.n);
	struct pe_batch_cell *cells;
	struct pe_batch *batches;
	size_t n, n_cells = 0;
	int rc = pe_store_open_batches(&batches, &n, app->store, session->machine_key,
				       session->arena, app->err);

	for (size_t w = 0; w < session->benchmarks.n; w++)
		noisy[w] = -1;
	for (size_t i = 0; rc == PE_OK && i < n; i++)
		n_cells += batches[i].n_cells;
	cells = pe_arena_new(session->arena, struct pe_batch_cell, rc == PE_OK ? n_cells : 0);
	known->uncounted = cells;
	known->n_uncounted = 0;
	for (size_t i = 0; rc == PE_OK && i < n; i++) {
		for (size_t c = 0; rc == PE_OK && c < batches[i].n_cells; c++) {
			const struct pe_batch_cell *cell = &batches[i].cells[c];
			size_t w = pe_session_benchmark_of(session, cell->benchmark);
			bool varies;

			if (!may_be_uncounted(known, session, cell))
				continue;
			if (noisy[w] < 0) {
				rc = pe_exactness_counts_vary(&varies, app->store,
							      session->machine_key, cell->benchmark,
							      app->err);
				noisy[w] = rc == PE_OK && varies;
			}
			if (noisy[w] > 0)
				cells[known->n_uncounted++] = *cell;
		}
	}
	return rc;
}

static bool is_uncounted(const struct pe_known *known, int64_t revision, int64_t benchmark)
{
	for (size_t i = 0; i < known->n_uncounted; i++)
		if (known->uncounted[i].revision == revision &&
		    known->uncounted[i].benchmark == benchmark)
			return true;
	return false;
}

/* --all builds what was taken over without a build, and runs what was skipped. */
static void drop_assumed(struct pe_known *known, const struct pe_session *session)
{
	size_t n = 0;

	for (size_t i = 0; i < known->n_reused; i++)
		if (!(known->reused[i].unbuilt && session->whole) && !known->reused[i].skipped)
			known->reused[n++] = known->reused[i];
	known->n_reused = n;
}

int pe_known_load(struct pe_known *out, struct pe_session *session)
{
	struct pe_app *app = session->app;
	int rc;

	out->limits = pe_session_limits(session);
	rc = pe_store_coverage(&out->coverage, &out->n_coverage, app->store, session->machine_key,
			       session->arena, app->err);

	if (rc == PE_OK)
		rc = pe_store_builds(&out->builds, &out->n_builds, app->store, session->machine_key,
				     session->recipe_hash, session->arena, app->err);
	if (rc == PE_OK)
		rc = pe_store_reused(&out->reused, &out->n_reused, app->store, session->machine_key,
				     session->arena, app->err);
	if (rc == PE_OK && (session->whole || session->unskipped))
		drop_assumed(out, session);
	return rc == PE_OK ? find_uncounted(out, session) : rc;
}

static int compare_builds(const void *a, const void *b)
{
	const struct pe_stored_build *x = a, *y = b;

	return (x->revision > y->revision) - (x->revision < y->revision);
}

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
	/* A refused tree may lack a submodule that was fetched since; or it is one that no fetching mends. */
	if (stored->build.outcome == PE_TREE_REFUSED)
		return stored->build.refused_by != NULL && known->limits != NULL &&
		       strcmp(stored->build.refused_by, known->limits) == 0;
	return !stored->retry;
}

static int compare_reused(const void *a, const void *b)
{
	const struct pe_reused *x = a, *y = b;

	if (x->benchmark != y->benchmark)
		return x->benchmark < y->benchmark ? -1 : 1;
	return (x->revision > y->revision) - (x->revision < y->revision);
}

struct pe_reused pe_known_reused(const struct pe_known *known, int64_t revision, int64_t benchmark)
{
	const struct pe_reused key = {.revision = revision, .benchmark = benchmark};
	const struct pe_reused *found = NULL;

	if (known->n_reused > 0)
		found = bsearch(&key, known->reused, known->n_reused, sizeof(key), compare_reused);
	return found != NULL ? *found : (struct pe_reused){.source = 0};
}

int64_t pe_known_source(const struct pe_known *known, int64_t revision, int64_t benchmark)
{
	return pe_known_reused(known, revision, benchmark).source;
}

/* Whether a cell has its results from another revision, which has them indeed. */
static bool is_reused(const struct pe_known *known, int64_t revision, int64_t benchmark)
{
	const struct pe_coverage *source =
		pe_known_cell(known, pe_known_source(known, revision, benchmark), benchmark);

	return source != NULL && ((source->timed > 0 && source->failure == PE_MEASURED) ||
				  source->failure == PE_ABSENT);
}

struct pe_wants pe_plan_wants(const struct pe_session *session, const struct pe_known *known,
			      size_t revision, size_t benchmark)
{
	int64_t revision_key = session->revisions[revision].key;
	const struct pe_session_benchmark *one = &session->benchmarks.data[benchmark];
	const struct pe_coverage *have = pe_known_cell(known, revision_key, one->key);
	unsigned repeats = one->benchmark->repeats;
	unsigned allocations = one->benchmark->count_allocations ||
					       session->app->config->surroundings.instructions ==
						       PE_INSTRUCTIONS_SIMULATED
				       ? PE_ALLOCATION_ROUNDS
				       : 0;

	if (session->again)
		return (struct pe_wants){repeats, allocations, false};
	if (pe_known_unbuildable(known, revision_key))
		return (struct pe_wants){0, 0, true};
	if (have == NULL && is_reused(known, revision_key, one->key))
		return (struct pe_wants){0, 0, false};
	if (have == NULL)
		return (struct pe_wants){repeats, allocations, false};
	if (have->failure != PE_MEASURED)
		return (struct pe_wants){0, 0, have->failure != PE_ABSENT};
	if (is_uncounted(known, revision_key, one->key))
		allocations = PE_ALLOCATION_ROUNDS_NOISY;
	return (struct pe_wants){
		.timed = have->timed < repeats && (session->whole || !have->enough)
				 ? repeats - have->timed
				 : 0,
		.allocations =
			have->allocations < allocations && have->allocations_failure == PE_MEASURED
				? allocations - have->allocations
				: 0,
	};
}

/* --- Anchors --- */

/* A revision can be an anchor when some benchmark of this session was measured there. */
static bool measured(const struct pe_session *session, const struct pe_known *known,
		     size_t revision)
{
	for (size_t w = 0; w < session->benchmarks.n; w++) {
		const struct pe_coverage *have = pe_known_cell(
			known, session->revisions[revision].key, session->benchmarks.data[w].key);

		if (have != NULL && have->timed > 0 && have->failure == PE_MEASURED)
			return true;
	}
	return false;
}

static bool add_anchor(size_t *out, size_t *n, size_t revision)
{
	for (size_t i = 0; i < *n; i++)
		if (out[i] == revision)
			return false;
	out[(*n)++] = revision;
	return true;
}

static int compare_indices(const void *a, const void *b)
{
	const size_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* The measured revision with the lowest key not yet taken: the one that the store has known for longest. */
static size_t oldest_measured(const struct pe_session *session, const bool *fit, const size_t *out,
			      size_t n)
{
	size_t best = SIZE_MAX;

	for (size_t r = 0; r < session->n_revisions; r++) {
		bool used = !fit[r];

		for (size_t i = 0; i < n && !used; i++)
			used = out[i] == r;
		if (!used &&
		    (best == SIZE_MAX || session->revisions[r].key < session->revisions[best].key))
			best = r;
	}
	return best;
}

size_t pe_plan_anchors(size_t out[4], const struct pe_session *session,
		       const struct pe_known *known, size_t first, const bool *taken)
{
	pe_auto_free bool *fit = pe_realloc(NULL, session->n_revisions, sizeof(*fit));
	size_t n = 0;

	for (size_t r = 0; r < session->n_revisions; r++)
		fit[r] = !taken[r] && measured(session, known, r);
	for (size_t r = first; r-- > 0 && n < 2;)
		if (fit[r])
			add_anchor(out, &n, r);
	for (size_t r = first; r < session->n_revisions && n < 2; r++)
		if (fit[r])
			add_anchor(out, &n, r);
	for (int i = 0; i < 2; i++) {
		size_t reference = oldest_measured(session, fit, out, n);

		if (reference != SIZE_MAX)
			add_anchor(out, &n, reference);
	}
	qsort(out, n, sizeof(*out), compare_indices);
	return n;
}

/* --- Counting and thinning --- */

static size_t runs_wanted(const struct pe_session *session, const struct pe_known *known, size_t r)
{
	size_t runs = 0;

	for (size_t w = 0; w < session->benchmarks.n; w++) {
		struct pe_wants wants = pe_plan_wants(session, known, r, w);

		runs += wants.timed + wants.allocations;
	}
	return runs;
}

/* Want only `steps` of the revisions that have something left: first and last, and evenly between. */
static void thin_out(struct pe_session *session, const struct pe_known *known, size_t steps)
{
	size_t n = 0, k = 0, kept = 0;

	for (size_t r = 0; r < session->n_revisions; r++)
		n += session->revisions[r].wanted && runs_wanted(session, known, r) > 0;
	if (n <= steps)
		return;
	for (size_t r = 0; r < session->n_revisions; r++) {
		size_t due;

		if (!session->revisions[r].wanted || runs_wanted(session, known, r) == 0)
			continue;
		/* The newest is always among them; the others follow at equal distances. */
		due = steps > 1 ? kept * (n - 1) / (steps - 1) : n - 1;
		session->revisions[r].wanted = k == due && kept < steps;
		kept += session->revisions[r].wanted;
		k++;
	}
}

static void count_cell(struct pe_plan *plan, const struct pe_session *session,
		       const struct pe_known *known, const struct pe_session_costs *costs, size_t r,
		       size_t w, bool noisy)
{
	struct pe_wants wants = pe_plan_wants(session, known, r, w);
	const struct pe_session_benchmark *one = &session->benchmarks.data[w];
	bool fresh = pe_known_cell(known, session->revisions[r].key, one->key) == NULL;

	if (noisy && wants.allocations == PE_ALLOCATION_ROUNDS)
		wants.allocations += PE_ALLOCATION_ROUNDS_NOISY - PE_ALLOCATION_ROUNDS;
	plan->runs += wants.timed + wants.allocations;
	plan->skipped += wants.failed_before;
	plan->complete += !wants.failed_before && wants.timed + wants.allocations == 0;
	if (wants.timed + wants.allocations > 0)
		plan->run_s += pe_cell_cost_of(&costs->cell[w], one->benchmark,
					       costs->cell[w].needed * wants.timed,
					       wants.allocations, fresh && !session->again);
}

/* The anchors of the first batch: as a rule there is no other. */
static void count_anchors(struct pe_plan *plan, const struct pe_session *session,
			  const struct pe_known *known, const struct pe_session_costs *costs)
{
	bool *wanted = pe_arena_new(session->arena, bool, session->n_revisions);
	size_t anchors[4], first = SIZE_MAX, n;

	for (size_t r = session->n_revisions; r-- > 0;) {
		wanted[r] = session->revisions[r].wanted && runs_wanted(session, known, r) > 0;
		first = wanted[r] ? r : first;
	}
	n = first != SIZE_MAX ? pe_plan_anchors(anchors, session, known, first, wanted) : 0;
	for (size_t i = 0; i < n; i++) {
		plan->build_s += costs->build_s[anchors[i]];
		for (size_t w = 0; w < session->benchmarks.n; w++) {
			const struct pe_session_benchmark *one = &session->benchmarks.data[w];
			const struct pe_wants wants = pe_plan_wants(session, known, first, w);

			if (wants.timed > 0 &&
			    pe_known_cell(known, session->revisions[anchors[i]].key, one->key) !=
				    NULL)
				plan->run_s += pe_cell_cost_of(&costs->cell[w], one->benchmark,
							       costs->cell[w].needed * wants.timed,
							       0, false);
		}
	}
}

/* What a session has left to do, revision by revision. */
struct planning {
	struct pe_session *session;
	struct pe_known known;
	struct pe_session_costs costs;
	struct pe_reuse *reuse;
	bool *noisy;   /* by benchmark */
	size_t before; /* revision that is to be built last of those so far; SIZE_MAX: none */
};

/* One that will be like the one before it is not counted, but for being wanted. */
static int plan_revision(struct pe_plan *out, struct planning *all, size_t r)
{
	struct pe_session *session = all->session;
	bool wants = runs_wanted(session, &all->known, r) > 0, needless = false;
	int rc = PE_OK;

	out->revisions += wants;
	if (wants && all->before != SIZE_MAX)
		rc = pe_carry_foresee(&needless, all->reuse, all->before, r);
	out->unbuilt += needless;
	if (rc != PE_OK || needless)
		return rc;
	for (size_t w = 0; w < session->benchmarks.n; w++)
		count_cell(out, session, &all->known, &all->costs, r, w, all->noisy[w]);
	if (!wants)
		return PE_OK;
	all->before = r;
	out->builds += pe_slots_find(&session->slots, session->revisions[r].revision->id,
				     session->recipe_hash) == NULL;
	out->build_s += all->costs.build_s[r];
	return PE_OK;
}

int pe_session_plan(struct pe_plan *out, struct pe_session *session, size_t steps)
{
	struct planning all = {.session = session, .before = SIZE_MAX};
	int rc = pe_known_load(&all.known, session);

	all.noisy = pe_arena_new(session->arena, bool, session->benchmarks.n);
	*out = (struct pe_plan){0};
	if (rc == PE_OK)
		rc = pe_reuse_new(&all.reuse, session);
	if (rc == PE_OK)
		rc = pe_carry_all(all.reuse, &all.known);
	if (rc == PE_OK)
		rc = pe_session_costs_load(&all.costs, session, &all.known);
	for (size_t w = 0; rc == PE_OK && w < session->benchmarks.n; w++)
		rc = pe_exactness_counts_vary(&all.noisy[w], session->app->store,
					      session->machine_key, session->benchmarks.data[w].key,
					      session->app->err);
	out->unbuilt = session->n_unbuilt;
	if (rc == PE_OK && steps > 0)
		thin_out(session, &all.known, steps);
	for (size_t r = 0; rc == PE_OK && r < session->n_revisions; r++)
		if (session->revisions[r].wanted && ++out->wanted > 0)
			rc = plan_revision(out, &all, r);
	if (rc == PE_OK) {
		double share = pe_reuse_skipped_share(all.reuse, &all.known);

		out->spared = (size_t)(share * (double)out->runs);
		out->run_s *= 1 - share;
		count_anchors(out, session, &all.known, &all.costs);
	}
	pe_reuse_free(all.reuse);
	return rc;
}
