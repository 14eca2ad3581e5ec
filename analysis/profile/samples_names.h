/* Samples names: the methods at the addresses in a file of samples; each address is resolved once. */
#ifndef PE_PROFILE_SAMPLES_NAMES_H
#define PE_PROFILE_SAMPLES_NAMES_H

#include "core/base/vec.h"
#include "analysis/profile/frames.h"
#include "analysis/profile/samples_file.h"
#include "analysis/profile/symbolizer.h"

#include <stdbool.h>

/** One method, and the line in it of the instruction or of the call. */
struct pe_samples_step {
	uint32_t frame, line;
};

/** The methods of one address, outermost first. */
struct pe_samples_chain {
	uint64_t address; /**< in the module's own addresses */
	uint32_t module;
	uint32_t first, n; /**< of the steps; none if the module is one of perfevo's own */
};

struct pe_samples_module_name {
	const char *path, *build_id;
	bool own;
};

/** Names of all files so far; zero-initialise but for the borrowed members. */
struct pe_samples_names {
	struct pe_frames *frames;               /**< borrowed */
	const struct pe_symbolizer *symbolizer; /**< borrowed */
	struct pe_arena *arena;                 /**< borrowed */
	PE_VEC(struct pe_samples_module_name) modules;
	PE_VEC(struct pe_samples_chain) chains;
	PE_VEC(struct pe_samples_step) steps;
	struct pe_map numbers;    /**< of chains, by module and address */
	PE_VEC(uint32_t) of_file; /**< by module of the current file: its number here */
};

/** Make a file the current one. */
void pe_samples_names_begin(struct pe_samples_names *names, const struct pe_samples_file *file);

/**
 * Find the methods at an address of the current file, in one generation of its modules.
 *
 * @param out  valid until the next call
 * @return     errors of the symbolizer
 */
int pe_samples_names_find(const struct pe_samples_chain **out, struct pe_samples_names *names,
			  const struct pe_samples_file *file, uint64_t address, uint64_t generation,
			  struct pe_err *err);

void pe_samples_names_release(struct pe_samples_names *names);

#endif
