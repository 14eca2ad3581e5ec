/*
 * Profiles: trees as archives (analysis/profile/archive.h). Methods stand once in the store, whatever the number of
 * trees that have them: an archive names them by their keys in `frames`, and keeps those lines and modules
 * for itself that change from build to build.
 */
#include "store/profiles.h"

#include "analysis/profile/archive.h"
#include "store/exchange.h"

#include <string.h>

static const char *text(const char *string)
{
	return string != NULL ? string : "";
}

/* --- Writing --- */

/* SQLite's numbers are signed. These are for people; the archive has them as they are. */
static int64_t clamp(uint64_t number)
{
	return number > INT64_MAX ? INT64_MAX : (int64_t)number;
}

static int put_tree(struct pe_store *store, int64_t profile, size_t repetition,
		    const struct pe_cct *cct, const struct pe_archive *archive, struct pe_err *err)
{
	const struct pe_cct_facts *facts = &cct->facts;

	return pe_sql_run(store,
			  "INSERT INTO trees (profile, repetition, nodes, known, duration_ns,"
			  " samples, samples_lost, interval_ns, processes, threads, peak_bytes,"
			  " frames, data)"
			  " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
			  ARGS(INT(profile), INT((int64_t)repetition), INT(cct->n), INT(cct->known),
			       INT(clamp(facts->duration_ns)), INT(clamp(facts->samples)),
			       INT(clamp(facts->samples_lost)), INT(clamp(facts->interval_ns)),
			       INT(facts->processes), INT(facts->threads),
			       INT(clamp(facts->peak_bytes)),
			       BLOB(archive->frames.data, archive->frames.len),
			       BLOB(archive->tree.data, archive->tree.len)),
			  err);
}

/* SQLite's own bound on a value (SQLITE_MAX_LENGTH), which some builds lower. */
static int check_size(struct pe_store *store, const struct pe_cct *cct,
		      const struct pe_archive *archive, struct pe_err *err)
{
	size_t most = (size_t)sqlite3_limit(store->db, SQLITE_LIMIT_LENGTH, -1) / 2;

	if (archive->tree.len <= most && archive->frames.len <= most)
		return PE_OK;
	return pe_fail(
		err, PE_EINVALID,
		"the calling context tree has %u nodes, which take %zu bytes where one may have %zu: leave out methods that are called often and do little (`profile: exclude:`)",
		cct->n, archive->tree.len, most);
}

static int pack_and_put(struct pe_store *store, int64_t profile, size_t repetition,
			const struct pe_cct *cct, struct pe_err *err)
{
	pe_auto_archive archive = PE_ARCHIVE_INIT;
	pe_auto_arena arena = PE_ARENA_INIT;
	uint64_t *keys = pe_arena_new(&arena, uint64_t, cct->frames->n);

	PE_TRY(pe_frames_put_keys(keys, store, cct, &arena, err));
	pe_archive_pack(&archive, cct, keys);
	PE_TRY(check_size(store, cct, &archive, err));
	return put_tree(store, profile, repetition, cct, &archive, err);
}

/* What stood in its place goes with its trees; its methods are left to gc. */
static int replace_profile(int64_t *key, struct pe_store *store,
			   const struct pe_stored_profile *profile, struct pe_err *err)
{
	PE_TRY(pe_sql_run(store,
			  "INSERT OR REPLACE INTO profiles (machine, benchmark, revision, kind,"
			  " settings, tool, file, note, taken_s)"
			  " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
			  ARGS(INT(profile->machine), INT(profile->benchmark),
			       TEXT(text(profile->revision)), TEXT(text(profile->kind)),
			       TEXT(text(profile->settings)), TEXT(text(profile->tool)),
			       TEXT(text(profile->file)), TEXT(text(profile->note)),
			       INT(profile->taken_s)),
			  err));
	*key = sqlite3_last_insert_rowid(store->db);
	return PE_OK;
}

int pe_store_put_profile(int64_t *key, struct pe_store *store,
			 const struct pe_stored_profile *profile, const struct pe_cct *const *trees,
			 size_t n, struct pe_err *err)
{
	pe_auto_savepoint savepoint = PE_SAVEPOINT_INIT;

	if (n == 0)
		return pe_fail(err, PE_EINVALID, "a profile without a tree");
	for (size_t i = 0; i < n; i++)
		PE_TRY(pe_cct_check(trees[i], err));
	PE_TRY(pe_savepoint_open(&savepoint, store, err));
	PE_TRY(replace_profile(key, store, profile, err));
	for (size_t i = 0; i < n; i++)
		PE_TRY(pack_and_put(store, *key, i, trees[i], err));
	return pe_savepoint_keep(&savepoint);
}

/* --- Finding --- */

/* The trees' own columns stand before their archives: summing them reads no archive. */
#define COLUMNS                                                                                    \
	"SELECT p.key, p.machine, p.benchmark, p.revision, p.kind, p.settings, p.tool, p.file,"    \
	" p.note, p.taken_s, (SELECT count(*) FROM trees t WHERE t.profile = p.key),"              \
	" (SELECT total(nodes) FROM trees t WHERE t.profile = p.key),"                             \
	" (SELECT total(length(frames) + length(data)) FROM trees t WHERE t.profile = p.key)"

#define PROFILE                                                                                    \
	PE_ROW_OF(struct pe_stored_profile,                                                        \
		  PE_MEMBERS(struct pe_stored_profile, key, machine, benchmark, revision, kind,    \
			     settings, tool, file, note, taken_s),                                 \
		  PE_MEMBERS(struct pe_stored_profile, n_trees, nodes, bytes))

/*
 * Revisions that execute the same are the one that was measured and all that took its results. Among them the
 * asked one's own profile comes first, then the latest.
 */
int pe_store_find_profile(struct pe_stored_profile *out, struct pe_store *store,
			  const struct pe_profile_query *query, struct pe_arena *arena,
			  struct pe_err *err)
{
	PE_TRY(pe_sql_one(
		out, store,
		"WITH asked (key) AS (SELECT key FROM revisions WHERE id = ?3),"
		" source (key) AS (SELECT coalesce((SELECT c.source FROM reused c WHERE"
		"   c.machine = ?1 AND c.benchmark = ?2 AND c.revision = asked.key), asked.key)"
		"   FROM asked),"
		" same (id) AS (SELECT ?3"
		"   UNION SELECT v.id FROM source s JOIN revisions v ON v.key = s.key"
		"   UNION SELECT v.id FROM source s JOIN reused c ON c.source = s.key"
		"   AND c.machine = ?1 AND c.benchmark = ?2 JOIN revisions v ON v.key = c.revision)"
		" " COLUMNS " FROM same JOIN profiles p ON p.revision = same.id"
		" WHERE p.machine = ?1 AND p.benchmark = ?2 AND (?4 IS NULL OR p.kind = ?4)"
		" AND (?5 IS NULL OR p.settings = ?5)"
		" ORDER BY p.revision = ?3 DESC, p.key DESC LIMIT 1",
		ARGS(INT(query->machine), INT(query->benchmark), TEXT(query->revision),
		     TEXT(query->kind), TEXT(query->settings)),
		PROFILE, arena, err));
	out->reused = strcmp(out->revision, query->revision) != 0;
	return PE_OK;
}

int pe_store_profiles(struct pe_stored_profile **out, size_t *n, struct pe_store *store,
		      int64_t machine, struct pe_arena *arena, struct pe_err *err)
{
	return pe_sql_rows(out, n, store,
			   COLUMNS " FROM profiles p WHERE p.machine = ?1"
				   " ORDER BY p.benchmark, p.key",
			   ARGS(INT(machine)), PROFILE, arena, err);
}

/*
 * The ends of jumps that fresh runs confirmed, or of a metric that does not vary; with the revisions whose results they
 * take, or that take theirs.
 */
#define EXPLAINED                                                                                  \
	"WITH sure (machine, benchmark, a, b, c, d) AS (SELECT machine, benchmark, before, after," \
	" pinned_before, pinned_after FROM confirmations WHERE settled AND answer = 1"             \
	" UNION ALL SELECT j.machine, j.benchmark, j.before, j.after, NULL, NULL FROM jumps j"     \
	" JOIN metrics m ON m.key = j.metric WHERE m.kind = 1),"                                   \
	" ends (machine, benchmark, revision) AS (SELECT machine, benchmark, a FROM sure"          \
	" UNION SELECT machine, benchmark, b FROM sure UNION SELECT machine, benchmark, c FROM"    \
	" sure UNION SELECT machine, benchmark, d FROM sure),"                                     \
	" explained (machine, benchmark, revision) AS (SELECT * FROM ends"                         \
	" UNION SELECT e.machine, e.benchmark, u.source FROM ends e JOIN reused u"                 \
	" ON u.machine = e.machine AND u.benchmark = e.benchmark AND u.revision = e.revision"      \
	" UNION SELECT e.machine, e.benchmark, u.revision FROM ends e JOIN reused u"               \
	" ON u.machine = e.machine AND u.benchmark = e.benchmark AND u.source = e.revision) "

int pe_store_profiles_to_share(struct pe_stored_profile **out, size_t *n, struct pe_store *store,
			       struct pe_arena *arena, struct pe_err *err)
{
	return pe_sql_rows(
		out, n, store,
		EXPLAINED COLUMNS
		" FROM profiles p JOIN machines m ON m.key = p.machine"
		" JOIN revisions v ON v.id = p.revision"
		" WHERE m.origin = '' AND NOT p.shared AND (p.machine, p.benchmark, v.key)"
		" IN (SELECT machine, benchmark, revision FROM explained)"
		" ORDER BY p.key",
		NULL, PROFILE, arena, err);
}

int pe_store_profiled(const char ***out, size_t *n, struct pe_store *store, struct pe_arena *arena,
		      struct pe_err *err)
{
	return pe_sql_texts(out, n, store,
			    "SELECT DISTINCT revision FROM profiles ORDER BY revision", NULL, arena,
			    err);
}

/* --- Reading a tree --- */

static int read_tree(struct pe_cct **out, struct pe_store *store, sqlite3_stmt *stmt,
		     struct pe_frames *frames, struct pe_arena *arena, struct pe_err *err)
{
	pe_auto_arena work = PE_ARENA_INIT;
	struct pe_archive_frames needed;
	uint32_t *numbers;

	PE_TRY(pe_archive_frames(&needed, sqlite3_column_blob(stmt, 0),
				 (size_t)sqlite3_column_bytes(stmt, 0), &work, err));
	numbers = pe_arena_new(&work, uint32_t, needed.n);
	PE_TRY(pe_frames_get_numbers(numbers, store, &needed, frames, err));
	return pe_archive_unpack(out, sqlite3_column_blob(stmt, 1),
				 (size_t)sqlite3_column_bytes(stmt, 1), frames, numbers, needed.n,
				 arena, err);
}

/* A fault in a stored archive means that the file is damaged: only checked archives are stored. */
static int damaged(const struct pe_store *store, int64_t profile, size_t repetition,
		   struct pe_err *err)
{
	char what[sizeof(err->message)];

	if (err == NULL)
		return PE_ESTORE;
	memcpy(what, err->message, sizeof(what));
	return pe_fail(
		err, PE_ESTORE,
		"%s is damaged: tree %zu of profile %lld: %.600s: collect that profile again, it takes the place of this one",
		store->path, repetition, (long long)profile, what);
}

int pe_store_get_tree(struct pe_cct **out, struct pe_store *store, int64_t profile,
		      size_t repetition, struct pe_frames *frames, struct pe_arena *arena,
		      struct pe_err *err)
{
	sqlite3_stmt *stmt = NULL;
	int rc;

	*out = NULL;
	rc = pe_sql_open(&stmt, store,
			 "SELECT frames, data FROM trees WHERE profile = ?1 AND repetition = ?2",
			 ARGS(INT(profile), INT((int64_t)repetition)), err);
	if (pe_sql_next(&rc, stmt, store, err)) {
		rc = read_tree(out, store, stmt, frames, arena, err);
		if (rc == PE_EINVALID)
			rc = damaged(store, profile, repetition, err);
	} else if (rc == PE_OK) {
		rc = PE_ENOTFOUND;
	}
	pe_sql_close(stmt);
	return rc;
}
