#include "app/measure/reuse_internal.h"

#include "app/measure/carry.h"
#include "core/base/clock.h"
#include "analysis/methods/extract.h"

#include <string.h>
#include <sys/stat.h>

/* What is known of an earlier session. @param one  the one before: most have what it has */
static void add_known(struct pe_reuse *reuse, struct pe_representative *one,
		      const struct pe_execution *known)
{
	struct pe_session *session = reuse->session;
	size_t w = pe_session_benchmark_of(session, known->benchmark);

	if (one->lines == NULL || strcmp(one->lines, known->touched) != 0) {
		pe_dependencies_unpack(&one->touched, known->touched, session->arena);
		one->lines = known->touched;
	}
	if (known->functions != NULL &&
	    (one->digest == NULL || strcmp(one->digest, known->digest) != 0))
		pe_executed_unpack(&one->executed, known->functions, session->arena);
	one->revision = known->revision;
	one->identity = known->identity;
	one->functions = known->functions;
	one->digest = known->functions != NULL ? known->digest : NULL;
	one->executed_identity = known->executed;
	if (w == SIZE_MAX)
		return;
	/* Lists of earlier versions have nothing of what lies outside of the tree: it is seen once more. */
	if (one->touched.outside.n > 0)
		pe_outside_learn(&session->outside, session->benchmarks.data[w].benchmark,
				 &one->touched);
	if (one->touched.outside.n > 0 || session->launcher == NULL)
		pe_vec_push(&reuse->by_benchmark[w], *one);
}

int pe_reuse_new(struct pe_reuse **out, struct pe_session *session)
{
	struct pe_app *app = session->app;
	struct pe_execution *executions;
	struct pe_representative one = {.lines = NULL};
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
	reuse->by_benchmark = pe_arena_new(session->arena, pe_representatives, reuse->n);
	reuse->trees = pe_executed_trees_new(session->arena);
	reuse->misjudged = pe_arena_new(session->arena, bool, reuse->n);
	reuse->unwatchable = pe_arena_new(session->arena, bool, reuse->n);
	for (size_t i = 0; i < n; i++)
		add_known(reuse, &one, &executions[i]);
	*out = reuse;
	rc = pe_skip_load(reuse);
	return rc == PE_OK ? pe_carry_new(&reuse->carry, session) : rc;
}

void pe_reuse_free(struct pe_reuse *reuse)
{
	if (reuse == NULL)
		return;
	for (size_t w = 0; w < reuse->n; w++)
		pe_vec_release(&reuse->by_benchmark[w]);
	pe_vec_release(&reuse->identities);
	pe_vec_release(&reuse->probes);
	pe_vec_release(&reuse->unseen);
	pe_vec_release(&reuse->executions);
	pe_vec_release(&reuse->cells);
	pe_vec_release(&reuse->taken);
	pe_vec_release(&reuse->audits);
	pe_executed_trees_close(reuse->trees);
	pe_carry_free(reuse->carry);
}

struct pe_carry *pe_reuse_carry(const struct pe_reuse *reuse)
{
	return reuse->carry;
}

/* --- Comparing --- */

bool pe_reuse_is_source(const struct pe_representative *one, const struct pe_known *known,
			int64_t benchmark)
{
	const struct pe_coverage *have = pe_known_cell(known, one->revision, benchmark);

	if (have != NULL && have->failure != PE_MEASURED)
		return have->failure == PE_ABSENT;
	return one->planned || pe_known_is_measured(known, have);
}

/* It cannot be told of this tree; no identity is empty. */
static bool is_no_answer(int rc)
{
	return rc == PE_EUNSUPPORTED || rc == PE_ENOTFOUND || rc == PE_EINVALID;
}

static int find_identity(struct pe_tree_identity *out, struct pe_reuse *reuse,
			 const struct pe_representative *one, const char *tree)
{
	const volatile sig_atomic_t *interrupts = reuse->session->app->interrupts;
	struct pe_err why = PE_ERR_INIT;
	int rc;

	if (out->digest == NULL)
		rc = pe_identity_of(out->identity, &one->touched, tree, interrupts, &why);
	else
		rc = pe_identity_of_executed(out->identity, &one->touched, &one->executed,
					     reuse->trees, tree, interrupts, &why);
	if (rc == PE_OK)
		return PE_OK;
	out->identity[0] = '\0';
	return is_no_answer(rc) ? PE_OK : pe_fail(reuse->session->app->err, rc, "%s", why.message);
}

int pe_reuse_identify(const char **out, struct pe_reuse *reuse, const struct pe_representative *one,
		      bool executed, const char *tree)
{
	struct pe_tree_identity fresh = {.lines = one->lines,
					 .digest = executed ? one->digest : NULL};
	int rc;

	for (size_t i = 0; i < reuse->identities.n && one->lines != NULL; i++) {
		const struct pe_tree_identity *known = &reuse->identities.data[i];

		*out = known->identity;
		if ((known->digest == NULL) == (fresh.digest == NULL) &&
		    (fresh.digest == NULL || strcmp(known->digest, fresh.digest) == 0) &&
		    (known->lines == one->lines || strcmp(known->lines, one->lines) == 0))
			return PE_OK;
	}
	rc = find_identity(&fresh, reuse, one, tree);
	pe_vec_push(&reuse->identities, fresh);
	*out = reuse->identities.data[reuse->identities.n - 1].identity;
	return rc;
}

void pe_reuse_meet_another(struct pe_reuse *reuse)
{
	reuse->identities.n = 0;
	pe_executed_trees_forget(reuse->trees);
}

/* Members of a suite that are tried one after another meet the same tree; all others may have changed it between. */
static void meet_tree(struct pe_reuse *reuse, int64_t revision, const struct pe_benchmark *what)
{
	if (what->suite == NULL || revision != reuse->revision)
		pe_reuse_meet_another(reuse);
	reuse->revision = what->suite != NULL ? revision : 0;
}

/*
 * The representative, newest first, whose execution is the same in this tree. Most of a benchmark's
 * representatives touched the same paths: each list is hashed once.
 */
static int find_source(const struct pe_representative **out, struct pe_reuse *reuse,
		       const pe_representatives *all, const struct pe_known *known,
		       int64_t revision, int64_t benchmark, const char *tree)
{
	const char *identity;

	*out = NULL;
	for (size_t i = all->n; i-- > 0 && *out == NULL;) {
		const struct pe_representative *one = &all->data[i];
		int rc;

		if (one->revision == revision || !pe_reuse_is_source(one, known, benchmark))
			continue;
		rc = pe_reuse_identify(&identity, reuse, one, false, tree);
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

static int report_stale(struct pe_session *session, const struct pe_representative *source,
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

/* --- Keeping --- */

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
			rc = pe_identity_of(identity, &touched, tree, app->interrupts, app->err);
			if (rc == PE_EUNSUPPORTED)
				identity[0] = '\0';
			rc = rc == PE_EUNSUPPORTED ? PE_OK : rc;
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

static struct pe_reused taken_from(const struct pe_reuse *reuse, const struct pe_known *known,
				   int64_t revision, int64_t benchmark)
{
	for (size_t i = reuse->taken.n; i-- > 0;)
		if (reuse->taken.data[i].revision == revision &&
		    reuse->taken.data[i].benchmark == benchmark)
			return reuse->taken.data[i];
	return pe_known_reused(known, revision, benchmark);
}

int64_t pe_reuse_source_of(const struct pe_dependencies **touched, bool *skipped,
			   const struct pe_reuse *reuse, const struct pe_known *known,
			   int64_t revision, size_t benchmark)
{
	const pe_representatives *all = &reuse->by_benchmark[benchmark];
	int64_t key = reuse->session->benchmarks.data[benchmark].key;
	struct pe_reused from = {.source = revision};
	const struct pe_representative *one = pe_reuse_probed_at(all, revision);

	if (one == NULL || !pe_reuse_is_source(one, known, key)) {
		from = taken_from(reuse, known, revision, key);
		one = from.source != 0 ? pe_reuse_probed_at(all, from.source) : NULL;
	}
	/* An identity of an earlier perfevo's kind could not be compared with that of a build. */
	if (one == NULL || !pe_reuse_is_source(one, known, key) ||
	    strncmp(one->identity, PE_XXH_MARK, strlen(PE_XXH_MARK)) != 0)
		return 0;
	*touched = &one->touched;
	*skipped = from.skipped;
	return from.source;
}

int pe_reuse_put(struct pe_reuse *reuse, size_t revision, size_t benchmark,
		 const struct pe_reused *from)
{
	struct pe_session *session = reuse->session;
	const struct pe_session_revision *one = &session->revisions[revision];
	const struct pe_session_benchmark *what = &session->benchmarks.data[benchmark];
	struct pe_reused cell = *from;

	cell.revision = one->key;
	cell.benchmark = what->key;
	pe_vec_push(&reuse->cells, cell);
	pe_vec_push(&reuse->taken, cell);
	return what->benchmark->suite != NULL
		       ? pe_session_copy_listing(session, what->benchmark->suite, one, cell.source)
		       : PE_OK;
}

/* --- Trying --- */

/* What would have been taken over without this build must be what it executes. */
static int audit(struct pe_reuse *reuse, const struct pe_known *known, size_t revision,
		 size_t benchmark, const char *tree)
{
	const struct pe_representative *one;
	struct pe_reused expected;
	const char *identity;
	int rc;

	if (reuse->carry == NULL)
		return PE_OK;
	rc = pe_carry_expected(&expected, reuse, known, revision, benchmark);
	if (rc != PE_OK || expected.source == 0)
		return rc;
	one = pe_reuse_probed_at(&reuse->by_benchmark[benchmark], expected.source);
	rc = pe_reuse_identify(&identity, reuse, one, expected.skipped, tree);
	if (rc != PE_OK ||
	    strcmp(identity, expected.skipped ? one->executed_identity : one->identity) == 0)
		return rc;
	reuse->taken.n = 0;
	return pe_carry_distrust(reuse->carry, revision, expected.source);
}

static int try_reuse(bool *reused, struct pe_reuse *reuse, const struct pe_known *known,
		     size_t revision, size_t benchmark, const struct pe_slot *slot,
		     const struct pe_build *build)
{
	struct pe_session *session = reuse->session;
	const struct pe_session_revision *one = &session->revisions[revision];
	const struct pe_session_benchmark *what = &session->benchmarks.data[benchmark];
	pe_representatives *all = &reuse->by_benchmark[benchmark];
	const struct pe_representative *source;
	int rc;

	*reused = false;
	if (!what->benchmark->count_allocations && what->benchmark->suite == NULL)
		return PE_OK;
	if (pe_outside_shared(&session->outside, what->benchmark) != NULL)
		return PE_OK;
	meet_tree(reuse, one->key, what->benchmark);
	rc = audit(reuse, known, revision, benchmark, slot->tree);
	if (rc == PE_OK)
		rc = find_source(&source, reuse, all, known, one->key, what->key, slot->tree);
	if (rc != PE_OK)
		return rc;
	if (source == NULL)
		return pe_skip_try(reused, reuse, known, revision, benchmark, slot->tree);
	*reused = true;
	rc = report_stale(session, source, slot, one->revision->id, build);
	return rc == PE_OK ? pe_reuse_put(reuse, revision, benchmark,
					  &(struct pe_reused){.source = source->revision})
			   : rc;
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

/* --- Looking ahead --- */

const struct pe_dependencies *pe_reuse_last_seen(const struct pe_reuse *reuse, size_t benchmark)
{
	const pe_representatives *all = &reuse->by_benchmark[benchmark];

	return all->n > 0 ? &all->data[all->n - 1].touched : NULL;
}

static int look_at(struct pe_reuse *reuse, size_t revision, size_t benchmark, const char *tree)
{
	struct pe_session *session = reuse->session;
	const struct pe_session_benchmark *what = &session->benchmarks.data[benchmark];
	struct pe_spending costs = {0};
	uint64_t since_ns = pe_clock_ns();
	int rc;

	if (what->benchmark->suite != NULL || !what->benchmark->count_allocations ||
	    pe_reuse_probed_at(&reuse->by_benchmark[benchmark], session->revisions[revision].key) !=
		    NULL)
		return PE_OK;
	meet_tree(reuse, session->revisions[revision].key, what->benchmark);
	rc = pe_reuse_see(reuse, revision, benchmark, tree);
	pe_spending_add(&costs, PE_SPENT_PROBE, 1, since_ns, pe_clock_ns());
	return rc == PE_OK ? pe_store_add_costs(session->app->store, session->machine_key,
						what->key, &costs, session->app->err)
			   : rc;
}

int pe_reuse_look(struct pe_session *session, size_t revision, const char *tree, uint64_t until_ns)
{
	struct pe_reuse *reuse;
	int rc = pe_reuse_new(&reuse, session);

	for (size_t w = 0; rc == PE_OK && reuse != NULL && w < session->benchmarks.n; w++) {
		if (*session->app->interrupts > 0)
			rc = pe_fail(session->app->err, PE_ESTOPPED, "stopped");
		else if (pe_clock_ns() < until_ns)
			rc = look_at(reuse, revision, w, tree);
	}
	if (rc == PE_OK)
		rc = pe_reuse_keep(reuse);
	pe_reuse_free(reuse);
	return rc;
}
