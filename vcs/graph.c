#include "vcs/graph.h"

#include "core/base/search.h"

#include <string.h>

void pe_graph_release(struct pe_graph *graph)
{
	pe_vec_release(&graph->nodes);
	pe_vec_release(&graph->parents);
	pe_vec_release(&graph->queue);
	pe_hash_index_release(&graph->index);
}

/* Newest first; of two equally old ones the one that was found first, so that the order is stable. */
static bool before(const struct pe_graph *graph, size_t a, size_t b)
{
	int64_t ta = graph->nodes.data[a].time_s, tb = graph->nodes.data[b].time_s;

	return ta != tb ? ta > tb : a < b;
}

/* Queued nodes are sorted, with the next one at the end: parents are older than most of what waits. */
static void enqueue(struct pe_graph *graph, size_t node)
{
	size_t at = 0, *queue;

	pe_search(at, graph->queue.n, i, before(graph, node, graph->queue.data[i]));
	pe_vec_push(&graph->queue, node);
	queue = graph->queue.data;
	memmove(queue + at + 1, queue + at, (graph->queue.n - 1 - at) * sizeof(*queue));
	queue[at] = node;
}

static size_t dequeue(struct pe_graph *graph)
{
	return graph->queue.data[--graph->queue.n];
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
			graph->visible_in_queue--;
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
	graph->visible_in_queue++;
	enqueue(graph, found);
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

/* Learn the parents of a node; those never seen before enter the queue. */
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
			return pe_vcs_fail(err, GIT_ERROR, "cannot read parent %u of %s", i + 1,
					   git_oid_tostr_s(git_commit_id(commit)));
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

static bool passes(const struct pe_graph *graph, const struct pe_graph_node *node,
		   const struct pe_graph_filter *filter)
{
	return (!filter->tips_only || node->wanted) &&
	       (filter->since_s == 0 || node->time_s >= filter->since_s) &&
	       (filter->until_s == 0 || node->time_s <= filter->until_s) &&
	       (!filter->tags || pe_vcs_has_tag(graph->repo, &node->id));
}

/* Whether the commit just read brings something that is asked for. */
static bool is_needed(const struct pe_graph *graph, const struct pe_graph_node *node,
		      const struct pe_graph_filter *filter, size_t counted, size_t wanted)
{
	if (graph->visible_in_queue == 0)
		return false;
	if (filter->tips_only)
		return wanted > 0;
	if (filter->last != 0 && counted > filter->last)
		return false;
	return filter->since_s == 0 || node->time_s >= filter->since_s;
}

int pe_graph_load(struct pe_graph *graph, const struct pe_graph_filter *filter, struct pe_err *err)
{
	size_t slack = 0, counted = 0, wanted = 0;

	for (size_t i = 0; i < graph->nodes.n; i++)
		wanted += graph->nodes.data[i].wanted;
	while (graph->queue.n != 0 && slack < PE_GRAPH_SLACK) {
		const size_t at = dequeue(graph);
		const bool hidden = graph->nodes.data[at].hidden;
		const struct pe_graph_node *node;

		graph->visible_in_queue -= !hidden;
		PE_TRY(read_node(graph, at, err));
		node = &graph->nodes.data[at];
		for (unsigned i = 0; hidden && i < node->n_parents; i++)
			hide(graph, graph->parents.data[node->first_parent + i]);
		wanted -= node->wanted;
		counted += !hidden && passes(graph, node, filter);
		slack = is_needed(graph, node, filter, counted, wanted) ? 0 : slack + 1;
	}
	return PE_OK;
}

/* All that were read and are visible. */
static pe_graph_nodes put_in_order(struct pe_graph *graph)
{
	pe_graph_nodes out = {NULL, 0, 0};

	graph->queue.n = 0;
	for (size_t i = 0; i < graph->nodes.n; i++) {
		const struct pe_graph_node *node = &graph->nodes.data[i];

		for (unsigned p = 0; node->read && !node->hidden && p < node->n_parents; p++)
			graph->nodes.data[graph->parents.data[node->first_parent + p]].children++;
	}
	for (size_t i = 0; i < graph->nodes.n; i++) {
		const struct pe_graph_node *node = &graph->nodes.data[i];

		if (node->read && !node->hidden && node->children == 0)
			enqueue(graph, i);
	}
	while (graph->queue.n != 0) {
		const size_t at = dequeue(graph);
		const struct pe_graph_node *node = &graph->nodes.data[at];

		pe_vec_push(&out, at);
		for (unsigned p = 0; p < node->n_parents; p++) {
			size_t parent = graph->parents.data[node->first_parent + p];
			struct pe_graph_node *other = &graph->nodes.data[parent];

			if (--other->children == 0 && other->read && !other->hidden)
				enqueue(graph, parent);
		}
	}
	return out;
}

int pe_graph_choose(pe_graph_nodes *out, struct pe_graph *graph,
		    const struct pe_graph_filter *filter, struct pe_err *err)
{
	const size_t most = filter->last != 0 ? filter->last : SIZE_MAX;
	size_t n = 0;

	PE_TRY(pe_graph_load(graph, filter, err));
	*out = put_in_order(graph);
	for (size_t i = 0; i < out->n && n < most; i++)
		if (passes(graph, &graph->nodes.data[out->data[i]], filter))
			out->data[n++] = out->data[i];
	out->n = n;
	return PE_OK;
}

const struct pe_graph_node *pe_graph_find(const struct pe_graph *graph, const git_oid *id)
{
	const uint32_t found = find(graph, id);

	return found != PE_HASH_FREE ? &graph->nodes.data[found] : NULL;
}
