/*
 * Modules: the program or library of an address, written down with the first node of it, since
 * the library may be gone when the trace is read. Addresses of a library that was unloaded are kept from later ones, so
 * that an address means one function.
 *
 *   struct known   a module that was written down
 */
#include "probe/runtime/calls.h"

#include "probe/runtime/module.h"

#include <errno.h>
#include <sys/mman.h>

enum { MOST_MODULES = 4096 };

struct known {
	uint64_t start, end, bias;
	bool complete;
	bool gone; /* unloaded */
};

static struct known known[MOST_MODULES];
static uint32_t n_known;

void pe_calls_modules_forget(void)
{
	memset(known, 0, n_known * sizeof(*known));
	n_known = 0;
}

static uint32_t count_known(void)
{
	uint32_t n = __atomic_load_n(&n_known, __ATOMIC_RELAXED);

	return n < MOST_MODULES ? n : MOST_MODULES;
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
	module = (struct pe_trace_module *)(void *)pe_calls_node(chunk + 1);
	module->start = known[at].start = (uintptr_t)found->dlfo_map_start;
	module->end = known[at].end = (uintptr_t)found->dlfo_map_end;
	module->bias = known[at].bias = found->dlfo_link_map->l_addr;
	module->build_id_bytes =
		pe_module_build_id(module->build_id, sizeof(module->build_id), found);
	module->path_bytes =
		1 + (uint32_t)pe_module_path((char *)(module + 1), ROOM - sizeof(*module), found,
					     pe_calls_header()->program);
	__atomic_store_n(&module->complete, 1, __ATOMIC_RELEASE);
	__atomic_store_n(&known[at].complete, true, __ATOMIC_RELEASE);
}

void pe_calls_module_of(uint64_t address)
{
	struct dl_find_object found;

	for (uint32_t i = count_known(); i-- > 0;)
		if (__atomic_load_n(&known[i].complete, __ATOMIC_ACQUIRE) &&
		    address >= known[i].start && address < known[i].end)
			return;
	if (_dl_find_object((void *)(uintptr_t)address, &found) == 0)
		write_down(&found);
}

static bool is_there(const struct known *module)
{
	struct dl_find_object found;

	return _dl_find_object((void *)(uintptr_t)module->start, &found) == 0 &&
	       (uintptr_t)found.dlfo_map_start == module->start &&
	       found.dlfo_link_map->l_addr == module->bias;
}

/* Where another thread has mapped something meanwhile, an address may mean two functions: recording ends. */
static void keep_addresses(const struct known *module)
{
	void *start = (void *)(uintptr_t)module->start;
	void *at = mmap(start, module->end - module->start, PROT_NONE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);

	if (at == start)
		return;
	if (at != MAP_FAILED) /* before Linux 4.17 */
		munmap(at, module->end - module->start);
	pe_calls_stop();
}

void pe_calls_unloaded(void)
{
	int error = errno;

	if (pe_calls_load_phase() != PE_CALLS_RUNNING)
		return;
	for (uint32_t i = 0, n = count_known(); i < n; i++)
		if (__atomic_load_n(&known[i].complete, __ATOMIC_ACQUIRE) && !known[i].gone &&
		    !is_there(&known[i]) &&
		    !__atomic_exchange_n(&known[i].gone, true, __ATOMIC_RELAXED))
			keep_addresses(&known[i]);
	errno = error;
}
