/* Shared parts of the two halves of the importer of pprof: the contents of a file. Private to them. */
#ifndef PE_PROFILE_IMPORT_PPROF_H
#define PE_PROFILE_IMPORT_PPROF_H

#include "core/base/text.h"
#include "core/base/vec.h"
#include "core/base/hash_index.h"
#include "analysis/profile/importer.h"

/** Most values of a sample. */
#define PE_PPROF_VALUES 64

/** A string in `text`; terminated. */
struct pe_pprof_string {
	size_t at, n;
};

struct pe_pprof_value_type {
	uint64_t name, unit; /**< strings, by number */
};

struct pe_pprof_mapping {
	uint64_t start, offset, file;
};

struct pe_pprof_function {
	uint64_t name, system_name, file, line;
};

struct pe_pprof_line {
	uint64_t function, line;
	uint32_t frame; /**< PE_FRAME_NONE: not made yet */
};

struct pe_pprof_location {
	uint64_t id, offset, mapping, address;
	size_t line, n_lines; /**< innermost first */
	bool is_defined;
};

struct pe_pprof {
	struct pe_import *import;
	struct pe_text text; /**< all strings */
	PE_VEC(struct pe_pprof_string) strings;
	PE_VEC(struct pe_pprof_value_type) types;
	PE_VEC(struct pe_pprof_mapping) mappings;
	PE_VEC(struct pe_pprof_function) functions;
	PE_VEC(struct pe_pprof_line) lines;
	PE_VEC(struct pe_pprof_location) locations;
	struct pe_map mapping_ids, function_ids, location_ids;
	/** the draft is the import's builder until the tree is made: locations and values by node */
	PE_VEC(uint32_t) location_of;
	PE_VEC(uint64_t) values;
	size_t n_values; /**< of each sample; 0: no sample so far */
	PE_VEC(uint64_t) path, sample;
	uint64_t default_type, period;
	struct pe_pprof_value_type period_type;
	bool has_sites;
};

/** Make the tree in the import's builder, at the end of the file. PE_EINVALID: a reference to a missing entry. */
int pe_pprof_build(struct pe_pprof *pprof, struct pe_cct_builder *draft);

#endif
