#include "core/base/file_list.h"

#include "tests/support/test.h"

static struct pe_arena arena = PE_ARENA_INIT;

TestSuiteWith(file_list, (void)0, pe_arena_release(&arena));

static struct pe_file_list two_files(void)
{
	struct pe_file_list list = {.taken_ns = 5000000000};

	pe_vec_push(&list.files, (struct pe_listed_file){.path = "lib/b\n c",
							 .mode = 0100755,
							 .size = UINT64_MAX,
							 .inode = 7,
							 .ctime_ns = -1,
							 .id = "-"});
	pe_vec_push(&list.files,
		    (struct pe_listed_file){.path = "a", .ctime_ns = 4000000001, .id = "abc"});
	pe_file_list_sort(&list);
	return list;
}

static bool parse(struct pe_file_list *out, const char *bytes, size_t n)
{
	pe_auto_text text = PE_TEXT_INIT;

	pe_text_addn(&text, bytes, n);
	return pe_file_list_parse(out, &text, "of the test", &arena);
}

Test(file_list, is_read_as_it_was_written)
{
	struct pe_file_list list = two_files(), again;
	pe_auto_text text = PE_TEXT_INIT;

	pe_file_list_write(&text, &list, "of the test");
	cr_assert(parse(&again, text.data, text.len));
	cr_assert(eq(sz, again.files.n, 2));
	cr_expect(again.taken_ns == list.taken_ns);
	cr_expect(!again.of_another_boot);
	for (size_t i = 0; i < 2; i++) {
		cr_expect(pe_listed_file_equal(&again.files.data[i], &list.files.data[i]));
		cr_expect(strcmp(again.files.data[i].path, list.files.data[i].path) == 0);
		cr_expect(strcmp(again.files.data[i].id, list.files.data[i].id) == 0);
	}
	cr_expect(pe_file_list_find(&again, "lib/b\n c") == &again.files.data[1]);
	cr_expect(pe_file_list_find(&again, "lib") == NULL);
	pe_vec_release(&again.files);
	pe_vec_release(&list.files);
}

Test(file_list, is_none_where_it_was_cut_off_or_has_another_title)
{
	struct pe_file_list list = two_files(), again;
	pe_auto_text text = PE_TEXT_INIT, other = PE_TEXT_INIT;

	pe_file_list_write(&text, &list, "of the test");
	for (size_t n = 0; n < text.len; n++)
		cr_expect(!parse(&again, text.data, n), "%zu bytes", n);
	pe_file_list_write(&other, &list, "of the tests");
	cr_expect(!parse(&again, other.data, other.len));
	/* Not sorted. */
	list.files.data[0].path = "z";
	pe_text_clear(&text);
	pe_file_list_write(&text, &list, "of the test");
	cr_expect(!parse(&again, text.data, text.len));
	pe_vec_release(&list.files);
}

Test(file_list, says_what_its_stat_data_cannot_prove)
{
	struct pe_file_list list = {.taken_ns = 5000000000};
	struct pe_listed_file file = {.ctime_ns = 4970000000};

	cr_expect(!pe_file_list_is_unsure(&list, &file));
	file.ctime_ns = 4990000000;
	cr_expect(pe_file_list_is_unsure(&list, &file));
	/* A file system that counts in seconds. */
	file.ctime_ns = 4000000000;
	cr_expect(pe_file_list_is_unsure(&list, &file));
	file.ctime_ns = 3000000000;
	cr_expect(!pe_file_list_is_unsure(&list, &file));
	list.of_another_boot = true;
	cr_expect(pe_file_list_is_unsure(&list, &file));
}
