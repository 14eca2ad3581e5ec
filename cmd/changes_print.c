#include "cmd/changes_print.h"

#include "core/json/writer.h"
#include "report/terminal.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

#define ARROW " \xe2\x86\x92 "

/* Whether a side is within, or contains, a part that could not be parsed: the table and the JSON mark it. */
static bool is_uncertain(const struct pe_method_change *change)
{
	return (change->before != NULL && change->before->uncertain) ||
	       (change->after != NULL && change->after->uncertain);
}

/* --- Summary --- */

/* ", 2 added" for those that there are; gives how many kinds there were. */
static size_t add_counts(struct pe_text *out, const struct pe_revision_changes *changes, int first,
			 int end, const char *before)
{
	size_t kinds = 0;

	for (int kind = first; kind < end; kind++) {
		size_t n = changes->methods.count[kind];

		if (n == 0)
			continue;
		pe_text_addf(out, "%s%zu %s", kinds > 0 ? ", " : before, n,
			     pe_method_change_name((enum pe_method_change_kind)kind));
		kinds++;
	}
	return kinds;
}

/* "; 4 parts could not be parsed (table.c 3, list.h 1)", "; 2 parts could not be parsed (table.c)" */
static void add_unread(struct pe_text *out, const struct pe_revision_changes *changes)
{
	enum { MOST = 3 };
	size_t n = changes->n_unread_files;

	pe_text_addf(out, "; %zu part%s could not be parsed", changes->unread,
		     changes->unread == 1 ? "" : "s");
	for (size_t i = 0; i < n && i < MOST; i++) {
		pe_text_addf(out, "%s%s", i == 0 ? " (" : ", ", changes->unread_files[i].path);
		if (n > 1)
			pe_text_addf(out, " %zu", changes->unread_files[i].parts);
	}
	if (n > MOST)
		pe_text_addf(out, " and %zu more files", n - MOST);
	if (n > 0)
		pe_text_addc(out, ')');
}

void pe_changes_summary(struct pe_text *out, const struct pe_revision_changes *changes,
			const struct pe_term *term)
{
	pe_auto_text line = PE_TEXT_INIT;
	size_t kinds, changed = pe_method_changes_mc(&changes->methods), uncertain = 0;

	for (size_t i = 0; i < changes->methods.n; i++)
		uncertain += is_uncertain(&changes->methods.at[i]);

	pe_text_addf(&line, "%zu method%s changed", changed, changed == 1 ? "" : "s");
	kinds = add_counts(&line, changes, PE_METHOD_ADDED, PE_METHOD_RENAMED, ": ");
	kinds += add_counts(&line, changes, PE_METHOD_RENAMED, PE_N_METHOD_CHANGES,
			    kinds > 0 ? "; " : ": ");
	if (kinds == 0) {
		pe_text_clear(&line);
		pe_text_add(&line, changes->unread > 0 ? "no changed method was found"
						       : "no method changed");
	}
	if (changes->unread > 0) {
		add_unread(&line, changes);
		if (kinds == 0)
			pe_text_add(&line, ": what changed there is not known");
		else if (uncertain > 0)
			pe_text_addf(&line, ", in %zu of these methods (uncertain)", uncertain);
		else
			pe_text_add(&line, ", outside of these methods");
	}
	pe_term_wrap(out, term, PE_BOLD, "", "  ", pe_text_str(&line));
}

void pe_changes_code_summary(struct pe_text *out, const struct pe_crossing *code,
			     const struct pe_term *term)
{
	pe_auto_text line = PE_TEXT_INIT;

	if (code->identical)
		pe_text_add(&line, "identical build: ");
	pe_text_addf(
		&line,
		"%zu of %zu functions recompiled; %zu modified, %zu without effect, %zu indirect",
		code->recompiled, code->functions, code->modified, code->no_effect,
		code->n_indirect);
	pe_term_line(out, term, PE_BOLD, pe_text_str(&line));
	if (code->outside == 0)
		return;
	pe_text_clear(&line);
	pe_text_addf(
		&line,
		"%zu more from outside of the tree (system headers, packages, a standard library)",
		code->outside);
	pe_term_line(out, term, PE_PLAIN, pe_text_str(&line));
}

/* --- Table --- */

static enum pe_paint paint_of(enum pe_method_change_kind kind)
{
	static const enum pe_paint paints[PE_N_METHOD_CHANGES] = {
		[PE_METHOD_ADDED] = PE_GOOD,    [PE_METHOD_DELETED] = PE_BAD,
		[PE_METHOD_MODIFIED] = PE_BOLD, [PE_METHOD_RENAMED] = PE_DIM,
		[PE_METHOD_MOVED] = PE_DIM,
	};

	return paints[kind];
}

static void add_name(struct pe_text *out, const struct pe_method *method)
{
	pe_text_add(out, method->name);
	pe_text_add(out, method->signature);
}

static void put_place(struct pe_table *table, const char *component, uint32_t line)
{
	pe_auto_text text = PE_TEXT_INIT;

	if (component != NULL)
		pe_text_addf(&text, "%s:%u", component, (unsigned)line);
	pe_table_path(table, PE_PLAIN, pe_text_str(&text));
}

static void put_method_place(struct pe_table *table, const struct pe_method *method)
{
	put_place(table, method != NULL ? method->component : NULL,
		  method != NULL ? method->first_line : 0);
}

/* @param effect  NULL: the machine code was not compared */
static void put_change(struct pe_table *table, const struct pe_method_change *change,
		       const struct pe_method_effect *effect)
{
	const struct pe_method *before = change->before, *after = change->after;
	const struct pe_method *either = after != NULL ? after : before;
	pe_auto_text text = PE_TEXT_INIT;

	assert(either != NULL); /* what neither has is no change */
	pe_table_put(table, paint_of(change->kind), pe_method_change_name(change->kind));
	if (change->kind == PE_METHOD_RENAMED) {
		assert(before != NULL);
		add_name(&text, before);
		pe_text_add(&text, ARROW);
	}
	add_name(&text, either);
	pe_table_take(table, PE_PLAIN, &text);
	put_method_place(table, before);
	put_method_place(table, after);
	/* Down, so that 100 % means the same body. */
	if (change->kind == PE_METHOD_RENAMED)
		pe_text_addf(&text, "%.0f %%", floor(100 * change->likeness));
	pe_table_take(table, PE_PLAIN, &text);
	pe_table_put(table, PE_PLAIN, effect != NULL ? pe_effect_name(effect->effect) : "");
	pe_table_put(table, PE_DIM, effect != NULL && effect->reason != NULL ? effect->reason : "");
	pe_table_put(table, PE_DIM, is_uncertain(change) ? "uncertain" : "");
}

static void put_indirect(struct pe_table *table, const struct pe_indirect *indirect)
{
	pe_auto_text text = PE_TEXT_INIT;

	pe_table_put(table, PE_PLAIN, pe_effect_name(PE_EFFECT_INDIRECT));
	pe_text_addf(&text, "%s%s", indirect->name, indirect->signature);
	pe_table_take(table, PE_PLAIN, &text);
	put_place(table, indirect->before_line > 0 ? indirect->component : NULL,
		  indirect->before_line);
	put_place(table, indirect->after_line > 0 ? indirect->component : NULL,
		  indirect->after_line);
	pe_table_put(table, PE_PLAIN, "");
	pe_table_put(table, PE_PLAIN,
		     indirect->before_line == 0 && indirect->after_line > 0
			     ? pe_effect_name(PE_EFFECT_ADDED)
		     : indirect->before_line > 0 && indirect->after_line == 0
			     ? pe_effect_name(PE_EFFECT_DELETED)
			     : pe_effect_name(PE_EFFECT_RECOMPILED));
	pe_table_put(table, PE_DIM, indirect->reason);
	pe_table_put(table, PE_DIM, "");
}

void pe_changes_table(struct pe_text *out, const struct pe_revision_changes *changes,
		      const struct pe_changes_style *style)
{
	static const struct pe_column columns[] = {
		{"kind", false, 0},    {"method", false, 16}, {"before", false, 12},
		{"after", false, 12},  {"likeness", true, 0}, {"code", false, 0},
		{"reason", false, 12}, {"", false, 0},
	};
	const struct pe_crossing *code = style->code;
	size_t n_indirect = code != NULL && style->indirect ? code->n_indirect : 0;
	size_t listed = 0, left_out = 0;
	struct pe_table table;

	pe_table_init(&table, columns, sizeof(columns) / sizeof(*columns), style->term);
	for (size_t i = 0; i < changes->methods.n; i++) {
		const struct pe_method_change *change = &changes->methods.at[i];

		if (!style->kinds[change->kind])
			continue;
		if (style->most > 0 && listed == style->most) {
			left_out++;
			continue;
		}
		put_change(&table, change, code != NULL ? &code->methods[i] : NULL);
		listed++;
	}
	for (size_t i = 0; i < n_indirect; i++, listed++)
		put_indirect(&table, &code->indirect[i]);
	if (listed > 0)
		pe_table_print(out, &table, true);
	if (left_out > 0)
		pe_text_addf(out, "and %zu more: 'perfevo changes %.10s'\n", left_out,
			     changes->after);
	pe_table_release(&table);
}

/* --- JSON --- */

static void put_method(struct pe_json *json, const char *key, const struct pe_method *method)
{
	if (!pe_json_begin_maybe(json, key, method != NULL))
		return;
	pe_json_members(json, method, component, name, signature, first_line, last_line);
	pe_json_end(json);
}

static void put_json_change(struct pe_json *json, const struct pe_method_change *change,
			    const struct pe_method_effect *effect)
{
	pe_json_begin_object(json, NULL);
	pe_json_put(json, "kind", pe_method_change_name(change->kind));
	put_method(json, "before", change->before);
	put_method(json, "after", change->after);
	/* It is estimated: three decimals are all it has. */
	pe_json_put(json, "likeness", round(change->likeness * 1000) / 1000);
	pe_json_bool(json, "uncertain", is_uncertain(change));
	if (effect != NULL) {
		pe_json_put(json, "effect", pe_effect_name(effect->effect));
		pe_json_put(json, "reason", effect->reason);
		pe_json_pair(json, "bytes", effect->bytes[0], effect->bytes[1]);
	}
	pe_json_end(json);
}

static void put_json_code(struct pe_json *json, const struct pe_crossing *code, bool indirect)
{
	pe_json_begin_object(json, "code");
	pe_json_members(json, code, identical, exact);
	pe_json_texts(json, "programs", code->programs.at, code->programs.n);
	pe_json_members(json, code, functions, recompiled, modified, no_effect, outside);
	pe_json_pair(json, "bytes", code->bytes[0], code->bytes[1]);
	pe_json_each_row(json, "indirect", i, indirect ? code->n_indirect : 0,
			 pe_json_struct(json, NULL, &code->indirect[i], name, signature, component,
					before_line, after_line, reason));
	pe_json_end(json);
}

void pe_changes_json(struct pe_json *json, const char *key,
		     const struct pe_revision_changes *changes, const char *subject,
		     const struct pe_changes_style *style)
{
	const struct pe_method_changes *methods = &changes->methods;

	pe_json_begin_object(json, key);
	pe_json_put(json, "before", changes->before[0] != '\0' ? changes->before : NULL);
	pe_json_put(json, "after", changes->after);
	pe_json_put(json, "subject", subject);
	pe_json_put(json, "changed_methods", pe_method_changes_mc(methods));
	for (int kind = 0; kind < PE_N_METHOD_CHANGES; kind++)
		pe_json_put(json, pe_method_change_name((enum pe_method_change_kind)kind),
			    methods->count[kind]);
	pe_json_members(json, changes, files, unread);
	if (style->outside != NULL)
		pe_json_put(json, "outside", style->outside);
	pe_json_each_row(json, "unread_files", i, changes->n_unread_files,
			 pe_json_struct(json, NULL, &changes->unread_files[i], path, parts));
	pe_json_each_row(json, "methods", i, methods->n,
			 if (style->kinds[methods->at[i].kind]) put_json_change(
				 json, &methods->at[i],
				 style->code != NULL ? &style->code->methods[i] : NULL));
	if (style->code != NULL)
		put_json_code(json, style->code, style->indirect);
	pe_json_end(json);
}
