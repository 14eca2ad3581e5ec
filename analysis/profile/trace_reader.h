/* Internals of the trace reader: one file (trace_file.c), and all files of a directory (trace.c). */
#ifndef PE_PROFILE_TRACE_READER_H
#define PE_PROFILE_TRACE_READER_H

#include "analysis/profile/addresses.h"
#include "analysis/profile/trace.h"
#include "probe/formats/trace.h"

/** State of reading the traces of one directory. */
struct pe_trace_reading {
	struct pe_cct_builder *builder;
	struct pe_addresses addresses;
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
