/* mknod(2). */
#define _DEFAULT_SOURCE
#include "core/base/outfile.h"

#include "tests/support/test.h"

#include <dirent.h>
#include <sys/sysmacros.h>

/* Each test has a folder, and works in it. */
static char folder[] = "/tmp/pe-outfile-XXXXXX";

static void enter(void)
{
	cr_assert(mkdtemp(folder) != NULL && chdir(folder) == 0);
	umask(022);
}

static void leave(void)
{
	DIR *dir = opendir(".");
	struct dirent *entry;

	while (dir != NULL && (entry = readdir(dir)) != NULL) {
		/* Nothing unfinished may be left. */
		cr_expect(strstr(entry->d_name, ".part") == NULL, "%s", entry->d_name);
		if (unlink(entry->d_name) < 0)
			rmdir(entry->d_name);
	}
	closedir(dir);
	cr_assert(chdir("/") == 0);
	rmdir(folder);
}

TestSuite(outfile, .init = enter, .fini = leave);

static void put(const char *path, const char *content)
{
	FILE *file = fopen(path, "we");

	cr_assert(file != NULL && fputs(content, file) >= 0 && fclose(file) == 0, "%s", path);
}

static void expect(const char *path, const char *content)
{
	pe_auto_text text = PE_TEXT_INIT;

	cr_expect(eq(int, pe_text_read_file(&text, path, NULL), PE_OK), "%s", path);
	cr_expect(eq(str, (char *)pe_text_str(&text), (char *)content), "%s", path);
}

static int try(const char *path, const char *content, struct pe_err *err)
{
	pe_auto_text text = PE_TEXT_INIT;
	int rc;

	pe_text_add(&text, content);
	rc = pe_outfile_write_file(&text, path, err);
	return rc;
}

static void write_to(const char *path, const char *content)
{
	struct pe_err err = PE_ERR_INIT;

	cr_assert_ok(try(path, content, &err), err.message);
}

static struct stat of(const char *path)
{
	struct stat st;

	cr_assert(lstat(path, &st) == 0, "%s", path);
	return st;
}

/* As ls(1) shows it. */
static char kind_of(const char *path)
{
	mode_t mode = of(path).st_mode;

	return S_ISREG(mode)    ? '-'
	       : S_ISLNK(mode)  ? 'l'
	       : S_ISFIFO(mode) ? 'p'
	       : S_ISCHR(mode)  ? 'c'
				: '?';
}

Test(outfile, makes_a_file_with_the_users_mask_and_replaces_it_as_a_whole)
{
	ino_t first;

	umask(027);
	write_to("new", "one");
	expect("new", "one");
	cr_expect(eq(int, of("new").st_mode & 07777, 0640));
	first = of("new").st_ino;
	cr_assert(link("new", "old") == 0);
	write_to("new", "two");
	expect("new", "two");
	expect("old", "one");
	cr_expect(of("new").st_ino != first);
}

Test(outfile, keeps_mode_and_owner)
{
	bool given;

	put("private", "old");
	cr_assert(chmod("private", 0600) == 0);
	/* A namespace may have no second user. */
	given = geteuid() == 0 && chown("private", 65534, 65533) == 0;
	write_to("private", "new");
	cr_expect(eq(int, of("private").st_mode & 07777, 0600));
	if (given) {
		cr_expect(eq(int, (int)of("private").st_uid, 65534));
		cr_expect(eq(int, (int)of("private").st_gid, 65533));
	}
	expect("private", "new");
}

Test(outfile, a_file_of_its_own_replaces_a_link_and_leaves_where_it_led)
{
	pe_auto_text text = PE_TEXT_INIT;

	put("victim", "precious");
	cr_assert(symlink("victim", "manifest") == 0);
	pe_text_add(&text, "mine");
	cr_assert(eq(int, pe_text_write_file(&text, "manifest", NULL), PE_OK));
	cr_expect(kind_of("manifest") == '-');
	cr_assert(mkfifo("fifo", 0666) == 0);
	cr_expect(eq(int, pe_text_write_file(&text, "fifo", NULL), PE_ESYS));
	cr_expect(kind_of("fifo") == 'p');
	expect("manifest", "mine");
	expect("victim", "precious");
}

Test(outfile, a_loop_of_links_a_folder_and_no_name_are_failures)
{
	struct pe_err err = PE_ERR_INIT;

	cr_assert(symlink("loop", "loop") == 0 && mkdir("dir", 0777) == 0);
	cr_expect(eq(int, try("loop", "x", &err), PE_ESYS));
	cr_expect_fails(try("dir", "x", &err), PE_ESYS, err.message,
			"cannot write dir: Is a directory");
	cr_expect(eq(int, try("nowhere/", "x", &err), PE_ESYS));
	cr_expect(eq(int, try("", "x", &err), PE_ESYS));
}

Test(outfile, what_fails_half_way_leaves_the_old_file_and_nothing_else)
{
	struct pe_outfile out;

	put("file", "old");
	cr_assert(eq(int, pe_outfile_open(&out, "file", NULL), PE_OK));
	cr_assert(eq(int, pe_outfile_write(&out, "half", 4, NULL), PE_OK));
	expect("file", "old");
	cr_expect(eq(int, pe_outfile_close(&out, PE_ESTORE, NULL), PE_ESTORE));
	expect("file", "old");
}
