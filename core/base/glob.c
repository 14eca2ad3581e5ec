/*
 * Two loops of the same kind, one inside the other: parts of the pattern over parts of the path, where `**`
 * may take any number of them, and characters over one part, where `*` may take any number. In either, only
 * the last wildcard needs to be tried again when the rest does not fit: whatever an earlier one could take
 * more, the last one can take too.
 */
#include "core/base/glob.h"

#include <stddef.h>
#include <string.h>

/* A stretch of a pattern or path. */
struct span {
	const char *at, *end;
};

/* The end of a set that starts at '[', behind its ']'; NULL: it has none, the bracket stands for itself. */
static const char *set_end(const char *at, const char *end)
{
	at++;
	if (at < end && (*at == '!' || *at == '^'))
		at++;
	if (at < end && *at == ']') /* as the first of the set it is a member */
		at++;
	for (; at < end; at++) {
		if (*at == ']')
			return at + 1;
		if (*at == '\\' && at + 1 < end)
			at++;
	}
	return NULL;
}

/* The next member of a set, moving behind it. */
static unsigned char member(const char **at)
{
	if (**at == '\\')
		(*at)++;
	return (unsigned char)*(*at)++;
}

/* Whether a character is in the set between '[' and the ']' before end. */
static bool in_set(const char *at, const char *end, unsigned char c)
{
	const char *last = end - 1;
	bool inverted = false, found = false;

	at++;
	if (*at == '!' || *at == '^') {
		inverted = true;
		at++;
	}
	while (at < last) {
		unsigned char low = member(&at), high = low;

		if (at + 1 < last && *at == '-') {
			at++;
			high = member(&at);
		}
		found = found || (low <= c && c <= high);
	}
	return found != inverted;
}

/* Match one character; gives the rest of the pattern, NULL when it does not match. */
static const char *match_one(const char *at, const char *end, char c)
{
	const char *behind;

	if (*at == '?')
		return at + 1;
	if (*at == '[' && (behind = set_end(at, end)) != NULL)
		return in_set(at, behind, (unsigned char)c) ? behind : NULL;
	if (*at == '\\' && at + 1 < end)
		at++;
	return *at == c ? at + 1 : NULL;
}

/* One part of the pattern against one part of the path. */
static bool match_part(struct span pattern, struct span part)
{
	const char *star = NULL, *taken = NULL;

	while (part.at < part.end) {
		const char *next = NULL;

		if (pattern.at < pattern.end && *pattern.at == '*') {
			star = ++pattern.at;
			taken = part.at;
			continue;
		}
		if (pattern.at < pattern.end)
			next = match_one(pattern.at, pattern.end, *part.at);
		if (next != NULL) {
			pattern.at = next;
			part.at++;
		} else if (star != NULL) {
			pattern.at = star;
			part.at = ++taken;
		} else {
			return false;
		}
	}
	while (pattern.at < pattern.end && *pattern.at == '*')
		pattern.at++;
	return pattern.at == pattern.end;
}

/* The part that starts at a place; a pattern's slashes inside sets and behind backslashes divide it too. */
static struct span part_at(const char *at)
{
	return (struct span){at, at + strcspn(at, "/")};
}

/* The start of the next part, or the end of the string. */
static const char *behind(struct span part)
{
	return part.end + (*part.end == '/');
}

static bool is_globstar(struct span part)
{
	return part.end - part.at == 2 && part.at[0] == '*' && part.at[1] == '*';
}

/* A pattern without a slash but at its end matches at any depth. */
static bool is_anchored(const char *pattern)
{
	const char *slash = strchr(pattern, '/');

	return slash != NULL && slash[1] != '\0';
}

/* From the top, or wherever a part may begin when it is not anchored: as if `**` stood in front. */
static bool match_parts(const char *pattern, const char *path, bool anchored)
{
	const char *star = anchored ? NULL : pattern, *taken = path;

	for (;;) {
		struct span want = part_at(pattern), have = part_at(path);

		/* What is left of the path lies below a folder that matches. */
		if (*pattern == '\0' && (pattern[-1] != '/' || *path != '\0'))
			return true;
		if (is_globstar(want) && *path != '\0') {
			if (*behind(want) ==
			    '\0') /* with a slash at its end it asks for a folder */
				return *want.end == '\0' || *behind(have) != '\0';
			star = pattern = behind(want);
			taken = path;
		} else if (*pattern != '\0' && *path != '\0' && match_part(want, have)) {
			pattern = behind(want);
			path = behind(have);
		} else if (star != NULL && *taken != '\0') {
			pattern = star;
			path = taken = behind(part_at(taken));
		} else {
			return false;
		}
	}
}

bool pe_glob_match(const char *pattern, const char *path)
{
	bool anchored = is_anchored(pattern);

	if (*pattern == '/')
		pattern++;
	return *pattern != '\0' && match_parts(pattern, path, anchored);
}
