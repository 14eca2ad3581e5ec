/* Files of Meson for editors, which list targets, tests and options, on arbitrary bytes. */
#include "core/json/json.h"
#include "tests/fuzz/require.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	const char *text = (const char *)data;
	const struct pe_json_value *list;
	struct pe_err err = PE_ERR_INIT;
	struct pe_built_test *tests;
	size_t n_tests, n_targets;

	if (pe_json_tree(&list, text, size, &arena, &err) != PE_OK)
		return 0;
	if (pe_json_meson_tests(&tests, &n_tests, list, &arena, &err) == PE_OK)
		for (size_t i = 0; i < n_tests; i++)
			require(tests[i].name != NULL, "names");
	pe_json_meson_targets(&n_targets, list, &arena);
	pe_json_meson_options_off(list, &arena);
	return 0;
}
