/* One event of a trace: its members may stand in any order, so all are read before any is looked at. */
#include "profile/import_chrome.h"

#include <math.h>

uint64_t pe_chrome_hash(uint64_t hash, const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
	return (hash ^ n) * UINT64_C(0x100000001b3);
}

static int keep_text(struct pe_json_stream *stream, const struct pe_json_token *token,
		     struct pe_text *text, struct pe_err *err)
{
	pe_text_clear(text);
	if (token->kind == PE_JSON_STRING || token->kind == PE_JSON_NUMBER)
		pe_text_addn(text, token->text, token->n);
	return pe_json_skip(stream, token, err);
}

static int on_name(struct pe_json_stream *stream, const struct pe_json_token *token, void *self,
		   struct pe_err *err)
{
	return keep_text(stream, token, &((struct pe_chrome_event *)self)->name, err);
}

static int on_category(struct pe_json_stream *stream, const struct pe_json_token *token, void *self,
		       struct pe_err *err)
{
	return keep_text(stream, token, &((struct pe_chrome_event *)self)->category, err);
}

static int on_id(struct pe_json_stream *stream, const struct pe_json_token *token, void *self,
		 struct pe_err *err)
{
	return keep_text(stream, token, &((struct pe_chrome_event *)self)->id, err);
}

static int on_shared_id(struct pe_json_stream *stream, const struct pe_json_token *token,
			void *self, struct pe_err *err)
{
	((struct pe_chrome_event *)self)->is_shared = true;
	return on_id(stream, token, self, err);
}

static int on_id2(struct pe_json_stream *stream, const struct pe_json_token *token, void *self,
		  struct pe_err *err)
{
	static const struct pe_json_field fields[] = {{"local", on_id}, {"global", on_shared_id}};

	return pe_json_fields(stream, token, fields, 2, self, err);
}

static int on_phase(struct pe_json_stream *stream, const struct pe_json_token *token, void *self,
		    struct pe_err *err)
{
	if (token->kind != PE_JSON_STRING || token->n != 1)
		return pe_json_refuse(stream, token, "a phase of one letter, as in \"X\"", err);
	((struct pe_chrome_event *)self)->phase = token->text[0];
	return PE_OK;
}

/* Tools that have no numbers write names. */
static int read_number(struct pe_json_stream *stream, const struct pe_json_token *token,
		       int64_t *out, struct pe_err *err)
{
	if (token->kind == PE_JSON_STRING)
		*out = (int64_t)pe_chrome_hash(UINT64_C(0xcbf29ce484222325), token->text, token->n);
	else if (!pe_json_integer(token, out))
		return pe_json_refuse(stream, token, "a number", err);
	return PE_OK;
}

static int on_pid(struct pe_json_stream *stream, const struct pe_json_token *token, void *self,
		  struct pe_err *err)
{
	return read_number(stream, token, &((struct pe_chrome_event *)self)->pid, err);
}

static int on_tid(struct pe_json_stream *stream, const struct pe_json_token *token, void *self,
		  struct pe_err *err)
{
	return read_number(stream, token, &((struct pe_chrome_event *)self)->tid, err);
}

static int read_time(struct pe_json_stream *stream, const struct pe_json_token *token, int64_t *ns,
		     struct pe_err *err)
{
	int64_t us;
	double exact;

	if (pe_json_integer(token, &us) && us > INT64_MIN / 1000 && us < INT64_MAX / 1000)
		*ns = us * 1000;
	else if (pe_json_double(token, &exact) && fabs(exact) < 9e15)
		*ns = llround(exact * 1000);
	else
		return pe_json_refuse(stream, token, "a time in microseconds", err);
	return PE_OK;
}

static int on_at(struct pe_json_stream *stream, const struct pe_json_token *token, void *self,
		 struct pe_err *err)
{
	return read_time(stream, token, &((struct pe_chrome_event *)self)->at_ns, err);
}

static int on_duration(struct pe_json_stream *stream, const struct pe_json_token *token, void *self,
		       struct pe_err *err)
{
	int64_t *ns = &((struct pe_chrome_event *)self)->duration_ns;
	int rc = read_time(stream, token, ns, err);

	if (rc == PE_OK && *ns < 0)
		rc = pe_json_refuse(stream, token, "a duration of 0 or more", err);
	return rc;
}

/* --- What an event holds of a profile --- */

static int on_sample(struct pe_json_stream *stream, const struct pe_json_token *token, void *self,
		     struct pe_err *err)
{
	int64_t id;

	if (!pe_json_integer(token, &id))
		return pe_json_refuse(stream, token, "the number of a node", err);
	pe_vec_push(&((struct pe_chrome_event *)self)->samples, id);
	return PE_OK;
}

static int on_delta(struct pe_json_stream *stream, const struct pe_json_token *token, void *self,
		    struct pe_err *err)
{
	int64_t us;

	if (!pe_json_integer(token, &us))
		return pe_json_refuse(stream, token, "whole microseconds", err);
	pe_vec_push(&((struct pe_chrome_event *)self)->deltas, us);
	return PE_OK;
}

static int on_samples(struct pe_json_stream *stream, const struct pe_json_token *token, void *self,
		      struct pe_err *err)
{
	return pe_json_elements(stream, token, on_sample, self, err);
}

static int on_deltas(struct pe_json_stream *stream, const struct pe_json_token *token, void *self,
		     struct pe_err *err)
{
	((struct pe_chrome_event *)self)->has_profile = true;
	return pe_json_elements(stream, token, on_delta, self, err);
}

static int on_nodes(struct pe_json_stream *stream, const struct pe_json_token *token, void *self,
		    struct pe_err *err)
{
	return pe_json_elements(stream, token, pe_v8_node,
				&((struct pe_chrome_event *)self)->reader, err);
}

static int on_cpu_profile(struct pe_json_stream *stream, const struct pe_json_token *token,
			  void *self, struct pe_err *err)
{
	static const struct pe_json_field fields[] = {
		{"nodes", on_nodes}, {"samples", on_samples}, {"timeDeltas", on_deltas}};

	((struct pe_chrome_event *)self)->has_profile = true;
	return pe_json_fields(stream, token, fields, 3, self, err);
}

/* --- What an event says of a task that is scheduled, or runs --- */

static int on_subject(struct pe_json_stream *stream, const struct pe_json_token *token, void *self,
		      struct pe_err *err)
{
	return keep_text(stream, token, &((struct pe_chrome_event *)self)->subject, err);
}

static int on_document(struct pe_json_stream *stream, const struct pe_json_token *token, void *self,
		       struct pe_err *err)
{
	return keep_text(stream, token, &((struct pe_chrome_event *)self)->document, err);
}

static int on_url(struct pe_json_stream *stream, const struct pe_json_token *token, void *self,
		  struct pe_err *err)
{
	return keep_text(stream, token, &((struct pe_chrome_event *)self)->url, err);
}

static int on_start(struct pe_json_stream *stream, const struct pe_json_token *token, void *self,
		    struct pe_err *err)
{
	struct pe_chrome_event *event = self;

	event->has_start = pe_json_integer(token, &event->start_us);
	return pe_json_skip(stream, token, err);
}

static int on_function(struct pe_json_stream *stream, const struct pe_json_token *token, void *self,
		       struct pe_err *err)
{
	return keep_text(stream, token, &((struct pe_chrome_event *)self)->function, err);
}

static int on_script(struct pe_json_stream *stream, const struct pe_json_token *token, void *self,
		     struct pe_err *err)
{
	return keep_text(stream, token, &((struct pe_chrome_event *)self)->script, err);
}

/* The innermost function comes first. What is not named as V8 names functions is no function of its. */
static int on_call(struct pe_json_stream *stream, const struct pe_json_token *token, void *self,
		   struct pe_err *err)
{
	static const struct pe_json_field fields[] = {{"functionName", on_function},
						      {"url", on_script}};
	struct pe_chrome_event *event = self;
	uint32_t frame;
	int rc;

	pe_text_clear(&event->function);
	pe_text_clear(&event->script);
	if (token->kind != PE_JSON_OBJECT)
		return pe_json_skip(stream, token, err);
	rc = pe_json_fields(stream, token, fields, 2, self, err);
	if (rc != PE_OK || event->stack.n == PE_CHROME_MOST_CALLS)
		return rc;
	frame = pe_v8_frame(&event->calls, &event->function, &event->script);
	if (frame != PE_FRAME_NONE)
		pe_vec_push(&event->stack, frame);
	return PE_OK;
}

static int on_stack(struct pe_json_stream *stream, const struct pe_json_token *token, void *self,
		    struct pe_err *err)
{
	return token->kind == PE_JSON_ARRAY ? pe_json_elements(stream, token, on_call, self, err)
					    : pe_json_skip(stream, token, err);
}

static int on_data(struct pe_json_stream *stream, const struct pe_json_token *token, void *self,
		   struct pe_err *err)
{
	static const struct pe_json_field fields[] = {
		{"cpuProfile", on_cpu_profile},
		{"timeDeltas", on_deltas},
		{"timerId", on_subject},
		{"id", on_subject},
		{"requestId", on_subject},
		{"taskId", on_subject},
		{"traceId", on_subject},
		{"frame", on_document},
		{"url", on_url},
		{"startTime", on_start},
		{"stackTrace", on_stack},
	};

	return token->kind == PE_JSON_OBJECT
		       ? pe_json_fields(stream, token, fields, sizeof(fields) / sizeof(*fields),
					self, err)
		       : pe_json_skip(stream, token, err);
}

static int on_argument(struct pe_json_stream *stream, const struct pe_json_token *token, void *self,
		       struct pe_err *err)
{
	return keep_text(stream, token, &((struct pe_chrome_event *)self)->argument, err);
}

static int on_arguments(struct pe_json_stream *stream, const struct pe_json_token *token,
			void *self, struct pe_err *err)
{
	static const struct pe_json_field fields[] = {{"data", on_data}, {"name", on_argument}};

	return token->kind == PE_JSON_OBJECT ? pe_json_fields(stream, token, fields, 2, self, err)
					     : pe_json_skip(stream, token, err);
}

static void forget(struct pe_chrome_event *event)
{
	pe_text_clear(&event->name);
	pe_text_clear(&event->category);
	pe_text_clear(&event->id);
	pe_text_clear(&event->argument);
	pe_text_clear(&event->subject);
	pe_text_clear(&event->document);
	pe_text_clear(&event->url);
	event->has_start = false;
	event->stack.n = 0;
	event->pid = event->tid = event->at_ns = event->duration_ns = 0;
	event->phase = '\0';
	event->is_shared = event->has_profile = false;
	event->samples.n = event->deltas.n = 0;
	if (event->piece.nodes.n > 0) {
		pe_v8_release(&event->piece);
		event->piece = (struct pe_v8){0};
	}
}

int pe_chrome_event_read(struct pe_chrome_event *event, struct pe_json_stream *stream,
			 const struct pe_json_token *first, struct pe_err *err)
{
	static const struct pe_json_field fields[] = {
		{"name", on_name},    {"ph", on_phase},     {"ts", on_at},          {"pid", on_pid},
		{"tid", on_tid},      {"dur", on_duration}, {"args", on_arguments}, {"id", on_id},
		{"cat", on_category}, {"id2", on_id2},
	};

	forget(event);
	event->offset = first->offset;
	event->reader.v8 = &event->piece;
	return pe_json_fields(stream, first, fields, sizeof(fields) / sizeof(*fields), event, err);
}

void pe_chrome_event_release(struct pe_chrome_event *event)
{
	pe_text_release(&event->name);
	pe_text_release(&event->category);
	pe_text_release(&event->id);
	pe_text_release(&event->argument);
	pe_text_release(&event->subject);
	pe_text_release(&event->document);
	pe_text_release(&event->url);
	pe_text_release(&event->function);
	pe_text_release(&event->script);
	pe_vec_release(&event->stack);
	pe_names_release(&event->calls);
	pe_v8_reader_release(&event->reader);
	pe_v8_release(&event->piece);
	pe_vec_release(&event->samples);
	pe_vec_release(&event->deltas);
}
