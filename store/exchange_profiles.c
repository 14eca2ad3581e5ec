/*
 * Profiles in documents. A packed tree is small and may claim to be large: its nodes are counted before it is unpacked, and what
 * comes out of it is packed anew, with this store's own keys of methods.
 */
#include "store/exchange_sql.h"

#include "analysis/profile/archive.h"
#include "core/base/base64.h"

/* --- In --- */

struct taking {
	struct pe_store *store;
	struct pe_frames *frames;
	uint32_t *numbers; /* in the table, by row of the document's */
	size_t n;
	uint64_t nodes; /* of the trees so far */
	struct pe_err *err;
};

static int add_frames(struct taking *taking, struct pe_arena *arena)
{
	struct pe_frame *frames;

	PE_TRY(pe_sql_rows(&frames, &taking->n, taking->store,
			   "SELECT name, component, signature, module, line, kind FROM doc_frames"
			   " ORDER BY row",
			   NULL,
			   PE_ROW(struct pe_frame, name, component, signature, module, line, kind),
			   arena, taking->err));
	taking->numbers = pe_arena_new(arena, uint32_t, taking->n);
	for (size_t i = 0; i < taking->n; i++)
		taking->numbers[i] = pe_frames_add(taking->frames, &frames[i]);
	return PE_OK;
}

/* The numbers of a tree's methods, in its own order; NULL: they are none. */
static uint32_t *read_numbers(const struct taking *taking, const uint8_t *at, size_t n,
			      struct pe_arena *arena)
{
	uint32_t *numbers = pe_arena_new(arena, uint32_t, n / 4);

	for (size_t i = 0; i < n / 4; i++, at += 4) {
		const uint32_t row = at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
				     (uint32_t)at[3] << 24;

		if (row >= taking->n)
			return NULL;
		numbers[i] = taking->numbers[row];
	}
	return n % 4 == 0 ? numbers : NULL;
}

static int unpack(struct pe_cct **out, struct taking *taking, sqlite3_stmt *stmt,
		  struct pe_arena *arena)
{
	const size_t n = (size_t)sqlite3_column_bytes(stmt, 0);
	const uint32_t *numbers = read_numbers(taking, sqlite3_column_blob(stmt, 0), n, arena);
	const void *data = sqlite3_column_blob(stmt, 1);
	const size_t n_data = (size_t)sqlite3_column_bytes(stmt, 1);
	uint32_t nodes;

	PE_TRY(pe_archive_nodes(&nodes, data, n_data, taking->err));
	taking->nodes += nodes;
	if (taking->nodes > PE_RESULTS_NODES)
		return pe_fail(taking->err, PE_EINVALID, "its trees have more than %d nodes",
			       PE_RESULTS_NODES);
	if (numbers == NULL)
		return pe_fail(taking->err, PE_EINVALID,
			       "a tree has methods that are not in the document");
	return pe_archive_unpack(out, data, n_data, taking->frames, numbers, n / 4, arena,
				 taking->err);
}

static int take_profile(struct taking *taking, const struct pe_stored_profile *profile)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	struct pe_cct **trees = pe_arena_new(&arena, struct pe_cct *, profile->n_trees);
	size_t n = 0;
	int64_t key;
	sqlite3_stmt *stmt;
	int rc = pe_sql_open(&stmt, taking->store,
			     "SELECT frames, data FROM doc_trees WHERE profile = ?1 ORDER BY row",
			     ARGS(INT(profile->key)), taking->err);

	while (n < profile->n_trees && pe_sql_next(&rc, stmt, taking->store, taking->err))
		rc = unpack(&trees[n++], taking, stmt, &arena);
	pe_sql_close(stmt);
	return rc != PE_OK
		       ? rc
		       : pe_store_put_profile(&key, taking->store, profile,
					      (const struct pe_cct *const *)trees, n, taking->err);
}

/* Their keys are those of the document. */
#define NEW_PROFILES                                                                               \
	"SELECT d.row, ?1, b.key, r.id, d.kind, d.settings, d.tool, d.file, d.note, d.taken_s,"    \
	" (SELECT count(*) FROM doc_trees t WHERE t.profile = d.row) FROM doc_profiles d"          \
	" JOIN doc_here v ON v.row = d.revision JOIN doc_revisions r ON r.row = d.revision"        \
	" JOIN doc_known b ON b.row = d.benchmark WHERE NOT EXISTS (SELECT 1 FROM profiles p"      \
	" WHERE p.machine = ?1 AND p.benchmark = b.key AND p.revision = r.id"                      \
	" AND p.kind = d.kind AND p.settings = d.settings AND p.file = d.file"                     \
	" AND p.taken_s >= d.taken_s) ORDER BY d.row"

int pe_take_profiles(struct pe_results_sum *sum, struct pe_store *store, int64_t machine,
		     struct pe_err *err)
{
	typedef struct pe_stored_profile row;
	pe_auto_frames frames = PE_FRAMES_INIT;
	struct taking taking = {.store = store, .frames = &frames, .err = err};
	pe_auto_arena arena = PE_ARENA_INIT;
	struct pe_stored_profile *profiles;
	size_t n;

	PE_TRY(pe_sql_rows(&profiles, &n, store, NEW_PROFILES, ARGS(INT(machine)),
			   PE_ROW(row, key, machine, benchmark, revision, kind, settings, tool,
				  file, note, taken_s, n_trees),
			   &arena, err));
	if (n > 0)
		PE_TRY(add_frames(&taking, &arena));
	for (size_t i = 0; i < n; i++)
		PE_TRY(take_profile(&taking, &profiles[i]));
	sum->profiles += n;
	return PE_OK;
}

/* --- Out --- */

static void put_bytes(struct pe_json *json, const struct pe_text *bytes)
{
	struct pe_text digits = PE_TEXT_INIT;

	pe_base64_add(&digits, bytes->data, bytes->len);
	pe_json_take(json, NULL, &digits);
}

/* Frames are named by their numbers in the table of all trees: those are the rows of the document. */
static void put_tree(struct pe_json *json, const struct pe_cct *cct)
{
	pe_auto_arena scratch = PE_ARENA_INIT;
	uint64_t *ids = pe_arena_new(&scratch, uint64_t, cct->frames->n);
	pe_auto_archive archive = PE_ARCHIVE_INIT;
	pe_auto_text numbers = PE_TEXT_INIT;
	uint32_t *used;
	size_t n;

	for (uint32_t i = 0; i < cct->frames->n; i++)
		ids[i] = i;
	pe_archive_used(&used, &n, cct, &scratch);
	for (size_t i = 0; i < n; i++)
		for (int byte = 0; byte < 4; byte++)
			pe_text_addc(&numbers, (char)(used[i] >> (8 * byte)));
	pe_archive_pack(&archive, cct, ids);
	pe_json_begin_array(json, NULL);
	pe_json_put(json, NULL, 0); /* the document's one profile */
	put_bytes(json, &numbers);
	put_bytes(json, &archive.tree);
	pe_json_end(json);
}

int pe_pack_trees(struct pe_json *json, size_t *rows, struct pe_store *store, int64_t profile,
		  struct pe_err *err)
{
	pe_auto_frames frames = PE_FRAMES_INIT;
	size_t n = 0;
	int rc;

	pe_json_begin_rows(json, "trees");
	for (;;) {
		pe_auto_arena scratch = PE_ARENA_INIT;
		struct pe_cct *cct;

		rc = pe_store_get_tree(&cct, store, profile, n, &frames, &scratch, err);
		if (rc != PE_OK)
			break;
		put_tree(json, cct);
		n++;
	}
	pe_json_end(json);
	pe_json_each_row(json, "frames", i, frames.n,
			 pe_json_row(json, NULL, &frames.at[i], name, component, signature, module,
				     line, kind));
	*rows += n + frames.n;
	return rc == PE_ENOTFOUND ? PE_OK : rc;
}
