/*
 * The output of perf script: a header line a sample, then its frames, innermost first, then an empty line;
 * without call chains, one line a sample.
 *
 *	busy 3387/3391 [001] 12512.565519:    1000000 cpu-clock:u:
 *		            118b spin+0x22 (inlined)
 *		            118b leaf+0x22 (/usr/bin/busy)
 *
 * The user chooses the header's fields (-F): a thread, a time or an event is among them. Each event gets a
 * tree of its own while the file is read, and one of them is kept: a clock before cycles before the event with the
 * most samples. Samples are placed below the command in which they were taken.
 *
 * A sample of a clock counts as one, its period is a time. A sample of any other event stands for as many events
 * as its period: with a frequency, perf's default, the kernel varies the period from 1 to millions. So the
 * tree's samples are events there, and facts.samples is the number of samples that were taken.
 */
#include "analysis/profile/importers.h"

#include "core/base/hash_index.h"
#include "core/base/text.h"
#include "core/base/vec.h"
#include "analysis/profile/import_names.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MAX_EVENTS = 64 };

/* An event and the tree of its samples. */
struct event {
	char *name;
	struct pe_cct_builder *builder;
	uint64_t samples, with_period;
	uint64_t period; /* of all samples; 0: they differ */
};

/* The fields of a header line. */
struct header {
	const char *comm, *event, *inline_frame;
	size_t n_comm, n_event;
	uint64_t pid, tid, period;
	bool has_pid, has_tid, has_time, has_period;
};

struct perf {
	struct pe_import *import;
	struct pe_import_names names, commands;
	struct event events[MAX_EVENTS];
	size_t n_events;
	/* the current sample */
	struct event *open;
	uint32_t command;
	uint64_t period;
	bool has_period;
	PE_VEC(uint32_t) frames; /* innermost first */
	struct pe_text
		inlined; /* symbols inlined into the next frame, which has their module; each terminated */
	bool has_modules;
	struct pe_map pids, tids; /* as sets */
};

static const char HEADER[] =
	"a sample's header, as in 'command 12/13 [000] 1.234567: 1000 cycles:u:'";
static const char FRAME[] = "a frame, as in '55d0c4 main+0x12 (/usr/bin/prog)'";

static bool is_end(const char *at)
{
	return *at == '\0' || *at == ' ' || *at == '\t';
}

/* Skip an address and a blank. NULL: this is no frame. */
static const char *skip_address(const char *at)
{
	const char *start = at = pe_import_skip_blanks(at);

	while (isxdigit((unsigned char)*at))
		at++;
	return at > start && at - start <= 16 && is_end(at) ? pe_import_skip_blanks(at) : NULL;
}

/*
 * Read "12/13 [001] 12512.565519: 1000000 cycles:u:", in this order; one of thread, time and event has to be there, the
 * others may be missing, and any text may follow an event.
 */
static bool read_fields(struct header *header, const char *at)
{
	uint64_t number;
	const char *end = pe_import_number(at, &header->tid);

	if (end != NULL && *end == '/') {
		header->pid = header->tid;
		header->has_pid = true;
		end = pe_import_number(end + 1, &header->tid);
	}
	header->has_tid = end != NULL && is_end(end);
	if (header->has_tid)
		at = pe_import_skip_blanks(end);
	if (*at == '[' && (end = pe_import_number(at + 1, &number)) != NULL && *end == ']')
		at = pe_import_skip_blanks(end + 1);
	end = pe_import_number(at, &number);
	if (end != NULL && *end == '.' && (end = pe_import_number(end + 1, &number)) != NULL &&
	    *end == ':') {
		header->has_time = true;
		at = pe_import_skip_blanks(end + 1);
	}
	end = pe_import_number(at, &header->period);
	if (end != NULL && is_end(end)) {
		header->has_period = true;
		at = pe_import_skip_blanks(end);
	}
	if (*at == '\0')
		return header->has_tid || header->has_time;
	end = at + strcspn(at, " \t");
	if (end - at < 2 || end[-1] != ':' || !isalpha((unsigned char)*at))
		return false;
	header->event = at;
	header->n_event = (size_t)(end - at) - 1;
	if (skip_address(end) != NULL && *skip_address(end) != '\0')
		header->inline_frame = end;
	return true;
}

/* Read a header. Commands may contain numbers and blanks: the fields begin at the first word from which on they match. */
static bool read_header(struct header *header, const char *line)
{
	const char *start = pe_import_skip_blanks(line), *at = start, *end;

	for (; *at != '\0'; at = pe_import_skip_blanks(at + strcspn(at, " \t"))) {
		*header = (struct header){0};
		if (!read_fields(header, at))
			continue;
		for (end = at; end > start && is_end(end - 1);)
			end--;
		header->comm = start;
		header->n_comm = (size_t)(end - start);
		return true;
	}
	return false;
}

/* Remove modifiers ("cycles:ppp"); keep a tracepoint's subsystem ("sched:sched_switch") and one PMU of two. */
static void trim_event(const char **name, size_t *n)
{
	const char *slash = memchr(*name, '/', *n), *end;
	size_t at = *n;

	if (slash != NULL && strncmp(*name, "cpu", 3) == 0 &&
	    (end = memchr(slash + 1, '/', *n - (size_t)(slash + 1 - *name))) != NULL) {
		*name = slash + 1;
		*n = (size_t)(end - *name);
		return;
	}
	while (at > 0 && strchr("ukhGHIpPSDWeb", (*name)[at - 1]) != NULL)
		at--;
	if (at > 1 && (*name)[at - 1] == ':')
		*n = at - 1;
}

static struct event *find_event(struct perf *perf, const char *name, size_t n)
{
	struct event *event;

	if (n > 0)
		trim_event(&name, &n);
	else
		name = "";
	for (size_t i = 0; i < perf->n_events; i++)
		if (strlen(perf->events[i].name) == n && memcmp(perf->events[i].name, name, n) == 0)
			return &perf->events[i];
	if (perf->n_events == MAX_EVENTS) {
		pe_import_refuse(perf->import, 0, "64 at the most", "too many kinds of events");
		return NULL;
	}
	event = &perf->events[perf->n_events];
	event->name = pe_arena_strndup(perf->import->arena, name, n);
	event->builder = perf->n_events == 0
				 ? perf->import->builder
				 : pe_cct_builder_new(perf->import->frames, PE_CCT_SAMPLES);
	perf->n_events++;
	return event;
}

static void read_command(struct pe_frame *frame, char *name, char *place)
{
	(void)place;
	frame->name = name;
	frame->kind = PE_FRAME_PROCESS;
}

static int open_sample(struct perf *perf, const struct header *header)
{
	perf->open = find_event(perf, header->event, header->n_event);
	if (perf->open == NULL)
		return PE_EINVALID;
	perf->command = PE_FRAME_NONE;
	if (header->n_comm > 0) {
		perf->command =
			pe_names_frame(&perf->commands, header->comm, header->n_comm, NULL, 0);
		if (perf->command == PE_FRAME_NONE)
			return pe_import_refuse(perf->import, 0, HEADER, "a NUL byte");
	}
	perf->period = header->period;
	perf->has_period = header->has_period;
	if (header->has_pid)
		pe_map_put(&perf->pids, header->pid, 0, 0, NULL);
	if (header->has_tid)
		pe_map_put(&perf->tids, header->tid, 0, 0, NULL);
	perf->frames.n = 0;
	pe_text_clear(&perf->inlined);
	return PE_OK;
}

static void flush_inlined(struct perf *perf, const char *module, size_t n)
{
	for (size_t from = 0, length; from < perf->inlined.len; from += length + 1) {
		length = strlen(perf->inlined.data + from);
		pe_vec_push(&perf->frames, pe_names_frame(&perf->names, perf->inlined.data + from,
							  length, n > 0 ? module : NULL, n));
	}
	pe_text_clear(&perf->inlined);
}

static bool is_clock(const struct event *event)
{
	return strcmp(event->name, "cpu-clock") == 0 || strcmp(event->name, "task-clock") == 0;
}

static void close_sample(struct perf *perf)
{
	struct event *event = perf->open;
	struct pe_cct_values *values;
	uint64_t weight = perf->has_period && event != NULL && !is_clock(event) ? perf->period : 1;
	uint32_t node = 0;

	if (event == NULL)
		return;
	flush_inlined(perf, NULL, 0);
	if (perf->command != PE_FRAME_NONE)
		node = pe_cct_builder_child(event->builder, node, perf->command, 0);
	for (size_t i = perf->frames.n; i > 0; i--)
		node = pe_cct_builder_child(event->builder, node, perf->frames.data[i - 1], 0);
	values = pe_cct_builder_at(event->builder, node);
	pe_cct_add(&values->samples, weight);
	if (perf->has_period) {
		pe_cct_add(&values->self_ns, perf->period);
		event->period =
			event->with_period == 0 || event->period == perf->period ? perf->period : 0;
		event->with_period++;
	}
	event->samples++;
	perf->open = NULL;
}

/* Find "(module)" at the end of a frame; n: there is none, as in "f(int)", which is a name. */
static size_t find_module(const char *text, size_t n)
{
	size_t depth = 0;

	if (n < 3 || text[n - 1] != ')')
		return n;
	for (size_t at = n; at > 0; at--) {
		depth += text[at - 1] == ')';
		depth -= text[at - 1] == '(';
		if (depth == 0)
			return at == 1 || text[at - 2] == ' ' ? at - 1 : n;
	}
	return n;
}

/* Cut "+0x1f" off the end. */
static size_t trim_offset(const char *symbol, size_t n)
{
	size_t at = n;

	while (at > 0 && isxdigit((unsigned char)symbol[at - 1]))
		at--;
	return at > 3 && at < n && memcmp(symbol + at - 3, "+0x", 3) == 0 ? at - 3 : n;
}

/* Read "main+0x12 (/usr/bin/prog)", n bytes at a column of the line. */
static int read_frame(struct perf *perf, const char *text, size_t n, size_t column, bool is_cut)
{
	size_t module = find_module(text, n), n_symbol = module, n_module = 0;
	uint32_t frame;

	if (module == n && is_cut && perf->has_modules)
		return pe_import_refuse(perf->import, column + n, FRAME,
					"the file ends within a line");
	while (n_symbol > 0 && text[n_symbol - 1] == ' ')
		n_symbol--;
	n_symbol = trim_offset(text, n_symbol);
	if (module < n) {
		module++;
		n_module = n - module - 1;
		perf->has_modules = true;
	}
	if (memchr(text, '\0', n) != NULL)
		return pe_import_refuse(perf->import, column, FRAME, "a NUL byte");
	/* With -F srcline, "(inlined)" is a line below: a symbol without a module may have that of the next frame. */
	if (n_symbol > 0 &&
	    (n_module == 0 || (n_module == 7 && memcmp(text + module, "inlined", 7) == 0))) {
		pe_text_addn(&perf->inlined, text, n_symbol);
		pe_text_addn(&perf->inlined, "", 1);
		return PE_OK;
	}
	flush_inlined(perf, text + module, n_module);
	if (n_symbol > 0)
		frame = pe_names_frame(&perf->names, text, n_symbol, text + module, n_module);
	else
		frame = pe_names_frame(&perf->names, "[unknown]", 9, text + module, n_module);
	pe_vec_push(&perf->frames, frame);
	return PE_OK;
}

static int read_header_line(struct perf *perf, const char *line, size_t n)
{
	struct header header;

	close_sample(perf);
	if (!read_header(&header, line))
		return pe_import_refuse(perf->import, 0, HEADER, "'%.60s'", line);
	PE_TRY(open_sample(perf, &header));
	/* Without call chains, a sample is one line. */
	if (header.inline_frame != NULL) {
		const char *text = skip_address(header.inline_frame);
		const size_t column = (size_t)(text - line);

		PE_TRY(read_frame(perf, text, n - column, column, false));
		close_sample(perf);
	}
	return PE_OK;
}

/* Whether a line is "  main.c:12" below its frame, from -F srcline. Lines of code are not part of a method. */
static bool is_source_line(const struct perf *perf, const char *line)
{
	return perf->open != NULL && line[0] == ' ' &&
	       (perf->frames.n > 0 || perf->inlined.len > 0);
}

static int read_line(void *self, char *line, size_t n)
{
	struct perf *perf = self;
	const struct pe_input *input = perf->import->input;
	const bool is_cut = pe_input_at(input)->offset == pe_input_at(input)->line_offset + n;
	const char *text;

	while (n > 0 && is_end(line + n - 1))
		line[--n] = '\0';
	if (n == 0) {
		close_sample(perf);
		return PE_OK;
	}
	if (line[0] == '#' || is_source_line(perf, line))
		return PE_OK;
	if (line[0] != '\t')
		return read_header_line(perf, line, n);
	text = skip_address(line);
	if (text == NULL || perf->open == NULL)
		return pe_import_refuse(perf->import, 0, text == NULL ? FRAME : HEADER, "'%.60s'",
					pe_import_skip_blanks(line));
	return read_frame(perf, text, n - (size_t)(text - line), (size_t)(text - line), is_cut);
}

static int rank(const struct event *event)
{
	if (event->samples == 0)
		return 0;
	if (is_clock(event))
		return 3;
	return strcmp(event->name, "cycles") == 0 || strcmp(event->name, "cpu-cycles") == 0 ? 2 : 1;
}

static size_t choose(const struct perf *perf)
{
	size_t best = 0;

	for (size_t i = 1; i < perf->n_events; i++) {
		int here = rank(&perf->events[i]), there = rank(&perf->events[best]);

		if (here > there ||
		    (here == there && perf->events[i].samples > perf->events[best].samples))
			best = i;
	}
	return best;
}

/* Use the chosen event's tree for the import. */
static void take(struct perf *perf, struct event *event)
{
	struct pe_import *import = perf->import;
	unsigned known = PE_CCT_SAMPLES;

	import->builder = event->builder;
	import->facts.samples = event->samples;
	import->facts.processes = perf->pids.entries.n;
	import->facts.threads = perf->tids.entries.n;
	if (is_clock(event) && event->with_period == event->samples) {
		known |= PE_CCT_TIME;
		import->facts.interval_ns = event->period;
	}
	if (!is_clock(event) && event->with_period > 0)
		import->facts.counted = event->name;
	pe_cct_builder_know(event->builder, known);
	if (perf->n_events > 1)
		import->note = pe_arena_printf(import->arena,
					       "of %zu events %s was taken, which has %" PRIu64
					       " samples; the others were passed over",
					       perf->n_events, event->name, event->samples);
	else if ((known & PE_CCT_TIME) == 0)
		import->note = pe_arena_printf(
			import->arena, "samples of %s have no duration: there are no times%s",
			event->name[0] != '\0' ? event->name : "an event without a name",
			event->with_period > 0 ? "; each counts as often as its period says" : "");
}

/*
 * Whether a line must be a frame: "\t            118b spin+0x22 (...)": perf pads the address to 16 columns. After a
 * header with a time any address is enough.
 */
static bool is_sure_frame(const char *line, bool after_time)
{
	const char *text = skip_address(line), *digits = pe_import_skip_blanks(line);

	return line[0] == '\t' && text != NULL && *text != '\0' &&
	       (after_time || digits - line > 4 || strspn(digits, "0123456789abcdef") >= 8);
}

/*
 * A frame identifies a file as the output of perf script: only empty lines, comments and headers may precede the
 * first one. A header alone is not enough: "Traceback (most recent call last):" matches one.
 */
bool pe_perf_script_recognises(const char *head, size_t n)
{
	struct header header = {0};
	size_t length;

	if (!pe_import_is_text(head, n))
		return false;
	for (size_t from = 0; from < n; from += length + 1) {
		const char *end = memchr(head + from, '\n', n - from);
		char line[1024];

		length = end != NULL ? (size_t)(end - head) - from : n - from;
		if (length == 0 || head[from] == '#' || head[from] == '\r')
			continue;
		snprintf(line, sizeof(line), "%.*s", (int)(length < 1000 ? length : 1000),
			 head + from);
		line[strcspn(line, "\r")] = '\0';
		if (header.comm != NULL && is_sure_frame(line, header.has_time))
			return true;
		if (!read_header(&header, line))
			return false;
		if (header.inline_frame != NULL && header.has_tid)
			return true;
	}
	return false;
}

int pe_perf_script_read(struct pe_import *import)
{
	struct perf perf = {
		.import = import,
		.names = {.frames = import->frames, .read = pe_names_read_perf},
		.commands = {.frames = import->frames, .read = read_command},
	};
	int rc = pe_import_lines(import, read_line, &perf);

	if (rc == PE_OK)
		close_sample(&perf);
	if (rc == PE_OK && perf.n_events > 0)
		take(&perf, &perf.events[choose(&perf)]);
	for (size_t i = 0; i < perf.n_events; i++)
		if (perf.events[i].builder != import->builder)
			pe_cct_builder_free(perf.events[i].builder);
	pe_names_release(&perf.names);
	pe_names_release(&perf.commands);
	pe_vec_release(&perf.frames);
	pe_text_release(&perf.inlined);
	pe_map_release(&perf.pids);
	pe_map_release(&perf.tids);
	return rc;
}
