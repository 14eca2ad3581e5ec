#include "app/measure/carry.h"

#include "app/measure/reuse_internal.h"
#include "core/base/array.h"
#include "core/base/sort.h"

enum {
	NEIGHBOURS = 2,  /* builds on either side of a revision that are compared with it */
	MOST_NAMES = 64, /* differing names that are compared with the traces of runs, at most */
};

/* The difference between a build and a revision. */
struct pe_build_difference {
	size_t built; /* index into the session */
	bool same;    /* no file that the build reads differs */
	struct pe_changed_name *names;
	size_t n;
	struct pe_build_difference *next;
};

/* --- Builds --- */

PE_SORT_BY(compare_built, struct pe_traced_build, revision);

static int load_built(struct pe_reuse *reuse)
{
	struct pe_session *session = reuse->session;
	struct pe_carry *carry = &reuse->carry;
	struct pe_build_reads *rows;
	size_t n;

	PE_TRY(pe_store_build_reads(&rows, &n, session->app->store, session->machine_key,
				    session->recipe_hash, session->arena, session->app->err));
	carry->seen = session->builds_done;
	carry->built.n = 0;
	for (size_t i = 0; i < n; i++) {
		size_t r = pe_session_revision_of(session, rows[i].revision);

		if (r != SIZE_MAX)
			pe_vec_push(&carry->built, (struct pe_traced_build){r, rows[i].set});
	}
	pe_sort(carry->built.data, carry->built.n, compare_built);
	return PE_OK;
}

int pe_carry_load(struct pe_reuse *reuse)
{
	struct pe_session *session = reuse->session;
	bool misread;

	PE_TRY(pe_store_is_misread(&misread, session->app->store, session->machine_key,
				   session->recipe_hash, session->app->err));
	reuse->carry.valid = !misread;
	reuse->carry.differences =
		pe_arena_new(session->arena, struct pe_build_difference *, session->n_revisions);
	return misread ? PE_OK : load_built(reuse);
}

static int find_items(const struct pe_dependencies **out, struct pe_reuse *reuse, int64_t set)
{
	struct pe_session *session = reuse->session;
	struct pe_carry *carry = &reuse->carry;
	struct pe_trace trace;
	const char *text;

	for (size_t i = 0; i < carry->items.n; i++) {
		*out = &carry->items.data[i].touched;
		if (carry->items.data[i].set == set)
			return PE_OK;
	}
	PE_TRY(pe_store_read_set(&text, session->app->store, set, session->arena,
				 session->app->err));
	pe_trace_unpack(&trace, text, NULL, session->arena);
	pe_vec_push(&carry->items, (struct pe_build_items){set, trace.touched});
	*out = &carry->items.data[carry->items.n - 1].touched;
	return PE_OK;
}

/* Choose the builds nearest to a revision, the nearest first, without its own. */
static int choose_neighbours(const struct pe_traced_build *out[2 * NEIGHBOURS], size_t *n,
			     struct pe_reuse *reuse, size_t revision)
{
	const struct pe_carry *carry = &reuse->carry;
	size_t low = 0, high;

	*n = 0;
	if (carry->seen != reuse->session->builds_done)
		PE_TRY(load_built(reuse));
	while (low < carry->built.n && carry->built.data[low].revision < revision)
		low++;
	high = low;
	high += high < carry->built.n && carry->built.data[high].revision == revision;
	for (size_t i = 0; i < NEIGHBOURS; i++) {
		if (low > i)
			out[(*n)++] = &carry->built.data[low - 1 - i];
		if (high + i < carry->built.n)
			out[(*n)++] = &carry->built.data[high + i];
	}
	return PE_OK;
}

/* --- Comparing --- */

struct comparing {
	const struct pe_dependencies *touched; /* by the build */
	struct pe_arena *arena;
	PE_VEC(struct pe_changed_name) names;
	bool differs;
};

static bool meet(const struct pe_changed_name *name, void *payload)
{
	struct comparing *all = payload;
	struct pe_changed_name copy = *name;

	all->differs = all->names.n >= MOST_NAMES || pe_trace_differs(all->touched, name);
	if (all->differs)
		return false;
	copy.path = pe_arena_strdup(all->arena, name->path);
	pe_vec_push(&all->names, copy);
	return true;
}

/* Compare two revisions, by the files that a build read. */
static int compare_by(struct pe_build_difference *out, struct pe_reuse *reuse, int64_t set,
		      size_t before, size_t after)
{
	struct pe_session *session = reuse->session;
	struct comparing all = {.arena = session->arena};
	const struct pe_changes_query query = {
		.before = session->revisions[before].id,
		.after = session->revisions[after].id,
		.meet = meet,
		.payload = &all,
	};
	struct pe_changed_files files;
	int rc;

	PE_TRY(find_items(&all.touched, reuse, set));
	rc = pe_repo_changes(&files, session->app->repo, &query, session->arena, session->app->err);
	if (rc == PE_EUNSUPPORTED) { /* a clone without the trees of old commits */
		*session->app->err = (struct pe_err)PE_ERR_INIT;
		all.differs = true;
	} else if (rc == PE_OK) {
		all.differs |= files.cut;
	}
	out->built = before;
	out->same = !all.differs;
	out->names = pe_vec_copy(session->arena, &all.names);
	out->n = all.names.n;
	pe_vec_release(&all.names);
	return rc == PE_EUNSUPPORTED ? PE_OK : rc;
}

/* Get the comparison of a revision with a build; it is made once a session. */
static int compare(const struct pe_build_difference **out, struct pe_reuse *reuse,
		   const struct pe_traced_build *built, size_t revision)
{
	struct pe_build_difference **first = &reuse->carry.differences[revision], *fresh;

	for (*out = *first; *out != NULL; *out = (*out)->next)
		if ((*out)->built == built->revision)
			return PE_OK;
	fresh = pe_arena_new(reuse->session->arena, struct pe_build_difference, 1);
	PE_TRY(compare_by(fresh, reuse, built->set, built->revision, revision));
	fresh->next = *first;
	*first = fresh;
	*out = fresh;
	return PE_OK;
}

/* Whether none of the differing names is an item of a run's trace. */
static bool holds(const struct pe_dependencies *touched,
		  const struct pe_build_difference *difference)
{
	for (size_t i = 0; i < difference->n; i++)
		if (pe_trace_differs(touched, &difference->names[i]))
			return false;
	return true;
}

/* The source of a cell, if its run read no differing file; else a source of 0. */
static struct pe_coverage source_by_git(struct pe_reuse *reuse, const struct pe_known *known,
					const struct pe_build_difference *difference,
					size_t benchmark)
{
	const int64_t built = reuse->session->revisions[difference->built].key;
	struct pe_coverage from = {.unbuilt = true};
	const struct pe_traced_run *run =
		pe_reuse_source_of(&from.skipped, reuse, known, built, benchmark);

	if (run != NULL && holds(&run->trace.touched, difference))
		from.source = run->revision;
	return from;
}

/* The sources of all cells that want runs; false: some cell has none. */
static bool sources_by_git(struct pe_coverage *sources, struct pe_reuse *reuse,
			   const struct pe_known *known,
			   const struct pe_build_difference *difference, size_t revision)
{
	const struct pe_session *session = reuse->session;
	size_t found = 0;

	for (size_t w = 0; w < session->benchmarks.n; w++) {
		struct pe_coverage wants = pe_plan_wants(session, known, revision, w);

		sources[w].source = 0;
		if (wants.timed + wants.counted == 0)
			continue;
		/* A cell that has runs of its own takes over none. */
		if (pe_known_at(known, session, revision, w) != NULL)
			return false;
		sources[w] = source_by_git(reuse, known, difference, w);
		if (sources[w].source == 0)
			return false;
		found++;
	}
	return found > 0;
}

static int put(struct pe_reuse *reuse, const struct pe_coverage *sources, size_t revision)
{
	struct pe_session *session = reuse->session;

	session->n_unbuilt++;
	for (size_t w = 0; w < session->benchmarks.n; w++)
		if (sources[w].source != 0)
			PE_TRY(pe_reuse_put(reuse, revision, w, &sources[w]));
	return pe_reuse_keep(reuse);
}

/* --- Deciding --- */

/* Whether a revision may turn out to need no build. */
static bool is_asked(const struct pe_reuse *reuse, size_t revision)
{
	return reuse != NULL && reuse->carry.valid && !reuse->session->whole &&
	       !pe_audit_is_due(&reuse->session->revisions[revision], NULL);
}

int pe_carry_try(bool *carried, struct pe_reuse *reuse, const struct pe_known *known,
		 size_t revision)
{
	const struct pe_traced_build *neighbours[2 * NEIGHBOURS];
	const struct pe_build_difference *difference;
	pe_auto_free struct pe_coverage *sources = NULL;
	size_t n;

	*carried = false;
	if (!is_asked(reuse, revision))
		return PE_OK;
	PE_TRY(choose_neighbours(neighbours, &n, reuse, revision));
	sources = pe_realloc(NULL, reuse->session->benchmarks.n + 1, sizeof(*sources));
	for (size_t i = 0; i < n && !*carried; i++) {
		PE_TRY(compare(&difference, reuse, neighbours[i], revision));
		*carried = difference->same &&
			   sources_by_git(sources, reuse, known, difference, revision);
	}
	return *carried ? put(reuse, sources, revision) : PE_OK;
}

int pe_carry_expected(struct pe_coverage *from, struct pe_reuse *reuse,
		      const struct pe_known *known, size_t revision, size_t benchmark)
{
	const struct pe_traced_build *neighbours[2 * NEIGHBOURS];
	const struct pe_build_difference *difference;
	size_t n;

	*from = (struct pe_coverage){.source = 0};
	if (!reuse->carry.valid)
		return PE_OK;
	PE_TRY(choose_neighbours(neighbours, &n, reuse, revision));
	for (size_t i = 0; i < n && from->source == 0; i++) {
		PE_TRY(compare(&difference, reuse, neighbours[i], revision));
		if (difference->same)
			*from = source_by_git(reuse, known, difference, benchmark);
	}
	return PE_OK;
}

/* --- Planning --- */

int pe_carry_predict(enum pe_foreseen *out, struct pe_reuse *reuse, size_t before, size_t revision)
{
	const struct pe_traced_build *neighbours[2 * NEIGHBOURS];
	struct pe_build_difference difference;
	size_t n;

	*out = PE_FORESEEN_BUILD;
	if (!is_asked(reuse, revision))
		return PE_OK;
	PE_TRY(choose_neighbours(neighbours, &n, reuse, revision));
	if (n == 0)
		return PE_OK;
	PE_TRY(compare_by(&difference, reuse, neighbours[0]->set, before, revision));
	if (!difference.same)
		return PE_OK;
	*out = PE_FORESEEN_NOTHING;
	for (size_t w = 0; difference.n > 0 && w < reuse->n; w++) {
		const pe_traced_runs *all = &reuse->by_benchmark[w];

		if (all->n == 0)
			*out = PE_FORESEEN_UNKNOWN;
		else if (!holds(&all->data[all->n - 1].trace.touched, &difference)) {
			*out = PE_FORESEEN_BUILD;
			return PE_OK;
		}
	}
	return PE_OK;
}

bool pe_carry_is_unknown(const struct pe_reuse *reuse)
{
	return reuse != NULL && reuse->carry.valid && !reuse->session->whole &&
	       reuse->carry.built.n == 0 && reuse->session->builder.watch != NULL &&
	       reuse->session->builds_done == 0;
}

int pe_carry_all(struct pe_reuse *reuse, struct pe_known *known)
{
	bool any = false, carried;

	for (size_t r = 0; reuse != NULL && r < reuse->session->n_revisions; r++) {
		if (!reuse->session->wanted[r] || pe_plan_runs(reuse->session, known, r) == 0)
			continue;
		PE_TRY(pe_carry_try(&carried, reuse, known, r));
		any |= carried;
	}
	return any ? pe_known_load(known, reuse->session) : PE_OK;
}
