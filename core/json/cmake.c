/*
 * CMake's file API (cmake-file-api(7)), object kind "codemodel" version 2: an index file names the
 * code model, the code model names one file a target.
 */
#include "core/base/text.h"
#include "core/base/walk.h"
#include "core/base/files.h"
#include "core/base/array.h"
#include "core/json/json.h"
#include "core/json/tree.h"

#include <errno.h>
#include <string.h>

typedef PE_VEC(struct pe_built_target) target_vec;

/* Of a reply; the largest known is of some MB. */
enum { MOST_BYTES = 256 << 20 };

static int parse_file(const struct pe_json_value **out, const char *dir, const char *name,
		      struct pe_arena *arena, struct pe_err *err)
{
	pe_auto_text path = PE_TEXT_INIT, text = PE_TEXT_INIT;
	int rc;

	pe_text_addf(&path, "%s/%s", dir, name);
	if (pe_files_read_found(&text, path.data, MOST_BYTES) != 0)
		return errno == ENOENT || errno == ENOTDIR
			       ? pe_fail(err, PE_ENOTFOUND, "%s: no such file", path.data)
			       : pe_fail_errno(err, "cannot read %s", path.data);
	rc = pe_json_tree(out, pe_text_str(&text), text.len, arena, err);
	if (rc != PE_OK)
		pe_err_context(err, "%s", path.data);
	return rc;
}

/* cmake-file-api(7): where several index files are left, the largest name is the newest. */
static int newest_index(const char **out, const char *reply, struct pe_arena *arena,
			struct pe_err *err)
{
	const char **names = pe_walk_names_of(reply, arena);

	*out = NULL;
	if (names == NULL && errno != ENOENT && errno != ENOTDIR)
		return pe_fail_errno(err, "cannot read %s", reply);
	for (; names != NULL && *names != NULL; names++)
		if (strncmp(*names, "index-", 6) == 0)
			*out = *names;
	return *out != NULL ? PE_OK
			    : pe_fail(err, PE_ENOTFOUND, "%s: no reply of CMake's file API", reply);
}

static struct pe_strings paths_of(const struct pe_json_value *array, const char *base,
				  struct pe_arena *arena)
{
	const char **at = pe_arena_new(arena, const char *, pe_json_length(array) + 1);
	size_t n = 0;

	for (size_t i = 0; i < pe_json_length(array); i++) {
		const char *path = pe_json_string(pe_json_member(&array->items[i], "path"));

		if (path != NULL && !pe_json_true(pe_json_member(&array->items[i], "isGenerated")))
			at[n++] =
				path[0] == '/' ? path : pe_arena_printf(arena, "%s/%s", base, path);
	}
	return (struct pe_strings){.at = at, .n = n};
}

static bool is_sanitized(const struct pe_json_value *target)
{
	const struct pe_json_value *groups = pe_json_member(target, "compileGroups"), *fragments;

	for (size_t i = 0; i < pe_json_length(groups); i++) {
		fragments = pe_json_member(&groups->items[i], "compileCommandFragments");
		for (size_t j = 0; j < pe_json_length(fragments); j++)
			if (strstr(pe_json_member(&fragments->items[j], "fragment")->text,
				   "-fsanitize=") != NULL)
				return true;
	}
	return false;
}

static int read_target(target_vec *targets, const char *reply, const char *file,
		       const char *source_dir, const char *build_dir, struct pe_arena *arena,
		       struct pe_err *err)
{
	const struct pe_json_value *root;

	PE_TRY(parse_file(&root, reply, file, arena, err));
	if (!pe_json_equals(pe_json_member(root, "type"), "EXECUTABLE"))
		return PE_OK;
	pe_vec_push(
		targets,
		(struct pe_built_target){
			.name = pe_json_string(pe_json_member(root, "name")),
			.artifacts = paths_of(pe_json_member(root, "artifacts"), build_dir, arena),
			.sources = paths_of(pe_json_member(root, "sources"), source_dir, arena),
			.sanitized = is_sanitized(root),
		});
	return PE_OK;
}

static int read_model(target_vec *targets, const char *reply, const struct pe_json_value *model,
		      const char *build_dir, struct pe_arena *arena, struct pe_err *err)
{
	const char *source = pe_json_string(pe_json_at(model, "paths.source"));
	const char *build = pe_json_string(pe_json_at(model, "paths.build"));
	/* A generator of several configurations lists each target once for each: the first will do. */
	const struct pe_json_value *listed = pe_json_member(
		pe_json_element(pe_json_member(model, "configurations"), 0), "targets");

	for (size_t i = 0; i < pe_json_length(listed); i++) {
		const char *file = pe_json_string(pe_json_member(&listed->items[i], "jsonFile"));

		if (file != NULL)
			PE_TRY(read_target(targets, reply, file, source != NULL ? source : ".",
					   build != NULL ? build : build_dir, arena, err));
	}
	return PE_OK;
}

int pe_json_cmake_targets(struct pe_built_target **out, size_t *n, const char *build_dir,
			  struct pe_arena *arena, struct pe_err *err)
{
	const char *reply = pe_arena_printf(arena, "%s/.cmake/api/v1/reply", build_dir);
	const struct pe_json_value *index, *model;
	pe_auto_free target_vec targets = {0};
	const char *name = NULL;

	*out = NULL;
	*n = 0;
	PE_TRY(newest_index(&name, reply, arena, err));
	PE_TRY(parse_file(&index, reply, name, arena, err));
	name = pe_json_string(pe_json_at(index, "reply.codemodel-v2.jsonFile"));
	if (name == NULL)
		return pe_fail(err, PE_ENOTFOUND, "%s: CMake gave no code model", reply);
	PE_TRY(parse_file(&model, reply, name, arena, err));
	PE_TRY(read_model(&targets, reply, model, build_dir, arena, err));
	*n = targets.n;
	*out = pe_vec_copy(arena, &targets);
	return PE_OK;
}
