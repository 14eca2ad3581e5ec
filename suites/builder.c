/* Builder: collects values in entries, found by name through a hash index, and copies them to the arena at the end. */
#include "suites/suite_internal.h"

#include "core/base/array.h"
#include "core/stats/order.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const struct pe_suite_definition pe_suite_wall = {"wall", "ns", PE_LOWER_IS_BETTER,
						  PE_METRIC_NOISY};
/* CPU time follows wall time, and would repeat each of its jumps (core/model/metric.c). */
const struct pe_suite_definition pe_suite_cpu = {"cpu", "ns", PE_LOWER_IS_BETTER,
						 PE_METRIC_CONTEXT};

struct metric {
	struct pe_suite_definition about;
	PE_VEC(double) values;
	PE_VEC(size_t) ends;
	unsigned process;
};

struct pe_suite_draft {
	struct pe_suite_entry entry;
	PE_VEC(struct metric) metrics;
	PE_VEC(double) iterations;
	size_t row;
	/* of the first entry of a name only */
	unsigned document, seen; /* seen: entries of this name in this document */
	unsigned last;           /* number of the latest duplicate */
};

static void draft_free(struct pe_suite_draft *draft)
{
	for (size_t i = 0; i < draft->metrics.n; i++) {
		pe_vec_release(&draft->metrics.data[i].values);
		pe_vec_release(&draft->metrics.data[i].ends);
	}
	pe_vec_release(&draft->metrics);
	pe_vec_release(&draft->iterations);
	free(draft);
}

void pe_suite_reader_release(struct pe_suite_reader *reader)
{
	for (size_t i = 0; i < reader->drafts.n; i++)
		draft_free(reader->drafts.data[i]);
	pe_vec_release(&reader->drafts);
	pe_vec_release(&reader->notes);
	pe_hash_index_release(&reader->by_id);
	pe_map_release(&reader->by_instance);
	pe_text_release(&reader->id);
	pe_text_release(&reader->id_other);
	pe_arena_release(&reader->scratch);
}

void pe_suite_note(struct pe_suite_reader *reader, enum pe_suite_note_kind kind, const char *format,
		   ...)
{
	struct pe_suite_note note = {.kind = kind};
	char text[1024];
	va_list args;

	for (size_t i = 0; i < reader->notes.n; i++)
		if (reader->notes.data[i].kind == kind)
			return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	note.text = pe_arena_strdup(reader->arena, text);
	pe_vec_push(&reader->notes, note);
}

void pe_suite_cut(struct pe_suite_reader *reader, const char *running)
{
	reader->out->cut_short = true;
	reader->out->running = pe_arena_strdup(reader->arena, running != NULL ? running : "");
}

static bool fits(struct pe_suite_reader *reader, const char *text)
{
	if (strlen(text) <= PE_SUITE_MAX_NAME)
		return true;
	pe_suite_note(reader, PE_SUITE_NOTE_LIMIT,
		      "names of more than %d bytes were left out, the first begins with '%.40s'",
		      (int)PE_SUITE_MAX_NAME, text);
	return false;
}

bool pe_suite_param(struct pe_suite_reader *reader, struct pe_suite_name *name, const char *key,
		    const char *value)
{
	if (!fits(reader, key) || !fits(reader, value))
		return false;
	if (name->n_params == PE_SUITE_MAX_PARAMS) {
		pe_suite_note(reader, PE_SUITE_NOTE_LIMIT,
			      "a benchmark has more than %d parameters: %.100s",
			      (int)PE_SUITE_MAX_PARAMS, name->name);
		return false;
	}
	name->params[name->n_params++] = (struct pe_suite_param){key, value};
	return true;
}

/* ---- Entries by their names ---- */

static uint32_t id_hash(const char *id)
{
	return (uint32_t)pe_hash_text(0, id, strlen(id));
}

static struct pe_suite_draft *find_id(const struct pe_suite_reader *reader, const char *id)
{
	uint32_t hash = id_hash(id);

	for (struct pe_hash_slot *slot = NULL;
	     (slot = pe_hash_index_next(&reader->by_id, hash, slot)) != NULL;)
		if (strcmp(reader->drafts.data[slot->row]->entry.id, id) == 0)
			return reader->drafts.data[slot->row];
	return NULL;
}

static const struct pe_suite_param *copy_params(struct pe_arena *arena,
						const struct pe_suite_param *params, size_t n)
{
	struct pe_suite_param *copy = pe_arena_new(arena, struct pe_suite_param, n + 1);

	for (size_t i = 0; i < n; i++) {
		copy[i].name =
			*params[i].name == '\0' ? "" : pe_arena_strdup(arena, params[i].name);
		copy[i].value = pe_arena_strdup(arena, params[i].value);
	}
	return copy;
}

/* Give a duplicate of a name a parameter "#" with a free number. */
static void number_duplicate(struct pe_suite_reader *reader, struct pe_suite_entry *entry,
			     struct pe_suite_draft *base)
{
	struct pe_suite_param *params = (struct pe_suite_param *)entry->params;
	char number[16];

	/* copy_params() allocated one more. */
	entry->n_params++;
	do {
		snprintf(number, sizeof(number), "%u", ++base->last);
		params[entry->n_params - 1] = (struct pe_suite_param){"#", number};
		pe_text_clear(&reader->id_other);
		pe_suite_id_add(&reader->id_other, entry->name, params, entry->n_params);
	} while (find_id(reader, pe_text_str(&reader->id_other)) != NULL);
	params[entry->n_params - 1].value = pe_arena_strdup(reader->arena, number);
	entry->id = pe_arena_strdup(reader->arena, pe_text_str(&reader->id_other));
	if (reader->n_duplicates++ == 0)
		reader->first_duplicate = base->entry.id;
}

static struct pe_suite_draft *make_draft(struct pe_suite_reader *reader,
					 const struct pe_suite_name *name,
					 struct pe_suite_draft *base, uint64_t instance)
{
	struct pe_suite_draft *draft = pe_realloc(NULL, 1, sizeof(*draft));
	struct pe_suite_entry *entry = &draft->entry;
	struct pe_arena *arena = reader->arena;

	*draft = (struct pe_suite_draft){.row = reader->drafts.n, .last = 1};
	entry->name = pe_arena_strdup(arena, name->name);
	entry->selector =
		name->selector != NULL ? pe_arena_strdup(arena, name->selector) : entry->name;
	entry->message = "";
	entry->params = copy_params(arena, name->params, name->n_params);
	entry->n_params = name->n_params;
	entry->id = base == NULL ? pe_arena_strdup(arena, pe_text_str(&reader->id)) : NULL;
	if (base != NULL)
		number_duplicate(reader, entry, base);
	pe_hash_index_add(&reader->by_id, id_hash(entry->id), (uint32_t)draft->row);
	pe_map_put(&reader->by_instance, base != NULL ? base->row : draft->row, instance,
		   (uint32_t)draft->row, NULL);
	pe_vec_push(&reader->drafts, draft);
	return draft;
}

struct pe_suite_draft *pe_suite_draft(struct pe_suite_reader *reader,
				      const struct pe_suite_name *name, uint64_t instance)
{
	struct pe_suite_draft *base, *draft;
	const uint32_t *row;

	if (!fits(reader, name->name) || (name->selector != NULL && !fits(reader, name->selector)))
		return NULL;
	pe_text_clear(&reader->id);
	pe_suite_id_add(&reader->id, name->name, name->params, name->n_params);
	base = find_id(reader, pe_text_str(&reader->id));
	if (instance == PE_SUITE_EACH) {
		if (base != NULL && base->document != reader->document)
			base->seen = 0;
		instance = base != NULL ? base->seen++ : 0;
	}
	row = base != NULL ? pe_map_find(&reader->by_instance, base->row, instance) : NULL;
	draft = row != NULL ? reader->drafts.data[*row] : NULL;
	if (draft == NULL && reader->drafts.n == PE_SUITE_MAX_ENTRIES) {
		pe_suite_note(reader, PE_SUITE_NOTE_LIMIT, "more than %d benchmarks",
			      (int)PE_SUITE_MAX_ENTRIES);
		return NULL;
	}
	if (draft == NULL) {
		draft = make_draft(reader, name, base, instance);
		if (base == NULL)
			draft->seen = 1;
	}
	(base != NULL ? base : draft)->document = reader->document;
	return draft;
}

/* ---- Values ---- */

static struct metric *find_metric(struct pe_suite_reader *reader, struct pe_suite_draft *draft,
				  const struct pe_suite_definition *about)
{
	struct metric made = {.about = *about, .process = reader->process};

	for (size_t i = 0; i < draft->metrics.n; i++)
		if (strcmp(draft->metrics.data[i].about.name, about->name) == 0)
			return &draft->metrics.data[i];
	if (!fits(reader, about->name) || !fits(reader, about->unit))
		return NULL;
	if (draft->metrics.n == PE_SUITE_MAX_METRICS) {
		pe_suite_note(reader, PE_SUITE_NOTE_LIMIT, "more than %d metrics: %.100s",
			      (int)PE_SUITE_MAX_METRICS, draft->entry.id);
		return NULL;
	}
	made.about.name = pe_arena_strdup(reader->arena, about->name);
	made.about.unit = pe_arena_strdup(reader->arena, about->unit);
	pe_vec_push(&draft->metrics, made);
	return &draft->metrics.data[draft->metrics.n - 1];
}

static void refuse(struct pe_suite_reader *reader, const struct pe_suite_draft *draft)
{
	if (reader->n_refused++ == 0)
		reader->first_refused = draft->entry.id;
}

void pe_suite_value(struct pe_suite_reader *reader, struct pe_suite_draft *draft,
		    const struct pe_suite_definition *about, double value)
{
	struct metric *metric;

	if (!isfinite(value)) {
		refuse(reader, draft);
		return;
	}
	metric = find_metric(reader, draft, about);
	if (metric == NULL)
		return;
	/* Values of different units cannot be one sample. */
	if (strcmp(metric->about.unit, about->unit) != 0) {
		refuse(reader, draft);
		return;
	}
	if (metric->process != reader->process && metric->values.n > 0)
		pe_vec_push(&metric->ends, metric->values.n);
	metric->process = reader->process;
	pe_vec_push(&metric->values, value);
}

bool pe_suite_has_values(const struct pe_suite_draft *draft)
{
	for (size_t i = 0; i < draft->metrics.n; i++)
		if (draft->metrics.data[i].values.n > 0)
			return true;
	return false;
}

void pe_suite_iterations(struct pe_suite_draft *draft, double iterations)
{
	if (isfinite(iterations) && iterations > 0)
		pe_vec_push(&draft->iterations, iterations);
}

void pe_suite_failed(struct pe_suite_reader *reader, struct pe_suite_draft *draft,
		     enum pe_suite_state state, const char *message)
{
	if (draft->entry.state == PE_SUITE_FAILED)
		return;
	draft->entry.state = state;
	draft->entry.message = pe_arena_strdup(reader->arena, message);
}

/* ---- The output ---- */

static void finish_metric(struct pe_suite_metric *out, struct metric *metric,
			  struct pe_arena *arena)
{
	pe_vec_push(&metric->ends, metric->values.n);
	*out = (struct pe_suite_metric){
		.name = metric->about.name,
		.unit = metric->about.unit,
		.better = metric->about.better,
		.kind = metric->about.kind,
		.values = pe_vec_copy(arena, &metric->values),
		.n_values = metric->values.n,
		.ends = pe_vec_copy(arena, &metric->ends),
		.n_processes = metric->ends.n,
	};
}

static void finish_draft(struct pe_suite_draft *draft, struct pe_arena *arena)
{
	struct pe_suite_entry *entry = &draft->entry;
	struct pe_suite_metric *metrics;

	if (entry->state != PE_SUITE_MEASURED)
		return;
	if (!pe_suite_has_values(draft)) {
		entry->state = PE_SUITE_FAILED;
		entry->message = "it has no value that is a finite number";
		return;
	}
	metrics = pe_arena_new(arena, struct pe_suite_metric, draft->metrics.n);
	for (size_t i = 0; i < draft->metrics.n; i++)
		if (draft->metrics.data[i].values.n > 0)
			finish_metric(&metrics[entry->n_metrics++], &draft->metrics.data[i], arena);
	entry->metrics = metrics;
	/* Sort instead of selecting: a file could have an order for which selection takes quadratic time. */
	pe_order_sort(draft->iterations.data, draft->iterations.n);
	if (draft->iterations.n > 0)
		entry->iterations =
			pe_order_quantile(draft->iterations.data, draft->iterations.n, 0.5);
}

void pe_suite_finish(struct pe_suite_reader *reader)
{
	struct pe_suite_output *out = reader->out;
	struct pe_suite_entry *entries =
		pe_arena_new(reader->arena, struct pe_suite_entry, reader->drafts.n);

	for (size_t i = 0; i < reader->drafts.n; i++) {
		finish_draft(reader->drafts.data[i], reader->arena);
		entries[i] = reader->drafts.data[i]->entry;
	}
	if (reader->n_duplicates > 0)
		pe_suite_note(reader, PE_SUITE_NOTE_DUPLICATE,
			      "%zu benchmarks have the name of another one, the first is %.200s",
			      reader->n_duplicates, reader->first_duplicate);
	if (reader->n_refused > 0)
		pe_suite_note(
			reader, PE_SUITE_NOTE_VALUE,
			"%zu value%s left out, the first of %.200s: no finite number, or of another unit",
			reader->n_refused, reader->n_refused == 1 ? "" : "s",
			reader->first_refused);
	out->entries = entries;
	out->n_entries = reader->drafts.n;
	out->notes = pe_vec_copy(reader->arena, &reader->notes);
	out->n_notes = reader->notes.n;
}
