/* A file that another process wrote, perhaps until it was killed: everything in it is checked. */
#include "analysis/profile/samples_file.h"

#include "core/base/sort.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

static int broken(const char *path, size_t offset, const char *expected, struct pe_err *err)
{
	return pe_fail(err, PE_EINVALID, "%s: offset %zu: %s expected; take the samples again",
		       path, offset, expected);
}

static int read_header(struct pe_samples_file *file, const char *path, struct pe_err *err)
{
	const struct pe_samples_header *header = (const void *)file->bytes;

	if (file->size < PE_SAMPLES_CHUNKS_AT)
		return broken(path, file->size, "the rest of a header", err);
	if (header->magic[0] == '\0' && memcmp(header->magic, header->magic + 1, 7) == 0)
		return PE_OK;
	if (memcmp(header->magic, PE_SAMPLES_MAGIC, sizeof(header->magic)) != 0)
		return broken(path, 0, "a file of samples", err);
	if (header->version != PE_SAMPLES_VERSION)
		return pe_fail(err, PE_EUNSUPPORTED,
			       "%s: version %u of the sample format; this perfevo reads version %d",
			       path, header->version, PE_SAMPLES_VERSION);
	if (memchr(header->program, '\0', sizeof(header->program)) == NULL)
		return broken(path, offsetof(struct pe_samples_header, program),
			      "the end of a path", err);
	file->header = header;
	return PE_OK;
}

/* Read the modules up to the first unfinished entry. Later ones were entered again, or are lost. */
static int read_modules(struct pe_samples_file *file, const char *path, struct pe_err *err)
{
	size_t at = PE_SAMPLES_MODULES_AT;
	size_t end = at + file->header->modules_used;

	assert(file->bytes != NULL);
	if (end > PE_SAMPLES_CHUNKS_AT)
		end = PE_SAMPLES_CHUNKS_AT;
	while (end - at >= sizeof(struct pe_samples_module)) {
		const struct pe_samples_module *module = (const void *)(file->bytes + at);

		if (module->magic != PE_SAMPLES_MODULE_MAGIC)
			break;
		if (module->size % 8 != 0 || module->size <= sizeof(*module) ||
		    module->size > end - at || module->n_build_id > PE_SAMPLES_BUILD_ID ||
		    memchr(module + 1, '\0', module->size - sizeof(*module)) == NULL)
			return broken(path, at, "a module", err);
		pe_vec_push(&file->modules, module);
		at += module->size;
	}
	return PE_OK;
}

PE_SORT_POINTERS_BY(by_thread, struct pe_samples_chunk, thread, sequence);

/* Sort the chunks of one kind by thread and sequence, and check that each but a thread's last is full. */
static int sort_chunks(const struct pe_samples_file *file, const struct pe_samples_chunk **chunks,
		       size_t n, uint32_t full, const char *path, struct pe_err *err)
{
	pe_sort(chunks, n, by_thread);
	for (size_t i = 0; i < n; i++) {
		const struct pe_samples_chunk *chunk = chunks[i];
		const struct pe_samples_chunk *before = i > 0 ? chunks[i - 1] : NULL;
		bool first = before == NULL || before->thread != chunk->thread;

		if (first ? chunk->sequence != 0
			  : chunk->sequence != before->sequence + 1 || before->used != full)
			return broken(path, (size_t)((const char *)chunk - file->bytes),
				      "another part of this thread", err);
	}
	return PE_OK;
}

static int read_chunks(struct pe_samples_file *file, const char *path, struct pe_err *err)
{
	size_t at = PE_SAMPLES_CHUNKS_AT;

	assert(file->bytes != NULL);
	for (; file->size - at >= PE_SAMPLES_CHUNK_SIZE; at += PE_SAMPLES_CHUNK_SIZE) {
		const struct pe_samples_chunk *chunk = (const void *)(file->bytes + at);

		if (chunk->magic == 0)
			continue;
		if (chunk->magic == PE_SAMPLES_CHUNK_MAGIC && chunk->used <= PE_SAMPLES_CHUNK_NODES)
			pe_vec_push(&file->chunks, chunk);
		else if (chunk->magic == PE_SAMPLES_LOG_MAGIC &&
			 chunk->used <= PE_SAMPLES_CHUNK_EVENTS)
			pe_vec_push(&file->logs, chunk);
		else
			return broken(path, at, "a chunk of nodes or events", err);
	}
	PE_TRY(sort_chunks(file, file->chunks.data, file->chunks.n, PE_SAMPLES_CHUNK_NODES, path,
			   err));
	return sort_chunks(file, file->logs.data, file->logs.n, PE_SAMPLES_CHUNK_EVENTS, path, err);
}

int pe_samples_file_read(struct pe_samples_file *out, const char *path, const void *bytes, size_t n,
			 struct pe_err *err)
{
	*out = (struct pe_samples_file){.bytes = bytes, .size = n};
	if (n > 0)
		PE_TRY(read_header(out, path, err));
	if (out->header == NULL)
		return PE_OK;
	PE_TRY(read_modules(out, path, err));
	return read_chunks(out, path, err);
}

void pe_samples_file_close(struct pe_samples_file *file)
{
	pe_vec_release(&file->modules);
	pe_vec_release(&file->chunks);
	pe_vec_release(&file->logs);
}
