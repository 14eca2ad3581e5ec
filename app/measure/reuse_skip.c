/*
 * Skipping: a build that differs from a measured one, in nothing that a benchmark executes, has its results. What it
 * executes is what it was seen to enter and what that reads; the audit runs one such cell in twenty all the same, and all of
 * them with --all. Where it then enters other functions, or counts otherwise, the rule was wrong for this benchmark: what
 * was skipped is forgotten, and it is run at every commit.
 */
#include "app/measure/reuse_internal.h"

#include "app/measure/exactness.h"
#include "core/base/hash.h"

#include <math.h>
#include <string.h>

enum {
	MOST_ASKED = 8, /* sets of functions that a cell is compared by, the newest first */
	AUDITED = 20,   /* one in so many is run all the same */
	ENOUGH = 10,    /* cells that must be known before others are foreseen */
};

int pe_skip_load(struct pe_reuse *reuse)
{
	struct pe_session *session = reuse->session;
	int64_t *benchmarks;
	size_t n;
	int rc = pe_store_misjudged(&benchmarks, &n, session->app->store, session->machine_key,
				    session->arena, session->app->err);

	for (size_t i = 0; rc == PE_OK && i < n; i++) {
		size_t w = pe_session_benchmark_of(session, benchmarks[i]);

		if (w != SIZE_MAX)
			reuse->misjudged[w] = true;
	}
	return rc;
}

/* By what they are, so that every session chooses the same. */
static bool is_drawn(const struct pe_session *session, size_t revision, size_t benchmark)
{
	struct pe_hash hash;

	pe_hash_init(&hash);
	pe_hash_string(&hash, session->revisions[revision].revision->id);
	pe_hash_string(&hash, session->benchmarks.data[benchmark].benchmark->name);
	return hash.low % AUDITED == 0;
}

/* The newest representative that executes the same; NULL. */
static int find_source(const struct pe_representative **out, struct pe_reuse *reuse,
		       const struct pe_known *known, size_t revision, size_t benchmark,
		       const char *tree)
{
	const struct pe_session *session = reuse->session;
	const pe_representatives *all = &reuse->by_benchmark[benchmark];
	const size_t before = reuse->identities.n;
	const char *identity;
	int rc = PE_OK;

	*out = NULL;
	for (size_t i = all->n; rc == PE_OK && i-- > 0 && *out == NULL;) {
		const struct pe_representative *one = &all->data[i];

		if (one->functions == NULL || one->revision == session->revisions[revision].key ||
		    !pe_reuse_is_source(one, known, session->benchmarks.data[benchmark].key))
			continue;
		if (reuse->identities.n - before >= MOST_ASKED)
			break;
		rc = pe_reuse_identify(&identity, reuse, one, true, tree);
		if (rc == PE_OK && strcmp(identity, one->executed_identity) == 0)
			*out = one;
	}
	return rc;
}

/* --- The audit --- */

static int distrust(struct pe_reuse *reuse, const struct pe_skip_audit *audit, const char *what)
{
	struct pe_session *session = reuse->session;
	const struct pe_session_benchmark *benchmark = &session->benchmarks.data[audit->benchmark];
	const struct pe_session_revision *revision = &session->revisions[audit->revision];
	size_t from = pe_session_revision_of(session, audit->source), forgotten;
	int rc = pe_store_put_misjudged(&forgotten, session->app->store, session->machine_key,
					benchmark->key, revision->key, audit->source,
					session->app->err);

	if (rc != PE_OK)
		return rc;
	reuse->misjudged[audit->benchmark] = true;
	reuse->forgot |= forgotten > 0;
	for (size_t i = 0; i < reuse->taken.n; i++)
		if (reuse->taken.data[i].benchmark == benchmark->key)
			reuse->taken.data[i].source = 0;
	pe_app_note(
		session->app,
		"%.10s: '%s' %s at %.10s, although nothing differs that it was seen to execute: it is run at every commit from now on%s",
		revision->revision->id, benchmark->benchmark->name, what,
		from != SIZE_MAX ? session->revisions[from].revision->id : "another commit",
		forgotten > 0 ? ", and what was skipped is forgotten" : "");
	return PE_OK;
}

/* It has results of its own. */
static int drop(struct pe_reuse *reuse, size_t revision, size_t benchmark)
{
	struct pe_session *session = reuse->session;

	return pe_store_drop_skipped(session->app->store, session->machine_key,
				     session->benchmarks.data[benchmark].key,
				     session->revisions[revision].key, session->app->err);
}

/* It is measured after all: its own results stand, and are compared when they are there. */
static int begin_audit(struct pe_reuse *reuse, const struct pe_representative *source,
		       size_t revision, size_t benchmark)
{
	struct pe_session *session = reuse->session;
	const int64_t key = session->revisions[revision].key;
	const struct pe_skip_audit audit = {revision, benchmark, source->revision};
	const struct pe_representative *seen =
		pe_reuse_probed_at(&reuse->by_benchmark[benchmark], key);

	if (seen != NULL && seen->functions != NULL && strcmp(seen->digest, source->digest) != 0)
		return distrust(reuse, &audit, "enters other functions than");
	pe_vec_push(&reuse->audits, audit);
	return PE_OK;
}

/* Values of two revisions of one epoch; NaN: there are none. */
static void find_values(double out[2], const struct pe_observation *at, size_t n,
			const int64_t revisions[2])
{
	out[0] = out[1] = NAN;
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < n && at[i].revision == revisions[0]; k++)
			if (at[k].revision == revisions[1] && at[k].epoch == at[i].epoch) {
				out[0] = at[i].value;
				out[1] = at[k].value;
				return;
			}
}

static int count_differs(bool *out, struct pe_reuse *reuse, const struct pe_skip_audit *audit,
			 const struct pe_metric *metric)
{
	struct pe_session *session = reuse->session;
	const struct pe_series_query query = {
		.machine = session->machine_key,
		.benchmark = session->benchmarks.data[audit->benchmark].key,
		.metric = metric->name,
	};
	pe_auto_arena work = PE_ARENA_INIT;
	struct pe_exactness kept;
	struct pe_observation *at;
	double values[2];
	size_t n;
	int rc = pe_exactness_load(&kept, session->app->store, query.machine, query.benchmark,
				   metric, session->app->err);

	*out = false;
	if (rc != PE_OK || kept.broken > 0)
		return rc;
	rc = pe_store_get_series(&at, &n, session->app->store, &query, &work, session->app->err);
	if (rc != PE_OK)
		return rc;
	find_values(values, at, n,
		    (const int64_t[]){audit->source, session->revisions[audit->revision].key});
	*out = fabs(values[1] - values[0]) > metric->min_absolute &&
	       fabs(values[1] - values[0]) > metric->min_relative * fabs(values[0]);
	return PE_OK;
}

static int settle(struct pe_reuse *reuse, const struct pe_skip_audit *audit)
{
	bool differs = false;
	int rc = PE_OK;

	for (size_t i = 0; rc == PE_OK && !differs && i < PE_N_METRICS; i++)
		if (pe_metric_is_counted(&pe_metrics[i]))
			rc = count_differs(&differs, reuse, audit, &pe_metrics[i]);
	return rc == PE_OK && differs ? distrust(reuse, audit, "counts otherwise than") : rc;
}

int pe_reuse_settle(bool *forgot, struct pe_reuse *reuse)
{
	int rc = PE_OK;

	*forgot = false;
	if (reuse == NULL)
		return PE_OK;
	/* While they are taken for one build, whatever they count is what that build counts. */
	for (size_t i = 0; rc == PE_OK && i < reuse->audits.n; i++)
		rc = drop(reuse, reuse->audits.data[i].revision, reuse->audits.data[i].benchmark);
	for (size_t i = 0; rc == PE_OK && i < reuse->audits.n; i++)
		if (!reuse->misjudged[reuse->audits.data[i].benchmark])
			rc = settle(reuse, &reuse->audits.data[i]);
	reuse->audits.n = 0;
	*forgot = reuse->forgot;
	reuse->forgot = false;
	return rc;
}

/* --- Trying --- */

double pe_reuse_skipped_share(const struct pe_reuse *reuse, const struct pe_known *known)
{
	size_t skipped = 0, run = 0;

	if (reuse == NULL || reuse->session->whole || reuse->session->unskipped)
		return 0;
	for (size_t i = 0; i < known->n_reused; i++)
		skipped += known->reused[i].skipped && !known->reused[i].unbuilt &&
			   pe_session_benchmark_of(reuse->session, known->reused[i].benchmark) !=
				   SIZE_MAX;
	/* What was looked at alone is no cell that was run. */
	for (size_t w = 0; w < reuse->n; w++)
		for (size_t i = 0; i < reuse->by_benchmark[w].n; i++)
			run += pe_known_cell(known, reuse->by_benchmark[w].data[i].revision,
					     reuse->session->benchmarks.data[w].key) != NULL;
	return skipped + run >= ENOUGH ? (double)skipped / (double)(skipped + run) : 0;
}

int pe_skip_try(bool *skipped, struct pe_reuse *reuse, const struct pe_known *known,
		size_t revision, size_t benchmark, const char *tree)
{
	struct pe_session *session = reuse->session;
	const bool none = session->whole || session->unskipped;
	const struct pe_representative *found = NULL;
	struct pe_representative source;
	int rc = PE_OK;

	*skipped = false;
	if (!reuse->misjudged[benchmark])
		rc = find_source(&found, reuse, known, revision, benchmark, tree);
	if (rc == PE_OK && found == NULL && none)
		rc = drop(reuse, revision, benchmark);
	if (rc != PE_OK || found == NULL)
		return rc == PE_OK ? pe_reuse_see(reuse, revision, benchmark, tree) : rc;
	*skipped = !none && !is_drawn(session, revision, benchmark);
	if (*skipped)
		return pe_reuse_put(
			reuse, revision, benchmark,
			&(struct pe_reused){.source = found->revision, .skipped = true});
	source = *found; /* what is seen now may move it */
	rc = pe_reuse_see(reuse, revision, benchmark, tree);
	return rc == PE_OK ? begin_audit(reuse, &source, revision, benchmark) : rc;
}
