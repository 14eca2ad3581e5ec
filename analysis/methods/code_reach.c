#include "analysis/methods/code_reach.h"

#include "core/base/search.h"
#include "core/base/sort.h"
#include "analysis/methods/code_identity.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

/* --- Marking --- */

static void mark(struct pe_reach *reach, unsigned char *state, enum pe_reach_how how,
		 struct pe_reach_item item)
{
	if (*state >= how)
		return;
	*state = (unsigned char)how;
	pe_vec_push(&reach->work, item);
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
static void mark_kin(struct pe_reach *reach, size_t at, const char *key, enum pe_reach_how how)
{
	struct pe_reach_part *part = &reach->parts[at];
	const size_t n = base_of(key);

	for (size_t i = 0; i < part->split_off.n; i++) {
		const size_t code = part->split_off.data[i];
		const struct pe_atom *atom = part->view.code.data[code].atom;

		if (base_of(atom->key) == n && strncmp(atom->key, key, n) == 0)
			mark(reach, &part->code[code], how,
			     (struct pe_reach_item){at, code, PE_REACH_CODE});
	}
}

void pe_reach_code(struct pe_reach *reach, size_t part, size_t code, enum pe_reach_how how)
{
	mark(reach, &reach->parts[part].code[code], how,
	     (struct pe_reach_item){part, code, PE_REACH_CODE});
}

static void mark_atom(struct pe_reach *reach, size_t part, size_t atom, enum pe_reach_how how)
{
	mark(reach, &reach->parts[part].atoms[atom], how,
	     (struct pe_reach_item){part, atom, PE_REACH_ATOM});
}

/* --- Following --- */

/* The code of an atom; SIZE_MAX: none was read. */
static size_t find_code(const struct pe_reach_part *part, uint64_t addr)
{
	const struct pe_view *view = &part->view;
	size_t at = 0;

	pe_search(at, view->code.n, i, view->code.data[i].addr < addr);
	return at < view->code.n && view->code.data[at].addr == addr ? at : SIZE_MAX;
}

/*
 * Whoever enters a function at its start is seen to; in its midst, or from what runs unseen, is not.
 */
static void reach_function(struct pe_reach *reach, size_t part, const struct pe_atom *atom,
			   uint64_t addr, enum pe_reach_how how)
{
	const size_t code = find_code(&reach->parts[part], atom->addr);

	if (code != SIZE_MAX && (how == PE_REACH_ALL || addr != atom->addr))
		pe_reach_code(reach, part, code, how);
}

/* A nameless constant: with all up to where the next one begins that somebody points at. */
static void reach_constant(struct pe_reach *reach, size_t at, uint64_t addr, enum pe_reach_how how)
{
	struct pe_reach_part *part = &reach->parts[at];
	size_t bound = pe_view_bound_after(&part->view, addr);

	if (bound > 0)
		mark(reach, &part->bounds[bound - 1], how,
		     (struct pe_reach_item){at, bound - 1, PE_REACH_BOUND});
}

static void reach_slot(struct pe_reach *reach, size_t part, const struct pe_image_slot *slot,
		       enum pe_reach_how how);

static void reach_address(struct pe_reach *reach, size_t at, uint64_t addr, enum pe_reach_how how)
{
	const struct pe_image *image = reach->parts[at].image;
	const struct pe_section *section = pe_image_section(image, addr);
	const bool got = section != NULL && strncmp(section->name, ".got", 4) == 0;
	const struct pe_atom *atom;
	uint64_t slot = addr;

	if (section == NULL || !section->content)
		return;
	if (got || (strncmp(section->name, ".plt", 4) == 0 && pe_x86_stub(&slot, image, addr))) {
		if (pe_image_slot(image, slot) != NULL)
			reach_slot(reach, at, pe_image_slot(image, slot), how);
		return;
	}
	atom = pe_image_atom(image, addr);
	if (atom != NULL && atom->function)
		reach_function(reach, at, atom, addr, how);
	else if (atom != NULL)
		mark_atom(reach, at, (size_t)(atom - image->atoms), how);
	else if (pe_view_constant(section))
		reach_constant(reach, at, addr, how);
}

/* In whatever module has it: which one the loader takes follows from what all of them export. */
static void reach_name(struct pe_reach *reach, const char *name, enum pe_reach_how how)
{
	size_t at = 0;

	pe_search(at, reach->names.n, i, strcmp(reach->names.data[i].name, name) < 0);
	for (; at < reach->names.n && strcmp(reach->names.data[at].name, name) == 0; at++)
		reach_address(reach, reach->names.data[at].part, reach->names.data[at].addr, how);
}

static void reach_slot(struct pe_reach *reach, size_t part, const struct pe_image_slot *slot,
		       enum pe_reach_how how)
{
	const struct pe_section *to;

	if (slot->name != NULL && *slot->name != '\0') {
		reach_name(reach, slot->name, how);
		return;
	}
	if (slot->type != R_X86_64_RELATIVE && slot->type != R_X86_64_IRELATIVE &&
	    slot->type != R_X86_64_64)
		return;
	to = pe_image_section(reach->parts[part].image, slot->value);
	/* A word of the GOT that leads to another one leads nowhere. */
	if (to != NULL && strncmp(to->name, ".got", 4) != 0 && strncmp(to->name, ".plt", 4) != 0)
		reach_address(reach, part, slot->value,
			      slot->type == R_X86_64_IRELATIVE ? PE_REACH_ALL : how);
	else if (to != NULL && strncmp(to->name, ".plt", 4) == 0)
		reach_address(reach, part, slot->value, how);
}

/* All pointers in a piece of memory. */
static void reach_from(struct pe_reach *reach, size_t at, uint64_t from, uint64_t end,
		       enum pe_reach_how how)
{
	const struct pe_image *image = reach->parts[at].image;

	for (size_t i = pe_image_slot_from(image, from);
	     i < image->n_slots && image->slots[i].addr < end; i++)
		reach_slot(reach, at, &image->slots[i], how);
}

static void spread_code(struct pe_reach *reach, size_t at, size_t index)
{
	const struct pe_reach_part *part = &reach->parts[at];
	const struct pe_view_code *code = &part->view.code.data[index];
	const enum pe_reach_how how = part->code[index];
	const struct pe_image_slot *slot;

	if (code->atom != NULL)
		mark_kin(reach, at, code->atom->key, how);
	/* Without a size it may run on into what follows. */
	if ((code->atom == NULL || code->atom->unsized) && index + 1 < part->view.code.n)
		pe_reach_code(reach, at, index + 1, how);
	for (size_t i = 0; i < code->n; i++) {
		const struct pe_ref *ref = &part->view.refs.list.data[code->first + i];

		if (ref->kind == PE_REF_SLOT && (slot = pe_image_slot(part->image, ref->target)))
			reach_slot(reach, at, slot, how);
		else if (ref->kind == PE_REF_BRANCH || ref->kind == PE_REF_POINTER ||
			 ref->kind == PE_REF_ACCESS)
			reach_address(reach, at, ref->target, how);
	}
}

static void spread_bound(struct pe_reach *reach, size_t at, size_t index)
{
	const struct pe_view *view = &reach->parts[at].view;
	const enum pe_reach_how how = reach->parts[at].bounds[index];
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
	reach_from(reach, at, view->bounds.data[from].addr,
		   end < view->bounds.n &&
				   view->bounds.data[end].addr < section->addr + section->size
			   ? view->bounds.data[end].addr
			   : section->addr + section->size,
		   how);
}

static void spread_object(struct pe_reach *reach, size_t at, size_t index)
{
	const struct pe_reach_part *part = &reach->parts[at];
	const struct pe_atom *atom = &part->image->atoms[index];

	reach_from(reach, at, atom->addr, atom->addr + atom->size, part->atoms[index]);
}

void pe_reach_spread(struct pe_reach *reach)
{
	while (reach->work.n > 0) {
		const struct pe_reach_item item = reach->work.data[--reach->work.n];

		if (item.kind == PE_REACH_CODE) {
			spread_code(reach, item.part, item.index);
		} else if (item.kind == PE_REACH_BOUND) {
			spread_bound(reach, item.part, item.index);
		} else {
			spread_object(reach, item.part, item.index);
		}
	}
}

/* --- What is always in --- */

/* Variables without a name: their pointers; of a section that a program may walk, everything. */
static void root_section(struct pe_reach *reach, size_t at, const struct pe_section *section)
{
	const struct pe_image *image = reach->parts[at].image;
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
			reach_from(reach, at, reached, atom->addr, PE_REACHED);
		if (!usual)
			mark_atom(reach, at, i, PE_REACHED);
		if (atom->addr + atom->size > reached)
			reached = atom->addr + atom->size;
	}
	if (reached < end)
		reach_from(reach, at, reached, end, PE_REACHED);
	for (size_t i = 0; !usual && i < reach->parts[at].view.bounds.n; i++)
		if (reach->parts[at].view.bounds.data[i].addr - section->addr < section->size)
			reach_constant(reach, at, reach->parts[at].view.bounds.data[i].addr,
				       PE_REACHED);
}

/* What the loader calls. Of the program itself that is after the library which looks on; all else may be before it. */
static void root_start(struct pe_reach *reach, size_t at, bool first)
{
	const struct pe_image *image = reach->parts[at].image;

	for (size_t i = 0; i < image->n_sections; i++) {
		const struct pe_section *section = &image->sections[i];

		if (section->type == SHT_PREINIT_ARRAY ||
		    (section->type == SHT_INIT_ARRAY && !first))
			reach_from(reach, at, section->addr, section->addr + section->size,
				   PE_REACH_ALL);
	}
	if (!first && image->init != 0)
		reach_address(reach, at, image->init, PE_REACH_ALL);
	for (size_t i = 0; i < image->n_slots; i++)
		if (image->slots[i].type == R_X86_64_IRELATIVE)
			reach_slot(reach, at, &image->slots[i], PE_REACH_ALL);
}

void pe_reach_roots(struct pe_reach *reach, size_t at, bool first)
{
	const struct pe_reach_part *part = &reach->parts[at];
	const struct pe_image *image = part->image;

	for (size_t i = 0; i < part->view.code.n; i++) {
		const struct pe_atom *atom = part->view.code.data[i].atom;

		if (atom == NULL || (!atom->routine && !is_split_off(atom->key)))
			pe_reach_code(reach, at, i, PE_REACHED);
		else if (atom->indirect)
			pe_reach_code(reach, at, i, PE_REACH_ALL);
	}
	for (size_t i = 0; i < image->n_sections; i++) {
		const struct pe_section *section = &image->sections[i];

		if (section->content && !section->code && section->type != SHT_INIT_ARRAY &&
		    section->type != SHT_FINI_ARRAY && section->type != SHT_PREINIT_ARRAY &&
		    strncmp(section->name, ".got", 4) != 0)
			root_section(reach, at, section);
	}
	for (size_t i = 0; i < image->n_tls; i++)
		reach_from(reach, at, image->tls[i].addr, image->tls[i].addr + image->tls[i].size,
			   PE_REACHED);
	root_start(reach, at, first);
}

void pe_reach_whole(struct pe_reach *reach, size_t at)
{
	const struct pe_reach_part *part = &reach->parts[at];

	for (size_t i = 0; i < part->view.code.n; i++)
		pe_reach_code(reach, at, i, PE_REACH_ALL);
	for (size_t i = 0; i < part->image->n_atoms; i++)
		if (!part->image->atoms[i].function)
			mark_atom(reach, at, i, PE_REACH_ALL);
	for (size_t i = 0; i < part->view.bounds.n; i++)
		mark(reach, &part->bounds[i], PE_REACH_ALL,
		     (struct pe_reach_item){at, i, PE_REACH_BOUND});
}

/* --- Names --- */

PE_SORT_BY(by_name, struct pe_reach_name, name);

static void collect_names(struct pe_reach *reach, size_t part, const struct pe_atom *atoms,
			  size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!atoms[i].local)
			pe_vec_push(&reach->names,
				    (struct pe_reach_name){atoms[i].name, part, atoms[i].addr});
}

void pe_reach_open(struct pe_reach *out, struct pe_reach_part *parts, size_t n)
{
	*out = (struct pe_reach){.parts = parts, .n = n};
	for (size_t i = 0; i < n; i++) {
		struct pe_reach_part *part = &parts[i];

		collect_names(out, i, part->image->atoms, part->image->n_atoms);
		collect_names(out, i, part->image->aliases, part->image->n_aliases);
		for (size_t k = 0; k < part->view.code.n; k++)
			if (part->view.code.data[k].atom != NULL &&
			    is_split_off(part->view.code.data[k].atom->key))
				pe_vec_push(&part->split_off, k);
		part->code = pe_realloc(NULL, part->view.code.n + 1, 1);
		part->atoms = pe_realloc(NULL, part->image->n_atoms + 1, 1);
		part->bounds = pe_realloc(NULL, part->view.bounds.n + 1, 1);
	}
	pe_sort(out->names.data, out->names.n, by_name);
	pe_reach_clear(out);
}

void pe_reach_close(struct pe_reach *reach)
{
	for (size_t i = 0; i < reach->n; i++) {
		free(reach->parts[i].code);
		free(reach->parts[i].atoms);
		free(reach->parts[i].bounds);
		pe_vec_release(&reach->parts[i].split_off);
	}
	pe_vec_release(&reach->names);
	pe_vec_release(&reach->work);
}

void pe_reach_clear(struct pe_reach *reach)
{
	for (size_t i = 0; i < reach->n; i++) {
		const struct pe_reach_part *part = &reach->parts[i];

		memset(part->code, PE_REACH_NOT, part->view.code.n + 1);
		memset(part->atoms, PE_REACH_NOT, part->image->n_atoms + 1);
		memset(part->bounds, PE_REACH_NOT, part->view.bounds.n + 1);
	}
}
