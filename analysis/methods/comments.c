#include "analysis/methods/comments.h"

#include "core/base/text.h"

#include <string.h>

bool pe_comments_are_known(const char *path)
{
	static const char *const suffixes[] = {".c",   ".h",   ".cc",  ".cpp", ".cxx", ".hh",
					       ".hpp", ".hxx", ".inl", ".ipp", ".tcc"};
	const char *slash = strrchr(path, '/'), *suffix = strrchr(path, '.');

	for (size_t i = 0;
	     suffix != NULL && suffix > slash && i < sizeof(suffixes) / sizeof(*suffixes); i++)
		if (strcmp(suffix, suffixes[i]) == 0)
			return true;
	return false;
}

/* A source while its comments are blanked. */
struct source {
	const char *at, *end;
	struct pe_text *out;
	size_t kept; /* of out: what is behind it are blanks at the end of a line so far */
	bool sure;
};

static void put(struct source *source, char c)
{
	if (c == '\n' || c == '\v')
		source->out->len = source->kept;
	pe_text_addc(source->out, c);
	if (c != ' ' && c != '\t' && c != '\r')
		source->kept = source->out->len;
}

static bool is_next(const struct source *source, const char *what)
{
	const size_t n = strlen(what);

	return (size_t)(source->end - source->at) >= n && memcmp(source->at, what, n) == 0;
}

/* In the place of a character of a comment: columns count bytes, and a tab as far as it reaches. */
static void blank(struct source *source)
{
	const char c = *source->at++;

	/* Where a comment goes on, its end of line is none of the source. */
	put(source, c == '\n' ? '\v' : c == '\t' ? '\t' : ' ');
}

static void skip_line_comment(struct source *source)
{
	while (source->at < source->end && *source->at != '\n') {
		/* One that goes on in the next line. */
		source->sure &= !is_next(source, "\\\n") && !is_next(source, "\\\r\n");
		blank(source);
	}
}

static void skip_comment(struct source *source)
{
	put(source, ' ');
	put(source, ' ');
	source->at += 2;
	while (source->at < source->end && !is_next(source, "*/"))
		blank(source);
	source->sure &= source->at < source->end;
	for (int i = 0; i < 2 && source->at < source->end; i++)
		blank(source);
}

static void copy_quoted(struct source *source)
{
	const char quote = *source->at;

	do {
		if (*source->at == '\\' && source->end - source->at > 1)
			put(source, *source->at++);
		put(source, *source->at++);
		if (source->at >= source->end || *source->at == '\n') {
			source->sure = false;
			return;
		}
	} while (*source->at != quote);
	put(source, *source->at++);
}

static bool is_word(char c)
{
	return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z') || (unsigned char)c >= 0x80;
}

/* A name, or a number with its digit separators. */
static void copy_word(struct source *source)
{
	const bool number = *source->at >= '0' && *source->at <= '9';
	char last = '\0';

	while (source->at < source->end &&
	       (is_word(*source->at) || (number && *source->at == '\'' &&
					 source->end - source->at > 1 && is_word(source->at[1])))) {
		last = *source->at;
		put(source, *source->at++);
	}
	/* A raw string, or an own macro's name before a string. */
	source->sure &= !(last == 'R' && is_next(source, "\""));
}

/* "<a//b>" holds no comment. */
static void copy_include(struct source *source)
{
	while (source->at < source->end && *source->at != '\n' && *source->at != '>' &&
	       !is_next(source, "//") && !is_next(source, "/*"))
		put(source, *source->at++);
	source->sure &= source->at < source->end && *source->at == '>';
}

static bool blank_comments(struct pe_text *out, const char *text, size_t n)
{
	struct source source = {.at = text, .end = text + n, .out = out, .sure = true};
	bool include = false;

	while (source.at < source.end && source.sure) {
		if (is_next(&source, "//")) {
			skip_line_comment(&source);
		} else if (is_next(&source, "/*")) {
			skip_comment(&source);
		} else if (*source.at == '"' || *source.at == '\'') {
			copy_quoted(&source);
		} else if (is_word(*source.at)) {
			include = is_next(&source, "include");
			copy_word(&source);
		} else if (include && *source.at == '<') {
			copy_include(&source);
		} else {
			source.sure = !is_next(&source, "??") && !is_next(&source, "/\\");
			put(&source, *source.at++);
		}
	}
	return source.sure;
}

bool pe_comments_differ_only(const char *a, size_t n, const char *b, size_t m)
{
	pe_auto_text left = PE_TEXT_INIT, right = PE_TEXT_INIT;

	if (!blank_comments(&left, a, n) || !blank_comments(&right, b, m))
		return false;
	return left.len == right.len &&
	       (left.len == 0 || memcmp(left.data, right.data, left.len) == 0);
}
