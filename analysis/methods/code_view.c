/* Opening a view: all code of an image, what it refers to, and where nameless constants begin. */
#include "analysis/methods/code_view.h"

#include "core/base/search.h"
#include "core/base/sort.h"

#include <stdlib.h>
#include <string.h>

size_t pe_view_bound_after(const struct pe_view *view, uint64_t addr)
{
	size_t at = 0;

	pe_search(at, view->bounds.n, i, view->bounds.data[i].addr <= addr);
	return at;
}

static void add_code(struct pe_view *view, const struct pe_atom *atom, uint64_t addr, uint64_t size)
{
	const struct pe_image *image = view->image;
	const unsigned char *bytes = pe_image_bytes(image, addr, size);
	struct pe_view_code code = {
		.atom = atom, .addr = addr, .size = size, .first = view->refs.list.n};
	uint64_t used;

	if (bytes == NULL)
		return;
	used = image->x86_64 ? pe_x86_scan(&view->refs, image, addr, bytes, size) : size;
	if (atom == NULL || atom->unsized)
		code.size = used;
	for (size_t i = pe_image_slot_from(image, addr);
	     i < image->n_slots && image->slots[i].addr + 8 <= addr + size; i++)
		pe_vec_push(&view->refs.list,
			    (struct pe_ref){.target = image->slots[i].addr,
					    .at = (uint32_t)(image->slots[i].addr - addr),
					    .width = 8,
					    .kind = PE_REF_SLOT});
	code.n = view->refs.list.n - code.first;
	pe_vec_push(&view->code, code);
}

/* All code of a section: its atoms, and the bytes between them unless they are padding. */
static void add_section_code(struct pe_view *view, const struct pe_section *section)
{
	const struct pe_image *image = view->image;
	const uint64_t end = section->addr + section->size;
	uint64_t reached = section->addr;

	for (size_t i = 0; i <= image->n_atoms; i++) {
		const struct pe_atom *atom = i < image->n_atoms ? &image->atoms[i] : NULL;
		const uint64_t next = atom != NULL && atom->addr < end ? atom->addr : end;

		if (atom != NULL && atom->addr < section->addr)
			continue;
		if (next > reached &&
		    !pe_x86_padding(section->bytes + (reached - section->addr), next - reached))
			add_code(view, NULL, reached, next - reached);
		if (next == end)
			return;
		add_code(view, atom, atom->addr, atom->size);
		if (atom->addr + atom->size > reached)
			reached = atom->addr + atom->size;
	}
}

static void add_bound(struct pe_view *view, uint64_t addr, const struct pe_atom *owner, bool whole)
{
	const struct pe_section *section = pe_image_section(view->image, addr);

	if (section != NULL && pe_view_constant(section) &&
	    pe_image_atom(view->image, addr) == NULL)
		pe_vec_push(&view->bounds, (struct pe_bound){addr, owner, whole});
}

static int by_bound(const void *left, const void *right)
{
	const struct pe_bound *a = left, *b = right;

	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	if (a->owner == NULL || b->owner == NULL)
		return (a->owner == NULL) - (b->owner == NULL);
	return strcmp(a->owner->key, b->owner->key);
}

static void collect_bounds(struct pe_view *view)
{
	const struct pe_image *image = view->image;

	for (size_t i = 0; i < view->code.n; i++)
		for (size_t k = 0; k < view->code.data[i].n; k++) {
			const struct pe_ref *ref =
				&view->refs.list.data[view->code.data[i].first + k];

			if (ref->kind == PE_REF_POINTER || ref->kind == PE_REF_ACCESS)
				add_bound(view, ref->target, view->code.data[i].atom,
					  ref->kind == PE_REF_POINTER);
		}
	for (size_t i = 0; i < image->n_slots; i++)
		if (image->slots[i].name == NULL)
			add_bound(view, image->slots[i].value, NULL, true);
	/* Names end what is nameless before them. */
	for (size_t i = 0; i < image->n_atoms; i++)
		if (!image->atoms[i].function)
			pe_vec_push(&view->bounds,
				    (struct pe_bound){image->atoms[i].addr, NULL, true});
}

static void settle_bounds(struct pe_view *view)
{
	size_t kept = 0;

	pe_sort(view->bounds.data, view->bounds.n, by_bound);
	for (size_t i = 0; i < view->bounds.n; i++) {
		if (kept > 0 && view->bounds.data[kept - 1].addr == view->bounds.data[i].addr)
			view->bounds.data[kept - 1].whole |= view->bounds.data[i].whole;
		else
			view->bounds.data[kept++] = view->bounds.data[i];
	}
	view->bounds.n = kept;
}

void pe_view_open(struct pe_view *out, const struct pe_image *image)
{
	*out = (struct pe_view){.image = image};
	for (size_t i = 0; i < image->n_sections; i++)
		if (image->sections[i].code && image->sections[i].content &&
		    image->sections[i].bytes != NULL &&
		    strncmp(image->sections[i].name, ".plt", 4) != 0)
			add_section_code(out, &image->sections[i]);
	collect_bounds(out);
	settle_bounds(out);
	out->known = pe_realloc(NULL, out->bounds.n + 1, sizeof(*out->known));
	memset(out->known, 0, (out->bounds.n + 1) * sizeof(*out->known));
}

void pe_view_close(struct pe_view *view)
{
	pe_vec_release(&view->refs.list);
	pe_vec_release(&view->code);
	pe_vec_release(&view->bounds);
	free(view->known);
	view->known = NULL;
}
