/* Gather: the folder that Criterion.rs leaves, with what older runs left in it. */
#include "suites/gather.h"

#include "core/base/files.h"
#include "reading.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];

static void open_folder(void)
{
	strcpy(folder, "/tmp/pe-gather-XXXXXX");
	cr_assert_not_null(mkdtemp(folder));
}

static void remove_folder(void)
{
	pe_files_remove(folder, NULL);
}

TestSuite(gather, .init = open_folder, .fini = remove_folder, .timeout = 600);

/* A benchmark as Criterion.rs leaves it, of a time. */
static void leave(const char *id, const char *which, const char *time)
{
	pe_auto_text text = PE_TEXT_INIT;
	struct pe_err err = PE_ERR_INIT;
	char path[256];

	snprintf(path, sizeof(path), "%s/%s/%s", folder, id, which);
	cr_assert_ok(pe_files_make_dir(path, &err), err.message);
	pe_text_addf(&text, "{\"group_id\":\"%s\",\"full_id\":\"%s\",\"value_str\":null}", id, id);
	snprintf(path, sizeof(path), "%s/%s/%s/benchmark.json", folder, id, which);
	cr_assert_ok(pe_text_write_file(&text, path, &err), err.message);
	pe_text_clear(&text);
	pe_text_addf(&text, "{\"sampling_mode\":\"Flat\",\"iters\":[2.0],\"times\":[%s]}", time);
	snprintf(path, sizeof(path), "%s/%s/%s/sample.json", folder, id, which);
	cr_assert_ok(pe_text_write_file(&text, path, &err), err.message);
}

Test(gather, takes_what_this_run_left)
{
	pe_auto_text text = PE_TEXT_INIT;
	struct pe_err err = PE_ERR_INIT;

	leave("sort/fast", "new", "90");
	leave("sort/gone", "new", "80");
	cr_assert_ok(pe_suite_gather_clear("/tmp", folder, &err), err.message);
	leave("sort/fast", "new", "40");
	leave("sort/fast", "base", "60");
	leave("parse", "new", "20");
	cr_assert_ok(pe_suite_gather(&text, "/tmp", folder, &err), err.message);
	{
		auto_reading read = reading_of(text.data, text.len, PE_SUITE_AUTO);

		cr_assert(eq(sz, read.out.n_entries, 2));
		cr_expect(TEXT(read.out.entries[0].id, "parse"));
		cr_expect(eq(dbl, reading_value(&read, "sort/fast", "wall"), 20));
		cr_expect(eq(sz, reading_find(&read, "sort/fast")->metrics[0].n_values, 1));
	}
}

Test(gather, says_that_there_is_nothing)
{
	pe_auto_text text = PE_TEXT_INIT;
	struct pe_err err = PE_ERR_INIT;

	cr_expect(eq(int, pe_suite_gather(&text, "/tmp", "/tmp/pe-no/criterion", &err),
		     PE_ENOTFOUND));
	leave("sort", "new", "40");
	cr_assert_ok(pe_suite_gather_clear("/tmp", folder, &err), err.message);
	cr_expect_fails(pe_suite_gather(&text, "/tmp", folder, &err), PE_ENOTFOUND, err.message,
			"no results of this run");
}

Test(gather, follows_no_link)
{
	pe_auto_text text = PE_TEXT_INIT;
	struct pe_err err = PE_ERR_INIT;
	char path[256];

	leave("sort", "new", "40");
	snprintf(path, sizeof(path), "%s/sort/new/benchmark.json", folder);
	cr_assert(eq(int, unlink(path), 0));
	cr_assert(eq(int, symlink("/etc/hostname", path), 0));
	cr_expect(ne(int, pe_suite_gather(&text, "/tmp", folder, &err), 0));
	cr_expect_has(err.message, "benchmark.json");
	snprintf(path, sizeof(path), "%s/link", folder);
	cr_assert(eq(int, symlink("sort", path), 0));
	cr_expect(ne(int, pe_suite_gather_clear("/tmp", path, &err), 0));
	snprintf(path, sizeof(path), "%s/sort/new/sample.json", folder);
	cr_expect(eq(int, access(path, F_OK), 0));
}
