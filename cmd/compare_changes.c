/*
 * What the sources and the machine code say of frames. Frames are named by debug information, methods by the
 * text of their file, and the two do not spell alike: template arguments, anonymous namespaces and types differ.
 * So a method is found by its file and plain name; where a file has several of that name, its lines decide, and
 * then the types of its parameters.
 */
#include "cmd/changes_code.h"
#include "cmd/changes_reason.h"
#include "cmd/comparing.h"

#include "methods/extract.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { OLD, NEW };

/* A frame of a source file, under its plain name. */
struct entry {
	const char *component, *name;
	uint32_t frame;
};

struct finder {
	struct pe_comparing *comparing;
	struct pe_arena *arena;
	PE_VEC(struct entry) entries;   /* by component, then name */
	struct pe_frame_change *states; /* by frame */
	uint32_t *renamed;              /* by frame */
	bool any_renamed;
};

/* --- Names --- */

/* Past a bracket that is open at the first character, with what it nests. */
static const char *past_bracket(const char *at)
{
	size_t depth = 0;

	for (; *at != '\0'; at++) {
		depth += *at == '<';
		depth -= *at == '>' && at[-1] != '-';
		if (depth == 0)
			return at + 1;
	}
	return at;
}

/* A name without template arguments, anonymous namespaces, tags and blanks: what both sides agree on. */
static const char *plain_name(const char *name, struct pe_arena *arena)
{
	static const char anonymous[] = "(anonymous namespace)::";
	const bool is_operator = strstr(name, "operator<") != NULL ||
				 strstr(name, "operator>") != NULL ||
				 strstr(name, "operator-") != NULL;
	char *out = pe_arena_strdup(arena, name), *to = out;

	while (*name != '\0') {
		if (strncmp(name, anonymous, sizeof(anonymous) - 1) == 0)
			name += sizeof(anonymous) - 1;
		else if (*name == '<' && !is_operator)
			name = past_bracket(name);
		else if (strncmp(name, "[abi:", 5) == 0 && strchr(name, ']') != NULL)
			name = strchr(name, ']') + 1;
		else if (isspace((unsigned char)*name))
			name++;
		else
			*to++ = *name++;
	}
	*to = '\0';
	return out;
}

/* Types without what is spelled differently: blanks, const, namespaces. */
static const char *plain_types(const char *signature, struct pe_arena *arena)
{
	char *out = pe_arena_strdup(arena, signature), *to = out;

	while (*signature != '\0') {
		const char *word = signature;
		size_t n = 0;

		while (isalnum((unsigned char)word[n]) || word[n] == '_')
			n++;
		if (n > 0 && strncmp(word + n, "::", 2) == 0) {
			signature += n + 2;
		} else if (n == 5 && strncmp(word, "const", 5) == 0) {
			signature += n;
		} else if (n > 0) {
			memmove(to, word, n);
			to += n;
			signature += n;
		} else if (isspace((unsigned char)*signature)) {
			signature++;
		} else {
			*to++ = *signature++;
		}
	}
	*to = '\0';
	return out;
}

/* --- Frames by file and name --- */

static int compare_entries(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int order = strcmp(x->component, y->component);

	if (order == 0)
		order = strcmp(x->name, y->name);
	return order != 0 ? order : (x->frame > y->frame) - (x->frame < y->frame);
}

/* Whether perfevo reads the frame's source in the tree. */
static bool is_read(const struct pe_comparing *comparing, const struct pe_frame *frame)
{
	const struct pe_config *config = comparing->ctx->config;

	return frame->kind == PE_FRAME_METHOD && frame->component[0] != '\0' &&
	       frame->component[0] != '/' && strncmp(frame->component, "../", 3) != 0 &&
	       pe_language_of(frame->component) != NULL &&
	       (config == NULL || pe_paths_have(&config->paths, frame->component));
}

static void list_frames(struct finder *finder)
{
	const struct pe_frames *frames = &finder->comparing->frames;

	for (uint32_t f = 0; f < frames->n; f++) {
		const struct pe_frame *frame = &frames->at[f];
		struct entry entry = {frame->component, NULL, f};

		finder->renamed[f] = PE_FRAME_NONE;
		if (!is_read(finder->comparing, frame))
			continue;
		entry.name = plain_name(frame->name, finder->arena);
		pe_vec_push(&finder->entries, entry);
		finder->states[f].source = PE_SOURCE_SAME;
	}
	if (finder->entries.n > 1)
		qsort(finder->entries.data, finder->entries.n, sizeof(*finder->entries.data),
		      compare_entries);
}

static size_t first_entry(const struct finder *finder, const char *component, const char *name)
{
	const struct entry wanted = {component, name, 0};
	size_t low = 0, high = finder->entries.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_entries(&finder->entries.data[middle], &wanted) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* How surely a frame of the right name is the method: 3 by lines, 2 by types, 1 by name alone; 0: it is not. */
static int likeness(const struct finder *finder, uint32_t frame, const struct pe_method *method,
		    int side, bool alone)
{
	const struct pe_frame *one = &finder->comparing->frames.at[frame];
	bool lines_known =
		one->line > 0 && (side == OLD) == (frame < finder->comparing->n_old_frames);

	if (lines_known && one->line >= method->first_line && one->line <= method->last_line)
		return 3;
	if (strcmp(plain_types(one->signature, finder->arena),
		   plain_types(method->signature, finder->arena)) == 0)
		return 2;
	return alone ? 1 : 0;
}

/* Of the entries of one name, the best. */
static uint32_t best_of(const struct finder *finder, size_t from, size_t to,
			const struct pe_method *method, int side)
{
	uint32_t found = PE_FRAME_NONE;
	int best = 0;

	for (size_t i = from; i < to; i++) {
		uint32_t frame = finder->entries.data[i].frame;
		int one = likeness(finder, frame, method, side, to - from == 1);

		if (one > best) {
			best = one;
			found = frame;
		}
	}
	return found;
}

/* The frame of a method that is called by its last name alone in one of the two: the only one of the file. */
static uint32_t find_unqualified(const struct finder *finder, const struct pe_method *method,
				 const char *name, int side)
{
	const char *last = pe_unqualified(name);
	uint32_t found = PE_FRAME_NONE;
	size_t n = 0;

	for (size_t i = first_entry(finder, method->component, "");
	     i < finder->entries.n &&
	     strcmp(finder->entries.data[i].component, method->component) == 0;
	     i++) {
		uint32_t frame = finder->entries.data[i].frame;

		if (strcmp(pe_unqualified(finder->entries.data[i].name), last) != 0)
			continue;
		if (likeness(finder, frame, method, side, false) == 3)
			return frame;
		found = frame;
		n++;
	}
	return n == 1 ? found : PE_FRAME_NONE;
}

/* The frame of a changed method; PE_FRAME_NONE: it was never called. */
static uint32_t find_frame(const struct finder *finder, const struct pe_method *method, int side)
{
	const char *name = plain_name(method->name, finder->arena);
	size_t from = first_entry(finder, method->component, name), to = from;

	while (to < finder->entries.n &&
	       strcmp(finder->entries.data[to].component, method->component) == 0 &&
	       strcmp(finder->entries.data[to].name, name) == 0)
		to++;
	if (from == to)
		return find_unqualified(finder, method, name, side);
	return best_of(finder, from, to, method, side);
}

/* --- Source --- */

static void mark_change(struct finder *finder, const struct pe_method_change *change)
{
	static const enum pe_source_change sources[PE_N_METHOD_CHANGES] = {
		[PE_METHOD_ADDED] = PE_SOURCE_ADDED,       [PE_METHOD_DELETED] = PE_SOURCE_DELETED,
		[PE_METHOD_MODIFIED] = PE_SOURCE_MODIFIED, [PE_METHOD_RENAMED] = PE_SOURCE_RENAMED,
		[PE_METHOD_MOVED] = PE_SOURCE_RENAMED,
	};
	enum pe_source_change source = sources[change->kind];
	uint32_t old_frame = PE_FRAME_NONE, new_frame = PE_FRAME_NONE;

	/* Nearly the same body under another name is another body. */
	if (source == PE_SOURCE_RENAMED && change->likeness < 1)
		source = PE_SOURCE_MODIFIED;
	if (change->before != NULL)
		old_frame = find_frame(finder, change->before, OLD);
	if (change->after != NULL)
		new_frame = find_frame(finder, change->after, NEW);
	if (old_frame != PE_FRAME_NONE)
		finder->states[old_frame].source = (uint8_t)source;
	if (new_frame != PE_FRAME_NONE)
		finder->states[new_frame].source = (uint8_t)source;
	if (old_frame == PE_FRAME_NONE || new_frame == PE_FRAME_NONE || old_frame == new_frame)
		return;
	finder->renamed[old_frame] = new_frame;
	finder->any_renamed = true;
}

/* Files that the attributes leave out were not looked at. */
static void forget_left_out(struct finder *finder)
{
	const struct pe_comparing *comparing = finder->comparing;

	for (size_t f = 0; f < comparing->n_files; f++) {
		const struct pe_changed_file *file = &comparing->files[f].file;

		if (!file->generated && !file->vendored)
			continue;
		for (size_t i = first_entry(finder, file->path, "");
		     i < finder->entries.n &&
		     strcmp(finder->entries.data[i].component, file->path) == 0;
		     i++)
			finder->states[finder->entries.data[i].frame].source = PE_SOURCE_UNKNOWN;
	}
}

/* --- Machine code --- */

static void mark_code(struct finder *finder, const struct pe_method *method, int side,
		      enum pe_code_change code)
{
	uint32_t frame = method != NULL ? find_frame(finder, method, side) : PE_FRAME_NONE;

	if (frame != PE_FRAME_NONE)
		finder->states[frame].code = (uint8_t)code;
}

static void mark_crossing(struct finder *finder, const struct pe_crossing *crossing,
			  const struct pe_method_changes *changes)
{
	for (size_t i = 0; i < finder->entries.n; i++)
		finder->states[finder->entries.data[i].frame].code = PE_CODE_SAME;
	for (size_t i = 0; i < changes->n; i++) {
		enum pe_effect effect = crossing->methods[i].effect;
		enum pe_code_change code = effect == PE_EFFECT_NONE     ? PE_CODE_SAME
					   : effect == PE_EFFECT_ABSENT ? PE_CODE_UNKNOWN
									: PE_CODE_RECOMPILED;

		mark_code(finder, changes->at[i].before, OLD, code);
		mark_code(finder, changes->at[i].after, NEW, code);
	}
	for (size_t i = 0; i < crossing->n_indirect; i++) {
		const struct pe_indirect *one = &crossing->indirect[i];
		struct pe_method method = {
			.component = one->component,
			.name = one->name,
			.signature = one->signature != NULL ? one->signature : "",
		};

		if (one->component == NULL)
			continue;
		method.first_line = method.last_line = one->before_line;
		mark_code(finder, &method, OLD, PE_CODE_RECOMPILED);
		method.first_line = method.last_line = one->after_line;
		mark_code(finder, &method, NEW, PE_CODE_RECOMPILED);
	}
}

/* --- Where lines went --- */

static bool is_source(const char *path, void *payload)
{
	(void)payload;
	return pe_language_of(path) != NULL;
}

static int list_files(struct pe_comparing *comparing, const char *old_id, const char *new_id)
{
	struct pe_cmd_ctx *ctx = comparing->ctx;
	const struct pe_changes_query query = {
		.before = old_id, .after = new_id, .wanted = is_source};
	struct pe_changed_files files;
	int rc = pe_repo_changes(&files, ctx->repo, &query, ctx->arena, ctx->err);

	if (rc != PE_OK)
		return rc;
	comparing->n_files = files.n;
	comparing->files = pe_arena_new(ctx->arena, struct pe_comparing_file, files.n);
	for (size_t i = 0; i < files.n; i++)
		comparing->files[i].file = files.at[i];
	return PE_OK;
}

static int compare_file(const void *key, const void *element)
{
	return strcmp(key, ((const struct pe_comparing_file *)element)->file.path);
}

uint32_t pe_comparing_site(uint32_t caller, uint32_t line, void *payload)
{
	struct pe_comparing *comparing = payload;
	struct pe_cmd_ctx *ctx = comparing->ctx;
	struct pe_comparing_file *file = NULL;

	if (comparing->n_files > 0)
		file = bsearch(comparing->frames.at[caller].component, comparing->files,
			       comparing->n_files, sizeof(*file), compare_file);
	if (file == NULL)
		return line;
	if (file->file.before[0] == '\0' || file->file.after[0] == '\0')
		return 0;
	/* A content that cannot be read leaves its lines where they are. */
	if (!file->read)
		pe_repo_line_map(&file->map, ctx->repo, file->file.before, file->file.after,
				 ctx->arena, NULL);
	file->read = true;
	return pe_line_map_find(&file->map, line);
}

/* --- All of it --- */

/* PE_EUNSUPPORTED and the like leave the machine code unknown. */
static int cross(struct finder *finder, const struct pe_revision_changes *changes,
		 const struct pe_revision *old_revision, const struct pe_revision *new_revision)
{
	struct pe_comparing *comparing = finder->comparing;
	struct pe_cmd_ctx *ctx = comparing->ctx;
	struct pe_crossing crossing = {.methods = NULL};
	int rc = pe_crossing_of(&crossing, ctx, changes, old_revision, new_revision,
				comparing->opts->bench);

	if (rc == PE_OK) {
		mark_crossing(finder, &crossing, &changes->methods);
		return PE_OK;
	}
	if (rc != PE_EUNSUPPORTED)
		return rc;
	pe_cmd_note(ctx, "machine code is not compared: %s", ctx->err->message);
	*ctx->err = (struct pe_err)PE_ERR_INIT;
	return PE_OK;
}

/* The source of one side, whole: every method is one that an empty tree lacks. */
static int count_source(struct pe_comparing *comparing, struct pe_comparer *comparer, int side,
			const struct pe_revision *revision)
{
	struct pe_compare_source *source = &comparing->out.source;
	struct pe_arena scratch = PE_ARENA_INIT;
	struct pe_revision_changes all;
	int rc = pe_changes_of(&all, comparer, revision, "", &scratch);

	if (rc == PE_OK) {
		source->files[side] = all.files;
		source->methods[side] = all.methods.n;
	}
	pe_arena_release(&scratch);
	return rc;
}

/* What PARCS's table 2 says of the source; only its own report has it, for all files are read. */
static int fill_source(struct pe_comparing *comparing, struct pe_comparer *comparer,
		       const struct pe_revision_changes *changes,
		       const struct pe_revision *old_revision,
		       const struct pe_revision *new_revision)
{
	struct pe_compare_source *source = &comparing->out.source;
	int rc = count_source(comparing, comparer, OLD, old_revision);

	if (rc == PE_OK)
		rc = count_source(comparing, comparer, NEW, new_revision);
	source->known = rc == PE_OK;
	source->added = changes->methods.count[PE_METHOD_ADDED];
	source->deleted = changes->methods.count[PE_METHOD_DELETED];
	source->modified = changes->methods.count[PE_METHOD_MODIFIED];
	source->renamed = changes->methods.count[PE_METHOD_RENAMED];
	source->moved = changes->methods.count[PE_METHOD_MOVED];
	return rc;
}

static int find_changes(struct finder *finder, const struct pe_revision *old_revision,
			const struct pe_revision *new_revision)
{
	struct pe_comparing *comparing = finder->comparing;
	struct pe_cmd_ctx *ctx = comparing->ctx;
	struct pe_comparer *comparer = pe_comparer_new(ctx, true);
	struct pe_revision_changes changes;
	int rc = pe_changes_of(&changes, comparer, new_revision, old_revision->id, ctx->arena);

	if (rc == PE_OK)
		rc = list_files(comparing, old_revision->id, new_revision->id);
	if (rc == PE_OK) {
		for (size_t i = 0; i < changes.methods.n; i++)
			mark_change(finder, &changes.methods.at[i]);
		forget_left_out(finder);
		rc = cross(finder, &changes, old_revision, new_revision);
	}
	if (rc == PE_OK && comparing->opts->stages)
		rc = fill_source(comparing, comparer, &changes, old_revision, new_revision);
	pe_comparer_free(comparer);
	return rc;
}

/* Two benchmarks of one revision: the same program. */
static void mark_same(struct finder *finder)
{
	for (size_t i = 0; i < finder->entries.n; i++)
		finder->states[finder->entries.data[i].frame].code = PE_CODE_SAME;
}

int pe_comparing_changes(struct pe_comparing *comparing, const struct pe_revision *old_revision,
			 const struct pe_revision *new_revision)
{
	struct pe_arena *arena = comparing->ctx->arena;
	uint32_t n = comparing->frames.n;
	struct finder finder = {
		.comparing = comparing,
		.arena = arena,
		.states = pe_arena_new(arena, struct pe_frame_change, n),
		.renamed = pe_arena_new(arena, uint32_t, n),
	};
	int rc = PE_OK;

	list_frames(&finder);
	if (strcmp(old_revision->id, new_revision->id) == 0)
		mark_same(&finder);
	else
		rc = find_changes(&finder, old_revision, new_revision);
	if (rc == PE_OK) {
		comparing->changes = (struct pe_changes){finder.states, n};
		comparing->renamed = finder.any_renamed ? finder.renamed : NULL;
	}
	pe_vec_release(&finder.entries);
	return rc;
}
