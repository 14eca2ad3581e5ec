#include "hooks/journal.h"

#include "core/base/clock.h"
#include "core/base/files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static const char *const names[PE_N_JOURNAL_EVENTS] = {
	[PE_JOURNAL_COMMIT] = "commit",       [PE_JOURNAL_BEGUN] = "begun",
	[PE_JOURNAL_SKIPPED] = "skipped",     [PE_JOURNAL_SHOWN] = "shown",
	[PE_JOURNAL_PASS] = "pass",           [PE_JOURNAL_REGRESSED] = "regressed",
	[PE_JOURNAL_SUSPECTED] = "suspected", [PE_JOURNAL_IMPROVED] = "improved",
	[PE_JOURNAL_FAILED] = "failed",
};

const char *pe_journal_event_name(enum pe_journal_event event)
{
	return names[event];
}

bool pe_journal_has_result(const struct pe_journal_commit *commit)
{
	return commit->state >= PE_JOURNAL_PASS;
}

static const char *path_of(const char *folder, struct pe_arena *arena)
{
	return pe_arena_printf(arena, "%s/journal", folder);
}

/* --- Reading --- */

enum { MOST_WORDS = 5 };

/* Cut a line at its tabs. @return  how many words there are; the others are "" */
static size_t split(char *words[MOST_WORDS], char *line)
{
	size_t n = 0;

	for (; n < MOST_WORDS && line != NULL; n++) {
		words[n] = line;
		line = strchr(line, '\t');
		if (line != NULL)
			*line++ = '\0';
	}
	for (size_t i = n; i < MOST_WORDS; i++)
		words[i] = words[n - 1] + strlen(words[n - 1]);
	return n;
}

static enum pe_journal_event event_of(const char *name)
{
	int i = 0;

	while (i < PE_N_JOURNAL_EVENTS && strcmp(names[i], name) != 0)
		i++;
	return (enum pe_journal_event)i;
}

/* Ids are given to git and to `perfevo track`. */
static bool is_id(const char *word)
{
	size_t n = strspn(word, "0123456789abcdef");

	return n >= 40 && word[n] == '\0';
}

static struct pe_journal_commit *find(const struct pe_journal *journal, const char *id)
{
	for (size_t i = journal->n; i-- > 0;)
		if (strcmp(journal->at[i].id, id) == 0)
			return &journal->at[i];
	return NULL;
}

static void read_line(struct pe_journal *journal, char *line)
{
	char *words[MOST_WORDS];
	size_t n = split(words, line);
	enum pe_journal_event event = event_of(words[1]);
	int64_t time_s = strtoll(words[0], NULL, 10);
	struct pe_journal_commit *commit;

	if (n < 3 || event == PE_N_JOURNAL_EVENTS || !is_id(words[2]))
		return;
	commit = find(journal, words[2]);
	if (event == PE_JOURNAL_COMMIT && commit != NULL && commit->state == PE_JOURNAL_COMMIT)
		commit->state = PE_JOURNAL_SKIPPED; /* it is entered again */
	if (event == PE_JOURNAL_COMMIT) {
		commit = &journal->at[journal->n++];
		*commit = (struct pe_journal_commit){
			.id = words[2], .tree = words[3], .git_dir = words[4]};
	}
	if (commit == NULL)
		return;
	if (event == PE_JOURNAL_BEGUN) {
		commit->begun_s = time_s;
		journal->begun = commit;
	} else if (event == PE_JOURNAL_SHOWN) {
		commit->shown = true;
	} else {
		commit->state = event;
	}
	if (event >= PE_JOURNAL_PASS) {
		commit->found_s = time_s;
		commit->subject = words[3];
		commit->text = words[4];
	}
}

/* A last line without an end is being written, or was when the machine stopped. */
static void read_lines(struct pe_journal *out, const struct pe_text *text, struct pe_arena *arena)
{
	char *line = pe_arena_strdup(arena, pe_text_str(text)), *end;
	size_t lines = 0;

	for (const char *c = line; *c != '\0'; c++)
		lines += *c == '\n';
	*out = (struct pe_journal){.at = pe_arena_new(arena, struct pe_journal_commit, lines)};
	for (; (end = strchr(line, '\n')) != NULL; line = end + 1) {
		*end = '\0';
		read_line(out, line);
	}
}

int pe_journal_read(struct pe_journal *out, const char *folder, struct pe_arena *arena,
		    struct pe_err *err)
{
	pe_auto_text text = PE_TEXT_INIT;
	const char *path = path_of(folder, arena);

	*out = (struct pe_journal){0};
	if (access(path, F_OK) < 0 && errno == ENOENT)
		return PE_OK;
	PE_TRY(pe_text_read_file(&text, path, err));
	read_lines(out, &text, arena);
	return PE_OK;
}

const struct pe_journal_commit *pe_journal_waiting(const struct pe_journal *journal, size_t *n)
{
	const struct pe_journal_commit *newest = NULL;
	size_t waiting = 0;

	for (size_t i = 0; i < journal->n; i++)
		if (journal->at[i].state == PE_JOURNAL_COMMIT) {
			newest = &journal->at[i];
			waiting++;
		}
	if (n != NULL)
		*n = waiting;
	return newest;
}

/* --- Writing --- */

static void add_field(struct pe_text *out, const char *field)
{
	pe_text_addc(out, '\t');
	for (const char *c = field != NULL ? field : ""; *c != '\0'; c++)
		pe_text_addc(out, (unsigned char)*c < ' ' ? ' ' : *c);
}

static void add_line(struct pe_text *out, enum pe_journal_event event, const char *id,
		     const char *const fields[2])
{
	pe_text_addf(out, "%" PRId64 "\t%s\t%s", pe_clock_now_s(), names[event], id);
	for (int i = 0; fields != NULL && i < 2; i++)
		add_field(out, fields[i]);
	pe_text_addc(out, '\n');
}

static int open_journal(int *fd, const char *folder, const char *path, struct pe_err *err)
{
	PE_TRY(pe_files_make_dir(folder, err));
	*fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	return *fd >= 0 ? PE_OK : pe_fail_errno(err, "cannot open %s", path);
}

/* One write(2) of all lines, after the end of a line that was cut off. */
static int append(int fd, const struct pe_text *lines, const char *path, struct pe_err *err)
{
	pe_auto_text all = PE_TEXT_INIT;
	off_t end = lseek(fd, 0, SEEK_END);
	char last = '\n';

	if (end > 0 && pread(fd, &last, 1, end - 1) == 1 && last != '\n')
		pe_text_addc(&all, '\n');
	pe_text_addn(&all, pe_text_str(lines), lines->len);
	if (pe_text_write_fd(&all, fd) < 0 || fdatasync(fd) < 0)
		return pe_fail_errno(err, "cannot write %s", path);
	return PE_OK;
}

int pe_journal_add(const char *folder, enum pe_journal_event event, const char *id,
		   const char *const fields[2], struct pe_err *err)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	pe_auto_text line = PE_TEXT_INIT;
	const char *path = path_of(folder, &arena);
	pe_auto_fd fd = -1;

	PE_TRY(open_journal(&fd, folder, path, err));
	add_line(&line, event, id, fields);
	return append(fd, &line, path, err);
}

/* Enter the commit and take the results of an open journal. */
static int enter(struct pe_journal *results, int fd, const char *path,
		 const struct pe_journal_commit *commit, struct pe_arena *arena, struct pe_err *err)
{
	const char *const place[2] = {commit->tree, commit->git_dir};
	pe_auto_text text = PE_TEXT_INIT, lines = PE_TEXT_INIT;
	struct pe_journal journal;

	if (pe_text_read_fd(&text, fd) < 0)
		return pe_fail_errno(err, "cannot read %s", path);
	read_lines(&journal, &text, arena);
	results->at = pe_arena_new(arena, struct pe_journal_commit, journal.n);
	for (size_t i = 0; i < journal.n; i++) {
		if (!pe_journal_has_result(&journal.at[i]) || journal.at[i].shown)
			continue;
		results->at[results->n++] = journal.at[i];
		add_line(&lines, PE_JOURNAL_SHOWN, journal.at[i].id, NULL);
	}
	/* Last: it may be entered again, and what is shown is its earlier result. */
	add_line(&lines, PE_JOURNAL_COMMIT, commit->id, place);
	return append(fd, &lines, path, err);
}

int pe_journal_commit(struct pe_journal *results, const char *folder,
		      const struct pe_journal_commit *commit, struct pe_arena *arena,
		      struct pe_err *err)
{
	const char *path = path_of(folder, arena);
	pe_auto_fd fd = -1;
	int rc;

	*results = (struct pe_journal){0};
	PE_TRY(open_journal(&fd, folder, path, err));
	/* Hooks wait for each other. A job, at idle priority, takes no lock that a commit would wait for. */
	if (flock(fd, LOCK_EX) < 0)
		return pe_fail_errno(err, "cannot lock %s", path);
	rc = enter(results, fd, path, commit, arena, err);
	if (rc != PE_OK)
		results->n = 0;
	return rc;
}

/* --- The job --- */

int pe_job_lock(int *fd, const char *folder, struct pe_err *err)
{
	struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	pe_auto_text path = PE_TEXT_INIT;
	int rc;

	*fd = -1;
	PE_TRY(pe_files_make_dir(folder, err));
	pe_text_addf(&path, "%s/lock", folder);
	*fd = open(path.data, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (*fd < 0)
		return pe_fail_errno(err, "cannot open %s", path.data);
	if (fcntl(*fd, F_SETLK, &whole) == 0)
		return PE_OK;
	rc = errno == EAGAIN || errno == EACCES ? PE_EBUSY
						: pe_fail_errno(err, "cannot lock %s", path.data);
	close(*fd);
	*fd = -1;
	return rc;
}

pid_t pe_job_process(const char *folder)
{
	struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	pe_auto_text path = PE_TEXT_INIT;
	pe_auto_fd fd = -1;

	pe_text_addf(&path, "%s/lock", folder);
	fd = open(path.data, O_RDONLY | O_CLOEXEC);
	return fd >= 0 && fcntl(fd, F_GETLK, &whole) == 0 && whole.l_type != F_UNLCK ? whole.l_pid
										     : 0;
}
