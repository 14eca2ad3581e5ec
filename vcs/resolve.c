/* Resolve: from what the user typed to a commit, with a helping sentence when there is none. */
#include "vcs/internal.h"

#include <string.h>

void pe_vcs_revision(struct pe_revision *out, git_commit *commit, struct pe_arena *arena)
{
	const char *encoding = git_commit_message_encoding(commit);
	const char *message = git_commit_message(commit);
	const git_signature *author = git_commit_author(commit);
	size_t n_parents = git_commit_parentcount(commit);
	char(*parents)[PE_OID_HEX];

	memset(out, 0, sizeof(*out));
	git_oid_tostr(out->id, sizeof(out->id), git_commit_id(commit));
	parents = (char(*)[PE_OID_HEX])pe_arena_alloc(arena, n_parents, PE_OID_HEX);
	for (size_t i = 0; i < n_parents; i++)
		git_oid_tostr(parents[i], PE_OID_HEX, git_commit_parent_id(commit, (unsigned)i));
	out->parents = (const char(*)[PE_OID_HEX])parents;
	out->n_parents = n_parents;
	out->time_s = git_commit_time(commit);
	out->author = pe_vcs_utf8(arena, author->name, strlen(author->name), encoding);
	message = message != NULL ? message + strspn(message, "\r\n") : "";
	out->subject = pe_vcs_utf8(arena, message, strcspn(message, "\r\n"), encoding);
}

/* The first parent in a commit's bytes; false: it has none. */
static bool read_first_parent(git_oid *out, git_odb_object *object)
{
	const char *at = git_odb_object_data(object);
	const char *end = at + git_odb_object_size(object);

	for (; at < end && *at != '\n'; at++) {
		if (end - at > GIT_OID_HEXSZ + 7 && memcmp(at, "parent ", 7) == 0)
			return git_oid_fromstrn(out, at + 7, GIT_OID_HEXSZ) == 0;
		at = memchr(at, '\n', (size_t)(end - at));
		if (at == NULL)
			break;
	}
	return false;
}

int pe_vcs_commit_readable(git_commit **out, struct pe_repo *repo, const git_oid *id)
{
	git_oid at = *id;
	pe_auto_odb *odb = NULL;
	int rc = git_commit_lookup(out, repo->git, &at);

	if (rc < 0 && git_repository_odb(&odb, repo->git) < 0)
		return rc;
	while (rc < 0 && rc != GIT_ENOTFOUND) {
		pe_auto_odb_object *object = NULL;

		*out = NULL;
		PE_TRY(git_odb_read(&object, odb, &at));
		if (git_odb_object_type(object) != GIT_OBJECT_COMMIT ||
		    !read_first_parent(&at, object))
			return 0;
		rc = git_commit_lookup(out, repo->git, &at);
	}
	return rc;
}

/* The name in front of "~3", "^{...}", "@{...}": the part that a person misspells. */
static char *base_of(const char *spec)
{
	size_t n = strcspn(spec, "~^:");
	const char *at = strstr(spec, "@{");
	char *base = pe_vcs_strdup(spec);

	if (at != NULL && at != spec && (size_t)(at - spec) < n)
		n = (size_t)(at - spec);
	base[n] = '\0';
	return base;
}

static int not_found(struct pe_repo *repo, const char *spec, struct pe_err *err)
{
	pe_auto_object *object = NULL;
	pe_auto_free char *base = base_of(spec);
	bool base_exists = base[0] == '\0' || git_revparse_single(&object, repo->git, base) == 0;
	const char *nearest = base_exists ? NULL : pe_vcs_nearest_name(repo, base);

	if (git_repository_head_unborn(repo->git) == 1 && strcmp(base, "HEAD") == 0)
		return pe_fail(err, PE_ENOTFOUND, "this repository has no commits yet");
	if (nearest != NULL)
		return pe_fail(err, PE_ENOTFOUND, "no revision '%s' (did you mean '%s'?)", spec,
			       nearest);
	if (base_exists && pe_repo_is_shallow(repo))
		return pe_fail(
			err, PE_ENOTFOUND,
			"no revision '%s' in this shallow clone; 'git fetch --unshallow' gets the older history",
			spec);
	return pe_fail(err, PE_ENOTFOUND, "no revision '%s'", spec);
}

int pe_vcs_commit(git_commit **out, struct pe_repo *repo, const char *spec, struct pe_err *err)
{
	pe_auto_object *object = NULL;
	int rc;

	*out = NULL;
	if (spec == NULL || spec[0] == '\0')
		return pe_fail(err, PE_EINVALID, "an empty revision names no commit");
	if (strstr(spec, "..") != NULL)
		return pe_fail(err, PE_EINVALID, "'%s' is a range where one revision is expected",
			       spec);
	rc = git_revparse_single(&object, repo->git, spec);
	if (rc == GIT_ENOTFOUND)
		return not_found(repo, spec, err);
	if (rc == GIT_EAMBIGUOUS)
		return pe_fail(
			err, PE_EINVALID,
			"'%s' is the beginning of more than one object's id; give more digits",
			spec);
	if (rc < 0)
		return pe_fail(err,
			       rc == GIT_EINVALIDSPEC || rc == GIT_EPEEL ? PE_EINVALID : PE_EVCS,
			       "cannot read the revision '%s': %s%s", spec, pe_vcs_message(),
			       strpbrk(spec, "~^") != NULL ? "; 'git rev-parse' gives its id" : "");
	rc = git_object_peel((git_object **)out, object, GIT_OBJECT_COMMIT);
	if (rc < 0)
		return pe_fail(err,
			       rc == GIT_EPEEL || rc == GIT_EINVALIDSPEC ? PE_EINVALID : PE_EVCS,
			       "'%s' is a %s and names no commit", spec,
			       git_object_type2string(git_object_type(object)));
	return PE_OK;
}

int pe_repo_resolve(struct pe_revision *out, struct pe_repo *repo, const char *spec,
		    struct pe_arena *arena, struct pe_err *err)
{
	pe_auto_commit *commit = NULL;

	PE_TRY(pe_vcs_commit(&commit, repo, spec, err));
	pe_vcs_revision(out, commit, arena);
	return PE_OK;
}

int pe_repo_commit(struct pe_revision *out, struct pe_repo *repo, const char *id,
		   struct pe_arena *arena)
{
	pe_auto_commit *commit = NULL;
	pe_auto_odb *odb = NULL;
	git_oid oid;

	/* Without another look at the packs for each one that is missing: there may be many. */
	if (git_oid_fromstr(&oid, id) != 0 || git_repository_odb(&odb, repo->git) != 0 ||
	    git_odb_exists_ext(odb, &oid, GIT_ODB_LOOKUP_NO_REFRESH) != 1 ||
	    git_commit_lookup(&commit, repo->git, &oid) != 0)
		return PE_ENOTFOUND;
	pe_vcs_revision(out, commit, arena);
	return PE_OK;
}
