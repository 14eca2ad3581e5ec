#include "core/exec/simulate_calls.h"

#include "core/base/sort.h"
#include "core/base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One log on its way. */
struct log {
	struct pe_simulated_calls *calls;
	enum {
		NOTHING_OPENED,
		OWN_LIBRARY, /* what valgrind preloads is being loaded */
		BEGUN,
	} state;
	const char *problem;
	struct pe_arena *arena;
};

/* Decimal digits up to `end`; NULL: something else. */
static const char *skip_number(unsigned long *out, const char *at, const char *end)
{
	char *behind;

	if (*at < '0' || *at > '9')
		return NULL;
	*out = strtoul(at, &behind, 10);
	return pe_starts_with(behind, end) ? behind + strlen(end) : NULL;
}

/* The name as the line has it, "sys_read ( 4,"; 0: it has none. */
static size_t said_name(const char **name, const char *at)
{
	size_t n;

	if (pe_starts_with(at, "sys_"))
		at += 4;
	n = strspn(at, "abcdefghijklmnopqrstuvwxyz0123456789_");
	*name = at;
	/* "fcntl[ARG3=='arg'] ( 1," is fcntl; "unimplemented (by the kernel)" is a sentence. */
	if (n == 0 || n >= PE_SYSTEM_CALL_NAME || pe_starts_with(at, "unimplemented") ||
	    pe_starts_with(at, "unhandled"))
		return 0;
	return at[n] == '(' || at[n] == '[' || pe_starts_with(at + n, " (") ? n : 0;
}

/* A number has one name, the first, whatever later lines have. */
static void add_call(struct pe_simulated_calls *calls, unsigned long number, const char *at)
{
	const char *name;
	size_t n = said_name(&name, at);

	if (number >= PE_SIMULATE_CALLS) {
		calls->others++;
		return;
	}
	calls->count[number]++;
	if (n > 0 && calls->name[number][0] == '\0')
		memcpy(calls->name[number], name, n);
}

/* The library that valgrind preloads is the first that is opened: its loading is valgrind's, not the program's. */
static bool is_own(struct log *log, const char *at)
{
	const bool opens = pe_starts_with(at, "sys_open ") || pe_starts_with(at, "sys_openat ");

	if (log->state == NOTHING_OPENED && opens)
		log->state = strstr(at, "/vgpreload_") != NULL ? OWN_LIBRARY : BEGUN;
	if (log->state != OWN_LIBRARY)
		return false;
	if (pe_starts_with(at, "sys_close "))
		log->state = BEGUN;
	return true;
}

/* Whether a line is of a call, which it is counted for where that begins. */
static bool take_call(struct log *log, const char *at)
{
	unsigned long process, thread, number;

	if (pe_starts_with(at, " --> "))
		return true;
	if (!pe_starts_with(at, "SYSCALL["))
		return false;
	at = skip_number(&process, at + 8, ",");
	if (at != NULL)
		at = skip_number(&thread, at, "](");
	if (at != NULL)
		at = skip_number(&number, at, ") ");
	if (at != NULL && !pe_starts_with(at, "... ") && !is_own(log, at))
		add_call(log->calls, number, at);
	return true;
}

static void take_line(struct log *log, const char *line)
{
	if (take_call(log, line) || log->problem != NULL ||
	    (strstr(line, "warning:") != NULL && strstr(line, "cache") != NULL))
		return;
	line += strspn(line, "=-0123456789");
	line += strspn(line, " ");
	if (*line != '\0')
		log->problem = pe_arena_printf(log->arena, "%.200s", line);
}

const char *pe_simulated_calls_read(struct pe_simulated_calls *calls, int fd,
				    struct pe_arena *arena)
{
	struct log log = {.calls = calls, .arena = arena};
	FILE *file = fdopen(dup(fd), "r");
	pe_auto_free char *line = NULL;
	size_t room = 0;
	ssize_t n;

	while (file != NULL && calls->bytes <= PE_SIMULATE_LOGS_BYTES &&
	       (n = getline(&line, &room, file)) > 0) {
		calls->bytes += (size_t)n;
		line[strcspn(line, "\n")] = '\0';
		take_line(&log, line);
	}
	calls->lost |= file == NULL || !feof(file);
	if (file != NULL)
		fclose(file);
	return log.problem;
}

/* What valgrind does not implement it does not name. */
static const char *name_of(const struct pe_simulated_calls *calls, unsigned number,
			   struct pe_arena *arena)
{
	return calls->name[number][0] != '\0' ? pe_arena_strdup(arena, calls->name[number])
					      : pe_arena_printf(arena, "call-%u", number);
}

PE_SORT_BY(compare_names, struct pe_system_call, name);

struct pe_system_calls pe_simulated_calls_take(const struct pe_simulated_calls *calls,
					       struct pe_arena *arena)
{
	struct pe_system_call *at =
		pe_arena_new(arena, struct pe_system_call, PE_SIMULATE_CALLS + 1);
	size_t n = 0, last = 0;

	if (calls->lost)
		return (struct pe_system_calls){NULL, 0};
	for (unsigned i = 0; i < PE_SIMULATE_CALLS; i++)
		if (calls->count[i] > 0)
			at[n++] =
				(struct pe_system_call){name_of(calls, i, arena), calls->count[i]};
	if (calls->others > 0)
		at[n++] = (struct pe_system_call){"call-other", calls->others};
	if (n == 0)
		return (struct pe_system_calls){NULL, 0};
	pe_sort(at, n, compare_names);
	/* Two numbers may have one name where a program forged a line. */
	for (size_t i = 1; i < n; i++) {
		if (strcmp(at[i].name, at[last].name) == 0)
			at[last].count += at[i].count;
		else
			at[++last] = at[i];
	}
	return (struct pe_system_calls){at, last + 1};
}
