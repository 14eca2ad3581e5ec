/* The critical graph on a terminal. */
#include "report/zam.h"

#include "report/document.h"
#include "report/compare_text.h"
#include "report/format.h"
#include "report/short_name.h"

static const char *unit_of(const struct pe_zam_page *page)
{
	return page->unit != NULL ? page->unit : "ns";
}

/* Whether any call that is shown waited. */
static bool waits(const struct pe_zam *zam)
{
	return zam->n > 0 && zam->nodes[0].new_waiting_ns > 0;
}

static void add_head(struct pe_doc *doc, const struct pe_zam_page *page)
{
	const struct pe_zam *zam = page->zam;
	pe_auto_text line = PE_TEXT_INIT;

	pe_term_linef(doc->out, doc->term, PE_BOLD, "old: %s", page->old_name);
	pe_term_linef(doc->out, doc->term, PE_BOLD, "new: %s", page->new_name);
	pe_text_addf(&line, "%u pair%s of profiles; ", zam->pairs, zam->pairs == 1 ? "" : "s");
	pe_text_addf(&line, "%u of ", zam->n);
	pe_format_value(&line, (double)zam->nodes_in, "1");
	pe_text_add(&line, " call paths left; threshold: slower by ");
	pe_format_value(&line, (double)zam->min_ns, unit_of(page));
	pe_text_add(&line, " or more");
	if (waits(zam)) {
		pe_text_add(&line, ", or waited longer by ");
		pe_format_value(&line, (double)zam->min_waiting_ns, unit_of(page));
	}
	if (zam->min_own_ns != zam->min_ns) {
		pe_text_add(&line, ", or in own time by ");
		pe_format_value(&line, (double)zam->min_own_ns, unit_of(page));
	}
	if (zam->min_from_noise)
		pe_text_add(&line, " (the noise between runs of the same program)");
	pe_doc_say(doc, PE_DIM, "", "  ", &line);
}

static void add_times(struct pe_text *line, double old_ns, double new_ns, const char *unit)
{
	if (new_ns > old_ns)
		pe_text_addc(line, '+');
	pe_format_value(line, new_ns - old_ns, unit);
	pe_text_add(line, ": ");
	pe_format_step(line, old_ns, new_ns, unit);
}

/* Where a good part of the difference is waiting, that is to be said. */
static void add_waiting(struct pe_text *line, const struct pe_zam_node *at)
{
	double waiting_ns = at->new_waiting_ns - at->old_waiting_ns;

	if (!at->cause || waiting_ns <= 0 || waiting_ns < (at->new_ns - at->old_ns) / 10)
		return;
	pe_text_add(line, ", of it waiting ");
	pe_format_value(line, waiting_ns, "ns");
}

/* Deeper levels stand further right, but no deeper than a terminal is wide. */
static void add_node(struct pe_doc *doc, const struct pe_zam_page *page, uint32_t node,
		     uint32_t level)
{
	enum { MOST_LEVELS = 30 };
	const struct pe_zam_node *at = &page->zam->nodes[node];
	const struct pe_frame *frame = &page->frames->at[at->frame];
	pe_auto_text line = PE_TEXT_INIT;

	for (uint32_t i = 0; i < level && i < MOST_LEVELS; i++)
		pe_text_add(&line, "  ");
	pe_text_add(&line, at->cause ? "* " : "- ");
	if (node == 0)
		pe_text_add(&line, "whole execution");
	else
		pe_short_name_add(&line, frame->name, 60);
	pe_text_add(&line, "  ");
	add_times(&line, at->old_ns, at->new_ns, unit_of(page));
	add_waiting(&line, at);
	if (at->added)
		pe_text_add(&line, ", not called in old");
	if (node > 0 && frame->component[0] != '\0')
		pe_text_addf(&line, "  (%s)", frame->component);
	pe_doc_line(doc, at->cause ? PE_BAD : PE_PLAIN, &line);
}

static void add_graph(struct pe_doc *doc, const struct pe_zam_page *page)
{
	const struct pe_zam *zam = page->zam;
	pe_auto_arena arena = PE_ARENA_INIT;
	uint32_t *level = pe_arena_new(&arena, uint32_t, zam->n);

	pe_doc_gap(doc);
	if (zam->causes == 0) {
		pe_term_line(doc->out, doc->term, PE_PLAIN,
			     "No call got slower by that much in every pair");
	} else {
		pe_term_linef(doc->out, doc->term, PE_BOLD,
			      "%u cause%s: the lowest calls that got slower (*)", zam->causes,
			      zam->causes == 1 ? "" : "s");
	}
	for (uint32_t i = 0; i < zam->n && zam->causes > 0; i++) {
		level[i] = i > 0 ? level[zam->nodes[i].parent] + 1 : 0;
		add_node(doc, page, i, level[i]);
	}
}

static void add_rest_of(struct pe_doc *doc, const char *what, double old_ns, double new_ns)
{
	pe_auto_text line = PE_TEXT_INIT;

	if (old_ns <= 0 && new_ns <= 0)
		return;
	pe_text_add(&line, what);
	pe_text_add(&line, "  ");
	add_times(&line, old_ns, new_ns, "ns");
	pe_doc_line(doc, PE_DIM, &line);
}

/* What is of the whole execution and of no call. */
static void add_rest(struct pe_doc *doc, const struct pe_zam *zam)
{
	add_rest_of(doc, "besides, waiting that no call is known to have asked for:",
		    zam->old_rest.waiting_ns, zam->new_rest.waiting_ns);
	add_rest_of(doc,
		    "besides, the engine (program, garbage collector):", zam->old_rest.engine_ns,
		    zam->new_rest.engine_ns);
}

static void add_methods(struct pe_doc *doc, const struct pe_zam_page *page)
{
	static const struct pe_column columns[] = {
		{"", false, 0},        {"slower by", true, 0}, {"old", true, 0},
		{"new", true, 0},      {"paths", true, 0},     {"", false, 0},
		{"method", false, 20}, {"file", false, 10},
	};
	const struct pe_zam *zam = page->zam;
	pe_auto_text text = PE_TEXT_INIT;
	struct pe_table table;

	if (zam->n_methods == 0)
		return;
	pe_doc_gap(doc);
	pe_term_line(doc->out, doc->term, PE_BOLD,
		     "Methods whose own times got slower by that much, all call paths together");
	pe_table_init(&table, columns, sizeof(columns) / sizeof(*columns), doc->term);
	for (uint32_t i = 0; i < zam->n_methods && (page->top == 0 || i < page->top); i++) {
		const struct pe_zam_method *method = &zam->methods[i];
		const struct pe_frame *frame = &page->frames->at[method->frame];

		pe_table_put(&table, PE_PLAIN, "");
		pe_table_value(&table, PE_BAD, method->new_ns - method->old_ns, unit_of(page));
		pe_table_value(&table, PE_PLAIN, method->old_ns, unit_of(page));
		pe_table_value(&table, PE_PLAIN, method->new_ns, unit_of(page));
		pe_table_putf(&table, PE_PLAIN, "%u", method->contexts);
		pe_table_put(&table, PE_BAD, method->in_graph ? "*" : "");
		pe_table_function(&table, PE_PLAIN, "", frame->name);
		pe_table_path(&table, PE_DIM, frame->component);
	}
	pe_doc_table(doc, &table, true);
	if (page->top > 0 && page->top < zam->n_methods) {
		pe_compare_add_more(&text, zam->n_methods - page->top, "method", "--top N");
		pe_doc_line(doc, PE_DIM, &text);
	}
}

void pe_zam_term(struct pe_text *out, const struct pe_zam_page *page, const struct pe_term *term)
{
	struct pe_doc doc = {.out = out, .term = term};
	add_head(&doc, page);
	add_graph(&doc, page);
	add_rest(&doc, page->zam);
	add_methods(&doc, page);
}
