#include "configs/accepted.h"

#include "configs/read.h"
#include "core/base/utf8.h"

#include <string.h>

#define HEADER                                                                                     \
	"# Changes of performance that are known and wanted (written by 'perfevo accept').\n"      \
	"# They are shown, and fail nothing.\n"

static int read_entry(struct pe_accepted *out, struct pe_reader *reader, const struct pe_yaml *node)
{
	static const struct pe_key keys[] = {
		PE_KEY("benchmark", pe_read_text, struct pe_accepted, benchmark),
		PE_KEY_MATCH("revision", "^[0-9a-f]{7,40}$",
			     "the id of a commit, of 7 to 40 hexadecimal digits",
			     struct pe_accepted, revision),
		PE_KEY("metric", pe_read_text, struct pe_accepted, metric),
		PE_KEY("why", pe_read_text, struct pe_accepted, why),
		PE_KEY("by", pe_read_text, struct pe_accepted, by),
		PE_KEY("when", pe_read_text, struct pe_accepted, when),
	};
	const char *missing;

	*out = (struct pe_accepted){.line = node->mark.line};
	PE_TRY(pe_read_map(reader, node, PE_KEYS(keys), out, "an accepted change"));
	missing = out->benchmark == NULL  ? "benchmark"
		  : out->revision == NULL ? "revision"
		  : out->why == NULL      ? "why"
					  : NULL;
	if (missing != NULL)
		return pe_read_fail(reader, node, "an accepted change needs '%s': write '%s: ...'",
				    missing, missing);
	return PE_OK;
}

int pe_accepted_parse(struct pe_accepted_list *out, const char *path, const char *text, size_t len,
		      struct pe_arena *arena, struct pe_err *err)
{
	struct pe_reader reader = {.path = path, .arena = arena, .err = err, .key = ""};
	struct pe_yaml *root;
	int rc = pe_yaml_parse(&root, path, text, len, arena, err);

	*out = (struct pe_accepted_list){NULL, 0};
	if (rc != PE_OK || root == NULL || pe_yaml_is_null(root))
		return rc;
	if (root->kind != PE_YAML_LIST)
		return pe_read_fail(
			&reader, root,
			"expected a list of accepted changes, '- benchmark: ...', not %s",
			pe_yaml_kind_name(root));
	out->at = pe_arena_new(arena, struct pe_accepted, root->n);
	for (size_t i = 0; i < root->n; i++)
		PE_TRY(read_entry(&out->at[out->n++], &reader, root->items[i]));
	return PE_OK;
}

int pe_accepted_load(struct pe_accepted_list *out, const char *path, struct pe_arena *arena,
		     struct pe_err *err)
{
	pe_auto_text text = PE_TEXT_INIT;
	const char *folder;
	int rc;

	*out = (struct pe_accepted_list){NULL, 0};
	folder = pe_arena_strndup(arena, path, (size_t)(pe_path_name(path) - path));
	rc = pe_yaml_read_file(&text, path, folder, err);
	if (rc == PE_ENOTFOUND)
		return PE_OK;
	PE_TRY(rc);
	return pe_accepted_parse(out, path, pe_text_str(&text), text.len, arena, err);
}

const struct pe_accepted *pe_accepted_find(const struct pe_accepted_list *list,
					   const char *benchmark, const char *metric,
					   const char *revision)
{
	for (size_t i = 0; i < list->n; i++) {
		const struct pe_accepted *one = &list->at[i];

		if ((strcmp(one->benchmark, benchmark) == 0 ||
		     strcmp(one->benchmark, PE_ACCEPTED_ALL) == 0) &&
		    strncmp(one->revision, revision, strlen(one->revision)) == 0 &&
		    (one->metric == NULL || (metric != NULL && strcmp(one->metric, metric) == 0)))
			return one;
	}
	return NULL;
}

/* --- Writing --- */

/* Append "key: value" in double quotes, which preserve any text. */
static void add_scalar(struct pe_text *out, const char *key, const char *value)
{
	if (value == NULL)
		return;
	pe_text_addf(out, "  %s: \"", key);
	while (*value != '\0') {
		uint32_t point;
		size_t n = pe_utf8_next(&point, value);

		if (point == '"' || point == '\\')
			pe_text_addf(out, "\\%c", (int)point);
		else if (point == '\n')
			pe_text_add(out, "\\n");
		else if (pe_utf8_is_control(point))
			pe_text_addf(out, "\\u%04x", (unsigned)point);
		else if (point == 0xfffd)
			pe_text_add(out, "\xef\xbf\xbd");
		else
			pe_text_addn(out, value, n);
		value += n;
	}
	pe_text_add(out, "\"\n");
}

void pe_accepted_append(struct pe_text *text, const struct pe_accepted *entry, const char *subject)
{
	if (text->len == 0)
		pe_text_add(text, HEADER);
	else if (text->data[text->len - 1] != '\n')
		pe_text_addc(text, '\n');
	pe_text_addf(text, "- revision: %s", entry->revision);
	if (subject != NULL && subject[0] != '\0') {
		pe_text_add(text, " # ");
		pe_utf8_add_visible(text, subject, "");
	}
	pe_text_addc(text, '\n');
	add_scalar(text, "benchmark", entry->benchmark);
	add_scalar(text, "metric", entry->metric);
	add_scalar(text, "why", entry->why);
	add_scalar(text, "by", entry->by);
	add_scalar(text, "when", entry->when);
}

/* The offset of a line, counted from 1; the end of the text when there are fewer lines. */
static size_t offset_of(const struct pe_text *text, size_t line)
{
	size_t at = 0;

	for (size_t i = 1; i < line && at < text->len; i++) {
		const char *end = memchr(text->data + at, '\n', text->len - at);

		at = end != NULL ? (size_t)(end - text->data) + 1 : text->len;
	}
	return at;
}

static bool is_alone(const struct pe_text *text, size_t from)
{
	while (from < text->len && (text->data[from] == ' ' || text->data[from] == '\t'))
		from++;
	return from < text->len && text->data[from] == '-';
}

int pe_accepted_cut(struct pe_text *text, const char *path, const struct pe_accepted_list *list,
		    size_t i, struct pe_err *err)
{
	size_t from = offset_of(text, list->at[i].line);
	size_t to = i + 1 < list->n ? offset_of(text, list->at[i + 1].line) : text->len;
	struct pe_text rest = PE_TEXT_INIT;

	/* Entries that share a line, or have their dash on another one, are the user's own style, and left alone. */
	if (to <= from || !is_alone(text, from) || (i + 1 < list->n && !is_alone(text, to)))
		return pe_fail(
			err, PE_EINVALID,
			"%s:%zu: cannot take this entry out without touching others: remove it by hand",
			path, list->at[i].line);
	pe_text_addn(&rest, text->data, from);
	pe_text_addn(&rest, text->data + to, text->len - to);
	pe_text_release(text);
	*text = rest;
	return PE_OK;
}
