/*
 * Revisions: two of them, or two benchmarks of one, measured in rounds where the store lacks runs, profiled where it lacks
 * trees, and loaded. Old and new are named by the user; their order in history matters to the session alone.
 */
#include "app/explain/compare.h"
#include "app/history/detect.h"
#include "core/base/sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Whether two benchmarks of one revision are compared. */
static bool is_one(const struct pe_comparing *comparing)
{
	return comparing->opts->with != NULL;
}

/* --- Choice of revisions --- */

/* Whether new is a first-parent ancestor of old, within the distance at which sessions look for anchors. */
static int is_swapped(bool *out, const struct pe_comparing *comparing)
{
	struct pe_app *app = comparing->app;
	const struct pe_range range = {.spec = comparing->revisions[0].id, .last = 301};
	struct pe_revisions line;

	*out = false;
	PE_TRY(pe_repo_walk(&line, app->repo, &range, app->arena, app->err));
	for (size_t i = 0; i < line.n; i++)
		*out = *out || strcmp(line.at[i].id, comparing->revisions[1].id) == 0;
	return PE_OK;
}

/* Open the session's revisions, oldest first. */
static int choose(struct pe_comparing *comparing)
{
	struct pe_session *session = &comparing->session;
	const char *bench = is_one(comparing) ? NULL : comparing->opts->bench;
	struct pe_revision *at = pe_arena_new(comparing->app->arena, struct pe_revision, 2);
	struct pe_revisions revisions = {at, is_one(comparing) ? 1 : 2, false, 0};
	bool swapped = false;

	session->names = comparing->opts->names;
	if (!is_one(comparing))
		PE_TRY(is_swapped(&swapped, comparing));
	at[0] = comparing->revisions[swapped];
	at[1] = comparing->revisions[!swapped];
	PE_TRY(pe_session_choose(session, &revisions, bench));
	for (int side = 0; side < 2; side++)
		for (size_t r = 0; r < session->n_revisions; r++)
			if (strcmp(session->revisions[r].id, comparing->revisions[side].id) == 0)
				comparing->chosen[side] = &session->revisions[r];
	return comparing->opts->kept ? PE_OK : pe_session_discover(session, bench);
}

/* --- Measuring --- */

static int measure(struct pe_comparing *comparing)
{
	struct pe_session *session = &comparing->session;
	struct pe_plan plan;

	PE_TRY(pe_session_plan(&plan, session, 0));
	session->count.total = session->count.done + plan.runs;
	session->builds_done = 0;
	session->builds_total = plan.builds;
	return plan.runs > 0 ? pe_session_measure(session) : PE_OK;
}

/* --- Pairs --- */

static int find_named(struct pe_benchmark **out, const struct pe_comparing *comparing,
		      const char *name)
{
	const struct pe_session *session = &comparing->session;

	for (size_t w = 0; w < session->benchmarks.n; w++) {
		*out = session->benchmarks.data[w];
		if (strcmp((*out)->name, name) == 0)
			return PE_OK;
	}
	return pe_fail(comparing->app->err, PE_EINVALID, "%s has no benchmark '%s'",
		       comparing->app->config->path, name);
}

static int fill_all_values(struct pe_comparing *comparing, bool *apart)
{
	*apart = false;
	for (size_t p = 0; p < comparing->pairs.n; p++) {
		struct pe_benchmark *const *benchmarks = comparing->couples[p].benchmarks;
		const struct pe_cells cells = {
			.app = comparing->app,
			.machine = comparing->session.machine_key,
			.at = {{benchmarks[0]->key, comparing->chosen[0]->key},
			       {benchmarks[1]->key, comparing->chosen[1]->key}},
			.confidence = comparing->confidence,
		};

		PE_TRY(pe_cells_compare(&comparing->pairs.data[p], apart, &cells));
	}
	return PE_OK;
}

/* Take confirmed jumps into the values. Two benchmarks of one revision have no history between them. */
static int take_jumps(struct pe_comparing *comparing)
{
	int64_t *keys = pe_arena_new(comparing->app->arena, int64_t, comparing->pairs.n);
	const struct pe_cells_jumps jumps = {
		.pairs = comparing->pairs.data,
		.benchmarks = keys,
		.n = comparing->pairs.n,
		.machine = comparing->session.machine_key,
		.ids = {comparing->revisions[0].id, comparing->revisions[1].id},
	};

	for (size_t p = 0; p < comparing->pairs.n; p++)
		keys[p] = comparing->couples[p].benchmarks[1]->key;
	return is_one(comparing) ? PE_OK : pe_cells_take_jumps(&jumps, comparing->app);
}

int pe_comparing_fill(struct pe_comparing *comparing)
{
	bool apart;

	PE_TRY(fill_all_values(comparing, &apart));
	return take_jumps(comparing);
}

/*
 * Measure, and fill all values. Runs that were never in one round also differ by the machine's state at their time; then
 * both sides are measured again in common rounds.
 */
static int measure_and_fill(struct pe_comparing *comparing)
{
	struct pe_session *session = &comparing->session;
	bool apart = false;

	session->again = comparing->opts->again;
	session->compares = !is_one(comparing);
	/* Equal code needs no run, unless runs are requested, or a difference of layout is to fail. */
	session->unskipped = session->again || comparing->app->config->gate.layout_fails;
	PE_TRY(measure(comparing));
	PE_TRY(fill_all_values(comparing, &apart));
	if (!apart)
		return PE_OK;
	pe_app_note(comparing->app,
		    "old and new never ran in the same rounds: measuring them together");
	session->again = true;
	PE_TRY(measure(comparing));
	return fill_all_values(comparing, &apart);
}

/* --- Profiles --- */

/* Report a failed profile of one side, or the advice on it. */
static void tell(struct pe_comparing *comparing, size_t p, int side)
{
	const struct pe_comparing_couple *couple = &comparing->couples[p];
	const struct pe_collected *collected = &couple->sides[side];

	if (collected->cct == NULL) {
		comparing->pairs.data[p].problem = pe_collected_say_failure(
			collected, side == 0 ? "old" : "new", comparing->revisions[side].id,
			comparing->app->arena);
		comparing->unmeasurable = true;
		return;
	}
	for (size_t i = 0; i < collected->advice.n; i++)
		pe_app_note(comparing->app, "%s, %.10s: %s", couple->benchmarks[side]->name,
			    comparing->revisions[side].id, collected->advice.at[i]);
}

/* The options of all trees. Times of two revisions come later, in turns: collect_beside(). */
static struct pe_collect_opts collect_opts(const struct pe_comparing *comparing)
{
	const bool counted = comparing->app->counts_only;

	return (struct pe_collect_opts){
		.mode = counted ? PE_PROFILE_COUNTING : PE_PROFILE_DEFAULT,
		.again = comparing->opts->again,
		.untimed = !is_one(comparing) && !counted,
	};
}

/* Collect one side's trees. */
static int collect(struct pe_comparing *comparing, size_t p, int side)
{
	struct pe_comparing_couple *couple = &comparing->couples[p];
	const struct pe_collect_opts opts = collect_opts(comparing);

	PE_TRY(pe_collect(&couple->sides[side], &comparing->session, comparing->chosen[side],
			  couple->benchmarks[side], &opts, &comparing->frames,
			  comparing->app->arena));
	if (!couple->sides[side].untimed)
		tell(comparing, p, side);
	return PE_OK;
}

/* Note what the first samples of a pair tell, with the counts of earlier runs. Further counts are made after it. */
static int look_at_samples(const struct pe_collected sides[2], void *payload)
{
	struct pe_comparing *comparing = payload;
	const size_t p = comparing->sampled;
	const struct pe_compare_pair *pair = &comparing->pairs.data[p];
	pe_auto_arena work = PE_ARENA_INIT;
	pe_auto_text text = PE_TEXT_INIT;
	struct pe_attribution time;

	PE_TRY(pe_comparing_changes(comparing, false));
	for (int side = 0; side < 2; side++)
		pe_comparing_leave_waits(&sides[side]);
	if (pe_comparing_attribute_early(&time, pair, comparing, sides, &work)) {
		pe_compare_say_first(&text, &time, &comparing->frames);
		pe_app_note(comparing->app, "%s, by the first samples: %s; counts and times follow",
			    pair->name, pe_text_str(&text));
	}
	return pe_comparing_make_sure(comparing, p);
}

/* Sample two revisions in turns, for their times. */
static int collect_beside(struct pe_comparing *comparing, size_t p)
{
	struct pe_comparing_couple *couple = &comparing->couples[p];
	const bool untimed[] = {couple->sides[0].untimed, couple->sides[1].untimed};
	struct pe_collect_pair pair = pe_comparing_collected(comparing, p);

	if (!comparing->early)
		PE_TRY(pe_comparing_make_sure(comparing, p));
	comparing->sampled = p;
	pair.look = comparing->early ? look_at_samples : NULL;
	pair.payload = comparing;
	PE_TRY(pe_collect_beside(&pair, comparing->opts->again));
	/* Nobody looked where sampling failed. */
	PE_TRY(pe_comparing_make_sure(comparing, p));
	for (int side = 0; side < 2; side++)
		if (untimed[side])
			tell(comparing, p, side);
	return PE_OK;
}

/* Load one side's trees from the store. */
static int load_one(struct pe_comparing *comparing, size_t p, int side)
{
	struct pe_comparing_couple *couple = &comparing->couples[p];
	struct pe_app *app = comparing->app;
	int rc =
		pe_collect_load(&couple->sides[side], app, comparing->session.machine_key,
				couple->benchmarks[side], comparing->revisions[side].id,
				collect_opts(comparing).mode, true, &comparing->frames, app->arena);

	if (rc != PE_ENOTFOUND)
		return rc;
	comparing->pairs.data[p].problem = pe_arena_printf(
		app->arena,
		"no profile of %s is stored ('perfevo compare%s %.10s %.10s' collects it)",
		side == 0 ? "old" : "new", app->counts_only ? " --counts" : "",
		comparing->revisions[0].id, comparing->revisions[1].id);
	return PE_OK;
}

static int load_beside(struct pe_comparing *comparing, size_t p)
{
	int rc = pe_collect_load_beside(comparing->couples[p].sides, comparing->app,
					&comparing->frames, comparing->app->arena);

	return rc == PE_ENOTFOUND ? PE_OK : rc;
}

/* Whether a pair's own trees are to be collected. */
static bool is_collected(const struct pe_compare_pair *pair)
{
	return !pair->same && !pair->unprofiled && pair->problem == NULL;
}

/* Build both sides and all variants in parallel. @param kept  as pe_collect_ahead() has it */
static int build_ahead(struct pe_comparing *comparing, bool *kept)
{
	struct pe_collect_opts opts = collect_opts(comparing);
	pe_auto_free PE_VEC(struct pe_collect_side) sides = {NULL, 0, 0};

	if (comparing->opts->kept)
		return PE_OK;
	opts.untimed = false;
	for (size_t p = 0; p < comparing->pairs.n; p++)
		for (int side = 0; side < 2 && is_collected(&comparing->pairs.data[p]); side++)
			pe_vec_push(&sides, (struct pe_collect_side){
						    comparing->chosen[side],
						    comparing->couples[p].benchmarks[side]});
	return pe_collect_ahead(kept, &comparing->session, sides.data, sides.n, &opts);
}

/* Take a step with each pair whose revisions both have trees; two benchmarks of one revision do different work. */
static int for_both(struct pe_comparing *comparing,
		    int (*step)(struct pe_comparing *comparing, size_t pair))
{
	for (size_t p = 0; !is_one(comparing) && p < comparing->pairs.n; p++)
		if (comparing->couples[p].sides[0].cct != NULL &&
		    comparing->couples[p].sides[1].cct != NULL)
			PE_TRY(step(comparing, p));
	return PE_OK;
}

/* Collect the trees. All of old come before all of new, so that frames added later have new's lines. */
static int collect_trees(struct pe_comparing *comparing)
{
	const bool kept = comparing->opts->kept;

	for (int side = 0; side < 2; side++) {
		for (size_t p = 0; p < comparing->pairs.n; p++)
			if (is_collected(&comparing->pairs.data[p]))
				PE_TRY((kept ? load_one : collect)(comparing, p, side));
		if (side == 0)
			comparing->n_old_frames = comparing->frames.n;
	}
	return for_both(comparing, kept ? load_beside : collect_beside);
}

/* Print the differences of the counts once all benchmarks are counted, long before their times. */
static void look_at_counts(void *payload)
{
	struct pe_comparing *comparing = payload;
	bool apart, all = fill_all_values(comparing, &apart) == PE_OK;

	for (size_t p = 0; p < comparing->pairs.n; p++)
		all = all &&
		      (comparing->pairs.data[p].same || comparing->pairs.data[p].functions != NULL);
	for (size_t p = 0; all && p < comparing->pairs.n; p++) {
		pe_auto_text text = PE_TEXT_INIT;

		if (comparing->pairs.data[p].same)
			continue;
		pe_compare_say_counted(&text, &comparing->pairs.data[p]);
		pe_app_note(comparing->app, "%s", pe_text_str(&text));
	}
	if (all)
		comparing->session.look = NULL;
}

/*
 * Before the first run of a few benchmarks whose builds are all kept, collect their trees: their first samples answer
 * within seconds, long before all instructions are counted.
 */
static int collect_early(void *payload)
{
	struct pe_comparing *comparing = payload;
	size_t n = 0;
	bool kept = false;

	comparing->session.begin = NULL;
	look_at_counts(comparing);
	for (size_t p = 0; p < comparing->pairs.n; p++)
		n += !comparing->pairs.data[p].same;
	if (n > PE_COMPARING_EARLY)
		return PE_OK;
	PE_TRY(build_ahead(comparing, &kept));
	if (!kept)
		return PE_OK;
	comparing->early = true;
	return collect_trees(comparing);
}

static int collect_all(struct pe_comparing *comparing)
{
	const bool kept = comparing->opts->kept;

	if (!comparing->early) {
		PE_TRY(build_ahead(comparing, NULL));
		PE_TRY(collect_trees(comparing));
	}
	PE_TRY(for_both(comparing, pe_comparing_charges));
	if (!kept)
		PE_TRY(for_both(comparing, pe_comparing_sample_more));
	for (size_t p = 0; p < comparing->pairs.n; p++) {
		const struct pe_comparing_couple *couple = &comparing->couples[p];
		struct pe_compare_pair *pair = &comparing->pairs.data[p];

		if (!comparing->app->counts_only)
			pair->untimed =
				pe_collected_why_untimed(couple->sides, couple->benchmarks[1]);
		pair->whole = pe_collected_why_whole(couple->benchmarks[1], comparing->app->arena);
	}
	return PE_OK;
}

static bool has_any_trees(const struct pe_comparing *comparing)
{
	for (size_t p = 0; p < comparing->pairs.n; p++)
		if (pe_comparing_has_trees(comparing, p))
			return true;
	return false;
}

/* --- All steps --- */

static void add_pair(struct pe_comparing *comparing, struct pe_benchmark *old_one,
		     struct pe_benchmark *new_one)
{
	struct pe_compare_pair pair = {.name = old_one->name};

	if (new_one != old_one)
		pair.with_name = new_one->name;
	comparing->couples[comparing->pairs.n] =
		(struct pe_comparing_couple){.benchmarks = {old_one, new_one}};
	pe_vec_push(&comparing->pairs, pair);
}

static int make_pairs(struct pe_comparing *comparing)
{
	const struct pe_comparing_opts *opts = comparing->opts;
	struct pe_session *session = &comparing->session;
	struct pe_benchmark *const *all = session->benchmarks.data, *two[2];
	struct pe_arena *arena = comparing->app->arena;

	comparing->couples =
		pe_arena_new(arena, struct pe_comparing_couple, session->benchmarks.n + 1);
	if (!is_one(comparing)) {
		for (size_t w = 0; w < session->benchmarks.n; w++)
			add_pair(comparing, all[w], all[w]);
		return session->benchmarks.n > 0 ? PE_OK
						 : pe_session_fail_without(session, opts->bench);
	}
	PE_TRY(find_named(&two[0], comparing, opts->bench));
	PE_TRY(find_named(&two[1], comparing, opts->with));
	if (two[0] == two[1])
		return pe_fail(comparing->app->err, PE_EINVALID,
			       "--bench and --with name one benchmark");
	/* Measure these two benchmarks alone. */
	add_pair(comparing, two[0], two[1]);
	memcpy(session->benchmarks.data, two, sizeof(two));
	session->benchmarks.n = 2;
	return PE_OK;
}

/* --- The benchmarks to explain --- */

/* The largest change of a judged metric on a logarithmic scale, where half and double are equal. 0: none changed. */
static double size_of_change(const struct pe_compare_pair *pair)
{
	double largest = 0;

	for (size_t i = 0; i < pair->n_values; i++) {
		const struct pe_compare_value *value = &pair->values[i];
		double size = fabs(log1p(fmax(value->relative, -1 + 1e-9)));

		if (pe_compare_value_changed(value))
			largest = fmax(largest, isfinite(size) ? size : INFINITY);
	}
	return largest;
}

struct ranked {
	double size;
	size_t pair;
};

PE_SORT_DOWN_BY(compare_ranked, struct ranked, size, pair);

static const char *say_left_out(const struct pe_compare_pair *pair, struct pe_arena *arena)
{
	pe_auto_text text = PE_TEXT_INIT;

	pe_text_addf(&text, "not explained, because %d benchmarks changed more: add -b ",
		     PE_COMPARING_MOST);
	pe_text_add_word(&text, pair->name);
	pe_text_add(&text, " for this one");
	return pe_arena_strdup(arena, pe_text_str(&text));
}

/*
 * Mark the benchmarks not to profile, where there are more than PE_COMPARING_MOST: those that did not change, and those with smaller changes
 * than that many others. Each profile costs seconds, and a hundred explanations are not read. Stored profiles are all used.
 */
static void leave_small(struct pe_comparing *comparing)
{
	size_t n = comparing->pairs.n;
	pe_auto_free struct ranked *ranked = NULL;

	if (n <= PE_COMPARING_MOST || comparing->opts->kept || comparing->opts->stages)
		return;
	ranked = pe_realloc(NULL, n, sizeof(*ranked));
	for (size_t p = 0; p < n; p++)
		ranked[p] = (struct ranked){size_of_change(&comparing->pairs.data[p]), p};
	pe_sort(ranked, n, compare_ranked);
	for (size_t i = 0; i < n; i++) {
		struct pe_compare_pair *pair = &comparing->pairs.data[ranked[i].pair];

		pair->unprofiled = i >= PE_COMPARING_MOST || ranked[i].size == 0;
		if (i >= PE_COMPARING_MOST && ranked[i].size > 0 && !pair->same &&
		    pair->problem == NULL)
			pair->problem = say_left_out(pair, comparing->app->arena);
	}
}

/* --- All of it --- */

/* Whether a failure is one of a side of a pair; what does not build is reported with the build of its profile. */
static bool is_failure_of(const struct pe_stored_failure *failure,
			  const struct pe_comparing *comparing, size_t p, int side)
{
	return failure->revision == comparing->chosen[side]->key &&
	       failure->benchmark == comparing->couples[p].benchmarks[side]->key;
}

/* A benchmark that failed on a side, so that nothing could be compared, fails in profiled runs, too: say it at once. */
static int find_failed(struct pe_comparing *comparing)
{
	struct pe_app *app = comparing->app;
	struct pe_stored_failure *failures;
	size_t n;

	PE_TRY(pe_store_failures(&failures, &n, app->store, comparing->session.machine_key,
				 app->arena, app->err));
	for (size_t p = 0; p < comparing->pairs.n; p++) {
		struct pe_compare_pair *pair = &comparing->pairs.data[p];

		for (size_t i = 0; pair->n_values == 0 && i < n; i++)
			for (int side = 0; side < 2; side++)
				if (is_failure_of(&failures[i], comparing, p, side)) {
					comparing->unmeasurable = true;
					pair->problem = pe_arena_printf(
						app->arena,
						"%s could not be measured: %s; 'perfevo show %.10s' "
						"prints the log",
						side == 0 ? "old" : "new",
						pe_outcome_say(failures[i].outcome),
						comparing->revisions[side].id);
				}
	}
	return PE_OK;
}

static int measure_all(struct pe_comparing *comparing)
{
	struct pe_session *session = &comparing->session;
	const bool timed = !comparing->app->counts_only;

	if (timed) {
		session->begin = is_one(comparing) ? NULL : collect_early;
		session->look = look_at_counts;
		session->look_payload = comparing;
	}
	PE_TRY(measure_and_fill(comparing));
	session->begin = NULL;
	session->look = NULL;
	if (timed) {
		PE_TRY(take_jumps(comparing));
		PE_TRY(pe_comparing_decide(comparing));
	}
	PE_TRY(find_failed(comparing));
	leave_small(comparing);
	return PE_OK;
}

static bool has_both(const struct pe_comparing *comparing, int64_t machine)
{
	int stored = 0;

	for (size_t p = 0; stored < 2 && p < comparing->pairs.n; p++) {
		stored = 0;
		for (int side = 0; side < 2; side++)
			stored += pe_collect_is_stored(comparing->app, machine,
						       comparing->couples[p].benchmarks[side],
						       comparing->revisions[side].id);
	}
	return stored == 2;
}

/* Machines measured here come first, then the latest. */
static bool is_better(const struct pe_stored_machine *one, const struct pe_stored_machine *best)
{
	if (best == NULL || (one->origin[0] == '\0') != (best->origin[0] == '\0'))
		return best == NULL || one->origin[0] == '\0';
	return one->last_run_s > best->last_run_s;
}

/*
 * Choose the machine whose results are compared where nothing is measured: the session's, unless opts->anybodys is set and only
 * another one has profiles of both revisions. Trees of two machines are never compared with each other.
 */
static int choose_machine(struct pe_comparing *comparing)
{
	struct pe_app *app = comparing->app;
	const struct pe_stored_machine *best = NULL;
	struct pe_stored_machine *machines;
	struct pe_evolution named = {0};
	size_t n;

	if (!comparing->opts->anybodys || has_both(comparing, comparing->session.machine_key))
		return PE_OK;
	PE_TRY(pe_store_machines(&machines, &n, app->store, app->arena, app->err));
	for (size_t i = 0; i < n; i++)
		if (is_better(&machines[i], best) && has_both(comparing, machines[i].key))
			best = &machines[i];
	if (best == NULL)
		return PE_OK;
	pe_detect_describe(&named, app, best);
	comparing->out.origin = named.machine;
	comparing->session.machine_key = best->key;
	return PE_OK;
}

/* Take the values and trees of all pairs, in an open session. */
static int take_all(struct pe_comparing *comparing)
{
	PE_TRY(choose(comparing));
	PE_TRY(make_pairs(comparing));
	PE_TRY(comparing->opts->kept ? choose_machine(comparing) : measure_all(comparing));
	if (comparing->opts->kept)
		PE_TRY(pe_comparing_fill(comparing));
	return collect_all(comparing);
}

/* Stored results are planned in a transaction that is rolled back, and without the machine's lock. */
static int take(struct pe_comparing *comparing)
{
	struct pe_app *app = comparing->app;
	const bool kept = comparing->opts->kept;
	int rc;

	if (kept)
		PE_TRY(pe_store_begin(app->store, app->err));
	rc = pe_session_open(&comparing->session, app, !kept);
	if (rc == PE_OK)
		rc = take_all(comparing);
	pe_session_close(&comparing->session);
	if (kept)
		pe_store_rollback(app->store);
	return rc;
}

static int resolve_worktree(struct pe_app *app, struct pe_revision sides[2])
{
	size_t untracked;

	PE_TRY(pe_repo_snapshot(&sides[1], &untracked, app->repo, app->arena, app->err));
	if (strcmp(sides[0].id, sides[1].id) == 0)
		return pe_fail(app->err, PE_EINVALID,
			       "nothing is uncommitted: the tracked files are those of %.10s%s",
			       sides[0].id,
			       untracked > 0 ? " ('git add' makes new ones tracked)" : "");
	if (untracked > 0)
		pe_app_note(
			app,
			"%zu untracked file%s or folder%s left out ('git add' makes them tracked)",
			untracked, untracked == 1 ? "" : "s", untracked == 1 ? " is" : "s are");
	return PE_OK;
}

static int resolve(const struct pe_comparing *comparing, struct pe_revision sides[2],
		   const char *old_spec, const char *new_spec)
{
	struct pe_app *app = comparing->app;

	PE_TRY(pe_repo_resolve(&sides[0], app->repo, old_spec, app->arena, app->err));
	sides[1] = sides[0];
	if (comparing->opts->worktree)
		return resolve_worktree(app, sides);
	if (is_one(comparing))
		return PE_OK;
	PE_TRY(pe_repo_resolve(&sides[1], app->repo, new_spec, app->arena, app->err));
	if (strcmp(sides[0].id, sides[1].id) != 0)
		return PE_OK;
	return pe_fail(
		app->err, PE_EINVALID,
		"'%s' and '%s' are the same commit, %.10s (--with compares two benchmarks of one)",
		old_spec, new_spec, sides[0].id);
}

/* Look for layout between two revisions; two benchmarks of one do different work. */
static int look_for_layout(struct pe_comparing *comparing)
{
	struct pe_session *session = &comparing->session;
	int rc;

	if (is_one(comparing) || comparing->opts->kept || !pe_comparing_asks_layout(comparing))
		return PE_OK;
	*session = (struct pe_session){0};
	rc = pe_session_open(session, comparing->app, true);
	if (rc == PE_OK)
		rc = choose(comparing);
	if (rc == PE_OK)
		rc = pe_comparing_layout(comparing);
	pe_session_close(session);
	return rc;
}

int pe_comparing_revisions(struct pe_comparing *comparing, const char *old_spec,
			   const char *new_spec)
{
	struct pe_app *app = comparing->app;
	struct pe_revision *sides = pe_arena_new(app->arena, struct pe_revision, 2);
	struct pe_compare_side *names[] = {&comparing->out.old_side, &comparing->out.new_side};
	const char *const benches[] = {comparing->opts->bench, comparing->opts->with};

	comparing->revisions = sides;
	comparing->out.counts_only = app->counts_only;
	PE_TRY(resolve(comparing, sides, old_spec, new_spec));
	PE_TRY(take(comparing));
	if (has_any_trees(comparing))
		PE_TRY(pe_comparing_changes(comparing, true));
	PE_TRY(look_for_layout(comparing));
	for (int side = 0; side < 2; side++) {
		names[side]->name = is_one(comparing)
					    ? pe_arena_printf(app->arena, "%s at %.8s",
							      benches[side], sides[side].id)
					    : pe_arena_strndup(app->arena, sides[side].id, 8);
		names[side]->id = pe_arena_strdup(app->arena, sides[side].id);
		names[side]->subject = sides[side].subject;
	}
	if (comparing->opts->worktree) {
		comparing->out.new_side.name = "the uncommitted tree";
		comparing->out.new_side.subject = NULL;
	}
	return PE_OK;
}
