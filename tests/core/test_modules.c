#include "core/exec/modules.h"
#include "core/model/modules.h"
#include "tests/support/test.h"

static struct pe_arena arena = PE_ARENA_INIT;

TestSuiteWith(modules, (void)0, pe_arena_release(&arena), .timeout = 600);

static bool replaced(const char *old, const char *new)
{
	const struct pe_module_set before = pe_modules_unpack(old, &arena);
	const struct pe_module_set after = pe_modules_unpack(new, &arena);

	return pe_modules_replaced(&before, &after);
}

Test(modules, another_content_or_version_is_a_replacement)
{
	cr_expect_text("1 1",
		       replaced("1 /lib/libc.so.6\n2 /usr/bin/python3.11\n",
				"3 /lib/libc.so.6\n4 /usr/bin/python3.11\n"),
		       replaced("1 /lib/libc.so.6\n2 /usr/bin/node\n",
				"3 /lib/libc.so.6\n2 /usr/bin/node\n"));
	/* Elsewhere on PATH, and of another version. */
	cr_expect_text("1 1 1",
		       replaced("1 /usr/bin/python3.11\n",
				"2 /home/a/.pyenv/versions/3.12.1/bin/python3.12\n"),
		       replaced("1 /lib/libicuuc.so.72\n", "2 /lib/libicuuc.so.74\n"),
		       replaced("1 /usr/bin/node\n", "2 /opt/node/bin/node\n"));
}

Test(modules, what_came_or_went_was_not_replaced)
{
	cr_expect_text("0 0 0",
		       replaced("1 /lib/libc.so.6\n", "1 /lib/libc.so.6\n2 /lib/libm.so.6\n"),
		       replaced("1 /lib/libc.so.6\n2 /lib/libm.so.6\n", "1 /lib/libc.so.6\n"),
		       replaced("", "1 /lib/libc.so.6\n"));
	/* The same file moved; another one of that name beside it; an older version beside it. */
	cr_expect_text("0 0 0", replaced("1 /lib/libz.so.1\n", "1 /usr/lib/libz.so.1\n"),
		       replaced("1 /lib/libz.so.1\n", "1 /lib/libz.so.1\n2 /opt/lib/libz.so.1\n"),
		       replaced("1 /lib/liba.so.1\n", "1 /lib/liba.so.1\n2 /lib/liba.so.2\n"));
	/* A program is no version of a library. */
	cr_expect_not(replaced("1 /usr/bin/libx\n", "2 /lib/libx.so.1\n"));
}

Test(modules, lines_are_what_was_packed_and_nothing_else)
{
	struct pe_mapped at[] = {{"/b", "2"}, {"/a", "1"}, {"/b", "2"}, {"/a b", "3"}};
	struct pe_module_set modules = {at, 4, 7};
	struct pe_module_set again;

	pe_modules_sort(at, &modules.n);
	cr_assert(eq(sz, modules.n, 3));
	cr_expect_str_eq(pe_modules_pack(&modules, &arena), "1 /a\n3 /a b\n2 /b\n");
	again = pe_modules_unpack("1 /a\n3 /a b\n\nnothing\n \n2 /b\ncut", &arena);
	cr_assert(eq(sz, again.n, 3));
	cr_expect_str_eq(again.at[1].path, "/a b");
	cr_expect_str_eq(again.at[2].digest, "2");
}

/* --- Lists of a run --- */

static void write_file(const char *path, const char *bytes, size_t n)
{
	FILE *file = fopen(path, "wb");

	cr_assert(file != NULL);
	cr_assert(eq(sz, fwrite(bytes, 1, n, file), n));
	fclose(file);
}

#define ELF(version) "\177ELF" version

/* Paths with their terminators; "" ends them. */
static void write_list(const char *dir, const char *name, const char *const *paths)
{
	char path[256], bytes[4096];
	size_t n = 0;

	for (size_t i = 0; *paths[i] != '\0'; i++)
		n += (size_t)snprintf(bytes + n, sizeof(bytes) - n, "%s", paths[i]) + 1;
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	write_file(path, bytes, n);
}

static void write_in(const char *dir, const char *name, const char *content)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	write_file(path, content, strlen(content));
}

Test(modules, lists_of_a_run_are_read_with_suspicion)
{
	char dir[] = "/tmp/pe-modules-XXXXXX";
	char prog[64], fresh[64], own[64], inside[64], text[64], tree[64], command[64];
	const struct pe_module_set *found, *later;

	cr_assert(mkdtemp(dir) != NULL);
	snprintf(prog, sizeof(prog), "%s/prog", dir);
	snprintf(fresh, sizeof(fresh), "%s/prog.new", dir);
	snprintf(own, sizeof(own), "%s/own.so", dir);
	snprintf(inside, sizeof(inside), "%s/tree/inside.so", dir);
	snprintf(text, sizeof(text), "%s/text", dir);
	snprintf(tree, sizeof(tree), "%s/tree", dir);
	cr_assert(eq(int, mkdir(tree, 0700), 0));
	cr_expect(pe_modules_collect(dir, tree, NULL, 9, &arena) == NULL);
	write_in(dir, "prog", ELF("1"));
	write_in(dir, "own.so", ELF("2"));
	write_in(dir, "text", "no program");
	write_in(dir, "tree/inside.so", ELF("3"));
	/* A device that never ends, a folder, what is not there, a relative path, what is no line. */
	write_list(dir, "12-34.modules",
		   (const char *[]){"/dev/zero", "/tmp", "/nowhere", "relative", "/a\nb", ""});
	write_list(dir, "12-35.modules", (const char *[]){prog, prog, own, inside, text, ""});
	found = pe_modules_collect(dir, tree, own, 9, &arena);
	cr_assert(found != NULL);
	cr_assert(eq(sz, found->n, 1));
	cr_expect_str_eq(found->at[0].path, prog);
	cr_expect(eq(i64, found->since_s, 9));
	/* Another content under the same name is seen, though the file was read before. */
	write_in(dir, "prog.new", ELF("other"));
	cr_assert(eq(int, rename(fresh, prog), 0));
	later = pe_modules_collect(dir, tree, own, 9, &arena);
	cr_expect(pe_modules_replaced(found, later));
	snprintf(command, sizeof(command), "rm -r %s", dir);
	cr_expect(eq(int, system(command), 0));
}

static char *many(size_t n)
{
	char *lines = pe_arena_alloc(&arena, n * 16 + 1, 1), *at = lines;

	for (size_t i = 0; i < n; i++)
		at += sprintf(at, "1 /lib/%05zu\n", i);
	return lines;
}

Test(modules, lines_of_others_are_sets_or_refused)
{
	static const char *const unsound[] = {
		"1 lib/libc.so.6\n",
		"1 /lib/libc.so.6",
		"/lib/libc.so.6\n",
		" /lib/libc.so.6\n",
		"\n",
		"1 /lib/a\n\n2 /lib/b\n",
		"1 /lib/b\n1 /lib/a\n",
		"1 /lib/a\n1 /lib/a\n",
		"1 /lib/\033[2Ja\n",
		"1 /lib/\302\233a\n",
		"1 /lib/\342\200\256a\n",
		"1 /lib/\377a\n",
		"\a /lib/a\n",
	};
	size_t n;

	cr_expect(pe_modules_are_sound("", &n));
	cr_expect(eq(sz, n, 0));
	cr_expect(pe_modules_are_sound("1 /a b/libc.so.6\n2 /usr/bin/python3.11\n", &n));
	cr_expect(eq(sz, n, 2));
	for (size_t i = 0; i < sizeof(unsound) / sizeof(*unsound); i++)
		cr_expect_not(pe_modules_are_sound(unsound[i], NULL), "%zu", i);
	cr_expect(pe_modules_are_sound(many(PE_MODULES_MOST), NULL));
	cr_expect_not(pe_modules_are_sound(many(PE_MODULES_MOST + 1), NULL));
}
