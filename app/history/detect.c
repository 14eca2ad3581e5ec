#include "app/history/detect_internal.h"

#include "app/keygen.h"
#include "app/changes/changed_methods.h"
#include "core/base/array.h"
#include "core/base/clock.h"
#include "core/base/regex.h"
#include "store/exchange.h"
#include "store/farm.h"

#include <math.h>
#include <string.h>

/* --- Machine --- */

/* Whether the key was valid when the results came, and is not now, or cannot be checked: they are only shown. */
static bool is_revoked(const struct pe_app *app, const struct pe_stored_machine *machine)
{
	struct pe_err why = PE_ERR_INIT;
	bool revoked = false;

	if (machine->public_key == NULL)
		return false;
	if (pe_keygen_is_revoked(&revoked, app, machine->public_key, &why) == PE_OK)
		return revoked;
	pe_app_note(app, "results signed by %s decide nothing: %s", machine->origin, why.message);
	return true;
}

/* How much a machine's results count: 0: they are shown at most. */
static int rank_of(const struct pe_detection *detection, const struct pe_stored_machine *machine,
		   const struct pe_machine *here)
{
	const struct pe_config *config = detection->app->config;

	if (machine->farm)
		return 4;
	if (strcmp(machine->machine.fingerprint, here->fingerprint) == 0)
		return 3;
	if (machine->origin[0] == '\0')
		return 2;
	for (size_t i = 0; config != NULL && i < config->trust.n; i++)
		if (strcmp(config->trust.at[i], machine->origin) == 0 &&
		    !is_revoked(detection->app, machine))
			return 2;
	return detection->opts->anybodys ? 1 : 0;
}

/* Does it come before the best so far? One that has runs does, then what counts more, then the latest. */
static bool is_better(const struct pe_stored_machine *one, int its,
		      const struct pe_stored_machine *best, int best_its)
{
	if (best == NULL || one->has_runs != best->has_runs)
		return best == NULL || one->has_runs;
	if (its != best_its)
		return its > best_its;
	return one->last_run_s > best->last_run_s || !one->has_runs;
}

static const struct pe_stored_machine *best_of(const struct pe_detection *detection,
					       const struct pe_stored_machine *machines, size_t n)
{
	const struct pe_stored_machine *best = NULL;
	const struct pe_machine *here = pe_app_machine(detection->app);
	int best_its = 0;

	for (size_t i = 0; i < n; i++) {
		const int its = rank_of(detection, &machines[i], here);

		if (detection->opts->machine != 0
			    ? machines[i].key == detection->opts->machine
			    : its > 0 && is_better(&machines[i], its, best, best_its)) {
			best = &machines[i];
			best_its = its;
		}
	}
	return best;
}

/* What others measured is shown with the name of its origin, wherever it is shown. */
void pe_detect_describe(struct pe_evolution *out, const struct pe_app *app,
			const struct pe_stored_machine *machine)
{
	const struct pe_machine *is = &machine->machine;
	const bool is_signed = strcmp(machine->origin, PE_UNSIGNED) != 0;
	const char *revoked;

	if (strcmp(machine->origin, PE_IMPORTED) == 0) {
		out->origin = "imported";
		out->machine = pe_arena_printf(app->arena, "%s (read from files)", is->hostname);
		return;
	}
	out->machine = pe_arena_printf(
		app->arena, "%s: %s, %u cores, %llu GiB, %s", is->hostname, is->cpu, is->cores,
		(unsigned long long)((is->memory_bytes + (1u << 29)) >> 30), is->kernel);
	if (machine->origin[0] == '\0')
		return;
	revoked = is_revoked(app, machine) ? " (revoked)" : "";
	out->origin =
		pe_arena_printf(app->arena, "%s%s%s, pulled from %s", is_signed ? "signed by " : "",
				machine->origin, revoked, machine->remote);
	out->machine = pe_arena_printf(app->arena, "%s (%s)", out->machine, out->origin);
}

static int choose_machine(struct pe_detection *detection)
{
	struct pe_app *app = detection->app;
	const struct pe_stored_machine *best;
	struct pe_stored_machine *machines;
	size_t n;

	PE_TRY(pe_store_machines(&machines, &n, app->store, app->arena, app->err));
	best = best_of(detection, machines, n);
	if (best == NULL)
		return pe_fail(
			app->err, PE_ENOTFOUND, "nothing measured yet%s: run 'perfevo track'",
			n > 0 ? " on this machine, and no results of others are trusted" : "");
	detection->machine = detection->out->machine_key = best->key;
	detection->imported = strcmp(best->origin, PE_IMPORTED) == 0;
	detection->farm = best->farm;
	pe_detect_describe(detection->out, app, best);
	return PE_OK;
}

/* --- Benchmarks --- */

static bool is_configured(const struct pe_detection *detection,
			  const struct pe_stored_benchmark *benchmark)
{
	const struct pe_config *config = detection->app->config;

	for (size_t i = 0; benchmark->suite != NULL && i < config->n_suites; i++)
		if (strcmp(config->suites[i].name, benchmark->suite) == 0)
			return pe_suite_has(&config->suites[i], benchmark->name,
					    benchmark->version);

	for (size_t i = 0; i < config->n_benchmarks; i++)
		if (strcmp(config->benchmarks[i].name, benchmark->name) == 0 &&
		    strcmp(config->benchmarks[i].version, benchmark->version) == 0)
			return true;
	return false;
}

/* benchmarks come newest version first within a name: index 0 or another name before it. */
static bool is_chosen(const struct pe_detection *detection, size_t i)
{
	const struct pe_detect_opts *opts = detection->opts;
	const struct pe_stored_benchmark *benchmarks = detection->benchmarks;
	bool newest = i == 0 || strcmp(benchmarks[i - 1].name, benchmarks[i].name) != 0;

	if (opts->benchmarks != NULL) {
		for (size_t k = 0; k < opts->n_benchmarks; k++)
			if (opts->benchmarks[k] == benchmarks[i].key)
				return true;
		return false;
	}
	if (detection->imported)
		return benchmarks[i].last_run_s > 0;
	if (detection->app->config != NULL && !benchmarks[i].is_test)
		return is_configured(detection, &benchmarks[i]);
	return newest;
}

/* Which nodes of a farm measured each line. */
static int name_nodes(struct pe_detection *detection)
{
	struct pe_app *app = detection->app;
	pe_auto_text text = PE_TEXT_INIT;
	struct pe_measured_on *rows;
	size_t n;

	PE_TRY(pe_store_measured_on(&rows, &n, app->store, detection->machine, app->arena,
				    app->err));
	for (size_t i = 0; i < detection->out->n_lines; i++) {
		pe_text_clear(&text);
		for (size_t k = 0; k < n; k++)
			if (rows[k].benchmark == detection->out->lines[i].benchmark_key)
				pe_text_addf(&text, "%s%s", text.len > 0 ? ", " : "", rows[k].node);
		if (text.len > 0)
			detection->out->lines[i].nodes =
				pe_arena_strdup(app->arena, pe_text_str(&text));
	}
	return PE_OK;
}

static int load_lines(struct pe_detection *detection)
{
	struct pe_app *app = detection->app;
	struct pe_regex regex;
	int rc = PE_OK;

	PE_TRY(pe_store_benchmarks(&detection->benchmarks, &detection->n_benchmarks, app->store,
				   detection->machine, app->arena, app->err));
	PE_TRY(pe_regex_init_option(&regex, "--bench", detection->opts->bench, app->err));
	for (size_t i = 0; rc == PE_OK && i < detection->n_benchmarks; i++)
		if (is_chosen(detection, i) &&
		    pe_regex_matches(&regex, detection->benchmarks[i].name))
			rc = pe_detection_add_lines(detection, &detection->benchmarks[i]);
	if (rc == PE_OK)
		pe_detection_finish_lines(detection);
	pe_regex_release(&regex);
	detection->out->n_lines = detection->shown.n;
	detection->out->lines = pe_vec_copy(app->arena, &detection->shown);
	return rc == PE_OK && detection->farm ? name_nodes(detection) : rc;
}

/* --- Failures --- */

static int load_failures(struct pe_detection *detection)
{
	struct pe_app *app = detection->app;
	struct pe_evolution *out = detection->out;
	struct pe_stored_failure *failures;
	size_t n;

	PE_TRY(pe_store_failures(&failures, &n, app->store, detection->machine, app->arena,
				 app->err));
	out->failures = pe_arena_new(app->arena, struct pe_failure, n);
	for (size_t i = 0; i < n; i++) {
		size_t revision = pe_key_index_find(&detection->places, failures[i].revision);
		const char *name = NULL;

		for (size_t w = 0; w < detection->n_benchmarks && failures[i].benchmark != 0; w++)
			if (detection->benchmarks[w].key == failures[i].benchmark &&
			    is_chosen(detection, w))
				name = detection->benchmarks[w].name;
		if (revision == SIZE_MAX || (failures[i].benchmark != 0 && name == NULL))
			continue;
		out->failures[out->n_failures++] = (struct pe_failure){
			.revision = revision,
			.benchmark = name,
			.outcome = failures[i].outcome,
			.status = failures[i].status,
			.log = failures[i].log,
		};
	}
	return PE_OK;
}

/* --- Builds --- */

static int load_build_times(struct pe_detection *detection)
{
	struct pe_app *app = detection->app;
	struct pe_evolution *out = detection->out;
	struct pe_stored_build_time *times;
	size_t n;

	PE_TRY(pe_store_build_times(&times, &n, app->store, detection->machine, app->arena,
				    app->err));
	out->build_s = pe_arena_new(app->arena, double, out->n_revisions);
	for (size_t i = 0; i < out->n_revisions; i++)
		out->build_s[i] = NAN;
	for (size_t i = 0; i < n; i++) {
		size_t revision = pe_key_index_find(&detection->places, times[i].revision);

		if (revision != SIZE_MAX)
			out->build_s[revision] = (double)times[i].duration_ns / 1e9;
	}
	return PE_OK;
}

/* --- The whole --- */

static void decorate(struct pe_detection *detection)
{
	struct pe_evolution *out = detection->out;

	out->decorations = pe_arena_new(detection->app->arena, const char *, out->n_revisions);
	for (size_t i = 0; i < out->n_revisions; i++)
		out->decorations[i] = pe_repo_decoration(detection->app->repo, out->revisions[i].id,
							 detection->app->arena);
}

static int load_all(struct pe_detection *detection)
{
	struct pe_app *app = detection->app;
	int rc;

	PE_TRY(choose_machine(detection));
	PE_TRY(pe_detection_load_revisions(detection));
	PE_TRY(pe_store_reused(&detection->reused, &detection->n_reused, app->store,
			       detection->machine, app->arena, app->err));
	PE_TRY(pe_jump_status_load(&detection->status, app, detection->machine));
	pe_detection_find_chains(detection);
	if (detection->opts->visit == NULL)
		detection->cache = pe_search_cache_open(app);
	rc = load_lines(detection);
	pe_search_cache_close(detection->cache);
	PE_TRY(rc);
	PE_TRY(pe_changes_counts(&detection->out->mc, app, detection->out->revisions,
				 detection->out->n_revisions));
	PE_TRY(pe_detection_find_events(detection));
	PE_TRY(pe_detection_keep_jumps(detection));
	PE_TRY(load_failures(detection));
	return load_build_times(detection);
}

int pe_detect_load(struct pe_evolution *out, struct pe_app *app, const struct pe_detect_opts *opts)
{
	struct pe_detection detection = {.app = app, .opts = opts, .out = out};
	int rc;

	*out = (struct pe_evolution){.project = pe_repo_name(app->repo),
				     .version = PE_VERSION,
				     .generated_s = pe_clock_now_s()};
	rc = load_all(&detection);
	pe_detection_release_lines(&detection);
	pe_key_index_release(&detection.places);
	pe_key_index_release(&detection.stored);
	PE_TRY(rc);
	if (out->n_lines == 0 && out->n_failures == 0)
		return pe_fail(
			app->err, PE_ENOTFOUND,
			"nothing is stored for this selection: run 'perfevo track', or widen --bench, --metric or the range");
	/* Revisions at the old end without any result are not shown. */
	pe_evolution_keep(out, pe_evolution_first_known(out, 0), out->n_revisions);
	decorate(&detection);
	if (detection.apart && opts->visit == NULL && !opts->silent)
		pe_app_note(
			app,
			"some commits were measured in a separate session and cannot be compared with the rest; 'perfevo track --again' links them");
	return PE_OK;
}
