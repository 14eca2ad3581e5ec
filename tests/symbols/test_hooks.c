/* Hooks as binutils sees them too, in programs that every compiler at hand makes in the usual ways. */
#include "analysis/symbols/hooks.h"

#include "core/base/files.h"
#include "core/base/text.h"
#include "tests/support/test.h"

static struct pe_arena arena;
static char place[64];

#define text(...) pe_arena_printf(&arena, __VA_ARGS__)

static void set_up(void)
{
	pe_auto_text out = PE_TEXT_INIT;

	strcpy(place, "/tmp/pe-hooks-XXXXXX");
	cr_assert_not_null(mkdtemp(place));
	pe_text_add(&out,
		    "int big(int n) { int s = 0; for (int i = 0; i < n; i++) s += i * n ^ s;\n"
		    "for (int i = 0; i < n; i++) s ^= i * s + n; return s % 7; }\n"
		    "int small(int n) { return n; }\n"
		    "int main(int n, char **v) { return v == 0 || small(n) + big(n) < 0; }\n");
	cr_assert(eq(int, pe_text_write_file(&out, text("%s/a.c", place), NULL), PE_OK));
}

static void tear_down(void)
{
	pe_files_remove(place, NULL);
	pe_arena_release(&arena);
}

TestSuite(hooks, .init = set_up, .fini = tear_down, .timeout = 600);

static bool shell(const char *command)
{
	return system(text("cd %s && { %s; } >log 2>&1", place, command)) == 0;
}

static struct pe_hooks look(const char *name)
{
	struct pe_err err = PE_ERR_INIT;
	struct pe_hooks found;

	cr_assert_ok(pe_hooks_look(&found, text("%s/%s", place, name), &err), err.message);
	return found;
}

Test(hooks, are_counted_however_a_program_is_linked)
{
	static const char *const ways[] = {
		"cc -finstrument-functions",
		"cc -O2 -finstrument-functions -fno-plt",
		"cc -O0 -finstrument-functions -fno-pie -no-pie",
		"cc -O2 -finstrument-functions -Wl,-z,now",
		"cc -O2 -finstrument-functions -fPIC -shared",
		"gcc -finstrument-functions -fcf-protection=none",
		"clang -O2 -finstrument-functions",
		"clang -O0 -finstrument-functions-after-inlining",
	};

	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		struct pe_hooks found;

		if (!shell(text("%s a.c -o a", ways[i])))
			continue; /* no such compiler here */
		found = look("a");
		cr_expect(found.is_elf && found.imported && !found.own && !found.is_static, "%s",
			  ways[i]);
		cr_expect(ge(sz, found.functions, 3), "%s", ways[i]);
	}
}

Test(hooks, are_not_there_in_a_program_without)
{
	struct pe_hooks found;

	cr_assert(shell("cc a.c -o a && strip -o stripped a"));
	found = look("a");
	cr_expect(found.is_elf && !found.imported && !found.own);
	cr_expect(ge(sz, found.functions, 3));
	cr_expect(eq(sz, look("stripped").functions, 0));
	cr_expect(not(look("a.c").is_elf));
}

Test(hooks, of_a_program_itself_are_nobodys)
{
	struct pe_hooks found;

	cr_assert(
		shell("printf 'void __attribute__((no_instrument_function)) "
		      "__cyg_profile_func_enter(void *f, void *s) { (void)f, (void)s; }' >own.c && "
		      "cc -finstrument-functions a.c own.c -o own"),
		"no compiler");
	found = look("own");
	cr_expect(found.own && !found.imported);
	if (!shell("cc -static -finstrument-functions a.c -o static"))
		return; /* no static C library here */
	found = look("static");
	cr_expect(found.own && found.is_static && !found.imported);
}

Test(hooks, a_damaged_file_is_refused_or_empty)
{
	struct pe_err err = PE_ERR_INIT;
	struct pe_hooks found;

	cr_assert(shell("cc -finstrument-functions a.c -o a"));
	for (int cut = 1; cut < 200; cut += 7) {
		char *path = text("%s/cut", place);
		int rc;

		cr_assert(shell(text("head -c $(($(wc -c <a) * %d / 200)) a >cut", cut)));
		rc = pe_hooks_look(&found, path, &err);
		cr_expect(rc == PE_OK || rc == PE_EINVALID, "%d", rc);
	}
	cr_expect_fails(pe_hooks_look(&found, text("%s/none", place), &err), PE_ENOTFOUND,
			err.message, "none is not there");
}
