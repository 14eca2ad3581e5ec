/* Methods in all their contexts together: by what they weigh themselves, and with what they call. */
#include "report/profile_text.h"

#include "core/base/sort.h"
#include "report/format.h"
#include "report/terminal.h"

static uint64_t at(const uint64_t *column, uint32_t node)
{
	return column != NULL ? column[node] : 0;
}

static uint32_t most(uint32_t runs, const struct pe_cct_range *range)
{
	return range != NULL && range->runs > runs ? range->runs : runs;
}

/* A node below another of its method is counted there: nodes below i are i + 1 to end - 1. */
struct pe_profile_method *pe_profile_by_method(size_t *n, const struct pe_cct *cct,
					       enum pe_weight weight, struct pe_arena *arena)
{
	const uint64_t *self = pe_weight_self(cct, weight);
	const uint64_t *total = pe_weight_total(cct, weight, arena);
	const uint64_t *samples = pe_weight_total(cct, PE_WEIGHT_SAMPLES, arena);
	struct pe_profile_method *methods =
		pe_arena_new(arena, struct pe_profile_method, cct->frames->n);
	uint32_t *ends = pe_arena_new(arena, uint32_t, cct->frames->n);
	size_t used = 0;

	for (uint32_t i = 0; i < cct->n; i++) {
		const struct pe_cct_node *node = &cct->nodes[i];
		struct pe_profile_method *method = &methods[node->frame];

		method->frame = node->frame;
		method->contexts++;
		method->flags |= cct->flags[i];
		method->differs = most(method->differs, pe_cct_range_of(cct, i));
		method->self = pe_profile_sum(method->self, at(self, i));
		method->calls = pe_profile_sum(method->calls, at(cct->calls, i));
		method->allocations = pe_profile_sum(method->allocations, at(cct->allocations, i));
		method->allocated_bytes =
			pe_profile_sum(method->allocated_bytes, at(cct->allocated_bytes, i));
		method->samples = pe_profile_sum(method->samples, at(cct->samples, i));
		if (i < ends[node->frame])
			continue;
		ends[node->frame] = node->end;
		method->total = pe_profile_sum(method->total, at(total, i));
		method->total_samples = pe_profile_sum(method->total_samples, at(samples, i));
	}
	for (uint32_t i = 0; i < cct->frames->n; i++)
		if (methods[i].contexts > 0)
			methods[used++] = methods[i];
	*n = used;
	return methods;
}

static int by_self(const void *left, const void *right)
{
	const struct pe_profile_method *a = left, *b = right;

	if (a->self != b->self)
		return a->self > b->self ? -1 : 1;
	if (a->total != b->total)
		return a->total > b->total ? -1 : 1;
	return a->frame < b->frame ? -1 : a->frame > b->frame;
}

static int by_total(const void *left, const void *right)
{
	const struct pe_profile_method *a = left, *b = right;

	if (a->total != b->total)
		return a->total > b->total ? -1 : 1;
	return by_self(left, right);
}

/* @param hot  ranked by self; else by total */
static void put_method(struct pe_profile_view_data *view, const struct pe_profile_method *method,
		       bool hot)
{
	const struct pe_cct *cct = view->cct;
	const struct pe_frame *frame = &cct->frames->at[method->frame];
	const enum pe_weight weight = view->profile->weight;
	const uint64_t instructions = at(view->profile->instructions, method->frame);
	struct pe_profile_row row = PE_PROFILE_ROW_INIT;
	pe_auto_text place = PE_TEXT_INIT;

	row.frame = frame;
	row.weight = hot ? method->self : method->total;
	row.samples = hot ? method->samples : method->total_samples;
	row.other = (double)(hot ? method->total : method->self);
	if (cct->calls != NULL && method->calls > 0 && weight != PE_WEIGHT_CALLS)
		row.calls = (double)method->calls;
	if (weight == PE_WEIGHT_TIME && method->calls > 0)
		row.call_ns = (double)row.weight / (double)method->calls;
	if (cct->allocations != NULL && weight != PE_WEIGHT_ALLOCATIONS)
		row.allocations = (double)method->allocations;
	if (instructions > 0)
		row.instructions = (double)instructions;
	row.paths = method->contexts;
	row.flags = method->flags;
	row.differs = method->differs;
	pe_text_add(&place, frame->component);
	if (frame->component[0] != '\0' && frame->line != 0)
		pe_text_addf(&place, ":%u", frame->line);
	row.place = pe_text_str(&place);
	pe_profile_put_row(view, &row);
}

/* Frames that only hold the tree together are no methods; those that weigh nothing are not listed. */
static size_t keep_listed(struct pe_profile_method *methods, size_t n, const struct pe_cct *cct,
			  bool hot)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		const enum pe_frame_kind kind = cct->frames->at[methods[i].frame].kind;
		const uint64_t ranked = hot ? methods[i].self : methods[i].total;

		if (ranked == 0 || (!hot && (kind == PE_FRAME_ROOT || kind == PE_FRAME_PROCESS ||
					     kind == PE_FRAME_THREAD)))
			continue;
		methods[kept++] = methods[i];
	}
	return kept;
}

void pe_profile_list(struct pe_text *out, const struct pe_profile *profile, bool hot,
		     const struct pe_term *term)
{
	const char *label = pe_weights[profile->weight].label;
	struct pe_profile_view_data view;
	struct pe_profile_method *methods;
	size_t n = 0, shown;

	pe_profile_begin(&view, profile);
	pe_profile_begin_table(out, &view, hot ? "self" : label, hot ? "total" : "self", term);
	methods = pe_profile_by_method(&n, view.cct, profile->weight, &view.arena);
	n = view.total != NULL ? keep_listed(methods, n, view.cct, hot) : 0;
	pe_sort(methods, n, hot ? by_self : by_total);
	shown = profile->most != 0 && profile->most < n ? profile->most : n;
	for (size_t i = 0; i < shown; i++)
		put_method(&view, &methods[i], hot);
	pe_table_print(out, &view.table, true);
	if (shown < n) {
		pe_auto_text line = PE_TEXT_INIT;

		pe_text_add(&line, "\xe2\x80\xa6 and ");
		pe_format_value(&line, (double)(n - shown), "1");
		pe_text_add(&line, " more (-n N)");
		pe_term_line(out, term, PE_DIM, pe_text_str(&line));
	}
	pe_profile_end_table(out, &view);
	pe_profile_end(&view);
}
