#include "core/model/modules.h"

#include "core/base/text.h"

#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
	const struct pe_mapped *x = a, *y = b;
	int order = strcmp(x->path, y->path);

	return order != 0 ? order : strcmp(x->digest, y->digest);
}

void pe_modules_sort(struct pe_mapped *at, size_t *n)
{
	size_t kept = 0;

	if (*n > 0)
		qsort(at, *n, sizeof(*at), compare);
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

/* --- Names --- */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

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
	return strstr(base_name(path), ".so") != NULL;
}

static bool is_of_stem(const char *path, const char *other)
{
	const char *a = base_name(path), *b = base_name(other);
	size_t n = stem_of(a);

	return is_library(path) == is_library(other) && n == stem_of(b) && memcmp(a, b, n) == 0;
}

static bool has_name(const struct pe_module_set *modules, const char *path)
{
	for (size_t i = 0; i < modules->n; i++)
		if (strcmp(base_name(modules->at[i].path), base_name(path)) == 0)
			return true;
	return false;
}

/* All contents that one has of a name are among those of the other. */
static bool is_within(const struct pe_module_set *one, const struct pe_module_set *other,
		      const char *path)
{
	for (size_t i = 0; i < one->n; i++) {
		bool found = strcmp(base_name(one->at[i].path), base_name(path)) != 0;

		for (size_t k = 0; k < other->n && !found; k++)
			found = strcmp(base_name(other->at[k].path), base_name(path)) == 0 &&
				strcmp(one->at[i].digest, other->at[k].digest) == 0;
		if (!found)
			return false;
	}
	return true;
}

/* Whether some version of it is in both. */
static bool share_name(const struct pe_module_set *one, const struct pe_module_set *other,
		       const char *path)
{
	for (size_t i = 0; i < one->n; i++)
		if (is_of_stem(one->at[i].path, path) && has_name(other, one->at[i].path))
			return true;
	return false;
}

static bool has_stem(const struct pe_module_set *modules, const char *path)
{
	for (size_t i = 0; i < modules->n; i++)
		if (is_of_stem(modules->at[i].path, path))
			return true;
	return false;
}

static bool is_replaced(const struct pe_module_set *old, const struct pe_module_set *new,
			const char *path)
{
	if (has_name(old, path))
		return !is_within(old, new, path) && !is_within(new, old, path);
	return has_stem(old, path) && !share_name(old, new, path);
}

size_t pe_modules_replaced(const char **first, const struct pe_module_set *old,
			   const struct pe_module_set *new)
{
	const char *found = NULL;
	size_t n = 0;

	for (size_t i = 0; i < new->n; i++) {
		const char *path = new->at[i].path;

		/* Contents of one name count once. */
		if ((i > 0 && strcmp(new->at[i - 1].path, path) == 0) ||
		    !is_replaced(old, new, path))
			continue;
		n++;
		if (found == NULL || (is_library(found) && !is_library(path)))
			found = path;
	}
	if (first != NULL)
		*first = found;
	return n;
}
