#include "app/measure/reuse.h"

#include "app/measure/carry.h"
#include "app/measure/identity.h"
#include "app/measure/suite_port.h"
#include "core/base/clock.h"
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

/* What a tree is by a list of dependencies: the members of a suite have theirs in common. */
struct tree_identity {
	const char *lines;
	char identity[PE_XXH_TEXT];
};

/* A suite's program was started to see what it executes, with or without success. */
struct suite_probe {
	int64_t revision;
	const struct pe_suite *suite;
};

struct pe_reuse {
	struct pe_session *session;
	representatives *by_benchmark; /**< by the session's index */
	size_t n;
	int64_t revision; /**< whose tree the identities are of */
	PE_VEC(struct tree_identity) identities;
	PE_VEC(struct suite_probe) probes;
	/* for the store, by the next pe_reuse_keep() */
	PE_VEC(struct pe_execution) executions;
	PE_VEC(struct pe_reused) cells;
	PE_VEC(struct pe_reused) taken; /* in this session */
	struct pe_carry *carry;
};

int pe_reuse_new(struct pe_reuse **out, struct pe_session *session)
{
	struct pe_app *app = session->app;
	struct pe_execution *executions;
	struct representative one = {.lines = NULL};
	struct pe_reuse *reuse;
	size_t n;
	int rc;

	*out = NULL;
	if (session->again || (session->measures && session->runner.alloc_library == NULL))
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
		size_t w = pe_session_benchmark_of(session, executions[i].benchmark);

		if (one.lines == NULL || strcmp(one.lines, executions[i].touched) != 0)
			pe_dependencies_unpack(&one.touched, executions[i].touched, session->arena);
		one.revision = executions[i].revision;
		one.lines = executions[i].touched;
		one.identity = executions[i].identity;
		if (w != SIZE_MAX)
			pe_vec_push(&reuse->by_benchmark[w], one);
	}
	*out = reuse;
	return pe_carry_new(&reuse->carry, session);
}

void pe_reuse_free(struct pe_reuse *reuse)
{
	if (reuse == NULL)
		return;
	for (size_t w = 0; w < reuse->n; w++)
		pe_vec_release(&reuse->by_benchmark[w]);
	pe_vec_release(&reuse->identities);
	pe_vec_release(&reuse->probes);
	pe_vec_release(&reuse->executions);
	pe_vec_release(&reuse->cells);
	pe_vec_release(&reuse->taken);
	pe_carry_free(reuse->carry);
}

struct pe_carry *pe_reuse_carry(const struct pe_reuse *reuse)
{
	return reuse->carry;
}

/* --- Comparing --- */

/* A source must have values, or get them in this session; or it is known not to have the benchmark. */
static bool is_source(const struct representative *one, const struct pe_known *known,
		      int64_t benchmark)
{
	const struct pe_coverage *have = pe_known_cell(known, one->revision, benchmark);

	if (have != NULL && have->failure != PE_MEASURED)
		return have->failure == PE_ABSENT;
	return one->planned || (have != NULL && have->timed > 0);
}

/* The identity of a tree by what a representative touched; each list is hashed once a revision. */
static int identify(const char **out, struct pe_reuse *reuse, const struct representative *one,
		    const char *tree)
{
	struct tree_identity fresh = {.lines = one->lines};
	int rc;

	for (size_t i = 0; i < reuse->identities.n; i++) {
		*out = reuse->identities.data[i].identity;
		if (strcmp(reuse->identities.data[i].lines, one->lines) == 0)
			return PE_OK;
	}
	rc = pe_identity_of(fresh.identity, &one->touched, tree, reuse->session->app->err);
	pe_vec_push(&reuse->identities, fresh);
	*out = reuse->identities.data[reuse->identities.n - 1].identity;
	return rc;
}

/* Members of a suite that are tried one after another meet the same tree; all others may have changed it between. */
static void meet_tree(struct pe_reuse *reuse, int64_t revision, const struct pe_benchmark *what)
{
	if (what->suite == NULL || revision != reuse->revision)
		reuse->identities.n = 0;
	reuse->revision = what->suite != NULL ? revision : 0;
}

/*
 * The representative, newest first, whose execution is the same in this tree. Most of a benchmark's
 * representatives touched the same paths: each list is hashed once.
 */
static int find_source(const struct representative **out, struct pe_reuse *reuse,
		       const representatives *all, const struct pe_known *known, int64_t revision,
		       int64_t benchmark, const char *tree)
{
	const char *identity;

	*out = NULL;
	for (size_t i = all->n; i-- > 0 && *out == NULL;) {
		const struct representative *one = &all->data[i];
		int rc;

		if (one->revision == revision || !is_source(one, known, benchmark))
			continue;
		rc = identify(&identity, reuse, one, tree);
		if (rc != PE_OK)
			return rc;
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

static int report_stale(struct pe_session *session, const struct representative *source,
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

/* --- Seeing what is executed --- */

static struct representative *probed_at(const representatives *all, int64_t revision)
{
	for (size_t i = 0; i < all->n; i++)
		if (all->data[i].revision == revision)
			return &all->data[i];
	return NULL;
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

static bool is_below(const char *path, const char *folder)
{
	size_t n = strlen(folder);

	return strncmp(path, folder, n) == 0 && (path[n] == '\0' || path[n] == '/');
}

static struct pe_strings without(const struct pe_strings *paths, const char *folder,
				 struct pe_arena *arena)
{
	const char **at = pe_arena_new(arena, const char *, paths->n + 1);
	size_t n = 0;

	for (size_t i = 0; i < paths->n; i++)
		if (!is_below(paths->at[i], folder))
			at[n++] = paths->at[i];
	return (struct pe_strings){at, n};
}

/* The results that a library finds of earlier runs are compared with, and change nothing that is measured. */
static void drop_results(struct pe_dependencies *touched, const struct pe_benchmark *member,
			 struct pe_arena *arena)
{
	const char *output = member->suite->output;
	bool at_top = member->cwd == NULL || strcmp(member->cwd, ".") == 0;

	if (output == NULL || output[0] == '/' || (!at_top && member->cwd[0] == '/'))
		return;
	if (!at_top)
		output = pe_arena_printf(arena, "%s/%s", member->cwd, output);
	touched->files = without(&touched->files, output, arena);
	touched->folders = without(&touched->folders, output, arena);
}

/* See what a benchmark executes; lines stays NULL where that cannot be known. */
static int probe(struct representative *out, struct pe_reuse *reuse,
		 const struct pe_benchmark *benchmark, const char *tree)
{
	struct pe_session *session = reuse->session;
	struct pe_app *app = session->app;
	struct pe_run run = {.kind = PE_RUN_ALLOCATIONS};
	char identity[PE_XXH_TEXT];
	int rc = pe_runner_probe(&out->touched, &run, &session->runner, benchmark, tree,
				 session->arena, app->err);

	/* The run may have made what a list of before depends on. */
	reuse->identities.n = 0;
	/* A benchmark that fails here fails in its own run, and is recorded there. */
	if (rc != PE_OK || run.outcome != PE_MEASURED || !out->touched.complete)
		return rc;
	add_input(&out->touched, benchmark, session->arena);
	if (benchmark->suite != NULL)
		drop_results(&out->touched, benchmark, session->arena);
	rc = pe_identity_of(identity, &out->touched, tree, app->err);
	if (rc != PE_OK)
		return rc;
	out->lines = pe_dependencies_pack(&out->touched, session->arena);
	out->identity = pe_arena_strdup(session->arena, identity);
	return PE_OK;
}

/* So that later cells can be reused from this one. */
static void keep(struct pe_reuse *reuse, size_t w, const struct representative *one)
{
	const struct pe_execution execution = {
		one->revision, reuse->session->benchmarks.data[w].key, one->lines, one->identity};

	pe_vec_push(&reuse->by_benchmark[w], *one);
	pe_vec_push(&reuse->executions, execution);
}

static int put_all(const struct pe_reuse *reuse)
{
	struct pe_session *session = reuse->session;
	struct pe_app *app = session->app;
	int rc = PE_OK;

	for (size_t i = 0; rc == PE_OK && i < reuse->executions.n; i++)
		rc = pe_store_put_execution(app->store, session->machine_key,
					    &reuse->executions.data[i], app->err);
	for (size_t i = 0; rc == PE_OK && i < reuse->cells.n; i++)
		rc = pe_store_put_reused(app->store, session->machine_key, &reuse->cells.data[i],
					 app->err);
	return rc;
}

int pe_reuse_keep(struct pe_reuse *reuse)
{
	struct pe_app *app = reuse != NULL ? reuse->session->app : NULL;
	int rc;

	if (reuse == NULL || reuse->executions.n + reuse->cells.n == 0)
		return PE_OK;
	/* What only plans is in a transaction of the caller's. */
	rc = reuse->session->measures ? pe_store_begin(app->store, app->err) : PE_OK;
	if (rc == PE_OK)
		rc = put_all(reuse);
	if (reuse->session->measures && rc == PE_OK)
		rc = pe_store_commit(app->store, app->err);
	else if (reuse->session->measures)
		pe_store_rollback(app->store);
	reuse->executions.n = reuse->cells.n = 0;
	return rc;
}

/* --- Suites --- */

/* A session of a few members is not made to run all the others. */
static bool has_whole_suites(const struct pe_session *session)
{
	return session->bench == NULL && session->names == NULL;
}

static bool was_tried(const struct pe_reuse *reuse, int64_t revision, const struct pe_suite *suite)
{
	for (size_t i = 0; i < reuse->probes.n; i++)
		if (reuse->probes.data[i].revision == revision &&
		    reuse->probes.data[i].suite == suite)
			return true;
	return false;
}

/* All of it, as briefly as its library can be told: what any of its members executes and reads. */
static int probe_suite(struct representative *out, struct pe_reuse *reuse,
		       const struct pe_benchmark *member, const char *tree)
{
	static const struct pe_suite_wish briefly = {.what = PE_ASK_BRIEFLY};
	struct pe_session *session = reuse->session;
	const struct pe_suite_port port = pe_suite_port_of(session);
	struct pe_benchmark whole = *member;
	struct pe_suite_command command;
	int rc = port.command(&command, member->suite, &briefly, tree, session->arena, session,
			      session->app->err);

	if (rc != PE_OK)
		return rc;
	whole.name = member->suite->name;
	whole.command = command.command;
	return probe(out, reuse, &whole, tree);
}

/* Every member has what its suite's program executes; one that was found later has what was seen for the others. */
static int see_suite(struct pe_reuse *reuse, size_t r, size_t w, const char *tree)
{
	struct pe_session *session = reuse->session;
	const struct pe_benchmark *member = session->benchmarks.data[w].benchmark;
	struct representative one = {.revision = session->revisions[r].key};
	int rc;

	for (size_t i = 0; i < reuse->n && one.lines == NULL; i++) {
		const struct representative *seen =
			session->benchmarks.data[i].benchmark->suite == member->suite
				? probed_at(&reuse->by_benchmark[i], one.revision)
				: NULL;

		if (seen != NULL)
			one = *seen;
	}
	if (one.lines == NULL && has_whole_suites(session) &&
	    !was_tried(reuse, one.revision, member->suite)) {
		pe_vec_push(&reuse->probes, (struct suite_probe){one.revision, member->suite});
		rc = probe_suite(&one, reuse, member, tree);
		if (rc != PE_OK)
			return rc;
	}
	if (one.lines == NULL)
		return PE_OK;
	one.planned = true;
	keep(reuse, w, &one);
	return PE_OK;
}

int pe_reuse_suite_source(int64_t *source, struct pe_session *session, const struct pe_suite *suite,
			  const char *tree)
{
	struct pe_app *app = session->app;
	const char *lines = "";
	char identity[PE_XXH_TEXT] = "";
	struct pe_execution *executions;
	size_t n;
	int rc;

	*source = 0;
	if (session->again)
		return PE_OK;
	rc = pe_store_executions(&executions, &n, app->store, session->machine_key, session->arena,
				 app->err);
	for (size_t i = rc == PE_OK ? n : 0; i-- > 0 && *source == 0;) {
		size_t w = pe_session_benchmark_of(session, executions[i].benchmark);
		struct pe_dependencies touched = {0};

		if (w == SIZE_MAX || session->benchmarks.data[w].benchmark->suite != suite)
			continue;
		if (strcmp(lines, executions[i].touched) != 0) {
			pe_dependencies_unpack(&touched, executions[i].touched, session->arena);
			rc = pe_identity_of(identity, &touched, tree, app->err);
		}
		if (rc != PE_OK)
			return rc;
		lines = executions[i].touched;
		if (strcmp(identity, executions[i].identity) == 0)
			*source = executions[i].revision;
	}
	return rc;
}

/* --- Sources --- */

static int64_t taken_from(const struct pe_reuse *reuse, const struct pe_known *known,
			  int64_t revision, int64_t benchmark)
{
	for (size_t i = reuse->taken.n; i-- > 0;)
		if (reuse->taken.data[i].revision == revision &&
		    reuse->taken.data[i].benchmark == benchmark)
			return reuse->taken.data[i].source;
	return pe_known_source(known, revision, benchmark);
}

int64_t pe_reuse_source_of(const struct pe_dependencies **touched, const struct pe_reuse *reuse,
			   const struct pe_known *known, int64_t revision, size_t benchmark)
{
	const representatives *all = &reuse->by_benchmark[benchmark];
	int64_t key = reuse->session->benchmarks.data[benchmark].key, source = revision;
	const struct representative *one = probed_at(all, source);

	if (one == NULL || !is_source(one, known, key)) {
		source = taken_from(reuse, known, revision, key);
		one = source != 0 ? probed_at(all, source) : NULL;
	}
	/* An identity of an earlier perfevo's kind could not be compared with that of a build. */
	if (one == NULL || !is_source(one, known, key) ||
	    strncmp(one->identity, PE_XXH_MARK, strlen(PE_XXH_MARK)) != 0)
		return 0;
	*touched = &one->touched;
	return source;
}

int pe_reuse_put(struct pe_reuse *reuse, size_t revision, size_t benchmark, int64_t source,
		 bool unbuilt)
{
	struct pe_session *session = reuse->session;
	const struct pe_session_revision *one = &session->revisions[revision];
	const struct pe_session_benchmark *what = &session->benchmarks.data[benchmark];
	const struct pe_reused cell = {one->key, what->key, source, unbuilt};

	pe_vec_push(&reuse->cells, cell);
	pe_vec_push(&reuse->taken, cell);
	return what->benchmark->suite != NULL
		       ? pe_session_copy_listing(session, what->benchmark->suite, one, source)
		       : PE_OK;
}

/* --- Trying --- */

/* What would have been taken over without this build must be what it executes. */
static int audit(struct pe_reuse *reuse, const struct pe_known *known, size_t revision,
		 size_t benchmark, const char *tree)
{
	const struct representative *one;
	const char *identity;
	int64_t source;
	int rc;

	if (reuse->carry == NULL)
		return PE_OK;
	rc = pe_carry_expected(&source, reuse, known, revision, benchmark);
	if (rc != PE_OK || source == 0)
		return rc;
	one = probed_at(&reuse->by_benchmark[benchmark], source);
	rc = identify(&identity, reuse, one, tree);
	if (rc != PE_OK || strcmp(identity, one->identity) == 0)
		return rc;
	reuse->taken.n = 0;
	return pe_carry_distrust(reuse->carry, revision, source);
}

/* Nothing to reuse from: see what it executes, unless that is known. */
static int see(struct pe_reuse *reuse, size_t r, size_t w, const char *tree)
{
	struct pe_session *session = reuse->session;
	const struct pe_benchmark *benchmark = session->benchmarks.data[w].benchmark;
	struct representative *seen = probed_at(&reuse->by_benchmark[w], session->revisions[r].key);
	struct representative one = {.revision = session->revisions[r].key, .planned = true};
	int rc;

	if (seen != NULL) {
		seen->planned = true;
		return PE_OK;
	}
	if (benchmark->suite != NULL)
		return see_suite(reuse, r, w, tree);
	rc = probe(&one, reuse, benchmark, tree);
	if (rc == PE_OK && one.lines != NULL)
		keep(reuse, w, &one);
	return rc;
}

static int try_reuse(bool *reused, struct pe_reuse *reuse, const struct pe_known *known,
		     size_t revision, size_t benchmark, const struct pe_slot *slot,
		     const struct pe_build *build)
{
	struct pe_session *session = reuse->session;
	const struct pe_session_revision *one = &session->revisions[revision];
	const struct pe_session_benchmark *what = &session->benchmarks.data[benchmark];
	representatives *all = &reuse->by_benchmark[benchmark];
	const struct representative *source;
	int rc;

	*reused = false;
	if (!what->benchmark->count_allocations && what->benchmark->suite == NULL)
		return PE_OK;
	meet_tree(reuse, one->key, what->benchmark);
	rc = audit(reuse, known, revision, benchmark, slot->tree);
	if (rc == PE_OK)
		rc = find_source(&source, reuse, all, known, one->key, what->key, slot->tree);
	if (rc != PE_OK)
		return rc;
	if (source == NULL)
		return see(reuse, revision, benchmark, slot->tree);
	*reused = true;
	rc = report_stale(session, source, slot, one->revision->id, build);
	return rc == PE_OK ? pe_reuse_put(reuse, revision, benchmark, source->revision, false) : rc;
}

int pe_reuse_try(bool *reused, struct pe_reuse *reuse, const struct pe_known *known,
		 size_t revision, size_t benchmark, const struct pe_slot *slot,
		 const struct pe_build *build)
{
	struct pe_session *session = reuse->session;
	struct pe_spending costs = {0};
	uint64_t since_ns = pe_clock_ns();
	int rc = try_reuse(reused, reuse, known, revision, benchmark, slot, build);

	pe_spending_add(&costs, PE_SPENT_PROBE, 1, since_ns, pe_clock_ns());
	return rc == PE_OK ? pe_store_add_costs(session->app->store, session->machine_key,
						session->benchmarks.data[benchmark].key, &costs,
						session->app->err)
			   : rc;
}
