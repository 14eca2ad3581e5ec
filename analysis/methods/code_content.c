/*
 * How an address loses itself:
 *
 *   a function or object with a symbol          its key and the offset in it
 *   a stub of the PLT, a word of the GOT        what it leads to
 *   a string without a symbol                   its characters
 *   a constant that is read                     as many bytes as are read
 *   other constants without a symbol            all up to the next place that is pointed at
 *   an entry of a switch table                  function and offset that it leads to
 *   variables without a symbol                  their place behind the last symbol
 *
 * Content is written in full wherever something points at it, so that two views are equal only where the
 * program would read the same.
 */
#include "analysis/methods/code_view.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DEPTH = 64 }; /* of constants that point at nameless constants */

struct writer {
	struct pe_text *out, *exact; /* as of pe_view_add_target() */
	const struct pe_view *view;
	const struct pe_atom *owner;
	int depth;
};

static void add_address(struct writer *w, uint64_t addr, uint16_t bytes);

/* Bytes of the character at the start of a text, as UTF-8; 0: none. */
static uint64_t character_length(const unsigned char *bytes, uint64_t n)
{
	const unsigned char c = bytes[0];
	uint64_t length;

	if (c < 0x80)
		return c >= 0x20 || (c >= 7 && c <= 13) || c == 0x1b;
	length = c >= 0xc2 && c < 0xe0   ? 2
		 : c >= 0xe0 && c < 0xf0 ? 3
		 : c >= 0xf0 && c < 0xf5 ? 4
					 : 0;
	if (length > n)
		return 0;
	for (uint64_t i = 1; i < length; i++)
		if ((bytes[i] & 0xc0) != 0x80)
			return 0;
	return length;
}

/* Length of the string, UTF-8 without control characters, at the start of n bytes, with its terminator; 0: none. */
static uint64_t string_length(const unsigned char *bytes, uint64_t n)
{
	for (uint64_t i = 0, step; i < n; i += step) {
		if (bytes[i] == '\0')
			return i > 0 ? i + 1 : 0;
		step = character_length(bytes + i, n - i);
		if (step == 0)
			return 0;
	}
	return 0;
}

bool pe_view_constant(const struct pe_section *section)
{
	return section->content && !section->code && section->bytes != NULL &&
	       (!section->writable || strncmp(section->name, ".data.rel.ro", 12) == 0);
}

static void add_place(struct pe_text *out, char tag, const char *name, uint64_t offset)
{
	pe_text_addf(out, "%c%s+%llx;", tag, name, (unsigned long long)offset);
}

/* Bytes of the tree's path at the start of a text; 0: none. */
static size_t masked(const struct pe_view *view, const char *at, size_t n)
{
	for (int i = 0; i < 2; i++) {
		const char *mask = view->image->masks[i];
		const size_t length = mask != NULL ? strlen(mask) : 0;

		if (length > 1 && length <= n && at[0] == mask[0] && memcmp(at, mask, length) == 0)
			return length;
	}
	return 0;
}

void pe_view_add_bytes(struct pe_text *out, const struct pe_view *view, const void *bytes, size_t n)
{
	const char *at = bytes;
	const size_t before = out->len;
	size_t from = 0;

	for (size_t i = 0, skip; i < n; i++) {
		skip = at[i] == '/' ? masked(view, at + i, n - i) : 0;
		if (skip == 0)
			continue;
		pe_text_addn(out, at + from, i - from);
		pe_text_addn(out, "\1tree\1", 6);
		from = i + skip;
		i = from - 1;
	}
	pe_text_addn(out, at + from, n - from);
	pe_text_addf(out, ";%zu", out->len - before);
}

static void add_tls(struct pe_text *out, const struct pe_image *image, uint64_t offset)
{
	const struct pe_atom *atom = pe_image_tls_atom(image, offset);

	if (atom != NULL)
		add_place(out, 'T', atom->key, offset - atom->addr);
	else
		add_place(out, 't', "", offset);
}

static void add_slot(struct writer *w, const struct pe_image_slot *slot)
{
	switch (slot->type) {
	case R_X86_64_64:
	case R_X86_64_GLOB_DAT:
	case R_X86_64_JUMP_SLOT:
		add_place(w->out, 'I', slot->name != NULL ? slot->name : "", slot->value);
		return;
	case R_X86_64_RELATIVE:
	case R_X86_64_IRELATIVE:
		pe_text_addc(w->out, slot->type == R_X86_64_RELATIVE ? '*' : '!');
		add_address(w, slot->value, 0);
		return;
	default:
		pe_text_addf(w->out, "S%u,", slot->type);
		if (slot->name != NULL)
			add_place(w->out, 'I', slot->name, slot->value);
		else
			add_tls(w->out, w->view->image, slot->value);
	}
}

static void add_got(struct writer *w, uint64_t addr)
{
	const struct pe_image *image = w->view->image;
	const struct pe_image_slot *slot = pe_image_slot(image, addr);
	const unsigned char *word;
	uint64_t value = 0;

	pe_text_addc(w->out, 'G');
	if (slot != NULL) {
		add_slot(w, slot);
		return;
	}
	word = pe_image_bytes(image, addr, 8);
	if (word != NULL)
		memcpy(&value, word, sizeof(value));
	if (value + image->tls_size + image->tls_align < image->tls_size + image->tls_align) {
		const uint64_t align = image->tls_align > 0 ? image->tls_align : 1;

		add_tls(w->out, image, value + (image->tls_size + align - 1) / align * align);
		return;
	}
	pe_text_addf(w->out, "=%llx;", (unsigned long long)value);
}

/* Where the next constant begins. */
static uint64_t next_constant(const struct pe_view *view, const struct pe_section *section,
			      uint64_t addr)
{
	const uint64_t end = section->addr + section->size;
	const size_t next = pe_view_bound_after(view, addr);

	return next < view->bounds.n && view->bounds.data[next].addr < end
		       ? view->bounds.data[next].addr
		       : end;
}

bool pe_view_kin(const struct pe_atom *a, const struct pe_atom *b)
{
	const size_t length = strcspn(a->key, ".@");

	return a == b || (length == strcspn(b->key, ".@") && strncmp(a->key, b->key, length) == 0 &&
			  (a->unit == NULL || b->unit == NULL || strcmp(a->unit, b->unit) == 0));
}

/* An entry of a switch table: an offset from the table's start into the function that uses it, or its kin. */
static const struct pe_atom *case_of(const struct writer *w, uint64_t table,
				     const unsigned char *entry, uint64_t *target)
{
	const struct pe_atom *atom;
	int32_t offset;

	memcpy(&offset, entry, sizeof(offset));
	*target = table + (uint64_t)(int64_t)offset;
	atom = pe_image_atom(w->view->image, *target);
	return atom != NULL && atom->function && pe_view_kin(atom, w->owner) ? atom : NULL;
}

/* Where the entry of a table of strings leads: clang stores offsets from the table's start. 0: nowhere. */
static uint64_t text_of(const struct writer *w, uint64_t table, const unsigned char *entry)
{
	const struct pe_section *section;
	uint64_t target;
	int32_t offset;

	memcpy(&offset, entry, sizeof(offset));
	target = table + (uint64_t)(int64_t)offset;
	section = pe_image_section(w->view->image, target);
	if (section == NULL || !pe_view_constant(section) || target == section->addr ||
	    section->bytes[target - section->addr - 1] != '\0' ||
	    string_length(section->bytes + (target - section->addr),
			  section->addr + section->size - target) == 0)
		return 0;
	return target;
}

static uint64_t add_texts(struct writer *w, uint64_t addr, uint64_t end, const unsigned char *bytes)
{
	uint64_t at = addr, target;

	if (end - addr < 8 || text_of(w, addr, bytes) == 0 || text_of(w, addr, bytes + 4) == 0)
		return addr;
	while (end - at >= 4 && (target = text_of(w, addr, bytes + (at - addr))) != 0) {
		const unsigned char *text = pe_image_bytes(w->view->image, target, 1);

		pe_view_add_bytes(w->out, w->view, text, strlen((const char *)text));
		at += 4;
	}
	return at;
}

/* Write the entries of a table of offsets, if one stands here, and return where it ends. */
static uint64_t add_cases(struct writer *w, uint64_t addr, uint64_t end)
{
	const unsigned char *bytes = pe_image_bytes(w->view->image, addr, end - addr);
	uint64_t at = addr, target;
	const struct pe_atom *atom;

	if (addr % 4 != 0 || bytes == NULL || end - addr < 4)
		return addr;
	if (w->owner == NULL || !w->owner->function || case_of(w, addr, bytes, &target) == NULL)
		return add_texts(w, addr, end, bytes);
	while (end - at >= 4 && (atom = case_of(w, addr, bytes + (at - addr), &target)) != NULL) {
		add_place(w->out, 'J', atom->key, target - atom->addr);
		at += 4;
	}
	return at;
}

/* The next word from an address on that holds a pointer; NULL: none in front of the end. */
static const struct pe_image_slot *next_pointer(const struct pe_view *view, uint64_t addr,
						uint64_t end)
{
	const struct pe_image *image = view->image;
	const size_t next = pe_image_slot_from(image, addr);
	const struct pe_image_slot *slot = next < image->n_slots ? &image->slots[next] : NULL;

	return slot != NULL && slot->addr < end && slot->bytes <= end - slot->addr ? slot : NULL;
}

static void add_content(struct writer *w, uint64_t addr, uint64_t end, bool trim)
{
	const unsigned char *bytes = pe_image_bytes(w->view->image, addr, end - addr);
	const struct pe_image_slot *slot;

	if (bytes == NULL) {
		pe_text_addf(w->out, "0*%llu;", (unsigned long long)(end - addr));
		return;
	}
	for (uint64_t at = addr; at < end; at = slot->addr + slot->bytes) {
		uint64_t stop;

		slot = next_pointer(w->view, at, end);
		stop = slot != NULL ? slot->addr : end;
		while (trim && slot == NULL && stop > at && bytes[stop - addr - 1] == 0)
			stop--;
		if (stop > at)
			pe_view_add_bytes(w->out, w->view, bytes + (at - addr), stop - at);
		if (slot == NULL)
			return;
		add_slot(w, slot);
	}
}

/* Write a constant in full. A string ends at its terminator, even if another one begins in the midst of it. */
static void add_whole_constant(struct writer *w, const struct pe_section *section, uint64_t addr)
{
	const uint64_t end = next_constant(w->view, section, addr);
	const uint64_t at = add_cases(w, addr, end);
	uint64_t text = 0;

	if (at == addr)
		text = string_length(section->bytes + (addr - section->addr),
				     section->addr + section->size - addr);
	add_content(w, at, addr + text > end ? addr + text : end, true);
}

/* The entry of a constant that begins at a bound; NULL. */
static struct pe_constant_hash *known_constant(const struct pe_view *view, uint64_t addr)
{
	const size_t next = pe_view_bound_after(view, addr);

	return view->known != NULL && next > 0 && view->bounds.data[next - 1].addr == addr
		       ? &view->known[next - 1]
		       : NULL;
}

/*
 * Write a constant as the hash of what it holds, worked out once: constants that point at constants would
 * unfold without end. One that leads back to itself stays a place.
 */
static void add_constant_hash(struct writer *w, const struct pe_section *section, uint64_t addr)
{
	struct pe_constant_hash *known = known_constant(w->view, addr);
	pe_auto_text text = PE_TEXT_INIT;
	struct writer inner = {.out = &text, .view = w->view, .depth = w->depth + 1};

	if (known == NULL || known->state == PE_KNOWN_SOON || w->depth >= MOST_DEPTH) {
		add_place(w->out, 'X', section->name, addr - section->addr);
		return;
	}
	if (known->state == PE_KNOWN_NOT) {
		known->state = PE_KNOWN_SOON;
		add_whole_constant(&inner, section, addr);
		pe_xxh_init(&known->hash);
		pe_xxh_bytes(&known->hash, text.data, text.len);
		known->state = PE_KNOWN;
	}
	pe_text_addf(w->out, "{%llx,%llx}", (unsigned long long)known->hash.high,
		     (unsigned long long)known->hash.low);
}

static void add_constant(struct writer *w, const struct pe_section *section, uint64_t addr,
			 uint16_t bytes)
{
	const uint64_t left = section->addr + section->size - addr;
	uint64_t target;

	if (bytes > 0 && bytes <= left) {
		add_content(w, addr, addr + bytes, false);
		pe_text_addc(w->out, ';');
	} else if (left >= 4 && w->owner != NULL && w->owner->function && addr % 4 == 0 &&
		   case_of(w, addr, section->bytes + (addr - section->addr), &target) != NULL) {
		add_whole_constant(w, section, addr);
		pe_text_addc(w->out, ';');
	} else {
		add_constant_hash(w, section, addr);
	}
}

static void add_atom(struct writer *w, const struct pe_atom *atom, uint64_t offset)
{
	const char tag = atom->function ? 'F' : 'D';

	if (w->exact == NULL || atom->stem == atom->key) {
		add_place(w->out, tag, atom->key, offset);
		return;
	}
	add_place(w->out, tag, atom->stem, offset);
	pe_text_addf(w->exact, "%s;", atom->key);
}

/* A place without a name in code or among variables: behind the last name before it. */
static void add_nameless(struct writer *w, const struct pe_section *section, uint64_t addr)
{
	const struct pe_atom *before = pe_image_atom_before(w->view->image, addr);

	if (before != NULL && before->addr >= section->addr)
		add_place(w->out, 'B', before->key, addr - before->addr);
	else
		add_place(w->out, 'W', section->name, addr - section->addr);
}

static void add_address(struct writer *w, uint64_t addr, uint16_t bytes)
{
	const struct pe_image *image = w->view->image;
	const struct pe_section *section = pe_image_section(image, addr);
	const struct pe_atom *atom;
	uint64_t slot;

	if (section == NULL || !section->content) {
		pe_text_addf(w->out, "?%llx;", (unsigned long long)addr);
	} else if (strncmp(section->name, ".plt", 4) == 0 && pe_x86_stub(&slot, image, addr)) {
		add_got(w, slot);
	} else if (strncmp(section->name, ".got", 4) == 0) {
		add_got(w, addr);
	} else if ((atom = pe_image_atom(image, addr)) != NULL) {
		add_atom(w, atom, addr - atom->addr);
	} else if (pe_view_constant(section)) {
		add_constant(w, section, addr, bytes);
	} else {
		add_nameless(w, section, addr);
	}
}

void pe_view_add_target(struct pe_text *out, struct pe_text *exact, const struct pe_view *view,
			const struct pe_ref *ref, const struct pe_atom *owner)
{
	struct writer w = {.out = out, .exact = exact, .view = view, .owner = owner};

	if (ref->kind == PE_REF_TLS)
		add_tls(out, view->image, ref->target);
	else if (ref->kind == PE_REF_SLOT)
		add_slot(&w, pe_image_slot(view->image, ref->target));
	else
		add_address(&w, ref->target, ref->kind == PE_REF_ACCESS ? ref->bytes : 0);
}

void pe_view_add_pointer(struct pe_text *out, const struct pe_view *view, uint64_t addr)
{
	struct writer w = {.out = out, .view = view};

	add_address(&w, addr, 0);
}

void pe_view_add_content(struct pe_text *out, const struct pe_view *view, uint64_t addr,
			 uint64_t end, const struct pe_atom *owner, bool trim)
{
	struct writer w = {.out = out, .view = view, .owner = owner};

	add_content(&w, trim ? add_cases(&w, addr, end) : addr, end, trim);
}

void pe_view_add_object(struct pe_text *out, struct pe_text *exact, const struct pe_view *view,
			const struct pe_atom *atom)
{
	struct writer w = {.out = out, .exact = exact, .view = view};

	add_content(&w, atom->addr, atom->addr + atom->size, false);
}

uint64_t pe_view_next_pointer(uint64_t *target, const struct pe_view *view,
			      const struct pe_atom *atom, uint64_t from)
{
	const uint64_t end = atom->addr + atom->size;
	const struct pe_image_slot *slot = next_pointer(view, atom->addr + from, end);

	while (slot != NULL && slot->name != NULL)
		slot = next_pointer(view, slot->addr + slot->bytes, end);
	if (slot == NULL)
		return 0;
	*target = slot->value;
	return slot->addr + slot->bytes - atom->addr;
}
