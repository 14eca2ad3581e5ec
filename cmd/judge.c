#include "cmd/judge.h"

#include "cmd/series.h"

#include "cmd/methods.h"

#include "core/base/clock.h"
#include "core/base/vec.h"

#include <math.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

/* Where a stored revision stands in the evolution. */
struct place {
	int64_t key;
	size_t index; /**< SIZE_MAX: not shown */
};

struct judging {
	struct pe_cmd_ctx *ctx;
	const struct pe_judge_opts *opts;
	struct pe_evolution *out;
	int64_t machine;
	struct place *places; /**< by key */
	size_t n_places;
	int64_t *keys; /**< by the evolution's index; 0: not stored */
	struct pe_chain *chains;
	size_t n_chains;
	struct pe_carried *carried;
	size_t n_carried;
	struct pe_standing standing;
	bool apart;              /**< some revisions never shared a round with the others */
	struct pe_arena scratch; /**< of the line at hand */
};

/* --- Machine --- */

static int choose_machine(struct judging *judging)
{
	struct pe_cmd_ctx *ctx = judging->ctx;
	struct pe_stored_machine *machines;
	struct pe_stored_machine *best = NULL;
	struct pe_machine here;
	size_t n;
	int rc = pe_store_machines(&machines, &n, ctx->store, ctx->arena, ctx->err);

	if (rc != PE_OK)
		return rc;
	pe_machine_identify(&here, ctx->arena);
	for (size_t i = 0; i < n; i++) {
		struct pe_stored_machine *one = &machines[i];

		if (judging->opts->machine != 0 ? one->key == judging->opts->machine
						: one->runs > 0 && strcmp(one->machine.fingerprint,
									  here.fingerprint) == 0) {
			best = one;
			break;
		}
		if (judging->opts->machine == 0 && one->runs > 0 &&
		    (best == NULL || one->last_run_s > best->last_run_s))
			best = one;
	}
	/* Nothing ran: what was built, or failed to, is worth showing all the same. */
	if (best == NULL && n > 0)
		best = &machines[n - 1];
	if (best == NULL)
		return pe_fail(ctx->err, PE_ENOTFOUND, "nothing measured yet: run 'perfevo track'");
	judging->machine = best->key;
	judging->out->machine = pe_arena_printf(
		ctx->arena, "%s: %s, %u cores, %llu GiB, %s", best->machine.hostname,
		best->machine.cpu, best->machine.cores,
		(unsigned long long)((best->machine.memory_bytes + (1u << 29)) >> 30),
		best->machine.kernel);
	return PE_OK;
}

/* --- Revisions --- */

static int compare_ids(const void *a, const void *b)
{
	const struct pe_stored_revision *const *x = a, *const *y = b;

	return strcmp((*x)->revision.id, (*y)->revision.id);
}

static int compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return (x->key > y->key) - (x->key < y->key);
}

static size_t place_of(const struct judging *judging, int64_t key)
{
	const struct place wanted = {key, 0};
	const struct place *found = NULL;

	if (judging->n_places > 0)
		found = bsearch(&wanted, judging->places, judging->n_places, sizeof(wanted),
				compare_places);
	return found != NULL ? found->index : SIZE_MAX;
}

static const struct pe_stored_revision *find_id(struct pe_stored_revision *const *sorted, size_t n,
						const char *id)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = strcmp(sorted[middle]->revision.id, id);

		if (order == 0)
			return sorted[middle];
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/* The history to show: what was asked for, or everything stored on HEAD's line. */
static int choose_history(struct pe_revisions *history, struct judging *judging)
{
	struct pe_cmd_ctx *ctx = judging->ctx;
	const struct pe_range range = {0};

	if (judging->opts->revisions != NULL) {
		*history = *judging->opts->revisions;
		return PE_OK;
	}
	return pe_repo_walk(history, ctx->repo, &range, ctx->arena, ctx->err);
}

static int load_revisions(struct judging *judging)
{
	struct pe_cmd_ctx *ctx = judging->ctx;
	struct pe_evolution *out = judging->out;
	struct pe_stored_revision *stored, **sorted;
	struct pe_revisions history;
	size_t n;
	int rc = choose_history(&history, judging);

	if (rc == PE_OK)
		rc = pe_store_revisions(&stored, &n, ctx->store, ctx->arena, ctx->err);
	if (rc != PE_OK)
		return rc;
	sorted = pe_arena_new(ctx->arena, struct pe_stored_revision *, n);
	for (size_t i = 0; i < n; i++)
		sorted[i] = &stored[i];
	qsort(sorted, n, sizeof(*sorted), compare_ids);
	out->revisions = pe_arena_new(ctx->arena, struct pe_revision, history.n);
	judging->keys = pe_arena_new(ctx->arena, int64_t, history.n);
	judging->places = pe_arena_new(ctx->arena, struct place, history.n);
	for (size_t i = 0; i < history.n; i++) {
		const struct pe_stored_revision *known = find_id(sorted, n, history.at[i].id);

		if (known == NULL)
			continue;
		judging->keys[out->n_revisions] = known->key;
		judging->places[judging->n_places++] = (struct place){known->key, out->n_revisions};
		out->revisions[out->n_revisions++] = history.at[i];
	}
	qsort(judging->places, judging->n_places, sizeof(*judging->places), compare_places);
	return PE_OK;
}

static void decorate(struct judging *judging)
{
	struct pe_evolution *out = judging->out;

	out->decorations = pe_arena_new(judging->ctx->arena, const char *, out->n_revisions);
	for (size_t i = 0; i < out->n_revisions; i++)
		out->decorations[i] = pe_repo_decoration(judging->ctx->repo, out->revisions[i].id,
							 judging->ctx->arena);
}

/* --- First-parent lines --- */

/* The nearest ancestor along first parents that is shown; SIZE_MAX: none. One step, for history is whole. */
static size_t *first_parents(const struct judging *judging)
{
	const struct pe_evolution *out = judging->out;
	struct pe_arena *arena = judging->ctx->arena;
	size_t *parents = pe_arena_new(arena, size_t, out->n_revisions);
	struct pe_stored_revision *copies =
		pe_arena_new(arena, struct pe_stored_revision, out->n_revisions);
	struct pe_stored_revision **sorted =
		pe_arena_new(arena, struct pe_stored_revision *, out->n_revisions);

	for (size_t i = 0; i < out->n_revisions; i++) {
		copies[i] = (struct pe_stored_revision){(int64_t)i, out->revisions[i]};
		sorted[i] = &copies[i];
	}
	qsort(sorted, out->n_revisions, sizeof(*sorted), compare_ids);
	for (size_t i = 0; i < out->n_revisions; i++) {
		const struct pe_revision *revision = &out->revisions[i];
		const struct pe_stored_revision *parent = NULL;

		if (revision->n_parents > 0)
			parent = find_id(sorted, out->n_revisions, revision->parents[0]);
		parents[i] = parent != NULL ? (size_t)parent->key : SIZE_MAX;
	}
	return parents;
}

/*
 * Where a revision's first parent is not shown, history was thinned out (tags, a list, a date): the one shown
 * before it takes its place, so that a thinned history is one line and not as many as revisions. Only a
 * revision whose parent is shown, and already has a child on a line, starts a line of its own.
 */
static void find_chains(struct judging *judging)
{
	const struct pe_evolution *out = judging->out;
	struct pe_arena *arena = judging->ctx->arena;
	size_t n = out->n_revisions;
	size_t *parents = first_parents(judging);
	bool *taken = pe_arena_new(arena, bool, n);

	judging->chains = pe_arena_new(arena, struct pe_chain, n);
	for (size_t head = n; head-- > 0;) {
		struct pe_chain *chain;
		size_t at = head, length = 0;

		if (taken[head])
			continue;
		chain = &judging->chains[judging->n_chains++];
		chain->at = pe_arena_new(arena, size_t, head + 1);
		while (at != SIZE_MAX) {
			chain->at[head - length++] = at;
			if (taken[at]) {
				chain->base = 1;
				break;
			}
			taken[at] = true;
			if (parents[at] != SIZE_MAX)
				at = parents[at];
			else
				at = at > 0 && !taken[at - 1] ? at - 1 : SIZE_MAX;
		}
		chain->at += head + 1 - length;
		chain->n = length;
	}
}

/* --- Lines --- */

static const struct pe_threshold *threshold_of(const struct pe_config *config, const char *metric)
{
	for (size_t i = 0; config != NULL && i < config->n_thresholds; i++)
		if (strcmp(config->thresholds[i].metric, metric) == 0)
			return &config->thresholds[i];
	return NULL;
}

const struct pe_metric *pe_judge_metric(bool *judged, const struct pe_cmd_ctx *ctx,
					const struct pe_metric *metric)
{
	const struct pe_threshold *threshold = threshold_of(ctx->config, metric->name);
	struct pe_metric *tuned = pe_arena_new(ctx->arena, struct pe_metric, 1);

	*tuned = *metric;
	*judged = threshold != NULL ? threshold->judged : metric->kind != PE_METRIC_CONTEXT;
	if (threshold != NULL && threshold->min_relative >= 0)
		tuned->min_relative = threshold->min_relative;
	if (threshold != NULL && threshold->min_absolute >= 0)
		tuned->min_absolute = threshold->min_absolute;
	return tuned;
}

/* Whether a line is drawn for a metric, and whether it is judged. */
static bool is_shown(const struct judging *judging, const struct pe_metric *metric, bool *judged)
{
	pe_judge_metric(judged, judging->ctx, metric);
	if (judging->opts->metrics == NULL)
		return *judged;
	for (size_t i = 0; i < judging->opts->metrics->n; i++) {
		if (strcmp(judging->opts->metrics->at[i], metric->name) == 0) {
			*judged = true;
			return true;
		}
	}
	return false;
}

/* Commits that a jump may lie in: all of the first-parent line after `before`, up to and with `after`. */
static size_t count_commits(const struct judging *judging, size_t before, size_t after)
{
	const struct pe_revision *from = &judging->out->revisions[before];
	const struct pe_revision *to = &judging->out->revisions[after];
	struct pe_revisions between = {NULL, 0, false};
	struct pe_range range = {0};

	if (to->n_parents > 0 && strcmp(to->parents[0], from->id) == 0)
		return 1;
	range.spec = pe_arena_printf(judging->ctx->arena, "%s..%s", from->id, to->id);
	/* A walk that fails leaves what is shown: the two revisions. */
	if (pe_repo_walk(&between, judging->ctx->repo, &range, judging->ctx->arena, NULL) !=
		    PE_OK ||
	    between.n == 0)
		return after - before;
	return between.n;
}

static int compare_jumps(const void *a, const void *b)
{
	const struct pe_jump *x = a, *y = b;

	return (x->after > y->after) - (x->after < y->after);
}

static int keep_jumps(const struct judging *judging, const struct pe_line *line, int64_t workload)
{
	struct pe_cmd_ctx *ctx = judging->ctx;
	struct pe_stored_jump *jumps =
		pe_arena_new(ctx->arena, struct pe_stored_jump, line->n_jumps);

	for (size_t i = 0; i < line->n_jumps; i++) {
		const struct pe_jump *jump = &line->jumps[i];

		jumps[i] = (struct pe_stored_jump){
			.machine = judging->machine,
			.workload = workload,
			.metric = line->metric->name,
			.before = judging->keys[jump->before],
			.after = judging->keys[jump->after],
			.relative = jump->relative,
			.low = jump->low,
			.high = jump->high,
			.strength = jump->strength,
			.regression = jump->regression,
		};
	}
	return pe_store_replace_jumps(ctx->store, judging->machine, workload, line->metric->name,
				      jumps, line->n_jumps, ctx->err);
}

/* By revision: the one that it takes this workload's results from; SIZE_MAX: none. */
static size_t *sources_of(struct judging *judging, int64_t workload)
{
	size_t *source = pe_arena_new(&judging->scratch, size_t, judging->out->n_revisions);

	for (size_t r = 0; r < judging->out->n_revisions; r++)
		source[r] = SIZE_MAX;
	for (size_t i = 0; i < judging->n_carried; i++) {
		size_t revision = place_of(judging, judging->carried[i].revision);

		if (judging->carried[i].workload == workload && revision != SIZE_MAX)
			source[revision] = place_of(judging, judging->carried[i].source);
	}
	return source;
}

static void judge_chain(struct pe_line *line, struct judging *judging, const struct pe_chain *chain,
			const struct pe_series_values *values, int64_t workload)
{
	const struct pe_judge_opts *opts = judging->opts;
	const struct pe_standing_place place = {workload, line->workload, line->metric->name,
						chain,    judging->keys,  judging->out->revisions};
	struct pe_series_found found;
	size_t first = line->n_jumps;

	pe_series_find(&found, line->metric, chain, values, &judging->scratch);
	if (opts->visit != NULL)
		opts->visit(&(struct pe_judged){.benchmark = line->workload,
						.metric = line->metric,
						.machine = judging->machine,
						.workload = workload,
						.found = &found,
						.revisions = judging->out->revisions,
						.keys = judging->keys,
						.n_revisions = judging->out->n_revisions,
						.standing = &judging->standing,
						.scratch = &judging->scratch},
			    opts->payload);
	if (pe_series_tell(line, &found))
		judging->apart = true;
	pe_standing_apply(line, first, &judging->standing, &place, judging->ctx->arena);
}

static void judge_line(struct pe_line *line, struct judging *judging,
		       const struct pe_series_values *values, int64_t workload)
{
	/* Lines meet at their bases only, so there are at most twice as many jumps as points. */
	line->jumps = pe_arena_new(judging->ctx->arena, struct pe_jump, 2 * line->n_points);
	for (size_t i = 0; i < judging->n_chains; i++)
		judge_chain(line, judging, &judging->chains[i], values, workload);
	for (size_t i = 0; i < line->n_jumps; i++)
		line->jumps[i].commits =
			count_commits(judging, line->jumps[i].before, line->jumps[i].after);
	for (size_t i = 0; i < line->n_refuted; i++)
		line->refuted[i].commits =
			count_commits(judging, line->refuted[i].before, line->refuted[i].after);
	qsort(line->jumps, line->n_jumps, sizeof(*line->jumps), compare_jumps);
	if (line->n_refuted > 0)
		qsort(line->refuted, line->n_refuted, sizeof(*line->refuted), compare_jumps);
}

static int load_line(struct pe_line *line, struct judging *judging,
		     const struct pe_stored_workload *workload, const struct pe_metric *metric)
{
	struct pe_cmd_ctx *ctx = judging->ctx;
	const struct pe_series_query query = {judging->machine, workload->key, metric->name};
	struct pe_series_values values;
	struct pe_observation *at;
	size_t *place;
	size_t n;
	int rc = pe_store_get_series(&at, &n, ctx->store, &query, &judging->scratch, ctx->err);

	if (rc != PE_OK)
		return rc;
	line->workload = workload->name;
	line->metric = pe_judge_metric(&(bool){false}, judging->ctx, metric);
	place = pe_arena_new(&judging->scratch, size_t, n);
	for (size_t i = 0; i < n; i++)
		place[i] = place_of(judging, at[i].revision);
	pe_series_group(&values, at, n, place, sources_of(judging, workload->key),
			judging->out->n_revisions, &judging->scratch);
	pe_series_points(line, &values, ctx->arena);
	if (line->judged)
		judge_line(line, judging, &values, workload->key);
	if (line->judged && judging->opts->keep)
		rc = keep_jumps(judging, line, workload->key);
	return rc;
}

static int add_lines(struct judging *judging, const struct pe_stored_workload *workload,
		     size_t *capacity)
{
	struct pe_cmd_ctx *ctx = judging->ctx;
	struct pe_evolution *out = judging->out;
	struct pe_metric *metrics;
	size_t n;
	int rc = pe_store_workload_metrics(&metrics, &n, ctx->store, judging->machine,
					   workload->key, ctx->arena, ctx->err);

	for (size_t i = 0; rc == PE_OK && i < n; i++) {
		struct pe_line line = {0};

		if (!is_shown(judging, &metrics[i], &line.judged))
			continue;
		rc = load_line(&line, judging, workload, &metrics[i]);
		pe_arena_release(&judging->scratch);
		if (rc != PE_OK || line.n_points == 0)
			continue;
		if (out->n_lines == *capacity) {
			struct pe_line *more =
				pe_arena_new(ctx->arena, struct pe_line, 2 * *capacity + 16);

			if (out->n_lines > 0)
				memcpy(more, out->lines, out->n_lines * sizeof(*more));
			out->lines = more;
			*capacity = 2 * *capacity + 16;
		}
		out->lines[out->n_lines++] = line;
	}
	return rc;
}

/* --- Workloads --- */

static bool is_configured(const struct judging *judging, const struct pe_stored_workload *workload)
{
	const struct pe_config *config = judging->ctx->config;

	for (size_t i = 0; i < config->n_workloads; i++)
		if (strcmp(config->workloads[i].name, workload->name) == 0 &&
		    strcmp(config->workloads[i].version, workload->version) == 0)
			return true;
	return false;
}

/* workloads come newest version first within a name: index 0 or another name before it. */
static bool is_chosen(const struct judging *judging, const struct pe_stored_workload *workloads,
		      size_t i)
{
	const struct pe_judge_opts *opts = judging->opts;
	bool newest = i == 0 || strcmp(workloads[i - 1].name, workloads[i].name) != 0;

	if (opts->workloads != NULL) {
		for (size_t k = 0; k < opts->n_workloads; k++)
			if (opts->workloads[k] == workloads[i].key)
				return true;
		return false;
	}
	if (judging->ctx->config != NULL && !workloads[i].is_test)
		return is_configured(judging, &workloads[i]);
	return newest;
}

static int load_lines(struct judging *judging)
{
	struct pe_cmd_ctx *ctx = judging->ctx;
	const char *bench = judging->opts->bench;
	struct pe_stored_workload *workloads;
	regex_t regex;
	size_t n, capacity = 0;
	int rc;

	if (bench != NULL && regcomp(&regex, bench, REG_EXTENDED | REG_NOSUB) != 0)
		return pe_fail(ctx->err, PE_EINVALID, "--bench '%s': not a regular expression",
			       bench);
	rc = pe_store_workloads(&workloads, &n, ctx->store, judging->machine, ctx->arena, ctx->err);
	for (size_t i = 0; rc == PE_OK && i < n; i++) {
		if (!is_chosen(judging, workloads, i))
			continue;
		if (bench == NULL || regexec(&regex, workloads[i].name, 0, NULL, 0) == 0)
			rc = add_lines(judging, &workloads[i], &capacity);
	}
	if (bench != NULL)
		regfree(&regex);
	return rc;
}

/* --- Failures --- */

static int load_failures(struct judging *judging)
{
	struct pe_cmd_ctx *ctx = judging->ctx;
	struct pe_evolution *out = judging->out;
	struct pe_stored_failure *failures;
	struct pe_stored_workload *workloads;
	size_t n, n_workloads;
	int rc = pe_store_failures(&failures, &n, ctx->store, judging->machine, ctx->arena,
				   ctx->err);

	if (rc == PE_OK)
		rc = pe_store_workloads(&workloads, &n_workloads, ctx->store, judging->machine,
					ctx->arena, ctx->err);
	if (rc != PE_OK)
		return rc;
	out->failures = pe_arena_new(ctx->arena, struct pe_failure, n);
	for (size_t i = 0; i < n; i++) {
		size_t revision = place_of(judging, failures[i].revision);
		const char *name = NULL;

		for (size_t w = 0; w < n_workloads && failures[i].workload != 0; w++)
			if (workloads[w].key == failures[i].workload &&
			    is_chosen(judging, workloads, w))
				name = workloads[w].name;
		if (revision == SIZE_MAX || (failures[i].workload != 0 && name == NULL))
			continue;
		out->failures[out->n_failures++] = (struct pe_failure){
			.revision = revision,
			.workload = name,
			.outcome = failures[i].outcome,
			.status = failures[i].status,
			.log = failures[i].log,
		};
	}
	return PE_OK;
}

static void shift(struct pe_jump *jump, size_t by)
{
	jump->before -= by;
	jump->after -= by;
	jump->first -= by;
	jump->last -= by;
}

/* Revisions of which nothing is known, at the old end: there is nothing to show of them. */
static void trim(struct judging *judging)
{
	struct pe_evolution *out = judging->out;
	size_t first = out->n_revisions;

	for (size_t i = 0; i < out->n_lines; i++)
		if (out->lines[i].n_points > 0 && out->lines[i].points[0].revision < first)
			first = out->lines[i].points[0].revision;
	for (size_t i = 0; i < out->n_failures; i++)
		if (out->failures[i].revision < first)
			first = out->failures[i].revision;
	out->revisions += first;
	out->n_revisions -= first;
	if (out->decorations != NULL)
		out->decorations += first;
	for (size_t i = 0; i < out->n_failures; i++)
		out->failures[i].revision -= first;
	for (size_t i = 0; i < out->n_lines; i++) {
		struct pe_line *line = &out->lines[i];

		for (size_t p = 0; p < line->n_points; p++) {
			line->points[p].revision -= first;
			line->points[p].source -= first;
		}
		for (size_t j = 0; j < line->n_jumps; j++)
			shift(&line->jumps[j], first);
		for (size_t j = 0; j < line->n_refuted; j++)
			shift(&line->refuted[j], first);
	}
}

int pe_judge_load(struct pe_evolution *out, struct pe_cmd_ctx *ctx,
		  const struct pe_judge_opts *opts)
{
	struct judging judging = {.ctx = ctx, .opts = opts, .out = out, .scratch = PE_ARENA_INIT};
	int rc;

	*out = (struct pe_evolution){.project = pe_repo_name(ctx->repo),
				     .version = PE_VERSION,
				     .generated_s = pe_clock_now_s()};
	rc = choose_machine(&judging);
	if (rc == PE_OK)
		rc = load_revisions(&judging);
	if (rc == PE_OK)
		rc = pe_store_carried(&judging.carried, &judging.n_carried, ctx->store,
				      judging.machine, ctx->arena, ctx->err);
	if (rc == PE_OK)
		rc = pe_standing_load(&judging.standing, ctx, judging.machine);
	if (rc != PE_OK)
		return rc;
	find_chains(&judging);
	rc = load_lines(&judging);
	pe_arena_release(&judging.scratch);
	if (rc == PE_OK)
		rc = load_failures(&judging);
	if (rc != PE_OK)
		return rc;
	if (out->n_lines == 0 && out->n_failures == 0)
		return pe_fail(ctx->err, PE_ENOTFOUND, "nothing is stored for what was asked for");
	trim(&judging);
	decorate(&judging);
	rc = pe_changes_counts(&out->mc, ctx, out->revisions, out->n_revisions);
	if (rc != PE_OK)
		return rc;
	/* Who looks into the search has it said by who shows the figures. */
	if (judging.apart && opts->visit == NULL)
		pe_cmd_note(ctx,
			    "some revisions never ran in the same rounds as the others, and are "
			    "not compared with them ('perfevo track --again' ties them together)");
	return PE_OK;
}
