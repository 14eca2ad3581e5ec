/* Search for a traced run whose trace holds in a built tree, and storage of the results. */
#include "app/measure/reuse_internal.h"

#include "core/base/clock.h"

#include <string.h>

enum { MOST_ASKED = 8 }; /* traces whose functions are compared, the newest first */

/* --- Loading --- */

/* Add a trace of an earlier session. @param run  the one before: most have the same items and functions */
static void add_known(struct pe_reuse *reuse, struct pe_traced_run *run,
		      const struct pe_execution *known)
{
	struct pe_session *session = reuse->session;
	size_t w = pe_session_benchmark_of(session, known->benchmark);

	if (w == SIZE_MAX)
		return;
	if (run->trace.items != known->touched || run->trace.functions != known->functions)
		pe_trace_unpack(&run->trace, known->touched, known->functions, session->arena);
	run->revision = known->revision;
	run->hash[PE_BY_TREE] = known->identity;
	run->hash[PE_BY_CODE] = known->functions != NULL ? known->executed : NULL;
	pe_outside_learn(&session->outside, session->benchmarks.data[w], &run->trace.touched, true);
	pe_vec_push(&reuse->by_benchmark[w], *run);
}

int pe_reuse_new(struct pe_reuse **out, struct pe_session *session)
{
	struct pe_traced_run run = {.revision = 0};
	struct pe_execution *executions;
	struct pe_reuse *reuse;
	size_t n;

	*out = NULL;
	if (session->again || (session->measures && session->runner.alloc_library == NULL))
		return PE_OK;
	PE_TRY(pe_store_executions(&executions, &n, session->app->store, session->machine_key,
				   session->arena, session->app->err));
	reuse = pe_arena_new(session->arena, struct pe_reuse, 1);
	reuse->session = session;
	reuse->n = session->benchmarks.n;
	reuse->by_benchmark = pe_arena_new(session->arena, pe_traced_runs, reuse->n);
	reuse->opened = pe_executed_trees_new(session->arena);
	reuse->misjudged = pe_arena_new(session->arena, bool, reuse->n);
	reuse->unwatchable = pe_arena_new(session->arena, bool, reuse->n);
	for (size_t i = 0; i < n; i++)
		add_known(reuse, &run, &executions[i]);
	*out = reuse;
	PE_TRY(pe_audit_load(reuse));
	return pe_carry_load(reuse);
}

void pe_reuse_free(struct pe_reuse *reuse)
{
	if (reuse == NULL)
		return;
	for (size_t w = 0; w < reuse->n; w++)
		pe_vec_release(&reuse->by_benchmark[w]);
	pe_vec_release(&reuse->hashes);
	pe_vec_release(&reuse->probes);
	pe_vec_release(&reuse->executions);
	pe_vec_release(&reuse->cells);
	pe_vec_release(&reuse->taken);
	pe_vec_release(&reuse->audits);
	pe_executed_trees_close(reuse->opened);
	pe_vec_release(&reuse->carry.built);
	pe_vec_release(&reuse->carry.items);
}

int pe_trace_load(struct pe_trace *out, bool *known, struct pe_session *session, int64_t benchmark,
		  const int64_t revisions[2], struct pe_arena *arena)
{
	struct pe_execution *at;
	size_t n;

	PE_TRY(pe_store_executions_of(&at, &n, session->app->store, session->machine_key, benchmark,
				      revisions, arena, session->app->err));
	*known = n > 0;
	if (n > 0)
		pe_trace_unpack(out, at[0].touched, at[0].functions, arena);
	return PE_OK;
}

/* --- Hashing --- */

/* Whether a failure only means that the tree has no hash. */
static bool is_no_answer(int rc)
{
	return rc == PE_EUNSUPPORTED || rc == PE_ENOTFOUND || rc == PE_EINVALID;
}

static bool are_same(const char *a, const char *b)
{
	return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

int pe_reuse_hash(const char **out, struct pe_reuse *reuse, const struct pe_trace *trace,
		  enum pe_resolver resolver, const char *tree)
{
	struct pe_tree_hash fresh = {.items = trace->items};
	struct pe_err why = PE_ERR_INIT;
	int rc;

	fresh.functions = resolver == PE_BY_CODE ? trace->functions : NULL;
	for (size_t i = 0; i < reuse->hashes.n; i++) {
		const struct pe_tree_hash *known = &reuse->hashes.data[i];

		*out = known->text;
		if (are_same(known->items, fresh.items) &&
		    are_same(known->functions, fresh.functions))
			return PE_OK;
	}
	rc = pe_trace_hash(fresh.text, trace, resolver, reuse->opened, tree,
			   reuse->session->app->interrupts, &why);
	if (rc != PE_OK && !is_no_answer(rc))
		return pe_fail(reuse->session->app->err, rc, "%s", why.message);
	if (rc != PE_OK)
		fresh.text[0] = '\0';
	pe_vec_push(&reuse->hashes, fresh);
	*out = reuse->hashes.data[reuse->hashes.n - 1].text;
	return PE_OK;
}

void pe_reuse_forget_tree(struct pe_reuse *reuse)
{
	reuse->hashes.n = 0;
	pe_executed_trees_forget(reuse->opened);
}

/* Forget the hashes unless the tree is unchanged: it is for members of a suite in a row; other benchmarks may change it. */
static void meet_tree(struct pe_reuse *reuse, int64_t revision, const struct pe_benchmark *what)
{
	if (what->suite == NULL || revision != reuse->revision)
		pe_reuse_forget_tree(reuse);
	reuse->revision = what->suite != NULL ? revision : 0;
}

/* --- Finding --- */

struct pe_traced_run *pe_reuse_traced_at(const pe_traced_runs *all, int64_t revision)
{
	for (size_t i = 0; i < all->n; i++)
		if (all->data[i].revision == revision)
			return &all->data[i];
	return NULL;
}

/* Whether a run can be a source: it has values, will have them in this session, or shows that there is no such benchmark. */
static bool is_source(const struct pe_traced_run *run, const struct pe_known *known,
		      int64_t benchmark)
{
	const struct pe_coverage *have = pe_known_cell(known, run->revision, benchmark);

	if (have != NULL && have->failure != PE_MEASURED)
		return have->failure == PE_ABSENT;
	return run->planned || pe_known_is_measured(known, have);
}

/*
 * Find the newest traced run whose trace holds in this tree; NULL: none does. Most traces of a benchmark have the same
 * items: these are hashed once.
 */
static int find_trace(const struct pe_traced_run **out, struct pe_reuse *reuse,
		      const struct pe_known *known, size_t revision, size_t benchmark,
		      enum pe_resolver resolver, const char *tree)
{
	const struct pe_session *session = reuse->session;
	const pe_traced_runs *all = &reuse->by_benchmark[benchmark];
	const size_t before = reuse->hashes.n;
	const char *hash;

	*out = NULL;
	for (size_t i = all->n; i-- > 0 && *out == NULL;) {
		const struct pe_traced_run *run = &all->data[i];

		if (run->hash[resolver] == NULL ||
		    run->revision == session->revisions[revision].key ||
		    !is_source(run, known, session->benchmarks.data[benchmark]->key))
			continue;
		if (resolver == PE_BY_CODE && reuse->hashes.n - before >= MOST_ASKED)
			break;
		PE_TRY(pe_reuse_hash(&hash, reuse, &run->trace, resolver, tree));
		if (strcmp(hash, run->hash[resolver]) == 0)
			*out = run;
	}
	return PE_OK;
}

/* --- Keeping --- */

static int put_all(const struct pe_reuse *reuse)
{
	struct pe_session *session = reuse->session;
	struct pe_app *app = session->app;
	/* A session that only plans is in a transaction of the caller's. */
	pe_auto_transaction own = session->measures ? app->store : NULL;

	if (own != NULL)
		PE_TRY(pe_store_begin(own, app->err));
	for (size_t i = 0; i < reuse->executions.n; i++)
		PE_TRY(pe_store_put_execution(app->store, session->machine_key,
					      &reuse->executions.data[i], app->err));
	for (size_t i = 0; i < reuse->cells.n; i++)
		PE_TRY(pe_store_put_reused(app->store, session->machine_key, &reuse->cells.data[i],
					   app->err));
	return own != NULL ? pe_store_commit(own, app->err) : PE_OK;
}

int pe_reuse_keep(struct pe_reuse *reuse)
{
	if (reuse == NULL || reuse->executions.n + reuse->cells.n == 0)
		return PE_OK;
	PE_TRY(put_all(reuse));
	reuse->executions.n = reuse->cells.n = 0;
	return PE_OK;
}

/* --- Sources --- */

static struct pe_coverage taken_from(const struct pe_reuse *reuse, const struct pe_known *known,
				     int64_t revision, int64_t benchmark)
{
	for (size_t i = reuse->taken.n; i-- > 0;)
		if (reuse->taken.data[i].revision == revision &&
		    reuse->taken.data[i].benchmark == benchmark)
			return reuse->taken.data[i];
	return pe_known_reused(known, revision, benchmark);
}

const struct pe_traced_run *pe_reuse_source_of(bool *skipped, const struct pe_reuse *reuse,
					       const struct pe_known *known, int64_t revision,
					       size_t benchmark)
{
	const pe_traced_runs *all = &reuse->by_benchmark[benchmark];
	const int64_t key = reuse->session->benchmarks.data[benchmark]->key;
	const struct pe_traced_run *run = pe_reuse_traced_at(all, revision);
	struct pe_coverage from;

	*skipped = false;
	if (run == NULL || !is_source(run, known, key)) {
		from = taken_from(reuse, known, revision, key);
		*skipped = from.skipped;
		run = from.source != 0 ? pe_reuse_traced_at(all, from.source) : NULL;
	}
	/* Without a current kind of hash it cannot be compared with a build. */
	if (run == NULL || !is_source(run, known, key) ||
	    strncmp(run->hash[PE_BY_TREE], PE_XXH_MARK, strlen(PE_XXH_MARK)) != 0)
		return NULL;
	return run;
}

int pe_reuse_put(struct pe_reuse *reuse, size_t revision, size_t benchmark,
		 const struct pe_coverage *from)
{
	struct pe_session *session = reuse->session;
	const struct pe_revision *one = &session->revisions[revision];
	const struct pe_benchmark *what = session->benchmarks.data[benchmark];
	struct pe_coverage cell = *from;

	cell.revision = one->key;
	cell.benchmark = what->key;
	pe_vec_push(&reuse->cells, cell);
	pe_vec_push(&reuse->taken, cell);
	return what->suite != NULL ? pe_session_copy_listing(session, what->suite, one, cell.source)
				   : PE_OK;
}

/* --- Trying --- */

/* Try to skip a cell by the functions of a trace; if none holds, or the cell is audited, it is traced itself. */
static int try_code(bool *skipped, struct pe_reuse *reuse, const struct pe_known *known,
		    size_t revision, size_t benchmark, const char *tree)
{
	struct pe_session *session = reuse->session;
	const struct pe_benchmark *what = session->benchmarks.data[benchmark];
	const bool none = session->whole || session->unskipped;
	const struct pe_traced_run *found = NULL;
	struct pe_traced_run source;

	if (!reuse->misjudged[benchmark])
		PE_TRY(find_trace(&found, reuse, known, revision, benchmark, PE_BY_CODE, tree));
	if (found == NULL && none)
		PE_TRY(pe_audit_drop_skipped(reuse, revision, benchmark));
	if (found == NULL)
		return pe_reuse_see(reuse, revision, benchmark, tree);
	*skipped = !none && !pe_audit_is_due(&session->revisions[revision], what->name);
	if (*skipped)
		return pe_reuse_put(
			reuse, revision, benchmark,
			&(struct pe_coverage){.source = found->revision, .skipped = true});
	source = *found; /* the next call may move it */
	PE_TRY(pe_reuse_see(reuse, revision, benchmark, tree));
	return pe_audit_begin(reuse, &source, revision, benchmark);
}

static int try_reuse(bool *reused, struct pe_reuse *reuse, const struct pe_known *known,
		     size_t revision, size_t benchmark, const char *tree)
{
	struct pe_session *session = reuse->session;
	const struct pe_benchmark *what = session->benchmarks.data[benchmark];
	const struct pe_traced_run *source;

	*reused = false;
	if ((!what->count_allocations && what->suite == NULL) ||
	    pe_outside_shared(&session->outside, what) != NULL)
		return PE_OK;
	meet_tree(reuse, session->revisions[revision].key, what);
	PE_TRY(pe_audit_build(reuse, known, revision, benchmark, tree));
	PE_TRY(find_trace(&source, reuse, known, revision, benchmark, PE_BY_TREE, tree));
	if (source == NULL)
		return try_code(reused, reuse, known, revision, benchmark, tree);
	*reused = true;
	return pe_reuse_put(reuse, revision, benchmark,
			    &(struct pe_coverage){.source = source->revision});
}

/* Store the time that a trace took. */
static int keep_cost(struct pe_session *session, size_t benchmark, uint64_t since_ns)
{
	struct pe_spending costs = {0};

	pe_spending_add(&costs, PE_SPENT_PROBE, 1, since_ns, pe_clock_ns());
	return pe_store_add_costs(session->app->store, session->machine_key,
				  session->benchmarks.data[benchmark]->key, &costs,
				  session->app->err);
}

int pe_reuse_try(bool *reused, struct pe_reuse *reuse, const struct pe_known *known,
		 size_t revision, size_t benchmark, const char *tree)
{
	const uint64_t since_ns = pe_clock_ns();

	PE_TRY(try_reuse(reused, reuse, known, revision, benchmark, tree));
	return keep_cost(reuse->session, benchmark, since_ns);
}

/* --- Tracing without measuring --- */

static int look_at(struct pe_reuse *reuse, size_t revision, size_t benchmark, const char *tree)
{
	const struct pe_session *session = reuse->session;
	const struct pe_benchmark *what = session->benchmarks.data[benchmark];
	const int64_t key = session->revisions[revision].key;
	const uint64_t since_ns = pe_clock_ns();

	if (what->suite != NULL || !what->count_allocations ||
	    pe_reuse_traced_at(&reuse->by_benchmark[benchmark], key) != NULL)
		return PE_OK;
	meet_tree(reuse, key, what);
	PE_TRY(pe_reuse_see(reuse, revision, benchmark, tree));
	return keep_cost(reuse->session, benchmark, since_ns);
}

int pe_reuse_look(struct pe_session *session, size_t revision, const char *tree, uint64_t until_ns)
{
	pe_auto_reuse *reuse = NULL;

	PE_TRY(pe_reuse_new(&reuse, session));
	for (size_t w = 0; reuse != NULL && w < session->benchmarks.n; w++) {
		if (*session->app->interrupts > 0)
			return pe_fail(session->app->err, PE_ESTOPPED, "stopped");
		if (pe_clock_ns() < until_ns)
			PE_TRY(look_at(reuse, revision, w, tree));
	}
	return pe_reuse_keep(reuse);
}
