#include "vcs/lines.h"

#include "core/base/array.h"
#include "core/base/search.h"
#include "vcs/internal.h"

#include <string.h>

struct hunks {
	PE_VEC(struct pe_line_hunk) at;
};

static int add_hunk(const git_diff_delta *delta, const git_diff_hunk *hunk, void *payload)
{
	struct hunks *hunks = payload;
	struct pe_line_hunk one = {
		.old_first = (uint32_t)hunk->old_start,
		.old_n = (uint32_t)hunk->old_lines,
		.new_first = (uint32_t)hunk->new_start,
		.new_n = (uint32_t)hunk->new_lines,
	};

	(void)delta;
	/* A side without lines is named by the line before it. */
	one.old_first += one.old_n == 0;
	one.new_first += one.new_n == 0;
	pe_vec_push(&hunks->at, one);
	return 0;
}

int pe_repo_line_map(struct pe_line_map *out, struct pe_repo *repo, const char *old_blob,
		     const char *new_blob, struct pe_arena *arena, struct pe_err *err)
{
	const git_diff_options options = {.version = GIT_DIFF_OPTIONS_VERSION};
	pe_auto_free struct hunks hunks = {{NULL, 0, 0}};
	pe_auto_blob *from = NULL, *to = NULL;
	struct pe_origin *origin;
	int rc;

	*out = (struct pe_line_map){NULL, 0};
	PE_TRY(pe_vcs_origin(&origin, repo, err));
	PE_TRY(pe_vcs_blob_of(&from, origin, old_blob, err));
	PE_TRY(pe_vcs_blob_of(&to, origin, new_blob, err));
	rc = git_diff_blobs(from, NULL, to, NULL, &options, NULL, NULL, add_hunk, NULL, &hunks);
	if (rc < 0)
		return pe_vcs_fail(err, rc, "cannot compare two contents of a file");
	if (hunks.at.n > 0)
		*out = (struct pe_line_map){pe_vec_copy(arena, &hunks.at), hunks.at.n};
	return PE_OK;
}

int pe_line_map_of(struct pe_line_map *out, const char *old_text, const char *new_text,
		   struct pe_arena *arena)
{
	const git_diff_options options = {.version = GIT_DIFF_OPTIONS_VERSION};
	pe_auto_free struct hunks hunks = {{NULL, 0, 0}};

	*out = (struct pe_line_map){NULL, 0};
	if (git_diff_buffers(old_text, strlen(old_text), NULL, new_text, strlen(new_text), NULL,
			     &options, NULL, NULL, add_hunk, NULL, &hunks) < 0)
		return PE_EINVALID;
	*out = (struct pe_line_map){pe_vec_copy(arena, &hunks.at), hunks.at.n};
	return PE_OK;
}

uint32_t pe_line_map_find(const struct pe_line_map *map, uint32_t line)
{
	size_t low = 0;
	const struct pe_line_hunk *hunk;
	uint32_t past_old, past_new;

	/* The last hunk that begins at the line or before it. */
	pe_search(low, map->n, i, map->at[i].old_first <= line);
	if (low == 0 || line == 0)
		return line;
	hunk = &map->at[low - 1];
	past_old = hunk->old_first + hunk->old_n;
	past_new = hunk->new_first + hunk->new_n;
	if (line >= past_old)
		return past_new + (line - past_old);
	return hunk->old_n == hunk->new_n ? hunk->new_first + (line - hunk->old_first) : 0;
}
