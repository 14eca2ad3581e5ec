/*
 * Page: the report as one HTML file that needs nothing else: evolution, commit graph and comparisons. The
 * data are blocks, each JSON, deflated (zlib) and base64, so that a comparison is
 * unpacked only when it is opened:
 *
 *   <script type="application/x-perfevo" id="block-index">eJz...</script>
 *   <script type="application/x-perfevo" id="block-c0">...</script>       one a comparison
 *   <script type="application/x-perfevo" id="block-l0">...</script>       one a line, where they are many and long
 *
 * web/model.js unpacks them (DecompressionStream) and is the only script that uses this layout.
 *
 * index: {
 *   format: 4, the members of `perfevo log --format json` as evolution_data.c has them,
 *   history: null | {
 *     cut,                                                whether a commit has a parent that is not shown
 *     width,                                              lanes
 *     steps,                                              changed methods from which on a spark is a step higher
 *     commits: [{ id, parents: [id], time, author, subject, refs: ["HEAD", "main", "tag: v1.0"], lane, colour,
 *                 edges: [[from, to, colour]], measured, changed_methods: number|null, beside? }] },
 *                newest first, every commit before its parents; an edge leads from a lane of its commit's row to one of
 *                the next row
 *                beside is of a commit that was measured but is no revision here:
 *                [[line, from|null, to, before: id|null, judged 0|1, jump|null]], by index of the line, what it is
 *                compared with, its value; a jump as in evolution_json.c
 *   comparisons: [{ block: "c0", old: {name, id|null, subject|null, revision|null}, new: {...},
 *                   benchmarks: [name...], lines: [{text, pair, report, cause, node|null, weight}] }]
 * }
 * `revision` is an index into revisions. The jump of a line that leads to a comparison is found by its two
 * revisions; a comparison of other things than revisions (files, the uncommitted tree) has null.
 *
 * comparison: {
 *   match, call_sites, basis, min_change,                 the options: the page opens with them
 *   stored?: true                                         nothing was built for it: see struct pe_page_comparison
 *   source: null | {files: [old, new], methods: [old, new], added, deleted, modified, renamed, moved},
 *   frames: { name: [...], short: [[text|null, ...] by width, the widest first],
 *                 file: [...], line: [...], component: [...], flags: [...] },
 *                 flags: 1 source modified, 2 source added, 4 source deleted, 8 renamed, 16 code differs,
 *                 32 waiting, 64 its source is unknown, 128 a tree's root: the benchmark
 *   sources: [{frame, path: [old|null, new|null], line: [old, new], text: [old|null, new|null],
 *              same: [old_line, new_line, count, ...]}]   1-based within the texts; for the methods that a
 *                 reader would want: those modified first, then those that differ most, up to 2 MiB of text
 *   pairs: [{
 *     name|null, with|null, same, problem|null, untimed|null, unexplained|null,
 *     metrics: [...],                                   as of compare --format json (compare_json.c)
 *     judged: [{..., causes: [{text, kind, frame|null, caller|null, other|null, node|null, amount,
 *                share|null, noise}]}],                 as of compare --format json, with causes
 *                 `node` is of the delta tree
 *     tree: null | { the delta tree in preorder, by column
 *       runs: [old, new], counting_runs: [old, new],
 *       differs: [[[node, runs], ...] of old, of new],      nodes in which counting runs differ, by number in their tree
 *       old: [...], new: [...],                             the nodes' numbers in both trees, each written as its
 *                 distance from the last number of that side, which is -1 before the first, and 0 where the side
 *                 lacks the node
 *       parent: [distance back, root 0...], frame: [...],   of new, where it is there
 *       renamed: [[frame in old, frame in new], ...],
 *       site?, calls?, self_ns?, allocations?, bytes?, instructions?: [[...] of old, [...] of new],
 *                 without callees; absent where a side has no such values, 0 where a side lacks the node; the calls
 *                 of a node that only samples have are null
 *       width: [...],
 *       boxes: { time?, allocations?, bytes?, instructions?, count?: {
 *                 of: "old" | "new",                        whose execution heights are shares of
 *                 first: [node, ...],                       shown at first
 *                 own, time, share: { height: [...], colour: [...] } } }
 *                 as pe_blueprint_make_of() has them, by basis; positive heights are slower, colours are enum
 *                 pe_box_colour
 *     }
 *     timelines?: [old, new], null where there is none    as in schema/profile.schema.json; a method is a frame
 *     critical: null | {min_ns, from_noise, nodes: {parent, frame, node, added, cause, places, old_ns, new_ns},
 *                 methods: [[frame, old_ns, new_ns, contexts, in_graph]]},
 *     parcs: null | as pe_parcs_json() writes it
 *   }]
 * }
 */
#pragma once

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

/** A comparison to be looked at. */
struct pe_page_comparison {
	const struct pe_compare *compare;
	const struct pe_frames *frames;
	size_t old_revision, new_revision; /**< indices in the evolution; SIZE_MAX: none */
	const struct pe_page_source *sources;
	size_t n_sources;
	/** Made of stored results, without a build, and the machine code was never compared. */
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
