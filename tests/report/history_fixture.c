#include "history_fixture.h"

#include <stdio.h>
#include <string.h>

enum { EVERY = 6, BRANCH = 2 };

struct making {
	struct pe_history *out;
	const struct pe_evolution *evolution;
	struct pe_arena *arena;
};

static uint32_t *parents_of(struct making *making, struct pe_history_commit *commit, uint32_t first,
			    uint32_t second)
{
	uint32_t *parents = pe_arena_new(making->arena, uint32_t, 2);

	parents[0] = first;
	parents[1] = second;
	commit->parents = parents;
	commit->n_parents = 1 + (second != UINT32_MAX);
	return parents;
}

static struct pe_history_commit *add(struct making *making)
{
	struct pe_history_commit *commit = &making->out->commits[making->out->n++];

	commit->point = SIZE_MAX;
	commit->mc = -1;
	return commit;
}

/* A commit of a branch: its parent is one row below, or the line's commit that the branch left. */
static void add_branch_commit(struct making *making, size_t merge, size_t i, uint32_t parent)
{
	struct pe_history_commit *commit = add(making);
	char(*ids)[PE_OID_HEX] = pe_arena_alloc(making->arena, 1, sizeof(*ids));

	commit->revision = making->evolution->revisions[merge];
	snprintf(commit->revision.id, PE_OID_HEX, "%08x%032x", (unsigned)(merge * 16 + i), 7u);
	commit->revision.subject =
		pe_arena_printf(making->arena, "branch %zu, commit %zu: %s", merge, i,
				making->evolution->revisions[merge].subject);
	memcpy(ids[0], making->evolution->revisions[merge].id, PE_OID_HEX);
	commit->revision.parents = (const char(*)[PE_OID_HEX])ids;
	commit->revision.n_parents = 1;
	parents_of(making, commit, parent, UINT32_MAX);
}

static void add_point(struct making *making, size_t revision)
{
	static const char *const newest[] = {"HEAD", "main", "origin/main"};
	const struct pe_evolution *evolution = making->evolution;
	struct pe_history_commit *commit = add(making);
	uint32_t row = (uint32_t)making->out->n - 1;
	bool merges = revision % EVERY == EVERY - 1 && revision >= EVERY;
	uint32_t next = revision == 0 ? UINT32_MAX : row + 1 + (merges ? BRANCH : 0);

	commit->revision = evolution->revisions[revision];
	commit->point = revision;
	commit->mc = evolution->mc != NULL ? evolution->mc[revision] : (int64_t)(revision % 5) - 1;
	if (revision == evolution->n_revisions - 1) {
		commit->refs = newest;
		commit->n_refs = 3;
	} else if (evolution->decorations != NULL && evolution->decorations[revision] != NULL) {
		const char **refs = pe_arena_new(making->arena, const char *, 1);

		refs[0] =
			pe_arena_printf(making->arena, "tag: %s", evolution->decorations[revision]);
		commit->refs = refs;
		commit->n_refs = 1;
	}
	parents_of(making, commit, next, merges ? row + 1 : UINT32_MAX);
	if (revision == 0)
		commit->n_parents = 0;
	for (size_t i = 0; merges && i < BRANCH; i++) {
		/* The branch left three commits before the merge. */
		uint32_t left = row + 1 + BRANCH + 2;

		add_branch_commit(making, revision, i, i + 1 < BRANCH ? row + 2 : left);
	}
}

void history_fixture(struct pe_history *out, const struct pe_evolution *evolution,
		     struct pe_arena *arena)
{
	struct making making = {out, evolution, arena};
	struct pe_lane_commit *commits;

	*out = (struct pe_history){.evolution = evolution};
	out->commits = pe_arena_new(arena, struct pe_history_commit, 2 * evolution->n_revisions);
	for (size_t i = evolution->n_revisions; i-- > 0;)
		add_point(&making, i);
	commits = pe_arena_new(arena, struct pe_lane_commit, out->n);
	for (size_t i = 0; i < out->n; i++)
		commits[i] =
			(struct pe_lane_commit){out->commits[i].parents, out->commits[i].n_parents};
	pe_lanes_make(&out->lanes, commits, out->n, arena);
}
