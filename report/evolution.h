/* Evolution: a history in text, Markdown, JSON, CSV and SVG. */
#pragma once

#include "core/base/term.h"
#include "core/base/text.h"
#include "core/model/evolution.h"

struct pe_json;

/**
 * The jumps as a table, then failures and left-out tests in short: the end of `track`. With &pe_md_term (report/markdown.h) it is
 * Markdown for a comment on a pull request.
 */
void pe_evolution_term(struct pe_text *out, const struct pe_evolution *evolution,
		       const struct pe_term *term);

/** What failed, a line a benchmark and reason, with its commits: "parse: crashed at 2 commits: a1b2c3d4, b2c3d4e5". */
void pe_evolution_failures(struct pe_text *out, const struct pe_evolution *evolution,
			   const struct pe_term *term);

/** Everything but the samples, as one JSON document (report/schema/track.schema.json). */
void pe_evolution_json(struct pe_text *out, const struct pe_evolution *evolution);

/** Writes the points of a line, as members of an object that is open. */
typedef void (*pe_put_points_fn)(struct pe_json *json, const struct pe_evolution *evolution,
				 const struct pe_line *line);

/**
 * The members of that document but "format", for an object that is open.
 *
 * @param put_points  writes the points of a line in place of "points"; NULL: an object each
 * @param log_most    bytes of a failure's log: of a longer one its end, with "cut": true
 */
void pe_evolution_json_members(struct pe_json *json, const struct pe_evolution *evolution,
			       pe_put_points_fn put_points, size_t log_most);

/** A jump as in "jumps" of that document. @param numbers  of the events as they are listed; NULL: its event is null */
void pe_evolution_json_jump(struct pe_json *json, const char *key,
			    const struct pe_evolution *evolution, const struct pe_jump *jump,
			    const size_t *numbers);

/** Rizel's CSV: a row a (revision, benchmark, metric). */
void pe_evolution_csv(struct pe_text *out, const struct pe_evolution *evolution);

/** The lines as a picture, a panel each: levels, spread of the runs, jumps (Rizel, Blueprint figure 6). */
void pe_evolution_svg(struct pe_text *out, const struct pe_evolution *evolution);

/**
 * A plain table of revisions, newest first, with values and variation of the benchmark of the first line: `log`.
 *
 * @param title  NULL: the usual metrics of the benchmark. Otherwise the column of the only line that there is, and rows
 *               are the commits where it has a point
 * @return       some of enum pe_log_mark: the signs in it
 */
unsigned pe_evolution_log(struct pe_text *out, const struct pe_evolution *evolution,
			  const char *title, const struct pe_term *term);

/** Everything about one revision: `show`. revision is an index. */
void pe_evolution_show(struct pe_text *out, const struct pe_evolution *evolution, size_t revision,
		       const struct pe_term *term);

struct pe_json;

/** The same as members of an object that is open, see report/evolution_json.c. */
void pe_evolution_show_json(struct pe_json *json, const struct pe_evolution *evolution,
			    size_t revision);
