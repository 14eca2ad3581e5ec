#include "app/history/calls.h"

#include "core/base/vec.h"
#include "report/query.h"
#include "store/store.h"

/* *out stays NULL where there is nothing to compare. */
static int compare(const struct pe_function_changes **out, struct pe_app *app, int64_t machine,
		   const struct pe_function_ranges *olds, const struct pe_function_ranges *news,
		   int64_t benchmark)
{
	struct pe_function_changes *changes;
	struct pe_function_ranges varying;

	if (olds->runs == 0 || news->runs == 0)
		return PE_OK;
	PE_TRY(pe_store_system_calls_varying(&varying, app->store, machine, benchmark, app->arena,
					     app->err));
	changes = pe_arena_new(app->arena, struct pe_function_changes, 1);
	pe_functions_compare(changes, olds, news, &varying, app->arena);
	*out = changes;
	return PE_OK;
}

static int load(struct pe_function_ranges *out, struct pe_app *app, int64_t machine,
		struct pe_calls_cell cell)
{
	return pe_store_system_calls(out, app->store, machine, cell.revision, cell.benchmark,
				     app->arena, app->err);
}

int pe_calls_compare(const struct pe_function_changes **out, struct pe_app *app, int64_t machine,
		     struct pe_calls_cell old_cell, struct pe_calls_cell new_cell)
{
	struct pe_function_ranges olds, news;

	*out = NULL;
	PE_TRY(load(&olds, app, machine, old_cell));
	PE_TRY(load(&news, app, machine, new_cell));
	return compare(out, app, machine, &olds, &news, new_cell.benchmark);
}

/* Whether an earlier line of the benchmark was measured there, too. */
static bool is_told(const struct pe_evolution *evolution, size_t line, size_t revision)
{
	for (size_t i = 0; i < line; i++)
		if (evolution->lines[i].benchmark_key == evolution->lines[line].benchmark_key &&
		    pe_line_at(&evolution->lines[i], revision) != NULL)
			return true;
	return false;
}

static int load_line(struct pe_revision_calls *out, struct pe_app *app,
		     const struct pe_evolution *evolution, const struct pe_line *line,
		     size_t revision)
{
	const struct pe_point *before = pe_line_predecessor(evolution, line, revision);
	const int64_t machine = evolution->machine_key, benchmark = line->benchmark_key;
	struct pe_function_ranges olds = {NULL, 0, 0};

	*out = (struct pe_revision_calls){.benchmark = line->benchmark};
	PE_TRY(load(&out->calls, app, machine,
		    (struct pe_calls_cell){benchmark, evolution->revisions[revision].key}));
	if (before == NULL)
		return PE_OK;
	out->before = evolution->revisions[before->revision].id;
	PE_TRY(load(&olds, app, machine,
		    (struct pe_calls_cell){benchmark, evolution->revisions[before->revision].key}));
	return compare(&out->changes, app, machine, &olds, &out->calls, benchmark);
}

int pe_calls_of_revision(struct pe_revision_calls **out, size_t *n, struct pe_app *app,
			 const struct pe_evolution *evolution, size_t revision)
{
	*n = 0;
	*out = pe_arena_new(app->arena, struct pe_revision_calls, evolution->n_lines);
	for (size_t i = 0; i < evolution->n_lines; i++) {
		if (pe_line_at(&evolution->lines[i], revision) == NULL ||
		    is_told(evolution, i, revision))
			continue;
		PE_TRY(load_line(&(*out)[*n], app, evolution, &evolution->lines[i], revision));
		*n += (*out)[*n].calls.runs > 0;
	}
	return PE_OK;
}
