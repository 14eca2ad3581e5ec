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
		cr_expect(strncmp(entry->d_name, ".perfevo-", 9) != 0, "%s", entry->d_name);
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

Test(outfile, writes_to_what_links_end_at)
{
	cr_assert(mkdir("deep", 0777) == 0);
	put("deep/target", "old");
	cr_assert(symlink("deep/target", "a") == 0 && symlink("a", "b") == 0);
	cr_assert(symlink("deep/nothing-yet", "c") == 0);
	write_to("b", "new");
	write_to("c", "made");
	cr_expect(kind_of("a") == 'l' && kind_of("b") == 'l' && kind_of("c") == 'l');
	expect("deep/target", "new");
	expect("deep/nothing-yet", "made");
	cr_assert(unlink("deep/target") == 0 && unlink("deep/nothing-yet") == 0);
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

Test(outfile, a_loop_of_links_a_folder_and_a_fifo_that_nobody_reads_are_failures)
{
	struct pe_err err = PE_ERR_INIT;

	cr_assert(symlink("loop", "loop") == 0 && mkdir("dir", 0777) == 0 &&
		  mkfifo("fifo", 0666) == 0);
	cr_expect(eq(int, try("loop", "x", &err), PE_ESYS));
	cr_expect_fails(try("dir", "x", &err), PE_ESYS, err.message,
			"cannot write dir: Is a directory");
	cr_expect(eq(int, try("nowhere/", "x", &err), PE_ESYS));
	cr_expect(eq(int, try("", "x", &err), PE_ESYS));
	cr_expect_fails(try("fifo", "x", &err), PE_ESYS, err.message, "nothing reads from it");
	cr_expect(kind_of("fifo") == 'p');
}

Test(outfile, a_fifo_and_an_open_descriptor_are_written_in_place)
{
	char got[16] = "", name[32];
	int fifo, file;

	cr_assert(mkfifo("fifo", 0666) == 0);
	fifo = open("fifo", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	write_to("fifo", "through");
	cr_expect(read(fifo, got, sizeof(got) - 1) == 7);
	cr_expect(eq(str, got, (char *)"through"));
	cr_expect(kind_of("fifo") == 'p');
	close(fifo);

	file = open("unlinked", O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	cr_assert(file >= 0 && unlink("unlinked") == 0);
	snprintf(name, sizeof(name), "/dev/fd/%d", file);
	write_to(name, "kept");
	cr_expect(pread(file, got, sizeof(got) - 1, 0) == 4 && memcmp(got, "kept", 4) == 0);
	close(file);
}

/* As root, the rule in containers, a rename would take the device away from everybody. */
Test(outfile, a_device_stays_one)
{
	struct pe_err err = PE_ERR_INIT;

	if (mknod("null", S_IFCHR | 0666, makedev(1, 3)) < 0 || access("null", W_OK) < 0)
		return;
	write_to("null", "gone");
	cr_expect(kind_of("null") == 'c');
	cr_assert(symlink("null", "link") == 0);
	write_to("link", "gone");
	cr_expect(kind_of("null") == 'c' && kind_of("link") == 'l');
	cr_assert(mknod("full", S_IFCHR | 0666, makedev(1, 7)) == 0);
	cr_expect(eq(int, try("full", "x", &err), PE_EFULL));
	cr_expect(kind_of("full") == 'c');
}

Test(outfile, standard_output_is_a_dash_and_dev_stdout_wherever_it_leads)
{
	int saved = dup(STDOUT_FILENO);
	int file = open("redirected", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	ino_t before = of("redirected").st_ino;

	cr_assert(dup2(file, STDOUT_FILENO) == STDOUT_FILENO && write(file, "before ", 7) == 7);
	write_to("-", "dash ");
	write_to("/dev/stdout", "device ");
	write_to("redirected", "name ");
	cr_assert(write(STDOUT_FILENO, "after", 5) == 5);
	dup2(saved, STDOUT_FILENO);
	close(saved);
	close(file);
	expect("redirected", "before dash device name after");
	cr_expect(of("redirected").st_ino == before);
	cr_expect(access("-", F_OK) < 0);
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
