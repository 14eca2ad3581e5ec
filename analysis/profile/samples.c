/*
 * From trees of addresses to one tree of frames: each node of a file becomes the path of methods at its
 * address, below the result of its parent.
 *
 *	struct place    the result of a node of a file
 *	struct reading  state for all files
 */
#include "analysis/profile/samples.h"

#include "core/base/array.h"
#include "core/base/sort.h"
#include "core/base/text.h"
#include "analysis/profile/samples_names.h"
#include "analysis/profile/samples_path.h"
#include "analysis/profile/timeline.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

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
	struct pe_samples_names names;
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
		place.node = pe_cct_builder_child(reading->builder, process,
						  pe_frames_add(reading->names.frames, &frame), 0);
		pe_cct_builder_flag(reading->builder, place.node, PE_CCT_CUT);
	}
	pe_vec_push(&reading->became, place);
}

static void add_stack(struct reading *reading, const struct pe_samples_chain *chain,
		      const struct pe_samples_node *node)
{
	struct place place = reading->became.data[node->parent];

	place.hook = chain->n == 0;
	for (uint32_t i = 0; i < chain->n; i++) {
		const struct pe_samples_step *step = &reading->names.steps.data[chain->first + i];

		place.node =
			pe_cct_builder_child(reading->builder, place.node, step->frame, place.line);
		place.line = step->line;
	}
	if (chain->n == 0) {
		place.line = 0; /* the call is in perfevo's own code */
		reading->info.hooks += node->samples;
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
	const struct pe_samples_chain *chain;

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
	PE_TRY(pe_samples_names_find(&chain, &reading->names, file, node->address,
				     reading->became.data[node->parent].generation, err));
	add_stack(reading, chain, node);
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

static int add_file(struct reading *reading, const char *path, struct pe_err *err)
{
	struct pe_samples_file file;
	uint32_t process;
	int rc = pe_samples_file_open(&file, path, err);

	if (rc != PE_OK)
		return rc;
	reading->info.files++;
	if (file.header == NULL)
		goto done;
	add_facts(reading, file.header);
	pe_samples_names_begin(&reading->names, &file);
	process = pe_samples_path_image(&reading->path, &file);
	pe_samples_path_thread(&reading->path, &file, 0);
	rc = add_threads(reading, &file, process, err);
	if (rc != PE_OK)
		pe_err_context(err, "%s", path);
done:
	pe_samples_file_close(&file);
	return rc;
}

struct found {
	const char *path;
	uint64_t pid, started_ns;
};

/* Order files by start: a process begins before those that it starts. */
PE_SORT_BY(by_start, struct found, started_ns, pid, path);

struct found_files {
	struct found *data;
	size_t n, capacity;
};

static int list_directory(struct found_files *out, const struct reading *reading,
			  const char *directory, struct pe_err *err)
{
	DIR *open = opendir(directory);

	if (open == NULL)
		return errno == ENOENT
			       ? pe_fail(err, PE_ENOTFOUND, "there is no directory %s", directory)
			       : pe_fail_errno(err, "cannot read the directory %s", directory);
	for (struct dirent *entry; (entry = readdir(open)) != NULL;) {
		size_t n = strlen(entry->d_name), suffix = strlen(PE_SAMPLES_SUFFIX);
		struct found found = {.path = NULL};
		char *end;

		if (n <= suffix || strcmp(entry->d_name + n - suffix, PE_SAMPLES_SUFFIX) != 0)
			continue;
		found.pid = strtoull(entry->d_name, &end, 10);
		found.started_ns = *end == '-' ? strtoull(end + 1, NULL, 10) : 0;
		found.path =
			pe_arena_printf(reading->names.arena, "%s/%s", directory, entry->d_name);
		pe_vec_push(out, found);
	}
	closedir(open);
	return PE_OK;
}

static int add_files(struct reading *reading, const char *const *directories, size_t n,
		     struct pe_err *err)
{
	struct found_files files = {NULL, 0, 0};
	int rc = PE_OK;

	for (size_t i = 0; i < n && rc == PE_OK; i++)
		rc = list_directory(&files, reading, directories[i], err);
	pe_sort(files.data, files.n, by_start);
	for (size_t i = 0; i < files.n && rc == PE_OK; i++)
		rc = add_file(reading, files.data[i].path, err);
	pe_vec_release(&files);
	return rc;
}

static void release(struct reading *reading)
{
	pe_samples_names_release(&reading->names);
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
		.names = {.frames = frames, .symbolizer = symbolizer, .arena = arena},
	};
	struct pe_cct_facts facts = {.source = "samples"};
	int rc;

	reading.path.builder = reading.builder;
	reading.path.frames = frames;
	reading.path.arena = arena;
	rc = add_files(&reading, directories, n_directories, err);
	if (rc == PE_OK && reading.info.files == 0)
		rc = pe_fail(err, PE_ENOTFOUND,
			     "the program left no samples: one that is static, setuid or started "
			     "without "
			     "our environment cannot be sampled");
	if (rc == PE_OK) {
		reading.info.unseen_ns = pe_samples_path_finish(&reading.path);
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
