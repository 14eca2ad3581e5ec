#include "store/examine.h"

#include "store/place.h"
#include "store/schema.h"

#include <string.h>
#include <sys/stat.h>

/* A file of gigabytes takes minutes to walk through. */
enum { PATIENCE_S = 1200 };

static int measure_file(struct pe_store_health *out, struct pe_store *store, struct pe_err *err)
{
	int64_t page, pages, unused;

	PE_TRY(pe_sql_integer(&page, store, "PRAGMA page_size", NULL, err));
	PE_TRY(pe_sql_integer(&pages, store, "PRAGMA page_count", NULL, err));
	PE_TRY(pe_sql_integer(&unused, store, "PRAGMA freelist_count", NULL, err));
	out->bytes = (uint64_t)(page * pages);
	out->free_bytes = (uint64_t)(page * unused);
	return PE_OK;
}

/* What cannot even be walked through is damage, too. */
static void check_pages(struct pe_store_health *out, struct pe_store *store, struct pe_arena *arena)
{
	struct pe_err why = PE_ERR_INIT;
	const char **rows;
	size_t n;

	if (pe_sql_texts(&rows, &n, store, "PRAGMA integrity_check(5)", NULL, arena, &why) !=
	    PE_OK) {
		rows = pe_arena_new(arena, const char *, 1);
		rows[0] = pe_arena_strdup(arena, why.message);
		n = 1;
	}
	if (n == 1 && strcmp(rows[0], "ok") == 0)
		n = 0;
	out->damage = rows;
	out->n_damage = n;
}

static void check_schema(struct pe_store_health *out, struct pe_store *store,
			 struct pe_arena *arena)
{
	const struct pe_schema schema = pe_schema_current();
	struct pe_schema_state state = {0};
	struct pe_err why = PE_ERR_INIT;
	int rc = pe_schema_read(&state, store, &why);

	out->current = pe_schema_version(&schema);
	out->version = state.version;
	if (rc == PE_OK)
		rc = pe_schema_check(store, &state, &schema, &why);
	if (rc == PE_OK && state.version == out->current)
		rc = pe_schema_compare(store, &schema, &why);
	if (rc != PE_OK)
		out->foreign = pe_arena_strdup(arena, why.message);
}

static int look(struct pe_store_health *out, struct pe_store *store, struct pe_arena *arena,
		struct pe_err *err)
{
	struct pe_err why = PE_ERR_INIT;
	const char **journal;
	size_t n;

	PE_TRY(measure_file(out, store, err));
	PE_TRY(pe_sql_texts(&journal, &n, store, "PRAGMA journal_mode", NULL, arena, err));
	out->journal = n > 0 ? journal[0] : "";
	check_schema(out, store, arena);
	check_pages(out, store, arena);
	if (out->foreign == NULL && out->n_damage == 0 && out->version == out->current &&
	    /* Of tables that are ours, whose rows can be read. */
	    pe_sql_integer(&out->dangling, store, "SELECT count(*) FROM pragma_foreign_key_check",
			   NULL, &why) != PE_OK)
		out->foreign = pe_arena_strdup(arena, why.message);
	return PE_OK;
}

int pe_store_examine(struct pe_store_health *out, const char *path, struct pe_arena *arena,
		     struct pe_err *err)
{
	struct pe_store store = {.path = pe_arena_strdup(arena, path), .readonly = true};
	struct stat info;
	int rc;

	*out = (struct pe_store_health){.network = pe_network_of(path)};
	if (stat(path, &info) != 0)
		return pe_fail_errno(err, "cannot look at %s", path);
	out->open_to_others = (info.st_mode & S_IWOTH) != 0;
	rc = sqlite3_open_v2(path, &store.db, SQLITE_OPEN_READONLY | SQLITE_OPEN_PRIVATECACHE,
			     NULL);
	if (store.db == NULL)
		pe_out_of_memory(sizeof(store));
	if (rc != SQLITE_OK) {
		rc = pe_store_fail(&store, err);
	} else {
		sqlite3_extended_result_codes(store.db, 1);
		pe_sql_guard(&store);
		store.row_s = PATIENCE_S;
		rc = look(out, &store, arena, err);
	}
	pe_sql_disconnect(&store);
	return rc;
}
