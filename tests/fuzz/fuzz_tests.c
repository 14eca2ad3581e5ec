/*
 * Lists of tests as libraries and Meson print them, on arbitrary bytes; the first one says whose list it is. What is read
 * has names, and a test without a reason has words that run it.
 */
#include "configs/test_list.h"
#include "core/json/json.h"
#include "tests/fuzz/require.h"

static void check_list(enum pe_tests_kind kind, const char *text, size_t n, struct pe_arena *arena)
{
	struct pe_err err = PE_ERR_INIT;
	struct pe_test_list list;

	if (pe_test_list_read(&list, kind, text, n, arena, &err) != PE_OK)
		return;
	for (size_t i = 0; i < list.n && i < 100; i++) {
		struct pe_strings words;
		const char *reason;

		require(list.items[i].name != NULL && list.items[i].suite != NULL, "names");
		pe_test_words(&words, &reason, kind, &list, i, arena);
		require(reason != NULL || words.n > 0, "words or a reason");
	}
}

static void check_meson(const char *text, size_t n, struct pe_arena *arena)
{
	struct pe_err err = PE_ERR_INIT;
	struct pe_built_target *targets;
	struct pe_built_test *tests;
	struct pe_strings off;
	size_t n_tests, n_targets;

	if (pe_json_meson_tests(&tests, &n_tests, text, n, arena, &err) == PE_OK)
		for (size_t i = 0; i < n_tests; i++)
			require(tests[i].name != NULL, "names");
	pe_json_meson_targets(&targets, &n_targets, text, n, arena, &err);
	pe_json_meson_options_off(&off, text, n, arena, &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const enum pe_tests_kind kinds[] = {PE_TESTS_GTEST, PE_TESTS_DOCTEST, PE_TESTS_BOOST,
						   PE_TESTS_CATCH2};
	pe_auto_arena arena = PE_ARENA_INIT;
	const char *text = (const char *)data + 1;

	if (size == 0)
		return 0;
	if (data[0] % 5 < 4)
		check_list(kinds[data[0] % 5], text, size - 1, &arena);
	else
		check_meson(text, size - 1, &arena);
	return 0;
}
