/* Own cost: verdicts over random trees against the definition, worked out for each method and each pair of contexts. */
#include "compare/verdict.h"

#include "trees.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { NODES = 60, TREES = 400 };

static struct pe_frames frames;
static struct pe_arena arena;

static void release(void)
{
	pe_frames_release(&frames);
	pe_arena_release(&arena);
}

TestSuite(own, .fini = release, .timeout = 600);

/* Own cost of one method's calls from one caller, below one modified method: what it gained and from how much. */
struct part {
	uint32_t frame, caller, origin, contexts;
	double gained, was;
	bool apart;
};

/* What a verdict should say. */
struct expected {
	uint32_t n;
	struct part at[NODES];
};

struct pair {
	struct pe_runs olds, news;
	struct pe_match match;
	struct pe_delta delta;
	struct pe_changes changes;
	struct pe_verdict_report report;
};

static uint32_t touched_above(const struct pair *pair, uint32_t node)
{
	for (; node != PE_CCT_NONE; node = pair->delta.nodes[node].parent)
		if (pe_changes_touched(&pair->changes, pair->delta.nodes[node].frame))
			return pair->delta.nodes[node].frame;
	return PE_FRAME_NONE;
}

static struct part part_of(const struct pair *pair, uint32_t node)
{
	const struct pe_delta_node *at = &pair->delta.nodes[node];
	const struct pe_delta_values own = pe_delta_values(&pair->delta, node, PE_DELTA_SELF_NS);

	return (struct part){
		.frame = at->frame,
		.caller = node > 0 ? pair->delta.nodes[at->parent].frame : PE_FRAME_NONE,
		.origin = touched_above(pair, node),
		.contexts = 1,
		.gained = (double)pe_delta_difference(own),
		.was = (double)own.old_value,
	};
}

static void add(struct expected *parts, const struct part *part, bool by_caller)
{
	struct part *same = parts->at;

	while (same < parts->at + parts->n &&
	       (same->frame != part->frame || same->origin != part->origin ||
		same->apart != part->apart || (by_caller && same->caller != part->caller)))
		same++;
	if (same == parts->at + parts->n) {
		parts->at[parts->n++] = *part;
		return;
	}
	same->contexts += part->contexts;
	same->gained += part->gained;
	same->was += part->was;
}

/* The part's gain against that of all other own cost of the method, in proportion to what these were. */
static bool stands_apart(const struct pair *pair, const struct part *part)
{
	double gained = 0, was = 0;

	for (uint32_t i = 0; i < pair->delta.n; i++) {
		const struct part other = part_of(pair, i);

		/* Contexts of the part that did not change bear witness like any other. */
		if (other.frame == part->frame &&
		    (other.gained == 0 || other.caller != part->caller ||
		     other.origin != part->origin)) {
			gained += other.gained;
			was += other.was;
		}
	}
	return part->gained != 0 && was > 0 &&
	       fabs(part->gained - gained * (part->was / was)) > 0.5 * fabs(part->gained);
}

/* One cause for all that agree, one for those apart below each modified method. */
static struct expected expect(const struct pair *pair)
{
	struct expected parts = {0}, merged = {0};

	for (uint32_t i = 0; i < pair->delta.n; i++) {
		const struct part part = part_of(pair, i);

		if (part.gained != 0)
			add(&parts, &part, true);
	}
	for (uint32_t i = 0; i < parts.n; i++) {
		struct part part = parts.at[i];

		part.apart = stands_apart(pair, &part);
		part.origin = part.apart ? part.origin : PE_FRAME_NONE;
		add(&merged, &part, false);
	}
	return merged;
}

/* All other contexts of the method that cost anything. */
static uint32_t elsewhere(const struct pair *pair, const struct part *part)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < pair->delta.n; i++) {
		const struct part other = part_of(pair, i);

		n += other.frame == part->frame && (other.was > 0 || other.gained != 0);
	}
	return part->apart ? n - part->contexts : 0;
}

static void compare(const struct pair *pair, uint64_t seed)
{
	const struct expected expected = expect(pair);
	uint32_t n = 0;

	for (uint32_t i = 0; i < expected.n; i++) {
		const struct part *part = &expected.at[i];
		uint32_t found = 0;

		if (part->gained == 0)
			continue;
		n++;
		for (uint32_t k = 0; k < pair->report.n; k++) {
			const struct pe_cause *cause = &pair->report.causes[k];

			found += cause->frame == part->frame &&
				 (double)cause->amount == part->gained &&
				 cause->contexts == part->contexts &&
				 cause->nodes == part->contexts &&
				 cause->elsewhere == elsewhere(pair, part);
		}
		cr_expect(found > 0, "tree %" PRIu64 ": %s gains %g in %" PRIu32 " contexts%s",
			  seed, frames.at[part->frame].name, part->gained, part->contexts,
			  part->apart ? " apart" : "");
	}
	cr_expect(pair->report.n == n, "tree %" PRIu64 ": %" PRIu32 " causes instead of %" PRIu32,
		  seed, pair->report.n, n);
}

/* Some methods cost more everywhere, some below one caller, some contexts by themselves. */
static void edit(struct sketch *sketch, struct pe_random *random)
{
	const uint32_t slower = 1 + (uint32_t)pe_random_below(random, 6);

	for (uint32_t i = 0; i < sketch->n; i++) {
		struct sketch_node *node = &sketch->at[i];
		const uint32_t above =
			node->parent != PE_CCT_NONE ? sketch->at[node->parent].frame : 0;

		if (node->frame % 3 == slower % 3)
			node->self_ns += node->self_ns / 4;
		if (above == slower)
			node->self_ns *= 2;
		if (pe_random_below(random, 8) == 0)
			node->self_ns += pe_random_below(random, 30);
	}
}

static void judge(struct pair *pair, const struct pe_cct *const *olds,
		  const struct pe_cct *const *news)
{
	const struct pe_verdict_opts opts = {
		.changes = &pair->changes, .min_share = 1e-12, .top = NODES};

	pe_runs_make(&pair->olds, olds, 1, &arena);
	pe_runs_make(&pair->news, news, 1, &arena);
	pe_match_make(&pair->match, *olds, *news, NULL, &arena);
	pe_delta_make(&pair->delta, &pair->olds, &pair->news, &pair->match, &arena);
	pe_verdict_make(&pair->report, &pair->delta, &opts, &arena);
}

Test(own, causes_are_what_the_definition_says)
{
	uint32_t apart = 0;

	for (uint64_t seed = 0; seed < TREES; seed++) {
		struct pe_frame_change states[16] = {{0}};
		struct pair pair = {.changes = {states, 16}};
		struct pe_random random;
		struct sketch sketch;
		const struct pe_cct *olds, *news;

		pe_random_seed(&random, seed);
		sketch = sketch_random(&frames, &random,
				       5 + (uint32_t)pe_random_below(&random, NODES - 5), 7, 3);
		for (uint32_t i = 0; i < sketch.n; i++) {
			sketch.at[i].calls = 1;
			sketch.at[i].self_ns *= 10;
		}
		for (int i = 0; i < 16; i++)
			states[i].source = pe_random_below(&random, 3) == 0 ? PE_SOURCE_MODIFIED
									    : PE_SOURCE_SAME;
		olds = sketch_tree(&sketch, &frames, PE_CCT_CALLS | PE_CCT_TIME | PE_CCT_SITES,
				   NULL, &arena);
		edit(&sketch, &random);
		news = sketch_tree(&sketch, &frames, PE_CCT_CALLS | PE_CCT_TIME | PE_CCT_SITES,
				   NULL, &arena);
		judge(&pair, &olds, &news);
		compare(&pair, seed);
		for (uint32_t k = 0; k < pair.report.n; k++)
			apart += pair.report.causes[k].elsewhere > 0;
		release();
	}
	cr_expect(gt(u32, apart, TREES), "too few contexts stand apart for this to prove anything");
}
