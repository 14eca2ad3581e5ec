/*
 * The call frame information leads from a function to its language-specific data area (LSB Core 5.0, §10.6;
 * the area itself is described by the C++ ABI for Itanium, exception handling tables, and gcc's except.cc).
 * Call sites and actions in it are relative to the function; its table of types points at typeinfo objects.
 * How frames are unwound follows from the instructions and is left out.
 */
#include "analysis/methods/code_unwind.h"

#include "core/base/search.h"
#include "core/base/sort.h"

#include <string.h>

enum { OMITTED = 0xff, PC_RELATIVE = 0x10, INDIRECT = 0x80 };

/* Reads within bounds; bad stays set once a read went beyond them or met an unknown encoding. */
struct reader {
	const unsigned char *bytes;
	uint64_t at, end; /* offsets */
	uint64_t addr;    /* of bytes[0] */
	bool bad;
};

static uint64_t read_fixed(struct reader *r, unsigned n)
{
	uint64_t value = 0;

	if (r->bad || n > r->end - r->at) {
		r->bad = true;
		return 0;
	}
	for (unsigned i = 0; i < n; i++)
		value |= (uint64_t)r->bytes[r->at + i] << (8 * i);
	r->at += n;
	return value;
}

static uint64_t read_leb(struct reader *r, bool sign)
{
	uint64_t value = 0;
	unsigned shift = 0;
	unsigned char byte;

	do {
		byte = (unsigned char)read_fixed(r, 1);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while ((byte & 0x80) != 0 && !r->bad);
	if (sign && shift < 64 && (byte & 0x40) != 0)
		value |= ~(uint64_t)0 << shift;
	return value;
}

/* DW_EH_PE_*: the lower four bits are the form. Compilers of x86-64 write no other ones than these. */
static uint64_t read_form(struct reader *r, unsigned encoding)
{
	switch (encoding & 0x0f) {
	case 0x00:
	case 0x0c:
		return read_fixed(r, 8);
	case 0x01:
		return read_leb(r, false);
	case 0x03:
		return read_fixed(r, 4);
	case 0x0b:
		return (uint64_t)(int64_t)(int32_t)read_fixed(r, 4);
	default:
		r->bad = true;
		return 0;
	}
}

/* An address, 0 where none is given. */
static uint64_t read_pointer(struct reader *r, unsigned encoding)
{
	const uint64_t here = r->addr + r->at;
	const uint64_t value = read_form(r, encoding);

	if (value == 0)
		return 0;
	if ((encoding & 0x70) == PC_RELATIVE)
		return here + value;
	if ((encoding & 0x70) != 0)
		r->bad = true;
	return value;
}

struct frame_forms {
	bool sized; /* augmentation data present */
	unsigned pc, lsda;
};

static bool read_common(struct frame_forms *out, struct reader r)
{
	const char *augmentation;
	unsigned version;

	*out = (struct frame_forms){.lsda = OMITTED};
	version = (unsigned)read_fixed(&r, 1);
	augmentation = (const char *)r.bytes + r.at;
	while (read_fixed(&r, 1) != 0)
		;
	read_leb(&r, false);
	read_leb(&r, true);
	if (version == 1)
		read_fixed(&r, 1);
	else
		read_leb(&r, false);
	if (r.bad || *augmentation == '\0')
		return !r.bad;
	if (*augmentation != 'z')
		return false;
	out->sized = true;
	read_leb(&r, false);
	for (const char *c = augmentation + 1; *c != '\0' && !r.bad; c++) {
		if (*c == 'L')
			out->lsda = (unsigned)read_fixed(&r, 1);
		else if (*c == 'R')
			out->pc = (unsigned)read_fixed(&r, 1);
		else if (*c == 'P')
			read_form(&r, (unsigned)read_fixed(&r, 1));
		else if (*c != 'S' && *c != 'B')
			return false;
	}
	return !r.bad;
}

/* One frame description whose body is r; the common part begins `back` bytes before it. */
static bool read_description(struct pe_landings *out, struct reader r, uint64_t common)
{
	struct reader c = r;
	struct frame_forms forms;
	struct pe_landing landing = {0};

	c.at = common;
	c.end = r.end;
	c.end = c.at + 4 + read_fixed(&c, 4);
	if (c.bad || c.end > r.end || read_fixed(&c, 4) != 0 || !read_common(&forms, c))
		return false;
	landing.pc = read_pointer(&r, forms.pc);
	read_form(&r, forms.pc);
	if (!forms.sized || forms.lsda == OMITTED || r.bad)
		return !r.bad;
	if (read_leb(&r, false) == 0)
		return !r.bad;
	landing.table = read_pointer(&r, forms.lsda);
	if (landing.table != 0)
		pe_vec_push(&out->list, landing);
	return !r.bad;
}

PE_SORT_BY(by_table, struct pe_landing, table);

PE_SORT_BY(by_pc, struct pe_landing, pc);

static void settle(struct pe_landings *landings, const struct pe_image *image)
{
	struct pe_landing *at = landings->list.data;
	const size_t n = landings->list.n;

	if (n == 0)
		return;
	pe_sort(at, n, by_table);
	for (size_t i = 0; i < n; i++) {
		const struct pe_section *section = pe_image_section(image, at[i].table);
		size_t next = i + 1;

		while (next < n && at[next].table == at[i].table)
			next++;
		at[i].end = section != NULL ? section->addr + section->size : at[i].table;
		if (next < n && at[next].table < at[i].end)
			at[i].end = at[next].table;
	}
	pe_sort(at, n, by_pc);
}

void pe_landings_read(struct pe_landings *out, bool *whole, const struct pe_image *image)
{
	*out = (struct pe_landings){0};
	*whole = true;
	for (size_t i = 0; i < image->n_sections; i++) {
		const struct pe_section *section = &image->sections[i];
		struct reader r = {
			.bytes = section->bytes, .end = section->size, .addr = section->addr};

		if (strcmp(section->name, ".eh_frame") != 0 || section->bytes == NULL)
			continue;
		while (r.end - r.at >= 4 && !r.bad) {
			struct reader entry = r;
			const uint64_t length = read_fixed(&entry, 4);
			const uint64_t start = entry.at;
			uint64_t id;

			if (length == 0) {
				r.at = start;
				continue;
			}
			if (length > r.end - start || length < 4) {
				*whole = false;
				break;
			}
			entry.end = start + length;
			id = read_fixed(&entry, 4);
			if (id != 0 && (id > start || !read_description(out, entry, start - id)))
				*whole = false;
			r.at = start + length;
		}
	}
	settle(out, image);
}

/* The highest index into the types that an action record reached from a call site names. */
static uint64_t most_types(struct reader r, uint64_t sites_end, unsigned site_form, uint64_t end)
{
	uint64_t most = 0;

	while (r.at < sites_end && !r.bad) {
		struct reader action = r;
		uint64_t first;

		read_form(&r, site_form);
		read_form(&r, site_form);
		read_form(&r, site_form);
		first = read_leb(&r, false);
		action.at = sites_end + first - 1;
		action.end = end;
		for (int i = 0; first > 0 && i < 4096 && action.at >= sites_end && action.at < end;
		     i++) {
			const int64_t filter = (int64_t)read_leb(&action, true);
			const uint64_t here = action.at;
			const int64_t next = (int64_t)read_leb(&action, true);

			if (filter > 0 && (uint64_t)filter > most)
				most = (uint64_t)filter;
			if (next == 0 || action.bad)
				break;
			action.at = here + (uint64_t)next;
		}
	}
	return most;
}

static unsigned form_bytes(unsigned encoding)
{
	return (encoding & 0x07) == 0x03 ? 4 : 8;
}

static void add_raw(struct pe_text *out, const struct pe_view *view, const struct reader *r,
		    uint64_t from, uint64_t to)
{
	while (to > from && r->bytes[to - 1] == 0)
		to--;
	pe_view_add_bytes(out, view, r->bytes + from, to - from);
}

/* The types from the last to the first, then the bytes behind them. */
static bool add_types(struct pe_text *out, const struct pe_view *view, struct reader r,
		      uint64_t base, unsigned encoding, uint64_t n)
{
	const unsigned width = form_bytes(encoding);

	if (base > r.end || n > base / width)
		return false;
	for (uint64_t i = n; i > 0 && !r.bad; i--) {
		uint64_t addr;

		r.at = base - i * width;
		addr = read_pointer(&r, encoding);
		if (addr == 0)
			pe_text_add(out, "any;");
		else if ((encoding & INDIRECT) != 0)
			pe_view_add_content(out, view, addr, addr + 8, NULL, false);
		else
			pe_view_add_pointer(out, view, addr);
	}
	add_raw(out, view, &r, base, r.end);
	return !r.bad;
}

static bool add_area(struct pe_text *out, const struct pe_view *view, struct reader r)
{
	const unsigned start_form = (unsigned)read_fixed(&r, 1);
	unsigned types_form, site_form;
	uint64_t types = 0, sites_end, n;
	struct reader sites;

	if (start_form != OMITTED)
		return false;
	types_form = (unsigned)read_fixed(&r, 1);
	if (types_form != OMITTED) {
		types = read_leb(&r, false);
		types += r.at;
	}
	site_form = (unsigned)read_fixed(&r, 1);
	sites_end = read_leb(&r, false);
	sites_end += r.at;
	if (r.bad || sites_end > r.end || types > r.end)
		return false;
	sites = r;
	pe_text_addf(out, "%u %u %llu;", site_form, types_form,
		     (unsigned long long)(sites_end - r.at));
	if (types_form == OMITTED) {
		add_raw(out, view, &r, r.at, r.end);
		return true;
	}
	n = most_types(sites, sites_end, site_form, types);
	if (n > (types - sites_end) / form_bytes(types_form))
		return false;
	add_raw(out, view, &r, r.at, types - n * form_bytes(types_form));
	return add_types(out, view, r, types, types_form, n);
}

void pe_landings_add(struct pe_text *out, const struct pe_landings *landings,
		     const struct pe_view *view, uint64_t addr, uint64_t size)
{
	size_t at = 0;

	pe_search(at, landings->list.n, i, landings->list.data[i].pc < addr);
	for (; at < landings->list.n && landings->list.data[at].pc - addr < size; at++) {
		const struct pe_landing *landing = &landings->list.data[at];
		struct reader r = {.addr = landing->table, .end = landing->end - landing->table};
		const size_t before = out->len;

		r.bytes = pe_image_bytes(view->image, landing->table, r.end);
		pe_text_addf(out, "catch %llx;", (unsigned long long)(landing->pc - addr));
		if (r.bytes == NULL || add_area(out, view, r))
			continue;
		/* An unknown form counts by its bytes, so that a change cannot hide in it. */
		out->len = before;
		pe_view_add_bytes(out, view, r.bytes, r.end);
	}
}
