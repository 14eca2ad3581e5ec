#include "report/profile_text.h"

#include "report/format.h"
#include "core/base/number.h"
#include "report/terminal.h"

#include <math.h>
#include <string.h>

#define Z_95 1.959963984540054

void pe_profile_begin(struct pe_profile_view_data *view, const struct pe_profile *profile)
{
	*view = (struct pe_profile_view_data){.profile = profile, .cct = profile->cct};
	view->self = pe_weight_self(view->cct, profile->weight);
	view->total = pe_weight_total(view->cct, profile->weight, &view->arena);
	if (profile->weight == PE_WEIGHT_TIME || profile->weight == PE_WEIGHT_SAMPLES)
		view->samples = pe_weight_total(view->cct, PE_WEIGHT_SAMPLES, &view->arena);
	view->whole = view->total != NULL && view->cct->n > 0 ? (double)view->total[0] : 0;
}

void pe_profile_end(struct pe_profile_view_data *view)
{
	pe_arena_release(&view->arena);
}

/* "97.6 %"; "–" of nothing. */
static void add_share(struct pe_text *out, double share)
{
	if (!isfinite(share)) {
		pe_text_add(out, "\xe2\x80\x93");
		return;
	}
	if (share > 0 && share < 0.0005) {
		pe_text_add(out, "<0.1 %");
		return;
	}
	pe_number_fixed(out, share * 100, share < 0.9995 ? 1 : 0);
	pe_text_add(out, " %");
}

/* "±0.3": half of the 95 % interval of a share, in points; nothing where there are no samples. */
static void add_half(struct pe_text *out, struct pe_profile_view_data *view, uint64_t samples)
{
	double low, high, whole = (double)view->cct->facts.duration_ns;

	if (view->samples == NULL || whole <= 0 ||
	    !pe_cct_share_interval(view->cct, samples, Z_95, &low, &high))
		return;
	pe_text_add(out, "\xc2\xb1");
	pe_number_fixed(out, (high - low) / 2 / whole * 100, 1);
	view->intervals = true;
}

/* Name and signature; the root is the benchmark. */
static void add_method(struct pe_text *out, const struct pe_profile_view_data *view,
		       const struct pe_frame *frame)
{
	if (frame->kind == PE_FRAME_ROOT && view->profile->benchmark != NULL) {
		pe_text_add(out, view->profile->benchmark);
		return;
	}
	pe_text_add(out, frame->name);
	pe_text_add(out, frame->signature);
}

/* In the order of enum pe_cct_flag. */
static const struct mark {
	enum pe_cct_flag flag;
	const char *word, *meaning;
} marks[] = {
	{PE_CCT_FOLDED, "recursive",
	 "recursive: calls that came back to this path are counted in its outermost call"},
	{PE_CCT_UNSTABLE, "unstable",
	 "unstable: runs of the same build counted differently, so differences in it may be "
	 "chance"},
	{PE_CCT_UNCOUNTED, "uncounted",
	 "uncounted: samples found it, but its calls are not counted (system code, or excluded)"},
	{PE_CCT_CUT, "cut", "cut: what it called was left out, or could not be followed"},
};

#define N_MARKS (sizeof(marks) / sizeof(marks[0]))

static void add_flags(struct pe_text *out, struct pe_profile_view_data *view, unsigned flags)
{
	bool first = true;

	for (size_t i = 0; i < N_MARKS; i++) {
		if ((flags & (unsigned)marks[i].flag) == 0)
			continue;
		pe_text_addf(out, "%s%s", first ? "" : ", ", marks[i].word);
		first = false;
	}
	view->flags |= flags;
}

/* The marks of a row; where counting runs differ, "differs in 3 of 8 runs" replaces "unstable". */
static void add_marks(struct pe_text *out, struct pe_profile_view_data *view, unsigned flags,
		      uint32_t differs)
{
	const size_t start = out->len;

	if (differs == 0) {
		add_flags(out, view, flags);
		return;
	}
	add_flags(out, view, flags & ~(unsigned)PE_CCT_UNSTABLE);
	pe_text_addf(out, "%sdiffers in %u of %u runs", out->len > start ? ", " : "", differs,
		     view->cct->facts.counting_runs);
	view->differs = true;
}

static void put_value(struct pe_profile_view_data *view, bool shown, double value, const char *unit)
{
	if (shown && !isnan(value))
		pe_table_value(&view->table, PE_PLAIN, value, unit);
	else
		pe_table_put(&view->table, PE_PLAIN, "");
}

void pe_profile_put_row(struct pe_profile_view_data *view, const struct pe_profile_row *row)
{
	const char *unit = pe_weights[view->profile->weight].unit;
	struct pe_table *table = &view->table;
	const bool wide = !view->narrow;
	pe_auto_text text = PE_TEXT_INIT;

	pe_table_value(table, row->paint, (double)row->weight, unit);
	add_share(&text, (double)row->weight / view->whole);
	pe_table_take(table, row->paint, &text);
	if (wide)
		add_half(&text, view, row->samples);
	pe_table_take(table, PE_DIM, &text);
	put_value(view, wide, row->other, unit);
	put_value(view, true, row->calls, "1");
	put_value(view, true, row->call_ns, "ns");
	put_value(view, wide, row->allocations, "1");
	put_value(view, true, row->instructions, "1");
	put_value(view, wide, row->paths, "1");
	if (wide && row->site != 0)
		pe_text_addf(&text, "%u", row->site);
	pe_table_take(table, PE_DIM, &text);
	if (row->frame != NULL) {
		add_method(&text, view, row->frame);
		pe_table_function(table, row->paint, row->before, pe_text_str(&text));
		pe_text_clear(&text);
	} else {
		pe_table_put(table, row->paint, row->before);
	}
	pe_table_path(table, PE_DIM, row->place);
	add_marks(&text, view, row->flags, row->differs);
	pe_table_take(table, PE_DIM, &text);
}

static void add_count(struct pe_text *out, uint64_t n, const char *noun)
{
	pe_format_value(out, (double)n, "1");
	pe_text_addf(out, " %s%s", noun, n == 1 ? "" : "s");
}

static uint32_t count_methods(const struct pe_cct *cct, struct pe_arena *arena)
{
	bool *seen = pe_arena_new(arena, bool, cct->frames->n);
	uint32_t n = 0;

	for (uint32_t i = 0; i < cct->n; i++) {
		const uint32_t frame = cct->nodes[i].frame;

		if (seen[frame] || cct->frames->at[frame].kind != PE_FRAME_METHOD)
			continue;
		seen[frame] = true;
		n++;
	}
	return n;
}

static void add_subject(struct pe_text *line, const struct pe_profile *profile)
{
	pe_text_add(line, profile->benchmark != NULL ? profile->benchmark : "profile");
	if (profile->revision != NULL)
		pe_text_addf(line, " at %s", profile->revision);
	if (profile->subject != NULL)
		pe_text_addf(line, "  %s", profile->subject);
}

/* How it was collected, and what that does to the values. */
static const char *source_sentence(const struct pe_cct *cct)
{
	const char *source = cct->facts.source;

	if (source == NULL)
		return NULL;
	if (strcmp(source, "counting") == 0)
		return "calls and allocations are exact; times were not taken";
	if (strcmp(source, "counting+samples") == 0)
		return "calls and allocations are exact, from a build that counts them; times are "
		       "estimated from samples of the native build";
	if (strcmp(source, "samples") == 0)
		return "times are estimated from samples of the native build; calls were not "
		       "counted";
	return NULL;
}

static void add_samples(struct pe_text *line, const struct pe_cct_facts *facts)
{
	add_count(line, facts->samples, "sample");
	if (facts->interval_ns > 0) {
		pe_text_add(line, ", one every ");
		pe_format_value(line, (double)facts->interval_ns, "ns");
	}
	if (facts->samples_lost > 0) {
		pe_text_add(line, "; ");
		add_share(line, (double)facts->samples_lost / (double)facts->samples);
		pe_text_add(line, " of them found no path in the tree");
	}
}

/* Print a sentence in as many lines as it takes, and forget it. */
static void end_line(struct pe_text *out, const struct pe_term *term, struct pe_text *sentence)
{
	pe_term_wrap(out, term, PE_DIM, "", "  ", pe_text_str(sentence));
	pe_text_clear(sentence);
}

/* The benchmark, the commit, and what was collected. */
static void add_head(struct pe_text *out, const struct pe_profile_view_data *view,
		     const struct pe_term *term)
{
	const struct pe_cct *cct = view->cct;
	pe_auto_arena arena = PE_ARENA_INIT;
	pe_auto_text line = PE_TEXT_INIT;
	uint64_t calls = 0;

	add_subject(&line, view->profile);
	pe_term_line(out, term, PE_BOLD, pe_text_str(&line));
	pe_text_clear(&line);
	if (cct->self_ns != NULL && cct->facts.duration_ns > 0) {
		pe_format_value(&line, (double)cct->facts.duration_ns, "ns");
		pe_text_add(&line, ", ");
	}
	for (uint32_t i = 0; cct->calls != NULL && i < cct->n; i++)
		calls = pe_profile_sum(calls, cct->calls[i]);
	if (cct->calls != NULL) {
		add_count(&line, calls, "call");
		pe_text_add(&line, ", ");
	}
	add_count(&line, count_methods(cct, &arena), "method");
	pe_text_add(&line, " on ");
	add_count(&line, cct->n, "call path");
	if (cct->facts.processes > 1)
		pe_text_addf(&line, ", %u processes", cct->facts.processes);
	if (cct->facts.threads > cct->facts.processes && cct->facts.threads > 1)
		pe_text_addf(&line, ", %u threads", cct->facts.threads);
	if (cct->facts.peak_bytes > 0) {
		pe_text_add(&line, ", at most ");
		pe_format_value(&line, (double)cct->facts.peak_bytes, "bytes");
		pe_text_add(&line, " in use");
	}
	end_line(out, term, &line);
	pe_text_addc(out, '\n');
}

void pe_profile_begin_table(struct pe_text *out, struct pe_profile_view_data *view,
			    const char *ranked, const char *other, const struct pe_term *term)
{
	enum { LEAST_FOR_ALL = 110 /* columns of a terminal that shows every value */ };
	const struct pe_column columns[] = {
		{ranked, true, 0},        {"share", true, 0},        {"\xc2\xb1", true, 0},
		{other, true, 0},         {"calls", true, 0},        {"a call", true, 0},
		{"allocations", true, 0}, {"instructions", true, 0}, {"paths", true, 0},
		{"line", true, 0},        {"method", false, 24},     {"file", false, 6},
		{"", false, 9},
	};
	const size_t n = sizeof(columns) / sizeof(*columns);

	view->narrow = term->width > 0 && term->width < LEAST_FOR_ALL;
	add_head(out, view, term);
	pe_table_init(
		&view->table,
		memcpy(pe_arena_new(&view->arena, struct pe_column, n), columns, sizeof(columns)),
		n, term);
}

/* What the values are and what the marks mean, in sentences. */
static void add_facts(struct pe_text *out, const struct pe_profile_view_data *view)
{
	const struct pe_cct_facts *facts = &view->cct->facts;
	const struct pe_term *term = view->table.term;
	const char *sentence = source_sentence(view->cct);
	pe_auto_text line = PE_TEXT_INIT;

	pe_text_addc(out, '\n');
	if (sentence != NULL)
		pe_text_add(&line, sentence);
	else if (facts->source != NULL)
		pe_text_addf(&line, "read from a profile of the format %s", facts->source);
	if (line.len > 0)
		end_line(out, term, &line);
	if (facts->samples > 0) {
		add_samples(&line, facts);
		end_line(out, term, &line);
	}
	if (view->intervals) {
		pe_term_wrap(
			out, term, PE_DIM, "", "  ",
			"\xc2\xb1 is half of a share's 95 % interval, in points of a per cent");
	}
	if (view->cct->waiting_ns > 0) {
		pe_text_add(&line, "(waiting): nothing ran: sleeping, input and output, locks, or "
				   "no processor was free");
		end_line(out, term, &line);
	}
	for (size_t i = 0; i < N_MARKS; i++) {
		if ((view->flags & (unsigned)marks[i].flag) == 0)
			continue;
		pe_text_add(&line, marks[i].meaning);
		end_line(out, term, &line);
	}
	if (view->differs) {
		pe_text_add(&line, "differs in N of M runs: so many counting runs of the same "
				   "build had other counts or another place than is shown, so "
				   "that differences in it may be chance");
		end_line(out, term, &line);
	}
}

void pe_profile_end_table(struct pe_text *out, struct pe_profile_view_data *view)
{
	add_facts(out, view);
	pe_table_release(&view->table);
}
