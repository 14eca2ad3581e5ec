/*
 *   struct note   a program about to start, as probe/runtime/exec.c wrote it down
 *   struct start  a program that did start: the record of a process that was not forked
 */
#include "core/base/files.h"
#include "core/base/sort.h"
#include "core/exec/alloc.h"

#include "core/base/text.h"
#include "core/base/vec.h"
#include "core/base/walk.h"
#include "probe/formats/alloc.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A program is a process and a time: execve(2) keeps the process. */
struct start {
	unsigned pid;
	uint64_t time_ns;
	bool taken; /* by a note */
};

struct note {
	unsigned pid;
	uint64_t time_ns;
	char program[256];
};

struct records {
	PE_VEC(struct start) starts;
	PE_VEC(struct note) notes;
	uint64_t first_ns;
	void (*see)(const struct pe_alloc_record *record, void *payload);
	void *payload;
};

/* Up to size bytes of a file; the number read, or -1 with errno. */
static ssize_t read_file(int dir, const char *name, void *bytes, size_t size)
{
	pe_auto_fd fd = pe_files_open_placed(dir, name, 0);

	return fd >= 0 ? pread(fd, bytes, size, 0) : -1;
}

static void name_missing(struct pe_alloc_cost *cost, const char *name)
{
	snprintf(cost->missing_name, sizeof(cost->missing_name), "%s", name);
}

static void add_record(struct pe_alloc_cost *cost, struct records *records,
		       const struct pe_alloc_record *record)
{
	bool forked = (record->flags & PE_ALLOC_FORKED) != 0;

	cost->processes++;
	cost->count += record->allocations;
	cost->bytes += record->allocated_bytes;
	cost->frees += record->frees;
	/* Less than nothing: blocks that libc had for itself were given to free(3). */
	if (record->live_bytes <= INT64_MAX)
		cost->live_bytes += record->live_bytes;
	if (record->peak_bytes > cost->peak_bytes)
		cost->peak_bytes = record->peak_bytes;
	if ((record->flags & PE_ALLOC_BYPASSED) != 0) {
		cost->bypassed++;
		name_missing(cost, record->program);
	}
	if (forked)
		return;
	pe_vec_push(&records->starts,
		    (struct start){.pid = record->pid, .time_ns = record->started_ns});
	if (cost->first_pid == 0 || record->started_ns < records->first_ns) {
		cost->first_pid = (int)record->pid;
		records->first_ns = record->started_ns;
	}
}

static int read_record(struct pe_alloc_cost *cost, struct records *records, int dir,
		       const char *name, struct pe_err *err)
{
	struct pe_alloc_record record;
	ssize_t n = read_file(dir, name, &record, sizeof(record));

	if (n < 0)
		return pe_fail_errno(err, "cannot read the allocation record %s", name);
	/* Killed while it wrote its first bytes: it did not report, and its note stays without an answer. */
	if ((size_t)n < sizeof(record.magic) + 2 * sizeof(uint32_t))
		return PE_OK;
	if (memcmp(record.magic, PE_ALLOC_MAGIC, sizeof(record.magic)) != 0 ||
	    record.version != PE_ALLOC_VERSION || record.size != sizeof(record))
		return pe_fail(err, PE_EUNSUPPORTED,
			       "%s was written by another version of libperfevo_rt.so", name);
	if ((size_t)n == sizeof(record)) {
		record.program[sizeof(record.program) - 1] = '\0';
		add_record(cost, records, &record);
		if (records->see != NULL)
			records->see(&record, records->payload);
	}
	return PE_OK;
}

static int read_note(struct records *records, int dir, const char *name, struct pe_err *err)
{
	struct note note = {0};
	unsigned long long time_ns;
	ssize_t n;

	if (sscanf(name, "%u-%llu", &note.pid, &time_ns) != 2)
		return PE_OK;
	note.time_ns = time_ns;
	n = read_file(dir, name, note.program, sizeof(note.program) - 1);
	if (n < 0)
		return pe_fail_errno(err, "cannot read the note %s", name);
	pe_vec_push(&records->notes, note);
	return PE_OK;
}

PE_SORT_BY(compare_starts, struct start, pid, time_ns);
PE_SORT_BY(compare_notes, struct note, pid, time_ns);

/*
 * A note is answered by a start of the same process after it and before the process's next note. Both are
 * in order, so one walk over them finds the unanswered notes.
 */
static void find_missing(struct pe_alloc_cost *cost, struct records *records)
{
	size_t at = 0;

	if (records->notes.n == 0)
		return;
	pe_sort(records->notes.data, records->notes.n, compare_notes);
	pe_sort(records->starts.data, records->starts.n, compare_starts);
	for (size_t i = 0; i < records->notes.n; i++) {
		const struct note *note = &records->notes.data[i];
		const struct note *later = i + 1 < records->notes.n ? note + 1 : NULL;
		const struct start noted = {.pid = note->pid, .time_ns = note->time_ns};
		const struct start *start;

		while (at < records->starts.n &&
		       compare_starts(&records->starts.data[at], &noted) < 0)
			at++;
		start = at < records->starts.n ? &records->starts.data[at] : NULL;
		if (start != NULL && start->pid == note->pid &&
		    (later == NULL || later->pid != note->pid || start->time_ns < later->time_ns))
			continue;
		cost->missing++;
		name_missing(cost, note->program);
	}
}

int pe_alloc_collect(struct pe_alloc_cost *out, const char *dir,
		     void (*see)(const struct pe_alloc_record *record, void *payload),
		     void *payload, struct pe_err *err)
{
	struct records records = {.see = see, .payload = payload};
	pe_auto_arena arena = PE_ARENA_INIT;
	pe_auto_fd fd = pe_files_open_below(NULL, dir, false);
	const char **names = fd >= 0 ? pe_walk_names(fd, &arena) : NULL;
	int rc = PE_OK;

	*out = (struct pe_alloc_cost){0};
	if (names == NULL) {
		rc = pe_fail_errno(err, "cannot read the allocation records in %s", dir);
		return errno == ENOENT && err != NULL ? (err->code = PE_ENOTFOUND) : rc;
	}
	for (; rc == PE_OK && *names != NULL; names++) {
		if (pe_ends_in(*names, PE_ALLOC_SUFFIX))
			rc = read_record(out, &records, fd, *names, err);
		else if (pe_ends_in(*names, PE_EXEC_SUFFIX))
			rc = read_note(&records, fd, *names, err);
	}
	if (rc == PE_OK)
		find_missing(out, &records);
	pe_vec_release(&records.starts);
	pe_vec_release(&records.notes);
	return rc;
}

bool pe_alloc_complete(const struct pe_alloc_cost *cost, int pid, char *reason, size_t size)
{
	if (cost->processes == 0)
		snprintf(reason, size, "no process reported its allocations");
	else if (pid != 0 && cost->first_pid != pid)
		snprintf(reason, size,
			 "the command itself could not be counted, only programs it started");
	else if (cost->missing > 0 && *cost->missing_name == '\0')
		snprintf(
			reason, size,
			"a program was started that may not write files, and could not be counted");
	else if (cost->missing > 0)
		snprintf(reason, size, "'%s' was started and could not be counted",
			 cost->missing_name);
	else if (cost->bypassed > 0)
		snprintf(reason, size, "'%s' has an allocator of its own linked in",
			 cost->missing_name);
	else
		return true;
	return false;
}
