/* Functions that runs enter: watched, packed, and hashed in another build. */
#include "app/measure/trace.h"

#include "app/measure/session.h"

#include "core/base/inside.h"
#include "core/base/sort.h"
#include "core/base/text.h"
#include "core/base/vec.h"

#include <string.h>
#include <sys/stat.h>

/* --- Watching --- */

struct watched {
	const char *program;
	struct pe_code_parts *parts;
	size_t *modules; /* by module of the program: its index in the entries */
};

struct pe_executed_watch {
	struct watched *programs;
	size_t n;
	struct pe_entries entries;
	const struct pe_code_module **modules; /* by module of the entries */
	const char *tree;
};

static size_t add_module(struct pe_executed_watch *watch, const struct pe_code_module *module,
			 struct pe_arena *arena)
{
	struct pe_entries *entries = &watch->entries;
	uint64_t *addresses;

	for (size_t i = 0; i < entries->n; i++)
		if (strcmp(entries->modules[i].path, module->path) == 0)
			return i;
	addresses = pe_arena_new(arena, uint64_t, module->n + 1);
	for (size_t i = 0; i < module->n; i++)
		addresses[i] = module->entries[i].addr;
	watch->modules[entries->n] = module;
	entries->modules[entries->n] =
		(struct pe_entered_module){.path = module->path,
					   .addresses = addresses,
					   .n = module->n,
					   .entered = pe_arena_new(arena, bool, module->n + 1)};
	return entries->n++;
}

enum { MOST_MODULES = 256 }; /* the limit of the counting library */

static void add_program(struct pe_executed_watch *watch, const char *program,
			struct pe_arena *arena)
{
	struct watched *one = &watch->programs[watch->n];
	const struct pe_code_module *modules;
	struct pe_err why = PE_ERR_INIT;
	size_t n;

	*one = (struct watched){.program = program};
	if (pe_code_parts_open(&one->parts, pe_arena_printf(arena, "%s/%s", watch->tree, program),
			       watch->tree, arena, &why) == PE_OK) {
		modules = pe_code_parts_modules(one->parts, &n);
		if (modules[0].known && watch->entries.n + n <= MOST_MODULES) {
			one->modules = pe_arena_new(arena, size_t, n);
			for (size_t i = 0; i < n; i++)
				one->modules[i] = add_module(watch, &modules[i], arena);
			watch->n++;
			return;
		}
	}
	pe_code_parts_close(one->parts);
}

struct pe_executed_watch *pe_executed_prepare(const struct pe_strings *programs, const char *tree,
					      struct pe_arena *arena)
{
	struct pe_executed_watch *watch = pe_arena_new(arena, struct pe_executed_watch, 1);

	watch->tree = tree;
	watch->programs = pe_arena_new(arena, struct watched, programs->n + 1);
	watch->modules = pe_arena_new(arena, const struct pe_code_module *, MOST_MODULES);
	watch->entries.modules = pe_arena_new(arena, struct pe_entered_module, MOST_MODULES);
	for (size_t i = 0; i < programs->n; i++)
		add_program(watch, programs->at[i], arena);
	return watch->n > 0 ? watch : NULL;
}

struct pe_entries *pe_executed_entries(struct pe_executed_watch *watch)
{
	return &watch->entries;
}

void pe_executed_release(struct pe_executed_watch *watch)
{
	for (size_t i = 0; watch != NULL && i < watch->n; i++)
		pe_code_parts_close(watch->programs[i].parts);
}

/* --- As text --- */

static bool is_file(const char *path, const struct stat *of)
{
	struct stat info;

	return stat(path, &info) == 0 && info.st_dev == of->st_dev && info.st_ino == of->st_ino;
}

static bool is_touched(const struct pe_dependencies *touched, const char *tree, const char *path)
{
	pe_auto_text full = PE_TEXT_INIT;
	struct stat info;
	bool found = false;

	if (stat(path, &info) != 0)
		return false;
	for (size_t i = 0; i < touched->files.n && !found; i++) {
		pe_text_clear(&full);
		pe_text_addf(&full, "%s/%s", tree, touched->files.at[i]);
		found = is_file(full.data, &info);
	}
	return found;
}

static bool add_line(struct pe_text *out, char kind, const char *text)
{
	pe_text_addf(out, "%c %s\n", kind, text);
	return strchr(text, '\n') == NULL;
}

static bool pack_module(struct pe_text *out, const struct pe_code_module *module,
			const struct pe_entered_module *seen, struct pe_arena *arena)
{
	const char **keys = pe_arena_new(arena, const char *, module->n + 1);
	bool whole = add_line(out, seen->watched ? 'M' : 'W', module->relative);
	size_t n = 0;

	if (seen->opened)
		pe_text_add(out, "R\n");
	for (size_t i = 0; i < module->n && seen->watched; i++)
		if (seen->entered[i])
			keys[n++] = module->entries[i].key;
	pe_sort(keys, n, pe_string_order);
	for (size_t i = 0; i < n; i++)
		whole &= add_line(out, 'f', keys[i]);
	return whole;
}

/*
 * Pack a program. A library that was not watched was loaded later, or never. false: its functions are unknown, or a name
 * has a newline.
 */
static bool pack_program(struct pe_text *out, const struct pe_executed_watch *watch,
			 const struct watched *one, const struct pe_dependencies *touched,
			 struct pe_arena *arena)
{
	const struct pe_entries *entries = &watch->entries;
	bool whole = add_line(out, 'P', one->program);
	size_t n;

	pe_code_parts_modules(one->parts, &n);
	if (!entries->modules[one->modules[0]].watched)
		return false;
	for (size_t i = 0; whole && i < n; i++) {
		const size_t at = one->modules[i];
		const struct pe_code_module *module = watch->modules[at];

		if (!entries->modules[at].watched &&
		    !is_touched(touched, watch->tree, module->path))
			continue;
		whole = module->known && pack_module(out, module, &entries->modules[at], arena);
	}
	return whole;
}

const char *pe_executed_pack(const struct pe_executed_watch *watch,
			     const struct pe_dependencies *touched, struct pe_arena *arena)
{
	pe_auto_text text = PE_TEXT_INIT;

	for (size_t i = 0; i < watch->n; i++) {
		const size_t before = text.len;

		if (pack_program(&text, watch, &watch->programs[i], touched, arena))
			continue;
		text.len = before;
		if (text.data != NULL)
			text.data[before] = '\0';
	}
	return text.len > 0 ? pe_arena_strdup(arena, text.data) : NULL;
}

/* --- One run --- */

bool pe_traced_is_seen(const struct pe_traced *traced)
{
	return traced->run.outcome == PE_MEASURED && traced->touched.complete;
}

int pe_traced_run(struct pe_traced *traced, const struct pe_strings *programs)
{
	struct pe_session *session = traced->session;
	struct pe_executed_watch *watch =
		programs != NULL && programs->n > 0
			? pe_executed_prepare(programs, traced->tree, session->arena)
			: NULL;
	int rc;

	traced->run = (struct pe_run){.kind = PE_RUN_COUNTED};
	rc = pe_runner_probe(&traced->touched, &traced->run, &session->runner, traced->benchmark,
			     traced->tree, watch != NULL ? pe_executed_entries(watch) : NULL,
			     session->arena, session->app->err);
	traced->watched = watch != NULL;
	traced->functions = NULL;
	if (rc == PE_OK && watch != NULL && pe_traced_is_seen(traced))
		traced->functions = pe_executed_pack(watch, &traced->touched, session->arena);
	pe_executed_release(watch);
	return rc;
}

/* --- Comparing --- */

struct opened {
	const char *program;
	struct pe_code_parts *parts; /* NULL: it cannot be opened */
};

struct pe_executed_trees {
	struct pe_arena arena; /* of the open programs */
	PE_VEC(struct opened) programs;
};

struct pe_executed_trees *pe_executed_trees_new(struct pe_arena *arena)
{
	return pe_arena_new(arena, struct pe_executed_trees, 1);
}

void pe_executed_trees_forget(struct pe_executed_trees *trees)
{
	for (size_t i = 0; i < trees->programs.n; i++)
		pe_code_parts_close(trees->programs.data[i].parts);
	trees->programs.n = 0;
	pe_arena_release(&trees->arena);
}

void pe_executed_trees_close(struct pe_executed_trees *trees)
{
	pe_executed_trees_forget(trees);
	pe_vec_release(&trees->programs);
}

const struct pe_executed_program *pe_executed_find(const struct pe_executed *executed,
						   const char *program)
{
	for (size_t i = 0; i < executed->n; i++)
		if (strcmp(executed->programs[i].program, program) == 0)
			return &executed->programs[i];
	return NULL;
}

static struct pe_code_parts *open_parts(struct pe_executed_trees *trees, const char *program,
					const char *tree)
{
	struct pe_err why = PE_ERR_INIT;
	struct opened one = {.program = NULL};

	for (size_t i = 0; i < trees->programs.n; i++)
		if (strcmp(trees->programs.data[i].program, program) == 0)
			return trees->programs.data[i].parts;
	one.program = pe_arena_strdup(&trees->arena, program);
	if (pe_code_parts_open(&one.parts, pe_arena_printf(&trees->arena, "%s/%s", tree, program),
			       tree, &trees->arena, &why) != PE_OK) {
		pe_code_parts_close(one.parts);
		one.parts = NULL;
	}
	pe_vec_push(&trees->programs, one);
	return one.parts;
}

int pe_executed_hash(struct pe_xxh *hash, struct pe_executed_trees *trees,
		     const struct pe_executed_program *program, const char *tree,
		     struct pe_err *err)
{
	struct pe_code_parts *parts = open_parts(trees, program->program, tree);
	struct pe_xxh one;

	PE_TRY(parts != NULL ? pe_code_parts_hash(&one, parts, program->modules, program->n, err)
			     : pe_fail(err, PE_ENOTFOUND, "%s cannot be read", program->program));
	pe_xxh_number(hash, one.high);
	pe_xxh_number(hash, one.low);
	return PE_OK;
}

bool pe_executed_covers(const struct pe_executed *executed, const char *tree, const char *path)
{
	pe_auto_text full = PE_TEXT_INIT;
	pe_auto_arena arena = PE_ARENA_INIT;
	struct stat info;
	bool covered = false;

	path = pe_inside_file(pe_arena_printf(&arena, "%s/%s", tree, path), tree, &arena);
	if (stat(path, &info) != 0 || !S_ISREG(info.st_mode))
		return false;
	for (size_t i = 0; i < executed->n && !covered; i++)
		for (size_t k = 0; k < executed->programs[i].n && !covered; k++) {
			pe_text_clear(&full);
			pe_text_addf(&full, "%s/%s", tree,
				     executed->programs[i].modules[k].relative);
			covered = !executed->programs[i].opened[k] && is_file(full.data, &info);
		}
	return covered;
}
