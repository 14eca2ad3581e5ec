#include "app/changes/frame_finder.h"

#include "app/changes/sources.h"
#include "core/base/search.h"
#include "core/base/sort.h"
#include "analysis/methods/extract.h"

#include <ctype.h>
#include <string.h>

enum { OLD, NEW };

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

/* Past the parameters that debug information puts behind the function around a lambda; NULL: they are none. */
static const char *past_parameters(const char *at)
{
	size_t depth = 0;

	for (; *at != '\0'; at++) {
		depth += *at == '(';
		depth -= *at == ')';
		if (depth == 0)
			return strncmp(at, ")::", 3) == 0 ? at + 1 : NULL;
	}
	return NULL;
}

/* "{lambda(int)#1}::operator()": past it; NULL: it is none. */
static const char *past_lambda(const char *at)
{
	static const char call[] = "}::operator()";
	const char *end;

	if (strncmp(at, "{lambda", 7) != 0)
		return NULL;
	end = strstr(at, call);
	return end != NULL ? end + sizeof(call) - 1 : NULL;
}

const char *pe_plain_name(const char *name, struct pe_arena *arena)
{
	static const char anonymous[] = "(anonymous namespace)::";
	const bool is_operator = strstr(name, "operator<") != NULL ||
				 strstr(name, "operator>") != NULL ||
				 strstr(name, "operator-") != NULL;
	char *out = pe_arena_strdup(arena, name), *to = out;

	while (*name != '\0') {
		const char *past = NULL;

		if (strncmp(name, anonymous, sizeof(anonymous) - 1) == 0) {
			past = name + sizeof(anonymous) - 1;
		} else if (*name == '(') {
			past = past_parameters(name);
		} else if (*name == '<' && !is_operator) {
			past = past_bracket(name);
		} else if (strncmp(name, "[abi:", 5) == 0 && strchr(name, ']') != NULL) {
			past = strchr(name, ']') + 1;
		} else if (isspace((unsigned char)*name)) {
			past = name + 1;
		} else if ((past = past_lambda(name)) != NULL) {
			memcpy(to, "lambda", 6);
			to += 6;
		}
		if (past != NULL)
			name = past;
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

PE_SORT_BY(compare_entries, struct pe_frame_entry, component, name, frame);

/* Whether perfevo reads the frame's source in the tree. */
static bool is_read(const struct pe_frame *frame, const struct pe_paths *paths)
{
	return frame->kind == PE_FRAME_METHOD && frame->component[0] != '\0' &&
	       frame->component[0] != '/' && strncmp(frame->component, "../", 3) != 0 &&
	       pe_language_of(frame->component) != NULL &&
	       (paths == NULL || pe_paths_have(paths, frame->component));
}

void pe_frame_finder_open(struct pe_frame_finder *out, const struct pe_frames *frames,
			  const struct pe_paths *paths, uint32_t n_old_frames,
			  struct pe_arena *arena)
{
	*out = (struct pe_frame_finder){
		.frames = frames, .n_old_frames = n_old_frames, .arena = arena};
	for (uint32_t f = 0; f < frames->n; f++) {
		struct pe_frame_entry entry = {frames->at[f].component, NULL, f};

		if (!is_read(&frames->at[f], paths))
			continue;
		entry.name = pe_plain_name(frames->at[f].name, arena);
		pe_vec_push(&out->entries, entry);
	}
	pe_sort(out->entries.data, out->entries.n, compare_entries);
}

void pe_frame_finder_close(struct pe_frame_finder *finder)
{
	pe_vec_release(&finder->entries);
}

size_t pe_frame_finder_first(const struct pe_frame_finder *finder, const char *component,
			     const char *name)
{
	const struct pe_frame_entry wanted = {component, name, 0};
	size_t at = 0;

	pe_search(at, finder->entries.n, i, compare_entries(&finder->entries.data[i], &wanted) < 0);
	return at;
}

/* How surely a frame of the right name is the method: 3 by lines, 2 by types, 1 by name alone; 0: it is not. */
static int likeness(const struct pe_frame_finder *finder, uint32_t frame,
		    const struct pe_method *method, int side, bool alone)
{
	const struct pe_frame *one = &finder->frames->at[frame];
	bool lines_known = one->line > 0 && (side == OLD) == (frame < finder->n_old_frames);

	if (lines_known && one->line >= method->first_line && one->line <= method->last_line)
		return 3;
	if (strcmp(plain_types(one->signature, finder->arena),
		   plain_types(method->signature, finder->arena)) == 0)
		return 2;
	return alone ? 1 : 0;
}

/* Of the entries of one name, the best ones. */
static struct pe_found_frames best_of(const struct pe_frame_finder *finder, size_t from, size_t to,
				      const struct pe_method *method, int side)
{
	struct pe_found_frames found = {pe_arena_new(finder->arena, uint32_t, to - from), 0};
	int best = 1;

	for (size_t i = from; i < to; i++) {
		uint32_t frame = finder->entries.data[i].frame;
		int one = likeness(finder, frame, method, side, to - from == 1);

		if (one < best)
			continue;
		if (one > best)
			found.n = 0;
		best = one;
		found.at[found.n++] = frame;
	}
	return found;
}

/* Whether a function is of a name that the source need not have: not a lambda, which is a method of its own. */
static bool may_be_made(const char *name)
{
	return strstr(name, "lambda") == NULL && strstr(name, "operator()") == NULL;
}

/*
 * The frames of a method whose name the file does not have: what stands on its lines, of a name that a macro makes or that is
 * qualified in one of the two alone; else the only one of its last name.
 */
static struct pe_found_frames find_unqualified(const struct pe_frame_finder *finder,
					       const struct pe_method *method, const char *name,
					       int side)
{
	const size_t from = pe_frame_finder_first(finder, method->component, "");
	struct pe_found_frames found = {
		pe_arena_new(finder->arena, uint32_t, finder->entries.n - from + 1), 0};
	uint32_t only = PE_FRAME_NONE;
	size_t named = 0;

	for (size_t i = from; i < finder->entries.n; i++) {
		const struct pe_frame_entry *one = &finder->entries.data[i];
		const bool same = strcmp(pe_unqualified(one->name), pe_unqualified(name)) == 0;

		if (strcmp(one->component, method->component) != 0)
			break;
		if ((same || may_be_made(one->name)) &&
		    likeness(finder, one->frame, method, side, false) == 3)
			found.at[found.n++] = one->frame;
		only = same ? one->frame : only;
		named += same;
	}
	if (found.n == 0 && named == 1)
		found.at[found.n++] = only;
	return found;
}

/* The frames of a method; none: it was never called. */
struct pe_found_frames pe_frame_finder_find(const struct pe_frame_finder *finder,
					    const struct pe_method *method, int side)
{
	const char *name = pe_plain_name(method->name, finder->arena);
	size_t from = pe_frame_finder_first(finder, method->component, name), to = from;

	while (to < finder->entries.n &&
	       strcmp(finder->entries.data[to].component, method->component) == 0 &&
	       strcmp(finder->entries.data[to].name, name) == 0)
		to++;
	if (from == to)
		return find_unqualified(finder, method, name, side);
	return best_of(finder, from, to, method, side);
}
