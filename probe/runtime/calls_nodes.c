/*
 * The tree. The node of a call is the one of the last time (struct pe_calls_recent), or looked up in the tree's
 * table of all nodes by parent, function and site.
 *
 * Recursion is folded: a call whose function and site are on the path already leads back to their node
 * there. The result of that search is kept as an alias among the children.
 */
#include "probe/runtime/calls.h"

#include <errno.h>
#include <sys/mman.h>

enum {
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

static bool add_chunk(struct pe_calls_tree *tree)
{
	uint32_t pages = tree->pages == 0           ? FIRST_PAGES
			 : tree->pages < MOST_PAGES ? tree->pages * 2
						    : MOST_PAGES;
	uint32_t chunk = pe_calls_chunk(PE_TRACE_NODES, pages);

	if (chunk == 0)
		return false;
	tree->pages = pages;
	tree->next = chunk + 1;
	tree->end = chunk + pages * (PE_TRACE_PAGE / PE_TRACE_SLOT);
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

static struct pe_trace_node *make_child(struct pe_calls_tree *tree, struct pe_trace_node *parent,
					uint64_t function, uint64_t site)
{
	struct pe_trace_node *above = find_above(parent, function, site);
	struct pe_trace_node *node;

	node = add_node(tree, function, site, pe_calls_number(parent));
	if (node == NULL)
		return NULL;
	pe_calls_module_of(function);
	pe_calls_module_of(site);
	if (above != NULL) {
		node->target = pe_calls_number(above);
		above->state |= PE_TRACE_NODE_FOLDED;
	}
	publish(node, above != NULL ? PE_TRACE_NODE_ALIAS : 0);
	return put(tree, node) ? node : NULL;
}

struct pe_trace_node *pe_calls_child(struct pe_calls_tree *tree, struct pe_trace_node *parent,
				     uint64_t function, uint64_t site)
{
	uint32_t number =
		tree->table != NULL ? *find_slot(tree, pe_calls_number(parent), function, site) : 0;
	struct pe_trace_node *node;

	if (number != 0) {
		node = pe_calls_node(number);
	} else {
		int error = errno;

		node = make_child(tree, parent, function, site);
		errno = error;
	}
	if (node != NULL && (node->state & PE_TRACE_NODE_ALIAS) != 0)
		node = pe_calls_node(node->target);
	if (node != NULL)
		*pe_calls_recent(tree->recent, parent, function, site) =
			(struct pe_calls_recent){parent, function, site, node};
	return node;
}
