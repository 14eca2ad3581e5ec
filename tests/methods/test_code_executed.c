/* What of a program is executed: compiled on the spot, edited, compiled again, and asked by the functions that a run entered. */
#include "analysis/methods/code_executed.h"

#include "core/base/files.h"
#include "core/base/text.h"
#include "tests/support/test.h"

static struct pe_arena arena = PE_ARENA_INIT;
static char root[4096];

static void make_root(void)
{
	const char *folder = getenv("TMPDIR");

	snprintf(root, sizeof(root), "%s/perfevo-executed-XXXXXX",
		 folder != NULL ? folder : "/tmp");
	cr_assert(mkdtemp(root) != NULL);
}

TestSuiteWith(code_executed, make_root(), (pe_files_remove(root, NULL), pe_arena_release(&arena)),
	      .timeout = 600);

/* A program of one file, and of a library beside it. */
struct build {
	const char *name; /* its folder */
	const char *program, *shared, *flags, *compiler;
};

static void put(const char *folder, const char *name, const char *source)
{
	struct pe_err err = PE_ERR_INIT;
	pe_auto_text text = PE_TEXT_INIT;

	pe_text_add(&text, source);
	cr_assert_eq(
		pe_text_write_file(&text, pe_arena_printf(&arena, "%s/%s", folder, name), &err),
		PE_OK);
}

static const char *make(const struct build *build)
{
	const char *folder = pe_arena_printf(&arena, "%s/%s", root, build->name);
	const char *flags = build->flags != NULL ? build->flags : "-O1";

	cr_assert_eq(mkdir(folder, 0777), 0);
	put(folder, "p.c", build->program);
	put(folder, "l.c", build->shared != NULL ? build->shared : "int none;");
	cr_assert_eq(
		system(pe_arena_printf(
			&arena,
			"cd '%s' && cc -w %s -fPIC -shared l.c -o libl.so && %s -w %s p.c -L. -ll -Wl,-rpath,'%s' -o p",
			folder, flags, build->compiler != NULL ? build->compiler : "cc", flags,
			folder)),
		0, "%s", build->program);
	return folder;
}

/* The hash with these functions of program and library entered; NULL: none of the library is used. */
static struct pe_xxh hash_of(const char *folder, const char *program, const char *library)
{
	struct pe_code_used used[2] = {{.relative = "p"}, {.relative = "libl.so"}};
	const char *lists[2] = {program, library};
	struct pe_err err = PE_ERR_INIT;
	struct pe_code_parts *parts;
	struct pe_xxh hash;
	int rc = pe_code_parts_open(&parts, pe_arena_printf(&arena, "%s/p", folder), folder, &arena,
				    &err);

	cr_assert_ok(rc, err.message);
	for (size_t i = 0; i < 2 && lists[i] != NULL; i++) {
		const char **keys = pe_arena_new(&arena, const char *, 16);
		char *rest = NULL, *copy = pe_arena_strdup(&arena, lists[i]);

		for (char *key = strtok_r(copy, " ", &rest); key != NULL;
		     key = strtok_r(NULL, " ", &rest))
			keys[used[i].n++] = key;
		used[i].keys = keys;
	}
	rc = pe_code_parts_hash(&hash, parts, used, library != NULL ? 2 : 1, &err);
	cr_assert_ok(rc, err.message);
	pe_code_parts_close(parts);
	return hash;
}

static bool same(struct pe_xxh a, struct pe_xxh b)
{
	return a.high == b.high && a.low == b.low;
}

#define BEFORE                                                                                     \
	"#include <stdio.h>\n"                                                                     \
	"static const int table[] = {1, 2, 3, 4, 5, 6, 7, 8}, other[] = {9, 8, 7, 6, 5, 4, 3};\n"  \
	"static const char *const names[] = {\"one\", \"two\"};\n"                                 \
	"struct op { int (*call)(int); const char *name; };\n"                                     \
	"__attribute__((noinline)) int used(int n) { return table[n & 7]; }\n"                     \
	"__attribute__((noinline)) int unused(int n) { return other[n % 7] * 3; }\n"               \
	"static const struct op ops[] = {{used, \"used\"}, {unused, \"unused\"}};\n"               \
	"int main(int n, char **v) { puts(names[n & 1]); return ops[n > 9].call(n); }\n"

/* An edit and whether a run that enters main() and used() notices. */
static const struct {
	const char *find, *replace;
	bool noticed;
} edits[] = {
	{"* 3", "* 5 + n", false},
	{"{9, 8", "{8, 9", false},
	{"int main", "int more(int n) { puts(\"more\"); return n; }\nint main", false},
	{"struct op {", "\n\n\nstruct op {", false},
	{"{1, 2", "{2, 1", true},           /* a table that an executed function reads */
	{"\"two\"", "\"too\"", true},       /* behind two pointers */
	{"\"unused\"", "\"no use\"", true}, /* in data that is reached, whoever reads it */
	{"{used, ", "{unused, ", true},     /* another function where a pointer is followed */
	{"n & 7", "n & 3", true},
	{"int main", "__attribute__((constructor)) void start(void) { puts(\"s\"); }\nint main",
	 true},
	{"int main", "int count = 3;\nint main", false},
	{"return table", "if (n > 99) printf(\"%d\", __LINE__); return table", true},
};

Test(code_executed, what_is_not_executed_makes_no_difference)
{
	const struct build before = {.name = "before", .program = BEFORE};
	const struct pe_xxh hash = hash_of(make(&before), "main used", NULL);

	for (size_t i = 0; i < sizeof(edits) / sizeof(*edits); i++) {
		const char *at = strstr(BEFORE, edits[i].find);
		const struct build after = {
			.name = pe_arena_printf(&arena, "after%zu", i),
			.program = pe_arena_printf(&arena, "%.*s%s%s", (int)(at - BEFORE), BEFORE,
						   edits[i].replace, at + strlen(edits[i].find)),
		};

		cr_expect_eq(same(hash, hash_of(make(&after), "main used", NULL)),
			     !edits[i].noticed, "%s: %s", edits[i].find, edits[i].replace);
	}
}

#define LIBRARY                                                                                    \
	"static int state = 1;\nint shared = 5;\n"                                                 \
	"__attribute__((noinline)) int prepare(void) { return 7; }\n"                              \
	"__attribute__((constructor)) static void begin(void) { state = prepare(); }\n"            \
	"int get(void) { return state + shared; }\nint other(void) { return 3; }\n"

Test(code_executed, a_library_counts_by_what_is_entered_and_what_runs_before_anybody_looks)
{
	static const char program[] = "int get(void); extern int shared;\n"
				      "int main(void) { return get() + shared; }\n";
	static const struct {
		const char *find, *replace;
		bool noticed;
	} changes[] = {
		{"return 3", "return 4", false},    {"return state", "return 2 * state", true},
		{"return 7", "return 8", true}, /* the start of a library is not seen */
		{"shared = 5", "shared = 6", true}, {"state = 1", "state = 2", true},
	};
	const struct build before = {.name = "before", .program = program, .shared = LIBRARY};
	const struct pe_xxh hash = hash_of(make(&before), "main", "get");

	for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
		const char *at = strstr(LIBRARY, changes[i].find);
		const struct build after = {
			.name = pe_arena_printf(&arena, "after%zu", i),
			.program = program,
			.shared = pe_arena_printf(&arena, "%.*s%s%s", (int)(at - LIBRARY), LIBRARY,
						  changes[i].replace, at + strlen(changes[i].find)),
		};

		cr_expect_eq(same(hash, hash_of(make(&after), "main", "get")), !changes[i].noticed,
			     "%s: %s", changes[i].find, changes[i].replace);
	}
	/* A function that is gone is no function that is the same. */
	cr_expect(
		!same(hash, hash_of(make(&(struct build){.name = "gone",
							 .program = program,
							 .shared = "int shared = 5;\n"
								   "int get2(void) { return 1; }\n"
								   "int (*get)(void) = get2;\n"}),
				    "main", "get")));
}

/* clang turns constant tables of pointers into offsets, which no relocation tells. */
Test(code_executed, tables_of_offsets_are_followed)
{
	static const char format[] =
		"__attribute__((noinline)) int pick(int n)\n"
		"{\n"
		"	static const int low[] = {1, 2, 3}, high[] = {4, 5, %d};\n"
		"	static const int *const both[] = {low, high};\n"
		"	return both[n & 1][n %% 3];\n"
		"}\n"
		"__attribute__((noinline)) char spell(int n)\n"
		"{\n"
		"	static const char *const names[] = {\"one\", \"%s\", \"three\"};\n"
		"	return names[n %% 3][n & 1];\n"
		"}\n"
		"int main(int n, char **v) { return pick(n) + spell(n); }\n";
	struct pe_xxh hashes[4];

	for (int i = 0; i < 4; i++) {
		const struct build build = {
			.name = pe_arena_printf(&arena, "offsets%d", i),
			.program = pe_arena_printf(&arena, format, i == 1 ? 7 : 6,
						   i == 2 ? "owt" : "two"),
			.flags = "-O2 -fPIE -pie",
			.compiler = "clang",
		};

		hashes[i] = hash_of(make(&build), "main pick spell", NULL);
	}
	cr_expect(!same(hashes[0], hashes[1]));
	cr_expect(!same(hashes[0], hashes[2]));
	cr_expect(same(hashes[0], hashes[3]));
}

Test(code_executed, tables_of_a_section_of_their_own_are_always_in)
{
	static const char before[] =
		"struct e { int (*f)(void); };\n"
		"#define E(n, v) static int n(void) { return v; } \\\n"
		"	__attribute__((section(\"tests\"), used)) static struct e e_##n = {n}\n"
		"E(a, 1);\nextern struct e __start_tests[], __stop_tests[];\n"
		"int main(void) { int s = 0; for (struct e *i = __start_tests; i < __stop_tests; i++) s += i->f(); return s; }\n";
	const char *after = pe_arena_printf(&arena, "%sE(b, 2);\n", before);

	cr_expect(!same(
		hash_of(make(&(struct build){.name = "before", .program = before}), "main a", NULL),
		hash_of(make(&(struct build){.name = "after", .program = after}), "main a", NULL)));
}

Test(code_executed, a_stripped_program_has_no_parts)
{
	const char *folder = make(&(struct build){
		.name = "stripped", .program = "int main(void) { return 0; }\n", .flags = "-s"});
	const struct pe_code_module *modules;
	struct pe_code_parts *parts;
	struct pe_err err = PE_ERR_INIT;
	struct pe_xxh hash;
	size_t n;

	cr_assert_eq(pe_code_parts_open(&parts, pe_arena_printf(&arena, "%s/p", folder), folder,
					&arena, &err),
		     PE_OK);
	modules = pe_code_parts_modules(parts, &n);
	cr_assert(n >= 1 && !modules[0].known && modules[0].n == 0);
	cr_expect_eq(
		pe_code_parts_hash(&hash, parts, &(struct pe_code_used){.relative = "p"}, 1, &err),
		PE_EUNSUPPORTED);
	pe_code_parts_close(parts);
}
