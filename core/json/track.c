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

/* Whether a line has a value of the commit. */
static bool is_measured(const struct pe_json_value *line, const char *id)
{
	const struct pe_json_value *points = pe_json_member(line, "points");

	for (size_t i = 0; i < pe_json_length(points); i++)
		if (pe_json_equals(pe_json_member(&points->items[i], "revision"), id) &&
		    pe_json_equals(pe_json_member(&points->items[i], "outcome"), "measured"))
			return true;
	return false;
}

static void read_event(struct pe_track_answer *out, const struct pe_json_value *events,
		       const char *id)
{
	for (size_t i = 0; i < pe_json_length(events); i++) {
		const struct pe_json_value *event = &events->items[i];

		if (!pe_json_equals(pe_json_member(event, "commit"), id))
			continue;
		out->summary = pe_json_string(pe_json_member(event, "summary"));
		out->worse = pe_json_true(pe_json_member(event, "worse"));
		out->better = pe_json_true(pe_json_member(event, "better"));
		out->confirmed = pe_json_equals(pe_json_member(event, "standing"), "confirmed");
		out->accepted = pe_json_equals(pe_json_member(event, "standing"), "accepted");
	}
}

/* Lines of one benchmark stand together. */
static void read_lines(struct pe_track_answer *out, const struct pe_json_value *lines,
		       const char *id)
{
	const char *counted = NULL;

	for (size_t i = 0; i < pe_json_length(lines); i++) {
		const struct pe_json_value *line = &lines->items[i];
		const char *benchmark = pe_json_string(pe_json_member(line, "benchmark"));

		if (!is_measured(line, id) || benchmark == NULL ||
		    (counted != NULL && strcmp(counted, benchmark) == 0))
			continue;
		counted = benchmark;
		out->benchmarks++;
	}
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
	read_lines(out, lines, id);
	read_event(out, pe_json_member(root, "events"), id);
	read_failures(out, pe_json_member(root, "failures"), id, arena);
	return PE_OK;
}
