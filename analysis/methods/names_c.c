/*
 * Names of C and C++: through the chain of declarators, also where a macro that the parser cannot expand changes the shape
 * of a definition's head.
 */
#include "analysis/methods/language.h"

#include "core/base/text.h"

#include <string.h>

enum { CHAIN_MAX = 64 }; /* declarators around a name */

/* Words that a broken parse takes for the name of a function. */
static bool is_keyword(const struct pe_label *name)
{
	return pe_lists_word(" if else while for do switch return case catch sizeof default goto ",
			     name->text);
}

/* A head taken apart. */
struct head {
	TSNode name;     /* null where there is none */
	TSNode function; /* declarator that holds the parameters; null where there is none */
	TSNode until;    /* the name ends where this begins (operator casts); null */
	bool parenthesised;
};

/*
 * "API int (name) (int x)" is read as a function `int` that returns a function: C has none such, so the name is
 * what stands for the inner one's only parameter.
 */
static bool find_hidden_name(struct head *head, TSNode inner)
{
	TSNode parameters = pe_node_child(inner, "parameters");
	TSNode parameter;

	if (ts_node_is_null(parameters) || ts_node_named_child_count(parameters) != 1)
		return false;
	parameter = ts_node_named_child(parameters, 0);
	if (!pe_node_is(parameter, "parameter_declaration") ||
	    ts_node_named_child_count(parameter) != 1)
		return false;
	head->name = ts_node_named_child(parameter, 0);
	return true;
}

static TSNode next_declarator(const struct pe_node_reading *reading, TSNode node)
{
	TSNode next = pe_node_child(node, "declarator");

	if (!ts_node_is_null(next))
		return next;
	return pe_node_is(node, "attributed_declarator")
		       ? ts_node_named_child(node, 0)
		       : pe_node_last_child(reading->grammar, node);
}

/* Where the last part of a qualified name is a cast ("A::operator int()"), its parameters are inside. */
static void find_cast(struct head *head, const struct pe_node_reading *reading)
{
	TSNode node = head->name;

	for (unsigned i = 0; i < CHAIN_MAX && pe_node_is(node, "qualified_identifier"); i++)
		node = pe_node_child(node, "name");
	if (!pe_node_is(node, "operator_cast"))
		return;
	head->until = pe_node_child(node, "declarator");
	/* The cast's own declarator: pointers and references, then the parameters. */
	node = head->until;
	for (unsigned i = 0; i < CHAIN_MAX && !ts_node_is_null(node); i++) {
		if (pe_node_is(node, "abstract_function_declarator")) {
			head->function = node;
			head->until = node;
			return;
		}
		node = next_declarator(reading, node);
	}
}

static struct head take_apart(const struct pe_node_reading *reading)
{
	struct head head = {.name = pe_node_child(reading->node, "declarator")};

	for (unsigned i = 0; i < CHAIN_MAX && !ts_node_is_null(head.name); i++) {
		bool was_function = pe_node_is(head.name, "function_declarator");
		TSNode next;

		if (!pe_ends_in(ts_node_type(head.name), "_declarator"))
			break;
		next = next_declarator(reading, head.name);
		if (was_function)
			head.function = head.name;
		else if (pe_node_is(head.name, "parenthesized_declarator"))
			head.parenthesised = true;
		if (was_function && pe_node_is(next, "function_declarator") &&
		    find_hidden_name(&head, next))
			break;
		head.name = next;
	}
	if (!ts_node_is_null(head.name))
		find_cast(&head, reading);
	return head;
}

/* Whether a word in a parameter is its name. @param field  NULL: it is in none */
static bool is_parameter_name(TSNode node, const char *field, bool in_declarator)
{
	if (!pe_node_is(node, "identifier"))
		return false;
	if (field != NULL && (strcmp(field, "declarator") == 0 || strcmp(field, "name") == 0))
		return true;
	return in_declarator && (field == NULL || strcmp(field, "size") != 0);
}

/* What is in a parameter, but not of its type. */
static bool is_untyped(const struct pe_node_reading *reading, TSNode node, const char *field)
{
	return pe_lists_word(" = modifiers attribute_declaration ", ts_node_type(node)) ||
	       pe_grammar_symbol(reading->grammar, node)->role == PE_ROLE_COMMENT ||
	       (field != NULL && strcmp(field, "default_value") == 0);
}

/* The types of parameters: their text without names, default values and modifiers. */
static void add_types(struct pe_label *label, const struct pe_node_reading *reading,
		      TSNode parameters)
{
	TSTreeCursor cursor = ts_tree_cursor_new(parameters);
	bool declarator[CHAIN_MAX] = {false};
	unsigned depth = 0;

	while (label->len + 2 < PE_NAME_MAX) {
		TSNode node = ts_tree_cursor_current_node(&cursor);
		const char *field = ts_tree_cursor_current_field_name(&cursor);

		declarator[depth] = pe_ends_in(ts_node_type(node), "_declarator");
		if (!is_untyped(reading, node, field)) {
			if (depth + 1 < CHAIN_MAX && ts_tree_cursor_goto_first_child(&cursor)) {
				depth++;
				continue;
			}
			if (!is_parameter_name(node, field, depth > 0 && declarator[depth - 1]))
				pe_label_add_node(label, reading->source, node);
		}
		while (depth > 0 && !ts_tree_cursor_goto_next_sibling(&cursor)) {
			ts_tree_cursor_goto_parent(&cursor);
			depth--;
		}
		if (depth == 0)
			break;
	}
	ts_tree_cursor_delete(&cursor);
	if (strcmp(label->text, "(void)") == 0) {
		label->len = 0;
		pe_label_add(label, "()", 2);
	}
}

/* const, & and && after the parameters tell overloads apart. */
static void add_signature(struct pe_naming *out, const struct pe_node_reading *reading,
			  TSNode function)
{
	TSNode parameters = pe_node_child(function, "parameters");
	uint32_t n = ts_node_named_child_count(function);

	if (!(reading->grammar->language->flags & PE_LANGUAGE_OVERLOADS) ||
	    ts_node_is_null(parameters))
		return;
	add_types(&out->signature, reading, parameters);
	for (uint32_t i = 0; i < n && i < CHAIN_MAX; i++) {
		TSNode child = ts_node_named_child(function, i);

		if (!pe_node_is(child, "type_qualifier") && !pe_node_is(child, "ref_qualifier"))
			continue;
		pe_label_add(&out->signature, " ", 1);
		pe_label_add_node(&out->signature, reading->source, child);
	}
}

static bool has_code(const struct pe_node_reading *reading)
{
	TSNode last = pe_node_last_child(reading->grammar, reading->node);

	return !ts_node_is_null(pe_node_child(reading->node, "body")) ||
	       pe_node_is(last, "default_method_clause") || pe_node_is(last, "try_statement");
}

/* "TEST(suite, case) { ... }": no type, a plain name, and nothing but words for parameters. */
static bool is_macro(const struct pe_node_reading *reading, const struct head *head)
{
	TSNode parameters;
	uint32_t n;

	if (reading->in_class || !pe_node_is(head->name, "identifier") ||
	    !ts_node_is_null(pe_node_child(reading->node, "type")))
		return false;
	parameters = pe_node_child(head->function, "parameters");
	n = ts_node_is_null(parameters) ? 0 : ts_node_named_child_count(parameters);
	for (uint32_t i = 0; i < n && i < CHAIN_MAX; i++) {
		TSNode parameter = ts_node_named_child(parameters, i);

		if (!pe_node_is(parameter, "parameter_declaration") ||
		    !ts_node_is_null(pe_node_child(parameter, "declarator")))
			return false;
	}
	return n > 0;
}

static void name_macro(struct pe_naming *out, const struct pe_node_reading *reading, TSNode macro,
		       TSNode arguments)
{
	pe_label_add_node(&out->name, reading->source, macro);
	pe_label_add_node(&out->name, reading->source, arguments);
	out->start = ts_node_start_byte(macro);
	out->end = ts_node_end_byte(arguments);
}

static void name_function(struct pe_naming *out, const struct pe_node_reading *reading,
			  const struct head *head)
{
	uint32_t start = ts_node_start_byte(head->name);
	uint32_t end = ts_node_end_byte(head->name);

	if (!ts_node_is_null(head->until))
		end = ts_node_start_byte(head->until);
	pe_label_add_range(&out->name, reading->source, start, end);
	out->start = start;
	out->end = end;
	add_signature(out, reading, head->function);
}

void pe_read_c_function(struct pe_naming *out, const struct pe_node_reading *reading)
{
	struct head head = take_apart(reading);

	if (ts_node_is_null(head.name) || !has_code(reading))
		return;
	if (ts_node_is_null(head.function)) {
		/* "DEFINE(name) { ... }", read as a type and a name in parentheses. */
		TSNode type = pe_node_child(reading->node, "type");

		if (!head.parenthesised || !pe_node_is(type, "type_identifier"))
			return;
		name_macro(out, reading, type, pe_node_child(reading->node, "declarator"));
	} else if (is_macro(reading, &head)) {
		name_macro(out, reading, head.name, pe_node_child(head.function, "parameters"));
	} else {
		name_function(out, reading, &head);
	}
	out->top = true;
	if (out->name.len > 0 && !is_keyword(&out->name))
		out->kind = PE_NAMES_METHOD;
}

void pe_read_call_head(struct pe_naming *out, const struct pe_node_reading *reading)
{
	uint32_t n = ts_node_child_count(reading->node);
	TSNode call, function, arguments;

	/* A statement that lacks its semicolon. */
	if (n < 2 || !ts_node_is_missing(ts_node_child(reading->node, n - 1)))
		return;
	call = ts_node_child(reading->node, 0);
	if (!pe_node_is(call, "call_expression"))
		return;
	function = pe_node_child(call, "function");
	arguments = pe_node_child(call, "arguments");
	if (!pe_node_is(function, "identifier") || ts_node_is_null(arguments) ||
	    ts_node_start_point(function).column != 0)
		return;
	pe_label_add_node(&out->name, reading->source, function);
	if (is_keyword(&out->name))
		return;
	out->name.len = 0;
	if (ts_node_named_child_count(arguments) == 0)
		pe_label_add_node(&out->name, reading->source, function);
	else
		name_macro(out, reading, function, arguments);
	out->top = true;
	if (out->name.len > 0 && !is_keyword(&out->name))
		out->kind = PE_NAMES_METHOD;
}

void pe_read_java_method(struct pe_naming *out, const struct pe_node_reading *reading)
{
	pe_read_named(out, reading);
	if (out->kind == PE_NAMES_METHOD)
		add_signature(out, reading, reading->node);
}
