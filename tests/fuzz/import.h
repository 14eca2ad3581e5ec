/*
 * What the targets of all importers promise: whatever the bytes are, reading them ends in a sentence that names
 * a place, or in a tree that keeps its promises.
 */
#ifndef PE_TESTS_FUZZ_IMPORT_H
#define PE_TESTS_FUZZ_IMPORT_H

#include "profile/importer.h"
#include "tests/fuzz/require.h"

#include <string.h>

static void check_tree(const struct pe_cct *cct)
{
	struct pe_err err = PE_ERR_INIT;
	uint64_t samples = 0;

	require(pe_cct_check(cct, &err) == PE_OK, err.message);
	require(cct->n > 1, "a tree of more than its root");
	require(cct->known != 0, "values");
	for (uint32_t i = 1; i < cct->n; i++)
		require(pe_cct_frame(cct, i)->name[0] != '\0', "a name");
	for (uint32_t i = 0; cct->samples != NULL && i < cct->n; i++)
		samples = samples + cct->samples[i] < samples ? UINT64_MAX
							      : samples + cct->samples[i];
	if (cct->samples != NULL && samples < UINT64_MAX / 2)
		require(samples <= cct->facts.samples, "no more samples than were taken");
}

/* @param format  NULL: by content */
static int import_any(const char *format, const uint8_t *data, size_t size)
{
	struct pe_frames frames = PE_FRAMES_INIT;
	struct pe_arena arena = PE_ARENA_INIT;
	struct pe_err err = PE_ERR_INIT;
	struct pe_cct *cct;
	const char *note;
	int rc = pe_import_bytes(&cct, data, size, "f", format, &frames, &arena, &note, &err);

	if (rc == PE_OK) {
		check_tree(cct);
		require(note == NULL || note[0] != '\0', "a note that says something");
	} else {
		require(rc == PE_EINVALID && cct == NULL, "a refusal");
		require(strncmp(err.message, "f:", 2) == 0 &&
				strstr(err.message, "offset ") != NULL,
			"a place in the message");
	}
	pe_frames_release(&frames);
	pe_arena_release(&arena);
	return 0;
}

#endif
