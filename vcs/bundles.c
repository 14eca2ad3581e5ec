/* Exchange: bundles of results in a bare repository of perfevo's own. */
#include "vcs/bundles.h"

#include "vcs/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SUFFIX ".json"

struct pe_bundles {
	git_repository *git;
	struct pe_text dir;
	git_treebuilder *tree; /* of the bundle that is being made; NULL: none */
};

static int open_or_make(git_repository **out, const char *dir, struct pe_err *err)
{
	git_repository_init_options options = {.version = GIT_REPOSITORY_INIT_OPTIONS_VERSION};
	int rc = pe_vcs_open_trusted(out, dir,
				     GIT_REPOSITORY_OPEN_NO_SEARCH | GIT_REPOSITORY_OPEN_BARE);

	if (rc != GIT_ENOTFOUND)
		return rc < 0 ? pe_vcs_fail(err, rc, "cannot open %s", dir) : PE_OK;
	options.flags =
		GIT_REPOSITORY_INIT_BARE | GIT_REPOSITORY_INIT_MKDIR | GIT_REPOSITORY_INIT_MKPATH;
	options.description = "perfevo: results on their way to and from other repositories";
	rc = git_repository_init_ext(out, dir, &options);
	return rc < 0 ? pe_vcs_fail(err, rc, "cannot make %s, the repository of shared results",
				    dir)
		      : PE_OK;
}

int pe_bundles_open(struct pe_bundles **out, struct pe_repo *repo, struct pe_err *err)
{
	struct pe_bundles *bundles = pe_realloc(NULL, 1, sizeof(*bundles));
	int rc;

	*bundles = (struct pe_bundles){.dir = PE_TEXT_INIT};
	pe_text_addf(&bundles->dir, "%s/perfevo/exchange.git", repo->common_dir);
	rc = open_or_make(&bundles->git, pe_text_str(&bundles->dir), err);
	if (rc != PE_OK) {
		pe_bundles_close(bundles);
		bundles = NULL;
	}
	*out = bundles;
	return rc;
}

void pe_bundles_close(struct pe_bundles *bundles)
{
	if (bundles == NULL)
		return;
	git_treebuilder_free(bundles->tree);
	git_repository_free(bundles->git);
	pe_text_release(&bundles->dir);
	free(bundles);
}

const char *pe_bundles_dir(const struct pe_bundles *bundles)
{
	return pe_text_str(&bundles->dir);
}

/* --- Making a bundle --- */

int pe_bundles_add(struct pe_bundles *bundles, const struct pe_text *document, struct pe_err *err)
{
	char name[PE_OID_HEX + sizeof(SUFFIX)];
	git_oid blob;
	int rc = 0;

	if (bundles->tree == NULL)
		rc = git_treebuilder_new(&bundles->tree, bundles->git, NULL);
	if (rc == 0)
		rc = git_blob_create_from_buffer(&blob, bundles->git, pe_text_str(document),
						 document->len);
	if (rc == 0) {
		git_oid_tostr(name, PE_OID_HEX, &blob);
		memcpy(name + PE_OID_HEX - 1, SUFFIX, sizeof(SUFFIX));
		rc = git_treebuilder_insert(NULL, bundles->tree, name, &blob, GIT_FILEMODE_BLOB);
	}
	return rc < 0 ? pe_vcs_fail(err, rc, "cannot write to %s", pe_bundles_dir(bundles)) : PE_OK;
}

static int write_bundle(char name[PE_OID_HEX], struct pe_bundles *bundles, int64_t time_s)
{
	char ref[sizeof(PE_BUNDLE_REFS) + PE_OID_HEX];
	git_signature *self = NULL;
	git_reference *made = NULL;
	git_tree *tree = NULL;
	git_oid id, commit;
	int rc = git_treebuilder_write(&id, bundles->tree);

	if (rc == 0)
		rc = git_tree_lookup(&tree, bundles->git, &id);
	if (rc == 0)
		rc = git_signature_new(&self, "perfevo", "perfevo@localhost", time_s, 0);
	if (rc == 0)
		rc = git_commit_create(&commit, bundles->git, NULL, self, self, NULL,
				       "results of perfevo\n", tree, 0, NULL);
	if (rc == 0) {
		git_oid_tostr(name, PE_OID_HEX, &id);
		snprintf(ref, sizeof(ref), "%s%s", PE_BUNDLE_REFS, name);
		rc = git_reference_create(&made, bundles->git, ref, &commit, 1, NULL);
	}
	git_reference_free(made);
	git_signature_free(self);
	git_tree_free(tree);
	return rc;
}

int pe_bundles_seal(char name[PE_OID_HEX], struct pe_bundles *bundles, int64_t time_s,
		    struct pe_err *err)
{
	int rc;

	name[0] = '\0';
	if (bundles->tree == NULL)
		return PE_OK;
	rc = write_bundle(name, bundles, time_s);
	git_treebuilder_free(bundles->tree);
	bundles->tree = NULL;
	return rc < 0 ? pe_vcs_fail(err, rc, "cannot write to %s", pe_bundles_dir(bundles)) : PE_OK;
}

/* --- Reading bundles --- */

static int compare_names(const void *a, const void *b)
{
	const char *const *left = a, *const *right = b;

	return strcmp(*left, *right);
}

int pe_bundles_list(const char ***out, size_t *n, struct pe_bundles *bundles,
		    struct pe_arena *arena, struct pe_err *err)
{
	PE_VEC(const char *) names = {NULL, 0, 0};
	git_reference_iterator *refs = NULL;
	const char *ref;
	int rc = git_reference_iterator_glob_new(&refs, bundles->git, PE_BUNDLE_REFS "*");

	while (rc == 0 && (rc = git_reference_next_name(&ref, refs)) == 0)
		if (strlen(ref) == strlen(PE_BUNDLE_REFS) + PE_OID_HEX - 1)
			pe_vec_push(&names, pe_arena_strdup(arena, ref + strlen(PE_BUNDLE_REFS)));
	git_reference_iterator_free(refs);
	*n = names.n;
	*out = pe_arena_new(arena, const char *, names.n);
	if (names.n != 0) {
		memcpy(*out, names.data, names.n * sizeof(**out));
		qsort(*out, *n, sizeof(**out), compare_names);
	}
	pe_vec_release(&names);
	return rc != 0 && rc != GIT_ITEROVER
		       ? pe_vcs_fail(err, rc, "cannot list what is in %s", pe_bundles_dir(bundles))
		       : PE_OK;
}

static int read_document(struct pe_bundles *bundles, const git_tree_entry *entry, size_t most,
			 pe_bundle_fn fn, void *payload, struct pe_err *err)
{
	git_blob *blob = NULL;
	int rc;

	if (git_tree_entry_type(entry) != GIT_OBJECT_BLOB)
		return pe_fail(err, PE_EINVALID, "%s is no file", git_tree_entry_name(entry));
	rc = git_blob_lookup(&blob, bundles->git, git_tree_entry_id(entry));
	if (rc < 0)
		return pe_vcs_fail(err, rc, "cannot read %s", git_tree_entry_name(entry));
	if ((uint64_t)git_blob_rawsize(blob) > most)
		rc = pe_fail(err, PE_EINVALID, "%s is larger than %zu bytes",
			     git_tree_entry_name(entry), most);
	else
		rc = fn(git_blob_rawcontent(blob), (size_t)git_blob_rawsize(blob), payload);
	git_blob_free(blob);
	return rc;
}

int pe_bundles_read(struct pe_bundles *bundles, const char *name, size_t most, pe_bundle_fn fn,
		    void *payload, struct pe_err *err)
{
	char ref[sizeof(PE_BUNDLE_REFS) + PE_OID_HEX];
	git_object *object = NULL;
	git_tree *tree = NULL;
	int rc;

	snprintf(ref, sizeof(ref), "%s%s", PE_BUNDLE_REFS, name);
	rc = git_revparse_single(&object, bundles->git, ref);
	if (rc == 0)
		rc = git_object_peel((git_object **)&tree, object, GIT_OBJECT_TREE);
	git_object_free(object);
	if (rc < 0)
		return pe_vcs_fail(err, rc, "%s is no bundle of results", ref);
	for (size_t i = 0; rc == 0 && i < git_tree_entrycount(tree); i++)
		rc = read_document(bundles, git_tree_entry_byindex(tree, i), most, fn, payload,
				   err);
	git_tree_free(tree);
	return rc;
}
