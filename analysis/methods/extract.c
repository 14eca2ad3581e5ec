/*
 * Extraction: a file's text is parsed within bounds, and the tree is walked (walk.c).
 */
#include "analysis/methods/extract.h"

#include "analysis/methods/language.h"

#include <stdlib.h>

#define MAX_BRACKETS 10000u

/* Raised whenever the walk or a reader answers otherwise; the grammars' versions are in the other half. */
enum { EXTRACT_REVISION = 10 };

uint32_t pe_extract_version(void)
{
	return ((uint32_t)EXTRACT_REVISION << 20) ^ PE_GRAMMARS_VERSION;
}

/*
 * A parser keeps a stack and a node for every bracket that is open: some hundred bytes for each byte of a file that
 * does nothing but open them. No program nests so deep.
 */
static bool too_deep(const char *source, size_t n)
{
	size_t depth = 0;

	for (size_t i = 0; i < n && depth <= MAX_BRACKETS; i++) {
		const char c = source[i];

		if (c == '(' || c == '[' || c == '{')
			depth++;
		else if ((c == ')' || c == ']' || c == '}') && depth > 0)
			depth--;
	}
	return depth > MAX_BRACKETS;
}

/* NULL: it is not read. */
static TSTree *parse(const struct pe_grammar *grammar, const struct pe_source_file *file)
{
	pe_auto_text blanked = PE_TEXT_INIT;
	const char *text = file->text;
	TSParser *parser;
	TSTree *tree = NULL;

	if (file->n > PE_EXTRACT_MAX_BYTES || too_deep(file->text, file->n))
		return NULL;
	if (grammar->language->flags & PE_LANGUAGE_MACROS) {
		pe_text_addn(&blanked, file->text, file->n);
		pe_macros_blank(blanked.data, file->n,
				!(grammar->language->flags & PE_LANGUAGE_OVERLOADS));
		text = pe_text_str(&blanked);
	}
	parser = ts_parser_new();
	if (ts_parser_set_language(parser, grammar->ts))
		tree = ts_parser_parse_string(parser, NULL, text, (uint32_t)file->n);
	ts_parser_delete(parser);
	return tree;
}

void pe_extract(struct pe_methods *out, const struct pe_source_file *file, struct pe_arena *arena)
{
	struct pe_grammar grammar;
	TSTree *tree;

	pe_grammar_prepare(&grammar,
			   pe_language_by_content(file->language, file->path, file->text, file->n));
	tree = parse(&grammar, file);
	if (tree != NULL)
		pe_walk_tree(out, &grammar, tree, file, arena);
	else
		*out = (struct pe_methods){.at = pe_arena_new(arena, struct pe_method, 0),
					   .unread = 1};
	ts_tree_delete(tree);
	free(grammar.symbols);
}
