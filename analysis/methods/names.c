/*
 * Names: how a method's or a scope's name is read from its node, by the ways that several languages share and
 * by what each has of its own. C and C++ stand in names_c.c. A reader answers PE_NAMES_NOTHING for a node that
 * is neither, a declaration without a body among them: what holds no code cannot change what a program does.
 */
#include "analysis/methods/language.h"

#include <string.h>

/* What is looked through: parentheses and lists around a bound function; templates around a function. */
enum { UNWRAPS = 8, WRAPPERS = 64 };

TSNode pe_node_last_child(const struct pe_grammar *grammar, TSNode node)
{
	for (uint32_t i = ts_node_named_child_count(node); i-- > 0;) {
		TSNode child = ts_node_named_child(node, i);
		uint8_t role = pe_grammar_symbol(grammar, child)->role;

		if (role != PE_ROLE_COMMENT && role != PE_ROLE_ERROR)
			return child;
	}
	return (TSNode){.id = NULL};
}

static bool is_word(char c)
{
	return c == '$' || pe_is_word(c);
}

static void add_character(struct pe_label *label, char c)
{
	if (c != '\0' && label->len + 1 < PE_NAME_MAX)
		label->text[label->len++] = c;
}

void pe_label_add(struct pe_label *label, const char *text, size_t n)
{
	if (n > 0 && label->len > 0 && is_word(label->text[label->len - 1]) && is_word(text[0]))
		add_character(label, ' ');
	for (size_t i = 0; i < n && label->len + 1 < PE_NAME_MAX; i++) {
		/* One look for "f(a,b)" and "f(a, b)". */
		if (label->len > 0 && label->text[label->len - 1] == ',' && text[i] != ' ')
			add_character(label, ' ');
		add_character(label, text[i]);
	}
	label->text[label->len] = '\0';
}

static void add_string(struct pe_label *label, const char *text)
{
	pe_label_add(label, text, strlen(text));
}

void pe_label_add_range(struct pe_label *label, const char *source, uint32_t at, uint32_t end)
{
	while (at < end && label->len + 1 < PE_NAME_MAX) {
		uint32_t from = pe_skip_comment(source, at, end);

		if (from != at || pe_is_blank(source[at]) || source[at] == '\\') {
			at = from != at ? from : at + 1;
			continue;
		}
		while (at < end && !pe_is_blank(source[at]) && source[at] != '\\' &&
		       at - from < PE_NAME_MAX &&
		       (at == from || pe_skip_comment(source, at, end) == at))
			at++;
		pe_label_add(label, source + from, at - from);
	}
}

void pe_label_add_node(struct pe_label *label, const char *source, TSNode node)
{
	pe_label_add_range(label, source, ts_node_start_byte(node), ts_node_end_byte(node));
}

static bool spells(const struct pe_node_reading *reading, TSNode node, const char *text)
{
	uint32_t start = ts_node_start_byte(node), len = ts_node_end_byte(node) - start;

	return strlen(text) == len && memcmp(reading->source + start, text, len) == 0;
}

/* Name the thing by a node's text and mask that node. */
static void name_by(struct pe_naming *out, const struct pe_node_reading *reading, TSNode name)
{
	uint32_t start = ts_node_start_byte(name), end = ts_node_end_byte(name);
	const char first = start < end ? reading->source[start] : '\0';

	out->start = start;
	out->end = end;
	/* A property named by a string is named by what is in it. */
	if (end - start >= 2 && (first == '"' || first == '\'') && pe_node_is(name, "string"))
		pe_label_add(&out->name, reading->source + start + 1, end - start - 2);
	else
		pe_label_add_node(&out->name, reading->source, name);
}

static bool lacks_value(const struct pe_node_reading *reading)
{
	return reading->rule->value != NULL &&
	       ts_node_is_null(pe_node_child(reading->node, reading->rule->value));
}

void pe_read_named(struct pe_naming *out, const struct pe_node_reading *reading)
{
	const struct pe_rule *rule = reading->rule;
	TSNode name = pe_node_child(reading->node, rule->name);

	if (ts_node_is_null(name) || lacks_value(reading))
		return;
	name_by(out, reading, name);
	if (out->name.len == 0)
		return;
	add_string(&out->name, rule->text != NULL ? rule->text : "");
	out->kind = PE_NAMES_METHOD;
}

void pe_read_scope(struct pe_naming *out, const struct pe_node_reading *reading)
{
	const char *unnamed = reading->rule->text;
	TSNode name = pe_node_child(reading->node, reading->rule->name);
	const bool has_name = !ts_node_is_null(name);

	if (lacks_value(reading) || (!has_name && unnamed == NULL))
		return;
	if (has_name)
		name_by(out, reading, name);
	else
		add_string(&out->name, unnamed);
	out->kind = PE_NAMES_SCOPE;
	/* "module ::Name" stands outside what is around it. */
	if (strncmp(out->name.text, "::", 2) == 0) {
		out->name.len -= 2;
		memmove(out->name.text, out->name.text + 2, out->name.len + 1);
		out->absolute = true;
	}
}

/* A value without the parentheses and one-element lists around it. */
static TSNode unwrap(TSNode value)
{
	for (unsigned i = 0; i < UNWRAPS && !ts_node_is_null(value); i++) {
		if (!pe_lists_word(" parenthesized_expression expression_list ",
				   ts_node_type(value)) ||
		    ts_node_named_child_count(value) != 1)
			break;
		value = ts_node_named_child(value, 0);
	}
	return value;
}

/* A name is plain if it is known without running the program: words joined by dots. */
static bool is_plain_name(const struct pe_label *name)
{
	for (size_t i = 0; i < name->len; i++)
		if (!is_word(name->text[i]) && strchr(".#@:", name->text[i]) == NULL)
			return false;
	return name->len > 0;
}

/* A method where the value is a function, a scope where it is an object or a class. */
void pe_read_bound(struct pe_naming *out, const struct pe_node_reading *reading)
{
	const struct pe_language *language = reading->grammar->language;
	const struct pe_rule *rule = reading->rule;
	TSNode value = unwrap(pe_node_child(reading->node, rule->value));
	TSNode name;
	bool is_function;

	if (ts_node_is_null(value))
		return;
	is_function = pe_lists_word(language->functions, ts_node_type(value));
	if (!is_function && !pe_lists_word(language->objects, ts_node_type(value)))
		return;
	if (rule->name != NULL) {
		name = pe_node_child(reading->node, rule->name);
		if (ts_node_is_null(name))
			return;
		name_by(out, reading, name);
	} else if (ts_node_is_null(pe_node_child(value, "name"))) {
		add_string(&out->name, rule->text);
	} /* else it goes by its own name */
	out->function = value.id;
	if (rule->plain ? is_plain_name(&out->name) : out->name.len > 0)
		out->kind = is_function ? PE_NAMES_METHOD : PE_NAMES_SCOPE;
}

void pe_read_wrapped(struct pe_naming *out, const struct pe_node_reading *reading)
{
	struct pe_node_reading inner = *reading;

	for (unsigned i = 0; i < WRAPPERS && inner.rule == reading->rule; i++) {
		inner.node = pe_node_last_child(reading->grammar, inner.node);
		if (ts_node_is_null(inner.node))
			return;
		inner.rule = pe_grammar_symbol(reading->grammar, inner.node)->rule;
	}
	if (!pe_node_is(inner.node, "function_definition"))
		return;
	inner.rule->read(out, &inner);
	out->function = inner.node.id;
}

/* The receiver's type without pointer and type arguments: Go has one method of a name for both. */
static void add_receiver(struct pe_label *label, const struct pe_node_reading *reading,
			 TSNode receiver)
{
	TSNode parameter = pe_node_last_child(reading->grammar, receiver), type;
	uint32_t at, end;

	if (ts_node_is_null(parameter))
		return;
	type = pe_node_child(parameter, "type");
	if (ts_node_is_null(type))
		return;
	at = ts_node_start_byte(type);
	end = ts_node_end_byte(type);
	while (at < end && !is_word(reading->source[at])) {
		uint32_t from = pe_skip_comment(reading->source, at, end);

		at = from != at ? from : at + 1;
	}
	for (uint32_t i = at; i < end; i++)
		if (!is_word(reading->source[i]) && reading->source[i] != '.')
			end = i;
	add_string(label, "(");
	pe_label_add(label, reading->source + at, end - at);
	add_string(label, ").");
}

void pe_read_go_method(struct pe_naming *out, const struct pe_node_reading *reading)
{
	TSNode receiver = pe_node_child(reading->node, "receiver");

	if (!ts_node_is_null(receiver))
		add_receiver(&out->name, reading, receiver);
	pe_read_named(out, reading);
}

/* "Type", or "<Type as Trait>": two traits may give a type methods of one name. */
void pe_read_rust_impl(struct pe_naming *out, const struct pe_node_reading *reading)
{
	TSNode type = pe_node_child(reading->node, "type");
	TSNode trait = pe_node_child(reading->node, "trait");

	if (ts_node_is_null(type))
		return;
	out->kind = PE_NAMES_SCOPE;
	if (ts_node_is_null(trait)) {
		pe_label_add_node(&out->name, reading->source, type);
		return;
	}
	add_string(&out->name, "<");
	pe_label_add_node(&out->name, reading->source, type);
	add_string(&out->name, " as ");
	pe_label_add_node(&out->name, reading->source, trait);
	add_string(&out->name, ">");
}

void pe_read_ruby_method(struct pe_naming *out, const struct pe_node_reading *reading)
{
	pe_read_named(out, reading);
	out->separator = reading->singleton ? "." : "#";
}

void pe_read_ruby_singleton(struct pe_naming *out, const struct pe_node_reading *reading)
{
	TSNode object = pe_node_child(reading->node, "object");
	TSNode name = pe_node_child(reading->node, "name");

	if (ts_node_is_null(object) || ts_node_is_null(name))
		return;
	if (!spells(reading, object, "self")) {
		pe_label_add_node(&out->name, reading->source, object);
		add_string(&out->name, ".");
	}
	name_by(out, reading, name);
	out->separator = ".";
	out->kind = PE_NAMES_METHOD;
}

void pe_read_ruby_self(struct pe_naming *out, const struct pe_node_reading *reading)
{
	TSNode value = pe_node_child(reading->node, "value");

	if (!ts_node_is_null(value) && !spells(reading, value, "self"))
		pe_label_add_node(&out->name, reading->source, value);
	out->singleton = true;
	out->kind = PE_NAMES_SCOPE;
}
