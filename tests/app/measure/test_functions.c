/* Names of functions as valgrind gives them, and as they are stored. */
#include "app/measure/functions.h"

#include "core/base/files.h"
#include "tests/support/test.h"

#define TREE "/var/slots/0002/tree"

static struct pe_arena arena;

TestSuiteWith(functions, (void)0, pe_arena_release(&arena));

struct pair {
	const char *name, *file;
	uint64_t instructions;
};

/* "name signature component count", a line each. */
static const char *named(const struct pair *pairs, size_t n)
{
	struct pe_function_count at[16];
	struct pe_function_counts counted = {at, n}, out;
	const char *text = "";

	for (size_t i = 0; i < n; i++)
		at[i] = (struct pe_function_count){pairs[i].name, "", pairs[i].file,
						   pairs[i].instructions};
	out = pe_functions_name(&counted, TREE, &arena);
	for (size_t i = 0; i < out.n; i++)
		text = pe_arena_printf(&arena, "%s%s|%s|%s|%d\n", text, out.at[i].name,
				       out.at[i].signature, out.at[i].component,
				       (int)out.at[i].instructions);
	return text;
}

#define NAMED(...)                                                                                 \
	named((const struct pair[]){__VA_ARGS__},                                                  \
	      sizeof((const struct pair[]){__VA_ARGS__}) / sizeof(struct pair))

Test(functions, paths_lose_the_tree_whichever_slot_it_was_in)
{
	cr_expect_str_eq(NAMED({"a", TREE "/src/./x/../a.c", 1}, {"b", TREE "/build/../b.c", 2},
			       {"c", "/var/slots/0017/tree/c.c", 3},
			       {"d", "/var/slots/x/tree/d.c", 4}, {"e", "./csu/../csu/e.c", 5},
			       {"f", "???", 6}, {"g", TREE "x/g.c", 7}, {"h", "../../h.c", 8},
			       {"i", "/../i.c", 9}, {"j", "/run/perfevo/tree/b/../j.c", 10},
			       {"k", "/run/perfevo/trees/k.c", 11}),
			 "a||src/a.c|1\nb||b.c|2\nc||c.c|3\nd||/var/slots/x/tree/d.c|4\n"
			 "e||csu/e.c|5\nf|||6\ng||" TREE "x/g.c|7\nh||h.c|8\ni||/../i.c|9\n"
			 "j||j.c|10\nk||/run/perfevo/trees/k.c|11\n");
}

/* The end of a path may be the end of its place: what comes behind it was there before. */
Test(functions, a_path_ends_where_it_ends)
{
	char file[64] = TREE "/", *end = file + strlen(file);

	for (size_t n = 1; n <= 32; n++) {
		struct pe_arena fresh = PE_ARENA_INIT;
		char *garbage = pe_realloc(NULL, 1, 66000);

		/* The arena's block is likely to be in its place. */
		memset(garbage, 'x', 66000);
		free(garbage);
		memset(end, 'a', n);
		end[n] = '\0';
		cr_expect_str_eq(pe_functions_component(file, TREE, &fresh), end);
		pe_arena_release(&fresh);
	}
}

/* What is left of the name fills its place: the part behind it must not be overwritten by what comes next. */
Test(functions, a_copy_of_a_function_has_room_for_its_signature)
{
	cr_expect_str_eq(NAMED({"abcdefg(int, c).part.0", TREE "/a.c", 1}),
			 "abcdefg|(int, c)|a.c|1\n");
}

Test(functions, copies_versions_and_signatures_are_the_function)
{
	cr_expect_str_eq(NAMED({"work.constprop.0.isra.0", TREE "/a.c", 1},
			       {"work.cold", TREE "/a.c", 2}, {"work", TREE "/a.c", 4},
			       {"memcpy@@GLIBC_2.14", "???", 8},
			       {"ns::f(int, char) const", TREE "/f.cc", 16},
			       {"ns::f(int)", TREE "/f.cc", 32}, {"(below main)", "???", 64},
			       {"@", "???", 128}),
			 "(below main)|||64\n@|||128\nmemcpy|||8\nns::f|(int)|f.cc|32\n"
			 "ns::f|(int, char) const|f.cc|16\nwork||a.c|7\n");
}

Test(functions, what_is_inlined_from_headers_is_of_the_function_itself)
{
	cr_expect_str_eq(NAMED({"main", TREE "/in.h", 1}, {"main", TREE "/main.c", 2},
			       {"main", "/usr/include/x.h", 4}, {"main", "???", 8},
			       {"h", TREE "/z.h", 16}, {"h", TREE "/a.h", 32},
			       {"h", "/usr/include/b.h", 64}),
			 "h||a.h|112\nmain||main.c|15\n");
}

Test(functions, static_functions_of_one_name_stay_apart)
{
	cr_expect_str_eq(NAMED({"init", TREE "/a.c", 1}, {"init", TREE "/b.c", 2},
			       {"init", TREE "/in.h", 4}, {"init", "lib.c", 8},
			       {"init", TREE "/a.c", 16}),
			 "init||a.c|17\ninit||b.c|2\ninit|||12\n");
}

/* A program that is compiled as one file: whose code is inlined into a function does not have its name. */
Test(functions, what_is_inlined_from_another_source_file_is_of_the_function_itself)
{
	static const char *const files[][2] = {
		{"a.c", "static int twin;\nint ns::list<int>::add(void) { return lent(); }\n"},
		{"b.c", "/* adds, add2 */ int lent(void) { return twin; }\n"}};
	char tree[] = "/tmp/pe-functions-XXXXXX";
	struct pe_function_count at[] = {{"ns::list<b>::add", "", NULL, 1},
					 {"ns::list<b>::add", "", NULL, 2},
					 {"twin", "", NULL, 4},
					 {"twin", "", NULL, 8}};
	struct pe_function_counts out;

	cr_assert(mkdtemp(tree) != NULL);
	for (size_t i = 0; i < 2; i++) {
		const char *path = pe_arena_printf(&arena, "%s/%s", tree, files[i][0]);
		FILE *file = fopen(path, "w");

		cr_assert(file != NULL);
		fputs(files[i][1], file);
		fclose(file);
		at[1 - i].component = at[2 + i].component = path;
	}
	out = pe_functions_name(&(struct pe_function_counts){at, 4}, tree, &arena);
	cr_assert_eq(out.n, 3);
	cr_expect_text("a.c 3 4 b.c", out.at[0].component, out.at[0].instructions,
		       out.at[1].instructions, out.at[2].component);
	pe_files_remove(tree, NULL);
}

Test(functions, nothing_is_nothing)
{
	cr_expect_str_eq(named(NULL, 0), "");
}
