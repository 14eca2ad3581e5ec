#include "report/short_name.h"

#include "core/base/sort.h"
#include "core/base/utf8.h"
#include "report/format.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
	MOST_PARTS = 64,    /* components of a name; of more the first ones are one */
	LEAST_FRAGMENT = 6, /* columns of a difference that is shown */
	LEAST_SUFFIX = 3,   /* of a clone's suffix that is cut, with the sign */
	LEAST_LAST = 8,     /* of the last component beside it */
	MOST_BACK_OFF = 16, /* bytes before a difference, back to where its word begins */
	MOST_PASSES = 12,   /* over names that still look alike */
};

/* Offsets into a name. A component is base, template arguments and parameters, in this order. */
struct part {
	size_t from, base_end;
	size_t args, args_end; /* equal: none */
	bool parameters;
};

struct name {
	const char *string;
	struct part parts[MOST_PARTS];
	size_t n;
	size_t suffix; /* where ".isra.0" or " [clone .isra.0]" begins */
};

/* --- Reading --- */

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

/* Length of "operator" with its sign or type at the beginning of a string, or 0. */
static size_t operator_length(const char *string)
{
	static const char *const signs[] = {
		"<=>", "<<=", ">>=", "->*", "()", "[]", "<<", ">>", "<=", ">=", "->", "==", "!=",
		"&&",  "||",  "++",  "--",  "+=", "-=", "*=", "/=", "%=", "^=", "&=", "|=", "<",
		">",   "=",   "!",   "+",   "-",  "*",  "/",  "%",  "^",  "&",  "|",  "~",  ",",
	};
	size_t n = strlen("operator");

	if (!pe_starts_with(string, "operator") || is_word(string[n]))
		return 0;
	for (size_t i = 0; i < sizeof(signs) / sizeof(*signs); i++)
		if (pe_starts_with(string + n, signs[i]))
			return n + strlen(signs[i]);
	/* A conversion's type, new, delete or a literal's name goes on to the parameters. */
	return n + strcspn(string + n, "(");
}

/* Where the bracket that opens at i is closed: the offset behind it, or the end. */
static size_t closed(const char *string, size_t i)
{
	size_t depth = 0;

	while (string[i] != '\0') {
		size_t sign = i > 0 && !is_word(string[i - 1]) ? operator_length(string + i) : 0;

		if (sign > 0) {
			i += sign;
			continue;
		}
		if (strchr("<([{", string[i]) != NULL)
			depth++;
		else if (strchr(">)]}", string[i]) != NULL &&
			 !(string[i] == '>' && string[i - 1] == '-'))
			depth--;
		i++;
		if (depth == 0)
			break;
	}
	return i;
}

static bool is_clone(const char *string)
{
	static const char *const known[] = {".isra", ".constprop", ".part",  ".cold",   ".lto_priv",
					    ".llvm", ".clone",     ".actor", ".destroy"};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (pe_starts_with(string, known[i]) && !is_word(string[strlen(known[i])]))
			return true;
	return string[0] == '.' && string[1] != '\0' &&
	       strspn(string + 1, "0123456789.") == strlen(string + 1);
}

static struct part *part_begin(struct name *name, size_t from)
{
	if (name->n == MOST_PARTS) {
		memmove(&name->parts[1], &name->parts[2], (MOST_PARTS - 2) * sizeof(*name->parts));
		name->n--;
	}
	name->parts[name->n] = (struct part){.from = from, .base_end = from};
	return &name->parts[name->n++];
}

/* Whether what comes behind a blank is a function with parameters, so that the blank ends its return type. */
static bool is_returned(const char *rest)
{
	const char *open = strchr(rest, '(');

	if (open == rest && pe_starts_with(rest, "(anonymous"))
		open = strchr(rest + 1, '(');
	return open != NULL && open != rest && rest[0] != '[';
}

static void name_parse(struct name *name, const char *string)
{
	struct part *part;
	size_t i = 0;

	name->string = string;
	name->n = 0;
	name->suffix = strlen(string);
	part = part_begin(name, 0);
	/* An address in a file without symbols is one component. */
	if (strstr(string, "+0x") != NULL) {
		part->base_end = name->suffix;
		return;
	}
	while (string[i] != '\0') {
		const char c = string[i];
		const bool empty = i == part->from;
		size_t sign = empty ? operator_length(string + i) : 0, end;

		if (sign > 0) {
			i += sign;
			part->base_end = i;
			i += string[i] == ' ' && string[i + 1] == '<';
		} else if (c == '<' || c == '(' || c == '[' || c == '{') {
			end = closed(string, i);
			if (empty || (c != '<' && c != '(')) {
				part->base_end = part->parameters ? part->base_end : end;
			} else if (c == '(') {
				part->parameters = true;
			} else if (!part->parameters) {
				part->args = i;
				part->args_end = end;
			}
			i = end;
		} else if (pe_starts_with(string + i, "::") ||
			   (c == '.' && !empty && !is_clone(string + i))) {
			i += c == ':' ? 2 : 1;
			if (string[i] != '\0')
				part = part_begin(name, i);
		} else if ((c == '.' && !empty) || pe_starts_with(string + i, " [clone ") ||
			   pe_starts_with(string + i, " (.")) {
			name->suffix = i;
			break;
		} else if (c == ' ' && !part->parameters && is_returned(string + i + 1)) {
			name->n = 0;
			part = part_begin(name, ++i);
		} else {
			i++;
			if (!part->parameters && part->args == part->args_end)
				part->base_end = i;
		}
	}
	if (part->base_end == part->from)
		part->base_end = name->suffix > part->from ? name->suffix : strlen(string);
}

/* --- Writing --- */

/* The parameters of a lambda go: "{lambda(int)#1}" is "{lambda#1}". */
static void add_base(struct pe_text *out, const struct name *name, const struct part *part)
{
	const char *string = name->string;
	size_t i = part->from;

	while (i < part->base_end) {
		if (string[i] == '(' && i > part->from && string[part->from] == '{') {
			i = closed(string, i);
			continue;
		}
		pe_text_addc(out, string[i++]);
	}
}

static void add_suffix(struct pe_text *out, const struct name *name)
{
	for (const char *c = name->string + name->suffix; *c != '\0'; c++) {
		if (pe_starts_with(c, " [clone "))
			c += strlen(" [clone");
		else if (*c != ' ' && *c != '(' && *c != ')' && *c != ']')
			pe_text_addc(out, *c);
	}
}

static void add_last(struct pe_text *out, const struct name *name)
{
	add_base(out, name, &name->parts[name->n - 1]);
	add_suffix(out, name);
}

/* How much of a name is written. */
struct form {
	size_t first;                   /* component */
	bool qualifier_args, last_args; /* whole, else as "<…>" */
	bool marks;                     /* write "<…>" in qualifiers */
	bool parameters;                /* write "(…)" */
};

static void add_args(struct pe_text *out, const struct name *name, const struct part *part,
		     bool whole, const char *gap)
{
	if (part->args == part->args_end)
		return;
	if (name->string[part->args - 1] == ' ')
		pe_text_addc(out, ' ');
	if (whole)
		pe_text_addn(out, name->string + part->args, part->args_end - part->args);
	else
		pe_text_addf(out, "<%s>", gap);
}

static void add_form(struct pe_text *out, const struct name *name, const struct form *form,
		     const char *gap)
{
	if (form->first > 0)
		pe_text_add(out, gap);
	for (size_t i = form->first; i < name->n; i++) {
		const struct part *part = &name->parts[i];
		const bool last = i + 1 == name->n;

		add_base(out, name, part);
		if (last || form->marks)
			add_args(out, name, part, last ? form->last_args : form->qualifier_args,
				 gap);
		if (!last)
			pe_text_add(out,
				    name->string[name->parts[i + 1].from - 1] == '.' ? "." : "::");
		else if (form->parameters && part->parameters)
			pe_text_addf(out, "(%s)", gap);
	}
	add_suffix(out, name);
}

/* Append what fits of the beginning of a string that does not fit. */
static void add_beginning(struct pe_text *out, const char *string, size_t columns, const char *gap)
{
	pe_auto_text cut = PE_TEXT_INIT;

	/* pe_text_add_columns() ends it with its own sign. */
	pe_text_add_columns(&cut, string, columns);
	pe_text_addn(out, pe_text_str(&cut), cut.len - strlen("\xe2\x80\xa6"));
	pe_text_add(out, gap);
}

/* Append what fits of both ends of a string. */
static void add_ends(struct pe_text *out, const char *string, size_t columns, const char *gap)
{
	size_t before = (columns - 1) / 2, whole = pe_text_columns(string), used = 0;
	uint32_t point;

	while (*string != '\0' && used < before) {
		size_t n = pe_utf8_next(&point, string);

		pe_text_addn(out, string, n);
		used = whole - pe_text_columns(string + n);
		string += n;
	}
	pe_text_add(out, gap);
	while (pe_text_columns(string) > (columns > used ? columns - used - 1 : 0))
		string += pe_utf8_next(&point, string);
	pe_text_add(out, string);
}

/* Append the last component: of one that is too wide the suffix is cut first, then its middle. */
static void add_last_within(struct pe_text *out, const struct name *name, size_t columns,
			    const char *gap)
{
	pe_auto_text last = PE_TEXT_INIT, base = PE_TEXT_INIT;

	add_last(&last, name);
	add_base(&base, name, &name->parts[name->n - 1]);
	if (pe_text_columns(pe_text_str(&last)) <= columns)
		pe_text_add(out, pe_text_str(&last));
	else if (pe_text_columns(pe_text_str(&base)) + LEAST_SUFFIX <= columns)
		add_beginning(out, pe_text_str(&last), columns, gap);
	else if (columns > 0)
		add_ends(out, pe_text_str(&last), columns, gap);
}

static bool fits(const struct pe_text *text, size_t columns)
{
	return pe_text_columns(pe_text_str(text)) <= columns;
}

/* The forms of a name, from the longest. Returns false after the last. */
static bool form_at(struct form *form, const struct name *name, size_t i)
{
	*form = (struct form){
		.qualifier_args = i < 2, .last_args = i < 3, .marks = i < 4, .parameters = i == 0};
	if (i >= 4)
		form->first = i - 4;
	return form->first < name->n;
}

static void add_fitting(struct pe_text *out, const struct name *name, size_t columns,
			const char *gap)
{
	struct form form;

	for (size_t i = 0; form_at(&form, name, i); i++) {
		pe_text_clear(out);
		add_form(out, name, &form, gap);
		if (fits(out, columns))
			return;
	}
	pe_text_clear(out);
	add_last_within(out, name, columns, gap);
}

/* --- Keeping apart --- */

/* Append a string from where it differs, back to the beginning of that word. */
static void add_window(struct pe_text *out, const char *string, size_t differs, size_t columns,
		       const char *gap)
{
	size_t from = differs;

	while (from > 0 && differs - from < MOST_BACK_OFF && is_word(string[from - 1]))
		from--;
	if ((differs - from) * 2 > columns)
		from = differs;
	while (from > 0 && ((unsigned char)string[from] & 0xc0) == 0x80)
		from--;
	if (from == 1)
		from = 0;
	if (pe_text_columns(string) <= columns)
		from = 0;
	if (from > 0 && columns > 0) {
		pe_text_add(out, gap);
		columns--;
	}
	string += from;
	if (pe_text_columns(string) <= columns)
		pe_text_add(out, string);
	else if (columns > 0)
		add_beginning(out, string, columns, gap);
}

/* Append a name's last component, and before or behind it the place from which on others that would look alike differ. */
static void add_different(struct pe_text *out, const struct name *name, size_t differs,
			  size_t columns, const char *gap)
{
	const struct part *part = &name->parts[name->n - 1];
	const bool before = differs < part->from, within = !before && differs < part->base_end;
	const size_t start = before ? 0 : within ? part->from : part->base_end;
	pe_auto_text place = PE_TEXT_INIT, last = PE_TEXT_INIT;
	size_t room = 0;

	pe_text_addn(&place, name->string + start,
		     before ? part->from : strlen(name->string) - start);
	if (before)
		add_last(&last, name);
	else if (!within)
		add_base(&last, name, part);
	room = pe_text_columns(pe_text_str(&last));
	if (!within && room + LEAST_FRAGMENT > columns) {
		room = columns > LEAST_FRAGMENT + LEAST_LAST ? columns - LEAST_FRAGMENT
							     : columns / 2;
		pe_text_clear(&last);
		add_last_within(&last, name, room, gap);
	}
	if (!before)
		pe_text_add(out, pe_text_str(&last));
	add_window(out, pe_text_str(&place), differs - start, columns - room, gap);
	if (before)
		pe_text_add(out, pe_text_str(&last));
}

PE_SORT_POINTERS_BY(by_shown, struct pe_short_name, shown, name);

/* Bytes that all names of a group have alike. */
static size_t find_difference(struct pe_short_name *const *group, size_t n)
{
	size_t alike = SIZE_MAX;

	for (size_t i = 1; i < n; i++) {
		const char *first = group[0]->name, *other = group[i]->name;
		size_t at = 0;

		while (first[at] != '\0' && first[at] == other[at])
			at++;
		if (first[at] != other[at] && at < alike)
			alike = at;
	}
	return alike;
}

/* Show the names of a group, which look alike, with the first place in which they differ. */
static void part_group(struct pe_short_name **group, size_t n, const char *gap,
		       struct pe_arena *arena)
{
	const size_t differs = find_difference(group, n);

	for (size_t i = 0; i < n; i++) {
		pe_auto_text text = PE_TEXT_INIT;
		struct name name;

		name_parse(&name, group[i]->name);
		add_different(&text, &name, differs, group[i]->columns, gap);
		group[i]->shown = pe_arena_strdup(arena, pe_text_str(&text));
	}
}

/* Groups of names that look alike and are not: [from, to) of an array in the order of what is shown. */
static bool next_group(size_t *from, size_t *to, struct pe_short_name *const *sorted, size_t n)
{
	for (*from = *to; *from < n; *from = *to) {
		*to = *from + 1;
		while (*to < n && strcmp(sorted[*to]->shown, sorted[*from]->shown) == 0)
			++*to;
		if (strcmp(sorted[*from]->name, sorted[*to - 1]->name) != 0)
			return true;
	}
	return false;
}

/* What no width is enough for has numbers. */
static void number_group(struct pe_short_name **group, size_t n, const char *gap,
			 struct pe_arena *arena)
{
	size_t number = 1;

	for (size_t i = 1; i < n; i++) {
		pe_auto_text text = PE_TEXT_INIT, sign = PE_TEXT_INIT;
		struct name name;
		size_t room;

		number += strcmp(group[i]->name, group[i - 1]->name) != 0;
		if (number == 1)
			continue;
		pe_text_addf(&sign, "#%zu ", number);
		room = group[i]->columns > sign.len ? group[i]->columns - sign.len : 0;
		name_parse(&name, group[i]->name);
		add_fitting(&text, &name, room, gap);
		pe_text_add(&sign, pe_text_str(&text));
		group[i]->shown = pe_arena_strdup(arena, pe_text_str(&sign));
	}
}

static void part_all(struct pe_short_name **sorted, size_t n, const char *gap,
		     struct pe_arena *arena)
{
	for (int pass = 0; pass <= MOST_PASSES; pass++) {
		size_t from, to = 0;
		bool any = false;

		qsort(sorted, n, sizeof(struct pe_short_name *), by_shown);
		while (next_group(&from, &to, sorted, n)) {
			any = true;
			if (pass < MOST_PASSES)
				part_group(sorted + from, to - from, gap, arena);
			else
				number_group(sorted + from, to - from, gap, arena);
		}
		if (!any)
			return;
	}
}

void pe_short_names_fit(struct pe_short_name *names, size_t n, const char *gap,
			struct pe_arena *arena)
{
	struct pe_short_name **sorted = pe_arena_new(arena, struct pe_short_name *, n + 1);
	pe_auto_text text = PE_TEXT_INIT;
	bool any = false;

	for (size_t i = 0; i < n; i++) {
		struct name name;

		sorted[i] = &names[i];
		/* Without control characters. */
		pe_text_clear(&text);
		pe_text_add_columns(&text, names[i].name, SIZE_MAX);
		if (strcmp(pe_text_str(&text), names[i].name) != 0)
			names[i].name = pe_arena_strdup(arena, pe_text_str(&text));
		names[i].shown = names[i].name;
		if (pe_text_columns(names[i].name) <= names[i].columns)
			continue;
		any = true;
		name_parse(&name, names[i].name);
		add_fitting(&text, &name, names[i].columns, gap);
		names[i].shown = pe_arena_strdup(arena, pe_text_str(&text));
	}
	if (any)
		part_all(sorted, n, gap, arena);
}

void pe_short_name_add(struct pe_text *out, const char *name, size_t columns)
{
	struct pe_short_name one = {.name = name, .columns = columns};
	pe_auto_arena arena = PE_ARENA_INIT;

	pe_short_names_fit(&one, 1, "\xe2\x80\xa6", &arena);
	pe_text_add(out, one.shown);
}
