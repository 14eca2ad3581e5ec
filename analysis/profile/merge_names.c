/* Classes of frames, by two hashed keys: the strict one, and one for frames with fewer known parts. */
#include "analysis/profile/merge_names.h"

#include "core/base/hash_index.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

struct sorting {
	struct pe_merge_names names;
	const struct pe_frames *frames;
	const char **plain;          /* by frame */
	struct pe_map strict, loose; /* classes by hashes of frames */
	bool *shared;                /* by class: another class has its loose key */
};

size_t pe_merge_name_length(const char *name)
{
	static const char *const suffixes[] = {
		".isra.",      ".constprop.", ".part.",   ".cold",    ".lto_priv.",
		".llvm.",      ".clone.",     ".ltrans",  ".resume",  ".specialized.",
		".localalias", ".destroy",    ".cleanup", " [clone ",
	};
	size_t n = strlen(name);

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
		const char *at = strstr(name, suffixes[i]);

		if (at != NULL && at != name && (size_t)(at - name) < n)
			n = (size_t)(at - name);
	}
	return n;
}

/* Replace C1, C2, C4 by C1, and D0, D1, D2 by D1. Identifiers are skipped by their lengths: they hold no variant. */
static void unify_variants(char *mangled)
{
	for (char *at = mangled + 2; *at != '\0';) {
		if (isdigit((unsigned char)*at)) {
			size_t n = 0, left;

			while (isdigit((unsigned char)*at) && n < 65536)
				n = 10 * n + (size_t)(*at++ - '0');
			left = strlen(at);
			at += n < left ? n : left;
			continue;
		}
		if ((*at == 'C' || *at == 'D') && at[1] >= '0' && at[1] <= '5')
			*++at = '1';
		at++;
	}
}

const char *pe_merge_plain_name(const char *name, struct pe_arena *arena)
{
	const size_t n = pe_merge_name_length(name);
	const bool mangled = strncmp(name, "_ZN", 3) == 0;
	char *plain;

	if (name[n] == '\0' && !mangled)
		return name;
	plain = pe_arena_strndup(arena, name, n);
	if (mangled)
		unify_variants(plain);
	return plain;
}

static uint64_t add_text(uint64_t hash, const char *text)
{
	return pe_hash_text(hash, text, strlen(text));
}

/* All parts of a frame; of a program its name. */
static uint64_t strict_key(const struct sorting *sorting, uint32_t number)
{
	const struct pe_frame *frame = &sorting->frames->at[number];
	const uint64_t hash = add_text(frame->kind, sorting->plain[number]);

	return frame->kind == PE_FRAME_PROCESS
		       ? hash
		       : add_text(add_text(hash, frame->component), frame->signature);
}

static uint64_t loose_key(const struct sorting *sorting, uint32_t number)
{
	const struct pe_frame *frame = &sorting->frames->at[number];

	return add_text(add_text(frame->kind, sorting->plain[number]), frame->module);
}

/* Whether a frame lacks the source file that distinguishes it from others of its name. */
static bool knows_less(const struct pe_frame *frame)
{
	return *frame->component == '\0' || strcmp(frame->component, frame->module) == 0;
}

static void add_counted(struct sorting *sorting, uint32_t frame)
{
	bool is_new;
	const uint32_t class = *pe_map_put(&sorting->strict, strict_key(sorting, frame), 0,
					   sorting->names.n, &is_new);
	uint32_t other;

	sorting->names.class_of[frame] = class;
	if (!is_new)
		return;
	sorting->names.n++;
	sorting->names.frame_of[class] = frame;
	other = *pe_map_put(&sorting->loose, loose_key(sorting, frame), 0, class, &is_new);
	if (!is_new)
		sorting->shared[other] = true;
}

static void add_sampled(struct sorting *sorting, uint32_t frame)
{
	const struct pe_frame *sampled = &sorting->frames->at[frame], *counted;
	uint32_t class =
		pe_map_get(&sorting->strict, strict_key(sorting, frame), 0, PE_MERGE_UNKNOWN);

	sorting->names.class_of[frame] = class;
	if (class != PE_MERGE_UNKNOWN)
		return;
	class = pe_map_get(&sorting->loose, loose_key(sorting, frame), 0, PE_MERGE_UNKNOWN);
	if (class == PE_MERGE_UNKNOWN || sorting->shared[class] || *sampled->module == '\0')
		return;
	counted = &sorting->frames->at[sorting->names.frame_of[class]];
	if (knows_less(sampled) || knows_less(counted) ||
	    (strcmp(sampled->component, counted->component) == 0 &&
	     (*sampled->signature == '\0' || *counted->signature == '\0')))
		sorting->names.class_of[frame] = class;
}

struct pe_merge_names pe_merge_names_sort(const struct pe_cct *counting,
					  const struct pe_cct *samples, struct pe_arena *arena)
{
	const struct pe_frames *frames = counting->frames;
	struct sorting sorting = {.frames = frames};

	sorting.names.class_of = pe_arena_new(arena, uint32_t, frames->n);
	sorting.names.frame_of = pe_arena_new(arena, uint32_t, frames->n);
	sorting.plain = pe_arena_new(arena, const char *, frames->n);
	sorting.shared = pe_arena_new(arena, bool, frames->n);
	memset(sorting.names.class_of, 0xff, frames->n * sizeof(*sorting.names.class_of));
	for (uint32_t i = 0; i < frames->n; i++)
		sorting.plain[i] = pe_merge_plain_name(frames->at[i].name, arena);
	for (uint32_t i = 0; i < counting->n; i++)
		if (sorting.names.class_of[counting->nodes[i].frame] == PE_MERGE_UNKNOWN)
			add_counted(&sorting, counting->nodes[i].frame);
	for (uint32_t i = 0; i < samples->n; i++)
		if (sorting.names.class_of[samples->nodes[i].frame] == PE_MERGE_UNKNOWN)
			add_sampled(&sorting, samples->nodes[i].frame);
	pe_map_release(&sorting.strict);
	pe_map_release(&sorting.loose);
	return sorting.names;
}
