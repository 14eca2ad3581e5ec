/* Classes of frames, by two hashed keys: the strict one, and one for frames with fewer known parts. */
#include "analysis/profile/merge_names.h"

#include "core/base/hash_index.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

struct sorting {
	struct pe_merge_names names;
	const struct pe_frames *frames;
	const char **plain;                 /* by frame; NULL: in neither tree */
	struct pe_hash_index strict, loose; /* of classes */
	bool *shared;                       /* by class: another class has its loose key */
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

/* Whether two frames are equal in all parts; programs are equal if their names are. */
static bool same_strict(const struct sorting *sorting, uint32_t a, uint32_t b)
{
	const struct pe_frame *one = &sorting->frames->at[a], *other = &sorting->frames->at[b];

	return one->kind == other->kind && strcmp(sorting->plain[a], sorting->plain[b]) == 0 &&
	       (one->kind == PE_FRAME_PROCESS || (strcmp(one->component, other->component) == 0 &&
						  strcmp(one->signature, other->signature) == 0));
}

static bool same_loose(const struct sorting *sorting, uint32_t a, uint32_t b)
{
	const struct pe_frame *one = &sorting->frames->at[a], *other = &sorting->frames->at[b];

	return one->kind == other->kind && strcmp(sorting->plain[a], sorting->plain[b]) == 0 &&
	       strcmp(one->module, other->module) == 0;
}

static uint32_t hash_of(const struct sorting *sorting, uint32_t frame)
{
	return (uint32_t)pe_hash_text(0, sorting->plain[frame], strlen(sorting->plain[frame]));
}

static uint32_t find(const struct sorting *sorting, const struct pe_hash_index *index,
		     uint32_t frame, bool (*same)(const struct sorting *, uint32_t, uint32_t))
{
	const uint32_t hash = hash_of(sorting, frame);

	for (struct pe_hash_slot *slot = NULL;
	     (slot = pe_hash_index_next(index, hash, slot)) != NULL;)
		if (same(sorting, frame, sorting->names.frame_of[slot->row]))
			return slot->row;
	return PE_HASH_FREE;
}

/* Whether a frame lacks the source file that distinguishes it from others of its name. */
static bool knows_less(const struct pe_frame *frame)
{
	return *frame->component == '\0' || strcmp(frame->component, frame->module) == 0;
}

static void add_counted(struct sorting *sorting, uint32_t frame)
{
	uint32_t class = find(sorting, &sorting->strict, frame, same_strict), other;

	if (class != PE_HASH_FREE) {
		sorting->names.class_of[frame] = class;
		return;
	}
	class = sorting->names.n++;
	sorting->names.class_of[frame] = class;
	sorting->names.frame_of[class] = frame;
	pe_hash_index_add(&sorting->strict, hash_of(sorting, frame), class);
	other = find(sorting, &sorting->loose, frame, same_loose);
	if (other == PE_HASH_FREE)
		pe_hash_index_add(&sorting->loose, hash_of(sorting, frame), class);
	else
		sorting->shared[other] = true;
}

static void add_sampled(struct sorting *sorting, uint32_t frame)
{
	const struct pe_frame *sampled = &sorting->frames->at[frame], *counted;
	uint32_t class = find(sorting, &sorting->strict, frame, same_strict);

	if (class != PE_HASH_FREE) {
		sorting->names.class_of[frame] = class;
		return;
	}
	class = find(sorting, &sorting->loose, frame, same_loose);
	if (class == PE_HASH_FREE || sorting->shared[class] || *sampled->module == '\0')
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
	pe_hash_index_release(&sorting.strict);
	pe_hash_index_release(&sorting.loose);
	return sorting.names;
}
