/*
 * A comparison for people: per benchmark the metrics, why they differ, and how the difference adds up; benchmarks in which
 * nothing differs stand in one line behind the others. For a comment on a pull request a headline and one table of all metrics stand first, benchmarks without a change are left out, and the tree
 * of calls is folded.
 */
#include "report/compare_text.h"

#include "report/document.h"
#include "report/format.h"
#include "report/system_calls.h"

/* --- Head --- */

static void put_side(struct pe_doc *doc, const char *which, const struct pe_compare_side *side)
{
	pe_auto_text line = PE_TEXT_INIT;

	pe_text_addf(&line, "%s: ", which);
	pe_doc_name(doc, &line, side->name);
	if (side->subject != NULL)
		pe_text_addf(&line, " %s", side->subject);
	pe_doc_line(doc, PE_BOLD, &line);
}

void pe_compare_put_sides(struct pe_doc *doc, const struct pe_compare *compare)
{
	pe_auto_text line = PE_TEXT_INIT;

	put_side(doc, "old", &compare->old_side);
	put_side(doc, "new", &compare->new_side);
	if (compare->origin != NULL)
		pe_text_addf(&line, "measured on %s", compare->origin);
	pe_doc_say(doc, PE_PLAIN, "", "  ", &line);
	if (compare->counts_only) {
		pe_text_add(&line, PE_COUNTS_ONLY);
		pe_doc_line(doc, PE_PLAIN, &line);
	}
}

/* "2 metrics worse, 1 better in 3 benchmarks"; files that are compared have no metrics. */
static void put_headline(struct pe_doc *doc, const struct pe_compare *compare)
{
	size_t worse = 0, better = 0, undecided = 0;
	pe_auto_text text = PE_TEXT_INIT;

	for (size_t p = 0; p < compare->n_pairs; p++)
		for (size_t i = 0; i < compare->pairs[p].n_values; i++) {
			const struct pe_compare_value *value = &compare->pairs[p].values[i];

			worse += value->judged && value->verdict == PE_REGRESSED;
			better += value->judged && value->verdict == PE_IMPROVED;
			undecided += value->judged && value->verdict == PE_UNDECIDED;
		}
	pe_text_add(&text, "perfevo: ");
	if (worse > 0)
		pe_text_addf(&text, "%zu metric%s worse", worse, worse == 1 ? "" : "s");
	if (better > 0)
		pe_text_addf(&text, "%s%zu%s better", worse > 0 ? ", " : "", better,
			     worse > 0     ? ""
			     : better == 1 ? " metric"
					   : " metrics");
	if (compare->n_pairs > 0 && compare->pairs[0].name == NULL)
		pe_text_add(&text, "two profiles");
	else if (worse + better == 0)
		pe_text_add(&text, undecided == 0 ? "nothing differs beyond noise"
						  : "no difference beyond noise is known");
	if (undecided > 0)
		pe_text_addf(&text, ", %zu undecided", undecided);
	pe_doc_heading(doc, 3, &text);
}

/* The metrics of pairs; among several each row has its benchmark's name. */
static void put_metrics(struct pe_doc *doc, const struct pe_compare_pair *pairs, size_t n,
			bool named)
{
	struct pe_table table;

	pe_compare_begin_metrics(&table, doc->term);
	for (size_t p = 0; p < n; p++)
		pe_compare_put_metrics(&table, &pairs[p],
				       named && pairs[p].name != NULL ? pairs[p].name : "");
	pe_doc_table(doc, &table, true);
}

/* --- Why --- */

static void put_report(struct pe_doc *doc, const struct pe_compare *compare, size_t p, size_t r)
{
	const struct pe_attribution *report = &compare->pairs[p].reports[r];
	pe_auto_text line = PE_TEXT_INIT;
	unsigned n = 0;

	pe_compare_say_whole(&line, &compare->pairs[p], report);
	pe_doc_say(doc, PE_PLAIN, "  ", "  ", &line);
	/* Within one report the ranked lines stand in its own order. */
	for (size_t i = 0; i < compare->n_lines; i++) {
		const struct pe_compare_line *one = &compare->lines[i];

		if (one->pair == p && one->report == r)
			pe_doc_item(doc, ++n, one->head, one->detail);
	}
	pe_compare_add_more(&line, report->more, "smaller cause", "--top N");
	pe_doc_say(doc, PE_DIM, "      ", "      ", &line);
	if (n == 0 && report->whole != 0)
		pe_text_add(&line, "no single cause stands out of the noise");
	pe_doc_say(doc, PE_DIM, "      ", "      ", &line);
	pe_compare_say_rest(&line, report);
	pe_doc_say(doc, PE_DIM, "      ", "      ", &line);
}

/* --- The trees --- */

static void put_trees(struct pe_doc *doc, const struct pe_compare_pair *pair)
{
	pe_auto_text line = PE_TEXT_INIT;

	pe_text_add(&line, "call paths: ");
	pe_format_value(&line, pair->delta->both, "1");
	pe_text_add(&line, " in both, ");
	pe_format_value(&line, pair->delta->added, "1");
	pe_text_add(&line, " only in new, ");
	pe_format_value(&line, pair->delta->removed, "1");
	pe_text_add(&line, " only in old");
	pe_doc_say(doc, PE_DIM, "  ", "    ", &line);
}

static void put_functions(struct pe_doc *doc, const struct pe_compare_pair *pair)
{
	pe_auto_text line = PE_TEXT_INIT;
	struct pe_table table;

	if (pair->functions == NULL || (pe_doc_is_markdown(doc) && pair->functions->n == 0))
		return;
	pe_doc_gap(doc);
	pe_compare_say_functions(&line, pair);
	pe_doc_say(doc, PE_PLAIN, "  ", "    ", &line);
	pe_compare_list_functions(&table, pair, doc->term);
	pe_doc_table(doc, &table, false);
	pe_compare_add_other_functions(&line, pair);
	pe_doc_say(doc, PE_DIM, "    ", "    ", &line);
}

static void put_calls(struct pe_doc *doc, const struct pe_compare_pair *pair)
{
	pe_auto_text line = PE_TEXT_INIT;

	if (pair->calls == NULL || (pe_doc_is_markdown(doc) && pair->calls->n == 0))
		return;
	pe_doc_gap(doc);
	pe_system_calls_say(&line, pair->calls);
	pe_doc_say(doc, PE_PLAIN, "  ", "    ", &line);
}

static void put_folded_tree(struct pe_doc *doc, const struct pe_compare *compare, size_t p)
{
	static const struct pe_term term = {.width = 110, .unicode = true};
	pe_auto_text tree = PE_TEXT_INIT;

	pe_compare_tree(&tree, compare, p, &term);
	if (tree.len == 0)
		return;
	pe_doc_fold(doc,
		    "Contexts: the delta hot path, what else varies, and the ways to the causes");
	pe_doc_code(doc, pe_text_str(&tree));
	pe_doc_end_fold(doc);
}

/* --- All of it --- */

static void put_heading(struct pe_doc *doc, const struct pe_compare_pair *pair)
{
	pe_auto_text line = PE_TEXT_INIT;

	if (pair->name == NULL)
		return;
	pe_doc_gap(doc);
	pe_doc_name(doc, &line, pair->name);
	if (pair->with_name != NULL) {
		pe_text_add(&line, " (old) and ");
		pe_doc_name(doc, &line, pair->with_name);
		pe_text_add(&line, " (new)");
	}
	pe_doc_heading(doc, 4, &line);
}

static void put_remark(struct pe_doc *doc, enum pe_paint paint, const char *remark)
{
	pe_auto_text line = PE_TEXT_INIT;

	if (remark != NULL)
		pe_text_add(&line, remark);
	pe_doc_say(doc, paint, "  ", "  ", &line);
}

/* Whether a comment on a pull request has more to show of a pair than its metrics. */
static bool is_changed(const struct pe_compare_pair *pair)
{
	return pair->n_reports > 0 || pair->problem != NULL ||
	       (pair->functions != NULL && pair->functions->n > 0) ||
	       (pair->calls != NULL && pair->calls->n > 0);
}

/* Whether every metric of a benchmark is judged the same. */
static bool is_same(const struct pe_compare_pair *pair)
{
	bool same =
		(pair->same || pair->n_values > 0) && pair->n_reports == 0 && pair->problem == NULL;

	for (size_t i = 0; same && i < pair->n_values; i++)
		same = !pair->values[i].judged || pair->values[i].verdict == PE_UNCHANGED;
	return same;
}

/* "same in every metric: a, b, c (--all shows them)"; by_code: those that execute the same code on both sides */
static void put_same(struct pe_doc *doc, const struct pe_compare *compare, bool by_code)
{
	pe_auto_text line = PE_TEXT_INIT;

	for (size_t p = 0; p < compare->n_pairs; p++) {
		const struct pe_compare_pair *pair = &compare->pairs[p];

		if (!is_same(pair) || pair->same != by_code)
			continue;
		pe_text_add(&line, line.len > 0 ? ", "
				   : by_code    ? "old and new execute the same: "
						: "same in every metric: ");
		pe_doc_name(doc, &line, pair->name);
	}
	if (line.len == 0)
		return;
	pe_text_add(&line, " (--all shows them)");
	pe_doc_gap(doc);
	pe_doc_say(doc, PE_PLAIN, "", "  ", &line);
}

static void put_pair(struct pe_doc *doc, const struct pe_compare *compare, size_t p)
{
	const struct pe_compare_pair *pair = &compare->pairs[p];
	const bool markdown = pe_doc_is_markdown(doc), all = markdown || compare->view.all;

	if (markdown && !is_changed(pair))
		return;
	put_heading(doc, pair);
	if (!markdown)
		put_metrics(doc, pair, 1, false);
	pe_doc_gap(doc);
	if (pair->delta != NULL) {
		put_remark(doc, PE_DIM, pair->whole);
		put_remark(doc, PE_DIM, pair->untimed);
	}
	for (size_t r = 0; r < pair->n_reports; r++)
		put_report(doc, compare, p, r);
	put_remark(doc, PE_PLAIN, pe_compare_unexplained(pair));
	if (all || compare->counts_only)
		put_functions(doc, pair);
	if (all)
		put_calls(doc, pair);
	if (pair->delta == NULL)
		return;
	if (markdown) {
		put_folded_tree(doc, compare, p);
		return;
	}
	if (all) {
		pe_doc_gap(doc);
		put_trees(doc, pair);
	}
	if (compare->view.tree) {
		pe_doc_gap(doc);
		pe_compare_tree(doc->out, compare, p, doc->term);
	}
}

/* Whether a row says undecided beside an interval without 0. */
static bool is_nearly_decided(const struct pe_compare *compare)
{
	for (size_t p = 0; p < compare->n_pairs; p++)
		for (size_t i = 0; i < compare->pairs[p].n_values; i++) {
			const struct pe_compare_value *value = &compare->pairs[p].values[i];

			if (value->judged && value->verdict == PE_UNDECIDED &&
			    value->jump == NULL && !value->contradicted &&
			    (value->low > 0 || value->high < 0))
				return true;
		}
	return false;
}

static void put_why_undecided(struct pe_doc *doc, const struct pe_compare *compare)
{
	pe_auto_text line = PE_TEXT_INIT;

	if (!is_nearly_decided(compare))
		return;
	pe_text_add(&line, "undecided beside an interval without 0: the interval errs once in 20, "
			   "better and worse once in ");
	pe_format_value(&line, 20 / PE_COMPARE_DECIDED_PART, "1");
	pe_text_addf(&line, " and from %d pairs of runs on (%d where the sides do not overlap)",
		     PE_COMPARE_DECIDING_PAIRS, PE_COMPARE_SEPARATE_PAIRS);
	pe_doc_gap(doc);
	pe_doc_say(doc, PE_DIM, "", "  ", &line);
}

void pe_compare_term(struct pe_text *out, const struct pe_compare *compare,
		     const struct pe_term *term)
{
	struct pe_doc doc = {.out = out, .term = term};
	const bool folds = compare->n_pairs > 1 && !compare->view.all && !pe_doc_is_markdown(&doc);

	if (pe_doc_is_markdown(&doc))
		put_headline(&doc, compare);
	pe_compare_put_sides(&doc, compare);
	if (pe_doc_is_markdown(&doc))
		put_metrics(&doc, compare->pairs, compare->n_pairs, true);
	for (size_t p = 0; p < compare->n_pairs; p++)
		if (!folds || !is_same(&compare->pairs[p]))
			put_pair(&doc, compare, p);
	if (folds) {
		put_same(&doc, compare, true);
		put_same(&doc, compare, false);
	}
	put_why_undecided(&doc, compare);
}
