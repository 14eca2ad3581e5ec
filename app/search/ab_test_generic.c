/*
 * Whether counted instructions speak for this processor: valgrind's has no AVX-512, and the C library is told to choose for
 * an old one. Of a program whose own code asks what the processor can do, functions that a run enters here and that execute
 * no instruction where they are counted were chosen by the answer. Where such functions differ between both builds, the
 * counts say nothing of the change.
 */
#include "app/search/ab_test_internal.h"

#include "analysis/profile/merge_names.h"
#include "analysis/symbols/names.h"
#include "app/measure/executed.h"
#include "core/base/array.h"
#include "store/store.h"

#include <stdlib.h>
#include <string.h>

/* --- Names --- */

/* The last component of a name, without arguments of templates: valgrind and the symbol table agree on it. */
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

/* What was counted at a revision, sorted. */
static int find_counted(names *out, struct pe_ab *pairing, const struct pe_ab_subject *subject,
			size_t revision)
{
	struct pe_session *session = pairing->session;
	struct pe_function_ranges ranges;
	int rc = pe_store_functions(&ranges, session->app->store, session->machine_key,
				    session->revisions[revision].key,
				    session->benchmarks.data[subject->benchmark].key,
				    session->arena, session->app->err);

	for (size_t i = 0; rc == PE_OK && i < ranges.n; i++)
		pe_vec_push(out, last_component(ranges.at[i].name, session->arena));
	if (out->n > 0)
		qsort(out->data, out->n, sizeof(*out->data), pe_string_order);
	return rc;
}

static bool has(const names *sorted, const char *name)
{
	return bsearch(&name, sorted->data, sorted->n, sizeof(*sorted->data), pe_string_order) !=
	       NULL;
}

/* --- One side --- */

struct side {
	const char *tree;
	names counted;
	/** functions that were entered and not counted, by program and module */
	struct pe_executed chosen;
};

static const struct pe_code_entry *find_entry(const struct pe_code_module *module, const char *key)
{
	for (size_t i = 0; i < module->n; i++)
		if (strcmp(module->entries[i].key, key) == 0)
			return &module->entries[i];
	return NULL;
}

/* Leave of what a module's run used what was not counted; none where the module does not ask. */
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

		/* Valgrind calls it "(below main)". */
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

static bool asks(const struct pe_code_module *modules, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (modules[i].asks)
			return true;
	return false;
}

/* Of one program: what this processor's run chose. @param program  with what the run used, which is narrowed */
static void narrow(struct pe_executed_program *program, const char **first, const struct side *side,
		   struct pe_arena *arena)
{
	struct pe_code_parts *parts;
	struct pe_err ignored = PE_ERR_INIT;
	const struct pe_code_module *modules = NULL;
	size_t n = 0;

	if (pe_code_parts_open(&parts,
			       pe_arena_printf(arena, "%s/%s", side->tree, program->program),
			       side->tree, arena, &ignored) == PE_OK)
		modules = pe_code_parts_modules(parts, &n);
	for (size_t i = 0; i < program->n; i++)
		leave_chosen(&program->modules[i], first, modules, n, &side->counted, arena);
	pe_code_parts_close(parts);
}

/* Whether a program of a build asks the processor: nothing is run for one that does not. */
static bool any_asks(const struct pe_strings *programs, const char *tree)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	bool any = false;

	for (size_t i = 0; i < programs->n && !any; i++) {
		struct pe_code_parts *parts;
		struct pe_err ignored = PE_ERR_INIT;
		size_t n;

		if (pe_code_parts_open(&parts,
				       pe_arena_printf(&arena, "%s/%s", tree, programs->at[i]),
				       tree, &arena, &ignored) == PE_OK) {
			const struct pe_code_module *modules = pe_code_parts_modules(parts, &n);

			any = asks(modules, n);
		}
		pe_code_parts_close(parts);
	}
	return any;
}

static int see(struct side *side, const char **first, struct pe_ab *pairing,
	       const struct pe_ab_subject *subject, size_t revision, const char *functions)
{
	struct pe_arena *arena = pairing->session->arena;
	int rc = find_counted(&side->counted, pairing, subject, revision);

	/* Without names of what was counted all would look chosen. */
	if (rc != PE_OK || side->counted.n == 0 || functions == NULL)
		return rc;
	pe_executed_unpack(&side->chosen, functions, arena);
	for (size_t i = 0; i < side->chosen.n; i++)
		narrow(&side->chosen.programs[i], first, side, arena);
	return rc;
}

/* --- Both --- */

/* Whether functions that one side's run chose differ in the other build, or are not there. */
static bool differ(const struct pe_executed *chosen, const char *const trees[2],
		   struct pe_arena *arena)
{
	struct pe_xxh hashes[2];
	struct pe_err ignored = PE_ERR_INIT;
	bool same = true;

	for (int side = 0; side < 2; side++) {
		struct pe_executed_trees *opened = pe_executed_trees_new(arena);

		pe_xxh_init(&hashes[side]);
		for (size_t i = 0; i < chosen->n && same; i++)
			same = pe_executed_hash(&hashes[side], opened, &chosen->programs[i],
						trees[side], &ignored) == PE_OK;
		pe_executed_trees_close(opened);
	}
	return !same || hashes[0].high != hashes[1].high || hashes[0].low != hashes[1].low;
}

int pe_ab_find_generic(struct pe_ab *pairing, struct pe_ab_subject *subject)
{
	const struct pe_session *session = pairing->session;
	const size_t revisions[] = {pairing->question->base, pairing->question->tip};
	const char *const trees[] = {pe_ab_tree(pairing, revisions[0]),
				     pe_ab_tree(pairing, revisions[1])};
	struct side sides[2] = {{.tree = trees[0]}, {.tree = trees[1]}};
	const char *functions, *first[2] = {NULL, NULL};
	int rc = PE_OK;

	if (session->runner.valgrind == NULL || subject->touched == NULL)
		return PE_OK;
	for (int i = 0; rc == PE_OK && i < 2; i++) {
		if (!any_asks(&subject->touched->programs, trees[i]))
			continue;
		functions = NULL;
		rc = pe_ab_watch(&functions, pairing, subject, &subject->touched->programs,
				 trees[i]);
		if (rc == PE_OK)
			rc = see(&sides[i], &first[i], pairing, subject, revisions[i], functions);
	}
	for (int i = 0; i < 2; i++)
		if (rc == PE_OK && first[i] != NULL) {
			subject->generic = first[i];
			subject->generic_changed = subject->generic_changed ||
						   differ(&sides[i].chosen, trees, session->arena);
		}
	pe_vec_release(&sides[0].counted);
	pe_vec_release(&sides[1].counted);
	return rc;
}
