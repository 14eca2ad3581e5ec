/*
 * The builds that a bisection keeps side by side, and single runs of them: a revision is built, seated in a window
 * beside the ends and those that were asked for last, and run once in each round.
 */
#include "app/search/bisect_internal.h"

#include "core/base/clock.h"

#include <math.h>
#include <string.h>

/* Of one window; after these another one is opened. */
enum { ROUNDS = 64 };

/* --- Building --- */

int pe_bisect_run_build(bool *fit, struct pe_bisect_run *run, size_t i)
{
	struct pe_session *session = &run->session;
	const struct pe_session_revision *revision = &session->revisions[run->first + i];
	uint64_t before_ns = pe_clock_ns();
	bool carried = false;
	struct pe_slot *slot;
	struct pe_build made;
	int rc = pe_session_build(&slot, &made, session, revision);

	*fit = false;
	if (rc != PE_OK)
		return rc;
	if (slot == NULL)
		return pe_fail(run->out->app->err, PE_EFULL,
			       "no room for another build: raise 'disk:' in perfevo.yml");
	if (made.outcome != PE_MEASURED) {
		run->out->unbuildable++;
		pe_bisect_run_skip(run, i);
		pe_trouble_add_build(&session->troubles, revision->revision, &made, session->arena);
		return PE_OK;
	}
	run->build_ns += made.duration_ns > 0 ? pe_clock_ns() - before_ns : 0;
	run->out->builds += made.duration_ns > 0;
	run->built[i] = true;
	*fit = true;
	if (run->carrier == NULL)
		return PE_OK;
	/* Sources are revisions with readings, the ones of this session too. */
	rc = pe_known_load(&run->known, session);
	if (rc == PE_OK && pe_known_cell(&run->known, revision->key, run->workload->key) == NULL)
		rc = pe_carrier_try(&carried, run->carrier, &run->known, run->first + i, 0, slot,
				    &made);
	if (rc == PE_OK && carried) {
		session->n_carried++;
		rc = pe_known_load(&run->known, session);
		pe_bisect_run_use_carried(run);
		*fit = false;
	}
	return rc;
}

/* --- Seating --- */

static bool is_seated(const struct pe_bisect_run *run, size_t i)
{
	for (size_t s = 0; s < run->n_seats; s++)
		if (run->seats[s] == i)
			return true;
	return false;
}

/* The new one and the ends first, then those that were seated last. */
static void choose_seats(struct pe_bisect_run *run, size_t i)
{
	const size_t ends[] = {0, run->out->n - 1};
	size_t old[PE_BISECT_RUN_SEATS], n_old = run->n_seats;

	memcpy(old, run->seats, sizeof(old));
	run->n_seats = 0;
	run->seats[run->n_seats++] = i;
	for (size_t e = 0; e < 2; e++)
		if (run->built[ends[e]] && !is_seated(run, ends[e]))
			run->seats[run->n_seats++] = ends[e];
	for (size_t s = 0; s < n_old && run->n_seats < PE_BISECT_RUN_SEATS; s++)
		if (!is_seated(run, old[s]))
			run->seats[run->n_seats++] = old[s];
}

static int close_window(struct pe_bisect_run *run)
{
	struct pe_remeasure *fresh = run->fresh;

	run->fresh = NULL;
	return pe_remeasure_close(fresh, true);
}

/* A window with one more revision. Its runs are ordinary readings; as anchors they keep `track` off it. */
static int seat(struct pe_bisect_run *run, size_t i)
{
	static const size_t workload = 0;
	enum pe_role roles[PE_BISECT_RUN_SEATS];
	size_t revisions[PE_BISECT_RUN_SEATS];
	struct pe_remeasure_opts opts = {.rounds = ROUNDS, .roles = roles};
	int rc = close_window(run);

	if (rc != PE_OK)
		return rc;
	choose_seats(run, i);
	for (size_t s = 0; s < run->n_seats; s++) {
		revisions[s] = run->first + run->seats[s];
		roles[s] = PE_ROLE_ANCHOR;
		run->taken[s] = false;
	}
	run->round = 0;
	rc = pe_remeasure_open(&run->fresh, &run->session, revisions, run->n_seats, &workload, 1,
			       &opts);
	if (rc == PE_OK && !pe_remeasure_seated(run->fresh, 0))
		rc = pe_fail(run->out->app->err, PE_EFULL,
			     "no room for a build: raise 'disk:' in perfevo.yml");
	return rc;
}

/* --- Running --- */

/* The seat of a revision that can be run in this round; opens another window where need be. */
static int find_seat(size_t *out, struct pe_bisect_run *run, size_t i)
{
	size_t s = 0;
	int rc = PE_OK;

	while (s < run->n_seats && run->seats[s] != i)
		s++;
	if (run->fresh == NULL || s == run->n_seats || !pe_remeasure_seated(run->fresh, s) ||
	    (run->taken[s] && run->round + 1 == ROUNDS)) {
		rc = seat(run, i);
		s = 0;
	}
	if (rc == PE_OK && run->taken[s]) {
		run->round++;
		memset(run->taken, 0, sizeof(run->taken));
	}
	*out = s;
	return rc;
}

int pe_bisect_run_count(struct pe_run *made, struct pe_bisect_run *run, size_t i)
{
	struct pe_session *session = &run->session;
	const struct pe_revision *revision = pe_bisect_run_revision(run, i);
	struct pe_slot *slot;
	size_t seat;
	int rc = find_seat(&seat, run, i);

	*made = (struct pe_run){.kind = PE_RUN_ALLOCATIONS};
	if (rc != PE_OK)
		return rc;
	run->taken[seat] = true;
	made->round = run->round;
	slot = pe_slots_find(&session->slots, revision->id, session->recipe_hash);
	if (slot == NULL || session->runner.alloc_library == NULL)
		return PE_OK;
	rc = pe_runner_set_up(made, &session->runner, run->workload->workload, slot->tree,
			      session->arena, session->app->err);
	if (rc == PE_OK && made->outcome == PE_MEASURED)
		rc = pe_runner_run(made, &session->runner, run->workload->workload, slot->tree,
				   session->arena, session->app->err);
	rc = pe_runner_clean_up(rc, &session->runner, run->workload->workload, slot->tree,
				session->arena, session->app->err);
	if (made->outcome != PE_MEASURED)
		made->n_samples = 0;
	if (rc == PE_OK)
		rc = pe_store_put_run(session->app->store, pe_remeasure_window(run->fresh),
				      session->revisions[run->first + i].key, run->workload->key,
				      made, session->app->err);
	return rc;
}

/* One run under the counting library, for metrics that need it. */
static int count_once(double *value, struct pe_bisect_run *run, size_t i)
{
	struct pe_run made;
	int rc = pe_bisect_run_count(&made, run, i);

	for (size_t s = 0; rc == PE_OK && s < made.n_samples; s++)
		if (strcmp(made.samples[s].metric->name, run->out->metric->name) == 0)
			*value = made.samples[s].value;
	return rc;
}

int pe_bisect_run_once(double *value, struct pe_bisect_run *run, size_t i)
{
	struct pe_remeasure_cell cell = {0, 0};
	int rc;

	*value = NAN;
	if (pe_metric_is_counted(run->out->metric))
		return count_once(value, run, i);
	rc = find_seat(&cell.revision, run, i);
	if (rc != PE_OK)
		return rc;
	run->taken[cell.revision] = true;
	rc = pe_remeasure_round(run->fresh, run->round, &cell, 1);
	if (rc == PE_OK)
		*value = pe_remeasure_value(run->fresh, cell, run->round, run->out->metric->name);
	return rc;
}
