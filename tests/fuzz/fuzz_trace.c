/*
 * The reader of traces on arbitrary bytes: they end in a tree that holds together, or in a sentence with the
 * file's name. What comes in is a trace without the zeros at the end of each page, so that the fuzzer need not
 * guess them: a byte for how many slots of the next page follow, and those.
 */
#include "analysis/profile/trace.h"
#include "probe/formats/trace.h"
#include "tests/fuzz/require.h"

#include <string.h>

enum { MOST_PAGES = 64 };

static int name(struct pe_symbols *out, const struct pe_module *module, uint64_t address,
		void *payload, struct pe_err *err)
{
	static struct pe_symbol chain[2] = {{.frame = {.name = "g"}, .line = 3}, {.line = 4}};
	static char text[32];

	(void)module;
	(void)payload;
	(void)err;
	snprintf(text, sizeof(text), "f%u", (unsigned)(address % 16));
	chain[0].frame.name = text;
	*out = (struct pe_symbols){chain, 1 + address % 2};
	return PE_OK;
}

static size_t unpack(char *pages, const uint8_t *data, size_t size)
{
	size_t n = 0;

	while (size > 0 && n < MOST_PAGES) {
		size_t take = (size_t)(*data % 64 + 1) * PE_TRACE_SLOT;

		data++;
		size--;
		if (take > size)
			take = size;
		memcpy(pages + n++ * PE_TRACE_PAGE, data, take);
		data += take;
		size -= take;
	}
	return n * PE_TRACE_PAGE;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct pe_symbolizer symbolizer = {name, NULL};
	pe_auto_arena arena = PE_ARENA_INIT;
	struct pe_frames frames = PE_FRAMES_INIT;
	struct pe_err err = PE_ERR_INIT;
	struct pe_trace_notes notes;
	struct pe_cct *cct;
	char *pages = calloc(MOST_PAGES, PE_TRACE_PAGE);
	size_t n;
	int rc;

	require(pages != NULL, "memory");
	n = unpack(pages, data, size);
	rc = pe_trace_read_bytes(&cct, &notes, pages, n, "a.calls", &symbolizer, &frames, &arena,
				 &err);
	if (rc == PE_OK)
		require(pe_cct_check(cct, &err) == PE_OK, "a tree that holds together");
	else
		require(strncmp(err.message, "a.calls", 7) == 0, "a sentence with a name");
	free(pages);
	pe_frames_release(&frames);
	return 0;
}
