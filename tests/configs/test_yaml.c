#include "configs/yaml.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <string.h>

static struct pe_arena arena;
static struct pe_err err;

static void release(void)
{
	pe_arena_release(&arena);
}

TestSuite(yaml, .fini = release, .timeout = 600);

static struct pe_yaml *parse(const char *text)
{
	struct pe_yaml *root = NULL;

	err = (struct pe_err)PE_ERR_INIT;
	pe_yaml_parse(&root, "c.yml", text, strlen(text), &arena, &err);
	return root;
}

static void refused(const char *text, const char *message)
{
	parse(text);
	cr_expect(eq(int, err.code, PE_EINVALID), "accepted: %s", text);
	cr_expect_str_eq(err.message, message);
}

Test(yaml, nodes_know_their_place)
{
	struct pe_yaml *root = parse("a: 1\nlist:\n  - x\n  - {k: 'v'}\n");
	struct pe_yaml *list = pe_yaml_get(root, "list");

	cr_assert(eq(int, err.code, PE_OK));
	cr_assert(eq(sz, list->n, 2));
	cr_expect(eq(sz, pe_yaml_get(root, "a")->mark.line, 1));
	cr_expect(eq(sz, pe_yaml_get(root, "a")->mark.column, 4));
	cr_expect(eq(sz, list->items[1]->mark.line, 4));
	cr_expect(eq(sz, list->items[1]->mark.column, 5));
	cr_expect_str_eq(pe_yaml_get(list->items[1], "k")->text, "v");
	cr_expect(not(pe_yaml_get(list->items[1], "k")->plain));
	cr_expect(eq(ptr, pe_yaml_get(root, "b"), NULL));
}

Test(yaml, an_alias_is_its_anchors_node)
{
	struct pe_yaml *root = parse("a: &x [1, 2]\nb: *x\n");

	cr_assert(eq(int, err.code, PE_OK));
	cr_expect(eq(ptr, pe_yaml_get(root, "a"), pe_yaml_get(root, "b")));
}

Test(yaml, nothing_is_an_empty_document)
{
	cr_expect(eq(ptr, parse(""), NULL));
	cr_expect(eq(int, err.code, PE_OK));
	cr_expect(eq(ptr, parse("# a comment\n"), NULL));
	cr_expect(pe_yaml_is_null(parse("---\n")));
	cr_expect(pe_yaml_is_null(parse("~")));
	cr_expect(not(pe_yaml_is_null(parse("''"))));
}

Test(yaml, refuses_what_hides_mistakes)
{
	refused("a: 1\nb: 2\na: 3\n", "c.yml:3:1: key 'a' is given twice (first at 1:1)");
	refused("x: &x {a: 1}\ny:\n  <<: *x\n",
		"c.yml:3:3: merge keys ('<<') are not read: write the keys out, or put what all "
		"benchmarks share under 'defaults'");
	refused("a: !!str 5\n", "c.yml:1:4: tags ('!...') are not used here: quote a text, write a "
				"number as it is");
	refused("[a, b]: c\n", "c.yml:1:1: a key must be a single value");
	refused("a: *b\n", "c.yml:1:4: an alias without an anchor before it");
	refused("a: &a [*a]\n", "c.yml:1:8: an alias inside its own anchor");
	refused("a: 1\n---\nb: 2\n", "c.yml:2:1: a second document: one file is one config");
	refused("a: \"x\\0y\"\n", "c.yml:1:4: a NUL character");
}

Test(yaml, syntax_errors_have_a_place)
{
	refused("a: 1\n\tb: 2\n",
		"c.yml:2:1: found a tab character that violates indentation: indent with spaces");
	refused("a: [1, 2\n",
		"c.yml:2:1: did not find expected ',' or ']': a list is not closed, or "
		"lacks a comma; it begins at line 1, column 4");
	refused("a:\n  b: 1\n c: 2\n",
		"c.yml:3:2: did not find expected key: the keys of a mapping stand in one column, and a "
		"text in quotes ends at its quote; the mapping begins at line 1, column 1");
	refused("a: \"x\nb: 1\n",
		"c.yml:3:1: found unexpected end of stream: a quote is not closed; it "
		"begins at line 1, column 4");
	refused("a:\n\tb: 1\n",
		"c.yml:2:1: found character that cannot start any token: indent with spaces, not with "
		"tabs, and quote a text that begins with '@', '`' or '%'");
	refused("a: echo b: c\n",
		"c.yml:1:10: mapping values are not allowed in this context: quote a "
		"text that contains ': ', or mend the indentation");
	refused("a: \xff\n", "c.yml:1:1: not UTF-8 text: invalid leading UTF-8 octet at byte 4");
}

Test(yaml, bounds_hold)
{
	char deep[200];
	static char large[(1 << 20) + 2];

	memset(deep, '[', sizeof(deep) - 1);
	deep[sizeof(deep) - 1] = '\0';
	refused(deep, "c.yml:1:66: nested deeper than 64 levels");
	memset(large, '#', sizeof(large) - 1);
	refused(large, "c.yml:1:1: larger than 1 MiB: this is no config");
}
