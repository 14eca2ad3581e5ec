/*
 * Catch2: -r xml of 2.9 to 3 (reporters/catch_reporter_xml.cpp). It has the mean of a benchmark's samples, in
 * nanoseconds, and no sample: the mean is the one value of this process. The start tag of BenchmarkResults is written
 * before the benchmark runs, so a file cut short names the running one.
 *
 * A name is TEST CASE/SECTION/.../BENCHMARK; the filter of Catch2 matches test cases alone, which are the selector.
 */
#include "suites/suite_internal.h"

#include <expat.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct state {
	struct pe_suite_reader *reader;
	XML_Parser parser;
	struct pe_text path;    /* names of open elements, each after a slash */
	PE_VEC(size_t) lengths; /* of the path before each of them */
	struct pe_text test, benchmark, fatal;
	double samples, iterations;
	unsigned depth;
	bool in_benchmark, in_fatal, ended;
	struct pe_suite_draft *draft;
};

static const char *attribute(const char **attributes, const char *name)
{
	for (; *attributes != NULL; attributes += 2)
		if (strcmp(attributes[0], name) == 0)
			return attributes[1];
	return "";
}

static double number(const char **attributes, const char *name)
{
	const char *text = attribute(attributes, name);
	char *end;
	double value = strtod(text, &end);

	return end != text && *end == '\0' ? value : NAN;
}

static void enter(struct state *state, const char *name)
{
	pe_vec_push(&state->lengths, state->path.len);
	if (state->path.len > 0)
		pe_text_addc(&state->path, '/');
	/* Limit the path: with nested sections, its total length would be quadratic. */
	if (state->path.len <= PE_SUITE_MAX_NAME)
		pe_text_add(&state->path, name);
}

static void leave(struct state *state)
{
	state->path.len = state->lengths.data[--state->lengths.n];
	if (state->path.data != NULL)
		state->path.data[state->path.len] = '\0';
}

static void begin_benchmark(struct state *state, const char **attributes)
{
	enter(state, attribute(attributes, "name"));
	pe_text_clear(&state->benchmark);
	pe_text_clear(&state->fatal);
	pe_text_add(&state->benchmark, pe_text_str(&state->path));
	state->in_benchmark = true;
	state->draft = NULL;
	state->iterations = number(attributes, "iterations");
}

static struct pe_suite_draft *draft_of(struct state *state)
{
	struct pe_suite_name name = {.name = pe_text_str(&state->benchmark),
				     .selector = pe_text_str(&state->test)};

	if (state->draft == NULL)
		state->draft = pe_suite_draft(state->reader, &name, PE_SUITE_EACH);
	return state->draft;
}

static void take_mean(struct state *state, const char **attributes)
{
	struct pe_suite_draft *draft = draft_of(state);

	if (draft == NULL)
		return;
	pe_suite_value(state->reader, draft, &pe_suite_wall, number(attributes, "value"));
	pe_suite_iterations(draft, state->iterations);
}

static void fail(struct state *state, const char *message)
{
	struct pe_suite_draft *draft = draft_of(state);

	if (draft != NULL)
		pe_suite_failed(state->reader, draft, PE_SUITE_FAILED, message);
}

static void XMLCALL on_start(void *self, const char *name, const char **attributes)
{
	struct state *state = self;

	if (++state->depth > PE_SUITE_MAX_DEPTH) {
		XML_StopParser(state->parser, XML_FALSE);
		return;
	}
	if (strcmp(name, "Catch2TestRun") == 0)
		state->reader->out->version = pe_arena_strdup(
			state->reader->arena, attribute(attributes, "catch2-version"));
	if (strcmp(name, "TestCase") == 0) {
		pe_text_clear(&state->test);
		pe_text_add(&state->test, attribute(attributes, "name"));
		enter(state, attribute(attributes, "name"));
	} else if (strcmp(name, "Section") == 0) {
		enter(state, attribute(attributes, "name"));
	} else if (strcmp(name, "BenchmarkResults") == 0) {
		begin_benchmark(state, attributes);
	} else if (state->in_benchmark && strcmp(name, "mean") == 0) {
		take_mean(state, attributes);
	} else if (state->in_benchmark && strcmp(name, "failed") == 0) {
		fail(state, attribute(attributes, "message"));
	} else if (state->in_benchmark && strcmp(name, "FatalErrorCondition") == 0) {
		state->in_fatal = true;
	}
}

/* End a fatal error. Its text is on lines of its own, indented. */
static void end_fatal(struct state *state)
{
	const char *at = pe_text_str(&state->fatal);
	const char *end = at + state->fatal.len;
	pe_auto_text message = PE_TEXT_INIT;

	at += strspn(at, " \t\r\n");
	while (end > at && strchr(" \t\r\n", end[-1]) != NULL)
		end--;
	pe_text_addn(&message, at, (size_t)(end - at));
	fail(state, pe_text_str(&message));
	pe_suite_cut(state->reader, pe_text_str(&state->test));
	state->in_fatal = false;
}

static void XMLCALL on_end(void *self, const char *name)
{
	struct state *state = self;

	state->depth--;
	if (strcmp(name, "BenchmarkResults") == 0)
		state->in_benchmark = false;
	if (strcmp(name, "TestCase") == 0 || strcmp(name, "Section") == 0 ||
	    strcmp(name, "BenchmarkResults") == 0)
		leave(state);
	else if (state->in_fatal && strcmp(name, "FatalErrorCondition") == 0)
		end_fatal(state);
	state->ended = state->depth == 0;
	if (state->ended)
		XML_StopParser(state->parser, XML_FALSE);
}

static void XMLCALL on_text(void *self, const char *text, int n)
{
	struct state *state = self;

	if (state->in_fatal && state->fatal.len < PE_SUITE_MAX_NAME)
		pe_text_addn(&state->fatal, text, (size_t)n);
}

/* Stop at a document type: Catch2 writes none, and one could define entities that grow. */
static void XMLCALL on_doctype(void *self, const char *name, const char *system, const char *pub,
			       int internal)
{
	struct state *state = self;

	(void)name, (void)system, (void)pub, (void)internal;
	XML_StopParser(state->parser, XML_FALSE);
}

/*
 * Parse from a byte on; returns the end of the document or of its readable part. expat gets all bytes at once: of a token in
 * pieces it would scan the beginning again with each piece (CVE-2023-52425).
 */
static size_t parse(struct state *state, size_t begin)
{
	struct pe_suite_reader *reader = state->reader;
	size_t n = reader->n - begin < INT_MAX / 2 ? reader->n - begin : INT_MAX / 2;

	XML_SetUserData(state->parser, state);
	XML_SetElementHandler(state->parser, on_start, on_end);
	XML_SetCharacterDataHandler(state->parser, on_text);
	XML_SetStartDoctypeDeclHandler(state->parser, on_doctype);
	if (XML_Parse(state->parser, reader->bytes + begin, (int)n, 0) == XML_STATUS_OK)
		return reader->n;
	return begin + (size_t)XML_GetCurrentByteIndex(state->parser);
}

static void note_end(struct state *state, size_t at)
{
	struct pe_suite_reader *reader = state->reader;
	const char *said = XML_ErrorString(XML_GetErrorCode(state->parser));

	if (!reader->out->cut_short)
		pe_suite_cut(reader, state->in_benchmark ? pe_text_str(&state->test) : NULL);
	if (at < reader->n)
		pe_suite_note(reader, PE_SUITE_NOTE_DAMAGED, "byte %zu: %s", at,
			      said != NULL ? said : "no XML of Catch2");
}

static size_t read_document(struct pe_suite_reader *reader, size_t begin)
{
	struct state state = {.reader = reader, .parser = XML_ParserCreate(NULL)};
	size_t end;

	if (state.parser == NULL)
		pe_out_of_memory(sizeof(state));
	reader->found++;
	end = parse(&state, begin);
	if (!state.ended)
		note_end(&state, end);
	XML_ParserFree(state.parser);
	pe_vec_release(&state.lengths);
	pe_text_release(&state.path);
	pe_text_release(&state.test);
	pe_text_release(&state.benchmark);
	pe_text_release(&state.fatal);
	return end;
}

size_t pe_suite_find_catch2(const char *bytes, size_t n, size_t from)
{
	static const char *const roots[] = {"<Catch2TestRun", "<Catch "};
	const char *at = bytes + from, *end = bytes + n;

	for (; (at = memchr(at, '<', (size_t)(end - at))) != NULL; at++)
		for (size_t i = 0; i < sizeof(roots) / sizeof(*roots); i++) {
			size_t len = strlen(roots[i]);

			if ((size_t)(end - at) >= len && memcmp(at, roots[i], len) == 0)
				return (size_t)(at - bytes);
		}
	return SIZE_MAX;
}

void pe_suite_read_catch2(struct pe_suite_reader *reader)
{
	size_t at = 0;

	while (at < reader->n &&
	       (at = pe_suite_find_catch2(reader->bytes, reader->n, at)) != SIZE_MAX) {
		size_t end = read_document(reader, at);

		reader->document++;
		reader->process++;
		at = end > at ? end : at + 1;
	}
}
