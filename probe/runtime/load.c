/*
 * What the kernel and the dynamic loader open on the program's behalf, before it or for it: the program
 * itself, descriptors that it was started with, the libraries it is linked with and those it loads.
 *
 * The loader looks for a library in one folder after the other; one that turns up in an earlier folder
 * replaces it. So a library counts as looked for in every folder of the program's search path.
 */
#undef _FILE_OFFSET_BITS
#undef _FORTIFY_SOURCE
#include "probe/runtime/touch.h"

#include "probe/runtime/alloc.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <unistd.h>

enum { INHERITED_FDS = 10, SEARCH_BYTES = 16 * 1024 };

/*
 * The process that called dlopen(3) and has not noted what that loaded; 0: none. A forked child leaves it to
 * its parent: the loader's locks may have been held by another thread while it was forked.
 */
static int loading;

/* The program's search path, and its size on the stack: dlinfo(3) fills it in. */
struct search {
	union {
		Dl_serinfo info;
		char bytes[SEARCH_BYTES];
	};
	bool known;
};

static void look_in_folders(const struct search *search, const char *name)
{
	/* An array that the header gives no length. */
	const char *folders = search->bytes + offsetof(Dl_serinfo, dls_serpath);
	char path[PATH_MAX];

	if (!search->known)
		return;
	for (unsigned i = 0; i < search->info.dls_cnt; i++) {
		Dl_serpath folder;
		int n;

		memcpy(&folder, folders + i * sizeof(folder), sizeof(folder));
		n = snprintf(path, sizeof(path), "%s/%s", folder.dls_name, name);
		if (n > 0 && (size_t)n < sizeof(path))
			pe_touch_look(AT_FDCWD, path, false);
	}
}

__attribute__((noinline)) static void find_search(struct search *search)
{
	bool before = pe_alloc_pause(true);
	void *program = PE_NEXT(dlopen)(NULL, RTLD_LAZY);
	Dl_serinfo size = {0};

	search->known = program != NULL && dlinfo(program, RTLD_DI_SERINFOSIZE, &size) == 0 &&
			size.dls_size <= sizeof(search->bytes);
	if (search->known) {
		search->info = size;
		search->known = dlinfo(program, RTLD_DI_SERINFO, &search->info) == 0;
	}
	pe_alloc_pause(before);
	if (!search->known)
		pe_touch_unseen();
}

static int note_library(struct dl_phdr_info *library, size_t size, void *payload)
{
	const char *name = library->dlpi_name, *base = strrchr(name, '/');

	(void)size;
	/* The program itself, and what the kernel brings, which is no file. */
	if (base == NULL)
		return 0;
	pe_touch_look(AT_FDCWD, name, false);
	look_in_folders(payload, base + 1);
	return 0;
}

static void note_libraries(void)
{
	struct search search;

	find_search(&search);
	dl_iterate_phdr(note_library, &search);
}

void pe_touch_libraries(void)
{
	int error = errno;

	if (__atomic_load_n(&loading, __ATOMIC_RELAXED) == getpid()) {
		__atomic_store_n(&loading, 0, __ATOMIC_RELAXED);
		note_libraries();
	}
	errno = error;
}

static void about_to_load(const char *file)
{
	struct search search;

	pe_touch_libraries();
	if (file == NULL || !pe_touch_wanted())
		return;
	if (strchr(file, '/') != NULL) {
		pe_touch_look(AT_FDCWD, file, false);
	} else {
		find_search(&search);
		look_in_folders(&search, file);
	}
	__atomic_store_n(&loading, getpid(), __ATOMIC_RELAXED);
}

/*
 * The loader takes the search path and the namespace of whoever called it, and finds out who that was by the
 * return address. So these two must be left by a jump: nothing may come after the call.
 */
PE_PUBLIC void *dlopen(const char *file, int mode)
{
	about_to_load(file);
	return PE_NEXT(dlopen)(file, mode);
}

PE_PUBLIC void *dlmopen(Lmid_t space, const char *file, int mode)
{
	about_to_load(file);
	return PE_NEXT(dlmopen)(space, file, mode);
}

PE_PUBLIC int dlclose(void *library)
{
	int rc;

	pe_touch_libraries();
	rc = PE_NEXT(dlclose)(library);
	pe_calls_unloaded();
	return rc;
}

PE_PUBLIC void _exit(int status)
{
	pe_touch_libraries();
	PE_NEXT(_exit)(status);
	__builtin_unreachable();
}

PE_PUBLIC void _Exit(int status)
{
	_exit(status);
}

PE_PUBLIC void quick_exit(int status)
{
	pe_touch_libraries();
	PE_NEXT(quick_exit)(status);
	__builtin_unreachable();
}

__attribute__((destructor)) static void end(void)
{
	pe_touch_libraries();
}

static void note_program(void)
{
	unsigned long given = getauxval(AT_EXECFN);
	char path[PATH_MAX];
	ssize_t n = pe_touch_readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (n > 0) {
		path[n] = '\0';
		pe_touch_program(path);
	} else {
		pe_touch_unseen();
	}
	/* As it was called, which for a script is the script. */
	if (given != 0)
		pe_touch_look(AT_FDCWD, (const char *)given, false);
}

static void note_inherited(void)
{
	for (int fd = 0; fd < INHERITED_FDS; fd++) {
		int flags = fcntl(fd, F_GETFL);

		if (flags >= 0 && (flags & O_ACCMODE) != O_WRONLY)
			pe_touch_fd(PE_PATH_READ, pe_touch_now(), fd);
	}
}

__attribute__((constructor)) static void start(void)
{
	int error = errno;

	if (!pe_touch_wanted())
		return;
	note_program();
	note_inherited();
	note_libraries();
	errno = error;
}
