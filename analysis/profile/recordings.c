#include "analysis/profile/recordings.h"

#include "core/base/files.h"
#include "core/base/sort.h"
#include "core/base/vec.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

struct found {
	const char *folder, *name;
	uint64_t pid, started_ns;
};

PE_SORT_BY(by_start, struct found, started_ns, pid, folder, name);

typedef PE_VEC(struct found) found_files;

static int list_folder(found_files *out, const char *folder, const char *suffix,
		       struct pe_arena *arena, struct pe_err *err)
{
	DIR *open = opendir(folder);

	if (open == NULL)
		return errno == ENOENT ? pe_fail(err, PE_ENOTFOUND, "there is no folder %s", folder)
				       : pe_fail_errno(err, "cannot read the folder %s", folder);
	for (struct dirent *entry; (entry = readdir(open)) != NULL;) {
		size_t n = strlen(entry->d_name), n_suffix = strlen(suffix);
		struct found found = {.folder = folder};
		char *end;

		if (n <= n_suffix || strcmp(entry->d_name + n - n_suffix, suffix) != 0)
			continue;
		found.pid = strtoull(entry->d_name, &end, 10);
		found.started_ns = *end == '-' ? strtoull(end + 1, NULL, 10) : 0;
		found.name = pe_arena_strdup(arena, entry->d_name);
		pe_vec_push(out, found);
	}
	closedir(open);
	return PE_OK;
}

static int take_file(const struct found *found, pe_recording_fn *take, void *payload,
		     struct pe_arena *arena, struct pe_err *err)
{
	const char *path = pe_arena_printf(arena, "%s/%s", found->folder, found->name);
	pe_auto_fd fd = pe_files_open_placed_in(found->folder, found->name, 0);
	void *bytes = NULL;
	struct stat status;
	size_t n = 0;
	int rc;

	if (fd < 0)
		return pe_fail_errno(err, "cannot open %s", path);
	if (fstat(fd, &status) < 0) {
		bytes = MAP_FAILED;
	} else if (status.st_size > 0) {
		n = (size_t)status.st_size;
		bytes = mmap(NULL, n, PROT_READ, MAP_PRIVATE, fd, 0);
	}
	if (bytes == MAP_FAILED)
		return pe_fail_errno(err, "cannot map %s", path);
	rc = take(path, bytes, n, payload, err);
	if (bytes != NULL)
		munmap(bytes, n);
	return rc;
}

int pe_recordings_each(const char *const *folders, size_t n_folders, const char *suffix,
		       pe_recording_fn *take, void *payload, struct pe_arena *arena,
		       struct pe_err *err)
{
	pe_auto_free found_files files = {0};

	for (size_t i = 0; i < n_folders; i++)
		PE_TRY(list_folder(&files, folders[i], suffix, arena, err));
	pe_sort(files.data, files.n, by_start);
	for (size_t i = 0; i < files.n; i++)
		PE_TRY(take_file(&files.data[i], take, payload, arena, err));
	return PE_OK;
}
