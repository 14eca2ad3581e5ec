#include "report/system_calls.h"

#include "core/base/sort.h"
#include "core/json/writer.h"
#include "report/format.h"
#include "report/query.h"

#include <stdlib.h>
#include <string.h>

/* Nobody reads a longer list; the JSON document has all. */
enum { MOST_NAMES = 10, MOST_MADE = 5 };

static void add_range(struct pe_text *out, uint64_t least, uint64_t most)
{
	pe_format_value(out, (double)least, "1");
	if (least == most)
		return;
	pe_text_add(out, " to ");
	pe_format_value(out, (double)most, "1");
}

void pe_system_call_say(struct pe_text *out, const struct pe_function_change *change)
{
	pe_text_addf(out, "%s ", change->name);
	add_range(out, change->old_least, change->old_most);
	pe_text_add(out, " → ");
	add_range(out, change->new_least, change->new_most);
}

void pe_system_calls_say(struct pe_text *out, const struct pe_function_changes *changes)
{
	pe_text_add(out, "system calls: ");
	if (changes->n == 0 && changes->n_varying == 0) {
		pe_text_addf(out, "each of %zu is made exactly as often", changes->n_same);
		return;
	}
	for (size_t i = 0; i < changes->n && i < MOST_NAMES; i++) {
		pe_text_add(out, i > 0 ? ", " : "");
		pe_system_call_say(out, &changes->at[i]);
	}
	if (changes->n > MOST_NAMES)
		pe_text_addf(out, " and %zu more", changes->n - MOST_NAMES);
	if (changes->n_varying > 0)
		pe_text_addf(out,
			     changes->n_varying == 1
				     ? "%s%zu varies from run to run by itself (%s)"
				     : "%s%zu vary from run to run by themselves (%s, ...)",
			     changes->n > 0 ? "; " : "", changes->n_varying,
			     changes->at[changes->n].name);
	if (changes->n_same > 0)
		pe_text_addf(out, "; %zu other%s as often as before", changes->n_same,
			     changes->n_same == 1 ? "" : "s");
}

static void put_change(struct pe_json *json, const struct pe_function_change *one)
{
	pe_json_begin_object(json, NULL);
	pe_json_put(json, "name", one->name);
	pe_json_pair(json, "old", one->old_least, one->old_most);
	pe_json_pair(json, "new", one->new_least, one->new_most);
	pe_json_end(json);
}

void pe_system_calls_json(struct pe_json *json, const char *key,
			  const struct pe_function_changes *changes)
{
	if (!pe_json_begin_maybe(json, key, changes != NULL))
		return;
	pe_json_put(json, "same", changes->n_same);
	pe_json_each(json, "changed", i, changes->n, put_change(json, &changes->at[i]));
	pe_json_each(json, "varying", i, changes->n_varying,
		     put_change(json, &changes->at[changes->n + i]));
	pe_json_end(json);
}

PE_SORT_DOWN_BY(compare_made, struct pe_function_range, most, name);

static void show(struct pe_text *out, const struct pe_revision_calls *one,
		 const struct pe_term *term)
{
	const size_t n = one->calls.n;
	struct pe_function_range *made = pe_realloc(NULL, n, sizeof(*made));
	pe_auto_text text = PE_TEXT_INIT;

	memcpy(made, one->calls.at, n * sizeof(*made));
	pe_sort(made, n, compare_made);
	pe_text_addf(&text, "%s makes the system calls ", one->benchmark);
	for (size_t i = 0; i < n && i < MOST_MADE; i++) {
		pe_text_addf(&text, "%s%s ", i > 0 ? ", " : "", made[i].name);
		add_range(&text, made[i].least, made[i].most);
	}
	if (n > MOST_MADE)
		pe_text_addf(&text, " and %zu others", n - MOST_MADE);
	pe_term_wrap(out, term, PE_PLAIN, "", "   ", pe_text_str(&text));
	free(made);
	if (one->changes == NULL)
		return;
	pe_text_clear(&text);
	pe_text_addf(&text, "against %.*s, ", PE_SHORT_ID, one->before);
	pe_system_calls_say(&text, one->changes);
	pe_term_wrap(out, term, PE_PLAIN, "   ", "   ", pe_text_str(&text));
}

void pe_revision_calls_show(struct pe_text *out, const struct pe_revision_calls *at, size_t n,
			    const struct pe_term *term)
{
	if (n > 0)
		pe_text_addc(out, '\n');
	for (size_t i = 0; i < n; i++)
		show(out, &at[i], term);
}

static void put_calls(struct pe_json *json, const struct pe_revision_calls *one)
{
	pe_json_begin_object(json, NULL);
	pe_json_put(json, "benchmark", one->benchmark);
	pe_json_each(json, "calls", i, one->calls.n,
		     pe_json_struct(json, NULL, &one->calls.at[i], name, least, most));
	pe_json_put(json, "before", one->before);
	pe_system_calls_json(json, "against_before", one->changes);
	pe_json_end(json);
}

void pe_revision_calls_json(struct pe_json *json, const struct pe_revision_calls *at, size_t n)
{
	pe_json_each(json, "system_calls", i, n, put_calls(json, &at[i]));
}
