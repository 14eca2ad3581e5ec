/*
 * Parts of the pattern are compared with parts of the path, where `**` may take any number of them. Only the last `**` needs
 * to be tried again when the rest does not fit: whatever an earlier one could take more, the last one can take too.
 */
#include "core/base/glob.h"

#include "core/base/text.h"

#include <fnmatch.h>
#include <stddef.h>
#include <string.h>

/* A stretch of a pattern or path. */
struct span {
	const char *at, *end;
};

/* One part of the pattern against one part of the path. */
static bool match_part(struct span pattern, struct span part)
{
	pe_auto_text glob = PE_TEXT_INIT, name = PE_TEXT_INIT;

	pe_text_addn(&glob, pattern.at, (size_t)(pattern.end - pattern.at));
	pe_text_addn(&name, part.at, (size_t)(part.end - part.at));
	return fnmatch(glob.data, name.data, 0) == 0;
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
