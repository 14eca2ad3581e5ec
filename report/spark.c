#include "report/spark.h"

#include "core/base/arena.h"
#include "report/min_effect.h"

#include <math.h>

#define LEVELS      8
#define LEAST_SPAN  0.05 /* of the largest value */
#define LEAST_STEPS 2    /* smallest detectable changes */
#define LEAST_CELLS 8    /* with room for marks */

/** Mean of the values that fall into each cell; NaN where there is none. */
static double *means(const struct pe_line *line, size_t n_revisions, size_t cells,
		     struct pe_arena *arena)
{
	double *mean = pe_arena_new(arena, double, cells);
	size_t *n = pe_arena_new(arena, size_t, cells);

	for (size_t i = 0; i < line->n_points; i++) {
		const struct pe_point *point = &line->points[i];
		size_t cell = point->revision * cells / n_revisions;

		if (point->outcome != PE_MEASURED || !isfinite(point->value))
			continue;
		n[cell]++;
		mean[cell] += (point->value - mean[cell]) / (double)n[cell];
	}
	for (size_t i = 0; i < cells; i++)
		if (n[i] == 0)
			mean[i] = NAN;
	return mean;
}

/** By cell the jump that happens there, the first of several. */
static const struct pe_jump **marks(const struct pe_line *line, size_t n_revisions, size_t cells,
				    struct pe_arena *arena)
{
	const struct pe_jump **at = pe_arena_new(arena, const struct pe_jump *, cells);

	for (size_t i = line->n_jumps; cells >= LEAST_CELLS && i-- > 0;)
		at[line->jumps[i].after * cells / n_revisions] = &line->jumps[i];
	return at;
}

static void add_mark(struct pe_text *out, const struct pe_jump *jump, bool unicode)
{
	if (unicode)
		pe_text_add(out, jump->regression ? "▲" : "▼");
	else
		pe_text_addc(out, jump->regression ? '^' : 'v');
}

static void add_bar(struct pe_text *out, int level, bool unicode)
{
	static const char ascii[] = "_.-=+*%#";

	if (unicode)
		pe_text_addf(out, "\xe2\x96%c", (char)(0x81 + level));
	else
		pe_text_addc(out, ascii[level]);
}

void pe_spark_add(struct pe_text *out, const struct pe_line *line, size_t n_revisions, size_t cells,
		  bool unicode)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	double *mean = means(line, n_revisions, cells, &arena);
	const struct pe_jump **jumps = marks(line, n_revisions, cells, &arena);
	double low = INFINITY, high = -INFINITY, span, least = pe_line_least(line, 0);

	for (size_t i = 0; i < cells; i++) {
		low = mean[i] < low ? mean[i] : low;
		high = mean[i] > high ? mean[i] : high;
	}
	/* Of jumps that are there the bars have to show the size, whatever else would have been detected. */
	if (isnan(least) || (isinf(least) && line->n_jumps > 0))
		least = 0;
	span = fmax(LEAST_STEPS * least, LEAST_SPAN);
	span = fmax(high - low, span * fmax(fabs(high), fabs(low)));
	for (size_t i = 0; i < cells; i++) {
		if (jumps[i] != NULL)
			add_mark(out, jumps[i], unicode);
		else if (isnan(mean[i]))
			pe_text_addc(out, ' ');
		else
			add_bar(out,
				span > 0 ? (int)fmin((mean[i] - low) / span * LEVELS, LEVELS - 1)
					 : 0,
				unicode);
	}
}
