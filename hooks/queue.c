/* Locks of open files (F_OFD_SETLK) are Linux's; unlike flock(2)'s they can be asked about without taking them. */
#define _GNU_SOURCE
#include "hooks/queue.h"

#include "core/base/files.h"

#include "core/base/array.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char shown_suffix[] = ".shown";

/* --- Files of lines "key value" --- */

/* The rest of the line that begins with a key; "" without one. */
static const char *field(const char *text, const char *key, struct pe_arena *arena)
{
	size_t n = strlen(key);

	while (*text != '\0') {
		size_t length = strcspn(text, "\n");

		if (length > n && strncmp(text, key, n) == 0 && text[n] == ' ')
			return pe_arena_strndup(arena, text + n + 1, length - n - 1);
		text += length;
		text += *text == '\n';
	}
	return "";
}

/* One line, whatever the value holds. */
static void put_field(struct pe_text *out, const char *key, const char *value)
{
	pe_text_addf(out, "%s ", key);
	for (; value != NULL && *value != '\0'; value++)
		pe_text_addc(out, *value == '\n' || *value == '\r' ? ' ' : *value);
	pe_text_addc(out, '\n');
}

static int64_t number(const char *text)
{
	return strtoll(text, NULL, 10);
}

static void copy_id(char out[PE_QUEUE_ID], const char *id)
{
	size_t n = strlen(id);

	n = n < PE_QUEUE_ID ? n : PE_QUEUE_ID - 1;
	memcpy(out, id, n);
	out[n] = '\0';
}

/* --- Folders of files TIME-ID --- */

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* The folder itself, in one that is there, and one below it. */
static int make_dirs(const char *folder, const char *below, struct pe_err *err)
{
	pe_auto_text path = PE_TEXT_INIT;

	pe_text_addf(&path, "%s/%s", folder, below);
	return pe_files_make_dir(path.data, err);
}

/* "20 digits, a dash, an id", perhaps with a suffix; what is being written ends in something else. */
static bool is_name(const char *name, const char *suffix)
{
	size_t n = strspn(name, "0123456789"), id;

	if (n != 20 || name[n] != '-')
		return false;
	id = strspn(name + n + 1, "0123456789abcdef");
	return id >= 40 && id < PE_QUEUE_ID && strcmp(name + n + 1 + id, suffix) == 0;
}

static int compare_names(const void *a, const void *b)
{
	const char *const *x = a, *const *y = b;

	return strcmp(*y, *x);
}

struct names {
	const char **at;
	size_t n;
};

/* Names of a folder, newest first; with and without the suffix. */
static int names_of(struct names *out, const char *folder, const char *below,
		    struct pe_arena *arena, struct pe_err *err)
{
	pe_auto_free PE_VEC(const char *) names = {NULL, 0, 0};
	const char *path = pe_arena_printf(arena, "%s/%s", folder, below);
	DIR *dir = opendir(path);
	const struct dirent *entry;

	*out = (struct names){NULL, 0};
	if (dir == NULL && errno == ENOENT)
		return PE_OK;
	if (dir == NULL)
		return pe_fail_errno(err, "cannot list %s", path);
	while ((entry = readdir(dir)) != NULL)
		if (is_name(entry->d_name, "") || is_name(entry->d_name, shown_suffix))
			pe_vec_push(&names, pe_arena_strdup(arena, entry->d_name));
	closedir(dir);
	if (names.n > 0) {
		qsort(names.data, names.n, sizeof(*names.data), compare_names);
		out->at = pe_vec_copy(arena, &names);
		out->n = names.n;
	}
	return PE_OK;
}

static void id_of_name(char out[PE_QUEUE_ID], const char *name)
{
	size_t n = strspn(name + 21, "0123456789abcdef");

	memcpy(out, name + 21, n);
	out[n] = '\0';
}

/* --- The queue --- */

static int write_queued(const char *path, const struct pe_queued *commit, struct pe_err *err)
{
	pe_auto_text text = PE_TEXT_INIT;

	put_field(&text, "tree", commit->tree);
	put_field(&text, "git-dir", commit->git_dir);
	pe_text_addf(&text, "attempts %u\n", commit->attempts);
	return pe_text_write_file(&text, path, err);
}

int pe_queue_add(const char *folder, const struct pe_queued *commit, struct pe_err *err)
{
	struct pe_queued fresh = *commit;
	pe_auto_text path = PE_TEXT_INIT;
	int rc = make_dirs(folder, "queue", err);

	fresh.attempts = 0;
	pe_text_addf(&path, "%s/queue/%020" PRId64 "-%s", folder, now_ns(), commit->id);
	if (rc == PE_OK)
		rc = write_queued(path.data, &fresh, err);
	return rc;
}

static bool has_id(const struct pe_queued *at, size_t n, const char *id)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(at[i].id, id) == 0)
			return true;
	return false;
}

int pe_queue_list(struct pe_queued **out, size_t *n, const char *folder, struct pe_arena *arena,
		  struct pe_err *err)
{
	struct names names;
	int rc = names_of(&names, folder, "queue", arena, err);

	*n = 0;
	if (rc != PE_OK)
		return rc;
	*out = pe_arena_new(arena, struct pe_queued, names.n);
	for (size_t i = 0; i < names.n; i++) {
		struct pe_queued *one = &(*out)[*n];
		pe_auto_text text = PE_TEXT_INIT;
		const char *path = pe_arena_printf(arena, "%s/queue/%s", folder, names.at[i]);

		id_of_name(one->id, names.at[i]);
		/* Gone meanwhile is gone; what cannot be read has no tree, which its worker will say. */
		if (pe_text_read_file(&text, path, NULL) != PE_ENOTFOUND &&
		    !has_id(*out, *n, one->id)) {
			one->name = names.at[i];
			one->queued_ns = number(names.at[i]);
			one->tree = field(pe_text_str(&text), "tree", arena);
			one->git_dir = field(pe_text_str(&text), "git-dir", arena);
			one->attempts =
				(unsigned)number(field(pe_text_str(&text), "attempts", arena));
			++*n;
		}
	}
	return PE_OK;
}

int pe_queue_note(const char *folder, struct pe_queued *commit, unsigned attempts,
		  struct pe_err *err)
{
	pe_auto_text path = PE_TEXT_INIT;

	commit->attempts = attempts;
	pe_text_addf(&path, "%s/queue/%s", folder, commit->name);
	return write_queued(path.data, commit, err);
}

int pe_queue_drop(const char *folder, const char *id, struct pe_arena *arena, struct pe_err *err)
{
	struct names names;
	int rc = names_of(&names, folder, "queue", arena, err);

	for (size_t i = 0; rc == PE_OK && i < names.n; i++) {
		const char *path = pe_arena_printf(arena, "%s/queue/%s", folder, names.at[i]);

		if (strcmp(names.at[i] + 21, id) == 0 && unlink(path) < 0 && errno != ENOENT)
			rc = pe_fail_errno(err, "cannot remove %s", path);
	}
	return rc;
}

/* --- The worker --- */

int pe_worker_lock(int *fd, const char *folder, struct pe_err *err)
{
	struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	pe_auto_text path = PE_TEXT_INIT;
	int rc = make_dirs(folder, "queue", err);

	*fd = -1;
	pe_text_addf(&path, "%s/worker.lock", folder);
	if (rc == PE_OK)
		*fd = open(path.data, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (rc == PE_OK && *fd < 0)
		rc = pe_fail_errno(err, "cannot open %s", path.data);
	if (rc == PE_OK && fcntl(*fd, F_OFD_SETLK, &whole) < 0) {
		rc = errno == EAGAIN || errno == EACCES
			     ? PE_EBUSY
			     : pe_fail_errno(err, "cannot lock %s", path.data);
		close(*fd);
		*fd = -1;
	}
	return rc;
}

bool pe_worker_take_over(int fd, const char *folder)
{
	struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	pe_auto_text path = PE_TEXT_INIT;
	struct stat handed, lock;
	bool is_lock;

	pe_text_addf(&path, "%s/worker.lock", folder);
	is_lock = fstat(fd, &handed) == 0 && stat(path.data, &lock) == 0 &&
		  handed.st_dev == lock.st_dev && handed.st_ino == lock.st_ino;
	/* What the worker starts must not hold it any longer than the worker. */
	return is_lock && fcntl(fd, F_SETFD, FD_CLOEXEC) == 0 &&
	       fcntl(fd, F_OFD_SETLK, &whole) == 0;
}

void pe_worker_report(const char *folder, const struct pe_worker_state *state)
{
	pe_auto_text text = PE_TEXT_INIT, path = PE_TEXT_INIT;

	pe_text_addf(&path, "%s/worker", folder);
	pe_text_addf(&text,
		     "pid %" PRId64 "\nsince %" PRId64 "\ndone %" PRIu64 "\ntotal %" PRIu64 "\n",
		     state->pid, state->since_s, state->done, state->total);
	put_field(&text, "commit", state->id);
	put_field(&text, "phase", state->phase);
	pe_text_write_file(&text, path.data, NULL);
}

void pe_worker_leave(int fd, const char *folder)
{
	pe_auto_text path = PE_TEXT_INIT;

	pe_text_addf(&path, "%s/worker", folder);
	unlink(path.data);
	close(fd);
}

static bool is_locked(const char *path)
{
	struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool locked = fd >= 0 && fcntl(fd, F_OFD_GETLK, &whole) == 0 && whole.l_type != F_UNLCK;

	if (fd >= 0)
		close(fd);
	return locked;
}

bool pe_worker_ask(struct pe_worker_state *out, const char *folder)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	pe_auto_text text = PE_TEXT_INIT;
	const char *phase;
	bool lives = is_locked(pe_arena_printf(&arena, "%s/worker.lock", folder));

	*out = (struct pe_worker_state){0};
	if (lives &&
	    pe_text_read_file(&text, pe_arena_printf(&arena, "%s/worker", folder), NULL) == PE_OK) {
		out->pid = number(field(text.data, "pid", &arena));
		out->since_s = number(field(text.data, "since", &arena));
		out->done = (uint64_t)number(field(text.data, "done", &arena));
		out->total = (uint64_t)number(field(text.data, "total", &arena));
		copy_id(out->id, field(text.data, "commit", &arena));
		phase = field(text.data, "phase", &arena);
		snprintf(out->phase, sizeof(out->phase), "%s", phase);
	}
	return lives;
}

/* --- Results --- */

static const char *const verdicts[PE_N_VERDICTS] = {
	[PE_RESULT_PASS] = "pass",           [PE_RESULT_REGRESSED] = "regressed",
	[PE_RESULT_SUSPECTED] = "suspected", [PE_RESULT_IMPROVED] = "improved",
	[PE_RESULT_FAILED] = "failed",
};

const char *pe_result_verdict_name(enum pe_result_verdict verdict)
{
	return verdicts[verdict];
}

static enum pe_result_verdict verdict_of(const char *name)
{
	for (int i = 0; i < PE_N_VERDICTS; i++)
		if (strcmp(verdicts[i], name) == 0)
			return (enum pe_result_verdict)i;
	return PE_RESULT_FAILED;
}

static void forget_old(const char *folder, struct pe_arena *arena)
{
	enum { RESULTS_KEPT = 50 };
	struct names names;

	if (names_of(&names, folder, "results", arena, NULL) != PE_OK)
		return;
	for (size_t i = RESULTS_KEPT; i < names.n; i++)
		unlink(pe_arena_printf(arena, "%s/results/%s", folder, names.at[i]));
}

int pe_result_add(const char *folder, const struct pe_hook_result *result, struct pe_arena *arena,
		  struct pe_err *err)
{
	pe_auto_text text = PE_TEXT_INIT;
	const char *path = pe_arena_printf(arena, "%s/results/%020" PRId64 "-%s", folder, now_ns(),
					   result->id);
	int rc = make_dirs(folder, "results", err);

	put_field(&text, "verdict", verdicts[result->verdict]);
	put_field(&text, "subject", result->subject);
	put_field(&text, "text", result->text);
	pe_text_addf(&text, "found %" PRId64 "\n", result->found_s);
	if (rc == PE_OK)
		rc = pe_text_write_file(&text, path, err);
	forget_old(folder, arena);
	return rc;
}

int pe_result_list(struct pe_hook_result **out, size_t *n, const char *folder, bool all,
		   struct pe_arena *arena, struct pe_err *err)
{
	struct names names;
	int rc = names_of(&names, folder, "results", arena, err);

	*n = 0;
	if (rc != PE_OK)
		return rc;
	*out = pe_arena_new(arena, struct pe_hook_result, names.n);
	for (size_t i = 0; i < names.n; i++) {
		struct pe_hook_result *one = &(*out)[*n];
		pe_auto_text text = PE_TEXT_INIT;

		if ((!all && is_name(names.at[i], shown_suffix)) ||
		    pe_text_read_file(&text,
				      pe_arena_printf(arena, "%s/results/%s", folder, names.at[i]),
				      NULL) != PE_OK)
			continue;
		id_of_name(one->id, names.at[i]);
		one->name = names.at[i];
		one->shown = is_name(names.at[i], shown_suffix);
		one->verdict = verdict_of(field(pe_text_str(&text), "verdict", arena));
		one->subject = field(pe_text_str(&text), "subject", arena);
		one->text = field(pe_text_str(&text), "text", arena);
		one->found_s = number(field(pe_text_str(&text), "found", arena));
		++*n;
	}
	return PE_OK;
}

bool pe_result_shown(const char *folder, const struct pe_hook_result *result,
		     struct pe_arena *arena)
{
	const char *from = pe_arena_printf(arena, "%s/results/%s", folder, result->name);
	const char *to = pe_arena_printf(arena, "%s%s", from, shown_suffix);

	return !result->shown && rename(from, to) == 0;
}
