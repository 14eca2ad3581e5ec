/* Parcels (core/base/parcel.h): what comes out is what went in, and nothing that a parcel says leads out of its folder. */
#include "core/base/parcel.h"

#include "core/base/arena.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "tests/support/test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[64];
static struct pe_arena arena = PE_ARENA_INIT;

static const char *at(const char *path)
{
	return pe_arena_printf(&arena, "%s/%s", root, path);
}

static void set_up(void)
{
	strcpy(root, "/tmp/pe-parcel-XXXXXX");
	cr_assert(mkdtemp(root) != NULL);
	cr_assert(eq(int, mkdir(at("from"), 0700), 0));
	cr_assert(eq(int, mkdir(at("to"), 0700), 0));
}

static void tear_down(void)
{
	pe_files_remove(root, NULL);
	pe_arena_release(&arena);
}

TestSuite(parcel, .init = set_up, .fini = tear_down, .timeout = 600);

static void put(const char *path, const char *bytes, size_t n, mode_t mode)
{
	const struct timespec times[2] = {{.tv_sec = 5}, {.tv_sec = 1234567890, .tv_nsec = 7}};
	int fd = open(at(path), O_WRONLY | O_CREAT | O_EXCL, 0600);

	cr_assert(fd >= 0);
	cr_assert(eq(sz, (size_t)write(fd, bytes, n), n));
	cr_assert(eq(int, fchmod(fd, mode), 0));
	cr_assert(eq(int, futimens(fd, times), 0));
	close(fd);
}

static int pack(const struct pe_parcel_bounds *bounds, struct pe_err *err)
{
	int dir = open(at("from"), O_RDONLY | O_DIRECTORY);
	int out = open(at("parcel"), O_WRONLY | O_CREAT | O_TRUNC, 0600);
	int rc = pe_parcel_pack(out, dir, bounds, err);

	close(out);
	close(dir);
	return rc;
}

static int unpack(uint64_t most_bytes)
{
	int in = open(at("parcel"), O_RDONLY), dir, rc;

	pe_files_remove(at("to"), NULL);
	cr_assert(eq(int, mkdir(at("to"), 0700), 0));
	dir = open(at("to"), O_RDONLY | O_DIRECTORY);
	rc = pe_parcel_unpack(dir, in, most_bytes, NULL);
	close(in);
	close(dir);
	return rc;
}

static const struct pe_parcel_bounds ANY = {.most_bytes = 1 << 20};

Test(parcel, what_comes_out_is_what_went_in)
{
	pe_auto_text big = PE_TEXT_INIT, found = PE_TEXT_INIT;
	char target[16] = "";
	struct stat st;

	while (big.len < 300000)
		pe_text_addf(&big, "%zu,", big.len);
	put("from/tool", "#!/bin/sh\n", 10, 0755);
	cr_assert(eq(int, mkdir(at("from/dir"), 0700), 0));
	cr_assert(eq(int, mkdir(at("from/empty"), 0755), 0));
	put("from/dir/big", big.data, big.len, 0444);
	put("from/dir/none", "", 0, 0600);
	cr_assert(eq(int, symlink("dir/big", at("from/link")), 0));
	cr_assert(eq(int, chmod(at("from/dir"), 0555), 0));
	cr_assert(eq(int, pack(&ANY, NULL), PE_OK));
	cr_assert(eq(int, unpack(1 << 20), PE_OK));
	cr_assert(eq(int, pe_text_read_file(&found, at("to/dir/big"), NULL), PE_OK));
	cr_expect(found.len == big.len && memcmp(found.data, big.data, big.len) == 0);
	cr_assert(eq(int, stat(at("to/tool"), &st), 0));
	cr_expect(eq(uint, st.st_mode & 07777, 0755));
	cr_expect(st.st_mtim.tv_sec == 1234567890 && st.st_mtim.tv_nsec == 7);
	cr_assert(eq(int, stat(at("to/dir"), &st), 0));
	cr_expect(eq(uint, st.st_mode & 07777, 0555));
	cr_expect(stat(at("to/empty"), &st) == 0 && S_ISDIR(st.st_mode));
	cr_expect(stat(at("to/dir/none"), &st) == 0 && st.st_size == 0);
	cr_expect(readlink(at("to/link"), target, sizeof(target) - 1) == 7 &&
		  strcmp(target, "dir/big") == 0);
	cr_expect(eq(int, unpack(big.len), PE_EINVALID), "more than it may have");
}

Test(parcel, what_is_unwanted_is_found_wherever_it_lies)
{
	static char bytes[(256 << 10) + 64];
	const struct pe_parcel_bounds bounds = {.unwanted = "/slots/0001", .most_bytes = 1 << 20};
	struct pe_err err = PE_ERR_INIT;

	for (int shift = 0; shift < 12; shift++) {
		memset(bytes, '.', sizeof(bytes));
		memcpy(bytes + (256 << 10) - shift, "/slots/0001", 11);
		put("from/file", bytes, sizeof(bytes), 0600);
		cr_expect(eq(int, pack(&bounds, &err), PE_EUNSUPPORTED), "%d", shift);
		cr_expect(strstr(err.message, "file names the folder") != NULL, "%s", err.message);
		cr_expect(eq(int, pack(&ANY, NULL), PE_OK));
		unlink(at("from/file"));
	}
	put("from/file", "/slots/0002", 11, 0600);
	cr_expect(eq(int, pack(&bounds, NULL), PE_OK));
	cr_assert(eq(int, symlink("/x/slots/0001/y", at("from/link")), 0));
	cr_expect(eq(int, pack(&bounds, NULL), PE_EUNSUPPORTED));
	unlink(at("from/link"));
	cr_assert(eq(int, mkfifo(at("from/fifo"), 0600), 0));
	cr_expect(eq(int, pack(&bounds, NULL), PE_EUNSUPPORTED));
	unlink(at("from/fifo"));
	cr_expect(
		eq(int, pack(&(struct pe_parcel_bounds){.most_bytes = 10}, NULL), PE_EUNSUPPORTED));
}

Test(parcel, a_part_of_one_is_none)
{
	pe_auto_text whole = PE_TEXT_INIT;

	cr_assert(eq(int, mkdir(at("from/dir"), 0700), 0));
	put("from/dir/file", "content", 7, 0600);
	cr_assert(eq(int, symlink("x", at("from/link")), 0));
	cr_assert(eq(int, pack(&ANY, NULL), PE_OK));
	cr_assert(eq(int, pe_text_read_file(&whole, at("parcel"), NULL), PE_OK));
	for (size_t n = 0; n < whole.len; n++) {
		struct pe_text part = {.data = whole.data, .len = n};

		cr_assert(eq(int, pe_text_write_file(&part, at("parcel"), NULL), PE_OK));
		cr_expect(eq(int, unpack(1 << 20), PE_EINVALID), "%zu bytes of %zu", n, whole.len);
	}
	pe_text_addc(&whole, 'x');
	cr_assert(eq(int, pe_text_write_file(&whole, at("parcel"), NULL), PE_OK));
	cr_expect(eq(int, unpack(1 << 20), PE_EINVALID), "more than one");
}

/* Each between the head and the end; a line's end is a NUL. */
static const char *const hostile[] = {
	"f 644 0 1 ../out\nx",
	"f 644 0 1 ./x\nx",
	"f 644 0 1 /tmp/pe-parcel-out\nx",
	"f 644 0 1 a//b\nx",
	"d 755 0 0 a\nf 644 0 1 a/\nx",
	"d 755 0 0 a\nf 644 0 1 a/../../out\nx",
	"l 777 0 2 a\n..f 644 0 1 a/out\nx",
	"l 777 0 2 a\n..d 755 0 0 a\n",
	"f 644 0 1 a\nxf 644 0 1 a\nx",
	"l 777 0 6 a\n../outf 644 0 1 a\nx",
	"f 644 0 18446744073709551615 a\nx",
	"f 644 0 -1 a\nx",
	"l 777 0 0 a\n",
	"l 777 0 99999 a\nx",
	"d 755 0 1 a\nx",
	"p 644 0 0 a\n",
	"f 644 0 1 missing/a\nx",
	"f 644 0 1\nx",
	"f 644 1 a\nx",
	"\n",
};

Test(parcel, nothing_that_it_says_leads_out)
{
	struct stat st;

	for (size_t i = 0; i < sizeof(hostile) / sizeof(*hostile); i++) {
		pe_auto_text text = PE_TEXT_INIT;

		pe_text_add(&text, "perfevo parcel 1\n");
		for (const char *c = hostile[i]; *c != '\0'; c++)
			pe_text_addc(&text, *c == '\n' ? '\0' : *c);
		pe_text_addn(&text, "end", 4);
		cr_assert(eq(int, pe_text_write_file(&text, at("parcel"), NULL), PE_OK));
		cr_expect(eq(int, unpack(1 << 20), PE_EINVALID), "%s", hostile[i]);
		cr_expect(ne(int, lstat(at("out"), &st), 0), "%s", hostile[i]);
	}
}
