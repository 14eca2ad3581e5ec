/*
 * Whether a confirmed change is one of layout. The counts of both sides are in the store: allocations, instructions
 * where the machine has counters. Where they are equal, both are built once more (as a rule they are still in their
 * slots), and the code that the benchmark executes is compared.
 */
#include "app/search/confirm_internal.h"

#include "app/measure/exactness.h"
#include "app/changes/layout.h"
#include "app/search/pairs.h"
#include "core/base/clock.h"

#include <math.h>
#include <string.h>

/* All confirmations and counts of the session. */
struct looking {
	struct pe_session *session;
	struct pe_stored_confirmation *rows;
	struct pe_coverage *reused;
	size_t n, n_reused;
};

/* The two sides of a change: revisions whose values count for them (keys), and where the session has them. */
struct sides {
	int64_t asked[2], keys[2];
	size_t at[2];
	size_t benchmark; /* the session's index */
};

/* --- Which changes --- */

static bool is_asked(const struct pe_stored_confirmation *row)
{
	return row->answer == PE_CONFIRMED && row->settled && row->layout == PE_LAYOUT_NOT_LOOKED &&
	       pe_layout_may_move(row->metric);
}

/* The revision whose values a cell has. */
static int64_t source_of(const struct looking *looking, int64_t benchmark, int64_t revision)
{
	const struct pe_coverage *found =
		pe_coverage_find(looking->reused, looking->n_reused, revision, benchmark);

	return found != NULL ? found->source : revision;
}

static int64_t parent_of(const struct pe_session *session, int64_t key)
{
	size_t at = pe_session_revision_of(session, key);

	if (at == SIZE_MAX || session->revisions[at].n_parents == 0)
		return 0;
	at = pe_revision_find(session->revisions, session->n_revisions,
			      session->revisions[at].parents[0]);
	return at < session->n_revisions ? session->revisions[at].key : 0;
}

/* Positions of the sides in the session; false: one is not in it. */
static bool find_places(struct sides *out, const struct looking *looking, int64_t benchmark)
{
	const struct pe_session *session = looking->session;

	for (int side = 0; side < 2; side++) {
		out->keys[side] = source_of(looking, benchmark, out->asked[side]);
		out->at[side] = pe_session_revision_of(session, out->keys[side]);
		if (out->at[side] == SIZE_MAX)
			out->at[side] = pe_session_revision_of(session, out->asked[side]);
	}
	out->benchmark = pe_session_benchmark_of(session, benchmark);
	return out->at[0] != SIZE_MAX && out->at[1] != SIZE_MAX && out->benchmark != SIZE_MAX;
}

/*
 * The sides between which the change certainly is: where it may begin at several commits, the one before the first of them,
 * and the last.
 */
static bool find_sides(struct sides *out, const struct looking *looking,
		       const struct pe_stored_confirmation *row)
{
	const struct pe_session *session = looking->session;
	bool pinned = row->pinned_after != 0;
	int64_t first = pinned ? row->pinned_first : row->first;
	int64_t last = pinned ? row->pinned_last : row->last;
	int64_t after = pinned ? row->pinned_after : row->after;
	bool sure = first == after && last == after;

	out->asked[0] = !sure    ? parent_of(session, first)
			: pinned ? row->pinned_before
				 : row->before;
	out->asked[1] = sure ? after : last;
	return find_places(out, looking, row->benchmark);
}

/* --- Counts --- */

/* Compare one count. PE_LAYOUT_NOT_LOOKED: a side has none. */
static int compare_count(enum pe_layout *out, const struct looking *looking,
			 const struct pe_metric *metric, int64_t benchmark,
			 const struct sides *sides)
{
	struct pe_session *session = looking->session;
	const struct pe_series_query query = {session->machine_key, benchmark, metric->name};
	const bool exact = metric->kind == PE_METRIC_DETERMINISTIC;
	double values[2];
	bool agree, vary;

	*out = PE_LAYOUT_NOT_LOOKED;
	PE_TRY(pe_exactness_load_two(values, &vary, session->app->store, &query, metric,
				     sides->keys, session->app->err));
	if (isnan(values[0]) || isnan(values[1]))
		return PE_OK;
	/* The kernel's share of instructions varies; what the program does shows beyond it. */
	agree = exact ? pe_metric_agrees(metric, values[0], values[1])
		      : fabs(values[0] - values[1]) <= metric->min_relative * fabs(values[0]);
	/* A count that varies from run to run proves nothing. */
	*out = vary ? PE_LAYOUT_UNKNOWN : agree ? PE_LAYOUT_ONLY : PE_LAYOUT_WORK;
	return PE_OK;
}

/* All counts that both sides have. Something exact must be among them, and whatever is must not vary. */
static int compare_counts(enum pe_layout *out, const struct looking *looking, int64_t benchmark,
			  const struct sides *sides)
{
	struct pe_session *session = looking->session;
	struct pe_metric *metrics;
	bool equal = false, vary = false;
	size_t n;

	PE_TRY(pe_store_benchmark_metrics(&metrics, &n, session->app->store, session->machine_key,
					  benchmark, session->arena, session->app->err));
	for (size_t i = 0; i < n; i++) {
		bool exact = metrics[i].kind == PE_METRIC_DETERMINISTIC;

		if (!exact && strcmp(metrics[i].name, pe_metrics[PE_INSTRUCTIONS].name) != 0)
			continue;
		PE_TRY(compare_count(out, looking, &metrics[i], benchmark, sides));
		if (*out == PE_LAYOUT_WORK)
			return PE_OK;
		equal = equal || (exact && *out == PE_LAYOUT_ONLY);
		vary = vary || *out == PE_LAYOUT_UNKNOWN;
	}
	*out = equal && !vary ? PE_LAYOUT_ONLY : PE_LAYOUT_UNKNOWN;
	return PE_OK;
}

/* --- One change --- */

static int look(enum pe_layout *out, const struct looking *looking, int64_t benchmark,
		const struct sides *sides)
{
	PE_TRY(compare_counts(out, looking, benchmark, sides));
	if (*out != PE_LAYOUT_ONLY)
		return PE_OK;
	return pe_layout_between(out, looking->session, sides->benchmark, sides->at, sides->keys);
}

/* --- All of them --- */

static int load(struct looking *out, struct pe_session *session)
{
	struct pe_app *app = session->app;

	PE_TRY(pe_store_confirmations(&out->rows, &out->n, app->store, session->machine_key,
				      session->arena, app->err));
	out->session = session;
	return pe_store_reused(&out->reused, &out->n_reused, app->store, session->machine_key,
			       session->arena, app->err);
}

/* The same answer for all metrics that changed between the same sides. */
static int settle(const struct looking *looking, size_t i)
{
	struct pe_session *session = looking->session;
	struct pe_stored_confirmation *row = &looking->rows[i];
	struct sides sides, others;
	enum pe_layout layout;

	if (!is_asked(row) || !find_sides(&sides, looking, row))
		return PE_OK;
	PE_TRY(look(&layout, looking, row->benchmark, &sides));
	for (size_t k = i; k < looking->n; k++) {
		struct pe_stored_confirmation *other = &looking->rows[k];

		if (!is_asked(other) || other->benchmark != row->benchmark ||
		    !find_sides(&others, looking, other) ||
		    memcmp(others.asked, sides.asked, sizeof(sides.asked)) != 0)
			continue;
		other->layout = layout;
		PE_TRY(pe_store_put_confirmation(session->app->store, other, session->app->err));
	}
	return PE_OK;
}

static int refute(struct pe_session *session, struct pe_suspect *suspect)
{
	struct pe_stored_confirmation *row = &suspect->row;
	struct pe_app *app = session->app;

	row->begun_s = pe_clock_now_s();
	PE_TRY(pe_store_put_confirmation(app->store, row, app->err));
	row->answer = PE_REFUTED;
	row->known_after = row->number;
	row->result = PE_NO_PAIRS;
	row->sure = NAN;
	row->settled = true;
	row->layout = PE_LAYOUT_ONLY;
	return pe_store_put_confirmation(app->store, row, app->err);
}

int pe_confirm_same_code(struct pe_session *session, const struct pe_jump_candidate *candidate)
{
	const struct pe_stored_confirmation *row = &candidate->at[0]->row;
	enum pe_layout layout = PE_LAYOUT_UNKNOWN;
	struct looking looking;
	struct sides sides = {.asked = {row->before, row->after}};
	bool any = false;

	for (size_t i = 0; i < candidate->n; i++)
		any = any || pe_layout_may_move(candidate->at[i]->row.metric);
	if (!any || row->key != 0 || session->app->config->gate.layout_fails)
		return PE_OK;
	PE_TRY(load(&looking, session));
	if (!find_places(&sides, &looking, row->benchmark))
		return PE_OK;
	/* The builds of the commits that the change names: one whose results others reuse may be placed differently. */
	for (int side = 0; side < 2; side++)
		sides.at[side] = pe_session_revision_of(session, sides.asked[side]);
	if (sides.at[0] == SIZE_MAX || sides.at[1] == SIZE_MAX)
		return PE_OK;
	PE_TRY(look(&layout, &looking, row->benchmark, &sides));
	for (size_t i = 0; layout == PE_LAYOUT_ONLY && i < candidate->n; i++)
		if (pe_layout_may_move(candidate->at[i]->row.metric))
			PE_TRY(refute(session, candidate->at[i]));
	return PE_OK;
}

int pe_confirm_layout(struct pe_session *session, size_t first)
{
	struct looking looking;

	PE_TRY(load(&looking, session));
	for (size_t i = 0; i < looking.n; i++) {
		const struct pe_stored_confirmation *row = &looking.rows[i];
		size_t after = pe_session_revision_of(
			session, row->pinned_after != 0 ? row->pinned_after : row->after);

		if (after != SIZE_MAX && after >= first)
			PE_TRY(settle(&looking, i));
	}
	return PE_OK;
}
