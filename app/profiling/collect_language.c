/*
 * Profiles of Python, Node and Go by their own profilers: the benchmark itself is run, and its processes are reached
 * through the environment, whatever wrappers (npm, npx, shell scripts) are between. Their samples give shares of the time
 * of the timed runs.
 */
#include "app/profiling/collect_internal.h"

#include "configs/read.h"
#include "core/base/walk.h"
#include "analysis/profile/importer.h"
#include "analysis/profile/merge.h"

#include <stdlib.h>
#include <string.h>

extern const char pe_profile_node[], pe_profile_python[];

/* Runs until three seconds of processor time are seen; of a run that starts thousands of processes these are enough. */
enum { MOST_RUNS = 20, MOST_FILES = 1000 };

static const uint64_t ENOUGH_NS = 3ull * 1000 * 1000 * 1000;

/* --- Running --- */

/* The benchmark's own value of a variable: NULL without one. */
static const char *own_value(const struct pe_benchmark *benchmark, const char *name)
{
	size_t n = strlen(name);

	for (size_t i = 0; i < benchmark->env.n; i++)
		if (strncmp(benchmark->env.at[i], name, n) == 0 && benchmark->env.at[i][n] == '=')
			return benchmark->env.at[i] + n + 1;
	return NULL;
}

/* A script in a folder of its own, and the variable by which the language finds it, with what it had behind. */
static int write_script(const char **setting, struct pe_collecting *collecting)
{
	const bool node = collecting->plan->language == PE_PROFILE_NODE;
	const char *variable = node ? "NODE_OPTIONS" : "PYTHONPATH";
	const char *before = own_value(collecting->benchmark, variable);
	pe_auto_text text = PE_TEXT_INIT;
	const char *folder, *path;

	PE_TRY(pe_collecting_folder(&folder, collecting, "profiler"));
	path = pe_arena_printf(collecting->arena, "%s/%s", folder,
			       node ? "perfevo.cjs" : "sitecustomize.py");
	pe_text_add(&text, node ? pe_profile_node : pe_profile_python);
	PE_TRY(pe_text_write_file(&text, path, collecting->session->app->err));
	*setting =
		pe_arena_printf(collecting->arena, node ? "%s=--require=\"%s\"%s%s" : "%s=%s%s%s",
				variable, node ? path : folder,
				before == NULL ? ""
				: node         ? " "
					       : ":",
				before != NULL ? before : "");
	return PE_OK;
}

/* Test programs of Go take an option; it is the last word, so that a pipe keeps it from them. */
static struct pe_command with_option(const struct pe_command *command, const char *folder,
				     unsigned run, struct pe_arena *arena)
{
	const char *option = pe_arena_printf(arena, "-test.cpuprofile=%s/%u", folder, run);

	return pe_command_append(command, &(struct pe_strings){&option, 1}, arena);
}

static unsigned runs_of(const struct pe_profile_plan *plan, uint64_t run_ns)
{
	uint64_t wanted = run_ns > 0 ? (ENOUGH_NS + run_ns - 1) / run_ns : 1;

	if (plan->runs > 0)
		return plan->runs;
	return (unsigned)(wanted < 1 ? 1 : wanted > MOST_RUNS ? MOST_RUNS : wanted);
}

/* --- Reading --- */

/* Whether anything of the tree ran: npm and its like are processes of Node, too. */
static bool has_own_code(const struct pe_cct *cct)
{
	for (uint32_t i = 1; i < cct->n; i++) {
		const struct pe_frame *frame = &cct->frames->at[cct->nodes[i].frame];

		if (frame->component[0] != '\0' && frame->component[0] != '/' &&
		    frame->component[0] != '<' && strchr(frame->component, ':') == NULL)
			return true;
	}
	return false;
}

/* Add a process's tree to the others. Waiting is taken from the timed runs. */
static void build(struct pe_cct_builder *builder, const struct pe_cct *cct)
{
	pe_auto_free uint32_t *became = pe_realloc(NULL, cct->n, sizeof(*became));

	became[0] = 0;
	for (uint32_t i = 1; i < cct->n; i++) {
		const struct pe_cct_node *node = &cct->nodes[i];

		became[i] = became[node->parent];
		if (cct->frames->at[node->frame].kind == PE_FRAME_WAITING)
			continue;
		became[i] = pe_cct_builder_child(builder, became[i], node->frame, node->site);
		if (cct->samples != NULL)
			pe_cct_builder_at(builder, became[i])->samples += cct->samples[i];
	}
}

/* @return  PE_EINVALID: a process that was killed left half a file, or none */
static int read_file(struct pe_cct **out, struct pe_collecting *collecting, const char *folder,
		     const char *name)
{
	struct pe_err *err = collecting->session->app->err;
	struct pe_input *input;
	const char *note;

	PE_TRY(pe_input_open_placed(&input, folder, name, err));
	return pe_import(out, input, NULL, collecting->frames, collecting->arena, &note, err);
}

/* Read the files with code of the tree, or all where none has. */
static int read_files(struct pe_cct_builder *builder, struct pe_collecting *collecting,
		      const char *folder)
{
	pe_auto_free PE_VEC(struct pe_cct *) read = {NULL, 0, 0};
	/* By name, so that one profile is always the same tree. */
	const char **names = pe_walk_names_of(folder, collecting->arena);
	size_t own = 0;

	for (size_t n = 0; names != NULL && *names != NULL && n < MOST_FILES; names++) {
		struct pe_cct *cct;
		int rc;

		if (**names == '.')
			continue;
		n++;
		rc = read_file(&cct, collecting, folder, *names);
		if (rc == PE_EINVALID) {
			*collecting->session->app->err = (struct pe_err)PE_ERR_INIT;
			continue;
		}
		PE_TRY(rc);
		own += has_own_code(cct);
		pe_vec_push(&read, cct);
	}
	for (size_t i = 0; i < read.n; i++)
		if (own == 0 || has_own_code(read.data[i]))
			build(builder, read.data[i]);
	return PE_OK;
}

static void fail_empty(struct pe_collecting *collecting, const char *name, const char *log)
{
	const char *why =
		collecting->plan->language == PE_PROFILE_GO
			? "it left no profile: 'profile: go' is for test programs (go test -c), which take -test.cpuprofile"
			: pe_arena_printf(
				  collecting->arena,
				  "no process of %s left a profile: is the benchmark run by it?",
				  name);

	pe_collecting_fail(
		collecting, "profiling run", PE_NOT_COUNTABLE, 0,
		pe_arena_printf(collecting->arena, "%s\n%s", why, log != NULL ? log : ""));
}

static int read_profiles(struct pe_collecting *collecting, const char *folder, const char *log,
			 const struct pe_collecting_duration *duration)
{
	const char *name = pe_profile_language_name(collecting->plan->language);
	const struct pe_merge_opts opts = {.duration_ns = duration->total_ns,
					   .waiting_ns = duration->waiting_ns,
					   .source = name};
	struct pe_cct_builder *builder = pe_cct_builder_new(collecting->frames, PE_CCT_SAMPLES);
	const struct pe_cct_facts facts = {.source = name, .processes = 1, .threads = 1};
	struct pe_cct *samples;
	int rc = read_files(builder, collecting, folder);

	if (rc == PE_OK && pe_cct_builder_count(builder) > 1) {
		samples = pe_cct_builder_finish(builder, &facts, collecting->arena);
		pe_vec_push(&collecting->trees,
			    pe_merge_samples_alone(samples, &opts, collecting->arena));
		return PE_OK;
	}
	pe_cct_builder_free(builder);
	if (rc == PE_OK)
		fail_empty(collecting, name, log);
	return rc;
}

int pe_collecting_language(struct pe_collecting *collecting,
			   const struct pe_collecting_place *place)
{
	const struct pe_benchmark *benchmark = collecting->benchmark;
	const bool has_sampled = benchmark->sampled.argv != NULL;
	const struct pe_command command = has_sampled ? benchmark->sampled : benchmark->command;
	struct pe_command with = command;
	struct pe_collecting_place running = *place;
	struct pe_collecting_duration duration;
	const char *settings[2], *folder;
	struct pe_run run = {.log = NULL};
	unsigned runs;
	size_t n = 1;
	int rc;

	PE_TRY(pe_collecting_take_duration(&duration, collecting));
	PE_TRY(pe_collecting_folder(&folder, collecting, "profile"));
	if (!pe_collecting_goes_on(collecting))
		return PE_OK;
	settings[0] = pe_arena_printf(collecting->arena, "PERFEVO_PROFILE=%s", folder);
	if (collecting->plan->language != PE_PROFILE_GO)
		PE_TRY(write_script(&settings[n++], collecting));
	runs = runs_of(collecting->plan, duration.total_ns - duration.waiting_ns);
	running.command = &with;
	collecting->total = collecting->done + runs;
	rc = pe_collecting_set_up(collecting, place);
	for (unsigned i = 0; rc == PE_OK && i < runs && pe_collecting_goes_on(collecting); i++) {
		if (collecting->plan->language == PE_PROFILE_GO)
			with = with_option(&command, folder, i, collecting->arena);
		rc = pe_collecting_run(&run, collecting, &running,
				       &(struct pe_strings){settings, n});
		/* What a member of a suite is timed by is one iteration of it, and no run. */
		if (rc == PE_OK && i == 0 && has_sampled && pe_collecting_goes_on(collecting)) {
			runs = runs_of(collecting->plan,
				       (uint64_t)pe_collecting_cost(&run, PE_CPU));
			collecting->total = collecting->done + runs - 1;
		}
	}
	PE_TRY(pe_collecting_clean_up(rc, collecting, place));
	return pe_collecting_goes_on(collecting)
		       ? read_profiles(collecting, folder, run.log, &duration)
		       : PE_OK;
}
