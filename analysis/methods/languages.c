#include "analysis/methods/language.h"
#include "core/base/text.h"
#include "analysis/methods/extract.h"

#include <stdlib.h>
#include <string.h>

const TSLanguage *tree_sitter_c(void);
const TSLanguage *tree_sitter_cpp(void);
const TSLanguage *tree_sitter_python(void);
const TSLanguage *tree_sitter_javascript(void);
const TSLanguage *tree_sitter_typescript(void);
const TSLanguage *tree_sitter_tsx(void);
const TSLanguage *tree_sitter_java(void);
const TSLanguage *tree_sitter_go(void);
const TSLanguage *tree_sitter_rust(void);
const TSLanguage *tree_sitter_ruby(void);

#define RULE(name, kind, reader)                                                                   \
	{                                                                                          \
		.type = (name), .role = (kind), .read = (reader)                                   \
	}
#define FIELDS(node, reader, name_field, value_field, ...)                                         \
	{                                                                                          \
		.type = (node), .role = PE_ROLE_NAMED, .read = (reader), .name = (name_field),     \
		.value = (value_field), __VA_ARGS__                                                \
	}
#define NAMED(type, reader)      RULE(type, PE_ROLE_NAMED, reader)
#define METHOD(type, reader)     FIELDS(type, reader, "name", "body", )
#define SCOPE(type)              FIELDS(type, pe_read_scope, "name", NULL, )
#define BOUND(type, name, value) FIELDS(type, pe_read_bound, name, value, .plain = true)
#define CLASS(type)              FIELDS(type, pe_read_scope, "name", "body", .is_class = true, .text = "")
#define COMMENT(type)            RULE(type, PE_ROLE_COMMENT, NULL)
#define ATOM(type)               RULE(type, PE_ROLE_ATOM, NULL)
#define END                      RULE(NULL, PE_ROLE_PLAIN, NULL)

/* A function-like macro's use that defines a function ("TEST(a, b) { ... }") is a call and a block in C. */
#define C_FAMILY                                                                                   \
	NAMED("function_definition", pe_read_c_function), COMMENT("comment"),                      \
		RULE("preproc_arg", PE_ROLE_DIRECTIVE, NULL),                                      \
		RULE("expression_statement", PE_ROLE_CALL_HEAD, pe_read_call_head),                \
		RULE("compound_statement", PE_ROLE_CALL_BODY, NULL)

static const struct pe_rule c_rules[] = {
	C_FAMILY,
	END,
};

static const struct pe_rule cpp_rules[] = {
	C_FAMILY,
	NAMED("template_declaration", pe_read_wrapped),
	BOUND("init_declarator", "declarator", "value"),
	FIELDS("namespace_definition", pe_read_scope, "name", NULL,
	       .text = "(anonymous namespace)"),
	CLASS("class_specifier"),
	CLASS("struct_specifier"),
	CLASS("union_specifier"),
	END,
};

static const struct pe_rule python_rules[] = {
	METHOD("function_definition", pe_read_named),
	NAMED("decorated_definition", pe_read_wrapped),
	SCOPE("class_definition"),
	BOUND("assignment", "left", "right"),
	COMMENT("comment"),
	COMMENT("line_continuation"),
	ATOM("string_content"), /* parts of it have no nodes */
	RULE("string", PE_ROLE_STRING, NULL),
	END,
};

#define JAVASCRIPT                                                                                 \
	METHOD("function_declaration", pe_read_named),                                             \
		METHOD("generator_function_declaration", pe_read_named),                           \
		METHOD("function_expression", pe_read_named),                                      \
		METHOD("generator_function", pe_read_named),                                       \
		METHOD("method_definition", pe_read_named), SCOPE("class_declaration"),            \
		SCOPE("class"), BOUND("variable_declarator", "name", "value"),                     \
		BOUND("assignment_expression", "left", "right"),                                   \
		FIELDS("pair", pe_read_bound, "key", "value", ),                                   \
		FIELDS("export_statement", pe_read_bound, NULL, "value", .text = "default"),       \
		COMMENT("comment"), COMMENT("html_comment"), COMMENT("hash_bang_line"),            \
		ATOM("string")

static const struct pe_rule javascript_rules[] = {
	JAVASCRIPT,
	FIELDS("field_definition", pe_read_bound, "property", "value", ),
	END,
};

static const struct pe_rule typescript_rules[] = {
	JAVASCRIPT,
	FIELDS("public_field_definition", pe_read_bound, "name", "value", ),
	SCOPE("abstract_class_declaration"),
	SCOPE("internal_module"),
	SCOPE("module"),
	RULE("decorator", PE_ROLE_PREFIX, NULL),
	END,
};

static const struct pe_rule java_rules[] = {
	METHOD("method_declaration", pe_read_java_method),
	METHOD("constructor_declaration", pe_read_java_method),
	METHOD("compact_constructor_declaration", pe_read_java_method),
	SCOPE("class_declaration"),
	SCOPE("interface_declaration"),
	SCOPE("enum_declaration"),
	SCOPE("record_declaration"),
	SCOPE("annotation_type_declaration"),
	SCOPE("enum_constant"),
	BOUND("variable_declarator", "name", "value"),
	ATOM("string_literal"),
	COMMENT("line_comment"),
	COMMENT("block_comment"),
	END,
};

static const struct pe_rule go_rules[] = {
	METHOD("function_declaration", pe_read_named),
	METHOD("method_declaration", pe_read_go_method),
	BOUND("short_var_declaration", "left", "right"),
	BOUND("assignment_statement", "left", "right"),
	BOUND("var_spec", "name", "value"),
	ATOM("interpreted_string_literal"),
	ATOM("rune_literal"),
	COMMENT("comment"),
	END,
};

static const struct pe_rule rust_rules[] = {
	METHOD("function_item", pe_read_named),
	SCOPE("mod_item"),
	SCOPE("trait_item"),
	NAMED("impl_item", pe_read_rust_impl),
	/* What it defines has no place in the source but this one, and changes with it. */
	FIELDS("macro_definition", pe_read_named, "name", NULL, .text = "!"),
	BOUND("let_declaration", "pattern", "value"),
	ATOM("string_literal"),
	COMMENT("line_comment"),
	COMMENT("block_comment"),
	COMMENT("shebang"),
	RULE("attribute_item", PE_ROLE_PREFIX, NULL),
	END,
};

static const struct pe_rule ruby_rules[] = {
	FIELDS("method", pe_read_ruby_method, "name", NULL, ),
	NAMED("singleton_method", pe_read_ruby_singleton),
	NAMED("singleton_class", pe_read_ruby_self),
	SCOPE("class"),
	SCOPE("module"),
	BOUND("assignment", "left", "right"),
	COMMENT("comment"),
	END,
};

static const char js_functions[] = " arrow_function function_expression generator_function ";
static const char js_objects[] = " object class ";

static const struct pe_language languages[] = {
	{"c", " .c .h ", tree_sitter_c, "::", PE_LANGUAGE_MACROS, c_rules, "", ""},
	{"cpp", " .cc .cpp .cxx .c++ .C .hh .hpp .hxx .h++ .H .ipp .inl .tpp .txx ",
	 tree_sitter_cpp, "::", PE_LANGUAGE_MACROS | PE_LANGUAGE_OVERLOADS, cpp_rules,
	 " lambda_expression ", ""},
	{"python", " .py .pyi .pyw ", tree_sitter_python, ".", PE_LANGUAGE_LAYOUT, python_rules,
	 " lambda ", ""},
	{"javascript", " .js .mjs .cjs .jsx ", tree_sitter_javascript, ".", PE_LANGUAGE_LAYOUT,
	 javascript_rules, js_functions, js_objects},
	{"typescript", " .ts .mts .cts ", tree_sitter_typescript, ".", PE_LANGUAGE_LAYOUT,
	 typescript_rules, js_functions, js_objects},
	{"tsx", " .tsx ", tree_sitter_tsx, ".", PE_LANGUAGE_LAYOUT, typescript_rules, js_functions,
	 js_objects},
	{"java", " .java ", tree_sitter_java, ".", PE_LANGUAGE_OVERLOADS, java_rules,
	 " lambda_expression ", ""},
	{"go", " .go ", tree_sitter_go, ".", PE_LANGUAGE_LAYOUT, go_rules, " func_literal ", ""},
	{"rust", " .rs ", tree_sitter_rust, "::", 0, rust_rules, " closure_expression ", ""},
	{"ruby", " .rb .rake .gemspec .ru ", tree_sitter_ruby, "::", PE_LANGUAGE_LAYOUT, ruby_rules,
	 " lambda ", ""},
};

enum { N_LANGUAGES = sizeof(languages) / sizeof(languages[0]) };

const struct pe_language *pe_language_at(size_t index)
{
	return index < N_LANGUAGES ? &languages[index] : NULL;
}

bool pe_lists_word(const char *list, const char *word)
{
	const size_t n = strlen(word);

	for (const char *at = list; n > 0 && (at = strstr(at, word)) != NULL; at++)
		if (at > list && at[-1] == ' ' && at[n] == ' ')
			return true;
	return false;
}

const char *pe_language_name(const struct pe_language *language)
{
	return language->name;
}

const struct pe_language *pe_language_of(const char *path)
{
	const char *dot = strrchr(pe_path_name(path), '.');

	for (size_t i = 0; dot != NULL && i < N_LANGUAGES; i++)
		if (pe_lists_word(languages[i].endings, dot))
			return &languages[i];
	return NULL;
}

/* Whether a line, whose blanks were skipped, opens with something that C does not have. */
static bool opens_cpp(const char *line, size_t n)
{
	static const char *const words[] = {"class",     "namespace", "template",
					    "using",     "public",    "private",
					    "protected", "virtual",   "constexpr"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t len = strlen(words[i]);

		if (n <= len || memcmp(line, words[i], len) != 0 || pe_is_word(line[len]))
			continue;
		/* `class` and its like are legal names in C: `private = 1;` is not a label. */
		while (len < n && (line[len] == ' ' || line[len] == '\t'))
			len++;
		if (len == n)
			return false;
		if (words[i][0] == 'p')
			return line[len] == ':';
		return pe_is_word(line[len]) || line[len] == '<' || line[len] == '{' ||
		       line[len] == '[';
	}
	return false;
}

/* Whether a line outside of comments is one that only C++ has. */
static bool shows_cpp(const char *source, size_t n)
{
	bool fresh = true; /* nothing but blanks and comments since the line began */

	for (size_t at = 0, next; at < n; at = next) {
		next = pe_skip_comment(source, (uint32_t)at, (uint32_t)n);
		if (next != at)
			continue;
		if (fresh && opens_cpp(source + at, n - at))
			return true;
		fresh = source[at] == '\n' || (fresh && pe_is_blank(source[at]));
		next++;
	}
	return false;
}

const struct pe_language *pe_language_by_content(const struct pe_language *language,
						 const char *path, const char *source, size_t n)
{
	size_t len = strlen(path);

	if (language != &languages[0] || len < 2 || strcmp(path + len - 2, ".h") != 0)
		return language;
	return shows_cpp(source, n) ? &languages[1] : language;
}

static void prepare_symbol(struct pe_node_symbol *out, const struct pe_language *language,
			   const char *type, bool named)
{
	out->named = named;
	if (!named) {
		out->dropped = (language->flags & PE_LANGUAGE_LAYOUT) && strcmp(type, ";") == 0;
		return;
	}
	for (const struct pe_rule *rule = language->rules; rule->type != NULL; rule++)
		if (strcmp(rule->type, type) == 0) {
			out->role = (uint8_t)rule->role;
			out->rule = rule;
		}
	out->identifier =
		pe_lists_word(" identifier constant ", type) || pe_ends_in(type, "identifier");
}

void pe_grammar_prepare(struct pe_grammar *out, const struct pe_language *language)
{
	uint32_t n;

	out->language = language;
	out->ts = language->grammar();
	n = ts_language_symbol_count(out->ts);
	out->symbols = pe_realloc(NULL, n, sizeof(*out->symbols));
	memset(out->symbols, 0, n * sizeof(*out->symbols));
	for (uint32_t i = 0; i < n; i++)
		prepare_symbol(
			&out->symbols[i], language, ts_language_symbol_name(out->ts, (TSSymbol)i),
			ts_language_symbol_type(out->ts, (TSSymbol)i) == TSSymbolTypeRegular);
}
