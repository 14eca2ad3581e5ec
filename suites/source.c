/*
 * What stands between two places that are no JSON is supplied as it is, uncopied. A bare word becomes a string as long as
 * it is, which no reader takes for a number; a control character becomes its escape, and the places behind it are shifted.
 */
#include "suites/document.h"

#include <stdio.h>
#include <string.h>

/* Longer pieces only fill the cache: the stream parses 16 KiB at a time. */
enum { LONGEST_PIECE = 64 * 1024 };

/* Bytes outside of strings that need a look: they begin a string or, as it may be, a bare word. */
static const bool needs_look[256] = {
	['"'] = true, ['N'] = true, ['n'] = true, ['I'] = true,
	['i'] = true, ['-'] = true, ['+'] = true,
};

static bool is_word(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '+' || c == '-' ||
	       c == '.' || (c >= '0' && c <= '9');
}

/* The length of a word that means a number which is none: [+-]nan, [+-]inf, [+-]Infinity; 0: it is no such word. */
static size_t bare_word(const char *at, size_t n)
{
	static const char *const words[] = {"nan", "infinity", "inf"};
	size_t sign = n > 0 && (*at == '-' || *at == '+');

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		size_t len = strlen(words[i]), k = 0;

		while (k < len && sign + k < n && (at[sign + k] | 0x20) == words[i][k])
			k++;
		if (k == len && (sign + k == n || !is_word((unsigned char)at[sign + k])))
			return sign + k;
	}
	return 0;
}

static void put_in_word(struct pe_suite_source *source, size_t n)
{
	memset(source->put_in, ' ', n);
	source->put_in[0] = source->put_in[n - 1] = '"';
	source->at += n;
}

static size_t put_in_escape(struct pe_suite_source *source)
{
	int n = snprintf(source->put_in, sizeof(source->put_in), "\\u%04x",
			 (unsigned char)source->bytes[source->at++]);
	uint64_t by = source->shifts.n > 0 ? source->shifts.data[source->shifts.n - 1].by : 0;
	struct pe_suite_shift shift = {source->supplied + (uint64_t)n, by + (uint64_t)n - 1};

	pe_vec_push(&source->shifts, shift);
	return (size_t)n;
}

/* Pass over a string's bytes to its end, an escape's second byte, or a control character. */
static size_t pass_string(struct pe_suite_source *source, size_t at, size_t end)
{
	for (; at < end; at++) {
		unsigned char c = (unsigned char)source->bytes[at];

		if (source->after_backslash) {
			source->after_backslash = false;
		} else if (c == '\\') {
			source->after_backslash = true;
		} else if (c == '"') {
			source->in_string = false;
			return at + 1;
		}
		/* A string ends with its line, or what is wrong at one place is wrong for all that follows. */
		if (c < 0x20 && c != '\n' && c != '\r')
			return at;
	}
	return at;
}

static int supply(const char **bytes, size_t *n, void *payload, struct pe_err *err)
{
	struct pe_suite_source *source = payload;
	size_t begin = source->at, at = begin,
	       end = source->n - begin < source->piece ? source->n : begin + source->piece;
	size_t word = 0;

	(void)err;
	if (source->piece < LONGEST_PIECE)
		source->piece *= 2;
	*bytes = source->put_in;
	if (source->in_string && at < end && (unsigned char)source->bytes[at] < 0x20 &&
	    source->bytes[at] != '\n' && source->bytes[at] != '\r') {
		source->after_backslash = false;
		*n = put_in_escape(source);
		source->supplied += *n;
		return PE_OK;
	}
	while (at < end) {
		unsigned char c = (unsigned char)source->bytes[at];

		if (source->in_string) {
			at = pass_string(source, at, end);
			if (source->in_string)
				break;
			continue;
		}
		at++;
		if (!needs_look[c])
			continue;
		source->in_string = c == '"';
		if (source->in_string)
			continue;
		word = bare_word(source->bytes + at - 1, source->n - at + 1);
		if (word > 0) {
			at--;
			break;
		}
	}
	if (at == begin && word > 0) {
		put_in_word(source, word);
		*n = word;
	} else {
		*bytes = source->bytes + begin;
		*n = at - begin;
		source->at = at;
	}
	source->supplied += *n;
	return PE_OK;
}

void pe_suite_source_open(struct pe_suite_source *source, const char *bytes, size_t begin,
			  size_t end, size_t piece)
{
	*source = (struct pe_suite_source){
		.bytes = bytes, .n = end, .at = begin, .begin = begin, .piece = piece};
	source->json = pe_json_stream_new("JSON", 0, supply, source);
}

void pe_suite_source_close(struct pe_suite_source *source)
{
	pe_json_stream_free(source->json);
	pe_vec_release(&source->shifts);
}

size_t pe_suite_source_place(const struct pe_suite_source *source, uint64_t offset)
{
	size_t low = 0, high = source->shifts.n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (source->shifts.data[mid].at <= offset)
			low = mid + 1;
		else
			high = mid;
	}
	return source->begin + (size_t)(offset - (low > 0 ? source->shifts.data[low - 1].by : 0));
}
