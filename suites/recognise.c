/*
 * A document is recognised by the keys on its first levels: each format has some that no other one has. Keys are
 * read as tokens, so that neither text within strings nor the order of members misleads, and a file that is cut short is
 * recognised by the rest.
 */
#include "suites/suite_internal.h"

#include "core/json/stream.h"

#include <string.h>

/* Bytes of one document that are read. */
enum { WINDOW_BYTES = 256 * 1024 };

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
	{PE_SUITE_CRITERION_RS, {"1median_abs_dev", "1std_dev"}},
	{PE_SUITE_CRITERION_RS, {"1reason", "1typical"}},
	{PE_SUITE_LINES, {"1name", "1value"}},
	{PE_SUITE_LINES, {"1name", "1values"}},
};

enum { N_RULES = sizeof(rules) / sizeof(*rules) };

/* State of recognising one document. */
struct look {
	bool seen[N_RULES][MAX_WORDS];
	unsigned level;
	size_t depth;
	/* so far, only objects in objects in an object, of which the innermost have values */
	bool measures;
	bool has_value;
};

static bool equals(const struct pe_json_token *token, const char *text)
{
	return token->n == strlen(text) && memcmp(token->text, text, token->n) == 0;
}

/* Record a word; returns the format of a rule whose words were all seen, else PE_SUITE_AUTO. */
static enum pe_suite_format see_word(struct look *look, const struct pe_json_token *word)
{
	for (size_t i = 0; i < N_RULES; i++) {
		bool all = true;

		for (size_t k = 0; rules[i].words[k] != NULL; k++) {
			const char *wanted = rules[i].words[k];

			if (wanted[0] == (char)('0' + look->level) && equals(word, wanted + 1))
				look->seen[i][k] = true;
			all = all && look->seen[i][k];
		}
		if (all)
			return rules[i].format;
	}
	return PE_SUITE_AUTO;
}

static enum pe_suite_format see_key(struct look *look, const struct pe_json_token *token)
{
	if (look->level == 3) {
		look->has_value |= equals(token, "value");
		look->measures &= equals(token, "value") || equals(token, "lower_value") ||
				  equals(token, "upper_value");
	}
	return look->level < 3 ? see_word(look, token) : PE_SUITE_AUTO;
}

static enum pe_suite_format see(struct look *look, const struct pe_json_token *token)
{
	static const struct pe_json_token array = {.text = "[", .n = 1};

	switch (token->kind) {
	case PE_JSON_OBJECT:
		look->level++;
		look->depth++;
		look->measures &= look->level <= 3;
		break;
	case PE_JSON_OBJECT_END:
		look->level--;
		look->depth--;
		break;
	case PE_JSON_ARRAY:
		if (look->depth++ == 0)
			see_word(look, &array);
		look->measures = false;
		break;
	case PE_JSON_ARRAY_END:
		look->depth--;
		break;
	case PE_JSON_KEY:
		return see_key(look, token);
	default:
		look->measures &= look->level == 3;
	}
	return PE_SUITE_AUTO;
}

/* The format of the document at search->at; *end: its end, 0: not within the window. */
static enum pe_suite_format look_at(struct pe_suite_search *search, size_t *end)
{
	size_t left = search->n - search->at;
	size_t window = left < WINDOW_BYTES ? left : WINDOW_BYTES;
	struct pe_json_stream *json =
		pe_json_stream_of("JSON", PE_JSON_LOOSE, search->bytes + search->at, window);
	struct look look = {.measures = true};
	struct pe_json_token token = {.kind = PE_JSON_END};
	enum pe_suite_format format = PE_SUITE_AUTO;
	struct pe_err err;
	int rc;

	*end = 0;
	do {
		rc = pe_json_next(json, &token, &err);
		if (rc != PE_OK || token.kind == PE_JSON_END)
			break;
		format = see(&look, &token);
	} while (format == PE_SUITE_AUTO && look.depth > 0 && look.depth <= PE_SUITE_MAX_DEPTH);
	if (rc == PE_OK && look.depth == 0)
		*end = search->at + (size_t)token.offset + 1;
	if (format == PE_SUITE_AUTO && look.measures && look.has_value)
		format = PE_SUITE_BMF;
	search->spent += *end != 0     ? *end - search->at
			 : rc == PE_OK ? token.offset
				       : pe_json_failed_at(json);
	pe_json_stream_free(json);
	return format;
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
	size_t most = search->n < SIZE_MAX / 16 ? 8 * search->n + WINDOW_BYTES : SIZE_MAX;

	search->at = skip_blanks(search);
	while (search->at < search->n && search->spent < most) {
		enum pe_suite_format format;
		size_t end = 0;

		if (!may_begin(search->bytes + search->at, search->bytes + search->n)) {
			search->at = next_line(search);
			continue;
		}
		format = look_at(search, &end);
		if (format != PE_SUITE_AUTO && (wanted == PE_SUITE_AUTO || format == wanted))
			return format;
		search->at = end != 0 ? end : next_line(search);
		if (end != 0)
			search->at = skip_blanks(search);
	}
	search->gave_up = search->at < search->n;
	return PE_SUITE_AUTO;
}
