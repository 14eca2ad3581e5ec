/*
 * Modules: which programs and libraries this process maps, so that another interpreter or library is not taken for
 * another commit. They are listed when the process begins, and once more at its end where others were loaded since.
 */
#undef _FILE_OFFSET_BITS
#undef _FORTIFY_SOURCE
#include "probe/formats/modules.h"
#include "probe/runtime/alloc.h"
#include "probe/runtime/file_limit.h"
#include "probe/runtime/record.h"
#include "probe/runtime/touch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int listed_by; /* the process that wrote its list; 0: none is wanted */
static unsigned long long n_loaded;

static int count(struct dl_phdr_info *module, size_t size, void *payload)
{
	(void)size;
	*(unsigned long long *)payload = module->dlpi_adds;
	return 1;
}

static int write_down(struct dl_phdr_info *module, size_t size, void *payload)
{
	const int *fd = payload;
	size_t n;

	(void)size;
	/* The program itself has no name, and what the kernel brings no path. */
	if (*module->dlpi_name != '/')
		return 0;
	n = strlen(module->dlpi_name) + 1;
	return !pe_file_may_grow(*fd, n) || write(*fd, module->dlpi_name, n) < 0;
}

static void list(void)
{
	const struct pe_alloc_record *record = pe_record();
	char path[PATH_MAX + 64];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%s/%u-%llu" PE_MODULES_SUFFIX, pe_record_directory(),
		 (unsigned)record->pid, (unsigned long long)record->started_ns);
	fd = pe_touch_open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0)
		return;
	n = pe_touch_readlink("/proc/self/exe", path, sizeof(path) - 1);
	if (n > 0) {
		path[n] = '\0';
		n = !pe_file_may_grow(fd, (uint64_t)n + 1) ? 0 : write(fd, path, (size_t)n + 1);
	}
	if (n > 0)
		dl_iterate_phdr(write_down, &fd);
	close(fd);
}

__attribute__((constructor)) static void begin(void)
{
	int error = errno;

	pe_record();
	if (*pe_record_directory() != '\0' && !pe_touch_wanted()) {
		listed_by = getpid();
		dl_iterate_phdr(count, &n_loaded);
		list();
	}
	errno = error;
}

/* A forked child has what its parent has, as a rule: it is not made to begin a record for it. */
__attribute__((destructor)) static void end(void)
{
	unsigned long long now = n_loaded;

	if (listed_by != getpid())
		return;
	dl_iterate_phdr(count, &now);
	if (now != n_loaded)
		list();
}

/* Whether the call before led here. */
static bool was_reached(void)
{
	const bool reached = pe_touch_reached;

	pe_touch_reached = false;
	return reached;
}

/*
 * Do the program's calls lead here? Functions of these names in the program itself come before ours, and may or may not pass
 * on; asked by calling them, as the program does, with a path that leads nowhere. They are in other files: none is inlined.
 */
__attribute__((constructor)) static void probe(void)
{
	const int error = errno;
	struct stat unused;
	bool before, reached;

	if (!pe_touch_wanted())
		return;
	before = pe_alloc_pause(true);
	open(pe_touch_nothing, O_RDONLY);
	reached = was_reached();
	stat(pe_touch_nothing, &unused);
	reached = was_reached() && reached;
	fopen(pe_touch_nothing, "r");
	if (!was_reached() || !reached)
		pe_touch_unseen();
	pe_alloc_pause(before);
	errno = error;
}
