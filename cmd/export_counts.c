#include "cmd/export_counts.h"

#include "core/base/regex.h"
#include "core/json/writer.h"
#include "report/format.h"

#include <inttypes.h>
#include <string.h>

/* What is written, and to where. */
struct writing {
	struct pe_app *app;
	struct pe_text *out;
	struct pe_json *json; /* NULL: CSV */
	struct pe_regex regex;
	int64_t revision;
	enum cmd_counts counts;
};

static void add(const struct writing *writing, const struct pe_stored_machine *machine,
		const char *benchmark, const struct pe_function_range *one)
{
	const bool functions = writing->counts == CMD_COUNTS_FUNCTIONS;
	const char *const texts[] = {benchmark, one->name, one->signature, one->component};

	if (writing->json != NULL) {
		pe_json_begin_object(writing->json, NULL);
		pe_json_put(writing->json, "benchmark", benchmark);
		pe_json_put(writing->json, "name", one->name);
		if (functions)
			pe_json_members(writing->json, one, signature, component);
		pe_json_members(writing->json, one, least, most);
		pe_json_put(writing->json, "machine", machine->machine.hostname);
		pe_json_end(writing->json);
		return;
	}
	for (size_t i = 0; i < (functions ? 4 : 2); i++) {
		pe_escape_csv(writing->out, texts[i]);
		pe_text_addc(writing->out, ',');
	}
	pe_text_addf(writing->out, "%" PRIu64 ",%" PRIu64 ",", one->least, one->most);
	pe_escape_csv(writing->out, machine->machine.hostname);
	pe_text_add(writing->out, "\r\n");
}

static int add_benchmark(const struct writing *writing, const struct pe_stored_machine *machine,
			 const struct pe_stored_benchmark *benchmark)
{
	struct pe_app *app = writing->app;
	struct pe_function_ranges ranges;

	PE_TRY((writing->counts == CMD_COUNTS_FUNCTIONS ? pe_store_functions
							: pe_store_system_calls)(
		&ranges, app->store, machine->key, writing->revision, benchmark->key, app->arena,
		app->err));
	for (size_t i = 0; i < ranges.n; i++)
		add(writing, machine, benchmark->name, &ranges.at[i]);
	return PE_OK;
}

/* Of a benchmark whose definition changed the newest one that has counts at the commit is not known before: all are. */
static int add_machine(const struct writing *writing, const struct pe_stored_machine *machine)
{
	struct pe_app *app = writing->app;
	struct pe_stored_benchmark *benchmarks;
	size_t n;

	PE_TRY(pe_store_benchmarks(&benchmarks, &n, app->store, machine->key, app->arena,
				   app->err));
	for (size_t i = 0; i < n; i++)
		if (pe_regex_matches(&writing->regex, benchmarks[i].name))
			PE_TRY(add_benchmark(writing, machine, &benchmarks[i]));
	return PE_OK;
}

static int find_revision(int64_t *out, struct pe_app *app, const char *spec)
{
	struct pe_revision *stored;
	struct pe_revision revision;
	size_t n;

	PE_TRY(pe_repo_resolve(&revision, app->repo, spec, app->arena, app->err));
	PE_TRY(pe_store_revisions(&stored, &n, app->store, app->arena, app->err));
	for (size_t i = 0; i < n; i++)
		if (strcmp(stored[i].id, revision.id) == 0) {
			*out = stored[i].key;
			return PE_OK;
		}
	return pe_fail(app->err, PE_ENOTFOUND,
		       "nothing of %.10s is stored ('perfevo track' measures it)", revision.id);
}

int cmd_export_counts(struct pe_text *out, struct pe_app *app, enum cmd_counts counts,
		      const char *spec, const char *bench, bool as_json)
{
	struct pe_json json = PE_JSON_INIT(out);
	struct writing writing = {
		.app = app, .out = out, .json = as_json ? &json : NULL, .counts = counts};
	struct pe_stored_machine *machines;
	size_t n;
	int rc = PE_OK;

	PE_TRY(find_revision(&writing.revision, app, spec));
	PE_TRY(pe_store_machines(&machines, &n, app->store, app->arena, app->err));
	PE_TRY(pe_regex_init_option(&writing.regex, "--bench", bench, app->err));
	if (as_json)
		pe_json_begin_rows(&json, NULL);
	else
		pe_text_addf(out, "benchmark,name,%sleast,most,machine\r\n",
			     counts == CMD_COUNTS_FUNCTIONS ? "signature,component," : "");
	for (size_t i = 0; rc == PE_OK && i < n; i++)
		rc = add_machine(&writing, &machines[i]);
	if (as_json)
		pe_json_finish(&json);
	pe_regex_release(&writing.regex);
	return rc;
}
