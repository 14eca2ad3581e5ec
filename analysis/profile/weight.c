#include "analysis/profile/weight.h"

#include "core/base/text.h"

#include <string.h>

const struct pe_weight_kind pe_weights[PE_N_WEIGHTS] = {
	[PE_WEIGHT_AUTO] = {"auto", "", "", 0},
	[PE_WEIGHT_TIME] = {"time", "time", "ns", PE_CCT_COLUMN_TIME},
	[PE_WEIGHT_SAMPLES] = {"samples", "samples", "1", PE_CCT_COLUMN_SAMPLES},
	[PE_WEIGHT_CALLS] = {"calls", "calls", "1", PE_CCT_COUNT_CALLS},
	[PE_WEIGHT_ALLOCATIONS] = {"allocations", "allocations", "1", PE_CCT_COUNT_ALLOCATIONS},
	[PE_WEIGHT_BYTES] = {"bytes", "allocated bytes", "bytes", PE_CCT_COUNT_BYTES},
};

const uint64_t *pe_weight_self(const struct pe_cct *cct, enum pe_weight weight)
{
	return weight != PE_WEIGHT_AUTO ? cct->columns[pe_weights[weight].column] : NULL;
}

static const uint64_t *summed(const struct pe_cct *cct, enum pe_weight weight)
{
	switch (weight) {
	case PE_WEIGHT_TIME:
		return cct->total_ns;
	case PE_WEIGHT_ALLOCATIONS:
		return cct->total_allocations;
	case PE_WEIGHT_BYTES:
		return cct->total_bytes;
	default:
		return NULL;
	}
}

const uint64_t *pe_weight_total(const struct pe_cct *cct, enum pe_weight weight,
				struct pe_arena *arena)
{
	const uint64_t *self = pe_weight_self(cct, weight);
	uint64_t *total;

	if (self == NULL || summed(cct, weight) != NULL)
		return summed(cct, weight);
	total = pe_arena_new(arena, uint64_t, cct->n);
	pe_cct_sum_column(cct, self, total);
	return total;
}

/* Append "time, calls": the names of the weights of a tree, or of all without one. */
static void add_names(struct pe_text *out, const struct pe_cct *cct)
{
	for (int i = PE_WEIGHT_AUTO + 1; i < PE_N_WEIGHTS; i++) {
		if (cct != NULL && pe_weight_self(cct, (enum pe_weight)i) == NULL)
			continue;
		if (out->len > 0)
			pe_text_add(out, ", ");
		pe_text_add(out, pe_weights[i].name);
	}
}

int pe_weight_find(enum pe_weight *out, const char *name, struct pe_err *err)
{
	pe_auto_text names = PE_TEXT_INIT;

	for (int i = 0; i < PE_N_WEIGHTS; i++) {
		if (strcmp(pe_weights[i].name, name) == 0) {
			*out = (enum pe_weight)i;
			return PE_OK;
		}
	}
	add_names(&names, NULL);
	pe_fail(err, PE_EINVALID, "unknown weight '%s' (there are %s)", name, pe_text_str(&names));
	return PE_EINVALID;
}

int pe_weight_settle(enum pe_weight *weight, const struct pe_cct *cct, struct pe_err *err)
{
	pe_auto_text names = PE_TEXT_INIT;

	for (int i = PE_WEIGHT_AUTO + 1; *weight == PE_WEIGHT_AUTO && i < PE_N_WEIGHTS; i++)
		if (pe_weight_self(cct, (enum pe_weight)i) != NULL)
			*weight = (enum pe_weight)i;
	if (*weight != PE_WEIGHT_AUTO && pe_weight_self(cct, *weight) != NULL)
		return PE_OK;
	add_names(&names, cct);
	if (names.len == 0)
		pe_fail(err, PE_ENOTFOUND, "this profile has no values");
	else
		pe_fail(err, PE_ENOTFOUND, "this profile does not know %s; it knows %s",
			pe_weights[*weight].label, pe_text_str(&names));
	return PE_ENOTFOUND;
}
