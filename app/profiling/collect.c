/* Collecting a profile from end to end: which steps its way takes, what the store has of it, what it keeps. */
#include "app/profiling/collect_internal.h"

#include "core/base/array.h"
#include "core/base/clock.h"

#include <string.h>

/* --- What the store has --- */

enum pe_profile_mode pe_collecting_mode(enum pe_profile_mode asked,
					const struct pe_profile_plan *plan)
{
	if (asked != PE_PROFILE_DEFAULT)
		return asked;
	return plan->mode != PE_PROFILE_DEFAULT ? plan->mode : PE_PROFILE_BOTH;
}

/* A note in the store is all the advice, a sentence a line. */
static struct pe_strings split_note(const char *note, struct pe_arena *arena)
{
	pe_auto_free PE_VEC(const char *) lines = {NULL, 0, 0};
	const char **copy;

	while (note != NULL && *note != '\0') {
		size_t n = strcspn(note, "\n");

		pe_vec_push(&lines, pe_arena_strndup(arena, note, n));
		note += n + (note[n] == '\n');
	}
	copy = pe_vec_copy(arena, &lines);
	return (struct pe_strings){copy, lines.n};
}

static const char *join_advice(const struct pe_collecting *collecting)
{
	pe_auto_text text = PE_TEXT_INIT;

	for (size_t i = 0; i < collecting->advice.n; i++)
		pe_text_addf(&text, "%s%s", i > 0 ? "\n" : "", collecting->advice.data[i]);
	return pe_arena_strdup(collecting->arena, pe_text_str(&text));
}

static int find_row(struct pe_stored_profile *out, struct pe_app *app, int64_t machine,
		    const struct pe_benchmark *benchmark, const char *revision,
		    enum pe_profile_mode asked, struct pe_arena *arena)
{
	const struct pe_profile_plan *plan = pe_collecting_plan(benchmark);
	enum pe_profile_mode mode = pe_collecting_mode(asked, plan);
	char settings[PE_HASH_HEX];
	struct pe_profile_query query = {
		.machine = machine,
		.benchmark = benchmark->key,
		.revision = revision,
		.kind = mode == PE_PROFILE_COMMAND ? NULL : pe_profile_mode_name(mode),
		.settings = settings,
	};
	int rc;

	pe_profile_plan_hash(plan, settings);
	rc = pe_store_find_profile(out, app->store, &query, arena, app->err);
	if (rc == PE_ENOTFOUND && asked == PE_PROFILE_DEFAULT) {
		query.kind = NULL;
		query.settings = ""; /* of an import */
		rc = pe_store_find_profile(out, app->store, &query, arena, app->err);
	}
	return rc;
}

bool pe_collect_is_stored(struct pe_app *app, int64_t machine, const struct pe_benchmark *benchmark,
			  const char *revision)
{
	pe_auto_arena scratch = PE_ARENA_INIT;
	struct pe_stored_profile row;

	return find_row(&row, app, machine, benchmark, revision, PE_PROFILE_DEFAULT, &scratch) ==
	       PE_OK;
}

int pe_collecting_load_trees(struct pe_collected *out, struct pe_app *app, int64_t profile,
			     size_t n, struct pe_frames *frames, struct pe_arena *arena)
{
	out->n_trees = n;
	out->trees = pe_arena_new(arena, struct pe_cct *, n);
	for (size_t i = 0; i < n; i++)
		PE_TRY(pe_store_get_tree(&out->trees[i], app->store, profile, i, frames, arena,
					 app->err));
	out->cct = out->trees[0];
	return PE_OK;
}

int pe_collect_load(struct pe_collected *out, struct pe_app *app, int64_t machine,
		    const struct pe_benchmark *benchmark, const char *revision,
		    enum pe_profile_mode mode, bool all, struct pe_frames *frames,
		    struct pe_arena *arena)
{
	struct pe_stored_profile *row = &out->profile;
	int rc;

	*out = (struct pe_collected){.outcome = PE_MEASURED, .log = "", .loaded = true};
	PE_TRY(find_row(row, app, machine, benchmark, revision, mode, arena));
	out->advice = split_note(row->note, arena);
	rc = pe_collecting_load_trees(out, app, row->key, all ? row->n_trees : 1, frames, arena);
	if (rc == PE_ENOTFOUND)
		return pe_fail(app->err, PE_ESTORE,
			       "a profile of %.10s has lost a tree; collect it again with --again",
			       revision);
	return rc;
}

/* --- Keeping --- */

static int keep(struct pe_collecting *collecting)
{
	struct pe_session *session = collecting->session;
	struct pe_app *app = session->app;
	struct pe_collected *out = collecting->out;
	char settings[PE_HASH_HEX];
	size_t n = collecting->trees.n;

	pe_profile_plan_hash(collecting->plan, settings);
	out->trees = pe_vec_copy(collecting->arena, &collecting->trees);
	out->n_trees = n;
	out->cct = out->trees[0];
	out->advice = split_note(join_advice(collecting), collecting->arena);
	out->profile = (struct pe_stored_profile){
		.machine = session->machine_key,
		.benchmark = collecting->benchmark->key,
		.revision = collecting->revision->id,
		/* Also without samples, or a short run would be collected again each time. */
		.kind = collecting->mode == PE_PROFILE_BOTH ? pe_profile_mode_name(PE_PROFILE_BOTH)
							    : out->cct->facts.source,
		.settings = pe_arena_strdup(collecting->arena, settings),
		.tool = "perfevo " PE_VERSION,
		.file = "",
		.note = join_advice(collecting),
		.taken_s = pe_clock_now_s(),
		.n_trees = n,
	};
	out->untimed = collecting->untimed;
	if (out->untimed)
		return PE_OK;
	return pe_store_put_profile(&out->profile.key, app->store, &out->profile,
				    (const struct pe_cct *const *)out->trees, n, app->err);
}

/* --- Taking --- */

/* Without hooks there are no counts: what is left are samples. */
static int take_samples_instead(struct pe_collecting *collecting)
{
	const char *tool = pe_collecting_ignores_flags(&collecting->session->app->config->recipe);

	collecting->out->outcome = PE_MEASURED;
	collecting->out->stage = NULL;
	collecting->out->status = 0;
	collecting->out->log = "";
	pe_collecting_advise(
		collecting,
		"'%s' is profiled by samples alone: the functions of its programs have no hooks%s%s%s; 'profile: {mode: samples}' spares the attempt",
		collecting->benchmark->name, tool != NULL ? ", for " : "", tool != NULL ? tool : "",
		tool != NULL ? " does not read CFLAGS" : "");
	return pe_collecting_samples(collecting, NULL);
}

static int take(struct pe_collecting *collecting)
{
	struct pe_cct *calls = NULL;

	collecting->untimed = collecting->untimed && collecting->mode == PE_PROFILE_BOTH;
	if (collecting->mode == PE_PROFILE_COMMAND)
		return pe_collecting_command(collecting);
	if (collecting->mode != PE_PROFILE_SAMPLES)
		PE_TRY(pe_collecting_calls(&calls, collecting));
	collecting->untimed = collecting->untimed && calls != NULL;
	if (collecting->hookless && collecting->mode == PE_PROFILE_BOTH)
		return take_samples_instead(collecting);
	if (pe_collecting_goes_on(collecting) && !collecting->untimed &&
	    (collecting->mode == PE_PROFILE_BOTH || collecting->mode == PE_PROFILE_SAMPLES))
		PE_TRY(pe_collecting_samples(collecting, calls));
	else if (pe_collecting_goes_on(collecting))
		pe_vec_push(&collecting->trees, calls);
	return PE_OK;
}

static struct pe_collecting begin(struct pe_collected *out, struct pe_session *session,
				  const struct pe_revision *revision,
				  const struct pe_benchmark *benchmark, enum pe_profile_mode mode,
				  struct pe_frames *frames, struct pe_arena *arena)
{
	const struct pe_profile_plan *plan = pe_collecting_plan(benchmark);

	return (struct pe_collecting){
		.session = session,
		.revision = revision,
		.benchmark = benchmark,
		.plan = plan,
		.mode = pe_collecting_mode(mode, plan),
		.frames = frames,
		.arena = arena,
		.out = out,
	};
}

/* Store what was collected, unless it was stopped or came to a bad end. */
static int end(struct pe_collecting *collecting, int (*store)(struct pe_collecting *))
{
	struct pe_app *app = collecting->session->app;

	if (*app->interrupts > 0)
		return pe_fail(app->err, PE_ESTOPPED, "stopped while collecting");
	return pe_collecting_goes_on(collecting) ? store(collecting) : PE_OK;
}

int pe_collect(struct pe_collected *out, struct pe_session *session,
	       const struct pe_revision *revision, const struct pe_benchmark *benchmark,
	       const struct pe_collect_opts *opts, struct pe_frames *frames, struct pe_arena *arena)
{
	pe_auto_collecting collecting =
		begin(out, session, revision, benchmark, opts->mode, frames, arena);
	int rc;

	collecting.untimed = opts->untimed;
	if (!opts->again) {
		rc = pe_collect_load(out, session->app, session->machine_key, benchmark,
				     revision->id, opts->mode, true, frames, arena);
		if (rc != PE_ENOTFOUND)
			return rc;
	}
	*out = (struct pe_collected){.outcome = PE_MEASURED, .log = ""};
	PE_TRY(pe_collecting_open_slots(&collecting));
	PE_TRY(take(&collecting));
	return end(&collecting, keep);
}

int pe_collecting_alone(struct pe_collected *side, struct pe_session *session,
			const struct pe_revision *revision, const struct pe_benchmark *benchmark,
			struct pe_frames *frames, struct pe_arena *arena)
{
	const struct pe_cct *calls = side->cct;
	pe_auto_collecting collecting =
		begin(side, session, revision, benchmark, PE_PROFILE_BOTH, frames, arena);

	for (size_t i = 0; i < side->advice.n; i++)
		pe_vec_push(&collecting.advice, side->advice.at[i]);
	*side = (struct pe_collected){.outcome = PE_MEASURED, .log = ""};
	PE_TRY(pe_collecting_open_slots(&collecting));
	PE_TRY(pe_collecting_samples(&collecting, calls));
	return end(&collecting, keep);
}

/* --- More of it --- */

bool pe_collect_is_doubtful(const struct pe_collected *side)
{
	const uint32_t runs = side->cct != NULL ? side->cct->facts.counting_runs : 0;

	/* One run is of an older perfevo's timed mode, none of an import. */
	return runs > 1 && runs < PE_COLLECT_SURE_RUNS;
}

static int keep_again(struct pe_collecting *collecting)
{
	struct pe_app *app = collecting->session->app;
	struct pe_collected *side = collecting->again;

	memcpy(side->trees, collecting->trees.data, side->n_trees * sizeof(*side->trees));
	side->cct = side->trees[0];
	side->profile.taken_s = pe_clock_now_s();
	if (side->untimed)
		return PE_OK;
	return pe_store_put_profile(&side->profile.key, app->store, &side->profile,
				    (const struct pe_cct *const *)side->trees, side->n_trees,
				    app->err);
}

int pe_collect_more(struct pe_collected *side, struct pe_session *session,
		    const struct pe_revision *revision, const struct pe_benchmark *benchmark,
		    struct pe_frames *frames, struct pe_arena *arena)
{
	struct pe_collected scratch = {.outcome = PE_MEASURED, .log = ""};
	pe_auto_collecting collecting =
		begin(&scratch, session, revision, benchmark, PE_PROFILE_COUNTING, frames, arena);

	collecting.again = side;
	for (size_t i = 0; i < side->n_trees; i++)
		pe_vec_push(&collecting.trees, side->trees[i]);
	PE_TRY(pe_collecting_open_slots(&collecting));
	PE_TRY(pe_collecting_more_calls(&collecting, PE_COLLECT_SURE_RUNS));
	return end(&collecting, keep_again);
}
