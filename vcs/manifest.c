#include "vcs/manifest.h"

#include "core/base/files.h"
#include "core/base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * The first line is "perfevo manifest 1 <revision> <surroundings> <rows>"; each row is a line of numbers, then
 * the path with a NUL in place of a newline, which a path may hold. The numbers of rows are hexadecimal.
 */
static const char header[] = "perfevo manifest 1";

/* Where the manifest of a folder lies: an open folder, and a name in it. Close and free them. */
struct beside {
	int dir; /* -1 with errno */
	char *name;
};

static struct beside open_beside(const struct pe_fill_spec *spec)
{
	struct pe_text path = PE_TEXT_INIT, name = PE_TEXT_INIT;
	char *plain = pe_vcs_strdup_dir(spec->dir), *slash = strrchr(plain, '/');
	struct beside beside;

	pe_text_addf(&name, "%s.manifest", slash != NULL ? slash + 1 : plain);
	pe_text_addn(&path, plain, slash != NULL ? (size_t)(slash - plain) : 0);
	if (path.len == 0)
		pe_text_add(&path, slash != NULL ? "/" : ".");
	beside.dir = pe_files_open_below(spec->trusted, path.data, false);
	beside.name = name.data;
	pe_text_release(&path);
	free(plain);
	return beside;
}

static void close_beside(struct beside *beside)
{
	if (beside->dir >= 0)
		close(beside->dir);
	free(beside->name);
}

static int64_t nanoseconds(const struct timespec *time)
{
	return (int64_t)time->tv_sec * 1000000000 + time->tv_nsec;
}

static int hex_digit(char character)
{
	if (character >= '0' && character <= '9')
		return character - '0';
	return character >= 'a' && character <= 'f' ? character - 'a' + 10 : -1;
}

/* By hand, as in put_number(). */
static bool parse_number(uint64_t *out, const char **at, const char *end)
{
	const char *stop = *at;
	uint64_t number = 0;

	for (; stop < end; stop++) {
		int digit = hex_digit(*stop);

		if (digit < 0)
			break;
		number = number << 4 | (uint64_t)digit;
	}
	if (stop == *at || stop - *at > 16 || stop == end || *stop != ' ')
		return false;
	*out = number;
	*at = stop + 1;
	return true;
}

static bool parse_row(struct pe_row *row, const char **at, const char *end)
{
	uint64_t mode, pointer, mtime, ctime_ns;
	const char *nul;

	memset(row, 0, sizeof(*row));
	if (!parse_number(&mode, at, end) || end - *at < GIT_OID_HEXSZ + 1 ||
	    git_oid_fromstrn(&row->id, *at, GIT_OID_HEXSZ) < 0)
		return false;
	*at += GIT_OID_HEXSZ + 1;
	if (!parse_number(&row->attributes, at, end) || !parse_number(&pointer, at, end) ||
	    !parse_number(&row->size, at, end) || !parse_number(&row->inode, at, end) ||
	    !parse_number(&mtime, at, end) || !parse_number(&ctime_ns, at, end))
		return false;
	row->mode = (uint32_t)mode;
	row->pointer = pointer != 0;
	row->mtime_ns = (int64_t)mtime;
	row->ctime_ns = (int64_t)ctime_ns;
	row->path = *at;
	nul = memchr(*at, '\0', (size_t)(end - *at));
	if (nul == NULL || nul == *at)
		return false;
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
	char first_line[160];
	struct stat st;
	bool good = false;

	memset(manifest, 0, sizeof(*manifest));
	snprintf(first_line, sizeof(first_line), "%s %s %s ", header, spec->have, surroundings);
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

/* Hexadecimal and a blank; by hand, because printf(3) was half the cost of a fill where little differs. */
static char *put_number(char *at, uint64_t number)
{
	char digits[16];
	size_t n = 0;

	do {
		digits[n++] = "0123456789abcdef"[number & 15];
		number >>= 4;
	} while (number != 0);
	while (n != 0)
		*at++ = digits[--n];
	*at++ = ' ';
	return at;
}

static void add_row(struct pe_text *text, const struct pe_row *row)
{
	char line[7 * 17 + PE_OID_HEX], *at = put_number(line, row->mode);

	git_oid_fmt(at, &row->id);
	at += GIT_OID_HEXSZ;
	*at++ = ' ';
	at = put_number(at, row->attributes);
	at = put_number(at, row->pointer);
	at = put_number(at, row->size);
	at = put_number(at, row->inode);
	at = put_number(at, (uint64_t)row->mtime_ns);
	at = put_number(at, (uint64_t)row->ctime_ns);
	pe_text_addn(text, line, (size_t)(at - line));
}

int pe_manifest_save(const struct pe_tree *tree, const struct pe_fill_spec *spec,
		     const char *surroundings, struct pe_err *err)
{
	struct beside beside = open_beside(spec);
	struct pe_text text = PE_TEXT_INIT;
	int rc = 0;

	pe_text_addf(&text, "%s %s %s %zu\n", header, spec->id, surroundings, tree->rows.n);
	for (size_t i = 0; i < tree->rows.n; i++) {
		const struct pe_row *row = &tree->rows.data[i];

		add_row(&text, row);
		pe_text_addn(&text, row->path, strlen(row->path) + 1);
	}
	if (beside.dir < 0 || pe_files_write_at(&text, beside.dir, beside.name) != 0)
		rc = pe_fail_errno(err, "cannot write %s.manifest", spec->dir);
	pe_text_release(&text);
	close_beside(&beside);
	return rc;
}

int pe_manifest_remove(const struct pe_fill_spec *spec, struct pe_err *err)
{
	struct beside beside = open_beside(spec);
	size_t removed = 0;
	int rc = 0;

	if (beside.dir >= 0 ? pe_files_remove_at(beside.dir, beside.name, &removed) != 0
			    : errno != ENOENT)
		rc = pe_fail_errno(err, "cannot remove %s.manifest", spec->dir);
	close_beside(&beside);
	return rc;
}
