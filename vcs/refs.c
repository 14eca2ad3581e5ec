/* Refs: the branches and tags of a repository, to show beside a commit and to guess a misspelt name. */
#include "vcs/internal.h"

#include "core/base/search.h"

#include <stdlib.h>
#include <string.h>

static int compare_names(const void *left, const void *right)
{
	const struct pe_ref_name *a = left, *b = right;
	int order = git_oid_cmp(&a->commit, &b->commit);

	if (order == 0)
		order = (a->kind > b->kind) - (a->kind < b->kind);
	return order != 0 ? order : strcmp(a->name, b->name);
}

static void add_reference(ref_names *names, git_reference *reference)
{
	struct pe_ref_name name = {.kind = REF_REMOTE};
	pe_auto_object *object = NULL;
	const char *shorthand = git_reference_shorthand(reference);
	size_t n = strlen(shorthand);

	if (git_reference_is_tag(reference))
		name.kind = REF_TAG;
	else if (git_reference_is_branch(reference))
		name.kind = REF_BRANCH;
	else if (!git_reference_is_remote(reference) ||
		 (n > 5 && strcmp(shorthand + n - 5, "/HEAD") == 0))
		return;
	/* A tag of a tree or a blob names no commit; a branch without one is broken: both are left out. */
	if (git_reference_peel(&object, reference, GIT_OBJECT_COMMIT) == 0) {
		git_oid_cpy(&name.commit, git_object_id(object));
		name.name = pe_vcs_strdup(shorthand);
		pe_vec_push(names, name);
	}
}

const ref_names *pe_vcs_names(struct pe_repo *repo)
{
	git_reference_iterator *iterator = NULL;
	git_reference *reference;

	if (repo->names_read)
		return &repo->names;
	repo->names_read = true;
	if (git_reference_iterator_new(&iterator, repo->git) == 0) {
		while (git_reference_next(&reference, iterator) == 0) {
			add_reference(&repo->names, reference);
			git_reference_free(reference);
		}
	}
	git_reference_iterator_free(iterator);
	if (repo->names.n != 0)
		qsort(repo->names.data, repo->names.n, sizeof(struct pe_ref_name), compare_names);
	return &repo->names;
}

void pe_vcs_names_release(ref_names *names)
{
	for (size_t i = 0; i < names->n; i++)
		free(names->data[i].name);
	pe_vec_release(names);
}

const char *pe_repo_decoration(struct pe_repo *repo, const char *revision, struct pe_arena *arena)
{
	const ref_names *names = pe_vcs_names(repo);
	size_t at = 0;
	git_oid id;

	if (git_oid_fromstr(&id, revision) < 0)
		return NULL;
	pe_search(at, names->n, i, git_oid_cmp(&names->data[i].commit, &id) < 0);
	if (at == names->n || !git_oid_equal(&names->data[at].commit, &id) ||
	    names->data[at].kind == REF_REMOTE)
		return NULL;
	return pe_arena_strdup(arena, names->data[at].name);
}

const char *pe_repo_branch(struct pe_repo *repo, struct pe_arena *arena)
{
	pe_auto_reference *head = NULL;

	return git_repository_head(&head, repo->git) == 0 && git_reference_is_branch(head)
		       ? pe_arena_strdup(arena, git_reference_shorthand(head))
		       : NULL;
}

/* Edits that turn one word into the other (Levenshtein, Soviet Physics Doklady 10, 1966); one row of the table. */
static size_t distance(const char *a, const char *b)
{
	size_t n = strlen(b);
	pe_auto_free size_t *row = pe_realloc(NULL, n + 1, sizeof(*row));

	for (size_t j = 0; j <= n; j++)
		row[j] = j;
	for (size_t i = 0; a[i] != '\0'; i++) {
		size_t corner = row[0];

		row[0] = i + 1;
		for (size_t j = 0; j < n; j++) {
			size_t change = corner + (a[i] != b[j]);
			size_t shorter = (row[j] < row[j + 1] ? row[j] : row[j + 1]) + 1;

			corner = row[j + 1];
			row[j + 1] = change < shorter ? change : shorter;
		}
	}
	return row[n];
}

/* How far a name is from a word; a name that goes on where the word ends ("v2" of "v2.0") is near. */
static size_t farness(const char *word, const char *name)
{
	size_t n = strlen(word);

	return n >= 2 && strncmp(word, name, n) == 0 ? 1 : distance(word, name);
}

const char *pe_vcs_nearest_name(struct pe_repo *repo, const char *word)
{
	const ref_names *names = pe_vcs_names(repo);
	const char *best = NULL;
	size_t best_distance =
		strlen(word) / 3 + 2; /* one edit in three letters is still a typing error */

	for (size_t i = 0; i < names->n; i++) {
		const char *name = names->data[i].name;
		size_t d = farness(word, name);

		if (d < best_distance ||
		    (d == best_distance && best != NULL && strlen(name) < strlen(best))) {
			best = name;
			best_distance = d;
		}
	}
	return best;
}
