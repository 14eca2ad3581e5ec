/* Spellings of functions in profilers: each rule takes its part off a name and leaves the rest to the next one. */
#include "analysis/profile/import_names.h"

#include "core/base/text.h"

#include <ctype.h>
#include <string.h>

/* Cut ":12" or ":12:5" off the end; false when there is none. */
static bool cut_line(char *text)
{
	bool cut = false;

	for (int part = 0; part < 2; part++) {
		char *end = text + strlen(text), *digits = end;

		while (digits > text && isdigit((unsigned char)digits[-1]))
			digits--;
		if (digits == end || digits - text < 2 || digits[-1] != ':')
			break;
		digits[-1] = '\0';
		cut = true;
	}
	return cut;
}

/* Cut suffixes. "_[k]" is the kernel; others are the virtual machine's mode of execution, which differs between runs. */
static void cut_mode(struct pe_frame *frame, char *name)
{
	static const char *const modes[] = {"_[k]", "_[j]", "_[i]", "_[0]", "_[1]"};

	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++)
		if (pe_ends_in(name, modes[i])) {
			name[strlen(name) - strlen(modes[i])] = '\0';
			if (i == 0)
				frame->component = frame->module = "[kernel]";
			return;
		}
}

/*
 * Read "[main tid=7]" and "[tid=7]" (async-profiler), "thread (0x7f12): main" (py-spy): numbers change between runs,
 * names stay.
 */
static bool read_thread(struct pe_frame *frame, char *name)
{
	char *at = strstr(name, "tid=");

	if (name[0] == '[' && pe_ends_in(name, "]") && at != NULL &&
	    (at == name + 1 || at[-1] == ' ') && isdigit((unsigned char)at[4])) {
		frame->name = at <= name + 2 ? "thread" : name + 1;
		at[-1] = '\0';
	} else if (pe_starts_with(name, "thread (") && strchr(name, ')') != NULL) {
		at = strstr(name, "): ");
		frame->name = at != NULL && at[3] != '\0' ? at + 3 : "thread";
	} else {
		return false;
	}
	frame->kind = PE_FRAME_THREAD;
	return true;
}

/* Read process 12:"/usr/bin/python3 a.py" (py-spy). */
static bool read_process(struct pe_frame *frame, char *name)
{
	char *quote = strstr(name, ":\"");
	size_t n;

	if (!pe_starts_with(name, "process ") || quote == NULL)
		return false;
	n = strcspn(quote + 2, " \"");
	if (n == 0)
		return false;
	quote[2 + n] = '\0';
	frame->name = pe_names_base(quote + 2);
	frame->kind = PE_FRAME_PROCESS;
	return true;
}

/* Read "[unknown]", "[libc.so.6]" or an address: code without a symbol. */
static bool read_unknown(struct pe_frame *frame, char *name)
{
	size_t n = strlen(name);

	if (pe_starts_with(name, "0x") && n > 2 &&
	    strspn(name + 2, "0123456789abcdefABCDEF") == n - 2)
		frame->name = name;
	else if (strcmp(name, "[unknown]") == 0)
		frame->name = name;
	else if (name[0] == '[' && pe_ends_in(name, "]") &&
		 (strstr(name, ".so") != NULL || name[1] == '/')) {
		name[n - 1] = '\0';
		frame->module = frame->component = frame->name = pe_names_base(name + 1);
	} else {
		return false;
	}
	frame->kind = PE_FRAME_UNKNOWN;
	return true;
}

/* Cut the file "(a.py:12)" after a space. Parentheses without a line or a file name belong to the name. */
static void cut_place(struct pe_frame *frame, char *name)
{
	char *close = name + strlen(name) - 1, *open = strrchr(name, '('), *place;
	bool has_line;

	if (open == NULL || *close != ')' || open - name < 2 || open[-1] != ' ' ||
	    close == open + 1)
		return;
	place = open + 1;
	*close = '\0';
	has_line = cut_line(place);
	if (!has_line && (strpbrk(place, "./") == NULL || strpbrk(place, " ,*&<") != NULL)) {
		*close = ')';
		return;
	}
	open[-1] = '\0';
	frame->component = place;
}

/* Cut the file of "f - a.rb:12" (rbspy). "unknown:0" is a function of the interpreter itself. */
static void cut_ruby_place(struct pe_frame *frame, char *name)
{
	char *at = NULL;

	for (char *next = strstr(name, " - "); next != NULL; next = strstr(next + 3, " - "))
		at = next;
	if (at == NULL || at == name || !cut_line(at + 3))
		return;
	*at = '\0';
	if (strcmp(at + 3, "unknown") != 0 && strcmp(at + 3, "(unknown)") != 0)
		frame->component = at + 3;
}

/* Cut the module of "libc.so.1`f+0x1a" (dtrace). */
static char *cut_dtrace_module(struct pe_frame *frame, char *name)
{
	char *tick = strchr(name, '`'), *plus;

	if (tick == NULL || tick == name || tick[1] == '\0' ||
	    strcspn(name, " (") < (size_t)(tick - name))
		return name;
	*tick = '\0';
	frame->module = frame->component = name;
	plus = strrchr(tick + 1, '+');
	if (plus != NULL && plus > tick + 1 && pe_starts_with(plus, "+0x"))
		*plus = '\0';
	return tick + 1;
}

/* Cut V8's tier in a perf map, "LazyCompile:*f /a.js:1:2": it differs between runs. */
static char *cut_v8_tier(struct pe_frame *frame, char *name)
{
	static const char *const kinds[] = {"LazyCompile:", "Function:", "JS:", "Script:", "Eval:"};
	char *space;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (!pe_starts_with(name, kinds[i]))
			continue;
		if (name[strlen(kinds[i])] == '\0')
			return name;
		name += strlen(kinds[i]);
		name += name[1] != '\0' ? strspn(name, "*~^") : 0;
		space = strchr(name, ' ');
		if (space != NULL && cut_line(space + 1)) {
			*space = '\0';
			frame->component = space + 1;
		}
		return name;
	}
	return name;
}

void pe_names_read_folded(struct pe_frame *frame, char *name, char *place)
{
	(void)place;
	if (read_thread(frame, name) || read_process(frame, name) || read_unknown(frame, name))
		return;
	cut_mode(frame, name);
	name = cut_v8_tier(frame, cut_dtrace_module(frame, name));
	cut_place(frame, name);
	cut_ruby_place(frame, name);
	pe_names_split_signature(frame, name);
}

/* The file name of a module; families of changing names have a common one. */
static const char *module_of(char *place)
{
	const char *name;

	if (pe_ends_in(place, " (deleted)"))
		place[strlen(place) - strlen(" (deleted)")] = '\0';
	name = pe_names_base(place);
	if (pe_starts_with(place, "[kernel.") || pe_starts_with(place, "[guest.kernel"))
		return "[kernel]";
	if (pe_starts_with(name, "perf-") && pe_ends_in(name, ".map"))
		return "[jit]";
	return strcmp(name, "[unknown]") == 0 ? "" : name;
}

void pe_names_read_perf(struct pe_frame *frame, char *name, char *place)
{
	const char *module = module_of(place);

	frame->module = frame->component = module;
	if (strcmp(name, "[unknown]") == 0) {
		frame->kind = PE_FRAME_UNKNOWN;
		frame->name = module[0] != '\0' ? module : name;
		return;
	}
	pe_names_split_signature(frame, cut_v8_tier(frame, name));
}
