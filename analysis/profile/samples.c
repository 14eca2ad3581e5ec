/*
 * From trees of addresses to one tree of frames: each node of a file becomes the path of methods at its
 * address, below the result of its parent. Another process wrote the file, perhaps until it was killed: everything in it is
 * checked.
 *
 *	struct file     one file of probe/formats/samples.h, checked, so that it is safe to walk
 *	struct place    the result of a node of a file
 *	struct reading  state for all files
 */
#include "analysis/profile/samples.h"

#include "core/base/sort.h"
#include "core/base/text.h"
#include "analysis/profile/addresses.h"
#include "analysis/profile/recordings.h"
#include "analysis/profile/samples_path.h"
#include "analysis/profile/timeline.h"
#include "probe/formats/samples.h"

#include <stdlib.h>
#include <string.h>

#define OWN_PREFIX "libperfevo_"

struct place {
	uint32_t node, line; /* in the tree; line of the next call in its innermost method */
	uint64_t generation; /* of the modules at the addresses below */
	uint64_t mark;       /* the node's address, if it is one */
	bool cut;            /* the stack lacks its beginning */
	bool hook;           /* the innermost frame is perfevo's own */
};

struct reading {
	struct pe_cct_builder *builder;
	struct pe_samples_path path;
	struct pe_samples_info info;
	struct pe_addresses addresses;
	PE_VEC(struct place) became; /* of the current thread, by node */
};

/* --- One file --- */

struct file {
	const char *path, *bytes;
	size_t size;
	const struct pe_samples_header
		*header; /* NULL: the process was killed before it wrote any */
	/* by thread; its nodes before its events, and each of the two in consecutive chunks, full but for the last */
	PE_VEC(const struct pe_samples_chunk *) chunks;
};

static int broken(const struct file *file, const void *at, const char *expected, struct pe_err *err)
{
	return pe_fail(err, PE_EINVALID, "%s: offset %zu: %s expected; take the samples again",
		       file->path, (size_t)((const char *)at - file->bytes), expected);
}

static int read_header(struct file *file, struct pe_err *err)
{
	const struct pe_samples_header *header = (const void *)file->bytes;

	if (file->size == 0)
		return PE_OK;
	if (file->size < PE_SAMPLES_CHUNKS_AT)
		return broken(file, file->bytes + file->size, "the rest of a header", err);
	if (header->magic[0] == '\0' && memcmp(header->magic, header->magic + 1, 7) == 0)
		return PE_OK;
	if (memcmp(header->magic, PE_SAMPLES_MAGIC, sizeof(header->magic)) != 0)
		return broken(file, header, "a file of samples", err);
	if (header->version != PE_SAMPLES_VERSION)
		return pe_fail(err, PE_EUNSUPPORTED,
			       "%s: version %u of the sample format; this perfevo reads version %d",
			       file->path, header->version, PE_SAMPLES_VERSION);
	if (memchr(header->program, '\0', sizeof(header->program)) == NULL)
		return broken(file, header->program, "the end of a path", err);
	file->header = header;
	return PE_OK;
}

static void map_module(struct reading *reading, const struct pe_samples_module *module)
{
	const char *path = (const char *)(module + 1);
	struct pe_address_mapping mapping = {
		.module = {.path = path,
			   .start = module->start,
			   .end = module->end,
			   .bias = module->bias},
		.generation = module->generation,
		.is_skipped = strncmp(pe_path_name(path), OWN_PREFIX, strlen(OWN_PREFIX)) == 0,
	};

	pe_addresses_map(&reading->addresses, mapping, module->build_id, module->n_build_id);
}

/* Read the modules up to the first unfinished entry. Later ones were entered again, or are lost. */
static int read_modules(struct reading *reading, const struct file *file, struct pe_err *err)
{
	size_t at = PE_SAMPLES_MODULES_AT;
	size_t end = at + file->header->modules_used;

	reading->addresses.mappings.n = 0;
	if (end > PE_SAMPLES_CHUNKS_AT)
		end = PE_SAMPLES_CHUNKS_AT;
	while (end - at >= sizeof(struct pe_samples_module)) {
		const struct pe_samples_module *module = (const void *)(file->bytes + at);

		if (module->magic != PE_SAMPLES_MODULE_MAGIC)
			break;
		if (module->size % 8 != 0 || module->size <= sizeof(*module) ||
		    module->size > end - at || module->n_build_id > PE_SAMPLES_BUILD_ID ||
		    memchr(module + 1, '\0', module->size - sizeof(*module)) == NULL)
			return broken(file, module, "a module", err);
		map_module(reading, module);
		at += module->size;
	}
	return PE_OK;
}

/* Chunks of nodes sort before those of a log. */
PE_SORT_POINTERS_BY(by_thread, struct pe_samples_chunk, thread, magic, sequence);
_Static_assert(PE_SAMPLES_CHUNK_MAGIC < PE_SAMPLES_LOG_MAGIC, "nodes are read before events");

/* The most nodes or events of a chunk; 0: it is none. */
static uint32_t room_of(const struct pe_samples_chunk *chunk)
{
	return chunk->magic == PE_SAMPLES_CHUNK_MAGIC ? (uint32_t)PE_SAMPLES_CHUNK_NODES
	       : chunk->magic == PE_SAMPLES_LOG_MAGIC ? (uint32_t)PE_SAMPLES_CHUNK_EVENTS
						      : 0;
}

static int read_chunks(struct file *file, struct pe_err *err)
{
	const struct pe_samples_chunk *before = NULL;

	for (size_t at = PE_SAMPLES_CHUNKS_AT; file->size - at >= PE_SAMPLES_CHUNK_SIZE;
	     at += PE_SAMPLES_CHUNK_SIZE) {
		const struct pe_samples_chunk *chunk = (const void *)(file->bytes + at);

		if (chunk->magic == 0)
			continue;
		if (room_of(chunk) == 0 || chunk->used > room_of(chunk))
			return broken(file, chunk, "a chunk of nodes or events", err);
		pe_vec_push(&file->chunks, chunk);
	}
	pe_sort(file->chunks.data, file->chunks.n, by_thread);
	for (size_t i = 0; i < file->chunks.n; i++) {
		const struct pe_samples_chunk *chunk = file->chunks.data[i];
		const bool first = before == NULL || before->thread != chunk->thread ||
				   before->magic != chunk->magic;

		if (first ? chunk->sequence != 0
			  : chunk->sequence != before->sequence + 1 ||
				    before->used != room_of(before))
			return broken(file, chunk, "another part of this thread", err);
		before = chunk;
	}
	return PE_OK;
}

/* --- Its nodes --- */

/* Add a node without a parent: the process, or below it the node of stacks without their beginning. */
static void begin_stacks(struct reading *reading, uint32_t process,
			 const struct pe_samples_node *node)
{
	struct pe_frame frame = {.name = PE_SAMPLES_CUT_NAME, .kind = PE_FRAME_UNKNOWN};
	struct place place = {
		.node = process,
		.generation = node->address,
		.cut = node->parent == PE_SAMPLES_CUT,
	};

	if (place.cut) {
		place.node =
			pe_cct_builder_child(reading->builder, process,
					     pe_frames_add(reading->addresses.frames, &frame), 0);
		pe_cct_builder_flag(reading->builder, place.node, PE_CCT_CUT);
	}
	pe_vec_push(&reading->became, place);
}

static void add_stack(struct reading *reading, const struct pe_address_chain *chain,
		      const struct pe_samples_node *node)
{
	struct place place = reading->became.data[node->parent];

	place.hook = chain->n == 0;
	for (uint32_t i = 0; i < chain->n; i++) {
		place.node = pe_cct_builder_child(reading->builder, place.node, chain->at[i].frame,
						  place.line);
		place.line = chain->at[i].line;
	}
	if (chain->n == 0) {
		place.line = 0; /* the call is in perfevo's own code */
	} else {
		pe_cct_builder_at(reading->builder, place.node)->samples += node->samples;
		reading->info.samples += node->samples;
		reading->info.cut += place.cut ? node->samples : 0;
	}
	pe_vec_push(&reading->became, place);
}

static int add_node(struct reading *reading, const struct file *file, uint32_t process,
		    const struct pe_samples_node *node, struct pe_err *err)
{
	struct pe_address_chain chain;
	struct place place;

	if (node->parent >= PE_SAMPLES_CUT) {
		begin_stacks(reading, process, node);
		return PE_OK;
	}
	if (node->parent >= reading->became.n)
		return broken(file, node, "a node behind its parent", err);
	place = reading->became.data[node->parent];
	if ((node->address & PE_SAMPLES_MARK) != 0) {
		place.mark = node->address;
		pe_samples_path_start(&reading->path, place.node, node->address, node->samples);
		pe_vec_push(&reading->became, place);
		return PE_OK;
	}
	PE_TRY(pe_addresses_find(&chain, &reading->addresses, node->address, place.generation,
				 err));
	add_stack(reading, &chain, node);
	return PE_OK;
}

static int add_event(struct reading *reading, const struct file *file,
		     const struct pe_samples_event *event, struct pe_err *err)
{
	const struct place *place;

	if (event->node >= reading->became.n)
		return broken(file, event, "an event of a node that is there", err);
	place = &reading->became.data[event->node];
	if (place->mark != 0)
		pe_samples_path_wait(&reading->path, place->node, place->mark, event);
	else if (!place->hook)
		pe_samples_path_work(&reading->path, place->node, event);
	return PE_OK;
}

static int add_chunk(struct reading *reading, const struct file *file, uint32_t process,
		     const struct pe_samples_chunk *chunk, struct pe_err *err)
{
	const struct pe_samples_node *nodes = (const void *)(chunk + 1);
	const struct pe_samples_event *events = (const void *)(chunk + 1);

	for (uint32_t i = 0; i < chunk->used; i++)
		PE_TRY(chunk->magic == PE_SAMPLES_CHUNK_MAGIC
			       ? add_node(reading, file, process, &nodes[i], err)
			       : add_event(reading, file, &events[i], err));
	return PE_OK;
}

static void add_facts(struct reading *reading, const struct pe_samples_header *header)
{
	struct pe_samples_info *info = &reading->info;

	if (info->processes == 0)
		info->interval_ns = header->interval_ns;
	else if (info->interval_ns != header->interval_ns)
		info->interval_ns = 0;
	info->processes++;
	info->threads += header->threads;
	info->lost += header->lost;
	info->incomplete |=
		(header->flags & (PE_SAMPLES_MODULES_LOST | PE_SAMPLES_THREADS_LOST)) != 0;
}

static int read_file(struct reading *reading, struct file *file, struct pe_err *err)
{
	uint32_t process, thread = 0;

	PE_TRY(read_header(file, err));
	if (file->header == NULL)
		return PE_OK;
	PE_TRY(read_modules(reading, file, err));
	PE_TRY(read_chunks(file, err));
	add_facts(reading, file->header);
	process = pe_samples_path_image(&reading->path, file->header);
	pe_samples_path_thread(&reading->path, file->header, 0);
	reading->became.n = 0;
	for (size_t i = 0; i < file->chunks.n; i++) {
		const struct pe_samples_chunk *chunk = file->chunks.data[i];

		if (chunk->thread != thread) {
			thread = chunk->thread;
			reading->became.n = 0;
			pe_samples_path_thread(&reading->path, file->header, thread);
		}
		PE_TRY(add_chunk(reading, file, process, chunk, err));
	}
	return PE_OK;
}

static int add_file(const char *path, const void *bytes, size_t n, void *payload,
		    struct pe_err *err)
{
	struct reading *reading = payload;
	struct file file = {.path = path, .bytes = bytes, .size = n};
	int rc = read_file(reading, &file, err);

	reading->info.files++;
	pe_vec_release(&file.chunks);
	return rc;
}

/* Release the reading, and the tree that it has not given away. */
static void release(struct reading *reading)
{
	pe_addresses_release(&reading->addresses);
	pe_samples_path_release(&reading->path);
	pe_vec_release(&reading->became);
	pe_cct_builder_free(reading->builder);
}

int pe_samples_read(struct pe_cct **out, struct pe_samples_info *info,
		    const char *const *directories, size_t n_directories,
		    const struct pe_symbolizer *symbolizer, struct pe_frames *frames,
		    struct pe_arena *arena, struct pe_err *err)
{
	struct pe_cct_builder *builder = pe_cct_builder_new(frames, PE_CCT_SAMPLES | PE_CCT_SITES);
	__attribute__((cleanup(release))) struct reading reading = {
		.builder = builder,
		.path = {.builder = builder, .frames = frames, .arena = arena},
		.addresses = {.frames = frames, .symbolizer = symbolizer, .arena = arena},
	};
	struct pe_cct_facts facts = {.source = "samples"};

	PE_TRY(pe_recordings_each(directories, n_directories, PE_SAMPLES_SUFFIX, add_file, &reading,
				  arena, err));
	if (reading.info.files == 0)
		return pe_fail(err, PE_ENOTFOUND,
			       "the program left no samples: one that is static, setuid or started "
			       "without our environment cannot be sampled");
	pe_samples_path_finish(&reading.path);
	facts.timeline = pe_timeline_make(&reading.path);
	facts.samples = reading.info.samples;
	facts.interval_ns = reading.info.interval_ns;
	facts.processes = reading.info.processes;
	facts.threads = reading.info.threads;
	*out = pe_cct_builder_finish(builder, &facts, arena);
	reading.builder = NULL;
	if (info != NULL)
		*info = reading.info;
	return PE_OK;
}
