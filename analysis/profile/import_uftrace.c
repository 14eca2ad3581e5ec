/*
 * The output of `uftrace dump`: every entry and exit of every function, task by task, in nanoseconds.
 *
 *	reading 3415.dat
 *	12513.976978457   3415: [entry] main(557dde29030c) depth: 0
 *	12513.976978597   3415: [entry] strtoul(557dde290070) depth: 1
 *	12513.976979248   3415: [exit ] strtoul(557dde290070) depth: 1
 *
 * So calls and times are those of uftrace itself. The depth of each record is trusted: where records
 * are missing, open calls beyond it are closed. Times between a task's records go to the function on top.
 * Arguments, events and the kernel's functions are skipped. (`uftrace dump --chrome` is a Chrome trace,
 * `uftrace dump --flame-graph` is folded stacks; `uftrace replay` rounds times and is not read.)
 */
#include "analysis/profile/importers.h"

#include "core/base/vec.h"
#include "analysis/profile/import_names.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A function that was entered and not left. */
struct call {
	uint32_t node;
	uint64_t entered_ns;
};

/* Spread of a node's inclusive times, in one pass (Welford, Technometrics 1962). */
struct spread {
	uint64_t n;
	double mean, squares;
};

/* The stack of one task. uftrace's files hold a task each, so one stack is enough. */
struct task {
	uint64_t tid, last_ns;
	PE_VEC(struct call) calls;
};

struct record {
	uint64_t time_ns, tid, depth;
	const char *kind, *name; /* "entry" */
	size_t n_name;
};

struct uftrace {
	struct pe_import *import;
	struct pe_import_names names;
	struct task task;
	PE_VEC(struct spread) spreads; /* by node */
	uint64_t passed_over, lost, unclosed;
	bool in_kernel;
};

static const char RECORD[] = "a record, as in '1.000000002 345: [entry] main(4010a0) depth: 0'";
static const char HEADER[] = "uftrace file header: ";

static struct spread *spread_of(struct uftrace *uftrace, uint32_t node)
{
	while (uftrace->spreads.n <= node)
		pe_vec_push(&uftrace->spreads, (struct spread){0});
	return &uftrace->spreads.data[node];
}

static void add_time(struct uftrace *uftrace, uint64_t now_ns)
{
	struct task *task = &uftrace->task;
	struct pe_cct_values *values;

	if (task->calls.n > 0 && now_ns > task->last_ns) {
		values = pe_cct_builder_at(uftrace->import->builder,
					   task->calls.data[task->calls.n - 1].node);
		pe_cct_add(&values->self_ns, now_ns - task->last_ns);
	}
	task->last_ns = now_ns;
}

static void leave(struct uftrace *uftrace, uint64_t now_ns)
{
	struct call call;
	struct spread *spread;
	double took, off;

	assert(uftrace->task.calls.data != NULL && uftrace->task.calls.n > 0);
	call = uftrace->task.calls.data[--uftrace->task.calls.n];
	spread = spread_of(uftrace, call.node);
	took = now_ns > call.entered_ns ? (double)(now_ns - call.entered_ns) : 0;
	off = took - spread->mean;
	spread->n++;
	spread->mean += off / (double)spread->n;
	spread->squares += off * (took - spread->mean);
}

/* End a task's file. Its open calls were running when recording ended: they are counted, and have no duration. */
static void end_task(struct uftrace *uftrace)
{
	uftrace->unclosed += uftrace->task.calls.n;
	uftrace->task.calls.n = 0;
	uftrace->task.last_ns = 0;
}

static int enter(struct uftrace *uftrace, const struct record *record)
{
	struct task *task = &uftrace->task;
	uint32_t parent = task->calls.n > 0 ? task->calls.data[task->calls.n - 1].node : 0;
	uint32_t frame = pe_names_frame(&uftrace->names, record->name, record->n_name, NULL, 0);
	uint32_t node;

	if (frame == PE_FRAME_NONE)
		return pe_import_refuse(uftrace->import, 0, RECORD, "a NUL byte in a name");
	node = pe_cct_builder_child(uftrace->import->builder, parent, frame, 0);
	pe_cct_builder_at(uftrace->import->builder, node)->calls++;
	pe_vec_push(&task->calls, (struct call){.node = node, .entered_ns = record->time_ns});
	return PE_OK;
}

/* Read "12513.976978597   3415: [entry] "; returns the rest, NULL when this is something else. */
static const char *read_start(struct record *record, const char *line)
{
	uint64_t seconds, rest;
	const char *at = pe_import_number(line, &seconds), *fraction;

	if (at == NULL || *at != '.' || seconds > UINT32_MAX)
		return NULL;
	fraction = at + 1;
	at = pe_import_number(fraction, &rest);
	if (at == NULL || at - fraction != 9)
		return NULL;
	record->time_ns = seconds * 1000000000u + rest;
	at = pe_import_number(at + strspn(at, " "), &record->tid);
	if (at == NULL || strncmp(at, ": [", 3) != 0)
		return NULL;
	record->kind = at + 3;
	at = strchr(record->kind, ']');
	return at != NULL && at - record->kind <= 6 && at[1] == ' ' ? at + 2 : NULL;
}

/* Read "strtoul(557dde290070) depth: 1". */
static bool read_function(struct record *record, const char *at, const char *end)
{
	static const char DEPTH[] = ") depth: ";
	const char *digits = end, *open;

	while (digits > at && isdigit((unsigned char)digits[-1]))
		digits--;
	if (digits == end || (size_t)(digits - at) < strlen(DEPTH) ||
	    memcmp(digits - strlen(DEPTH), DEPTH, strlen(DEPTH)) != 0 ||
	    pe_import_number(digits, &record->depth) != end)
		return false;
	open = digits - strlen(DEPTH);
	while (open > at && isxdigit((unsigned char)open[-1]))
		open--;
	if (open <= at + 1 || open[-1] != '(')
		return false;
	record->name = at;
	record->n_name = (size_t)(open - 1 - at);
	return true;
}

static int apply(struct uftrace *uftrace, const struct record *record)
{
	struct task *task = &uftrace->task;
	bool is_entry = strncmp(record->kind, "entry", 5) == 0;
	size_t stays = record->depth + !is_entry;

	if (record->tid != task->tid) {
		end_task(uftrace);
		uftrace->import->facts.threads++;
		task->tid = record->tid;
	}
	if (task->last_ns > record->time_ns)
		return pe_import_refuse(uftrace->import, 0, "times in order",
					"time runs backwards");
	add_time(uftrace, record->time_ns);
	while (task->calls.n > stays) {
		leave(uftrace, record->time_ns);
		uftrace->lost++;
	}
	if (is_entry)
		return enter(uftrace, record);
	if (task->calls.n == stays)
		leave(uftrace, record->time_ns);
	else
		uftrace->lost++;
	return PE_OK;
}

static bool starts_with(const char *line, const char *start)
{
	return strncmp(line, start, strlen(start)) == 0;
}

static int read_line(void *self, char *line, size_t n)
{
	struct uftrace *uftrace = self;
	struct record record = {0};
	const char *at;

	if (n == 0 || line[0] == ' ' || line[0] == '*' || starts_with(line, HEADER))
		return PE_OK;
	if (starts_with(line, "reading ")) {
		end_task(uftrace);
		uftrace->task.tid = UINT64_MAX;
		uftrace->in_kernel = !isdigit((unsigned char)line[strlen("reading ")]);
		return PE_OK;
	}
	if (uftrace->in_kernel) {
		uftrace->passed_over += strstr(line, ": [entry]") != NULL;
		return PE_OK;
	}
	at = read_start(&record, line);
	if (at == NULL)
		return pe_import_refuse(uftrace->import, 0, RECORD, "'%.60s'", line);
	if (starts_with(record.kind, "lost"))
		uftrace->lost++;
	if (!starts_with(record.kind, "entry") && !starts_with(record.kind, "exit"))
		return PE_OK;
	if (!read_function(&record, at, line + n))
		return pe_import_refuse(uftrace->import, (size_t)(at - line), RECORD, "'%.60s'",
					at);
	return apply(uftrace, &record);
}

static void finish(struct uftrace *uftrace)
{
	struct pe_import *import = uftrace->import;
	uint32_t n = pe_cct_builder_count(import->builder);

	for (uint32_t i = 1; i < n && i < uftrace->spreads.n; i++)
		if (uftrace->spreads.data[i].n > 1)
			pe_cct_builder_at(import->builder, i)->deviation_ns =
				sqrt(uftrace->spreads.data[i].squares /
				     (double)(uftrace->spreads.data[i].n - 1));
	if (uftrace->lost > 0)
		import->note =
			pe_arena_printf(import->arena,
					"%" PRIu64 " places where records are missing: "
					"uftrace lost them, or functions were left by a jump",
					uftrace->lost);
	else if (uftrace->passed_over > 0)
		import->note = pe_arena_printf(import->arena,
					       "%" PRIu64
					       " calls of the kernel's functions were passed over",
					       uftrace->passed_over);
	else if (uftrace->unclosed > 0)
		import->note = pe_arena_printf(import->arena,
					       "%" PRIu64 " calls had not returned when it ended",
					       uftrace->unclosed);
}

bool pe_uftrace_recognises(const char *head, size_t n)
{
	static const char reading[] = "reading ";

	return (n > strlen(HEADER) && memcmp(head, HEADER, strlen(HEADER)) == 0) ||
	       (n > strlen(reading) && memcmp(head, reading, strlen(reading)) == 0 &&
		memchr(head, '[', n) != NULL && pe_import_is_text(head, n));
}

int pe_uftrace_read(struct pe_import *import)
{
	struct uftrace uftrace = {
		.import = import,
		.names = {.frames = import->frames, .read = pe_names_read_perf},
		.task = {.tid = UINT64_MAX},
	};
	int rc;

	pe_cct_builder_know(import->builder, PE_CCT_CALLS | PE_CCT_TIME | PE_CCT_DEVIATION);
	rc = pe_import_lines(import, read_line, &uftrace);
	end_task(&uftrace);
	if (rc == PE_OK)
		finish(&uftrace);
	pe_names_release(&uftrace.names);
	pe_vec_release(&uftrace.task.calls);
	pe_vec_release(&uftrace.spreads);
	return rc;
}
