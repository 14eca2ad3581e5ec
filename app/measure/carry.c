#include "app/measure/carry.h"

#include "app/measure/reads.h"
#include "core/base/array.h"
#include "core/base/hash.h"

#include <string.h>

enum {
	NEIGHBOURS = 2,  /* builds on either side of a revision that it is compared with */
	MOST_NAMES = 64, /* that differ, beyond which runs are not asked about them */
	AUDITED = 20,    /* one of so many is built all the same */
};

/* What differs between a build and a revision. */
struct difference {
	size_t built; /* index into the session */
	bool same;    /* nothing that the build reads */
	struct pe_changed_name *names;
	size_t n;
	struct difference *next;
};

struct set {
	int64_t key;
	struct pe_reads reads;
};

struct built {
	size_t revision; /* index into the session */
	int64_t set;
};

struct pe_carry {
	struct pe_session *session;
	PE_VEC(struct built) built; /* by revision */
	PE_VEC(struct set) sets;
	struct difference **differences; /* by revision */
	size_t seen;                     /* builds of this session that are among them */
	bool all; /* every revision is built, and compared with what would have been carried */
	bool over;
};

/* --- What was built --- */

static int compare_built(const void *a, const void *b)
{
	const struct built *x = a, *y = b;

	return (x->revision > y->revision) - (x->revision < y->revision);
}

static int load_built(struct pe_carry *carry)
{
	struct pe_session *session = carry->session;
	struct pe_build_reads *rows;
	size_t n;
	int rc = pe_store_build_reads(&rows, &n, session->app->store, session->machine_key,
				      session->recipe_hash, session->arena, session->app->err);

	carry->seen = session->builds_done;
	carry->built.n = 0;
	for (size_t i = 0; rc == PE_OK && i < n; i++) {
		size_t r = pe_session_revision_of(session, rows[i].revision);

		if (r != SIZE_MAX)
			pe_vec_push(&carry->built, (struct built){r, rows[i].set});
	}
	if (carry->built.n > 0)
		qsort(carry->built.data, carry->built.n, sizeof(*carry->built.data), compare_built);
	return rc;
}

int pe_carry_new(struct pe_carry **out, struct pe_session *session)
{
	bool misread;
	int rc;

	*out = NULL;
	if (session->again)
		return PE_OK;
	rc = pe_store_is_misread(&misread, session->app->store, session->machine_key,
				 session->recipe_hash, session->app->err);
	if (rc != PE_OK || misread)
		return rc;
	*out = pe_arena_new(session->arena, struct pe_carry, 1);
	(*out)->session = session;
	(*out)->all = session->whole;
	(*out)->differences =
		pe_arena_new(session->arena, struct difference *, session->n_revisions);
	return load_built(*out);
}

void pe_carry_free(struct pe_carry *carry)
{
	if (carry == NULL)
		return;
	pe_vec_release(&carry->built);
	pe_vec_release(&carry->sets);
}

static int find_set(const struct pe_reads **out, struct pe_carry *carry, int64_t key)
{
	struct pe_session *session = carry->session;
	struct set set = {.key = key};
	const char *paths;
	int rc;

	for (size_t i = 0; i < carry->sets.n; i++) {
		*out = &carry->sets.data[i].reads;
		if (carry->sets.data[i].key == key)
			return PE_OK;
	}
	rc = pe_store_read_set(&paths, session->app->store, key, session->arena, session->app->err);
	if (rc != PE_OK)
		return rc;
	pe_reads_unpack(&set.reads, paths, session->arena);
	pe_vec_push(&carry->sets, set);
	*out = &carry->sets.data[carry->sets.n - 1].reads;
	return PE_OK;
}

/* --- Comparing --- */

struct comparing {
	const struct pe_reads *reads;
	struct pe_arena *arena;
	PE_VEC(struct pe_changed_name) names;
	bool differs;
};

static bool meet(const struct pe_changed_name *name, void *payload)
{
	struct comparing *all = payload;
	struct pe_changed_name copy = *name;

	all->differs = all->names.n >= MOST_NAMES || pe_reads_differ(all->reads, name);
	if (all->differs)
		return false;
	copy.path = pe_arena_strdup(all->arena, name->path);
	pe_vec_push(&all->names, copy);
	return true;
}

/* Two revisions by what a build read. */
static int compare_by(struct comparing *all, struct pe_carry *carry, int64_t set, size_t before,
		      size_t after)
{
	struct pe_session *session = carry->session;
	const struct pe_changes_query query = {
		.before = session->revisions[before].revision->id,
		.after = session->revisions[after].revision->id,
		.meet = meet,
		.payload = all,
	};
	struct pe_changed_files files;
	int rc = find_set(&all->reads, carry, set);

	if (rc == PE_OK)
		rc = pe_repo_changes(&files, session->app->repo, &query, session->arena,
				     session->app->err);
	if (rc == PE_EUNSUPPORTED) { /* a clone without the trees of old commits */
		*session->app->err = (struct pe_err)PE_ERR_INIT;
		all->differs = true;
		return PE_OK;
	}
	if (rc == PE_OK)
		all->differs |= files.cut;
	return rc;
}

/* The comparison of a revision with a build; once a session. */
static int compare(const struct difference **out, struct pe_carry *carry, const struct built *built,
		   size_t revision)
{
	struct pe_session *session = carry->session;
	struct comparing all = {.arena = session->arena};
	struct difference *fresh;
	int rc;

	for (*out = carry->differences[revision]; *out != NULL; *out = (*out)->next)
		if ((*out)->built == built->revision)
			return PE_OK;
	rc = compare_by(&all, carry, built->set, built->revision, revision);
	if (rc == PE_OK) {
		fresh = pe_arena_new(session->arena, struct difference, 1);
		*fresh = (struct difference){.built = built->revision,
					     .same = !all.differs,
					     .names = pe_vec_copy(session->arena, &all.names),
					     .n = all.names.n,
					     .next = carry->differences[revision]};
		carry->differences[revision] = fresh;
		*out = fresh;
	}
	pe_vec_release(&all.names);
	return rc;
}

/* A source whose run read nothing that differs; none has the key 0. */
static struct pe_reused find_source(struct pe_reuse *reuse, const struct pe_known *known,
				    const struct difference *difference, size_t benchmark)
{
	struct pe_carry *carry = pe_reuse_carry(reuse);
	const struct pe_session *session = carry->session;
	const struct pe_dependencies *touched;
	const struct pe_reused none = {.source = 0};
	struct pe_reused from = {.unbuilt = true};
	struct pe_reads reads;

	from.source = pe_reuse_source_of(&touched, &from.skipped, reuse, known,
					 session->revisions[difference->built].key, benchmark);
	if (from.source == 0)
		return none;
	pe_reads_of_run(&reads, touched, session->arena);
	for (size_t i = 0; i < difference->n; i++)
		if (pe_reads_differ(&reads, &difference->names[i]))
			return none;
	return from;
}

/* --- Neighbours --- */

/* Those that were built next to a revision, the nearest first, itself not among them. */
static size_t choose_neighbours(const struct built *out[2 * NEIGHBOURS],
				const struct pe_carry *carry, size_t revision)
{
	size_t low = 0, high, n = 0;

	while (low < carry->built.n && carry->built.data[low].revision < revision)
		low++;
	high = low;
	high += high < carry->built.n && carry->built.data[high].revision == revision;
	for (size_t i = 0; i < NEIGHBOURS; i++) {
		if (low > i)
			out[n++] = &carry->built.data[low - 1 - i];
		if (high + i < carry->built.n)
			out[n++] = &carry->built.data[high + i];
	}
	return n;
}

/* By id, so that every session chooses the same. */
static bool is_audited(const struct pe_revision *revision)
{
	struct pe_hash hash;

	pe_hash_init(&hash);
	pe_hash_string(&hash, revision->id);
	return hash.low % AUDITED == 0;
}

/* The sources of all cells that want runs; false: some cell has none. */
static bool find_sources(struct pe_reused *sources, struct pe_reuse *reuse,
			 const struct pe_known *known, const struct difference *difference,
			 size_t revision)
{
	const struct pe_session *session = pe_reuse_carry(reuse)->session;
	size_t found = 0;

	for (size_t w = 0; w < session->benchmarks.n; w++) {
		struct pe_wants wants = pe_plan_wants(session, known, revision, w);

		sources[w].source = 0;
		if (wants.timed + wants.counted == 0)
			continue;
		/* A cell that has runs of its own keeps to them. */
		if (pe_known_cell(known, session->revisions[revision].key,
				  session->benchmarks.data[w].key) != NULL)
			return false;
		sources[w] = find_source(reuse, known, difference, w);
		if (sources[w].source == 0)
			return false;
		found++;
	}
	return found > 0;
}

static int put(struct pe_reuse *reuse, const struct pe_reused *sources, size_t revision)
{
	struct pe_session *session = pe_reuse_carry(reuse)->session;
	int rc = PE_OK;

	for (size_t w = 0; rc == PE_OK && w < session->benchmarks.n; w++)
		if (sources[w].source != 0)
			rc = pe_reuse_put(reuse, revision, w, &sources[w]);
	session->n_unbuilt++;
	return rc == PE_OK ? pe_reuse_keep(reuse) : rc;
}

int pe_carry_try(bool *carried, struct pe_reuse *reuse, const struct pe_known *known,
		 size_t revision)
{
	struct pe_carry *carry = pe_reuse_carry(reuse);
	const struct built *neighbours[2 * NEIGHBOURS];
	struct pe_session *session;
	pe_auto_free struct pe_reused *sources = NULL;
	size_t n;
	int rc = PE_OK;

	*carried = false;
	if (carry == NULL || carry->over || carry->all)
		return PE_OK;
	session = carry->session;
	if (is_audited(session->revisions[revision].revision))
		return PE_OK;
	if (carry->seen != session->builds_done)
		rc = load_built(carry);
	sources = pe_realloc(NULL, session->benchmarks.n + 1, sizeof(*sources));
	n = choose_neighbours(neighbours, carry, revision);
	for (size_t i = 0; rc == PE_OK && !*carried && i < n; i++) {
		const struct difference *difference;

		rc = compare(&difference, carry, neighbours[i], revision);
		if (rc != PE_OK || !difference->same)
			continue;
		*carried = find_sources(sources, reuse, known, difference, revision);
		if (*carried)
			rc = put(reuse, sources, revision);
	}
	return rc;
}

/* What the benchmarks read of that which the build does not read. */
static enum pe_foreseen foresee_runs(struct pe_reuse *reuse, const struct comparing *all)
{
	const struct pe_session *session = pe_reuse_carry(reuse)->session;
	enum pe_foreseen out = PE_FORESEEN_NOTHING;

	for (size_t w = 0; all->names.n > 0 && w < session->benchmarks.n; w++) {
		const struct pe_dependencies *touched = pe_reuse_last_seen(reuse, w);
		struct pe_reads reads;

		if (touched == NULL) {
			out = PE_FORESEEN_UNKNOWN;
			continue;
		}
		pe_reads_of_run(&reads, touched, session->arena);
		for (size_t i = 0; i < all->names.n; i++)
			if (pe_reads_differ(&reads, &all->names.data[i]))
				return PE_FORESEEN_BUILD;
	}
	return out;
}

int pe_carry_foresee(enum pe_foreseen *out, struct pe_reuse *reuse, size_t before, size_t revision)
{
	struct pe_carry *carry = reuse != NULL ? pe_reuse_carry(reuse) : NULL;
	const struct built *neighbours[2 * NEIGHBOURS];
	struct comparing all = {.reads = NULL};
	int rc = PE_OK;

	*out = PE_FORESEEN_BUILD;
	if (carry == NULL || carry->over || carry->all ||
	    is_audited(carry->session->revisions[revision].revision))
		return PE_OK;
	if (carry->seen != carry->session->builds_done)
		rc = load_built(carry);
	if (rc != PE_OK || choose_neighbours(neighbours, carry, revision) == 0)
		return rc;
	all.arena = carry->session->arena;
	rc = compare_by(&all, carry, neighbours[0]->set, before, revision);
	if (rc == PE_OK && !all.differs)
		*out = foresee_runs(reuse, &all);
	pe_vec_release(&all.names);
	return rc;
}

bool pe_carry_is_blind(const struct pe_reuse *reuse)
{
	const struct pe_carry *carry = reuse != NULL ? pe_reuse_carry(reuse) : NULL;

	return carry != NULL && !carry->over && !carry->all && carry->built.n == 0 &&
	       carry->session->builder.watch != NULL && carry->session->builds_done == 0;
}

static bool has_wants(const struct pe_session *session, const struct pe_known *known,
		      size_t revision)
{
	for (size_t w = 0; w < session->benchmarks.n; w++) {
		struct pe_wants wants = pe_plan_wants(session, known, revision, w);

		if (wants.timed + wants.counted > 0)
			return true;
	}
	return false;
}

int pe_carry_all(struct pe_reuse *reuse, struct pe_known *known)
{
	struct pe_session *session;
	bool any = false, carried;
	int rc = PE_OK;

	if (reuse == NULL || pe_reuse_carry(reuse) == NULL)
		return PE_OK;
	session = pe_reuse_carry(reuse)->session;
	for (size_t r = 0; rc == PE_OK && r < session->n_revisions; r++) {
		if (!session->revisions[r].wanted || !has_wants(session, known, r))
			continue;
		rc = pe_carry_try(&carried, reuse, known, r);
		any |= carried;
	}
	return rc == PE_OK && any ? pe_known_load(known, session) : rc;
}

/* --- The audit --- */

int pe_carry_expected(struct pe_reused *from, struct pe_reuse *reuse, const struct pe_known *known,
		      size_t revision, size_t benchmark)
{
	struct pe_carry *carry = pe_reuse_carry(reuse);
	const struct built *neighbours[2 * NEIGHBOURS];
	size_t n;
	int rc = PE_OK;

	*from = (struct pe_reused){.source = 0};
	if (carry == NULL || carry->over)
		return PE_OK;
	if (carry->seen != carry->session->builds_done)
		rc = load_built(carry);
	n = choose_neighbours(neighbours, carry, revision);
	for (size_t i = 0; rc == PE_OK && from->source == 0 && i < n; i++) {
		const struct difference *difference;

		rc = compare(&difference, carry, neighbours[i], revision);
		if (rc == PE_OK && difference->same)
			*from = find_source(reuse, known, difference, benchmark);
	}
	return rc;
}

bool pe_carry_is_over(const struct pe_reuse *reuse)
{
	const struct pe_carry *carry = reuse != NULL ? pe_reuse_carry(reuse) : NULL;

	return carry != NULL && carry->over;
}

int pe_carry_distrust(struct pe_carry *carry, size_t revision, int64_t source)
{
	struct pe_session *session = carry->session;
	struct pe_app *app = session->app;
	size_t from = pe_session_revision_of(session, source), forgotten;
	int rc = pe_store_put_misread(&forgotten, app->store, session->machine_key,
				      session->recipe_hash, session->revisions[revision].key,
				      source, app->err);

	carry->over = true;
	if (rc == PE_OK)
		pe_app_note(
			app,
			"%.10s: its build differs from that of %.10s, although no file differs that the build was seen to read: %zu results taken over without a build are forgotten, and every commit is built from now on",
			session->revisions[revision].revision->id,
			from != SIZE_MAX ? session->revisions[from].revision->id : "another commit",
			forgotten);
	return rc;
}
