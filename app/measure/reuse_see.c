/*
 * Tracing: a benchmark is run once under the counting library, which lists the files it touches, with traps at the
 * entries of its programs' functions. The programs are those of earlier traces; if others ran, it is run once more.
 */
#include "app/measure/reuse_internal.h"

#include "app/measure/suite_port.h"

#include <string.h>

static struct pe_strings without(const struct pe_strings *paths, const char *folder,
				 struct pe_arena *arena)
{
	const char **at = pe_arena_new(arena, const char *, paths->n + 1);
	size_t n = 0;

	for (size_t i = 0; i < paths->n; i++)
		if (pe_path_below(paths->at[i], folder) == NULL)
			at[n++] = paths->at[i];
	return (struct pe_strings){at, n};
}

/* Drop the output file: a library compares with results of earlier runs, which does not affect the measured code. */
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

/* --- Choice of programs --- */

/* Those of the latest trace; without one, a first run shows them. */
static struct pe_strings choose_programs(const struct pe_reuse *reuse, size_t w)
{
	const pe_traced_runs *all = &reuse->by_benchmark[w];

	for (size_t i = all->n; i-- > 0;)
		if (all->data[i].trace.touched.programs.n > 0)
			return all->data[i].trace.touched.programs;
	return (struct pe_strings){NULL, 0};
}

static bool has_all(const struct pe_strings *programs, const struct pe_strings *wanted)
{
	for (size_t i = 0; i < wanted->n; i++)
		if (!pe_strings_have(programs, wanted->at[i]))
			return false;
	return true;
}

/* --- Probing --- */

/*
 * Make one run, with the functions of these programs watched. Where the commits share a file that it reads, the trace is
 * incomplete.
 */
static int watch(struct pe_traced *traced, const struct pe_strings *programs)
{
	struct pe_outside *outside = &traced->session->outside;

	PE_TRY(pe_traced_run(traced, programs));
	pe_outside_learn(outside, traced->benchmark, &traced->touched, false);
	if (pe_outside_shared(outside, traced->benchmark) != NULL) {
		traced->touched.complete = false;
		traced->functions = NULL;
	}
	return PE_OK;
}

/* Run once more if other programs ran than were watched, or, without watching, if the run failed. */
static int watch_all(struct pe_traced *traced, struct pe_reuse *reuse, size_t w)
{
	bool *unwatchable = &reuse->unwatchable[w];
	struct pe_strings programs = choose_programs(reuse, w);

	if (*unwatchable)
		return watch(traced, NULL);
	PE_TRY(watch(traced, &programs));
	if (pe_traced_is_seen(traced) && !has_all(&programs, &traced->touched.programs)) {
		programs = traced->touched.programs;
		PE_TRY(watch(traced, &programs));
	}
	if (traced->run.outcome == PE_MEASURED || !traced->watched)
		return PE_OK;
	PE_TRY(watch(traced, NULL));
	*unwatchable = traced->run.outcome == PE_MEASURED;
	return PE_OK;
}

/* --- Keeping --- */

/* Hash a trace in its own tree. NULL: it has no hash. */
static int hash_own(struct pe_traced_run *out, struct pe_reuse *reuse, enum pe_resolver resolver,
		    const char *tree)
{
	const char *hash;

	PE_TRY(pe_reuse_hash(&hash, reuse, &out->trace, resolver, tree));
	out->hash[resolver] = hash[0] != '\0' ? pe_arena_strdup(reuse->session->arena, hash) : NULL;
	return PE_OK;
}

/* Trace a benchmark; items stays NULL if the trace is incomplete. */
static int probe(struct pe_traced_run *out, struct pe_reuse *reuse, size_t w,
		 const struct pe_benchmark *benchmark, const char *tree)
{
	struct pe_arena *arena = reuse->session->arena;
	struct pe_traced traced = {.session = reuse->session, .benchmark = benchmark, .tree = tree};
	const char *items;

	PE_TRY(watch_all(&traced, reuse, w));
	/* The run may have written items of an earlier trace. */
	pe_reuse_forget_tree(reuse);
	/* A benchmark that fails here fails in its own run, and is recorded there. */
	if (!pe_traced_is_seen(&traced))
		return PE_OK;
	if (benchmark->suite != NULL)
		drop_results(&traced.touched, benchmark, arena);
	items = pe_trace_pack(&traced.touched, arena);
	if (items == NULL)
		return PE_OK;
	pe_trace_unpack(&out->trace, items, traced.functions, arena);
	PE_TRY(hash_own(out, reuse, PE_BY_TREE, tree));
	if (out->trace.functions != NULL)
		PE_TRY(hash_own(out, reuse, PE_BY_CODE, tree));
	if (out->hash[PE_BY_CODE] == NULL)
		out->trace.functions = NULL;
	if (out->hash[PE_BY_TREE] == NULL)
		out->trace.items = NULL;
	return PE_OK;
}

/* Keep a trace, so that later cells can be reused from it. */
static void keep(struct pe_reuse *reuse, size_t w, const struct pe_traced_run *run)
{
	const struct pe_execution execution = {
		.revision = run->revision,
		.benchmark = reuse->session->benchmarks.data[w]->key,
		.touched = run->trace.items,
		.identity = run->hash[PE_BY_TREE],
		.functions = run->trace.functions,
		.executed = run->hash[PE_BY_CODE],
	};

	pe_vec_push(&reuse->by_benchmark[w], *run);
	pe_vec_push(&reuse->executions, execution);
}

/* --- Suites --- */

/* Trace all of a suite, in the shortest run that its library offers. */
static int probe_suite(struct pe_traced_run *out, struct pe_reuse *reuse, size_t w,
		       const char *tree)
{
	static const struct pe_suite_task briefly = {.what = PE_ASK_BRIEFLY};
	struct pe_session *session = reuse->session;
	const struct pe_benchmark *member = session->benchmarks.data[w];
	const struct pe_suite_port port = pe_suite_port_of(session);
	struct pe_benchmark whole = *member;
	struct pe_suite_command command;

	PE_TRY(port.command(&command, member->suite, &briefly, tree, session->arena, session,
			    session->app->err));
	whole.name = member->suite->name;
	whole.command = command.command;
	return probe(out, reuse, w, &whole, tree);
}

/* Get the trace of a suite at a revision, which all of its members share. */
static int see_suite(struct pe_traced_run *out, struct pe_reuse *reuse, size_t w, const char *tree)
{
	const struct pe_session *session = reuse->session;
	const struct pe_suite *suite = session->benchmarks.data[w]->suite;
	const struct pe_traced_run *seen;

	for (size_t i = 0; i < reuse->probes.n; i++)
		if (reuse->probes.data[i].whole.revision == out->revision &&
		    reuse->probes.data[i].suite == suite) {
			*out = reuse->probes.data[i].whole;
			return PE_OK;
		}
	/* An earlier session stored the trace with the members. */
	for (size_t i = 0; i < reuse->n && out->trace.functions == NULL; i++) {
		seen = session->benchmarks.data[i]->suite == suite
			       ? pe_reuse_traced_at(&reuse->by_benchmark[i], out->revision)
			       : NULL;
		if (seen != NULL)
			*out = *seen;
	}
	/* One of a few members does not run all the others for a trace. */
	if (out->trace.items == NULL && session->bench == NULL && session->names == NULL)
		PE_TRY(probe_suite(out, reuse, w, tree));
	pe_vec_push(&reuse->probes, (struct pe_suite_probe){.suite = suite, .whole = *out});
	return PE_OK;
}

int pe_reuse_see(struct pe_reuse *reuse, size_t r, size_t w, const char *tree)
{
	const struct pe_session *session = reuse->session;
	const struct pe_benchmark *benchmark = session->benchmarks.data[w];
	struct pe_traced_run run = {.revision = session->revisions[r].key};
	struct pe_traced_run *seen =
		pe_reuse_traced_at(&reuse->by_benchmark[w], session->revisions[r].key);

	if (seen != NULL) {
		seen->planned = true;
		return PE_OK;
	}
	PE_TRY(benchmark->suite != NULL ? see_suite(&run, reuse, w, tree)
					: probe(&run, reuse, w, benchmark, tree));
	run.planned = true;
	if (run.trace.items != NULL)
		keep(reuse, w, &run);
	return PE_OK;
}
