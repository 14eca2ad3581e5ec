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

/* A module by what is compared of it. */
struct named {
	const char *name, *digest;
	size_t stem;
	bool library;
};

/* Versions of one thing stand together. */
static int compare_stems(const struct named *x, const struct named *y)
{
	const size_t n = x->stem < y->stem ? x->stem : y->stem;
	int order = (int)x->library - (int)y->library;

	if (order == 0)
		order = memcmp(x->name, y->name, n);
	return order != 0 ? order : (x->stem > y->stem) - (x->stem < y->stem);
}

static int compare_names(const struct named *x, const struct named *y)
{
	int order = compare_stems(x, y);

	return order != 0 ? order : strcmp(x->name, y->name);
}

static int compare_named(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	int order = compare_names(x, y);

	return order != 0 ? order : strcmp(x->digest, y->digest);
}

static struct named *by_name(const struct pe_module_set *set, struct pe_arena *arena)
{
	struct named *out = pe_arena_new(arena, struct named, set->n);

	for (size_t i = 0; i < set->n; i++) {
		const char *name = base_name(set->at[i].path);

		out[i] = (struct named){name, set->at[i].digest, stem_of(name),
					is_library(set->at[i].path)};
	}
	pe_sort(out, set->n, compare_named);
	return out;
}

/* Some of a sorted set. */
struct range {
	const struct named *at;
	size_t n;
};

static struct range first_of(const struct range *from,
			     int (*order)(const struct named *, const struct named *))
{
	struct range range = {from->at, 0};

	while (range.n < from->n && order(&from->at[range.n], from->at) == 0)
		range.n++;
	return range;
}

static void drop(struct range *from, size_t n)
{
	from->at += n;
	from->n -= n;
}

/* All contents of one are among those of the other. */
static bool is_within(struct range one, struct range other)
{
	while (one.n > 0 && other.n > 0) {
		const int order = strcmp(one.at->digest, other.at->digest);

		if (order < 0)
			return false;
		if (order == 0)
			drop(&one, 1);
		else
			drop(&other, 1);
	}
	return one.n == 0;
}

/* Those of `from` that have a name: from is moved there. */
static struct range find(struct range *from, const struct named *name,
			 int (*order)(const struct named *, const struct named *))
{
	while (from->n > 0 && order(from->at, name) < 0)
		drop(from, 1);
	if (from->n == 0 || order(from->at, name) != 0)
		return (struct range){NULL, 0};
	return first_of(from, order);
}

static bool share_name(struct range one, struct range other)
{
	for (; one.n > 0; drop(&one, first_of(&one, compare_names).n))
		if (find(&other, one.at, compare_names).n > 0)
			return true;
	return false;
}

/* Whether a version of one thing, of those in `new`, took the place of one in `old`. */
static bool is_replaced(struct range old, struct range new)
{
	const bool shared = share_name(old, new);

	while (new.n > 0) {
		const struct range now = first_of(&new, compare_names),
				   before = find(&old, new.at, compare_names);

		if (before.n > 0 ? !is_within(before, now) && !is_within(now, before) : !shared)
			return true;
		drop(&new, now.n);
	}
	return false;
}

bool pe_modules_replaced(const struct pe_module_set *old, const struct pe_module_set *new)
{
	pe_auto_arena scratch = PE_ARENA_INIT;
	struct range before = {by_name(old, &scratch), old->n},
		     now = {by_name(new, &scratch), new->n};

	while (now.n > 0) {
		const struct range versions = first_of(&now, compare_stems),
				   others = find(&before, now.at, compare_stems);

		if (others.n > 0 && is_replaced(others, versions))
			return true;
		drop(&now, versions.n);
	}
	return false;
}
