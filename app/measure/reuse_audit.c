/*
 * The audit: one in twenty of the results taken over is measured nevertheless, and all of them with --all. The resolver
 * by git is audited by revision: its build must execute the same as the source that it would have had without a build.
 * The resolver by functions is audited by cell: a run that could be skipped must enter the same functions, and have the
 * same counts. If not, the resolver was wrong for the recipe or the benchmark: results that it took over are forgotten,
 * and it is not used for it any more.
 */
#include "app/measure/reuse_internal.h"

#include "app/measure/exactness.h"
#include "core/base/hash.h"

#include <math.h>
#include <string.h>

enum { AUDITED = 20 }; /* one in this number is measured nevertheless */

int pe_audit_load(struct pe_reuse *reuse)
{
	struct pe_session *session = reuse->session;
	int64_t *benchmarks;
	size_t n;

	PE_TRY(pe_store_misjudged(&benchmarks, &n, session->app->store, session->machine_key,
				  session->arena, session->app->err));
	for (size_t i = 0; i < n; i++) {
		size_t w = pe_session_benchmark_of(session, benchmarks[i]);

		if (w != SIZE_MAX)
			reuse->misjudged[w] = true;
	}
	return PE_OK;
}

bool pe_audit_is_due(const struct pe_revision *revision, const char *benchmark)
{
	struct pe_hash hash;

	pe_hash_init(&hash);
	pe_hash_string(&hash, revision->id);
	if (benchmark != NULL)
		pe_hash_string(&hash, benchmark);
	return hash.low % AUDITED == 0;
}

static const char *name_of(const struct pe_session *session, int64_t revision)
{
	size_t r = pe_session_revision_of(session, revision);

	return r != SIZE_MAX ? session->revisions[r].id : "another commit";
}

/* Forget cells that were taken over in this session: those of a benchmark's key; 0: all. */
static void forget_taken(struct pe_reuse *reuse, int64_t benchmark)
{
	for (size_t i = 0; i < reuse->taken.n; i++)
		if (benchmark == 0 || reuse->taken.data[i].benchmark == benchmark)
			reuse->taken.data[i].source = 0;
}

/* --- Builds --- */

static int invalidate_builds(struct pe_reuse *reuse, size_t revision, int64_t source)
{
	struct pe_session *session = reuse->session;
	size_t forgotten;

	reuse->carry.valid = false;
	reuse->forgot = true;
	forget_taken(reuse, 0);
	PE_TRY(pe_store_put_misread(&forgotten, session->app->store, session->machine_key,
				    session->recipe_hash, session->revisions[revision].key, source,
				    session->app->err));
	pe_app_note(
		session->app,
		"%.10s: its build differs from that of %.10s, although no file differs that the build was seen to read: %zu results taken over without a build are forgotten, and every commit is built from now on",
		session->revisions[revision].id, name_of(session, source), forgotten);
	return PE_OK;
}

int pe_audit_build(struct pe_reuse *reuse, const struct pe_known *known, size_t revision,
		   size_t benchmark, const char *tree)
{
	const struct pe_traced_run *run;
	enum pe_resolver resolver;
	struct pe_coverage expected;
	const char *hash;

	PE_TRY(pe_carry_expected(&expected, reuse, known, revision, benchmark));
	if (expected.source == 0)
		return PE_OK;
	resolver = expected.skipped ? PE_BY_CODE : PE_BY_TREE;
	run = pe_reuse_traced_at(&reuse->by_benchmark[benchmark], expected.source);
	if (run->hash[resolver] == NULL)
		return PE_OK;
	PE_TRY(pe_reuse_hash(&hash, reuse, &run->trace, resolver, tree));
	return strcmp(hash, run->hash[resolver]) == 0
		       ? PE_OK
		       : invalidate_builds(reuse, revision, expected.source);
}

/* --- Runs --- */

static int invalidate_runs(struct pe_reuse *reuse, const struct pe_audit *audit, const char *what)
{
	struct pe_session *session = reuse->session;
	const struct pe_benchmark *benchmark = session->benchmarks.data[audit->benchmark];
	const struct pe_revision *revision = &session->revisions[audit->revision];
	size_t forgotten;

	PE_TRY(pe_store_put_misjudged(&forgotten, session->app->store, session->machine_key,
				      benchmark->key, revision->key, audit->source,
				      session->app->err));
	reuse->misjudged[audit->benchmark] = true;
	reuse->forgot |= forgotten > 0;
	forget_taken(reuse, benchmark->key);
	pe_app_note(
		session->app,
		"%.10s: '%s' %s at %.10s, although nothing differs that it was seen to execute: it is run at every commit from now on%s",
		revision->id, benchmark->name, what, name_of(session, audit->source),
		forgotten > 0 ? ", and what was skipped is forgotten" : "");
	return PE_OK;
}

int pe_audit_drop_skipped(struct pe_reuse *reuse, size_t revision, size_t benchmark)
{
	struct pe_session *session = reuse->session;

	return pe_store_drop_skipped(session->app->store, session->machine_key,
				     session->benchmarks.data[benchmark]->key,
				     session->revisions[revision].key, session->app->err);
}

int pe_audit_begin(struct pe_reuse *reuse, const struct pe_traced_run *source, size_t revision,
		   size_t benchmark)
{
	const struct pe_audit audit = {revision, benchmark, source->revision};
	const struct pe_traced_run *seen = pe_reuse_traced_at(
		&reuse->by_benchmark[benchmark], reuse->session->revisions[revision].key);

	if (seen != NULL && seen->trace.functions != NULL &&
	    strcmp(seen->trace.functions, source->trace.functions) != 0)
		return invalidate_runs(reuse, &audit, "enters other functions than");
	pe_vec_push(&reuse->audits, audit);
	return PE_OK;
}

static int count_differs(bool *out, struct pe_reuse *reuse, const struct pe_audit *audit,
			 const struct pe_metric *metric)
{
	struct pe_session *session = reuse->session;
	const struct pe_series_query query = {session->machine_key,
					      session->benchmarks.data[audit->benchmark]->key,
					      metric->name};
	const int64_t keys[] = {audit->source, session->revisions[audit->revision].key};
	double values[2];
	bool vary;

	PE_TRY(pe_exactness_load_two(values, &vary, session->app->store, &query, metric, keys,
				     session->app->err));
	*out = !vary && fabs(values[1] - values[0]) > metric->min_absolute &&
	       fabs(values[1] - values[0]) > metric->min_relative * fabs(values[0]);
	return PE_OK;
}

/* Check that an audited cell has the counts of its source. */
static int compare_counts(struct pe_reuse *reuse, const struct pe_audit *audit)
{
	bool differs = false;

	for (size_t i = 0; !differs && i < PE_N_METRICS; i++)
		if (pe_metric_is_counted(&pe_metrics[i]))
			PE_TRY(count_differs(&differs, reuse, audit, &pe_metrics[i]));
	return differs ? invalidate_runs(reuse, audit, "counts otherwise than") : PE_OK;
}

int pe_reuse_settle(bool *forgot, struct pe_reuse *reuse)
{
	*forgot = false;
	if (reuse == NULL)
		return PE_OK;
	/* A row of reuse would make both revisions one build, in which any differing counts are taken for noise. */
	for (size_t i = 0; i < reuse->audits.n; i++)
		PE_TRY(pe_audit_drop_skipped(reuse, reuse->audits.data[i].revision,
					     reuse->audits.data[i].benchmark));
	for (size_t i = 0; i < reuse->audits.n; i++)
		if (!reuse->misjudged[reuse->audits.data[i].benchmark])
			PE_TRY(compare_counts(reuse, &reuse->audits.data[i]));
	reuse->audits.n = 0;
	*forgot = reuse->forgot;
	reuse->forgot = false;
	return PE_OK;
}
