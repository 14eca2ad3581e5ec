/* Frames: the methods of all profiles, each once, their texts each once. */
#include "store/profiles.h"

/* --- Finding or adding --- */

#define KEY_OF(text) "(SELECT key FROM strings WHERE text = " text ")"
#define FRAME                                                                                      \
	"SELECT key FROM frames WHERE name = " KEY_OF("?1") " AND component = " KEY_OF(            \
		"?2") " AND signature = " KEY_OF("?3") " AND kind = ?4"

static int frame_key(uint64_t *out, struct pe_store *store, const struct pe_frame *frame,
		     struct pe_err *err)
{
	const struct pe_sql_arg *const args = ARGS(TEXT(frame->name), TEXT(frame->component),
						   TEXT(frame->signature), INT(frame->kind));
	int64_t key = 0;
	int rc = pe_sql_integer(&key, store, FRAME, args, err);

	if (rc == PE_ENOTFOUND) {
		PE_TRY(pe_sql_run(store,
				  "INSERT INTO strings (text) VALUES (?1), (?2), (?3)"
				  " ON CONFLICT DO NOTHING",
				  args, err));
		rc = pe_sql_run(store,
				"INSERT INTO frames (name, component, signature, kind) VALUES"
				" (" KEY_OF("?1") ", " KEY_OF("?2") ", " KEY_OF("?3") ", ?4)",
				args, err);
		key = sqlite3_last_insert_rowid(store->db);
	}
	*out = (uint64_t)key;
	return rc;
}

int pe_frames_put_keys(uint64_t *keys, struct pe_store *store, const struct pe_cct *cct,
		       struct pe_arena *arena, struct pe_err *err)
{
	uint32_t *used;
	size_t n;

	pe_archive_used(&used, &n, cct, arena);
	for (size_t i = 0; i < n; i++)
		PE_TRY(frame_key(&keys[used[i]], store, &cct->frames->at[used[i]], err));
	return PE_OK;
}

int pe_functions_put_keys(uint64_t *keys, struct pe_store *store,
			  const struct pe_function_counts *functions, struct pe_err *err)
{
	for (size_t i = 0; i < functions->n; i++) {
		const struct pe_function_count *one = &functions->at[i];
		const struct pe_frame frame = {.name = one->name,
					       .signature = one->signature,
					       .component = one->component,
					       .kind = PE_FRAME_METHOD};

		PE_TRY(frame_key(&keys[i], store, &frame, err));
	}
	return PE_OK;
}

/* --- Reading --- */

/* Keys as an array of JSON. */
static void add_keys(struct pe_text *out, const uint64_t *keys, size_t n)
{
	for (size_t i = 0; i < n; i++)
		pe_text_addf(out, "%c%lld", i == 0 ? '[' : ',', (long long)keys[i]);
	pe_text_add(out, n == 0 ? "[]" : "]");
}

/* One question for all of them; rows come in the order of the keys, as the archive has them. */
int pe_frames_get_numbers(uint32_t *numbers, struct pe_store *store,
			  const struct pe_archive_frames *needed, struct pe_frames *frames,
			  struct pe_err *err)
{
	pe_auto_text keys = PE_TEXT_INIT;
	sqlite3_stmt *stmt = NULL;
	size_t found = 0;
	int rc;

	add_keys(&keys, needed->ids, needed->n);
	rc = pe_sql_open(&stmt, store,
			 "SELECT f.key, f.kind, n.text, c.text, s.text FROM json_each(?1) k"
			 " CROSS JOIN frames f ON f.key = k.value"
			 " JOIN strings n ON n.key = f.name JOIN strings c ON c.key = f.component"
			 " JOIN strings s ON s.key = f.signature",
			 ARGS(TEXT(keys.data)), err);
	while (found < needed->n && pe_sql_next(&rc, stmt, store, err)) {
		const struct pe_frame frame = {
			.name = pe_sql_string(stmt, 2),
			.component = pe_sql_string(stmt, 3),
			.signature = pe_sql_string(stmt, 4),
			.module = needed->modules[found],
			.line = needed->lines[found],
			.kind = (enum pe_frame_kind)sqlite3_column_int(stmt, 1),
		};

		if ((uint64_t)sqlite3_column_int64(stmt, 0) != needed->ids[found])
			break;
		numbers[found++] = pe_frames_add(frames, &frame);
	}
	pe_sql_close(stmt);
	if (rc == PE_OK && found < needed->n)
		rc = pe_fail(err, PE_EINVALID, "a method that it needs (%lld) is not there",
			     (long long)needed->ids[found]);
	return rc;
}

/* --- Dropping --- */

/* Note the frames that trees need. Of a damaged list the value is lost, and the reader gets a note. */
static int note_needed(struct pe_store *store, struct pe_err *err)
{
	sqlite3_stmt *stmt;
	int rc = pe_sql_open(&stmt, store, "SELECT frames FROM trees", NULL, err);

	while (pe_sql_next(&rc, stmt, store, err)) {
		pe_auto_arena arena = PE_ARENA_INIT;
		pe_auto_text keys = PE_TEXT_INIT;
		struct pe_archive_frames frames;

		if (pe_archive_frames(&frames, sqlite3_column_blob(stmt, 0),
				      (size_t)sqlite3_column_bytes(stmt, 0), &arena, NULL) != PE_OK)
			continue;
		add_keys(&keys, frames.ids, frames.n);
		rc = pe_sql_run(store,
				"INSERT OR IGNORE INTO temp.needed SELECT value FROM json_each(?1)",
				ARGS(TEXT(keys.data)), err);
	}
	pe_sql_close(stmt);
	return rc;
}

int pe_frames_sweep(struct pe_store *store, struct pe_err *err)
{
	PE_TRY(pe_sql_script(store,
			     "CREATE TEMP TABLE IF NOT EXISTS needed (key INTEGER PRIMARY KEY);"
			     "DELETE FROM temp.needed",
			     err));
	PE_TRY(note_needed(store, err));
	PE_TRY(pe_sql_run(store,
			  "INSERT OR IGNORE INTO temp.needed SELECT e.value->>0 FROM"
			  " function_counts c LEFT JOIN function_counts b ON b.key = c.base,"
			  " json_each(functions(c.data, b.data, 0)) e",
			  NULL, err));
	PE_TRY(pe_sql_run(store,
			  "DELETE FROM frames WHERE key NOT IN (SELECT key FROM temp.needed)", NULL,
			  err));
	if (sqlite3_changes(store->db) == 0)
		return PE_OK;
	return pe_sql_run(store,
			  "DELETE FROM strings WHERE key NOT IN (SELECT name FROM frames"
			  " UNION SELECT component FROM frames UNION SELECT signature FROM frames)",
			  NULL, err);
}
