#include "app/history/top_cause.h"

#include "app/changes/changed_methods.h"
#include "app/changes/impact.h"
#include "report/format.h"

#include <string.h>

static bool is_method(const struct pe_method *method, const struct pe_function_change *function,
		      struct pe_arena *arena)
{
	return method != NULL && strcmp(method->component, function->component) == 0 &&
	       strcmp(pe_impact_bare(method->name, arena), pe_impact_bare(function->name, arena)) ==
		       0;
}

static void mark(struct pe_function_changes *functions, const struct pe_method_changes *methods,
		 struct pe_arena *arena)
{
	static const enum pe_source_change sources[PE_N_METHOD_CHANGES] = {
		[PE_METHOD_ADDED] = PE_SOURCE_ADDED,       [PE_METHOD_DELETED] = PE_SOURCE_DELETED,
		[PE_METHOD_MODIFIED] = PE_SOURCE_MODIFIED, [PE_METHOD_RENAMED] = PE_SOURCE_RENAMED,
		[PE_METHOD_MOVED] = PE_SOURCE_RENAMED,
	};

	for (size_t i = 0; i < functions->n + functions->n_varying + functions->n_same; i++)
		for (size_t m = 0; m < methods->n; m++)
			if (is_method(methods->at[m].after, &functions->at[i], arena) ||
			    is_method(methods->at[m].before, &functions->at[i], arena))
				functions->at[i].change.source =
					(uint8_t)sources[methods->at[m].kind];
}

static int read_functions(struct pe_function_changes *out, struct pe_app *app,
			  const struct pe_top_cause_query *query)
{
	struct pe_function_ranges olds, news, varying;
	int rc = pe_store_functions(&olds, app->store, query->machine, query->old_revision,
				    query->benchmark, app->arena, app->err);

	if (rc == PE_OK)
		rc = pe_store_functions(&news, app->store, query->machine, query->new_revision,
					query->benchmark, app->arena, app->err);
	if (rc == PE_OK && (olds.runs == 0 || news.runs == 0))
		return PE_ENOTFOUND;
	if (rc == PE_OK)
		rc = pe_store_functions_varying(&varying, app->store, query->machine,
						query->benchmark, app->arena, app->err);
	if (rc == PE_OK)
		pe_functions_compare(out, &olds, &news, &varying, app->arena);
	return rc;
}

int pe_top_cause_find(struct pe_attribution_top *out, struct pe_app *app,
		      const struct pe_top_cause_query *query)
{
	struct pe_function_changes *functions =
		pe_arena_new(app->arena, struct pe_function_changes, 1);
	struct pe_revision_changes changes;
	struct pe_comparer *comparer;
	int rc = read_functions(functions, app, query);

	if (rc != PE_OK)
		return rc;
	if (functions->n == 0)
		return PE_ENOTFOUND;
	comparer = pe_comparer_new(app, false);
	rc = pe_changes_of(&changes, comparer, query->after, query->old_id, app->arena);
	if (rc == PE_OK)
		mark(functions, &changes.methods, app->arena);
	pe_comparer_free(comparer);
	return rc == PE_OK && !pe_attribution_top(out, functions) ? PE_ENOTFOUND : rc;
}

static void add_function(struct pe_text *out, const struct pe_function_change *function)
{
	pe_text_addc(out, '`');
	pe_text_add_columns(out, function->name, 60);
	pe_text_addc(out, '`');
}

void pe_top_cause_say(struct pe_text *out, const struct pe_attribution_top *top)
{
	const struct pe_function_change *shows = top->shows;

	if (top->who != NULL && top->probably) {
		pe_text_add(out, "probably ");
		add_function(out, top->who);
		pe_text_add(out, " (modified): ");
	}
	add_function(out, shows);
	if (top->who == shows)
		pe_text_add(out, " (modified)");
	pe_text_add(out, shows->amount > 0 ? " +" : " ");
	pe_format_value(out, (double)shows->amount, "1");
	pe_text_add(out, " instructions");
}
