/*
 * Machine: code and constants of the runtime libraries, the launcher and perfevo that depend on the architecture. Readers
 * of ELF files (analysis/) go by the file's own. On other architectures a part is missing, as its comment describes.
 */
#pragma once

#include <elf.h>

/** e_machine of native programs. Not defined: programs of other machines are not recognised. */
#if defined(__x86_64__)
#define PE_MACHINE_ELF EM_X86_64
#elif defined(__aarch64__)
#define PE_MACHINE_ELF EM_AARCH64
#elif defined(__riscv)
#define PE_MACHINE_ELF EM_RISCV
#elif defined(__powerpc64__)
#define PE_MACHINE_ELF EM_PPC64
#elif defined(__s390x__)
#define PE_MACHINE_ELF EM_S390
#elif defined(__i386__)
#define PE_MACHINE_ELF EM_386
#elif defined(__arm__)
#define PE_MACHINE_ELF EM_ARM
#endif

/**
 * GLIBC_TUNABLES for simulated instructions: the C library selects its functions for the oldest processor.
 *
 * Valgrind presents one of a few processors, depending on the machine; features in which these differ are hidden. The C
 * library skips names that its version lacks. The list must end with a comma: without it, the C library of Debian 12 reads
 * past its end, up to bytes that differ in each run. Copies of 768 KiB and more go around the caches: three quarters of a
 * shared one of 1 MiB, by the library's own rule.
 */
#if defined(__aarch64__)
#define PE_MACHINE_TUNABLES "glibc.cpu.name=generic"
#else
#define PE_MACHINE_TUNABLES                                                                        \
	"glibc.cpu.hwcaps="                                                                        \
	"-AVX512F,-AVX512VL,-AVX512BW,-AVX512F_Usable,-AVX512VL_Usable,-AVX512BW_Usable,"          \
	"-AVX2,-AVX2_Usable,-AVX,-AVX_Usable,-FMA,-FMA_Usable,-FMA4,-FMA4_Usable,-F16C,"           \
	"-BMI1,-BMI2,-LZCNT,-MOVBE,-POPCNT,-RTM,-ERMS,-FSRM,-SSE3,-SSSE3,-SSE4_1,-SSE4_2,-XSAVE,"  \
	"-XSAVEC,-OSXSAVE,-AVX_Fast_Unaligned_Load,-Fast_Copy_Backward,-Fast_Rep_String,"          \
	"-Fast_Unaligned_Copy,-Prefer_ERMS,-Prefer_FSRM,-Slow_BSF,-Slow_SSE4_2,"                   \
	"Fast_Unaligned_Load,"                                                                     \
	":glibc.cpu.x86_data_cache_size=0x8000"                                                    \
	":glibc.cpu.x86_shared_cache_size=0x100000"                                                \
	":glibc.cpu.x86_non_temporal_threshold=0xc0000"
#endif

/* The rest runs inside measured processes: only the launcher and the runtime libraries define this. */
#ifdef _GNU_SOURCE

#include <errno.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>

/** Program counter of an interrupted thread. A machine without it has no samples, and perfevo is not built there. */
static inline uintptr_t pe_machine_pc(const ucontext_t *context)
{
#if defined(__x86_64__)
	return (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
	return (uintptr_t)context->uc_mcontext.pc;
#else
#error "say where this machine keeps the address of the interrupted instruction"
#endif
}

/** Whether the instruction before pc makes a system call. */
static inline bool pe_machine_behind_call(uintptr_t pc)
{
#if defined(__x86_64__)
	return ((const unsigned char *)pc)[-2] == 0x0f && ((const unsigned char *)pc)[-1] == 0x05;
#elif defined(__aarch64__)
	return ((const uint32_t *)pc)[-1] == 0xd4000001;
#endif
}

/** A counter of constant rate, read without a system call; processors may differ in it. */
static inline uint64_t pe_machine_ticks(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
	uint64_t ticks;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
	return ticks;
#endif
}

/* Traps at entries of functions. Where no trap is defined, entered functions are not recorded. */
#if defined(__x86_64__)
enum { PE_MACHINE_TRAP = 0xcc }; /* int3; the reported address is the one after it */
#define PE_MACHINE_TRAPS 1

static inline void pe_machine_set_pc(ucontext_t *context, uintptr_t pc)
{
	context->uc_mcontext.gregs[REG_RIP] = (greg_t)pc;
}
#endif

/**
 * The stack pointer that longjmp(3) restores, read from its buffer, where glibc encrypts it with a secret of the process.
 *
 * @return  0: unknown on this machine; calls that were jumped over are noticed at the next call
 */
static uintptr_t pe_machine_jump_target(const void *buffer) __attribute__((unused));
static uintptr_t pe_machine_jump_target(const void *buffer)
{
#if defined(__x86_64__) && defined(__GLIBC__)
	enum { STACK_POINTER = 6, TURNED = 17 };
	uintptr_t word, key;

	memcpy(&word, (const char *)buffer + STACK_POINTER * sizeof(word), sizeof(word));
	__asm__("mov %%fs:0x30, %0" : "=r"(key));
	return (word >> TURNED | word << (64 - TURNED)) ^ key;
#elif defined(__aarch64__)
	/* The secret is applied by exclusive or: our own buffer, whose stack pointer is at hand, reveals it. */
	enum { STACK_POINTER = 13 };
	uintptr_t word, own, sp;
	jmp_buf here;

	if (_setjmp(here) != 0)
		return 0;
	__asm__ volatile("mov %0, sp" : "=r"(sp));
	memcpy(&word, (const char *)buffer + STACK_POINTER * sizeof(word), sizeof(word));
	memcpy(&own, (const char *)here + STACK_POINTER * sizeof(own), sizeof(own));
	return word ^ own ^ sp;
#else
	(void)buffer;
	return 0;
#endif
}

/**
 * vfork(2) of our own, in assembler: calls pe_calls_vfork_begin(), and in both processes pe_calls_vfork_end() with the
 * result and the value of the former. The child works on the parent's stack, so the parent keeps nothing there that it
 * needs afterwards: the return address and the number of open calls are in registers, which the kernel keeps. Both
 * processes return from here, the child first. Where it is not defined, a child's calls may be counted below its parent's.
 */
#if defined(__x86_64__)
#define PE_MACHINE_VFORK                                                                           \
	"	subq $8, %rsp\n"                                                                         \
	"	.cfi_adjust_cfa_offset 8\n"                                                              \
	"	call pe_calls_vfork_begin\n"                                                             \
	"	addq $8, %rsp\n"                                                                         \
	"	.cfi_adjust_cfa_offset -8\n"                                                             \
	"	movq %rax, %rsi\n"                                                                       \
	"	popq %rdi\n"                                                                             \
	"	.cfi_adjust_cfa_offset -8\n"                                                             \
	"	.cfi_register %rip, %rdi\n"                                                              \
	"	movl $58, %eax\n"                                                                        \
	"	syscall\n"                                                                               \
	"	pushq %rdi\n"                                                                            \
	"	.cfi_adjust_cfa_offset 8\n"                                                              \
	"	.cfi_offset %rip, -8\n"                                                                  \
	"	movq %rax, %rdi\n"                                                                       \
	"	subq $8, %rsp\n"                                                                         \
	"	.cfi_adjust_cfa_offset 8\n"                                                              \
	"	call pe_calls_vfork_end\n"                                                               \
	"	addq $8, %rsp\n"                                                                         \
	"	.cfi_adjust_cfa_offset -8\n"                                                             \
	"	ret\n"
#elif defined(__aarch64__)
/* clone(CLONE_VM | CLONE_VFORK | SIGCHLD, 0) */
#define PE_MACHINE_VFORK                                                                           \
	"	stp x29, x30, [sp, #-16]!\n"                                                             \
	"	.cfi_def_cfa_offset 16\n"                                                                \
	"	.cfi_offset 29, -16\n"                                                                   \
	"	.cfi_offset 30, -8\n"                                                                    \
	"	bl pe_calls_vfork_begin\n"                                                               \
	"	ldp x29, x30, [sp], #16\n"                                                               \
	"	.cfi_restore 29\n"                                                                       \
	"	.cfi_restore 30\n"                                                                       \
	"	.cfi_def_cfa_offset 0\n"                                                                 \
	"	mov x6, x0\n"                                                                            \
	"	mov x0, #0x4111\n"                                                                       \
	"	mov x1, #0\n"                                                                            \
	"	mov x8, #220\n"                                                                          \
	"	svc #0\n"                                                                                \
	"	mov x1, x6\n"                                                                            \
	"	b pe_calls_vfork_end\n"
#endif

/** Whether pe_machine_clone3() works. Without it commands do not start in a cgroup, and cgroups bound nothing. */
#if defined(__x86_64__) || defined(__aarch64__)
enum { PE_MACHINE_CLONES = 1 };
#else
enum { PE_MACHINE_CLONES = 0 };
#endif

/** clone3(2), whose child calls a function that does not return, on the stack that args has. @return  -errno: failed */
static inline long pe_machine_clone3(const void *args, size_t size, int (*child)(void *),
				     void *payload)
{
#if defined(__x86_64__)
	register void *argument __asm__("r12") = payload;
	register int (*entry)(void *) __asm__("r13") = child;
	long rc;

	__asm__ volatile("syscall\n\t"
			 "testq %%rax, %%rax\n\t"
			 "jnz 1f\n\t"
			 "xorl %%ebp, %%ebp\n\t"
			 "movq %%r12, %%rdi\n\t"
			 "callq *%%r13\n\t"
			 "ud2\n"
			 "1:"
			 : "=a"(rc)
			 : "0"((long)SYS_clone3), "D"(args), "S"(size), "r"(argument), "r"(entry)
			 : "rcx", "r11", "memory");
	return rc;
#elif defined(__aarch64__)
	register long number __asm__("x8") = SYS_clone3;
	register const void *first __asm__("x0") = args;
	register size_t second __asm__("x1") = size;
	register void *argument __asm__("x20") = payload;
	register int (*entry)(void *) __asm__("x21") = child;

	__asm__ volatile("svc #0\n\t"
			 "cbnz x0, 1f\n\t"
			 "mov x29, #0\n\t"
			 "mov x0, x20\n\t"
			 "blr x21\n\t"
			 "brk #1\n"
			 "1:"
			 : "+r"(first)
			 : "r"(number), "r"(second), "r"(argument), "r"(entry)
			 : "x30", "memory");
	return (long)first;
#else
	(void)args;
	(void)size;
	(void)child;
	(void)payload;
	return -ENOSYS;
#endif
}

#endif
