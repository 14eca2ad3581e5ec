/*
 * Entries: traps at the first instruction of functions (probe/formats/entries.h). A trap that is hit is removed and its
 * function marked, so each costs one signal a process. Functions that run before this library is initialised are missed, and
 * so are modules that are loaded later: those have no flag. A program that blocks SIGTRAP, or uses it itself, ends otherwise
 * than without traps; then all marks are dropped.
 */
#include "probe/formats/entries.h"
#include "probe/formats/machine.h"

#include "probe/runtime/entries.h"
#include "probe/runtime/touch.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef PE_MACHINE_TRAPS

enum { MOST_MODULES = 256 };

static struct {
	struct pe_entries_module *modules;
	const uint64_t *addresses;
	unsigned char *entered;
	unsigned char *first_bytes; /* as they were */
	uint32_t n_modules;
	uintptr_t bases[MOST_MODULES]; /* by module, where it was loaded */
	bool loaded[MOST_MODULES];
	bool on;
} entries;

static void set_flag(struct pe_entries_module *module, enum pe_entries_flags flag)
{
	__atomic_fetch_or(&module->flags, (uint32_t)flag, __ATOMIC_RELAXED);
}

/* The function of a module that begins at an address; SIZE_MAX: none. */
static size_t find_in(uint32_t m, uint64_t address)
{
	const struct pe_entries_module *module = &entries.modules[m];
	size_t low = module->first, high = module->first + module->n;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (entries.addresses[middle] < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < module->first + module->n && entries.addresses[low] == address ? low
										    : SIZE_MAX;
}

static void trapped(int number, siginfo_t *info, void *context)
{
	const uintptr_t at = pe_machine_pc(context) - 1;

	(void)info;
	for (uint32_t m = 0; m < entries.n_modules; m++) {
		const size_t i = entries.loaded[m] ? find_in(m, at - entries.bases[m]) : SIZE_MAX;

		if (i == SIZE_MAX)
			continue;
		__atomic_store_n((unsigned char *)at, entries.first_bytes[i], __ATOMIC_RELEASE);
		entries.entered[i] = 1;
		pe_machine_set_pc(context, at);
		return;
	}
	/* A trap of the program's own. */
	signal(number, SIG_DFL);
	raise(number);
}

static bool identify(uint64_t *device, uint64_t *inode, int fd)
{
	struct stat info;

	if (fstat(fd, &info) != 0)
		return false;
	*device = info.st_dev;
	*inode = info.st_ino;
	return true;
}

/* The module that a descriptor is of; NULL. */
static struct pe_entries_module *module_of(int fd)
{
	uint64_t device, inode;

	if (!identify(&device, &inode, fd))
		return NULL;
	for (uint32_t m = 0; m < entries.n_modules; m++)
		if (entries.modules[m].device == device && entries.modules[m].inode == inode)
			return &entries.modules[m];
	return NULL;
}

static bool set_traps(const struct pe_entries_module *module, uintptr_t base, uint64_t from,
		      uint64_t end)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	const uintptr_t start = (base + from) / page * page;

	if (mprotect((void *)start, base + end - start, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
		return false;
	for (size_t i = module->first; i < module->first + module->n; i++) {
		unsigned char *at = (unsigned char *)(base + entries.addresses[i]);

		if (entries.addresses[i] < from || entries.addresses[i] >= end)
			continue;
		entries.first_bytes[i] = *at;
		*at = PE_MACHINE_TRAP;
	}
	return true;
}

static int watch_module(struct dl_phdr_info *object, size_t size, void *payload)
{
	const char *path = object->dlpi_name[0] != '\0' ? object->dlpi_name : "/proc/self/exe";
	int fd = pe_touch_open(path, O_RDONLY | O_CLOEXEC, 0);
	struct pe_entries_module *module = fd >= 0 ? module_of(fd) : NULL;
	bool done = module != NULL;

	(void)size;
	(void)payload;
	if (fd >= 0)
		close(fd);
	if (module == NULL)
		return 0;
	entries.bases[module - entries.modules] = object->dlpi_addr;
	entries.loaded[module - entries.modules] = true;
	for (int i = 0; done && i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &object->dlpi_phdr[i];

		if (segment->p_type == PT_LOAD && (segment->p_flags & PF_X) != 0)
			done = set_traps(module, object->dlpi_addr, segment->p_vaddr,
					 segment->p_vaddr + segment->p_filesz);
	}
	set_flag(module, done ? PE_ENTRIES_WATCHED : PE_ENTRIES_FAILED);
	return 0;
}

/* The file, if it is one; what stands in it was written by perfevo before this program began. */
static bool map_file(const char *path)
{
	struct pe_entries_head *head = MAP_FAILED;
	struct stat info;
	int fd = pe_touch_open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0);

	if (fd >= 0 && fstat(fd, &info) == 0 && (size_t)info.st_size >= sizeof(*head))
		head = mmap(NULL, (size_t)info.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (fd >= 0)
		close(fd);
	if (head == MAP_FAILED || head->magic != PE_ENTRIES_MAGIC ||
	    head->n_modules > MOST_MODULES ||
	    (uint64_t)info.st_size != sizeof(*head) +
					      head->n_modules * sizeof(struct pe_entries_module) +
					      head->n * (sizeof(uint64_t) + 1))
		return false;
	entries.modules = (struct pe_entries_module *)(head + 1);
	entries.addresses = (const uint64_t *)(entries.modules + head->n_modules);
	entries.entered = (unsigned char *)(entries.addresses + head->n);
	entries.first_bytes =
		mmap(NULL, head->n + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (entries.first_bytes == MAP_FAILED)
		return false;
	entries.n_modules = head->n_modules;
	return true;
}

__attribute__((constructor)) static void watch(void)
{
	const char *path = getenv(PE_ENTRIES_ENV);
	struct sigaction action = {.sa_sigaction = trapped,
				   .sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART};
	int error = errno;

	if (path != NULL && *path != '\0' && map_file(path) &&
	    sigaction(SIGTRAP, &action, NULL) == 0) {
		entries.on = true;
		dl_iterate_phdr(watch_module, NULL);
	}
	errno = error;
}

void pe_entries_opened(int fd)
{
	struct pe_entries_module *module;
	int error = errno;

	if (!entries.on)
		return;
	module = module_of(fd);
	if (module != NULL)
		set_flag(module, PE_ENTRIES_OPENED);
	errno = error;
}

#else

void pe_entries_opened(int fd)
{
	(void)fd;
}

#endif
