/* A comparison on a terminal: per benchmark the metrics, why they differ, and how the difference adds up. */
#include "report/compare_text.h"

#include "report/estimate.h"
#include "report/format.h"
#include "report/short_name.h"
#include "report/system_calls.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void add_heading(struct pe_text *out, const struct pe_compare_pair *pair,
			const struct pe_term *term)
{
	pe_auto_text line = PE_TEXT_INIT;

	if (pair->name == NULL)
		return;
	pe_text_addc(out, '\n');
	pe_text_add(&line, pair->name);
	if (pair->with_name != NULL)
		pe_text_addf(&line, " (old) and %s (new)", pair->with_name);
	pe_term_line(out, term, PE_BOLD, pe_text_str(&line));
}

/* --- Metrics --- */

static void add_values(struct pe_text *out, const struct pe_compare_pair *pair,
		       const struct pe_term *term)
{
	struct pe_table table;

	if (pair->n_values == 0)
		return;
	pe_compare_begin_metrics(&table, term);
	pe_compare_put_metrics(&table, pair, "");
	pe_table_finish(out, &table, true);
}

/* --- Why --- */

static void add_report(struct pe_text *out, const struct pe_compare *compare, size_t p, size_t r,
		       const struct pe_term *term)
{
	const struct pe_attribution *report = &compare->pairs[p].reports[r];
	pe_auto_text line = PE_TEXT_INIT;
	char number[32];
	unsigned n = 0;

	pe_compare_say_whole(&line, &compare->pairs[p], report);
	pe_term_wrap(out, term, PE_PLAIN, "  ", "  ", pe_text_str(&line));
	pe_text_clear(&line);
	/* Within one report the ranked lines stand in its own order. */
	for (size_t i = 0; i < compare->n_lines; i++) {
		const struct pe_compare_line *one = &compare->lines[i];

		if (one->pair != p || one->report != r)
			continue;
		snprintf(number, sizeof(number), "  %2u. ", ++n);
		pe_term_wrap(out, term, PE_PLAIN, number, "      ", one->head);
		if (one->detail[0] != '\0')
			pe_term_wrap(out, term, PE_PLAIN, "        ", "        ", one->detail);
	}
	pe_compare_add_more(&line, report->more, "smaller cause", "--top N");
	if (line.len > 0)
		pe_term_wrap(out, term, PE_DIM, "      ", "      ", pe_text_str(&line));
	pe_text_clear(&line);
	if (n == 0 && report->whole != 0)
		pe_term_wrap(out, term, PE_DIM, "      ", "      ",
			     "no single cause stands out of the noise");
	pe_compare_say_rest(&line, report);
	if (line.len > 0)
		pe_term_wrap(out, term, PE_DIM, "      ", "      ", pe_text_str(&line));
}

/* --- How it adds up --- */

static void add_parts(struct pe_text *out, const struct pe_decomposition *decomposition,
		      enum pe_cost cost, const struct pe_term *term)
{
	const char *unit = pe_compare_cost_unit(cost);
	pe_auto_text line = PE_TEXT_INIT;
	bool first = true;

	if (!decomposition->known[cost] || decomposition->whole[cost] == 0)
		return;
	pe_text_addf(&line, "%s: ", pe_compare_cost_name(cost));
	pe_compare_add_signed(&line, decomposition->whole[cost], unit);
	pe_text_add(&line, " = ");
	for (int part = 0; part < PE_N_PARTS; part++) {
		int64_t amount = decomposition->parts[cost].part[part];
		bool outside = part == PE_PART_REST && cost == PE_COST_INSTRUCTIONS;

		if (amount == 0)
			continue;
		pe_text_addf(&line, "%s%s ", first ? "" : ", ",
			     outside ? "in no method of the trees"
				     : pe_part_name((enum pe_part)part));
		pe_compare_add_signed(&line, amount, unit);
		first = false;
	}
	pe_term_wrap(out, term, PE_DIM, "  ", "    ", pe_text_str(&line));
}

/* "2 modified (`intern`, `probe`)": what was changed need not be what costs more. */
static void add_kind(struct pe_text *out, const struct pe_compare_pair *pair, const bool *seen,
		     enum pe_source_change source, const char *kind)
{
	enum { MOST_NAMED = 4 };
	const struct pe_frames *frames = pair->delta->frames;
	pe_auto_text names = PE_TEXT_INIT;
	size_t n = 0;

	for (uint32_t f = 0; f < frames->n; f++) {
		if (!seen[f] || pe_changes_source(pair->changes, f) != source)
			continue;
		if (n < MOST_NAMED) {
			pe_text_addf(&names, "%s`", n > 0 ? ", " : "");
			pe_short_name_add(&names, frames->at[f].name, 60);
			pe_text_addc(&names, '`');
		}
		n++;
	}
	if (n > MOST_NAMED)
		pe_text_addf(&names, " and %zu more", n - MOST_NAMED);
	if (n > 0)
		pe_text_addf(out, "%s%zu %s (%s)", out->len > 0 ? ", " : "", n, kind,
			     pe_text_str(&names));
}

/* What became of the methods that stand in either tree. */
static void add_touched(struct pe_text *line, const struct pe_compare_pair *pair)
{
	const struct pe_frames *frames = pair->delta->frames;
	bool *seen = pe_realloc(NULL, frames->n + 1, sizeof(*seen));
	pe_auto_text kinds = PE_TEXT_INIT;
	size_t recompiled = 0;

	memset(seen, 0, frames->n);
	for (uint32_t i = 0; i < pair->delta->n; i++) {
		const uint32_t frame = pair->delta->nodes[i].frame;

		recompiled += !seen[frame] &&
			      pe_changes_binary(pair->changes, frame) == PE_BINARY_RECOMPILED;
		seen[frame] = true;
	}
	add_kind(&kinds, pair, seen, PE_SOURCE_MODIFIED, "modified");
	add_kind(&kinds, pair, seen, PE_SOURCE_ADDED, "added");
	add_kind(&kinds, pair, seen, PE_SOURCE_DELETED, "deleted");
	add_kind(&kinds, pair, seen, PE_SOURCE_RENAMED, "renamed or moved");
	if (recompiled > 0)
		pe_text_addf(&kinds, "%s%zu with other machine code", kinds.len > 0 ? ", " : "",
			     recompiled);
	pe_text_add(line, "; methods in them: ");
	pe_text_add(line, kinds.len > 0 ? pe_text_str(&kinds) : "none changed");
	free(seen);
}

/* Whether a difference is worth a line: at least the least change of the old execution. */
static bool is_large(const struct pe_compare_pair *pair, enum pe_cost cost, double least)
{
	double whole = (double)pe_delta_values(pair->delta, 0, pe_cost_total(cost)).old_value;

	return fabs((double)pair->decomposition->whole[cost]) >= least * whole;
}

static void add_trees(struct pe_text *out, const struct pe_compare_pair *pair, double least,
		      const struct pe_term *term)
{
	pe_auto_text line = PE_TEXT_INIT;

	for (int cost = 0; cost < PE_N_COSTS; cost++)
		if (is_large(pair, (enum pe_cost)cost, least))
			add_parts(out, pair->decomposition, (enum pe_cost)cost, term);
	pe_text_add(&line, "call paths: ");
	pe_format_value(&line, pair->delta->both, "1");
	pe_text_add(&line, " in both, ");
	pe_format_value(&line, pair->delta->added, "1");
	pe_text_add(&line, " only in new, ");
	pe_format_value(&line, pair->delta->removed, "1");
	pe_text_add(&line, " only in old");
	if (pair->changes != NULL)
		add_touched(&line, pair);
	pe_term_wrap(out, term, PE_DIM, "  ", "    ", pe_text_str(&line));
}

static void add_functions(struct pe_text *out, const struct pe_compare_pair *pair,
			  const struct pe_term *term)
{
	pe_auto_text line = PE_TEXT_INIT;
	struct pe_table table;

	if (pair->functions == NULL)
		return;
	pe_text_addc(out, '\n');
	pe_compare_say_functions(&line, pair);
	pe_term_wrap(out, term, PE_PLAIN, "  ", "    ", pe_text_str(&line));
	pe_text_clear(&line);
	pe_compare_list_functions(&table, pair, term);
	pe_table_finish(out, &table, false);
	pe_compare_add_other_functions(&line, pair);
	if (line.len > 0)
		pe_term_wrap(out, term, PE_DIM, "    ", "    ", pe_text_str(&line));
}

static void add_calls(struct pe_text *out, const struct pe_compare_pair *pair,
		      const struct pe_term *term)
{
	pe_auto_text line = PE_TEXT_INIT;

	if (pair->calls == NULL)
		return;
	pe_text_addc(out, '\n');
	pe_system_calls_say(&line, pair->calls);
	pe_term_wrap(out, term, PE_PLAIN, "  ", "    ", pe_text_str(&line));
}

static void add_all(struct pe_text *out, const struct pe_compare *compare,
		    const struct pe_compare_pair *pair, const struct pe_term *term)
{
	add_functions(out, pair, term);
	add_calls(out, pair, term);
	if (pair->delta == NULL)
		return;
	pe_text_addc(out, '\n');
	add_trees(out, pair, compare->min_change, term);
}

static void add_pair(struct pe_text *out, const struct pe_compare *compare, size_t p,
		     const struct pe_term *term)
{
	const struct pe_compare_pair *pair = &compare->pairs[p];

	add_heading(out, pair, term);
	add_values(out, pair, term);
	pe_text_addc(out, '\n');
	if (pair->whole != NULL && pair->delta != NULL)
		pe_term_wrap(out, term, PE_DIM, "  ", "  ", pair->whole);
	if (pair->untimed != NULL && pair->delta != NULL)
		pe_term_wrap(out, term, PE_DIM, "  ", "  ", pair->untimed);
	for (size_t r = 0; r < pair->n_reports; r++)
		add_report(out, compare, p, r, term);
	if (pair->n_reports == 0)
		pe_term_wrap(out, term, PE_PLAIN, "  ", "  ", pe_compare_unexplained(pair));
	if (compare->view.all)
		add_all(out, compare, pair, term);
	else if (compare->counts_only)
		add_functions(out, pair, term);
	if (compare->view.tree && pair->delta != NULL) {
		pe_text_addc(out, '\n');
		pe_compare_tree(out, compare, p, term);
	}
}

void pe_compare_term(struct pe_text *out, const struct pe_compare *compare,
		     const struct pe_term *term)
{
	pe_compare_add_sides(out, compare, term);
	for (size_t p = 0; p < compare->n_pairs; p++)
		add_pair(out, compare, p, term);
}
