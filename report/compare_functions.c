/* Instructions by function on both sides: for a terminal, as Markdown and as JSON. */
#include "report/compare_text.h"

#include "report/format.h"

#include <math.h>
#include <string.h>

/* A longer list is not readable; the JSON document has all. */
enum { MOST_FUNCTIONS = 10 };

/* What is less than this part of the execution is startup and bookkeeping, most often: it is counted, not listed. */
#define LEAST_PART 0.00001

/* They stand in the order of their amounts. */
size_t pe_compare_count_functions(const struct pe_function_changes *functions)
{
	double least = LEAST_PART * (double)functions->old_whole;
	size_t n = 0;

	while (n < functions->n && n < MOST_FUNCTIONS &&
	       (n == 0 || fabs((double)functions->at[n].amount) >= least))
		n++;
	return n;
}

void pe_compare_say_functions(struct pe_text *out, const struct pe_compare_pair *pair)
{
	const struct pe_function_changes *functions = pair->functions;
	size_t all = functions->n + functions->n_varying + functions->n_same;

	pe_text_add(out, "instructions by function, with the code inlined into each: ");
	if (functions->n == 0 && functions->n_varying == 0) {
		pe_text_addf(out, "each of %zu executes exactly as many", all);
		return;
	}
	pe_text_addf(out, "%zu of %zu execute%s more or fewer for sure", functions->n, all,
		     functions->n == 1 ? "s" : "");
}

/* "+40 %", "new", "gone"; of what varies "at least". */
static void add_change(struct pe_text *out, const struct pe_function_change *change)
{
	if (change->old_most == 0)
		pe_text_add(out, "new");
	else if (change->new_most == 0)
		pe_text_add(out, "gone");
	else if (change->old_least > 0)
		pe_format_change(out, (double)change->amount / (double)change->old_least);
}

void pe_compare_say_function(struct pe_text *out, const struct pe_function_change *change)
{
	const char *words = pe_compare_change_word(change->change);
	bool file = change->component[0] != '\0';

	pe_text_addf(out, "`%s%s`", change->name, change->signature);
	if (file || words != NULL)
		pe_text_addf(out, " (%s%s%s)", change->component, file && words != NULL ? ", " : "",
			     words != NULL ? words : "");
	pe_text_add(out, change->exact ? " executes " : " executes at least ");
	pe_compare_add_signed(out, change->amount, "1");
	pe_text_add(out, " instructions itself, ");
	add_change(out, change);
}

void pe_compare_say_counted(struct pe_text *out, const struct pe_compare_pair *pair)
{
	const struct pe_function_changes *functions = pair->functions;

	pe_text_addf(out, "%s: ", pair->name);
	if (functions->n == 0 || functions->old_whole == 0) {
		pe_text_add(out, "no function executes more or fewer instructions");
		return;
	}
	pe_format_change(out, (double)functions->new_whole / (double)functions->old_whole - 1);
	pe_text_add(out, " instructions; most of it in ");
	if (strcmp(functions->at[0].name, "???") == 0)
		pe_text_add(out, "code without a symbol, ");
	else
		pe_text_addf(out, "`%s`, ", functions->at[0].name);
	pe_compare_add_signed(out, functions->at[0].amount, "1");
}

void pe_compare_list_functions(struct pe_table *out, const struct pe_compare_pair *pair,
			       const struct pe_term *term)
{
	static const struct pe_column columns[] = {
		{"instructions", true, 0}, {"change", true, 0}, {"function", false, 16},
		{"file", false, 12},       {"", false, 0},
	};
	const struct pe_function_changes *functions = pair->functions;
	pe_auto_text text = PE_TEXT_INIT;
	size_t n = pe_compare_count_functions(functions);

	pe_table_init(out, columns, sizeof(columns) / sizeof(*columns), term);
	for (size_t i = 0; i < n; i++) {
		const struct pe_function_change *one = &functions->at[i];
		const char *words = pe_compare_change_word(one->change);

		pe_text_add(&text, "    ");
		if (!one->exact)
			pe_text_add(&text, "at least ");
		pe_compare_add_signed(&text, one->amount, "1");
		pe_table_take(out, one->amount > 0 ? PE_BAD : PE_GOOD, &text);
		add_change(&text, one);
		pe_table_take(out, PE_PLAIN, &text);
		/* Such as the stubs that calls of shared libraries go through. */
		if (strcmp(one->name, "???") == 0)
			pe_text_add(&text, "(code without a symbol)");
		else
			pe_text_addf(&text, "%s%s", one->name, one->signature);
		pe_table_function(out, PE_PLAIN, "", pe_text_str(&text));
		pe_text_clear(&text);
		pe_table_path(out, PE_PLAIN, one->component);
		pe_table_put(out, PE_DIM, words != NULL ? words : "");
	}
}

void pe_compare_add_other_functions(struct pe_text *out, const struct pe_compare_pair *pair)
{
	const struct pe_function_changes *functions = pair->functions;
	size_t listed = pe_compare_count_functions(functions);
	int64_t rest = 0;

	for (size_t i = listed; i < functions->n; i++)
		rest += functions->at[i].amount;
	if (listed < functions->n) {
		pe_text_addf(out, "and %zu more, ", functions->n - listed);
		pe_compare_add_signed(out, rest, "1");
		pe_text_add(out, " together");
	}
	if (functions->n_varying > 0)
		pe_text_addf(
			out, "%s%zu more var%s from run to run (`%s` the most), and %s left out",
			out->len > 0 ? "; " : "", functions->n_varying,
			functions->n_varying == 1 ? "ies" : "y", functions->at[functions->n].name,
			functions->n_varying == 1 ? "is" : "are");
}

static void put_change(struct pe_json *json, const struct pe_function_change *one)
{
	pe_json_begin_object(json, NULL);
	pe_json_members(json, one, name, signature, component);
	pe_json_pair(json, "old", one->old_least, one->old_most);
	pe_json_pair(json, "new", one->new_least, one->new_most);
	pe_json_put(json, "amount", one->amount);
	pe_json_bool(json, "exact", one->exact);
	pe_compare_json_change(json, one->change);
	pe_json_end(json);
}

void pe_compare_json_functions(struct pe_json *json, const struct pe_compare_pair *pair)
{
	const struct pe_function_changes *functions = pair->functions;

	if (!pe_json_begin_maybe(json, "functions", functions != NULL))
		return;
	pe_json_put(json, "old", functions->old_whole);
	pe_json_put(json, "new", functions->new_whole);
	pe_json_put(json, "same", functions->n_same);
	pe_json_each(json, "changed", i, functions->n, put_change(json, &functions->at[i]));
	pe_json_each(json, "varying", i, functions->n_varying,
		     put_change(json, &functions->at[functions->n + i]));
	pe_json_end(json);
}
