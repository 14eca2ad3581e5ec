/*
 * Ways to leave a method without its exit hook. At the next call the stack pointer shows that methods are
 * gone, but not always which: the next callee's frame may be where a gone callee's was. So functions that
 * unwind the stack are wrapped.
 *
 *   longjmp(3) and its kin    the target's stack pointer is in the buffer, where its layout is known
 *   _Unwind_SetIP             exceptions: a landing pad of some method is about to run, whatever the language
 *   vfork(2)                  the child's calls are left behind when it becomes another program
 *   __cxa_begin_catch         exceptions whose unwinder is linked into the program
 *
 * gcc's landing pads call the exit hooks of the methods that they clean up, clang's do not.
 */
#include "probe/runtime/calls.h"

#include "probe/formats/machine.h"
#include "probe/runtime/alloc.h"
#include "probe/runtime/touch.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef void (*jump_fn)(void *, int) __attribute__((noreturn));

PE_PUBLIC void _Unwind_SetIP(void *context, uintptr_t pc);
PE_PUBLIC void *__cxa_begin_catch(void *exception);

static _Noreturn void jump(jump_fn go, void *buffer, int value)
{
	uintptr_t sp = pe_machine_jump_target(buffer);

	if (sp != 0)
		pe_calls_unwound(sp);
	go(buffer, value);
}

/* Declared here: the header's have attributes and types that differ between C libraries. */
#define JUMP(function, name)                                                                       \
	PE_PUBLIC _Noreturn void function(void *buffer, int value) __asm__(name);                  \
	void function(void *buffer, int value)                                                     \
	{                                                                                          \
		jump(PE_NEXT_OF(jump_fn, name), buffer, value);                                    \
	}

JUMP(pe_calls_longjmp, "longjmp")
JUMP(pe_calls_longjmp_plain, "_longjmp")
JUMP(pe_calls_siglongjmp, "siglongjmp")
JUMP(pe_calls_longjmp_chk, "__longjmp_chk")

#ifdef PE_MACHINE_VFORK
size_t pe_calls_vfork_begin(void);
int pe_calls_vfork_end(long result, size_t depth);

__attribute__((used)) size_t pe_calls_vfork_begin(void)
{
	return pe_calls_depth();
}

__attribute__((used)) int pe_calls_vfork_end(long result, size_t depth)
{
	if (result < 0) {
		errno = (int)-result;
		return -1;
	}
	if (result > 0)
		pe_calls_forget_above(depth);
	return (int)result;
}

__asm__(".pushsection .text\n"
	".globl vfork\n"
	".type vfork, %function\n"
	"vfork:\n"
	"	.cfi_startproc\n" PE_MACHINE_VFORK "	.cfi_endproc\n"
	".size vfork, .-vfork\n"
	".popsection\n");
#endif

/*
 * The next definition. A plug-in may bring its unwinder for itself alone (RTLD_LOCAL): it finds our functions
 * all the same, and the next ones must be looked for where it has them.
 */
static void *find(const char *name, const char *const *libraries)
{
	bool before = pe_alloc_pause(true);
	void *symbol = dlsym(RTLD_NEXT, name);

	for (; symbol == NULL && *libraries != NULL; libraries++) {
		void *library = dlopen(*libraries, RTLD_LAZY | RTLD_NOLOAD);

		if (library != NULL)
			symbol = dlsym(library, name);
	}
	pe_alloc_pause(before);
	/* The program cannot go on without it, and it was there when the program was linked. */
	if (symbol == NULL)
		abort();
	return symbol;
}

static const char *const unwinders[] = {"libgcc_s.so.1", "libunwind.so.1", NULL};
static const char *const runtimes[] = {"libstdc++.so.6", "libc++abi.so.1", NULL};

void _Unwind_SetIP(void *context, uintptr_t pc)
{
	static void (*set)(void *, uintptr_t);
	static uintptr_t (*get_cfa)(void *);
	void *symbol;

	if (__atomic_load_n(&get_cfa, __ATOMIC_ACQUIRE) == NULL) {
		symbol = find("_Unwind_SetIP", unwinders);
		memcpy(&set, &symbol, sizeof(symbol));
		symbol = find("_Unwind_GetCFA", unwinders);
		__atomic_store_n((void **)(void *)&get_cfa, symbol, __ATOMIC_RELEASE);
	}
	pe_calls_unwound(get_cfa(context));
	set(context, pc);
}

void *__cxa_begin_catch(void *exception)
{
	static void *(*begin_catch)(void *);
	uintptr_t sp = (uintptr_t)__builtin_dwarf_cfa();
	void *symbol;

	if (__atomic_load_n(&begin_catch, __ATOMIC_ACQUIRE) == NULL) {
		symbol = find("__cxa_begin_catch", runtimes);
		__atomic_store_n((void **)(void *)&begin_catch, symbol, __ATOMIC_RELEASE);
	}
	pe_calls_unwound(sp);
	return begin_catch(exception);
}
