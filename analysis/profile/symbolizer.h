/*
 * Symbolizer: the interface through which trees of addresses get names. analysis/symbols/, which reads ELF and
 * DWARF, implements it; in tests, a table. A tree keeps names and lines, never addresses, because another build has others.
 */
#pragma once

#include "core/base/err.h"
#include "analysis/profile/frames.h"

#include <stddef.h>
#include <stdint.h>

/** A program or library as it was loaded when addresses were recorded. */
struct pe_module {
	const char *path;     /**< of the file */
	const char *build_id; /**< hexadecimal; "": it has none */
	/** Bounds of its mapping in the process; bias: an address there, less the file's own address. */
	uint64_t start, end, bias;
};

/** One method at an address. */
struct pe_symbol {
	struct pe_frame frame; /**< strings live as long as the symbolizer */
	uint32_t line;         /**< of the instruction, or of the inlined call */
};

/** All methods at an address, several where calls were inlined: innermost first, at least one. */
struct pe_symbols {
	const struct pe_symbol *at; /**< borrowed from the symbolizer until the next call */
	size_t n;
};

struct pe_symbolizer {
	/**
	 * Name an address. For a return address the caller passes the address minus one.
	 *
	 * A missing or stripped file, or an address without a symbol, is no error: the result is one frame of kind
	 * PE_FRAME_UNKNOWN, named module+0xoffset (an exported symbol is better than none).
	 *
	 * @param address  in the file's own addresses (bias subtracted)
	 * @return         PE_ESYS, PE_ESTOPPED
	 */
	int (*resolve)(struct pe_symbols *out, const struct pe_module *module, uint64_t address,
		       void *payload, struct pe_err *err);
	void *payload;
};
