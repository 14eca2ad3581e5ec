/* The commits of an evolution with branches and merges beside its line of first parents. */
#include "fixture_page.h"

#include <stdio.h>
#include <string.h>

/* A merge every so many revisions; its branch left the line this many revisions before it. */
enum { MERGE_EVERY = 6, LEFT_BEFORE = 4, MOST_PER_REVISION = 4 };

#define NONE SIZE_MAX

/* Oldest first, while they are collected; the graph wants newest first. */
struct node {
	size_t revision; /* NONE: on a branch */
	size_t parents[2];
};

struct collected {
	struct node *at;
	size_t n;
	size_t *place; /* by revision: its node */
};

static size_t add_node(struct collected *all, size_t revision, size_t first, size_t second)
{
	all->at[all->n] = (struct node){revision, {first, second}};
	return all->n++;
}

static bool merges(size_t revision)
{
	return revision % MERGE_EVERY == MERGE_EVERY - 1;
}

/* The line, and for every merge one to three commits of a branch that stand before its last revisions. */
static void collect(struct collected *all, size_t n)
{
	size_t branch = NONE;

	for (size_t r = 0; r < n; r++) {
		size_t last = r > 0 ? all->place[r - 1] : NONE, merge = r / MERGE_EVERY;

		if (r >= LEFT_BEFORE && (r % MERGE_EVERY == 3 || merges(r)))
			for (size_t i = 0; i < 1 + merge % 2; i++) {
				if (branch == NONE)
					branch = all->place[r / MERGE_EVERY * MERGE_EVERY];
				branch = add_node(all, NONE, branch, NONE);
			}
		all->place[r] = add_node(all, r, last, merges(r) ? branch : NONE);
		if (merges(r))
			branch = NONE;
	}
	if (n > LEFT_BEFORE) /* a branch that nobody has merged */
		add_node(all, NONE, add_node(all, NONE, all->place[n - LEFT_BEFORE], NONE), NONE);
}

static void add_refs(struct pe_history_commit *commit, const struct fixture *fixture,
		     const struct node *node, size_t row, struct pe_arena *arena)
{
	const char **refs = pe_arena_new(arena, const char *, 4);
	const struct pe_evolution *evolution = &fixture->evolution;

	commit->refs = refs;
	if (row == 0 && node->revision == NONE)
		refs[commit->n_refs++] = "origin/fix-escapes";
	if (node->revision == NONE)
		return;
	if (node->revision + 1 == evolution->n_revisions) {
		refs[commit->n_refs++] = "HEAD";
		refs[commit->n_refs++] = "main";
	}
	if (evolution->decorations[node->revision] != NULL)
		refs[commit->n_refs++] =
			pe_arena_printf(arena, "tag: %s", evolution->decorations[node->revision]);
}

static void fill_commit(struct pe_history_commit *commit, struct fixture *fixture,
			const struct collected *all, size_t i)
{
	struct pe_arena *arena = &fixture->arena;
	const struct pe_evolution *evolution = &fixture->evolution;
	const struct node *node = &all->at[i];

	commit->point = node->revision;
	commit->mc = i % 9 == 4 ? -1 : (int64_t)(i * i % 23);
	if (node->revision != NONE) {
		commit->revision = evolution->revisions[node->revision];
	} else {
		snprintf(commit->revision.id, PE_OID_HEX, "%08xb%031x",
			 (unsigned)(i * 40503u) & 0xffffffffu, (unsigned)i);
		commit->revision.author = evolution->revisions[0].author;
		commit->revision.subject = evolution->revisions[i % evolution->n_revisions].subject;
		commit->revision.time_s =
			evolution->revisions[node->parents[0] % evolution->n_revisions].time_s +
			900;
	}
	add_refs(commit, fixture, node, all->n - 1 - i, arena);
}

/* The ids of the parents, which are in the picture. */
static void name_parents(struct pe_history *history, const struct collected *all, size_t i,
			 struct pe_arena *arena)
{
	struct pe_revision *revision = &history->commits[all->n - 1 - i].revision;
	char(*ids)[PE_OID_HEX] = pe_arena_alloc(arena, 2, sizeof(*ids));

	revision->n_parents = 0;
	for (size_t p = 0; p < 2; p++)
		if (all->at[i].parents[p] != NONE)
			memcpy(ids[revision->n_parents++],
			       history->commits[all->n - 1 - all->at[i].parents[p]].revision.id,
			       PE_OID_HEX);
	revision->parents = (const char(*)[PE_OID_HEX])ids;
}

void fixture_history(struct pe_history *out, struct fixture *fixture)
{
	struct pe_arena *arena = &fixture->arena;
	size_t n = fixture->evolution.n_revisions;
	struct collected all = {
		.at = pe_arena_new(arena, struct node, MOST_PER_REVISION * n + 2),
		.place = pe_arena_new(arena, size_t, n),
	};

	collect(&all, n);
	*out = (struct pe_history){.evolution = &fixture->evolution,
				   .commits = pe_arena_new(arena, struct pe_history_commit, all.n),
				   .n = all.n};
	for (size_t i = 0; i < all.n; i++)
		fill_commit(&out->commits[all.n - 1 - i], fixture, &all, i);
	for (size_t i = 0; i < all.n; i++)
		name_parents(out, &all, i, arena);
	pe_history_lay_out(out, arena);
}
