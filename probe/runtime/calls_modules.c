/*
 * Modules: the program or library of an address, written down with the first node of it, since
 * the library may be gone when the trace is read. _dl_find_object() (glibc 2.35) finds it without a lock;
 * where it is missing dl_iterate_phdr(3) does, which a handler that interrupts the
 * dynamic loader should not call.
 *
 *   struct known   a module that was written down
 *   struct found   the loader's answer for an address
 */
#include "probe/runtime/calls.h"

#include "probe/runtime/alloc.h"
#include "probe/runtime/touch.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

/* Numbers have 16 bits. */
enum { MOST_MODULES = 4096 };

struct known {
	uint64_t start, end, bias;
	uint32_t chunk;  /* slot of its chunk's head */
	uint32_t number; /* 0: not complete yet */
};

struct found {
	uint64_t start, end, bias;
	const char *path; /* as the loader has it; "" for the program */
};

static struct known known[MOST_MODULES];
static uint32_t n_known;

void pe_calls_modules_forget(void)
{
	memset(known, 0, n_known * sizeof(*known));
	n_known = 0;
}

#if defined(__GLIBC__) && defined(DLFO_STRUCT_HAS_EH_DBASE)
static bool find(struct found *out, uint64_t address)
{
	struct dl_find_object object;

	if (_dl_find_object((void *)(uintptr_t)address, &object) != 0)
		return false;
	out->start = (uintptr_t)object.dlfo_map_start;
	out->end = (uintptr_t)object.dlfo_map_end;
	out->bias = object.dlfo_link_map->l_addr;
	out->path = object.dlfo_link_map->l_name;
	return true;
}
#else
struct search {
	struct found *out;
	uint64_t address;
};

static int look_at(struct dl_phdr_info *info, size_t size, void *payload)
{
	struct search *search = payload;
	uint64_t start = UINT64_MAX, end = 0;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];
		uint64_t at = info->dlpi_addr + part->p_vaddr;

		if (part->p_type != PT_LOAD)
			continue;
		start = at < start ? at : start;
		end = at + part->p_memsz > end ? at + part->p_memsz : end;
	}
	if (search->address < start || search->address >= end)
		return 0;
	*search->out = (struct found){start / 4096 * 4096, end, info->dlpi_addr, info->dlpi_name};
	return 1;
}

static bool find(struct found *out, uint64_t address)
{
	struct search search = {out, address};

	return dl_iterate_phdr(look_at, &search) != 0;
}
#endif

/* The build id in the notes of a mapped file, whose headers are at its start; 0 bytes: it has none. */
static uint32_t read_build_id(uint8_t *out, const struct found *found)
{
	const ElfW(Ehdr) *head = (const void *)(uintptr_t)found->start;
	const ElfW(Phdr) * part;

	if (found->end - found->start < sizeof(*head) ||
	    memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
	    head->e_phoff + head->e_phnum * sizeof(*part) > 4096)
		return 0;
	part = (const void *)((const char *)head + head->e_phoff);
	for (unsigned i = 0; i < head->e_phnum; i++, part++) {
		const char *at = (const char *)(uintptr_t)(found->bias + part->p_vaddr);
		const char *end = at + part->p_memsz;

		if (part->p_type != PT_NOTE)
			continue;
		while ((size_t)(end - at) >= sizeof(ElfW(Nhdr))) {
			const ElfW(Nhdr) *note = (const void *)at;
			const char *name = at + sizeof(*note);
			const char *content = name + (note->n_namesz + 3) / 4 * 4;

			at = content + (note->n_descsz + 3) / 4 * 4;
			if (at > end)
				break;
			if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
			    memcmp(name, "GNU", 4) == 0 &&
			    note->n_descsz <= PE_TRACE_BUILD_ID_MAX) {
				memcpy(out, content, note->n_descsz);
				return note->n_descsz;
			}
		}
	}
	return 0;
}

/* Bytes with the terminator. The loader has relative paths where the search path has them. */
static uint32_t read_path(char *out, size_t size, const struct found *found)
{
	size_t n = 0, length;
	ssize_t got;

	if (*found->path == '\0') {
		got = pe_touch_readlink("/proc/self/exe", out, size - 1);
		n = got > 0 ? (size_t)got : 0;
		out[n] = '\0';
		return (uint32_t)n + 1;
	}
	if (*found->path != '/' && getcwd(out, size / 2) != NULL) {
		n = strlen(out);
		out[n++] = '/';
	}
	length = strlen(found->path);
	if (length > size - n - 1)
		length = size - n - 1;
	memcpy(out + n, found->path, length);
	out[n + length] = '\0';
	return (uint32_t)(n + length) + 1;
}

static struct pe_trace_module *module_at(uint32_t chunk)
{
	return (struct pe_trace_module *)(void *)pe_calls_node(chunk + 1);
}

static uint32_t count_known(void)
{
	uint32_t n = __atomic_load_n(&n_known, __ATOMIC_RELAXED);

	return n < MOST_MODULES ? n : MOST_MODULES;
}

static bool is_same_file(const struct known *module, const struct found *found)
{
	const char *path = (const char *)(module_at(module->chunk) + 1);
	size_t n = strlen(found->path), m = strlen(path);

	return n == 0 || (n <= m && strcmp(found->path, path + m - n) == 0);
}

/* A library that was here before, and is loaded again: a program may do that as often as it likes. */
static bool reopen(const struct found *found)
{
	uint8_t build_id[PE_TRACE_BUILD_ID_MAX];
	uint32_t bytes = read_build_id(build_id, found);

	for (uint32_t i = count_known(); i-- > 0;) {
		struct pe_trace_module *module;

		if (__atomic_load_n(&known[i].number, __ATOMIC_ACQUIRE) == 0)
			continue;
		module = module_at(known[i].chunk);
		if (module->unloaded != 0 && module->start == found->start &&
		    module->end == found->end && module->bias == found->bias &&
		    is_same_file(&known[i], found) && module->build_id_bytes == bytes &&
		    memcmp(module->build_id, build_id, bytes) == 0) {
			__atomic_store_n(&module->unloaded, 0, __ATOMIC_RELEASE);
			return true;
		}
	}
	return false;
}

static void write_down(const struct found *found)
{
	enum { PAGES = 2, ROOM = PAGES * PE_TRACE_PAGE - PE_TRACE_SLOT };
	uint32_t at = __atomic_fetch_add(&n_known, 1, __ATOMIC_RELAXED);
	struct pe_trace_module *module;
	uint32_t chunk;

	if (at >= MOST_MODULES) {
		__atomic_fetch_sub(&n_known, 1, __ATOMIC_RELAXED);
		return;
	}
	chunk = pe_calls_chunk(PE_TRACE_MODULE, PAGES);
	if (chunk == 0) {
		pe_calls_stop();
		return;
	}
	module = module_at(chunk);
	module->start = found->start;
	module->end = found->end;
	module->bias = found->bias;
	module->build_id_bytes = read_build_id(module->build_id, found);
	module->path_bytes = read_path((char *)(module + 1), ROOM - sizeof(*module), found);
	known[at].start = found->start;
	known[at].end = found->end;
	known[at].bias = found->bias;
	known[at].chunk = chunk;
	__atomic_store_n(&module->number, at + 1, __ATOMIC_RELEASE);
	__atomic_store_n(&known[at].number, at + 1, __ATOMIC_RELEASE);
}

static bool is_in(const struct known *module, uint64_t address)
{
	return __atomic_load_n(&module->number, __ATOMIC_ACQUIRE) != 0 &&
	       module_at(module->chunk)->unloaded == 0 && address >= module->start &&
	       address < module->end;
}

void pe_calls_module_of(uint64_t address)
{
	struct found found;

	for (uint32_t i = count_known(); i-- > 0;)
		if (is_in(&known[i], address))
			return;
	if (find(&found, address) && !reopen(&found))
		write_down(&found);
}

static bool is_there(const struct known *module)
{
	struct found found;

	return find(&found, module->start) && found.start == module->start &&
	       found.bias == module->bias && is_same_file(module, &found);
}

void pe_calls_unloaded(void)
{
	int error = errno;

	if (pe_calls_load_phase() != PE_CALLS_RUNNING)
		return;
	for (uint32_t i = 0, n = count_known(); i < n; i++) {
		struct pe_trace_module *module;
		uint32_t expected = 0;

		if (known[i].number == 0)
			continue;
		module = module_at(known[i].chunk);
		if (module->unloaded != 0 || is_there(&known[i]))
			continue;
		if (__atomic_compare_exchange_n(&module->unloaded, &expected, 1, 0,
						__ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			pe_calls_retire(module->start, module->end, known[i].number);
	}
	errno = error;
}
