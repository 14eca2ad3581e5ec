/* Made profiles in formats that have a beginning and an end. */
#include "bench/import_made.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t draw(struct pe_random *random)
{
	return (uint32_t)pe_random_below(random, CONTEXTS);
}

static size_t put_children(uint32_t node)
{
	size_t bytes = (size_t)printf(",\"children\":[");
	bool any = false;

	for (uint32_t i = 0; i < CONTEXTS; i++) {
		bool is_child = node == 0 ? contexts[i].depth == 1
					  : contexts[i].depth > 1 && contexts[i].parent == node - 1;

		if (is_child)
			bytes += (size_t)printf("%s%" PRIu32, any ? "," : "", i + 2);
		any = any || is_child;
	}
	return bytes + (size_t)printf("]}");
}

/* Node 1 is the root, node i + 2 is context i. Samples stay at a place for a while, as real ones do. */
static void make_cpuprofile(uint64_t bytes_left, struct pe_random *random)
{
	uint64_t bytes = 0, samples = 0;
	uint32_t at = 0;

	bytes += (size_t)printf("{\"nodes\":[{\"id\":1,\"callFrame\":{\"functionName\":\"(root)\","
				"\"scriptId\":\"0\",\"url\":\"\",\"lineNumber\":-1}");
	bytes += put_children(0);
	for (uint32_t i = 0; i < CONTEXTS; i++) {
		uint32_t function = contexts[i].function;

		bytes += (size_t)printf(
			",{\"id\":%" PRIu32 ",\"callFrame\":{\"functionName\":\"%s\",\"scriptId\":"
			"\"%" PRIu32 "\",\"url\":\"file:///src/part%" PRIu32
			".js\",\"lineNumber\":%" PRIu32 ",\"columnNumber\":4},\"hitCount\":1",
			i + 2, names[function], function / 20, function / 20, function % 20 * 30);
		bytes += put_children(i + 1);
	}
	printf("],\"startTime\":1000,\"endTime\":2000,\"samples\":[2");
	for (samples = 1; bytes + samples * 4 < bytes_left; samples++) {
		if (pe_random_below(random, 4) == 0)
			at = draw(random);
		bytes += (size_t)printf(",%" PRIu32, at + 2);
	}
	printf("],\"timeDeltas\":[100");
	for (uint64_t i = 1; i < samples; i++)
		printf(",%" PRIu64, 90 + pe_random_below(random, 60));
	printf("]}\n");
}

static size_t put_events(uint32_t context, uint64_t *now_us, bool *any)
{
	uint32_t path[DEEPEST + 2], n = path_of(context, path);
	size_t bytes = 0;

	for (uint32_t i = 0; i < n; i++) {
		bytes += (size_t)printf(
			"%s{\"args\":{\"data\":{\"frame\":\"0x1\",\"lineNumber\":%" PRIu32
			",\"url\":\"file:///src/part%" PRIu32
			".js\"}},\"cat\":\"devtools.timeline\",\"dur\":%" PRIu32
			",\"name\":\"%s\",\"ph\":\"X\",\"pid\":4321,\"tid\":%d,\"ts\":%" PRIu64 "}",
			*any ? ",\n" : "", path[i] % 20 * 30, path[i] / 20, 2 * (n - i),
			names[path[i]], 4321, *now_us + i);
		*any = true;
	}
	*now_us += 2 * n + 3;
	return bytes;
}

static void make_chrome(uint64_t bytes_left, struct pe_random *random)
{
	uint64_t bytes = 0, now_us = 12512565519;
	bool any = false;

	printf("{\"traceEvents\":[\n");
	while (bytes < bytes_left)
		bytes += put_events(draw(random), &now_us, &any);
	printf("\n]}\n");
}

static void make_speedscope(uint64_t bytes_left, struct pe_random *random)
{
	uint64_t bytes = 0, samples = 0;

	printf("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
	       "\"shared\":{\"frames\":[");
	for (uint32_t i = 0; i < FUNCTIONS; i++)
		printf("%s{\"name\":\"%s\",\"file\":\"src/part%" PRIu32 ".cc\",\"line\":%" PRIu32
		       "}",
		       i > 0 ? "," : "", names[i], i / 20, i % 20 * 30 + 1);
	printf("]},\"profiles\":[{\"type\":\"sampled\",\"name\":\"main\",\"unit\":\"milliseconds\","
	       "\"startValue\":0,\"endValue\":1000,\"samples\":[");
	for (; bytes + samples * 5 < bytes_left; samples++) {
		uint32_t path[DEEPEST + 2], n = path_of(draw(random), path);

		bytes += (size_t)printf("%s[", samples > 0 ? "," : "");
		for (uint32_t i = 0; i < n; i++)
			bytes += (size_t)printf("%s%" PRIu32, i > 0 ? "," : "", path[i]);
		bytes += (size_t)printf("]");
	}
	printf("],\"weights\":[0.25");
	for (uint64_t i = 1; i < samples; i++)
		printf(",%" PRIu64 ".25", pe_random_below(random, 10));
	printf("]}]}\n");
}

/* --- pprof's wire format --- */

struct bytes {
	unsigned char data[1024];
	size_t n;
};

static void add_varint(struct bytes *bytes, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		bytes->data[bytes->n++] = (unsigned char)(value | 0x80);
	bytes->data[bytes->n++] = (unsigned char)value;
}

static void add_number(struct bytes *bytes, unsigned field, uint64_t value)
{
	add_varint(bytes, field << 3);
	add_varint(bytes, value);
}

static size_t put_bytes(unsigned field, const void *data, size_t n)
{
	struct bytes head = {.n = 0};

	add_varint(&head, field << 3 | 2);
	add_varint(&head, n);
	fwrite(head.data, 1, head.n, stdout);
	fwrite(data, 1, n, stdout);
	return head.n + n;
}

static void add_bytes(struct bytes *to, unsigned field, const struct bytes *from)
{
	add_varint(to, field << 3 | 2);
	add_varint(to, from->n);
	memcpy(to->data + to->n, from->data, from->n);
	to->n += from->n;
}

static size_t put_sample(uint32_t context, uint64_t value)
{
	uint32_t path[DEEPEST + 2], n = path_of(context, path);
	struct bytes message = {.n = 0}, list = {.n = 0};

	for (uint32_t i = n; i > 0; i--)
		add_varint(&list, path[i - 1] + 1);
	add_bytes(&message, 1, &list);
	list.n = 0;
	add_varint(&list, 1);
	add_varint(&list, value);
	add_bytes(&message, 2, &list);
	return put_bytes(2, message.data, message.n);
}

static void put_pair(unsigned field, uint64_t first, uint64_t second)
{
	struct bytes message = {.n = 0};

	add_number(&message, 1, first);
	add_number(&message, 2, second);
	put_bytes(field, message.data, message.n);
}

static void make_pprof(uint64_t bytes_left, struct pe_random *random)
{
	static const char *const strings[] = {"", "samples", "count", "cpu", "nanoseconds"};
	uint64_t bytes = 0;

	put_pair(1, 1, 2);
	put_pair(1, 3, 4);
	while (bytes < bytes_left)
		bytes += put_sample(draw(random), 10000000);
	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		struct bytes message = {.n = 0}, line = {.n = 0};

		add_number(&line, 1, i + 1);
		add_number(&line, 2, i % 20 * 30 + 7);
		add_number(&message, 1, i + 1);
		add_bytes(&message, 4, &line);
		put_bytes(4, message.data, message.n);
		put_pair(5, i + 1, i + 5);
	}
	for (size_t i = 0; i < sizeof(strings) / sizeof(*strings); i++)
		put_bytes(6, strings[i], strlen(strings[i]));
	for (uint32_t i = 0; i < FUNCTIONS; i++)
		put_bytes(6, names[i], strlen(names[i]));
}

bool make_structured(const char *format, uint64_t megabytes, struct pe_random *random)
{
	static const struct {
		const char *name;
		void (*make)(uint64_t bytes, struct pe_random *random);
	} formats[] = {{"cpuprofile", make_cpuprofile},
		       {"chrome", make_chrome},
		       {"speedscope", make_speedscope},
		       {"pprof", make_pprof}};

	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
		if (strcmp(format, formats[i].name) == 0) {
			formats[i].make(megabytes * 1000000, random);
			return true;
		}
	return false;
}
