/*
 * Revisions: two of them, or two benchmarks of one, measured in rounds where the store lacks runs, profiled where it lacks
 * trees, and loaded. Old and new are named by the user; their order in history matters to the session alone.
 */
#include "app/explain/compare.h"
#include "app/measure/epochs.h"
#include "app/measure/session.h"
#include "report/format.h"

#include <stdlib.h>
#include <string.h>

struct asked {
	struct pe_comparing *comparing;
	struct pe_app *app;
	struct pe_session session;
	struct pe_comparing_couple *couples; /* by pair */
	struct pe_revision sides[2];         /* old, new; equal with two benchmarks */
	bool one;                            /* one revision, two benchmarks */
};

/* --- Choice of revisions --- */

/* Whether `maybe` is a first-parent ancestor of a revision, within the distance at which sessions look for anchors. */
static int is_ancestor(bool *out, struct pe_app *app, const struct pe_revision *maybe,
		       const struct pe_revision *of)
{
	const struct pe_range range = {.spec = of->id, .last = 301};
	struct pe_revisions line;
	int rc = pe_repo_walk(&line, app->repo, &range, app->arena, app->err);

	*out = false;
	for (size_t i = 0; rc == PE_OK && i < line.n; i++)
		*out = *out || strcmp(line.at[i].id, maybe->id) == 0;
	return rc;
}

/* Open the session's revisions, oldest first. */
static int choose(struct asked *asked, const char *bench)
{
	struct pe_revision *at = pe_arena_new(asked->app->arena, struct pe_revision, 2);
	struct pe_revisions revisions = {at, asked->one ? 1 : 2, false};
	bool swapped = false;
	int rc = PE_OK;

	asked->session.names = asked->comparing->opts->names;
	if (!asked->one)
		rc = is_ancestor(&swapped, asked->app, &asked->sides[1], &asked->sides[0]);
	at[0] = asked->sides[swapped];
	at[1] = asked->sides[!swapped];
	if (rc == PE_OK)
		rc = pe_session_choose(&asked->session, &revisions, bench);
	if (rc == PE_OK && !asked->comparing->opts->kept)
		rc = pe_session_discover(&asked->session, bench);
	return rc;
}

static const struct pe_session_revision *find_revision(const struct asked *asked, int side)
{
	for (size_t r = asked->session.n_revisions; r-- > 0;)
		if (strcmp(asked->session.revisions[r].revision->id, asked->sides[side].id) == 0)
			return &asked->session.revisions[r];
	return NULL; /* not reached: both were chosen */
}

/* --- Measuring --- */

static int measure(struct asked *asked)
{
	struct pe_session *session = &asked->session;
	struct pe_plan plan;
	int rc = pe_session_plan(&plan, session, 0);

	session->count.total = session->count.done + plan.runs;
	session->builds_done = 0;
	session->builds_total = plan.builds;
	if (rc == PE_OK && plan.runs > 0)
		rc = pe_session_measure(session);
	return rc == PE_OK && !asked->one ? pe_epochs_link(session, true) : rc;
}

/* --- Pairs --- */

static const struct pe_session_benchmark *find_benchmark(const struct asked *asked,
							 const char *name)
{
	const struct pe_session *session = &asked->session;

	for (size_t w = 0; w < session->benchmarks.n; w++)
		if (strcmp(session->benchmarks.data[w].benchmark->name, name) == 0)
			return &session->benchmarks.data[w];
	return NULL;
}

static int find_named(const struct pe_session_benchmark **out, const struct asked *asked,
		      const char *name)
{
	struct pe_app *app = asked->app;

	*out = find_benchmark(asked, name);
	if (*out != NULL)
		return PE_OK;
	return pe_fail(app->err, PE_EINVALID, "%s has no benchmark '%s'", app->config->path, name);
}

static int fill_values(struct asked *asked, size_t p, bool *apart)
{
	const struct pe_comparing_couple *couple = &asked->couples[p];
	const struct pe_cells cells = {
		.app = asked->app,
		.machine = asked->session.machine_key,
		.at = {{couple->benchmarks[0]->key, find_revision(asked, 0)->key},
		       {couple->benchmarks[1]->key, find_revision(asked, 1)->key}},
		.confidence = asked->comparing->confidence,
	};

	return pe_cells_compare(&asked->comparing->pairs.data[p], apart, &cells);
}

static int fill_all_values(struct asked *asked, bool *apart)
{
	int rc = PE_OK;

	*apart = false;
	for (size_t p = 0; rc == PE_OK && p < asked->comparing->pairs.n; p++)
		rc = fill_values(asked, p, apart);
	return rc;
}

/* Take confirmed jumps into the values. Two benchmarks of one revision have no history between them. */
static int take_jumps(struct asked *asked)
{
	struct pe_comparing *comparing = asked->comparing;
	int64_t *keys = pe_arena_new(asked->app->arena, int64_t, comparing->pairs.n);
	const struct pe_cells_jumps jumps = {
		.pairs = comparing->pairs.data,
		.benchmarks = keys,
		.n = comparing->pairs.n,
		.machine = comparing->machine_key,
		.ids = {asked->sides[0].id, asked->sides[1].id},
	};

	for (size_t p = 0; p < comparing->pairs.n; p++)
		keys[p] = asked->couples[p].benchmarks[1]->key;
	return asked->one ? PE_OK : pe_cells_take_jumps(&jumps, asked->app);
}

/* Fill all values again. A metric that a confirmed jump decides is not measured further. */
static int fill_again(void *payload)
{
	struct asked *asked = payload;
	bool apart;
	int rc = fill_all_values(asked, &apart);

	return rc == PE_OK ? take_jumps(asked) : rc;
}

/*
 * Measure, and fill all values. Runs that were never in one round also differ by the machine's state at their time; then
 * both sides are measured again in common rounds.
 */
static int measure_and_fill(struct asked *asked)
{
	bool apart = false;
	int rc;

	asked->session.again = asked->comparing->opts->again;
	/*
	 * A benchmark whose executed code and read files are equal is the same, and needs no run, unless runs are requested,
	 * or a difference of layout is to fail.
	 */
	asked->session.unskipped =
		asked->comparing->opts->again || asked->app->config->gate.layout_fails;
	rc = measure(asked);
	if (rc == PE_OK)
		rc = fill_all_values(asked, &apart);
	if (rc != PE_OK || !apart)
		return rc;
	pe_app_note(asked->app,
		    "old and new never ran in the same rounds: measuring them together");
	asked->session.again = true;
	rc = measure(asked);
	return rc == PE_OK ? fill_all_values(asked, &apart) : rc;
}

/* --- Profiles --- */

static const char *say_failure(const struct asked *asked, const struct pe_collected *collected,
			       int side)
{
	const char *log = collected->log;
	size_t n = strcspn(log, "\n");

	while (n > 0 && strchr(": ", log[n - 1]) != NULL)
		n--;
	return pe_arena_printf(
		asked->app->arena,
		"%s could not be profiled: %s: %s%s%.*s; 'perfevo profile %.10s' shows the whole message",
		side == 0 ? "old" : "new", collected->stage, pe_collected_why(collected),
		n > 0 ? ": " : "", (int)(n < 200 ? n : 200), log, asked->sides[side].id);
}

/* Report a failed profile of one side, or the advice on it. */
static void tell(const struct pe_collected *out, const char **problem, struct asked *asked,
		 const struct pe_session_benchmark *benchmark, int side)
{
	if (out->cct == NULL) {
		*problem = say_failure(asked, out, side);
		asked->comparing->unmeasurable = true;
		return;
	}
	for (size_t i = 0; i < out->advice.n; i++)
		pe_app_note(asked->app, "%s, %.10s: %s", benchmark->benchmark->name,
			    asked->sides[side].id, out->advice.at[i]);
}

/* Collect one side's trees. Times of two revisions come later, in turns: collect_beside(). */
static int collect(struct pe_collected *out, const char **problem, struct asked *asked,
		   const struct pe_session_benchmark *benchmark, int side)
{
	struct pe_comparing *comparing = asked->comparing;
	const bool counted = asked->app->counts_only;
	const struct pe_collect_opts opts = {.mode = counted ? PE_PROFILE_COUNTING
							     : PE_PROFILE_DEFAULT,
					     .again = comparing->opts->again,
					     .untimed = !asked->one && !counted};
	int rc = pe_collect(out, &asked->session, find_revision(asked, side), benchmark, &opts,
			    &comparing->frames, asked->app->arena);

	if (rc == PE_OK && !out->untimed)
		tell(out, problem, asked, benchmark, side);
	return rc;
}

/* Sample two revisions in turns, for their times. */
static int collect_beside(struct pe_collected sides[2], struct asked *asked,
			  const struct pe_comparing_couple *couple, size_t pair)
{
	struct pe_comparing *comparing = asked->comparing;
	const struct pe_session_revision *revisions[] = {find_revision(asked, 0),
							 find_revision(asked, 1)};
	const bool untimed[] = {sides[0].untimed, sides[1].untimed};
	int rc = pe_collect_beside(sides, &asked->session, revisions, couple->benchmarks,
				   &comparing->frames, asked->app->arena);

	for (int side = 0; rc == PE_OK && side < 2; side++)
		if (untimed[side])
			tell(&sides[side], &comparing->pairs.data[pair].problem, asked,
			     couple->benchmarks[side], side);
	return rc;
}

/* Sample further until the requested change is decided. */
static int sample_more(struct pe_collected sides[2], struct asked *asked,
		       const struct pe_comparing_couple *couple, size_t pair)
{
	struct pe_comparing *comparing = asked->comparing;
	const struct pe_session_revision *revisions[] = {find_revision(asked, 0),
							 find_revision(asked, 1)};
	int rc = PE_OK;

	if (comparing->opts->min_change > 0)
		rc = pe_comparing_source_changes(comparing, &asked->sides[0], &asked->sides[1]);
	if (rc == PE_OK)
		rc = pe_comparing_sample_more(sides, comparing, &asked->session, pair, revisions,
					      couple->benchmarks);
	return rc;
}

struct both {
	struct pe_collected at[2];
};

/* Load one side's trees from the store. */
static int load_one(struct pe_collected *out, const char **problem, struct asked *asked,
		    const struct pe_session_benchmark *benchmark, int side)
{
	static const char *const words[] = {"old", "new"};
	int rc = pe_collect_load(out, asked->app, asked->session.machine_key, benchmark,
				 asked->sides[side].id,
				 asked->app->counts_only ? PE_PROFILE_COUNTING : PE_PROFILE_DEFAULT,
				 true, &asked->comparing->frames, asked->app->arena);

	if (rc != PE_ENOTFOUND)
		return rc;
	*problem = pe_arena_printf(
		asked->app->arena,
		"no profile of %s is stored ('perfevo compare%s %.10s %.10s' collects it)",
		words[side], asked->app->counts_only ? " --counts" : "", asked->sides[0].id,
		asked->sides[1].id);
	return PE_OK;
}

static int load_beside(struct pe_collected sides[2], struct asked *asked)
{
	int rc = pe_collect_load_beside(sides, asked->app, &asked->comparing->frames,
					asked->app->arena);

	return rc == PE_ENOTFOUND ? PE_OK : rc;
}

/* The reason why trees have counts and no times; NULL: they have times, or only counts were requested. */
static const char *why_untimed(const struct pe_collected sides[2],
			       const struct pe_session_benchmark *benchmark)
{
	const struct pe_profile_plan *plan = benchmark->benchmark->profile;
	bool timed = true, counted = true;

	for (int side = 0; side < 2; side++) {
		const struct pe_cct *cct = sides[side].cct;

		if (cct == NULL)
			return NULL;
		timed = timed && (cct->known & PE_CCT_TIME) != 0;
		counted = counted && (cct->known & PE_CCT_CALLS) != 0;
	}
	/* With counts alone requested, it needs no explanation. */
	if (timed || !counted || (plan != NULL && plan->mode == PE_PROFILE_COUNTING))
		return NULL;
	return "times of calls are unknown, because the runs are too short to be sampled: the explanation "
	       "uses counts of calls and allocations. For times, use a longer benchmark, or more "
	       "'profile: {runs: ...}' in perfevo.yml, with --again";
}

/* A note that profiles are of a whole suite; NULL: the benchmark ran alone. */
static const char *why_whole(const struct asked *asked, const struct pe_benchmark *benchmark)
{
	if (!benchmark->is_whole_suite)
		return NULL;
	return pe_arena_printf(
		asked->app->arena,
		"the profiles are of the whole suite '%s', so that what is named below may have changed in "
		"another of its benchmarks: perfevo has no way to run one of them alone ('filter' of "
		"the suite in perfevo.yml gives it one)",
		benchmark->suite->name);
}

/* Count more runs of unsure pairs. Source changes are found again later, with all frames. */
static int make_sure(struct asked *asked, struct both *sides)
{
	const struct pe_session_revision *revisions[2];
	struct pe_comparing *comparing = asked->comparing;
	bool any = false;
	int rc;

	for (size_t p = 0; p < comparing->pairs.n; p++)
		any = any || pe_comparing_is_unsure(sides[p].at);
	if (!any || asked->one)
		return PE_OK;
	revisions[0] = find_revision(asked, 0);
	revisions[1] = find_revision(asked, 1);
	rc = pe_comparing_source_changes(comparing, &asked->sides[0], &asked->sides[1]);
	for (size_t p = 0; rc == PE_OK && p < comparing->pairs.n; p++)
		rc = pe_comparing_make_sure(sides[p].at, comparing, &asked->session, revisions,
					    asked->couples[p].benchmarks);
	return rc;
}

/* Whether a pair's own trees are to be collected. */
static bool is_collected(const struct pe_compare_pair *pair)
{
	return !pair->same && !pair->unprofiled && pair->problem == NULL;
}

/* Build both sides and all variants in parallel. */
static int build_ahead(struct asked *asked)
{
	const struct pe_comparing *comparing = asked->comparing;
	const struct pe_collect_opts opts = {.mode = asked->app->counts_only ? PE_PROFILE_COUNTING
									     : PE_PROFILE_DEFAULT,
					     .again = comparing->opts->again};
	pe_auto_free PE_VEC(struct pe_collect_side) sides = {NULL, 0, 0};

	if (comparing->opts->kept)
		return PE_OK;
	for (size_t p = 0; p < comparing->pairs.n; p++)
		for (int side = 0; side < 2 && is_collected(&comparing->pairs.data[p]); side++)
			pe_vec_push(&sides,
				    (struct pe_collect_side){find_revision(asked, side),
							     asked->couples[p].benchmarks[side]});
	return pe_collect_ahead(&asked->session, sides.data, sides.n, &opts);
}

/* Whether both revisions of a pair have trees; false for two benchmarks of one, which do different work. */
static bool has_both(const struct asked *asked, const struct both *sides)
{
	return !asked->one && sides->at[0].cct != NULL && sides->at[1].cct != NULL;
}

static int take_charges(struct asked *asked, const struct both *sides)
{
	const struct pe_session_revision *revisions[] = {find_revision(asked, 0),
							 find_revision(asked, 1)};
	struct pe_comparing *comparing = asked->comparing;
	int rc = PE_OK;

	for (size_t p = 0; rc == PE_OK && p < comparing->pairs.n; p++)
		if (has_both(asked, &sides[p]))
			rc = pe_comparing_charges(&comparing->pairs.data[p], comparing, sides[p].at,
						  &asked->session, revisions,
						  asked->couples[p].benchmarks[1]);
	return rc;
}

/* Collect all of old before all of new, so that frames added later have new's lines. */
static int collect_all(struct asked *asked)
{
	struct pe_comparing *comparing = asked->comparing;
	const struct pe_comparing_couple *couples = asked->couples;
	size_t n = comparing->pairs.n;
	struct both *sides = pe_arena_new(asked->app->arena, struct both, n);
	int (*get)(struct pe_collected *, const char **, struct asked *,
		   const struct pe_session_benchmark *, int) =
		comparing->opts->kept ? load_one : collect;
	int rc = build_ahead(asked);

	for (int side = 0; side < 2; side++) {
		for (size_t p = 0; rc == PE_OK && p < n; p++) {
			struct pe_compare_pair *pair = &comparing->pairs.data[p];

			if (is_collected(pair))
				rc = get(&sides[p].at[side], &pair->problem, asked,
					 couples[p].benchmarks[side], side);
		}
		if (side == 0)
			comparing->n_old_frames = comparing->frames.n;
	}
	if (rc == PE_OK && !comparing->opts->kept)
		rc = make_sure(asked, sides);
	for (size_t p = 0; rc == PE_OK && p < n; p++)
		if (has_both(asked, &sides[p]))
			rc = comparing->opts->kept
				     ? load_beside(sides[p].at, asked)
				     : collect_beside(sides[p].at, asked, &couples[p], p);
	if (rc == PE_OK)
		rc = take_charges(asked, sides);
	for (size_t p = 0; rc == PE_OK && p < n; p++) {
		if (has_both(asked, &sides[p]) && !comparing->opts->kept)
			rc = sample_more(sides[p].at, asked, &couples[p], p);
		comparing->pairs.data[p].untimed =
			asked->app->counts_only
				? NULL
				: why_untimed(sides[p].at, couples[p].benchmarks[1]);
		comparing->pairs.data[p].whole =
			why_whole(asked, couples[p].benchmarks[1]->benchmark);
		for (int side = 0; side < 2; side++)
			comparing->sides.data[p].at[side] = (struct pe_comparing_trees){
				sides[p].at[side].trees, sides[p].at[side].n_trees};
	}
	return rc;
}

static bool has_any_trees(const struct pe_comparing *comparing)
{
	for (size_t p = 0; p < comparing->pairs.n; p++)
		if (pe_comparing_has_trees(&comparing->sides.data[p]))
			return true;
	return false;
}

/* --- All steps --- */

static void add_pair(struct asked *asked, struct pe_comparing_couple *couples,
		     const struct pe_session_benchmark *old_one,
		     const struct pe_session_benchmark *new_one)
{
	struct pe_comparing *comparing = asked->comparing;
	struct pe_compare_pair pair = {.name = old_one->benchmark->name};

	if (new_one != old_one)
		pair.with_name = new_one->benchmark->name;
	couples[comparing->pairs.n] = (struct pe_comparing_couple){{old_one, new_one}};
	pe_vec_push(&comparing->pairs, pair);
	pe_vec_push(&comparing->sides, (struct pe_comparing_sides){{{NULL, 0}}});
}

static int make_pairs(struct asked *asked)
{
	const struct pe_comparing_opts *opts = asked->comparing->opts;
	struct pe_session *session = &asked->session;
	const struct pe_session_benchmark *from, *to;
	struct pe_session_benchmark *two;
	struct pe_comparing_couple *couples = pe_arena_new(
		asked->app->arena, struct pe_comparing_couple, session->benchmarks.n + 1);
	int rc = PE_OK;

	asked->couples = couples;
	if (!asked->one) {
		for (size_t w = 0; w < session->benchmarks.n; w++)
			add_pair(asked, couples, &session->benchmarks.data[w],
				 &session->benchmarks.data[w]);
		if (session->benchmarks.n == 0)
			rc = pe_session_fail_without(session, opts->bench);
		return rc;
	}
	rc = find_named(&from, asked, opts->bench);
	if (rc == PE_OK)
		rc = find_named(&to, asked, opts->with);
	if (rc == PE_OK && from == to)
		rc = pe_fail(asked->app->err, PE_EINVALID, "--bench and --with name one benchmark");
	if (rc != PE_OK)
		return rc;
	/* Measure these two benchmarks alone. */
	two = pe_arena_new(asked->app->arena, struct pe_session_benchmark, 2);
	two[0] = *from;
	two[1] = *to;
	add_pair(asked, couples, &two[0], &two[1]);
	memcpy(session->benchmarks.data, two, 2 * sizeof(*two));
	session->benchmarks.n = 2;
	return PE_OK;
}

/* Note the keys under which changes of machine code are stored. */
static void note_builds(struct asked *asked)
{
	asked->comparing->machine_key = asked->session.machine_key;
	memcpy(asked->comparing->recipe_hash, asked->session.recipe_hash,
	       sizeof(asked->session.recipe_hash));
}

/* Take stored results. Planning is in a transaction that is rolled back, and without the machine's lock. */
static int take_kept(struct asked *asked)
{
	struct pe_app *app = asked->app;
	const char *const ids[] = {asked->sides[0].id, asked->sides[1].id};
	bool apart;
	int rc = pe_store_begin(app->store, app->err);

	if (rc != PE_OK)
		return rc;
	rc = pe_session_open(&asked->session, app, false);
	if (rc == PE_OK)
		rc = choose(asked, asked->one ? NULL : asked->comparing->opts->bench);
	if (rc == PE_OK)
		rc = make_pairs(asked);
	if (rc == PE_OK)
		rc = pe_comparing_machine(&asked->session.machine_key, asked->comparing,
					  &asked->session, asked->couples, ids);
	if (rc == PE_OK)
		rc = fill_all_values(asked, &apart);
	note_builds(asked);
	if (rc == PE_OK)
		rc = take_jumps(asked);
	if (rc == PE_OK)
		rc = collect_all(asked);
	pe_session_close(&asked->session);
	pe_store_rollback(app->store);
	return rc;
}

/* Note the change of a pair's instructions: "+4.8 % instructions; most of it in `hash`, +28,504,713". */
static void say_counted(const struct pe_compare_pair *pair, const struct pe_app *app)
{
	const struct pe_function_changes *functions = pair->functions;
	const struct pe_function_change *most;
	pe_auto_text text = PE_TEXT_INIT;

	if (functions == NULL || functions->old_whole == 0)
		return;
	if (functions->n == 0) {
		pe_app_note(app, "%s: no function executes more or fewer instructions", pair->name);
		return;
	}
	most = &functions->at[0];
	pe_format_change(&text, (double)functions->new_whole / (double)functions->old_whole - 1);
	pe_text_addf(&text, " instructions; most of it in `%s`, %s", most->name,
		     most->amount > 0 ? "+" : "");
	pe_format_value(&text, (double)most->amount, "1");
	pe_app_note(app, "%s: %s", pair->name, pe_text_str(&text));
}

/* Print the differences of the counts once all benchmarks are counted, long before their times. */
static void look_at_counts(void *payload)
{
	struct asked *asked = payload;
	bool apart, all = fill_all_values(asked, &apart) == PE_OK;

	for (size_t p = 0; p < asked->comparing->pairs.n; p++)
		all = all && asked->comparing->pairs.data[p].functions != NULL;
	for (size_t p = 0; all && p < asked->comparing->pairs.n; p++)
		say_counted(&asked->comparing->pairs.data[p], asked->app);
	if (all)
		asked->session.look = NULL;
}

static int take(struct asked *asked)
{
	const struct pe_comparing_opts *opts = asked->comparing->opts;
	int rc = pe_session_open(&asked->session, asked->app, true);

	if (rc == PE_OK)
		rc = choose(asked, asked->one ? NULL : opts->bench);
	if (rc == PE_OK)
		rc = make_pairs(asked);
	note_builds(asked);
	if (!asked->app->counts_only) {
		asked->session.look = look_at_counts;
		asked->session.look_payload = asked;
	}
	if (rc == PE_OK)
		rc = measure_and_fill(asked);
	asked->session.look = NULL;
	if (rc == PE_OK && !asked->app->counts_only)
		rc = take_jumps(asked);
	if (rc == PE_OK && !asked->app->counts_only)
		rc = pe_comparing_decide(asked->comparing, &asked->session, asked->couples,
					 fill_again, asked);
	if (rc == PE_OK)
		pe_comparing_leave_small(asked->comparing);
	if (rc == PE_OK)
		rc = collect_all(asked);
	pe_session_close(&asked->session);
	return rc;
}

static int resolve_worktree(struct asked *asked)
{
	struct pe_app *app = asked->app;
	size_t untracked;
	int rc = pe_repo_snapshot(&asked->sides[1], &untracked, app->repo, app->arena, app->err);

	if (rc == PE_OK && strcmp(asked->sides[0].id, asked->sides[1].id) == 0)
		return pe_fail(app->err, PE_EINVALID,
			       "nothing is uncommitted: the tracked files are those of %.10s%s",
			       asked->sides[0].id,
			       untracked > 0 ? " ('git add' makes new ones tracked)" : "");
	if (rc == PE_OK && untracked > 0)
		pe_app_note(
			app,
			"%zu untracked file%s or folder%s left out ('git add' makes them tracked)",
			untracked, untracked == 1 ? "" : "s", untracked == 1 ? " is" : "s are");
	return rc;
}

static int resolve(struct asked *asked, const char *old_spec, const char *new_spec)
{
	struct pe_app *app = asked->app;
	int rc = pe_repo_resolve(&asked->sides[0], app->repo, old_spec, app->arena, app->err);

	if (rc != PE_OK)
		return rc;
	asked->sides[1] = asked->sides[0];
	if (asked->comparing->opts->worktree)
		return resolve_worktree(asked);
	if (asked->one)
		return PE_OK;
	rc = pe_repo_resolve(&asked->sides[1], app->repo, new_spec, app->arena, app->err);
	if (rc == PE_OK && strcmp(asked->sides[0].id, asked->sides[1].id) == 0)
		rc = pe_fail(
			app->err, PE_EINVALID,
			"'%s' and '%s' are the same commit, %.10s (--with compares two benchmarks of one)",
			old_spec, new_spec, asked->sides[0].id);
	return rc;
}

/* Look for layout between two revisions; two benchmarks of one do different work. */
static int look_for_layout(struct asked *asked)
{
	struct pe_session *session = &asked->session;
	size_t at[2];
	int rc;

	if (asked->one || asked->comparing->opts->kept ||
	    !pe_comparing_asks_layout(asked->comparing))
		return PE_OK;
	*session = (struct pe_session){0};
	rc = pe_session_open(session, asked->app, true);
	if (rc == PE_OK)
		rc = choose(asked, asked->comparing->opts->bench);
	for (int side = 0; rc == PE_OK && side < 2; side++)
		at[side] = (size_t)(find_revision(asked, side) - session->revisions);
	if (rc == PE_OK)
		rc = pe_comparing_layout(asked->comparing, session, at);
	pe_session_close(session);
	return rc;
}

static void name_side(struct pe_compare_side *out, const struct pe_revision *revision,
		      struct pe_arena *arena)
{
	out->name = pe_arena_strndup(arena, revision->id, 8);
	out->id = pe_arena_strdup(arena, revision->id);
	out->subject = revision->subject;
}

static void name_benchmark(struct pe_compare_side *side, const char *bench,
			   const struct pe_app *app)
{
	side->name = pe_arena_printf(app->arena, "%s at %s", bench, side->name);
}

int pe_comparing_revisions(struct pe_comparing *comparing, const char *old_spec,
			   const char *new_spec)
{
	struct asked asked = {.comparing = comparing, .app = comparing->app};
	int rc;

	asked.one = comparing->opts->with != NULL;
	comparing->out.counts_only = comparing->app->counts_only;
	rc = resolve(&asked, old_spec, new_spec);
	if (rc == PE_OK)
		rc = comparing->opts->kept ? take_kept(&asked) : take(&asked);
	if (rc == PE_OK && has_any_trees(comparing))
		rc = pe_comparing_changes(comparing, &asked.sides[0], &asked.sides[1]);
	if (rc == PE_OK)
		rc = look_for_layout(&asked);
	comparing->revisions = memcpy(pe_arena_new(comparing->app->arena, struct pe_revision, 2),
				      asked.sides, sizeof(asked.sides));
	name_side(&comparing->out.old_side, &asked.sides[0], comparing->app->arena);
	name_side(&comparing->out.new_side, &asked.sides[1], comparing->app->arena);
	if (asked.one) {
		name_benchmark(&comparing->out.old_side, comparing->opts->bench, comparing->app);
		name_benchmark(&comparing->out.new_side, comparing->opts->with, comparing->app);
	}
	if (comparing->opts->worktree) {
		comparing->out.new_side.name = "the uncommitted tree";
		comparing->out.new_side.subject = NULL;
	}
	return rc;
}
