/* One event of a trace: its members come in any order, so all are read before any is used. */
#include "analysis/profile/import_chrome.h"

#include <math.h>
#include <stddef.h>

#define AT(member) offsetof(struct pe_chrome_event, member)

/* Read a string or a number, as text. */
static int read_text(struct pe_json_cursor *json, void *self)
{
	pe_text_clear(self);
	if (json->token.kind == PE_JSON_STRING || json->token.kind == PE_JSON_NUMBER)
		pe_text_addn(self, json->token.text, json->token.n);
	return pe_json_pass(json);
}

static int read_phase(struct pe_json_cursor *json, void *self)
{
	if (json->token.kind != PE_JSON_STRING || json->token.n != 1)
		return pe_json_expected(json, "a phase of one letter, as in \"X\"");
	*(char *)self = json->token.text[0];
	return PE_OK;
}

/* Read a number. Tools without numbers write names. */
static int read_number(struct pe_json_cursor *json, void *self)
{
	if (json->token.kind == PE_JSON_STRING)
		*(int64_t *)self = (int64_t)pe_xxh_short(0, json->token.text, json->token.n);
	else if (!pe_json_integer(&json->token, self))
		return pe_json_expected(json, "a number");
	return PE_OK;
}

/* Read microseconds as nanoseconds. */
static int read_time(struct pe_json_cursor *json, void *self)
{
	int64_t *ns = self, us;
	double exact;

	if (pe_json_integer(&json->token, &us) && us > INT64_MIN / 1000 && us < INT64_MAX / 1000)
		*ns = us * 1000;
	else if (pe_json_double(&json->token, &exact) && fabs(exact) < 9e15)
		*ns = llround(exact * 1000);
	else
		return pe_json_expected(json, "a time in microseconds");
	return PE_OK;
}

static int read_duration(struct pe_json_cursor *json, void *self)
{
	PE_TRY(read_time(json, self));
	if (*(int64_t *)self < 0)
		return pe_json_expected(json, "a duration of 0 or more");
	return PE_OK;
}

/* --- The profile data of an event --- */

static int on_sample(struct pe_json_cursor *json, void *self)
{
	int64_t id;

	if (!pe_json_integer(&json->token, &id))
		return pe_json_expected(json, "the number of a node");
	pe_vec_push(&((struct pe_chrome_event *)self)->samples, id);
	return PE_OK;
}

static int on_delta(struct pe_json_cursor *json, void *self)
{
	int64_t us;

	if (!pe_json_integer(&json->token, &us))
		return pe_json_expected(json, "whole microseconds");
	pe_vec_push(&((struct pe_chrome_event *)self)->deltas, us);
	return PE_OK;
}

static int on_deltas(struct pe_json_cursor *json, void *self)
{
	/* Some writers put the same list in both places, in "cpuProfile" and beside it. */
	((struct pe_chrome_event *)self)->deltas.n = 0;
	((struct pe_chrome_event *)self)->has_profile = true;
	return pe_json_elements(json, on_delta, self);
}

static int on_cpu_profile(struct pe_json_cursor *json, void *self)
{
	static const struct pe_json_field fields[] = {{"nodes", pe_v8_node, AT(reader), true},
						      {"samples", on_sample, 0, true},
						      {"timeDeltas", on_deltas, 0, false}};

	((struct pe_chrome_event *)self)->has_profile = true;
	return pe_json_fields(json, fields, 3, self);
}

/* --- The task that an event schedules or runs --- */

static int on_start(struct pe_json_cursor *json, void *self)
{
	struct pe_chrome_event *event = self;

	event->has_start = pe_json_integer(&json->token, &event->start_us);
	return pe_json_pass(json);
}

/* Read a call of a stack, innermost first. A name in another form than V8's is skipped. */
static int on_call(struct pe_json_cursor *json, void *self)
{
	static const struct pe_json_field fields[] = {
		{"functionName", read_text, AT(function), false},
		{"url", read_text, AT(script), false}};
	struct pe_chrome_event *event = self;
	uint32_t frame;
	int rc;

	pe_text_clear(&event->function);
	pe_text_clear(&event->script);
	if (json->token.kind != PE_JSON_OBJECT)
		return pe_json_pass(json);
	rc = pe_json_fields(json, fields, 2, self);
	if (rc != PE_OK || event->stack.n == PE_CHROME_MOST_CALLS)
		return rc;
	frame = pe_v8_frame(&event->calls, &event->function, &event->script, -1);
	if (frame != PE_FRAME_NONE)
		pe_vec_push(&event->stack, frame);
	return PE_OK;
}

static int on_stack(struct pe_json_cursor *json, void *self)
{
	return json->token.kind == PE_JSON_ARRAY ? pe_json_elements(json, on_call, self)
						 : pe_json_pass(json);
}

static int on_data(struct pe_json_cursor *json, void *self)
{
	static const struct pe_json_field fields[] = {
		{"cpuProfile", on_cpu_profile, 0, false},
		{"timeDeltas", on_deltas, 0, false},
		{"timerId", read_text, AT(subject), false},
		{"id", read_text, AT(subject), false},
		{"requestId", read_text, AT(subject), false},
		{"taskId", read_text, AT(subject), false},
		{"traceId", read_text, AT(subject), false},
		{"frame", read_text, AT(document), false},
		{"url", read_text, AT(url), false},
		{"functionName", read_text, AT(callee), false},
		{"startTime", on_start, 0, false},
		{"stackTrace", on_stack, 0, false},
	};

	return json->token.kind == PE_JSON_OBJECT
		       ? pe_json_fields(json, fields, sizeof(fields) / sizeof(*fields), self)
		       : pe_json_pass(json);
}

static int on_arguments(struct pe_json_cursor *json, void *self)
{
	static const struct pe_json_field fields[] = {{"data", on_data, 0, false},
						      {"name", read_text, AT(argument), false}};

	return json->token.kind == PE_JSON_OBJECT ? pe_json_fields(json, fields, 2, self)
						  : pe_json_pass(json);
}

static void for_each_text(struct pe_chrome_event *event, void (*act)(struct pe_text *))
{
	act(&event->name);
	act(&event->id);
	act(&event->argument);
	act(&event->subject);
	act(&event->document);
	act(&event->url);
	act(&event->callee);
}

static void forget(struct pe_chrome_event *event)
{
	for_each_text(event, pe_text_clear);
	event->has_start = false;
	event->stack.n = 0;
	event->pid = event->tid = event->at_ns = event->duration_ns = 0;
	event->phase = '\0';
	event->has_profile = false;
	event->samples.n = event->deltas.n = 0;
	if (event->piece.nodes.n > 0) {
		pe_v8_release(&event->piece);
		event->piece = (struct pe_v8){0};
	}
}

/* Forget the last event, and begin one at the token at hand. */
static void begin(struct pe_chrome_event *event, const struct pe_json_cursor *json)
{
	forget(event);
	event->offset = json->token.offset;
	event->reader.v8 = &event->piece;
}

int pe_chrome_event_profile(struct pe_chrome_event *event, struct pe_json_cursor *json)
{
	begin(event, json);
	return on_cpu_profile(json, event);
}

int pe_chrome_event_read(struct pe_chrome_event *event, struct pe_json_cursor *json)
{
	static const struct pe_json_field fields[] = {
		{"name", read_text, AT(name), false},
		{"ph", read_phase, AT(phase), false},
		{"ts", read_time, AT(at_ns), false},
		{"pid", read_number, AT(pid), false},
		{"tid", read_number, AT(tid), false},
		{"dur", read_duration, AT(duration_ns), false},
		{"args", on_arguments, 0, false},
		{"id", read_text, AT(id), false},
	};

	begin(event, json);
	return pe_json_fields(json, fields, sizeof(fields) / sizeof(*fields), event);
}

void pe_chrome_event_release(struct pe_chrome_event *event)
{
	for_each_text(event, pe_text_release);
	pe_text_release(&event->function);
	pe_text_release(&event->script);
	pe_vec_release(&event->stack);
	pe_names_release(&event->calls);
	pe_v8_reader_release(&event->reader);
	pe_v8_release(&event->piece);
	pe_vec_release(&event->samples);
	pe_vec_release(&event->deltas);
}
