/* Frames, interned by their identity. */
#include "analysis/profile/frames.h"

#include "core/base/text.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_FRAMES = 256 };

static const char *text(const char *string)
{
	return string != NULL ? string : "";
}

static uint32_t identity_hash(const struct pe_frame *frame)
{
	const char *const parts[] = {text(frame->name), text(frame->component),
				     text(frame->signature)};
	uint64_t hash = (uint64_t)frame->kind;

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		hash = pe_hash_text(hash, parts[i], strlen(parts[i]));
	return (uint32_t)hash;
}

static bool same(const struct pe_frame *a, const struct pe_frame *b)
{
	return a->kind == b->kind && strcmp(text(a->name), text(b->name)) == 0 &&
	       strcmp(text(a->component), text(b->component)) == 0 &&
	       strcmp(text(a->signature), text(b->signature)) == 0;
}

static uint32_t find(const struct pe_frames *frames, uint32_t hash, const struct pe_frame *frame)
{
	for (struct pe_hash_slot *slot = NULL;
	     (slot = pe_hash_index_next(&frames->index, hash, slot)) != NULL;)
		if (same(&frames->at[slot->row], frame))
			return slot->row;
	return PE_FRAME_NONE;
}

/* Remove the paths of a root from a text; returns the text itself where there are none. */
static const char *cut_root(struct pe_frames *frames, const char *string, const char *root)
{
	const size_t n = strlen(root);
	pe_auto_text out = PE_TEXT_INIT;
	const char *from = string, *at = string;

	while ((at = strstr(at, root)) != NULL) {
		if (at[n] != '/') {
			at += n;
			continue;
		}
		pe_text_addn(&out, from, (size_t)(at - from));
		from = at += n + 1;
	}
	if (from == string)
		return string;
	pe_text_add(&out, from);
	return out.len > 0 ? pe_arena_strdup(&frames->strings, pe_text_str(&out)) : string;
}

static struct pe_frame cut_roots(struct pe_frames *frames, const struct pe_frame *frame)
{
	struct pe_frame out = *frame;

	for (size_t i = 0; i < PE_FRAMES_ROOTS; i++) {
		if (frames->roots[i] == NULL)
			continue;
		out.name = cut_root(frames, text(out.name), frames->roots[i]);
		out.component = cut_root(frames, text(out.component), frames->roots[i]);
	}
	return out;
}

uint32_t pe_frames_add(struct pe_frames *frames, const struct pe_frame *whole)
{
	const struct pe_frame shorter = cut_roots(frames, whole), *frame = &shorter;
	const uint32_t hash = identity_hash(frame);
	const uint32_t found = find(frames, hash, frame);

	if (found != PE_FRAME_NONE)
		return found;
	if (frames->n == frames->capacity) {
		frames->capacity = frames->capacity != 0 ? 2 * frames->capacity : FIRST_FRAMES;
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
	pe_hash_index_add(&frames->index, hash, frames->n);
	return frames->n++;
}

uint32_t pe_frames_add_method(struct pe_frames *frames, const char *name, const char *component)
{
	return pe_frames_add(frames, &(struct pe_frame){.name = name, .component = component});
}

uint32_t pe_frames_find(const struct pe_frames *frames, const struct pe_frame *frame)
{
	return find(frames, identity_hash(frame), frame);
}

void pe_frames_release(struct pe_frames *frames)
{
	free(frames->at);
	pe_hash_index_release(&frames->index);
	pe_arena_release(&frames->strings);
	*frames = (struct pe_frames)PE_FRAMES_INIT;
}

const char *pe_frame_program(const struct pe_frame *frame)
{
	const char *prefix = frame->kind == PE_FRAME_PROCESS   ? PE_FRAME_CHILD
			     : frame->kind == PE_FRAME_WAITING ? PE_FRAME_WAITING_CHILD
							       : NULL;

	if (prefix == NULL || strncmp(frame->name, prefix, strlen(prefix)) != 0)
		return NULL;
	return frame->name + strlen(prefix);
}
