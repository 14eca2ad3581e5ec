/*
 * Internals of the trace reader: names for addresses (trace_names.c), one file (trace_file.c), and all files of
 * a directory (trace.c).
 */
#ifndef PE_PROFILE_TRACE_READER_H
#define PE_PROFILE_TRACE_READER_H

#include "core/base/hash_index.h"
#include "analysis/profile/trace.h"
#include "probe/formats/trace.h"

/** The methods at an address. */
struct pe_trace_name {
	uint32_t frame;   /**< the innermost method */
	uint32_t line;    /**< of the address, in it */
	uint32_t inlined; /**< 1: it was inlined, */
	uint32_t outer;   /**< line of the inlined call */
};

/** A program or library, the same in all processes. */
struct pe_trace_object {
	const char *path, *build_id;
};

struct pe_trace_names {
	const struct pe_symbolizer *symbolizer;
	struct pe_frames *frames;
	struct pe_arena *arena;
	PE_VEC(struct pe_trace_object) objects;
	PE_VEC(struct pe_trace_name) functions;
	struct pe_map function_numbers; /**< by object and address in it */
	struct pe_map site_lines;       /**< by object and address in it */
	bool nowhere_added;
	struct pe_trace_name nowhere; /**< for code in no file */
};

/** Find or add the number of a file, from 1. Strings are borrowed for the arena's life. */
uint32_t pe_trace_names_object(struct pe_trace_names *names, const char *path,
			       const char *build_id);

/**
 * Find the methods at a return address. The symbolizer is called the first time.
 *
 * @param object  NULL: in no file
 * @param out     borrowed until the next call
 */
int pe_trace_names_function(const struct pe_trace_name **out, struct pe_trace_names *names,
			    const struct pe_module *module, uint32_t object, uint64_t address,
			    struct pe_err *err);

/** Find the line of a call; 0: unknown. */
int pe_trace_names_site(uint32_t *line, struct pe_trace_names *names,
			const struct pe_module *module, uint32_t object, uint64_t address,
			struct pe_err *err);

void pe_trace_names_release(struct pe_trace_names *names);

/** State of reading the traces of one directory. */
struct pe_trace_reading {
	struct pe_cct_builder *builder;
	struct pe_trace_names names;
	struct pe_trace_notes notes;
	struct pe_cct_facts facts;
	struct pe_frames *frames;
	struct pe_arena *arena;
};

/** Check a file's first page. @return PE_EINVALID, PE_EUNSUPPORTED, or PE_ENOTFOUND: killed before it began */
int pe_trace_check_header(const struct pe_trace_header *header, size_t file_bytes, const char *name,
			  struct pe_err *err);

/** Add one trace to the tree; its header was checked. Bytes are borrowed. */
int pe_trace_add(struct pe_trace_reading *reading, const void *bytes, const char *name,
		 struct pe_err *err);

#endif
