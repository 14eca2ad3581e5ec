#include "vcs/content.h"

#include "core/base/files.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/stat.h>

enum attribute { A_TEXT, A_EOL, A_CRLF, A_IDENT, A_FILTER, A_ENCODING, N_ATTRIBUTES };

static const char *attribute_names[N_ATTRIBUTES] = {
	"text", "eol", "crlf", "ident", "filter", "working-tree-encoding",
};

void pe_content_release(struct pe_content *content)
{
	git_blob_free(content->blob);
	git_buf_dispose(&content->filtered);
	pe_text_release(&content->encoded);
	if (content->mapped != NULL)
		munmap(content->mapped, content->size);
	memset(content, 0, sizeof(*content));
}

static const struct pe_tree_root *root_of(const struct pe_tree *tree, const struct pe_row *row)
{
	return &tree->roots.data[row->root];
}

/* The path inside its own repository: attributes do not reach into submodules. */
static const char *inner_path(const struct pe_tree_root *root, const struct pe_row *row)
{
	return row->path + strlen(root->prefix);
}

static int read_attributes(const char *values[N_ATTRIBUTES], const struct pe_tree_root *root,
			   const struct pe_row *row, struct pe_err *err)
{
	git_attr_options options = {.version = GIT_ATTR_OPTIONS_VERSION};

	options.flags = GIT_ATTR_CHECK_INDEX_ONLY | GIT_ATTR_CHECK_INCLUDE_COMMIT;
	git_oid_cpy(&options.attr_commit_id, &root->commit);
	if (git_attr_get_many_ext(values, root->origin->git, &options, inner_path(root, row),
				  N_ATTRIBUTES, attribute_names) < 0)
		return pe_vcs_fail(err, GIT_ERROR, "cannot read the attributes of '%s'", row->path);
	return 0;
}

/* -- Git LFS ---------------------------------------------------------------------------------------------- */

/* A pointer file (git-lfs, docs/spec.md): version first, then "oid sha256:<64 hex>" and "size <n>". */
static bool parse_pointer(char oid[65], uint64_t *size, const char *data, size_t n)
{
	static const char version[] = "version https://git-lfs.github.com/spec/v1\n";
	char text[1024];
	const char *at;

	if (n >= sizeof(text) || n < sizeof(version) ||
	    memcmp(data, version, sizeof(version) - 1) != 0)
		return false;
	memcpy(text, data, n);
	text[n] = '\0';
	at = strstr(text, "\noid sha256:");
	if (at == NULL || strspn(at + 12, "0123456789abcdef") != 64)
		return false;
	memcpy(oid, at + 12, 64);
	oid[64] = '\0';
	at = strstr(text, "\nsize ");
	if (at == NULL || !isdigit((unsigned char)at[6]))
		return false;
	*size = strtoull(at + 6, NULL, 10);
	return true;
}

/* An object of another size is a download that was broken off. */
static bool map_lfs_object(struct pe_content *out, const struct pe_origin *origin, const char *oid,
			   uint64_t size)
{
	pe_auto_text path = PE_TEXT_INIT;
	void *mapped = MAP_FAILED;
	struct stat st;
	pe_auto_fd fd = -1;

	if (origin->lfs_dir == NULL || size == 0) /* nothing is no object of Git LFS */
		return false;
	pe_text_addf(&path, "%s/objects/%.2s/%.2s/%s", origin->lfs_dir, oid, oid + 2, oid);
	fd = open(path.data, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (uint64_t)st.st_size == size)
		mapped = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (mapped == MAP_FAILED)
		return false;
	out->mapped = mapped;
	out->data = mapped;
	out->size = size;
	return true;
}

/* -- conversions ------------------------------------------------------------------------------------------ */

static int apply_filters(struct pe_content *out, const struct pe_tree_root *root,
			 const struct pe_row *row, struct pe_err *err)
{
	git_filter_options options = {.version = GIT_FILTER_OPTIONS_VERSION};
	git_filter_list *filters = NULL;
	int rc;

	options.flags = GIT_FILTER_ALLOW_UNSAFE | GIT_FILTER_ATTRIBUTES_FROM_COMMIT;
	git_oid_cpy(&options.attr_commit_id, &root->commit);
	rc = git_filter_list_load_ext(&filters, root->origin->git, out->blob, inner_path(root, row),
				      GIT_FILTER_TO_WORKTREE, &options);
	if (rc == 0 && filters != NULL) {
		rc = git_filter_list_apply_to_blob(&out->filtered, filters, out->blob);
		if (rc == 0) {
			out->data = out->filtered.ptr;
			out->size = out->filtered.size;
		}
	}
	git_filter_list_free(filters);
	return rc < 0 ? pe_vcs_fail(err, GIT_ERROR, "cannot convert '%s'", row->path) : 0;
}

/* As in git, bytes that do not convert stay as they are; "UTF-16LE-BOM" is git's own name. */
static void apply_encoding(struct pe_content *out, const char *encoding)
{
	bool bom = strcasecmp(encoding, "UTF-16LE-BOM") == 0;

	if (strcasecmp(encoding, "UTF-8") == 0)
		return;
	if (bom)
		pe_text_addn(&out->encoded, "\xFF\xFE", 2);
	if (pe_vcs_convert(&out->encoded, out->data, out->size, bom ? "UTF-16LE" : encoding,
			   "UTF-8")) {
		out->data = pe_text_str(&out->encoded);
		out->size = out->encoded.len;
	}
}

/* A filter driver that a checkout would run; one that is 'cat' changes nothing. */
static bool runs_filter(const struct pe_tree_root *root, const char *name)
{
	git_buf smudge = GIT_BUF_INIT;
	pe_auto_config *config = NULL;
	pe_auto_text key = PE_TEXT_INIT;
	bool runs = false;

	if (git_repository_config(&config, root->origin->git) < 0)
		return false;
	for (int i = 0; i < 2 && !runs; i++) {
		pe_text_clear(&key);
		pe_text_addf(&key, "filter.%s.%s", name, i == 0 ? "smudge" : "process");
		runs = git_config_get_string_buf(&smudge, config, pe_text_str(&key)) == 0 &&
		       smudge.size > 0 && strcmp(smudge.ptr, "cat") != 0;
		git_buf_dispose(&smudge);
	}
	return runs;
}

/* A tree with another content than a checkout has is not measured. */
static int refuse_filter(const struct pe_tree_root *root, const struct pe_row *row,
			 const char *name, struct pe_err *err)
{
	const struct pe_origin *origin = root->origin;
	pe_auto_text here = PE_TEXT_INIT;

	pe_text_add_word(&here, origin->workdir != NULL ? origin->workdir : origin->git_dir);
	if (strcmp(name, "lfs") != 0)
		return pe_fail(
			err, PE_EUNSUPPORTED,
			"'%s' passes git's filter '%s', which is not run for the trees of commits: leave it out where no build needs it, 'tree: {exclude: [%s]}'",
			row->path, name, row->path);
	return pe_fail(
		err, PE_EUNSUPPORTED,
		"'%s' is kept in Git LFS and is not here: run 'git -C %s lfs fetch --all', or leave it out where no build needs it, 'tree: {exclude: [%s]}'",
		row->path, pe_text_str(&here), row->path);
}

static bool is_set(const char *value)
{
	return git_attr_value(value) != GIT_ATTR_VALUE_UNSPECIFIED;
}

static int convert(struct pe_content *out, const struct pe_tree *tree, const struct pe_row *row,
		   struct pe_err *err)
{
	const struct pe_tree_root *root = root_of(tree, row);
	const char *values[N_ATTRIBUTES];
	bool applies = root->origin->converts;
	char oid[65];
	uint64_t size;

	PE_TRY(read_attributes(values, root, row, err));
	if (git_attr_value(values[A_FILTER]) == GIT_ATTR_VALUE_STRING) {
		bool is_lfs = strcmp(values[A_FILTER], "lfs") == 0;

		if (is_lfs && parse_pointer(oid, &size, out->data, out->size))
			return map_lfs_object(out, root->origin, oid, size)
				       ? PE_OK
				       : refuse_filter(root, row, "lfs", err);
		if (!is_lfs && runs_filter(root, values[A_FILTER]))
			return refuse_filter(root, row, values[A_FILTER], err);
	}
	/* Asking the filters only where one can apply halves the cost of a first fill. */
	for (size_t i = 0; i < N_ATTRIBUTES; i++)
		applies |= is_set(values[i]);
	if (applies)
		PE_TRY(apply_filters(out, root, row, err));
	if (git_attr_value(values[A_ENCODING]) == GIT_ATTR_VALUE_STRING)
		apply_encoding(out, values[A_ENCODING]);
	return PE_OK;
}

uint64_t pe_content_raw_size(const struct pe_tree *tree, const struct pe_row *row)
{
	pe_auto_odb *odb = NULL;
	git_object_t type;
	size_t size;

	return git_repository_odb(&odb, root_of(tree, row)->origin->git) == 0 &&
			       git_odb_read_header(&size, &type, odb, &row->id) == 0
		       ? size
		       : 0;
}

int pe_content_load(struct pe_content *out, const struct pe_tree *tree, const struct pe_row *row,
		    struct pe_err *err)
{
	const struct pe_tree_root *root = root_of(tree, row);
	int rc = git_blob_lookup(&out->blob, root->origin->git, &row->id);

	if (rc < 0) {
		char what[300];

		snprintf(what, sizeof(what), "'%.280s'", row->path);
		return pe_vcs_fail_object(err, rc, root->origin, &row->id, what);
	}
	out->data = git_blob_rawcontent(out->blob);
	out->size = (size_t)git_blob_rawsize(out->blob);
	if (out->data == NULL)
		out->data = "";
	return row_is_file(row) && (root->has_attributes || root->origin->converts)
		       ? convert(out, tree, row, err)
		       : PE_OK;
}
