/*
 * Whether counted instructions are those of this processor: valgrind's has no AVX-512, and the C library is set to choose
 * for an old one. If a program's own code checks the processor's features, functions that a run enters here and that
 * execute no instruction where they are counted were chosen by that check. Where such functions differ between two
 * builds, the counts do not show the change.
 */
#include "app/measure/generic.h"

#include "analysis/profile/merge_names.h"
#include "analysis/symbols/names.h"
#include "core/base/array.h"
#include "core/base/sort.h"
#include "store/store.h"

#include <stdlib.h>
#include <string.h>

/* --- Names --- */

/* The last component of a name, without template arguments: there valgrind and the symbol table agree. */
static const char *last_component(const char *name, struct pe_arena *arena)
{
	const size_t end = name[0] == '(' ? strlen(name) : strcspn(name, "<(");
	size_t start = end;

	while (start > 0 && strchr(": ", name[start - 1]) == NULL)
		start--;
	return pe_arena_strndup(arena, name + start, end - start);
}

static const char *plain(const char *symbol, struct pe_arena *arena)
{
	pe_auto_text name = PE_TEXT_INIT, signature = PE_TEXT_INIT;

	symbol = pe_merge_plain_name(symbol, arena);
	if (symbol[0] != '_')
		return last_component(symbol, arena);
	pe_names_split(&name, &signature, symbol);
	return last_component(pe_text_str(&name), arena);
}

typedef PE_VEC(const char *) names;

/* Find the names of the functions that were counted at a revision, sorted. */
static int find_counted(names *out, struct pe_session *session, int64_t revision, int64_t benchmark)
{
	const struct pe_counts_query query = {PE_COUNTS_OF_FUNCTIONS, session->machine_key,
					      benchmark, revision};
	struct pe_function_ranges ranges;

	PE_TRY(pe_store_counts(&ranges, session->app->store, &query, session->arena,
			       session->app->err));
	for (size_t i = 0; i < ranges.n; i++)
		pe_vec_push(out, last_component(ranges.at[i].name, session->arena));
	pe_sort(out->data, out->n, pe_string_order);
	return PE_OK;
}

static bool has(const names *sorted, const char *name)
{
	return bsearch(&name, sorted->data, sorted->n, sizeof(*sorted->data), pe_string_order) !=
	       NULL;
}

/* --- One build --- */

static const struct pe_code_entry *find_entry(const struct pe_code_module *module, const char *key)
{
	for (size_t i = 0; i < module->n; i++)
		if (strcmp(module->entries[i].key, key) == 0)
			return &module->entries[i];
	return NULL;
}

/* Keep only the functions of a module that were entered and not counted; none if the module does not check the processor. */
static void leave_chosen(struct pe_code_used *used, const char **first,
			 const struct pe_code_module *modules, size_t n, const names *counted,
			 struct pe_arena *arena)
{
	const struct pe_code_module *module = NULL;
	const char **keys = pe_arena_new(arena, const char *, used->n + 1);
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (strcmp(modules[i].relative, used->relative) == 0)
			module = &modules[i];
	for (size_t i = 0; module != NULL && module->asks && i < used->n; i++) {
		const struct pe_code_entry *entry = find_entry(module, used->keys[i]);
		const char *name =
			entry != NULL && entry->name != NULL ? plain(entry->name, arena) : NULL;

		/* valgrind names it "(below main)". */
		if (name == NULL || strcmp(name, "_start") == 0 || has(counted, name))
			continue;
		if (*first == NULL)
			*first = name;
		keys[kept++] = used->keys[i];
	}
	used->keys = keys;
	used->n = kept;
	used->whole = false;
}

/* Open a program of a tree; no modules: it cannot be. */
static const struct pe_code_module *open_modules(struct pe_code_parts **parts, size_t *n,
						 const char *program, const char *tree,
						 struct pe_arena *arena)
{
	struct pe_err ignored = PE_ERR_INIT;

	*n = 0;
	if (pe_code_parts_open(parts, pe_arena_printf(arena, "%s/%s", tree, program), tree, arena,
			       &ignored) != PE_OK)
		return NULL;
	return pe_code_parts_modules(*parts, n);
}

/*
 * Keep only the functions of a program that this processor's run chose.
 *
 * @param program  with the functions that the run entered
 */
static void narrow(struct pe_executed_program *program, const char **first, const char *tree,
		   const names *counted, struct pe_arena *arena)
{
	struct pe_code_parts *parts;
	size_t n;
	const struct pe_code_module *modules =
		open_modules(&parts, &n, program->program, tree, arena);

	for (size_t i = 0; i < program->n; i++)
		leave_chosen(&program->modules[i], first, modules, n, counted, arena);
	pe_code_parts_close(parts);
}

bool pe_generic_asks(const struct pe_strings *programs, const char *tree)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	bool any = false;

	for (size_t i = 0; i < programs->n; i++) {
		struct pe_code_parts *parts;
		size_t n;
		const struct pe_code_module *modules =
			open_modules(&parts, &n, programs->at[i], tree, &arena);

		for (size_t k = 0; k < n; k++)
			any = any || modules[k].asks;
		pe_code_parts_close(parts);
	}
	return any;
}

int pe_generic_find(struct pe_generic *out, struct pe_session *session, int64_t revision,
		    int64_t benchmark, const char *tree, const struct pe_executed *executed)
{
	struct pe_arena *arena = session->arena;
	pe_auto_free names counted = {NULL, 0, 0};

	PE_TRY(find_counted(&counted, session, revision, benchmark));
	*out = (struct pe_generic){.known = counted.n > 0 && executed->n > 0};
	if (out->known)
		out->chosen = *executed;
	for (size_t i = 0; i < out->chosen.n; i++)
		narrow(&out->chosen.programs[i], &out->first, tree, &counted, arena);
	return PE_OK;
}

/* --- All benchmarks of a session --- */

static int mark(struct pe_session *session, const struct pe_execution *execution, const char *tree)
{
	struct pe_chosen chosen = {execution->revision, ""};
	struct pe_generic found = {.known = true};
	struct pe_trace trace;

	pe_trace_unpack(&trace, execution->touched, execution->functions, session->arena);
	if (pe_generic_asks(&trace.touched.programs, tree))
		PE_TRY(pe_generic_find(&found, session, execution->revision, execution->benchmark,
				       tree, &trace.executed));
	if (!found.known)
		return PE_OK;
	if (found.first != NULL)
		chosen.function = found.first;
	return pe_store_put_chosen(session->app->store, session->machine_key, execution->benchmark,
				   &chosen, session->app->err);
}

int pe_generic_mark(struct pe_session *session)
{
	struct pe_app *app = session->app;

	if (session->runner.valgrind == NULL)
		return PE_OK;
	for (size_t r = 0; r < session->n_revisions; r++) {
		const struct pe_revision *at = &session->revisions[r];
		const struct pe_slot *slot =
			pe_slots_find(&session->slots, at->id, session->recipe_hash);
		struct pe_execution *executions;
		size_t n;

		if (slot == NULL)
			continue;
		PE_TRY(pe_store_unmarked_executions(&executions, &n, app->store,
						    session->machine_key, at->key, session->arena,
						    app->err));
		for (size_t i = 0; i < n; i++)
			PE_TRY(mark(session, &executions[i], slot->tree));
	}
	return PE_OK;
}
