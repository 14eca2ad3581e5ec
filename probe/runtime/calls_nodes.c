/*
 * The tree. The node of a call is the one of the last time (struct pe_calls_recent), or searched: a node's
 * children form a list, the latest in front; one that is found further
 * back than second moves to the front. Above eight children they are looked up in a table that the whole
 * tree shares. Every store leaves a list that can be walked, since a handler may come between any two.
 *
 * Recursion is folded: a call whose function and site are on the path already leads back to their node
 * there. The result of that search is kept as an alias among the children.
 */
#include "probe/runtime/calls.h"

#include <errno.h>
#include <sys/mman.h>

enum {
	LIST_CHILDREN = 8,
	MOST_TREES = 64 * 1024,
	FIRST_PAGES = 1,
	MOST_PAGES = 256, /* a megabyte */
	FIRST_TABLE = 1024,
	N_RECENT = 1 << PE_CALLS_RECENT_BITS,
	RECENT_BYTES = N_RECENT * sizeof(struct pe_calls_recent),
};

/* By threads that live or lived; in private memory. */
static struct pe_calls_tree *trees;
static uint32_t n_trees;

/* Links of chunks: the newest of a tree names the one before it, so that all can be visited. */
static uint64_t *chunk_before(uint32_t chunk)
{
	return ((struct pe_trace_chunk *)(void *)pe_calls_node(chunk))->reserved;
}

static bool add_chunk(struct pe_calls_tree *tree)
{
	uint32_t pages = tree->pages == 0           ? FIRST_PAGES
			 : tree->pages < MOST_PAGES ? tree->pages * 2
						    : MOST_PAGES;
	uint32_t chunk = pe_calls_chunk(PE_TRACE_NODES, pages);

	if (chunk == 0)
		return false;
	*chunk_before(chunk) = tree->chunk;
	tree->pages = pages;
	tree->next = chunk + 1;
	tree->end = chunk + pages * (PE_TRACE_PAGE / PE_TRACE_SLOT);
	__atomic_store_n(&tree->chunk, chunk, __ATOMIC_RELEASE);
	return true;
}

static struct pe_trace_node *add_node(struct pe_calls_tree *tree, uint64_t function, uint64_t site,
				      uint32_t parent)
{
	struct pe_trace_node *node;

	if (tree->next >= tree->end && !add_chunk(tree))
		return NULL;
	node = pe_calls_node(tree->next++);
	node->function = function;
	node->site = site;
	node->parent = parent;
	return node;
}

static void publish(struct pe_trace_node *node, uint32_t state)
{
	__atomic_store_n(&node->state, PE_TRACE_NODE_USED | state, __ATOMIC_RELEASE);
}

static bool begin_tree(struct pe_calls_tree *tree)
{
	struct pe_trace_node *root;

	if (tree->root != 0)
		return true;
	root = add_node(tree, 0, 0, 0);
	if (root == NULL)
		return false;
	publish(root, PE_TRACE_NODE_ROOT);
	tree->root = pe_calls_number(root);
	return true;
}

struct pe_calls_tree *pe_calls_tree_take(void)
{
	struct pe_calls_tree *at = __atomic_load_n(&trees, __ATOMIC_ACQUIRE);

	if (at == NULL) {
		struct pe_calls_tree *fresh = pe_calls_map(MOST_TREES * sizeof(*fresh));

		if (fresh == NULL)
			return NULL;
		if (__atomic_compare_exchange_n(&trees, &at, fresh, 0, __ATOMIC_ACQ_REL,
						__ATOMIC_ACQUIRE))
			at = fresh;
		else
			munmap(fresh, MOST_TREES * sizeof(*fresh));
	}
	for (uint32_t i = 0; i < MOST_TREES; i++) {
		uint32_t free_one = 0, n = __atomic_load_n(&n_trees, __ATOMIC_RELAXED);

		if (at[i].taken != 0 ||
		    !__atomic_compare_exchange_n(&at[i].taken, &free_one, 1, 0, __ATOMIC_ACQUIRE,
						 __ATOMIC_RELAXED))
			continue;
		while (n <= i && !__atomic_compare_exchange_n(&n_trees, &n, i + 1, 1,
							      __ATOMIC_RELEASE, __ATOMIC_RELAXED))
			;
		/* A tree that was left has both already, and they are as good as before. */
		if (at[i].recent == NULL)
			at[i].recent = pe_calls_map(RECENT_BYTES);
		return at[i].recent != NULL && begin_tree(&at[i]) ? &at[i] : NULL;
	}
	return NULL;
}

void pe_calls_tree_leave(struct pe_calls_tree *tree)
{
	__atomic_store_n(&tree->taken, 0, __ATOMIC_RELEASE);
}

void pe_calls_trees_forget(void)
{
	for (uint32_t i = 0; i < n_trees; i++) {
		if (trees[i].recent != NULL)
			munmap(trees[i].recent, RECENT_BYTES);
		if (trees[i].table != NULL)
			munmap(trees[i].table, trees[i].table_size * sizeof(*trees[i].table));
		trees[i] = (struct pe_calls_tree){0};
	}
	n_trees = 0;
}

static uint32_t *find_slot(const struct pe_calls_tree *tree, uint32_t parent, uint64_t function,
			   uint64_t site)
{
	uint64_t hash = (function ^ site << 24 ^ (uint64_t)parent << 40 ^ parent) *
			UINT64_C(0x9e3779b97f4a7c15);
	uint32_t mask = tree->table_size - 1;

	for (uint32_t at = (uint32_t)(hash >> 32) & mask;; at = (at + 1) & mask) {
		const struct pe_trace_node *node;

		if (tree->table[at] == 0)
			return &tree->table[at];
		node = pe_calls_node(tree->table[at]);
		if (node->function == function && node->site == site && node->parent == parent)
			return &tree->table[at];
	}
}

/* Room for one more, at most half full. */
static bool grow_table(struct pe_calls_tree *tree)
{
	struct pe_calls_tree grown = *tree;

	if (tree->table_used < tree->table_size / 2)
		return true;
	grown.table_size = tree->table_size != 0 ? 2 * tree->table_size : FIRST_TABLE;
	grown.table = pe_calls_map(grown.table_size * sizeof(*grown.table));
	if (grown.table == NULL)
		return false;
	for (uint32_t i = 0; i < tree->table_size; i++) {
		const struct pe_trace_node *node = pe_calls_node(tree->table[i]);

		/* Those of unloaded modules have other keys by now, and are left out. */
		if (tree->table[i] != 0)
			*find_slot(&grown, node->parent, node->function, node->site) =
				tree->table[i];
	}
	if (tree->table != NULL)
		munmap(tree->table, tree->table_size * sizeof(*tree->table));
	tree->table = grown.table;
	tree->table_size = grown.table_size;
	return true;
}

static bool put(struct pe_calls_tree *tree, const struct pe_trace_node *node)
{
	if (!grow_table(tree))
		return false;
	*find_slot(tree, node->parent, node->function, node->site) = pe_calls_number(node);
	tree->table_used++;
	return true;
}

static struct pe_trace_node *find_in_table(const struct pe_calls_tree *tree, uint32_t parent,
					   uint64_t function, uint64_t site)
{
	uint32_t number = tree->table != NULL ? *find_slot(tree, parent, function, site) : 0;

	return number != 0 ? pe_calls_node(number) : NULL;
}

static struct pe_trace_node *find_in_list(struct pe_trace_node *parent, uint64_t function,
					  uint64_t site)
{
	struct pe_trace_node *before = NULL;
	uint32_t place = 0;

	for (uint32_t at = parent->first; at != 0; place++) {
		struct pe_trace_node *node = pe_calls_node(at);

		if (node->function == function && node->site == site) {
			/* Two that take turns stay where they are. */
			if (place >= 2) {
				before->next = node->next;
				node->next = parent->first;
				__atomic_store_n(&parent->first, at, __ATOMIC_RELEASE);
			}
			return node;
		}
		before = node;
		at = node->next;
	}
	return NULL;
}

/* The node on the path that a recursive call is folded to. */
static struct pe_trace_node *find_above(struct pe_trace_node *from, uint64_t function,
					uint64_t site)
{
	while (from->function != 0) {
		if (from->function == function && from->site == site)
			return from;
		from = pe_calls_node(from->parent);
	}
	return NULL;
}

static bool tabulate(struct pe_calls_tree *tree, struct pe_trace_node *parent)
{
	for (uint32_t at = parent->first; at != 0; at = pe_calls_node(at)->next)
		if (!put(tree, pe_calls_node(at)))
			return false;
	parent->state |= PE_TRACE_NODE_MANY;
	return true;
}

static bool link_child(struct pe_calls_tree *tree, struct pe_trace_node *parent,
		       struct pe_trace_node *node)
{
	node->next = parent->first;
	__atomic_store_n(&parent->first, pe_calls_number(node), __ATOMIC_RELEASE);
	if ((parent->state & PE_TRACE_NODE_MANY) != 0)
		return put(tree, node);
	parent->state++;
	return (parent->state & PE_TRACE_NODE_CHILDREN) <= LIST_CHILDREN || tabulate(tree, parent);
}

static struct pe_trace_node *make_child(struct pe_calls_thread *thread,
					struct pe_trace_node *parent, uint64_t function,
					uint64_t site)
{
	struct pe_trace_node *above = find_above(parent, function, site);
	struct pe_trace_node *node;

	node = add_node(thread->tree, function, site, pe_calls_number(parent));
	if (node == NULL)
		return NULL;
	pe_calls_module_of(function);
	pe_calls_module_of(site);
	if (above != NULL) {
		node->first = pe_calls_number(above);
		above->state |= PE_TRACE_NODE_FOLDED;
	}
	publish(node, above != NULL ? PE_TRACE_NODE_ALIAS : 0);
	if (parent == thread->foreign ? !put(thread->tree, node)
				      : !link_child(thread->tree, parent, node))
		return NULL;
	return node;
}

/* Another thread may clear it at any time (forget_recent), which costs a search and no more. */
static void remember(struct pe_calls_tree *tree, const struct pe_trace_node *parent,
		     uint64_t function, uint64_t site, struct pe_trace_node *node)
{
	struct pe_calls_recent *recent = pe_calls_recent(tree->recent, parent, function, site);

	__atomic_store_n(&recent->parent, NULL, __ATOMIC_RELEASE);
	recent->function = function;
	recent->site = site;
	recent->node = node;
	__atomic_store_n(&recent->parent, parent, __ATOMIC_RELEASE);
}

struct pe_trace_node *pe_calls_child(struct pe_calls_thread *thread, struct pe_trace_node *parent,
				     uint64_t function, uint64_t site)
{
	struct pe_trace_node *node;

	if (parent == thread->foreign || (parent->state & PE_TRACE_NODE_MANY) != 0)
		node = find_in_table(thread->tree, pe_calls_number(parent), function, site);
	else
		node = find_in_list(parent, function, site);
	if (node == NULL) {
		int error = errno;

		node = make_child(thread, parent, function, site);
		errno = error;
	}
	if (node != NULL && (node->state & PE_TRACE_NODE_ALIAS) != 0)
		node = pe_calls_node(node->first);
	if (node != NULL)
		remember(thread->tree, parent, function, site, node);
	return node;
}

static void retire(uint64_t *address, uint64_t start, uint64_t end, uint32_t module)
{
	/* Marked ones are above all addresses. */
	if (*address >= start && *address < end)
		*address |= (uint64_t)module << PE_TRACE_MODULE_SHIFT;
}

static void forget_recent(struct pe_calls_tree *tree, uint64_t start, uint64_t end)
{
	for (uint32_t i = 0; tree->recent != NULL && i < N_RECENT; i++) {
		struct pe_calls_recent *recent = &tree->recent[i];

		if ((recent->function >= start && recent->function < end) ||
		    (recent->site >= start && recent->site < end))
			__atomic_store_n(&recent->parent, NULL, __ATOMIC_RELEASE);
	}
}

void pe_calls_retire(uint64_t start, uint64_t end, uint32_t module)
{
	uint32_t n = __atomic_load_n(&n_trees, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < n; i++) {
		uint32_t chunk = __atomic_load_n(&trees[i].chunk, __ATOMIC_ACQUIRE);

		forget_recent(&trees[i], start, end);
		while (chunk != 0) {
			const struct pe_trace_chunk *head =
				(const void *)(const char *)pe_calls_node(chunk);
			uint32_t stop = chunk + head->pages * (PE_TRACE_PAGE / PE_TRACE_SLOT);

			for (uint32_t at = chunk + 1; at < stop; at++) {
				struct pe_trace_node *node = pe_calls_node(at);

				retire(&node->function, start, end, module);
				retire(&node->site, start, end, module);
			}
			chunk = (uint32_t)*chunk_before(chunk);
		}
	}
}
