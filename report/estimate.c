#include "report/estimate.h"

#include "report/format.h"

#include <math.h>

void pe_jump_add_runs(struct pe_text *out, const struct pe_jump *jump)
{
	if (jump->estimate == PE_ESTIMATE_PAIRS)
		pe_text_addf(out, "%zu fresh pair%s", jump->pairs, jump->pairs == 1 ? "" : "s");
	else
		pe_text_add(out, jump->estimate == PE_ESTIMATE_EXACT ? "exact" : "stored runs");
}

void pe_jump_add_more(struct pe_text *out, const struct pe_jump *jump)
{
	enum { WORTH_A_TRY = 1000 };

	if (jump->more > WORTH_A_TRY)
		pe_text_addf(out, "; too noisy here: more than %d more are needed", WORTH_A_TRY);
	else if (jump->more > 0)
		pe_text_addf(out, "; about %zu more would decide", jump->more);
}

void pe_jump_add_basis(struct pe_text *out, const struct pe_jump *jump)
{
	pe_text_addf(out, "%s, ", pe_jump_status_name(jump));
	pe_jump_add_runs(out, jump);
}

void pe_estimate_add_compared(struct pe_text *out, const struct pe_jump *jump, const char *id,
			      double measured)
{
	pe_text_addf(out, "%.*s (", PE_SHORT_ID, id);
	pe_jump_add_basis(out, jump);
	pe_text_add(out, "); the runs of these two alone: ");
	pe_format_change(out, measured);
}

struct pe_change pe_line_change(const struct pe_line *line, const struct pe_point *before,
				const struct pe_point *point)
{
	struct pe_change change = {.relative = NAN};

	if (point == NULL || point->outcome != PE_MEASURED)
		return change;
	change.jump = pe_line_jump_at(line, point->revision);
	change.judged = line->judged && isfinite(point->level);
	if ((before == NULL || before->epoch != point->epoch) && change.jump == NULL)
		return change;
	change.known = true;
	if (change.jump != NULL)
		change.relative = change.jump->relative;
	else
		change.relative = point->value == before->value
					  ? 0
					  : pe_relative(before->value, point->value);
	return change;
}

bool pe_change_is_noise(const struct pe_change *change)
{
	return change->known && change->jump == NULL && isfinite(change->relative) &&
	       change->relative != 0;
}

void pe_change_add(struct pe_text *out, const struct pe_change *change)
{
	if (!change->known)
		return;
	if (pe_change_is_noise(change))
		pe_text_addc(out, '~');
	pe_format_change(out, change->relative);
}

enum pe_paint pe_change_paint(const struct pe_change *change)
{
	if (change->jump != NULL)
		return change->jump->regression ? PE_BAD : PE_GOOD;
	return pe_change_is_noise(change) ? PE_DIM : PE_PLAIN;
}
