#include "report/interim.h"

#include "report/estimate.h"
#include "report/format.h"
#include "report/query.h"

#include "core/stats/order.h"

#include <assert.h>
#include <math.h>

/*
 * Deviation of few runs by their range, divided by its mean for that many (Tippett, "On the extreme individuals and the
 * range of samples", Biometrika 17 (1925)); the median deviation of three values is too small as often as not.
 */
static double deviation(const struct pe_point *point)
{
	static const double mean_range[] = {0,     0,     1.128, 1.693, 2.059, 2.326,
					    2.534, 2.704, 2.847, 2.970, 3.078};

	if (point->n < 2)
		return NAN;
	if (point->n < sizeof(mean_range) / sizeof(*mean_range))
		return (point->max - point->min) / mean_range[point->n];
	return PE_MAD_TO_SD * point->mad;
}

/* The difference of two medians, and an interval by the deviations of the runs. */
static void compare_ends(struct pe_interim *out)
{
	const struct pe_point *from = out->oldest, *to = out->newest;
	double n = (double)(from->n + to->n), half;

	out->relative = pe_relative(from->median, to->median);
	out->low = out->high = NAN;
	if (n < 4)
		return;
	/* A median is a quarter less precise than a mean. */
	half = 1.253 * pe_student_quantile(1.96, n - 2) *
	       sqrt(deviation(from) * deviation(from) / (double)from->n +
		    deviation(to) * deviation(to) / (double)to->n) /
	       fabs(from->median);
	out->low = out->relative - half;
	out->high = out->relative + half;
}

static const struct pe_point *end_of(const struct pe_line *line, size_t first, bool newest)
{
	for (size_t k = 0; k < line->n_points; k++) {
		const struct pe_point *point = &line->points[newest ? line->n_points - 1 - k : k];

		if (point->revision >= first && point->outcome == PE_MEASURED)
			return point;
	}
	return NULL;
}

/* A difference that counts: beyond its interval, and of a size that is reported; 0: it does not. */
static double clear_size(const struct pe_interim *one)
{
	double size = fabs(one->relative);
	bool clear = one->low > 0 || one->high < 0;

	return clear && size >= one->line->metric->min_relative ? size : 0;
}

/* A line without jumps: its ends, where they differ more than those that were seen before; else the first line stays. */
static void take_ends(struct pe_interim *out, const struct pe_evolution *evolution,
		      const struct pe_line *line)
{
	struct pe_interim one = {.line = line,
				 .oldest = end_of(line, evolution->first, false),
				 .newest = end_of(line, evolution->first, true)};

	if (one.oldest == NULL || one.oldest == one.newest)
		return;
	assert(one.newest != NULL);
	compare_ends(&one);
	if (out->line != NULL && !(clear_size(&one) > clear_size(out)))
		return;
	one.known = out->known;
	one.revisions = out->revisions;
	*out = one;
}

static size_t count_known(const struct pe_evolution *evolution)
{
	size_t n = 0;

	for (size_t r = evolution->first; r < evolution->n_revisions; r++)
		for (size_t i = 0; i < evolution->n_lines; i++) {
			const struct pe_point *point = pe_line_at(&evolution->lines[i], r);

			if (point != NULL && point->outcome == PE_MEASURED) {
				n++;
				break;
			}
		}
	return n;
}

struct pe_interim pe_interim_of(const struct pe_evolution *evolution)
{
	struct pe_interim out = {.known = count_known(evolution),
				 .revisions = evolution->n_revisions - evolution->first,
				 .relative = 0};
	size_t jumps = 0;

	for (size_t i = 0; i < evolution->n_lines; i++) {
		const struct pe_line *line = &evolution->lines[i];

		for (size_t j = 0; line->judged && j < line->n_jumps; j++) {
			const struct pe_jump *jump = &line->jumps[j];

			if (jump->after < evolution->first)
				continue;
			jumps++;
			if (out.jump != NULL && !(fabs(jump->relative) > fabs(out.relative)))
				continue;
			out.line = line;
			out.jump = jump;
			out.relative = jump->relative;
			out.low = jump->low;
			out.high = jump->high;
		}
	}
	if (out.jump != NULL) {
		out.oldest = end_of(out.line, evolution->first, false);
		out.newest = end_of(out.line, evolution->first, true);
		out.excluded =
			out.revisions > out.jump->commits ? out.revisions - out.jump->commits : 0;
		out.others = jumps - 1;
	}
	for (size_t i = 0; out.jump == NULL && i < evolution->n_lines; i++)
		if (evolution->lines[i].judged)
			take_ends(&out, evolution, &evolution->lines[i]);
	return out;
}

bool pe_interim_differs(const struct pe_interim *old, const struct pe_interim *now)
{
	double moved = fabs(now->relative - old->relative);

	if ((old->line == NULL) != (now->line == NULL) ||
	    (old->jump == NULL) != (now->jump == NULL) || old->excluded != now->excluded ||
	    old->others != now->others)
		return true;
	if (now->line == NULL)
		return false;
	/* More runs move the middle of an interval, within it: only a value outside of it is new. */
	return moved > 0.001 && !(now->relative >= old->low && now->relative <= old->high);
}

static void add_ends(struct pe_text *out, const struct pe_evolution *evolution,
		     const struct pe_interim *interim)
{
	const char *unit = interim->line->metric->unit;

	pe_format_value(out, interim->oldest->median, unit);
	pe_text_add(out, " at ");
	pe_add_short_id(out, evolution, interim->oldest->revision);
	pe_text_add(out, ", ");
	pe_format_value(out, interim->newest->median, unit);
	pe_text_add(out, " at ");
	pe_add_short_id(out, evolution, interim->newest->revision);
}

void pe_interim_add(struct pe_text *out, const struct pe_evolution *evolution,
		    const struct pe_interim *interim)
{
	const struct pe_jump *jump = interim->jump;

	pe_text_addf(out, "so far %zu of %zu commits are known", interim->known,
		     interim->revisions);
	if (interim->line == NULL) {
		pe_text_add(out, ", too few to compare\n");
		return;
	}
	pe_text_addf(out, "; %s, %s: ", interim->line->benchmark,
		     interim->line->metric->label != NULL ? interim->line->metric->label
							  : interim->line->metric->name);
	if (interim->oldest != NULL && interim->newest != NULL)
		add_ends(out, evolution, interim);
	pe_text_add(out, jump != NULL ? "\nlargest change " : "\nthe ends differ by ");
	pe_format_size(out, interim->relative, interim->low, interim->high);
	if (jump == NULL) {
		pe_text_add(out, "; no jump is seen yet\n");
		return;
	}
	pe_text_add(out, " in ");
	if (jump->commits > 1) {
		pe_add_short_id(out, evolution, jump->before);
		pe_text_add(out, "..");
	}
	pe_add_short_id(out, evolution, jump->after);
	pe_text_addf(out, ", %s", pe_jump_status_name(jump));
	if (jump->commits > 1)
		pe_text_addf(out, "; %zu of %zu commits are not its cause", interim->excluded,
			     interim->revisions);
	if (interim->others > 0)
		pe_text_addf(out, "; %zu other change%s", interim->others,
			     interim->others == 1 ? "" : "s");
	pe_text_addc(out, '\n');
}
