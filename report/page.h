/*
 * Page: the report as one HTML file that needs nothing else: evolution, commit graph and comparisons. The
 * parts that are drawn from come as blocks, each JSON, deflated (zlib) and base64, so that a comparison is
 * unpacked only when it is looked at:
 *
 *   <script type="application/x-perfevo" id="block-index">eJz...</script>
 *   <script type="application/x-perfevo" id="block-c0">...</script>       one a comparison
 *   <script type="application/x-perfevo" id="block-l0">...</script>       one a line, where they are many and long
 *
 * web/model.js unpacks them (DecompressionStream) and is the only script that knows this layout.
 *
 * index: {
 *   format: 2, version, project, machine, generated, reused,
 *   revisions, metrics, lines, failures, left_out,        as evolution_data.c says
 *   history: null | { cut, width, steps?,                 changed methods from which on a spark is a step higher
 *     commits: [[id, time_s, author, subject, [refs], mc|null, revision|null, lane, colour,
 *                [from, to, colour, from, to, colour, ...], [parent, ...], beside?]] },   parents by their
 *                distance in rows, 0: not shown; beside is of a commit that was measured but is no revision here:
 *                [[line, from|null, to, before: id|null, judged 0|1, jump|null]], by index of the line, what it is
 *                compared with, its value; a jump as evolution_data.c has it, with ids in place of revisions
 *   comparisons: [{ block: "c0", old: {name, id|null, subject|null, revision|null}, new: {...},
 *                   benchmarks: [name...], lines: [{text, pair, report, cause, node|null, weight}] }]
 * }
 * `revision` is an index into revisions. The jump of a line that leads to a comparison is found by its two
 * revisions; a comparison of other things than revisions (files, the uncommitted tree) has null.
 *
 * comparison: {
 *   match, call_sites, basis, min_change,                 what was asked for: the page opens with it
 *   stored?: true                                         nothing was built for it: see struct pe_page_comparison
 *   source: null | {files: [old, new], methods: [old, new], added, deleted, modified, renamed, moved},
 *   frames: { name: [...], file: [...], line: [...], component: [...], flags: [...] },
 *                 flags: 1 source modified, 2 source added, 4 source deleted, 8 renamed, 16 code differs,
 *                 32 waiting, 64 nothing is known of its source, 128 a tree's root: the benchmark
 *   sources: [{frame, path: [old|null, new|null], line: [old, new], text: [old|null, new|null],
 *              same: [old_line, new_line, count, ...]}]   1-based within the texts; for the methods that a
 *                 reader would want: those modified first, then those that differ most, up to 2 MiB of text
 *   pairs: [{
 *     name|null, with|null, same, problem|null, untimed|null, unexplained|null,
 *     metrics: [...],                                   as of compare --format json (compare_json.c)
 *     judged: [{..., causes: [{text, kind, frame|null, caller|null, other|null, node|null, amount,
 *                share|null, noise}]}],                 likewise, with causes
 *                 `node` is of the variant that the comparison was asked for (variants[0])
 *     trees: null | [old, new], each { runs, duration_ns, known: {time, calls, allocations, bytes, instructions, sites},
 *                 parent: [distance back, root 0...], frame, site, flags, calls, self_ns, allocations, bytes,
 *                 instructions, whole_instructions?,        which the execution has in all, in no method of the tree, too
 *                 counting_runs?, differs?: [[node, runs], ...] },   which differ there from what is shown
 *                 columns in preorder; a column that is not known is absent, and so is `flags` (enum
 *                 pe_cct_flag) where none is set; the calls of a node that only samples know are null, and
 *                 unknown are then those of its pair. An execution took duration_ns, or the sum of self_ns if
 *                 that is more: heights are shares of it
 *     variants: [{match, call_sites, trees: null|index|[old, new], old: [...], new: [...],
 *                 parent: [distance back], colour_own: [...], colour_time: [...], colour_share: [...]}],
 *                 the delta tree in preorder; old and new are its nodes' numbers in both trees, each written as
 *                 its distance from the last number of that side, which is -1 before the first, and 0 where
 *                 the side lacks the node; colours are enum pe_box_colour. The trees are the pair's (null), those
 *                 of an earlier variant, or its own: without call sites there are others. The first variant is
 *                 the one that was asked for; the rest are left out of trees above 20,000 nodes
 *     critical: null | {min_ns, from_noise, nodes: {parent, frame, added, cause, places, old_ns, new_ns},
 *                 methods: [[frame, old_ns, new_ns, contexts, in_graph]]},
 *     parcs: null | as pe_parcs_json() writes it
 *     stages_tree: null | {width, height, high, cuts,   in pixels, as parcs_tree.h has it; of the subtrees that
 *                 were cut, the largest `cuts`
 *                 nodes: [{node, parent: index|null, x, y, wide, reach, modified, cut, hidden, name, why}]}
 *                 `node` is of variants[0]; x is of the left end, y of the middle, `hidden` callees not shown
 *   }]
 * }
 * Heights and widths are computed by the page from the trees' values (Blueprint section III), for each
 * metric and basis; the tests hold them against pe_blueprint_make().
 */
#ifndef PE_REPORT_PAGE_H
#define PE_REPORT_PAGE_H

#include "analysis/profile/cct.h"
#include "report/compare.h"
#include "report/history.h"

/** A method's text on both sides. */
struct pe_page_source {
	uint32_t frame;
	const char *path[2];  /**< of old and new; NULL: not there */
	uint32_t line[2];     /**< where the text begins in its file, from 1 */
	const char *text[2];  /**< NULL: not there, or equal to the other side's */
	const uint32_t *same; /**< runs of equal lines: old line, new line, count, from 1 */
	size_t n_same;        /**< numbers in `same` */
};

/** Another way to match one pair: its delta tree with its colours by both bases. */
struct pe_page_variant {
	enum pe_match_rule rule;
	bool call_sites;
	const struct pe_delta *delta;
	const uint8_t *colours
		[PE_N_BASES]; /**< by enum pe_basis: one a node of delta, enum pe_box_colour */
};

/** A comparison to be looked at. */
struct pe_page_comparison {
	const struct pe_compare *compare;
	const struct pe_frames *frames;
	size_t old_revision, new_revision; /**< indices in the evolution; SIZE_MAX: none */
	/** By pair: its variants, those that were asked for first; n is 0 where there are no trees. */
	struct pe_page_variants {
		const struct pe_page_variant *at;
		size_t n;
	} * variants;
	const struct pe_page_source *sources;
	size_t n_sources;
	/** Made of what the store had, without a build, and nobody looked before whether machine code changed. */
	bool stored;
};

struct pe_page {
	const char *title;                    /**< "tool: performance over its history" */
	const struct pe_evolution *evolution; /**< NULL: comparisons only */
	const struct pe_history *history;     /**< NULL: no commit graph */
	/** The same commits with an evolution that has those of side branches, too; NULL: none was measured. */
	const struct pe_history *beside;
	const struct pe_page_comparison *comparisons;
	size_t n_comparisons;
};

/** Write the page. */
void pe_page_html(struct pe_text *out, const struct pe_page *page);

#endif
