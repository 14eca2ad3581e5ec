/* The tree of one thread: found by an index of hashed (parent, address), kept in chunks of the file. */
#include "probe/runtime/sample.h"

#include <string.h>
#include <sys/mman.h>

enum { FIRST_SLOTS = 4096 };

static struct pe_samples_node *node_at(const struct pe_sample_tree *tree, uint32_t node)
{
	struct pe_samples_chunk *chunk = tree->chunks[node / PE_SAMPLES_CHUNK_NODES];

	return (struct pe_samples_node *)(chunk + 1) + node % PE_SAMPLES_CHUNK_NODES;
}

static uint32_t *find_slot(const struct pe_sample_tree *tree, uint32_t parent, uint64_t address)
{
	uint64_t hash = (address ^ (uint64_t)parent << 40 ^ parent) * UINT64_C(0x9e3779b97f4a7c15);
	uint32_t mask = tree->n_slots - 1;

	for (uint32_t at = (uint32_t)(hash >> 32) & mask;; at = (at + 1) & mask) {
		const struct pe_samples_node *node;

		if (tree->slots[at] == 0)
			return &tree->slots[at];
		node = node_at(tree, tree->slots[at] - 1);
		if (node->parent == parent && node->address == address)
			return &tree->slots[at];
	}
}

/* Room for one more in the index: at most half of it is ever full. */
static bool grow_index(struct pe_sample_tree *tree)
{
	uint32_t n = tree->n_slots != 0 ? 2 * tree->n_slots : FIRST_SLOTS;
	void *slots;

	if (2 * (uint64_t)(tree->n + 1) <= tree->n_slots)
		return true;
	slots = mmap(NULL, (size_t)n * sizeof(*tree->slots), PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (slots == MAP_FAILED)
		return false;
	if (tree->slots != NULL)
		munmap(tree->slots, (size_t)tree->n_slots * sizeof(*tree->slots));
	tree->slots = slots;
	tree->n_slots = n;
	for (uint32_t i = 0; i < tree->n; i++) {
		const struct pe_samples_node *node = node_at(tree, i);

		*find_slot(tree, node->parent, node->address) = i + 1;
	}
	return true;
}

static struct pe_samples_chunk *begin_chunk(const struct pe_sample_tree *tree, uint32_t magic,
					    uint32_t sequence)
{
	struct pe_samples_chunk *chunk = pe_sample_file_chunk();

	if (chunk == NULL)
		return NULL;
	chunk->thread = tree->thread;
	chunk->tid = tree->tid;
	chunk->sequence = sequence;
	__atomic_store_n(&chunk->magic, magic, __ATOMIC_RELEASE);
	return chunk;
}

static bool grow_nodes(struct pe_sample_tree *tree)
{
	struct pe_samples_chunk *chunk;

	if (tree->n < tree->n_chunks * (uint32_t)PE_SAMPLES_CHUNK_NODES)
		return true;
	if (tree->n_chunks == PE_SAMPLE_CHUNKS)
		return false;
	chunk = begin_chunk(tree, PE_SAMPLES_CHUNK_MAGIC, tree->n_chunks);
	if (chunk == NULL)
		return false;
	tree->chunks[tree->n_chunks++] = chunk;
	return true;
}

/* Without room for its log, a thread has its tree all the same. */
static void log_event(struct pe_sample_tree *tree, uint32_t node, uint32_t value)
{
	struct pe_samples_chunk *log = tree->log;
	struct pe_samples_event *event;

	if (log == NULL || log->used == PE_SAMPLES_CHUNK_EVENTS) {
		log = begin_chunk(tree, PE_SAMPLES_LOG_MAGIC, tree->n_logs);
		if (log == NULL)
			return;
		if (tree->log != NULL)
			munmap(tree->log, PE_SAMPLES_CHUNK_SIZE);
		tree->log = log;
		tree->n_logs++;
	}
	event = (struct pe_samples_event *)(log + 1) + log->used;
	*event = (struct pe_samples_event){pe_sample_now_ns(), node, value};
	__atomic_store_n(&log->used, log->used + 1, __ATOMIC_RELEASE);
}

/* The child of a node, made when it is new; PE_SAMPLES_ROOT when there is no room. */
static uint32_t child(struct pe_sample_tree *tree, uint32_t parent, uint64_t address)
{
	struct pe_samples_chunk *chunk;
	uint32_t *slot;

	if (!grow_index(tree))
		return PE_SAMPLES_ROOT;
	slot = find_slot(tree, parent, address);
	if (*slot != 0)
		return *slot - 1;
	if (!grow_nodes(tree))
		return PE_SAMPLES_ROOT;
	if (parent < PE_SAMPLES_CUT && (address & PE_SAMPLES_MARK) == 0)
		pe_sample_file_module(address);
	*node_at(tree, tree->n) = (struct pe_samples_node){.address = address, .parent = parent};
	chunk = tree->chunks[tree->n / PE_SAMPLES_CHUNK_NODES];
	/* Complete before it is counted: the process may be killed in between. */
	__atomic_store_n(&chunk->used, chunk->used + 1, __ATOMIC_RELEASE);
	*slot = ++tree->n;
	return tree->n - 1;
}

bool pe_sample_tree_add(struct pe_sample_tree *tree, const uint64_t *addresses, size_t n,
			bool complete, uint32_t value)
{
	uint64_t generation = __atomic_load_n(&pe_sample_file()->generation, __ATOMIC_ACQUIRE);
	uint32_t node = child(tree, complete ? PE_SAMPLES_ROOT : PE_SAMPLES_CUT, generation);

	while (node != PE_SAMPLES_ROOT && n > 0)
		node = child(tree, node, addresses[--n]);
	if (node == PE_SAMPLES_ROOT)
		return false;
	node_at(tree, node)->samples += value & ~PE_SAMPLES_SEVERAL;
	log_event(tree, node, value);
	return true;
}

void pe_sample_tree_release(struct pe_sample_tree *tree)
{
	for (uint32_t i = 0; i < tree->n_chunks; i++)
		munmap(tree->chunks[i], PE_SAMPLES_CHUNK_SIZE);
	if (tree->log != NULL)
		munmap(tree->log, PE_SAMPLES_CHUNK_SIZE);
	if (tree->slots != NULL)
		munmap(tree->slots, (size_t)tree->n_slots * sizeof(*tree->slots));
	memset(tree, 0, sizeof(*tree));
}
