/*
 * Commit blocks as a table. A terminal has a line a commit, and below it a row a jump; Markdown has the commit in the first row:
 *
 *   02147f5a Sort in place                                               slower, less memory
 *      sort  wall time     +11.2 %  [+4.2, +16.1]  28.4 → 31.5 ms  18 fresh pairs
 *            instructions    +18 %                 1.2 → 1.4 G     exact
 *         Ap_sort +3.1 M, Ap_cmp +1.2 M
 */
#include "report/commit_blocks.h"

#include "report/document.h"
#include "report/estimate.h"
#include "report/format.h"

enum {
	INDENT = 3,
	NOTE_INDENT = 6,
	LEAST_FOR_ALL = 100, /* columns of a terminal that shows intervals */
	MOST_BENCHMARKS = 12,
};

struct blocks {
	const struct pe_evolution *evolution;
	struct pe_table table;
	bool markdown, narrow, all;
};

/* The commit, and its class. */
static void put_commit(struct blocks *blocks, const struct pe_commit_block *block)
{
	static const enum pe_paint paints[PE_N_CLASSES] = {
		[PE_CLASS_SLOWER] = PE_BAD,  [PE_CLASS_MIXED] = PE_BOLD,
		[PE_CLASS_FASTER] = PE_GOOD, [PE_CLASS_COUNTS] = PE_PLAIN,
		[PE_CLASS_LAYOUT] = PE_DIM,
	};
	pe_auto_text place = PE_TEXT_INIT, class = PE_TEXT_INIT;

	pe_jump_add_place(&place, blocks->evolution, block->jumps[0].jump);
	pe_commit_class_add(&class, &block->class);
	if (!blocks->markdown)
		pe_table_head(&blocks->table, pe_text_str(&place), paints[block->class.class],
			      pe_text_str(&class));
	pe_table_put(&blocks->table, PE_PLAIN, blocks->markdown ? pe_text_str(&place) : "");
	pe_table_put(&blocks->table, PE_BOLD, blocks->markdown ? pe_text_str(&class) : "");
}

/* "rather at a1b2c3d4", "in 3 commits", "accepted", where that is so: what sets a jump apart in its block. */
static void add_remark(struct pe_text *out, const struct pe_evolution *evolution,
		       const struct pe_commit_block *block, const struct pe_jump *jump)
{
	const char *between = "";

	if (jump->after != block->commit) {
		pe_text_add(out, "rather at ");
		pe_add_short_id(out, evolution, jump->after);
		between = ", ";
	}
	if (jump->commits > 1 && block->jumps[0].jump->commits <= 1) {
		pe_text_addf(out, "%sin %zu commits", between, jump->commits);
		between = ", ";
	}
	if (jump->state == PE_JUMP_ACCEPTED && block->class.standing != PE_STANDING_ACCEPTED)
		pe_text_addf(out, "%saccepted", between);
}

static void add_basis(struct pe_text *out, const struct blocks *blocks,
		      const struct pe_commit_block *block, const struct pe_jump *jump)
{
	pe_auto_text remark = PE_TEXT_INIT;

	/* Who reads of a confirmed commit, or of one that the class calls suspected, needs no state beside each jump. */
	if (jump->state == PE_JUMP_CONFIRMED
		    ? jump->estimate != PE_ESTIMATE_LEVELS
		    : jump->state == PE_JUMP_SUSPECT && !jump->undecided &&
			      block->class.standing == PE_STANDING_SUSPECTED)
		pe_jump_add_runs(out, jump);
	else
		pe_jump_add_basis(out, jump);
	add_remark(&remark, blocks->evolution, block, jump);
	if (remark.len > 0 && jump->state != PE_JUMP_ACCEPTED)
		pe_text_addf(out, ", %s", pe_text_str(&remark));
}

/* @param first  the benchmark's first */
static void put_values(struct blocks *blocks, const struct pe_ranked_jump *ranked, bool first)
{
	const struct pe_metric *metric = ranked->line->metric;
	const struct pe_jump *jump = ranked->jump;
	pe_auto_text text = PE_TEXT_INIT;

	if (!blocks->markdown)
		pe_text_addf(&text, "%*s", INDENT, "");
	pe_text_add(&text, blocks->markdown || first ? ranked->line->benchmark : "");
	pe_table_code(&blocks->table, pe_text_str(&text));
	pe_table_put(&blocks->table, PE_PLAIN,
		     metric->label != NULL ? metric->label : metric->name);
	pe_text_clear(&text);
	pe_format_change(&text, jump->relative);
	if (metric->better != PE_LOWER_IS_BETTER)
		pe_text_add(&text, jump->regression ? " (worse)" : " (better)");
	pe_table_take(&blocks->table, jump->regression ? PE_BAD : PE_GOOD, &text);
	if (blocks->markdown)
		pe_format_interval(&text, jump->low, jump->high);
	else if (!blocks->narrow)
		pe_format_interval_short(&text, jump->low, jump->high);
	pe_table_take(&blocks->table, PE_PLAIN, &text);
	pe_format_step(&text, jump->old_level, jump->new_level, metric->unit);
	pe_table_take(&blocks->table, PE_PLAIN, &text);
}

static void put_jump(struct blocks *blocks, const struct pe_commit_block *block, size_t i,
		     bool first)
{
	const struct pe_jump *jump = block->jumps[i].jump;
	const unsigned width = blocks->table.term->width;
	pe_auto_text basis = PE_TEXT_INIT, why = PE_TEXT_INIT;
	bool below;

	put_values(blocks, &block->jumps[i], first);
	add_basis(&basis, blocks, block, jump);
	/* Where there is little room, what a change rests on stands below its row. */
	below = width > 0 && pe_text_columns(pe_text_str(&basis)) > width / 4;
	pe_table_put(&blocks->table, PE_PLAIN, below ? "" : pe_text_str(&basis));
	pe_table_note(&blocks->table, NOTE_INDENT, below ? pe_text_str(&basis) : NULL);
	pe_table_note(&blocks->table, NOTE_INDENT, pe_jump_caveat(jump));
	if (jump->state == PE_JUMP_ACCEPTED && jump->why != NULL)
		pe_text_addf(&why, "because: %s", jump->why);
	pe_table_note(&blocks->table, NOTE_INDENT, pe_text_str(&why));
}

/* The functions of a benchmark's jumps: the first that are known. */
static void put_functions(struct blocks *blocks, const struct pe_ranked_jump *jumps, size_t n)
{
	pe_auto_text text = PE_TEXT_INIT;

	for (size_t i = 0; i < n && text.len == 0; i++)
		pe_jump_add_functions(&text, jumps[i].jump);
	pe_table_note(&blocks->table, NOTE_INDENT, pe_text_str(&text));
}

static void put_block(struct blocks *blocks, const struct pe_commit_block *block)
{
	pe_auto_text more = PE_TEXT_INIT;
	size_t shown = 0, hidden = 0;

	for (size_t i = 0, run; i < block->n; i += run) {
		run = pe_commit_block_run(block, i);
		if (shown++ >= MOST_BENCHMARKS && !blocks->all) {
			hidden++;
			continue;
		}
		for (size_t k = i; k < i + run; k++) {
			if (k == 0) {
				put_commit(blocks, block);
			} else {
				pe_table_put(&blocks->table, PE_PLAIN, "");
				pe_table_put(&blocks->table, PE_PLAIN, "");
			}
			put_jump(blocks, block, k, k == i);
		}
		put_functions(blocks, &block->jumps[i], run);
	}
	if (hidden > 0)
		pe_text_addf(&more, "and %zu more benchmarks ('perfevo show %.*s')", hidden,
			     PE_SHORT_ID, blocks->evolution->revisions[block->commit].id);
	pe_table_note(&blocks->table, NOTE_INDENT, pe_text_str(&more));
	pe_table_note(&blocks->table, NOTE_INDENT, pe_commit_class_contradiction(&block->class));
}

void pe_commit_blocks_put(struct pe_doc *doc, const struct pe_evolution *evolution,
			  const struct pe_commit_block *at, size_t n, bool all)
{
	const bool narrow = doc->term->width > 0 && doc->term->width < LEAST_FOR_ALL;
	/* Names give way first: metrics that are cut look alike. */
	const struct pe_column columns[] = {
		{"commit", false, 0},
		{"class", false, 0},
		{"benchmark", false, 12},
		{"metric", false, narrow ? 12 : 0},
		{"change", true, 0},
		{"95 % interval", false, 0},
		{"levels", false, narrow ? 8 : 0},
		{"state, change by", false, 0},
	};
	struct blocks blocks = {
		.evolution = evolution, .markdown = pe_doc_is_markdown(doc), .narrow = narrow};

	blocks.all = all || blocks.markdown;
	pe_table_init(&blocks.table, columns, sizeof(columns) / sizeof(*columns), doc->term);
	for (size_t i = 0; i < n; i++)
		put_block(&blocks, &at[i]);
	pe_doc_table(doc, &blocks.table, blocks.markdown);
}
