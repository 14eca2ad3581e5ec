/*
 * A module's identity is a hash over the sorted hashes of its elements: functions, variables, constants,
 * tables of the dynamic linker. Elements carry their names, so their order in memory drops out; unnamed parts count by
 * content, and unreadable ones by their bytes. Where two builds differ in a way that is not understood here their
 * identities differ, which costs a measurement and never a wrong answer.
 */
#include "analysis/methods/code_identity.h"

#include "core/base/sort.h"

#include <elf.h>
#include <string.h>

enum {
	CACHE_LINE = 64,
	MOST_LINES = 8192, /* of a function, behind its first line */
};

typedef PE_VEC(struct pe_xxh) hash_list;

struct elements {
	const struct pe_view *view;
	const struct pe_code_choice *choice; /* NULL: all of it, with places */
	hash_list list;
	struct pe_text text; /* of the element at hand */
};

static void hash_text(struct pe_xxh *out, const struct pe_text *text)
{
	pe_xxh_bytes(out, text->data, text->len);
	pe_xxh_number(out, text->len);
}

bool pe_code_startup(const struct pe_atom *atom)
{
	return atom != NULL && atom->unit != NULL && strcmp(atom->unit, "crtstuff.c") == 0;
}

/* The instructions with their references blanked out; with a line, numbers near it too. */
static void add_blanked(struct pe_text *out, const struct pe_view *view,
			const struct pe_view_code *code, uint32_t line)
{
	const size_t from = out->len;

	pe_text_addn(out, (const char *)pe_image_bytes(view->image, code->addr, code->size),
		     code->size);
	for (size_t i = 0; i < code->n; i++) {
		const struct pe_ref *ref = &view->refs.list.data[code->first + i];

		if (ref->at + ref->width > code->size ||
		    (ref->kind == PE_REF_NUMBER && (line == 0 || ref->target - line >= MOST_LINES)))
			continue;
		memset(out->data + from + ref->at, 0, ref->width);
	}
}

static void add_references(struct pe_text *out, struct pe_text *exact, const struct pe_view *view,
			   const struct pe_view_code *code)
{
	for (size_t i = 0; i < code->n; i++) {
		const struct pe_ref *ref = &view->refs.list.data[code->first + i];

		if (ref->kind == PE_REF_NUMBER || ref->at + ref->width > code->size)
			continue;
		pe_text_addf(out, "%x:", ref->at);
		pe_view_add_target(out, exact, view, ref, code->atom);
	}
}

static void add_lines(struct pe_text *out, const struct pe_view *view,
		      const struct pe_view_code *code, uint32_t line)
{
	for (size_t i = 0; i < code->n; i++) {
		const struct pe_ref *ref = &view->refs.list.data[code->first + i];

		if (ref->kind == PE_REF_NUMBER && ref->target - line < MOST_LINES)
			pe_text_addf(out, "%x:+%llu;", ref->at,
				     (unsigned long long)(ref->target - line));
	}
}

void pe_code_hash(struct pe_code_hashes *out, const struct pe_view *view,
		  const struct pe_landings *landings, const struct pe_view_code *code,
		  uint32_t line)
{
	pe_auto_text blanked = PE_TEXT_INIT, rest = PE_TEXT_INIT, exact = PE_TEXT_INIT;

	pe_xxh_init(&out->instructions);
	add_blanked(&blanked, view, code, 0);
	hash_text(&out->instructions, &blanked);
	add_references(&rest, &exact, view, code);
	pe_landings_add(&rest, landings, view, code->addr, code->size);
	if (code->atom != NULL && code->atom->indirect)
		pe_text_add(&rest, "indirect;");
	if (code->atom != NULL && code->atom->unsized) {
		/* Without a size it may run on into what follows. */
		const struct pe_atom *next =
			pe_image_atom(view->image, code->addr + code->atom->size);

		pe_text_addf(&rest, "then %s;", next != NULL ? next->key : "");
	}
	out->hash = out->instructions;
	hash_text(&out->hash, &rest);
	out->unlined = out->exact = out->hash;
	if (exact.len > 0)
		hash_text(&out->exact, &exact);
	if (line > 0) {
		pe_text_clear(&blanked);
		add_blanked(&blanked, view, code, line);
		add_lines(&rest, view, code, line);
		pe_xxh_init(&out->unlined);
		hash_text(&out->unlined, &blanked);
		hash_text(&out->unlined, &rest);
	}
}

static void finish_element(struct elements *elements)
{
	struct pe_xxh hash;

	pe_xxh_init(&hash);
	hash_text(&hash, &elements->text);
	pe_vec_push(&elements->list, hash);
	pe_text_clear(&elements->text);
}

static void add_functions(struct elements *elements, const struct pe_xxh *hashes)
{
	const struct pe_view *view = elements->view;

	for (size_t i = 0; i < view->code.n; i++) {
		const struct pe_atom *atom = view->code.data[i].atom;

		if (pe_code_startup(atom) ||
		    (elements->choice != NULL && elements->choice->code[i] == 0))
			continue;
		pe_text_addf(&elements->text, "code %s;%llx;%llx", atom != NULL ? atom->key : "",
			     (unsigned long long)hashes[i].high, (unsigned long long)hashes[i].low);
		finish_element(elements);
	}
}

static void add_atom(struct elements *elements, const struct pe_atom *atom,
		     const struct pe_section *section)
{
	struct pe_text *text = &elements->text;

	pe_text_addf(text, "data %s %d %d;", atom->key, section->writable,
		     pe_view_constant(section));
	if (elements->choice == NULL && !pe_view_constant(section))
		pe_text_addf(text, "%u;", (unsigned)(atom->addr % CACHE_LINE));
	pe_view_add_object(text, NULL, elements->view, atom);
	finish_element(elements);
}

static bool is_chosen(const struct elements *elements, size_t bound)
{
	return elements->choice == NULL || elements->choice->bounds[bound] != 0;
}

static void finish_constant(struct elements *elements, bool chosen)
{
	if (chosen)
		finish_element(elements);
	else
		pe_text_clear(&elements->text);
}

/* Constants without a name: what begins where an address is taken, in the parts that are pointed at. */
static void add_constants(struct elements *elements, const struct pe_section *section,
			  uint64_t from, uint64_t to)
{
	const struct pe_view *view = elements->view;
	size_t next = pe_view_bound_after(view, from);
	const struct pe_atom *owner = NULL;
	bool chosen = elements->choice == NULL;

	if (next > 0 && view->bounds.data[next - 1].addr == from) {
		owner = view->bounds.data[next - 1].owner;
		chosen = is_chosen(elements, next - 1);
	}
	pe_text_addf(&elements->text, "constant %d;", section->writable);
	for (uint64_t at = from, end; at < to; at = end, next++) {
		const bool last = next >= view->bounds.n || view->bounds.data[next].addr >= to;

		end = last ? to : view->bounds.data[next].addr;
		pe_view_add_content(&elements->text, view, at, end, owner, true);
		if (last)
			break;
		owner = view->bounds.data[next].owner;
		if (view->bounds.data[next].whole) {
			finish_constant(elements, chosen);
			chosen = false;
			pe_text_addf(&elements->text, "constant %d;", section->writable);
		}
		chosen |= is_chosen(elements, next);
	}
	finish_constant(elements, chosen);
}

static bool all_zero(const unsigned char *bytes, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		if (bytes[i] != 0)
			return false;
	return true;
}

static void add_gap(struct elements *elements, const struct pe_section *section, uint64_t from,
		    uint64_t to)
{
	if (section->bytes == NULL || all_zero(section->bytes + (from - section->addr), to - from))
		return;
	if (pe_view_constant(section)) {
		add_constants(elements, section, from, to);
		return;
	}
	pe_text_addf(&elements->text, "variables %s %llx;", section->name,
		     (unsigned long long)(to - from));
	pe_view_add_content(&elements->text, elements->view, from, to, NULL, false);
	finish_element(elements);
}

/* Which build a file is of, not what it does: of two builds of one source in two folders it differs. */
static bool is_build_id(const struct pe_section *section)
{
	return strcmp(section->name, ".note.gnu.build-id") == 0 ||
	       strcmp(section->name, ".note.go.buildid") == 0;
}

bool pe_code_usual(const struct pe_section *section)
{
	static const char *const usual[] = {".text", ".init",   ".fini",  ".plt",     ".data",
					    ".bss",  ".rodata", ".ldata", ".lrodata", ".lbss"};

	for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]); i++)
		if (strncmp(section->name, usual[i], strlen(usual[i])) == 0)
			return true;
	return false;
}

/*
 * The order within a section that is none of the usual: it may be a table that a program collects there and
 * walks from its start to its end.
 */
static void add_order(struct elements *elements, const struct pe_section *section)
{
	const struct pe_image *image = elements->view->image;

	if (pe_code_usual(section))
		return;
	pe_text_addf(&elements->text, "order %s;", section->name);
	for (size_t i = 0; i < image->n_atoms; i++)
		if (image->atoms[i].addr - section->addr < section->size)
			pe_text_addf(&elements->text, "%s %llx;", image->atoms[i].key,
				     (unsigned long long)(image->atoms[i].addr - section->addr));
	finish_element(elements);
}

static void add_data_section(struct elements *elements, const struct pe_section *section)
{
	const struct pe_image *image = elements->view->image;
	const uint64_t end = section->addr + section->size;
	uint64_t reached = section->addr;

	for (size_t i = 0; i < image->n_atoms; i++) {
		const struct pe_atom *atom = &image->atoms[i];

		if (atom->addr < section->addr || atom->addr >= end)
			continue;
		if (atom->addr > reached)
			add_gap(elements, section, reached, atom->addr);
		if (elements->choice == NULL || elements->choice->atoms[i] != 0)
			add_atom(elements, atom, section);
		if (atom->addr + atom->size > reached)
			reached = atom->addr + atom->size;
	}
	if (reached < end)
		add_gap(elements, section, reached, end);
	add_order(elements, section);
}

static void add_array(struct elements *elements, const struct pe_section *section)
{
	const struct pe_image *image = elements->view->image;

	pe_text_addf(&elements->text, "array %u;", section->type);
	for (uint64_t at = section->addr; at + 8 <= section->addr + section->size; at += 8) {
		const struct pe_image_slot *slot = pe_image_slot(image, at);
		const struct pe_atom *atom =
			slot != NULL ? pe_image_atom(image, slot->value) : NULL;

		if (!pe_code_startup(atom))
			pe_view_add_content(&elements->text, elements->view, at, at + 8, NULL,
					    false);
	}
	finish_element(elements);
}

static void add_sections(struct elements *elements)
{
	const struct pe_image *image = elements->view->image;

	for (size_t i = 0; i < image->n_sections; i++) {
		const struct pe_section *section = &image->sections[i];

		if (section->code)
			add_order(elements, section);
		if (elements->choice == NULL && section->code)
			pe_text_addf(&elements->text, "align %s %llu;", section->name,
				     (unsigned long long)section->align);
		if (!section->code && strncmp(section->name, ".note", 5) == 0 &&
		    section->bytes != NULL && !is_build_id(section))
			pe_view_add_bytes(&elements->text, elements->view, section->bytes,
					  section->size);
		finish_element(elements);
		if (!section->content || section->code || strncmp(section->name, ".got", 4) == 0)
			continue;
		if (section->type == SHT_INIT_ARRAY || section->type == SHT_FINI_ARRAY ||
		    section->type == SHT_PREINIT_ARRAY)
			add_array(elements, section);
		else
			add_data_section(elements, section);
	}
}

static void add_tls(struct elements *elements)
{
	const struct pe_image *image = elements->view->image;
	struct pe_text *text = &elements->text;

	for (size_t i = 0; i < image->n_tls_atoms; i++) {
		const struct pe_atom *atom = &image->tls_atoms[i];

		pe_text_addf(text, "tls %s %llu", atom->key, (unsigned long long)atom->size);
		if (elements->choice == NULL)
			pe_text_addf(text, " %llu;", (unsigned long long)(atom->addr % CACHE_LINE));
		finish_element(elements);
	}
	/* The template is small and ordered by the compiler: as it is, with pointers named. */
	for (size_t i = 0; i < image->n_tls; i++) {
		const struct pe_section *section = &image->tls[i];

		pe_text_addf(text, "%s %llu;", section->name, (unsigned long long)section->size);
		if (section->bytes == NULL) {
			finish_element(elements);
			continue;
		}
		for (uint64_t at = 0; at < section->size; at += 8) {
			const uint64_t n = section->size - at < 8 ? section->size - at : 8;
			const struct pe_image_slot *slot = pe_image_slot(image, section->addr + at);

			if (slot != NULL && slot->name == NULL)
				pe_view_add_pointer(text, elements->view, slot->value);
			else if (slot != NULL)
				pe_text_add(text, slot->name);
			else
				pe_view_add_bytes(text, elements->view, section->bytes + at, n);
		}
		finish_element(elements);
	}
}

static void add_string(struct elements *elements, const char *label, const char *string)
{
	pe_text_addf(&elements->text, "%s%s", label, string != NULL ? ":" : "");
	if (string != NULL)
		pe_view_add_bytes(&elements->text, elements->view, string, strlen(string));
	finish_element(elements);
}

static void add_border(struct elements *elements)
{
	const struct pe_image *image = elements->view->image;
	struct pe_text *text = &elements->text;

	for (size_t i = 0; elements->choice == NULL && i < image->n_imports; i++)
		add_string(elements, "import", image->imports[i]);
	for (size_t i = 0; i < image->n_exports; i++)
		add_string(elements, "export", image->exports[i]);
	pe_text_add(text, "needed");
	for (size_t i = 0; i < image->n_needed; i++)
		pe_view_add_bytes(text, elements->view, image->needed[i], strlen(image->needed[i]));
	finish_element(elements);
	for (size_t i = 0; elements->choice == NULL && i < image->n_aliases; i++) {
		const struct pe_atom *alias = &image->aliases[i],
				     *atom = pe_image_atom(image, alias->addr);

		pe_text_addf(text, "alias %s %s;", alias->name, atom != NULL ? atom->key : "");
		finish_element(elements);
	}
	add_string(elements, "runpath", image->runpath);
	add_string(elements, "rpath", image->rpath);
	add_string(elements, "soname", image->soname);
	add_string(elements, "interpreter", image->interpreter);
	pe_text_addf(text, "%u %u %u %llx %llx entry ", image->machine, image->kind,
		     image->stack_flags, (unsigned long long)image->flags,
		     (unsigned long long)image->flags_1);
	pe_view_add_pointer(text, elements->view, image->entry);
	pe_view_add_pointer(text, elements->view, image->init);
	pe_view_add_pointer(text, elements->view, image->fini);
	finish_element(elements);
}

PE_SORT_BY(by_hash, struct pe_xxh, high, low);

void pe_code_identity(struct pe_xxh *out, const struct pe_view *view, const struct pe_xxh *hashes,
		      const struct pe_code_choice *choice)
{
	struct elements elements = {.view = view, .choice = choice};

	add_functions(&elements, hashes);
	add_sections(&elements);
	add_tls(&elements);
	add_border(&elements);
	/* In an order that nothing but the elements decides. */
	pe_sort(elements.list.data, elements.list.n, by_hash);
	pe_xxh_init(out);
	for (size_t i = 0; i < elements.list.n; i++) {
		pe_xxh_number(out, elements.list.data[i].high);
		pe_xxh_number(out, elements.list.data[i].low);
	}
	pe_vec_release(&elements.list);
	pe_text_release(&elements.text);
}

void pe_code_raw_identity(struct pe_xxh *out, const struct pe_view *view)
{
	const struct pe_image *image = view->image;
	pe_auto_text text = PE_TEXT_INIT;

	pe_xxh_init(out);
	for (int tls = 0; tls < 2; tls++)
		for (size_t i = 0; i < (tls ? image->n_tls : image->n_sections); i++) {
			const struct pe_section *section =
				tls ? &image->tls[i] : &image->sections[i];

			if (is_build_id(section))
				continue;
			pe_text_clear(&text);
			pe_text_addf(&text, "%s %llx %llx;", section->name,
				     (unsigned long long)section->addr,
				     (unsigned long long)section->size);
			if (section->bytes != NULL)
				pe_view_add_bytes(&text, view, section->bytes, section->size);
			hash_text(out, &text);
		}
	pe_xxh_number(out, image->machine);
	pe_xxh_number(out, image->entry);
}
