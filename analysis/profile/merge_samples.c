/*
 * The walk: the sampled tree in preorder, each node placed relative to its parent's place, so that a path
 * of many samples is followed once.
 *
 *	struct place   the place of a node of the sampled tree in the counting tree
 *	struct walk    the state of the walk, and the result so far
 */
#include "analysis/profile/merge.h"

#include "core/base/vec.h"
#include "analysis/profile/merge_names.h"

#include <stdlib.h>
#include <string.h>

/* More than one node, of which none can be chosen. */
static const uint32_t SEVERAL = UINT32_MAX - 1;

struct place {
	uint32_t node; /* of the counting tree: the last one that was found */
	uint32_t
		aside; /* of the sampled tree: the innermost frame that was set aside since; PE_CCT_NONE */
	bool unanchored; /* below a cut: no method of the path has a place yet */
	bool apart; /* below a node of the sampled tree alone: a wait, or a process that a method started */
	bool passed; /* the call site is of a skipped frame */
};

struct walk {
	const struct pe_cct *counting, *samples;
	struct pe_merge_names names;
	uint32_t
		*folded; /* by node of the counting tree: the nearest folded one, itself or above */
	uint32_t *only;  /* by class: its only node; SEVERAL */
	struct place *places; /* by node of the sampled tree */
	uint32_t *made;    /* by node of the sampled tree: the result's node of a frame set aside */
	uint32_t *copy_of; /* by node of the counting tree: the result's */
	struct pe_cct_builder *builder;
	PE_VEC(uint32_t) pending;
	uint32_t runs; /* runs of the samples */
	struct pe_merge_stats stats;
};

static bool is_of(const struct walk *walk, uint32_t node, uint32_t class)
{
	return walk->names.class_of[walk->counting->nodes[node].frame] == class;
}

static uint32_t distance(uint32_t a, uint32_t b)
{
	return a > b ? a - b : b - a;
}

/*
 * Find the child of a node with a class, by call site, else the one with the nearest site, or without a site the
 * one called most; PE_CCT_NONE: none.
 *
 * @param site   0: unknown
 * @param exact  set to whether the call site agrees
 */
static uint32_t find_child(const struct walk *walk, uint32_t node, uint32_t class, uint32_t site,
			   bool *exact)
{
	const struct pe_cct *cct = walk->counting;
	uint32_t best = PE_CCT_NONE;

	*exact = false;
	for (uint32_t at = pe_cct_first(cct, node); at != PE_CCT_NONE; at = pe_cct_next(cct, at)) {
		const uint32_t line = cct->nodes[at].site;

		if (!is_of(walk, at, class))
			continue;
		if (line == site) {
			*exact = true;
			return at;
		}
		if (best == PE_CCT_NONE ||
		    (site != 0 ? distance(line, site) < distance(cct->nodes[best].site, site)
			       : cct->calls != NULL && cct->calls[at] > cct->calls[best]))
			best = at;
	}
	return best;
}

/* Find a class among the folded nodes from here to the root, nearest first; else as find_child(). */
static uint32_t find_folded(const struct walk *walk, uint32_t node, uint32_t class, uint32_t site,
			    bool *exact)
{
	const struct pe_cct_node *nodes = walk->counting->nodes;
	uint32_t nearest = PE_CCT_NONE;

	*exact = false;
	for (uint32_t at = walk->folded[node]; at != PE_CCT_NONE;
	     at = nodes[at].parent != PE_CCT_NONE ? walk->folded[nodes[at].parent] : PE_CCT_NONE) {
		if (!is_of(walk, at, class))
			continue;
		if (nodes[at].site == site) {
			*exact = true;
			return at;
		}
		if (nearest == PE_CCT_NONE ||
		    distance(nodes[at].site, site) < distance(nodes[nearest].site, site))
			nearest = at;
	}
	return nearest;
}

/* Find the only grandchild of a class; PE_CCT_NONE: none. */
static uint32_t find_grandchild(const struct walk *walk, uint32_t node, uint32_t class)
{
	const struct pe_cct *cct = walk->counting;
	uint32_t found = PE_CCT_NONE;

	for (uint32_t i = pe_cct_first(cct, node); i != PE_CCT_NONE; i = pe_cct_next(cct, i))
		for (uint32_t at = pe_cct_first(cct, i); at != PE_CCT_NONE;
		     at = pe_cct_next(cct, at)) {
			if (!is_of(walk, at, class))
				continue;
			if (found != PE_CCT_NONE)
				return PE_CCT_NONE;
			found = at;
		}
	return found;
}

/* Place a frame below a cut: at its method's only node, if the program has just one, else aside. */
static void anchor(const struct walk *walk, struct place *place, uint32_t class, uint32_t self)
{
	uint32_t only = walk->only[class];

	if (only < SEVERAL && only > place->node && only < walk->counting->nodes[place->node].end) {
		place->node = only;
		place->unanchored = false;
		place->aside = PE_CCT_NONE;
	} else {
		place->aside = self;
	}
}

/* Find the callee of a class: a child, or by recursion a folded node; PE_CCT_NONE: none. */
static uint32_t look(const struct walk *walk, uint32_t node, uint32_t class, uint32_t site,
		     bool *exact)
{
	bool exact_child, exact_folded;
	uint32_t child = find_child(walk, node, class, site, &exact_child);
	uint32_t folded = find_folded(walk, node, class, site, &exact_folded);

	*exact = exact_child || exact_folded;
	return (exact_folded && !exact_child) || child == PE_CCT_NONE ? folded : child;
}

/* Go one frame further from the place of its parent, for a method of the counting tree. */
static void step(const struct walk *walk, struct place *place, uint32_t class, uint32_t site,
		 uint32_t self)
{
	bool bridged = place->aside != PE_CCT_NONE;
	bool exact;
	uint32_t found = look(walk, place->node, class, site, &exact);

	/* The line is of a skipped frame: the counting build may have no call on it. */
	if (!exact && (place->passed || bridged))
		found = look(walk, place->node, class, 0, &exact);
	/* The method never called itself: the compiler split it in two (".part"). */
	if (found == PE_CCT_NONE && !bridged &&
	    walk->names.class_of[walk->counting->nodes[place->node].frame] == class) {
		place->passed = false;
		return;
	}
	if (found == PE_CCT_NONE && !bridged)
		found = find_grandchild(walk, place->node, class);
	place->passed = false;
	if (found == PE_CCT_NONE) {
		place->aside = self;
		return;
	}
	place->node = found;
	place->aside = PE_CCT_NONE;
}

/* Find the counted program that a method started: a child of the root. PE_CCT_NONE: it was not counted. */
static uint32_t find_program(const struct walk *walk, const struct pe_frame *frame)
{
	const struct pe_cct *counting = walk->counting;
	const char *child = pe_frame_program(frame);

	for (uint32_t i = child != NULL ? pe_cct_first(counting, 0) : PE_CCT_NONE; i != PE_CCT_NONE;
	     i = pe_cct_next(counting, i)) {
		const char *name = pe_cct_frame(counting, i)->name;
		const size_t n = strlen(name);

		if (strncmp(child, name, n) == 0 && strcmp(child + n, ")") == 0 &&
		    pe_cct_first(counting, i) != PE_CCT_NONE)
			return i;
	}
	return PE_CCT_NONE;
}

/* Place a wait, or a process below a method, as a node of its own, with all that is below, unless the process was counted. */
static bool place_apart(struct walk *walk, uint32_t i)
{
	const struct pe_cct_node *node = &walk->samples->nodes[i];
	const struct pe_frame *frame = pe_cct_frame(walk->samples, i);
	struct place *place = &walk->places[i];
	uint32_t program;

	if (frame->kind == PE_FRAME_PROCESS && node->parent != 0) {
		program = find_program(walk, frame);
		if (program != PE_CCT_NONE) {
			*place = (struct place){.node = program, .aside = PE_CCT_NONE};
			return true;
		}
	} else if (frame->kind != PE_FRAME_WAITING && !place->apart) {
		return false;
	}
	place->apart = true;
	place->aside = i;
	return true;
}

static void place_node(struct walk *walk, uint32_t i)
{
	const struct pe_cct_node *node = &walk->samples->nodes[i];
	struct place *place = &walk->places[i];
	uint32_t class = walk->names.class_of[node->frame];

	*place = walk->places[node->parent];
	if (place_apart(walk, i))
		return;
	if ((walk->samples->flags[i] & PE_CCT_CUT) != 0 &&
	    pe_cct_frame(walk->samples, i)->kind == PE_FRAME_UNKNOWN) {
		place->unanchored = true;
		place->aside = i;
	} else if (class == PE_MERGE_UNKNOWN) {
		place->passed = true;
	} else if (place->unanchored) {
		anchor(walk, place, class, i);
	} else {
		step(walk, place, class, node->site, i);
	}
}

/* The innermost frame outside this one that was set aside; PE_CCT_NONE: none. */
static uint32_t aside_before(const struct walk *walk, uint32_t i)
{
	return walk->places[walk->samples->nodes[i].parent].aside;
}

/* Make a child. Recursion among frames that were set aside is folded as well. */
static uint32_t make_child(struct walk *walk, uint32_t above, uint32_t base, uint32_t frame,
			   uint32_t site)
{
	const enum pe_frame_kind kind = walk->samples->frames->at[frame].kind;

	for (uint32_t at = above; at != base && kind == PE_FRAME_METHOD;
	     at = pe_cct_builder_node(walk->builder, at)->parent) {
		if (pe_cct_builder_node(walk->builder, at)->frame == frame) {
			pe_cct_builder_flag(walk->builder, at, PE_CCT_FOLDED);
			return at;
		}
		if (pe_cct_builder_is_process(walk->builder, at))
			break;
	}
	above = pe_cct_builder_child(walk->builder, above, frame, site);
	if (kind != PE_FRAME_PROCESS)
		pe_cct_builder_flag(walk->builder, above, PE_CCT_UNCOUNTED);
	return above;
}

/* Make nodes for the frames at the end of a stack that were set aside, outermost first. */
static uint32_t make_aside(struct walk *walk, uint32_t i)
{
	uint32_t base = walk->copy_of[walk->places[i].node];
	uint32_t above = base, at = walk->places[i].aside;

	walk->pending.n = 0;
	while (at != PE_CCT_NONE && walk->made[at] == PE_CCT_NONE) {
		pe_vec_push(&walk->pending, at);
		at = aside_before(walk, at);
	}
	if (at != PE_CCT_NONE)
		above = walk->made[at];
	while (walk->pending.n > 0) {
		const struct pe_cct_node *node;
		uint32_t class, frame;

		at = walk->pending.data[--walk->pending.n];
		node = &walk->samples->nodes[at];
		class = walk->names.class_of[node->frame];
		frame = class != PE_MERGE_UNKNOWN ? walk->names.frame_of[class] : node->frame;
		above = make_child(walk, above, base, frame, node->site);
		if (class == PE_MERGE_UNKNOWN && !walk->places[at].apart)
			pe_cct_builder_flag(walk->builder, above, PE_CCT_CUT);
		walk->made[at] = above;
	}
	return above;
}

static void give(struct walk *walk, uint32_t i)
{
	const struct place *place = &walk->places[i];
	const struct pe_cct *samples = walk->samples;
	const bool hung = i > 0 && samples->calls != NULL && samples->calls[i] > 0 &&
			  pe_cct_frame(samples, i)->kind == PE_FRAME_PROCESS && place->apart;
	uint64_t n = samples->samples[i], ns = samples->self_ns != NULL ? samples->self_ns[i] : 0;
	bool lost = place->aside != PE_CCT_NONE;
	struct pe_cct_values *values;
	uint32_t to;

	if (n == 0 && ns == 0 && !hung)
		return;
	to = lost ? make_aside(walk, i) : walk->copy_of[place->node];
	values = pe_cct_builder_at(walk->builder, to);
	values->samples += n;
	values->self_ns += ns;
	if (hung)
		values->calls += walk->runs > 0 ? (samples->calls[i] + walk->runs / 2) / walk->runs
						: samples->calls[i];
	walk->stats.samples += n;
	if (lost && !place->apart)
		walk->stats.lost += n;
}

static void walk_samples(struct walk *walk)
{
	const struct pe_cct *samples = walk->samples;

	for (uint32_t i = 0; i < samples->n; i++) {
		walk->made[i] = PE_CCT_NONE;
		if (i == 0)
			walk->places[i] = (struct place){.aside = PE_CCT_NONE};
		else
			place_node(walk, i);
		give(walk, i);
	}
}

/* Find the folded node above each node, and the only node of each class. */
static void find_nodes(struct walk *walk, struct pe_arena *arena)
{
	const struct pe_cct *cct = walk->counting;

	walk->folded = pe_arena_new(arena, uint32_t, cct->n);
	walk->only = pe_arena_new(arena, uint32_t, walk->names.n);
	for (uint32_t i = 0; i < walk->names.n; i++)
		walk->only[i] = PE_CCT_NONE;
	for (uint32_t i = 0; i < cct->n; i++) {
		uint32_t *only = &walk->only[walk->names.class_of[cct->nodes[i].frame]];

		*only = *only == PE_CCT_NONE ? i : SEVERAL;
		walk->folded[i] = (cct->flags[i] & PE_CCT_FOLDED) != 0 ? i
				  : i == 0                             ? PE_CCT_NONE
					   : walk->folded[cct->nodes[i].parent];
	}
}

/* Begin the result with the counting tree; samples that its run took are dropped. */
static void begin(struct walk *walk, struct pe_arena *arena)
{
	const struct pe_cct *counting = walk->counting;
	unsigned known = counting->known | PE_CCT_SAMPLES;

	walk->names = pe_merge_names_sort(counting, walk->samples, arena);
	find_nodes(walk, arena);
	walk->places = pe_realloc(NULL, walk->samples->n, sizeof(*walk->places));
	walk->made = pe_realloc(NULL, walk->samples->n, sizeof(*walk->made));
	walk->builder = pe_cct_builder_new(counting->frames, known);
	walk->copy_of = pe_cct_builder_copy(walk->builder, counting, arena);
	pe_cct_builder_vary_all(walk->builder, counting, walk->copy_of);
	for (uint32_t i = 0; i < counting->n; i++) {
		struct pe_cct_values *values = pe_cct_builder_at(walk->builder, walk->copy_of[i]);

		values->samples = values->self_ns = 0;
	}
}

struct pe_cct *pe_merge_samples(const struct pe_cct *counting, const struct pe_cct *samples,
				const struct pe_merge_opts *opts, struct pe_merge_stats *stats,
				struct pe_arena *arena)
{
	struct walk walk = {.counting = counting, .samples = samples, .runs = opts->runs};
	struct pe_cct_facts facts = counting->facts;
	pe_auto_arena scratch = PE_ARENA_INIT;

	begin(&walk, &scratch);
	walk_samples(&walk);
	facts.source = opts->source != NULL ? opts->source : "counting+samples";
	facts.samples = walk.stats.samples;
	facts.samples_lost = walk.stats.lost;
	facts.interval_ns = samples->facts.interval_ns;
	facts.duration_ns = pe_merge_duration(samples, opts, walk.stats.samples);
	if (walk.stats.samples != 0) {
		pe_cct_builder_know(walk.builder, PE_CCT_TIME);
		pe_merge_spread_time(walk.builder, samples, facts.duration_ns, opts);
	}
	if (stats != NULL)
		*stats = walk.stats;
	free(walk.places);
	free(walk.made);
	pe_vec_release(&walk.pending);
	return pe_cct_builder_finish(walk.builder, &facts, arena);
}
