#include "json/track.h"

#include "json/document.h"

#include <math.h>
#include <string.h>

static int64_t integer(const struct json_object *object, const char *key)
{
	return json_object_get_int64(pe_json_member(object, key));
}

static bool is_at(const struct json_object *object, const char *key, const char *id)
{
	const char *text = json_object_get_string(pe_json_member(object, key));

	return text != NULL && strcmp(text, id) == 0;
}

int pe_json_track_event(struct pe_track_event *out, const char *line, size_t n,
			struct pe_arena *arena, struct pe_err *err)
{
	struct json_object *root = NULL;
	int rc = pe_json_parse(&root, line, n, err);

	*out = (struct pe_track_event){0};
	if (rc != PE_OK)
		return rc;
	out->kind = pe_json_string(root, "event", arena);
	out->text = pe_json_string(root, "text", arena);
	out->done = integer(root, "done");
	out->total = integer(root, "total");
	json_object_put(root);
	return out->kind != NULL ? PE_OK : pe_fail(err, PE_EINVALID, "no event");
}

static struct pe_track_jump read_jump(const struct json_object *line,
				      const struct json_object *jump, struct pe_arena *arena)
{
	const struct json_object *relative = pe_json_member(jump, "relative");
	const char *state = pe_json_string(jump, "state", arena);

	return (struct pe_track_jump){
		.benchmark = pe_json_string(line, "benchmark", arena),
		.label = pe_json_string(pe_json_member(line, "metric"), "label", arena),
		.state = state != NULL ? state : "",
		.relative = relative != NULL ? json_object_get_double(relative) : NAN,
		.commits = integer(jump, "commits"),
		.regression = json_object_get_boolean(pe_json_member(jump, "regression")),
	};
}

/* Jumps of a line at the commit; *measured: the line has a figure of it. */
static void read_line(struct pe_track_answer *out, bool *measured, const struct json_object *line,
		      const char *id, struct pe_arena *arena)
{
	const struct json_object *points = pe_json_member(line, "points");
	const struct json_object *jumps = pe_json_member(line, "jumps");

	for (size_t i = 0; i < pe_json_length(points) && !*measured; i++) {
		const struct json_object *point = json_object_array_get_idx(points, i);

		*measured = is_at(point, "revision", id) && is_at(point, "outcome", "measured");
	}
	if (!json_object_get_boolean(pe_json_member(line, "judged")))
		return;
	for (size_t i = 0; i < pe_json_length(jumps); i++) {
		const struct json_object *jump = json_object_array_get_idx(jumps, i);

		if (is_at(jump, "after", id))
			out->jumps[out->n_jumps++] = read_jump(line, jump, arena);
	}
}

/* Lines of one benchmark stand together. */
static void read_lines(struct pe_track_answer *out, const struct json_object *lines, const char *id,
		       struct pe_arena *arena)
{
	const char *counted = NULL;

	for (size_t i = 0; i < pe_json_length(lines); i++) {
		const struct json_object *line = json_object_array_get_idx(lines, i);
		const char *benchmark = pe_json_string(line, "benchmark", arena);
		bool measured = false;

		read_line(out, &measured, line, id, arena);
		if (!measured || benchmark == NULL ||
		    (counted != NULL && strcmp(counted, benchmark) == 0))
			continue;
		counted = benchmark;
		out->benchmarks++;
	}
}

static size_t count_jumps(const struct json_object *lines)
{
	size_t n = 0;

	for (size_t i = 0; i < pe_json_length(lines); i++)
		n += pe_json_length(pe_json_member(json_object_array_get_idx(lines, i), "jumps"));
	return n;
}

static void read_failures(struct pe_track_answer *out, const struct json_object *failures,
			  const char *id, struct pe_arena *arena)
{
	out->failures = pe_arena_new(arena, struct pe_track_failure, pe_json_length(failures));
	for (size_t i = 0; i < pe_json_length(failures); i++) {
		const struct json_object *one = json_object_array_get_idx(failures, i);

		if (is_at(one, "revision", id))
			out->failures[out->n_failures++] =
				(struct pe_track_failure){pe_json_string(one, "benchmark", arena),
							  pe_json_string(one, "outcome", arena)};
	}
}

int pe_json_track_answer(struct pe_track_answer *out, const char *document, size_t n,
			 const char *id, struct pe_arena *arena, struct pe_err *err)
{
	struct json_object *root = NULL;
	const struct json_object *lines;
	int rc = pe_json_parse(&root, document, n, err);

	*out = (struct pe_track_answer){0};
	if (rc != PE_OK)
		return rc;
	lines = pe_json_member(root, "lines");
	if (lines != NULL) {
		out->jumps = pe_arena_new(arena, struct pe_track_jump, count_jumps(lines));
		read_lines(out, lines, id, arena);
		read_failures(out, pe_json_member(root, "failures"), id, arena);
	} else {
		rc = pe_fail(err, PE_EINVALID, "not an answer of 'perfevo track --format json'");
	}
	json_object_put(root);
	return rc;
}
