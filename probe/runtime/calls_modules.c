/*
 * Modules: the program or library of an address, written down with the first node of it, since
 * the library may be gone when the trace is read.
 *
 *   struct known   a module that was written down
 */
#include "probe/runtime/calls.h"

#include "probe/runtime/alloc.h"
#include "probe/runtime/module.h"

#include <errno.h>

/* Numbers have 16 bits. */
enum { MOST_MODULES = 4096 };

struct known {
	uint64_t start, end, bias;
	uint32_t chunk;  /* slot of its chunk's head */
	uint32_t number; /* 0: not complete yet */
};

static struct known known[MOST_MODULES];
static uint32_t n_known;

void pe_calls_modules_forget(void)
{
	memset(known, 0, n_known * sizeof(*known));
	n_known = 0;
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

static bool is_same_file(const struct known *module, const struct dl_find_object *found)
{
	const char *path = (const char *)(module_at(module->chunk) + 1);
	const char *name = found->dlfo_link_map->l_name;
	size_t n = strlen(name), m = strlen(path);

	return n == 0 || (n <= m && strcmp(name, path + m - n) == 0);
}

/* A library that was here before, and is loaded again: a program may do that as often as it likes. */
static bool reopen(const struct dl_find_object *found)
{
	uint8_t build_id[PE_TRACE_BUILD_ID_MAX];
	uint32_t bytes = pe_module_build_id(build_id, sizeof(build_id), found);

	for (uint32_t i = count_known(); i-- > 0;) {
		struct pe_trace_module *module;

		if (__atomic_load_n(&known[i].number, __ATOMIC_ACQUIRE) == 0)
			continue;
		module = module_at(known[i].chunk);
		if (module->unloaded != 0 && module->start == (uintptr_t)found->dlfo_map_start &&
		    module->end == (uintptr_t)found->dlfo_map_end &&
		    module->bias == found->dlfo_link_map->l_addr &&
		    is_same_file(&known[i], found) && module->build_id_bytes == bytes &&
		    memcmp(module->build_id, build_id, bytes) == 0) {
			__atomic_store_n(&module->unloaded, 0, __ATOMIC_RELEASE);
			return true;
		}
	}
	return false;
}

static void write_down(const struct dl_find_object *found)
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
	module->start = known[at].start = (uintptr_t)found->dlfo_map_start;
	module->end = known[at].end = (uintptr_t)found->dlfo_map_end;
	module->bias = known[at].bias = found->dlfo_link_map->l_addr;
	module->build_id_bytes =
		pe_module_build_id(module->build_id, sizeof(module->build_id), found);
	module->path_bytes =
		1 + (uint32_t)pe_module_path((char *)(module + 1), ROOM - sizeof(*module), found,
					     pe_calls_header()->program);
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
	struct dl_find_object found;

	for (uint32_t i = count_known(); i-- > 0;)
		if (is_in(&known[i], address))
			return;
	if (_dl_find_object((void *)(uintptr_t)address, &found) == 0 && !reopen(&found))
		write_down(&found);
}

static bool is_there(const struct known *module)
{
	struct dl_find_object found;

	return _dl_find_object((void *)(uintptr_t)module->start, &found) == 0 &&
	       (uintptr_t)found.dlfo_map_start == module->start &&
	       found.dlfo_link_map->l_addr == module->bias && is_same_file(module, &found);
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
