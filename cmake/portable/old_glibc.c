/*
 * Functions that glibc got after 2.28, for programs that older ones load (portable.cmake), in terms of what every glibc
 * has. Names and meanings are glibc's.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cmake/portable/stat_version.h"

int __fxstat(int version, int fd, struct stat *out);

int fstat(int fd, struct stat *out)
{
	return __fxstat(STAT_VERSION, fd, out);
}

/* struct stat64 is struct stat where off_t has 64 bits. */
int fstat64(int fd, struct stat64 *out) __attribute__((alias("fstat")));

int close_range(unsigned first, unsigned last, int flags)
{
	return (int)syscall(SYS_close_range, first, last, flags);
}

const char *sigabbrev_np(int number)
{
	static const char *const names[] = {
		[SIGHUP] = "HUP",       [SIGINT] = "INT",   [SIGQUIT] = "QUIT",
		[SIGILL] = "ILL",       [SIGTRAP] = "TRAP", [SIGABRT] = "ABRT",
		[SIGBUS] = "BUS",       [SIGFPE] = "FPE",   [SIGKILL] = "KILL",
		[SIGUSR1] = "USR1",     [SIGSEGV] = "SEGV", [SIGUSR2] = "USR2",
		[SIGPIPE] = "PIPE",     [SIGALRM] = "ALRM", [SIGTERM] = "TERM",
		[SIGSTKFLT] = "STKFLT", [SIGCHLD] = "CHLD", [SIGCONT] = "CONT",
		[SIGSTOP] = "STOP",     [SIGTSTP] = "TSTP", [SIGTTIN] = "TTIN",
		[SIGTTOU] = "TTOU",     [SIGURG] = "URG",   [SIGXCPU] = "XCPU",
		[SIGXFSZ] = "XFSZ",     [SIGPROF] = "PROF", [SIGVTALRM] = "VTALRM",
		[SIGWINCH] = "WINCH",   [SIGPOLL] = "POLL", [SIGPWR] = "PWR",
		[SIGSYS] = "SYS"};

	return number > 0 && (size_t)number < sizeof(names) / sizeof(*names) ? names[number] : NULL;
}

/* A libc without it has no generator of its own either: all is the kernel's. */
void arc4random_buf(void *out, size_t n)
{
	for (size_t done = 0; done < n;) {
		ssize_t got = getrandom((char *)out + done, n - done, 0);

		if (got > 0)
			done += (size_t)got;
		else if (errno != EINTR)
			abort();
	}
}

/* Of a process with one thread it may say so, and need not. */
char __libc_single_threaded;

/* --- Which object has a program counter: libgcc's unwinder asks, and perfevo's libraries --- */

typedef int find_fn(void *pc, struct dl_find_object *out);

static find_fn *newer; /* a libc that has it answers without a lock */

__attribute__((constructor)) static void look_for_newer(void)
{
	void *found = dlvsym(RTLD_DEFAULT, "_dl_find_object", "GLIBC_2.35");

	*(void **)&newer = found;
}

struct search {
	uintptr_t pc;
	struct dl_find_object *out;
};

/* 1 where the object has the program counter and tables to unwind it. */
static int look_into(struct dl_phdr_info *info, size_t size, void *payload)
{
	struct search *search = payload;
	uintptr_t frames = 0, end = 0, start = UINTPTR_MAX;
	void *map = NULL;
	Dl_info unused;
	bool here = false;

	(void)size;
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];
		uintptr_t from = info->dlpi_addr + part->p_vaddr;

		if (part->p_type == PT_GNU_EH_FRAME)
			frames = from;
		if (part->p_type != PT_LOAD)
			continue;
		start = from < start ? from : start;
		end = from + part->p_memsz > end ? from + part->p_memsz : end;
		here = here || (search->pc >= from && search->pc < from + part->p_memsz);
	}
	if (!here || frames == 0 ||
	    dladdr1((void *)search->pc, &unused, &map, RTLD_DL_LINKMAP) == 0)
		return 0;
	*search->out = (struct dl_find_object){.dlfo_map_start = (void *)start,
					       .dlfo_map_end = (void *)end,
					       .dlfo_link_map = map,
					       .dlfo_eh_frame = (void *)frames};
	return 1;
}

int _dl_find_object(void *pc, struct dl_find_object *out)
{
	struct search search = {(uintptr_t)pc, out};

	if (newer != NULL)
		return newer(pc, out);
	return dl_iterate_phdr(look_into, &search) == 1 ? 0 : -1;
}
