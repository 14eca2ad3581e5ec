/*
 * Sources: finds the sources of a comparison's methods. Frames have the names of debug information, and methods of a file
 * those of its text: the finder of frames matches both, file by file and on both sides.
 */
#include "app/pages/compare_page.h"
#include "app/changes/frame_finder.h"
#include "core/base/array.h"
#include "core/base/sort.h"

#include <math.h>
#include <string.h>

enum { OLD, NEW };

/* Limits of a page, which is sent by mail: no reader needs more text, or more methods, of one comparison. */
enum { MOST_TEXT = 2 << 20, MOST_SOURCES = 400 };

/* A method whose source is shown. */
struct wanted {
	uint32_t frames[2]; /* old, new: they differ where it was renamed */
	bool touched;
	double weight; /* its difference, as a share of an execution */
	/* By side: its lines; file is NULL: it has none. */
	struct place {
		struct file *file;
		uint32_t first, last;
	} places[2];
};

/* A file on one side. */
struct file {
	const char *path;
	char blob[PE_OID_HEX]; /* "": it does not exist */
	bool read;
	struct pe_text text;
};

struct sources {
	struct pe_comparing *comparing;
	struct pe_app *app;
	struct pe_comparer *comparer;
	struct pe_frame_finder finder;
	struct wanted *wanted; /* most wanted first */
	size_t n_wanted;
	uint32_t *wanted_at[2]; /* by side and frame: index + 1, or 0 */
	struct file *files[2];
	size_t n_files[2];
	PE_VEC(struct pe_page_source) out;
	size_t bytes;
};

/* --- Choice of methods --- */

static double weigh(const struct pe_compare_pair *pair, const struct pe_delta_method *method)
{
	double most = 0;

	for (int cost = 0; cost < PE_N_COSTS; cost++) {
		struct pe_delta_values whole =
			pe_delta_values(pair->delta, 0, pe_cost_total((enum pe_cost)cost));
		double size = fmax((double)whole.old_value, (double)whole.new_value);

		if (whole.known && size > 0)
			most = fmax(most, fabs((double)method->difference[cost]) / size);
	}
	return most;
}

static int compare_wanted(const void *a, const void *b)
{
	const struct wanted *x = a, *y = b;

	if (x->touched != y->touched)
		return x->touched ? -1 : 1;
	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return (x->frames[NEW] > y->frames[NEW]) - (x->frames[NEW] < y->frames[NEW]);
}

/* Rank every method of the trees. */
static void rank(struct sources *sources)
{
	const struct pe_comparing *comparing = sources->comparing;
	uint32_t n = comparing->frames.n;
	struct wanted *all = pe_arena_new(sources->app->arena, struct wanted, n);
	bool *seen = pe_arena_new(sources->app->arena, bool, n);
	size_t n_all = 0;

	for (uint32_t f = 0; f < n; f++)
		all[f] = (struct wanted){.frames = {f, f},
					 .touched = pe_changes_touched(&comparing->changes, f)};
	for (uint32_t f = 0; comparing->renamed != NULL && f < n; f++)
		if (comparing->renamed[f] != PE_FRAME_NONE)
			all[comparing->renamed[f]].frames[OLD] = f;
	for (size_t p = 0; p < comparing->pairs.n; p++) {
		const struct pe_compare_pair *pair = &comparing->pairs.data[p];

		if (pair->delta == NULL)
			continue;
		for (uint32_t m = 0; m < pair->methods->n; m++) {
			const struct pe_delta_method *method = &pair->methods->at[m];

			seen[method->frame] = true;
			all[method->frame].weight =
				fmax(all[method->frame].weight, weigh(pair, method));
		}
	}
	for (uint32_t f = 0; f < n; f++)
		if (seen[f] && comparing->frames.at[f].kind == PE_FRAME_METHOD)
			all[n_all++] = all[f];
	pe_sort(all, n_all, compare_wanted);
	sources->wanted = all;
	sources->n_wanted = n_all < MOST_SOURCES ? n_all : MOST_SOURCES;
	for (int side = 0; side < 2; side++) {
		sources->wanted_at[side] = pe_arena_new(sources->app->arena, uint32_t, n);
		for (size_t i = 0; i < sources->n_wanted; i++)
			sources->wanted_at[side][all[i].frames[side]] = (uint32_t)i + 1;
	}
}

/* --- Places --- */

/* List the files of the wanted methods of a side, each with its blob. */
static int list_files(struct sources *sources, int side)
{
	struct pe_arena *arena = sources->app->arena;
	const char **paths = pe_arena_new(arena, const char *, sources->finder.entries.n);
	struct pe_strings distinct = {paths, 0};
	char(*blobs)[PE_OID_HEX];
	size_t n = 0;

	for (size_t i = 0; i < sources->finder.entries.n; i++)
		if (sources->wanted_at[side][sources->finder.entries.data[i].frame] != 0)
			paths[n++] = sources->finder.entries.data[i].component;
	pe_sort(paths, n, pe_string_order);
	for (size_t i = 0; i < n; i++)
		if (distinct.n == 0 || strcmp(paths[distinct.n - 1], paths[i]) != 0)
			paths[distinct.n++] = paths[i];
	blobs = pe_arena_alloc(arena, distinct.n, sizeof(*blobs));
	PE_TRY(pe_repo_path_ids(blobs, sources->app->repo, sources->comparing->revisions[side].id,
				&distinct, sources->app->err));
	sources->files[side] = pe_arena_new(arena, struct file, distinct.n);
	sources->n_files[side] = distinct.n;
	for (size_t i = 0; i < sources->n_files[side]; i++) {
		sources->files[side][i].path = paths[i];
		memcpy(sources->files[side][i].blob, blobs[i], PE_OID_HEX);
	}
	return PE_OK;
}

/* Whether a method is a better place: of several methods of one name (alternatives under #if), where the frame's line is. */
static bool is_better(const struct place *place, const struct pe_method *method,
		      const struct pe_frame *frame)
{
	if (place->file == NULL)
		return true;
	return frame->line >= method->first_line && frame->line <= method->last_line &&
	       !(frame->line >= place->first && frame->line <= place->last);
}

static void place_method(struct sources *sources, int side, struct file *file,
			 const struct pe_method *method)
{
	struct pe_found_frames found = pe_frame_finder_find(&sources->finder, method, side);

	for (size_t i = 0; i < found.n; i++) {
		uint32_t at = sources->wanted_at[side][found.at[i]];
		struct place *place;

		if (at == 0)
			continue;
		place = &sources->wanted[at - 1].places[side];
		if (is_better(place, method, &sources->comparing->frames.at[found.at[i]]))
			*place = (struct place){file, method->first_line, method->last_line};
	}
}

/* Read a file and place its methods. A file without text (of a submodule, or missing in a partial clone) has none. */
static int read_file(struct sources *sources, int side, struct file *file)
{
	struct pe_app *app = sources->app;
	struct pe_methods methods;
	struct pe_err unread = PE_ERR_INIT;

	if (file->blob[0] == '\0' ||
	    pe_repo_blob(&file->text, app->repo, file->blob, &unread) != PE_OK)
		return PE_OK;
	PE_TRY(pe_comparer_read(&methods, sources->comparer, file->path, file->blob, app->arena));
	file->read = true;
	for (size_t i = 0; i < methods.n; i++)
		place_method(sources, side, file, &methods.at[i]);
	return PE_OK;
}

static int find_places(struct sources *sources)
{
	for (int side = 0; side < 2; side++) {
		PE_TRY(list_files(sources, side));
		for (size_t i = 0; i < sources->n_files[side]; i++)
			PE_TRY(read_file(sources, side, &sources->files[side][i]));
	}
	return PE_OK;
}

/* --- Texts --- */

static const char *copy_lines(size_t *n, const struct place *place, struct pe_arena *arena)
{
	const char *at = pe_text_str(&place->file->text), *end;
	uint32_t line = 1;

	for (; line < place->first && *at != '\0'; line++)
		at += strcspn(at, "\n") + (strchr(at, '\n') != NULL);
	for (end = at; line <= place->last && *end != '\0'; line++)
		end += strcspn(end, "\n") + (strchr(end, '\n') != NULL);
	*n = (size_t)(end - at);
	return pe_arena_strndup(arena, at, *n);
}

typedef PE_VEC(uint32_t) numbers;

/* Find the equal lines of two texts, which are those between the hunks of their diff. */
static void find_equal(numbers *same, const char *const texts[2], struct pe_arena *arena)
{
	uint32_t line = 1, other = 1, lines = 0;
	struct pe_line_map map;

	for (const char *c = texts[OLD]; *c != '\0'; c++)
		lines += *c == '\n' || c[1] == '\0';
	if (pe_line_map_of(&map, texts[OLD], texts[NEW], arena) != PE_OK)
		return;
	for (size_t i = 0; i <= map.n; i++) {
		const uint32_t end = i < map.n ? map.at[i].old_first : lines + 1;

		if (end > line) {
			pe_vec_push(same, line);
			pe_vec_push(same, other);
			pe_vec_push(same, end - line);
		}
		if (i < map.n) {
			line = map.at[i].old_first + map.at[i].old_n;
			other = map.at[i].new_first + map.at[i].new_n;
		}
	}
}

static void add_source(struct sources *sources, const struct wanted *wanted)
{
	struct pe_arena *arena = sources->app->arena;
	struct pe_page_source source = {.frame = wanted->frames[NEW]};
	pe_auto_free numbers same = {NULL, 0, 0};
	size_t n[2] = {0, 0};

	for (int side = 0; side < 2; side++) {
		if (wanted->places[side].file == NULL)
			continue;
		source.path[side] = wanted->places[side].file->path;
		source.line[side] = wanted->places[side].first;
		source.text[side] = copy_lines(&n[side], &wanted->places[side], arena);
	}
	if (source.text[OLD] == NULL && source.text[NEW] == NULL)
		return;
	if (source.text[OLD] != NULL && source.text[NEW] != NULL) {
		find_equal(&same, source.text, arena);
		if (strcmp(source.text[OLD], source.text[NEW]) == 0) {
			source.text[NEW] = NULL;
			n[NEW] = 0;
		}
	}
	if (sources->bytes + n[OLD] + n[NEW] <= MOST_TEXT) {
		sources->bytes += n[OLD] + n[NEW];
		source.n_same = same.n;
		source.same = pe_vec_copy(arena, &same);
		pe_vec_push(&sources->out, source);
	}
}

/* --- All steps --- */

static void release(struct sources *sources)
{
	for (int side = 0; side < 2; side++)
		for (size_t i = 0; i < sources->n_files[side]; i++)
			pe_text_release(&sources->files[side][i].text);
	pe_frame_finder_close(&sources->finder);
	pe_comparer_free(sources->comparer);
	pe_vec_release(&sources->out);
}

int pe_comparing_sources(const struct pe_page_source **out, size_t *n,
			 struct pe_comparing *comparing)
{
	struct pe_app *app = comparing->app;
	struct sources sources = {.comparing = comparing, .app = app};
	struct pe_page_source *copy;
	int rc;

	sources.comparer = pe_comparer_new(app, true);
	pe_frame_finder_open(&sources.finder, &comparing->frames,
			     app->config != NULL ? &app->config->paths : NULL,
			     comparing->n_old_frames, app->arena);
	rank(&sources);
	rc = find_places(&sources);
	for (size_t i = 0; rc == PE_OK && i < sources.n_wanted; i++)
		add_source(&sources, &sources.wanted[i]);
	copy = pe_vec_copy(app->arena, &sources.out);
	*out = copy;
	*n = sources.out.n;
	release(&sources);
	return rc;
}
