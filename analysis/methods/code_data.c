/*
 * The owner of data. A constant counts for every function that refers to it, as a nameless one does. A variable counts only
 * where it is one function's own: declared in it, or named by no other. Of a variable that several functions share it
 * cannot be decided which of them still finds the first value there.
 */
#include "analysis/methods/code_data.h"

#include "core/base/text.h"

#include <string.h>

void pe_code_data_open(struct pe_code_data *out, const struct pe_view *view, struct pe_arena *arena)
{
	*out = (struct pe_code_data){.view = view, .arena = arena};
	out->objects = pe_realloc(NULL, view->image->n_atoms + 1, sizeof(*out->objects));
	memset(out->objects, 0, (view->image->n_atoms + 1) * sizeof(*out->objects));
}

void pe_code_data_close(struct pe_code_data *data)
{
	free(data->objects);
	data->objects = NULL;
	pe_vec_release(&data->list);
}

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

static struct pe_code_datum *read_datum(const struct pe_code_data *data, const struct pe_atom *atom)
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

static void add_atom(struct pe_code_data *data, const struct pe_view_code *code,
		     const struct pe_atom *atom)
{
	const size_t index = (size_t)(atom - data->view->image->atoms);
	struct pe_code_object *object = &data->objects[index];

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
static void add_pointed(struct pe_code_data *data, const struct pe_view_code *code, size_t index)
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

const struct pe_code_datum *const *pe_code_data_of(size_t *n, struct pe_code_data *data,
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
