#include "core/model/system_calls.h"

#include "core/base/sort.h"
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

void pe_system_calls_widen(struct pe_system_call_ranges *ranges,
			   const struct pe_system_calls *calls, struct pe_arena *arena)
{
	struct pe_system_call_range *wider =
		pe_arena_new(arena, struct pe_system_call_range, ranges->n + calls->n);
	size_t i = 0, j = 0, n = 0;

	while (i < ranges->n || j < calls->n) {
		int order = i == ranges->n  ? 1
			    : j == calls->n ? -1
					    : strcmp(ranges->at[i].name, calls->at[j].name);
		struct pe_system_call_range *one = &wider[n++];
		uint64_t count = order >= 0 ? calls->at[j].count : 0;

		/* A run that does not make it, or the first that does. */
		if (order <= 0)
			*one = ranges->at[i];
		else
			*one = (struct pe_system_call_range){calls->at[j].name,
							     ranges->runs > 0 ? 0 : count, count};
		one->least = count < one->least ? count : one->least;
		one->most = count > one->most ? count : one->most;
		i += order <= 0;
		j += order >= 0;
	}
	*ranges = (struct pe_system_call_ranges){wider, n, ranges->runs + 1};
}

static struct pe_system_call_range *find(const struct pe_system_call_ranges *ranges,
					 const char *name)
{
	for (size_t i = 0; i < ranges->n; i++)
		if (strcmp(ranges->at[i].name, name) == 0)
			return &ranges->at[i];
	return NULL;
}

static uint64_t width_of(const struct pe_system_call_range *range)
{
	return range != NULL ? range->most - range->least : 0;
}

void pe_system_calls_vary(struct pe_system_call_ranges *varying,
			  const struct pe_system_call_ranges *build, struct pe_arena *arena)
{
	struct pe_system_call_ranges wider = {
		pe_arena_new(arena, struct pe_system_call_range, varying->n + build->n), varying->n,
		varying->runs + (build->runs > 0)};

	if (varying->n > 0)
		memcpy(wider.at, varying->at, varying->n * sizeof(*wider.at));
	for (size_t i = 0; i < build->n; i++) {
		const struct pe_system_call_range *one = &build->at[i];
		struct pe_system_call_range *old = find(&wider, one->name);

		if (old == NULL && width_of(one) > 0)
			wider.at[wider.n++] = *one;
		else if (width_of(one) > width_of(old))
			*old = *one;
	}
	*varying = wider;
}

static uint64_t size_of(const struct pe_system_call_change *change)
{
	return change->new_least > change->old_most   ? change->new_least - change->old_most
	       : change->old_least > change->new_most ? change->old_least - change->new_most
						      : 0;
}

static int compare_changes(const void *a, const void *b)
{
	const struct pe_system_call_change *x = a, *y = b;

	if (size_of(x) != size_of(y))
		return size_of(x) < size_of(y) ? 1 : -1;
	return strcmp(x->name, y->name);
}

/* The changes of all names; those that do not differ at all are counted. */
static struct pe_system_call_change *list(size_t *n, size_t *n_same,
					  const struct pe_system_call_ranges *olds,
					  const struct pe_system_call_ranges *news,
					  struct pe_arena *arena)
{
	struct pe_system_call_change *at =
		pe_arena_new(arena, struct pe_system_call_change, olds->n + news->n);
	size_t i = 0, j = 0;

	*n = *n_same = 0;
	while (i < olds->n || j < news->n) {
		int order = i == olds->n   ? 1
			    : j == news->n ? -1
					   : strcmp(olds->at[i].name, news->at[j].name);
		const struct pe_system_call_range *x = order <= 0 ? &olds->at[i++] : NULL;
		const struct pe_system_call_range *y = order >= 0 ? &news->at[j++] : NULL;
		const struct pe_system_call_change one = {
			.name = x != NULL ? x->name : y->name,
			.old_least = x != NULL ? x->least : 0,
			.old_most = x != NULL ? x->most : 0,
			.new_least = y != NULL ? y->least : 0,
			.new_most = y != NULL ? y->most : 0,
		};

		if (one.old_least == one.new_least && one.old_most == one.new_most)
			++*n_same;
		else
			at[(*n)++] = one;
	}
	return at;
}

void pe_system_calls_compare(struct pe_system_call_changes *out,
			     const struct pe_system_call_ranges *old_ranges,
			     const struct pe_system_call_ranges *new_ranges,
			     const struct pe_system_call_ranges *varying, struct pe_arena *arena)
{
	struct pe_system_call_change *vary;
	size_t n;

	*out = (struct pe_system_call_changes){NULL, 0, 0, 0};
	out->at = list(&n, &out->n_same, old_ranges, new_ranges, arena);
	vary = pe_arena_new(arena, struct pe_system_call_change, n);
	for (size_t i = 0; i < n; i++) {
		const struct pe_system_call_change one = out->at[i];

		if (size_of(&one) > width_of(find(varying, one.name)))
			out->at[out->n++] = one;
		else
			vary[out->n_varying++] = one;
	}
	pe_sort(out->at, out->n, compare_changes);
	if (out->n_varying > 0)
		memcpy(out->at + out->n, vary, out->n_varying * sizeof(*vary));
}
