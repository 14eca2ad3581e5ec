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

struct list {
	struct pe_profile_view_data view;
	struct pe_table table;
	bool hot; /* ranked by self; else by total */
	bool narrow;
};

static void put_method(struct list *list, const struct pe_profile_method *method)
{
	const struct pe_cct *cct = list->view.cct;
	const struct pe_frame *frame = &cct->frames->at[method->frame];
	const enum pe_weight weight = list->view.profile->weight;
	const char *unit = pe_weights[weight].unit;
	const uint64_t ranked = list->hot ? method->self : method->total;
	const bool timed = weight == PE_WEIGHT_TIME && method->calls > 0;
	const uint64_t instructions = at(list->view.profile->instructions, method->frame);
	pe_auto_text text = PE_TEXT_INIT;

	pe_profile_put(&list->table, true, (double)ranked, unit);
	pe_profile_add_share(&text, (double)ranked / list->view.whole);
	pe_table_take(&list->table, PE_PLAIN, &text);
	if (!list->narrow)
		pe_profile_add_half(&text, &list->view,
				    list->hot ? method->samples : method->total_samples);
	pe_table_take(&list->table, PE_DIM, &text);
	pe_profile_put(&list->table, !list->narrow,
		       (double)(list->hot ? method->total : method->self), unit);
	pe_profile_put(&list->table,
		       cct->calls != NULL && method->calls > 0 && weight != PE_WEIGHT_CALLS,
		       (double)method->calls, "1");
	pe_profile_put(&list->table, timed, timed ? (double)ranked / (double)method->calls : 0,
		       "ns");
	pe_profile_put(&list->table,
		       !list->narrow && cct->allocations != NULL && weight != PE_WEIGHT_ALLOCATIONS,
		       (double)method->allocations, "1");
	pe_profile_put(&list->table, instructions > 0, (double)instructions, "1");
	pe_profile_put(&list->table, !list->narrow, method->contexts, "1");
	pe_profile_add_method(&text, &list->view, frame);
	pe_table_function(&list->table, PE_PLAIN, "", pe_text_str(&text));
	pe_text_clear(&text);
	if (frame->component[0] != '\0' && frame->line != 0)
		pe_text_addf(&text, "%s:%u", frame->component, frame->line);
	else
		pe_text_add(&text, frame->component);
	pe_table_path(&list->table, PE_DIM, pe_text_str(&text));
	pe_text_clear(&text);
	pe_profile_add_marks_of(&text, &list->view, method->flags, method->differs);
	pe_table_take(&list->table, PE_DIM, &text);
}

/* Frames that only hold the tree together are no methods; those that weigh nothing are not listed. */
static size_t keep_listed(struct pe_profile_method *methods, size_t n, const struct list *list)
{
	const struct pe_cct *cct = list->view.cct;
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		const enum pe_frame_kind kind = cct->frames->at[methods[i].frame].kind;
		const uint64_t ranked = list->hot ? methods[i].self : methods[i].total;

		if (ranked == 0 ||
		    (!list->hot && (kind == PE_FRAME_ROOT || kind == PE_FRAME_PROCESS ||
				    kind == PE_FRAME_THREAD)))
			continue;
		methods[kept++] = methods[i];
	}
	return kept;
}

static void put_list(struct pe_text *out, struct list *list)
{
	const struct pe_profile *profile = list->view.profile;
	size_t n, shown;
	struct pe_profile_method *methods =
		pe_profile_by_method(&n, list->view.cct, profile->weight, &list->view.arena);

	n = keep_listed(methods, n, list);
	pe_sort(methods, n, list->hot ? by_self : by_total);
	shown = profile->most != 0 && profile->most < n ? profile->most : n;
	for (size_t i = 0; i < shown; i++)
		put_method(list, &methods[i]);
	pe_table_print(out, &list->table, true);
	if (shown < n) {
		pe_auto_text line = PE_TEXT_INIT;

		pe_text_add(&line, "\xe2\x80\xa6 and ");
		pe_format_value(&line, (double)(n - shown), "1");
		pe_text_add(&line, " more (-n N)");
		pe_term_line(out, list->table.term, PE_DIM, pe_text_str(&line));
	}
}

static void print(struct pe_text *out, const struct pe_profile *profile, const struct pe_term *term,
		  bool hot)
{
	const char *label = pe_weights[profile->weight].label;
	const struct pe_column columns[] = {
		{hot ? "self" : label, true, 0},
		{"share", true, 0},
		{"\xc2\xb1", true, 0},
		{hot ? "total" : "self", true, 0},
		{"calls", true, 0},
		{"a call", true, 0},
		{"allocations", true, 0},
		{"instructions", true, 0},
		{"paths", true, 0},
		{"method", false, 24},
		{"file", false, 6},
		{"", false, 9},
	};
	struct list list = {.hot = hot, .narrow = term->width > 0 && term->width < 110};

	pe_profile_begin(&list.view, profile);
	pe_profile_add_head(out, &list.view, term);
	pe_table_init(&list.table, columns, sizeof(columns) / sizeof(columns[0]), term);
	if (list.view.total != NULL)
		put_list(out, &list);
	pe_profile_add_facts(out, &list.view, term);
	pe_table_release(&list.table);
	pe_profile_end(&list.view);
}

void pe_profile_hot(struct pe_text *out, const struct pe_profile *profile,
		    const struct pe_term *term)
{
	print(out, profile, term, true);
}

void pe_profile_methods(struct pe_text *out, const struct pe_profile *profile,
			const struct pe_term *term)
{
	print(out, profile, term, false);
}
