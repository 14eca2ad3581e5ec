#include "app/measure/shared.h"

#include "app/measure/session.h"
#include "core/base/clock.h"
#include "core/base/files.h"
#include "core/base/parcel.h"
#include "core/json/tree.h"
#include "core/json/writer.h"
#include "vcs/digest.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
	FORMAT = 1,
	LOOK_MS = 200,         /* between looks for what somebody else builds */
	MOST_OFFER = 64 << 20, /* bytes, most of which are names of files */
	PARTS_OF_ROOM = 2,     /* what is left on the disk is for results, too */
};

/* What lies in the folder for a build. */
struct offer {
	char parcel[PE_OID_HEX]; /* "": each builds it for himself */
	uint64_t bytes;          /* of its files */
	struct pe_build build;
	struct pe_stored_reads
		reads; /* digest NULL: not all of it could be seen; no reason either: it was not watched */
};

static bool is_shared(const struct pe_session *session)
{
	/* What is left of other builds differs from worker to worker. */
	return session->shared.dir != NULL && session->app->config->recipe.clean == PE_CLEAN_ALWAYS;
}

/* Everything that decides what a build is and whether it can be used. */
static void key_of(char key[PE_HASH_HEX], const struct pe_session *session,
		   const struct pe_session_revision *revision)
{
	struct pe_hash hash;

	pe_hash_init(&hash);
	pe_hash_string(&hash, PE_VERSION);
	pe_hash_string(&hash, session->machine.fingerprint);
	pe_hash_string(&hash, session->recipe_hash);
	pe_hash_string(&hash, revision->revision->id);
	pe_hash_number(&hash, session->executor.tree != NULL);
	pe_hash_hex(&hash, key);
}

/* --- The folder --- */

static int open_dir(const struct pe_session *session)
{
	return open(session->shared.dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* A file of the folder that is this user's own. -1 with errno */
static int open_own(int dir, const char *name, struct stat *st)
{
	int fd = pe_files_open_placed(dir, name, 0);

	if (fd < 0)
		return -1;
	if (fstat(fd, st) == 0 && S_ISREG(st->st_mode) && st->st_uid == geteuid() &&
	    (st->st_mode & (S_IWGRP | S_IWOTH)) == 0)
		return fd;
	close(fd);
	errno = EPERM;
	return -1;
}

static uint64_t bytes_in(int dir)
{
	int copy = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *names = copy >= 0 ? fdopendir(copy) : NULL;
	const struct dirent *entry;
	uint64_t bytes = 0;
	struct stat st;

	if (names == NULL && copy >= 0)
		close(copy);
	while (names != NULL && (entry = readdir(names)) != NULL)
		if (fstatat(dir, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		    S_ISREG(st.st_mode))
			bytes += (uint64_t)st.st_size;
	if (names != NULL)
		closedir(names);
	return bytes;
}

/* --- Claims --- */

static struct pe_shared_claim *claim_of(struct pe_shared *shared, const char *key)
{
	for (size_t i = 0; i < shared->claims.n; i++)
		if (strcmp(shared->claims.data[i].key, key) == 0)
			return &shared->claims.data[i];
	return NULL;
}

static void drop_claim(struct pe_shared *shared, const char *key)
{
	struct pe_shared_claim *claim = claim_of(shared, key);

	if (claim == NULL)
		return;
	close(claim->lock);
	*claim = shared->claims.data[--shared->claims.n];
}

void pe_shared_let_go(struct pe_shared *shared)
{
	for (size_t i = 0; i < shared->claims.n; i++)
		close(shared->claims.data[i].lock);
	pe_vec_release(&shared->claims);
}

/* False: somebody else has it. Where none can be had, each builds for himself. */
static bool claim(struct pe_shared *shared, int dir, const char *key)
{
	struct pe_shared_claim mine = {.lock = -1};
	char name[PE_HASH_HEX + 8];

	snprintf(name, sizeof(name), "%s.lock", key);
	if (claim_of(shared, key) != NULL)
		return true;
	mine.lock = openat(dir, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (mine.lock < 0)
		return true;
	if (flock(mine.lock, LOCK_EX | LOCK_NB) != 0) {
		const bool busy = errno == EWOULDBLOCK;

		close(mine.lock);
		return !busy;
	}
	memcpy(mine.key, key, sizeof(mine.key));
	pe_vec_push(&shared->claims, mine);
	return true;
}

/* --- Offers --- */

/* The digest of the rest, a line of JSON, and what the build was seen to read. */
static void write_offer(struct pe_text *out, const struct offer *offer)
{
	const struct pe_build *build = &offer->build;
	pe_auto_text rest = PE_TEXT_INIT;
	struct pe_json json = PE_JSON_INIT(&rest);
	char digest[PE_OID_HEX] = "-";

	pe_json_begin_object(&json, NULL);
	pe_json_put(&json, "format", FORMAT);
	pe_json_put(&json, "parcel", (const char *)offer->parcel);
	pe_json_put(&json, "bytes", offer->bytes);
	pe_json_members(&json, build, started_s, started_ns, duration_ns);
	pe_json_put(&json, "unseen", offer->reads.reason);
	pe_json_bool(&json, "seen", offer->reads.digest != NULL);
	pe_json_finish(&json);
	if (offer->reads.digest != NULL)
		pe_text_add(&rest, offer->reads.paths);
	pe_digest_bytes(digest, pe_text_str(&rest), rest.len);
	pe_text_addf(out, "%s\n", digest);
	pe_text_addn(out, pe_text_str(&rest), rest.len);
}

static int read_rest(struct offer *out, const char *line, struct pe_arena *arena)
{
	const char *end = strchr(line, '\n'), *parcel;
	const struct pe_json_value *top;
	char *digest;

	if (end == NULL || pe_json_tree(&top, line, (size_t)(end - line), arena, NULL) != PE_OK)
		return PE_EINVALID;
	parcel = pe_json_string(pe_json_member(top, "parcel"));
	if (pe_json_whole(pe_json_member(top, "format"), 0) != FORMAT || parcel == NULL ||
	    (parcel[0] != '\0' && (strlen(parcel) != PE_OID_HEX - 1 ||
				   strspn(parcel, "0123456789abcdef") != PE_OID_HEX - 1)))
		return PE_EINVALID;
	memcpy(out->parcel, parcel, strlen(parcel) + 1);
	out->bytes = (uint64_t)pe_json_whole(pe_json_member(top, "bytes"), 0);
	out->build.started_s = pe_json_whole(pe_json_member(top, "started_s"), 0);
	out->build.started_ns = pe_json_whole(pe_json_member(top, "started_ns"), 0);
	out->build.duration_ns = (uint64_t)pe_json_whole(pe_json_member(top, "duration_ns"), 0);
	out->reads.reason = pe_json_string(pe_json_member(top, "unseen"));
	if (!pe_json_true(pe_json_member(top, "seen")))
		return PE_OK;
	digest = pe_arena_alloc(arena, PE_OID_HEX, 1);
	out->reads.paths = end + 1;
	if (pe_digest_bytes(digest, end + 1, strlen(end + 1)) != 0)
		return PE_EINVALID;
	out->reads.digest = digest;
	return PE_OK;
}

/* PE_ENOTFOUND: there is none; PE_EINVALID: it was cut short or altered. */
static int read_offer(struct offer *out, int dir, const char *key, struct pe_arena *arena)
{
	pe_auto_text text = PE_TEXT_INIT;
	char digest[PE_OID_HEX];
	const char *all;
	struct stat st;
	int fd = open_own(dir, key, &st), rc = -1;

	*out = (struct offer){.build = {.outcome = PE_MEASURED, .log = ""}};
	if (fd < 0)
		return errno == EPERM || errno == ELOOP ? PE_EINVALID : PE_ENOTFOUND;
	if (st.st_size <= MOST_OFFER)
		rc = pe_text_read_fd(&text, fd);
	close(fd);
	if (rc != 0 || text.len < PE_OID_HEX)
		return PE_EINVALID;
	all = pe_arena_strndup(arena, pe_text_str(&text), text.len);
	if (pe_digest_bytes(digest, all + PE_OID_HEX, text.len - PE_OID_HEX) != 0 ||
	    memcmp(digest, all, PE_OID_HEX - 1) != 0)
		return PE_EINVALID;
	return read_rest(out, all + PE_OID_HEX, arena);
}

/* Whoever comes next builds it. */
static void withdraw(int dir, const char *key, const struct offer *offer)
{
	unlinkat(dir, key, 0);
	if (offer->parcel[0] != '\0')
		unlinkat(dir, offer->parcel, 0);
}

/* --- Taking --- */

static int unpack(struct pe_slot *slot, int parcel, const struct offer *offer,
		  struct pe_session *session)
{
	struct pe_err *err = session->app->err;
	size_t removed = 0;
	int dir, tree = -1, rc = pe_slot_forget(slot, err);

	slot->id[0] = '\0';
	slot->bytes = 0;
	slot->one_path = session->executor.tree != NULL;
	if (rc != PE_OK)
		return rc;
	dir = pe_files_open_below(slot->trusted, slot->dir, true);
	/* What git wrote there before says nothing of what is there now (vcs/manifest.h). */
	if (dir >= 0 && pe_files_remove_at(dir, "tree.manifest", &removed) == 0 &&
	    pe_files_make_fresh(dir, "tree") == 0)
		tree = pe_files_enter(dir, "tree", false);
	rc = tree < 0 ? pe_fail_errno(err, "cannot make the folder %s", slot->tree)
		      : pe_parcel_unpack(tree, parcel, offer->bytes, err);
	if (tree >= 0)
		close(tree);
	if (dir >= 0)
		close(dir);
	return rc == PE_OK ? pe_kept_record(slot, err) : rc;
}

/* PE_EINVALID: it is not what was built. */
static int check(int *parcel, int dir, const struct offer *offer)
{
	char digest[PE_OID_HEX];
	struct stat st;

	*parcel = open_own(dir, offer->parcel, &st);
	if (*parcel >= 0 && pe_digest_fd(digest, *parcel) == 0 &&
	    strcmp(digest, offer->parcel) == 0 && lseek(*parcel, 0, SEEK_SET) == 0)
		return PE_OK;
	if (*parcel >= 0)
		close(*parcel);
	return PE_EINVALID;
}

/* PE_EINVALID: it cannot be used. *slot NULL: there is none for it. */
static int take(struct pe_slot **slot, struct pe_build *build, struct pe_session *session,
		const struct pe_session_revision *revision, int dir, const struct offer *offer)
{
	struct pe_app *app = session->app;
	int parcel, rc = check(&parcel, dir, offer);

	if (rc != PE_OK)
		return rc;
	*slot = pe_slots_take(&session->slots);
	if (*slot != NULL && unpack(*slot, parcel, offer, session) != PE_OK)
		rc = PE_EINVALID;
	close(parcel);
	if (rc != PE_OK || *slot == NULL)
		return rc;
	*build = offer->build;
	rc = pe_session_keep_taken(session, revision, *slot, build, &offer->reads);
	if (rc != PE_OK) {
		pe_err_context(app->err, "taking the build of %.10s", revision->revision->id);
		return rc == PE_EINVALID ? PE_ESYS : rc;
	}
	(*slot)->held = true;
	pe_slots_touch(&session->slots, *slot);
	session->shared.taken++;
	return PE_OK;
}

/* PE_ENOTFOUND: nothing is offered, or nothing that is whole. */
static int take_offer(enum pe_shared_answer *out, struct pe_slot **slot, struct pe_build *build,
		      struct pe_session *session, const struct pe_session_revision *revision,
		      int dir, const char *key)
{
	struct offer offer;
	int rc = read_offer(&offer, dir, key, session->arena);

	*out = PE_SHARED_BUILD;
	if (rc == PE_ENOTFOUND || (rc == PE_OK && offer.parcel[0] == '\0'))
		return rc;
	if (rc == PE_OK)
		rc = take(slot, build, session, revision, dir, &offer);
	*out = rc == PE_OK ? PE_SHARED_TAKEN : PE_SHARED_BUILD;
	if (rc != PE_EINVALID)
		return rc;
	pe_app_note(session->app,
		    "the build of %.10s that another worker made was cut short or altered, or "
		    "cannot be unpacked: it is built again",
		    revision->revision->id);
	*session->app->err = (struct pe_err)PE_ERR_INIT;
	withdraw(dir, key, &offer);
	return PE_ENOTFOUND;
}

int pe_shared_take(enum pe_shared_answer *out, struct pe_slot **slot, struct pe_build *build,
		   struct pe_session *session, const struct pe_session_revision *revision)
{
	struct pe_shared *shared = &session->shared;
	char key[PE_HASH_HEX];
	int dir, rc;

	*out = PE_SHARED_BUILD;
	*slot = NULL;
	dir = is_shared(session) ? open_dir(session) : -1;
	if (dir < 0)
		return PE_OK;
	key_of(key, session, revision);
	rc = take_offer(out, slot, build, session, revision, dir, key);
	if (rc == PE_ENOTFOUND && !claim(shared, dir, key)) {
		*out = PE_SHARED_BUSY;
	} else if (rc == PE_ENOTFOUND) {
		/* Who had the claim may have ended meanwhile, with an offer. */
		rc = take_offer(out, slot, build, session, revision, dir, key);
		if (rc == PE_OK)
			drop_claim(shared, key);
	}
	close(dir);
	return rc == PE_ENOTFOUND ? PE_OK : rc;
}

int pe_shared_await(enum pe_shared_answer *out, struct pe_slot **slot, struct pe_build *build,
		    struct pe_session *session, const struct pe_session_revision *revision)
{
	const struct timespec tick = {.tv_nsec = LOOK_MS * 1000000L};
	const struct pe_recipe *recipe = &session->app->config->recipe;
	const uint64_t until_ns =
		pe_clock_ns() + recipe->timeout_ns * (recipe->prepare.n + recipe->steps.n + 1);
	int rc = pe_shared_take(out, slot, build, session, revision);

	while (rc == PE_OK && *out == PE_SHARED_BUSY && pe_clock_ns() < until_ns) {
		if (*session->app->interrupts > 0)
			return pe_fail(session->app->err, PE_ESTOPPED, "stopped while building");
		nanosleep(&tick, NULL);
		rc = pe_shared_take(out, slot, build, session, revision);
	}
	/* Who builds it stands still. */
	if (rc == PE_OK && *out == PE_SHARED_BUSY)
		*out = PE_SHARED_BUILD;
	return rc;
}

/* --- Offering --- */

/* The slot's path from the repository's folder in the cache on: what is before may have other names by links. */
static const char *own_place(const struct pe_slot *slot)
{
	const char *at = slot->dir + strlen(slot->dir);

	for (unsigned slashes = 0; at > slot->dir && slashes < 3; slashes += *at == '/')
		at--;
	return at;
}

/* Pack what was built; named by its content afterwards. */
static int pack(struct offer *out, int dir, const char *key, const struct pe_session *session,
		const struct pe_slot *slot, uint64_t most)
{
	struct pe_err *err = session->app->err;
	const struct pe_parcel_bounds bounds = {
		.unwanted = session->executor.tree != NULL ? NULL : own_place(slot),
		.most_bytes = most,
	};
	const char *part = pe_arena_printf(session->arena, "%s.part", key);
	int tree = pe_files_open_below(slot->trusted, slot->tree, false);
	int fd = openat(dir, part, O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	int rc = tree < 0 || fd < 0 ? pe_fail_errno(err, "cannot write %s", part)
				    : pe_parcel_pack(fd, tree, &bounds, err);

	if (rc == PE_OK && (lseek(fd, 0, SEEK_SET) != 0 || pe_digest_fd(out->parcel, fd) != 0))
		rc = pe_fail_errno(err, "cannot read %s", part);
	if (fd >= 0 && close(fd) != 0 && rc == PE_OK)
		rc = pe_fail_errno(err, "cannot write %s", part);
	if (rc == PE_OK && renameat(dir, part, dir, out->parcel) != 0)
		rc = pe_fail_errno(err, "cannot name %s", part);
	if (rc != PE_OK) {
		out->parcel[0] = '\0';
		unlinkat(dir, part, 0);
	}
	if (tree >= 0)
		close(tree);
	return rc;
}

/* Results go before builds: these have half of what is left on the disk, and together as much as builds may have here. */
static uint64_t room(const struct pe_session *session, int dir)
{
	const uint64_t budget = session->app->config->disk_bytes, has = bytes_in(dir);
	const uint64_t left = pe_files_free(session->shared.dir) / PARTS_OF_ROOM;
	const uint64_t may = budget > has ? budget - has : 0;

	return left < may ? left : may;
}

static void put_offer(struct pe_session *session, int dir, const char *key,
		      const struct pe_slot *slot, struct offer *offer)
{
	pe_auto_text text = PE_TEXT_INIT;
	struct pe_err why = PE_ERR_INIT, *err = session->app->err;

	session->app->err = &why;
	offer->bytes = room(session, dir);
	if (pack(offer, dir, key, session, slot, offer->bytes) == PE_OK)
		session->shared.offered++;
	session->app->err = err;
	write_offer(&text, offer);
	/* Without one, the next one builds it and offers it. */
	if (pe_files_write_at(&text, dir, key) != 0 && offer->parcel[0] != '\0')
		unlinkat(dir, offer->parcel, 0);
}

void pe_shared_offer(struct pe_session *session, const struct pe_session_revision *revision,
		     const struct pe_slot *slot, const struct pe_build *build,
		     const struct pe_stored_reads *reads)
{
	struct pe_shared *shared = &session->shared;
	struct offer offer = {.build = *build};
	char key[PE_HASH_HEX];
	int dir;

	if (!is_shared(session))
		return;
	key_of(key, session, revision);
	dir = claim_of(shared, key) != NULL ? open_dir(session) : -1;
	if (reads != NULL)
		offer.reads = *reads;
	if (dir >= 0 && build->outcome == PE_MEASURED)
		put_offer(session, dir, key, slot, &offer);
	if (dir >= 0)
		close(dir);
	drop_claim(shared, key);
}
