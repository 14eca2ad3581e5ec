/* The page's parts: what writes which block, and how a block is packed. Private to the room. */
#pragma once

#include "core/json/writer.h"
#include "report/page.h"

/** Members of the index that come of an evolution (layout in evolution_data.c); NULL is an empty one. */
void pe_page_put_evolution(struct pe_json *json, const struct pe_evolution *evolution);

/** Member "history" of the index (layout in page.h). */
void pe_page_put_history(struct pe_json *json, const struct pe_page *page);

/** A value of a line: a count is exact, what varies has seven digits; null where there is none. */
void pe_page_put_value(struct pe_json *json, const char *key, double value);

/** The member "block": the name of one, 'l' or 'c' and its number. */
void pe_page_put_block_name(struct pe_json *json, char kind, size_t number);

/** Whether the lines of an evolution have blocks of their own, because they are many and long. */
bool pe_page_lines_apart(const struct pe_evolution *evolution);

/** A line's block, "l" and its number, as JSON. */
void pe_page_put_line(struct pe_json *json, const struct pe_evolution *evolution, size_t line);

/** An entry of the index's "comparisons", whose block is "c" and its number. */
void pe_page_put_entry(struct pe_json *json, const struct pe_page_comparison *comparison,
		       size_t number);

/** A comparison's block, as JSON. */
void pe_page_put_comparison(struct pe_json *json, const struct pe_page_comparison *comparison);

/** Member "tree" of a pair; null where it has none. */
void pe_page_put_tree(struct pe_json *json, const struct pe_compare_pair *pair);
