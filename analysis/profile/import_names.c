/* The cache of names, and helpers for the rules of all tools; the rules themselves are in import_rules.c. */
#include "analysis/profile/import_names.h"

#include "core/base/text.h"

#include <string.h>

static uint32_t read_frame(const struct pe_import_names *names, const char *name, size_t n_name,
			   const char *place, size_t n_place)
{
	pe_auto_arena scratch = PE_ARENA_INIT;
	struct pe_frame frame = {0};
	char *name_copy = pe_arena_new(&scratch, char, n_name + 2);

	memcpy(name_copy, name, n_name);
	names->read(&frame, name_copy, pe_arena_strndup(&scratch, place, n_place));
	/* A rule that leaves nothing does not apply to this name. */
	if (frame.name == NULL || frame.name[0] == '\0')
		frame = (struct pe_frame){.name = pe_arena_strndup(&scratch, name, n_name)};
	return pe_frames_add(names->frames, &frame);
}

uint32_t pe_names_frame(struct pe_import_names *names, const char *name, size_t n_name,
			const char *place, size_t n_place)
{
	const uint64_t of_place = n_place != 0 ? pe_hash_text(0, place, n_place) : 0;
	const uint64_t hash = pe_hash_text(of_place, name, n_name);
	const uint64_t lengths = (uint64_t)n_name << 32 ^ n_place;
	const uint32_t *known = pe_map_find(&names->known, hash, lengths);
	uint32_t frame;

	if (known != NULL)
		return *known;
	if (n_name == 0 || memchr(name, '\0', n_name) != NULL ||
	    (n_place != 0 && memchr(place, '\0', n_place) != NULL))
		return PE_FRAME_NONE;
	frame = read_frame(names, name, n_name, n_place != 0 ? place : "", n_place);
	pe_map_set(&names->known, hash, lengths, frame);
	return frame;
}

void pe_names_release(struct pe_import_names *names)
{
	pe_map_release(&names->known);
}

char *pe_names_base(char *path)
{
	return path + (pe_path_name(path) - path);
}

/* The opening bracket of the one at `close`; NULL: none. */
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
