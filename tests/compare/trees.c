#include "trees.h"

#include "tests/support/test.h"

#include <ctype.h>

static uint64_t number(const char **at)
{
	char *end;
	uint64_t value = strtoull(*at, &end, 10);

	cr_assert_neq(*at, end, "a number is missing before '%s'", *at);
	*at = end;
	return value;
}

static void parse_node(struct sketch *sketch, struct pe_frames *frames, uint32_t parent,
		       const char **at)
{
	struct sketch_node *node = &sketch->at[sketch->n];
	char name[64];
	size_t n = 0;

	cr_assert_lt(sketch->n, SKETCH_NODES);
	while (isalnum((unsigned char)**at) || **at == '_' || **at == '(' || **at == ')') {
		cr_assert_lt(n, sizeof(name) - 1);
		name[n++] = *(*at)++;
	}
	cr_assert_gt(n, 0, "a name is missing before '%s'", *at);
	name[n] = '\0';
	*node = (struct sketch_node){.parent = parent, .order = sketch->n, .calls = 1};
	node->frame = pe_frames_add_method(frames, name, "x.c");
	for (;;) {
		switch (**at) {
		case '@':
			++*at;
			node->site = (uint32_t)number(at);
			continue;
		case '*':
			++*at;
			node->calls = number(at);
			continue;
		case ':':
			++*at;
			node->self_ns = number(at);
			continue;
		case '!':
			++*at;
			node->allocations = number(at);
			continue;
		}
		break;
	}
	sketch->n++;
}

struct sketch sketch_parse(struct pe_frames *frames, const char *text)
{
	struct sketch sketch = {0};
	uint32_t parent = PE_CCT_NONE;

	while (*text != '\0') {
		if (*text == ' ') {
			text++;
		} else if (*text == '{') {
			parent = sketch.n - 1;
			text++;
		} else if (*text == '}') {
			cr_assert_neq(parent, PE_CCT_NONE, "one '}' too many");
			parent = sketch.at[parent].parent;
			text++;
		} else {
			parse_node(&sketch, frames, parent, &text);
		}
	}
	return sketch;
}

struct sketch sketch_random(struct pe_frames *frames, struct pe_random *random, uint32_t n,
			    uint32_t names, uint32_t sites)
{
	struct sketch sketch = {.n = n};

	for (uint32_t i = 0; i < n; i++) {
		char name[2] = {(char)('a' + pe_random_below(random, names)), '\0'};

		sketch.at[i] = (struct sketch_node){
			.parent = i == 0 ? PE_CCT_NONE : (uint32_t)pe_random_below(random, i),
			.frame = pe_frames_add_method(frames, i == 0 ? "root" : name, "x.c"),
			.site = sites > 0 ? (uint32_t)pe_random_below(random, sites) : 0,
			.order = i,
			.calls = 1 + pe_random_below(random, 4),
			.self_ns = pe_random_below(random, 100),
			.allocations = pe_random_below(random, 3),
		};
		if (i == 0)
			sketch.at[i].site = 0;
	}
	return sketch;
}

static void lay_out(const struct sketch *sketch, struct pe_cct *cct, uint32_t node, uint32_t parent,
		    uint32_t *next, uint32_t *where)
{
	const struct sketch_node *from = &sketch->at[node];
	uint32_t at = (*next)++;
	double last = -1e300;

	where[node] = at;
	cct->nodes[at] =
		(struct pe_cct_node){.parent = parent, .frame = from->frame, .site = from->site};
	if (cct->calls != NULL)
		cct->calls[at] = from->calls;
	if (cct->self_ns != NULL)
		cct->self_ns[at] = from->self_ns;
	if (cct->allocations != NULL) {
		cct->allocations[at] = from->allocations;
		cct->allocated_bytes[at] = 16 * from->allocations;
	}
	for (;;) {
		uint32_t best = PE_CCT_NONE;

		for (uint32_t i = 0; i < sketch->n; i++)
			if (sketch->at[i].parent == node && i != node &&
			    sketch->at[i].order > last &&
			    (best == PE_CCT_NONE || sketch->at[i].order < sketch->at[best].order))
				best = i;
		if (best == PE_CCT_NONE)
			break;
		last = sketch->at[best].order;
		lay_out(sketch, cct, best, at, next, where);
	}
	cct->nodes[at].end = *next;
}

struct pe_cct *sketch_tree(const struct sketch *sketch, struct pe_frames *frames, unsigned known,
			   uint32_t *where, struct pe_arena *arena)
{
	struct pe_cct *cct = pe_cct_new(frames, sketch->n, known, arena);
	uint32_t places[SKETCH_NODES], next = 0;
	struct pe_err err = PE_ERR_INIT;

	lay_out(sketch, cct, 0, PE_CCT_NONE, &next, where != NULL ? where : places);
	pe_cct_sum(cct);
	cct->facts.source = "test";
	if (cct->total_ns != NULL)
		cct->facts.duration_ns = cct->total_ns[0];
	cr_assert_ok(pe_cct_check(cct, &err), err.message);
	return cct;
}

struct pe_cct *tree(struct pe_frames *frames, const char *text, struct pe_arena *arena)
{
	struct sketch sketch = sketch_parse(frames, text);

	return sketch_tree(&sketch, frames,
			   PE_CCT_CALLS | PE_CCT_TIME | PE_CCT_ALLOCATIONS | PE_CCT_SITES, NULL,
			   arena);
}

const char *tree_path(const struct pe_cct *cct, uint32_t node, struct pe_arena *arena)
{
	const char *path = "";

	for (; node != PE_CCT_NONE; node = cct->nodes[node].parent)
		path = pe_arena_printf(arena, "/%s%s", pe_cct_frame(cct, node)->name, path);
	return path;
}

uint32_t tree_find(const struct pe_cct *cct, const char *path)
{
	struct pe_arena arena = PE_ARENA_INIT;
	uint32_t found = PE_CCT_NONE;

	for (uint32_t i = 0; i < cct->n && found == PE_CCT_NONE; i++)
		if (strcmp(tree_path(cct, i, &arena), path) == 0)
			found = i;
	pe_arena_release(&arena);
	cr_assert_neq(found, PE_CCT_NONE, "there is no %s", path);
	return found;
}
