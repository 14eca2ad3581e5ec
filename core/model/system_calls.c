#include "core/model/system_calls.h"

#include "core/base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NAME_BYTES "abcdefghijklmnopqrstuvwxyz0123456789_-"

const char *pe_system_calls_pack(const struct pe_system_calls *calls, struct pe_arena *arena)
{
	pe_auto_text text = PE_TEXT_INIT;

	for (size_t i = 0; i < calls->n; i++)
		pe_text_addf(&text, "%s %" PRIu64 "\n", calls->at[i].name, calls->at[i].count);
	return pe_arena_strdup(arena, pe_text_str(&text));
}

bool pe_system_calls_unpack(struct pe_system_calls *out, const char *lines, struct pe_arena *arena)
{
	struct pe_system_calls calls = {NULL, 0};
	size_t most = 0;

	*out = calls;
	for (const char *line = lines; (line = strchr(line, '\n')) != NULL; line++)
		most++;
	if (most > PE_SYSTEM_CALLS_MOST)
		return false;
	calls.at = pe_arena_new(arena, struct pe_system_call, most);
	for (const char *line = lines; calls.n < most; line = strchr(line, '\n') + 1) {
		struct pe_system_call *one = &calls.at[calls.n++];
		char name[PE_SYSTEM_CALL_NAME];

		if (sscanf(line, "%31[" NAME_BYTES "] %" SCNu64, name, &one->count) != 2 ||
		    one->count == 0)
			return false;
		one->name = pe_arena_strdup(arena, name);
		if (calls.n > 1 && strcmp(one[-1].name, name) >= 0)
			return false;
	}
	/* Each list has one form: no sign, no further blank, no 0 before a number. */
	if (strcmp(pe_system_calls_pack(&calls, arena), lines) != 0)
		return false;
	*out = calls;
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
