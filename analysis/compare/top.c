#include "analysis/compare/top.h"

static bool is_modified(const struct pe_function_change *one)
{
	return one->change.source == PE_SOURCE_MODIFIED || one->change.source == PE_SOURCE_ADDED ||
	       one->change.source == PE_SOURCE_DELETED;
}

/* Who was added or deleted is another's doing, where another one was modified. */
static bool is_better(const struct pe_function_change *a, const struct pe_function_change *b)
{
	return b == NULL ||
	       (b->change.source != PE_SOURCE_MODIFIED && a->change.source == PE_SOURCE_MODIFIED);
}

bool pe_attribution_top(struct pe_attribution_top *out, const struct pe_function_changes *functions)
{
	const size_t all = functions->n + functions->n_varying + functions->n_same;

	*out = (struct pe_attribution_top){0};
	if (functions->n == 0)
		return false;
	out->shows = &functions->at[0];
	for (size_t i = 0; i < functions->n; i++)
		out->whole += functions->at[i].amount;
	/* Functions stand in the order of their differences: the first is the greatest. */
	for (size_t i = 0; i < all; i++)
		if (is_modified(&functions->at[i]) && is_better(&functions->at[i], out->who))
			out->who = &functions->at[i];
	if (is_modified(out->shows) && out->shows->change.source == PE_SOURCE_MODIFIED)
		out->who = out->shows;
	out->probably = out->who != NULL && out->who != out->shows;
	return true;
}
