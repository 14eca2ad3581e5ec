#include "app/measure/plan.h"

#include "core/base/sort.h"
#include "app/measure/carry.h"
#include "app/measure/costs.h"
#include "app/measure/exactness.h"

#include <stdlib.h>

/* --- Anchors --- */

/* A revision can be an anchor when some benchmark of this session was measured there. */
static bool measured(const struct pe_session *session, const struct pe_known *known,
		     size_t revision)
{
	for (size_t w = 0; w < session->benchmarks.n; w++) {
		const struct pe_coverage *have = pe_known_at(known, session, revision, w);

		if (have != NULL && have->timed > 0 && have->failure == PE_MEASURED)
			return true;
	}
	return false;
}

/* Whether two compared revisions are measured again: each ties the batch to those before. */
static bool is_tied(const struct pe_session *session, const struct pe_known *known,
		    const bool *taken)
{
	bool tied = session->compares && session->again;

	for (size_t r = 0; tied && r < session->n_revisions; r++)
		tied = !taken[r] || measured(session, known, r);
	return tied;
}

static void add_anchor(size_t *out, size_t *n, bool *fit, size_t revision)
{
	out[(*n)++] = revision;
	fit[revision] = false;
}

PE_SORT_NUMBERS(compare_indices, size_t);

/* The fit revision with the lowest key: it was stored first. */
static size_t oldest_measured(const struct pe_session *session, const bool *fit)
{
	size_t best = SIZE_MAX;

	for (size_t r = 0; r < session->n_revisions; r++)
		if (fit[r] &&
		    (best == SIZE_MAX || session->revisions[r].key < session->revisions[best].key))
			best = r;
	return best;
}

size_t pe_plan_anchors(size_t out[4], const struct pe_session *session,
		       const struct pe_known *known, size_t first, const bool *taken)
{
	pe_auto_free bool *fit = pe_realloc(NULL, session->n_revisions, sizeof(*fit));
	size_t n = 0;

	/* Counts are the same in every session. */
	if (known->counts_only || is_tied(session, known, taken))
		return 0;
	for (size_t r = 0; r < session->n_revisions; r++)
		fit[r] = !taken[r] && measured(session, known, r);
	for (size_t r = first; r-- > 0 && n < 2;)
		if (fit[r])
			add_anchor(out, &n, fit, r);
	for (size_t r = first; r < session->n_revisions && n < 2; r++)
		if (fit[r])
			add_anchor(out, &n, fit, r);
	for (int i = 0; i < 2; i++) {
		size_t reference = oldest_measured(session, fit);

		if (reference != SIZE_MAX)
			add_anchor(out, &n, fit, reference);
	}
	pe_sort(out, n, compare_indices);
	return n;
}

/* --- Counting and thinning --- */

/* Want only `steps` of the revisions with work left: first and last, and evenly between. */
static void thin_out(struct pe_session *session, const struct pe_known *known, size_t steps)
{
	size_t n = 0, k = 0, kept = 0;

	for (size_t r = 0; r < session->n_revisions; r++)
		n += session->wanted[r] && pe_plan_runs(session, known, r) > 0;
	if (n <= steps)
		return;
	for (size_t r = 0; r < session->n_revisions; r++) {
		size_t due;

		if (!session->wanted[r] || pe_plan_runs(session, known, r) == 0)
			continue;
		/* The newest is always among them; the others follow at equal distances. */
		due = steps > 1 ? kept * (n - 1) / (steps - 1) : n - 1;
		session->wanted[r] = k == due && kept < steps;
		kept += session->wanted[r];
		k++;
	}
}

static void count_cell(struct pe_plan *plan, const struct pe_session *session,
		       const struct pe_known *known, const struct pe_session_costs *costs, size_t r,
		       size_t w, bool noisy)
{
	struct pe_coverage wants = pe_plan_wants(session, known, r, w);
	const struct pe_benchmark *one = session->benchmarks.data[w];
	bool fresh = pe_known_at(known, session, r, w) == NULL;

	if (noisy && wants.counted == PE_COUNTED_ROUNDS)
		wants.counted += PE_COUNTED_ROUNDS_NOISY - PE_COUNTED_ROUNDS;
	plan->runs += wants.timed + wants.counted;
	plan->skipped += wants.failure != PE_MEASURED;
	plan->complete += wants.failure == PE_MEASURED && wants.timed + wants.counted == 0;
	if (wants.timed + wants.counted > 0)
		plan->run_s +=
			pe_cell_cost_of(&costs->cell[w], one, costs->cell[w].needed * wants.timed,
					wants.counted, fresh && !session->again);
}

/* Count the anchors of the first batch: there is seldom another. */
static void count_anchors(struct pe_plan *plan, const struct pe_session *session,
			  const struct pe_known *known, const struct pe_session_costs *costs)
{
	bool *wanted = pe_arena_new(session->arena, bool, session->n_revisions);
	unsigned *rounds = pe_arena_new(session->arena, unsigned, session->benchmarks.n);
	size_t anchors[4], first = SIZE_MAX, n;

	for (size_t r = session->n_revisions; r-- > 0;) {
		wanted[r] = session->wanted[r] && pe_plan_runs(session, known, r) > 0;
		first = wanted[r] ? r : first;
		for (size_t w = 0; wanted[r] && w < session->benchmarks.n; w++) {
			unsigned timed = pe_plan_wants(session, known, r, w).timed;

			rounds[w] = timed > rounds[w] ? timed : rounds[w];
		}
	}
	n = first != SIZE_MAX ? pe_plan_anchors(anchors, session, known, first, wanted) : 0;
	for (size_t i = 0; i < n; i++) {
		plan->build_s += costs->build_s[anchors[i]];
		for (size_t w = 0; w < session->benchmarks.n; w++) {
			const struct pe_benchmark *one = session->benchmarks.data[w];

			if (rounds[w] == 0 || pe_known_at(known, session, anchors[i], w) == NULL)
				continue;
			plan->runs += rounds[w];
			plan->run_s += pe_cell_cost_of(&costs->cell[w], one,
						       costs->cell[w].needed * rounds[w], 0, false);
		}
	}
}

/* The planned work of a session, revision by revision. */
struct planning {
	struct pe_session *session;
	struct pe_known known;
	struct pe_session_costs costs;
	struct pe_reuse *reuse;
	bool *noisy;   /* by benchmark */
	size_t before; /* the last revision so far that is to be built; SIZE_MAX: none */
};

/* Plan a revision. One that will need neither a build nor runs only counts as wanted and unbuilt. */
static int plan_revision(struct pe_plan *out, struct planning *all, size_t r)
{
	struct pe_session *session = all->session;
	bool wants = pe_plan_runs(session, &all->known, r) > 0;
	enum pe_foreseen needs = PE_FORESEEN_BUILD;

	out->revisions += wants;
	if (wants && all->before != SIZE_MAX)
		PE_TRY(pe_carry_predict(&needs, all->reuse, all->before, r));
	out->unbuilt += needs == PE_FORESEEN_NOTHING;
	out->perhaps_unbuilt += needs == PE_FORESEEN_UNKNOWN;
	if (needs == PE_FORESEEN_NOTHING)
		return PE_OK;
	for (size_t w = 0; w < session->benchmarks.n; w++)
		count_cell(out, session, &all->known, &all->costs, r, w, all->noisy[w]);
	if (!wants)
		return PE_OK;
	all->before = r;
	out->builds += pe_slots_find(&session->slots, session->revisions[r].id,
				     session->recipe_hash) == NULL;
	out->build_s += all->costs.build_s[r];
	return PE_OK;
}

/* Whether the share of reused cells can be estimated: the store has more cells than one for each benchmark. */
static bool reuse_is_known(const struct pe_session *session, const struct pe_known *known)
{
	size_t n = 0;

	for (size_t i = 0; i < known->n_stored; i++)
		n += pe_session_benchmark_of(session, known->stored[i].benchmark) != SIZE_MAX;
	return n > session->benchmarks.n;
}

int pe_session_plan(struct pe_plan *out, struct pe_session *session, size_t steps)
{
	struct planning all = {.session = session, .before = SIZE_MAX};
	pe_auto_reuse *reuse = NULL;

	*out = (struct pe_plan){0};
	all.noisy = pe_arena_new(session->arena, bool, session->benchmarks.n);
	PE_TRY(pe_known_load(&all.known, session));
	PE_TRY(pe_reuse_new(&reuse, session));
	PE_TRY(pe_carry_all(reuse, &all.known));
	all.reuse = reuse;
	PE_TRY(pe_session_costs_load(&all.costs, session, &all.known));
	for (size_t w = 0; w < session->benchmarks.n; w++)
		PE_TRY(pe_exactness_counts_vary(
			&all.noisy[w], session->app->store, session->machine_key,
			session->benchmarks.data[w]->key, session->app->err));
	out->unbuilt = session->n_unbuilt;
	out->at_most = !session->again && !reuse_is_known(session, &all.known);
	if (steps > 0)
		thin_out(session, &all.known, steps);
	for (size_t r = 0; r < session->n_revisions; r++)
		if (session->wanted[r] && ++out->wanted > 0)
			PE_TRY(plan_revision(out, &all, r));
	count_anchors(out, session, &all.known, &all.costs);
	return PE_OK;
}
