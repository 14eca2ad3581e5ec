/*
 * What `track` found: jumps by commit, the worst first, then what failed and what was left out, each in short. A terminal has a
 * spark line for each benchmark as well; in a comment on a pull request what was accepted, failed or left out is folded.
 */
#include "report/evolution.h"

#include "report/document.h"
#include "report/format.h"
#include "report/commit_blocks.h"
#include "report/query.h"
#include "report/spark.h"
#include "report/terminal.h"
#include "report/min_effect.h"

#include <math.h>
#include <string.h>

#define MOST_SPARKS 20 /* above, only benchmarks with jumps get a spark line */
#define MOST_NAMES  5  /* of commits or tests in one sentence */

static void put_headline(struct pe_doc *doc, const struct pe_evolution *evolution,
			 const struct pe_commit_block *blocks, size_t n)
{
	pe_auto_text line = PE_TEXT_INIT;

	if (pe_doc_is_markdown(doc))
		pe_text_add(&line, "perfevo: ");
	pe_commit_blocks_add_headline(&line, evolution, blocks, n);
	if (pe_doc_is_markdown(doc))
		pe_doc_heading(doc, 3, &line);
	else
		pe_doc_say(doc, PE_BOLD, "", "  ", &line);
}

static void put_blocks(struct pe_doc *doc, const struct pe_evolution *evolution,
		       const struct pe_commit_block *blocks, size_t n)
{
	if (n > 0)
		pe_doc_gap(doc);
	pe_commit_blocks_put(doc, evolution, blocks, n, false);
}

static void put_accepted(struct pe_doc *doc, const struct pe_evolution *evolution,
			 const struct pe_commit_block *blocks, size_t n)
{
	pe_auto_text line = PE_TEXT_INIT;

	if (n == 0)
		return;
	pe_doc_gap(doc);
	if (pe_doc_is_markdown(doc)) {
		pe_format_plural(&line, n, "accepted commit");
		pe_doc_fold(doc, pe_text_str(&line));
	} else {
		pe_text_add(&line, "accepted as known");
		pe_doc_line(doc, PE_DIM, &line);
	}
	put_blocks(doc, evolution, blocks, n);
	pe_doc_end_fold(doc);
}

/* What the lines of a benchmark say of it. */
struct summary {
	/* The line that stands for it: the first judged one with jumps, else the first; where nothing is timed, instructions first. */
	const struct pe_line *line;
	const struct pe_line *wall; /* judged and without a jump; NULL: there is none */
	bool jumps;
};

static struct summary summarize(const struct pe_evolution *evolution, const struct pe_line *first)
{
	struct summary out = {.line = first};
	int most = -1;

	for (size_t i = 0; i < evolution->n_lines; i++) {
		const struct pe_line *line = &evolution->lines[i];
		const bool counted = evolution->counts_only &&
				     pe_metric_measures(line->metric) == PE_MEASURES_INSTRUCTIONS;
		const int rank = (line->n_jumps > 0 ? 2 : 0) + (counted ? 1 : 0);

		if (strcmp(line->benchmark, first->benchmark) != 0 || !line->judged)
			continue;
		out.jumps = out.jumps || line->n_jumps > 0;
		if (line->n_jumps == 0 && strcmp(line->metric->name, "wall") == 0)
			out.wall = line;
		if (rank > most) {
			out.line = line;
			most = rank;
		}
	}
	return out;
}

/* As in the table of jumps; where nothing was judged, what was measured. */
static double level_of(const struct pe_point *point)
{
	if (point == NULL)
		return NAN;
	return isfinite(point->level) ? point->level : point->value;
}

static void put_spark(struct pe_table *table, const struct pe_evolution *evolution,
		      const struct pe_line *line, size_t cells)
{
	const struct pe_point *first = NULL, *last = NULL;
	pe_auto_text text = PE_TEXT_INIT;

	for (size_t i = 0; i < line->n_points; i++) {
		if (line->points[i].outcome != PE_MEASURED)
			continue;
		first = first != NULL ? first : &line->points[i];
		last = &line->points[i];
	}
	pe_table_put(table, PE_PLAIN, line->benchmark);
	pe_table_put(table, PE_DIM, line->metric->label);
	pe_spark_add(&text, line, evolution->n_revisions, cells, table->term->unicode);
	pe_table_take(table, PE_PLAIN, &text);
	pe_format_step(&text, level_of(first), level_of(last), line->metric->unit);
	pe_table_take(table, PE_PLAIN, &text);
}

/* Whether there are values of two commits. */
static bool is_compared(const struct pe_line *line)
{
	size_t measured = 0;

	for (size_t i = 0; i < line->n_points; i++)
		measured += line->points[i].outcome == PE_MEASURED;
	return measured > 1;
}

/**
 * "wall time unchanged: parse, print; a change of 4 % would have been detected in both": of benchmarks whose other metrics
 * jump, which no other line mentions.
 */
static void add_quiet_walls(struct pe_text *out, const struct summary *summaries, size_t n,
			    size_t first)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	pe_auto_text names = PE_TEXT_INIT, bound = PE_TEXT_INIT;
	double *least = pe_arena_new(&arena, double, n);
	size_t quiet = 0;

	for (size_t i = 0; i < n; i++) {
		const struct pe_line *wall = summaries[i].wall;

		if (wall == NULL || !summaries[i].jumps)
			continue;
		if (quiet < MOST_NAMES)
			pe_text_addf(&names, "%s%s", quiet == 0 ? ": " : ", ", wall->benchmark);
		least[quiet++] = pe_line_least(wall, first);
	}
	if (quiet == 0)
		return;
	if (quiet > MOST_NAMES)
		pe_text_addf(&names, " and %zu more", quiet - MOST_NAMES);
	pe_text_add(out, "wall time");
	pe_min_effect_add_unchanged(out, &bound, least, quiet);
	pe_text_add(out, pe_text_str(&names));
	pe_text_add(out, bound.len > 0 ? pe_text_str(&bound) : ", as far as so few runs can tell");
}

/** "4 of 5 benchmarks unchanged; a change of 2 % would have been detected in all of them", and what can tell of no change. */
static void put_unchanged(struct pe_doc *doc, const struct pe_evolution *evolution,
			  const struct summary *summaries, size_t n)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	pe_auto_text text = PE_TEXT_INIT;
	double *least = pe_arena_new(&arena, double, n);
	size_t unchanged = 0, alone = 0;

	for (size_t i = 0; i < n; i++) {
		const struct pe_line *line = summaries[i].line;

		if (line->judged && !is_compared(line))
			alone++;
		else if (line->judged && line->n_jumps == 0)
			least[unchanged++] = pe_line_least(line, evolution->first);
	}
	if (unchanged > 0) {
		pe_text_addf(&text, "%zu of ", unchanged);
		pe_format_plural(&text, n, "benchmark");
		pe_min_effect_add_unchanged(&text, &text, least, unchanged);
		pe_doc_gap(doc);
		pe_doc_say(doc, PE_PLAIN, "", "  ", &text);
	}
	if (alone > 0) {
		pe_format_plural(&text, alone, "benchmark");
		pe_text_addf(&text, " %s measured at one commit alone: nothing to compare with",
			     alone == 1 ? "was" : "were");
		if (unchanged == 0)
			pe_doc_gap(doc);
		pe_doc_say(doc, PE_PLAIN, "", "  ", &text);
	}
	add_quiet_walls(&text, summaries, n, evolution->first);
	if (unchanged == 0 && text.len > 0)
		pe_doc_gap(doc);
	pe_doc_say(doc, PE_PLAIN, "", "  ", &text);
}

static void put_sparks(struct pe_doc *doc, const struct pe_evolution *evolution)
{
	static const struct pe_column columns[] = {
		{"", false, 10}, {"", false, 6}, {"", false, 0}, {"", false, 0}};
	pe_auto_arena arena = PE_ARENA_INIT;
	struct pe_table table;
	size_t n, shown = 0, cells = evolution->n_revisions;
	const struct pe_line **benchmarks = pe_evolution_benchmarks(&n, evolution, &arena);
	struct summary *summaries = pe_arena_new(&arena, struct summary, n);

	if (cells > 48)
		cells = 48;
	if (doc->term->width > 0 && cells > doc->term->width / 4)
		cells = doc->term->width / 4;
	pe_table_init(&table, columns, sizeof(columns) / sizeof(columns[0]), doc->term);
	for (size_t i = 0; i < n; i++) {
		summaries[i] = summarize(evolution, benchmarks[i]);
		if (n > MOST_SPARKS && summaries[i].line->n_jumps == 0)
			continue;
		if (shown++ < MOST_SPARKS)
			put_spark(&table, evolution, summaries[i].line, cells > 0 ? cells : 1);
	}
	if (shown > 0)
		pe_doc_gap(doc);
	pe_doc_table(doc, &table, false);
	if (shown > MOST_SPARKS)
		pe_text_addf(doc->out, "and %zu more with changes (-b REGEX)\n",
			     shown - MOST_SPARKS);
	put_unchanged(doc, evolution, summaries, n);
}

/*
 * "parse: crashed": where a metric is missing, the first line of the log says which, and where the tree was refused, why, behind the
 * commit's id.
 */
static const char *say_failure(const struct pe_doc *doc, const struct pe_failure *failure,
			       struct pe_arena *arena)
{
	const char *reason = failure->log != NULL ? failure->log : "";
	const size_t id = strspn(reason, "0123456789abcdef");
	pe_auto_text text = PE_TEXT_INIT;

	if (failure->benchmark != NULL) {
		pe_doc_name(doc, &text, failure->benchmark);
		pe_text_add(&text, ": ");
	}
	if (failure->outcome == PE_TREE_REFUSED && reason[0] != '\0')
		reason += strncmp(reason + id, ": ", 2) == 0 ? id + 2 : 0;
	else if (failure->outcome != PE_METRIC_MISSING || strncmp(reason, "metric '", 8) != 0)
		reason = pe_outcome_say(failure->outcome);
	pe_text_addn(&text, reason, strcspn(reason, "\n"));
	return pe_arena_strdup(arena, pe_text_str(&text));
}

/* "parse: crashed at 2 commits: a1b2c3d4, b2c3d4e5", for all failures that are the same. */
static void put_failures(struct pe_doc *doc, const struct pe_evolution *evolution)
{
	const size_t n = evolution->n_failures;
	pe_auto_arena arena = PE_ARENA_INIT;
	const char **said = pe_arena_new(&arena, const char *, n);

	for (size_t i = 0; i < n; i++)
		said[i] = say_failure(doc, &evolution->failures[i], &arena);
	for (size_t i = 0; i < n; i++) {
		const char *sentence = said[i];
		pe_auto_text line = PE_TEXT_INIT, ids = PE_TEXT_INIT;
		size_t commits = 0;

		for (size_t k = i; sentence != NULL && k < n; k++) {
			if (said[k] == NULL || strcmp(said[k], sentence) != 0)
				continue;
			if (commits++ < MOST_NAMES) {
				pe_text_add(&ids, commits == 1 ? ": " : ", ");
				pe_add_short_id(&ids, evolution, evolution->failures[k].revision);
			}
			said[k] = NULL;
		}
		if (commits == 0)
			continue;
		pe_text_addf(&line, "%s at ", sentence);
		pe_format_plural(&line, commits, "commit");
		pe_text_add(&line, pe_text_str(&ids));
		if (commits > MOST_NAMES)
			pe_text_addf(&line, " and %zu more", commits - MOST_NAMES);
		if (pe_doc_is_markdown(doc))
			pe_doc_item(doc, 0, pe_text_str(&line), "");
		else
			pe_doc_line(doc, PE_PLAIN, &line);
	}
}

void pe_evolution_failures(struct pe_text *out, const struct pe_evolution *evolution,
			   const struct pe_term *term)
{
	put_failures(&(struct pe_doc){.out = out, .term = term}, evolution);
}

static void fold_failures(struct pe_doc *doc, const struct pe_evolution *evolution)
{
	pe_auto_text summary = PE_TEXT_INIT;

	if (evolution->n_failures == 0)
		return;
	pe_doc_gap(doc);
	pe_format_plural(&summary, evolution->n_failures, "failure");
	pe_doc_fold(doc, pe_text_str(&summary));
	put_failures(doc, evolution);
	pe_doc_end_fold(doc);
}

static void put_left_out(struct pe_doc *doc, const struct pe_evolution *evolution)
{
	const size_t n = evolution->n_left_out;
	const size_t most = pe_doc_is_markdown(doc) || n < MOST_NAMES ? n : MOST_NAMES;
	pe_auto_text line = PE_TEXT_INIT;

	if (n == 0)
		return;
	pe_doc_gap(doc);
	pe_format_plural(&line, n, "test");
	pe_text_add(&line, " left out");
	pe_doc_fold(doc, pe_text_str(&line));
	pe_text_addc(&line, ':');
	if (!pe_doc_is_markdown(doc))
		pe_doc_line(doc, PE_PLAIN, &line);
	for (size_t i = 0; i < most; i++) {
		pe_text_clear(&line);
		pe_doc_name(doc, &line, evolution->left_out[i].name);
		pe_text_addf(&line, ": %s", evolution->left_out[i].reason);
		if (pe_doc_is_markdown(doc))
			pe_doc_item(doc, 0, pe_text_str(&line), "");
		else
			pe_doc_say(doc, PE_DIM, "  ", "    ", &line);
	}
	pe_doc_end_fold(doc);
	if (n > most)
		pe_text_addf(doc->out, "  and %zu more\n", n - most);
}

/** What fresh runs could not decide, and what they refuted. */
static void put_answers(struct pe_doc *doc, const struct pe_evolution *evolution)
{
	pe_auto_text lines = PE_TEXT_INIT;

	pe_min_effect_add_answers(&lines, evolution);
	if (lines.len > 0)
		pe_doc_gap(doc);
	pe_doc_code(doc, pe_text_str(&lines));
}

static void put_reused(struct pe_doc *doc, const struct pe_evolution *evolution)
{
	pe_auto_text line = PE_TEXT_INIT;

	pe_evolution_add_reused(&line, evolution);
	if (line.len == 0)
		return;
	pe_doc_gap(doc);
	pe_doc_line(doc, PE_DIM, &line);
}

/** Which machine it was. */
static void put_machine(struct pe_doc *doc, const struct pe_evolution *evolution)
{
	pe_auto_text line = PE_TEXT_INIT;

	if (pe_doc_is_markdown(doc) && evolution->machine != NULL && evolution->n_lines > 0)
		pe_text_addf(&line, "Measured on %s.", evolution->machine);
	pe_doc_say(doc, PE_PLAIN, "", "", &line);
}

void pe_evolution_term(struct pe_text *out, const struct pe_evolution *evolution,
		       const struct pe_term *term)
{
	struct pe_doc doc = {.out = out, .term = term};
	pe_auto_arena arena = PE_ARENA_INIT;
	size_t n;
	const struct pe_commit_block *blocks = pe_commit_blocks(&n, evolution, &arena);
	size_t open = pe_commit_blocks_open(blocks, n);

	put_headline(&doc, evolution, blocks, n);
	put_blocks(&doc, evolution, blocks, open);
	put_accepted(&doc, evolution, blocks + open, n - open);
	if (!pe_doc_is_markdown(&doc)) {
		put_answers(&doc, evolution);
		put_sparks(&doc, evolution);
	}
	fold_failures(&doc, evolution);
	put_left_out(&doc, evolution);
	if (!pe_doc_is_markdown(&doc))
		put_reused(&doc, evolution);
	put_machine(&doc, evolution);
}
