#include "vcs/manifest.h"

#include "core/base/clock.h"
#include "core/base/files.h"
#include "core/base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * The first line is "perfevo manifest 3 <boot> <revision> <surroundings> <rows>"; each row is a struct stored as it lies in
 * memory, for the manifest never leaves its machine, and the path with a NUL.
 *
 * Neither the files nor the manifest are synced: a sync a commit costs more than to write the files once more after the
 * machine went down, which can leave a file of the right size and time without its bytes. So a manifest counts until the
 * next boot.
 */
static const char header[] = "perfevo manifest 3";

struct stored {
	uint64_t attributes, size, inode;
	int64_t mtime_ns, ctime_ns;
	uint32_t mode, pointer;
	unsigned char id[GIT_OID_RAWSZ];
	uint32_t reserved; /* 0 */
};

/* Where the manifest of a folder lies: an open folder, and a name in it. Close and free them. */
struct beside {
	int dir; /* -1 with errno */
	char *name;
	char *spare; /* what a manifest is called while it is none */
};

static struct beside open_beside(const struct pe_fill_spec *spec)
{
	struct pe_text path = PE_TEXT_INIT, name = PE_TEXT_INIT, spare = PE_TEXT_INIT;
	char *plain = pe_vcs_strdup_dir(spec->dir), *slash = strrchr(plain, '/');
	struct beside beside;

	pe_text_addf(&name, "%s.manifest", slash != NULL ? slash + 1 : plain);
	pe_text_addn(&path, plain, slash != NULL ? (size_t)(slash - plain) : 0);
	if (path.len == 0)
		pe_text_add(&path, slash != NULL ? "/" : ".");
	beside.dir = pe_files_open_below(spec->trusted, path.data, false);
	beside.name = name.data;
	pe_text_addf(&spare, ".%.200s.part", name.data);
	beside.spare = spare.data;
	pe_text_release(&path);
	free(plain);
	return beside;
}

static void close_beside(struct beside *beside)
{
	if (beside->dir >= 0)
		close(beside->dir);
	free(beside->name);
	free(beside->spare);
}

static int64_t nanoseconds(const struct timespec *time)
{
	return (int64_t)time->tv_sec * 1000000000 + time->tv_nsec;
}

static bool parse_row(struct pe_row *row, const char **at, const char *end)
{
	struct stored stored;
	const char *nul;

	if (end - *at < (ptrdiff_t)sizeof(stored))
		return false;
	memcpy(&stored, *at, sizeof(stored));
	*at += sizeof(stored);
	nul = memchr(*at, '\0', (size_t)(end - *at));
	if (nul == NULL || nul == *at)
		return false;
	*row = (struct pe_row){.path = *at,
			       .mode = stored.mode,
			       .pointer = stored.pointer != 0,
			       .attributes = stored.attributes,
			       .size = stored.size,
			       .inode = stored.inode,
			       .mtime_ns = stored.mtime_ns,
			       .ctime_ns = stored.ctime_ns};
	git_oid_fromraw(&row->id, stored.id);
	*at = nul + 1;
	return true;
}

static bool parse_manifest(struct pe_tree *tree, const char *text, size_t n, const char *first_line)
{
	size_t head = strlen(first_line), count;
	const char *at = text + head, *end = text + n;
	char *stop;
	struct pe_row row;

	if (n < head + 2 || memcmp(text, first_line, head) != 0)
		return false;
	count = strtoull(at, &stop, 10);
	if (stop == at || *stop != '\n')
		return false;
	at = stop + 1;
	while (at < end) {
		if (!parse_row(&row, &at, end) ||
		    (tree->rows.n != 0 &&
		     strcmp(tree->rows.data[tree->rows.n - 1].path, row.path) >= 0))
			return false;
		pe_vec_push(&tree->rows, row);
	}
	return tree->rows.n == count;
}

bool pe_manifest_load(struct pe_manifest *manifest, const struct pe_fill_spec *spec,
		      const char *surroundings)
{
	struct beside beside = open_beside(spec);
	struct pe_text text = PE_TEXT_INIT;
	char first_line[200], boot[PE_BOOT_ID];
	struct stat st;
	bool good = false;

	memset(manifest, 0, sizeof(*manifest));
	pe_clock_boot(boot);
	snprintf(first_line, sizeof(first_line), "%s %s %s %s ", header, boot, spec->have,
		 surroundings);
	if (beside.dir >= 0 && fstatat(beside.dir, beside.name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    pe_files_read_at(&text, beside.dir, beside.name) == 0) {
		/* Rows borrow their paths from the text, which therefore lives as long as they do. */
		char *bytes = (char *)pe_arena_alloc(&manifest->tree.arena, text.len + 1, 1);

		memcpy(bytes, pe_text_str(&text), text.len);
		good = parse_manifest(&manifest->tree, bytes, text.len, first_line);
		manifest->written_ns = nanoseconds(&st.st_mtim);
		/* Its name came after its bytes. */
		manifest->dates_folders = fstat(beside.dir, &st) == 0 &&
					  nanoseconds(&st.st_mtim) >= manifest->written_ns;
	}
	if (!good)
		pe_tree_release(&manifest->tree);
	pe_text_release(&text);
	close_beside(&beside);
	return good;
}

static void add_row(struct pe_text *text, const struct pe_row *row)
{
	struct stored stored = {.attributes = row->attributes,
				.size = row->size,
				.inode = row->inode,
				.mtime_ns = row->mtime_ns,
				.ctime_ns = row->ctime_ns,
				.mode = row->mode,
				.pointer = row->pointer};

	memcpy(stored.id, row->id.id, sizeof(stored.id));
	pe_text_addn(text, (const char *)&stored, sizeof(stored));
	pe_text_addn(text, row->path, strlen(row->path) + 1);
}

/*
 * Over the last manifest, which costs less than making a file and removing another. A build can have put something else
 * in its place; -1: it is to be written anew.
 */
static int write_spare(const struct pe_text *text, const struct beside *beside)
{
	int fd = openat(beside->dir, beside->spare, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	int rc = -1;

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_nlink == 1 &&
	    st.st_uid == geteuid() && pe_text_write_fd(text, fd) == 0 &&
	    ftruncate(fd, (off_t)text->len) == 0)
		rc = 0;
	if (close(fd) != 0)
		rc = -1;
	return rc == 0 ? renameat(beside->dir, beside->spare, beside->dir, beside->name) : -1;
}

int pe_manifest_save(const struct pe_tree *tree, const struct pe_fill_spec *spec,
		     const char *surroundings, struct pe_err *err)
{
	struct beside beside = open_beside(spec);
	struct pe_text text = PE_TEXT_INIT;
	char boot[PE_BOOT_ID];
	int rc = 0;

	pe_clock_boot(boot);
	pe_text_addf(&text, "%s %s %s %s %zu\n", header, boot, spec->id, surroundings,
		     tree->rows.n);
	for (size_t i = 0; i < tree->rows.n; i++)
		add_row(&text, &tree->rows.data[i]);
	if (beside.dir < 0 || (write_spare(&text, &beside) != 0 &&
			       pe_files_write_at(&text, beside.dir, beside.name) != 0))
		rc = pe_fail_errno(err, "cannot write %s.manifest", spec->dir);
	pe_text_release(&text);
	close_beside(&beside);
	return rc;
}

static int set_aside(const struct beside *beside)
{
	struct stat st;

	if (fstatat(beside->dir, beside->name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
	    !S_ISREG(st.st_mode))
		return -1;
	return renameat(beside->dir, beside->name, beside->dir, beside->spare);
}

int pe_manifest_remove(const struct pe_fill_spec *spec, struct pe_err *err)
{
	struct beside beside = open_beside(spec);
	size_t removed = 0;
	int rc = 0;

	if (beside.dir >= 0 ? set_aside(&beside) != 0 &&
				      pe_files_remove_at(beside.dir, beside.name, &removed) != 0
			    : errno != ENOENT)
		rc = pe_fail_errno(err, "cannot remove %s.manifest", spec->dir);
	close_beside(&beside);
	return rc;
}
