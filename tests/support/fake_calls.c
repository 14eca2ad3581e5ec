#define _GNU_SOURCE /* dladdr(3) */
#include "tests/support/fake_calls.h"
#include "tests/support/fake_program.h"

#include "core/base/text.h"
#include "probe/formats/trace.h"
#include "tests/support/test.h"

#include <dlfcn.h>

enum {
	SLOTS = PE_TRACE_PAGE / PE_TRACE_SLOT,
	MODULE = SLOTS,
	NODES = MODULE + 2 * SLOTS, /* a path may be as long as a page */
	PAGES = NODES / SLOTS + 1
};

static char bytes[PAGES * PE_TRACE_PAGE] __attribute__((aligned(PE_TRACE_PAGE)));

static void *slot(uint32_t number)
{
	return bytes + (size_t)number * PE_TRACE_SLOT;
}

static void add_chunk(uint32_t at, enum pe_trace_chunk_kind kind, uint32_t pages)
{
	*(struct pe_trace_chunk *)slot(at) = (struct pe_trace_chunk){
		.magic = PE_TRACE_CHUNK_MAGIC, .kind = kind, .pages = pages};
}

/* The library of fake_program.c, as it lies in this process. */
static const char *add_module(uint64_t function)
{
	struct pe_trace_module *module = slot(MODULE + 1);
	Dl_info info;

	cr_assert(dladdr((void *)(uintptr_t)function, &info) != 0);
	add_chunk(MODULE, PE_TRACE_MODULE, 2);
	*module = (struct pe_trace_module){
		.start = (uint64_t)(uintptr_t)info.dli_fbase,
		.end = (uint64_t)(uintptr_t)info.dli_fbase + (1 << 20),
		.bias = (uint64_t)(uintptr_t)info.dli_fbase,
		.complete = 1,
		.path_bytes = (uint32_t)strlen(info.dli_fname) + 1,
	};
	memcpy(module + 1, info.dli_fname, module->path_bytes);
	return info.dli_fname;
}

static uint32_t add_node(uint32_t at, uint32_t parent, uint64_t function, uint64_t caller,
			 uint64_t calls)
{
	*(struct pe_trace_node *)slot(at) = (struct pe_trace_node){
		.function = function != 0 ? function + 1 : 0,
		.site = caller != 0 ? caller + 2 : 0,
		.parent = parent,
		.state = PE_TRACE_NODE_USED | (function == 0 ? PE_TRACE_NODE_ROOT : 0),
		.calls = calls,
	};
	return at;
}

void fake_calls_leave(const char *dir, const struct fake_calls *calls)
{
	struct pe_trace_header *header = slot(0);
	pe_auto_text path = PE_TEXT_INIT, out = PE_TEXT_INIT;
	const uint64_t at[] = {(uint64_t)(uintptr_t)fake_main, (uint64_t)(uintptr_t)fake_parse,
			       (uint64_t)(uintptr_t)fake_scan, (uint64_t)(uintptr_t)fake_emit};
	uint32_t root, parse, last = NODES + 1;

	memset(bytes, 0, sizeof(bytes));
	*header = (struct pe_trace_header){
		.magic = PE_TRACE_MAGIC,
		.version = PE_TRACE_VERSION,
		.size = sizeof(*header),
		.pid = 4711,
		.started_ns = 1,
		.threads = 1,
		.end = sizeof(bytes),
	};
	pe_text_add(&path, add_module(at[0]));
	memcpy(header->program, path.data, path.len);
	add_chunk(NODES, PE_TRACE_NODES, 1);
	root = add_node(last, 0, 0, 0, 0);
	root = add_node(++last, root, at[0], 0, 1);
	if (calls->parse > 0) {
		parse = add_node(++last, root, at[1], at[0], calls->parse);
		if (calls->scan > 0)
			add_node(++last, parse, at[2], at[1], calls->scan);
	}
	if (calls->emit > 0)
		add_node(++last, root, at[3], at[0], calls->emit);
	pe_text_clear(&path);
	pe_text_addf(&path, "%s/4711-1" PE_TRACE_SUFFIX, dir);
	pe_text_addn(&out, bytes, sizeof(bytes));
	cr_assert_eq(pe_text_write_file(&out, path.data, NULL), PE_OK);
}
