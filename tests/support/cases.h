/*
 * Cases: a text file of inputs, each with what is made of it in the line below. PERFEVO_UPDATE_GOLDEN=1 rewrites the
 * results, to be reviewed as a diff, which git shows of files kept by gzip, too: `gunzip`, edit, `gzip -9n`. These are formats
 * of other programs, which few people edit, and files of more than 15 lines.
 *
 *	# a fact about the cases below
 *	<WORD INPUT     WORD may be missing: "< INPUT"; INPUT may be @FILE, from the folder of the cases, unpacked
 *	>RESULT
 *
 * Both are escaped as the format %b of printf(1) has it: \n \t \\ and \0ooo for a byte. scripts/fuzz.sh makes seeds of them.
 */
#pragma once

#include "tests/support/data_file.h"

#include <stdlib.h>
#include <string.h>

/* Says into `result` what is made of an input, which has a NUL behind it. Line breaks at the end are left out. */
typedef void cases_fn(struct pe_text *result, const char *word, const char *input, size_t n);

static inline void cases_unescape(struct pe_text *out, const char *at, size_t n)
{
	static const char letters[] = "ntr\\", meant[] = "\n\t\r\\";

	for (const char *end = at + n; at < end; at++) {
		const char *letter = *at == '\\' && at + 1 < end ? strchr(letters, at[1]) : NULL;

		if (letter != NULL) {
			pe_text_addc(out, meant[letter - letters]);
			at++;
		} else if (*at == '\\' && at + 4 < end) {
			pe_text_addc(out, (char)((at[2] - '0') << 6 | (at[3] - '0') << 3 |
						 (at[4] - '0')));
			at += 4;
		} else {
			pe_text_addc(out, *at);
		}
	}
}

static inline void cases_escape(struct pe_text *out, const struct pe_text *text)
{
	size_t n = text->len;

	for (; n > 0 && text->data[n - 1] == '\n'; n--)
		;
	for (size_t i = 0; i < n; i++) {
		unsigned char byte = (unsigned char)text->data[i];

		if (byte == '\\' || byte == '\n' || byte == '\t')
			pe_text_addf(out, "\\%c", byte == '\n' ? 'n' : byte == '\t' ? 't' : '\\');
		else if (byte < ' ' || byte > '~')
			pe_text_addf(out, "\\0%03o", byte);
		else
			pe_text_addc(out, (char)byte);
	}
}

/* Compare the cases of tests/FOLDER/NAME. */
static inline void cases_check(const char *folder, const char *name, cases_fn *run)
{
	pe_auto_text old = PE_TEXT_INIT, new = PE_TEXT_INIT;
	pe_auto_text input = PE_TEXT_INIT, result = PE_TEXT_INIT, line = PE_TEXT_INIT;
	bool update = getenv("PERFEVO_UPDATE_GOLDEN") != NULL;
	size_t number = 0, n_cases = 0;

	data_file(&old, folder, name);
	for (char *at = old.data, *next; at < old.data + old.len; at = next) {
		size_t n = strcspn(at, "\n"), word = *at == '<' ? strcspn(at, " ") : 0;
		const char *rest = at + word + 1;

		next = at + n + 1;
		number++;
		if (*at == '>')
			continue;
		pe_text_addn(&new, at, n + 1);
		if (*at != '<')
			continue;
		at[word] = at[n] = '\0';
		pe_text_clear(&result);
		pe_text_clear(&input);
		if (*rest == '@')
			data_file(&input, folder, rest + 1);
		else
			cases_unescape(&input, rest, strlen(rest));
		run(&result, at + 1, pe_text_str(&input), input.len);
		pe_text_clear(&line);
		pe_text_addc(&line, '>');
		cases_escape(&line, &result);
		pe_text_addf(&new, "%s\n", pe_text_str(&line));
		n_cases++;
		n = strcspn(next, "\n");
		cr_expect(update || (n == line.len && strncmp(next, pe_text_str(&line), n) == 0),
			  "tests/%s/%s:%zu: %s\nis now %s", folder, name, number, rest,
			  pe_text_str(&line));
	}
	cr_expect(n_cases > 0);
	if (update)
		data_write(&new, data_path(folder, name));
}
