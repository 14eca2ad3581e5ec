/*
 * A comparison for a comment on a pull request: the metrics with their intervals and verdict words, the lines of
 * the verdict, and folded below them how the difference adds up and the tree of contexts.
 */
#include "report/compare_text.h"

#include "report/markdown.h"
#include "report/system_calls.h"

static void put_side(struct pe_text *out, const char *which, const struct pe_compare_side *side)
{
	pe_text_addf(out, "%s ", which);
	pe_md_code(out, side->name != NULL ? side->name : "", PE_MD_LINE);
	if (side->subject != NULL) {
		pe_text_addc(out, ' ');
		pe_md_text(out, side->subject, PE_MD_LINE);
	}
}

static void put_values(struct pe_text *out, const struct pe_compare *compare)
{
	struct pe_table table;

	pe_compare_begin_metrics(&table, &pe_md_term);
	for (size_t p = 0; p < compare->n_pairs; p++)
		pe_compare_put_metrics(&table, &compare->pairs[p],
				       compare->pairs[p].name != NULL ? compare->pairs[p].name
								      : "");
	if (table.cells.n > 0) {
		pe_text_addc(out, '\n');
		pe_md_table(out, &table);
	}
	pe_table_release(&table);
}

/* "2 metrics worse, 1 better in 3 benchmarks"; files that are compared have no metrics. */
static void put_headline(struct pe_text *out, const struct pe_compare *compare)
{
	size_t worse = 0, better = 0, undecided = 0;

	for (size_t p = 0; p < compare->n_pairs; p++)
		for (size_t i = 0; i < compare->pairs[p].n_values; i++) {
			const struct pe_compare_value *value = &compare->pairs[p].values[i];

			worse += value->judged && value->verdict == PE_REGRESSED;
			better += value->judged && value->verdict == PE_IMPROVED;
			undecided += value->judged && value->verdict == PE_UNDECIDED;
		}
	pe_text_add(out, "### perfevo: ");
	if (worse > 0)
		pe_text_addf(out, "%zu metric%s worse", worse, worse == 1 ? "" : "s");
	if (better > 0)
		pe_text_addf(out, "%s%zu%s better", worse > 0 ? ", " : "", better,
			     worse > 0     ? ""
			     : better == 1 ? " metric"
					   : " metrics");
	if (worse + better == 0)
		pe_text_add(out, undecided == 0 ? "nothing differs beyond noise"
						: "no difference beyond noise is known");
	if (undecided > 0)
		pe_text_addf(out, ", %zu undecided", undecided);
	if (compare->counts_only)
		pe_text_add(out, " (" PE_COUNTS_ONLY ")");
	pe_text_addc(out, '\n');
}

static void put_report(struct pe_text *out, const struct pe_compare *compare, size_t p, size_t r)
{
	const struct pe_attribution *report = &compare->pairs[p].reports[r];
	pe_auto_text line = PE_TEXT_INIT;
	unsigned n = 0;

	pe_compare_say_whole(&line, &compare->pairs[p], report);
	pe_text_addc(out, '\n');
	pe_md_text(out, pe_text_str(&line), PE_MD_LINE);
	pe_text_add(out, "\n\n");
	for (size_t i = 0; i < compare->n_lines; i++) {
		const struct pe_compare_line *one = &compare->lines[i];

		if (one->pair != p || one->report != r)
			continue;
		pe_text_addf(out, "%u. ", ++n);
		pe_md_text(out, one->text, PE_MD_LINE);
		pe_text_addc(out, '\n');
	}
	if (n == 0)
		pe_text_add(out, "No single cause stands out of the noise.\n");
	if (report->more > 0) {
		pe_text_addc(out, '\n');
		pe_compare_add_more(out, report->more, "smaller cause", "`--top N`");
		pe_text_addc(out, '\n');
	}
}

static void put_tree(struct pe_text *out, const struct pe_compare *compare, size_t p)
{
	static const struct pe_term term = {.width = 110, .unicode = true};
	pe_auto_text tree = PE_TEXT_INIT;

	if (compare->pairs[p].delta == NULL)
		return;
	pe_compare_tree(&tree, compare, p, &term);
	if (tree.len > 0) {
		pe_text_add(
			out,
			"\n<details><summary>Contexts: the delta hot path, what else varies, and "
			"the ways to the causes</summary>\n\n");
		pe_md_block(out, pe_text_str(&tree));
		pe_text_add(out, "\n</details>\n");
	}
}

/* A sentence about the trees, where there is one. */
static void put_remark(struct pe_text *out, const char *remark)
{
	if (remark == NULL)
		return;
	pe_text_addc(out, '\n');
	pe_md_text(out, remark, PE_MD_LINE);
	pe_text_addc(out, '\n');
}

static void put_functions(struct pe_text *out, const struct pe_compare_pair *pair)
{
	pe_auto_text line = PE_TEXT_INIT;
	struct pe_table table;

	if (pair->functions == NULL || pair->functions->n == 0)
		return;
	pe_compare_say_functions(&line, pair);
	put_remark(out, pe_text_str(&line));
	pe_text_addc(out, '\n');
	pe_compare_list_functions(&table, pair, &pe_md_term);
	pe_md_table(out, &table);
	pe_table_release(&table);
	pe_text_clear(&line);
	pe_compare_add_other_functions(&line, pair);
	if (line.len > 0)
		put_remark(out, pe_text_str(&line));
}

static void put_calls(struct pe_text *out, const struct pe_compare_pair *pair)
{
	pe_auto_text line = PE_TEXT_INIT;

	if (pair->calls == NULL || pair->calls->n == 0)
		return;
	pe_system_calls_say(&line, pair->calls);
	put_remark(out, pe_text_str(&line));
}

static void put_pair(struct pe_text *out, const struct pe_compare *compare, size_t p)
{
	const struct pe_compare_pair *pair = &compare->pairs[p];

	bool changed = (pair->functions != NULL && pair->functions->n > 0) ||
		       (pair->calls != NULL && pair->calls->n > 0);

	if (pair->n_reports == 0 && pair->problem == NULL && !changed)
		return;
	if (pair->name != NULL) {
		pe_text_add(out, "\n#### ");
		pe_md_code(out, pair->name, PE_MD_LINE);
		if (pair->with_name != NULL) {
			pe_text_add(out, " (old) and ");
			pe_md_code(out, pair->with_name, PE_MD_LINE);
			pe_text_add(out, " (new)");
		}
		pe_text_addc(out, '\n');
	}
	if (pair->problem != NULL) {
		pe_text_addc(out, '\n');
		pe_md_text(out, pair->problem, PE_MD_LINE);
		pe_text_addc(out, '\n');
		put_functions(out, pair);
		put_calls(out, pair);
		return;
	}
	put_remark(out, pair->whole);
	put_remark(out, pair->untimed);
	for (size_t r = 0; r < pair->n_reports; r++)
		put_report(out, compare, p, r);
	put_functions(out, pair);
	put_calls(out, pair);
	put_tree(out, compare, p);
}

void pe_compare_md(struct pe_text *out, const struct pe_compare *compare)
{
	put_headline(out, compare);
	pe_text_addc(out, '\n');
	put_side(out, "old", &compare->old_side);
	pe_text_add(out, "<br>\n");
	put_side(out, "new", &compare->new_side);
	if (compare->origin != NULL) {
		pe_text_add(out, "<br>\nmeasured on ");
		pe_md_text(out, compare->origin, PE_MD_LINE);
	}
	pe_text_addc(out, '\n');
	put_values(out, compare);
	for (size_t p = 0; p < compare->n_pairs; p++)
		put_pair(out, compare, p);
}
