/* x86-64 instructions: where in them an address stands, and what it points at. */
#pragma once

#include "core/base/vec.h"
#include "analysis/methods/code_image.h"

enum pe_ref_kind {
	PE_REF_BRANCH,  /**< a jump or call out of the function */
	PE_REF_POINTER, /**< an address is taken, or indexed: how far it is read is unknown */
	PE_REF_ACCESS,  /**< bytes bytes at the address are read or written */
	PE_REF_TLS,     /**< target is an offset into the TLS segment */
	PE_REF_SLOT,    /**< a dynamic relocation in the code; target is its own address */
	PE_REF_NUMBER,  /**< no reference: a number loaded into a register, which may count lines */
};

struct pe_ref {
	uint64_t target;
	uint32_t at;    /**< offset of the field from the start of the scan */
	uint16_t bytes; /**< that are accessed */
	uint8_t width;  /**< of the field, in bytes */
	uint8_t kind;   /**< enum pe_ref_kind */
};

struct pe_refs {
	PE_VEC(struct pe_ref) list;
	bool asks; /**< cpuid or xgetbv is among the instructions: the code depends on the processor's features */
};

/**
 * Append what n bytes of code at an address refer to. Branches within the n bytes are no references. Bytes that
 * are no instruction are passed over one by one.
 *
 * @return  how many of the bytes are code: the rest is padding
 */
uint64_t pe_x86_scan(struct pe_refs *out, const struct pe_image *image, uint64_t addr,
		     const unsigned char *bytes, uint64_t n);

/** Whether n bytes only fill the room between functions: instructions that do nothing, traps, zeros. */
bool pe_x86_padding(const unsigned char *bytes, uint64_t n);

/** Whether at an address a stub of the PLT stands, and through which word it jumps. */
bool pe_x86_stub(uint64_t *slot, const struct pe_image *image, uint64_t addr);
