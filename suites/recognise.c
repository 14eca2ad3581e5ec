/*
 * A document is recognised by the keys on its first levels: each format has some that no other one has. A document that is
 * cut short is recognised by what there is of it.
 */
#include "suites/suite_internal.h"

#include "core/base/array.h"

#include <string.h>

enum { MAX_WORDS = 4 };

/*
 * A document with all words of a row has its format. A word is a key after the number of open objects; arrays are not
 * counted, except one as the root.
 */
static const struct {
	enum pe_suite_format format;
	const char *words[MAX_WORDS + 1];
} rules[] = {
	{PE_SUITE_GOOGLE_BENCHMARK, {"1context", "2library_build_type"}},
	{PE_SUITE_GOOGLE_BENCHMARK, {"1context", "2num_cpus"}},
	{PE_SUITE_GOOGLE_BENCHMARK, {"1benchmarks", "2run_name"}},
	{PE_SUITE_GOOGLE_BENCHMARK, {"1benchmarks", "2real_time"}},
	{PE_SUITE_PYTEST_BENCHMARK, {"1machine_info", "1commit_info"}},
	{PE_SUITE_PYTEST_BENCHMARK, {"1benchmarks", "2fullname"}},
	{PE_SUITE_PYPERF, {"1benchmarks", "2runs"}},
	{PE_SUITE_NANOBENCH, {"1results", "2median(elapsed)"}},
	{PE_SUITE_HYPERFINE, {"1results", "2command"}},
	{PE_SUITE_JMH, {"0[", "1jmhVersion"}},
	{PE_SUITE_JMH, {"0[", "1benchmark", "1mode", "1primaryMetric"}},
	{PE_SUITE_BENCHMARKDOTNET, {"1HostEnvironmentInfo"}},
	{PE_SUITE_BENCHMARKDOTNET, {"1Benchmarks", "2FullName"}},
	{PE_SUITE_CRITERION_RS, {"1sampling_mode"}},
	{PE_SUITE_CRITERION_RS, {"1group_id", "1full_id"}},
	{PE_SUITE_CRITERION_RS, {"1reason", "1typical"}},
	{PE_SUITE_LINES, {"1name", "1value"}},
	{PE_SUITE_LINES, {"1name", "1values"}},
};

/* Whether a key is in a value, that many objects deep. */
static bool has_key(const struct pe_json_value *value, int level, const char *key)
{
	const bool is_object = value->kind == PE_JSON_OBJECT;

	if (is_object && level == 1)
		return pe_json_member(value, key)->kind != PE_JSON_END;
	for (size_t i = 0; (is_object || value->kind == PE_JSON_ARRAY) && i < value->n; i++)
		if (has_key(&value->items[i], level - is_object, key))
			return true;
	return false;
}

static bool has_word(const struct pe_json_value *root, const char *word)
{
	return *word == '0' ? root->kind == PE_JSON_ARRAY : has_key(root, *word - '0', word + 1);
}

/* Whether a value is {"value": 1, "lower_value": 0.9, "upper_value": 1.1}, or what there is of it. */
static bool is_measure(const struct pe_json_value *value)
{
	static const char *const keys[] = {"value", "lower_value", "upper_value"};
	bool is = value->kind == PE_JSON_OBJECT;

	for (size_t i = 0; is && i < value->n; i++)
		is = pe_has_string(keys, sizeof(keys) / sizeof(*keys), value->items[i].key) &&
		     value->items[i].kind != PE_JSON_OBJECT &&
		     value->items[i].kind != PE_JSON_ARRAY;
	return is;
}

/* Whether all members of an object, and all members of these, are measures. */
static bool are_measures(const struct pe_json_value *root)
{
	bool are = root->kind == PE_JSON_OBJECT;

	for (size_t i = 0; are && i < root->n; i++) {
		const struct pe_json_value *benchmark = &root->items[i];

		are = benchmark->kind == PE_JSON_OBJECT;
		for (size_t k = 0; are && k < benchmark->n; k++)
			are = is_measure(&benchmark->items[k]);
	}
	return are && has_key(root, 3, "value");
}

static enum pe_suite_format format_of(const struct pe_json_value *root)
{
	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++) {
		const char *const *word = rules[i].words;

		while (*word != NULL && has_word(root, *word))
			word++;
		if (*word == NULL)
			return rules[i].format;
	}
	return are_measures(root) ? PE_SUITE_BMF : PE_SUITE_AUTO;
}

static const struct pe_json_value none = {.kind = PE_JSON_END, .text = ""};

/* Read the document at search->at, or what there is of it. */
static void read_document(struct pe_suite_search *search)
{
	struct pe_json_stream *json = pe_json_stream_of(
		"JSON", PE_JSON_LOOSE, search->bytes + search->at, search->n - search->at);
	struct pe_json_token token;
	struct pe_err behind;
	size_t length;
	int rc = pe_json_next(json, &token, &search->err);

	search->root = &none;
	if (rc == PE_OK)
		rc = pe_json_tree_value(&search->root, json, &token, PE_SUITE_MAX_DEPTH,
					search->arena, &search->err);
	search->is_whole = rc == PE_OK;
	/* The next token, or the text that is none, stands behind the document. */
	if (rc == PE_OK)
		rc = pe_json_next(json, &token, &behind);
	length = (size_t)(rc == PE_OK ? token.offset : pe_json_failed_at(json));
	search->end = search->at + length;
	search->spent += length;
	pe_json_stream_free(json);
}

const struct pe_json_value *pe_suite_tree(const char *bytes, size_t n, struct pe_arena *arena)
{
	struct pe_suite_search search = {.bytes = bytes, .n = n, .arena = arena};

	read_document(&search);
	return search.is_whole && search.end == n ? search.root : NULL;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Whether a document may begin here: { and a key, or [ and an object. */
static bool may_begin(const char *at, const char *end)
{
	char open = *at++;

	if (open != '{' && open != '[')
		return false;
	while (at < end && is_blank(*at))
		at++;
	return at < end && (*at == (open == '{' ? '"' : '{'));
}

/* The offset of the first non-blank byte after the current line. */
static size_t next_line(const struct pe_suite_search *search)
{
	const char *end = search->bytes + search->n, *at = search->bytes + search->at;

	at = memchr(at, '\n', (size_t)(end - at));
	while (at != NULL && at < end && is_blank(*at))
		at++;
	return at != NULL ? (size_t)(at - search->bytes) : search->n;
}

static size_t skip_blanks(const struct pe_suite_search *search)
{
	size_t at = search->at;

	while (at < search->n && is_blank(search->bytes[at]))
		at++;
	return at;
}

enum pe_suite_format pe_suite_find_document(struct pe_suite_search *search,
					    enum pe_suite_format wanted)
{
	/* Each beginning may be read to the end of the file, so that many would take quadratic time. */
	const size_t most = search->n < SIZE_MAX / 16 ? 8 * search->n + 256 * 1024 : SIZE_MAX;

	search->at = skip_blanks(search);
	while (search->at < search->n && search->spent < most) {
		enum pe_suite_format format;

		if (!may_begin(search->bytes + search->at, search->bytes + search->n)) {
			search->at = next_line(search);
			continue;
		}
		pe_arena_release(search->arena);
		read_document(search);
		format = format_of(search->root);
		if (format != PE_SUITE_AUTO && (wanted == PE_SUITE_AUTO || format == wanted))
			return format;
		search->at = search->is_whole ? search->end : next_line(search);
	}
	search->gave_up = search->at < search->n;
	return PE_SUITE_AUTO;
}
