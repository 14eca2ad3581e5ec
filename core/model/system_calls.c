#include "core/model/system_calls.h"

#include "core/base/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NAME_BYTES "abcdefghijklmnopqrstuvwxyz0123456789_-"

const char *pe_system_calls_pack(const struct pe_system_calls *calls, struct pe_arena *arena)
{
	pe_auto_text text = PE_TEXT_INIT;

	for (size_t i = 0; i < calls->n; i++)
		pe_text_addf(&text, "%s %" PRIu64 "\n", calls->at[i].name, calls->at[i].count);
	return pe_arena_strdup(arena, pe_text_str(&text));
}

/* One line; NULL: it is none, or not as it is written. */
static const char *unpack_line(struct pe_system_call *out, const char *line, struct pe_arena *arena)
{
	size_t n = strspn(line, NAME_BYTES);
	const char *digits = line + n + 1;
	char *end;

	/* No sign, no blank, no 0 and none before the number: each list has one form. */
	if (n == 0 || n >= PE_SYSTEM_CALL_NAME || line[n] != ' ' || *digits < '1' || *digits > '9')
		return NULL;
	errno = 0;
	out->count = strtoull(digits, &end, 10);
	out->name = pe_arena_strndup(arena, line, n);
	return errno == 0 && *end == '\n' ? end + 1 : NULL;
}

bool pe_system_calls_unpack(struct pe_system_calls *out, const char *lines, struct pe_arena *arena)
{
	struct pe_system_call *at;
	size_t most = 0, n = 0;

	*out = (struct pe_system_calls){NULL, 0};
	for (const char *line = lines; (line = strchr(line, '\n')) != NULL; line++)
		most++;
	if (most > PE_SYSTEM_CALLS_MOST)
		return false;
	at = pe_arena_new(arena, struct pe_system_call, most);
	for (; *lines != '\0'; n++) {
		lines = n < most ? unpack_line(&at[n], lines, arena) : NULL;
		if (lines == NULL || (n > 0 && strcmp(at[n - 1].name, at[n].name) >= 0))
			return false;
	}
	*out = (struct pe_system_calls){at, n};
	return true;
}

uint64_t pe_system_calls_total(const struct pe_system_calls *calls)
{
	uint64_t total = 0;

	for (size_t i = 0; i < calls->n; i++)
		if (__builtin_add_overflow(total, calls->at[i].count, &total))
			return UINT64_MAX;
	return total;
}
