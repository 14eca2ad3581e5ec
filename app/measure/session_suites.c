/*
 * Members of suites as benchmarks. The newest revision that builds lists its members, and every measured revision reports
 * its own before its first run; the store keeps all lists, so that commands which only read need no build.
 */
#include "app/measure/suite_port.h"

#include "suites/library.h"

#include <string.h>

/* --- Suites --- */

static int load_suite(struct pe_session_suite *out, struct pe_session *session,
		      const struct pe_suite *suite)
{
	struct pe_app *app = session->app;
	const char *format = suite->format;
	int rc = pe_store_get_suite(&out->key, &format, &out->fixed, app->store, suite,
				    session->arena, app->err);

	out->suite = suite;
	if (strcmp(suite->format, "auto") != 0)
		format = suite->format;
	out->format = pe_suite_format_find(format);
	/* An older version read more formats. */
	if (out->format == PE_SUITE_N_FORMATS)
		out->format = PE_SUITE_AUTO;
	return rc == PE_ENOTFOUND ? PE_OK : rc;
}

static int load_suites(struct pe_session *session)
{
	const struct pe_config *config = session->app->config;

	if (session->suites != NULL)
		return PE_OK;
	session->suites = pe_arena_new(session->arena, struct pe_session_suite, config->n_suites);
	for (; session->n_suites < config->n_suites; session->n_suites++)
		PE_TRY(load_suite(&session->suites[session->n_suites], session,
				  &config->suites[session->n_suites]));
	return PE_OK;
}

static int put_suite(struct pe_session *session, struct pe_session_suite *at)
{
	struct pe_app *app = session->app;
	const char *format = at->format != PE_SUITE_AUTO
				     ? pe_suite_format_name((enum pe_suite_format)at->format)
				     : "auto";

	return pe_store_put_suite(&at->key, app->store, at->suite, format, at->fixed, app->err);
}

/* --- Members --- */

static bool is_taken(const struct pe_session *session, const struct pe_suite *suite, const char *id)
{
	for (size_t w = 0; w < session->benchmarks.n; w++) {
		const struct pe_benchmark *one = session->benchmarks.data[w];

		if (one->suite == suite && strcmp(one->member, id) == 0)
			return true;
	}
	return false;
}

/* Set the commands that run a member alone, to count and to sample it; without one, the suite's command is used. */
static void set_command(struct pe_benchmark *member, struct pe_session *session)
{
	const struct pe_suite_port port = pe_suite_port_of(session);
	const struct pe_suite_task once = {.what = PE_ASK_ONCE, .names = &member->own, .n = 1};
	const struct pe_suite_task alone = {.what = PE_ASK_RUN, .names = &member->own, .n = 1};
	struct pe_suite_command command, sampled;
	struct pe_err why = PE_ERR_INIT;
	const bool is_alone = port.command(&sampled, member->suite, &alone, NULL, session->arena,
					   session, &why) == PE_OK &&
			      sampled.output == NULL;

	member->command = member->suite->command;
	member->is_whole_suite = true;
	if (port.command(&command, member->suite, &once, NULL, session->arena, session, &why) ==
	    PE_OK) {
		member->command = command.command;
		member->iterations = command.iterations;
		member->is_whole_suite = false;
		/* A hundred iterations of a microsecond are over before the first sample is due. */
		if (is_alone)
			member->sampled = sampled.command;
	} else if (is_alone) {
		member->command = sampled.command;
		member->is_whole_suite = false;
	}
}

/* Load the metrics that its library reported in earlier runs, since they are judged by name. */
static int load_customs(struct pe_session *session, struct pe_benchmark *one)
{
	struct pe_app *app = session->app;
	struct pe_metric *metrics;
	struct pe_custom_metric *customs;
	size_t n;

	PE_TRY(pe_store_benchmark_metrics(&metrics, &n, app->store, session->machine_key, one->key,
					  session->arena, app->err));
	customs = pe_arena_new(session->arena, struct pe_custom_metric, n + 1);
	for (size_t i = 0; i < n; i++)
		if (pe_metric_find(metrics[i].name) == NULL)
			customs[one->n_customs++].metric = metrics[i];
	one->customs = customs;
	return PE_OK;
}

static int take_member(struct pe_session *session, const struct pe_suite *suite,
		       const struct pe_member_name *name, const char *bench)
{
	const char *id = pe_suite_renamed(suite, name->id);
	struct pe_benchmark *member;
	size_t before = session->benchmarks.n;

	if (!pe_suite_wants(suite, id) || is_taken(session, suite, id))
		return PE_OK;
	member = pe_arena_new(session->arena, struct pe_benchmark, 1);
	*member = suite->model;
	member->suite = suite;
	member->name = pe_arena_printf(session->arena, "%s/%s", suite->name, id);
	member->member = id;
	member->own = name->own;
	member->parameters = pe_suite_id_params(id, session->arena);
	pe_suite_member_version(member->version, suite, id);
	set_command(member, session);
	PE_TRY(pe_session_take_benchmarks(session, member, 1, bench));
	return session->benchmarks.n > before
		       ? load_customs(session, session->benchmarks.data[before])
		       : PE_OK;
}

/* Add members in one transaction: hundreds of them have a row each. */
static int take_members(struct pe_session *session, const struct pe_session_suite *at,
			const struct pe_member_name *names, size_t n, const char *bench)
{
	struct pe_app *app = session->app;
	pe_auto_transaction own =
		session->measures && !pe_store_in_transaction(app->store) ? app->store : NULL;

	if (own != NULL)
		PE_TRY(pe_store_begin(own, app->err));
	for (size_t i = 0; i < n; i++)
		PE_TRY(take_member(session, at->suite, &names[i], bench));
	return own != NULL ? pe_store_commit(own, app->err) : PE_OK;
}

/* Add the members in the lists of wanted revisions, the newest first: most lists are equal. */
static int take_listed(struct pe_session *session, const struct pe_session_suite *at,
		       const char *bench)
{
	struct pe_app *app = session->app;
	int64_t last = 0;

	for (size_t r = session->n_revisions; r-- > 0;) {
		struct pe_member_name *names;
		int64_t contents;
		size_t n;

		if (!session->wanted[r])
			continue;
		PE_TRY(pe_store_get_listing(&contents, app->store, at->key,
					    session->revisions[r].key, app->err));
		if (contents == 0 || contents == last)
			continue;
		PE_TRY(pe_store_suite_names(&names, &n, app->store, contents, session->arena,
					    app->err));
		PE_TRY(take_members(session, at, names, n, bench));
		last = contents;
	}
	return PE_OK;
}

/*
 * Rename histories under earlier names. Their version is that of the first name, so each step finds the result of the
 * last.
 */
static int join_renamed(struct pe_session *session, const struct pe_suite *suite)
{
	struct pe_app *app = session->app;

	for (size_t i = 0; i < suite->n_renamed; i++) {
		char version[PE_HASH_HEX];
		const char *to = pe_suite_renamed(suite, suite->renamed[i].from);

		pe_suite_member_version(version, suite, suite->renamed[i].from);
		PE_TRY(pe_store_rename_benchmark(
			app->store,
			pe_arena_printf(session->arena, "%s/%s", suite->name,
					suite->renamed[i].from),
			pe_arena_printf(session->arena, "%s/%s", suite->name, to), version,
			app->err));
	}
	return PE_OK;
}

int pe_session_take_suites(struct pe_session *session, const char *bench)
{
	PE_TRY(load_suites(session));
	session->bench = bench;
	for (size_t i = 0; i < session->n_suites; i++)
		PE_TRY(join_renamed(session, session->suites[i].suite));
	for (size_t i = 0; i < session->n_suites; i++)
		if (session->suites[i].key != 0)
			PE_TRY(take_listed(session, &session->suites[i], bench));
	return PE_OK;
}

/* --- Lists of a program --- */

int pe_session_keep_listing(struct pe_session *session, const struct pe_suite *suite,
			    const struct pe_revision *revision, const struct pe_member_name *names,
			    size_t n)
{
	struct pe_app *app = session->app;
	struct pe_session_suite *at = pe_suite_port_find(session, suite);

	PE_TRY(put_suite(session, at));
	for (size_t i = 0; i < n; i++) {
		const char *id = pe_suite_renamed(suite, names[i].id);

		at->news = at->news || (pe_suite_wants(suite, id) && !is_taken(session, suite, id));
	}
	return pe_store_put_listing(app->store, at->key, revision->key, names, n, app->err);
}

/* The first line of a failed command's log, since a note has one line. */
static const char *first_line(const char *log, struct pe_arena *arena)
{
	if (log == NULL)
		return "";
	log += strspn(log, "\r\n");
	return pe_arena_strndup(arena, log, strcspn(log, "\r\n"));
}

/* The command with the words that perfevo appended, which has a line of its own in the log; NULL: none. */
static const char *ran_as(const char *log, struct pe_arena *arena)
{
	const char *line = log != NULL ? strstr(log, "\n$ ") : NULL;

	return line != NULL ? pe_arena_strndup(arena, line + 3, strcspn(line + 3, "\r\n")) : NULL;
}

/* Note that a suite has no benchmark. */
static void note_empty(struct pe_session *session, const struct pe_suite *suite,
		       const struct pe_run *run)
{
	const char *line = first_line(run->log, session->arena);
	const char *command =
		run->outcome == PE_EXIT_WRONG ? ran_as(run->log, session->arena) : NULL;

	pe_app_note(session->app, "suite '%s': no benchmark is found%s%s%s%s%s%s", suite->name,
		    run->outcome != PE_MEASURED ? ": " : "",
		    run->outcome != PE_MEASURED ? pe_outcome_name(run->outcome) : "",
		    *line != '\0' ? ": " : "", line, command != NULL ? "; it ran as: " : "",
		    command != NULL ? command : "");
}

/* Load the list of a revision; none: it is not stored. */
static int listed_at(struct pe_member_name **names, size_t *n, struct pe_session *session,
		     const struct pe_session_suite *at, int64_t revision)
{
	struct pe_app *app = session->app;
	int64_t contents;

	PE_TRY(pe_store_get_listing(&contents, app->store, at->key, revision, app->err));
	return pe_store_suite_names(names, n, app->store, contents, session->arena, app->err);
}

int pe_session_copy_listing(struct pe_session *session, const struct pe_suite *suite,
			    const struct pe_revision *revision, int64_t source)
{
	const struct pe_session_suite *at = pe_suite_port_find(session, suite);
	struct pe_member_name *names;
	int64_t contents;
	size_t n;

	PE_TRY(pe_store_get_listing(&contents, session->app->store, at->key, revision->key,
				    session->app->err));
	if (contents != 0)
		return PE_OK;
	PE_TRY(listed_at(&names, &n, session, at, source));
	return n > 0 ? pe_session_keep_listing(session, suite, revision, names, n) : PE_OK;
}

/* Get the names from a run, for a program without an option to list them. */
static int names_by_run(struct pe_member_name **out, size_t *n, struct pe_session *session,
			const struct pe_benchmark *shared, const char *tree)
{
	struct pe_suite_process process;

	*n = 0;
	PE_TRY(pe_suite_run(&process, &session->runner, shared, NULL, 0, tree, session->arena,
			    session->app->err));
	*out = pe_arena_new(session->arena, struct pe_member_name, process.said.n + 1);
	for (size_t i = 0; i < process.said.n; i++)
		(*out)[(*n)++] = process.said.entries[i].name;
	if (process.said.n == 0)
		note_empty(session, shared->suite, &process.run);
	return PE_OK;
}

/* Find out whether the program has an option for the number of iterations: counts are stored for one iteration. */
static int look_at_options(struct pe_session *session, struct pe_session_suite *at,
			   const struct pe_benchmark *shared, const char *tree)
{
	const struct pe_suite_library *library =
		pe_suite_library_find((enum pe_suite_format)at->format);
	pe_auto_text text = PE_TEXT_INIT;
	struct pe_err why = PE_ERR_INIT;
	int rc;

	at->fixed =
		library != NULL && library->iterations != NULL && library->iterations_sign == NULL;
	if (library == NULL || library->iterations_sign == NULL || library->help == NULL)
		return PE_OK;
	rc = pe_suite_help(&text, &session->runner, shared, tree, session->arena, &why);
	at->fixed = rc == PE_OK && strstr(pe_text_str(&text), library->iterations_sign) != NULL;
	if (rc == PE_ESTOPPED || rc == PE_EFULL)
		return pe_fail(session->app->err, rc, "%s", why.message);
	return PE_OK;
}

static int ask(struct pe_member_name **names, size_t *n, struct pe_session *session,
	       struct pe_session_suite *at, const char *tree)
{
	struct pe_benchmark shared = at->suite->model;
	struct pe_run run = {.kind = PE_RUN_TIMED};
	struct pe_err why = PE_ERR_INIT;
	int rc;

	shared.suite = at->suite;
	shared.name = at->suite->name;
	shared.command = at->suite->command;
	*n = 0;
	/* Some programs run all benchmarks for it, which may take minutes. */
	PE_TRY(pe_session_report_run(
		session, NULL, pe_arena_printf(session->arena, "benchmarks of %s", shared.name), 0,
		0));
	pe_suite_port_look(at, tree, session->arena);
	rc = pe_runner_set_up(&run, &session->runner, &shared, tree, session->arena,
			      session->app->err);
	if (rc == PE_OK && run.outcome != PE_MEASURED) {
		pe_app_note(session->app, "suite '%s': its setup fails: %s", at->suite->name,
			    first_line(run.log, session->arena));
	} else if (rc == PE_OK) {
		rc = look_at_options(session, at, &shared, tree);
		if (rc == PE_OK)
			rc = pe_suite_list(names, n, &session->runner, &shared, tree,
					   session->arena, &why);
		if (rc == PE_EUNSUPPORTED)
			rc = names_by_run(names, n, session, &shared, tree);
		else if (rc != PE_OK && why.code != PE_OK)
			*session->app->err = why;
	}
	return pe_runner_clean_up(rc, &session->runner, &shared, tree, session->arena,
				  session->app->err);
}

static int discover(struct pe_session *session, struct pe_session_suite *at, const char *bench)
{
	const struct pe_revision *revision;
	struct pe_member_name *names = NULL;
	const char *tree;
	size_t n = 0;
	int rc;

	session->builds_total += session->builds_total == 0;
	PE_TRY(pe_session_build_newest(&tree, &revision, session));
	if (tree == NULL) {
		pe_app_note(session->app,
			    "suite '%s': none of the newest revisions builds: its benchmarks "
			    "cannot be listed",
			    at->suite->name);
		return PE_OK;
	}
	rc = ask(&names, &n, session, at, tree);
	pe_slots_release(&session->slots);
	PE_TRY(rc);
	if (n > 0)
		PE_TRY(pe_session_keep_listing(session, at->suite, revision, names, n));
	at->news = false;
	return take_members(session, at, names, n, bench);
}

/* Add the members of a suite, unless the newest wanted revision has a list: pe_session_take_suites() added those. */
static int add_suite(struct pe_session *session, struct pe_session_suite *at, const char *bench)
{
	struct pe_app *app = session->app;
	const struct pe_revision *newest = pe_session_newest(session);
	int64_t contents;

	if (newest == NULL)
		return PE_OK;
	PE_TRY(pe_store_get_listing(&contents, app->store, at->key, newest->key, app->err));
	return contents == 0 ? discover(session, at, bench) : PE_OK;
}

int pe_session_take_news(bool *more, struct pe_session *session)
{
	size_t before = session->benchmarks.n;

	for (size_t i = 0; i < session->n_suites; i++) {
		if (session->suites[i].news)
			PE_TRY(take_listed(session, &session->suites[i], session->bench));
		session->suites[i].news = false;
	}
	*more = session->benchmarks.n > before;
	return PE_OK;
}

static bool has_id(const struct pe_suite *suite, const struct pe_member_name *names, size_t n,
		   const char *id)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(pe_suite_renamed(suite, names[i].id), id) == 0)
			return true;
	return false;
}

int pe_session_lacks(bool *out, struct pe_session *session, size_t revision, size_t benchmark)
{
	const struct pe_benchmark *one = session->benchmarks.data[benchmark];
	struct pe_session_suite *at =
		one->suite != NULL ? pe_suite_port_find(session, one->suite) : NULL;
	struct pe_app *app = session->app;
	int64_t contents;

	*out = false;
	if (at == NULL)
		return PE_OK;
	PE_TRY(pe_store_get_listing(&contents, app->store, at->key,
				    session->revisions[revision].key, app->err));
	if (contents == 0)
		return PE_OK;
	/* Neighbours mostly have the same list. */
	if (contents != at->contents)
		PE_TRY(pe_store_suite_names(&at->names, &at->n_names, app->store, contents,
					    session->arena, app->err));
	at->contents = contents;
	*out = !has_id(at->suite, at->names, at->n_names, one->member);
	return PE_OK;
}

int pe_session_note_gone(struct pe_session *session, size_t before, size_t after)
{
	for (size_t i = 0; i < session->n_suites; i++) {
		const struct pe_session_suite *at = &session->suites[i];
		struct pe_member_name *old, *now;
		pe_auto_text gone = PE_TEXT_INIT;
		size_t n_old, n_now;

		PE_TRY(listed_at(&old, &n_old, session, at, session->revisions[before].key));
		PE_TRY(listed_at(&now, &n_now, session, at, session->revisions[after].key));
		for (size_t k = 0; n_now > 0 && k < n_old; k++) {
			const char *id = pe_suite_renamed(at->suite, old[k].id);

			if (pe_suite_wants(at->suite, id) && !has_id(at->suite, now, n_now, id))
				pe_text_addf(&gone, "%s%s", gone.len > 0 ? ", " : "", id);
		}
		if (gone.len > 0)
			pe_app_note(session->app, "suite '%s': not there any more: %s",
				    at->suite->name, pe_text_str(&gone));
	}
	return PE_OK;
}

int pe_session_discover(struct pe_session *session, const char *bench)
{
	PE_TRY(pe_session_add_tests(session, bench));
	PE_TRY(load_suites(session));
	for (size_t i = 0; i < session->n_suites; i++)
		PE_TRY(add_suite(session, &session->suites[i], bench));
	return PE_OK;
}
