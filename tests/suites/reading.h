/* Reading: a suite's output read for a test, from a text or a file of tests/suites/data, and looked up in. */
#pragma once

#include "core/base/text.h"
#include "suites/suite.h"
#include "tests/support/data_file.h"
#include "tests/support/test.h"

struct reading {
	struct pe_arena arena;
	struct pe_text text;
	struct pe_suite_output out;
	struct pe_err err;
	int rc;
};

/* Two texts are the same. */
#define TEXT(a, b) eq(str, (char *)(a), (char *)(b))

#define auto_reading __attribute__((cleanup(reading_release))) struct reading

static inline void reading_release(struct reading *reading)
{
	pe_arena_release(&reading->arena);
	pe_text_release(&reading->text);
}

/* A copy without anything behind it, so that the sanitizers see a byte too many. */
static inline struct reading reading_of(const char *bytes, size_t n, enum pe_suite_format format)
{
	struct reading reading = {.rc = 0};
	char *copy = malloc(n > 0 ? n : 1);

	memcpy(copy, bytes, n);
	reading.rc = pe_suite_read(copy, n, format, &reading.arena, &reading.out, &reading.err);
	free(copy);
	return reading;
}

static inline struct reading reading_file(const char *name)
{
	struct pe_text text = PE_TEXT_INIT;
	struct reading reading;

	data_file(&text, "suites/data", name);
	reading = reading_of(pe_text_str(&text), text.len, PE_SUITE_AUTO);
	reading.text = text;
	return reading;
}

static inline const struct pe_suite_entry *reading_find(const struct reading *reading,
							const char *id)
{
	for (size_t i = 0; i < reading->out.n_entries; i++)
		if (strcmp(reading->out.entries[i].id, id) == 0)
			return &reading->out.entries[i];
	return NULL;
}

static inline const struct pe_suite_metric *reading_metric(const struct reading *reading,
							   const char *id, const char *metric)
{
	const struct pe_suite_entry *entry = reading_find(reading, id);

	cr_assert(ne(ptr, (void *)entry, NULL), "%s is not there", id);
	for (size_t i = 0; i < entry->n_metrics; i++)
		if (strcmp(entry->metrics[i].name, metric) == 0)
			return &entry->metrics[i];
	return NULL;
}

/* The one value of a metric. */
static inline double reading_value(const struct reading *reading, const char *id,
				   const char *metric)
{
	const struct pe_suite_metric *found = reading_metric(reading, id, metric);

	cr_assert(ne(ptr, (void *)found, NULL), "%s has no %s", id, metric);
	return found->values[0];
}

static inline const char *reading_note(const struct reading *reading, enum pe_suite_note_kind kind)
{
	for (size_t i = 0; i < reading->out.n_notes; i++)
		if (reading->out.notes[i].kind == kind)
			return reading->out.notes[i].text;
	return NULL;
}

/*
 * Whatever the byte at which a file is cut: what came before is read, in the same order and with the same values. A file
 * that is cut anywhere but behind its document says so, or that nothing can be read.
 *
 * @param least  entries that the last cut but one has at least
 */
static inline void reading_cut_everywhere(const struct reading *whole, enum pe_suite_format format,
					  size_t step)
{
	size_t before = 0;

	for (size_t n = (whole->text.len - 1) % step; n < whole->text.len; n += step) {
		auto_reading part = reading_of(whole->text.data, n, format);

		if (part.rc != 0)
			continue;
		cr_assert(ge(sz, part.out.n_entries, before), "a cut at %zu reads less", n);
		cr_assert(le(sz, part.out.n_entries, whole->out.n_entries));
		before = part.out.n_entries;
		for (size_t i = 0; i < part.out.n_entries; i++) {
			const struct pe_suite_entry *cut = &part.out.entries[i],
						    *full = &whole->out.entries[i];

			cr_assert(TEXT(cut->id, full->id), "cut at %zu", n);
			for (size_t m = 0; m < cut->n_metrics; m++) {
				const struct pe_suite_metric *a = &cut->metrics[m],
							     *b = reading_metric(whole, full->id,
										 a->name);

				cr_assert(ne(ptr, (void *)b, NULL));
				cr_assert(le(sz, a->n_values, b->n_values));
				for (size_t v = 0; v < a->n_values; v++)
					cr_assert(eq(dbl, a->values[v], b->values[v]),
						  "cut at %zu: %s", n, cut->id);
			}
		}
	}
	cr_expect(eq(sz, before, whole->out.n_entries));
}
