#include "app/measure/reads.h"

#include "core/base/array.h"
#include "core/base/text.h"
#include "vcs/digest.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

typedef PE_VEC(const char *) strings;

/* --- Telling --- */

static bool contains(const struct pe_strings *sorted, const char *path)
{
	return sorted->n > 0 &&
	       bsearch(&path, sorted->at, sorted->n, sizeof(*sorted->at), pe_string_order) != NULL;
}

/* Something lies below a path. */
static bool contains_below(const struct pe_strings *sorted, const char *path)
{
	size_t low = 0, high = sorted->n, n = strlen(path);
	char folder[PATH_MAX];

	if (n + 2 > sizeof(folder))
		return true;
	memcpy(folder, path, n);
	memcpy(folder + n, "/", 2);
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(sorted->at[middle], folder) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < sorted->n && strncmp(sorted->at[low], folder, n + 1) == 0;
}

/* A path, or a folder above it. */
static bool contains_above(const struct pe_strings *sorted, const char *path)
{
	char part[PATH_MAX];
	size_t n = strlen(path);

	if (n + 1 > sizeof(part))
		return true;
	memcpy(part, path, n + 1);
	while (n > 0) {
		if (contains(sorted, part))
			return true;
		while (n > 0 && part[n] != '/')
			n--;
		part[n] = '\0';
	}
	return false;
}

static bool lists_folder_of(const struct pe_reads *reads, const char *path)
{
	const char *slash = strrchr(path, '/');
	char folder[PATH_MAX];

	if (slash == NULL)
		return contains(&reads->folders, ".");
	if ((size_t)(slash - path) + 1 > sizeof(folder))
		return true;
	memcpy(folder, path, (size_t)(slash - path));
	folder[slash - path] = '\0';
	return contains(&reads->folders, folder);
}

static bool decides_trees(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;

	return strcmp(name, ".gitattributes") == 0 || strcmp(name, ".gitmodules") == 0;
}

/* No compiler looks for a name of this kind unless a source says it, whose text counts anyway. */
static bool is_never_included(const char *path)
{
	static const char *const suffixes[] = {
		".md",  ".txt",  ".rst",  ".html", ".css", ".js",  ".py",  ".sh",  ".lua",
		".yml", ".yaml", ".json", ".toml", ".xml", ".svg", ".png", ".jpg", ".pdf",
	};
	const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
	const char *suffix = strrchr(name, '.');

	for (size_t i = 0; suffix != NULL && i < sizeof(suffixes) / sizeof(*suffixes); i++)
		if (strcmp(suffix, suffixes[i]) == 0)
			return true;
	return *name == '.' || strcmp(name, "README") == 0 || strcmp(name, "LICENSE") == 0;
}

bool pe_reads_differ(const struct pe_reads *reads, const struct pe_changed_name *name)
{
	bool is_dir = name->was_dir || name->is_dir;
	bool came_or_went = !name->before || !name->after || is_dir;

	if (decides_trees(name->path) || contains(&reads->files, name->path) ||
	    contains(&reads->folders, name->path) || contains_above(&reads->made, name->path))
		return true;
	/* Below a link or a submodule, and below what is a file on one side and a folder on the other. */
	if (!name->is_file && (!is_dir || (name->before && name->after)) &&
	    (contains_below(&reads->files, name->path) ||
	     contains_below(&reads->folders, name->path) ||
	     contains_below(&reads->made, name->path)))
		return true;
	return came_or_went && ((reads->names && !is_dir && !is_never_included(name->path)) ||
				lists_folder_of(reads, name->path));
}

/* --- Runs --- */

static struct pe_strings merge(const struct pe_strings *a, const struct pe_strings *b,
			       struct pe_arena *arena)
{
	const char **at = pe_arena_new(arena, const char *, a->n + b->n + 1);

	if (a->n > 0)
		memcpy(at, a->at, a->n * sizeof(*at));
	if (b->n > 0)
		memcpy(at + a->n, b->at, b->n * sizeof(*at));
	qsort(at, a->n + b->n, sizeof(*at), pe_string_order);
	return (struct pe_strings){at, a->n + b->n};
}

void pe_reads_of_run(struct pe_reads *out, const struct pe_dependencies *touched,
		     struct pe_arena *arena)
{
	*out = (struct pe_reads){
		.files = merge(&touched->files, &touched->programs, arena),
		.folders = touched->folders,
		.made = touched->made,
	};
}

/* --- As lines --- */

struct line {
	const char *path;
	char kind;
};

static int compare_lines(const void *a, const void *b)
{
	const struct line *left = a, *right = b;
	int order = strcmp(left->path, right->path);

	return order != 0 ? order : (left->kind > right->kind) - (left->kind < right->kind);
}

struct lines {
	PE_VEC(struct line) at;
	bool broken; /* a path cannot stand in a line */
};

static void add(struct lines *lines, char kind, const struct pe_strings *paths)
{
	for (size_t i = 0; i < paths->n; i++) {
		lines->broken |= strchr(paths->at[i], '\n') != NULL;
		pe_vec_push(&lines->at, (struct line){paths->at[i], kind});
	}
}

/* What lies in a folder that was made is made with it. */
static struct pe_strings topmost(const struct pe_strings *made, struct pe_arena *arena)
{
	const char **at = pe_arena_new(arena, const char *, made->n + 1);
	struct pe_strings out = {at, 0};

	/* Sorted: a folder comes before what is in it, though others may come between. */
	for (size_t i = 0; i < made->n; i++)
		if (!contains_above(&out, made->at[i]))
			at[out.n++] = made->at[i];
	return out;
}

static const char *write_lines(const struct lines *lines, const struct pe_dependencies *seen,
			       struct pe_arena *arena)
{
	pe_auto_text text = PE_TEXT_INIT;
	const char *before = "";

	pe_text_add(&text, seen->cached ? "N 0 \n" : "");
	for (size_t i = 0; i < lines->at.n; i++) {
		const struct line *line = &lines->at.data[i];
		size_t same = 0;

		while (before[same] != '\0' && before[same] == line->path[same])
			same++;
		pe_text_addf(&text, "%c %zu %s\n", line->kind, same, line->path + same);
		before = line->path;
	}
	return pe_arena_strdup(arena, pe_text_str(&text));
}

void pe_reads_pack(struct pe_stored_reads *out, const struct pe_dependencies *seen,
		   struct pe_arena *arena)
{
	struct lines lines = {.broken = false};
	struct pe_strings made;
	char *digest = pe_arena_alloc(arena, PE_OID_HEX, 1);

	*out = (struct pe_stored_reads){.reason = "it was not watched"};
	if (seen == NULL)
		return;
	out->reason = seen->complete ? seen->impure : seen->reason;
	if (out->reason != NULL)
		return;
	made = topmost(&seen->made, arena);
	add(&lines, 'F', &seen->programs);
	add(&lines, 'F', &seen->files);
	add(&lines, 'D', &seen->folders);
	add(&lines, 'M', &made);
	if (lines.at.n > 0)
		qsort(lines.at.data, lines.at.n, sizeof(*lines.at.data), compare_lines);
	out->paths = write_lines(&lines, seen, arena);
	if (lines.broken)
		out->reason = "the name of a file that it reads has two lines";
	else if (pe_digest_bytes(digest, out->paths, strlen(out->paths)) != 0)
		out->reason = "the list of what it reads has no digest";
	else
		out->digest = digest;
	pe_vec_release(&lines.at);
}

static struct pe_strings take(strings *from, struct pe_arena *arena)
{
	const char **copy = pe_vec_copy(arena, from);
	struct pe_strings out = {copy, from->n};

	pe_vec_release(from);
	return out;
}

void pe_reads_unpack(struct pe_reads *out, const char *paths, struct pe_arena *arena)
{
	strings files = {NULL, 0, 0}, folders = {NULL, 0, 0}, made = {NULL, 0, 0};
	const char *before = "";

	*out = (struct pe_reads){.names = false};
	while (*paths != '\0') {
		size_t n = strcspn(paths, "\n");
		char *rest = NULL;
		size_t same = n > 2 ? strtoul(paths + 2, &rest, 10) : 0;
		size_t start = rest != NULL && *rest == ' ' ? (size_t)(rest + 1 - paths) : n;

		if (*paths == 'N') {
			out->names = true;
		} else if (start <= n && same <= strlen(before)) {
			before = pe_arena_printf(arena, "%.*s%.*s", (int)same, before,
						 (int)(n - start), paths + start);
			if (*paths == 'F')
				pe_vec_push(&files, before);
			else if (*paths == 'D')
				pe_vec_push(&folders, before);
			else if (*paths == 'M')
				pe_vec_push(&made, before);
		}
		paths += n + (paths[n] == '\n');
	}
	out->files = take(&files, arena);
	out->folders = take(&folders, arena);
	out->made = take(&made, arena);
}
