#include "suites/gather.h"

#include "core/base/array.h"
#include "core/base/files.h"
#include "core/base/sort.h"
#include "core/base/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_BYTES = 1 << 30 };

/* Criterion.rs writes this file of every benchmark that it measures. */
static const char SAMPLE[] = "sample.json";

struct gathering {
	PE_VEC(const char *) paths; /* of folders "new", below the folder */
	struct pe_arena *arena;
};

/* Collect folders "new", which are of the last run; "base" is its comparison. */
static int meet(const struct pe_walk_step *step, void *payload)
{
	struct gathering *gathering = payload;

	if (!step->is_dir)
		return PE_WALK_PASS;
	if (strcmp(step->name, "new") != 0)
		return PE_WALK_ENTER;
	pe_vec_push(&gathering->paths, pe_arena_strdup(gathering->arena, step->path));
	return PE_WALK_PASS;
}

static bool has_sample(int dir)
{
	struct stat st;

	return fstatat(dir, SAMPLE, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode);
}

/* Append the files of one benchmark: benchmark.json first, which has its name. */
static int add_benchmark(struct pe_text *out, const char *tree, const char *folder,
			 const char *path, struct pe_arena *arena, struct pe_err *err)
{
	static const char *const names[] = {"benchmark.json", SAMPLE};
	const char *whole = pe_arena_printf(arena, "%s/%s", folder, path);
	pe_auto_fd dir = pe_files_open_below(tree, whole, false);

	if (dir < 0)
		return pe_fail_errno(err, "cannot open %s", whole);
	for (size_t i = 0; has_sample(dir) && i < 2; i++) {
		if (pe_files_read_at(out, dir, names[i]) != 0 && errno != ENOENT)
			return pe_fail_errno(err, "cannot read %s/%s", whole, names[i]);
		if (out->len > MOST_BYTES)
			return pe_fail(err, PE_EUNSUPPORTED, "%s has more than %d MiB of results",
				       folder, MOST_BYTES >> 20);
		pe_text_addc(out, '\n');
	}
	return PE_OK;
}

static int walk_below(const char *tree, const char *folder, const struct pe_folder_walk *walk,
		      const char *what, struct pe_err *err)
{
	pe_auto_fd dir = pe_files_open_below(tree, folder, false);

	if (dir < 0)
		return errno == ENOENT ? pe_fail(err, PE_ENOTFOUND, "there is no folder %s", folder)
				       : pe_fail_errno(err, "cannot open %s", folder);
	return pe_walk_folder(dir, walk, NULL) == 0
		       ? PE_OK
		       : pe_fail_errno(err, "cannot %s %s", what, folder);
}

static int remove_sample(const struct pe_walk_step *step, void *payload)
{
	(void)payload;
	if (step->is_dir)
		return PE_WALK_ENTER;
	return strcmp(step->name, SAMPLE) == 0 ? unlinkat(step->dir, step->name, 0) : PE_WALK_PASS;
}

int pe_suite_gather_clear(const char *tree, const char *folder, struct pe_err *err)
{
	static const struct pe_folder_walk walk = {.meet = remove_sample};

	return walk_below(tree, folder, &walk, "clear", err);
}

int pe_suite_gather(struct pe_text *out, const char *tree, const char *folder, struct pe_err *err)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	pe_auto_free struct gathering gathering = {.arena = &arena};
	const struct pe_folder_walk walk = {.meet = meet, .payload = &gathering};
	const size_t before = out->len;

	PE_TRY(walk_below(tree, folder, &walk, "read", err));
	pe_sort(gathering.paths.data, gathering.paths.n, pe_string_order);
	for (size_t i = 0; i < gathering.paths.n; i++)
		PE_TRY(add_benchmark(out, tree, folder, gathering.paths.data[i], &arena, err));
	return out->len > before
		       ? PE_OK
		       : pe_fail(err, PE_ENOTFOUND, "%s has no results of this run", folder);
}
