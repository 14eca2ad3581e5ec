/* Samples file: one file of probe/formats/samples.h, checked, so that it is safe to walk. */
#ifndef PE_PROFILE_SAMPLES_FILE_H
#define PE_PROFILE_SAMPLES_FILE_H

#include "core/base/err.h"
#include "core/base/vec.h"
#include "probe/formats/samples.h"

#include <stddef.h>

/** Zero-initialise; released by pe_samples_file_close(). */
struct pe_samples_file {
	const char *bytes; /**< borrowed */
	size_t size;
	const struct pe_samples_header
		*header; /**< NULL: the process was killed before it wrote any */
	PE_VEC(const struct pe_samples_module *) modules; /**< finished ones */
	/** by thread and sequence: the nodes of a thread are in consecutive chunks, full but for the last */
	PE_VEC(const struct pe_samples_chunk *) chunks;
	/** by thread and sequence: the events of a thread are in consecutive chunks, full but for the last */
	PE_VEC(const struct pe_samples_chunk *) logs;
};

/**
 * Read a file. Parents of nodes are not checked yet. pe_samples_file_close() also after an error.
 *
 * @return  PE_EINVALID: broken, with its offset; PE_EUNSUPPORTED: of another version
 */
int pe_samples_file_read(struct pe_samples_file *out, const char *path, const void *bytes, size_t n,
			 struct pe_err *err);

/** Free the lists of a file's parts. */
void pe_samples_file_close(struct pe_samples_file *file);

/** The path of a module, which follows it, terminated. */
static inline const char *pe_samples_module_path(const struct pe_samples_module *module)
{
	return (const char *)(module + 1);
}

/** The nodes of a chunk. */
static inline const struct pe_samples_node *pe_samples_nodes(const struct pe_samples_chunk *chunk)
{
	return (const struct pe_samples_node *)(chunk + 1);
}

/** The events of a chunk of a log. */
static inline const struct pe_samples_event *pe_samples_events(const struct pe_samples_chunk *chunk)
{
	return (const struct pe_samples_event *)(chunk + 1);
}

#endif
