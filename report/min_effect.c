#include "report/min_effect.h"

#include "report/estimate.h"
#include "report/format.h"
#include "core/base/number.h"
#include "core/base/sort.h"
#include "report/query.h"

#include <math.h>
#include <stdlib.h>

PE_SORT_NUMBERS(compare_doubles, double);

double pe_line_least(const struct pe_line *line, size_t first)
{
	double *values = pe_realloc(NULL, line->n_points + 1, sizeof(*values)), least = NAN;
	size_t n = 0;

	for (size_t i = 1; i < line->n_points; i++) {
		const struct pe_point *point = &line->points[i];

		if (point->revision >= first && point->outcome == PE_MEASURED && !point->reused &&
		    !isnan(point->least))
			values[n++] = point->least;
	}
	if (n > 0) {
		qsort(values, n, sizeof(*values), compare_doubles);
		least = values[n - 1 - n / 10];
	}
	free(values);
	return least;
}

static void add_percent(struct pe_text *out, double share)
{
	/* Rounded up, so that a change of the printed size is detected. */
	double percent = share < 0.1 ? ceil(share * 1000) / 10 : ceil(share * 100);

	pe_number_significant(out, percent, percent < 100 ? 2 : 3);
	pe_text_add(out, " %");
}

/**
 * The smallest change that would have been detected in as many benchmarks as possible. NaN: unknown; infinity: not even a
 * doubling.
 *
 * @param[out] seen  in how many of the n
 */
static double bound_of(size_t *seen, double *least, size_t n)
{
	size_t known = 0;

	for (size_t i = 0; i < n; i++)
		if (!isnan(least[i]))
			least[known++] = least[i];
	*seen = 0;
	if (known == 0)
		return NAN;
	qsort(least, known, sizeof(*least), compare_doubles);
	/* A bound of more than a doubling is useless. */
	while (*seen < known && least[*seen] < 1)
		++*seen;
	return *seen > 0 ? least[*seen - 1] : INFINITY;
}

void pe_min_effect_add_bound(struct pe_text *out, double least, size_t seen, size_t n)
{
	const bool coarse = least > PE_COARSE_TIMES;

	if (least >= 1) {
		pe_text_add(out, "; even a doubling may go unseen");
		return;
	}
	pe_text_add(out, coarse ? "; a change below " : "; a change of ");
	add_percent(out, least);
	pe_text_add(out, coarse ? " may go unseen" : " would have been detected");
	if (seen < n)
		pe_text_addf(out, " in %zu of them", seen);
	else if (n > 1 && !coarse)
		pe_text_add(out, n == 2 ? " in both" : " in all of them");
}

const char *pe_min_effect_word(double least)
{
	return least > PE_COARSE_TIMES ? " without a visible change" : " unchanged";
}

void pe_min_effect_add_unchanged(struct pe_text *word, struct pe_text *out, double *least, size_t n)
{
	size_t seen;
	double bound = bound_of(&seen, least, n);

	pe_text_add(word, pe_min_effect_word(bound));
	if (isinf(bound))
		pe_text_add(out, "; runs are too few, or too noisy, to show a doubling");
	else if (bound > 0)
		pe_min_effect_add_bound(out, bound, seen, n);
}

static void add_place(struct pe_text *out, const struct pe_evolution *evolution,
		      const struct pe_line *line, const struct pe_jump *jump)
{
	pe_text_addf(out, "%s, %s at ", line->benchmark, line->metric->label);
	pe_add_short_id(out, evolution, jump->after);
}

static void add_undecided(struct pe_text *out, const struct pe_evolution *evolution,
			  const struct pe_line *line, const struct pe_jump *jump)
{
	add_place(out, evolution, line, jump);
	if (jump->pairs == 0)
		pe_text_add(out, ": undecided, its fresh runs failed");
	else
		pe_text_addf(out, ": undecided after %zu pair%s of fresh runs", jump->pairs,
			     jump->pairs == 1 ? "" : "s");
	pe_jump_add_more(out, jump);
	pe_text_addc(out, '\n');
}

static void add_refuted(struct pe_text *out, const struct pe_evolution *evolution,
			const struct pe_line *line, const struct pe_jump *jump)
{
	add_place(out, evolution, line, jump);
	if (jump->withdrawn) {
		pe_text_add(out, ": was confirmed as ");
		pe_format_change(out, jump->relative);
		pe_text_addf(out,
			     " by %zu fresh pairs, and is withdrawn: the series as it is measured "
			     "and judged now has no jump there\n",
			     jump->pairs);
		return;
	}
	pe_text_add(out, ": looked like ");
	pe_format_change(out, jump->relative);
	if (jump->pairs == 0 && jump->layout == PE_LAYOUT_ONLY) {
		pe_text_add(out,
			    ", and is the same by code: placement in memory, or the machine\n");
		return;
	}
	pe_text_addf(out, ", and %zu pair%s of fresh runs found nothing", jump->pairs,
		     jump->pairs == 1 ? "" : "s");
	if (isfinite(jump->least) && jump->least > 0) {
		pe_text_add(out, " (they would have detected ");
		add_percent(out, jump->least);
		pe_text_addc(out, ')');
	}
	pe_text_addc(out, '\n');
}

/* Metrics that are exact elsewhere, and why they are not here: the first few. */
static void add_inexact(struct pe_text *out, const struct pe_evolution *evolution)
{
	enum { MOST = 10 };
	size_t n = 0;

	for (size_t i = 0; i < evolution->n_lines; i++) {
		const struct pe_line *line = &evolution->lines[i];

		if (!line->judged || line->kept.broken == 0 || n++ >= MOST)
			continue;
		pe_text_addf(out, "%s: %s not exact: runs of one build differ in %zu of ",
			     line->benchmark, line->metric->label, line->kept.broken);
		pe_format_plural(out, line->kept.builds, "build");
		pe_text_add(out, " (by up to ");
		add_percent(out, line->kept.most);
		pe_text_add(out, "), so treated as a noisy metric\n");
	}
	if (n > MOST)
		pe_text_addf(out, "%zu more counts are not exact either\n", n - MOST);
}

void pe_min_effect_add_answers(struct pe_text *out, const struct pe_evolution *evolution)
{
	for (size_t i = 0; i < evolution->n_lines; i++)
		for (size_t j = 0; j < evolution->lines[i].n_jumps; j++)
			if (evolution->lines[i].jumps[j].undecided &&
			    evolution->lines[i].jumps[j].state == PE_JUMP_SUSPECT)
				add_undecided(out, evolution, &evolution->lines[i],
					      &evolution->lines[i].jumps[j]);
	for (size_t i = 0; i < evolution->n_lines; i++)
		for (size_t j = 0; j < evolution->lines[i].n_refuted; j++)
			add_refuted(out, evolution, &evolution->lines[i],
				    &evolution->lines[i].refuted[j]);
	add_inexact(out, evolution);
}
