/*
 * CMake's file API (cmake-file-api(7)), object kind "codemodel" version 2: an index file names the
 * code model, the code model names one file a target.
 */
#include "core/base/text.h"
#include "core/base/vec.h"
#include "json/document.h"
#include "json/json.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>

typedef PE_VEC(const char *) string_vec;
typedef PE_VEC(struct pe_cmake_target) target_vec;

static struct pe_strings take_strings(string_vec *vec, struct pe_arena *arena)
{
	const char **at = pe_arena_new(arena, const char *, vec->n + 1);
	size_t n = vec->n;

	if (n > 0)
		memcpy(at, vec->data, n * sizeof(*at));
	pe_vec_release(vec);
	return (struct pe_strings){.at = at, .n = n};
}

static int parse_file(struct json_object **out, const char *dir, const char *name,
		      struct pe_err *err)
{
	struct pe_text path = PE_TEXT_INIT, text = PE_TEXT_INIT;
	int rc;

	*out = NULL;
	pe_text_addf(&path, "%s/%s", dir, name);
	rc = pe_text_read_file(&text, path.data, err);
	if (rc == PE_OK)
		rc = pe_json_parse(out, pe_text_str(&text), text.len, err);
	if (rc == PE_EINVALID)
		pe_err_context(err, "%s", path.data);
	pe_text_release(&text);
	pe_text_release(&path);
	return rc;
}

/* cmake-file-api(7): where several index files are left, the largest name is the newest. */
static int newest_index(const char **out, const char *reply, struct pe_arena *arena,
			struct pe_err *err)
{
	DIR *dir = opendir(reply);
	const char *newest = NULL;

	if (dir == NULL && (errno == ENOENT || errno == ENOTDIR))
		return pe_fail(err, PE_ENOTFOUND, "%s: no reply of CMake's file API", reply);
	if (dir == NULL)
		return pe_fail_errno(err, "cannot read %s", reply);
	for (const struct dirent *entry; (entry = readdir(dir)) != NULL;)
		if (strncmp(entry->d_name, "index-", 6) == 0 &&
		    (newest == NULL || strcmp(entry->d_name, newest) > 0))
			newest = pe_arena_strdup(arena, entry->d_name);
	closedir(dir);
	if (newest == NULL)
		return pe_fail(err, PE_ENOTFOUND, "%s: no reply of CMake's file API", reply);
	*out = newest;
	return PE_OK;
}

static struct pe_strings paths_of(const struct json_object *array, const char *base,
				  struct pe_arena *arena)
{
	string_vec paths = {0};

	for (size_t i = 0; i < pe_json_length(array); i++) {
		const struct json_object *entry = json_object_array_get_idx(array, i);
		const char *path = json_object_get_string(pe_json_member(entry, "path"));

		if (path == NULL || json_object_get_boolean(pe_json_member(entry, "isGenerated")))
			continue;
		pe_vec_push(&paths, path[0] == '/' ? pe_arena_strdup(arena, path)
						   : pe_arena_printf(arena, "%s/%s", base, path));
	}
	return take_strings(&paths, arena);
}

static int read_target(target_vec *targets, const char *reply, const char *file,
		       const char *source_dir, const char *build_dir, struct pe_arena *arena,
		       struct pe_err *err)
{
	struct json_object *root;
	const char *type;
	int rc = parse_file(&root, reply, file, err);

	if (rc != PE_OK)
		return rc;
	type = json_object_get_string(pe_json_member(root, "type"));
	if (type != NULL && strcmp(type, "EXECUTABLE") == 0) {
		struct pe_cmake_target target = {
			.name = pe_json_string(root, "name", arena),
			.artifacts = paths_of(pe_json_member(root, "artifacts"), build_dir, arena),
			.sources = paths_of(pe_json_member(root, "sources"), source_dir, arena),
		};

		pe_vec_push(targets, target);
	}
	json_object_put(root);
	return PE_OK;
}

static int read_model(target_vec *targets, const char *reply, const struct json_object *model,
		      const char *build_dir, struct pe_arena *arena, struct pe_err *err)
{
	const struct json_object *paths = pe_json_member(model, "paths");
	const struct json_object *configurations = pe_json_member(model, "configurations");
	const char *source = pe_json_string(paths, "source", arena);
	const char *build = pe_json_string(paths, "build", arena);
	const struct json_object *listed;

	/* A generator of several configurations lists each target once for each: the first will do.
	 */
	listed = pe_json_length(configurations) > 0 ? json_object_array_get_idx(configurations, 0)
						    : NULL;
	listed = pe_json_member(listed, "targets");
	for (size_t i = 0; i < pe_json_length(listed); i++) {
		const char *file = json_object_get_string(
			pe_json_member(json_object_array_get_idx(listed, i), "jsonFile"));
		int rc = PE_OK;

		if (file != NULL)
			rc = read_target(targets, reply, file, source != NULL ? source : ".",
					 build != NULL ? build : build_dir, arena, err);
		if (rc != PE_OK)
			return rc;
	}
	return PE_OK;
}

int pe_json_cmake_targets(struct pe_cmake_target **out, size_t *n, const char *build_dir,
			  struct pe_arena *arena, struct pe_err *err)
{
	const char *reply = pe_arena_printf(arena, "%s/.cmake/api/v1/reply", build_dir);
	struct json_object *index = NULL, *model = NULL;
	target_vec targets = {0};
	const char *name = NULL;
	int rc;

	*out = NULL;
	*n = 0;
	rc = newest_index(&name, reply, arena, err);
	if (rc != PE_OK)
		return rc;
	rc = parse_file(&index, reply, name, err);
	if (rc != PE_OK)
		goto done;
	name = pe_json_string(pe_json_member(pe_json_member(index, "reply"), "codemodel-v2"),
			      "jsonFile", arena);
	if (name == NULL) {
		rc = pe_fail(err, PE_ENOTFOUND, "%s: CMake gave no code model", reply);
		goto done;
	}
	rc = parse_file(&model, reply, name, err);
	if (rc == PE_OK)
		rc = read_model(&targets, reply, model, build_dir, arena, err);
	if (rc == PE_OK) {
		*n = targets.n;
		*out = pe_arena_new(arena, struct pe_cmake_target, targets.n);
		if (targets.n > 0)
			memcpy(*out, targets.data, targets.n * sizeof(**out));
	}
done:
	pe_vec_release(&targets);
	json_object_put(model);
	json_object_put(index);
	return rc;
}
