/*
 * A document is told by the keys that it has on its first levels: each format has some that no other one has. Keys are
 * read as tokens, so that neither text within strings nor the order of members deceives, and a file that is cut short is
 * told by what is left.
 */
#include "suites/suite_internal.h"

#include "core/json/stream.h"

#include <string.h>

/* How much of one document is looked at. */
enum { WINDOW_BYTES = 256 * 1024 };

/* What was seen of a document: a bit a word. */
enum {
	ARRAY, /* its root is an array */
	CONTEXT,
	BENCHMARKS,
	LIBRARY_BUILD_TYPE,
	NUM_CPUS,
	RUN_NAME,
	REAL_TIME,
	MACHINE_INFO,
	COMMIT_INFO,
	FULLNAME,
	RUNS,
	RESULTS,
	MEDIAN_ELAPSED,
	COMMAND,
	JMH_VERSION,
	BENCHMARK,
	MODE,
	PRIMARY_METRIC,
	HOST_ENVIRONMENT_INFO,
	DOTNET_BENCHMARKS,
	DOTNET_FULL_NAME,
	SAMPLING_MODE,
	GROUP_ID,
	FULL_ID,
	MEDIAN_ABS_DEV,
	STD_DEV,
	REASON,
	TYPICAL,
	NAME,
	VALUE,
	VALUES,
	N_WORDS
};

/* Level: how many objects are open; arrays do not count. */
static const struct {
	unsigned level;
	const char *key;
} words[N_WORDS] = {
	[ARRAY] = {0, ""},
	[CONTEXT] = {1, "context"},
	[BENCHMARKS] = {1, "benchmarks"},
	[LIBRARY_BUILD_TYPE] = {2, "library_build_type"},
	[NUM_CPUS] = {2, "num_cpus"},
	[RUN_NAME] = {2, "run_name"},
	[REAL_TIME] = {2, "real_time"},
	[MACHINE_INFO] = {1, "machine_info"},
	[COMMIT_INFO] = {1, "commit_info"},
	[FULLNAME] = {2, "fullname"},
	[RUNS] = {2, "runs"},
	[RESULTS] = {1, "results"},
	[MEDIAN_ELAPSED] = {2, "median(elapsed)"},
	[COMMAND] = {2, "command"},
	[JMH_VERSION] = {1, "jmhVersion"},
	[BENCHMARK] = {1, "benchmark"},
	[MODE] = {1, "mode"},
	[PRIMARY_METRIC] = {1, "primaryMetric"},
	[HOST_ENVIRONMENT_INFO] = {1, "HostEnvironmentInfo"},
	[DOTNET_BENCHMARKS] = {1, "Benchmarks"},
	[DOTNET_FULL_NAME] = {2, "FullName"},
	[SAMPLING_MODE] = {1, "sampling_mode"},
	[GROUP_ID] = {1, "group_id"},
	[FULL_ID] = {1, "full_id"},
	[MEDIAN_ABS_DEV] = {1, "median_abs_dev"},
	[STD_DEV] = {1, "std_dev"},
	[REASON] = {1, "reason"},
	[TYPICAL] = {1, "typical"},
	[NAME] = {1, "name"},
	[VALUE] = {1, "value"},
	[VALUES] = {1, "values"},
};

#define SEEN(word) (1ull << (word))

/* All words of a row: it is that format. */
static const struct {
	enum pe_suite_format format;
	uint64_t words;
} rules[] = {
	{PE_SUITE_GOOGLE_BENCHMARK, SEEN(CONTEXT) | SEEN(LIBRARY_BUILD_TYPE)},
	{PE_SUITE_GOOGLE_BENCHMARK, SEEN(CONTEXT) | SEEN(NUM_CPUS)},
	{PE_SUITE_GOOGLE_BENCHMARK, SEEN(BENCHMARKS) | SEEN(RUN_NAME)},
	{PE_SUITE_GOOGLE_BENCHMARK, SEEN(BENCHMARKS) | SEEN(REAL_TIME)},
	{PE_SUITE_PYTEST_BENCHMARK, SEEN(MACHINE_INFO) | SEEN(COMMIT_INFO)},
	{PE_SUITE_PYTEST_BENCHMARK, SEEN(BENCHMARKS) | SEEN(FULLNAME)},
	{PE_SUITE_PYPERF, SEEN(BENCHMARKS) | SEEN(RUNS)},
	{PE_SUITE_NANOBENCH, SEEN(RESULTS) | SEEN(MEDIAN_ELAPSED)},
	{PE_SUITE_HYPERFINE, SEEN(RESULTS) | SEEN(COMMAND)},
	{PE_SUITE_JMH, SEEN(ARRAY) | SEEN(JMH_VERSION)},
	{PE_SUITE_JMH, SEEN(ARRAY) | SEEN(BENCHMARK) | SEEN(MODE) | SEEN(PRIMARY_METRIC)},
	{PE_SUITE_BENCHMARKDOTNET, SEEN(HOST_ENVIRONMENT_INFO)},
	{PE_SUITE_BENCHMARKDOTNET, SEEN(DOTNET_BENCHMARKS) | SEEN(DOTNET_FULL_NAME)},
	{PE_SUITE_CRITERION_RS, SEEN(SAMPLING_MODE)},
	{PE_SUITE_CRITERION_RS, SEEN(GROUP_ID) | SEEN(FULL_ID)},
	{PE_SUITE_CRITERION_RS, SEEN(MEDIAN_ABS_DEV) | SEEN(STD_DEV)},
	{PE_SUITE_CRITERION_RS, SEEN(REASON) | SEEN(TYPICAL)},
	{PE_SUITE_LINES, SEEN(NAME) | SEEN(VALUE)},
	{PE_SUITE_LINES, SEEN(NAME) | SEEN(VALUES)},
};

/* The look at one document. */
struct look {
	uint64_t seen;
	unsigned level;
	size_t depth, open_arrays;
	/* objects in objects in an object, of which the innermost have values: so far, nothing else was seen */
	bool measures;
	bool has_value;
};

static enum pe_suite_format decide(const struct look *look)
{
	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++)
		if ((look->seen & rules[i].words) == rules[i].words)
			return rules[i].format;
	return PE_SUITE_AUTO;
}

static bool equals(const struct pe_json_token *token, const char *text)
{
	return token->n == strlen(text) && memcmp(token->text, text, token->n) == 0;
}

static void see_key(struct look *look, const struct pe_json_token *token)
{
	for (size_t i = 0; i < N_WORDS; i++)
		if (words[i].level == look->level && equals(token, words[i].key))
			look->seen |= SEEN(i);
	if (look->level != 3)
		return;
	look->has_value |= equals(token, "value");
	look->measures &= equals(token, "value") || equals(token, "lower_value") ||
			  equals(token, "upper_value");
}

static void see(struct look *look, const struct pe_json_token *token)
{
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
			look->seen |= SEEN(ARRAY);
		look->measures = false;
		break;
	case PE_JSON_ARRAY_END:
		look->depth--;
		break;
	case PE_JSON_KEY:
		see_key(look, token);
		break;
	default:
		look->measures &= look->level == 3;
	}
}

/* The format of the document at search->at; *end: where it ends, 0: it does not within what was looked at. */
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
		see(&look, &token);
		if (token.kind == PE_JSON_KEY)
			format = decide(&look);
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

/* Whether what stands here may be the beginning of a document: { and a key, or [ and an object. */
static bool may_begin(const char *at, const char *end)
{
	char open = *at++;

	if (open != '{' && open != '[')
		return false;
	while (at < end && is_blank(*at))
		at++;
	return at < end && (*at == (open == '{' ? '"' : '{'));
}

/* To the first byte of the next line that is no blank. */
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

	if (at == 0 && search->n >= 3 && memcmp(search->bytes, "\xef\xbb\xbf", 3) == 0)
		at = 3;
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
