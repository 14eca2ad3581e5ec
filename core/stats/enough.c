/* When a commit of a batch has been run enough: the last part of explore.h. */
#include "core/stats/explore.h"

#include "core/stats/line.h"
#include "core/stats/order.h"

#include <math.h>

/* Half the width of the 95 % interval of a location, relative to it. */
static double half_width(const struct pe_commit_line *line, const struct pe_scale *scale, size_t i)
{
	double t = pe_student_quantile(pe_normal_quantile(0.025), line->located.freedom);
	double half = t * sqrt(line->located.variance[i]);

	return scale->linear ? half / fabs(line->located.at[i]) : expm1(half);
}

size_t pe_explore_enough(bool *enough, const struct pe_readings *batch, const double *want,
			 const struct pe_explore_enough_opts *opts)
{
	static const struct pe_explore_enough_opts defaults = PE_EXPLORE_ENOUGH_DEFAULTS;
	struct pe_changepoint_opts how = PE_CHANGEPOINT_DEFAULTS;
	pe_auto_arena work = PE_ARENA_INIT;
	struct pe_lines lines = pe_lines_of(batch, &how, &work);
	size_t count = 0;

	if (opts == NULL)
		opts = &defaults;
	for (size_t i = 0; i < batch->n_commits; i++)
		enough[i] = false;
	for (size_t l = 0; l < lines.n; l++) {
		const struct pe_commit_line *line = &lines.at[l];

		for (size_t i = 0; i < line->n; i++) {
			size_t commit = line->commit[i], n = line->start[i + 1] - line->start[i];

			/* One run shows no error. */
			enough[commit] = n >= opts->most ||
					 (n >= opts->least && line->located.freedom > 0 &&
					  half_width(line, &lines.scale, i) <= want[commit] / 2);
			count += enough[commit];
		}
	}
	return count;
}
