#include "app/jobs/doctor.h"

#include "app/measure/conditions.h"
#include "core/base/files.h"
#include "core/base/proc.h"
#include "core/base/spawn.h"
#include "core/exec/machine.h"
#include "core/exec/simulate.h"
#include "core/exec/sandbox.h"
#include "report/format.h"
#include "store/examine.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *pe_finding_name(enum pe_finding_kind kind)
{
	static const char *const names[] = {"fact", "advice", "wrong", "mended"};

	return names[kind];
}

static void add(struct pe_doctor *doctor, enum pe_finding_kind kind, const char *area,
		const char *text)
{
	pe_vec_push(&doctor->findings, (struct pe_finding){kind, area, text});
	doctor->n_wrong += kind == PE_FINDING_WRONG;
}

void pe_doctor_add(struct pe_doctor *doctor, enum pe_finding_kind kind, const char *area,
		   const char *format, ...)
{
	pe_auto_text text = PE_TEXT_INIT;
	va_list args;

	va_start(args, format);
	pe_text_addv(&text, format, args);
	va_end(args);
	add(doctor, kind, area, pe_arena_strdup(doctor->app->arena, pe_text_str(&text)));
}

void pe_doctor_mend(struct pe_doctor *doctor, const char *area,
		    int (*mend)(void *payload, struct pe_err *err), void *payload, const char *what)
{
	struct pe_err why = PE_ERR_INIT;

	if (!doctor->mends)
		pe_doctor_add(doctor, PE_FINDING_WRONG, area, "%s: 'perfevo doctor --fix' mends it",
			      what);
	else if (mend(payload, &why) == PE_OK)
		pe_doctor_add(doctor, PE_FINDING_MENDED, area, "%s", what);
	else
		pe_doctor_add(doctor, PE_FINDING_WRONG, area, "%s, and it cannot be mended: %s",
			      what, why.message);
}

/* --- Config --- */

/* "2 benchmarks, 1 suite and the tests of ctest" */
static void add_contents(struct pe_text *out, const struct pe_config *config)
{
	const bool tests = config->tests.kind != PE_TESTS_NONE;
	const char *kind = pe_tests_kind_name(config->tests.kind);

	if (config->n_benchmarks > 0 || (config->n_suites == 0 && !tests))
		pe_format_plural(out, config->n_benchmarks, "benchmark");
	if (config->n_suites > 0) {
		pe_text_add(out, config->n_benchmarks == 0 ? "" : tests ? ", " : " and ");
		pe_format_plural(out, config->n_suites, "suite");
	}
	if (tests)
		pe_text_addf(out, "%s%s%s",
			     config->n_benchmarks > 0 || config->n_suites > 0 ? " and " : "",
			     kind != NULL ? "the tests of " : "tests by their list",
			     kind != NULL ? kind : "");
}

static void look_at_config(struct pe_doctor *doctor)
{
	struct pe_app *app = doctor->app;
	struct pe_err why = PE_ERR_INIT, *err = app->err;
	pe_auto_text contents = PE_TEXT_INIT;
	int rc;

	app->err = &why;
	rc = pe_app_open_config(app);
	app->err = err;
	if (rc == PE_OK) {
		add_contents(&contents, app->config);
		pe_doctor_add(doctor, PE_FINDING_FACT, "config", "%s: %s", app->config->path,
			      pe_text_str(&contents));
		if (app->config->to_do != NULL)
			pe_doctor_add(doctor, PE_FINDING_ADVICE, "config", "%s",
				      app->config->to_do);
	} else {
		/* A repository that is not measured yet lacks one, and nothing is wrong with it. */
		pe_doctor_add(doctor, rc == PE_ENOTFOUND ? PE_FINDING_ADVICE : PE_FINDING_WRONG,
			      "config", "%s", why.message);
		app->config = NULL;
	}
}

/* --- Store --- */

static int close_to_others(void *payload, struct pe_err *err)
{
	const char *path = payload;
	struct stat info;

	if (stat(path, &info) != 0 || chmod(path, info.st_mode & ~(mode_t)S_IWOTH) != 0)
		return pe_fail_errno(err, "cannot change the mode of %s", path);
	return PE_OK;
}

/* Opening it to write chooses the journal that fits its file system, and lifts its schema. */
static int open_once(void *payload, struct pe_err *err)
{
	struct pe_store *store;

	PE_TRY(pe_store_open(&store, payload, 0, err));
	pe_store_close(store);
	return PE_OK;
}

static void report_store(struct pe_doctor *doctor, const char *path,
			 const struct pe_store_health *health)
{
	bool whole = health->foreign == NULL && health->n_damage == 0 && health->dangling == 0;

	pe_doctor_add(doctor, PE_FINDING_FACT, "store", "%s: %.1f MB, schema %lld%s%s%s", path,
		      (double)health->bytes / 1e6, (long long)health->version,
		      whole ? ", intact" : "", health->network != NULL ? ", on " : "",
		      health->network != NULL ? health->network : "");
	if (health->unfinished > 0)
		pe_doctor_add(
			doctor, PE_FINDING_FACT, "store",
			"unfinished batches of commits: %lld; the next 'perfevo track' continues them",
			(long long)health->unfinished);
	if (health->refused > 0)
		pe_doctor_add(
			doctor, PE_FINDING_FACT, "store",
			"commits whose files were not written: %lld; 'perfevo show COMMIT' says why",
			(long long)health->refused);
	if (health->free_bytes > 10000000 && health->free_bytes > health->bytes / 4)
		pe_doctor_add(doctor, PE_FINDING_ADVICE, "store",
			      "%.0f %% of the file is empty: 'perfevo gc' gives it back",
			      100 * (double)health->free_bytes / (double)health->bytes);
}

static void complain_of_store(struct pe_doctor *doctor, char *path,
			      const struct pe_store_health *health)
{
	if (health->foreign != NULL)
		pe_doctor_add(doctor, PE_FINDING_WRONG, "store", "%s", health->foreign);
	for (size_t i = 0; i < health->n_damage; i++)
		pe_doctor_add(doctor, PE_FINDING_WRONG, "store", "%s is damaged (%s)%s", path,
			      health->damage[i],
			      i + 1 < health->n_damage
				      ? ""
				      : ": restore it from a backup, or move it away and save what "
					"can be read with 'sqlite3 OLD .recover | sqlite3 NEW'");
	if (health->dangling > 0)
		pe_doctor_add(
			doctor, PE_FINDING_WRONG, "store",
			"%s: %lld rows refer to rows that are not there: restore it from a backup",
			path, (long long)health->dangling);
	if (health->open_to_others)
		pe_doctor_mend(doctor, "store", close_to_others, path,
			       "everybody may write into the database");
	if (health->foreign != NULL)
		return;
	if (health->version < health->current)
		pe_doctor_mend(doctor, "store", open_once, path,
			       "the database has an older schema, which the next command that "
			       "writes brings up to date");
	else if (health->network != NULL && strcmp(health->journal, "wal") == 0)
		pe_doctor_mend(doctor, "store", open_once, path,
			       "the database has a write-ahead log, which does not work on a "
			       "network file system");
}

static void look_at_store(struct pe_doctor *doctor)
{
	struct pe_app *app = doctor->app;
	char *path = pe_arena_strdup(app->arena, pe_app_store_path(app));
	struct pe_err why = PE_ERR_INIT;
	struct pe_store_health health;

	if (access(path, F_OK) != 0) {
		pe_doctor_add(doctor, PE_FINDING_FACT, "store", "%s: none yet", path);
		return;
	}
	if (pe_store_examine(&health, path, app->arena, &why) != PE_OK) {
		pe_doctor_add(doctor, PE_FINDING_WRONG, "store", "%s", why.message);
		return;
	}
	report_store(doctor, path, &health);
	complain_of_store(doctor, path, &health);
}

/* --- Tools --- */

/* The first line of a program's output; NULL: there is no such program. */
static const char *ask(struct pe_doctor *doctor, const char *command)
{
	const char *const argv[] = {"sh", "-c", command, NULL};
	const struct pe_spawn spawn = {.argv = argv, .in = -1, .out = -1, .err = -1, .hand = -1};
	pe_auto_text said = PE_TEXT_INIT;
	const struct pe_spawn_io io = {
		.output = &said, .output_bytes = 4096, .timeout_ns = 10000000000u};
	int status;

	if (pe_spawn_run(&status, &spawn, &io, NULL) != PE_OK || !pe_spawn_succeeded(status))
		return NULL;
	return pe_arena_strndup(doctor->app->arena, pe_text_str(&said),
				strcspn(pe_text_str(&said), "\n"));
}

static bool wants_keys(const struct pe_config *config)
{
	return config->trust.n > 0;
}

static bool wants_mail(const struct pe_config *config)
{
	return config->nightly.mail != NULL;
}

static const struct tool {
	const char *name;
	const char *question; /* a command of a shell that fails without it */
	const char *serves;
	bool (*wanted)(const struct pe_config *config); /* NULL: nice to have */
} tools[] = {
	{"git", "git --version | sed 's/^git version //'", "push, pull and nightly", NULL},
	{"ccache", "ccache --version | sed 's/^ccache version //'", "faster builds", NULL},
	{"ssh-keygen", "command -v ssh-keygen", "signed results", wants_keys},
	{"sendmail", "PATH=\"$PATH:/usr/sbin:/usr/lib\" command -v sendmail",
	 "mails of the nightly run", wants_mail},
};

static void look_at_tools(struct pe_doctor *doctor)
{
	const struct pe_config *config = doctor->app->config;
	pe_auto_text there = PE_TEXT_INIT, absent = PE_TEXT_INIT;

	for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++) {
		const struct tool *tool = &tools[i];
		const char *said = ask(doctor, tool->question);

		if (said != NULL)
			pe_text_addf(&there, "%s%s%s%s", there.len > 0 ? ", " : "", tool->name,
				     said[0] != '/' ? " " : "", said[0] != '/' ? said : "");
		else if (config != NULL && tool->wanted != NULL && tool->wanted(config))
			pe_doctor_add(doctor, PE_FINDING_WRONG, "tools",
				      "%s is not installed, and the config wants it for %s",
				      tool->name, tool->serves);
		else
			pe_text_addf(&absent, "%s%s (%s)", absent.len > 0 ? ", " : "", tool->name,
				     tool->serves);
	}
	pe_doctor_add(doctor, PE_FINDING_FACT, "tools", "%s%s%s", pe_text_str(&there),
		      absent.len > 0 ? "; absent: " : "", pe_text_str(&absent));
}

/* --- Machine --- */

/* Whether builds can be confined here, tried with a launcher of its own: NULL, or why not. */
static const char *try_sandbox(struct pe_doctor *doctor, struct pe_launcher *launcher)
{
	struct pe_sandbox sandbox = {.mode = PE_SANDBOX_AUTO};
	const char *folder = getenv("TMPDIR");
	char *place = pe_arena_printf(doctor->app->arena, "%s/perfevo-doctor-XXXXXX",
				      folder != NULL ? folder : "/tmp");
	struct pe_sandbox_site site = {.sandbox = &sandbox, .cache_dir = place};
	struct pe_err why = PE_ERR_INIT;
	int rc, fallback = PE_EUNSUPPORTED;

	if (mkdtemp(place) == NULL)
		return "no temporary folder can be made";
	rc = pe_sandbox_enter(launcher, &site, doctor->app->arena, &why);
	if (rc != PE_OK) {
		sandbox.by_landlock = true;
		fallback = pe_sandbox_enter(launcher, &site, doctor->app->arena, NULL);
	}
	pe_files_remove(place, NULL);
	return rc == PE_OK ? NULL
			   : pe_arena_printf(doctor->app->arena, "%s%s", why.message,
					     fallback == PE_OK ? "; 'auto' falls back on landlock"
							       : "");
}

static void report_sandbox(struct pe_doctor *doctor, const char *lack)
{
	const struct pe_config *config = doctor->app->config;
	enum pe_sandbox_mode mode = config != NULL ? config->sandbox.mode : PE_SANDBOX_OFF;

	if (lack == NULL)
		pe_doctor_add(doctor, PE_FINDING_FACT, "sandbox",
			      "available here; the config says '%s'", pe_sandbox_mode_name(mode));
	else
		pe_doctor_add(doctor,
			      mode == PE_SANDBOX_REQUIRE ? PE_FINDING_WRONG
			      : mode == PE_SANDBOX_AUTO  ? PE_FINDING_ADVICE
							 : PE_FINDING_FACT,
			      "sandbox", "not available here (%s); the config says '%s'", lack,
			      pe_sandbox_mode_name(mode));
}

static void look_at_machine(struct pe_doctor *doctor)
{
	struct pe_app *app = doctor->app;
	struct pe_launcher *launcher;
	const struct pe_machine *machine = pe_app_here(app);
	struct pe_conditions conditions = {.cpu = -1};
	struct pe_err why = PE_ERR_INIT;
	const char *advice[PE_CONDITIONS_ADVICE];
	bool counts = false;
	size_t n;

	pe_conditions_observe(&conditions, app->arena);
	pe_doctor_add(doctor, PE_FINDING_FACT, "machine", "%s, %u cores, %s", machine->cpu,
		      machine->cores, machine->kernel);
	if (pe_launcher_open(&launcher, NULL, &why) != PE_OK) {
		pe_doctor_add(doctor, PE_FINDING_WRONG, "machine",
			      "the program that starts benchmarks cannot be started: %s",
			      why.message);
	} else {
		counts = pe_launcher_counts_instructions(launcher);
		report_sandbox(doctor, try_sandbox(doctor, launcher));
		pe_launcher_close(launcher);
	}
	counts = counts || pe_simulate_program(app->arena, &why) != NULL;
	n = pe_conditions_advise(advice, &conditions, machine, counts, app->arena);
	for (size_t i = 0; i < n; i++)
		add(doctor, PE_FINDING_ADVICE, "machine", advice[i]);
}

void pe_doctor_look(struct pe_doctor *doctor)
{
	look_at_config(doctor);
	look_at_store(doctor);
	pe_doctor_look_at_cache(doctor);
	pe_doctor_look_at_jobs(doctor);
	look_at_tools(doctor);
	look_at_machine(doctor);
}
