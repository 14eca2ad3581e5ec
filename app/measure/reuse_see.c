/*
 * Seeing what is executed: a benchmark is run once under the counting library, which lists what it touches, with traps at
 * the entries of its programs' functions. Which programs that are is known from earlier revisions, or guessed by the
 * command; where that was wrong, it is run once more.
 */
#include "app/measure/reuse_internal.h"

#include "app/measure/suite_port.h"

#include <string.h>

struct pe_representative *pe_reuse_probed_at(const pe_representatives *all, int64_t revision)
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

/* --- Which programs --- */

/* The program that the command names, if it names one of the tree. */
static struct pe_strings guess_programs(const struct pe_benchmark *benchmark,
					struct pe_arena *arena)
{
	const char *program = benchmark->command.argv[0], **at;
	const bool at_top = benchmark->cwd == NULL || strcmp(benchmark->cwd, ".") == 0;

	if (program[0] == '/' || strchr(program, '/') == NULL ||
	    (!at_top && benchmark->cwd[0] == '/'))
		return (struct pe_strings){NULL, 0};
	while (strncmp(program, "./", 2) == 0)
		program += 2;
	at = pe_arena_new(arena, const char *, 1);
	at[0] = at_top ? program : pe_arena_printf(arena, "%s/%s", benchmark->cwd, program);
	return (struct pe_strings){at, 1};
}

static struct pe_strings choose_programs(const struct pe_reuse *reuse, size_t w,
					 const struct pe_benchmark *benchmark)
{
	const pe_representatives *all = &reuse->by_benchmark[w];

	for (size_t i = all->n; i-- > 0;)
		if (all->data[i].touched.programs.n > 0)
			return all->data[i].touched.programs;
	return guess_programs(benchmark, reuse->session->arena);
}

static bool has_all(const struct pe_strings *programs, const struct pe_strings *wanted)
{
	bool all = true;

	for (size_t i = 0; all && i < wanted->n; i++) {
		all = false;
		for (size_t k = 0; !all && k < programs->n; k++)
			all = strcmp(programs->at[k], wanted->at[i]) == 0;
	}
	return all;
}

/* --- Probing --- */

static bool is_seen(const struct pe_representative *out, const struct pe_run *run)
{
	return run->outcome == PE_MEASURED && out->touched.complete;
}

/* One run, with these programs watched. *watched: at least one of them is such that it can be. */
static int watch(struct pe_representative *out, bool *watched, struct pe_run *run,
		 struct pe_reuse *reuse, const struct pe_benchmark *benchmark, const char *tree,
		 const struct pe_strings *programs)
{
	struct pe_session *session = reuse->session;
	struct pe_executed_watch *watch =
		programs->n > 0 ? pe_executed_prepare(programs, tree, session->arena) : NULL;
	int rc = pe_runner_probe(&out->touched, run, &session->runner, benchmark, tree,
				 watch != NULL ? pe_executed_entries(watch) : NULL, session->arena,
				 session->app->err);

	*watched = watch != NULL;
	out->functions = NULL;
	if (rc == PE_OK && watch != NULL && is_seen(out, run))
		out->functions = pe_executed_pack(watch, &out->touched, session->arena);
	pe_executed_release(watch);
	return rc;
}

/* Once more where other programs ran than those that were watched, or where it does not bear to be watched. */
static int watch_all(struct pe_representative *out, struct pe_run *run, struct pe_reuse *reuse,
		     size_t w, const struct pe_benchmark *benchmark, const char *tree)
{
	static const struct pe_strings none = {NULL, 0};
	struct pe_strings programs =
		reuse->unwatchable[w] ? none : choose_programs(reuse, w, benchmark);
	bool watched;
	int rc = watch(out, &watched, run, reuse, benchmark, tree, &programs);

	if (rc != PE_OK || reuse->unwatchable[w])
		return rc;
	if (is_seen(out, run) && !has_all(&programs, &out->touched.programs)) {
		programs = out->touched.programs;
		*run = (struct pe_run){.kind = PE_RUN_ALLOCATIONS};
		rc = watch(out, &watched, run, reuse, benchmark, tree, &programs);
	}
	if (rc != PE_OK || run->outcome == PE_MEASURED || !watched)
		return rc;
	*run = (struct pe_run){.kind = PE_RUN_ALLOCATIONS};
	rc = watch(out, &watched, run, reuse, benchmark, tree, &none);
	reuse->unwatchable[w] = rc == PE_OK && run->outcome == PE_MEASURED;
	return rc;
}

/* What of the programs was executed, as far as it can be told. */
static int identify_executed(struct pe_representative *out, struct pe_reuse *reuse,
			     const char *tree)
{
	struct pe_session *session = reuse->session;
	char digest[PE_XXH_TEXT];
	struct pe_xxh hash;
	const char *identity;
	int rc;

	if (out->functions == NULL)
		return PE_OK;
	pe_xxh_init(&hash);
	pe_xxh_string(&hash, out->functions);
	pe_xxh_write(&hash, digest);
	out->digest = pe_arena_strdup(session->arena, digest);
	pe_executed_unpack(&out->executed, out->functions, session->arena);
	rc = pe_reuse_identify(&identity, reuse, out, true, tree);
	if (rc == PE_OK && identity[0] != '\0')
		out->executed_identity = pe_arena_strdup(session->arena, identity);
	else
		out->functions = NULL;
	return rc;
}

/* See what a benchmark executes; lines stays NULL where that cannot be known. */
static int probe(struct pe_representative *out, struct pe_reuse *reuse, size_t w,
		 const struct pe_benchmark *benchmark, const char *tree)
{
	struct pe_session *session = reuse->session;
	struct pe_run run = {.kind = PE_RUN_ALLOCATIONS};
	char identity[PE_XXH_TEXT];
	int rc = watch_all(out, &run, reuse, w, benchmark, tree);

	/* The run may have made what a list of before depends on. */
	pe_reuse_meet_another(reuse);
	/* A benchmark that fails here fails in its own run, and is recorded there. */
	if (rc != PE_OK || !is_seen(out, &run))
		return rc;
	add_input(&out->touched, benchmark, session->arena);
	if (benchmark->suite != NULL)
		drop_results(&out->touched, benchmark, session->arena);
	rc = pe_identity_of(identity, &out->touched, tree, session->app->err);
	if (rc != PE_OK)
		return rc;
	out->lines = pe_dependencies_pack(&out->touched, session->arena);
	out->identity = pe_arena_strdup(session->arena, identity);
	return identify_executed(out, reuse, tree);
}

/* So that later cells can be reused from this one. */
static void keep(struct pe_reuse *reuse, size_t w, const struct pe_representative *one)
{
	const struct pe_execution execution = {
		.revision = one->revision,
		.benchmark = reuse->session->benchmarks.data[w].key,
		.touched = one->lines,
		.identity = one->identity,
		.functions = one->functions,
		.digest = one->functions != NULL ? one->digest : NULL,
		.executed = one->functions != NULL ? one->executed_identity : NULL,
	};

	pe_vec_push(&reuse->by_benchmark[w], *one);
	pe_vec_push(&reuse->executions, execution);
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
static int probe_suite(struct pe_representative *out, struct pe_reuse *reuse, size_t w,
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
	return probe(out, reuse, w, &whole, tree);
}

/* Every member has what its suite's program executes; one that was found later has what was seen for the others. */
static int see_suite(struct pe_reuse *reuse, size_t r, size_t w, const char *tree)
{
	struct pe_session *session = reuse->session;
	const struct pe_benchmark *member = session->benchmarks.data[w].benchmark;
	struct pe_representative one = {.revision = session->revisions[r].key};
	int rc;

	for (size_t i = 0; i < reuse->n && one.lines == NULL; i++) {
		const struct pe_representative *seen =
			session->benchmarks.data[i].benchmark->suite == member->suite
				? pe_reuse_probed_at(&reuse->by_benchmark[i], one.revision)
				: NULL;

		if (seen != NULL)
			one = *seen;
	}
	if (one.lines == NULL && has_whole_suites(session) &&
	    !was_tried(reuse, one.revision, member->suite)) {
		pe_vec_push(&reuse->probes, (struct pe_suite_probe){one.revision, member->suite});
		rc = probe_suite(&one, reuse, w, member, tree);
		if (rc != PE_OK)
			return rc;
	}
	if (one.lines == NULL)
		return PE_OK;
	one.planned = true;
	keep(reuse, w, &one);
	return PE_OK;
}

int pe_reuse_see(struct pe_reuse *reuse, size_t r, size_t w, const char *tree)
{
	struct pe_session *session = reuse->session;
	const struct pe_benchmark *benchmark = session->benchmarks.data[w].benchmark;
	struct pe_representative *seen =
		pe_reuse_probed_at(&reuse->by_benchmark[w], session->revisions[r].key);
	struct pe_representative one = {.revision = session->revisions[r].key, .planned = true};
	int rc;

	if (seen != NULL) {
		seen->planned = true;
		return PE_OK;
	}
	if (benchmark->suite != NULL)
		return see_suite(reuse, r, w, tree);
	rc = probe(&one, reuse, w, benchmark, tree);
	if (rc == PE_OK && one.lines != NULL)
		keep(reuse, w, &one);
	return rc;
}
