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

static int compare(struct pe_line_map *out, const char *old_text, size_t old_n,
		   const char *new_text, size_t new_n, struct pe_arena *arena)
{
	const git_diff_options options = {.version = GIT_DIFF_OPTIONS_VERSION};
	pe_auto_free struct hunks hunks = {{NULL, 0, 0}};

	*out = (struct pe_line_map){NULL, 0};
	PE_TRY(git_diff_buffers(old_text, old_n, NULL, new_text, new_n, NULL, &options, NULL, NULL,
				add_hunk, NULL, &hunks));
	*out = (struct pe_line_map){pe_vec_copy(arena, &hunks.at), hunks.at.n};
	return PE_OK;
}

int pe_repo_line_map(struct pe_line_map *out, struct pe_repo *repo, const char *old_blob,
		     const char *new_blob, struct pe_arena *arena, struct pe_err *err)
{
	pe_auto_text from = PE_TEXT_INIT, to = PE_TEXT_INIT;
	int rc;

	*out = (struct pe_line_map){NULL, 0};
	PE_TRY(pe_repo_blob(&from, repo, old_blob, err));
	PE_TRY(pe_repo_blob(&to, repo, new_blob, err));
	rc = compare(out, from.data, from.len, to.data, to.len, arena);
	return rc < 0 ? pe_vcs_fail(err, rc, "cannot compare two contents of a file") : PE_OK;
}

int pe_line_map_of(struct pe_line_map *out, const char *old_text, const char *new_text,
		   struct pe_arena *arena)
{
	return compare(out, old_text, strlen(old_text), new_text, strlen(new_text), arena) < 0
		       ? PE_EINVALID
		       : PE_OK;
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
