/* Requests: what the launcher is asked is taken apart whole or refused, and what it opens for a command is a file. */
#include "core/base/arena.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "probe/launcher/confine.h"
#include "probe/launcher/request.h"
#include "probe/launcher/wire.h"
#include "tests/support/test.h"

#include <sys/socket.h>
#include <sys/un.h>

static struct pe_request request;

/* A run of so many arguments and variables, before the given bytes. */
static bool parse(uint32_t argc, uint32_t envc, const char *strings, size_t n)
{
	struct pe_wire_run run = {.argc = argc, .envc = envc, .outputs = 3};
	char *bytes = malloc(sizeof(run) + n);

	memcpy(bytes, &run, sizeof(run));
	memcpy(bytes + sizeof(run), strings, n);
	return pe_request_parse(&request, bytes, (uint32_t)(sizeof(run) + n));
}

Test(request, holds_what_it_says_or_is_refused)
{
	static const char whole[] = "/tree\0\0/place\0\0sh\0-c\0A=b\0TMPDIR=/x";
	static const struct {
		uint32_t argc, envc;
		size_t n;
		bool good;
	} cases[] = {
		{2, 2, sizeof(whole), true},
		{2, 1, sizeof(whole), true}, /* more than it says is not looked at */
		{2, 2, sizeof(whole) - 1, false},
		{3, 2, sizeof(whole), false},
		{2, 3, sizeof(whole), false},
		{0, 2, sizeof(whole), false},
		{2, 2, 6, false},
		{2, 2, 0, false},
		{UINT32_MAX, UINT32_MAX, sizeof(whole), false},
		{UINT32_MAX, 0, sizeof(whole), false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		bool good = parse(cases[i].argc, cases[i].envc, whole, cases[i].n);

		cr_expect(good == cases[i].good, "case %zu", i);
		pe_request_release(&request);
	}
	cr_expect(not(pe_request_parse(&request, calloc(1, 8), 8)), "no room for a head");
	pe_request_release(&request);
}

Test(request, its_strings_lie_in_the_payload)
{
	static const char whole[] = "/tree\0/input\0/place\0\0sh\0-c\0A=b\0TMPDIR=/x";

	cr_assert(parse(2, 2, whole, sizeof(whole)));
	cr_expect_text("0 0 0 0 -", strcmp(request.cwd, "/tree"), strcmp(request.input, "/input"),
		       strcmp(request.places[0], "/place"), strcmp(request.argv[1], "-c"),
		       request.argv[2]);
	pe_request_set_tmp(&request, "/own");
	cr_expect(eq(int, strcmp(request.env[1], "TMPDIR=/own"), 0), "in place of the other");
	cr_expect(eq(ptr, request.env[2], NULL));
	pe_request_release(&request);
}

Test(request, what_confines_holds_as_many_places_as_it_says)
{
	static const char places[] = "/root\0r/usr\0\0w/tree\0/tree";
	static const struct {
		uint32_t n;
		size_t bytes;
		bool good;
	} cases[] = {
		{2, sizeof(places), true},
		{1, sizeof(places), true},
		{3, sizeof(places), false},
		{2, sizeof(places) - 1, false},
		{0x80000000, sizeof(places), false}, /* twice as many strings are none in 32 bits */
		{0, 3, false},
	};
	char bytes[sizeof(struct pe_wire_confine) + sizeof(places)];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct pe_wire_confine head = {.n = cases[i].n};
		struct pe_confine_request parsed;
		bool good;

		memcpy(bytes, &head, sizeof(head));
		memcpy(bytes + sizeof(head), places, sizeof(places));
		good = pe_confine_parse(&parsed, bytes, (uint32_t)(sizeof(head) + cases[i].bytes));
		cr_expect(good == cases[i].good, "case %zu", i);
		if (good)
			free(parsed.places);
	}
}

/* --- What is opened --- */

static struct pe_arena arena;
static char dir[64];

static const char *path_of(const char *file)
{
	return pe_arena_printf(&arena, "%s/%s", dir, file);
}

static void make_folder(void)
{
	pe_auto_text text = PE_TEXT_INIT;

	strcpy(dir, "/tmp/perfevo-request-XXXXXX");
	cr_assert(ne(ptr, mkdtemp(dir), NULL));
	pe_text_add(&text, "three bytes and more");
	cr_assert(eq(int, pe_text_write_file(&text, path_of("file"), NULL), PE_OK));
}

static void remove_folder(void)
{
	cr_expect(eq(int, pe_files_remove(dir, NULL), PE_OK));
	pe_arena_release(&arena);
}

static int open_files[PE_WIRE_FILES], fds[PE_REQUEST_FDS];

static bool open_outputs(unsigned outputs)
{
	static const char strings[] = "/\0\0\0\0sh";
	struct pe_wire_run run = {.argc = 1, .outputs = outputs, .output_bytes = 4};
	char *bytes = calloc(1, sizeof(run) + sizeof(strings));

	memcpy(bytes, &run, sizeof(run));
	memcpy(bytes + sizeof(run), strings, sizeof(strings));
	cr_assert(pe_request_parse(&request, bytes, (uint32_t)(sizeof(run) + sizeof(strings))));
	return pe_request_open(&request, open_files, fds);
}

Test(request, outputs_are_the_files_that_came_along, .init = make_folder, .fini = remove_folder)
{
	for (int i = 0; i < PE_WIRE_FILES; i++)
		open_files[i] = -1;
	cr_expect(not(open_outputs(PE_WIRE_STDOUT)), "it said that one comes");
	pe_request_release(&request);
	open_files[0] = open(path_of("file"), O_RDWR | O_CLOEXEC);
	cr_assert(open_outputs(PE_WIRE_STDOUT | PE_WIRE_ONE_STREAM));
	cr_expect(eq(int, fds[1], fds[2]));
	cr_expect(eq(int, open_files[0], -1), "the request's now");
	cr_expect(pe_request_output_full(&request, fds), "more than 4 bytes");
	request.run.output_bytes = 1000;
	cr_expect(not(pe_request_output_full(&request, fds)));
	pe_request_close(fds);
	pe_request_release(&request);
}

/* --- Messages --- */

Test(wire, a_message_is_whole_or_refused)
{
	static const struct {
		uint32_t length;
		size_t packets[3]; /* bytes of each, the head included */
		bool good;
	} cases[] = {
		{0, {16}, true},
		{4, {20}, true},
		{40000, {16 + 32768, 7232}, true},
		{4, {12}, false},               /* shorter than a head */
		{4, {24}, false},               /* more than it says */
		{8, {20}, false},               /* less, and then the end */
		{PE_WIRE_MAX + 1, {20}, false}, /* more than anybody says */
	};
	static char bytes[40000];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct pe_wire_head head = {.kind = PE_WIRE_RUN, .length = cases[i].length};
		int ends[2], files[PE_WIRE_FILES];
		char *payload;

		cr_assert(eq(int, socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0));
		memcpy(bytes, &head, sizeof(head));
		for (size_t p = 0; p < 3 && cases[i].packets[p] > 0; p++)
			cr_assert(eq(sz, (size_t)send(ends[0], bytes, cases[i].packets[p], 0),
				     cases[i].packets[p]));
		close(ends[0]);
		cr_expect(pe_wire_receive(ends[1], &head, &payload, files) == cases[i].good,
			  "case %zu", i);
		cr_expect(eq(int, payload != NULL, cases[i].good && cases[i].length > 0));
		pe_wire_close(files);
		free(payload);
		close(ends[1]);
	}
}

Test(wire, what_is_said_arrives_unless_it_is_too_long_or_nobody_listens)
{
	int ends[2], files[PE_WIRE_FILES];
	struct pe_wire_head head;
	char said[300] = "why not", *payload;

	cr_assert(eq(int, socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0));
	cr_expect(pe_wire_send(ends[0], PE_WIRE_REFUSED, 7, said, 8));
	cr_expect(not(pe_wire_send(ends[0], PE_WIRE_REFUSED, 7, said, sizeof(said))));
	cr_assert(pe_wire_receive(ends[1], &head, &payload, files));
	cr_expect(eq(u64, head.run, 7));
	cr_expect(eq(int, strcmp(payload, "why not"), 0));
	free(payload);
	close(ends[1]);
	cr_expect(not(pe_wire_send(ends[0], PE_WIRE_REFUSED, 7, said, 8)));
	close(ends[0]);
}
