#include "core/base/arena.h"
#include "core/base/base64.h"
#include "core/base/err.h"
#include "core/base/hash.h"
#include "tests/support/random.h"
#include "core/base/text.h"
#include "core/base/utf8.h"
#include "core/base/vec.h"
#include "core/base/xxh.h"
#include "tests/support/test.h"

Test(arena, objects_are_zeroed_aligned_and_apart)
{
	struct pe_arena arena = PE_ARENA_INIT;
	unsigned char *last = NULL;

	for (size_t n = 0; n < 3000; n++) {
		unsigned char *object = pe_arena_new(&arena, unsigned char, n);

		cr_assert(eq(sz, (size_t)((uintptr_t)object % _Alignof(max_align_t)), 0));
		for (size_t i = 0; i < n; i++)
			cr_assert(object[i] == 0);
		memset(object, 0xff, n);
		cr_assert(object != last || n <= 1);
		last = object;
	}
	pe_arena_release(&arena);
	pe_arena_release(&arena);
}

Test(arena, large_objects_leave_the_current_block_in_use)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	char *small = pe_arena_strdup(&arena, "small");
	char *large = pe_arena_new(&arena, char, 1 << 20);
	char *next = pe_arena_strdup(&arena, "next");

	large[(1 << 20) - 1] = 'x';
	cr_expect(eq(str, small, (char *)"small"));
	cr_expect(next > small && next < small + 64 * 1024);
}

Test(text, grows_and_stays_terminated)
{
	pe_auto_text text = PE_TEXT_INIT;

	cr_expect(eq(str, (char *)pe_text_str(&text), (char *)""));
	for (int i = 0; i < 10000; i++)
		pe_text_addf(&text, "%d,", i);
	pe_text_addc(&text, '!');
	cr_expect(eq(sz, strlen(text.data), text.len));
	cr_expect(eq(int, strncmp(text.data, "0,1,2,", 6), 0));
	cr_expect(eq(chr, text.data[text.len - 1], '!'));
}

Test(text, a_file_is_written_whole_or_not_at_all)
{
	pe_auto_text text = PE_TEXT_INIT, back = PE_TEXT_INIT;
	struct pe_err err = PE_ERR_INIT;
	char path[] = "/tmp/pe-text-XXXXXX";
	int fd = mkstemp(path);

	cr_assert(fd >= 0);
	close(fd);
	pe_text_addn(&text, "a\0b", 3);
	cr_assert(eq(int, pe_text_write_file(&text, path, &err), PE_OK));
	cr_assert(eq(int, pe_text_read_file(&back, path, &err), PE_OK));
	cr_expect(eq(sz, back.len, 3));
	cr_expect(eq(int, memcmp(back.data, "a\0b", 3), 0));
	cr_expect_fails(pe_text_write_file(&text, "/nowhere/at/all", &err), PE_ESYS, err.message,
			"/nowhere/at/all: No such file");
	cr_expect(eq(int, pe_text_read_file(&back, "/nowhere", &err), PE_ENOTFOUND));
	unlink(path);
}

Test(err, a_noun_goes_before_the_sentence_and_long_ones_are_cut)
{
	struct pe_err err = PE_ERR_INIT;
	char noun[2000];

	pe_err_context(&err, "nothing");
	cr_expect(eq(str, err.message, (char *)""));
	cr_expect(eq(int, pe_fail(&err, PE_EINVALID, "bad %d", 7), PE_EINVALID));
	pe_err_context(&err, "file %s", "x");
	cr_expect(eq(str, err.message, (char *)"file x: bad 7"));
	memset(noun, 'n', sizeof(noun) - 1);
	noun[sizeof(noun) - 1] = '\0';
	pe_err_context(&err, "%s", noun);
	cr_expect(eq(sz, strlen(err.message), sizeof(err.message) - 1));
	errno = ENOSPC;
	cr_expect(eq(int, pe_fail_errno(&err, "write"), PE_EFULL));
}

/* Fowler, Noll and Vo's published values of 128-bit FNV-1a for "" and "a". */
Test(hash, is_fnv_1a)
{
	struct pe_hash hash;
	char hex[PE_HASH_HEX];

	pe_hash_init(&hash);
	pe_hash_hex(&hash, hex);
	cr_expect(eq(str, hex, (char *)"6c62272e07bb014262b821756295c58d"));
	pe_hash_bytes(&hash, "a", 1);
	pe_hash_hex(&hash, hex);
	cr_expect(eq(str, hex, (char *)"d228cb696f1a8caf78912b704e4a8964"));
}

Test(hash, strings_do_not_run_together)
{
	struct pe_hash a, b;

	pe_hash_init(&a);
	pe_hash_string(&a, "ab");
	pe_hash_string(&a, "c");
	pe_hash_init(&b);
	pe_hash_string(&b, "a");
	pe_hash_string(&b, "bc");
	cr_expect(a.high != b.high || a.low != b.low);
	pe_hash_init(&a);
	pe_hash_string(&a, NULL);
	pe_hash_init(&b);
	pe_hash_string(&b, "");
	cr_expect(a.high != b.high || a.low != b.low);
}

Test(random, a_seed_gives_one_sequence_and_bounds_hold)
{
	struct pe_random a, b;
	size_t seen[10] = {0};

	pe_random_seed(&a, 42);
	pe_random_seed(&b, 42);
	for (int i = 0; i < 1000; i++)
		cr_assert(eq(u64, pe_random_next(&a), pe_random_next(&b)));
	for (int i = 0; i < 100000; i++)
		seen[pe_random_below(&a, 10)]++;
	for (int i = 0; i < 10; i++) /* 10,000 expected; deviation 95 */
		cr_expect(seen[i] > 9500 && seen[i] < 10500);
}

Test(random, normal_deviates_have_mean_0_and_deviation_1)
{
	struct pe_random random = random_of(1);
	double sum = 0, squares = 0;
	enum { N = 100000 };

	for (int i = 0; i < N; i++) {
		double z = pe_random_normal(&random);

		sum += z;
		squares += z * z;
	}
	cr_expect(fabs(sum / N) < 0.02);
	cr_expect(fabs(squares / N - 1) < 0.03);
}

Test(random, a_shuffle_is_a_permutation_and_favours_no_place)
{
	struct pe_random random = random_of(3);
	size_t first[5] = {0};

	for (int k = 0; k < 50000; k++) {
		size_t items[5] = {0, 1, 2, 3, 4};
		size_t sum = 0;

		pe_random_shuffle(&random, items, 5);
		for (int i = 0; i < 5; i++)
			sum += (size_t)1 << items[i];
		cr_assert(eq(sz, sum, 31));
		first[items[0]]++;
	}
	for (int i = 0; i < 5; i++)
		cr_expect(first[i] > 9500 && first[i] < 10500);
}

Test(base64, every_byte_sequence_has_one_form)
{
	const struct {
		const char *bytes, *digits;
	} cases[] = {
		{"", ""}, {"f", "Zg=="}, {"fo", "Zm8="}, {"foo", "Zm9v"}, {"foob", "Zm9vYg=="}};
	const char *const bad[] = {"Zg",   "Zg=",      "Zh==",   "Zm9=", "====", "=Zg=",
				   "Z g=", "Zg==Zg==", "Zm9v\n", "Zm-v", "Z"};
	uint8_t out[16];
	size_t n;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct pe_text text = PE_TEXT_INIT;

		pe_base64_add(&text, cases[i].bytes, strlen(cases[i].bytes));
		cr_expect_str_eq(pe_text_str(&text), cases[i].digits);
		cr_expect(pe_base64_read(out, &n, pe_text_str(&text), text.len));
		cr_expect(eq(sz, n, strlen(cases[i].bytes)));
		cr_expect(memcmp(out, cases[i].bytes, n) == 0);
		pe_text_release(&text);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		cr_expect_not(pe_base64_read(out, &n, bad[i], strlen(bad[i])), "%s", bad[i]);
}

Test(xxh, pieces_count_and_its_text_is_marked)
{
	struct pe_xxh a, b;
	char text[PE_XXH_TEXT], other[PE_XXH_TEXT];

	pe_xxh_init(&a);
	pe_xxh_init(&b);
	pe_xxh_string(&a, "ab");
	pe_xxh_string(&a, "c");
	pe_xxh_string(&b, "a");
	pe_xxh_string(&b, "bc");
	cr_expect(a.high != b.high && a.low != b.low);
	pe_xxh_init(&a);
	pe_xxh_init(&b);
	pe_xxh_string(&a, NULL);
	pe_xxh_string(&b, "");
	cr_expect(a.high != b.high && a.low != b.low);
	pe_xxh_write(&a, text);
	pe_xxh_write(&b, other);
	cr_expect(eq(sz, strlen(text), PE_XXH_TEXT - 1));
	cr_expect(eq(int, strncmp(text, PE_XXH_MARK, strlen(PE_XXH_MARK)), 0));
	cr_expect(ne(int, strcmp(text, other), 0));
	/* Stored ones are compared with those of later builds of perfevo: the function must stay what it is. */
	pe_xxh_init(&a);
	pe_xxh_bytes(&a, "perfevo", 7);
	pe_xxh_number(&a, 5);
	pe_xxh_write(&a, text);
	cr_expect_str_eq(text, "x3:d19aeee1a501b537fe599e2c44277d37");
}

/* What names and logs of others may not do to a terminal is shown instead. */
Test(utf8, what_controls_a_terminal_is_shown)
{
	static const struct {
		const char *text, *keep, *visible;
	} cases[] = {
		{"plain \xc3\xa4\xe2\x82\xac", "", "plain \xc3\xa4\xe2\x82\xac"},
		{"a\x1b[31mb\a", "", "a\\u001b[31mb\\u0007"},
		{"a\nb\tc\rd", "", "a\\nb\\tc\\rd"},
		{"a\nb\tc\rd", "\t", "a\\nb\tc\\rd"},
		{"\x7f\xc2\x9b\xe2\x80\xae", "\t", "\\u007f\\u009b\\u202e"},
		{"\xff"
		 "a\xed\xa0\x80",
		 "",
		 "\xef\xbf\xbd"
		 "a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct pe_text out = PE_TEXT_INIT;

		pe_utf8_add_visible(&out, cases[i].text, cases[i].keep);
		cr_expect(eq(str, (char *)pe_text_str(&out), (char *)cases[i].visible));
		pe_text_release(&out);
	}
}

Test(utf8, words_are_whole_and_printable)
{
	cr_expect(pe_utf8_is_words("caf\xc3\xa9 \xe2\x88\x9e"));
	cr_expect(not(pe_utf8_is_words("caf\xc3")));
	cr_expect(not(pe_utf8_is_words("a\x1b[m")));
}

Test(utf8, the_line_of_an_error_is_found)
{
	static const char *const cases[][2] = {
		{"checking for strerror... yes\ncc -Werror -c json_error.c\na.c:3:1: error: no\nx",
		 "a.c:3:1: error: no\nx"},
		{"ld: in main: undefined reference to `f'\nerror: ld returned 1",
		 "ld: in main: undefined reference to `f'\nerror: ld returned 1"},
		{"[ 5%] Building C object error.c.o\nmake: *** [x] Error 2",
		 "make: *** [x] Error 2"},
		{"\nSyntaxError: no", "SyntaxError: no"},
		{"error", "error"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		cr_expect_str_eq(pe_utf8_error_line(cases[i][0]), cases[i][1]);
	cr_expect_null(pe_utf8_error_line("0 errors\n100% tests passed"));
}

Test(utf8, logs_are_indented_line_by_line)
{
	pe_auto_text out = PE_TEXT_INIT;

	pe_utf8_add_log(&out, "\n\x1b]0;title\a\n\n\tcc -c x.c");
	cr_expect(eq(str, (char *)pe_text_str(&out),
		     (char *)"\n    \\u001b]0;title\\u0007\n\n    \tcc -c x.c\n"));
}
