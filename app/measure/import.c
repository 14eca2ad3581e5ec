#include "app/measure/import.h"

#include "app/measure/session.h"
#include "app/measure/suite_port.h"
#include "core/base/clock.h"
#include "core/base/hash.h"
#include "core/base/sort.h"
#include "suites/suite.h"

#include <stdlib.h>
#include <string.h>

/* A member of any file. */
struct member {
	const char *id;
	int64_t key;
};

/* An import. */
struct importing {
	struct pe_app *app;
	const struct pe_suite_import *import;
	struct pe_imported *out;
	struct pe_session session; /* only the members that the reader of results uses */
	struct pe_session_suite about;
	struct pe_suite suite;
	struct pe_suite_readings *files;
	bool *known;                   /* by file: imported before */
	PE_VEC(struct member) members; /* by id */
	int64_t machine, batch, revision;
	int64_t now_s;
};

/* --- Reading --- */

static int read_file(struct importing *importing, size_t i)
{
	const struct pe_import_file *file = &importing->import->files[i];
	struct pe_app *app = importing->app;
	struct pe_suite_port port = pe_suite_port_of(&importing->session);
	int rc = port.read(&importing->files[i], &importing->suite, file->bytes, file->n,
			   app->arena, port.payload, app->err);

	if (rc == PE_OK && importing->files[i].cut_short)
		pe_app_note(app, "%s ends in the middle: what stands before is taken", file->name);
	if (rc == PE_EINVALID)
		pe_err_context(app->err, "%s", file->name);
	return rc;
}

static int read_files(struct importing *importing)
{
	const struct pe_suite_import *import = importing->import;

	importing->files = pe_arena_new(importing->app->arena, struct pe_suite_readings, import->n);
	for (size_t i = 0; i < import->n; i++)
		PE_TRY(read_file(importing, i));
	importing->out->format =
		pe_suite_format_name((enum pe_suite_format)importing->about.format);
	return PE_OK;
}

/* --- Members --- */

PE_SORT_BY(by_id, struct member, id);

static struct member *member_of(struct importing *importing, const char *id)
{
	const struct member key = {.id = id};

	return importing->members.n == 0 ? NULL
					 : bsearch(&key, importing->members.data,
						   importing->members.n, sizeof(key), by_id);
}

static bool is_measured(const struct pe_member_reading *reading)
{
	return reading->error == NULL && reading->n_values > 0;
}

/* Collect the members that any file has values of, once each. */
static void find_members(struct importing *importing)
{
	size_t n = 0;

	for (size_t i = 0; i < importing->import->n; i++)
		for (size_t j = 0; !importing->known[i] && j < importing->files[i].n; j++) {
			const struct pe_member_reading *reading = &importing->files[i].entries[j];

			if (is_measured(reading))
				pe_vec_push(&importing->members,
					    (struct member){.id = reading->name.id});
			else if (importing->out->failed++ == 0)
				importing->out->first_failed = reading;
		}
	pe_sort(importing->members.data, importing->members.n, by_id);
	for (size_t i = 0; i < importing->members.n; i++)
		if (n == 0 ||
		    strcmp(importing->members.data[n - 1].id, importing->members.data[i].id) != 0)
			importing->members.data[n++] = importing->members.data[i];
	importing->members.n = n;
	importing->out->members = n;
}

static int put_member(struct importing *importing, struct member *member)
{
	struct pe_benchmark benchmark = importing->suite.model;
	struct pe_hash hash;

	benchmark.name =
		pe_arena_printf(importing->app->arena, "%s/%s", importing->suite.name, member->id);
	benchmark.suite = &importing->suite;
	benchmark.member = benchmark.own = member->id;
	pe_hash_init(&hash);
	pe_hash_string(&hash, PE_IMPORTED);
	pe_hash_string(&hash, benchmark.name);
	pe_hash_string(&hash, importing->out->format);
	pe_hash_hex(&hash, benchmark.version);
	return pe_store_put_imported_benchmark(&member->key, importing->app->store, &benchmark,
					       importing->app->err);
}

/* --- Runs --- */

static int put_run(struct importing *importing, unsigned round,
		   const struct pe_member_reading *reading, uint64_t sequence)
{
	struct member *member = member_of(importing, reading->name.id);
	struct pe_run run = {
		.kind = PE_RUN_TIMED,
		.round = round,
		.sequence = sequence,
		.started_s = importing->now_s,
		.outcome = PE_MEASURED,
	};

	pe_run_take_samples(&run, reading->values, reading->n_values);
	importing->out->runs++;
	return pe_store_put_run(importing->app->store, importing->batch, importing->revision,
				member->key, &run, importing->app->err);
}

static int put_runs(struct importing *importing)
{
	struct pe_app *app = importing->app;
	uint64_t sequence = 0;
	unsigned round;

	PE_TRY(pe_store_import_round(&round, app->store, importing->batch, importing->revision,
				     app->err));
	for (size_t i = 0; i < importing->import->n; i++) {
		if (importing->known[i])
			continue;
		for (size_t j = 0; j < importing->files[i].n; j++) {
			const struct pe_member_reading *reading = &importing->files[i].entries[j];

			if (is_measured(reading))
				PE_TRY(put_run(importing, round, reading, sequence++));
		}
		round++;
	}
	return PE_OK;
}

/* A mark of the file and the revision, so that importing both again adds no run. */
static uint64_t mark_of(const struct pe_suite_import *import, size_t i,
			const struct pe_revision *revision)
{
	struct pe_hash hash;
	char hex[PE_HASH_HEX];

	pe_hash_init(&hash);
	pe_hash_string(&hash, revision->id);
	pe_hash_string(&hash, import->suite);
	pe_hash_bytes(&hash, import->files[i].bytes, import->files[i].n);
	pe_hash_hex(&hash, hex);
	hex[16] = '\0';
	return strtoull(hex, NULL, 16);
}

static int find_known(struct importing *importing, const struct pe_revision *revision)
{
	struct pe_app *app = importing->app;

	PE_TRY(pe_store_put_imported_machine(&importing->machine, app->store,
					     importing->import->machine, app->err));
	importing->known = pe_arena_new(app->arena, bool, importing->import->n);
	for (size_t i = 0; i < importing->import->n; i++) {
		PE_TRY(pe_store_mark_import(&importing->known[i], app->store, importing->machine,
					    mark_of(importing->import, i, revision),
					    importing->now_s, app->err));
		importing->out->known += importing->known[i];
	}
	return PE_OK;
}

static int put_members(struct importing *importing)
{
	struct pe_app *app = importing->app;
	size_t n = importing->members.n;
	struct pe_coverage *cells = pe_arena_new(app->arena, struct pe_coverage, n);

	for (size_t i = 0; i < n; i++) {
		PE_TRY(put_member(importing, &importing->members.data[i]));
		cells[i] = (struct pe_coverage){
			.revision = importing->revision,
			.benchmark = importing->members.data[i].key,
			.role = PE_ROLE_NEW,
			.timed = (unsigned)importing->import->n,
		};
	}
	return pe_store_extend_batch(app->store, importing->batch, cells, n, app->err);
}

static int put_all(struct importing *importing, const struct pe_revision *revision)
{
	struct pe_app *app = importing->app;

	PE_TRY(find_known(importing, revision));
	find_members(importing);
	if (importing->out->known == importing->import->n)
		return PE_OK;
	if (importing->members.n == 0)
		return pe_fail(app->err, PE_EINVALID, "no benchmark with values in what was read");
	PE_TRY(pe_store_import_batch(&importing->batch, app->store, importing->machine,
				     importing->now_s, app->err));
	PE_TRY(pe_store_put_revision(&importing->revision, app->store, revision, app->err));
	PE_TRY(put_members(importing));
	return put_runs(importing);
}

static int store_all(struct importing *importing, const struct pe_revision *revision)
{
	struct pe_app *app = importing->app;
	pe_auto_transaction store = app->store;

	PE_TRY(pe_store_begin(store, app->err));
	PE_TRY(put_all(importing, revision));
	return pe_store_commit(store, app->err);
}

int pe_import_results(struct pe_imported *out, struct pe_app *app,
		      const struct pe_suite_import *import, const struct pe_revision *revision)
{
	static const char *const nothing[] = {"true", NULL};
	struct importing importing = {
		.app = app,
		.import = import,
		.out = out,
		.now_s = pe_clock_now_s(),
		.suite = {.name = import->suite,
			  .command = {.argv = nothing, .text = "(imported)"},
			  .format = import->format,
			  .model = {.command = {.argv = nothing, .text = "(imported)"},
				    .cwd = ".",
				    .repeats = 1}},
	};
	int rc;

	*out = (struct pe_imported){0};
	importing.about = (struct pe_session_suite){
		.suite = &importing.suite,
		.format = strcmp(import->format, "auto") == 0
				  ? PE_SUITE_AUTO
				  : (int)pe_suite_format_find(import->format),
	};
	importing.session = (struct pe_session){
		.app = app, .arena = app->arena, .suites = &importing.about, .n_suites = 1};
	rc = read_files(&importing);
	if (rc == PE_OK)
		rc = store_all(&importing, revision);
	pe_vec_release(&importing.members);
	pe_vec_release(&importing.session.suite_metrics);
	return rc;
}
