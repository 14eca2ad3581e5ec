/*
 * Unit tests as benchmarks (Rizel §IV: only tests whose own code is unmodified over the versions are compared). The
 * newest revision that builds lists its tests; git tells which of them are the same in every revision. The ids of a
 * test's own sources are part of its version, so that an edited test is another series in every range.
 */
#include "app/measure/names.h"
#include "app/measure/session.h"
#include "core/base/array.h"

#include <string.h>

int pe_session_build_newest(const char **tree, const struct pe_revision **which,
			    struct pe_session *session)
{
	enum { ATTEMPTS = 5 };
	unsigned attempts = 0;

	*tree = NULL;
	*which = NULL;
	if (!session->measures)
		return pe_fail(session->app->err, PE_ENOTFOUND,
			       "no build has said yet which benchmarks there are");
	for (size_t r = session->n_revisions; r-- > 0 && attempts < ATTEMPTS;) {
		struct pe_revision *revision = &session->revisions[r];
		struct pe_slot *slot;
		struct pe_build build;

		if (!session->wanted[r])
			continue;
		attempts++;
		PE_TRY(pe_session_build(&slot, &build, session, revision));
		if (slot != NULL && build.outcome == PE_MEASURED) {
			*tree = slot->tree;
			*which = revision;
			return PE_OK;
		}
		pe_trouble_add_build(&session->troubles, revision, &build, session->arena);
	}
	return PE_OK;
}

/* Whether a file is replaced by the user's own in every tree: its hash is part of the recipe's. */
static bool is_overlaid(const struct pe_session *session, const char *source)
{
	const struct pe_strings *paths = &session->app->config->overlay.paths;

	for (size_t i = 0; i < paths->n; i++) {
		size_t n = strlen(paths->at[i]);

		if (strncmp(source, paths->at[i], n) == 0 &&
		    (source[n] == '\0' || source[n] == '/' || (n > 0 && source[n - 1] == '/')))
			return true;
	}
	return false;
}

static struct pe_strings not_overlaid(const struct pe_session *session,
				      const struct pe_strings *sources)
{
	const char **at = pe_arena_new(session->arena, const char *, sources->n + 1);
	struct pe_strings own = {at, 0};

	for (size_t i = 0; i < sources->n; i++)
		if (!is_overlaid(session, sources->at[i]))
			at[own.n++] = sources->at[i];
	return own;
}

/* The ids of a test's sources in one revision. */
static int ids_at(char (**out)[PE_OID_HEX], struct pe_session *session,
		  const struct pe_strings *sources, const char *revision)
{
	*out = (char(*)[PE_OID_HEX])pe_arena_alloc(session->arena, sources->n, PE_OID_HEX);
	return pe_repo_path_ids(*out, session->app->repo, revision, sources, session->app->err);
}

/*
 * Walk wanted revisions from the newest back and compare sources. *reason describes the first difference found; NULL: there is
 * none.
 */
static int find_edit(const char **reason, struct pe_session *session,
		     const struct pe_strings *sources, char (*newest)[PE_OID_HEX])
{
	const char *later = NULL;

	*reason = NULL;
	for (size_t r = session->n_revisions; r-- > 0 && *reason == NULL;) {
		const char *id = session->revisions[r].id;
		char(*ids)[PE_OID_HEX];

		if (!session->wanted[r])
			continue;
		PE_TRY(ids_at(&ids, session, sources, id));
		for (size_t i = 0; i < sources->n && *reason == NULL; i++) {
			if (strcmp(ids[i], newest[i]) == 0)
				continue;
			*reason = pe_arena_printf(
				session->arena, "its source %s %s in %.10s", sources->at[i],
				ids[i][0] == '\0' ? "first appears" : "was modified",
				later != NULL ? later : id);
			if (!pe_has_string(session->edited.data, session->edited.n, sources->at[i]))
				pe_vec_push(&session->edited, sources->at[i]);
		}
		later = id;
	}
	return PE_OK;
}

/* Set the test's version, or the reason why it is not compared. */
static int settle(const char **reason, struct pe_session *session, struct pe_benchmark *test)
{
	const struct pe_strings sources = not_overlaid(session, &test->sources);
	char(*newest)[PE_OID_HEX];
	struct pe_hash hash;
	char hex[PE_HASH_HEX];

	if (test->sources.n == 0) {
		*reason =
			"its own source is not known: name it with 'sources:' or after a tab in the list";
		return PE_OK;
	}
	PE_TRY(ids_at(&newest, session, &sources, pe_session_newest(session)->id));
	PE_TRY(find_edit(reason, session, &sources, newest));
	if (*reason != NULL)
		return PE_OK;
	pe_hash_init(&hash);
	for (size_t i = 0; i < sources.n; i++) {
		pe_hash_string(&hash, sources.at[i]);
		pe_hash_string(&hash, newest[i]);
	}
	pe_hash_hex(&hash, hex);
	pe_benchmark_version(test, session->recipe_hash, hex);
	return PE_OK;
}

static int take_tests(struct pe_session *session, struct pe_benchmark *tests, size_t n,
		      const char *bench)
{
	for (size_t i = 0; i < n; i++) {
		const char *reason = NULL;

		PE_TRY(settle(&reason, session, &tests[i]));
		if (reason != NULL)
			pe_vec_push(&session->left_out,
				    ((struct pe_left_out){tests[i].name, reason}));
		else
			PE_TRY(pe_session_take_benchmarks(session, &tests[i], 1, bench));
	}
	return PE_OK;
}

/* No test was listed: an error where there is nothing else to measure, a note elsewhere. */
static int report_none(const struct pe_session *session, const char *revision)
{
	const struct pe_config *config = session->app->config;
	const struct pe_tests *tests = &config->tests;
	const char *what, *advice = ": try it in 'perfevo shell'; a 'list' prints one name a line";

	if (tests->kind == PE_TESTS_LIST) {
		what = pe_arena_printf(session->arena, "'%s' lists", tests->list.text);
	} else {
		what = pe_arena_printf(session->arena, "%s finds in '%s'",
				       pe_tests_kind_name(tests->kind), tests->build_dir);
		advice = ": does the build include the tests, and 'build-dir' name its folder?";
	}
	if (tests->include != NULL || tests->exclude != NULL)
		advice = " that 'include' and 'exclude' let through";
	what = pe_arena_printf(session->arena, "tests: %s no test at %.10s%s", what, revision,
			       advice);
	if (config->n_benchmarks == 0 && config->n_suites == 0)
		return pe_fail(session->app->err, PE_EINVALID, "%s", what);
	pe_app_note(session->app, "%s", what);
	return PE_OK;
}

int pe_session_add_tests(struct pe_session *session, const char *bench)
{
	struct pe_app *app = session->app;
	struct pe_left_outs skipped = {NULL, 0};
	const struct pe_revision *newest;
	struct pe_benchmark *tests;
	const char *tree;
	size_t n;
	int rc;

	if (app->config->tests.kind == PE_TESTS_NONE || pe_session_newest(session) == NULL)
		return PE_OK;
	session->builds_total = 1;
	PE_TRY(pe_session_build_newest(&tree, &newest, session));
	if (tree == NULL) {
		pe_app_note(app, "none of the newest revisions builds: its tests cannot be listed");
		return PE_OK;
	}
	rc = pe_tests_discover(&tests, &n, &skipped, app->config, tree, &session->executor,
			       session->arena, app->err);
	pe_slots_release(&session->slots);
	if (rc != PE_OK) {
		pe_err_context(app->err, "listing the tests of %.10s",
			       pe_session_newest(session)->id);
		return rc;
	}
	if (n == 0 && skipped.n == 0)
		return report_none(session, newest->id);
	for (size_t i = 0; i < skipped.n; i++)
		pe_vec_push(&session->left_out, skipped.at[i]);
	return take_tests(session, tests, n, bench);
}

int pe_session_fail_without(const struct pe_session *session, const char *bench)
{
	struct pe_err *err = session->app->err;
	const char *what =
		bench != NULL ? pe_arena_printf(session->arena, "no benchmark matches '%s'", bench)
			      : "there is no benchmark";

	if (session->left_out.n == 0 && bench != NULL)
		return pe_names_fail_benchmark(session->app, bench, false);
	if (session->left_out.n == 0)
		return pe_fail(err, PE_EINVALID, "%s", what);
	return pe_fail(err, PE_EINVALID, "%s; left out is '%s': %s", what,
		       session->left_out.data[0].name, session->left_out.data[0].reason);
}
