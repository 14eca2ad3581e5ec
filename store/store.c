/*
 * The handle: opening, and transactions. The promises stand in store.h; this is where they come from:
 *
 *  (1) every put is one savepoint (pe_savepoint_open), and a run is put with its samples;
 *  (2) a trigger refuses to change samples, and no statement here tries;
 *  (3) runs belong to a batch, a batch to a machine, and a run's key begins with its benchmark;
 *  (4) write-ahead log: an unfinished transaction is not there when the file is opened again, and a finished one was
 *      synced: FULL. With the journal of before, what ends a transaction is the removal of a file: EXTRA syncs that;
 *  (5) writers begin IMMEDIATE and wait PE_STORE_BUSY_MS for each other; readers never wait;
 *  (6) PRAGMA user_version and the list in schema.c;
 *  (7) pe_store_fail() and the roll-back at the end of each savepoint.
 */
#include "store/place.h"
#include "store/schema.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

const char *pe_store_path(const struct pe_store *store)
{
	return store->path;
}

void pe_store_close(struct pe_store *store)
{
	if (store == NULL)
		return;
	pe_sql_disconnect(store);
	free(store->path);
	free(store);
}

/* SQLite takes names that begin with ':' for databases in memory. */
static char *as_file_name(const char *path)
{
	struct pe_text name = PE_TEXT_INIT;

	if (path[0] != '/')
		pe_text_add(&name, "./");
	pe_text_add(&name, path);
	return name.data;
}

static int open_file(struct pe_store *store, const char *name, int flags, struct pe_err *err)
{
	/* A handle stays in one thread: millions of columns are read without a lock each. */
	const int own = SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_NOMUTEX;
	int rc = sqlite3_open_v2(name, &store->db, flags | own, NULL);

	if (store->db == NULL)
		pe_out_of_memory(sizeof(*store));
	if (rc != SQLITE_OK)
		return pe_store_fail(store, err);
	sqlite3_extended_result_codes(store->db, 1);
	sqlite3_busy_timeout(store->db, PE_STORE_BUSY_MS);
	pe_sql_guard(store);
	if (!store->readonly && sqlite3_db_readonly(store->db, "main") == 1)
		return pe_fail(err, PE_ESTORE,
			       "cannot write %s: the file is read-only for this user", store->path);
	return PE_OK;
}

/*
 * The write-ahead log needs memory that all processes share; machines of a network file system have none, so the
 * rollback journal is used there. Switching needs the file alone, and SQLite does not wait for that, so we do.
 */
static int choose_journal(struct pe_store *store, struct pe_err *err)
{
	const struct timespec pause = {.tv_nsec = 20 * 1000 * 1000};
	const char *sql = store->network != NULL ? "PRAGMA journal_mode = DELETE"
						 : "PRAGMA journal_mode = WAL";
	int tries = PE_STORE_BUSY_MS / 20;
	int rc;

	do
		rc = sqlite3_exec(store->db, sql, NULL, NULL, NULL);
	while ((rc & 0xff) == SQLITE_BUSY && tries-- > 0 && nanosleep(&pause, NULL) == 0);
	return rc == SQLITE_OK ? PE_OK : pe_store_fail(store, err);
}

/* SQLite takes a file of one byte for an empty database. */
static int check_header(const struct pe_store *store, const char *name, struct pe_err *err)
{
	static const char magic[] = "SQLite format 3";
	char head[sizeof(magic)];
	int fd = open(name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, head, sizeof(head)) : 0;

	if (fd >= 0)
		close(fd);
	/* What cannot be read has SQLite's own sentence. */
	if (n <= 0 || (n == sizeof(head) && memcmp(head, magic, sizeof(head)) == 0))
		return PE_OK;
	return pe_fail(
		err, PE_ESTORE,
		"%s is not a perfevo database: use --store FILE for another, or move it away "
		"and measure again",
		store->path);
}

/* What schema the file has, which must be one of this program's. */
static int read_schema(struct pe_schema_state *state, struct pe_store *store,
		       const struct pe_schema *schema, struct pe_err *err)
{
	PE_TRY(pe_schema_read(state, store, err));
	PE_TRY(pe_schema_check(store, state, schema, err));
	return state->version == pe_schema_version(schema) ? pe_schema_compare(store, schema, err)
							   : PE_OK;
}

static int open_writable(struct pe_store *store, const char *name, struct pe_err *err)
{
	const struct pe_schema schema = pe_schema_current();
	struct pe_schema_state state;

	PE_TRY(open_file(store, name, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, err));
	/* Before a foreign file is touched. */
	PE_TRY(read_schema(&state, store, &schema, err));
	PE_TRY(choose_journal(store, err));
	PE_TRY(pe_sql_script(store,
			     store->network != NULL ? "PRAGMA synchronous = EXTRA"
						    : "PRAGMA synchronous = FULL",
			     err));
	PE_TRY(pe_sql_script(store,
			     "PRAGMA foreign_keys = ON;"
			     "PRAGMA cache_size = -32768; PRAGMA journal_size_limit = 16777216",
			     err));
	return state.version < pe_schema_version(&schema) ? pe_schema_migrate(store, &schema, err)
							  : PE_OK;
}

/*
 * A database with a write-ahead log is read through a shared index next to it, which cannot be made in a read-only
 * folder. While nobody writes (there is no log, or an empty one) the file alone is the whole database and is read as it
 * is.
 */
static int open_immutable(struct pe_store *store, const char *name, struct pe_err *err)
{
	static const char *const logs[] = {"-wal", "-journal"};
	pe_auto_text uri = PE_TEXT_INIT, log = PE_TEXT_INIT;
	struct stat status;

	for (size_t i = 0; i < sizeof(logs) / sizeof(logs[0]); i++) {
		pe_text_clear(&log);
		pe_text_addf(&log, "%s%s", name, logs[i]);
		if (stat(log.data, &status) == 0 && status.st_size != 0)
			return pe_fail(
				err, PE_ESTORE,
				"%s has changes in %s%s that can only be read where its folder can be written: open it as its owner, or copy both files",
				store->path, store->path, logs[i]);
	}
	pe_text_add(&uri, "file:");
	for (const char *c = name; *c != '\0'; c++) {
		if (isalnum((unsigned char)*c) || strchr("/._-", *c) != NULL)
			pe_text_addc(&uri, *c);
		else
			pe_text_addf(&uri, "%%%02X", (unsigned)(unsigned char)*c);
	}
	pe_text_add(&uri, "?immutable=1");
	pe_sql_disconnect(store);
	return open_file(store, uri.data, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, err);
}

static bool folder_is_writable(const char *name)
{
	pe_auto_text folder = PE_TEXT_INIT;

	/* as_file_name() saw to it that there is a slash. */
	pe_text_addn(&folder, name, (size_t)(strrchr(name, '/') + 1 - name));
	return access(folder.data, W_OK) == 0;
}

static int open_readonly(struct pe_schema_state *state, struct pe_store *store, const char *name,
			 struct pe_err *err)
{
	const struct pe_schema schema = pe_schema_current();
	struct stat status;

	if (stat(name, &status) != 0 ? errno == ENOENT
				     : S_ISREG(status.st_mode) && status.st_size == 0)
		return pe_fail(err, PE_ENOTFOUND,
			       "%s does not exist or is empty: nothing was measured yet",
			       store->path);
	PE_TRY(open_file(store, name, SQLITE_OPEN_READONLY, err));
	if (pe_schema_read(state, store, err) != PE_OK && !folder_is_writable(name))
		PE_TRY(open_immutable(store, name, err));
	PE_TRY(read_schema(state, store, &schema, err));
	return pe_sql_script(store, "PRAGMA cache_size = -32768", err);
}

/* An older file has to be lifted before it can be read; that needs somebody who may write. */
static int lift(const struct pe_store *store, struct pe_err *err)
{
	struct pe_store *writable;
	int rc = pe_store_open(&writable, store->path, 0, err);

	if (rc == PE_OK)
		pe_store_close(writable);
	else
		pe_err_context(err, "%s must be brought up to this version's schema first",
			       store->path);
	return rc;
}

static int open_to_read(struct pe_store *store, const char *name, struct pe_err *err)
{
	const struct pe_schema schema = pe_schema_current();
	struct pe_schema_state state;
	int rc = open_readonly(&state, store, name, err);

	if (rc != PE_OK || state.version == pe_schema_version(&schema))
		return rc;
	pe_sql_disconnect(store);
	rc = lift(store, err);
	return rc == PE_OK ? open_readonly(&state, store, name, err) : rc;
}

int pe_store_open(struct pe_store **out, const char *path, unsigned flags, struct pe_err *err)
{
	struct pe_store *store = pe_realloc(NULL, 1, sizeof(*store));
	char *name = as_file_name(path);
	int rc;

	memset(store, 0, sizeof(*store));
	store->path = memcpy(pe_realloc(NULL, strlen(path) + 1, 1), path, strlen(path) + 1);
	store->readonly = (flags & PE_OPEN_READONLY) != 0;
	store->network = (flags & PE_OPEN_NETWORK) != 0 ? "network" : pe_network_of(name);
	rc = check_header(store, name, err);
	if (rc == PE_OK)
		rc = store->readonly ? open_to_read(store, name, err)
				     : open_writable(store, name, err);
	free(name);
	if (rc != PE_OK) {
		pe_store_close(store);
		store = NULL;
	}
	*out = store;
	return rc;
}

int pe_store_begin(struct pe_store *store, struct pe_err *err)
{
	struct pe_savepoint whole;

	assert(!store->in_transaction);
	PE_TRY(pe_savepoint_open(&whole, store, err));
	store->in_transaction = true;
	return PE_OK;
}

int pe_store_commit(struct pe_store *store, struct pe_err *err)
{
	pe_auto_savepoint whole = {store, err};

	assert(store->in_transaction);
	store->in_transaction = false;
	if (sqlite3_get_autocommit(store->db))
		return pe_fail(err, PE_ESTORE, "%s: the transaction was given up after a failure",
			       store->path);
	return pe_savepoint_keep(&whole);
}

bool pe_store_in_transaction(const struct pe_store *store)
{
	return store->in_transaction;
}

void pe_store_rollback(struct pe_store *store)
{
	struct pe_savepoint whole = {store, NULL};

	if (!store->in_transaction)
		return;
	store->in_transaction = false;
	pe_savepoint_drop(&whole);
}
