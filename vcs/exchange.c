/* Exchange: bundles of results in a bare repository of perfevo's own. */
#include "vcs/exchange.h"

#include "vcs/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SUFFIX ".json"

struct pe_exchange {
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

int pe_exchange_open(struct pe_exchange **out, struct pe_repo *repo, struct pe_err *err)
{
	struct pe_exchange *exchange = pe_realloc(NULL, 1, sizeof(*exchange));
	int rc;

	*exchange = (struct pe_exchange){.dir = PE_TEXT_INIT};
	pe_text_addf(&exchange->dir, "%s/perfevo/exchange.git", repo->common_dir);
	rc = open_or_make(&exchange->git, pe_text_str(&exchange->dir), err);
	if (rc != PE_OK) {
		pe_exchange_close(exchange);
		exchange = NULL;
	}
	*out = exchange;
	return rc;
}

void pe_exchange_close(struct pe_exchange *exchange)
{
	if (exchange == NULL)
		return;
	git_treebuilder_free(exchange->tree);
	git_repository_free(exchange->git);
	pe_text_release(&exchange->dir);
	free(exchange);
}

const char *pe_exchange_dir(const struct pe_exchange *exchange)
{
	return pe_text_str(&exchange->dir);
}

/* --- Making a bundle --- */

int pe_exchange_add(struct pe_exchange *exchange, const struct pe_text *parcel, struct pe_err *err)
{
	char name[PE_OID_HEX + sizeof(SUFFIX)];
	git_oid blob;
	int rc = 0;

	if (exchange->tree == NULL)
		rc = git_treebuilder_new(&exchange->tree, exchange->git, NULL);
	if (rc == 0)
		rc = git_blob_create_from_buffer(&blob, exchange->git, pe_text_str(parcel),
						 parcel->len);
	if (rc == 0) {
		git_oid_tostr(name, PE_OID_HEX, &blob);
		memcpy(name + PE_OID_HEX - 1, SUFFIX, sizeof(SUFFIX));
		rc = git_treebuilder_insert(NULL, exchange->tree, name, &blob, GIT_FILEMODE_BLOB);
	}
	return rc < 0 ? pe_vcs_fail(err, rc, "cannot write to %s", pe_exchange_dir(exchange))
		      : PE_OK;
}

static int write_bundle(char name[PE_OID_HEX], struct pe_exchange *exchange, int64_t time_s)
{
	char ref[sizeof(PE_EXCHANGE_REFS) + PE_OID_HEX];
	git_signature *self = NULL;
	git_reference *made = NULL;
	git_tree *tree = NULL;
	git_oid id, commit;
	int rc = git_treebuilder_write(&id, exchange->tree);

	if (rc == 0)
		rc = git_tree_lookup(&tree, exchange->git, &id);
	if (rc == 0)
		rc = git_signature_new(&self, "perfevo", "perfevo@localhost", time_s, 0);
	if (rc == 0)
		rc = git_commit_create(&commit, exchange->git, NULL, self, self, NULL,
				       "results of perfevo\n", tree, 0, NULL);
	if (rc == 0) {
		git_oid_tostr(name, PE_OID_HEX, &id);
		snprintf(ref, sizeof(ref), "%s%s", PE_EXCHANGE_REFS, name);
		rc = git_reference_create(&made, exchange->git, ref, &commit, 1, NULL);
	}
	git_reference_free(made);
	git_signature_free(self);
	git_tree_free(tree);
	return rc;
}

int pe_exchange_seal(char name[PE_OID_HEX], struct pe_exchange *exchange, int64_t time_s,
		     struct pe_err *err)
{
	int rc;

	name[0] = '\0';
	if (exchange->tree == NULL)
		return PE_OK;
	rc = write_bundle(name, exchange, time_s);
	git_treebuilder_free(exchange->tree);
	exchange->tree = NULL;
	return rc < 0 ? pe_vcs_fail(err, rc, "cannot write to %s", pe_exchange_dir(exchange))
		      : PE_OK;
}

/* --- Reading bundles --- */

static int compare_names(const void *a, const void *b)
{
	const char *const *left = a, *const *right = b;

	return strcmp(*left, *right);
}

int pe_exchange_bundles(const char ***out, size_t *n, struct pe_exchange *exchange,
			struct pe_arena *arena, struct pe_err *err)
{
	PE_VEC(const char *) names = {NULL, 0, 0};
	git_reference_iterator *refs = NULL;
	const char *ref;
	int rc = git_reference_iterator_glob_new(&refs, exchange->git, PE_EXCHANGE_REFS "*");

	while (rc == 0 && (rc = git_reference_next_name(&ref, refs)) == 0)
		if (strlen(ref) == strlen(PE_EXCHANGE_REFS) + PE_OID_HEX - 1)
			pe_vec_push(&names, pe_arena_strdup(arena, ref + strlen(PE_EXCHANGE_REFS)));
	git_reference_iterator_free(refs);
	*n = names.n;
	*out = pe_arena_new(arena, const char *, names.n);
	if (names.n != 0) {
		memcpy(*out, names.data, names.n * sizeof(**out));
		qsort(*out, *n, sizeof(**out), compare_names);
	}
	pe_vec_release(&names);
	return rc != 0 && rc != GIT_ITEROVER ? pe_vcs_fail(err, rc, "cannot list what is in %s",
							   pe_exchange_dir(exchange))
					     : PE_OK;
}

static int read_parcel(struct pe_exchange *exchange, const git_tree_entry *entry, size_t most,
		       pe_exchange_fn fn, void *payload, struct pe_err *err)
{
	git_blob *blob = NULL;
	int rc;

	if (git_tree_entry_type(entry) != GIT_OBJECT_BLOB)
		return pe_fail(err, PE_EINVALID, "%s is no file", git_tree_entry_name(entry));
	rc = git_blob_lookup(&blob, exchange->git, git_tree_entry_id(entry));
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

int pe_exchange_read(struct pe_exchange *exchange, const char *name, size_t most, pe_exchange_fn fn,
		     void *payload, struct pe_err *err)
{
	char ref[sizeof(PE_EXCHANGE_REFS) + PE_OID_HEX];
	git_object *object = NULL;
	git_tree *tree = NULL;
	int rc;

	snprintf(ref, sizeof(ref), "%s%s", PE_EXCHANGE_REFS, name);
	rc = git_revparse_single(&object, exchange->git, ref);
	if (rc == 0)
		rc = git_object_peel((git_object **)&tree, object, GIT_OBJECT_TREE);
	git_object_free(object);
	if (rc < 0)
		return pe_vcs_fail(err, rc, "%s is no bundle of results", ref);
	for (size_t i = 0; rc == 0 && i < git_tree_entrycount(tree); i++)
		rc = read_parcel(exchange, git_tree_entry_byindex(tree, i), most, fn, payload, err);
	git_tree_free(tree);
	return rc;
}
