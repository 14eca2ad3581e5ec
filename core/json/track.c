#include "core/json/track.h"

#include "core/json/tree.h"

#include <string.h>

int pe_json_track_event(struct pe_track_event *out, const char *line, size_t n,
			struct pe_arena *arena, struct pe_err *err)
{
	const struct pe_json_value *root;
	int rc = pe_json_tree(&root, line, n, arena, err);

	*out = (struct pe_track_event){0};
	if (rc != PE_OK)
		return rc;
	out->kind = pe_json_string(pe_json_member(root, "event"));
	out->text = pe_json_string(pe_json_member(root, "text"));
	out->done = pe_json_whole(pe_json_member(root, "done"), 0);
	out->total = pe_json_whole(pe_json_member(root, "total"), 0);
	return out->kind != NULL ? PE_OK : pe_fail(err, PE_EINVALID, "no event");
}

static struct pe_track_jump read_jump(const struct pe_json_value *line,
				      const struct pe_json_value *jump)
{
	const char *state = pe_json_string(pe_json_member(jump, "state"));

	return (struct pe_track_jump){
		.benchmark = pe_json_string(pe_json_member(line, "benchmark")),
		.label = pe_json_string(pe_json_member(pe_json_member(line, "metric"), "label")),
		.state = state != NULL ? state : "",
		.relative = pe_json_number(pe_json_member(jump, "relative")),
		.commits = pe_json_whole(pe_json_member(jump, "commits"), 0),
		.regression = pe_json_true(pe_json_member(jump, "regression")),
		.layout = pe_json_true(pe_json_member(jump, "layout")),
	};
}

/* Jumps of a line at the commit. @return  whether the line has a value of it */
static bool read_line(struct pe_track_answer *out, const struct pe_json_value *line, const char *id)
{
	const struct pe_json_value *points = pe_json_member(line, "points");
	const struct pe_json_value *jumps = pe_json_member(line, "jumps");
	bool judged = pe_json_true(pe_json_member(line, "judged")), measured = false;

	for (size_t i = 0; i < pe_json_length(points) && !measured; i++)
		measured = pe_json_equals(pe_json_member(&points->items[i], "revision"), id) &&
			   pe_json_equals(pe_json_member(&points->items[i], "outcome"), "measured");
	for (size_t i = 0; judged && i < pe_json_length(jumps); i++)
		if (pe_json_equals(pe_json_member(&jumps->items[i], "after"), id))
			out->jumps[out->n_jumps++] = read_jump(line, &jumps->items[i]);
	return measured;
}

/* Lines of one benchmark stand together. */
static void read_lines(struct pe_track_answer *out, const struct pe_json_value *lines,
		       const char *id)
{
	const char *counted = NULL;

	for (size_t i = 0; i < pe_json_length(lines); i++) {
		const struct pe_json_value *line = &lines->items[i];
		const char *benchmark = pe_json_string(pe_json_member(line, "benchmark"));

		if (!read_line(out, line, id) || benchmark == NULL ||
		    (counted != NULL && strcmp(counted, benchmark) == 0))
			continue;
		counted = benchmark;
		out->benchmarks++;
	}
}

static size_t count_jumps(const struct pe_json_value *lines)
{
	size_t n = 0;

	for (size_t i = 0; i < pe_json_length(lines); i++)
		n += pe_json_length(pe_json_member(&lines->items[i], "jumps"));
	return n;
}

static void read_failures(struct pe_track_answer *out, const struct pe_json_value *failures,
			  const char *id, struct pe_arena *arena)
{
	out->failures = pe_arena_new(arena, struct pe_track_failure, pe_json_length(failures));
	for (size_t i = 0; i < pe_json_length(failures); i++) {
		const struct pe_json_value *one = &failures->items[i];

		if (pe_json_equals(pe_json_member(one, "revision"), id))
			out->failures[out->n_failures++] = (struct pe_track_failure){
				pe_json_string(pe_json_member(one, "benchmark")),
				pe_json_string(pe_json_member(one, "outcome")),
			};
	}
}

int pe_json_track_answer(struct pe_track_answer *out, const char *document, size_t n,
			 const char *id, struct pe_arena *arena, struct pe_err *err)
{
	const struct pe_json_value *root, *lines;
	int rc = pe_json_tree(&root, document, n, arena, err);

	*out = (struct pe_track_answer){0};
	if (rc != PE_OK)
		return rc;
	lines = pe_json_member(root, "lines");
	if (!pe_json_there(lines))
		return pe_fail(err, PE_EINVALID, "not an answer of 'perfevo track --format json'");
	out->jumps = pe_arena_new(arena, struct pe_track_jump, count_jumps(lines));
	read_lines(out, lines, id);
	read_failures(out, pe_json_member(root, "failures"), id, arena);
	return PE_OK;
}
