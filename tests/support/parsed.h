/* Parsed: what a writer wrote, as a tree; a test fails where it is no JSON. */
#pragma once

#include "core/base/utf8.h"
#include "core/json/tree.h"
#include "tests/support/test.h"

/** A document, which has to be UTF-8; it lives as long as the test. */
static inline const struct pe_json_value *json_parsed(const char *document, size_t n)
{
	static struct pe_arena arena;
	const struct pe_json_value *root;
	struct pe_err err = PE_ERR_INIT;

	for (size_t i = 0, bytes; i < n; i += bytes) {
		uint32_t point;

		bytes = pe_utf8_next(&point, document + i);
		cr_assert(point != 0xfffd || strncmp(document + i, "\xef\xbf\xbd", 3) == 0);
	}
	cr_assert_ok(pe_json_tree(&root, document, n, &arena, &err), err.message);
	return root;
}

/** A member that has to be there, though it may be null. */
static inline const struct pe_json_value *json_get(const struct pe_json_value *object,
						   const char *key)
{
	const struct pe_json_value *value = pe_json_member(object, key);

	cr_assert(value->kind != PE_JSON_END, "no %s", key);
	return value;
}
