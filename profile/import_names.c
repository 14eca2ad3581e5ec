/* The cache, and what the rules of all tools share; the rules themselves are in import_rules.c. */
#include "profile/import_names.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = 1024 };

static uint64_t mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 32;
}

static uint64_t hash_bytes(uint64_t hash, const char *bytes, size_t n)
{
	uint64_t word;

	hash = mix(hash, n);
	for (; n >= sizeof(word); bytes += sizeof(word), n -= sizeof(word)) {
		memcpy(&word, bytes, sizeof(word));
		hash = mix(hash, word);
	}
	word = 0;
	for (size_t i = 0; i < n; i++)
		word |= (uint64_t)(unsigned char)bytes[i] << 8 * i;
	return mix(hash, word);
}

static struct pe_name_entry *find(const struct pe_import_names *names, uint64_t hash,
				  const char *name, size_t n_name, const char *place,
				  size_t n_place)
{
	uint32_t mask = names->n_slots - 1;

	for (uint32_t slot = (uint32_t)hash & mask;; slot = (slot + 1) & mask) {
		struct pe_name_entry *entry = &names->slots[slot];

		if (entry->bytes == NULL)
			return entry;
		if (entry->hash == hash && entry->n_name == n_name && entry->n_place == n_place &&
		    memcmp(entry->bytes, name, n_name) == 0 &&
		    (n_place == 0 || memcmp(entry->bytes + n_name, place, n_place) == 0))
			return entry;
	}
}

static void grow(struct pe_import_names *names)
{
	struct pe_name_entry *old = names->slots;
	uint32_t n_old = names->n_slots, mask;

	names->n_slots = n_old != 0 ? 2 * n_old : FIRST_SLOTS;
	names->slots = pe_realloc(NULL, names->n_slots, sizeof(*old));
	memset(names->slots, 0, names->n_slots * sizeof(*old));
	mask = names->n_slots - 1;
	for (uint32_t i = 0; i < n_old; i++) {
		uint32_t slot = (uint32_t)old[i].hash & mask;

		if (old[i].bytes == NULL)
			continue;
		while (names->slots[slot].bytes != NULL)
			slot = (slot + 1) & mask;
		names->slots[slot] = old[i];
	}
	free(old);
}

static uint32_t read_frame(const struct pe_import_names *names, const char *name, size_t n_name,
			   const char *place, size_t n_place)
{
	struct pe_arena scratch = PE_ARENA_INIT;
	struct pe_frame frame = {0};
	char *name_copy = pe_arena_new(&scratch, char, n_name + 2);
	uint32_t number;

	memcpy(name_copy, name, n_name);
	names->read(&frame, name_copy, pe_arena_strndup(&scratch, place, n_place));
	/* A rule that leaves nothing was not meant for this name. */
	if (frame.name == NULL || frame.name[0] == '\0')
		frame = (struct pe_frame){.name = pe_arena_strndup(&scratch, name, n_name)};
	number = pe_frames_add(names->frames, &frame);
	pe_arena_release(&scratch);
	return number;
}

uint32_t pe_names_frame(struct pe_import_names *names, const char *name, size_t n_name,
			const char *place, size_t n_place)
{
	struct pe_name_entry *entry;
	uint64_t hash;
	char *bytes;

	if (names->n >= names->n_slots / 2)
		grow(names);
	hash = hash_bytes(hash_bytes(0, name, n_name), place, n_place);
	entry = find(names, hash, name, n_name, place, n_place);
	if (entry->bytes != NULL)
		return entry->frame;
	if (n_name == 0 || memchr(name, '\0', n_name) != NULL ||
	    (n_place != 0 && memchr(place, '\0', n_place) != NULL))
		return PE_FRAME_NONE;
	bytes = pe_arena_alloc(&names->bytes, n_name + n_place, 1);
	memcpy(bytes, name, n_name);
	if (n_place != 0)
		memcpy(bytes + n_name, place, n_place);
	*entry = (struct pe_name_entry){
		.hash = hash,
		.bytes = bytes,
		.n_name = n_name,
		.n_place = n_place,
		.frame = read_frame(names, name, n_name, n_place != 0 ? place : "", n_place),
	};
	names->n++;
	return entry->frame;
}

void pe_names_release(struct pe_import_names *names)
{
	free(names->slots);
	pe_arena_release(&names->bytes);
	names->slots = NULL;
	names->n = names->n_slots = 0;
}

char *pe_names_base(char *path)
{
	char *slash = strrchr(path, '/');

	return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

/* Where the bracket that is closed at `close` was opened; NULL: nowhere. */
static char *opening(char *text, char *close, char open)
{
	int depth = 0;

	for (char *at = close; at >= text; at--) {
		depth += (*at == *close) - (*at == open);
		if (depth == 0)
			return at;
	}
	return NULL;
}

void pe_names_split_signature(struct pe_frame *frame, char *name)
{
	static const char *const qualifiers[] = {" const", " volatile", " &&", " &"};
	char *end = name + strlen(name), *open;
	size_t n, i = 0;

	frame->name = name;
	while (i < sizeof(qualifiers) / sizeof(*qualifiers)) {
		n = strlen(qualifiers[i]);
		if ((size_t)(end - name) > n && memcmp(end - n, qualifiers[i], n) == 0) {
			end -= n;
			i = 0;
		} else {
			i++;
		}
	}
	if (end - name < 3 || end[-1] != ')')
		return;
	open = opening(name, end - 1, '(');
	/* "operator()" is a name, "f (x)" an annotation, "(anonymous)" both. */
	if (open == NULL || open == name || strchr(" :.", open[-1]) != NULL ||
	    (open - name >= 8 && end - open == 2 && memcmp(open - 8, "operator", 8) == 0))
		return;
	memmove(open + 1, open, strlen(open) + 1);
	*open = '\0';
	frame->signature = open + 1;
}
