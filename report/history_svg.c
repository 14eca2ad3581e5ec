/*
 * The commit graph as a picture: lanes, and in place of a commit's dot its spark circle (Spark Circle sections
 * III and IV): three ring sectors of equal angle, clockwise from the top, for changed methods (pink),
 * allocations (orange) and time (blue) of one benchmark; a sector is as high as its magnitude, with a dark
 * border where the value is above 0, and a grey one where it differs by noise. A dashed sector is not known, a commit that was not measured a dot.
 */
#include "report/history.h"

#include "report/format.h"
#include "report/ink.h"
#include "report/query.h"
#include "report/svg.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define PI          3.14159265358979323846
#define ROW         30.0
#define HEAD        92.0
#define LEFT        20.0
#define LANE        26.0 /* between two lanes; less where there are many */
#define LANES_WIDTH 520.0
#define RADIUS      12.0 /* of a circle whose sectors are full */
#define HOLE        4.0  /* where sectors begin */
#define LEAST       0.9  /* a sector of height 0 is still a line */
#define GAP         0.09 /* radians between two sectors */
#define VALUES      150.0
#define JUMPS       430.0
#define BOLD        1.12 /* how much wider bold text is */
#define SUBJECT     560.0
#define AUTHOR      150.0
#define DATE        80.0

/* Fill, light border and dark border, by enum pe_spark_metric. */
static const char *const colours[PE_N_SPARK_METRICS][3] = {
	{"#f29ccb", "#f7c6e0", "#a81e6b"},
	{"#ffb35c", "#ffd9ad", "#b25a00"},
	{"#74b3ee", "#bcdcf8", "#14559c"},
};
#define NOISE "#8a93a2" /* border of a difference that is no jump */
static const char *const names[PE_N_SPARK_METRICS] = {"methods", "allocations", "time"};

struct picture {
	struct pe_text *out;
	const struct pe_history *history;
	const char *benchmark;
	double lane, values, subject; /* between lanes; where columns begin */
};

static double x_of(const struct picture *picture, unsigned lane)
{
	return LEFT + lane * picture->lane;
}

static double y_of(size_t row)
{
	return HEAD + (double)row * ROW + ROW / 2;
}

/* Where the values of allocations and time end. */
static double value_end(const struct picture *picture, size_t metric)
{
	return picture->values + VALUES / 2 * (double)metric - 8;
}

/* --- Lines --- */

static void put_edge(const struct picture *picture, size_t row, const struct pe_lane_edge *edge)
{
	double from = x_of(picture, edge->from), to = x_of(picture, edge->to), y = y_of(row);
	const double points[] = {from, y + ROW * 0.55, to, y + ROW * 0.45, to, y + ROW};
	struct pe_text *out = picture->out;

	pe_text_add(out, "<path fill=\"none\" stroke-width=\"2\" stroke=\"");
	pe_ink_hex(out, &pe_ink_branches[edge->colour % pe_n_ink_branches]);
	pe_text_add(out, "\" d=\"M");
	pe_svg_coordinate(out, from);
	pe_text_addc(out, ' ');
	pe_svg_coordinate(out, y);
	pe_text_addc(out, from == to ? 'V' : 'C');
	for (size_t i = from == to ? 5 : 0; i < 6; i++) {
		pe_svg_coordinate(out, points[i]);
		if (i < 5)
			pe_text_addc(out, ' ');
	}
	pe_text_add(out, "\"/>\n");
}

static void put_edges(const struct picture *picture)
{
	const struct pe_lanes *lanes = &picture->history->lanes;

	for (size_t row = 0; row < lanes->n_rows; row++)
		for (size_t e = 0; e < lanes->rows[row].n_edges; e++)
			put_edge(picture, row, &lanes->edges[lanes->rows[row].first_edge + e]);
}

/* --- Circles --- */

static void put_point(struct pe_text *out, char command, double radius, double angle)
{
	pe_svg_point(out, command, radius * sin(angle), -radius * cos(angle));
}

static void put_arc(struct pe_text *out, double radius, double angle, int clockwise)
{
	pe_svg_point(out, 'A', radius, radius);
	pe_text_addf(out, " 0 0 %d", clockwise);
	put_point(out, ' ', radius, angle);
}

/* Sector i around the origin; its outer radius is what its height says. */
static void put_sector(struct pe_text *out, size_t i, const struct pe_spark_sector *sector)
{
	double from = 2 * PI * (double)i / PE_N_SPARK_METRICS + GAP / 2;
	double to = 2 * PI * (double)(i + 1) / PE_N_SPARK_METRICS - GAP / 2;
	double height = sector->known ? fmax(LEAST, (RADIUS - HOLE) * sector->height)
				      : (RADIUS - HOLE) * 0.35;

	pe_text_add(out, "<path d=\"");
	put_point(out, 'M', HOLE, from);
	put_point(out, 'L', HOLE + height, from);
	put_arc(out, HOLE + height, to, 1);
	put_point(out, 'L', HOLE, to);
	put_arc(out, HOLE, from, 0);
	pe_text_add(out, "Z\"");
	if (sector->known)
		pe_text_addf(out, " class=\"%s\" fill=\"%s\" stroke=\"%s\" stroke-width=\"1.3\"/>",
			     names[i], colours[i][0],
			     sector->noise ? NOISE : colours[i][sector->dark ? 2 : 1]);
	else
		pe_text_add(out, " fill=\"none\" stroke=\"#8a93a2\" stroke-width=\"0.9\" "
				 "stroke-dasharray=\"1.6 1.8\"/>");
}

static void put_glyph(struct pe_text *out, double x, double y,
		      const struct pe_spark_sector sectors[PE_N_SPARK_METRICS], const char *title)
{
	pe_svg_begin_group(out, " class=\"spark\"", x, y);
	if (title != NULL)
		pe_svg_title(out, title);
	pe_text_add(out, "<circle class=\"card\"");
	pe_svg_number(out, "r", RADIUS + 1);
	pe_text_add(out, "/><circle fill=\"#8a93a2\"");
	pe_svg_number(out, "r", HOLE - 1.2);
	pe_text_add(out, "/>");
	for (size_t i = 0; i < PE_N_SPARK_METRICS; i++)
		put_sector(out, i, &sectors[i]);
	pe_text_add(out, "</g>\n");
}

/* --- Text --- */

/** "3 methods changed, allocations +4 %, time −12 %", of what is known. */
static void say_sectors(struct pe_text *out,
			const struct pe_spark_sector sectors[PE_N_SPARK_METRICS])
{
	size_t said = 0;

	for (size_t i = 0; i < PE_N_SPARK_METRICS; i++) {
		if (!sectors[i].known)
			continue;
		pe_text_add(out, said++ > 0 ? ", " : "");
		if (i == PE_SPARK_METHODS) {
			pe_text_addf(out, "%.0f method%s changed", sectors[i].value,
				     sectors[i].value == 1 ? "" : "s");
			continue;
		}
		pe_text_addf(out, "%s %s", names[i], sectors[i].noise ? "~" : "");
		pe_format_change(out, sectors[i].value);
	}
}

static void say_jump(struct pe_text *out, const struct pe_line *line, const struct pe_jump *jump)
{
	pe_text_addf(out, "%s %s ", jump->regression ? "▲" : "▼",
		     line->metric->label != NULL ? line->metric->label : line->metric->name);
	pe_format_change(out, jump->relative);
	pe_text_addf(out, " %s", pe_jump_status_name(jump));
	pe_jump_add_range(out, jump);
}

/* The jumps of the benchmark, as many as leave room for the subject. */
static void put_jumps(const struct picture *picture, double y, size_t revision, double *x)
{
	const struct pe_evolution *evolution = picture->history->evolution;
	double end = *x + JUMPS;

	assert(evolution != NULL || revision == SIZE_MAX);
	for (size_t i = 0; revision != SIZE_MAX && i < evolution->n_lines; i++) {
		const struct pe_line *line = &evolution->lines[i];
		const struct pe_jump *jump = pe_line_jump_at(line, revision);
		struct pe_text text = PE_TEXT_INIT;
		double width;

		if (jump == NULL || picture->benchmark == NULL ||
		    strcmp(line->benchmark, picture->benchmark) != 0)
			continue;
		say_jump(&text, line, jump);
		width = BOLD * pe_svg_text_width(pe_text_str(&text)) + 8;
		if (*x + width <= end) {
			pe_svg_text(picture->out, *x, y,
				    jump->regression ? "bad bold" : "good bold", pe_text_str(&text),
				    0);
			*x += width;
		}
		pe_text_release(&text);
	}
}

static void put_names(const struct picture *picture, double y,
		      const struct pe_history_commit *commit, double *x, double end)
{
	for (size_t i = 0; i < commit->n_refs && *x < end - 40; i++) {
		double width = fmin(BOLD * pe_svg_text_width(commit->refs[i]) + 12, 180);

		pe_text_add(picture->out, "<rect class=\"card\" rx=\"4\" height=\"18\"");
		pe_svg_number(picture->out, "x", *x);
		pe_svg_number(picture->out, "y", y - 13);
		pe_svg_number(picture->out, "width", width);
		pe_text_add(picture->out, "/>");
		pe_svg_text(picture->out, *x + 6, y, "bold", commit->refs[i], width - 8);
		*x += width + 6;
	}
}

static void put_dot(const struct picture *picture, size_t row,
		    const struct pe_spark_sector sectors[PE_N_SPARK_METRICS])
{
	const struct pe_lane_row *lane = &picture->history->lanes.rows[row];
	struct pe_text title = PE_TEXT_INIT;

	say_sectors(&title, sectors);
	if (title.len > 0) {
		put_glyph(picture->out, x_of(picture, lane->lane), y_of(row), sectors,
			  pe_text_str(&title));
	} else {
		pe_text_add(picture->out, "<circle class=\"card\" r=\"5\" style=\"stroke:");
		pe_ink_hex(picture->out, &pe_ink_branches[lane->colour % pe_n_ink_branches]);
		pe_text_add(picture->out, ";stroke-width:2\"");
		pe_svg_number(picture->out, "cx", x_of(picture, lane->lane));
		pe_svg_number(picture->out, "cy", y_of(row));
		pe_text_add(picture->out, "/>\n");
	}
	pe_text_release(&title);
}

static void put_values(const struct picture *picture, double y,
		       const struct pe_spark_sector sectors[PE_N_SPARK_METRICS])
{
	struct pe_text text = PE_TEXT_INIT;

	for (size_t i = PE_SPARK_ALLOCATIONS; i <= PE_SPARK_TIME; i++) {
		if (!sectors[i].known)
			continue;
		if (sectors[i].noise)
			pe_text_addc(&text, '~');
		pe_format_change(&text, sectors[i].value);
		pe_svg_text(picture->out, value_end(picture, i), y,
			    sectors[i].noise ? "end small dim" : "end small", pe_text_str(&text),
			    0);
		pe_text_clear(&text);
	}
	pe_text_release(&text);
}

static void put_row(const struct picture *picture, size_t row)
{
	const struct pe_history_commit *commit = &picture->history->commits[row];
	double x = picture->subject, end = picture->subject + SUBJECT, y = y_of(row) + 4;
	struct pe_spark_sector sectors[PE_N_SPARK_METRICS];
	struct pe_text text = PE_TEXT_INIT;

	pe_spark_sectors(sectors, picture->history, row, picture->benchmark);
	put_dot(picture, row, sectors);
	put_values(picture, y, sectors);
	put_jumps(picture, y, commit->point, &x);
	put_names(picture, y, commit, &x, end);
	if (end - x > 20)
		pe_svg_text(picture->out, x, y, NULL, commit->revision.subject, end - x);
	pe_svg_text(picture->out, end + 12, y, "dim", commit->revision.author, AUTHOR - 12);
	pe_format_date(&text, commit->revision.time_s);
	pe_svg_text(picture->out, end + AUTHOR + 12, y, "dim", pe_text_str(&text), 0);
	pe_text_clear(&text);
	pe_text_addn(&text, commit->revision.id, PE_SHORT_ID);
	pe_svg_text(picture->out, end + AUTHOR + DATE + 16, y, "dim", pe_text_str(&text), 0);
	pe_text_release(&text);
}

/* --- Head --- */

/* What the glyph means: each sector full, by itself. */
static void put_legend(const struct picture *picture)
{
	static const char *const said[PE_N_SPARK_METRICS] = {"changed methods", "allocations",
							     "time"};
	double x = LEFT;

	for (size_t i = 0; i < PE_N_SPARK_METRICS; i++) {
		struct pe_spark_sector sectors[PE_N_SPARK_METRICS] = {
			{.known = true}, {.known = true}, {.known = true}};

		sectors[i].height = 1;
		sectors[i].dark = true;
		put_glyph(picture->out, x, 54, sectors, said[i]);
		pe_svg_text(picture->out, x + 20, 58, NULL, said[i], 0);
		x += pe_svg_text_width(said[i]) + 56;
	}
	pe_svg_text(picture->out, x, 58, "dim",
		    "against the first parent; dark border: more; grey: noise; dashed: not known",
		    0);
	pe_svg_text(picture->out, value_end(picture, PE_SPARK_ALLOCATIONS), HEAD - 2,
		    "end small dim", "Δallocs", 0);
	pe_svg_text(picture->out, value_end(picture, PE_SPARK_TIME), HEAD - 2, "end small dim",
		    "Δtime", 0);
}

void pe_history_svg(struct pe_text *out, const struct pe_history *history, const char *benchmark)
{
	struct picture picture = {.out = out, .history = history, .benchmark = benchmark};
	unsigned lanes = history->lanes.width > 0 ? history->lanes.width : 1;
	struct pe_text title = PE_TEXT_INIT;

	picture.lane = fmin(LANE, LANES_WIDTH / lanes);
	picture.values = x_of(&picture, lanes - 1) + RADIUS + 8;
	picture.subject = picture.values + VALUES + 8;
	pe_text_addf(&title, "%s%s%s",
		     history->evolution != NULL && history->evolution->project != NULL
			     ? history->evolution->project
			     : "History",
		     benchmark != NULL ? ": " : "", benchmark != NULL ? benchmark : "");
	pe_svg_begin(out, picture.subject + SUBJECT + AUTHOR + DATE + 90,
		     HEAD + (double)history->n * ROW + 20, pe_text_str(&title));
	pe_svg_text(out, LEFT - 12, 28, "head", pe_text_str(&title), 900);
	put_legend(&picture);
	put_edges(&picture);
	for (size_t row = 0; row < history->n; row++)
		put_row(&picture, row);
	if (history->cut)
		pe_svg_text(out, picture.subject, HEAD + (double)history->n * ROW + 8, "dim small",
			    "older commits are not shown", 0);
	pe_svg_end(out);
	pe_text_release(&title);
}
