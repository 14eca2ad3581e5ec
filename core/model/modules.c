#include "core/model/modules.h"

#include "core/base/sort.h"
#include "core/base/text.h"
#include "core/base/utf8.h"

#include <string.h>

PE_SORT_BY(compare, struct pe_mapped, path, digest);

void pe_modules_sort(struct pe_mapped *at, size_t *n)
{
	size_t kept = 0;

	pe_sort(at, *n, compare);
	for (size_t i = 0; i < *n; i++)
		if (kept == 0 || compare(&at[kept - 1], &at[i]) != 0)
			at[kept++] = at[i];
	*n = kept;
}

const char *pe_modules_pack(const struct pe_module_set *modules, struct pe_arena *arena)
{
	pe_auto_text text = PE_TEXT_INIT;

	for (size_t i = 0; i < modules->n; i++)
		pe_text_addf(&text, "%s %s\n", modules->at[i].digest, modules->at[i].path);
	return pe_arena_strdup(arena, pe_text_str(&text));
}

static size_t count_lines(const char *lines)
{
	size_t n = 0;

	for (; *lines != '\0'; lines++)
		n += *lines == '\n';
	return n;
}

struct pe_module_set pe_modules_unpack(const char *lines, struct pe_arena *arena)
{
	struct pe_mapped *at = pe_arena_new(arena, struct pe_mapped, count_lines(lines));
	size_t n = 0, length;

	for (; lines[length = strcspn(lines, "\n")] == '\n'; lines += length + 1) {
		size_t digest = strcspn(lines, " \n");

		if (digest + 1 < length)
			at[n++] = (struct pe_mapped){
				.digest = pe_arena_strndup(arena, lines, digest),
				.path = pe_arena_strndup(arena, lines + digest + 1,
							 length - digest - 1)};
	}
	return (struct pe_module_set){.at = at, .n = n};
}

bool pe_modules_are_sound(const char *lines, size_t *n)
{
	pe_auto_arena scratch = PE_ARENA_INIT;
	struct pe_module_set set;

	if (count_lines(lines) > PE_MODULES_MOST)
		return false;
	set = pe_modules_unpack(lines, &scratch);
	if (n != NULL)
		*n = set.n;
	for (size_t i = 0; i < set.n; i++)
		if (set.at[i].path[0] != '/' || !pe_utf8_is_words(set.at[i].path) ||
		    set.at[i].digest[0] == '\0' || !pe_utf8_is_words(set.at[i].digest) ||
		    (i > 0 && compare(&set.at[i - 1], &set.at[i]) >= 0))
			return false;
	return strcmp(pe_modules_pack(&set, &scratch), lines) == 0;
}

/* --- Names --- */

/* Of a name: what stays the same from version to version. */
static size_t stem_of(const char *name)
{
	const char *suffix = strstr(name, ".so");
	size_t n = suffix != NULL && suffix != name ? (size_t)(suffix - name) : strlen(name);
	size_t stem = n;

	while (stem > 0 && strchr("0123456789.-_", name[stem - 1]) != NULL)
		stem--;
	return stem > 0 ? stem : n;
}

static bool is_library(const char *path)
{
	return strstr(pe_path_name(path), ".so") != NULL;
}

/* A module by what is compared of it. A program and a library have no stem in common. */
struct named {
	const char *stem, *digest;
};

PE_SORT_BY(compare_named, struct named, stem, digest);

/* Versions of one thing stand together. */
static const struct named *sort_by_stem(const struct pe_module_set *set, struct pe_arena *arena)
{
	struct named *out = pe_arena_new(arena, struct named, set->n);

	for (size_t i = 0; i < set->n; i++) {
		const char *path = set->at[i].path, *name = pe_path_name(path);

		out[i] = (struct named){pe_arena_printf(arena, "%s%.*s",
							is_library(path) ? "library " : "",
							(int)stem_of(name), name),
					set->at[i].digest};
	}
	pe_sort(out, set->n, compare_named);
	return out;
}

/* The modules of the first one's stem. */
static size_t count_versions(const struct named *at, size_t n)
{
	size_t same = 0;

	while (same < n && strcmp(at[same].stem, at->stem) == 0)
		same++;
	return same;
}

/* Whether all contents of some versions are among those of others. */
static bool is_within(const struct named *some, size_t n, const struct named *others, size_t m)
{
	for (size_t i = 0, k = 0; i < n; i++) {
		while (k < m && strcmp(others[k].digest, some[i].digest) < 0)
			k++;
		if (k == m || strcmp(others[k].digest, some[i].digest) != 0)
			return false;
	}
	return true;
}

bool pe_modules_replaced(const struct pe_module_set *old, const struct pe_module_set *new)
{
	pe_auto_arena scratch = PE_ARENA_INIT;
	const struct named *before = sort_by_stem(old, &scratch);
	const struct named *now = sort_by_stem(new, &scratch);

	for (size_t i = 0, j = 0; i < old->n && j < new->n;) {
		const int order = strcmp(before[i].stem, now[j].stem);
		const size_t n = count_versions(&before[i], old->n - i);
		const size_t m = count_versions(&now[j], new->n - j);

		if (order == 0 && !is_within(&before[i], n, &now[j], m) &&
		    !is_within(&now[j], m, &before[i], n))
			return true;
		i += order <= 0 ? n : 0;
		j += order >= 0 ? m : 0;
	}
	return false;
}
