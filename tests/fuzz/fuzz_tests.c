/* Files of Meson for editors, which list targets, tests and options, on arbitrary bytes. */
#include "core/json/json.h"
#include "tests/fuzz/require.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	const char *text = (const char *)data;
	struct pe_err err = PE_ERR_INIT;
	struct pe_built_target *targets;
	struct pe_built_test *tests;
	struct pe_strings off;
	size_t n_tests, n_targets;

	if (pe_json_meson_tests(&tests, &n_tests, text, size, &arena, &err) == PE_OK)
		for (size_t i = 0; i < n_tests; i++)
			require(tests[i].name != NULL, "names");
	pe_json_meson_targets(&targets, &n_targets, text, size, &arena, &err);
	pe_json_meson_options_off(&off, text, size, &arena, &err);
	return 0;
}
