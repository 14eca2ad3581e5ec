#include "app/jobs/doctor.h"

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

void pe_doctor_add(struct pe_doctor *doctor, enum pe_finding_kind kind, const char *area,
		   const char *format, ...)
{
	pe_auto_text text = PE_TEXT_INIT;
	va_list args;

	va_start(args, format);
	pe_text_addv(&text, format, args);
	va_end(args);
	pe_vec_push(&doctor->findings,
		    ((struct pe_finding){kind, area,
					 pe_arena_strdup(doctor->app->arena, pe_text_str(&text))}));
	doctor->n_wrong += kind == PE_FINDING_WRONG;
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

struct mode_change {
	const char *path;
	mode_t add, remove;
};

static int change_mode(void *payload, struct pe_err *err)
{
	const struct mode_change *change = payload;
	struct stat info;

	if (stat(change->path, &info) != 0 ||
	    chmod(change->path, (info.st_mode | change->add) & ~change->remove) != 0)
		return pe_fail_errno(err, "cannot change the mode of %s", change->path);
	return PE_OK;
}

void pe_doctor_mend_mode(struct pe_doctor *doctor, const char *area, const char *path, mode_t add,
			 mode_t remove, const char *what)
{
	pe_doctor_mend(doctor, area, change_mode, &(struct mode_change){path, add, remove}, what);
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
		pe_doctor_mend_mode(doctor, "store", path, 0, S_IWOTH,
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

void pe_doctor_look(struct pe_doctor *doctor)
{
	look_at_config(doctor);
	look_at_store(doctor);
	pe_doctor_look_at_cache(doctor);
	pe_doctor_look_at_jobs(doctor);
}
