/*
 * The extraction on arbitrary bytes: the first byte chooses the language, the rest is the file. Whatever it is,
 * it is read in bounded time and memory, the answer keeps its promises, and what is packed comes back.
 */
#include "analysis/methods/extract.h"
#include "tests/fuzz/require.h"

#include <string.h>

static void check_method(const struct pe_method *method, size_t size)
{
	require(method->first_line >= 1 && method->first_line <= method->last_line,
		"lines in order");
	require(method->last_line <= size + 1, "lines of the file");
	require(method->name[0] != '\0' && strlen(method->name) < 4096, "a name of bounded length");
	require(method->n_sketch <= PE_SKETCH_MAX, "a bounded sketch");
	for (uint32_t i = 1; i < method->n_sketch; i++)
		require(method->sketch[i - 1] < method->sketch[i], "an ascending sketch");
}

static void check_round_trip(const struct pe_methods *methods, struct pe_arena *arena)
{
	pe_auto_text packed = PE_TEXT_INIT;
	struct pe_err err = PE_ERR_INIT;
	struct pe_methods again;
	struct pe_method_changes changes;

	pe_methods_pack(&packed, methods);
	require(pe_methods_unpack(&again, "f", packed.data, packed.len, arena, &err) == PE_OK,
		"what is packed comes back");
	pe_methods_diff(&changes, methods, &again, arena);
	require(changes.n == 0, "nothing changes by packing");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	struct pe_source_file file = {.path = "f"};
	struct pe_methods methods, packed;
	struct pe_err err = PE_ERR_INIT;
	size_t n = 0;

	if (size == 0)
		return 0;
	while (pe_language_at(n) != NULL)
		n++;
	file.language = pe_language_at(data[0] % n);
	file.text = (const char *)data + 1;
	file.n = size - 1;
	pe_extract(&methods, &file, &arena);
	for (size_t i = 0; i < methods.n; i++)
		check_method(&methods.at[i], size);
	check_round_trip(&methods, &arena);
	/* The same bytes as a packed answer: they are refused, unless they are one. */
	if (pe_methods_unpack(&packed, "f", (const char *)data + 1, size - 1, &arena, &err) ==
	    PE_OK)
		for (size_t i = 0; i < packed.n; i++)
			require(packed.at[i].n_sketch <= PE_SKETCH_MAX, "a bounded sketch");
	return 0;
}
