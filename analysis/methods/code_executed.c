/*
 * Marks spread from what is executed to the data that it points at and to what that points at, over the borders of
 * modules by name.
 */
#include "analysis/methods/code_executed.h"

#include "core/base/search.h"
#include "core/base/sort.h"
#include "core/base/vec.h"
#include "analysis/methods/code_identity.h"
#include "analysis/methods/code_modules.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

/* How something is reached. */
enum how {
	NOT_REACHED,
	REACHED, /* functions that it only calls or points at are executed if they were seen to be */
	REACHED_UNSEEN, /* it may run unseen: with all that it calls or points at */
};

enum kind { CODE, ATOM, BOUND, KINDS };

/* A module that can be separated, and what of it is reached. */
struct part {
	const struct pe_image *image;
	struct pe_view view;
	struct pe_landings landings;
	struct pe_xxh *hashes;       /* of its code, zero: not asked for yet */
	unsigned char *state[KINDS]; /* enum how, as struct pe_code_choice has it */
	size_t n[KINDS];
	PE_VEC(size_t) split_off; /* code that the compiler cut out of functions */
};

/* A name that modules offer each other. */
struct name {
	const char *name;
	size_t part;
	uint64_t addr;
};

/* Something whose own pointers are to be followed. */
struct item {
	size_t part, index;
	enum kind kind;
};

struct pe_code_parts {
	struct pe_modules modules;
	struct pe_code_module *list; /* by module */
	struct part *parts;          /* of the separable modules; in the order of the modules */
	size_t n_parts;
	size_t *part_of;           /* by module: its part; SIZE_MAX: none */
	PE_VEC(struct name) names; /* by name */
	PE_VEC(struct item) work;
};

/* --- Marking --- */

static void mark(struct pe_code_parts *parts, size_t part, enum kind kind, size_t index,
		 enum how how)
{
	unsigned char *state = &parts->parts[part].state[kind][index];

	if (*state >= how)
		return;
	*state = (unsigned char)how;
	pe_vec_push(&parts->work, (struct item){part, index, kind});
}

/* "f" of "f", "f.cold", "f.cold@unit#0". */
static size_t base_of(const char *key)
{
	return strcspn(key, ".@");
}

static bool is_split_off(const char *key)
{
	return strstr(key, ".cold") != NULL;
}

/* A function and what was split off from it jump into the midst of each other. */
static void mark_kin(struct pe_code_parts *parts, size_t at, const char *key, enum how how)
{
	struct part *part = &parts->parts[at];
	const size_t n = base_of(key);

	for (size_t i = 0; i < part->split_off.n; i++) {
		const size_t code = part->split_off.data[i];
		const struct pe_atom *atom = part->view.code.data[code].atom;

		if (base_of(atom->key) == n && strncmp(atom->key, key, n) == 0)
			mark(parts, at, CODE, code, how);
	}
}

/* --- Following --- */

/* The code of an atom; SIZE_MAX: none was read. */
static size_t find_code(const struct part *part, uint64_t addr)
{
	const struct pe_view *view = &part->view;
	size_t at = 0;

	pe_search(at, view->code.n, i, view->code.data[i].addr < addr);
	return at < view->code.n && view->code.data[at].addr == addr ? at : SIZE_MAX;
}

/*
 * Whoever enters a function at its start is seen to; in its midst, or from what runs unseen, is not.
 */
static void reach_function(struct pe_code_parts *parts, size_t part, const struct pe_atom *atom,
			   uint64_t addr, enum how how)
{
	const size_t code = find_code(&parts->parts[part], atom->addr);

	if (code != SIZE_MAX && (how == REACHED_UNSEEN || addr != atom->addr))
		mark(parts, part, CODE, code, how);
}

/* A nameless constant: with all up to where the next one begins that somebody points at. */
static void reach_constant(struct pe_code_parts *parts, size_t at, uint64_t addr, enum how how)
{
	struct part *part = &parts->parts[at];
	size_t bound = pe_view_bound_after(&part->view, addr);

	if (bound > 0)
		mark(parts, at, BOUND, bound - 1, how);
}

static void reach_slot(struct pe_code_parts *parts, size_t part, const struct pe_image_slot *slot,
		       enum how how);

static void reach_address(struct pe_code_parts *parts, size_t at, uint64_t addr, enum how how)
{
	const struct pe_image *image = parts->parts[at].image;
	const struct pe_section *section = pe_image_section(image, addr);
	const bool got = section != NULL && strncmp(section->name, ".got", 4) == 0;
	const struct pe_atom *atom;
	uint64_t slot = addr;

	if (section == NULL || !section->content)
		return;
	if (got || (strncmp(section->name, ".plt", 4) == 0 && pe_x86_stub(&slot, image, addr))) {
		if (pe_image_slot(image, slot) != NULL)
			reach_slot(parts, at, pe_image_slot(image, slot), how);
		return;
	}
	atom = pe_image_atom(image, addr);
	if (atom != NULL && atom->function)
		reach_function(parts, at, atom, addr, how);
	else if (atom != NULL)
		mark(parts, at, ATOM, (size_t)(atom - image->atoms), how);
	else if (pe_view_constant(section))
		reach_constant(parts, at, addr, how);
}

/* In whatever module has it: which one the loader takes follows from what all of them export. */
static void reach_name(struct pe_code_parts *parts, const char *name, enum how how)
{
	size_t at = 0;

	pe_search(at, parts->names.n, i, strcmp(parts->names.data[i].name, name) < 0);
	for (; at < parts->names.n && strcmp(parts->names.data[at].name, name) == 0; at++)
		reach_address(parts, parts->names.data[at].part, parts->names.data[at].addr, how);
}

static void reach_slot(struct pe_code_parts *parts, size_t part, const struct pe_image_slot *slot,
		       enum how how)
{
	const struct pe_section *to;

	if (slot->name != NULL && *slot->name != '\0') {
		reach_name(parts, slot->name, how);
		return;
	}
	if (slot->type != R_X86_64_RELATIVE && slot->type != R_X86_64_IRELATIVE &&
	    slot->type != R_X86_64_64)
		return;
	to = pe_image_section(parts->parts[part].image, slot->value);
	/* A word of the GOT that leads to another one leads nowhere. */
	if (to != NULL && strncmp(to->name, ".got", 4) != 0 && strncmp(to->name, ".plt", 4) != 0)
		reach_address(parts, part, slot->value,
			      slot->type == R_X86_64_IRELATIVE ? REACHED_UNSEEN : how);
	else if (to != NULL && strncmp(to->name, ".plt", 4) == 0)
		reach_address(parts, part, slot->value, how);
}

/* All pointers in a piece of memory. */
static void reach_from(struct pe_code_parts *parts, size_t at, uint64_t from, uint64_t end,
		       enum how how)
{
	const struct pe_image *image = parts->parts[at].image;

	for (size_t i = pe_image_slot_from(image, from);
	     i < image->n_slots && image->slots[i].addr < end; i++)
		reach_slot(parts, at, &image->slots[i], how);
}

static void spread_code(struct pe_code_parts *parts, size_t at, size_t index)
{
	const struct part *part = &parts->parts[at];
	const struct pe_view_code *code = &part->view.code.data[index];
	const enum how how = part->state[CODE][index];
	const struct pe_image_slot *slot;

	if (code->atom != NULL)
		mark_kin(parts, at, code->atom->key, how);
	/* Without a size it may run on into what follows. */
	if ((code->atom == NULL || code->atom->unsized) && index + 1 < part->view.code.n)
		mark(parts, at, CODE, index + 1, how);
	for (size_t i = 0; i < code->n; i++) {
		const struct pe_ref *ref = &part->view.refs.list.data[code->first + i];

		if (ref->kind == PE_REF_SLOT && (slot = pe_image_slot(part->image, ref->target)))
			reach_slot(parts, at, slot, how);
		else if (ref->kind == PE_REF_BRANCH || ref->kind == PE_REF_POINTER ||
			 ref->kind == PE_REF_ACCESS)
			reach_address(parts, at, ref->target, how);
	}
}

static void spread_bound(struct pe_code_parts *parts, size_t at, size_t index)
{
	const struct pe_view *view = &parts->parts[at].view;
	const enum how how = parts->parts[at].state[BOUND][index];
	const struct pe_section *section =
		pe_image_section(view->image, view->bounds.data[index].addr);
	size_t from = index, end = index + 1;

	if (section == NULL)
		return;
	while (from > 0 && !view->bounds.data[from].whole &&
	       view->bounds.data[from - 1].addr >= section->addr)
		from--;
	while (end < view->bounds.n && !view->bounds.data[end].whole)
		end++;
	reach_from(parts, at, view->bounds.data[from].addr,
		   end < view->bounds.n &&
				   view->bounds.data[end].addr < section->addr + section->size
			   ? view->bounds.data[end].addr
			   : section->addr + section->size,
		   how);
}

static void spread_object(struct pe_code_parts *parts, size_t at, size_t index)
{
	const struct part *part = &parts->parts[at];
	const struct pe_atom *atom = &part->image->atoms[index];

	reach_from(parts, at, atom->addr, atom->addr + atom->size, part->state[ATOM][index]);
}

/* Follow the pointers of all that is marked, until nothing is new. */
static void spread(struct pe_code_parts *parts)
{
	static void (*const by_kind[])(struct pe_code_parts *, size_t,
				       size_t) = {spread_code, spread_object, spread_bound};

	while (parts->work.n > 0) {
		const struct item item = parts->work.data[--parts->work.n];

		by_kind[item.kind](parts, item.part, item.index);
	}
}

/* --- What is always in --- */

/* Variables without a name: their pointers; of a section that a program may walk, everything. */
static void root_section(struct pe_code_parts *parts, size_t at, const struct pe_section *section)
{
	const struct pe_image *image = parts->parts[at].image;
	const bool usual = pe_code_usual(section);
	const uint64_t end = section->addr + section->size;
	uint64_t reached = section->addr;

	if (usual && pe_view_constant(section))
		return;
	for (size_t i = 0; i < image->n_atoms; i++) {
		const struct pe_atom *atom = &image->atoms[i];

		if (atom->addr < section->addr || atom->addr >= end)
			continue;
		if (atom->addr > reached)
			reach_from(parts, at, reached, atom->addr, REACHED);
		if (!usual)
			mark(parts, at, ATOM, i, REACHED);
		if (atom->addr + atom->size > reached)
			reached = atom->addr + atom->size;
	}
	if (reached < end)
		reach_from(parts, at, reached, end, REACHED);
	for (size_t i = 0; !usual && i < parts->parts[at].view.bounds.n; i++)
		if (parts->parts[at].view.bounds.data[i].addr - section->addr < section->size)
			reach_constant(parts, at, parts->parts[at].view.bounds.data[i].addr,
				       REACHED);
}

/* What the loader calls. Of the program itself that is after the library which looks on; all else may be before it. */
static void root_start(struct pe_code_parts *parts, size_t at, bool first)
{
	const struct pe_image *image = parts->parts[at].image;

	for (size_t i = 0; i < image->n_sections; i++) {
		const struct pe_section *section = &image->sections[i];

		if (section->type == SHT_PREINIT_ARRAY ||
		    (section->type == SHT_INIT_ARRAY && !first))
			reach_from(parts, at, section->addr, section->addr + section->size,
				   REACHED_UNSEEN);
	}
	if (!first && image->init != 0)
		reach_address(parts, at, image->init, REACHED_UNSEEN);
	for (size_t i = 0; i < image->n_slots; i++)
		if (image->slots[i].type == R_X86_64_IRELATIVE)
			reach_slot(parts, at, &image->slots[i], REACHED_UNSEEN);
}

/* Mark what of a part is always in: see code_executed.h. first: it is the program itself. */
static void mark_roots(struct pe_code_parts *parts, size_t at, bool first)
{
	const struct part *part = &parts->parts[at];
	const struct pe_image *image = part->image;

	for (size_t i = 0; i < part->view.code.n; i++) {
		const struct pe_atom *atom = part->view.code.data[i].atom;

		if (atom == NULL || (!atom->routine && !is_split_off(atom->key)))
			mark(parts, at, CODE, i, REACHED);
		else if (atom->indirect)
			mark(parts, at, CODE, i, REACHED_UNSEEN);
	}
	for (size_t i = 0; i < image->n_sections; i++) {
		const struct pe_section *section = &image->sections[i];

		if (section->content && !section->code && section->type != SHT_INIT_ARRAY &&
		    section->type != SHT_FINI_ARRAY && section->type != SHT_PREINIT_ARRAY &&
		    strncmp(section->name, ".got", 4) != 0)
			root_section(parts, at, section);
	}
	for (size_t i = 0; i < image->n_tls; i++)
		reach_from(parts, at, image->tls[i].addr, image->tls[i].addr + image->tls[i].size,
			   REACHED);
	root_start(parts, at, first);
}

static void mark_whole(struct pe_code_parts *parts, size_t at)
{
	const struct part *part = &parts->parts[at];

	for (enum kind kind = CODE; kind < KINDS; kind++)
		for (size_t i = 0; i < part->n[kind]; i++)
			if (kind != ATOM || !part->image->atoms[i].function)
				mark(parts, at, kind, i, REACHED_UNSEEN);
}

/* --- Names --- */

PE_SORT_BY(by_name, struct name, name);

static void collect_names(struct pe_code_parts *parts, size_t part, const struct pe_atom *atoms,
			  size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!atoms[i].local)
			pe_vec_push(&parts->names,
				    (struct name){atoms[i].name, part, atoms[i].addr});
}

/* --- Opening --- */

static bool can_be_watched(const struct pe_atom *atom)
{
	return atom != NULL && atom->routine && !atom->indirect && !pe_code_startup(atom);
}

static void list_entries(struct pe_code_module *out, const struct pe_view *view,
			 struct pe_arena *arena)
{
	struct pe_code_entry *entries = pe_arena_new(arena, struct pe_code_entry, view->code.n);

	for (size_t i = 0; i < view->code.n; i++) {
		const struct pe_atom *atom = view->code.data[i].atom;

		if (can_be_watched(atom))
			entries[out->n++] = (struct pe_code_entry){
				.key = atom->key,
				.name = atom->unsized ? NULL : atom->name,
				.addr = view->code.data[i].addr,
			};
	}
	out->entries = entries;
}

static bool asks_processor(const struct pe_image *image, const struct pe_view *view)
{
	bool asks = view->refs.asks;

	for (size_t i = 0; i < image->n_atoms; i++) {
		if (image->atoms[i].function &&
		    strcmp(image->atoms[i].name, "__libc_start_main") == 0)
			return false;
		asks = asks || image->atoms[i].indirect;
	}
	return asks;
}

static void open_part(struct pe_code_parts *parts, size_t module, struct pe_arena *arena)
{
	const struct pe_image *image = parts->modules.list.data[module];
	struct part *part = &parts->parts[parts->n_parts];
	bool whole;

	parts->list[module] =
		(struct pe_code_module){.path = image->path, .relative = image->relative};
	parts->part_of[module] = SIZE_MAX;
	if (!image->x86_64 || !image->named)
		return;
	*part = (struct part){.image = image};
	pe_landings_read(&part->landings, &whole, image);
	if (!whole) {
		pe_vec_release(&part->landings.list);
		return;
	}
	pe_view_open(&part->view, image);
	parts->list[module].known = true;
	parts->list[module].asks = asks_processor(image, &part->view);
	list_entries(&parts->list[module], &part->view, arena);
	part->hashes = pe_arena_new(arena, struct pe_xxh, part->view.code.n);
	part->n[CODE] = part->view.code.n;
	part->n[ATOM] = image->n_atoms;
	part->n[BOUND] = part->view.bounds.n;
	for (enum kind kind = CODE; kind < KINDS; kind++)
		part->state[kind] = pe_arena_new(arena, unsigned char, part->n[kind] + 1);
	for (size_t i = 0; i < part->view.code.n; i++)
		if (part->view.code.data[i].atom != NULL &&
		    is_split_off(part->view.code.data[i].atom->key))
			pe_vec_push(&part->split_off, i);
	collect_names(parts, parts->n_parts, image->atoms, image->n_atoms);
	collect_names(parts, parts->n_parts, image->aliases, image->n_aliases);
	parts->part_of[module] = parts->n_parts++;
}

int pe_code_parts_open(struct pe_code_parts **out, const char *program, const char *tree,
		       struct pe_arena *arena, struct pe_err *err)
{
	struct pe_code_parts *parts = pe_arena_new(arena, struct pe_code_parts, 1);
	size_t n;

	*out = parts;
	PE_TRY(pe_modules_open(&parts->modules, tree, arena, err));
	PE_TRY(pe_modules_add(&parts->modules, program, arena, err));
	n = parts->modules.list.n;
	parts->list = pe_arena_new(arena, struct pe_code_module, n);
	parts->parts = pe_arena_new(arena, struct part, n);
	parts->part_of = pe_arena_new(arena, size_t, n);
	for (size_t i = 0; i < n; i++)
		open_part(parts, i, arena);
	pe_sort(parts->names.data, parts->names.n, by_name);
	return PE_OK;
}

void pe_code_parts_close(struct pe_code_parts *parts)
{
	if (parts == NULL)
		return;
	pe_vec_release(&parts->names);
	pe_vec_release(&parts->work);
	for (size_t i = 0; i < parts->n_parts; i++) {
		pe_vec_release(&parts->parts[i].landings.list);
		pe_vec_release(&parts->parts[i].split_off);
		pe_view_close(&parts->parts[i].view);
	}
	pe_modules_close(&parts->modules);
}

const struct pe_code_module *pe_code_parts_modules(const struct pe_code_parts *parts, size_t *n)
{
	*n = parts->modules.list.n;
	return parts->list;
}

static size_t find_module(const struct pe_code_parts *parts, const char *relative)
{
	for (size_t i = 0; i < parts->modules.list.n; i++)
		if (strcmp(parts->list[i].relative, relative) == 0)
			return i;
	return SIZE_MAX;
}

/* Mark what a run used of a module; how many of its functions are there. */
static size_t mark_used(struct pe_code_parts *parts, size_t module, const struct pe_code_used *used)
{
	const size_t at = parts->part_of[module];
	const struct pe_view *view = &parts->parts[at].view;
	size_t found = 0;

	mark_roots(parts, at, module == 0);
	if (used->whole)
		mark_whole(parts, at);
	for (size_t i = 0; i < view->code.n && used->n > 0; i++) {
		const struct pe_atom *atom = view->code.data[i].atom;

		if (atom == NULL || bsearch(&atom->key, used->keys, used->n, sizeof(*used->keys),
					    pe_string_order) == NULL)
			continue;
		found += can_be_watched(atom);
		mark(parts, at, CODE, i, REACHED);
	}
	return found;
}

static void add_part(struct pe_xxh *out, const struct part *part)
{
	const struct pe_code_choice choice = {part->state[CODE], part->state[ATOM],
					      part->state[BOUND]};
	struct pe_xxh hash;

	for (size_t i = 0; i < part->view.code.n; i++) {
		struct pe_code_hashes all;

		if (part->state[CODE][i] == NOT_REACHED ||
		    (part->hashes[i].high | part->hashes[i].low) != 0)
			continue;
		pe_code_hash(&all, &part->view, &part->landings, &part->view.code.data[i], 0);
		part->hashes[i] = all.exact;
	}
	pe_code_identity(&hash, &part->view, part->hashes, &choice);
	pe_xxh_number(out, hash.high);
	pe_xxh_number(out, hash.low);
}

int pe_code_parts_hash(struct pe_xxh *out, struct pe_code_parts *parts,
		       const struct pe_code_used *used, size_t n, struct pe_err *err)
{
	for (size_t i = 0; i < parts->n_parts; i++)
		for (enum kind kind = CODE; kind < KINDS; kind++)
			memset(parts->parts[i].state[kind], NOT_REACHED, parts->parts[i].n[kind]);
	pe_xxh_init(out);
	for (size_t i = 0; i < n; i++) {
		const size_t module = find_module(parts, used[i].relative);

		pe_xxh_string(out, used[i].relative);
		if (module != SIZE_MAX && parts->part_of[module] == SIZE_MAX)
			return pe_fail(err, PE_EUNSUPPORTED, "%s: its parts cannot be told apart",
				       used[i].relative);
		/* Functions that are missing make it another one, as a module does. */
		pe_xxh_number(out,
			      module != SIZE_MAX ? mark_used(parts, module, &used[i]) : UINT64_MAX);
	}
	spread(parts);
	for (size_t i = 0; i < n; i++) {
		const size_t module = find_module(parts, used[i].relative);

		if (module != SIZE_MAX)
			add_part(out, &parts->parts[parts->part_of[module]]);
	}
	for (size_t i = 0; i < parts->modules.libraries.n; i++)
		pe_xxh_string(out, parts->modules.libraries.data[i]);
	return PE_OK;
}
