/*
 * All traces of a directory, in the order in which their processes began, into one tree. Nothing in a file is trusted: chunks
 * have to follow each other up to the end in the header, and parents have to be nodes and to lead to a root. A thread's nodes
 * mostly follow their parents, but the nodes of a handler that interrupted a hook may precede theirs; so each node's
 * ancestors are followed until one has a place.
 *
 *   struct reading  state for all traces
 *   struct file     the trace; `places` has one entry a slot
 */
#include "analysis/profile/trace.h"

#include "core/base/text.h"
#include "analysis/profile/addresses.h"
#include "analysis/profile/recordings.h"
#include "probe/formats/trace.h"

#include <stdlib.h>
#include <string.h>

enum { SLOTS_A_PAGE = PE_TRACE_PAGE / PE_TRACE_SLOT };

/* Values of places[] other than nodes of the builder. */
#define NO_NODE   UINT32_MAX
#define UNPLACED  (UINT32_MAX - 1)
#define LAST_NODE (UINT32_MAX - 2)

struct reading {
	struct pe_cct_builder *builder;
	struct pe_addresses addresses;
	struct pe_trace_notes notes;
	struct pe_cct_facts facts;
	struct pe_frames *frames;
	struct pe_arena *arena;
};

struct file {
	struct reading *reading;
	const char *bytes, *name;
	const struct pe_trace_header *header;
	uint32_t n_slots;
	uint32_t *places;
	PE_VEC(uint32_t) chunks; /* first slots of chunks of nodes */
	PE_VEC(uint32_t) way;
	uint32_t process; /* node of the builder */
};

static const struct pe_trace_node *node_at(const struct file *file, uint32_t slot)
{
	return (const void *)(file->bytes + (size_t)slot * PE_TRACE_SLOT);
}

static int fail_at(struct pe_err *err, const struct file *file, uint32_t slot, const char *what)
{
	return pe_fail(err, PE_EINVALID, "%s is damaged: offset %llu: %s", file->name,
		       (unsigned long long)slot * PE_TRACE_SLOT, what);
}

/* Check a file's first page. PE_ENOTFOUND: its process was killed before it began. */
static int check_header(const struct pe_trace_header *header, size_t file_bytes, const char *name,
			struct pe_err *err)
{
	static const char none[sizeof(header->magic)];

	if (file_bytes == 0 ||
	    (file_bytes >= sizeof(header->magic) && memcmp(header->magic, none, sizeof(none)) == 0))
		return PE_ENOTFOUND;
	if (file_bytes < PE_TRACE_PAGE)
		return pe_fail(err, PE_EINVALID,
			       "%s is cut off: %zu bytes instead of a header of %d", name,
			       file_bytes, PE_TRACE_PAGE);
	if (memcmp(header->magic, PE_TRACE_MAGIC, sizeof(header->magic)) != 0)
		return pe_fail(err, PE_EINVALID,
			       "%s is damaged: offset 0: no trace begins like this", name);
	if (header->version != PE_TRACE_VERSION || header->size != sizeof(*header))
		return pe_fail(err, PE_EUNSUPPORTED,
			       "%s was written by another version of libperfevo_calls.so", name);
	if (header->end < PE_TRACE_PAGE || header->end % PE_TRACE_PAGE != 0 ||
	    header->end / PE_TRACE_SLOT > LAST_NODE)
		return pe_fail(err, PE_EINVALID, "%s is damaged: offset %zu: an end at %llu", name,
			       offsetof(struct pe_trace_header, end),
			       (unsigned long long)header->end);
	if (header->end > file_bytes)
		return pe_fail(err, PE_EINVALID, "%s is cut off: %zu bytes of %llu", name,
			       file_bytes, (unsigned long long)header->end);
	if (memchr(header->program, '\0', sizeof(header->program)) == NULL)
		return pe_fail(err, PE_EINVALID, "%s is damaged: offset %zu: an endless name", name,
			       offsetof(struct pe_trace_header, program));
	return PE_OK;
}

static int read_module(struct file *file, uint32_t slot, uint32_t pages, struct pe_err *err)
{
	const struct pe_trace_module *module = (const void *)node_at(file, slot + 1);
	const char *path = (const char *)(module + 1);
	size_t room = (size_t)pages * PE_TRACE_PAGE - PE_TRACE_SLOT - sizeof(*module);
	struct pe_address_mapping mapping = {.module = {.path = path,
							.start = module->start,
							.end = module->end,
							.bias = module->bias}};

	if (module->complete == 0)
		return PE_OK;
	if (module->path_bytes == 0 || module->path_bytes > room ||
	    path[module->path_bytes - 1] != '\0' || module->build_id_bytes > PE_TRACE_BUILD_ID_MAX)
		return fail_at(err, file, slot + 1,
			       "a module with a path or build id that does not fit");
	if (module->start >= module->end)
		return fail_at(err, file, slot + 1, "a module without room in memory");
	pe_addresses_map(&file->reading->addresses, mapping, module->build_id,
			 module->build_id_bytes);
	return PE_OK;
}

static void note_nodes(struct file *file, uint32_t slot, uint32_t pages)
{
	pe_vec_push(&file->chunks, slot);
	for (uint32_t at = slot + 1; at < slot + pages * SLOTS_A_PAGE; at++)
		if ((node_at(file, at)->state & PE_TRACE_NODE_USED) != 0)
			file->places[at] = UNPLACED;
}

/* Read the chunk at a slot, and go behind it. */
static int read_chunk(struct file *file, uint32_t *slot, struct pe_err *err)
{
	const struct pe_trace_chunk *chunk = (const void *)node_at(file, *slot);

	/* A page that was allocated and never used. */
	if (chunk->magic == 0) {
		*slot += SLOTS_A_PAGE;
		return PE_OK;
	}
	if (chunk->magic != PE_TRACE_CHUNK_MAGIC)
		return fail_at(err, file, *slot, "no part of a trace begins like this");
	if (chunk->pages == 0 || chunk->pages > (file->n_slots - *slot) / SLOTS_A_PAGE)
		return fail_at(err, file, *slot, "a part of the trace that does not fit into it");
	if (chunk->kind == PE_TRACE_NODES)
		note_nodes(file, *slot, chunk->pages);
	else if (chunk->kind == PE_TRACE_MODULE)
		PE_TRY(read_module(file, *slot, chunk->pages, err));
	else
		return fail_at(err, file, *slot, "an unknown part of a trace");
	*slot += chunk->pages * SLOTS_A_PAGE;
	return PE_OK;
}

/* Whether the caller of a node is no method of the tree: then its call has no line in the tree's sources. */
static bool is_outermost(const struct file *file, const struct pe_trace_node *node)
{
	return file->places[node->parent] == file->process;
}

/* Find the methods at a return address. */
static int find_methods(struct pe_address_chain *out, struct file *file, uint64_t address,
			struct pe_err *err)
{
	return pe_addresses_find(out, &file->reading->addresses, address - 1, 0, err);
}

/* Find the frame and the call site of a node whose parent has its place. */
static int name_node(uint32_t *frame, uint32_t *site, struct file *file,
		     const struct pe_trace_node *node, struct pe_err *err)
{
	struct pe_address_chain chain;

	PE_TRY(find_methods(&chain, file, node->function, err));
	*frame = chain.at[chain.n - 1].frame;
	*site = 0;
	if (is_outermost(file, node))
		return PE_OK;
	/* Compilers give an inlined copy the call site of its host. */
	if (chain.n > 1) {
		*site = chain.at[chain.n - 2].line;
		return PE_OK;
	}
	PE_TRY(find_methods(&chain, file, node->site, err));
	*site = chain.at[chain.n - 1].line;
	return PE_OK;
}

/* Whether a slot has a node that others may be below: no alias. */
static bool is_caller(const struct file *file, uint32_t slot)
{
	return slot < file->n_slots && file->places[slot] != NO_NODE &&
	       (node_at(file, slot)->state & PE_TRACE_NODE_ALIAS) == 0;
}

/* Find the place of a node, after those of its ancestors. */
static int place_node(struct file *file, uint32_t slot, struct pe_err *err)
{
	uint32_t frame, site;

	file->way.n = 0;
	for (uint32_t at = slot; file->places[at] > LAST_NODE; at = node_at(file, at)->parent) {
		const struct pe_trace_node *node = node_at(file, at);

		pe_vec_push(&file->way, at);
		if ((node->state & PE_TRACE_NODE_ROOT) != 0)
			break;
		if (!is_caller(file, node->parent))
			return fail_at(err, file, at, "a node whose parent is none");
		if (file->way.n > file->n_slots)
			return fail_at(err, file, at, "a node that is its own ancestor");
	}
	for (size_t i = file->way.n; i-- > 0;) {
		const uint32_t at = file->way.data[i];
		const struct pe_trace_node *node = node_at(file, at);

		if ((node->state & PE_TRACE_NODE_ROOT) != 0) {
			file->places[at] = file->process;
			continue;
		}
		PE_TRY(name_node(&frame, &site, file, node, err));
		file->places[at] = pe_cct_builder_fold(file->reading->builder,
						       file->places[node->parent], frame, site);
	}
	return PE_OK;
}

/*
 * Read a recursive call: the node at which it is counted is folded, if it is on the path in this tree, too. It may
 * not be, where copies of one function were inlined into each other.
 */
static int read_alias(struct file *file, uint32_t slot, struct pe_err *err)
{
	const struct pe_trace_node *node = node_at(file, slot);
	struct pe_cct_builder *builder = file->reading->builder;
	uint32_t at, target;

	if (!is_caller(file, node->target) || !is_caller(file, node->parent))
		return fail_at(err, file, slot, "a recursive call that leads nowhere");
	PE_TRY(place_node(file, node->target, err));
	PE_TRY(place_node(file, node->parent, err));
	target = file->places[node->target];
	for (at = file->places[node->parent]; at != 0 && at != target;)
		at = pe_cct_builder_node(builder, at)->parent;
	if (at == target)
		pe_cct_builder_flag(builder, target, PE_CCT_FOLDED);
	return PE_OK;
}

static int read_node(struct file *file, uint32_t slot, struct pe_err *err)
{
	const struct pe_trace_node *node = node_at(file, slot);
	struct pe_cct_values *values;

	if (file->places[slot] == NO_NODE)
		return PE_OK;
	if ((node->state & PE_TRACE_NODE_ALIAS) != 0)
		return read_alias(file, slot, err);
	PE_TRY(place_node(file, slot, err));
	values = pe_cct_builder_at(file->reading->builder, file->places[slot]);
	pe_cct_add(&values->calls, node->calls);
	pe_cct_add(&values->allocations, node->allocations);
	pe_cct_add(&values->allocated_bytes, node->allocated_bytes);
	pe_cct_add(&values->frees, node->frees);
	return PE_OK;
}

static int read_nodes(struct file *file, struct pe_err *err)
{
	for (size_t i = 0; i < file->chunks.n; i++) {
		const uint32_t head = file->chunks.data[i];
		const struct pe_trace_chunk *chunk = (const void *)node_at(file, head);

		for (uint32_t at = head + 1; at < head + chunk->pages * SLOTS_A_PAGE; at++)
			PE_TRY(read_node(file, at, err));
	}
	return PE_OK;
}

/* Add the process's node, and what the header says of it. @return  its name, in the arena */
static const char *add_process(struct file *file)
{
	const struct pe_trace_header *header = file->header;
	struct reading *reading = file->reading;
	const char *program = pe_path_name(header->program);
	struct pe_frame frame = {.kind = PE_FRAME_PROCESS};
	struct pe_cct_values *values;

	program = pe_arena_strdup(reading->arena, *program != '\0' ? program : "(unknown program)");
	frame.name = frame.module = program;
	file->process = pe_cct_builder_child(reading->builder, 0,
					     pe_frames_add(reading->frames, &frame), 0);
	values = pe_cct_builder_at(reading->builder, file->process);
	if ((header->flags & PE_TRACE_FORKED) == 0)
		pe_cct_add(&values->calls, 1);
	pe_cct_add(&values->allocations, header->allocations);
	pe_cct_add(&values->allocated_bytes, header->allocated_bytes);
	pe_cct_add(&values->frees, header->frees);
	return program;
}

static void note_process(const struct file *file, const char *name)
{
	const struct pe_trace_header *header = file->header;
	struct pe_trace_notes *notes = &file->reading->notes;

	notes->processes++;
	notes->threads += header->threads;
	if ((header->flags & PE_TRACE_BYPASSED) != 0 && notes->bypassed++ == 0)
		notes->bypassed_name = name;
	if ((header->flags & (PE_TRACE_STOPPED | PE_TRACE_LOST)) != 0 && notes->stopped++ == 0)
		notes->stopped_name = name;
	pe_cct_add(&notes->lost_calls, header->lost);
	pe_cct_add(&file->reading->facts.peak_bytes, header->peak_bytes);
}

static int read_file(struct file *file, struct pe_err *err)
{
	uint32_t slot = SLOTS_A_PAGE;

	while (slot < file->n_slots)
		PE_TRY(read_chunk(file, &slot, err));
	note_process(file, add_process(file));
	return read_nodes(file, err);
}

/* Add a trace. That of a process that was killed before it began is none, and is skipped. */
static int add_file(const char *path, const void *bytes, size_t n, void *payload,
		    struct pe_err *err)
{
	struct file file = {.reading = payload, .bytes = bytes, .name = path, .header = bytes};
	int rc = check_header(bytes, n, path, err);

	if (rc != PE_OK)
		return rc == PE_ENOTFOUND ? PE_OK : rc;
	file.n_slots = (uint32_t)(file.header->end / PE_TRACE_SLOT);
	file.places = pe_realloc(NULL, file.n_slots, sizeof(*file.places));
	memset(file.places, 0xff, file.n_slots * sizeof(*file.places));
	file.reading->addresses.mappings.n = 0;
	rc = read_file(&file, err);
	free(file.places);
	pe_vec_release(&file.chunks);
	pe_vec_release(&file.way);
	return rc;
}

static void begin(struct reading *reading, const struct pe_symbolizer *symbolizer,
		  struct pe_frames *frames, struct pe_arena *arena)
{
	*reading = (struct reading){
		.builder = pe_cct_builder_new(frames, PE_CCT_CALLS | PE_CCT_SITES),
		.addresses = {.symbolizer = symbolizer, .frames = frames, .arena = arena},
		.facts.source = "counting",
		.frames = frames,
		.arena = arena,
	};
}

/* Finish reading: with an error, return it, else the tree and the notes. @param from  for messages */
static int finish(struct pe_cct **out, struct pe_trace_notes *notes, struct reading *reading,
		  int rc, const char *from, struct pe_err *err)
{
	pe_addresses_release(&reading->addresses);
	if (rc == PE_OK && reading->notes.processes == 0)
		rc = pe_fail(err, PE_ENOTFOUND,
			     "no trace in %s: no program loaded libperfevo_calls.so (a static or "
			     "setuid program cannot)",
			     from);
	if (rc != PE_OK) {
		pe_cct_builder_free(reading->builder);
		return rc;
	}
	if (reading->notes.bypassed == 0)
		pe_cct_builder_know(reading->builder, PE_CCT_ALLOCATIONS);
	else
		reading->facts.peak_bytes = 0;
	reading->facts.processes = reading->notes.processes;
	reading->facts.threads = reading->notes.threads;
	*out = pe_cct_builder_finish(reading->builder, &reading->facts, reading->arena);
	if (notes != NULL)
		*notes = reading->notes;
	return PE_OK;
}

int pe_trace_read_dir(struct pe_cct **out, struct pe_trace_notes *notes, const char *dir,
		      const struct pe_symbolizer *symbolizer, struct pe_frames *frames,
		      struct pe_arena *arena, struct pe_err *err)
{
	struct reading reading;
	int rc;

	begin(&reading, symbolizer, frames, arena);
	rc = pe_recordings_each(&dir, 1, PE_TRACE_SUFFIX, add_file, &reading, arena, err);
	return finish(out, notes, &reading, rc, dir, err);
}

int pe_trace_read_bytes(struct pe_cct **out, struct pe_trace_notes *notes, const void *bytes,
			size_t n, const char *name, const struct pe_symbolizer *symbolizer,
			struct pe_frames *frames, struct pe_arena *arena, struct pe_err *err)
{
	struct reading reading;

	begin(&reading, symbolizer, frames, arena);
	return finish(out, notes, &reading, add_file(name, bytes, n, &reading, err), name, err);
}
