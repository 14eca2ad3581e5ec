/* Interning by identity: an open-addressed table of numbers beside the array of frames. */
#include "profile/frames.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = 256 };

static const char *text(const char *string)
{
	return string != NULL ? string : "";
}

static uint64_t add_string(uint64_t hash, const char *string)
{
	for (; *string != '\0'; string++)
		hash = (hash ^ (unsigned char)*string) * UINT64_C(0x100000001b3);
	return (hash ^ 0xff) * UINT64_C(0x100000001b3);
}

static uint64_t identity_hash(const struct pe_frame *frame)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ (uint64_t)frame->kind;

	hash = add_string(hash, text(frame->name));
	hash = add_string(hash, text(frame->component));
	hash = add_string(hash, text(frame->signature));
	return hash ^ hash >> 32;
}

static bool same(const struct pe_frame *a, const struct pe_frame *b)
{
	return a->kind == b->kind && strcmp(text(a->name), text(b->name)) == 0 &&
	       strcmp(text(a->component), text(b->component)) == 0 &&
	       strcmp(text(a->signature), text(b->signature)) == 0;
}

/* The slot that holds an equal frame, or the empty one where it belongs. n_slots is a power of two. */
static uint32_t find_slot(const struct pe_frames *frames, const struct pe_frame *frame)
{
	uint32_t mask = frames->n_slots - 1;
	uint32_t slot = (uint32_t)identity_hash(frame) & mask;

	while (frames->slots[slot] != 0 && !same(&frames->at[frames->slots[slot] - 1], frame))
		slot = (slot + 1) & mask;
	return slot;
}

static void grow_slots(struct pe_frames *frames)
{
	uint32_t n = frames->n_slots != 0 ? 2 * frames->n_slots : FIRST_SLOTS;

	frames->slots = pe_realloc(frames->slots, n, sizeof(*frames->slots));
	memset(frames->slots, 0, n * sizeof(*frames->slots));
	frames->n_slots = n;
	for (uint32_t i = 0; i < frames->n; i++)
		frames->slots[find_slot(frames, &frames->at[i])] = i + 1;
}

uint32_t pe_frames_add(struct pe_frames *frames, const struct pe_frame *frame)
{
	uint32_t slot;

	if (frames->n >= frames->n_slots / 2)
		grow_slots(frames);
	slot = find_slot(frames, frame);
	if (frames->slots[slot] != 0)
		return frames->slots[slot] - 1;
	if (frames->n == frames->capacity) {
		frames->capacity = frames->capacity != 0 ? 2 * frames->capacity : FIRST_SLOTS;
		frames->at = pe_realloc(frames->at, frames->capacity, sizeof(*frames->at));
	}
	frames->at[frames->n] = (struct pe_frame){
		.name = pe_arena_strdup(&frames->strings, text(frame->name)),
		.signature = pe_arena_strdup(&frames->strings, text(frame->signature)),
		.component = pe_arena_strdup(&frames->strings, text(frame->component)),
		.module = pe_arena_strdup(&frames->strings, text(frame->module)),
		.line = frame->line,
		.kind = frame->kind,
	};
	frames->slots[slot] = ++frames->n;
	return frames->n - 1;
}

uint32_t pe_frames_add_method(struct pe_frames *frames, const char *name, const char *component)
{
	return pe_frames_add(frames, &(struct pe_frame){.name = name, .component = component});
}

uint32_t pe_frames_find(const struct pe_frames *frames, const struct pe_frame *frame)
{
	uint32_t slot;

	if (frames->n_slots == 0)
		return PE_FRAME_NONE;
	slot = find_slot(frames, frame);
	return frames->slots[slot] != 0 ? frames->slots[slot] - 1 : PE_FRAME_NONE;
}

void pe_frames_release(struct pe_frames *frames)
{
	free(frames->at);
	free(frames->slots);
	pe_arena_release(&frames->strings);
	*frames = (struct pe_frames)PE_FRAMES_INIT;
}
