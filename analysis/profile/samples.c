/*
 * From trees of addresses to one tree of frames: each node of a file becomes the path of methods at its
 * address, below the result of its parent.
 *
 *	struct place    the result of a node of a file
 *	struct reading  state for all files
 */
#include "analysis/profile/samples.h"

#include "core/base/text.h"
#include "analysis/profile/addresses.h"
#include "analysis/profile/recordings.h"
#include "analysis/profile/samples_path.h"
#include "analysis/profile/timeline.h"

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

/* A module of the current file. */
struct loaded {
	struct pe_module module;
	uint64_t generation;
	uint32_t number; /* of addresses */
	bool is_own;     /* one of perfevo's own libraries */
};

struct reading {
	struct pe_cct_builder *builder;
	struct pe_samples_path path;
	struct pe_samples_info info;
	struct pe_addresses addresses;
	PE_VEC(struct loaded) modules;
	PE_VEC(struct place) became; /* of the current thread, by node */
};

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

static void list_modules(struct reading *reading, const struct pe_samples_file *file)
{
	reading->modules.n = 0;
	for (size_t i = 0; i < file->modules.n; i++) {
		const struct pe_samples_module *module = file->modules.data[i];
		const char *path = pe_samples_module_path(module);
		struct loaded loaded = {
			.module = {.start = module->start,
				   .end = module->end,
				   .bias = module->bias},
			.generation = module->generation,
			.is_own = strncmp(pe_path_name(path), OWN_PREFIX, strlen(OWN_PREFIX)) == 0,
		};

		loaded.number = pe_addresses_module(&reading->addresses, &loaded.module, path,
						    module->build_id, module->n_build_id);
		pe_vec_push(&reading->modules, loaded);
	}
}

/* Find the methods at an address in one generation of modules; none in one of perfevo's own. */
static int find_methods(struct pe_address_chain *out, struct reading *reading, uint64_t address,
			uint64_t generation, struct pe_err *err)
{
	for (size_t i = 0; i < reading->modules.n; i++) {
		const struct loaded *loaded = &reading->modules.data[i];

		if (loaded->generation != generation || address < loaded->module.start ||
		    address >= loaded->module.end)
			continue;
		*out = (struct pe_address_chain){NULL, 0};
		return loaded->is_own ? PE_OK
				      : pe_addresses_find(out, &reading->addresses, &loaded->module,
							  loaded->number, address, err);
	}
	return pe_addresses_find(out, &reading->addresses, NULL, 0, address, err);
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

static int add_node(struct reading *reading, const struct pe_samples_file *file, uint32_t process,
		    const struct pe_samples_node *node, struct pe_err *err)
{
	struct pe_address_chain chain;

	if (node->parent >= PE_SAMPLES_CUT) {
		begin_stacks(reading, process, node);
		return PE_OK;
	}
	if (node->parent >= reading->became.n)
		return pe_fail(
			err, PE_EINVALID,
			"offset %zu: a node behind its parent expected; take the samples again",
			(size_t)((const char *)node - file->bytes));
	if ((node->address & PE_SAMPLES_MARK) != 0) {
		struct place place = reading->became.data[node->parent];

		place.mark = node->address;
		pe_samples_path_start(&reading->path, place.node, node->address, node->samples);
		pe_vec_push(&reading->became, place);
		return PE_OK;
	}
	PE_TRY(find_methods(&chain, reading, node->address,
			    reading->became.data[node->parent].generation, err));
	add_stack(reading, &chain, node);
	return PE_OK;
}

/* Read the log of a thread, after all its nodes. */
static int add_log(struct reading *reading, const struct pe_samples_file *file, uint32_t thread,
		   struct pe_err *err)
{
	for (size_t i = 0; i < file->logs.n; i++) {
		const struct pe_samples_chunk *log = file->logs.data[i];

		for (uint32_t j = 0; log->thread == thread && j < log->used; j++) {
			const struct pe_samples_event *event = &pe_samples_events(log)[j];
			const struct place *place;

			if (event->node >= reading->became.n)
				return pe_fail(
					err, PE_EINVALID,
					"offset %zu: an event of a node that is there expected; "
					"take the samples again",
					(size_t)((const char *)event - file->bytes));
			place = &reading->became.data[event->node];
			if (place->mark != 0)
				pe_samples_path_wait(&reading->path, place->node, place->mark,
						     event);
			else if (!place->hook)
				pe_samples_path_work(&reading->path, place->node, event);
		}
	}
	return PE_OK;
}

static int add_threads(struct reading *reading, const struct pe_samples_file *file,
		       uint32_t process, struct pe_err *err)
{
	for (size_t i = 0; i < file->chunks.n; i++) {
		const struct pe_samples_chunk *chunk = file->chunks.data[i];
		const bool last = i + 1 == file->chunks.n ||
				  file->chunks.data[i + 1]->thread != chunk->thread;

		if (chunk->sequence == 0) {
			reading->became.n = 0;
			if (chunk->thread != 0)
				pe_samples_path_thread(&reading->path, file, chunk->thread);
		}
		for (uint32_t j = 0; j < chunk->used; j++) {
			int rc = add_node(reading, file, process, &pe_samples_nodes(chunk)[j], err);

			if (rc != PE_OK)
				return rc;
		}
		if (last)
			PE_TRY(add_log(reading, file, chunk->thread, err));
	}
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

static int add_file(const char *path, const void *bytes, size_t n, void *payload,
		    struct pe_err *err)
{
	struct reading *reading = payload;
	struct pe_samples_file file;
	int rc = pe_samples_file_read(&file, path, bytes, n, err);

	reading->info.files++;
	if (rc == PE_OK && file.header != NULL) {
		uint32_t process;

		add_facts(reading, file.header);
		list_modules(reading, &file);
		process = pe_samples_path_image(&reading->path, &file);
		pe_samples_path_thread(&reading->path, &file, 0);
		rc = add_threads(reading, &file, process, err);
		if (rc != PE_OK)
			pe_err_context(err, "%s", path);
	}
	pe_samples_file_close(&file);
	return rc;
}

static void release(struct reading *reading)
{
	pe_addresses_release(&reading->addresses);
	pe_vec_release(&reading->modules);
	pe_samples_path_release(&reading->path);
	pe_vec_release(&reading->became);
	pe_cct_builder_free(reading->builder);
}

int pe_samples_read(struct pe_cct **out, struct pe_samples_info *info,
		    const char *const *directories, size_t n_directories,
		    const struct pe_symbolizer *symbolizer, struct pe_frames *frames,
		    struct pe_arena *arena, struct pe_err *err)
{
	struct reading reading = {
		.builder = pe_cct_builder_new(frames, PE_CCT_SAMPLES | PE_CCT_SITES),
		.addresses = {.frames = frames, .symbolizer = symbolizer, .arena = arena},
	};
	struct pe_cct_facts facts = {.source = "samples"};
	int rc;

	reading.path.builder = reading.builder;
	reading.path.frames = frames;
	reading.path.arena = arena;
	rc = pe_recordings_each(directories, n_directories, PE_SAMPLES_SUFFIX, add_file, &reading,
				arena, err);
	if (rc == PE_OK && reading.info.files == 0)
		rc = pe_fail(err, PE_ENOTFOUND,
			     "the program left no samples: one that is static, setuid or started "
			     "without "
			     "our environment cannot be sampled");
	if (rc == PE_OK) {
		pe_samples_path_finish(&reading.path);
		facts.timeline = pe_timeline_make(&reading.path);
		facts.samples = reading.info.samples;
		facts.interval_ns = reading.info.interval_ns;
		facts.processes = reading.info.processes;
		facts.threads = reading.info.threads;
		*out = pe_cct_builder_finish(reading.builder, &facts, arena);
		reading.builder = NULL;
		if (info != NULL)
			*info = reading.info;
	}
	release(&reading);
	return rc;
}
