/* Compilers are asked for their versions once, until they are others. */
#include "core/exec/machine.h"

#include "core/base/text.h"
#include "tests/support/test.h"

static struct pe_arena arena;
static struct pe_machine machine;
static char dir[64];
static const char *memory;

static void shell(const char *command)
{
	cr_assert(
		eq(int,
		   system(pe_arena_printf(&arena, "PATH=/bin:/usr/bin; cd %s && %s", dir, command)),
		   0));
}

static void set_up(void)
{
	arena = (struct pe_arena)PE_ARENA_INIT;
	snprintf(dir, sizeof(dir), "/tmp/perfevo-machine-XXXXXX");
	cr_assert(ne(ptr, mkdtemp(dir), NULL));
	memory = pe_arena_printf(&arena, "%s/compilers", dir);
	/* It is a program that says its version, and the only one on PATH. */
	shell("mkdir bin && cp \"$(command -v uname)\" bin/cc");
	setenv("PATH", pe_arena_printf(&arena, "%s/bin", dir), 1);
}

static void tear_down(void)
{
	shell("rm -r bin compilers*");
	rmdir(dir);
	pe_arena_release(&arena);
}

TestSuite(machine, .init = set_up, .fini = tear_down);

/* Whether the answer is what stands in the file, into which "remembered" is written. */
static bool is_remembered(void)
{
	pe_machine_identify(&machine, memory, &arena);
	return strcmp(machine.compilers, "cc: remembered\n") == 0;
}

static void mark(void)
{
	shell("touch compilers && sed -i 's/^cc: .*/cc: remembered/' compilers");
}

Test(machine, an_answer_holds_until_the_file_is_another)
{
	char before[sizeof(machine.fingerprint)];

	cr_expect(not(is_remembered()));
	cr_expect(eq(int, strncmp(machine.compilers, "cc: uname (GNU", 14), 0), "%s",
		  machine.compilers);
	memcpy(before, machine.fingerprint, sizeof(before));
	pe_machine_identify(&machine, NULL, &arena);
	cr_expect(eq(str, machine.fingerprint, before));
	mark();
	cr_expect(is_remembered());
	shell("cp bin/cc bin/new && mv bin/new bin/cc");
	cr_expect(not(is_remembered()));
	cr_expect(eq(str, machine.fingerprint, before));
	mark();
	cr_expect(is_remembered());
	/* One more compiler. */
	shell("cp bin/cc bin/clang");
	cr_expect(not(is_remembered()));
}

Test(machine, what_a_wrapper_answers_is_not_remembered)
{
	shell("printf '#!/bin/sh\\necho wrapped\\n' >bin/clang && chmod +x bin/clang");
	cr_expect(not(is_remembered()));
	mark();
	cr_expect(not(is_remembered()));
	shell("mv bin/cc bin/ccache && ln -s ccache bin/cc && rm bin/clang");
	cr_expect(not(is_remembered()));
	mark();
	cr_expect(not(is_remembered()));
}

Test(machine, nor_is_that_of_one_that_failed)
{
	shell("cp /bin/false bin/gcc");
	cr_expect(not(is_remembered()));
	cr_expect(ne(int, access(memory, F_OK), 0));
	mark();
}
