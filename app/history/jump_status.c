#include "app/history/jump_status.h"

#include "core/stats/fdr.h"
#include "store/store.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- Loading --- */

const char *pe_jump_status_accepted_path(struct pe_app *app)
{
	const char *tree = pe_repo_workdir(app->repo);
	size_t n;

	if (tree == NULL)
		return NULL;
	n = strlen(tree);
	return pe_arena_printf(app->arena, "%s%s%s", tree, n > 0 && tree[n - 1] == '/' ? "" : "/",
			       PE_ACCEPTED_FILE);
}

/* Accepted changes of a tree that is not checked out: HEAD's in a bare repository, or the requested one. */
static int load_from_revision(struct pe_accepted_list *out, struct pe_app *app, const char *spec)
{
	const char *name = PE_ACCEPTED_FILE;
	const struct pe_strings paths = {&name, 1};
	pe_auto_text text = PE_TEXT_INIT;
	struct pe_revision revision;
	char id[1][PE_OID_HEX];

	*out = (struct pe_accepted_list){NULL, 0};
	/* An unborn HEAD accepts nothing. */
	if (pe_repo_resolve(&revision, app->repo, spec, app->arena, NULL) != PE_OK)
		return PE_OK;
	PE_TRY(pe_repo_path_ids(id, app->repo, revision.id, &paths, app->err));
	if (id[0][0] == '\0')
		return PE_OK;
	PE_TRY(pe_repo_blob(&text, app->repo, id[0], app->err));
	return pe_accepted_parse(out, pe_arena_printf(app->arena, "%s:" PE_ACCEPTED_FILE, spec),
				 pe_text_str(&text), text.len, app->arena, app->err);
}

int pe_jump_status_load_accepted(struct pe_accepted_list *out, struct pe_app *app)
{
	const char *path = pe_jump_status_accepted_path(app);

	if (app->config_revision != NULL || path == NULL)
		return load_from_revision(
			out, app, app->config_revision != NULL ? app->config_revision : "HEAD");
	return pe_accepted_load(out, path, app->arena, app->err);
}

int pe_jump_status_load(struct pe_jump_status *out, struct pe_app *app, int64_t machine)
{
	size_t *number;

	PE_TRY(pe_store_confirmations(&out->confirmations, &out->n, app->store, machine, app->arena,
				      app->err));
	out->app = app;
	out->adjusted = pe_arena_new(app->arena, double, out->n);
	number = pe_arena_new(app->arena, size_t, out->n);
	for (size_t i = 0; i < out->n; i++) {
		number[i] = out->confirmations[i].number;
		out->adjusted[i] = out->confirmations[i].answer != PE_CONFIRM_GO_ON
					   ? out->confirmations[i].result.p
					   : NAN;
	}
	/* Metrics that share runs depend on each other positively, directions were suspected: fdr.h. */
	pe_fdr_adjust_events(out->adjusted, out->adjusted, number, out->n);
	return pe_jump_status_load_accepted(&out->accepted, app);
}

/* --- Matching confirmations and changes --- */

/* Revisions of the chain, both ends included; first > last: none. */
struct span {
	size_t first, last;
};

/* The revision of the chain that has a key; SIZE_MAX: none. */
static size_t revision_of(const struct pe_series_found *series, int64_t key)
{
	for (size_t c = 0; key != 0 && c < series->n_chain; c++)
		if (series->revisions[series->chain[c]].key == key)
			return series->chain[c];
	return SIZE_MAX;
}

static void widen(struct span *span, size_t revision)
{
	if (revision == SIZE_MAX)
		return;
	span->first = revision < span->first ? revision : span->first;
	span->last = revision > span->last ? revision : span->last;
}

static bool is_within(const struct span *span, size_t revision)
{
	return revision >= span->first && revision <= span->last;
}

/* Where the new level of a confirmed change may begin: what is no longer on the chain is left out. */
static struct span span_of(const struct pe_stored_confirmation *c,
			   const struct pe_series_found *series)
{
	struct span span = {SIZE_MAX, 0};
	size_t before = revision_of(series, c->before);

	widen(&span, revision_of(series, c->after));
	widen(&span, revision_of(series, c->first));
	widen(&span, revision_of(series, c->last));
	widen(&span, revision_of(series, c->pinned_after));
	widen(&span, revision_of(series, c->pinned_first));
	widen(&span, revision_of(series, c->pinned_last));
	if (before != SIZE_MAX && before < span.first && span.first != SIZE_MAX)
		span.first = before + 1;
	return span;
}

static bool concerns(const struct pe_stored_confirmation *c, const struct pe_series_found *series,
		     int direction)
{
	return c->benchmark == series->benchmark && c->direction == direction &&
	       strcmp(c->metric, series->metric->name) == 0;
}

static bool is_same(const struct pe_stored_confirmation *c, const struct pe_series_found *series,
		    const struct pe_jump_change *change)
{
	int64_t before = series->revisions[change->before].key,
		after = series->revisions[change->after].key;

	return (c->before == before && c->after == after) ||
	       (c->pinned_after != 0 && c->pinned_before == before && c->pinned_after == after);
}

static bool overlaps(const struct pe_stored_confirmation *c, const struct pe_series_found *series,
		     const struct pe_jump_change *change)
{
	struct span span = span_of(c, series);

	return span.first <= span.last && span.first <= change->after && change->before < span.last;
}

void pe_jump_status_match(size_t *match, const struct pe_jump_status *status,
			  const struct pe_series_found *series,
			  const struct pe_jump_change *changes, size_t n)
{
	pe_auto_free bool *taken = pe_realloc(NULL, status->n + 1, sizeof(*taken));

	memset(taken, 0, (status->n + 1) * sizeof(*taken));
	for (size_t i = 0; i < n; i++)
		match[i] = SIZE_MAX;
	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < n; i++) {
			for (size_t k = status->n; match[i] == SIZE_MAX && k-- > 0;) {
				const struct pe_stored_confirmation *c = &status->confirmations[k];

				if (taken[k] || !concerns(c, series, changes[i].direction) ||
				    !(pass == 0 ? is_same(c, series, &changes[i])
						: overlaps(c, series, &changes[i])))
					continue;
				match[i] = k;
				taken[k] = true;
			}
		}
	}
}

/* --- What that makes of a line --- */

/* The place that was pinned, as long as nothing was measured since between its two sides. */
static void move_to_pin(struct pe_jump *jump, const struct pe_line *line,
			const struct pe_stored_confirmation *c,
			const struct pe_series_found *series)
{
	const size_t before = revision_of(series, c->pinned_before);
	const size_t after = revision_of(series, c->pinned_after);
	const size_t first = revision_of(series, c->pinned_first);
	const size_t last = revision_of(series, c->pinned_last);
	const bool earlier = after < jump->after;
	const struct span moved = {earlier ? after : jump->after,
				   (earlier ? jump->after : after) - 1};

	if (before == SIZE_MAX || after == SIZE_MAX || before >= after)
		return;
	for (size_t i = 0; i < series->n_chain; i++)
		if (series->chain[i] > before && series->chain[i] < after &&
		    pe_line_point(line, series->chain[i]) != NULL)
			return;
	for (size_t i = 0; i < series->n_chain; i++) {
		const size_t at = series->chain[i];
		struct pe_point *point = is_within(&moved, at) ? pe_line_point(line, at) : NULL;

		if (point != NULL)
			point->level = earlier ? jump->new_level : jump->old_level;
	}
	jump->before = before;
	jump->after = after;
	jump->sure = c->sure;
	jump->first = first != SIZE_MAX ? first : after;
	jump->last = last != SIZE_MAX ? last : after;
}

/*
 * The stretch that a confirmation compares: from its outermost left commit to its outermost right one. Where its
 * runs were dropped, the stored place of the change.
 */
static struct span compared_span(const struct pe_stored_confirmation *c,
				 const struct pe_jump_status *status,
				 const struct pe_series_found *series)
{
	struct span span = span_of(c, series);
	struct pe_app *app = status->app;
	struct pe_batch batch;

	widen(&span, revision_of(series, c->before));
	if (c->batch == 0 ||
	    pe_store_get_batch(&batch, app->store, c->batch, app->arena, NULL) != PE_OK)
		return span;
	for (size_t i = 0; i < batch.n_cells; i++)
		if (batch.cells[i].benchmark == c->benchmark)
			widen(&span, revision_of(series, batch.cells[i].revision));
	return span;
}

/*
 * Whether the pairs of a confirmation bear on one of the changes alone. Where runs that were made since show
 * another one between the commits that were paired, the pairs measured the sum of both.
 */
static bool is_alone(const struct pe_stored_confirmation *c, const struct pe_jump_status *status,
		     const struct pe_series_found *series, const struct pe_jump_change *changes,
		     const bool *refuted, size_t n, size_t which)
{
	struct span span;

	if (n < 2)
		return true;
	span = compared_span(c, status, series);
	for (size_t i = 0; i < n; i++) {
		const size_t after = changes[i].after;

		if (i != which && !refuted[i] && after > span.first && after <= span.last)
			return false;
	}
	return true;
}

/*
 * The levels of the pairs: around the middle of both sides, with the estimate between them. Where the runs were dropped,
 * around the middle of the series' levels.
 */
static void take_levels(struct pe_jump *jump, const struct pe_stored_confirmation *c,
			const struct pe_jump_status *status)
{
	double sides[2] = {NAN, NAN}, middle;

	if (c->batch != 0)
		(void)pe_store_pair_medians(sides, status->app->store, c->batch, c->benchmark,
					    c->metric, NULL);
	if (!isfinite(sides[0]) || !isfinite(sides[1])) {
		sides[0] = jump->old_level;
		sides[1] = jump->new_level;
	}
	if (c->opts.unit > 0 || sides[0] <= 0 || sides[1] <= 0) {
		const double unit = c->opts.unit > 0 ? c->opts.unit : fabs(sides[0]);

		middle = (sides[0] + sides[1]) / 2;
		jump->old_level = middle - unit * jump->relative / 2;
		jump->new_level = middle + unit * jump->relative / 2;
		return;
	}
	middle = sqrt(sides[0] * sides[1]);
	jump->old_level = middle / sqrt(1 + jump->relative);
	jump->new_level = middle * sqrt(1 + jump->relative);
}

/*
 * The size of a jump. The search chose its levels for their difference, so they overstate it; the pairs were made
 * after that. An undecided test whose pairs point the other way gives no size.
 */
static void take_estimate(struct pe_jump *jump, const struct pe_stored_confirmation *c,
			  const struct pe_jump_status *status, int direction)
{
	const struct pe_confirm_result *result = &c->result;

	if (!isfinite(result->relative) || (result->relative > 0) != (direction > 0))
		return;
	jump->relative = result->relative;
	jump->low = result->low;
	jump->high = result->high;
	jump->estimate = PE_ESTIMATE_PAIRS;
	take_levels(jump, c, status);
}

static void take_answer(struct pe_jump *jump, const struct pe_line *line,
			const struct pe_jump_status *status, size_t which,
			const struct pe_series_found *series)
{
	const struct pe_stored_confirmation *c = &status->confirmations[which];

	if (c->answer == PE_CONFIRM_GO_ON)
		return;
	jump->pairs = c->result.pairs;
	jump->p = status->adjusted[which];
	jump->least = c->result.least;
	jump->layout = c->layout;
	if (c->answer == PE_CONFIRMED) {
		jump->state = PE_JUMP_CONFIRMED;
		move_to_pin(jump, line, c, series);
	} else if (c->answer == PE_CONFIRM_UNDECIDED) {
		jump->undecided = true;
		jump->more = c->result.more;
	}
}

/* One level in the place of two: the mean over the points of the stretch, which begins beyond the chain's base. */
static void level_out(struct pe_line *line, const struct pe_series_found *series,
		      const struct span *span)
{
	double sum = 0, level;
	size_t n = 0;

	for (size_t i = series->base; i < series->n_chain; i++) {
		const struct pe_point *point = pe_line_point(line, series->chain[i]);

		if (is_within(span, series->chain[i]) && point != NULL && !isnan(point->level)) {
			sum += point->level;
			n++;
		}
	}
	level = n > 0 ? sum / (double)n : NAN;
	for (size_t i = series->base; i < series->n_chain; i++) {
		struct pe_point *point = pe_line_point(line, series->chain[i]);

		if (is_within(span, series->chain[i]) && point != NULL)
			point->level = level;
	}
}

/* The stretch of the chain around a refuted change, up to the jumps next to it. */
static void join_levels(struct pe_line *line, size_t first, const struct pe_jump *refuted,
			const struct pe_series_found *series)
{
	struct span span = {0, SIZE_MAX};

	for (size_t j = first; j < line->n_jumps; j++) {
		const size_t other = line->jumps[j].after;

		if (other <= refuted->after && other > span.first)
			span.first = other;
		if (other > refuted->after && other <= span.last)
			span.last = other - 1;
	}
	level_out(line, series, &span);
}

static void set_refuted_aside(struct pe_line *line, size_t first, const bool *refuted,
			      const struct pe_series_found *series, struct pe_arena *arena)
{
	size_t n = line->n_jumps - first, kept = first, begin = line->n_refuted;
	struct pe_jump *all = pe_arena_new(arena, struct pe_jump, line->n_refuted + n);

	for (size_t i = 0; i < line->n_refuted; i++)
		all[i] = line->refuted[i];
	line->refuted = all;
	for (size_t i = 0; i < n; i++) {
		struct pe_jump *jump = &line->jumps[first + i];

		if (refuted[i]) {
			jump->state = PE_JUMP_REFUTED;
			line->refuted[line->n_refuted++] = *jump;
		} else {
			line->jumps[kept++] = *jump;
		}
	}
	line->n_jumps = kept;
	for (size_t i = begin; i < line->n_refuted; i++)
		join_levels(line, first, &line->refuted[i], series);
}

/* A jump is accepted when an entry names its new side, or any commit that its beginning is pinned to. */
static void take_acceptance(struct pe_jump *jump, const struct pe_jump_status *status,
			    const struct pe_series_found *series)
{
	struct span span = {jump->before + 1, jump->after};

	widen(&span, jump->first);
	widen(&span, jump->last);
	for (size_t c = 0; c < series->n_chain; c++) {
		const size_t revision = series->chain[c];
		const struct pe_accepted *entry = NULL;

		if (is_within(&span, revision))
			entry = pe_accepted_find(&status->accepted, series->name,
						 series->metric->name,
						 series->revisions[revision].id);
		if (entry == NULL)
			continue;
		jump->state = PE_JUMP_ACCEPTED;
		jump->why = entry->why;
		return;
	}
}

/* --- What is withdrawn --- */

/* Whether the line has a jump, or a refuted one, at the place of a confirmation. */
static bool stands(const struct pe_stored_confirmation *c, const struct pe_line *line, size_t first,
		   const struct pe_series_found *series)
{
	for (size_t i = first; i < line->n_jumps; i++) {
		const struct pe_jump_change change = {line->jumps[i].before, line->jumps[i].after,
						      c->direction};

		if (overlaps(c, series, &change) || is_same(c, series, &change))
			return true;
	}
	return false;
}

static struct pe_jump withdrawn_jump(const struct pe_stored_confirmation *c, size_t before,
				     size_t after)
{
	return (struct pe_jump){
		.before = before,
		.after = after,
		.old_level = NAN,
		.new_level = NAN,
		.relative = c->result.relative,
		.low = c->result.low,
		.high = c->result.high,
		.estimate = PE_ESTIMATE_PAIRS,
		.strength = NAN,
		.state = PE_JUMP_REFUTED,
		.withdrawn = true,
		.pairs = c->result.pairs,
		.p = NAN,
		.sure = NAN,
		.first = after,
		.last = after,
		.least = NAN,
		.event = SIZE_MAX,
	};
}

/* Confirmed changes that the line no longer has; the newest confirmation of a place counts. */
static void add_withdrawn(struct pe_line *line, size_t first, const struct pe_jump_status *status,
			  const struct pe_series_found *series, struct pe_arena *arena)
{
	struct pe_jump *all = pe_arena_new(arena, struct pe_jump, line->n_refuted + status->n + 1);
	size_t n = line->n_refuted;

	for (size_t i = 0; i < n; i++)
		all[i] = line->refuted[i];
	for (size_t k = status->n; k-- > 0;) {
		const struct pe_stored_confirmation *c = &status->confirmations[k];
		const size_t before = revision_of(series, c->before);
		const size_t after = revision_of(series, c->after);
		bool told = false;

		if (!concerns(c, series, c->direction) || before == SIZE_MAX || after == SIZE_MAX ||
		    c->answer == PE_CONFIRM_GO_ON)
			continue;
		for (size_t i = 0; i < n && !told; i++)
			told = all[i].before == before && all[i].after == after;
		if (c->answer == PE_CONFIRMED && !told && !stands(c, line, first, series))
			all[n++] = withdrawn_jump(c, before, after);
	}
	line->refuted = all;
	line->n_refuted = n;
}

/* Refuted by fresh runs, or by equal executed code unless fresh runs confirm it. @param asked  NULL: no confirmation */
static bool is_refuted(const struct pe_jump *jump, const struct pe_stored_confirmation *asked)
{
	if (asked != NULL && asked->answer != PE_CONFIRM_GO_ON)
		return asked->answer == PE_REFUTED;
	return jump->state == PE_JUMP_SUSPECT && jump->layout == PE_LAYOUT_ONLY;
}

void pe_jump_status_apply(struct pe_line *line, size_t first, const struct pe_jump_status *status,
			  const struct pe_series_found *series, struct pe_arena *arena)
{
	size_t n = line->n_jumps - first, n_refuted = 0;
	pe_auto_free struct pe_jump_change *changes = pe_realloc(NULL, n + 1, sizeof(*changes));
	pe_auto_free size_t *match = pe_realloc(NULL, n + 1, sizeof(*match));
	pe_auto_free bool *refuted = pe_realloc(NULL, n + 1, sizeof(*refuted));

	for (size_t i = 0; i < n; i++) {
		const struct pe_jump *jump = &line->jumps[first + i];

		changes[i] = (struct pe_jump_change){jump->before, jump->after,
						     jump->new_level > jump->old_level ? 1 : -1};
	}
	pe_jump_status_match(match, status, series, changes, n);
	for (size_t i = 0; i < n; i++) {
		bool asked =
			match[i] != SIZE_MAX && line->jumps[first + i].state == PE_JUMP_SUSPECT;

		refuted[i] = is_refuted(&line->jumps[first + i],
					asked ? &status->confirmations[match[i]] : NULL);
		n_refuted += refuted[i];
		if (asked)
			take_answer(&line->jumps[first + i], line, status, match[i], series);
	}
	for (size_t i = 0; i < n; i++)
		if (line->jumps[first + i].pairs > 0 && !refuted[i] &&
		    is_alone(&status->confirmations[match[i]], status, series, changes, refuted, n,
			     i))
			take_estimate(&line->jumps[first + i], &status->confirmations[match[i]],
				      status, changes[i].direction);
	if (n_refuted > 0)
		set_refuted_aside(line, first, refuted, series, arena);
	add_withdrawn(line, first, status, series, arena);
	for (size_t i = first; i < line->n_jumps; i++)
		take_acceptance(&line->jumps[i], status, series);
}
