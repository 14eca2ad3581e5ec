/*
 * Callgrind's format: the cost of each function by source line, and calls with the costs of their callees
 * (Valgrind's manual, "Callgrind Format Specification"). Other tools write it too.
 *
 *	events: Ir
 *	fl=(1) main.c
 *	fn=(1) main
 *	3 12                line 3 cost 12 instructions
 *	cfn=(2) parse
 *	calls=4 20          4 calls of the function that begins at line 20,
 *	5 400               from line 5; parse and all below it cost 400
 *
 * It holds no paths, so callgraph.h makes the tree. With --separate-callers=N, functions are distinguished by
 * their callers ("parse'main'start"), and the tree is exact up to depth N.
 *
 * Of several events one is read: a time, else Ir, else the first. Costs other than times become samples, as if
 * callgrind took a sample at every instruction.
 */
#include "analysis/profile/callgraph.h"
#include "core/base/hash_index.h"
#include "analysis/profile/import_names.h"
#include "analysis/profile/importers.h"

#include "core/base/hash.h"
#include "core/base/quantity.h"
#include "core/base/text.h"

#include <ctype.h>
#include <inttypes.h>
#include <stddef.h>
#include <string.h>

enum { MAX_EVENTS = 64 };

#define NONE UINT32_MAX

/* Spaces of numbers for compressed names. */
enum space { OBJECTS, FILES, FUNCTIONS };

struct callgrind {
	struct pe_import *import;
	struct pe_callgraph graph;
	struct pe_import_names frames; /* by function name; place is "file\nobject" */
	/* Strings by number; number 0 is "". */
	PE_VEC(const char *) strings;
	struct pe_map string_numbers, compressed[3], functions, calls;
	/* The header of this part. */
	size_t n_positions, event;
	bool has_lines, has_events, has_totals, is_callgrind;
	uint64_t event_ns;      /* the event's unit; 0: it is no time */
	const char *event_name; /* in the import's arena */
	/* The current position in the file. */
	uint32_t object, file, function_file, called_object, called_file, called_function, unused;
	uint32_t function;
	uint64_t positions[2];
	bool is_call;
	uint64_t n_calls;
	uint64_t total;
	const struct pe_callgrind_places *places; /* NULL: functions are not split by address */
	struct pe_map owners;
};

static const char COST[] = "a line of costs, as in '12 400', or 'fn=', 'calls=', 'events:'";

static uint32_t string_number(struct callgrind *cg, const char *text, size_t n)
{
	struct pe_hash hash;
	uint32_t number;
	bool is_new;

	pe_hash_init(&hash);
	pe_hash_bytes(&hash, text, n);
	number = *pe_map_put(&cg->string_numbers, hash.high, hash.low, (uint32_t)cg->strings.n,
			     &is_new);
	if (is_new)
		pe_vec_push(&cg->strings, pe_arena_strndup(cg->import->arena, text, n));
	return number;
}

/* Read a decimal number, or a hexadecimal one after "0x". NULL: no number, or one beyond 64 bits. */
static const char *read_number(const char *at, uint64_t *number)
{
	const char *start;

	*number = 0;
	if (at[0] == '0' && at[1] == 'x') {
		for (start = at += 2; isxdigit((unsigned char)*at); at++)
			*number = *number << 4 |
				  (uint64_t)(isdigit((unsigned char)*at) ? *at - '0'
									 : (*at | 0x20) - 'a' + 10);
		return at > start && at - start <= 16 ? at : NULL;
	}
	return pe_import_number(at, number);
}

static int refuse(struct callgrind *cg, const char *line, const char *at, const char *expected)
{
	return pe_import_refuse(cg->import, (size_t)(at - line), expected,
				*at != '\0' ? "'%.60s'" : "the line ends%s", at);
}

/* "(12) name", "(12)" or "name". */
static int read_name(struct callgrind *cg, uint32_t *out, enum space space, const char *line,
		     const char *at)
{
	const char *end;
	uint64_t id;

	at = pe_import_skip_blanks(at);
	if (*at != '(' || (end = read_number(at + 1, &id)) == NULL || *end != ')') {
		*out = string_number(cg, at, strlen(at));
		return PE_OK;
	}
	end = pe_import_skip_blanks(end + 1);
	if (*end != '\0') {
		*out = string_number(cg, end, strlen(end));
		pe_map_set(&cg->compressed[space], id, 0, *out);
		return PE_OK;
	}
	*out = pe_map_get(&cg->compressed[space], id, 0, NONE);
	if (*out != NONE)
		return PE_OK;
	if (space == FUNCTIONS)
		return pe_import_refuse(cg->import, (size_t)(at - line),
					"a name that was written out before",
					"the name %.30s is not known", at);
	/* Costs keep their functions where the part of the output that named files and objects was cut out. */
	*out = 0;
	return PE_OK;
}

/* Cut "parse'main'start" and "parse'2" to "parse": callgrind distinguishes functions by callers and by depth. */
static void cut_context(char *name)
{
	for (char *tick = strchr(name, '\''); tick != NULL; tick = strchr(tick + 1, '\''))
		if (tick > name && strchr("<& ,('", tick[-1]) == NULL && tick[1] != '\0') {
			*tick = '\0';
			return;
		}
}

static void read_function(struct pe_frame *frame, char *name, char *place)
{
	char *object = strchr(place, '\n');
	bool has_file;

	*object++ = '\0';
	object = strcmp(object, "???") != 0 ? pe_names_base(object) : object + 3;
	has_file = *place != '\0' && strcmp(place, "???") != 0;
	frame->module = object;
	frame->component = has_file ? place : object;
	if (name[0] == '0' && name[1] == 'x') {
		frame->kind = PE_FRAME_UNKNOWN;
		frame->name = name;
		return;
	}
	pe_names_split_signature(frame, name);
}

static uint32_t frame_of(struct callgrind *cg, uint32_t object, uint32_t file, uint32_t function)
{
	pe_auto_text text = PE_TEXT_INIT;
	size_t n_name;

	pe_text_add(&text, cg->strings.data[function]);
	if (cg->is_callgrind && text.len > 0)
		cut_context(text.data);
	if (text.len == 0)
		pe_text_add(&text, "???");
	n_name = strlen(text.data);
	text.len = n_name;
	pe_text_addf(&text, "%s\n%s", cg->strings.data[file], cg->strings.data[object]);
	return pe_names_frame(&cg->frames, text.data, n_name, text.data + n_name,
			      text.len - n_name);
}

static uint32_t function_number(struct callgrind *cg, uint32_t object, uint32_t file,
				uint32_t function)
{
	struct pe_callgraph_function made = {0};
	uint32_t number;
	bool is_new;

	number = *pe_map_put(&cg->functions, (uint64_t)object << 32 | file, function,
			     (uint32_t)cg->graph.functions.n, &is_new);
	if (!is_new)
		return number;
	if (cg->places != NULL) {
		made.frame = NONE;
		made.name = cg->strings.data[function];
	} else {
		made.frame = frame_of(cg, object, file, function);
	}
	pe_vec_push(&cg->graph.functions, made);
	return number;
}

/* Find the owner of the code at the current address, and let the current function call it; without one, that function. */
static uint32_t owner_number(struct callgrind *cg)
{
	struct pe_callgraph_function made = {0};
	struct pe_callgraph_call holds = {.caller = cg->function};
	uint32_t found;
	bool is_new;

	if (cg->places == NULL)
		return cg->function;
	found = cg->places->find(cg->places->payload, cg->strings.data[cg->object],
				 cg->positions[0]);
	if (found == NONE)
		return cg->function;
	holds.callee = *pe_map_put(&cg->owners, found, 0, (uint32_t)cg->graph.functions.n, &is_new);
	if (is_new) {
		made.frame = found;
		pe_vec_push(&cg->graph.functions, made);
	}
	pe_map_put(&cg->calls, (uint64_t)holds.caller << 32 | holds.callee, 0,
		   (uint32_t)cg->graph.calls.n, &is_new);
	if (is_new)
		pe_vec_push(&cg->graph.calls, holds);
	return holds.callee;
}

static int start_function(struct callgrind *cg, const char *line, const char *at)
{
	uint32_t name;

	PE_TRY(read_name(cg, &name, FUNCTIONS, line, at));
	cg->function = function_number(cg, cg->object, cg->file, name);
	cg->function_file = cg->file;
	cg->called_object = cg->called_file = cg->called_function = NONE;
	return PE_OK;
}

/* Read "calls=4 20": the next line holds the calls' source line and their cost. */
static int start_calls(struct callgrind *cg, const char *line, const char *at)
{
	const char *end = read_number(pe_import_skip_blanks(at), &cg->n_calls);

	if (end == NULL)
		return refuse(cg, line, at, "a number of calls");
	if (cg->called_function == NONE || cg->function == NONE)
		return pe_import_refuse(cg->import, 0, "'fn=' and 'cfn=' before it",
					"calls from or to no function");
	cg->is_call = true;
	return PE_OK;
}

struct key {
	const char *name;
	enum space space;
	size_t member; /* of struct callgrind */
};

static const struct key keys[] = {
	{"ob=", OBJECTS, offsetof(struct callgrind, object)},
	{"fl=", FILES, offsetof(struct callgrind, file)},
	{"fi=", FILES, offsetof(struct callgrind, file)},
	{"fe=", FILES, offsetof(struct callgrind, file)},
	{"cob=", OBJECTS, offsetof(struct callgrind, called_object)},
	{"cfi=", FILES, offsetof(struct callgrind, called_file)},
	{"cfl=", FILES, offsetof(struct callgrind, called_file)},
	{"cfn=", FUNCTIONS, offsetof(struct callgrind, called_function)},
	/* Jumps are skipped, but names may be defined in these lines. */
	{"job=", OBJECTS, offsetof(struct callgrind, unused)},
	{"jfi=", FILES, offsetof(struct callgrind, unused)},
	{"jfn=", FUNCTIONS, offsetof(struct callgrind, unused)},
};

/* A line "key=value". */
static int read_assignment(struct callgrind *cg, const char *line)
{
	if (pe_starts_with(line, "fn="))
		return start_function(cg, line, line + 3);
	if (pe_starts_with(line, "calls="))
		return start_calls(cg, line, line + 6);
	if (pe_starts_with(line, "jump=") || pe_starts_with(line, "jcnd="))
		return PE_OK;
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (pe_starts_with(line, keys[i].name))
			return read_name(cg, (uint32_t *)((char *)cg + keys[i].member),
					 keys[i].space, line, line + strlen(keys[i].name));
	return refuse(cg, line, line, COST);
}

/* Convert "Time_(10ns)", "cpu(nanoseconds)", "Time_(us)" to nanoseconds; 0: no time. */
static uint64_t unit_ns(const char *name)
{
	const char *open = strchr(name, '('), *close = strchr(name, ')'), *at;
	uint64_t factor = 1;

	if (open == NULL || close == NULL || close < open)
		return 0;
	at = open + 1;
	if (isdigit((unsigned char)*at) &&
	    ((at = read_number(at, &factor)) == NULL || factor > 1000000))
		return 0;
	return (uint64_t)((double)factor * pe_unit_ns(at, (size_t)(close - at)));
}

/* "events: Ir Dr Dw" */
static int read_events(struct callgrind *cg, const char *line, const char *at)
{
	int best = 0;

	cg->event = 0;
	cg->event_ns = 0;
	at = pe_import_skip_blanks(at);
	if (*at == '\0')
		return refuse(cg, line, at, "names of events");
	for (size_t i = 0; *at != '\0' && i < MAX_EVENTS; i++) {
		const size_t n = strcspn(at, " \t");
		const char *name = pe_arena_strndup(cg->import->arena, at, n);
		const int rank = unit_ns(name) != 0 ? 3 : strcmp(name, "Ir") == 0 ? 2 : 1;

		if (rank > best) {
			best = rank;
			cg->event = i;
			cg->event_ns = unit_ns(name);
			cg->event_name = name;
		}
		at = pe_import_skip_blanks(at + n);
	}
	cg->has_events = true;
	cg->has_totals = false;
	cg->function = cg->called_function = NONE;
	return PE_OK;
}

/* Read the cost of our event among the numbers of a line; omitted ones are 0. */
static const char *read_cost(const struct callgrind *cg, const char *at, uint64_t *cost)
{
	*cost = 0;
	for (size_t i = 0; i <= cg->event; i++) {
		at = pe_import_skip_blanks(at);
		if (*at == '\0')
			break;
		at = read_number(at, cost);
		if (at == NULL || (*at != ' ' && *at != '\t' && *at != '\0'))
			return NULL;
		if (i < cg->event)
			*cost = 0;
	}
	return at;
}

static uint64_t in_ns(const struct callgrind *cg, uint64_t cost)
{
	uint64_t factor = cg->event_ns > 1 ? cg->event_ns : 1;

	return cost > UINT64_MAX / factor ? UINT64_MAX : cost * factor;
}

static void read_positions(struct callgrind *cg, const char *at)
{
	bool has_instructions = strstr(at, "instr") != NULL;

	cg->has_lines = strstr(at, "line") != NULL;
	cg->n_positions = (size_t)has_instructions + cg->has_lines;
}

/* Read a line "key: value". Unknown keys are skipped, as the specification requires. */
static int read_header(struct callgrind *cg, const char *line)
{
	const char *value = strchr(line, ':') + 1;

	if (pe_starts_with(line, "events:"))
		return read_events(cg, line, value);
	if (pe_starts_with(line, "totals:"))
		cg->has_totals = true;
	else if (pe_starts_with(line, "positions:"))
		read_positions(cg, value);
	else if (pe_starts_with(line, "creator:"))
		cg->is_callgrind = pe_starts_with(pe_import_skip_blanks(value), "callgrind");
	return PE_OK;
}

/* Read a position: "12", "0x4010a0", "+3", "-3", "*"; relative ones refer to the previous line of costs. */
static const char *read_position(const char *at, uint64_t *position)
{
	uint64_t number;
	const char *end;

	if (*at == '*')
		return at + 1;
	end = read_number(at + (*at == '+' || *at == '-'), &number);
	if (*at == '+')
		*position += number;
	else if (*at == '-')
		*position -= number;
	else
		*position = number;
	return end;
}

static void add_call(struct callgrind *cg, uint64_t cost)
{
	uint32_t object = cg->called_object != NONE ? cg->called_object : cg->object;
	uint32_t file = cg->called_file != NONE ? cg->called_file : cg->file;
	uint32_t callee = function_number(cg, object, file, cg->called_function), number;
	uint64_t line = cg->has_lines ? cg->positions[cg->n_positions - 1] : 0;
	struct pe_callgraph_call *call, made = {.caller = owner_number(cg), .callee = callee};
	bool is_new;

	/* A line of another file, whose code was inlined, is no line of the caller's source. */
	if (line < UINT32_MAX && cg->file == cg->function_file && cg->places == NULL)
		made.site = (uint32_t)line;
	number = *pe_map_put(&cg->calls, (uint64_t)made.caller << 32 | callee, made.site,
			     (uint32_t)cg->graph.calls.n, &is_new);
	if (is_new)
		pe_vec_push(&cg->graph.calls, made);
	call = &cg->graph.calls.data[number];
	pe_cct_add(&call->calls, cg->n_calls);
	pe_cct_add(&call->cost, cost);
	cg->called_object = cg->called_file = NONE;
}

static int read_cost_line(struct callgrind *cg, const char *line)
{
	const char *at = line, *next;
	uint64_t cost;

	if (!cg->has_events)
		return refuse(cg, line, line, "a line 'events:' before costs");
	if (cg->function == NONE)
		return refuse(cg, line, line, "a line 'fn=' before costs");
	if (cg->places != NULL && cg->n_positions < 2)
		return refuse(cg, line, line, "a line 'positions: instr line' before costs");
	for (size_t i = 0; i < cg->n_positions; i++, at = pe_import_skip_blanks(next)) {
		next = *at != '\0' ? read_position(at, &cg->positions[i]) : NULL;
		if (next == NULL || (*next != ' ' && *next != '\t' && *next != '\0'))
			return refuse(cg, line, at, "a position: a number, '+n', '-n' or '*'");
	}
	if (read_cost(cg, at, &cost) == NULL)
		return refuse(cg, line, at, "costs in whole numbers");
	cost = in_ns(cg, cost);
	if (cg->is_call) {
		cg->is_call = false;
		add_call(cg, cost);
	} else {
		uint32_t owner = owner_number(cg); /* may add the owner's function */
		uint64_t *self = &cg->graph.functions.data[owner].self;

		pe_cct_add(self, cost);
		pe_cct_add(&cg->total, cost);
	}
	return PE_OK;
}

static int read_line(void *self, char *line, size_t n)
{
	struct callgrind *cg = self;
	bool is_position = isdigit((unsigned char)line[0]) || strchr("+-*", line[0]) != NULL;
	const char *mark;

	if (memchr(line, '\0', n) != NULL)
		return pe_import_refuse(cg->import, strlen(line), COST, "a NUL byte");
	if (n == 0 || line[0] == '#')
		return PE_OK;
	if (is_position)
		return read_cost_line(cg, line);
	if (cg->is_call)
		return refuse(cg, line, line, "what the calls of the line before cost");
	mark = strpbrk(line, ":=");
	if (mark == NULL)
		return refuse(cg, line, line, COST);
	return *mark == ':' ? read_header(cg, line) : read_assignment(cg, line);
}

static int read_lines(struct callgrind *cg)
{
	PE_TRY(pe_import_lines(cg->import, read_line, cg));
	if (cg->is_call)
		return pe_import_refuse(cg->import, 0, "what the calls of the last line cost",
					"the file ends early");
	if (cg->is_callgrind && cg->has_events && !cg->has_totals)
		return pe_import_refuse(cg->import, 0, "a line 'totals:' at the end",
					"the file ends early");
	return PE_OK;
}

static void finish(struct callgrind *cg)
{
	struct pe_import *import = cg->import;
	enum pe_callgraph_cost cost = cg->event_ns != 0 ? PE_CALLGRAPH_NS : PE_CALLGRAPH_SAMPLES;
	const bool split = pe_callgraph_unfold(&cg->graph, cost, import->builder, import->frames);
	pe_auto_text note = PE_TEXT_INIT;

	pe_cct_builder_know(import->builder,
			    PE_CCT_CALLS | (cg->has_lines ? PE_CCT_SITES : 0) |
				    (cg->event_ns != 0 ? PE_CCT_TIME : PE_CCT_SAMPLES));
	if (cg->event_ns == 0) {
		import->facts.samples = cg->total;
		import->facts.counted = cg->event_name;
		pe_text_addf(&note, "costs are %s, not times", cg->event_name);
	}
	if (split)
		pe_text_addf(&note,
			     "%sthe format keeps no paths: nodes are shares of what their "
			     "methods cost, by what each caller spent in them",
			     note.len > 0 ? "; " : "");
	if (note.len > 0)
		import->note = pe_arena_strdup(import->arena, note.data);
}

bool pe_callgrind_recognises(const char *head, size_t n)
{
	static const char *const starts[] = {
		"# callgrind format", "version:", "creator:", "events:", "positions:", "cmd:"};
	static const char events[] = "\nevents:";

	if (!pe_import_is_text(head, n))
		return false;
	for (size_t i = 0; i < sizeof(starts) / sizeof(*starts); i++) {
		size_t length = strlen(starts[i]);

		if (n < length || memcmp(head, starts[i], length) != 0)
			continue;
		if (i == 0 || i == 3)
			return true;
		for (size_t at = 0; at + strlen(events) <= n; at++)
			if (memcmp(head + at, events, strlen(events)) == 0)
				return true;
	}
	return false;
}

static void release(struct callgrind *cg)
{
	pe_callgraph_release(&cg->graph);
	pe_names_release(&cg->frames);
	pe_vec_release(&cg->strings);
	pe_map_release(&cg->string_numbers);
	for (size_t i = 0; i < 3; i++)
		pe_map_release(&cg->compressed[i]);
	pe_map_release(&cg->functions);
	pe_map_release(&cg->calls);
	pe_map_release(&cg->owners);
}

/* Read a graph. The caller releases it, also after an error. */
static int read_graph(struct callgrind *cg, struct pe_import *import,
		      const struct pe_callgrind_places *places)
{
	*cg = (struct callgrind){
		.import = import,
		.frames = {.frames = import->frames, .read = read_function},
		.n_positions = 1,
		.has_lines = true,
		.called_object = NONE,
		.called_file = NONE,
		.called_function = NONE,
		.function = NONE,
		.places = places,
	};
	string_number(cg, "", 0);
	return read_lines(cg);
}

int pe_callgrind_read(struct pe_import *import)
{
	struct callgrind cg;
	int rc = read_graph(&cg, import, NULL);

	if (rc == PE_OK && cg.graph.functions.n > 0)
		finish(&cg);
	release(&cg);
	return rc;
}

int pe_callgrind_read_graph(struct pe_callgraph *out, const void *bytes, size_t n, const char *name,
			    const struct pe_callgrind_places *places, struct pe_arena *arena,
			    struct pe_err *err)
{
	struct pe_import import = {.arena = arena, .err = err};
	struct callgrind cg;
	int rc = pe_input_open_bytes(&import.input, bytes, n, name, err);

	*out = (struct pe_callgraph){0};
	PE_TRY(rc);
	rc = read_graph(&cg, &import, places);
	if (rc == PE_OK) {
		*out = cg.graph;
		cg.graph = (struct pe_callgraph){0};
	}
	release(&cg);
	pe_input_close(import.input);
	return rc;
}
