/* Frames: the methods of all profiles, each once, their texts each once. */
#include "store/profiles.h"

#include <string.h>

/* --- Finding or adding --- */

/* Texts that follow each other are often the same, components above all. */
struct last_text {
	const char *text;
	int64_t key;
};

static int string_key(int64_t *key, struct last_text *last, struct pe_store *store,
		      const char *text, struct pe_err *err)
{
	int rc = PE_OK;

	if (last->text == NULL || strcmp(last->text, text) != 0) {
		rc = pe_sql_integer(&last->key, store, "SELECT key FROM strings WHERE text = ?1",
				    ARGS(TEXT(text)), err);
		if (rc == PE_ENOTFOUND) {
			rc = pe_sql_run(store, "INSERT INTO strings (text) VALUES (?1)",
					ARGS(TEXT(text)), err);
			last->key = sqlite3_last_insert_rowid(store->db);
		}
		last->text = rc == PE_OK ? text : NULL;
	}
	*key = last->key;
	return rc;
}

struct last_texts {
	struct last_text name, component, signature;
};

static int frame_key(uint64_t *out, struct last_texts *last, struct pe_store *store,
		     const struct pe_frame *frame, struct pe_err *err)
{
	int64_t name = 0, component = 0, signature = 0, key = 0;
	int rc = string_key(&name, &last->name, store, frame->name, err);

	if (rc == PE_OK)
		rc = string_key(&component, &last->component, store, frame->component, err);
	if (rc == PE_OK)
		rc = string_key(&signature, &last->signature, store, frame->signature, err);
	if (rc != PE_OK)
		return rc;
	rc = pe_sql_integer(&key, store,
			    "SELECT key FROM frames WHERE name = ?1 AND component = ?2"
			    " AND signature = ?3 AND kind = ?4",
			    ARGS(INT(name), INT(component), INT(signature), INT(frame->kind)), err);
	if (rc == PE_ENOTFOUND) {
		rc = pe_sql_run(store,
				"INSERT INTO frames (name, component, signature, kind)"
				" VALUES (?1, ?2, ?3, ?4)",
				ARGS(INT(name), INT(component), INT(signature), INT(frame->kind)),
				err);
		key = sqlite3_last_insert_rowid(store->db);
	}
	*out = (uint64_t)key;
	return rc;
}

int pe_frames_put_keys(uint64_t *keys, struct pe_store *store, const struct pe_cct *cct,
		       struct pe_arena *arena, struct pe_err *err)
{
	struct last_texts last = {0};
	uint32_t *used;
	size_t n;

	pe_archive_used(&used, &n, cct, arena);
	for (size_t i = 0; i < n; i++)
		PE_TRY(frame_key(&keys[used[i]], &last, store, &cct->frames->at[used[i]], err));
	return PE_OK;
}

int pe_functions_put_keys(uint64_t *keys, struct pe_store *store,
			  const struct pe_function_counts *functions, struct pe_err *err)
{
	struct last_texts last = {0};
	int rc = PE_OK;

	for (size_t i = 0; rc == PE_OK && i < functions->n; i++) {
		const struct pe_function_count *one = &functions->at[i];
		const struct pe_frame frame = {.name = one->name,
					       .signature = one->signature,
					       .component = one->component,
					       .kind = PE_FRAME_METHOD};

		rc = frame_key(&keys[i], &last, store, &frame, err);
	}
	return rc;
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
	struct pe_text keys = PE_TEXT_INIT;
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
	pe_text_release(&keys);
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
