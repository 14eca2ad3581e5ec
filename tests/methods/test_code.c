/* Programs compiled on the spot, edited, compiled again elsewhere, and compared. */
#include "analysis/methods/code.h"

#include "analysis/methods/code_executed.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "tests/support/test.h"

#define SOURCES PE_SOURCE_DIR "/tests/programs/"

static struct pe_arena arena = PE_ARENA_INIT;
static char root[4096];

static void make_root(void)
{
	const char *folder = getenv("TMPDIR");

	snprintf(root, sizeof(root), "%s/perfevo-code-XXXXXX", folder != NULL ? folder : "/tmp");
	cr_assert(mkdtemp(root) != NULL);
}

TestSuiteWith(code, make_root(), (pe_files_remove(root, NULL), pe_arena_release(&arena)),
	      .timeout = 600);

static void shell(const char *folder, const char *format, ...) PE_PRINTF(2, 3);

static void shell(const char *folder, const char *format, ...)
{
	pe_auto_text text = PE_TEXT_INIT;
	char line[2048];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	pe_text_addf(&text,
		     "mkdir -p '%s' && cd '%s' && { %s; } >log 2>&1 || { cat log >&2; exit 1; }",
		     folder, folder, line);
	cr_assert_ok(system(text.data), line);
}

/* An edit: the only place of find becomes replace. */
struct edit {
	const char *what, *find, *replace;
	bool identical;
	const char
		*functions; /* "~recompiled +added -deleted", sorted by name; "?": some or none */
};

static void write_source(const char *folder, const char *name, const char *source,
			 const struct edit *edit)
{
	pe_auto_text text = PE_TEXT_INIT, out = PE_TEXT_INIT;
	struct pe_err err = PE_ERR_INIT;
	const char *at;

	cr_assert_ok(pe_text_read_file(&text, source, &err), err.message);
	if (edit == NULL) {
		pe_text_add(&out, text.data);
	} else {
		at = strstr(text.data, edit->find);
		cr_assert(at != NULL && strstr(at + 1, edit->find) == NULL, "%s: not there once",
			  edit->find);
		pe_text_addn(&out, text.data, (size_t)(at - text.data));
		pe_text_add(&out, edit->replace);
		pe_text_add(&out, at + strlen(edit->find));
	}
	shell(folder, "true");
	cr_assert(eq(int,
		     pe_text_write_file(&out, pe_arena_printf(&arena, "%s/%s", folder, name), &err),
		     PE_OK));
}

static int try_program(struct pe_program *out, const char *folder, const char *name,
		       struct pe_arena *own, struct pe_err *err)
{
	const char *path = pe_arena_printf(&arena, "%s/%s", folder, name);
	bool read;

	return pe_code_read(out, &read, &(struct pe_strings){&path, 1}, folder, own, err);
}

static void read_program(struct pe_program *out, const char *folder, const char *name)
{
	struct pe_err err = PE_ERR_INIT;

	cr_assert_ok(try_program(out, folder, name, &arena, &err), err.message);
}

static bool identical(const struct pe_program *a, const struct pe_program *b)
{
	return a->identity.high == b->identity.high && a->identity.low == b->identity.low;
}

static char *describe(const struct pe_program *before, const struct pe_program *after)
{
	static const char *const reasons[] = {"instructions", "references", "data", "lines"};
	struct pe_code_changes changes;
	pe_auto_text text = PE_TEXT_INIT;
	char *copy;

	pe_code_diff(&changes, before, after, &arena);
	for (size_t i = 0; i < changes.n; i++) {
		const struct pe_code_change *change = &changes.at[i];
		const struct pe_code_function *side =
			change->after != NULL ? change->after : change->before;

		pe_text_addf(&text, "%s%c%s", i > 0 ? " " : "", "+-~"[change->kind], side -> name);
		if (change->kind == PE_CODE_RECOMPILED && change->reason != PE_CODE_INSTRUCTIONS)
			pe_text_addf(&text, ":%s", reasons[change->reason]);
	}
	copy = pe_arena_strdup(&arena, pe_text_str(&text));
	return copy;
}

/* The hash of all functions of a folder's program and of what they read, without places. */
static struct pe_xxh whole(const char *folder)
{
	struct pe_err err = PE_ERR_INIT;
	const struct pe_code_module *modules;
	struct pe_code_parts *parts;
	struct pe_code_used used[4] = {{.relative = NULL}};
	struct pe_xxh hash;
	size_t n;

	cr_assert_ok(pe_code_parts_open(&parts, pe_arena_printf(&arena, "%s/program", folder),
					folder, &arena, &err),
		     err.message);
	modules = pe_code_parts_modules(parts, &n);
	for (size_t i = 0; i < n; i++)
		used[i] = (struct pe_code_used){.relative = modules[i].relative, .whole = true};
	cr_assert_ok(pe_code_parts_hash(&hash, parts, used, n, &err), err.message);
	pe_code_parts_close(parts);
	return hash;
}

/* Whether the programs of two folders below root differ in nothing but where things lie. */
static bool rearranged(const char *before, const char *after)
{
	const struct pe_xxh a = whole(pe_arena_printf(&arena, "%s/%s", root, before)),
			    b = whole(pe_arena_printf(&arena, "%s/%s", root, after));

	return a.high == b.high && a.low == b.low;
}

static void compile(const char *folder, const char *name, const char *with)
{
	shell(folder, "%s \"$PWD/%s\" -o program", with, name);
}

/* The program of a source with an edit, or NULL, in a folder of root. */
static void build(struct pe_program *out, const char *folder, const char *source,
		  const struct edit *edit, const char *with)
{
	const char *name = strrchr(source, '/') + 1,
		   *path = pe_arena_printf(&arena, "%s/%s", root, folder);

	write_source(path, name, source, edit);
	compile(path, name, with);
	read_program(out, path, "program");
}

#define SHOP SOURCES "code_shop/shop.c"

/* The edits after which the same instructions run on the same data. */
static bool only_moves(const struct edit *edit)
{
	return edit->identical || strcmp(edit->what, "place of an array") == 0;
}

/* Compile with and without each edit, or one of `step` from `begin` on, in folders of different lengths, and compare. */
static void try_some_edits(const char *source, const char *with, const struct edit *edits,
			   size_t begin, size_t step)
{
	struct pe_program before, after;

	build(&before, "base", source, NULL, with);
	cr_expect(before.exact);
	for (const struct edit *edit = edits; edit->what != NULL; edit++) {
		const size_t i = (size_t)(edit - edits);
		const char *folder =
			pe_arena_printf(&arena, i % 2 == 0 ? "e%03zu" : "a/longer/path/%zu", i);
		const char *found;

		if (i % step != begin)
			continue;
		build(&after, folder, source, edit, with);
		found = describe(&before, &after);
		cr_expect(eq(int, identical(&before, &after), edit->identical), "%s, %s: %s", with,
			  edit->what, found);
		/* A symbol without a size may reach up to it: then it is taken for more than a move. */
		if (strcmp(edit->what, "place of a variable") != 0)
			cr_expect(eq(int, rearranged("base", folder), only_moves(edit)),
				  "%s, %s: %s", with, edit->what, found);
		if (strcmp(edit->functions, "?") != 0)
			cr_expect_str_eq(found, edit->functions, "%s, %s", with, edit->what);
	}
}

static void try_edits(const char *source, const char *with, const struct edit *edits)
{
	try_some_edits(source, with, edits, 0, 1);
}

/* One way to compile sees all edits, four others a quarter of them each. */
static void try_each_way(const char *source, const struct edit *edits)
{
	try_edits(source, "gcc -O2 -g -DNDEBUG", edits);
	try_some_edits(source, "clang -O2 -no-pie -fno-pie", edits, 0, 4);
	try_some_edits(source, "gcc -O2 -no-pie -fno-pie", edits, 1, 4);
	try_some_edits(source, "gcc -O0 -g", edits, 2, 4);
	try_some_edits(source, "clang -O2 -g -fPIE -pie", edits, 3, 4);
}

/* What holds however the program is compiled. */
#define FIRST "static int first(int x)\n{\n\treturn add_tax(x) + 1;\n}\n"
static const struct edit always[] = {
	{"comment", "#include <stdio.h>", "/* lines\n more\n lines\n */\n#include <stdio.h>", true,
	 ""},
	{"format", "return x * 119 / 100;", "return\n\t\tx *\n\t\t\t119\n\t\t/ 100;", true, ""},
	{"renamed local", "static int ticket = 100;\n\n\treturn ++ticket;",
	 "static int slip = 100;\n\n\treturn ++slip;", false, "?"},
	{"one function", "return x + x / 10;", "return x + x / 8 - 1;", false, "~add_tip"},
	{"string", "\"the shop is closed\"", "\"the shop is closes\"", false,
	 "~close_shop:references"},
	{"constant", "0.375", "0.625", false, "~share:references"},
	{"table of constants", "13, 17", "13, 16", false, "~cost:data"},
	{"string in a table", "\"melon\"", "\"mellon\"", false, "~look_up:data"},
	{"variable's value", "discount = 10", "discount = 11", false, "~cost:data"},
	{"variable from nothing", "discount = 10", "discount = 0", false, "~cost:data"},
	{"static local's value", "ticket = 100", "ticket = 101", false, "~next_ticket:data"},
	{"size of a variable", "sales[64]", "sales[65]", false, "~cost:data"},
	{"place of a variable", "int discount", "_Alignas(64) int discount", false, "?"},
	{"place of an array", "long sales", "_Alignas(512) long sales", false, "?"},
	{"thread's variable", "visits = 4", "visits = 5", false, ""},
	{"thread's variable from nothing", "int leaves;", "int leaves = 1;", false, "?"},
	{"order of pointers", "{add_tax, add_fee, add_tip}", "{add_fee, add_tax, add_tip}", false,
	 "~apply:data"},
	{"callee of the same size", "return add_tax(x) + 1", "return add_fee(x) + 1", false,
	 "~first:references"},
	{"order of a switch", "case 2:\n\t\treturn abs(n) + discount;\n\tcase 3:",
	 "case 3:\n\t\treturn abs(n) + discount;\n\tcase 2:", false, "?"},
	{"layout of a structure", "int price;\n\tint weight;", "int weight;\n\tint price;", false,
	 "?"},
	{"resolver", "return add_tax;", "return add_fee;", false, "?"},
	{"unused function", "int main",
	 "int unused(int x);\nint unused(int x)\n{\n\treturn x ^ 85;\n}\n\nint main", false,
	 "+unused"},
	{"function before others", "APART static int add_tax",
	 "int unused(int x);\nint unused(int x)\n{\n\treturn x "
	 "^ 85;\n}\n\nAPART static int add_tax",
	 false, "+unused"},
	{NULL, NULL, NULL, false, NULL},
};

Test(code, edits_reach_the_functions_that_they_change)
{
	try_each_way(SHOP, always);
}

Test(code, gcc_static)
{
	static const struct edit few[] = {
		{"comment", "#include <stdio.h>", "/* line\n */\n#include <stdio.h>", true, ""},
		{"one function", "return x + x / 10;", "return x + x / 8 - 1;", false, "~add_tip"},
		{"variable's value", "discount = 10", "discount = 11", false, "~cost:data"},
		{"callee", "return add_tax(x) + 1", "return add_fee(x) + 1", false,
		 "~first:references"},
		{NULL, NULL, NULL, false, NULL},
	};

	try_edits(SHOP, "gcc -O2 -g -static", few);
}

/* What functions read of their own tables, and of what they share. */
#define BESIDE(declare)                                                                            \
	"int beside(int n);\nint beside(int n)\n{\n\t" declare "\n\treturn table[n & 1];\n}\n\n"
static const struct edit tables[] = {
	{"a table", "12, 13}", "12, 14}", false, "~weigh:data"},
	{"a macro that fills a table", "40, 41", "40, 47", false, "~price:data"},
	{"a string of a table", "\"two\"", "\"owt\"", false, "~spell:data"},
	{"a function of a table", "{up, down, up}", "{up, down, down}", false, "~act:data"},
	{"a table that a table points at", "31, 32", "31, 39", false, "~pick:data"},
	{"order of pointers in a table", "{low, high}", "{high, low}", false, "~pick:data"},
	{"first value of a variable", "{100, 200}", "{100, 201}", false, "~count:data"},
	{"shared constants", "5, 6, 7", "5, 6, 9", false, "~draw:data ~refill:data"},
	{"shared variable", "level = 50", "level = 51", false, ""},
	{"a variable of two functions that one of them leaves", "return mode += n;",
	 "return 60 + n;", false, "~turn"},
	{"a table of the same name before the others", "APART static int weigh",
	 BESIDE("static const int table[] = {91, 92};") "APART static int weigh", false, "+beside"},
	{"a variable of the same name behind the others", "int main",
	 BESIDE("static int table[] = {91, 92};\n\ttable[0]++;") "int main", false, "+beside"},
	{"a further reader", "int main",
	 "int beside(int n);\nint beside(int n)\n{\n\treturn shared[n & 3];\n}\n\nint main", false,
	 "+beside"},
	{NULL, NULL, NULL, false, NULL},
};

Test(code, tables_are_of_the_functions_that_read_them)
{
	try_each_way(SOURCES "code_tables/tables.c", tables);
}

Test(code, functions_in_another_order_are_the_same)
{
	static const char *const with[] = {"gcc -O2 -g -Wl,-z,pack-relative-relocs",
					   "gcc -O2 -no-pie -fno-pie", "clang -O2 -g"};

	for (size_t i = 0; i < sizeof(with) / sizeof(with[0]); i++) {
		const char *a = pe_arena_printf(&arena, "%s/a%zu", root, i);
		const char *b = pe_arena_printf(&arena, "%s/b%zu", root, i);
		struct pe_program before, after;

		write_source(a, "shop.c", SHOP, NULL);
		write_source(b, "shop.c", SHOP, NULL);
		/* first moves behind second. */
		shell(b, "sed -n '/first begins/,/first ends/p' shop.c >first.c && "
			 "sed '/first begins/,/first ends/d' shop.c >rest.c && "
			 "sed '/^APART static void close_shop/,$d' rest.c >shop.c && cat first.c "
			 ">>shop.c && sed -n '/^APART static void close_shop/,$p' rest.c >>shop.c");
		compile(a, "shop.c", with[i]);
		compile(b, "shop.c", with[i]);
		shell(b, "! cmp -s program '%s/program'", a);
		read_program(&before, a, "program");
		read_program(&after, b, "program");
		cr_expect_str_eq(describe(&before, &after), "", "%s", with[i]);
	}
}

Test(code, alignment_of_functions_moves_and_changes_nothing)
{
	struct pe_program before, after;

	build(&before, "a", SHOP, NULL, "gcc -O2 -g -falign-functions=32");
	build(&after, "b", SHOP, NULL, "gcc -O2 -g -falign-functions=64");
	cr_expect(not(identical(&before, &after)));
	cr_expect(rearranged("a", "b"));
}

Test(code, lines_in_assertions_are_told_apart)
{
	static const struct edit edits[] = {
		{"comment", "#include <stdio.h>", "/* line\n */\n#include <stdio.h>", false,
		 "~next_ticket:lines"},
		{NULL, NULL, NULL, false, NULL},
	};
	const char *source = pe_arena_printf(&arena, "%s/asserts/shop.c", root);
	static const struct edit assertion = {
		"", "return ++ticket;", "if (ticket < 0)\n\t\texit(__LINE__);\n\treturn ++ticket;",
		false, ""};

	write_source(pe_arena_printf(&arena, "%s/asserts", root), "shop.c", SHOP, &assertion);
	try_edits(source, "gcc -O2 -g", edits);
}

Test(code, cpp)
{
	static const struct edit edits[] = {
		{"comment", "#include <cstdio>", "// line\n\n#include <cstdio>", true, ""},
		{"what is caught", "catch (int)", "catch (unsigned)", false,
		 "~_ZL7guardedi:references"},
		{"order of virtual methods",
		 "virtual int sides() const = 0;\n\tvirtual int angles() const { return sides(); }",
		 "virtual int angles() const { return sides(); }\n\tvirtual int sides() const = 0;",
		 false, "?"},
		{"what is thrown", "\"too many\"", "\"too much\"", false, "?"},
		{"what a virtual method answers", "return 40;", "return 41;", false,
		 "~_ZNK6square6anglesEv"},
		{"order of what is made before main", "before(made + 1), after(made * 3)",
		 "after(made * 3), before(made + 1)", false, "?"},
		{NULL, NULL, NULL, false, NULL},
	};

	try_edits(SOURCES "code_shapes/shapes.cc", "g++ -O2 -g", edits);
}

static const struct edit longer_bolt = {"", "12, 20", "12, 24", false, ""};
static const struct edit other_code = {"", "* 2;", "* 3;", false, ""};

static void build_bolts(const char *folder, const char *main, const char *link,
			const struct edit *edit)
{
	write_source(folder, "bolts.c", SOURCES "code_bolts/bolts.c", edit);
	write_source(folder, "main.c", pe_arena_printf(&arena, "%scode_bolts/%s", SOURCES, main),
		     NULL);
	shell(folder,
	      "mkdir -p lib && gcc -O2 -g -shared -fPIC bolts.c -o lib/libbolts.so.1 && ln -sf "
	      "libbolts.so.1 lib/libbolts.so && gcc -O2 -g main.c -o program %s",
	      link);
}

static void expect_library_counts(const char *main, const char *link)
{
	const char *folders[4];
	static const struct edit *const edits[] = {NULL, NULL, &longer_bolt, &other_code};
	struct pe_program programs[4];

	for (size_t i = 0; i < 4; i++) {
		folders[i] = pe_arena_printf(&arena, "%s/%s%zu", root, i == 1 ? "longer" : "p", i);
		build_bolts(folders[i], main, link, edits[i]);
		read_program(&programs[i], folders[i], "program");
		cr_assert(eq(sz, programs[i].n_modules, 2));
		cr_expect_str_eq(programs[i].modules[0], "program");
	}
	cr_expect(identical(&programs[0], &programs[1]));
	cr_expect_text("0 ~bolts_length:data 0 ~bolts_length",
		       identical(&programs[0], &programs[2]), describe(&programs[0], &programs[2]),
		       identical(&programs[0], &programs[3]), describe(&programs[0], &programs[3]));
}

Test(code, libraries_of_the_tree_by_search_path)
{
	expect_library_counts("main.c", "-Llib -l:libbolts.so.1 '-Wl,-rpath,$ORIGIN/lib'");
}

Test(code, libraries_of_the_tree_by_name)
{
	expect_library_counts("main.c", "-Llib -l:libbolts.so.1");
}

Test(code, libraries_that_may_be_loaded_by_name)
{
	expect_library_counts("load.c", "-ldl");
}

Test(code, lists_libraries_outside_the_tree)
{
	struct pe_program program;

	build(&program, ".", SHOP, NULL, "gcc -O2");
	cr_assert(eq(sz, program.n_libraries, 1));
	cr_expect_str_eq(program.libraries[0], "libc.so.6");
}

static const struct pe_code_function *find(const struct pe_program *program, const char *name)
{
	for (size_t i = 0; i < program->n; i++)
		if (strcmp(program->functions[i].name, name) == 0)
			return &program->functions[i];
	cr_fail("no function %s", name);
	return NULL;
}

Test(code, says_where_functions_are_defined)
{
	static const char *const with[] = {"gcc -O2 -g", "clang -O2 -g", "gcc -O2 -gdwarf-4"};

	for (size_t i = 0; i < 3; i++) {
		const char *folder = pe_arena_printf(&arena, "%s/w%zu", root, i);
		const struct pe_code_function *function;
		struct pe_program program;

		shell(folder,
		      "mkdir -p src && printf '%%s\\n' 'static int twice(int x)' '{' 'return 2 * "
		      "x;' '}' "
		      "'int main(int n, char **v)' '{' '(void)v;' 'return twice(n);' '}' >src/a.c "
		      "&& mkdir obj && cd obj && %s ../src/a.c -o ../program",
		      with[i]);
		read_program(&program, folder, "program");
		function = find(&program, "main");
		cr_assert(function->file != NULL, "%s", with[i]);
		cr_expect_str_eq(function->file, "src/a.c", "%s", with[i]);
		cr_expect(eq(u32, function->line, 5), "%s", with[i]);
		cr_assert(eq(sz, function->n_inlined, 1), "%s", with[i]);
		cr_expect_str_eq(function->inlined[0], "twice", "%s", with[i]);
	}
}

/* A compiler cache hands out objects of another slot; trees of other names are no slots. */
Test(code, a_file_of_a_neighbouring_tree_is_the_same_file)
{
	static const struct {
		const char *made_in, *file;
	} cases[] = {{"2/tree", "src/a.c"}, {"2/other", NULL}, {"tree", NULL}, {"2/trees", NULL}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *folder = pe_arena_printf(&arena, "%s/n%zu/1/tree", root, i);
		const char *made_in =
			pe_arena_printf(&arena, "%s/n%zu/%s", root, i, cases[i].made_in);
		const struct pe_code_function *function;
		struct pe_program program;

		shell(folder,
		      "mkdir -p src && echo 'int main(void) { return 0; }' >src/a.c && "
		      "gcc -g -fdebug-prefix-map=\"$PWD=%s\" \"$PWD/src/a.c\" -o program",
		      made_in);
		read_program(&program, folder, "program");
		function = find(&program, "main");
		cr_assert(function->file != NULL);
		cr_expect_str_eq(function->file,
				 cases[i].file != NULL
					 ? cases[i].file
					 : pe_arena_printf(&arena, "%s/src/a.c", made_in));
	}
}

/* What a linker of Go notes of a build, which is another one in each folder. */
Test(code, a_build_id_is_no_part_of_a_program)
{
	struct pe_program programs[2];

	for (int i = 0; i < 2; i++) {
		const char *folder = pe_arena_printf(&arena, "%s/id%d", root, i);

		shell(folder,
		      "printf '%%s\n' '__asm__(\".section .note.go.buildid, \\\"a\\\"; .ascii "
		      "\\\"%d\\\"; .text\");' 'int main(void) { return 0; }' >a.c && "
		      "gcc a.c -o program",
		      i);
		read_program(&programs[i], folder, "program");
	}
	cr_expect(identical(&programs[0], &programs[1]));
}

Test(code, local_functions_of_one_name_are_told_apart)
{
	const char *folders[2] = {pe_arena_printf(&arena, "%s/x", root),
				  pe_arena_printf(&arena, "%s/y", root)};
	struct pe_program programs[2];
	struct pe_code_changes changes;

	for (int i = 0; i < 2; i++) {
		shell(folders[i],
		      "for f in a b; do printf '%%s\\n' '__attribute__((noinline)) static int "
		      "helper(int x)' "
		      "\"{ return x * $([ $f = a ] && echo 3 || echo %d); }\" \"int $f(int x) { "
		      "return helper(x) + 1; }\" "
		      ">$f.c; done; printf '%%s\\n' 'int a(int); int b(int);' 'int main(int n, "
		      "char **v)' '{ (void)v; "
		      "return a(n) + b(n); }' >main.c; gcc -O2 -g %s main.c -o program",
		      i == 0 ? 5 : 7, i == 0 ? "a.c b.c" : "b.c a.c");
		read_program(&programs[i], folders[i], "program");
	}
	pe_code_diff(&changes, &programs[0], &programs[1], &arena);
	cr_assert(eq(sz, changes.n, 1));
	cr_expect_text("helper b.c b.c", changes.at[0].after->name, changes.at[0].after->file,
		       changes.at[0].before->file);
}

/* A switch leads into the part that the compiler split off, of the unit's own function. */
Test(code, switches_of_local_functions_of_one_name_only_move)
{
	static const char *const mains[] = {"return a(n) + b(n);",
					    "return (int)strtol(v[0], 0, 8) * a(n) + b(n);"};
	struct pe_program programs[2];

	for (int i = 0; i < 2; i++) {
		const char *folder =
			pe_arena_printf(&arena, "%s/%s", root, i == 0 ? "x" : "longer");

		shell(folder,
		      "for f in a b; do printf '%%s\n' '#include <stdlib.h>' 'volatile int v_'$f';' "
		      "'__attribute__((noinline)) static int helper(int x) { switch (x) {' "
		      "'case 0: return v_'$f';' 'case 1: return v_'$f' * 3;' 'case 2: v_'$f' = 5; return 2;' "
		      "'case 4: return v_'$f' / 7;' 'case 6: v_'$f'++; return 9;' 'case 7: return v_'$f' - 8;' "
		      "'default: abort(); } }' \"int $f(int x) { return helper(x) + 1; }\" >$f.c; done; "
		      "printf '%%s\n' '#include <stdlib.h>' 'int a(int); int b(int);' "
		      "'int main(int n, char **v) { (void)v; %s }' >main.c; gcc -O2 -g a.c b.c main.c -o program",
		      mains[i]);
		read_program(&programs[i], folder, "program");
	}
	cr_expect_str_eq(describe(&programs[0], &programs[1]), "~main");
}

/* Without names a program is compared byte by byte: equal where nothing reached it, unequal for any edit. */
Test(code, stripped_programs_fall_back_to_bytes)
{
	static const struct edit edits[] = {
		{"", "#include <stdio.h>", "/* line\n */\n#include <stdio.h>", true, ""},
		{"", "discount = 10", "discount = 11", false, ""},
		{"", "sales[64]", "sales[96]", false, ""},
	};
	struct pe_program before, after;

	build(&before, "b0", SHOP, NULL, "gcc -O2 -s");
	cr_expect(not(before.exact));
	for (size_t i = 0; i < 3; i++) {
		build(&after, pe_arena_printf(&arena, "e%zu", i), SHOP, &edits[i], "gcc -O2 -s");
		cr_expect(eq(int, identical(&before, &after), edits[i].identical), "%s",
			  edits[i].replace);
	}
}

Test(code, a_program_equals_itself_and_swapping_sides_swaps_added_and_deleted)
{
	static const struct edit more = {
		"", "int main",
		"int unused(int x);\nint unused(int x)\n{\n\treturn x;\n}\nint main", false, ""};
	struct pe_program before, after;
	struct pe_code_changes changes;

	build(&before, "a", SHOP, NULL, "gcc -O2");
	build(&after, "b", SHOP, &more, "gcc -O2");
	pe_code_diff(&changes, &before, &before, &arena);
	cr_expect(eq(sz, changes.n, 0));
	cr_expect(eq(sz, changes.unchanged, before.n));
	cr_expect_text("+unused -unused", describe(&before, &after), describe(&after, &before));
}

Test(code, libtool_scripts_stand_for_their_programs)
{
	struct pe_program program;

	build(&program, ".", SHOP, NULL, "gcc -O2");
	shell(root, "mkdir .libs && mv program .libs/program && echo '#!/bin/sh' >program");
	read_program(&program, root, "program");
	cr_expect_str_eq(program.modules[0], ".libs/program");
}

Test(code, says_what_cannot_be_read)
{
	struct pe_program program;
	struct pe_err err = PE_ERR_INIT;

	shell(root, "echo '#!/bin/sh' >script");
	cr_expect(eq(int, try_program(&program, root, "script", &arena, &err), PE_EUNSUPPORTED));
	cr_expect(eq(int, try_program(&program, root, "none", &arena, &err), PE_ENOTFOUND));
}

/* A chain of 40 nameless pairs of pointers to the next pair would unfold to 2^40 leaves. */
Test(code, nameless_constants_that_point_at_each_other)
{
	static const int leaves[] = {7, 7, 8};
	struct pe_program programs[3];

	for (size_t i = 0; i < 3; i++) {
		const char *folder =
			pe_arena_printf(&arena, "%s/c%zu%s", root, i, i == 1 ? "/longer" : "");

		shell(folder,
		      "{ echo '.section .data.rel.ro,\"aw\"'; for k in $(seq 40); do printf "
		      "'.L%%s: .quad .L%%s, .L%%s\\n' "
		      "$k $((k + 1)) $((k + 1)); done; echo '.L41: .quad %d, .L1'; echo .text; "
		      "echo '.globl chain'; "
		      "echo '.type chain,@function'; echo 'chain: lea .L1(%%rip), %%rax'; echo "
		      "ret; echo '.size chain, .-chain'; echo '.section .note.GNU-stack,\"\"'; } "
		      ">chain.s && "
		      "echo 'void *chain(void); int main(void) { return chain() == 0; }' >main.c "
		      "&& gcc -O2 main.c chain.s -o program",
		      leaves[i]);
		read_program(&programs[i], folder, "program");
	}
	cr_expect_text("1 ~chain:references 0", identical(&programs[0], &programs[1]),
		       describe(&programs[0], &programs[2]), identical(&programs[0], &programs[2]));
}

/* Damage anywhere in the file ends in an answer or an error, within bounds. */
Test(code, survives_damage)
{
	pe_auto_text good = PE_TEXT_INIT;
	struct pe_err err = PE_ERR_INIT;
	struct pe_program whole;
	uint32_t state = 1;

	build(&whole, ".", SOURCES "code_shapes/shapes.cc", NULL, "g++ -O1");
	cr_assert_ok(pe_text_read_file(&good, pe_arena_printf(&arena, "%s/program", root), &err),
		     err.message);
	for (int round = 0; round < 150; round++) {
		struct pe_text bad = PE_TEXT_INIT;
		struct pe_program program;
		struct pe_arena own = PE_ARENA_INIT;

		pe_text_addn(&bad, good.data,
			     round % 10 == 0 ? good.len / (size_t)(round / 10 + 2) : good.len);
		for (int k = 0; k < 40; k++) {
			state = state * 1664525u + 1013904223u;
			bad.data[round % 2 == 0 ? state % bad.len
						: bad.len - 1 - state % (bad.len / 8)] =
				(char)(state >> 24);
		}
		pe_text_write_file(&bad, pe_arena_printf(&arena, "%s/bad", root), &err);
		try_program(&program, root, "bad", &own, &err);
		pe_arena_release(&own);
		pe_text_release(&bad);
	}
}
