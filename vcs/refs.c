/* Refs: the branches and tags of a repository, to show beside a commit and to guess a misspelt name. */
#include "vcs/internal.h"

#include "core/base/nearest.h"
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

size_t pe_vcs_first_name(const ref_names *names, const git_oid *id)
{
	size_t at = 0;

	pe_search(at, names->n, i, git_oid_cmp(&names->data[i].commit, id) < 0);
	return at < names->n && git_oid_equal(&names->data[at].commit, id) ? at : names->n;
}

bool pe_vcs_has_tag(struct pe_repo *repo, const git_oid *id)
{
	const ref_names *names = pe_vcs_names(repo);
	const size_t at = pe_vcs_first_name(names, id);

	return at < names->n && names->data[at].kind == REF_TAG;
}

const char *pe_repo_decoration(struct pe_repo *repo, const char *revision, struct pe_arena *arena)
{
	const ref_names *names = pe_vcs_names(repo);
	size_t at;
	git_oid id;

	if (git_oid_fromstr(&id, revision) < 0)
		return NULL;
	at = pe_vcs_first_name(names, &id);
	return at < names->n && names->data[at].kind != REF_REMOTE
		       ? pe_arena_strdup(arena, names->data[at].name)
		       : NULL;
}

const char *pe_repo_branch(struct pe_repo *repo, struct pe_arena *arena)
{
	pe_auto_reference *head = NULL;

	return git_repository_head(&head, repo->git) == 0 && git_reference_is_branch(head)
		       ? pe_arena_strdup(arena, git_reference_shorthand(head))
		       : NULL;
}

const char *pe_vcs_nearest_name(struct pe_repo *repo, const char *word)
{
	const ref_names *names = pe_vcs_names(repo);
	pe_auto_free const char **candidates = pe_realloc(NULL, names->n, sizeof(*candidates));

	for (size_t i = 0; i < names->n; i++)
		candidates[i] = names->data[i].name;
	return pe_nearest(word, candidates, names->n);
}
