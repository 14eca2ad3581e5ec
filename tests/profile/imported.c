#include "imported.h"

#include "core/base/text.h"
#include "tests/support/test.h"

#include <inttypes.h>

enum { MOST = 64 };

static struct imported all[MOST];
static size_t n_all;
static struct pe_text drawing;

static struct imported *next(void)
{
	cr_assert(n_all < MOST);
	return &all[n_all++];
}

static void check(struct imported *imported)
{
	struct pe_err err = PE_ERR_INIT;

	if (imported->rc == PE_OK)
		cr_assert(pe_cct_check(imported->cct, &err) == PE_OK, "%s", err.message);
	else
		cr_assert(imported->cct == NULL);
}

struct imported *import_bytes(const void *bytes, size_t n)
{
	struct imported *imported = next();

	imported->rc = import_of(&imported->cct, bytes, n, "x", NULL, &imported->frames,
				 &imported->arena, &imported->note, &imported->err);
	check(imported);
	return imported;
}

static void draw_values(const struct pe_cct *cct, uint32_t i)
{
	static const char letters[] = "F?UXP";

	if (cct->calls != NULL)
		pe_text_addf(&drawing, " c%" PRIu64, cct->calls[i]);
	if (cct->samples != NULL)
		pe_text_addf(&drawing, " s%" PRIu64, cct->samples[i]);
	if (cct->self_ns != NULL)
		pe_text_addf(&drawing, " t%" PRIu64, cct->self_ns[i]);
	if (cct->allocations != NULL)
		pe_text_addf(&drawing, " a%" PRIu64 "/%" PRIu64, cct->allocations[i],
			     cct->allocated_bytes[i]);
	if (cct->flags[i] != 0)
		pe_text_addc(&drawing, ' ');
	for (unsigned flag = 0; flag < strlen(letters); flag++)
		if ((cct->flags[i] >> flag & 1) != 0)
			pe_text_addc(&drawing, letters[flag]);
	pe_text_addc(&drawing, '\n');
}

const char *drawn(const struct imported *imported)
{
	static const char *const kinds[] = {"", "", "process ", "thread ", "unknown ", "waiting "};
	const struct pe_cct *cct = imported->cct;

	cr_assert_ok(imported->rc, imported->err.message);
	pe_text_clear(&drawing);
	for (uint32_t i = 1; i < cct->n; i++) {
		const struct pe_frame *frame = pe_cct_frame(cct, i);

		for (uint32_t up = cct->nodes[i].parent; up != 0; up = cct->nodes[up].parent)
			pe_text_add(&drawing, "  ");
		pe_text_addf(&drawing, "%s%s%s%s", kinds[frame->kind], frame->name,
			     frame->signature[0] != '\0' ? "|" : "", frame->signature);
		if (frame->component[0] != '\0')
			pe_text_addf(&drawing, " @%s", frame->component);
		if (frame->line != 0)
			pe_text_addf(&drawing, " L%" PRIu32, frame->line);
		if (cct->nodes[i].site != 0)
			pe_text_addf(&drawing, " :%" PRIu32, cct->nodes[i].site);
		draw_values(cct, i);
	}
	return pe_text_str(&drawing);
}

void imported_release(void)
{
	for (size_t i = 0; i < n_all; i++) {
		pe_frames_release(&all[i].frames);
		pe_arena_release(&all[i].arena);
	}
	n_all = 0;
	pe_text_release(&drawing);
}
