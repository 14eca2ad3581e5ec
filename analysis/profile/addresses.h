/* Addresses: the methods at addresses that were recorded; each address of each module is resolved once. */
#pragma once

#include "core/base/hash_index.h"
#include "core/base/vec.h"
#include "analysis/profile/symbolizer.h"

/** One method, and the line in it of the instruction or of the inlined call. */
struct pe_address_step {
	uint32_t frame, line;
};

/** The methods at one address, outermost first: several where calls were inlined. */
struct pe_address_chain {
	const struct pe_address_step *at; /**< valid until the next address */
	uint32_t n;
};

/** A program or library, the same in all processes. */
struct pe_address_module {
	const char *path, *build_id;
};

/** A module in the memory of a process. */
struct pe_address_mapping {
	struct pe_module module;
	uint64_t generation; /**< addresses of another one may mean another module */
	bool is_skipped;     /**< its addresses have no methods */
	uint32_t number;     /**< of the module; set by pe_addresses_map() */
};

/** Zero-initialise but for the borrowed members; released by pe_addresses_release(). */
struct pe_addresses {
	struct pe_frames *frames;               /**< borrowed */
	const struct pe_symbolizer *symbolizer; /**< borrowed */
	struct pe_arena *arena;                 /**< borrowed */
	PE_VEC(struct pe_address_module) modules;
	PE_VEC(struct pe_address_mapping) mappings; /**< of the process; emptied for the next one */
	size_t last;                                /**< the mapping that was found */
	PE_VEC(struct pe_address_step) steps;
	PE_VEC(uint32_t) ends; /**< of the chains, in steps */
	struct pe_map numbers; /**< of chains, by module and address */
};

/** Add a module of the process; its path is copied. @param mapping  without module.build_id */
void pe_addresses_map(struct pe_addresses *addresses, struct pe_address_mapping mapping,
		      const void *build_id, size_t n_build_id);

/**
 * Find the methods at an address, in the process. For a return address the caller passes the address minus one. Code in no
 * module was generated while the program ran.
 *
 * @return  errors of the symbolizer
 */
int pe_addresses_find(struct pe_address_chain *out, struct pe_addresses *addresses,
		      uint64_t address, uint64_t generation, struct pe_err *err);

/** Free what the addresses hold, but for the frames, which are the caller's. Zeroed addresses are allowed. */
void pe_addresses_release(struct pe_addresses *addresses);
