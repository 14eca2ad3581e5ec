#include "app/cluster/remote.h"

#include "app/cluster/shard.h"
#include "app/cluster/spool.h"
#include "app/git.h"
#include "core/base/array.h"
#include "core/base/clock.h"
#include "core/base/files.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

enum {
	NAMES_AT_ONCE = 512, /* of a call of git */
	LISTED_BYTES = 64 << 20,
	RETRY_S = 3,
	CALL_S = 600, /* that a call may take */
};

/* In the remote: of every farm that uses it. */
#define FARMS "refs/perfevo/farms/"
/* In a repository of ours. */
#define NEW  "refs/perfevo/new/"
#define SEEN "refs/perfevo/seen/"

/* --- Git --- */

typedef PE_VEC(const char *) words;

static int call(struct pe_farm_remote *remote, const words *argv, const char *what,
		const char *input, struct pe_text *output)
{
	pe_auto_text ignored = PE_TEXT_INIT;
	/* What git says is said once. */
	const int silence = remote->unreachable ? open("/dev/null", O_WRONLY | O_CLOEXEC) : -1;
	const struct pe_git_call one = {.argv = argv->data,
					.git_dir = remote->git_dir,
					.remote = &remote->remote,
					.what = what,
					.input = input,
					.output = output != NULL ? output : &ignored,
					.output_bytes = LISTED_BYTES,
					.messages = silence > 0 ? silence : 0,
					.timeout_ns = CALL_S * UINT64_C(1000000000)};
	int rc = pe_git_call(remote->app, &one);

	if (silence >= 0)
		close(silence);
	/* Whoever is asked to end asks git, too; a server that does not answer is one that says no. */
	return rc == PE_ESTOPPED || rc == PE_ESYS ? PE_EVCS : rc;
}

#define CALL(remote, what, input, output, ...)                                                     \
	call(remote,                                                                               \
	     &(words){(const char *[]){"git", "-C", pe_git_base_dir((remote)->app), __VA_ARGS__,   \
				       NULL},                                                      \
		      0, 0},                                                                       \
	     what, input, output)

static const char *first_line(const struct pe_text *text, struct pe_arena *arena)
{
	const char *all = pe_text_str(text);

	return pe_arena_strndup(arena, all, strcspn(all, "\n"));
}

/* A file's content as an object of the repository; its id, in the context's arena. */
static int put_blob(const char **id, struct pe_farm_remote *remote, const char *path)
{
	pe_auto_text said = PE_TEXT_INIT;
	int rc = CALL(remote, "reading what is handed out", NULL, &said, "hash-object", "-w",
		      "--no-filters", "--", path);

	*id = first_line(&said, remote->app->arena);
	return rc;
}

/* --- Opening --- */

static const char *name_of(struct pe_app *app, const char *spool)
{
	struct utsname system;
	char hex[PE_HASH_HEX];
	struct pe_hash hash;

	pe_hash_init(&hash);
	pe_hash_string(&hash, uname(&system) == 0 ? system.nodename : "");
	pe_hash_string(&hash, spool);
	pe_hash_hex(&hash, hex);
	return pe_arena_printf(app->arena, FARMS "%.16s/", hex);
}

/* Nodes reach it by the same words: a path that begins where this user stands means nothing there. */
static int check_address(const struct pe_farm_remote *remote)
{
	const char *url = remote->remote.fetch_url;

	if (url[0] == '/' || strchr(url, ':') != NULL)
		return PE_OK;
	return pe_fail(remote->app->err, PE_EINVALID,
		       "'farm: remote:' must be an address that nodes reach, too, not '%s': a URL, "
		       "HOST:PATH or an absolute path",
		       url);
}

/* Objects of the user's repository are seen from there, and none is added to it. */
static int make_repository(struct pe_farm_remote *remote)
{
	struct pe_app *app = remote->app;
	pe_auto_text objects = PE_TEXT_INIT;
	int rc;

	if (access(pe_arena_printf(app->arena, "%s/objects/info/alternates", remote->git_dir),
		   F_OK) == 0)
		return PE_OK;
	rc = CALL(remote, "making a repository", NULL, NULL, "init", "--quiet", "--bare",
		  remote->git_dir);
	pe_text_addf(&objects, "%s/objects\n", pe_repo_common_dir(app->repo));
	return rc == PE_OK ? pe_text_write_file(&objects,
						pe_arena_printf(app->arena,
								"%s/objects/info/alternates",
								remote->git_dir),
						app->err)
			   : rc;
}

int pe_farm_remote_open(struct pe_farm_remote *out, struct pe_app *app, const char *spool)
{
	const char *where = app->config->farm.remote;
	int rc;

	*out = (struct pe_farm_remote){0};
	if (where == NULL)
		return PE_OK;
	if (pe_repo_is_shallow(app->repo))
		return pe_fail(app->err, PE_EUNSUPPORTED,
			       "'farm: remote:' needs all of the history, and this clone is "
			       "shallow: 'git fetch --unshallow'");
	*out = (struct pe_farm_remote){.app = app, .spool = spool};
	out->git_dir = pe_arena_printf(app->arena, "%s/git", spool);
	out->refs = name_of(app, spool);
	rc = pe_remote_at(&out->remote, app->repo, where, app->arena, app->err);
	if (rc == PE_OK)
		rc = check_address(out);
	return rc == PE_OK ? make_repository(out) : rc;
}

int pe_farm_remote_join(struct pe_farm_remote *out, struct pe_app *app, const char *spool)
{
	const char *path = pe_arena_printf(app->arena, "%s/remote", spool), *refs;
	pe_auto_text text = PE_TEXT_INIT;
	int rc;

	*out = (struct pe_farm_remote){0};
	if (access(path, F_OK) != 0)
		return PE_OK;
	rc = pe_text_read_file(&text, path, app->err);
	if (rc != PE_OK)
		return rc;
	*out = (struct pe_farm_remote){.app = app, .spool = spool};
	out->git_dir = pe_repo_common_dir(app->repo);
	out->remote.fetch_url = out->remote.push_url = first_line(&text, app->arena);
	refs = strchr(pe_text_str(&text), '\n');
	if (refs == NULL || strncmp(refs + 1, FARMS, strlen(FARMS)) != 0)
		return pe_fail(app->err, PE_EINVALID, "%s is cut short", path);
	out->refs = pe_arena_strndup(app->arena, refs + 1, strcspn(refs + 1, "\n"));
	return PE_OK;
}

void pe_farm_remote_close(struct pe_farm_remote *remote)
{
	pe_vec_release(&remote->sent);
}

/* --- Work --- */

/* The commit: its parents are what is checked out, and what is measured. */
static int put_commit(const char **id, struct pe_farm_remote *remote, const char *tree,
		      const struct pe_shard *shard)
{
	struct pe_app *app = remote->app;
	pe_auto_text text = PE_TEXT_INIT, said = PE_TEXT_INIT;
	struct pe_revision head;
	int rc = pe_repo_resolve(&head, app->repo, "HEAD", app->arena, app->err);

	if (rc != PE_OK)
		return rc;
	pe_text_addf(&text, "tree %s\nparent %s\n", tree, head.id);
	for (size_t i = 0; shard != NULL && i < shard->revisions.n; i++)
		if (strcmp(shard->revisions.at[i], head.id) != 0)
			pe_text_addf(&text, "parent %s\n", shard->revisions.at[i]);
	pe_text_add(&text, "author perfevo <perfevo> 0 +0000\n"
			   "committer perfevo <perfevo> 0 +0000\n\nwork\n");
	rc = CALL(remote, "writing what is handed out", pe_text_str(&text), &said, "hash-object",
		  "-t", "commit", "-w", "--stdin");
	*id = first_line(&said, app->arena);
	return rc;
}

static int put_tree(const char **id, struct pe_farm_remote *remote, const char *name,
		    const struct pe_shard *shard)
{
	struct pe_app *app = remote->app;
	pe_auto_text entries = PE_TEXT_INIT, said = PE_TEXT_INIT;
	const char *blob;
	int rc = put_blob(&blob, remote, app->config->path);

	pe_text_addf(&entries, "100644 blob %s\tconfig\n", blob);
	if (rc == PE_OK && shard != NULL) {
		rc = put_blob(&blob, remote,
			      pe_arena_printf(app->arena, "%s/shards/%s", remote->spool, name));
		pe_text_addf(&entries, "100644 blob %s\tshard\n", blob);
	}
	if (rc == PE_OK && shard != NULL) {
		rc = put_blob(
			&blob, remote,
			pe_arena_printf(app->arena, "%s/stores/%s", remote->spool, shard->store));
		pe_text_addf(&entries, "100644 blob %s\tstore\n", blob);
	}
	if (rc == PE_OK)
		rc = CALL(remote, "writing what is handed out", pe_text_str(&entries), &said,
			  "mktree");
	*id = first_line(&said, app->arena);
	return rc;
}

static void add_line(struct pe_text *out, const char *before, const char *word, const char *after)
{
	pe_text_add(out, before);
	pe_text_add_quoted(out, word);
	pe_text_add(out, after);
}

/*
 * What is fetched is believed by the id of the commit alone, which comes with the job. Folders of workers that were killed
 * are removed after two weeks.
 */
static const char *script(const struct pe_farm_remote *remote, const char *name, const char *commit,
			  const struct pe_shard *shard)
{
	const struct pe_app *app = remote->app;
	pe_auto_text out = PE_TEXT_INIT;

	pe_text_add(&out, "set -e\numask 077\n");
	if (app->config->farm.cache != NULL)
		add_line(&out, "base=", app->config->farm.cache, "\nmkdir -p \"$base\"\n");
	else
		pe_text_add(&out, "base=${TMPDIR:-/var/tmp}\n[ -d \"$base\" ] || base=/var/tmp\n");
	pe_text_add(&out, "find \"$base\" -maxdepth 1 -name 'perfevo-farm-*' -user \"$(id -u)\" "
			  "-mtime +14 -exec rm -rf {} + 2>/dev/null || :\n"
			  "place=$(mktemp -d \"$base/perfevo-farm-XXXXXX\")\n"
			  "[ -z \"${SLURM_JOB_ID-}\" ] || exec >\"$place/log\" 2>&1\n"
			  "for name in shards stores pieces nodes logs refused builds; do "
			  "mkdir -p \"$place/spool/$name\"; done\n"
			  "git init -q \"$place/repo\"\ncd \"$place/repo\"\n");
	add_line(&out, "url=", remote->remote.fetch_url, "\n");
	pe_text_addf(&out, "refs=%s\nwork=%s\nshard=%s\n", remote->refs, commit, name);
	pe_text_add(
		&out,
		"tries=0\n"
		"until git fetch -q --no-tags -- \"$url\" \"+${refs}work/$shard:refs/perfevo/work\" "
		"\"+${refs}pieces/$shard/*:refs/perfevo/pieces/*\"; do\n"
		"tries=$((tries + 1))\n[ $tries -lt 30 ] || exit 1\nsleep 10\ndone\n"
		"git cat-file blob \"$work:config\" >\"$place/perfevo.yml\"\n"
		"git for-each-ref --format='%(objectname) %(refname:lstrip=3)' "
		"refs/perfevo/pieces | while read -r id name; do\n"
		"case $name in *[!0-9a-f]*) continue ;; esac\n"
		"git cat-file blob \"$id\" >\"$place/spool/pieces/$name\" || :\ndone\n");
	if (shard != NULL)
		pe_text_addf(&out,
			     "git cat-file blob \"$work:shard\" >\"$place/spool/shards/$shard\"\n"
			     "git cat-file blob \"$work:store\" >\"$place/spool/stores/%s\"\n",
			     shard->store);
	pe_text_add(&out, "git checkout -q --detach \"$work^1\"\n"
			  "printf '%s\\n' \"$url\" \"$refs\" >\"$place/spool/remote\"\n");
	return pe_arena_strdup(app->arena, pe_text_str(&out));
}

int pe_farm_remote_offer(const char **out, struct pe_farm_remote *remote, const char *name)
{
	struct pe_app *app = remote->app;
	const char *ref = name != NULL ? name : "probe", *tree, *commit = NULL;
	struct pe_shard shard, *given = name != NULL ? &shard : NULL;
	int rc = name != NULL ? pe_shard_get(&shard, app, remote->spool, name, app->arena) : PE_OK;

	if (rc == PE_OK)
		rc = put_tree(&tree, remote, name, given);
	if (rc == PE_OK)
		rc = put_commit(&commit, remote, tree, given);
	if (rc == PE_OK)
		rc = CALL(remote, "pushing work to 'farm: remote:'", NULL, NULL, "push", "--quiet",
			  "--no-verify", "--", remote->remote.push_url,
			  pe_arena_printf(app->arena, "+%s:%swork/%s", commit, remote->refs, ref));
	if (rc == PE_OK)
		*out = script(remote, ref, commit, given);
	return rc;
}

/* --- Results --- */

/* In calls of some each. */
static int push_all(struct pe_farm_remote *remote, const words *specs)
{
	int rc = PE_OK;

	for (size_t first = 0; rc == PE_OK && first < specs->n; first += NAMES_AT_ONCE) {
		words argv = {NULL, 0, 0};
		const char *const begin[] = {"git",
					     "push",
					     "--quiet",
					     "--force",
					     "--no-verify",
					     "--",
					     remote->remote.push_url};

		for (size_t i = 0; i < sizeof(begin) / sizeof(*begin); i++)
			pe_vec_push(&argv, begin[i]);
		for (size_t i = first; i < specs->n && i < first + NAMES_AT_ONCE; i++)
			pe_vec_push(&argv, specs->data[i]);
		pe_vec_push(&argv, NULL);
		rc = call(remote, &argv, "pushing to 'farm: remote:'", NULL, NULL);
		pe_vec_release(&argv);
	}
	return rc;
}

static bool was_sent(const struct pe_farm_remote *remote, const char *name)
{
	for (size_t i = 0; i < remote->sent.n; i++)
		if (strcmp(remote->sent.data[i], name) == 0)
			return true;
	return false;
}

static int send_pieces(struct pe_farm_remote *remote, const char *shard)
{
	struct pe_app *app = remote->app;
	pe_auto_free words specs = {NULL, 0, 0}, fresh = {NULL, 0, 0};
	struct pe_strings names;
	const char *blob;
	int rc = pe_spool_list(&names, remote->spool, "pieces", app->arena, app->err);

	for (size_t i = 0; rc == PE_OK && i < names.n; i++) {
		if (was_sent(remote, names.at[i]))
			continue;
		rc = put_blob(
			&blob, remote,
			pe_arena_printf(app->arena, "%s/pieces/%s", remote->spool, names.at[i]));
		pe_vec_push(&specs, pe_arena_printf(app->arena, "%s:%spieces/%s/%s", blob,
						    remote->refs, shard, names.at[i]));
		pe_vec_push(&fresh, names.at[i]);
	}
	if (rc == PE_OK)
		rc = push_all(remote, &specs);
	for (size_t i = 0; rc == PE_OK && i < fresh.n; i++)
		pe_vec_push(&remote->sent, fresh.data[i]);
	return rc;
}

int pe_farm_remote_send(struct pe_farm_remote *remote, const char *shard, const char *node)
{
	struct pe_app *app = remote->app;
	pe_auto_free words specs = {NULL, 0, 0};
	const char *blob;
	int rc;

	if (remote->app == NULL)
		return PE_OK;
	if (shard != NULL)
		return send_pieces(remote, shard);
	rc = put_blob(&blob, remote,
		      pe_arena_printf(app->arena, "%s/nodes/%s.json", remote->spool, node));
	pe_vec_push(&specs, pe_arena_printf(app->arena, "%s:%snodes/%s", blob, remote->refs, node));
	return rc == PE_OK ? push_all(remote, &specs) : rc;
}

int pe_farm_remote_send_patiently(struct pe_farm_remote *remote, const char *shard,
				  unsigned seconds)
{
	int rc = pe_farm_remote_send(remote, shard, NULL);

	if (rc == PE_EVCS)
		pe_app_note(remote->app, "%s: waiting for it", remote->app->err->message);
	for (unsigned s = 0; rc == PE_EVCS && s < seconds; s += RETRY_S) {
		nanosleep(&(struct timespec){.tv_sec = RETRY_S}, NULL);
		rc = pe_farm_remote_send(remote, shard, NULL);
	}
	return rc;
}

/* A node's name or a piece's becomes a file's. */
static bool is_name(const char *name)
{
	return name[0] != '\0' && name[0] != '.' &&
	       strspn(name, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_.") ==
		       strlen(name);
}

/* One that cannot be read is no piece: it is passed over. */
static int take_blob(struct pe_farm_remote *remote, const char *id, const char *path)
{
	pe_auto_text text = PE_TEXT_INIT;
	int rc = CALL(remote, "reading what was fetched", NULL, &text, "cat-file", "blob", id);

	if (rc == PE_EVCS)
		return PE_OK;
	return rc == PE_OK ? pe_text_write_file(&text, path, remote->app->err) : rc;
}

/* References below a prefix, as "ID NAME" without it, in the order of their names. */
static int list(words *out, struct pe_farm_remote *remote, const char *prefix,
		struct pe_arena *arena)
{
	pe_auto_text lines = PE_TEXT_INIT;
	int rc = CALL(remote, "listing what was fetched", NULL, &lines, "for-each-ref",
		      "--format=%(objectname) %(refname:lstrip=3)", prefix);

	for (const char *line = pe_text_str(&lines), *end;
	     rc == PE_OK && (end = strchr(line, '\n')) != NULL; line = end + 1)
		pe_vec_push(out, pe_arena_strndup(arena, line, (size_t)(end - line)));
	return rc;
}

static const char *ref_of(const char *line)
{
	return line + strcspn(line, " ") + (strchr(line, ' ') != NULL);
}

/* "ID pieces/SHARD/NAME" or "ID nodes/NODE" */
static int take_line(struct pe_farm_remote *remote, struct pe_text *seen, const char *line,
		     struct pe_arena *arena)
{
	const char *id = pe_arena_strndup(arena, line, strcspn(line, " ")), *ref = ref_of(line);
	const char *slash = strrchr(ref, '/'), *name = slash != NULL ? slash + 1 : "";

	pe_text_addf(seen, "update " SEEN "%s %s\n", ref, id);
	if (!is_name(name))
		return PE_OK;
	return take_blob(remote, id,
			 strncmp(ref, "nodes/", 6) == 0
				 ? pe_arena_printf(arena, "%s/nodes/%s.json", remote->spool, name)
				 : pe_arena_printf(arena, "%s/pieces/%s", remote->spool, name));
}

/* What was here before may have been taken in and removed since. */
static int take_new(struct pe_farm_remote *remote)
{
	pe_auto_arena scratch = PE_ARENA_INIT;
	pe_auto_free words fresh = {NULL, 0, 0}, known = {NULL, 0, 0};
	pe_auto_text seen = PE_TEXT_INIT;
	int rc = list(&known, remote, SEEN, &scratch);

	if (rc == PE_OK)
		rc = list(&fresh, remote, NEW, &scratch);
	for (size_t i = 0, k = 0; rc == PE_OK && i < fresh.n; i++) {
		while (k < known.n && strcmp(ref_of(known.data[k]), ref_of(fresh.data[i])) < 0)
			k++;
		if (k == known.n || strcmp(known.data[k], fresh.data[i]) != 0)
			rc = take_line(remote, &seen, fresh.data[i], &scratch);
	}
	/* A file is there before it is noted: it is read twice at most. */
	if (rc == PE_OK && seen.len > 0)
		rc = CALL(remote, "noting what was fetched", pe_text_str(&seen), NULL, "update-ref",
			  "--stdin");
	return rc;
}

int pe_farm_remote_fetch(struct pe_farm_remote *remote)
{
	struct pe_app *app = remote->app;
	int rc;

	if (app == NULL)
		return PE_OK;
	rc = CALL(remote, "fetching from 'farm: remote:'", NULL, NULL, "fetch", "--quiet",
		  "--no-tags", "--no-write-fetch-head", "--prune", "--", remote->remote.fetch_url,
		  pe_arena_printf(app->arena, "+%spieces/*:" NEW "pieces/*", remote->refs),
		  pe_arena_printf(app->arena, "+%snodes/*:" NEW "nodes/*", remote->refs));
	return rc == PE_OK ? take_new(remote) : rc;
}

int pe_farm_remote_look(struct pe_farm_remote *remote)
{
	const uint64_t now_ns = pe_clock_ns();
	int rc;

	if (remote->app == NULL ||
	    (remote->looked_ns != 0 &&
	     now_ns - remote->looked_ns < PE_FARM_REMOTE_MS * UINT64_C(1000000)))
		return PE_OK;
	rc = pe_farm_remote_fetch(remote);
	remote->looked_ns = pe_clock_ns();
	if (rc == PE_EVCS && !remote->unreachable)
		pe_app_note(remote->app, "%s: waiting for it", remote->app->err->message);
	remote->unreachable = rc == PE_EVCS;
	return rc == PE_EVCS ? PE_OK : rc;
}

/* --- The end --- */

static int clear(struct pe_farm_remote *remote)
{
	struct pe_app *app = remote->app;
	pe_auto_free words specs = {NULL, 0, 0};
	pe_auto_text lines = PE_TEXT_INIT;
	int rc;

	rc = CALL(remote, "listing 'farm: remote:'", NULL, &lines, "ls-remote", "--quiet", "--",
		  remote->remote.fetch_url, pe_arena_printf(app->arena, "%s*", remote->refs));
	for (const char *line = pe_text_str(&lines), *end;
	     rc == PE_OK && (end = strchr(line, '\n')) != NULL; line = end + 1) {
		const char *tab = memchr(line, '\t', (size_t)(end - line));

		if (tab != NULL)
			pe_vec_push(&specs, pe_arena_printf(app->arena, ":%.*s",
							    (int)(end - tab - 1), tab + 1));
	}
	if (rc == PE_OK)
		rc = push_all(remote, &specs);
	if (rc == PE_OK)
		rc = pe_files_remove(remote->git_dir, app->err);
	return rc == PE_OK ? make_repository(remote) : rc;
}

int pe_farm_remote_clear(struct pe_farm_remote *remote)
{
	int rc = remote->app != NULL ? clear(remote) : PE_OK;

	if (rc == PE_EVCS)
		pe_app_note(remote->app, "%s: what lies there is removed the next time",
			    remote->app->err->message);
	return rc == PE_EVCS ? PE_OK : rc;
}

void pe_farm_remote_leave(struct pe_farm_remote *remote)
{
	const char *slash = remote->app != NULL ? strrchr(remote->spool, '/') : NULL;

	if (slash != NULL && strcmp(slash, "/spool") == 0 && chdir("/") == 0)
		pe_files_remove(pe_arena_strndup(remote->app->arena, remote->spool,
						 (size_t)(slash - remote->spool)),
				NULL);
}
