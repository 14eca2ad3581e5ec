#include "app/measure/reuse.h"

#include "app/measure/identity.h"
#include "methods/extract.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A revision that was probed: others are reused from it. */
struct representative {
	int64_t revision;  /**< key */
	const char *lines; /**< what it touched, packed: equal ones are hashed once */
	struct pe_dependencies touched;
	const char *identity;
	bool planned; /**< it is measured in this session */
};

typedef PE_VEC(struct representative) representatives;

struct pe_reuse {
	struct pe_session *session;
	representatives *by_benchmark; /**< by the session's index */
	size_t n;
};

int pe_reuse_new(struct pe_reuse **out, struct pe_session *session)
{
	struct pe_app *app = session->app;
	struct pe_execution *executions;
	struct pe_reuse *reuse;
	size_t n;
	int rc;

	*out = NULL;
	if (session->again || session->runner.alloc_library == NULL)
		return PE_OK;
	rc = pe_store_executions(&executions, &n, app->store, session->machine_key, session->arena,
				 app->err);
	if (rc != PE_OK)
		return rc;
	reuse = pe_arena_new(session->arena, struct pe_reuse, 1);
	reuse->session = session;
	reuse->n = session->benchmarks.n;
	reuse->by_benchmark = pe_arena_new(session->arena, representatives, reuse->n);
	for (size_t i = 0; i < n; i++) {
		struct representative one = {
			.revision = executions[i].revision,
			.lines = executions[i].touched,
			.identity = executions[i].identity,
		};
		size_t w = pe_session_benchmark_of(session, executions[i].benchmark);

		pe_dependencies_unpack(&one.touched, one.lines, session->arena);
		if (w != SIZE_MAX)
			pe_vec_push(&reuse->by_benchmark[w], one);
	}
	*out = reuse;
	return PE_OK;
}

void pe_reuse_free(struct pe_reuse *reuse)
{
	if (reuse == NULL)
		return;
	for (size_t w = 0; w < reuse->n; w++)
		pe_vec_release(&reuse->by_benchmark[w]);
}

/* --- Comparing --- */

/* A source must have figures, or get them in this session. */
static bool is_source(const struct representative *one, const struct pe_known *known,
		      int64_t benchmark)
{
	const struct pe_coverage *have = pe_known_cell(known, one->revision, benchmark);

	if (have != NULL && have->failure != PE_MEASURED)
		return false;
	return one->planned || (have != NULL && have->timed > 0);
}

/*
 * The representative, newest first, whose execution is the same in this tree. Most of a benchmark's
 * representatives touched the same paths: each list is hashed once.
 */
static int find_source(const struct representative **out, const representatives *all,
		       const struct pe_known *known, int64_t revision, int64_t benchmark,
		       const char *tree, struct pe_err *err)
{
	const char *lines = NULL;
	char identity[PE_XXH_TEXT] = "";

	*out = NULL;
	for (size_t i = all->n; i-- > 0 && *out == NULL;) {
		const struct representative *one = &all->data[i];
		int rc = PE_OK;

		if (one->revision == revision || !is_source(one, known, benchmark))
			continue;
		if (lines == NULL || strcmp(lines, one->lines) != 0)
			rc = pe_identity_of(identity, &one->touched, tree, err);
		if (rc != PE_OK)
			return rc;
		lines = one->lines;
		if (strcmp(identity, one->identity) == 0)
			*out = one;
	}
	return PE_OK;
}

/* --- Stale builds --- */

/* File systems stamp with a clock that ticks: up to this much behind. */
static const int64_t TICK_NS = 10 * 1000 * 1000;

static bool is_old(const struct pe_dependencies *touched, const struct pe_slot *slot,
		   int64_t started_ns)
{
	pe_auto_text path = PE_TEXT_INIT;
	bool old = touched->programs.n > 0;

	for (size_t i = 0; i < touched->programs.n && old; i++) {
		struct stat info;

		pe_text_clear(&path);
		pe_text_addf(&path, "%s/%s", slot->tree, touched->programs.at[i]);
		old = stat(path.data, &info) == 0 &&
		      (int64_t)info.st_mtim.tv_sec * 1000000000 + info.st_mtim.tv_nsec <
			      started_ns - TICK_NS;
	}
	return old;
}

/* Sources that differ between the revision whose products were kept and the one built from them. */
static int count_sources(size_t *out, struct pe_session *session, const char *from, const char *to)
{
	struct pe_app *app = session->app;
	const struct pe_changes_query query = {.before = from, .after = to};
	struct pe_changed_files files;
	int rc = pe_repo_changes(&files, app->repo, &query, session->arena, app->err);

	*out = 0;
	for (size_t i = 0; rc == PE_OK && i < files.n; i++)
		*out += pe_language_of(files.at[i].path) != NULL;
	return rc;
}

static int tell_stale(struct pe_session *session, const struct representative *source,
		      const struct pe_slot *slot, const char *id, const struct pe_build *build)
{
	size_t sources;
	int rc;

	if (build->from[0] == '\0' || !is_old(&source->touched, slot, build->started_ns))
		return PE_OK;
	rc = count_sources(&sources, session, build->from, id);
	if (rc == PE_OK && sources > 0)
		pe_app_note(
			session->app,
			"%.10s: %zu source files differ from %.10s, and the build left %s as it was: if that is wrong, 'clean: always' builds it anew",
			id, sources, build->from, source->touched.programs.at[0]);
	return rc;
}

/* --- Trying --- */

static bool was_probed(const representatives *all, int64_t revision)
{
	for (size_t i = 0; i < all->n; i++)
		if (all->data[i].revision == revision)
			return true;
	return false;
}

/* The file given as stdin is opened before the program starts: it is read all the same. */
static void add_input(struct pe_dependencies *touched, const struct pe_benchmark *benchmark,
		      struct pe_arena *arena)
{
	const char **files;

	if (benchmark->input == NULL || benchmark->input[0] == '/')
		return;
	files = pe_arena_new(arena, const char *, touched->files.n + 1);
	if (touched->files.n > 0)
		memcpy(files, touched->files.at, touched->files.n * sizeof(*files));
	files[touched->files.n] = benchmark->input;
	touched->files = (struct pe_strings){files, touched->files.n + 1};
}

/* See what a cell executes, so that later ones can be reused from it. */
static int probe(struct pe_reuse *reuse, size_t r, size_t w, const char *tree)
{
	struct pe_session *session = reuse->session;
	struct pe_app *app = session->app;
	const struct pe_session_benchmark *benchmark = &session->benchmarks.data[w];
	struct pe_run run = {.kind = PE_RUN_ALLOCATIONS};
	struct representative one = {.revision = session->revisions[r].key, .planned = true};
	struct pe_execution execution = {one.revision, benchmark->key, NULL, NULL};
	char identity[PE_XXH_TEXT];
	int rc = pe_runner_probe(&one.touched, &run, &session->runner, benchmark->benchmark, tree,
				 session->arena, app->err);

	/* A benchmark that fails here fails in its own run, and is recorded there. */
	if (rc != PE_OK || run.outcome != PE_MEASURED || !one.touched.complete)
		return rc;
	add_input(&one.touched, benchmark->benchmark, session->arena);
	rc = pe_identity_of(identity, &one.touched, tree, app->err);
	if (rc != PE_OK)
		return rc;
	one.lines = pe_dependencies_pack(&one.touched, session->arena);
	one.identity = pe_arena_strdup(session->arena, identity);
	execution.touched = one.lines;
	execution.identity = one.identity;
	pe_vec_push(&reuse->by_benchmark[w], one);
	return pe_store_put_execution(app->store, session->machine_key, &execution, app->err);
}

int pe_reuse_try(bool *reused, struct pe_reuse *reuse, const struct pe_known *known,
		 size_t revision, size_t benchmark, const struct pe_slot *slot,
		 const struct pe_build *build)
{
	struct pe_session *session = reuse->session;
	struct pe_app *app = session->app;
	const struct pe_session_revision *one = &session->revisions[revision];
	const struct pe_session_benchmark *what = &session->benchmarks.data[benchmark];
	representatives *all = &reuse->by_benchmark[benchmark];
	const struct representative *source;
	struct pe_reused cell;
	int rc;

	*reused = false;
	if (!what->benchmark->count_allocations)
		return PE_OK;
	rc = find_source(&source, all, known, one->key, what->key, slot->tree, app->err);
	if (rc != PE_OK)
		return rc;
	if (source == NULL) {
		if (!was_probed(all, one->key))
			return probe(reuse, revision, benchmark, slot->tree);
		for (size_t i = 0; i < all->n; i++)
			all->data[i].planned =
				all->data[i].planned || all->data[i].revision == one->key;
		return PE_OK;
	}
	cell = (struct pe_reused){one->key, what->key, source->revision};
	*reused = true;
	rc = tell_stale(session, source, slot, one->revision->id, build);
	if (rc == PE_OK)
		rc = pe_store_put_reused(app->store, session->machine_key, &cell, app->err);
	return rc;
}
