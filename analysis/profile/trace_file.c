/*
 * One trace into the tree. Nothing in the file is trusted: chunks have to follow each other up to the end
 * in the header, and parents have to be nodes and to lead to a root. A thread's nodes mostly follow
 * their parents, but the nodes of a handler that interrupted a hook may precede theirs; so each node's
 * ancestors are followed until one has a place.
 *
 *   struct module  a PE_TRACE_MODULE chunk
 *   struct file    the trace; `places` has one entry a slot
 */
#include "analysis/profile/trace_reader.h"

#include "core/base/text.h"

#include <stdlib.h>
#include <string.h>

enum { SLOTS_A_PAGE = PE_TRACE_PAGE / PE_TRACE_SLOT };

/* Values of places[] other than nodes of the builder. */
#define NO_NODE   UINT32_MAX
#define UNPLACED  (UINT32_MAX - 1)
#define ON_WAY    (UINT32_MAX - 2) /* an ancestor of a node that is being placed */
#define LAST_NODE (UINT32_MAX - 3)

struct module {
	struct pe_module module;
	uint32_t object;
};

struct file {
	const char *bytes, *name;
	const struct pe_trace_header *header;
	uint32_t n_slots, step; /* step: slots a node */
	uint32_t *places;
	PE_VEC(uint32_t) chunks; /* first slots of chunks of nodes */
	PE_VEC(uint32_t) way;
	PE_VEC(struct module) modules;
	size_t last_module; /* of the last address */
	uint32_t process;   /* node of the builder */
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

int pe_trace_check_header(const struct pe_trace_header *header, size_t file_bytes, const char *name,
			  struct pe_err *err)
{
	static const char none[sizeof(header->magic)];
	const unsigned known =
		PE_TRACE_BYPASSED | PE_TRACE_FORKED | PE_TRACE_STOPPED | PE_TRACE_LOST;

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
	if ((header->flags & ~known) != 0)
		return pe_fail(err, PE_EINVALID, "%s is damaged: offset %zu: unknown flags %#x",
			       name, offsetof(struct pe_trace_header, flags),
			       (unsigned)header->flags);
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

static int read_module(struct file *file, struct pe_trace_reading *reading, uint32_t slot,
		       uint32_t pages, struct pe_err *err)
{
	const struct pe_trace_module *module = (const void *)node_at(file, slot + 1);
	const char *path = (const char *)(module + 1);
	size_t room = (size_t)pages * PE_TRACE_PAGE - PE_TRACE_SLOT - sizeof(*module);
	struct module out = {
		.module = {.start = module->start, .end = module->end, .bias = module->bias},
	};

	if (module->complete == 0)
		return PE_OK;
	if (module->path_bytes == 0 || module->path_bytes > room ||
	    path[module->path_bytes - 1] != '\0' || module->build_id_bytes > PE_TRACE_BUILD_ID_MAX)
		return fail_at(err, file, slot + 1,
			       "a module with a path or build id that does not fit");
	if (module->start >= module->end)
		return fail_at(err, file, slot + 1, "a module without room in memory");
	out.object = pe_addresses_module(&reading->addresses, &out.module, path, module->build_id,
					 module->build_id_bytes);
	pe_vec_push(&file->modules, out);
	return PE_OK;
}

static bool is_zero(const char *bytes, size_t n)
{
	return *bytes == 0 && memcmp(bytes, bytes + 1, n - 1) == 0;
}

static int note_nodes(struct file *file, uint32_t slot, uint32_t pages)
{
	uint32_t end = slot + pages * SLOTS_A_PAGE;

	pe_vec_push(&file->chunks, slot);
	for (uint32_t at = slot + 1; at < end; at++)
		if ((node_at(file, at)->state & PE_TRACE_NODE_USED) != 0)
			file->places[at] = UNPLACED;
	return PE_OK;
}

static int read_chunks(struct file *file, struct pe_trace_reading *reading, struct pe_err *err)
{
	uint32_t slot = SLOTS_A_PAGE;

	while (slot < file->n_slots) {
		const struct pe_trace_chunk *chunk = (const void *)node_at(file, slot);
		uint32_t left = (file->n_slots - slot) / SLOTS_A_PAGE;
		int rc = PE_OK;

		if (chunk->magic == 0 && is_zero((const char *)chunk, PE_TRACE_PAGE)) {
			slot += SLOTS_A_PAGE;
			continue;
		}
		if (chunk->magic != PE_TRACE_CHUNK_MAGIC)
			return fail_at(err, file, slot, "no part of a trace begins like this");
		if (chunk->pages == 0 || chunk->pages > left)
			return fail_at(err, file, slot,
				       "a part of the trace that does not fit into it");
		if (chunk->kind == PE_TRACE_NODES)
			rc = note_nodes(file, slot, chunk->pages);
		else if (chunk->kind == PE_TRACE_MODULE)
			rc = read_module(file, reading, slot, chunk->pages, err);
		else
			rc = fail_at(err, file, slot, "an unknown part of a trace");
		if (rc != PE_OK)
			return rc;
		slot += chunk->pages * SLOTS_A_PAGE;
	}
	return PE_OK;
}

static const struct module *module_of(struct file *file, uint64_t address)
{
	for (size_t i = 0; i < file->modules.n; i++) {
		size_t at = (file->last_module + i) % file->modules.n;
		const struct module *module = &file->modules.data[at];

		if (address >= module->module.start && address < module->module.end) {
			file->last_module = at;
			return module;
		}
	}
	return NULL;
}

/* Whether the caller of a node is no method of the tree: then its call has no line in the tree's sources. */
static bool is_outermost(const struct file *file, const struct pe_trace_node *node)
{
	return file->places[node->parent] == file->process;
}

/* Find the methods at a return address. */
static int find_methods(struct pe_address_chain *out, struct file *file,
			struct pe_trace_reading *reading, uint64_t address, struct pe_err *err)
{
	const struct module *module = module_of(file, address);

	return pe_addresses_find(out, &reading->addresses, module != NULL ? &module->module : NULL,
				 module != NULL ? module->object : 0, address - 1, err);
}

/* Find the frame and the call site of a node whose parent has its place. */
static int name_node(uint32_t *frame, uint32_t *site, struct file *file,
		     struct pe_trace_reading *reading, const struct pe_trace_node *node,
		     struct pe_err *err)
{
	struct pe_address_chain chain;

	PE_TRY(find_methods(&chain, file, reading, node->function, err));
	*frame = chain.at[chain.n - 1].frame;
	*site = 0;
	if (is_outermost(file, node))
		return PE_OK;
	/* Compilers give an inlined copy the call site of its host. */
	if (chain.n > 1) {
		*site = chain.at[chain.n - 2].line;
		return PE_OK;
	}
	PE_TRY(find_methods(&chain, file, reading, node->site, err));
	*site = chain.at[chain.n - 1].line;
	return PE_OK;
}

/* Collect a node's ancestors up to one that has its place, or a root. */
static int find_way(struct file *file, uint32_t slot, struct pe_err *err)
{
	file->way.n = 0;
	for (uint32_t at = slot;;) {
		const struct pe_trace_node *node = node_at(file, at);

		pe_vec_push(&file->way, at);
		file->places[at] = ON_WAY;
		if ((node->state & PE_TRACE_NODE_ROOT) != 0)
			return PE_OK;
		if (node->parent == 0 || node->parent >= file->n_slots ||
		    file->places[node->parent] == NO_NODE)
			return fail_at(err, file, at, "a node whose parent is none");
		if (file->places[node->parent] == ON_WAY)
			return fail_at(err, file, at, "a node that is its own ancestor");
		if ((node_at(file, node->parent)->state & PE_TRACE_NODE_ALIAS) != 0)
			return fail_at(err, file, at, "a node below a recursive call");
		if (file->places[node->parent] <= LAST_NODE)
			return PE_OK;
		at = node->parent;
	}
}

static int place_nodes(struct file *file, struct pe_trace_reading *reading, uint32_t slot,
		       struct pe_err *err)
{
	int rc = find_way(file, slot, err);

	for (size_t i = file->way.n; rc == PE_OK && i-- > 0;) {
		uint32_t at = file->way.data[i], frame, site;
		const struct pe_trace_node *node = node_at(file, at);

		if ((node->state & PE_TRACE_NODE_ROOT) != 0) {
			file->places[at] = file->process;
			continue;
		}
		rc = name_node(&frame, &site, file, reading, node, err);
		if (rc == PE_OK)
			file->places[at] = pe_cct_builder_fold(
				reading->builder, file->places[node->parent], frame, site);
	}
	return rc;
}

static void add_values(struct pe_trace_reading *reading, uint32_t place,
		       const struct pe_trace_node *node)
{
	struct pe_cct_values *values = pe_cct_builder_at(reading->builder, place);

	pe_cct_add(&values->calls, node->calls);
	pe_cct_add(&values->allocations, node->allocations);
	pe_cct_add(&values->allocated_bytes, node->allocated_bytes);
	pe_cct_add(&values->frees, node->frees);
}

/* Find the place of a node, and place it first if needed. */
static int find_place(struct file *file, struct pe_trace_reading *reading, uint32_t slot,
		      struct pe_err *err)
{
	return file->places[slot] <= LAST_NODE ? PE_OK : place_nodes(file, reading, slot, err);
}

/*
 * Read a recursive call: the node at which it is counted is folded, if it is on the path in this tree, too. It may
 * not be, where copies of one function were inlined into each other.
 */
static int read_alias(struct file *file, struct pe_trace_reading *reading, uint32_t slot,
		      struct pe_err *err)
{
	const struct pe_trace_node *node = node_at(file, slot);
	uint32_t at, target;

	if (node->target == 0 || node->target >= file->n_slots || node->parent >= file->n_slots ||
	    file->places[node->target] == NO_NODE || file->places[node->parent] == NO_NODE ||
	    ((node_at(file, node->target)->state | node_at(file, node->parent)->state) &
	     PE_TRACE_NODE_ALIAS) != 0)
		return fail_at(err, file, slot, "a recursive call that leads nowhere");
	PE_TRY(find_place(file, reading, node->target, err));
	PE_TRY(find_place(file, reading, node->parent, err));
	target = file->places[node->target];
	for (at = file->places[node->parent]; at != 0 && at != target;)
		at = pe_cct_builder_parent(reading->builder, at);
	if (at == target)
		pe_cct_builder_flag(reading->builder, target, PE_CCT_FOLDED);
	return PE_OK;
}

static int read_nodes(struct file *file, struct pe_trace_reading *reading, struct pe_err *err)
{
	for (size_t i = 0; i < file->chunks.n; i++) {
		uint32_t head = file->chunks.data[i];
		const struct pe_trace_chunk *chunk = (const void *)node_at(file, head);
		uint32_t end = head + chunk->pages * SLOTS_A_PAGE;

		for (uint32_t at = head + 1; at < end; at++) {
			const struct pe_trace_node *node = node_at(file, at);
			bool alias = (node->state & PE_TRACE_NODE_ALIAS) != 0;
			int rc;

			if (file->places[at] == NO_NODE)
				continue;
			rc = alias ? read_alias(file, reading, at, err)
				   : find_place(file, reading, at, err);
			if (rc != PE_OK)
				return rc;
			if (alias)
				continue;
			add_values(reading, file->places[at], node);
		}
	}
	return PE_OK;
}

static const char *file_name(struct pe_arena *arena, const char *path)
{
	const char *name = pe_path_name(path);

	return pe_arena_strdup(arena, *name != '\0' ? name : "(unknown program)");
}

static void begin_process(struct file *file, struct pe_trace_reading *reading)
{
	const struct pe_trace_header *header = file->header;
	const char *program = file_name(reading->arena, header->program);
	struct pe_frame frame = {
		.name = program,
		.module = program,
		.kind = PE_FRAME_PROCESS,
	};
	struct pe_cct_values *values;

	file->process = pe_cct_builder_child(reading->builder, 0,
					     pe_frames_add(reading->frames, &frame), 0);
	values = pe_cct_builder_at(reading->builder, file->process);
	if ((header->flags & PE_TRACE_FORKED) == 0)
		pe_cct_add(&values->calls, 1);
	pe_cct_add(&values->allocations, header->allocations);
	pe_cct_add(&values->allocated_bytes, header->allocated_bytes);
	pe_cct_add(&values->frees, header->frees);
}

static void note_process(const struct file *file, struct pe_trace_reading *reading)
{
	const struct pe_trace_header *header = file->header;
	struct pe_trace_notes *notes = &reading->notes;
	const char *name =
		reading->frames->at[pe_cct_builder_frame(reading->builder, file->process)].name;

	name = pe_arena_strdup(reading->arena, name);
	notes->processes++;
	notes->threads += header->threads;
	if ((header->flags & PE_TRACE_BYPASSED) != 0 && notes->bypassed++ == 0)
		notes->bypassed_name = name;
	if ((header->flags & (PE_TRACE_STOPPED | PE_TRACE_LOST)) != 0 && notes->stopped++ == 0)
		notes->stopped_name = name;
	pe_cct_add(&notes->lost_calls, header->lost);
	pe_cct_add(&reading->facts.peak_bytes, header->peak_bytes);
}

int pe_trace_add(struct pe_trace_reading *reading, const void *bytes, const char *name,
		 struct pe_err *err)
{
	struct file file = {.bytes = bytes, .name = name, .header = bytes};
	int rc;

	file.n_slots = (uint32_t)(file.header->end / PE_TRACE_SLOT);
	file.places = pe_realloc(NULL, file.n_slots, sizeof(*file.places));
	memset(file.places, 0xff, file.n_slots * sizeof(*file.places));
	rc = read_chunks(&file, reading, err);
	if (rc == PE_OK) {
		begin_process(&file, reading);
		rc = read_nodes(&file, reading, err);
		note_process(&file, reading);
	}
	free(file.places);
	pe_vec_release(&file.chunks);
	pe_vec_release(&file.way);
	pe_vec_release(&file.modules);
	return rc;
}
