/* Lists of test libraries; see pe_test_list_read(). */
#include "configs/test_list.h"
#include "core/base/array.h"
#include "core/base/text.h"
#include "core/base/utf8.h"
#include "core/base/vec.h"
#include "core/json/tree.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* State of reading one list. */
struct reading {
	struct pe_arena *arena;
	PE_VEC(struct pe_test_item) items;
};

static void add(struct reading *reading, const char *name, const char *suite, const char *file,
		const char *reason)
{
	pe_vec_push(&reading->items,
		    (struct pe_test_item){name, suite != NULL ? suite : "",
					  file != NULL && *file != '\0' ? file : NULL, reason});
}

/* --- gtest --- */

/*
 * The reason for DISABLED_ at the start of a suite or test, also after the prefix of an instance (as in gtest's own filter).
 */
static const char *gtest_reason(const char *suite, const char *test)
{
	const char *const parts[] = {suite, test};

	for (size_t i = 0; i < 2; i++)
		if (strncmp(parts[i], "DISABLED_", 9) == 0 ||
		    strstr(parts[i], "/DISABLED_") != NULL)
			return "disabled";
	return NULL;
}

static void add_gtest(struct reading *reading, const char *suite, const char *test,
		      const char *file)
{
	if (suite != NULL && test != NULL)
		add(reading, pe_arena_printf(reading->arena, "%s.%s", suite, test), NULL, file,
		    gtest_reason(suite, test));
}

/* Convert a text of gtest, which writes each byte outside ASCII as \u00XX. */
static const char *gtest_text(const struct pe_json_value *value, struct pe_arena *arena)
{
	const unsigned char *at = (const unsigned char *)pe_json_string(value);
	pe_auto_text out = PE_TEXT_INIT;

	for (; at != NULL && *at != '\0'; at++) {
		bool byte = (*at == 0xc2 || *at == 0xc3) && (at[1] & 0xc0) == 0x80;

		if (*at >= 0x80 && !byte)
			return pe_json_string(value); /* another writer, which supports Unicode */
		pe_text_addc(&out, byte ? (char)(*at << 6 | (at[1] & 0x3f)) : (char)*at);
		at += byte;
	}
	for (size_t i = 0; i < out.len;) {
		uint32_t point;

		i += pe_utf8_next(&point, out.data + i);
		if (point == 0xfffd)
			return pe_json_string(value);
	}
	return at != NULL ? pe_arena_strdup(arena, pe_text_str(&out)) : NULL;
}

static int read_gtest_json(struct reading *reading, const char *text, size_t len,
			   struct pe_err *err)
{
	const struct pe_json_value *root, *suites;
	int rc = pe_json_tree(&root, text, len, reading->arena, err);

	if (rc != PE_OK)
		return rc;
	suites = pe_json_member(root, "testsuites");
	for (size_t i = 0; i < pe_json_length(suites); i++) {
		const char *suite =
			gtest_text(pe_json_member(&suites->items[i], "name"), reading->arena);
		const struct pe_json_value *tests = pe_json_member(&suites->items[i], "testsuite");

		for (size_t j = 0; j < pe_json_length(tests); j++)
			add_gtest(reading, suite,
				  gtest_text(pe_json_member(&tests->items[j], "name"),
					     reading->arena),
				  gtest_text(pe_json_member(&tests->items[j], "file"),
					     reading->arena));
	}
	return suites->kind == PE_JSON_ARRAY ? PE_OK
					     : pe_fail(err, PE_EINVALID, "no member 'testsuites'");
}

/* Read the list of versions without JSON: "Suite." and below it "  Test", each with a comment about parameters. */
static void read_gtest_text(struct reading *reading, char *text)
{
	char *rest = NULL;
	const char *suite = NULL;

	for (char *line = strtok_r(text, "\r\n", &rest); line != NULL;
	     line = strtok_r(NULL, "\r\n", &rest)) {
		char *comment = strstr(line, "  # ");
		size_t n;

		if (comment != NULL)
			*comment = '\0';
		n = strlen(line);
		if (strncmp(line, "  ", 2) == 0) {
			add_gtest(reading, suite, line + 2, NULL);
		} else if (n > 1 && line[n - 1] == '.') {
			line[n - 1] = '\0';
			suite = line;
		} else {
			suite = NULL; /* other output of the program */
		}
	}
}

/* --- XML: doctest, Catch2 3 --- */

/* Find the text between a word and a byte, with entities replaced; NULL: it is missing. */
static const char *xml_text(const char *from, const char *word, char stop, struct pe_arena *arena)
{
	static const char *const entities[] = {"<&lt;", ">&gt;", "&&amp;", "\"&quot;", "'&apos;"};
	const char *at = strstr(from, word);
	pe_auto_text out = PE_TEXT_INIT;

	if (at == NULL)
		return NULL;
	for (at += strlen(word); *at != '\0' && *at != stop;) {
		size_t i = 0;

		while (i < 5 && strncmp(at, entities[i] + 1, strlen(entities[i] + 1)) != 0)
			i++;
		pe_text_addc(&out, i < 5 ? entities[i][0] : *at);
		at += i < 5 ? strlen(entities[i] + 1) : 1;
	}
	return *at == stop ? pe_arena_strdup(arena, pe_text_str(&out)) : NULL;
}

/* Cut the next test case off a text; NULL: there is none. Both libraries escape '<' and '"' in names. */
static char *next_case(char **text)
{
	static const char begin[] = "<TestCase";
	char *one = strstr(*text, begin), *next;

	if (one == NULL)
		return NULL;
	one += strlen(begin);
	next = strstr(one, begin);
	*text = next != NULL ? next : one + strlen(one);
	/* The end replaces the byte before the next one: a blank. */
	if (next != NULL)
		next[-1] = '\0';
	return one;
}

static void read_doctest(struct reading *reading, struct pe_test_list *list, char *text)
{
	struct pe_arena *arena = reading->arena;
	const char *start = strstr(text, "<doctest ");
	const char *version = start != NULL ? xml_text(start, " version=\"", '"', arena) : NULL;
	unsigned long parts[3] = {0};

	for (size_t i = 0; version != NULL && i < 3; i++) {
		parts[i] = strtoul(version, (char **)&version, 10);
		version += *version == '.';
	}
	list->escapes_commas =
		(parts[0] << 20 | parts[1] << 10 | parts[2]) >= (2 << 20 | 4 << 10 | 9);
	for (const char *one; (one = next_case(&text)) != NULL;) {
		const char *name = xml_text(one, " name=\"", '"', arena);
		const char *skipped = xml_text(one, " skipped=\"", '"', arena);

		add(reading, name != NULL ? name : "", xml_text(one, " testsuite=\"", '"', arena),
		    xml_text(one, " filename=\"", '"', arena),
		    skipped != NULL && strcmp(skipped, "true") == 0 ? "skipped" : NULL);
	}
}

static void read_catch2_xml(struct reading *reading, char *text)
{
	for (const char *one; (one = next_case(&text)) != NULL;) {
		const char *name = xml_text(one, "<Name>", '<', reading->arena);

		if (name != NULL)
			add(reading, name, NULL, xml_text(one, "<File>", '<', reading->arena),
			    NULL);
	}
}

/* Read the list of version 2: "name<tab>@file:line"; a name that begins with '#' is in quotes. */
static void read_catch2_names(struct reading *reading, char *text)
{
	char *rest = NULL;

	for (char *line = strtok_r(text, "\r\n", &rest); line != NULL;
	     line = strtok_r(NULL, "\r\n", &rest)) {
		char *place = strstr(line, "\t@"), *number;
		size_t n;

		if (place == NULL)
			continue;
		*place = '\0';
		number = strrchr(place + 2, ':');
		if (number != NULL)
			*number = '\0';
		n = strlen(line);
		if (n > 2 && strncmp(line, "\"#", 2) == 0 && line[n - 1] == '"') {
			line[n - 1] = '\0';
			line++;
		}
		add(reading, line, NULL, place + 2, NULL);
	}
}

/* --- Boost --- */

enum { FIRST_CASE = 0x10000 }; /* suites have ids below, test cases from here on */

/* State of reading a unit of the tree: a suite or a test case. */
struct unit {
	unsigned long id, parent;
	const char *name, *file;
	bool disabled, depends;
};

typedef PE_VEC(struct unit) unit_vec;

/* Order units as in the tree. */
static int by_id(const void *a, const void *b)
{
	const struct unit *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

static struct unit *unit_of(const unit_vec *units, unsigned long id)
{
	const struct unit key = {.id = id};

	return units->n == 0 ? NULL : bsearch(&key, units->data, units->n, sizeof(key), by_id);
}

/* Find the last byte of this value in a range; NULL: there is none. */
static char *last(char *from, const char *end, char byte)
{
	for (char *at = from + (end - from); at > from;)
		if (*--at == byte)
			return at;
	return NULL;
}

/* Split "name|file(7)|labels: @slow": names may contain '|', and nothing is escaped. */
static void split_label(struct unit *unit, char *label)
{
	char *bar, *end = label + strlen(label);

	while ((bar = last(label, end, '|')) != NULL) {
		char *open = last(bar, end, '(');

		if (open != NULL && end[-1] == ')' &&
		    open + 1 + strspn(open + 1, "0123456789") == end - 1) {
			*bar = *open = '\0';
			unit->file = bar + 1;
			break;
		}
		end = bar;
	}
	unit->name = label;
}

/* Read tu65536[shape=Mrecord,fontname=Helvetica,color=green,label="plain|b.cc(7)"]; */
static void read_unit(unit_vec *units, char *line)
{
	char *rest, *label = strstr(line, "label=\""), *end;
	struct unit unit = {.id = strtoul(line + 2, &rest, 10), .name = ""};

	if (rest == line + 2 || *rest != '[' || label == NULL)
		return;
	unit.disabled =
		strstr(line, "color=yellow") != NULL && strstr(line, "color=yellow") < label;
	label += strlen("label=\"");
	end = label + strlen(label);
	if (end - label < 3 || strcmp(end - 3, "\"];") != 0)
		return;
	end[-3] = '\0';
	split_label(&unit, label);
	pe_vec_push(units, unit);
}

/* Read tu1 -> tu65536;  a dotted edge is a dependency. */
static void read_edge(const unit_vec *units, const char *line)
{
	unsigned long from, to;
	struct unit *above, *below;
	char *rest;

	from = strtoul(line + 2, &rest, 10);
	if (strncmp(rest, " -> tu", 6) != 0)
		return;
	to = strtoul(rest + 6, &rest, 10);
	above = unit_of(units, from);
	below = unit_of(units, to);
	if (above == NULL || below == NULL)
		return;
	if (*rest == '[')
		above->depends = true;
	else
		below->parent = from;
}

static void add_boost(struct reading *reading, const unit_vec *units, const struct unit *unit)
{
	enum { DEEP = 64 }; /* limits rings and deep nesting, which do not occur */
	const char *path = unit->name;
	const struct unit *above = unit_of(units, unit->parent);
	bool disabled = unit->disabled, depends = unit->depends;

	for (int i = 0; i < DEEP && above != NULL && above->parent != 0; i++) {
		path = pe_arena_printf(reading->arena, "%s/%s", above->name, path);
		disabled = disabled || above->disabled;
		depends = depends || above->depends;
		above = unit_of(units, above->parent);
	}
	add(reading, path, NULL, unit->file,
	    disabled  ? "disabled"
	    : depends ? "it depends on another test, which would run with it"
		      : NULL);
}

static void read_boost(struct reading *reading, char *text)
{
	pe_auto_free unit_vec units = {0};
	PE_VEC(const char *) edges = {0};
	char *rest = NULL;

	for (char *line = strtok_r(text, "\r\n", &rest); line != NULL;
	     line = strtok_r(NULL, "\r\n", &rest)) {
		if (strncmp(line, "tu", 2) != 0 || !isdigit((unsigned char)line[2]))
			continue;
		if (line[2 + strspn(line + 2, "0123456789")] == '[')
			read_unit(&units, line);
		else
			pe_vec_push(&edges, line);
	}
	if (units.n > 0)
		qsort(units.data, units.n, sizeof(*units.data), by_id);
	for (size_t i = 0; i < edges.n; i++)
		read_edge(&units, edges.data[i]);
	pe_vec_release(&edges);
	for (size_t i = 0; i < units.n; i++)
		if (units.data[i].id >= FIRST_CASE)
			add_boost(reading, &units, &units.data[i]);
}

/* --- All --- */

/* A text in every list of a library, also one without tests. */
static const char *sign_of(enum pe_tests_kind kind)
{
	return kind == PE_TESTS_GTEST     ? "testsuites"
	       : kind == PE_TESTS_DOCTEST ? "<doctest "
	       : kind == PE_TESTS_BOOST   ? "digraph "
					  : "<MatchingTests>";
}

int pe_test_list_read(struct pe_test_list *out, enum pe_tests_kind kind, const char *text,
		      size_t len, struct pe_arena *arena, struct pe_err *err)
{
	struct reading reading = {.arena = arena};
	char *copy = pe_arena_strndup(arena, text, len); /* without the bytes after a NUL */
	const bool known =
		strstr(copy, sign_of(kind)) != NULL; /* before reading changes the copy */
	int rc = PE_OK;

	*out = (struct pe_test_list){.items = NULL};
	if (kind == PE_TESTS_GTEST && copy[strspn(copy, " \t\r\n")] == '{')
		rc = read_gtest_json(&reading, text, len, err);
	else if (kind == PE_TESTS_GTEST)
		read_gtest_text(&reading, copy);
	else if (kind == PE_TESTS_DOCTEST)
		read_doctest(&reading, out, copy);
	else if (kind == PE_TESTS_BOOST)
		read_boost(&reading, copy);
	else if (strstr(copy, "<MatchingTests>") != NULL)
		read_catch2_xml(&reading, copy);
	else
		out->old_catch = true;
	if (out->old_catch)
		read_catch2_names(&reading, copy);
	if (rc == PE_OK && reading.items.n == 0 && !known)
		rc = pe_fail(err, PE_EINVALID, "no list of tests in what it printed");
	out->n = reading.items.n;
	out->items = pe_vec_copy(arena, &reading.items);
	pe_vec_release(&reading.items);
	return rc;
}
