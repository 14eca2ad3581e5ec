/* The identity of a folder's content, for programs that are their own source. */
#include "methods/code.h"

#include "core/base/text.h"
#include "core/base/vec.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHUNK = 65536, MOST_DEEP = 256 };

typedef PE_VEC(char *) name_list;

struct listing {
	struct pe_hash *hash;
	const char *tree;
	const char *const *excluded;
	unsigned char *chunk;
	struct pe_text path; /* of the entry at hand, from the tree */
};

/* Places in a pattern that are reached without reading a character more. */
static void close_over(bool *at, const char *pattern, size_t n, bool at_folder)
{
	for (size_t i = 0; i < n; i++) {
		const bool deep = pattern[i] == '*' && pattern[i + 1] == '*';

		if (!at[i] || pattern[i] != '*')
			continue;
		at[i + (deep ? 2 : 1)] = true;
		if (deep && at_folder && pattern[i + 2] == '/') /* no folder at all */
			at[i + 3] = true;
	}
}

/* Whether the first n characters of a pattern match a path: all places that fit are followed at once. */
static bool matches(const char *pattern, size_t n, const char *path)
{
	bool *at = pe_realloc(NULL, 2 * (n + 4), sizeof(*at)), *next = at + n + 4, *swap,
	     *block = at;
	bool found;

	memset(at, 0, 2 * (n + 4) * sizeof(*at));
	at[0] = true;
	close_over(at, pattern, n, true);
	for (const char *c = path; *c != '\0'; c++) {
		memset(next, 0, (n + 4) * sizeof(*next));
		for (size_t i = 0; i < n; i++) {
			const bool deep = pattern[i] == '*' && i + 1 < n && pattern[i + 1] == '*';

			if (!at[i])
				continue;
			if (pattern[i] == '*' && (deep || *c != '/'))
				next[i] = true;
			else if (pattern[i] == *c || (pattern[i] == '?' && *c != '/'))
				next[i + 1] = true;
		}
		close_over(next, pattern, n, *c == '/');
		swap = at;
		at = next;
		next = swap;
	}
	found = at[n];
	free(block);
	return found;
}

static bool excluded(const struct listing *listing, const char *path, bool folder)
{
	const char *name = pe_path_name(path);

	for (size_t i = 0; listing->excluded != NULL && listing->excluded[i] != NULL; i++) {
		const char *pattern = listing->excluded[i];
		size_t n = strlen(pattern);
		const bool folders_only = n > 0 && pattern[n - 1] == '/';
		bool anchored;

		n -= folders_only;
		anchored = memchr(pattern, '/', n) != NULL;
		if (n > 0 && pattern[0] == '/') {
			pattern++;
			n--;
		}
		if (n >= 3 && strncmp(pattern + n - 3, "/**", 3) == 0)
			n -= 3; /* all that lies below a folder: the folder */
		if ((folder || !folders_only) && matches(pattern, n, anchored ? path : name))
			return true;
	}
	return strcmp(name, ".git") == 0;
}

static int add_file(struct listing *listing, int folder, const char *name, struct pe_err *err)
{
	const int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	uint64_t total = 0;
	ssize_t n = 0;

	if (fd < 0)
		return pe_fail_errno(err, "%s/%s", listing->tree, listing->path.data);
	while ((n = read(fd, listing->chunk, CHUNK)) > 0 || (n < 0 && errno == EINTR)) {
		if (n < 0)
			continue;
		pe_hash_bytes(listing->hash, listing->chunk, (size_t)n);
		total += (uint64_t)n;
	}
	if (n < 0) {
		pe_fail_errno(err, "%s/%s", listing->tree, listing->path.data);
		close(fd);
		return PE_ESYS;
	}
	close(fd);
	pe_hash_number(listing->hash, total);
	return PE_OK;
}

static int add_link(struct listing *listing, int folder, const char *name, struct pe_err *err)
{
	const ssize_t n = readlinkat(folder, name, (char *)listing->chunk, CHUNK);

	if (n < 0)
		return pe_fail_errno(err, "%s/%s", listing->tree, listing->path.data);
	pe_hash_bytes(listing->hash, listing->chunk, (size_t)n);
	pe_hash_number(listing->hash, (uint64_t)n);
	return PE_OK;
}

static int by_text(const void *left, const void *right)
{
	return strcmp(*(char *const *)left, *(char *const *)right);
}

/* The names in a folder, sorted, so that the system's order does not show. */
static int list_names(name_list *names, int fd)
{
	const int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	DIR *dir = copy >= 0 ? fdopendir(copy) : NULL;
	const struct dirent *entry;

	if (dir == NULL) {
		if (copy >= 0)
			close(copy);
		return -1;
	}
	while ((entry = readdir(dir)) != NULL) {
		const size_t n = strlen(entry->d_name) + 1;

		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			pe_vec_push(names, memcpy(pe_realloc(NULL, n, 1), entry->d_name, n));
	}
	closedir(dir);
	if (names->n > 0)
		qsort(names->data, names->n, sizeof(*names->data), by_text);
	return 0;
}

static int add_folder(struct listing *listing, int parent, const char *name, int depth,
		      struct pe_err *err);

static int add_entry(struct listing *listing, int folder, const char *name, int depth,
		     struct pe_err *err)
{
	struct stat status;

	if (fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0)
		return pe_fail_errno(err, "%s/%s", listing->tree, listing->path.data);
	if (excluded(listing, listing->path.data, S_ISDIR(status.st_mode)))
		return PE_OK;
	if (S_ISDIR(status.st_mode))
		return add_folder(listing, folder, name, depth, err);
	if (!S_ISREG(status.st_mode) && !S_ISLNK(status.st_mode))
		return PE_OK;
	pe_hash_string(listing->hash, listing->path.data);
	pe_hash_number(listing->hash,
		       S_ISLNK(status.st_mode) ? 2 : (status.st_mode & S_IXUSR) != 0);
	return S_ISREG(status.st_mode) ? add_file(listing, folder, name, err)
				       : add_link(listing, folder, name, err);
}

static int add_folder(struct listing *listing, int parent, const char *name, int depth,
		      struct pe_err *err)
{
	const int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	const size_t length = listing->path.len;
	name_list names = {0};
	int rc = PE_OK;

	if (fd < 0 || depth > MOST_DEEP || list_names(&names, fd) != 0)
		rc = depth == 0 && errno == ENOENT
			     ? pe_fail(err, PE_ENOTFOUND, "%s does not exist", listing->tree)
			     : pe_fail_errno(err, "%s/%s", listing->tree,
					     pe_text_str(&listing->path));
	for (size_t i = 0; i < names.n; i++) {
		if (rc == PE_OK) {
			pe_text_addf(&listing->path, "%s%s", length > 0 ? "/" : "", names.data[i]);
			rc = add_entry(listing, fd, names.data[i], depth + 1, err);
			listing->path.len = length;
			listing->path.data[length] = '\0';
		}
		free(names.data[i]);
	}
	pe_vec_release(&names);
	if (fd >= 0)
		close(fd);
	return rc;
}

int pe_tree_content_identity(struct pe_hash *out, const char *tree,
			     const char *const *excluded_paths, struct pe_err *err)
{
	struct listing listing = {.hash = out, .tree = tree, .excluded = excluded_paths};
	int rc;

	pe_hash_init(out);
	listing.chunk = pe_realloc(NULL, CHUNK, 1);
	rc = add_folder(&listing, AT_FDCWD, tree, 0, err);
	free(listing.chunk);
	pe_text_release(&listing.path);
	return rc;
}
