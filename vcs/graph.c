#include "vcs/graph.h"

#include <string.h>

void pe_graph_release(struct pe_graph *graph)
{
	pe_vec_release(&graph->nodes);
	pe_vec_release(&graph->parents);
	pe_vec_release(&graph->heap);
	pe_hash_index_release(&graph->index);
}

/* Newest first; of two equally old ones the one that was found first, so that the order is stable. */
static bool before(const struct pe_graph *graph, size_t a, size_t b)
{
	int64_t ta = graph->nodes.data[a].time_s, tb = graph->nodes.data[b].time_s;

	return ta != tb ? ta > tb : a < b;
}

static void heap_push(struct pe_graph *graph, size_t node)
{
	size_t at = graph->heap.n;
	size_t *heap;

	pe_vec_push(&graph->heap, node);
	heap = graph->heap.data;
	while (at > 0 && before(graph, node, heap[(at - 1) / 2])) {
		heap[at] = heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	heap[at] = node;
}

static size_t heap_pop(struct pe_graph *graph)
{
	size_t *heap = graph->heap.data;
	size_t top = heap[0], last = heap[--graph->heap.n], n = graph->heap.n, at = 0;

	for (;;) {
		size_t child = 2 * at + 1;

		if (child + 1 < n && before(graph, heap[child + 1], heap[child]))
			child++;
		if (child >= n || !before(graph, heap[child], last))
			break;
		heap[at] = heap[child];
		at = child;
	}
	if (n != 0)
		heap[at] = last;
	return top;
}

/* An id is its own hash. */
static uint32_t hash_of(const git_oid *id)
{
	uint32_t hash;

	memcpy(&hash, id->id, sizeof(hash));
	return hash;
}

/* The node of an id; PE_HASH_FREE: none. */
static uint32_t find(const struct pe_graph *graph, const git_oid *id)
{
	const uint32_t hash = hash_of(id);

	for (struct pe_hash_slot *slot = NULL;
	     (slot = pe_hash_index_next(&graph->index, hash, slot)) != NULL;)
		if (git_oid_equal(&graph->nodes.data[slot->row].id, id))
			return slot->row;
	return PE_HASH_FREE;
}

/* Hide a commit and what is known of its ancestors. */
static void hide(struct pe_graph *graph, size_t start)
{
	PE_VEC(size_t) stack = {NULL, 0, 0};

	pe_vec_push(&stack, start);
	while (stack.n != 0) {
		struct pe_graph_node *node = &graph->nodes.data[stack.data[--stack.n]];

		if (node->hidden)
			continue;
		node->hidden = true;
		if (!node->read)
			graph->visible_in_heap--;
		for (unsigned i = 0; node->read && i < node->n_parents; i++)
			pe_vec_push(&stack, graph->parents.data[node->first_parent + i]);
	}
	pe_vec_release(&stack);
}

static size_t intern(struct pe_graph *graph, git_commit *commit)
{
	const git_oid *id = git_commit_id(commit);
	struct pe_graph_node node = {.time_s = git_commit_time(commit)};
	uint32_t found = find(graph, id);

	if (found != PE_HASH_FREE)
		return found;
	found = (uint32_t)graph->nodes.n;
	git_oid_cpy(&node.id, id);
	pe_hash_index_add(&graph->index, hash_of(id), found);
	pe_vec_push(&graph->nodes, node);
	graph->visible_in_heap++;
	heap_push(graph, found);
	return found;
}

void pe_graph_add(struct pe_graph *graph, git_commit *commit, bool hidden)
{
	size_t node = intern(graph, commit);

	if (hidden)
		hide(graph, node);
	else
		graph->nodes.data[node].wanted = true;
}

int pe_graph_add_spec(struct pe_graph *graph, const char *spec, bool hidden, struct pe_err *err)
{
	pe_auto_commit *commit = NULL;

	PE_TRY(pe_vcs_commit(&commit, graph->repo, spec, err));
	pe_graph_add(graph, commit, hidden);
	return PE_OK;
}

bool pe_graph_add_id(struct pe_graph *graph, const git_oid *id, bool hidden)
{
	pe_auto_object *object = NULL, *commit = NULL;

	if (git_object_lookup(&object, graph->repo->git, id, GIT_OBJECT_ANY) != 0 ||
	    git_object_peel(&commit, object, GIT_OBJECT_COMMIT) != 0)
		return false;
	pe_graph_add(graph, (git_commit *)commit, hidden);
	return true;
}

int pe_graph_add_range(struct pe_graph *graph, const char *spec, struct pe_err *err)
{
	pe_auto_free char *from = pe_vcs_strdup(spec != NULL ? spec : "HEAD");
	char *dots = strstr(from, "..");

	if (dots == NULL)
		return pe_graph_add_spec(graph, from, false, err);
	if (dots[2] == '.')
		return pe_fail(err, PE_EINVALID,
			       "'%s' is a symmetric difference, which has no order; write A..B",
			       spec);
	*dots = '\0';
	PE_TRY(pe_graph_add_spec(graph, from[0] != '\0' ? from : "HEAD", true, err));
	return pe_graph_add_spec(graph, dots[2] != '\0' ? dots + 2 : "HEAD", false, err);
}

/* Learn the parents of a node; those never seen before enter the heap. */
static int read_node(struct pe_graph *graph, size_t at, struct pe_err *err)
{
	pe_auto_commit *commit = NULL;
	unsigned n;

	if (git_commit_lookup(&commit, graph->repo->git, &graph->nodes.data[at].id) < 0)
		return pe_vcs_fail(err, GIT_ERROR, "cannot read a commit");
	n = git_commit_parentcount(commit);
	if (pe_vcs_is_shallow_end(graph->repo, git_commit_id(commit))) {
		if (!graph->nodes.data[at].hidden &&
		    (!graph->cut_short || git_commit_time(commit) > graph->cut_s))
			graph->cut_s = git_commit_time(commit);
		graph->cut_short |= !graph->nodes.data[at].hidden;
		n = 0;
	}
	if (graph->first_parents && !graph->nodes.data[at].hidden && n > 1)
		n = 1;
	graph->nodes.data[at].first_parent = graph->parents.n;
	for (unsigned i = 0; i < n; i++) {
		const git_oid *id = git_commit_parent_id(commit, i);
		pe_auto_commit *parent = NULL;
		size_t known = find(graph, id);

		if (known == PE_HASH_FREE && pe_vcs_commit_readable(&parent, graph->repo, id) < 0)
			return pe_vcs_fail_parent(err, commit, i);
		if (parent != NULL) {
			known = intern(graph, parent);
			graph->nodes.data[at].skips |= !git_oid_equal(git_commit_id(parent), id);
		}
		if (known != PE_HASH_FREE)
			pe_vec_push(&graph->parents, known);
	}
	graph->nodes.data[at].n_parents =
		(unsigned)(graph->parents.n - graph->nodes.data[at].first_parent);
	graph->nodes.data[at].read = true;
	return PE_OK;
}

/* Whether the commit just read brings something that the bounds ask for. */
static bool is_needed(const struct pe_graph *graph, const struct pe_graph_node *node,
		      const struct pe_graph_bounds *bounds, size_t counted, size_t wanted)
{
	if (graph->visible_in_heap == 0)
		return false;
	if (bounds->tips_only && wanted == 0)
		return false;
	if (bounds->last != 0 && counted > bounds->last)
		return false;
	return bounds->since_s == 0 || node->time_s >= bounds->since_s;
}

int pe_graph_load(struct pe_graph *graph, const struct pe_graph_bounds *bounds, struct pe_err *err)
{
	size_t slack = 0, counted = 0, wanted = 0;

	for (size_t i = 0; i < graph->nodes.n; i++)
		wanted += graph->nodes.data[i].wanted;
	while (graph->heap.n != 0 && slack < PE_GRAPH_SLACK) {
		size_t at = heap_pop(graph);
		const struct pe_graph_node *node;
		bool hidden = graph->nodes.data[at].hidden;
		int rc;

		graph->visible_in_heap -= !hidden;
		rc = read_node(graph, at, err);
		if (rc != 0)
			return rc;
		node = &graph->nodes.data[at];
		for (unsigned i = 0; hidden && i < node->n_parents; i++)
			hide(graph, graph->parents.data[node->first_parent + i]);
		wanted -= node->wanted;
		if (!hidden && bounds->counts != NULL)
			counted += bounds->counts(&node->id, node->time_s, bounds->payload);
		slack = is_needed(graph, node, bounds, counted, wanted) ? 0 : slack + 1;
	}
	return 0;
}

oid_vec pe_graph_order(struct pe_graph *graph)
{
	oid_vec order = {NULL, 0, 0};

	graph->heap.n = 0;
	for (size_t i = 0; i < graph->nodes.n; i++) {
		struct pe_graph_node *node = &graph->nodes.data[i];

		for (unsigned p = 0; node->read && !node->hidden && p < node->n_parents; p++)
			graph->nodes.data[graph->parents.data[node->first_parent + p]].children++;
	}
	for (size_t i = 0; i < graph->nodes.n; i++) {
		const struct pe_graph_node *node = &graph->nodes.data[i];

		if (node->read && !node->hidden && node->children == 0)
			heap_push(graph, i);
	}
	while (graph->heap.n != 0) {
		const struct pe_graph_node *node = &graph->nodes.data[heap_pop(graph)];

		pe_vec_push(&order, node->id);
		for (unsigned p = 0; p < node->n_parents; p++) {
			size_t parent = graph->parents.data[node->first_parent + p];
			struct pe_graph_node *other = &graph->nodes.data[parent];

			if (--other->children == 0 && other->read && !other->hidden)
				heap_push(graph, parent);
		}
	}
	return order;
}

const struct pe_graph_node *pe_graph_find(const struct pe_graph *graph, const git_oid *id)
{
	const uint32_t found = find(graph, id);

	return found != PE_HASH_FREE ? &graph->nodes.data[found] : NULL;
}
