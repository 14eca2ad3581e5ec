#include "configs/read.h"

#include "core/base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MAX_WORD = 64 }; /* longest word that gets a suggestion */

int pe_read_fail(struct pe_reader *reader, const struct pe_yaml *node, const char *format, ...)
{
	char sentence[sizeof(((struct pe_err *)0)->message)];
	va_list args;

	va_start(args, format);
	vsnprintf(sentence, sizeof(sentence), format, args);
	va_end(args);
	return pe_fail(reader->err, PE_EINVALID, "%s:%zu:%zu: %s", reader->path, node->mark.line,
		       node->mark.column, sentence);
}

int pe_read_expected(struct pe_reader *reader, const struct pe_yaml *node, const char *what)
{
	if (node->kind == PE_YAML_SCALAR && !pe_yaml_is_null(node))
		return pe_read_fail(reader, node, "'%s' must be %s, not '%.60s'", reader->key, what,
				    node->text);
	return pe_read_fail(reader, node, "'%s' must be %s, not %s", reader->key, what,
			    pe_yaml_kind_name(node));
}

static unsigned least(unsigned a, unsigned b, unsigned c)
{
	unsigned ab = a < b ? a : b;

	return ab < c ? ab : c;
}

/*
 * Optimal string alignment: insertions, deletions, substitutions and swaps of neighbours cost one
 * each (Damerau 1964). Three rows of the table are enough.
 */
static unsigned distance(const char *a, const char *b)
{
	unsigned rows[3][MAX_WORD + 1];
	size_t na = strlen(a), nb = strlen(b);

	for (size_t j = 0; j <= nb; j++)
		rows[0][j] = (unsigned)j;
	for (size_t i = 1; i <= na; i++) {
		unsigned *now = rows[i % 3], *last = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];

		now[0] = (unsigned)i;
		for (size_t j = 1; j <= nb; j++) {
			now[j] = least(now[j - 1] + 1, last[j] + 1,
				       last[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    before[j - 2] + 1 < now[j])
				now[j] = before[j - 2] + 1;
		}
	}
	return rows[na % 3][nb];
}

/* "cmd" for "command": its letters in their order, the first and the last one among them. */
static bool abbreviates(const char *word, const char *candidate)
{
	size_t n = strlen(word), m = strlen(candidate);
	const char *at = candidate;

	if (n < 2 || n >= m || word[0] != candidate[0] || word[n - 1] != candidate[m - 1])
		return false;
	for (; *word != '\0' && at != NULL; word++) {
		at = strchr(at, *word);
		at = at != NULL ? at + 1 : NULL;
	}
	return at != NULL;
}

const char *pe_read_nearest(const char *word, const char *const *candidates, size_t n)
{
	const char *nearest = NULL;
	unsigned best = (unsigned)(strlen(word) + 2) / 3 + 1;

	if (strlen(word) > MAX_WORD)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		unsigned d;

		if (strlen(candidates[i]) > MAX_WORD)
			continue;
		d = abbreviates(word, candidates[i]) ? 1 : distance(word, candidates[i]);
		/* An abbreviation wins over another word that is as near. */
		if (d < best || (d == best && d == 1 && abbreviates(word, candidates[i]))) {
			best = d;
			nearest = candidates[i];
		}
	}
	return nearest;
}

const char *pe_read_suggestion(struct pe_arena *arena, const char *word,
			       const char *const *candidates, size_t n)
{
	const char *nearest = pe_read_nearest(word, candidates, n);

	return nearest != NULL ? pe_arena_printf(arena, " (did you mean '%s'?)", nearest) : "";
}

static int fail_unknown(struct pe_reader *reader, const struct pe_yaml *key,
			const struct pe_key *keys, size_t n, const char *where)
{
	const char **names = pe_arena_new(reader->arena, const char *, n);
	const char *suggestion;
	pe_auto_text known = PE_TEXT_INIT;

	for (size_t i = 0; i < n; i++)
		names[i] = keys[i].name;
	suggestion = pe_read_suggestion(reader->arena, key->text, names, n);
	if (suggestion[0] == '\0') {
		for (size_t i = 0; i < n; i++)
			pe_text_addf(&known, "%s%s", i > 0 ? ", " : " (known: ", names[i]);
		pe_text_addc(&known, ')');
		suggestion = pe_arena_strdup(reader->arena, known.data);
	}
	return pe_read_fail(reader, key, "unknown key '%.60s'%s%s%s", key->text,
			    where != NULL ? " in " : "", where != NULL ? where : "", suggestion);
}

static int read_pair(struct pe_reader *reader, const struct pe_yaml_pair *pair,
		     const struct pe_key *keys, size_t n, char *target, const char *where)
{
	for (size_t i = 0; i < n; i++) {
		const char *outer = reader->key;
		int rc;

		if (strcmp(keys[i].name, pair->key->text) != 0)
			continue;
		if (keys[i].read == NULL)
			return PE_OK;
		reader->key = keys[i].name;
		rc = keys[i].read(reader, pair->value, target + keys[i].offset);
		reader->key = outer;
		return rc;
	}
	return fail_unknown(reader, pair->key, keys, n, where);
}

int pe_read_map(struct pe_reader *reader, const struct pe_yaml *node, const struct pe_key *keys,
		size_t n, void *target, const char *where)
{
	int rc = PE_OK;

	if (node->kind != PE_YAML_MAP)
		return pe_read_fail(reader, node, "%s must be a mapping, not %s",
				    where != NULL ? where : "the config", pe_yaml_kind_name(node));
	for (size_t i = 0; i < node->n && rc == PE_OK; i++) {
		/* At the top, x-anything holds anchors for the rest of the file. */
		if (where == NULL && strncmp(node->pairs[i].key->text, "x-", 2) == 0)
			continue;
		rc = read_pair(reader, &node->pairs[i], keys, n, target, where);
	}
	return rc;
}
