/*
 * The measuring half of bisect: what the arithmetic asks for (core/stats/bisect.h) is built and run, or found
 * to execute the same as another revision, or left out.
 */
#include "cmd/bisecting.h"
#include "cmd/judge.h"

#include "core/base/clock.h"

#include <math.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

/* Builds that stay side by side; the ends are always among them. */
enum { SEATS = 16, ROUNDS = 64 };
/* Stored windows no further apart than this share what the machine is like. */
enum { SAME_SITTING_S = 900 };
/* Readings of the store beyond these add little, and following them takes time. */
enum { STORED_READINGS = 600, STORED_REVISIONS = 200 };

/* A bisection while it lasts. */
struct run {
	struct pe_bisecting *out;
	struct pe_session session;
	struct pe_known known;
	struct pe_carrier *carrier;
	const struct pe_session_workload *workload;
	size_t first; /* of the line, among the session's revisions */
	PE_VEC(struct pe_bisect_reading) readings;
	struct pe_remeasure *fresh;
	size_t seats[SEATS], n_seats; /* of the line; the newest first, then the ends */
	bool taken[SEATS];            /* had its run in this round */
	unsigned round;
	bool *built, *skipped;
	uint64_t started_ns, build_ns, run_ns;
	size_t runs;
	struct pe_progress progress; /* the context's own */
};

static const struct pe_revision *revision_of(const struct run *run, size_t i)
{
	return &run->out->line[i];
}

/* --- What is measured --- */

int pe_bisecting_metric(const struct pe_metric **out, struct pe_cmd_ctx *ctx,
			const struct pe_workload *workload, const char *name)
{
	size_t n = PE_N_METRICS + workload->n_customs;
	const struct pe_metric *only = NULL, *wall = NULL;
	struct pe_text names = PE_TEXT_INIT;
	size_t judged_customs = 0;

	*out = NULL;
	for (size_t i = 0; i < n; i++) {
		const struct pe_metric *one = i < PE_N_METRICS
						      ? &pe_metrics[i]
						      : &workload->customs[i - PE_N_METRICS].metric;
		bool judged;
		const struct pe_metric *tuned = pe_judge_metric(&judged, ctx, one);

		if (name != NULL && strcmp(one->name, name) == 0)
			*out = tuned;
		if (judged && i == PE_WALL)
			wall = tuned;
		if (judged && i >= PE_N_METRICS) {
			only = tuned;
			judged_customs++;
		}
		pe_text_addf(&names, "%s%s", i > 0 ? ", " : "", one->name);
	}
	if (name == NULL)
		*out = wall != NULL ? wall : judged_customs == 1 ? only : NULL;
	if (*out == NULL && name != NULL)
		pe_fail(ctx->err, PE_EINVALID, "'%s' has no metric '%s'; it has %s", workload->name,
			name, pe_text_str(&names));
	else if (*out == NULL)
		pe_fail(ctx->err, PE_EINVALID, "by which metric? --metric takes one of %s",
			pe_text_str(&names));
	pe_text_release(&names);
	return *out != NULL ? PE_OK : PE_EINVALID;
}

static int choose_workload(struct run *run)
{
	struct pe_session *session = &run->session;
	struct pe_text names = PE_TEXT_INIT;
	const char *bench = run->out->opts->bench;
	int rc = PE_OK;

	for (size_t w = 0; w < session->workloads.n; w++)
		pe_text_addf(&names, "%s%s", w > 0 ? ", " : "",
			     session->workloads.data[w].workload->name);
	if (session->workloads.n == 0)
		rc = pe_fail(run->out->ctx->err, PE_EINVALID, "no benchmark matches '%s'",
			     bench != NULL ? bench : "");
	else if (session->workloads.n > 1)
		rc = pe_fail(run->out->ctx->err, PE_EINVALID,
			     "one benchmark is bisected at a time: --bench is to match one of %s",
			     pe_text_str(&names));
	pe_text_release(&names);
	if (rc != PE_OK)
		return rc;
	run->workload = &session->workloads.data[0];
	run->out->bench = run->workload->workload->name;
	return pe_bisecting_metric(&run->out->metric, run->out->ctx, run->workload->workload,
				   run->out->opts->metric);
}

static bool is_counted(const struct pe_metric *metric)
{
	return strcmp(metric->name, pe_metrics[PE_ALLOCATIONS].name) == 0 ||
	       strcmp(metric->name, pe_metrics[PE_ALLOCATED_BYTES].name) == 0 ||
	       strcmp(metric->name, pe_metrics[PE_ALLOCATED_PEAK].name) == 0;
}

/* --- The arithmetic, and what the store tells it --- */

static void begin_bisect(struct run *run, double unit)
{
	struct pe_bisecting *out = run->out;
	struct pe_bisect_opts opts = PE_BISECT_DEFAULTS;
	const char *fixed = getenv("PERFEVO_SEED");

	opts.confidence = out->opts->confidence;
	opts.max_runs = out->opts->max_runs;
	opts.min_effect = out->min_change;
	opts.exact = out->metric->kind == PE_METRIC_DETERMINISTIC;
	opts.unit = unit;
	opts.seed = fixed != NULL ? strtoull(fixed, NULL, 10) : pe_clock_ns();
	pe_bisect_free(out->bisect);
	out->bisect = pe_bisect_new(out->n, NULL, &opts, out->ctx->arena);
}

static void mark_same(struct run *run, size_t a, size_t b)
{
	for (size_t i = (a < b ? a : b) + 1; i <= (a < b ? b : a); i++)
		pe_bisect_same(run->out->bisect, i);
}

static size_t place_of(const struct run *run, int64_t key)
{
	for (size_t i = 0; i < run->out->n; i++)
		if (run->session.revisions[run->first + i].key == key)
			return i;
	return SIZE_MAX;
}

/* Two revisions that execute the same have no change between them: it would have to be undone again. */
static void use_carried(struct run *run)
{
	run->out->carried = 0;
	for (size_t i = 0; i < run->known.n_carried; i++) {
		const struct pe_carried *one = &run->known.carried[i];
		size_t at = place_of(run, one->revision), source = place_of(run, one->source);

		if (one->workload != run->workload->key || at == SIZE_MAX || source == SIZE_MAX ||
		    at == source)
			continue;
		mark_same(run, at, source);
		run->out->carried++;
	}
}

static void skip(struct run *run, size_t i)
{
	run->skipped[i] = true;
	pe_bisect_skip(run->out->bisect, i);
}

static void skip_failures(struct run *run)
{
	for (size_t i = 0; i < run->out->n; i++) {
		int64_t key = run->session.revisions[run->first + i].key;
		const struct pe_coverage *have =
			pe_known_cell(&run->known, key, run->workload->key);

		if (pe_known_unbuildable(&run->known, key)) {
			skip(run, i);
			run->out->unbuildable++;
		} else if (have != NULL && have->failure != PE_MEASURED) {
			skip(run, i);
			run->out->failing++;
		}
	}
}

/* A series' readings on this line, each with the sitting that it was made in. */
struct stored {
	struct pe_observation *at;
	size_t n;
	size_t *place;
};

static int number_sittings(struct run *run, const struct stored *stored)
{
	struct pe_cmd_ctx *ctx = run->out->ctx;
	int64_t last = 0, last_s = 0, sitting = 0;

	for (size_t i = 0; i < stored->n; i++) {
		int64_t window = stored->at[i].window;
		struct pe_window read;
		int rc;

		if (stored->place[i] == SIZE_MAX)
			continue;
		if (window != last) {
			rc = pe_store_get_window(&read, ctx->store, window, ctx->arena, ctx->err);
			if (rc != PE_OK)
				return rc;
			if (sitting == 0 || read.created_s - last_s > SAME_SITTING_S)
				sitting = window;
			last = window;
			last_s = read.created_s;
		}
		stored->at[i].window = sitting;
	}
	return PE_OK;
}

/* Leave out revisions, then readings, where there are more than can be of use. */
static void thin_out(const struct run *run, struct stored *stored)
{
	size_t *count = pe_realloc(NULL, run->out->n, sizeof(*count));
	size_t measured = 0, step, most, k = 0;

	memset(count, 0, run->out->n * sizeof(*count));
	for (size_t i = 0; i < stored->n; i++)
		if (stored->place[i] != SIZE_MAX)
			measured += count[stored->place[i]]++ == 0;
	step = measured / STORED_REVISIONS + 1;
	most = measured > 0 ? STORED_READINGS / (measured / step + 1) : 0;
	for (size_t i = 0; i < run->out->n; i++) {
		bool kept = count[i] > 0 && (k++ % step == 0 || i == 0 || i + 1 == run->out->n);

		/* From here on: readings that may still be taken. */
		count[i] = !kept ? 0 : most > 2 ? most : 2;
	}
	for (size_t i = 0; i < stored->n; i++) {
		size_t place = stored->place[i];

		if (place != SIZE_MAX && count[place]-- == 0) {
			stored->place[i] = SIZE_MAX;
			count[place] = 0;
		}
	}
	free(count);
}

static int load_stored(struct run *run)
{
	struct pe_cmd_ctx *ctx = run->out->ctx;
	const struct pe_series_query query = {run->session.machine_key, run->workload->key,
					      run->out->metric->name};
	struct stored stored;
	int rc = pe_store_get_series(&stored.at, &stored.n, ctx->store, &query, ctx->arena,
				     ctx->err);

	if (rc != PE_OK)
		return rc;
	stored.place = pe_arena_new(ctx->arena, size_t, stored.n);
	for (size_t i = 0; i < stored.n; i++)
		stored.place[i] = place_of(run, stored.at[i].revision);
	rc = number_sittings(run, &stored);
	if (rc != PE_OK)
		return rc;
	thin_out(run, &stored);
	for (size_t i = 0; i < stored.n; i++)
		if (stored.place[i] != SIZE_MAX)
			pe_vec_push(&run->readings,
				    (struct pe_bisect_reading){stored.place[i], stored.at[i].window,
							       stored.at[i].value, true});
	run->out->stored = run->readings.n;
	return PE_OK;
}

/* Values of 0 and below have no logarithm: then all are taken as shares of the largest. */
static double unit_of(const struct run *run)
{
	double most = 0;
	bool positive = true;

	for (size_t i = 0; i < run->readings.n; i++) {
		double value = run->readings.data[i].value;

		positive = positive && value > 0;
		most = fmax(most, fabs(value));
	}
	return positive ? 0 : fmax(most, 1e-300);
}

static void feed_all(struct run *run)
{
	struct pe_bisecting *out = run->out;

	begin_bisect(run, unit_of(run));
	out->unbuildable = out->failing = 0;
	use_carried(run);
	for (size_t i = 0; i < out->n; i++)
		if (run->skipped[i])
			pe_bisect_skip(out->bisect, i);
	skip_failures(run);
	for (size_t i = 0; i < run->readings.n; i++)
		pe_bisect_feed(out->bisect, &run->readings.data[i]);
}

static void feed(struct run *run, size_t i, double value)
{
	const struct pe_bisect_reading reading = {i, INT64_MAX, value, false};
	double unit = unit_of(run);

	pe_vec_push(&run->readings, reading);
	if (!(unit > 0) && unit_of(run) > 0)
		feed_all(run);
	else
		pe_bisect_feed(run->out->bisect, &reading);
}

/* --- Progress --- */

/* A run is shown with what is known so far in the place of the benchmark's name alone. */
static void report(const struct pe_progress_event *event, void *payload)
{
	struct run *run = payload;
	const struct pe_bisecting *out = run->out;
	struct pe_progress_event changed = *event;
	struct pe_text text = PE_TEXT_INIT;

	pe_text_add(&text, event->workload != NULL ? event->workload : "");
	if (out->bisect != NULL && out->told.group.probability > 0.005)
		pe_text_addf(&text, " (%.0f%% at %.7s%s)", 100 * out->told.group.probability,
			     revision_of(run, out->told.group.first)->id,
			     out->told.group.last > out->told.group.first ? "…" : "");
	if (event->phase == PE_PROGRESS_RUN || event->phase == PE_PROGRESS_WARMUP)
		changed.workload = pe_text_str(&text);
	run->progress.report(&changed, run->progress.payload);
	pe_text_release(&text);
}

static void watch(struct run *run)
{
	struct pe_progress *progress = &run->out->ctx->progress;

	run->progress = *progress;
	if (progress->report != NULL)
		*progress = (struct pe_progress){report, run};
}

static void expect(struct run *run)
{
	double left = run->out->told.left;

	run->session.count.total =
		run->session.count.done + (isnan(left) ? 8 : (size_t)fmin(fmax(left, 1), 1e6));
}

/* --- Building and seating --- */

static void tell_costs(struct run *run)
{
	double run_s = run->runs > 0 ? (double)run->run_ns / (double)run->runs : 1;
	double build_s =
		run->out->builds > 0 ? (double)run->build_ns / (double)run->out->builds : 0;

	for (size_t i = 0; i < run->out->n; i++)
		pe_bisect_cost(run->out->bisect, i, run_s, run->built[i] ? 0 : build_s);
}

/* Whether the session has the build of a revision, or made it now; `fit`: it can be run. */
static int build(bool *fit, struct run *run, size_t i)
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
		return pe_fail(run->out->ctx->err, PE_EFULL,
			       "there is no room for another build: raise 'disk' in perfevo.yml");
	if (made.outcome != PE_MEASURED) {
		run->out->unbuildable++;
		skip(run, i);
		pe_cmd_note(run->out->ctx, "%.10s %s: %s, skipped", revision->revision->id,
			    revision->revision->subject, pe_outcome_name(made.outcome));
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
		use_carried(run);
		*fit = false;
	}
	return rc;
}

static bool is_seated(const struct run *run, size_t i)
{
	for (size_t s = 0; s < run->n_seats; s++)
		if (run->seats[s] == i)
			return true;
	return false;
}

/* The new one and the ends first, then those that were seated last. */
static void choose_seats(struct run *run, size_t i)
{
	const size_t ends[] = {0, run->out->n - 1};
	size_t old[SEATS], n_old = run->n_seats;

	memcpy(old, run->seats, sizeof(old));
	run->n_seats = 0;
	run->seats[run->n_seats++] = i;
	for (size_t e = 0; e < 2; e++)
		if (run->built[ends[e]] && !is_seated(run, ends[e]))
			run->seats[run->n_seats++] = ends[e];
	for (size_t s = 0; s < n_old && run->n_seats < SEATS; s++)
		if (!is_seated(run, old[s]))
			run->seats[run->n_seats++] = old[s];
}

static int close_window(struct run *run)
{
	struct pe_remeasure *fresh = run->fresh;

	run->fresh = NULL;
	return pe_remeasure_close(fresh, true);
}

/* A window with one more revision. Its runs are ordinary readings; as anchors they keep `track` off it. */
static int seat(struct run *run, size_t i)
{
	static const size_t workload = 0;
	enum pe_role roles[SEATS];
	size_t revisions[SEATS];
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
		rc = pe_fail(run->out->ctx->err, PE_EFULL,
			     "there is no room for a build: raise 'disk' in perfevo.yml");
	return rc;
}

/* --- Running --- */

/* The seat of a revision that can be run in this round; opens another window where need be. */
static int find_seat(size_t *out, struct run *run, size_t i)
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

/* One run under the counting library, for metrics that need it. */
static int count_once(double *value, struct run *run, size_t i)
{
	struct pe_session *session = &run->session;
	const struct pe_revision *revision = revision_of(run, i);
	struct pe_slot *slot = pe_slots_find(&session->slots, revision->id, session->recipe_hash);
	struct pe_run made = {.kind = PE_RUN_ALLOCATIONS, .round = run->round};
	int rc = PE_OK;

	*value = NAN;
	if (slot == NULL || session->runner.alloc_library == NULL)
		return PE_OK;
	rc = pe_runner_stage(&made, &session->runner, run->workload->workload, PE_STAGE_SETUP,
			     slot->tree, session->arena, session->ctx->err);
	if (rc == PE_OK && made.outcome == PE_MEASURED)
		rc = pe_runner_run(&made, &session->runner, run->workload->workload, slot->tree,
				   session->arena, session->ctx->err);
	if (rc == PE_OK)
		rc = pe_store_put_run(session->ctx->store, pe_remeasure_window(run->fresh),
				      session->revisions[run->first + i].key, run->workload->key,
				      &made, session->ctx->err);
	for (size_t s = 0; rc == PE_OK && made.outcome == PE_MEASURED && s < made.n_samples; s++)
		if (strcmp(made.samples[s].metric->name, run->out->metric->name) == 0)
			*value = made.samples[s].value;
	return rc;
}

static int run_once(double *value, struct run *run, size_t i)
{
	struct pe_remeasure_cell cell = {0, 0};
	int rc = find_seat(&cell.revision, run, i);

	*value = NAN;
	if (rc != PE_OK)
		return rc;
	run->taken[cell.revision] = true;
	if (is_counted(run->out->metric))
		return count_once(value, run, i);
	rc = pe_remeasure_round(run->fresh, run->round, &cell, 1);
	if (rc == PE_OK)
		*value = pe_remeasure_value(run->fresh, cell, run->round, run->out->metric->name);
	return rc;
}

static int measure(struct run *run, size_t i)
{
	uint64_t before_ns;
	double value;
	bool fit = true;
	int rc = PE_OK;

	if (!run->built[i])
		rc = build(&fit, run, i);
	if (rc != PE_OK || !fit)
		return rc;
	before_ns = pe_clock_ns();
	rc = run_once(&value, run, i);
	if (rc != PE_OK)
		return rc;
	run->run_ns += pe_clock_ns() - before_ns;
	run->runs++;
	if (isfinite(value)) {
		feed(run, i, value);
		return PE_OK;
	}
	run->out->failing++;
	skip(run, i);
	pe_cmd_note(run->out->ctx, "%.10s %s gives no %s: skipped", revision_of(run, i)->id,
		    revision_of(run, i)->subject, run->out->metric->label);
	return PE_OK;
}

static int measure_all(struct run *run)
{
	struct pe_bisecting *out = run->out;
	int rc = PE_OK;
	size_t i;

	while (rc == PE_OK) {
		enum pe_bisect_answer answer = pe_bisect_next(out->bisect, &i);

		out->told = pe_bisect_tell(out->bisect);
		if (answer != PE_BISECT_GO_ON)
			break;
		if (out->opts->budget_ns > 0 &&
		    pe_clock_ns() - run->started_ns > out->opts->budget_ns) {
			out->end = PE_BISECTING_BUDGET;
			break;
		}
		if (*out->ctx->interrupts > 0)
			return pe_fail(out->ctx->err, PE_ESTOPPED, "stopped");
		tell_costs(run);
		expect(run);
		rc = measure(run, i);
	}
	return rc;
}

/* --- From end to end --- */

static int open_run(struct run *run)
{
	struct pe_bisecting *out = run->out;
	const struct pe_revisions line = {(struct pe_revision *)out->line, out->n, false};
	int rc = pe_session_open(&run->session, out->ctx, true);

	if (rc == PE_OK)
		rc = pe_session_choose(&run->session, &line, out->opts->bench);
	if (rc == PE_OK && out->ctx->config->tests.kind != PE_TESTS_NONE)
		rc = pe_session_add_tests(&run->session, out->opts->bench);
	if (rc == PE_OK)
		rc = choose_workload(run);
	if (rc != PE_OK)
		return rc;
	run->first = run->session.n_revisions - out->n;
	run->built = pe_arena_new(out->ctx->arena, bool, out->n);
	run->skipped = pe_arena_new(out->ctx->arena, bool, out->n);
	for (size_t i = 0; i < out->n; i++)
		run->built[i] = pe_slots_find(&run->session.slots, out->line[i].id,
					      run->session.recipe_hash) != NULL;
	out->min_change = out->opts->min_change;
	if (isnan(out->min_change))
		out->min_change = out->metric->min_relative;
	if (!(out->min_change > 0) && out->metric->kind != PE_METRIC_DETERMINISTIC)
		out->min_change = 0.005;
	rc = pe_known_load(&run->known, &run->session);
	if (rc == PE_OK)
		rc = pe_carrier_new(&run->carrier, &run->session);
	return rc == PE_OK ? load_stored(run) : rc;
}

static void conclude(struct run *run)
{
	struct pe_bisecting *out = run->out;

	out->spent_ns = pe_clock_ns() - run->started_ns;
	if (out->bisect == NULL)
		return;
	out->told = pe_bisect_tell(out->bisect);
	out->groups = pe_arena_new(out->ctx->arena, struct pe_bisect_group, out->n);
	out->n_groups = pe_bisect_groups(out->groups, out->bisect, 0.001);
}

int pe_bisecting_run(struct pe_bisecting *out)
{
	struct run run = {.out = out, .started_ns = pe_clock_ns()};
	int rc = open_run(&run), closed;

	if (rc == PE_OK) {
		watch(&run);
		feed_all(&run);
		rc = measure_all(&run);
		out->ctx->progress = run.progress;
	}
	if (rc == PE_OK || rc == PE_ESTOPPED)
		conclude(&run);
	closed = pe_remeasure_close(run.fresh, true);
	pe_carrier_free(run.carrier);
	pe_session_close(&run.session);
	pe_vec_release(&run.readings);
	return rc != PE_OK ? rc : closed;
}

void pe_bisecting_release(struct pe_bisecting *bisecting)
{
	pe_bisect_free(bisecting->bisect);
	bisecting->bisect = NULL;
}

bool pe_bisecting_is_regression(const struct pe_bisecting *bisecting)
{
	bool higher = bisecting->told.new_level > bisecting->told.old_level;

	return higher == (bisecting->metric->better == PE_LOWER_IS_BETTER);
}
