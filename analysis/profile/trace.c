/*
 * All traces of a directory, in the order in which their processes began. Headers are read first: the tree's
 * columns depend on all of them.
 *
 *   struct image  one file
 */
#include "analysis/profile/trace.h"

#include "core/base/files.h"
#include "core/base/sort.h"

#include "analysis/profile/trace_reader.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct image {
	const char *name;
	uint64_t started_ns;
	uint32_t pid, flags;
};

struct images {
	PE_VEC(struct image) list;
};

PE_SORT_BY(compare_images, struct image, started_ns, pid, name);

static bool is_trace(const char *name)
{
	size_t n = strlen(name), m = strlen(PE_TRACE_SUFFIX);

	return n > m && strcmp(name + n - m, PE_TRACE_SUFFIX) == 0;
}

/* Map a file, to be unmapped by the caller; *n is 0 and *out NULL when it is empty. */
static int map_file(const void **out, size_t *n, int dir, const char *name, struct pe_err *err)
{
	int fd = pe_files_open_placed(dir, name, 0);
	struct stat info;
	void *at = NULL;
	int rc = PE_OK;

	*out = NULL;
	*n = 0;
	if (fd < 0)
		return pe_fail_errno(err, "cannot read the trace %s", name);
	if (fstat(fd, &info) != 0) {
		rc = pe_fail_errno(err, "cannot read the trace %s", name);
	} else if (info.st_size > 0) {
		at = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (at == MAP_FAILED) {
			rc = pe_fail_errno(err, "cannot read the trace %s", name);
		} else {
			*out = at;
			*n = (size_t)info.st_size;
		}
	}
	close(fd);
	return rc;
}

static void unmap(const void *bytes, size_t n)
{
	if (bytes != NULL)
		munmap((void *)(size_t)bytes, n);
}

/* Read a file's header. The file of a process that was killed before it began is no trace, and is skipped. */
static int look_at(struct images *images, int dir, const char *name, struct pe_arena *arena,
		   struct pe_err *err)
{
	const struct pe_trace_header *header;
	const void *bytes;
	size_t n;
	int rc = map_file(&bytes, &n, dir, name, err);

	if (rc != PE_OK)
		return rc;
	header = bytes;
	rc = pe_trace_check_header(header, n, name, err);
	assert(rc != PE_OK || header != NULL);
	if (rc == PE_OK)
		pe_vec_push(&images->list, (struct image){
						   .name = pe_arena_strdup(arena, name),
						   .started_ns = header->started_ns,
						   .pid = header->pid,
						   .flags = header->flags,
					   });
	unmap(bytes, n);
	return rc == PE_ENOTFOUND ? PE_OK : rc;
}

static int list_images(struct images *images, DIR *entries, const char *dir, struct pe_arena *arena,
		       struct pe_err *err)
{
	struct dirent *entry;
	int rc = PE_OK;

	while (rc == PE_OK && (entry = readdir(entries)) != NULL)
		if (is_trace(entry->d_name))
			rc = look_at(images, dirfd(entries), entry->d_name, arena, err);
	if (rc == PE_OK && images->list.n == 0)
		return pe_fail(err, PE_ENOTFOUND,
			       "no trace in %s: no program loaded libperfevo_calls.so (a static or "
			       "setuid program cannot)",
			       dir);
	if (rc == PE_OK)
		pe_sort(images->list.data, images->list.n, compare_images);
	return rc;
}

static void begin(struct pe_trace_reading *reading, const struct pe_symbolizer *symbolizer,
		  struct pe_frames *frames, struct pe_arena *arena)
{
	*reading = (struct pe_trace_reading){
		.names = {.symbolizer = symbolizer, .frames = frames, .arena = arena},
		.facts.source = "counting",
		.frames = frames,
		.arena = arena,
	};
	reading->builder = pe_cct_builder_new(frames, PE_CCT_CALLS | PE_CCT_SITES);
}

/* Finish reading: with an error, return it, else the tree and the notes. */
static int finish(struct pe_cct **out, struct pe_trace_notes *notes,
		  struct pe_trace_reading *reading, int rc)
{
	unsigned known = PE_CCT_CALLS | PE_CCT_SITES;

	if (rc == PE_OK) {
		if (reading->notes.bypassed == 0)
			known |= PE_CCT_ALLOCATIONS;
		else
			reading->facts.peak_bytes = 0;
		reading->facts.processes = reading->notes.processes;
		reading->facts.threads = reading->notes.threads;
		pe_cct_builder_know(reading->builder, known);
		*out = pe_cct_builder_finish(reading->builder, &reading->facts, reading->arena);
		if (notes != NULL)
			*notes = reading->notes;
	} else {
		pe_cct_builder_free(reading->builder);
	}
	pe_trace_names_release(&reading->names);
	return rc;
}

static int add_image(struct pe_trace_reading *reading, int dir, const struct image *image,
		     struct pe_err *err)
{
	const void *bytes;
	size_t n;
	int rc = map_file(&bytes, &n, dir, image->name, err);

	if (rc == PE_OK)
		rc = pe_trace_check_header(bytes, n, image->name, err);
	if (rc == PE_OK)
		rc = pe_trace_add(reading, bytes, image->name, err);
	unmap(bytes, n);
	return rc;
}

int pe_trace_read_dir(struct pe_cct **out, struct pe_trace_notes *notes, const char *dir,
		      const struct pe_symbolizer *symbolizer, struct pe_frames *frames,
		      struct pe_arena *arena, struct pe_err *err)
{
	struct pe_trace_reading reading;
	struct images images = {.list = {.n = 0}};
	DIR *entries = opendir(dir);
	int rc;

	if (entries == NULL) {
		rc = pe_fail_errno(err, "cannot read the traces in %s", dir);
		return errno == ENOENT && err != NULL ? (err->code = PE_ENOTFOUND) : rc;
	}
	rc = list_images(&images, entries, dir, arena, err);
	if (rc == PE_OK) {
		begin(&reading, symbolizer, frames, arena);
		for (size_t i = 0; rc == PE_OK && i < images.list.n; i++)
			rc = add_image(&reading, dirfd(entries), &images.list.data[i], err);
		rc = finish(out, notes, &reading, rc);
	}
	pe_vec_release(&images.list);
	closedir(entries);
	return rc;
}

int pe_trace_read_bytes(struct pe_cct **out, struct pe_trace_notes *notes, const void *bytes,
			size_t n, const char *name, const struct pe_symbolizer *symbolizer,
			struct pe_frames *frames, struct pe_arena *arena, struct pe_err *err)
{
	const struct pe_trace_header *header = bytes;
	struct pe_trace_reading reading;
	int rc = pe_trace_check_header(header, n, name, err);

	if (rc == PE_ENOTFOUND)
		return pe_fail(err, PE_ENOTFOUND, "%s holds no trace", name);
	if (rc != PE_OK)
		return rc;
	begin(&reading, symbolizer, frames, arena);
	return finish(out, notes, &reading, pe_trace_add(&reading, bytes, name, err));
}
