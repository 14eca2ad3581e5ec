#include "configs/listing.h"

#include "core/base/files.h"
#include "core/base/sort.h"
#include "core/base/text.h"
#include "core/base/vec.h"
#include "core/base/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

/* State of making a listing. */
struct lister {
	PE_VEC(struct pe_listed) files;
	const char *root, *noun;
	struct pe_arena *arena;
	struct pe_err *err;
};

static int list_path(struct lister *lister, const char *path);

static int list_folder(struct lister *lister, const char *full, const char *path)
{
	const char **names = pe_walk_names_of(full, lister->arena);

	if (names == NULL)
		return pe_fail_errno(lister->err, "cannot read %s", full);
	for (; *names != NULL; names++)
		if (strcmp(*names, ".git") != 0)
			PE_TRY(list_path(lister, strcmp(path, ".") == 0
							 ? *names
							 : pe_arena_printf(lister->arena, "%s/%s",
									   path, *names)));
	return PE_OK;
}

/* lstat(2) without following links in the path. */
static int look_at(const char *root, const char *path, struct stat *st)
{
	const char *slash = strrchr(path, '/');
	pe_auto_fd dir = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (dir < 0)
		return -1;
	if (slash == NULL || !pe_files_has_link(dir, path, (size_t)(slash - path)))
		return fstatat(dir, path, st, AT_SYMLINK_NOFOLLOW);
	errno = ELOOP;
	return -1;
}

/* Whether a path is in git's folder, which has the tokens of remotes. */
static bool names_git(const char *path)
{
	for (const char *at = path; *at != '\0'; at += strcspn(at, "/"), at += *at == '/')
		if (strcspn(at, "/") == 4 && strncasecmp(at, ".git", 4) == 0)
			return true;
	return false;
}

static int list_path(struct lister *lister, const char *path)
{
	const char *full = pe_arena_printf(lister->arena, "%s/%s", lister->root, path);
	struct stat st;

	if (names_git(path))
		return pe_fail(lister->err, PE_EINVALID, "%s '%s': is git's own", lister->noun,
			       path);
	if (look_at(lister->root, path, &st) < 0) {
		if (errno == ELOOP)
			return pe_fail(lister->err, PE_EINVALID,
				       "%s '%s': a folder on the way is a symbolic link",
				       lister->noun, path);
		if (errno == ENOENT || errno == ENOTDIR)
			return pe_fail(lister->err, PE_EINVALID,
				       "%s '%s': no such file or folder in %s", lister->noun, path,
				       lister->root);
		return pe_fail_errno(lister->err, "cannot read %s", full);
	}
	if (S_ISDIR(st.st_mode))
		return list_folder(lister, full, path);
	if (!S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode))
		return pe_fail(lister->err, PE_EINVALID,
			       "%s '%s': neither a file, a folder nor a symbolic link",
			       lister->noun, path);
	pe_vec_push(&lister->files, (struct pe_listed){.path = path, .mode = st.st_mode});
	return PE_OK;
}

PE_SORT_BY(by_path, struct pe_listed, path);

int pe_listing_read(struct pe_listing *out, const char *root, const struct pe_strings *paths,
		    const char *noun, struct pe_arena *arena, struct pe_err *err)
{
	pe_auto_free struct lister lister = {
		.root = root, .noun = noun, .arena = arena, .err = err};
	size_t n = 0;

	for (size_t i = 0; i < paths->n; i++)
		PE_TRY(list_path(&lister, paths->at[i]));
	pe_sort(lister.files.data, lister.files.n, by_path);
	out->at = pe_arena_new(arena, struct pe_listed, lister.files.n);
	for (size_t i = 0; i < lister.files.n; i++)
		if (n == 0 || strcmp(out->at[n - 1].path, lister.files.data[i].path) != 0)
			out->at[n++] = lister.files.data[i];
	out->n = n;
	return PE_OK;
}

static int hash_content(struct pe_hash *hash, const char *root, const char *path,
			struct pe_err *err)
{
	pe_auto_fd fd = pe_files_open_placed_in(root, path, 0);
	char bytes[32 * 1024];
	uint64_t total = 0;
	ssize_t got = fd;

	while (got >= 0 && (got = read(fd, bytes, sizeof(bytes))) > 0) {
		pe_hash_bytes(hash, bytes, (size_t)got);
		total += (uint64_t)got;
	}
	if (got < 0)
		return pe_fail_errno(err, "cannot read %s", path);
	pe_hash_number(hash, total);
	return PE_OK;
}

static int hash_link(struct pe_hash *hash, const char *path, struct pe_err *err)
{
	char target[PATH_MAX];
	ssize_t n = readlink(path, target, sizeof(target) - 1);

	if (n < 0)
		return pe_fail_errno(err, "cannot read %s", path);
	target[n] = '\0';
	pe_hash_string(hash, target);
	return PE_OK;
}

int pe_listing_hash(char hex[PE_HASH_HEX], const struct pe_listing *listing, const char *root,
		    struct pe_err *err)
{
	pe_auto_text path = PE_TEXT_INIT;
	struct pe_hash hash;

	pe_hash_init(&hash);
	for (size_t i = 0; i < listing->n; i++) {
		const struct pe_listed *file = &listing->at[i];
		bool link = S_ISLNK(file->mode);

		pe_text_clear(&path);
		pe_text_addf(&path, "%s/%s", root, file->path);
		pe_hash_string(&hash, file->path);
		pe_hash_number(&hash, link ? 0120000 : file->mode & S_IXUSR ? 0100755 : 0100644);
		PE_TRY(link ? hash_link(&hash, path.data, err)
			    : hash_content(&hash, root, file->path, err));
	}
	pe_hash_hex(&hash, hex);
	return PE_OK;
}
