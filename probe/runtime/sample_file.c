/*
 * The file of this process. It is given its blocks before it is mapped, so that a full disk is lost samples
 * and not a SIGBUS in the program; and it is opened anew for each chunk, because a descriptor that is kept
 * open may be closed by a program that closes all it finds, and its number given to another file.
 */
#include "probe/runtime/sample.h"

#include "probe/runtime/file_limit.h"
#include "probe/runtime/module.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct pe_samples_header *file;
static char directory[PATH_MAX]; /* kept: the program may clear its environment, or go elsewhere */
static char path[PATH_MAX + 64];
static char program[PATH_MAX];

struct pe_samples_header *pe_sample_file(void)
{
	return file;
}

static void *map(int flags, off_t from, off_t n)
{
	void *at = MAP_FAILED;
	/* Not open(2), which is one of our own wrappers. */
	int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC | flags, 0666);

	if (fd < 0)
		return NULL;
	if (pe_file_has_blocks(fd, (uint64_t)from, (uint64_t)n))
		at = mmap(NULL, (size_t)n, PROT_READ | PROT_WRITE, MAP_SHARED, fd, from);
	close(fd);
	return at != MAP_FAILED ? at : NULL;
}

struct pe_samples_chunk *pe_sample_file_chunk(void)
{
	uint32_t number = __atomic_fetch_add(&file->chunks, 1, __ATOMIC_RELAXED);

	return map(0, PE_SAMPLES_CHUNKS_AT + (off_t)number * PE_SAMPLES_CHUNK_SIZE,
		   PE_SAMPLES_CHUNK_SIZE);
}

static void find_directory(void)
{
	const char *given = getenv(PE_SAMPLES_DIR_ENV);
	ssize_t n = readlink("/proc/self/exe", program, sizeof(program) - 1);

	program[n > 0 ? n : 0] = '\0';
	if (given != NULL && *given != '\0' && realpath(given, directory) == NULL)
		directory[0] = '\0';
}

void pe_sample_file_begin(bool forked)
{
	struct pe_samples_header *begun;
	uint64_t now = pe_sample_now_ns();
	const char *interval = getenv(PE_SAMPLES_INTERVAL_ENV), *end = program;
	/* The parent of a forked child may have ended already. */
	const uint32_t parent = forked && file != NULL ? file->pid : (uint32_t)getppid();

	if (!forked)
		find_directory();
	else if (file != NULL)
		munmap(file, PE_SAMPLES_CHUNKS_AT);
	file = NULL;
	if (directory[0] == '\0')
		return;
	snprintf(path, sizeof(path), "%s/%ld-%llu" PE_SAMPLES_SUFFIX, directory, (long)getpid(),
		 (unsigned long long)now);
	begun = map(O_CREAT | O_EXCL, 0, PE_SAMPLES_CHUNKS_AT);
	if (begun == NULL) {
		unlink(path);
		return;
	}
	begun->version = PE_SAMPLES_VERSION;
	begun->size = sizeof(*begun);
	begun->pid = (uint32_t)getpid();
	begun->parent = parent;
	begun->started_ns = now;
	begun->interval_ns = interval != NULL ? strtoull(interval, NULL, 10) : 0;
	/* No period may be less than 10 µs, the kernel's least; a handler takes about as long. */
	if (begun->interval_ns < 12000)
		begun->interval_ns = begun->interval_ns == 0 ? PE_SAMPLES_INTERVAL_NS : 12000;
	begun->flags = forked ? PE_SAMPLES_FORKED : 0;
	for (int fd = 0; fd < 3; fd++)
		begun->pipes[fd] = pe_sample_pipe(fd);
	/* The end of the path is the part that names it. */
	if (strlen(end) >= sizeof(begun->program))
		end += strlen(end) - sizeof(begun->program) + 1;
	memcpy(begun->program, end, strlen(end) + 1);
	memcpy(begun->magic, PE_SAMPLES_MAGIC, sizeof(begun->magic));
	file = begun;
}

/* Entries of two threads that meet a module at the same time are the same, and both right. */
static bool add_module(const struct dl_find_object *found)
{
	char name[PATH_MAX];
	size_t n = pe_module_path(name, sizeof(name), found, program);
	uint32_t size = (uint32_t)((sizeof(struct pe_samples_module) + n + 1 + 7) / 8 * 8);
	uint32_t at = __atomic_fetch_add(&file->modules_used, size, __ATOMIC_RELAXED);
	struct pe_samples_module *module;

	if (at + size > PE_SAMPLES_CHUNKS_AT - PE_SAMPLES_MODULES_AT) {
		__atomic_fetch_sub(&file->modules_used, size, __ATOMIC_RELAXED);
		__atomic_fetch_or(&file->flags, PE_SAMPLES_MODULES_LOST, __ATOMIC_RELAXED);
		return true;
	}
	module = (void *)((char *)file + PE_SAMPLES_MODULES_AT + at);
	module->size = size;
	module->start = (uint64_t)found->dlfo_map_start;
	module->end = (uint64_t)found->dlfo_map_end;
	module->bias = found->dlfo_link_map->l_addr;
	module->generation = __atomic_load_n(&file->generation, __ATOMIC_RELAXED);
	module->n_build_id = pe_module_build_id(module->build_id, sizeof(module->build_id), found);
	memcpy(module + 1, name, n + 1);
	__atomic_store_n(&module->magic, PE_SAMPLES_MODULE_MAGIC, __ATOMIC_RELEASE);
	return true;
}

bool pe_sample_file_module(uint64_t address)
{
	uint32_t used = __atomic_load_n(&file->modules_used, __ATOMIC_ACQUIRE);
	uint32_t generation = __atomic_load_n(&file->generation, __ATOMIC_RELAXED);
	struct dl_find_object found;

	for (uint32_t at = 0; at < used && used <= PE_SAMPLES_CHUNKS_AT - PE_SAMPLES_MODULES_AT;) {
		const struct pe_samples_module *module =
			(const void *)((const char *)file + PE_SAMPLES_MODULES_AT + at);

		if (__atomic_load_n(&module->magic, __ATOMIC_ACQUIRE) != PE_SAMPLES_MODULE_MAGIC)
			break; /* in the making: what is behind it may be entered twice */
		if (module->generation == generation && address >= module->start &&
		    address < module->end)
			return true;
		at += module->size;
	}
	if (_dl_find_object((void *)(uintptr_t)address, &found) != 0)
		return false;
	return add_module(&found);
}
