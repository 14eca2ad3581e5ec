/* Input: the same lines from a file, memory and gzip, whatever their length and their ends. */
#include "analysis/profile/input.h"

#include "core/base/text.h"
#include "tests/support/test.h"

#include <zlib.h>

static struct pe_text bytes, packed, joined;
static struct pe_err err;

TestSuiteWith(input, (void)0,
	      (pe_text_release(&bytes), pe_text_release(&packed), pe_text_release(&joined)),
	      .timeout = 600);

static void add_gzip(struct pe_text *out, const char *data, size_t n)
{
	size_t room = n + 1000;
	unsigned char *to = malloc(room);
	z_stream stream = {0};

	cr_assert(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
	stream.next_in = (unsigned char *)data;
	stream.avail_in = (uInt)n;
	stream.next_out = to;
	stream.avail_out = (uInt)room;
	cr_assert(deflate(&stream, Z_FINISH) == Z_STREAM_END);
	pe_text_addn(out, (char *)to, room - stream.avail_out);
	deflateEnd(&stream);
	free(to);
}

static struct pe_input *open_bytes(const void *data, size_t n)
{
	struct pe_input *input = NULL;

	cr_assert_ok(pe_input_open_bytes(&input, data, n, "x", &err), err.message);
	return input;
}

/* Every line, each followed by '|'; closes the input. */
static const char *join_lines(struct pe_input *input)
{
	char *line;
	size_t n;

	pe_text_clear(&joined);
	for (;;) {
		cr_assert_ok(pe_input_line(input, &line, &n, &err), err.message);
		if (line == NULL)
			break;
		cr_assert(line[n] == '\0');
		pe_text_addn(&joined, line, n);
		pe_text_addc(&joined, '|');
	}
	pe_input_close(input);
	return pe_text_str(&joined);
}

Test(input, lines_end_with_or_without_carriage_returns_and_at_the_end)
{
	static const char text[] = "one\r\ntwo\n\nfour\r";

	cr_expect_str_eq(join_lines(open_bytes(text, strlen(text))), "one|two||four|");
	cr_expect_str_eq(join_lines(open_bytes("a\n", 2)), "a|");
	cr_expect_str_eq(join_lines(open_bytes("", 0)), "");
}

Test(input, offsets_and_line_numbers_are_those_of_the_text)
{
	struct pe_input *input = open_bytes("one\r\ntwo\nthree", 14);
	uint64_t offsets[] = {0, 5, 9}, after[] = {5, 9, 14};
	char *line;
	size_t n;

	for (uint64_t i = 0; i < 3; i++) {
		cr_assert(eq(int, pe_input_line(input, &line, &n, &err), PE_OK));
		cr_expect(eq(u64, pe_input_at(input)->line_number, i + 1));
		cr_expect(eq(u64, pe_input_at(input)->line_offset, offsets[i]));
		cr_expect(eq(u64, pe_input_at(input)->offset, after[i]));
	}
	pe_input_close(input);
}

Test(input, lines_longer_than_the_buffer_stay_whole)
{
	for (int i = 0; i < 3; i++) {
		for (int k = 0; k < 300000; k++)
			pe_text_addc(&bytes, (char)('a' + (k + i) % 26));
		pe_text_addc(&bytes, '\n');
	}
	add_gzip(&packed, bytes.data, bytes.len);
	join_lines(open_bytes(bytes.data, bytes.len));
	for (size_t i = 0; i < joined.len; i++)
		if (joined.data[i] == '|')
			joined.data[i] = '\n';
	cr_expect(eq(sz, joined.len, bytes.len));
	cr_expect(memcmp(joined.data, bytes.data, bytes.len) == 0);
	join_lines(open_bytes(packed.data, packed.len));
	cr_expect(eq(sz, joined.len, bytes.len));
}

Test(input, gzip_members_that_follow_each_other_are_one_text)
{
	add_gzip(&packed, "one\ntw", 6);
	add_gzip(&packed, "o\nthree", 7);
	pe_text_addn(&packed, "\0\0\0\0", 4);
	cr_expect_str_eq(join_lines(open_bytes(packed.data, packed.len)), "one|two|three|");
}

static int first_failure(const void *data, size_t n)
{
	struct pe_input *input;
	char *line = NULL;
	size_t length;
	int rc = pe_input_open_bytes(&input, data, n, "x", &err);

	while (rc == PE_OK && (rc = pe_input_line(input, &line, &length, &err)) == PE_OK)
		if (line == NULL)
			break;
	pe_input_close(input);
	return rc;
}

Test(input, every_cut_of_a_gzip_file_is_an_error_with_its_offset)
{
	static const char text[] = "one\ntwo\nthree\nfour\nfive\n";
	char place[64];

	add_gzip(&packed, text, strlen(text));
	cr_expect(eq(int, first_failure(packed.data, packed.len), PE_OK));
	for (size_t n = 2; n < packed.len; n++) {
		cr_expect(eq(int, first_failure(packed.data, n), PE_EINVALID));
		snprintf(place, sizeof(place), "x: offset %zu: ", n);
		cr_expect(strncmp(err.message, place, strlen(place)) == 0, "%s", err.message);
	}
}

Test(input, gzip_that_becomes_too_large_is_refused)
{
	char *zeros = calloc(1, 96 << 20);

	add_gzip(&packed, zeros, 96 << 20);
	free(zeros);
	cr_expect_fails(first_failure(packed.data, packed.len), PE_EINVALID, err.message,
			"more than 200 times as large");
}

Test(input, bytes_after_the_end_of_gzip_are_left_out_as_gzip_does)
{
	add_gzip(&packed, "one\ntwo\n", 8);
	pe_text_addn(&packed, "\0junk", 5);
	cr_expect_str_eq(join_lines(open_bytes(packed.data, packed.len)), "one|two|");
}

Test(input, broken_gzip_is_an_error)
{
	add_gzip(&packed, "one\ntwo\n", 8);
	packed.data[12] ^= 0x55;
	cr_expect_fails(first_failure(packed.data, packed.len), PE_EINVALID, err.message,
			"broken compression");
}

Test(input, a_look_ahead_takes_nothing)
{
	struct pe_input *input;
	const char *seen;
	size_t n;

	for (int i = 0; i < 900000; i++)
		pe_text_addc(&bytes, (char)('a' + i % 26));
	input = open_bytes(bytes.data, bytes.len);
	cr_assert(eq(int, pe_input_peek(input, 10, &seen, &n, &err), PE_OK));
	cr_expect(n >= 10 && memcmp(seen, bytes.data, 10) == 0);
	cr_assert(eq(int, pe_input_peek(input, 800000, &seen, &n, &err), PE_OK));
	cr_expect(n >= 800000 && memcmp(seen, bytes.data, n) == 0);
	pe_input_take(input, 800000);
	cr_assert(eq(int, pe_input_peek(input, 1000000, &seen, &n, &err), PE_OK));
	cr_expect(eq(sz, n, 100000));
	cr_expect(memcmp(seen, bytes.data + 800000, n) == 0);
	cr_expect(eq(u64, pe_input_at(input)->offset, 800000));
	pe_input_close(input);
}

Test(input, what_cannot_be_read_is_named)
{
	struct pe_input *input;

	cr_expect_fails(pe_input_open(&input, "no/such/file", &err), PE_ENOTFOUND, err.message,
			"no/such/file");
	cr_expect(eq(int, pe_input_open(&input, ".", &err), PE_EINVALID));
	pe_input_close(NULL);
}

Test(input, standard_input_is_a_file_too)
{
	struct pe_input *input;
	int ends[2];

	cr_assert(pipe(ends) == 0);
	cr_assert(write(ends[1], "one\ntwo", 7) == 7);
	close(ends[1]);
	cr_assert(dup2(ends[0], STDIN_FILENO) == STDIN_FILENO);
	close(ends[0]);
	cr_assert(eq(int, pe_input_open(&input, "-", &err), PE_OK));
	cr_expect_str_eq(pe_input_at(input)->name, "standard input");
	cr_expect_str_eq(join_lines(input), "one|two|");
}

Test(input, fifo_that_nobody_writes_to_is_empty)
{
	char path[] = "/tmp/perfevo-input-XXXXXX";
	struct pe_input *input = NULL;
	int rc;

	cr_assert_not_null(mkdtemp(path));
	cr_assert_eq(chdir(path), 0);
	cr_assert_eq(mkfifo("fifo", 0600), 0);
	rc = pe_input_open(&input, "fifo", &err);
	unlink("fifo");
	rmdir(path);
	cr_assert_ok(rc, err.message);
	cr_expect_str_eq(join_lines(input), "");
}
