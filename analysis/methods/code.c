/* From a program's modules to one table of functions and one identity, and from two tables to what changed. */
#include "analysis/methods/code.h"

#include "core/base/array.h"
#include "core/base/sort.h"
#include "core/base/text.h"
#include "core/base/vec.h"
#include "analysis/methods/code_identity.h"
#include "analysis/methods/code_lines.h"
#include "analysis/methods/code_modules.h"

#include <string.h>

typedef PE_VEC(struct pe_code_function) function_list;

static int compare_text(const char *a, const char *b)
{
	return strcmp(a != NULL ? a : "", b != NULL ? b : "");
}

static int order_names(const struct pe_code_function *a, const struct pe_code_function *b)
{
	const int order = strcmp(a->module, b->module);

	return order != 0 ? order : strcmp(a->name, b->name);
}

static int order_places(const struct pe_code_function *a, const struct pe_code_function *b)
{
	const int order = compare_text(a->file, b->file);

	return order != 0 ? order : compare_text(a->unit, b->unit);
}

static int by_name(const void *left, const void *right)
{
	const int order = order_names(left, right);

	return order != 0 ? order : order_places(left, right);
}

static void add_function(function_list *functions, const struct pe_image *image,
			 const struct pe_atom *atom, const struct pe_code_line *line,
			 const struct pe_code_hashes *hashes, struct pe_arena *arena)
{
	struct pe_code_function function = {.name = pe_arena_strdup(arena, atom->name),
					    .module = image->relative,
					    .unit = pe_arena_strdup(arena, atom->unit),
					    .bytes = atom->size,
					    .hash = hashes->hash,
					    .instructions = hashes->instructions,
					    .unlined = hashes->unlined};

	if (line != NULL) {
		function.file = line->file;
		function.line = line->line;
		function.inlined = line->inlined;
		function.n_inlined = line->n_inlined;
	}
	pe_vec_push(functions, function);
}

/* --- Data of functions --- */

/*
 * The named objects that each refers to, by what they hold when the program starts. A constant counts for every function
 * that refers to it, as a nameless one does. A variable counts only where it is one function's own: declared in it, or
 * named by no other. Of a variable that several functions share it cannot be decided which of them still finds the first
 * value there.
 */

/* An atom of the image as data. */
struct object {
	struct pe_code_datum *datum;     /* NULL: not computed yet */
	const struct pe_view_code *last; /* the last function that refers to it; NULL */
	bool leaf;                       /* it points at nothing that a function declares */
};

struct data {
	const struct pe_view *view;
	struct pe_arena *arena; /* owns what is handed out */
	struct object *objects; /* by atom of the image */
	PE_VEC(size_t) list;    /* atoms that the function at hand refers to */
};

/* What C++ makes of a class: tables of its virtual functions, descriptions of its type. */
static bool describes_class(const char *name)
{
	return strncmp(name, "_ZT", 3) == 0 && name[3] != '\0' && strchr("VTISC", name[3]) != NULL;
}

/* "table" of "table", "table.3", and "f.table" as clang has it. */
static const char *name_of(const struct pe_atom *atom)
{
	const char *dot = atom->scoped ? strrchr(atom->stem, '.') : NULL;

	return !atom->scoped ? atom->name : dot != NULL ? dot + 1 : atom->stem;
}

static struct pe_code_datum *read_datum(const struct data *data, const struct pe_atom *atom)
{
	const struct pe_section *section = pe_image_section(data->view->image, atom->addr);
	struct pe_code_datum *datum = pe_arena_new(data->arena, struct pe_code_datum, 1);
	pe_auto_text text = PE_TEXT_INIT, exact = PE_TEXT_INIT;

	pe_view_add_object(&text, &exact, data->view, atom);
	datum->name = pe_arena_strdup(data->arena, name_of(atom));
	datum->constant = section != NULL && pe_view_constant(section);
	datum->own = true;
	pe_xxh_init(&datum->hash);
	pe_xxh_bytes(&datum->hash, text.data, text.len);
	return datum;
}

static void add_atom(struct data *data, const struct pe_view_code *code, const struct pe_atom *atom)
{
	const size_t index = (size_t)(atom - data->view->image->atoms);
	struct object *object = &data->objects[index];

	if (!atom->object || describes_class(atom->name) || object->last == code)
		return;
	if (object->datum == NULL)
		object->datum = read_datum(data, atom);
	if (object->last != NULL && !atom->scoped &&
	    (code->atom == NULL || object->last->atom == NULL ||
	     !pe_view_kin(code->atom, object->last->atom)))
		object->datum->own = false;
	object->last = code;
	pe_vec_push(&data->list, index);
}

/* Tables of tables: what a function declares is its own, even if only its other data points there. */
static void add_pointed(struct data *data, const struct pe_view_code *code, size_t index)
{
	const struct pe_view *view = data->view;
	const struct pe_atom *from = &view->image->atoms[index];
	uint64_t at = 0, target;
	bool leaf = true;

	while (!data->objects[index].leaf &&
	       (at = pe_view_next_pointer(&target, view, from, at)) != 0) {
		const struct pe_atom *atom = pe_image_atom(view->image, target);

		if (atom == NULL || !atom->scoped)
			continue;
		add_atom(data, code, atom);
		leaf = false;
	}
	data->objects[index].leaf = leaf;
}

/* List the data of a function, in the order of the references: which are its own is decided once all were listed. */
static const struct pe_code_datum *const *data_of(size_t *n, struct data *data,
						  const struct pe_view_code *code)
{
	const struct pe_view *view = data->view;
	const struct pe_code_datum **list;

	data->list.n = 0;
	for (size_t i = 0; i < code->n; i++) {
		const struct pe_ref *ref = &view->refs.list.data[code->first + i];
		const struct pe_atom *atom =
			ref->kind == PE_REF_POINTER || ref->kind == PE_REF_ACCESS
				? pe_image_atom(view->image, ref->target)
				: NULL;

		if (atom != NULL)
			add_atom(data, code, atom);
	}
	for (size_t i = 0; i < data->list.n; i++)
		add_pointed(data, code, data->list.data[i]);
	*n = data->list.n;
	list = pe_arena_new(data->arena, const struct pe_code_datum *, data->list.n);
	for (size_t i = 0; i < data->list.n; i++)
		list[i] = data->objects[data->list.data[i]].datum;
	return list;
}

/* --- Functions and programs --- */

/* Read the functions of a module. Of another machine's, the code counts as it is. */
static void read_functions(function_list *functions, struct pe_xxh *identity,
			   const struct pe_image *image, struct pe_arena *arena)
{
	struct pe_code_lines lines;
	struct pe_view view;
	struct data objects;
	pe_auto_free struct pe_landings landings = {0};
	struct pe_xxh *hashes;
	bool whole;

	pe_code_lines_read(&lines, image, arena);
	pe_view_open(&view, image);
	objects = (struct data){.view = &view, .arena = arena};
	objects.objects = pe_arena_new(arena, struct object, image->n_atoms);
	pe_landings_read(&landings, &whole, image);
	hashes = pe_arena_new(arena, struct pe_xxh, view.code.n);
	for (size_t i = 0; i < view.code.n; i++) {
		const struct pe_view_code *code = &view.code.data[i];
		const struct pe_code_line *line = pe_code_lines_find(&lines, code->addr);
		struct pe_code_hashes all;
		size_t n;
		const struct pe_code_datum *const *list = data_of(&n, &objects, code);

		pe_code_hash(&all, &view, &landings, code, line != NULL ? line->line : 0);
		hashes[i] = all.exact;
		if (code->atom == NULL || pe_code_startup(code->atom))
			continue;
		add_function(functions, image, code->atom, line, &all, arena);
		functions->data[functions->n - 1].data = list;
		functions->data[functions->n - 1].n_data = n;
	}
	if (image->x86_64 && image->named && whole)
		pe_code_identity(identity, &view, hashes, NULL);
	else
		pe_code_raw_identity(identity, &view);
	pe_vec_release(&objects.list);
	pe_view_close(&view);
}

static void read_module(function_list *functions, struct pe_program *out,
			const struct pe_image *image, struct pe_arena *arena)
{
	struct pe_xxh identity = {0};
	const size_t first = functions->n;

	read_functions(functions, &identity, image, arena);
	out->exact = out->exact && image->x86_64 && image->named;
	out->lined = out->lined && functions->n > first;
	for (size_t i = first; i < functions->n; i++)
		out->lined = out->lined && functions->data[i].file != NULL;
	pe_xxh_string(&out->identity, image->relative);
	pe_xxh_number(&out->identity, identity.high);
	pe_xxh_number(&out->identity, identity.low);
}

static void fill(struct pe_program *out, struct pe_modules *modules, struct pe_arena *arena)
{
	pe_auto_free function_list functions = {0};
	const char **paths = pe_arena_new(arena, const char *, modules->list.n);

	out->exact = out->lined = true;
	pe_xxh_init(&out->identity);
	for (size_t i = 0; i < modules->list.n; i++) {
		paths[i] = modules->list.data[i]->relative;
		read_module(&functions, out, modules->list.data[i], arena);
	}
	out->modules = paths;
	out->n_modules = modules->list.n;
	out->n_libraries = pe_strings_settle(modules->libraries.data, modules->libraries.n);
	out->libraries = pe_vec_copy(arena, &modules->libraries);
	for (size_t i = 0; i < out->n_libraries; i++)
		pe_xxh_string(&out->identity, out->libraries[i]);
	pe_sort(functions.data, functions.n, by_name);
	out->functions = pe_vec_copy(arena, &functions);
	out->n = functions.n;
}

int pe_code_read(struct pe_program *out, bool *read, const struct pe_strings *programs,
		 const char *tree, struct pe_arena *arena, struct pe_err *err)
{
	pe_auto_modules modules = {.tree = NULL};
	int rc = PE_ENOTFOUND;

	*out = (struct pe_program){0};
	PE_TRY(pe_modules_open(&modules, tree, arena, err));
	for (size_t i = 0; i < programs->n; i++) {
		rc = pe_modules_add(&modules, programs->at[i], arena, err);
		read[i] = rc == PE_OK;
		if (rc != PE_ENOTFOUND && rc != PE_EUNSUPPORTED && rc != PE_ESYS)
			PE_TRY(rc);
	}
	if (modules.list.n == 0)
		return rc;
	fill(out, &modules, arena);
	return PE_OK;
}

static bool equal(const struct pe_xxh *a, const struct pe_xxh *b)
{
	return a->high == b->high && a->low == b->low;
}

/*
 * The first datum that two functions of equal references find changed; NULL: none. Equal references stand in equal order.
 * One that others came to share, or left, is still what it was.
 */
static const struct pe_code_datum *changed_datum(const struct pe_code_function *before,
						 const struct pe_code_function *after)
{
	for (size_t i = 0; i < before->n_data && i < after->n_data; i++) {
		const struct pe_code_datum *a = before->data[i], *b = after->data[i];

		if (!equal(&a->hash, &b->hash) && (a->constant || a->own || b->constant || b->own))
			return b;
	}
	return NULL;
}

bool pe_code_same(const struct pe_code_function *before, const struct pe_code_function *after)
{
	return equal(&before->hash, &after->hash) && changed_datum(before, after) == NULL;
}

static void find_reason(struct pe_code_change *change)
{
	const struct pe_code_function *before = change->before, *after = change->after;
	const bool unlined = equal(&before->unlined, &after->unlined);
	const struct pe_code_datum *datum =
		unlined || equal(&before->hash, &after->hash) ? changed_datum(before, after) : NULL;

	if (datum != NULL) {
		change->reason = PE_CODE_DATA;
		change->datum = datum->name;
	} else if (unlined) {
		change->reason = PE_CODE_LINES;
	} else if (equal(&before->instructions, &after->instructions)) {
		change->reason = PE_CODE_REFERENCES;
	}
}

struct diff {
	PE_VEC(struct pe_code_change) list;
	size_t unchanged;
};

static void pair(struct diff *diff, const struct pe_code_function *before,
		 const struct pe_code_function *after)
{
	struct pe_code_change change = {.before = before, .after = after};

	if (before != NULL && after != NULL && pe_code_same(before, after)) {
		diff->unchanged++;
		return;
	}
	change.kind = before == NULL  ? PE_CODE_ADDED
		      : after == NULL ? PE_CODE_DELETED
				      : PE_CODE_RECOMPILED;
	if (change.kind == PE_CODE_RECOMPILED)
		find_reason(&change);
	pe_vec_push(&diff->list, change);
}

/* Functions of one module and name on both sides: the surest pairs first. */
static void pair_group(struct diff *diff, const struct pe_code_function *before, size_t n,
		       const struct pe_code_function *after, size_t m, struct pe_arena *arena)
{
	bool *taken = pe_arena_new(arena, bool, n + m);

	/* Of one place and equal; of one place; equal; whatever is left. */
	for (int round = 0; round < 4; round++)
		for (size_t i = 0; i < n; i++)
			for (size_t k = 0; k < m && !taken[i]; k++) {
				if (taken[n + k] ||
				    (round < 2 && order_places(&before[i], &after[k]) != 0) ||
				    (round % 2 == 0 && !pe_code_same(&before[i], &after[k])))
					continue;
				taken[i] = taken[n + k] = true;
				pair(diff, &before[i], &after[k]);
			}
	for (size_t i = 0; i < n; i++)
		if (!taken[i])
			pair(diff, &before[i], NULL);
	for (size_t k = 0; k < m; k++)
		if (!taken[n + k])
			pair(diff, NULL, &after[k]);
}

static size_t group_end(const struct pe_program *program, size_t at)
{
	size_t end = at + 1;

	while (end < program->n &&
	       order_names(&program->functions[at], &program->functions[end]) == 0)
		end++;
	return end;
}

void pe_code_diff(struct pe_code_changes *out, const struct pe_program *before,
		  const struct pe_program *after, struct pe_arena *arena)
{
	pe_auto_free struct diff diff = {0};
	size_t i = 0, k = 0;

	while (i < before->n || k < after->n) {
		const int order =
			i == before->n  ? 1
			: k == after->n ? -1
					: order_names(&before->functions[i], &after->functions[k]);
		const size_t i_end = order <= 0 ? group_end(before, i) : i;
		const size_t k_end = order >= 0 ? group_end(after, k) : k;

		pair_group(&diff, before->functions + i, i_end - i, after->functions + k, k_end - k,
			   arena);
		i = i_end;
		k = k_end;
	}
	*out = (struct pe_code_changes){.n = diff.list.n, .unchanged = diff.unchanged};
	out->at = pe_vec_copy(arena, &diff.list);
}
