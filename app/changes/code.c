#include "app/changes/code.h"

#include "app/changes/cross.h"
#include "app/profiling/collect_internal.h"
#include "app/measure/session.h"
#include "app/measure/trace.h"
#include "core/base/array.h"
#include "core/base/sort.h"

#include <stdlib.h>

struct comparison {
	struct pe_app *app;
	struct pe_session session;
	PE_VEC(const char *) paths; /* of programs, relative to the tree */
	struct pe_program sides[2]; /* before, after */
	bool *read[2];              /* beside the paths: there is such a program */
};

/* --- Which programs --- */

static void add_path(struct comparison *comparison, const char *path)
{
	/* Others are not of the tree, but of the machine. */
	if (path[0] != '/' && !pe_has_string(comparison->paths.data, comparison->paths.n, path))
		pe_vec_push(&comparison->paths, path);
}

/* The programs that a benchmark executed at any revision. @return  whether there is a record */
static bool add_executed(struct comparison *comparison, int64_t benchmark,
			 const struct pe_execution *executions, size_t n)
{
	bool any = false;

	for (size_t i = 0; i < n; i++) {
		struct pe_trace trace;

		if (executions[i].benchmark != benchmark)
			continue;
		any = true;
		pe_trace_unpack(&trace, executions[i].touched, NULL, comparison->app->arena);
		for (size_t p = 0; p < trace.touched.programs.n; p++)
			add_path(comparison, trace.touched.programs.at[p]);
	}
	return any;
}

/* A benchmark that was never run: the words of its command. Those that are no program are left out later. */
static void add_words(struct comparison *comparison, const struct pe_benchmark *benchmark)
{
	const struct pe_strings words = pe_benchmark_words(benchmark, comparison->app->arena);

	for (size_t i = 0; i < words.n; i++)
		add_path(comparison, words.at[i]);
}

static int find_programs(struct comparison *comparison)
{
	struct pe_app *app = comparison->app;
	struct pe_session *session = &comparison->session;
	struct pe_execution *executions;
	size_t n;

	PE_TRY(pe_store_executions(&executions, &n, app->store, session->machine_key, app->arena,
				   app->err));
	for (size_t w = 0; w < session->benchmarks.n; w++) {
		const struct pe_benchmark *one = session->benchmarks.data[w];

		if (!add_executed(comparison, one->key, executions, n))
			add_words(comparison, one);
	}
	pe_sort(comparison->paths.data, comparison->paths.n, pe_string_order);
	return PE_OK;
}

/* --- Building and reading --- */

/* Absent programs, folders and scripts are passed over: the other revision may have a program there. */
static int read_programs(struct comparison *comparison, int side, const char *tree)
{
	struct pe_app *app = comparison->app;
	const size_t n = comparison->paths.n;
	const char **paths = pe_arena_new(app->arena, const char *, n);
	int rc;

	for (size_t i = 0; i < n; i++)
		paths[i] = pe_arena_printf(app->arena, "%s/%s", tree, comparison->paths.data[i]);
	comparison->read[side] = pe_arena_new(app->arena, bool, n);
	rc = pe_code_read(&comparison->sides[side], comparison->read[side],
			  &(struct pe_strings){paths, n}, tree, app->arena, app->err);
	if (rc != PE_ENOTFOUND && rc != PE_EUNSUPPORTED && rc != PE_ESYS)
		return rc;
	*app->err = (struct pe_err)PE_ERR_INIT;
	return PE_OK;
}

/* Side by side where there is room for both. */
static int build_ahead(struct pe_session *session)
{
	const struct pe_build_request both[] = {
		pe_session_build_request(session, &session->revisions[session->n_revisions - 2]),
		pe_session_build_request(session, &session->revisions[session->n_revisions - 1])};

	return pe_session_build_ahead(NULL, session, both, 2);
}

/* One after the other: a budget for one build is enough. */
static int build_and_read(struct comparison *comparison, int which)
{
	struct pe_session *session = &comparison->session;
	struct pe_app *app = comparison->app;
	const struct pe_revision *revision =
		&session->revisions[session->n_revisions - 2 + (size_t)which];
	struct pe_build build;
	pe_auto_slot slot = NULL;

	PE_TRY(pe_session_build(&slot, &build, session, revision));
	if (slot == NULL)
		return pe_fail(app->err, PE_EFULL, "no room for a build: raise 'disk:' in %s",
			       app->config->path);
	if (build.outcome != PE_MEASURED)
		return pe_fail(app->err, PE_EUNSUPPORTED,
			       "%.10s %s: %s; its machine code cannot be compared", revision->id,
			       revision->subject, pe_outcome_say(build.outcome));
	PE_TRY(read_programs(comparison, which, slot->tree));
	return *app->interrupts > 0 ? PE_ESTOPPED : PE_OK;
}

static int cross(struct pe_crossing *out, const struct comparison *comparison,
		 const struct pe_revision_changes *changes)
{
	struct pe_app *app = comparison->app;
	const struct pe_program *before = &comparison->sides[0], *after = &comparison->sides[1];
	const char **paths = pe_arena_new(app->arena, const char *, comparison->paths.n);

	for (size_t i = 0; i < comparison->paths.n; i++)
		if (comparison->read[0][i] || comparison->read[1][i])
			paths[out->programs.n++] = comparison->paths.data[i];
	if (out->programs.n == 0)
		return pe_fail(
			app->err, PE_EUNSUPPORTED,
			"no benchmark is known to execute a program (ELF) of the build; 'perfevo track' records what scripts start");
	out->programs.at = paths;
	out->identical = before->identity.high == after->identity.high &&
			 before->identity.low == after->identity.low;
	out->exact = before->exact && after->exact;
	return pe_crossing_fill(out, app, changes, before, after);
}

/* --- Where the timed builds have no debug information --- */

/* Whether debug information would help: it does not for assembler's functions. */
static bool wants_debug(const struct pe_crossing *crossing, const struct comparison *comparison,
			const struct pe_revision_changes *changes)
{
	bool gaps = false;

	for (size_t i = 0; i < changes->methods.n; i++)
		gaps = gaps || crossing->methods[i].effect == PE_EFFECT_ABSENT;
	for (size_t i = 0; i < crossing->n_indirect; i++)
		gaps = gaps || crossing->indirect[i].component == NULL;
	return gaps && !(comparison->sides[0].lined && comparison->sides[1].lined);
}

/*
 * One side again, in a build that differs from the timed one in nothing but debug information and symbols. clang 14
 * was seen to compile one file in 149 differently with -g; both sides have it, so that what is equal stays so.
 */
static int read_debug(struct comparison *comparison, struct pe_collecting *collecting, int which)
{
	struct pe_session *session = &comparison->session;
	pe_auto_slot slot = NULL;

	collecting->revision = &session->revisions[session->n_revisions - 2 + (size_t)which];
	PE_TRY(pe_collecting_build(&slot, collecting, PE_BUILD_VARIANT_NATIVE));
	return slot != NULL ? read_programs(comparison, which, slot->tree) : PE_OK;
}

/* Leaves everything as it is where the project cannot be built like that. */
static int cross_debug(struct pe_crossing *out, struct comparison *comparison,
		       const struct pe_revision_changes *changes)
{
	static const struct pe_profile_plan plan;
	struct pe_collected outcome = {.outcome = PE_MEASURED, .log = ""};
	struct pe_collecting collecting = {
		.session = &comparison->session,
		.plan = &plan,
		.arena = comparison->app->arena,
		.out = &outcome,
	};
	const struct pe_session *session = &comparison->session;
	const struct pe_revision *const both[] = {&session->revisions[session->n_revisions - 2],
						  &session->revisions[session->n_revisions - 1]};
	struct pe_crossing crossing = {.methods = NULL};

	PE_TRY(pe_collecting_open_slots(&collecting));
	PE_TRY(pe_collecting_build_ahead(&collecting, both, 2, PE_BUILD_VARIANT_NATIVE));
	for (int side = 0; side < 2 && pe_collecting_goes_on(&collecting); side++)
		PE_TRY(read_debug(comparison, &collecting, side));
	if (!pe_collecting_goes_on(&collecting)) {
		pe_app_note(
			comparison->app,
			"%.10s does not build with -g: without debug information what was inlined is not known",
			collecting.revision->id);
		return PE_OK;
	}
	PE_TRY(cross(&crossing, comparison, changes));
	*out = crossing;
	return PE_OK;
}

static int compare(struct pe_crossing *out, struct comparison *comparison,
		   const struct pe_revision_changes *changes, const struct pe_revisions *revisions,
		   const char *bench)
{
	struct pe_session *session = &comparison->session;

	PE_TRY(pe_session_open(session, comparison->app, true));
	PE_TRY(pe_session_choose(session, revisions, bench));
	PE_TRY(pe_session_discover(session, bench));
	PE_TRY(find_programs(comparison));
	session->builds_done = 0;
	session->builds_total = 2;
	PE_TRY(build_ahead(session));
	for (int side = 0; side < 2; side++)
		PE_TRY(build_and_read(comparison, side));
	PE_TRY(cross(out, comparison, changes));
	if (wants_debug(out, comparison, changes))
		PE_TRY(cross_debug(out, comparison, changes));
	return PE_OK;
}

int pe_crossing_of(struct pe_crossing *out, struct pe_app *app,
		   const struct pe_revision_changes *changes, const struct pe_revision *before,
		   const struct pe_revision *after, const char *bench)
{
	struct pe_revision two[] = {*before, *after};
	const struct pe_revisions revisions = {two, 2, false, 0};
	struct comparison comparison = {.app = app};
	int rc = compare(out, &comparison, changes, &revisions, bench);

	pe_session_close(&comparison.session);
	pe_vec_release(&comparison.paths);
	return rc;
}
