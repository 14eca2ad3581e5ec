#include "vcs/content.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

enum attribute { A_TEXT, A_EOL, A_CRLF, A_IDENT, A_FILTER, A_ENCODING, N_ATTRIBUTES };

static const char *attribute_names[N_ATTRIBUTES] = {
	"text", "eol", "crlf", "ident", "filter", "working-tree-encoding",
};

void pe_content_release(struct pe_content *content)
{
	git_blob_free(content->blob);
	git_buf_dispose(&content->filtered);
	pe_text_release(&content->encoded);
	git_odb_stream_free(content->stream);
	if (content->has_fd)
		close(content->fd);
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

static bool can_convert(const struct pe_tree_root *root)
{
	return root->has_attributes || root->origin->converts;
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

static uint64_t hash_attributes(const char *values[N_ATTRIBUTES])
{
	struct pe_hash hash;
	bool any = false;

	pe_hash_init(&hash);
	for (size_t i = 0; i < N_ATTRIBUTES; i++) {
		git_attr_value_t kind = git_attr_value(values[i]);

		any |= kind != GIT_ATTR_VALUE_UNSPECIFIED;
		pe_hash_number(&hash, (uint64_t)kind);
		pe_hash_string(&hash, kind == GIT_ATTR_VALUE_STRING ? values[i] : NULL);
	}
	return any ? hash.low | 1 : 0;
}

int pe_content_attributes(uint64_t *out, const struct pe_tree *tree, const struct pe_row *row,
			  struct pe_err *err)
{
	const char *values[N_ATTRIBUTES];
	int rc;

	*out = 0;
	if (!row_is_file(row) || !can_convert(root_of(tree, row)))
		return 0;
	rc = read_attributes(values, root_of(tree, row), row, err);
	if (rc == 0)
		*out = hash_attributes(values);
	return rc;
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
static bool open_lfs_object(struct pe_content *out, const struct pe_origin *origin, const char *oid,
			    uint64_t size)
{
	struct pe_text path = PE_TEXT_INIT;
	struct stat st;
	int fd;

	if (origin->lfs_dir == NULL)
		return false;
	pe_text_addf(&path, "%s/objects/%.2s/%.2s/%s", origin->lfs_dir, oid, oid + 2, oid);
	fd = open(path.data, O_RDONLY | O_CLOEXEC);
	pe_text_release(&path);
	if (fd < 0)
		return false;
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || (uint64_t)st.st_size != size) {
		close(fd);
		return false;
	}
	out->fd = fd;
	out->has_fd = true;
	out->data = NULL;
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
	if (pe_vcs_convert(&out->encoded, out->data, (size_t)out->size, bom ? "UTF-16LE" : encoding,
			   "UTF-8")) {
		out->data = pe_text_str(&out->encoded);
		out->size = out->encoded.len;
	}
}

/* Whether Git LFS itself leaves a path's pointer in a checkout: 'lfs.fetchexclude' names it, or a folder above. */
static bool is_lfs_excluded(const struct pe_tree_root *root, const char *path)
{
	git_buf list = GIT_BUF_INIT;
	git_config *config = NULL;
	bool found = false;

	if (git_repository_config(&config, root->origin->git) == 0 &&
	    git_config_get_string_buf(&list, config, "lfs.fetchexclude") == 0)
		for (char *at = NULL, *one = strtok_r(list.ptr, ", ", &at); one != NULL && !found;
		     one = strtok_r(NULL, ", ", &at)) {
			size_t n;

			one += strspn(one, "/");
			n = strlen(one);
			while (n > 0 && strchr("/*", one[n - 1]) != NULL && one[0] != '*')
				one[--n] = '\0';
			found = n > 0 && (fnmatch(one, path, 0) == 0 ||
					  (strncmp(one, path, n) == 0 && path[n] == '/'));
		}
	git_config_free(config);
	git_buf_dispose(&list);
	return found;
}

/* A filter driver that a checkout would run; one that is 'cat' changes nothing. */
static bool runs_filter(const struct pe_tree_root *root, const char *name)
{
	git_buf smudge = GIT_BUF_INIT;
	git_config *config = NULL;
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
	git_config_free(config);
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
			"'%s' passes git's filter '%s', which is not run for the trees of commits",
			row->path, name);
	return pe_fail(
		err, PE_EUNSUPPORTED,
		"'%s' is kept in Git LFS and is not here: run 'git -C %s lfs fetch --all', or leave it out by 'git config lfs.fetchexclude PATH'",
		row->path, pe_text_str(&here));
}

static int convert(struct pe_content *out, const struct pe_tree *tree, struct pe_row *row,
		   struct pe_err *err)
{
	const struct pe_tree_root *root = root_of(tree, row);
	const char *values[N_ATTRIBUTES];
	char oid[65];
	uint64_t size;
	int rc = read_attributes(values, root, row, err);

	if (rc != 0)
		return rc;
	row->attributes = hash_attributes(values);
	if (git_attr_value(values[A_FILTER]) == GIT_ATTR_VALUE_STRING) {
		bool is_lfs = strcmp(values[A_FILTER], "lfs") == 0;

		if (is_lfs && parse_pointer(oid, &size, out->data, (size_t)out->size)) {
			row->pointer = !open_lfs_object(out, root->origin, oid, size);
			return row->pointer && !is_lfs_excluded(root, row->path)
				       ? refuse_filter(root, row, "lfs", err)
				       : 0;
		}
		if (!is_lfs && runs_filter(root, values[A_FILTER]))
			return refuse_filter(root, row, values[A_FILTER], err);
	}
	/* Asking the filters only where one can apply halves the cost of a first fill. */
	if (row->attributes != 0 || root->origin->converts)
		rc = apply_filters(out, root, row, err);
	if (rc == 0 && git_attr_value(values[A_ENCODING]) == GIT_ATTR_VALUE_STRING)
		apply_encoding(out, values[A_ENCODING]);
	return rc;
}

/* A large blob that needs no conversion, in pieces; libgit2 can do that for loose objects only. */
static bool open_stream(struct pe_content *out, const struct pe_tree *tree, struct pe_row *row)
{
	const struct pe_tree_root *root = root_of(tree, row);
	git_object_t type;
	git_odb *odb = NULL;
	size_t size = 0;

	row->attributes = 0;
	if (git_repository_odb(&odb, root->origin->git) < 0)
		return false;
	if (git_odb_read_header(&size, &type, odb, &row->id) == 0 && size >= PE_CONTENT_LARGE &&
	    !root->origin->converts &&
	    pe_content_attributes(&row->attributes, tree, row, NULL) == 0 && row->attributes == 0 &&
	    git_odb_open_rstream(&out->stream, &size, &type, odb, &row->id) == 0)
		out->size = size;
	git_odb_free(odb);
	return out->stream != NULL;
}

int pe_content_load(struct pe_content *out, const struct pe_tree *tree, struct pe_row *row,
		    struct pe_err *err)
{
	const struct pe_tree_root *root = root_of(tree, row);
	int rc;

	row->pointer = false;
	row->attributes = 0;
	if (row_is_file(row) && open_stream(out, tree, row))
		return 0;
	rc = git_blob_lookup(&out->blob, root->origin->git, &row->id);
	if (rc < 0) {
		char what[300];

		snprintf(what, sizeof(what), "'%.280s'", row->path);
		return pe_vcs_fail_object(err, rc, root->origin, &row->id, what);
	}
	out->data = git_blob_rawcontent(out->blob);
	out->size = (uint64_t)git_blob_rawsize(out->blob);
	if (out->data == NULL)
		out->data = "";
	return row_is_file(row) && can_convert(root) ? convert(out, tree, row, err) : 0;
}

int64_t pe_content_read(struct pe_content *content, char *buffer, size_t size, struct pe_err *err)
{
	ssize_t n;

	if (content->stream != NULL) {
		int got = git_odb_stream_read(content->stream, buffer, size);

		return got < 0 ? pe_vcs_fail(err, GIT_ERROR, "cannot read a large blob") : got;
	}
	do {
		n = read(content->fd, buffer, size);
	} while (n < 0 && errno == EINTR);
	return n < 0 ? pe_fail_errno(err, "cannot read a Git LFS object") : n;
}
