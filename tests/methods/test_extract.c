/*
 * What is read from sources: samples of every language beside their reviewed lists, fingerprints of pairs that
 * mean the same or do not, and input that is no program at all.
 */
#include "tests/methods/reading.h"

#include "tests/support/cases.h"
#include "tests/support/random.h"
#include "tests/support/test.h"

static struct pe_arena arena = PE_ARENA_INIT;

TestSuiteWith(extract, (void)0, pe_arena_release(&arena), .timeout = 600);

/* ---- samples ---- */

static void list_methods(struct pe_text *out, const char *path, const char *source, size_t n)
{
	const struct pe_methods methods = read_text(path, source, &arena);

	(void)n;
	if (methods.unread > 0)
		pe_text_addf(out, "%zu of %zu files unread\n", methods.unread, methods.files);
	for (size_t i = 0; i < methods.n; i++) {
		const struct pe_method *method = &methods.at[i];

		pe_text_addf(out, "%u-%u %s%s%s\n", method->first_line, method->last_line,
			     method->name, method->signature,
			     method->uncertain ? " uncertain" : "");
	}
}

Test(extract, samples_read_as_reviewed)
{
	cases_check("methods/cases", "samples", list_methods);
}

/* ---- fingerprints ---- */

struct pair {
	char path[8];
	char before[160], after[160];
	bool same;
};

/* The first method of each side; same: the edit does not count. */
static struct pair pairs[] = {
	{"a.c", "int f(int a) { return a+1; }", "int f( int a )\n{\n\treturn a + 1; // more\n}",
	 true},
	{"a.c", "int f(void) { return 1; }", "int f(void) { /* why */ return /* 2 */ 1; }", true},
	{"a.c", "int f(void) { return 1; }", "int f(void) { return 2; }", false},
	{"a.c", "int f(int a) { return a; }", "int f(long a) { return a; }", false},
	{"a.c", "int f(int a) { return f(a); }", "int g(int a) { return g(a); }", true},
	{"a.c", "int f(int a) { return h(a); }", "int f(int a) { return k(a); }", false},
	{"a.c", "char *f(void) { return \"a b\"; }", "char *f(void) { return \"a  b\"; }", false},
	{"a.c", "int f(void) {\n#define X 1 + 2\nreturn X; }",
	 "int f(void) {\n#define X   1  +   2 /* y */\nreturn X; }", true},
	{"a.c", "int f(void) {\n#ifdef A\nx();\n#endif\n}",
	 "int f(void) {\n#ifdef B\nx();\n#endif\n}", false},
	{"a.c", "int f(int a) { return a &&\n#ifdef A\n1;\n#else\n2;\n#endif\n}",
	 "int f(int a) { return a &&\n#ifdef A\n1;\n#else\n3;\n#endif\n}", false},
	{"a.c", "int f(int a) { return a &&\n#ifdef A\n1;\n#else\n2;\n#endif\n}",
	 "int f(int a) { return a &&\n#ifdef A\n1;\n#else\n  2; /* n */\n#endif\n}", true},
	{"a.c", "int API f(int a) { return a; }", "int OTHER f(int a) { return a; }", false},
	{"a.cpp", "void f() L(m) { x(); }", "void f()  L( m )\n{ x(); }", true},
	{"a.cpp", "void f() LK(m) { x(); }", "void f() LK(n) { x(); }", false},
	{"a.cpp", "void A::f() { x(); }", "void B::g() { x(); }", true},
	{"a.cpp", "auto f() { return R\"(a b)\"; }", "auto f() { return R\"(a  b)\"; }", false},
	{"a.cpp", "template <class T> int f(T t) { return 1; }",
	 "template <class U, class T> int f(T t) { return 1; }", false},
	{"a.py", "def f(a):\n    if a:\n        b()\n    c()\n",
	 "def f(a):\n  if a:\n    b() # x\n\n  c()\n", true},
	{"a.py", "def f(a):\n    if a:\n        b()\n    c()\n",
	 "def f(a):\n    if a:\n        b()\n        c()\n", false},
	{"a.py", "def f():\n    return g(1,\n      2)\n", "def f():\n    return g(1, 2)\n", true},
	{"a.py", "def f():\n    return 'a b'\n", "def f():\n    return 'a  b'\n", false},
	{"a.py", "def f():\n    return 'a\\nb c'\n", "def f():\n    return 'a\\nb d'\n", false},
	{"a.py", "@old\ndef f():\n    pass\n", "@new\ndef f():\n    pass\n", false},
	{"a.js", "function f() { return\n1 }", "function f() { return 1 }", false},
	{"a.js", "function f() { a(); b() }", "function f() {\n\ta()\n\tb()\n}", true},
	{"a.js", "function f() { return `a ${b}` }", "function f() { return `a  ${b}` }", false},
	{"a.js", "const f = (x) => x + 1;", "const g = (x) =>\n\tx + 1;", true},
	{"a.ts", "class A { @x() f(): void {} }", "class A { @y() f(): void {} }", false},
	{"a.go", "package p\nfunc f() { a(); b() }", "package p\nfunc f() {\n\ta()\n\tb()\n}\n",
	 true},
	{"a.go", "package p\nfunc f() { for ; a; { b() } }",
	 "package p\nfunc f() { for ;; a { b() } }", false},
	{"a.rb", "def f\n  a\n  -b\nend\n", "def f\n  a -\n  b\nend\n", false},
	{"a.rb", "def f\n  a(1)\n  b\nend\n", "def f; a(1); b; end # c\n", true},
	{"a.rs", "#[inline]\nfn f() { a(); }", "#[cold]\nfn f() { a(); }", false},
	{"a.rs", "fn f() { a(); } // x", "/// doc\nfn f() {\n\ta(); /* y */\n}", true},
	{"A.java", "class A { void f() { a(); } }",
	 "class A {\n  void f() {\n    // x\n    a();\n  }\n}", true},
	{"A.java", "class A { @X void f() { a(); } }", "class A { @Y void f() { a(); } }", false},
	/* Operators that touch, and numbers and strings in text that is told without its nodes. */
	{"a.c", "int f(int a) { return a & &b; }", "int f(int a) { return a && b; }", false},
	{"a.c", "int f(int a) { return a+ ++b; }", "int f(int a) { return a++ +b; }", false},
	{"a.c", "int f(int a) { return g(a, 1.5e-3); }",
	 "int f(int a) { return g(a, /* b */ 1.5e-3); }", true},
	{"a.c", "int f(int a) { return g(a=-b, c); }", "int f(int a) { return g(a = -b, c); }",
	 true},
	{"a.c", "int f(int a) { return g(f(a), h(\"f\")); }",
	 "int k(int a) { return g(k(a), h(\"f\")); }", true},
	{"a.c", "int f(int a) { return g(\"a b\", c); }", "int f(int a) { return g(\"a  b\", c); }",
	 false},
	{"a.c", "int f(int a) { return g(\"a\", '\\'', c); }",
	 "int f(int a) { return g(\"a\", '\\'', /* c */ c); }", true},
	{"a.cpp", "int f() { return g<h<int>>(a); }", "int f() { return g<h<int> >(a); }", true},
	{"A.java", "class A { void f() { a(\"/* b */\", c); } }",
	 "class A { void f() { a(\"/* d */\", c); } }", false},
	{"a.py", "def f(a):\n    return a not in (b, c)\n",
	 "def f(a):\n    return a not  in (b, # d\n c)\n", true},
	{"a.py", "def f(a):\n    return g(f\"{a}\", b)\n", "def f(a):\n    return g(f\"{c}\", b)\n",
	 false},
	{"a.py", "def f():\n    a\n    (b)\n", "def f():\n    a(b)\n", false},
	{"a.go", "package p\nfunc f() { a := g([]int{1}, <-b) }",
	 "package p\nfunc f() { a := g([]int{1}, /* c */ <-b) }", true},
	{"a.go", "package p\nfunc (t *T) f() { a() }", "package p\nfunc (/* b */ t *T) f() { a() }",
	 true},
	{"a.ts", "function f() { a(b as C[], d) }", "function f() { a(b as C[], /* e */ d) }",
	 true},
	{"a.js", "function f() { a\n(b) }", "function f() { a; (b) }", false},
	{"a.rs", "fn f() { g(&&a, h::<i>(j)); }", "fn f() { g(&&a, /* k */ h::<i>(j)); }", true},
};

TestOver(struct pair *pair, pairs, extract, fingerprint_sees_what_counts)
{
	struct pe_methods before = read_text(pair->path, pair->before, &arena);
	struct pe_methods after = read_text(pair->path, pair->after, &arena);

	cr_assert(before.n > 0 && after.n > 0, "no method in %s",
		  before.n > 0 ? pair->after : pair->before);
	cr_expect(same_body(&before.at[0], &after.at[0]) == pair->same, "%s\n%s", pair->before,
		  pair->after);
}

/* The end of a string or character that starts at i; i where none does. */
static size_t skip_string(const char *path, const char *text, size_t i)
{
	const char quote = text[i];

	if (quote != '"' && quote != '\'' && quote != '`')
		return i;
	/* Rust's lifetimes open and never close. */
	if (quote == '\'' && strstr(path, ".rs") != NULL && text[i + 1] != '\\' &&
	    text[i + 2] != '\'')
		return i;
	if (strncmp(text + i, "\"\"\"", 3) == 0)
		return (size_t)(strstr(text + i + 3, "\"\"\"") - text) + 3;
	for (i++; text[i] != '\0' && text[i] != quote; i++)
		i += text[i] == '\\' && text[i + 1] != '\0';
	return i + 1;
}

/* A directive or a comment, to the end of its line. */
static bool opens_line_of_its_own(const char *text, size_t i)
{
	return strncmp(text + i, "//", 2) == 0 || strncmp(text + i, "# ", 2) == 0 ||
	       (text[i] == '#' && text[i + 1] != '[' && (i == 0 || text[i - 1] == '\n'));
}

/* The same text with a comment behind every bracket, comma and semicolon inside braces that `every` falls on. */
static void spread(struct pe_text *out, const char *path, const char *text, unsigned every)
{
	const bool python = strstr(path, ".py") != NULL;
	unsigned n = 0, depth = 0, braces = 0;

	for (size_t i = 0; text[i] != '\0'; i++) {
		const size_t string = skip_string(path, text, i);
		const size_t line = opens_line_of_its_own(text, i) ? strcspn(text + i, "\n") : 0;

		if (string != i || line > 0) {
			pe_text_addn(out, text + i, string != i ? string - i : line);
			i += (string != i ? string - i : line) - 1;
			continue;
		}
		pe_text_addc(out, text[i]);
		depth += text[i] == '(' || text[i] == '[';
		depth -= depth > 0 && (text[i] == ')' || text[i] == ']');
		braces += text[i] == '{';
		braces -= braces > 0 && text[i] == '}';
		if (strchr("(,;", text[i]) == NULL || ++n % every != 0)
			continue;
		if (!python && braces > 0)
			pe_text_add(out, "  /* said */\t");
		else if (python && depth > 0)
			pe_text_add(out, "  # said\n\t");
	}
}

/*
 * Text that is plain is spelt without its nodes, and with comments in it through them: both ways spell alike, for
 * comments everywhere and for comments here and there.
 */
static char names[][16] = {"sample.c",   "sample.cpp",  "sample.py", "sample.js", "sample.ts",
			   "sample.tsx", "Sample.java", "sample.go", "sample.rs"};

TestOver(char *name, names, extract, ignores_comments_and_white_space_throughout)
{
	pe_auto_text source = PE_TEXT_INIT;
	struct pe_methods before;

	data_file(&source, "methods/samples", name);
	before = read_text(name, source.data, &arena);
	for (unsigned every = 1; every <= 5; every++) {
		struct pe_text text = PE_TEXT_INIT;
		struct pe_methods after;

		spread(&text, name, source.data, every);
		after = read_text(name, text.data, &arena);
		cr_assert(eq(sz, before.n, after.n));
		for (size_t i = 0; i < before.n; i++) {
			cr_expect_str_eq(before.at[i].name, after.at[i].name, "%s: %s",
					 before.at[i].name, after.at[i].name);
			cr_expect_str_eq(before.at[i].signature, after.at[i].signature, "%s: %s",
					 before.at[i].signature, after.at[i].signature);
			cr_expect(same_body(&before.at[i], &after.at[i]), "%s, every %u",
				  before.at[i].name, every);
		}
		pe_text_release(&text);
	}
}

Test(extract, inner_methods_leave_the_outer_alone)
{
	struct pe_methods before = read_text(
		"a.py", "def f():\n    def g():\n        return 1\n    return g()\n", &arena);
	struct pe_methods after = read_text(
		"a.py", "def f():\n    def g():\n        return 2\n    return g()\n", &arena);

	cr_expect(same_body(find_method(&before, "f"), find_method(&after, "f")));
	cr_expect(not(same_body(find_method(&before, "f.g"), find_method(&after, "f.g"))));
}

/* Once this ran out of memory. */
Test(extract, methods_in_decorators_are_part_of_them)
{
	struct pe_methods before =
		read_text("a.ts", "class A { @d({m() { return 1; }}) f() {} g() {} }\n", &arena);
	struct pe_methods after =
		read_text("a.ts", "class A { @d({m() { return 2; }}) f() {} g() {} }\n", &arena);

	cr_assert(eq(sz, before.n, 2));
	cr_expect(not(same_body(find_method(&before, "A.f"), find_method(&after, "A.f"))));
	cr_expect(same_body(find_method(&before, "A.g"), find_method(&after, "A.g")));
}

Test(extract, reads_headers_as_what_they_are)
{
	struct pe_methods c =
		read_text("a.h", "static inline int f(int a) { return a; }\n", &arena);
	struct pe_methods cpp =
		read_text("a.h", "class A {\n\tint f(int a) { return a; }\n};\n", &arena);
	struct pe_methods guarded = read_text("a.h",
					      "#ifdef __cplusplus\nextern \"C\" {\n#endif\n"
					      "static int f(int a) { return a; }\n"
					      "#ifdef __cplusplus\n}\n#endif\n",
					      &arena);

	cr_expect_str_eq(find_method(&c, "f")->signature, "");
	cr_expect_str_eq(find_method(&cpp, "A::f")->signature, "(int)");
	cr_assert(eq(sz, guarded.n, 1));
	cr_expect_str_eq(guarded.at[0].signature, "");
}

Test(extract, a_file_too_large_is_unread)
{
	size_t n = (8u << 20) + 1;
	char *text = pe_realloc(NULL, n + 1, 1);
	struct pe_methods methods;

	memset(text, ' ', n);
	text[n] = '\0';
	methods = read_text("a.c", text, &arena);
	cr_expect_text("0 1 0", methods.n, methods.unread, methods.files);
	free(text);
}

Test(extract, a_file_of_nothing_but_brackets_is_unread)
{
	pe_auto_text text = PE_TEXT_INIT;
	struct pe_methods methods;

	for (int i = 0; i < 20000; i++)
		pe_text_addc(&text, '(');
	methods = read_text("a.cpp", text.data, &arena);
	cr_expect_text("1 0", methods.unread, methods.files);
}

/* Names grow with nesting up to a bound; nothing recurses. */
Test(extract, deep_nesting_stays_bounded)
{
	static const struct {
		const char *path, *open;
	} cases[] = {{"a.cpp", "namespace aaaaaaaa {"},
		     {"a.c", "{("},
		     {"a.js", "function aaaa() {"},
		     {"a.py", "lambda: ("},
		     {"a.rs", "mod aaaa {"},
		     {"a.rb", "module Aaaa;"},
		     {"A.java", "class Aaaa {"},
		     {"a.go", "func("}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct pe_text text = PE_TEXT_INIT;
		struct pe_methods methods;

		for (int k = 0; k < 3000; k++)
			pe_text_add(&text, cases[i].open);
		methods = read_text(cases[i].path, text.data, &arena);
		for (size_t k = 0; k < methods.n; k++)
			cr_expect(lt(sz, strlen(methods.at[k].name), 4096));
		pe_text_release(&text);
	}
}

Test(extract, any_bytes_at_all_are_read)
{
	static const char *const bits[] = {"{",         "}",        "(",
					   ")",         "\"",       "'",
					   "/*",        "*/",       "#if 1\n",
					   "#else\n",   "#endif\n", "def ",
					   "class A",   "fn f",     "func ",
					   "end\n",     "=> ",      "R\"x(",
					   "\\\n",      "\xff\xfe", "<<~A\n",
					   "A",         ";",        ":",
					   "\n",        "    ",     "int f(int a)",
					   "template <"};
	struct pe_random random = random_of(7);
	const struct pe_language *language;

	for (size_t i = 0; (language = pe_language_at(i)) != NULL; i++) {
		for (int round = 0; round < 60; round++) {
			struct pe_source_file file = {.language = language, .path = "any"};
			struct pe_text text = PE_TEXT_INIT;
			struct pe_methods methods;

			for (int k = 0; k < 80; k++)
				pe_text_add(&text,
					    bits[pe_random_below(&random,
								 sizeof(bits) / sizeof(bits[0]))]);
			file.text = text.data;
			file.n = text.len;
			pe_extract(&methods, &file, &arena);
			for (size_t k = 0; k < methods.n; k++) {
				cr_expect(
					ge(u32, methods.at[k].last_line, methods.at[k].first_line));
				cr_expect(methods.at[k].n_sketch <= PE_SKETCH_MAX);
			}
			pe_text_release(&text);
		}
	}
}
