/*
 * speedscope's own format: sampled profiles (stacks and their weights) and evented ones (frames open and close),
 * each a thread when there are several.
 *
 * Frames may be listed after the profiles that refer to them, so the tree is made of their numbers first. A frame
 * that opens was not necessarily called: most of these profiles were samples once, and some are sums. So
 * calls are unknown. A file may hold profiles of several units: those of time are used, else those of counts, else
 * bytes, as costs.
 */
#include "analysis/profile/importers.h"

#include "core/base/quantity.h"
#include "analysis/profile/import_names.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

enum unit { NO_UNIT, TIME, COUNT, BYTES };

static const char UNITS[] = "nanoseconds to seconds, bytes or none";

struct frame {
	char *name, *file; /* in the import's arena; NULL: none */
	uint32_t line;
	uint32_t number; /* in the table of frames; PE_FRAME_NONE: not made yet */
};

struct event {
	char type;
	int64_t frame;
	double at;
	bool has_at;
};

struct profile {
	uint32_t first, end; /* nodes of the draft; the first is the thread */
	uint64_t offset;
	const char *name; /* in the import's arena; NULL: none */
	enum unit unit;
	double scale; /* to ns */
	bool is_evented;
};

/* A node of the draft. */
struct node {
	uint32_t frame; /* its number in the file */
	uint64_t samples;
	double weight; /* in the file's unit */
};

struct speedscope {
	struct pe_import *import;
	PE_VEC(struct frame) frames;
	PE_VEC(struct profile) profiles;
	PE_VEC(struct node) nodes; /* of the draft in the import's builder */
	/* the current profile */
	PE_VEC(uint32_t) leaves, open; /* nodes: of its samples, of open events */
	PE_VEC(double) weights;
	struct event event;
	double at;
	uint32_t node;
	bool has_started;
	uint64_t unclosed;
};

/* --- Frames --- */

static int keep_text(struct speedscope *speedscope, struct pe_json_cursor *json, char **out)
{
	const struct pe_json_token *token = &json->token;

	if (token->kind == PE_JSON_NULL)
		return PE_OK;
	if (token->kind != PE_JSON_STRING || memchr(token->text, '\0', token->n) != NULL)
		return pe_json_expected(json, "a string");
	/* Splitting a name needs a byte more. */
	*out = pe_arena_new(speedscope->import->arena, char, token->n + 2);
	memcpy(*out, token->text, token->n);
	return PE_OK;
}

static struct frame *last_frame(struct speedscope *speedscope)
{
	return &speedscope->frames.data[speedscope->frames.n - 1];
}

static int on_frame_name(struct pe_json_cursor *json, void *self)
{
	return keep_text(self, json, &last_frame(self)->name);
}

static int on_frame_file(struct pe_json_cursor *json, void *self)
{
	return keep_text(self, json, &last_frame(self)->file);
}

static int on_frame_line(struct pe_json_cursor *json, void *self)
{
	int64_t line = 0;

	if (json->token.kind != PE_JSON_NULL && !pe_json_integer(&json->token, &line))
		return pe_json_expected(json, "a line");
	last_frame(self)->line = line > 0 && line < UINT32_MAX ? (uint32_t)line : 0;
	return PE_OK;
}

static int on_frame(struct pe_json_cursor *json, void *self)
{
	static const struct pe_json_field fields[] = {{"name", on_frame_name, 0, false},
						      {"file", on_frame_file, 0, false},
						      {"line", on_frame_line, 0, false}};
	struct speedscope *speedscope = self;

	pe_vec_push(&speedscope->frames, (struct frame){.number = PE_FRAME_NONE});
	return pe_json_fields(json, fields, 3, self);
}

static int on_shared(struct pe_json_cursor *json, void *self)
{
	static const struct pe_json_field fields[] = {{"frames", on_frame, 0, true}};

	return pe_json_fields(json, fields, 1, self);
}

/* --- Profiles --- */

/* Find or make a child in the draft. Only the number of its frame is known, which is stored as its call site. */
static uint32_t child(struct speedscope *speedscope, uint32_t parent, uint32_t frame)
{
	struct pe_cct_builder *builder = speedscope->import->builder;
	uint32_t node = pe_cct_builder_child(builder, parent,
					     pe_cct_builder_node(builder, 0)->frame, frame + 1);

	while (speedscope->nodes.n <= node)
		pe_vec_push(&speedscope->nodes, (struct node){.frame = frame});
	return node;
}

static struct profile *last_profile(struct speedscope *speedscope)
{
	return &speedscope->profiles.data[speedscope->profiles.n - 1];
}

static int read_frame(struct pe_json_cursor *json, void *self)
{
	int64_t *frame = self;

	if (!pe_json_integer(&json->token, frame) || *frame < 0 || *frame >= UINT32_MAX - 1)
		return pe_json_expected(json, "the number of a frame");
	return PE_OK;
}

static int on_step(struct pe_json_cursor *json, void *self)
{
	struct speedscope *speedscope = self;
	int64_t frame = 0;

	PE_TRY(read_frame(json, &frame));
	speedscope->node = child(speedscope, speedscope->node, (uint32_t)frame);
	return PE_OK;
}

static int on_stack(struct pe_json_cursor *json, void *self)
{
	struct speedscope *speedscope = self;

	speedscope->node = last_profile(speedscope)->first;
	PE_TRY(pe_json_elements(json, on_step, self));
	pe_vec_push(&speedscope->leaves, speedscope->node);
	return PE_OK;
}

static int on_weight(struct pe_json_cursor *json, void *self)
{
	double weight = 0;

	if (!pe_json_double(&json->token, &weight) || weight < 0)
		return pe_json_expected(json, "a weight of 0 or more");
	pe_vec_push(&((struct speedscope *)self)->weights, weight);
	return PE_OK;
}

static int on_event_type(struct pe_json_cursor *json, void *self)
{
	if (!pe_json_is(&json->token, "O") && !pe_json_is(&json->token, "C"))
		return pe_json_expected(json, "\"O\" or \"C\"");
	((struct speedscope *)self)->event.type = json->token.text[0];
	return PE_OK;
}

static int on_event_at(struct pe_json_cursor *json, void *self)
{
	struct event *event = &((struct speedscope *)self)->event;

	event->has_at = pe_json_double(&json->token, &event->at);
	return event->has_at ? PE_OK : pe_json_expected(json, "a number");
}

static int apply(struct speedscope *speedscope, uint64_t offset)
{
	const struct event *event = &speedscope->event;
	uint32_t top = speedscope->open.n > 0 ? speedscope->open.data[speedscope->open.n - 1] : 0;

	if (event->type == '\0' || event->frame < 0 || !event->has_at)
		return pe_import_refuse_at(speedscope->import, offset,
					   "\"type\", \"frame\" and \"at\"",
					   "an event without one of its members");
	if (speedscope->has_started && event->at < speedscope->at)
		return pe_import_refuse_at(speedscope->import, offset, "events in order",
					   "time runs backwards");
	if (top != 0 && speedscope->has_started)
		speedscope->nodes.data[top].weight += event->at - speedscope->at;
	speedscope->at = event->at;
	speedscope->has_started = true;
	if (event->type == 'O') {
		top = top != 0 ? top : last_profile(speedscope)->first;
		pe_vec_push(&speedscope->open, child(speedscope, top, (uint32_t)event->frame));
		return PE_OK;
	}
	if (top == 0 || speedscope->nodes.data[top].frame != event->frame)
		return pe_import_refuse_at(speedscope->import, offset,
					   "the one to close that opened last",
					   "frame %" PRId64 " closes", event->frame);
	speedscope->open.n--;
	return PE_OK;
}

static int on_event(struct pe_json_cursor *json, void *self)
{
	static const struct pe_json_field fields[] = {
		{"type", on_event_type, 0, false},
		{"frame", read_frame, offsetof(struct speedscope, event.frame), false},
		{"at", on_event_at, 0, false}};
	struct speedscope *speedscope = self;
	const uint64_t offset = json->token.offset;

	speedscope->event = (struct event){.frame = -1};
	PE_TRY(pe_json_fields(json, fields, 3, self));
	return apply(speedscope, offset);
}

static int on_events(struct pe_json_cursor *json, void *self)
{
	last_profile(self)->is_evented = true;
	return pe_json_elements(json, on_event, self);
}

/* Read a profile's name. py-spy's begin with numbers, which change from run to run, before a constant name. */
static int on_name(struct pe_json_cursor *json, void *self)
{
	struct speedscope *speedscope = self;
	const char *text = json->token.text, *open, *close;
	size_t n = json->token.n;

	if (json->token.kind != PE_JSON_STRING)
		return pe_json_expected(json, "a name");
	open = n > 0 ? memchr(text, '"', n) : NULL;
	close = open != NULL ? memchr(open + 1, '"', n - (size_t)(open + 1 - text)) : NULL;
	if (close != NULL && close > open + 1) {
		text = open + 1;
		n = (size_t)(close - text);
	}
	if (n > 0)
		last_profile(speedscope)->name =
			pe_arena_strndup(speedscope->import->arena, text, n);
	return PE_OK;
}

static int on_unit(struct pe_json_cursor *json, void *self)
{
	struct profile *profile = last_profile(self);

	if (json->token.kind != PE_JSON_STRING)
		return pe_json_expected(json, UNITS);
	profile->scale = pe_unit_ns(json->token.text, json->token.n);
	profile->unit = profile->scale != 0                 ? TIME
			: pe_json_is(&json->token, "none")  ? COUNT
			: pe_json_is(&json->token, "bytes") ? BYTES
							    : NO_UNIT;
	return profile->unit != NO_UNIT ? PE_OK : pe_json_expected(json, UNITS);
}

static int end_profile(struct speedscope *speedscope)
{
	struct profile *profile = last_profile(speedscope);
	const size_t n = speedscope->leaves.n, n_weights = speedscope->weights.n;

	if (n != n_weights)
		return pe_import_refuse_at(speedscope->import, profile->offset,
					   "a weight for each sample", "%zu %s without the other",
					   n > n_weights ? n - n_weights : n_weights - n,
					   n > n_weights ? "samples" : "weights");
	for (size_t i = 0; i < n; i++) {
		struct node *leaf = &speedscope->nodes.data[speedscope->leaves.data[i]];

		leaf->samples++;
		leaf->weight += speedscope->weights.data[i];
	}
	speedscope->leaves.n = speedscope->weights.n = 0;
	if (profile->unit == NO_UNIT)
		return pe_import_refuse_at(speedscope->import, profile->offset, "\"unit\"",
					   "a profile without a unit");
	profile->end = pe_cct_builder_count(speedscope->import->builder);
	speedscope->unclosed += speedscope->open.n;
	speedscope->open.n = 0;
	speedscope->has_started = false;
	return PE_OK;
}

static int on_profile(struct pe_json_cursor *json, void *self)
{
	static const struct pe_json_field fields[] = {
		{"events", on_events, 0, false}, {"samples", on_stack, 0, true},
		{"weights", on_weight, 0, true}, {"unit", on_unit, 0, false},
		{"name", on_name, 0, false},
	};
	struct speedscope *speedscope = self;
	struct profile profile = {.offset = json->token.offset};

	profile.first = child(speedscope, 0, (uint32_t)speedscope->profiles.n);
	pe_vec_push(&speedscope->profiles, profile);
	PE_TRY(pe_json_fields(json, fields, sizeof(fields) / sizeof(*fields), self));
	return end_profile(speedscope);
}

static int on_file(struct pe_json_cursor *json, void *self)
{
	static const struct pe_json_field fields[] = {{"shared", on_shared, 0, false},
						      {"profiles", on_profile, 0, true}};

	return pe_json_fields(json, fields, 2, self);
}

/* --- The tree --- */

static int frame_number(struct speedscope *speedscope, const struct profile *profile,
			uint32_t index, uint32_t *number)
{
	struct pe_frame made = {.name = ""};
	struct frame *frame;

	if (index >= speedscope->frames.n)
		return pe_import_refuse_at(speedscope->import, profile->offset,
					   "it among the shared frames",
					   "frame %" PRIu32 " is not there", index);
	frame = &speedscope->frames.data[index];
	if (frame->number == PE_FRAME_NONE) {
		if (frame->name != NULL)
			pe_names_split_signature(&made, frame->name);
		if (made.name[0] == '\0')
			made.name = "(anonymous)";
		made.component = frame->file;
		made.line = frame->line;
		frame->number = pe_frames_add(speedscope->import->frames, &made);
	}
	*number = frame->number;
	return PE_OK;
}

static uint32_t thread_node(struct speedscope *speedscope, const struct profile *profile,
			    bool are_several)
{
	struct pe_frame frame = {
		.name = profile->name != NULL ? profile->name : "thread",
		.kind = PE_FRAME_THREAD,
	};

	return are_several
		       ? pe_cct_builder_child(speedscope->import->builder, 0,
					      pe_frames_add(speedscope->import->frames, &frame), 0)
		       : 0;
}

static void add_values(struct speedscope *speedscope, const struct profile *profile,
		       const struct node *from, uint32_t to)
{
	struct pe_cct_values *values = pe_cct_builder_at(speedscope->import->builder, to);
	uint64_t *all = &speedscope->import->facts.samples;
	double exact = round(from->weight * (profile->unit == TIME ? profile->scale : 1));
	uint64_t weight = exact < 0x1p63 ? (uint64_t)exact : INT64_MAX;
	uint64_t samples = profile->unit == TIME ? from->samples : weight;

	if (profile->unit == TIME)
		pe_cct_add(&values->self_ns, weight);
	pe_cct_add(&values->samples, samples);
	pe_cct_add(all, samples);
}

static int build_profile(struct speedscope *speedscope, const struct pe_cct_builder *draft,
			 const struct profile *profile, uint32_t *made)
{
	uint32_t frame = 0;

	for (uint32_t i = profile->first; i < profile->end; i++) {
		const struct node *node = &speedscope->nodes.data[i];

		if (i > profile->first) {
			PE_TRY(frame_number(speedscope, profile, node->frame, &frame));
			made[i] = pe_cct_builder_child(speedscope->import->builder,
						       made[pe_cct_builder_node(draft, i)->parent],
						       frame, 0);
		}
		add_values(speedscope, profile, node, made[i]);
	}
	return PE_OK;
}

/* Choose the unit, and count its profiles. */
static enum unit choose(const struct speedscope *speedscope, size_t *n, bool *are_sampled)
{
	enum unit unit = BYTES;

	for (size_t i = 0; i < speedscope->profiles.n; i++)
		if (speedscope->profiles.data[i].unit < unit)
			unit = speedscope->profiles.data[i].unit;
	*n = 0;
	*are_sampled = true;
	for (size_t i = 0; i < speedscope->profiles.n; i++) {
		const struct profile *profile = &speedscope->profiles.data[i];

		*n += profile->unit == unit;
		*are_sampled = *are_sampled && !(profile->unit == unit && profile->is_evented);
	}
	return unit;
}

static int build(struct speedscope *speedscope, const struct pe_cct_builder *draft)
{
	struct pe_import *import = speedscope->import;
	pe_auto_free uint32_t *made = pe_realloc(NULL, pe_cct_builder_count(draft), sizeof(*made));
	bool are_sampled;
	size_t n;
	enum unit unit = choose(speedscope, &n, &are_sampled);

	for (size_t i = 0; i < speedscope->profiles.n; i++) {
		const struct profile *profile = &speedscope->profiles.data[i];

		if (profile->unit != unit)
			continue;
		made[profile->first] = thread_node(speedscope, profile, n > 1);
		PE_TRY(build_profile(speedscope, draft, profile, made));
	}
	import->facts.threads = (uint32_t)n;
	pe_cct_builder_know(import->builder,
			    (unit == TIME ? PE_CCT_TIME : 0u) |
				    (are_sampled || unit != TIME ? (unsigned)PE_CCT_SAMPLES : 0u));
	if (!are_sampled && unit == TIME)
		import->facts.samples = 0;
	if (unit == BYTES)
		import->note = "costs are bytes: there are no times";
	else if (n < speedscope->profiles.n)
		import->note =
			pe_arena_printf(import->arena, "of %zu profiles %zu in one unit were taken",
					speedscope->profiles.n, n);
	else if (speedscope->unclosed > 0)
		import->note = pe_arena_printf(import->arena,
					       "%" PRIu64 " frames had not closed when it ended",
					       speedscope->unclosed);
	return PE_OK;
}

bool pe_speedscope_recognises(const char *head, size_t n)
{
	return pe_import_begins(head, n, '{') &&
	       (pe_import_holds(head, n, "speedscope.app/file-format-schema") ||
		(pe_import_holds(head, n, "\"shared\"") && pe_import_holds(head, n, "\"frames\"")));
}

int pe_speedscope_read(struct pe_import *import)
{
	struct speedscope speedscope = {.import = import};
	struct pe_json_source source = {.input = import->input};
	struct pe_json_stream *stream = pe_import_json(&source, 0);
	struct pe_cct_builder *draft = import->builder;
	int rc;

	pe_vec_push(&speedscope.nodes, (struct node){0});
	rc = pe_json_document(stream, on_file, &speedscope, import->err);
	import->builder = pe_cct_builder_new(import->frames, 0);
	if (rc == PE_OK)
		rc = build(&speedscope, draft);
	pe_cct_builder_free(draft);
	pe_json_stream_free(stream);
	pe_vec_release(&speedscope.frames);
	pe_vec_release(&speedscope.profiles);
	pe_vec_release(&speedscope.nodes);
	pe_vec_release(&speedscope.leaves);
	pe_vec_release(&speedscope.weights);
	pe_vec_release(&speedscope.open);
	return rc;
}
