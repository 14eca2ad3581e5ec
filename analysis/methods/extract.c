/*
 * Extraction: a file's text is parsed within bounds, and the tree is walked (walk.h).
 */
#include "analysis/methods/extract.h"

#include "analysis/methods/language.h"
#include "analysis/methods/walk.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAX_BRACKETS 10000u

/*
 * What parsing may take at most, of the processor's time, so that a busy machine reads what an idle one does;
 * ordinary sources need a fiftieth. No work can be counted in its place: the parser's interface tells how much
 * text it took, and a text that takes it 16 seconds is read no oftener than any other.
 */
#define PARSE_MICROS           2000000u
#define PARSE_MICROS_PER_KBYTE 2000u

/* The parser looks at the clock on the wall; after each such slice we look at the other. */
#define SLICE_MICROS 250000u

/* Raised whenever the walk or a reader answers otherwise; the grammars' versions are in the other half. */
enum { EXTRACT_REVISION = 4 };

struct pe_extractor {
	TSParser *parser;
	struct pe_grammar
		*grammars[PE_LANGUAGES_MAX]; /* by the place in the table; NULL: not used yet */
	uint64_t limit_micros;               /* 0: by the file's size */
	bool ran_out;                        /* the last file ran into it */
	struct pe_text text; /* what is parsed, where that is not the source itself */
	struct pe_walk walk; /* of the last file: its memory serves the next */
};

uint32_t pe_extract_version(void)
{
	return ((uint32_t)EXTRACT_REVISION << 20) ^ PE_GRAMMARS_VERSION;
}

uint64_t pe_extract_limit(size_t n)
{
	return PARSE_MICROS + (uint64_t)(n / 1024) * PARSE_MICROS_PER_KBYTE;
}

struct pe_extractor *pe_extractor_new(void)
{
	struct pe_extractor *extractor = pe_realloc(NULL, 1, sizeof(*extractor));

	*extractor = (struct pe_extractor){.parser = ts_parser_new()};
	return extractor;
}

void pe_extractor_limit(struct pe_extractor *extractor, uint64_t cpu_us)
{
	extractor->limit_micros = cpu_us;
}

void pe_extractor_free(struct pe_extractor *extractor)
{
	if (extractor == NULL)
		return;
	for (size_t i = 0; i < PE_LANGUAGES_MAX; i++) {
		if (extractor->grammars[i] != NULL)
			free(extractor->grammars[i]->symbols);
		free(extractor->grammars[i]);
	}
	ts_parser_delete(extractor->parser);
	pe_text_release(&extractor->text);
	pe_text_release(&extractor->walk.paths);
	pe_vec_release(&extractor->walk.scopes);
	pe_vec_release(&extractor->walk.frames);
	pe_vec_release(&extractor->walk.methods);
	pe_vec_release(&extractor->walk.prefix);
	free(extractor);
}

static const struct pe_grammar *find_grammar(struct pe_extractor *extractor,
					     const struct pe_language *language)
{
	size_t i = 0;

	while (pe_language_at(i) != language)
		i++;
	assert(i < PE_LANGUAGES_MAX);
	if (extractor->grammars[i] == NULL) {
		extractor->grammars[i] = pe_realloc(NULL, 1, sizeof(*extractor->grammars[i]));
		pe_grammar_prepare(extractor->grammars[i], language);
	}
	return extractor->grammars[i];
}

/*
 * A parser keeps a stack and a node for every bracket that is open: some hundred bytes for each byte of a file that
 * does nothing but open them. No program nests so deep.
 */
static bool too_deep(const char *source, size_t n)
{
	size_t opened = 0, depth = 0;

	/* Nearly every file opens fewer in all; this count has no branches. */
	for (size_t i = 0; i < n; i++)
		opened += (size_t)(source[i] == '(') + (source[i] == '[') + (source[i] == '{');
	if (opened <= MAX_BRACKETS)
		return false;
	for (size_t i = 0; i < n && depth <= MAX_BRACKETS; i++) {
		const char c = source[i];

		if (c == '(' || c == '[' || c == '{')
			depth++;
		else if ((c == ')' || c == ']' || c == '}') && depth > 0)
			depth--;
	}
	return depth > MAX_BRACKETS;
}

static uint64_t cpu_micros(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000u + (uint64_t)now.tv_nsec / 1000u;
}

static TSTree *parse_text(struct pe_extractor *extractor, const char *text, size_t n)
{
	const uint64_t limit =
		extractor->limit_micros != 0 ? extractor->limit_micros : pe_extract_limit(n);
	const uint64_t start = cpu_micros();
	TSTree *tree;

	ts_parser_set_timeout_micros(extractor->parser,
				     limit < SLICE_MICROS ? limit : SLICE_MICROS);
	do /* where the last slice ended it goes on */
		tree = ts_parser_parse_string(extractor->parser, NULL, text, (uint32_t)n);
	while (tree == NULL && cpu_micros() - start < limit);
	if (tree == NULL)
		ts_parser_reset(extractor->parser);
	extractor->ran_out = tree == NULL;
	return tree;
}

static TSTree *parse(struct pe_extractor *extractor, const struct pe_grammar *grammar,
		     const char *source, size_t n)
{
	struct pe_text *text = &extractor->text;

	extractor->ran_out = false;
	if (n > PE_EXTRACT_MAX_BYTES || too_deep(source, n) ||
	    !ts_parser_set_language(extractor->parser, grammar->ts))
		return NULL;
	if (!(grammar->language->flags & PE_LANGUAGE_MACROS))
		return parse_text(extractor, source, n);
	pe_text_clear(text);
	pe_text_addn(text, source, n);
	pe_macros_blank(text->data, n, !(grammar->language->flags & PE_LANGUAGE_OVERLOADS));
	return parse_text(extractor, text->data, n);
}

/* A walk from the start, in the memory of the one before. */
static void start_walk(struct pe_walk *walk, const struct pe_grammar *grammar, const char *source,
		       struct pe_arena *arena)
{
	walk->grammar = grammar;
	walk->source = source;
	walk->arena = arena;
	walk->macros = (grammar->language->flags & PE_LANGUAGE_MACROS) != 0;
	walk->layout = (grammar->language->flags & PE_LANGUAGE_LAYOUT) != 0;
	walk->depth = 1;
	walk->last_end = walk->error_depth = 0;
	walk->unread = 0;
	walk->prefix_depth = walk->prefix_level = walk->call_depth = 0;
	walk->scopes.n = walk->frames.n = walk->methods.n = walk->prefix.n = 0;
	pe_text_clear(&walk->paths);
}

void pe_extract(struct pe_methods *out, struct pe_extractor *extractor,
		const struct pe_language *language, const char *path, const char *source, size_t n,
		struct pe_arena *arena)
{
	const struct pe_grammar *grammar =
		find_grammar(extractor, pe_language_by_content(language, path, source, n));
	TSTree *tree = parse(extractor, grammar, source, n);
	struct pe_walk *walk = &extractor->walk;

	*out = (struct pe_methods){.at = pe_arena_new(arena, struct pe_method, 0),
				   .unread = 1,
				   .ran_out = extractor->ran_out};
	if (tree == NULL)
		return;
	start_walk(walk, grammar, source, arena);
	walk->component = pe_arena_strdup(arena, path);
	walk->cursor = ts_tree_cursor_new(ts_tree_root_node(tree));
	pe_walk_tree(walk);
	*out = (struct pe_methods){
		.at = pe_arena_new(arena, struct pe_method, walk->methods.n),
		.n = walk->methods.n,
		.unread = walk->unread,
		.files = 1,
	};
	if (walk->methods.n > 0)
		memcpy(out->at, walk->methods.data, walk->methods.n * sizeof(*out->at));
	ts_tree_cursor_delete(&walk->cursor);
	ts_tree_delete(tree);
}
