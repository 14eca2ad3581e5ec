/* Exchange: bundles of results in a bare repository of perfevo's own. */
#define _GNU_SOURCE /* flock(2) */
#include "vcs/bundles.h"

#include "core/base/array.h"
#include "core/base/files.h"
#include "core/base/sort.h"
#include "core/base/walk.h"
#include "vcs/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SUFFIX ".json"

struct pe_bundles {
	git_repository *git;
	struct pe_text dir;
	git_treebuilder *tree; /* of the bundle that is being made; NULL: none */
	int lock;              /* held: no other process works in it */
};

static int remove_lock(const struct pe_walk_step *step, void *payload)
{
	const char *dot = strrchr(step->name, '.');

	(void)payload;
	if (step->is_dir)
		return PE_WALK_ENTER;
	if (dot != NULL && strcmp(dot, ".lock") == 0)
		unlinkat(step->dir, step->name, 0);
	return PE_WALK_PASS;
}

/* Git leaves its locks where a process is killed, and would refuse to write from then on. */
static int own_alone(struct pe_bundles *bundles, struct pe_err *err)
{
	const struct timespec pause = {.tv_nsec = 50 * 1000 * 1000};
	const struct pe_folder_walk walk = {.meet = remove_lock};
	pe_auto_text path = PE_TEXT_INIT;
	pe_auto_fd dir = -1;
	int tries = 600;

	if (pe_files_make_dir(pe_bundles_dir(bundles), err) != PE_OK)
		return PE_ESYS;
	pe_text_addf(&path, "%s-lock", pe_bundles_dir(bundles));
	bundles->lock = open(path.data, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (bundles->lock < 0)
		return pe_fail_errno(err, "cannot lock %s", path.data);
	while (flock(bundles->lock, LOCK_EX | LOCK_NB) < 0) {
		if (errno != EWOULDBLOCK || tries-- == 0)
			return pe_fail(
				err, PE_EBUSY,
				"another process has been writing %s for 30 s: wait until it is done (or end it) and run again",
				pe_bundles_dir(bundles));
		nanosleep(&pause, NULL);
	}
	dir = pe_walk_open(AT_FDCWD, pe_bundles_dir(bundles));
	if (dir >= 0)
		pe_walk_folder(dir, &walk, NULL);
	return PE_OK;
}

static int sync_one(const struct pe_walk_step *step, void *payload)
{
	pe_auto_fd fd = step->is_dir
				? -1
				: openat(step->dir, step->name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);

	(void)payload;
	if (fd >= 0)
		fsync(fd);
	pe_files_sync_names(step->dir);
	return step->is_dir ? PE_WALK_ENTER : PE_WALK_PASS;
}

static void sync_folder(const char *path)
{
	const struct pe_folder_walk walk = {.meet = sync_one};
	pe_auto_fd dir = pe_walk_open(AT_FDCWD, path);

	if (dir >= 0)
		pe_walk_folder(dir, &walk, NULL);
}

/* libgit2 does not sync what a new repository consists of, and cannot open one without its settings: a whole one moves in. */
static int make(const char *dir, struct pe_err *err)
{
	git_repository_init_options options = {.version = GIT_REPOSITORY_INIT_OPTIONS_VERSION};
	git_repository *git = NULL;
	pe_auto_text part = PE_TEXT_INIT;
	int rc;

	options.flags =
		GIT_REPOSITORY_INIT_BARE | GIT_REPOSITORY_INIT_MKDIR | GIT_REPOSITORY_INIT_MKPATH;
	options.description = "perfevo: results on their way to and from other repositories";
	pe_text_addf(&part, "%s.part", dir);
	pe_files_remove(pe_text_str(&part), NULL);
	rc = git_repository_init_ext(&git, pe_text_str(&part), &options);
	git_repository_free(git);
	git = NULL;
	if (rc < 0)
		return pe_vcs_fail(err, rc, "cannot make %s, the repository of shared results",
				   dir);
	sync_folder(pe_text_str(&part));
	if (rename(pe_text_str(&part), dir) == 0)
		return PE_OK;
	if (errno != ENOTEMPTY && errno != EEXIST)
		return pe_fail_errno(err, "cannot make %s, the repository of shared results", dir);
	/* Somebody took its HEAD away: objects and refs stay. */
	pe_files_remove(pe_text_str(&part), NULL);
	rc = git_repository_init_ext(&git, dir, &options);
	git_repository_free(git);
	return rc < 0 ? pe_vcs_fail(err, rc, "cannot repair %s", dir) : PE_OK;
}

static int open_or_make(git_repository **out, const char *dir, struct pe_err *err)
{
	const unsigned flags = GIT_REPOSITORY_OPEN_NO_SEARCH | GIT_REPOSITORY_OPEN_BARE;
	int rc = pe_vcs_open_trusted(out, dir, flags);

	if (rc == GIT_ENOTFOUND) {
		PE_TRY(make(dir, err));
		rc = pe_vcs_open_trusted(out, dir, flags);
	}
	return rc < 0 ? pe_vcs_fail(err, rc, "cannot open %s", dir) : PE_OK;
}

int pe_bundles_open(struct pe_bundles **out, struct pe_repo *repo, struct pe_err *err)
{
	struct pe_bundles *bundles = pe_realloc(NULL, 1, sizeof(*bundles));
	int rc;

	*bundles = (struct pe_bundles){.dir = PE_TEXT_INIT, .lock = -1};
	pe_text_addf(&bundles->dir, "%s/perfevo/exchange.git", repo->common_dir);
	rc = own_alone(bundles, err);
	if (rc == PE_OK)
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
	if (bundles->lock >= 0)
		close(bundles->lock);
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

/* What is signed is what git signs: the commit, which names the tree, which names the documents. */
struct signing {
	pe_bundle_sign_fn sign;
	void *payload;
	struct pe_err *err;
};

static int write_commit(git_oid *out, struct pe_bundles *bundles, const git_tree *tree,
			const git_signature *self, const struct signing *signing)
{
	pe_auto_text signature = PE_TEXT_INIT;
	pe_auto_git_buf content = {0};

	PE_TRY(git_commit_create_buffer(&content, bundles->git, self, self, NULL,
					"results of perfevo\n", tree, 0, NULL));
	if (signing->sign != NULL)
		PE_TRY(signing->sign(&signature, content.ptr, signing->payload, signing->err));
	return git_commit_create_with_signature(
		out, bundles->git, content.ptr,
		signing->sign != NULL ? pe_text_str(&signature) : NULL, NULL);
}

static int write_bundle(char name[PE_OID_HEX], struct pe_bundles *bundles, int64_t time_s,
			const struct signing *signing)
{
	char ref[sizeof(PE_BUNDLE_REFS) + PE_OID_HEX];
	pe_auto_signature *self = NULL;
	pe_auto_reference *made = NULL;
	pe_auto_tree *tree = NULL;
	git_oid id, commit;

	PE_TRY(git_treebuilder_write(&id, bundles->tree));
	PE_TRY(git_tree_lookup(&tree, bundles->git, &id));
	PE_TRY(git_signature_new(&self, "perfevo", "perfevo@localhost", time_s, 0));
	PE_TRY(write_commit(&commit, bundles, tree, self, signing));
	git_oid_tostr(name, PE_OID_HEX, &id);
	snprintf(ref, sizeof(ref), "%s%s", PE_BUNDLE_REFS, name);
	return git_reference_create(&made, bundles->git, ref, &commit, 1, NULL);
}

int pe_bundles_seal(char name[PE_OID_HEX], struct pe_bundles *bundles, int64_t time_s,
		    pe_bundle_sign_fn sign, void *payload, struct pe_err *err)
{
	const struct signing signing = {sign, payload, err};
	int rc;

	name[0] = err->message[0] = '\0';
	if (bundles->tree == NULL)
		return PE_OK;
	rc = write_bundle(name, bundles, time_s, &signing);
	git_treebuilder_free(bundles->tree);
	bundles->tree = NULL;
	if (rc == 0 || err->message[0] != '\0')
		return rc;
	return pe_vcs_fail(err, rc, "cannot write to %s", pe_bundles_dir(bundles));
}

/* --- Reading bundles --- */

bool pe_bundles_has(struct pe_bundles *bundles, const char *name)
{
	char ref[sizeof(PE_BUNDLE_REFS) + PE_OID_HEX];
	git_oid id;

	snprintf(ref, sizeof(ref), "%s%s", PE_BUNDLE_REFS, name);
	return git_reference_name_to_id(&id, bundles->git, ref) == 0;
}

int pe_bundles_forget(struct pe_bundles *bundles, const char *name, struct pe_err *err)
{
	char ref[sizeof(PE_BUNDLE_REFS) + PE_OID_HEX];
	int rc;

	snprintf(ref, sizeof(ref), "%s%s", PE_BUNDLE_REFS, name);
	rc = git_reference_remove(bundles->git, ref);
	return rc == 0 || rc == GIT_ENOTFOUND ? PE_OK
					      : pe_vcs_fail(err, rc, "cannot remove %s from %s",
							    ref, pe_bundles_dir(bundles));
}

static int measure_pack(const struct pe_walk_step *step, void *payload)
{
	struct pe_bundles_size *size = payload;
	struct stat is;
	uint64_t bytes;

	if (step->is_dir || fstatat(step->dir, step->name, &is, AT_SYMLINK_NOFOLLOW) != 0)
		return PE_WALK_PASS;
	bytes = (uint64_t)is.st_size;
	if (strncmp(step->name, "tmp_", 4) != 0) {
		size->packs += bytes;
		return PE_WALK_PASS;
	}
	size->unfinished = bytes > size->unfinished ? bytes : size->unfinished;
	unlinkat(step->dir, step->name, 0);
	return PE_WALK_PASS;
}

void pe_bundles_measure(struct pe_bundles_size *out, struct pe_bundles *bundles)
{
	const struct pe_folder_walk walk = {.meet = measure_pack, .payload = out};
	pe_auto_text path = PE_TEXT_INIT;
	pe_auto_fd dir = -1;

	*out = (struct pe_bundles_size){0};
	pe_text_addf(&path, "%s/objects/pack", pe_bundles_dir(bundles));
	dir = pe_walk_open(AT_FDCWD, pe_text_str(&path));
	if (dir >= 0)
		pe_walk_folder(dir, &walk, NULL);
}

bool pe_bundles_is_name(const char *name)
{
	return strlen(name) == PE_OID_HEX - 1 && strspn(name, "0123456789abcdef") == PE_OID_HEX - 1;
}

int pe_bundles_list(const char ***out, size_t *n, struct pe_bundles *bundles,
		    struct pe_arena *arena, struct pe_err *err)
{
	pe_auto_free PE_VEC(const char *) names = {NULL, 0, 0};
	git_reference_iterator *refs = NULL;
	const char *ref;
	int rc = git_reference_iterator_glob_new(&refs, bundles->git, PE_BUNDLE_REFS "*");

	while (rc == 0 && (rc = git_reference_next_name(&ref, refs)) == 0)
		if (pe_bundles_is_name(ref + strlen(PE_BUNDLE_REFS)))
			pe_vec_push(&names, pe_arena_strdup(arena, ref + strlen(PE_BUNDLE_REFS)));
	git_reference_iterator_free(refs);
	*n = names.n;
	*out = pe_vec_copy(arena, &names);
	pe_sort(*out, *n, pe_string_order);
	return rc != 0 && rc != GIT_ITEROVER
		       ? pe_vcs_fail(err, rc, "cannot list what is in %s", pe_bundles_dir(bundles))
		       : PE_OK;
}

/* Commits and trees of bundles are small; the size of a received one is checked before it is read. */
enum { OBJECT_MOST = 256 << 10 };

struct looking {
	struct pe_bundles *bundles;
	git_odb *odb;
	const char *name;
	struct pe_arena *arena;
	struct pe_err *err;
};

static int is_no_bundle(const struct looking *looking, const char *why)
{
	return pe_fail(looking->err, PE_EINVALID, "it is no bundle of results: %s", why);
}

/* Read the header alone: nothing is inflated. */
static int check_size(size_t *size, const struct looking *looking, const git_oid *id,
		      git_object_t wanted, size_t most)
{
	git_object_t type;

	if (git_odb_read_header(size, &type, looking->odb, id) != 0)
		return is_no_bundle(looking, "an object of it is missing");
	if (type != wanted)
		return is_no_bundle(looking, "it holds something else than files");
	if (*size > most)
		return is_no_bundle(looking, "it is too large");
	return PE_OK;
}

static void look_at_signature(struct pe_bundle *out, const struct looking *looking, git_oid *commit)
{
	pe_auto_git_buf signature = {0}, content = {0};

	out->signature = NULL;
	if (git_commit_extract_signature(&signature, &content, looking->bundles->git, commit,
					 NULL) != 0)
		return;
	out->signature = pe_arena_strdup(looking->arena, signature.ptr);
	out->content = pe_arena_strndup(looking->arena, content.ptr, content.size);
}

static int look_at_tree(struct pe_bundle *out, const struct looking *looking, const git_tree *tree,
			size_t most)
{
	size_t left = most;

	out->n = git_tree_entrycount(tree);
	out->documents = pe_arena_new(looking->arena, struct pe_bundle_document, out->n);
	for (size_t i = 0; i < out->n; i++) {
		const git_oid *id = git_tree_entry_id(git_tree_entry_byindex(tree, i));
		struct pe_bundle_document *document = &out->documents[i];

		git_oid_tostr(document->id, sizeof(document->id), id);
		PE_TRY(check_size(&document->size, looking, id, GIT_OBJECT_BLOB, left));
		left -= document->size;
	}
	return PE_OK;
}

static int look(struct pe_bundle *out, const struct looking *looking, size_t most)
{
	char ref[sizeof(PE_BUNDLE_REFS) + PE_OID_HEX], tree_id[PE_OID_HEX];
	pe_auto_commit *commit = NULL;
	pe_auto_tree *tree = NULL;
	git_oid id;
	size_t size;

	snprintf(ref, sizeof(ref), "%s%s", PE_BUNDLE_REFS, looking->name);
	if (git_reference_name_to_id(&id, looking->bundles->git, ref) != 0)
		return is_no_bundle(looking, "its ref names no object");
	PE_TRY(check_size(&size, looking, &id, GIT_OBJECT_COMMIT, OBJECT_MOST));
	if (git_commit_lookup(&commit, looking->bundles->git, &id) != 0)
		return is_no_bundle(looking, "its commit cannot be read");
	git_oid_tostr(tree_id, sizeof(tree_id), git_commit_tree_id(commit));
	if (strcmp(tree_id, looking->name) != 0)
		return is_no_bundle(looking, "its name is not that of its content");
	PE_TRY(check_size(&size, looking, git_commit_tree_id(commit), GIT_OBJECT_TREE,
			  OBJECT_MOST));
	if (git_commit_tree(&tree, commit) != 0)
		return is_no_bundle(looking, "its tree cannot be read");
	look_at_signature(out, looking, &id);
	return look_at_tree(out, looking, tree, most);
}

int pe_bundles_look(struct pe_bundle *out, struct pe_bundles *bundles, const char *name,
		    size_t most, struct pe_arena *arena, struct pe_err *err)
{
	pe_auto_odb *odb = NULL;
	int rc = git_repository_odb(&odb, bundles->git);
	const struct looking looking = {bundles, odb, name, arena, err};

	*out = (struct pe_bundle){0};
	return rc < 0 ? pe_vcs_fail(err, rc, "cannot read %s", pe_bundles_dir(bundles))
		      : look(out, &looking, most);
}

int pe_bundles_read(const char **out, struct pe_bundles *bundles,
		    const struct pe_bundle_document *document, struct pe_arena *arena,
		    struct pe_err *err)
{
	pe_auto_blob *blob = NULL;
	git_oid id;
	char *copy;
	int rc = git_oid_fromstr(&id, document->id);

	if (rc == 0)
		rc = git_blob_lookup(&blob, bundles->git, &id);
	if (rc < 0)
		return pe_vcs_fail(err, rc, "cannot read %s", document->id);
	copy = pe_arena_new(arena, char, document->size + 1);
	if ((size_t)git_blob_rawsize(blob) == document->size)
		memcpy(copy, git_blob_rawcontent(blob), document->size);
	*out = copy;
	return PE_OK;
}
