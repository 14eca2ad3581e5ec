#include "app/cluster/spool.h"

#include "core/base/array.h"
#include "core/base/files.h"
#include "core/base/sort.h"
#include "core/json/tree.h"
#include "core/json/writer.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

const char *pe_spool_path(struct pe_app *app)
{
	if (app->config != NULL && app->config->farm.spool != NULL)
		return app->config->farm.spool;
	return pe_arena_printf(app->arena, "%s-farm", pe_app_store_path(app));
}

int pe_spool_make(struct pe_app *app, const char *spool)
{
	static const char *const folders[] = {"shards", "stores", "pieces",
					      "nodes",  "logs",   "refused"};
	int rc = pe_files_own_dir(spool, app->err);

	if (rc != PE_OK)
		pe_err_context(app->err, "cannot use the spool folder %s", spool);
	PE_TRY(rc);
	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++)
		PE_TRY(pe_files_make_dir(pe_arena_printf(app->arena, "%s/%s", spool, folders[i]),
					 app->err));
	return PE_OK;
}

/* Over a network, too: Linux has the file server lock, for which the file must be open for writing. */
int pe_spool_lock(int *out, struct pe_app *app, const char *spool)
{
	const char *path = pe_arena_printf(app->arena, "%s/lock", spool);

	*out = open(path, O_RDWR | O_CLOEXEC | O_CREAT, 0600);
	if (*out < 0)
		return pe_fail_errno(app->err, "cannot open %s", path);
	if (flock(*out, LOCK_EX | LOCK_NB) == 0)
		return PE_OK;
	close(*out);
	*out = -1;
	return pe_fail(app->err, PE_EBUSY,
		       "another perfevo hands out the work of %s: wait until it is done", spool);
}

/* --- Files named by their content --- */

static void name_of(char name[PE_HASH_HEX], const struct pe_text *content)
{
	struct pe_hash hash;

	pe_hash_init(&hash);
	pe_hash_bytes(&hash, pe_text_str(content), content->len);
	pe_hash_hex(&hash, name);
}

int pe_spool_put(char name[PE_HASH_HEX], struct pe_app *app, const char *spool, const char *folder,
		 const struct pe_text *content)
{
	name_of(name, content);
	return pe_text_write_file(
		content, pe_arena_printf(app->arena, "%s/%s/%s", spool, folder, name), app->err);
}

int pe_spool_get(struct pe_text *out, struct pe_app *app, const char *spool, const char *folder,
		 const char *name)
{
	const char *path = pe_arena_printf(app->arena, "%s/%s/%s", spool, folder, name);
	char is[PE_HASH_HEX];

	pe_text_clear(out);
	PE_TRY(pe_text_read_file(out, path, app->err));
	name_of(is, out);
	return strcmp(is, name) == 0
		       ? PE_OK
		       : pe_fail(app->err, PE_EINVALID, "%s was cut short or altered", path);
}

static bool is_hash(const char *name)
{
	return strlen(name) == PE_HASH_HEX - 1 &&
	       strspn(name, "0123456789abcdef") == PE_HASH_HEX - 1;
}

int pe_spool_list(struct pe_strings *out, const char *spool, const char *folder,
		  struct pe_arena *arena, struct pe_err *err)
{
	const char *path = pe_arena_printf(arena, "%s/%s", spool, folder);
	pe_auto_free PE_VEC(const char *) names = {NULL, 0, 0};
	DIR *dir = opendir(path);
	const char **copy;

	*out = (struct pe_strings){NULL, 0};
	if (dir == NULL && errno == ENOENT)
		return PE_OK;
	if (dir == NULL)
		return pe_fail_errno(err, "cannot read %s", path);
	for (struct dirent *entry; (entry = readdir(dir)) != NULL;)
		if (is_hash(entry->d_name))
			pe_vec_push(&names, pe_arena_strdup(arena, entry->d_name));
	closedir(dir);
	pe_sort(names.data, names.n, pe_string_order);
	copy = pe_vec_copy(arena, &names);
	*out = (struct pe_strings){copy, names.n};
	return PE_OK;
}

/* --- Pieces --- */

static const char *const states[] = {
	[PE_PIECE_PART] = "part",
	[PE_PIECE_DONE] = "done",
	[PE_PIECE_FAILED] = "failed",
};

/* A line of JSON, and behind it the documents as they are. */
int pe_piece_put(char name[PE_HASH_HEX], struct pe_app *app, const char *spool,
		 const struct pe_piece *piece)
{
	pe_auto_text text = PE_TEXT_INIT;
	struct pe_json json = PE_JSON_INIT(&text);

	pe_json_begin_object(&json, NULL);
	pe_json_put(&json, "state", states[piece->state]);
	pe_json_members(&json, piece, shard, node, failure, time_ns);
	pe_json_finish(&json);
	pe_text_add(&text, piece->documents);
	return pe_spool_put(name, app, spool, "pieces", &text);
}

static bool read_state(enum pe_piece_state *out, const struct pe_json_value *from)
{
	for (size_t k = 0; k < sizeof(states) / sizeof(*states); k++)
		if (pe_json_equals(from, states[k])) {
			*out = (enum pe_piece_state)k;
			return true;
		}
	return false;
}

static int read_head(struct pe_piece *out, const char *line, size_t n, struct pe_arena *arena,
		     struct pe_err *err)
{
	const struct pe_json_value *top;

	PE_TRY(pe_json_tree(&top, line, n, arena, err));
	*out = (struct pe_piece){
		.shard = pe_json_string(pe_json_member(top, "shard")),
		.node = pe_json_string(pe_json_member(top, "node")),
		.failure = pe_json_string(pe_json_member(top, "failure")),
		.time_ns = pe_json_whole(pe_json_member(top, "time_ns"), 0),
	};
	if (!read_state(&out->state, pe_json_member(top, "state")) || out->shard == NULL ||
	    !is_hash(out->shard) || out->node == NULL || out->node[0] == '\0' ||
	    (out->failure == NULL) != (out->state != PE_PIECE_FAILED))
		return pe_fail(err, PE_EINVALID, "it is no piece of results");
	return PE_OK;
}

int pe_piece_get(struct pe_piece *out, struct pe_app *app, const char *spool, const char *name,
		 struct pe_arena *arena)
{
	pe_auto_text text = PE_TEXT_INIT;
	const char *line, *end;

	PE_TRY(pe_spool_get(&text, app, spool, "pieces", name));
	line = pe_text_str(&text);
	end = strchr(line, '\n');
	if (end == NULL)
		return pe_fail(app->err, PE_EINVALID, "it is no piece of results");
	PE_TRY(read_head(out, line, (size_t)(end - line), arena, app->err));
	out->documents = pe_arena_strdup(arena, end + 1);
	return PE_OK;
}
