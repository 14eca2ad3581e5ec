/*
 * The evolution as a picture (Blueprint section IV, figure 6): a panel a benchmark and metric with the median of
 * every revision, the spread of its runs (the middle 50 %) as a band, the levels of the detection as steps, and the
 * jumps as upright lines. A revision that was reused is a hollow dot, one that failed a cross at the foot.
 */
#include "report/evolution.h"

#include "report/commit_blocks.h"
#include "report/format.h"
#include "report/svg.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define MARGIN      16.0
#define HEAD        62.0
#define PANEL       560.0 /* width of one among several */
#define WIDE        1120.0
#define PANEL_HIGH  210.0
#define WIDE_HIGH   420.0
#define LEFT        84.0 /* inside a panel: values of the axis */
#define RIGHT       18.0
#define TOP         34.0
#define BOTTOM      30.0
#define MOST_DOTS   120 /* above, dots would run into each other */
#define LEAST_RANGE 0.1 /* of the largest value: noise stays flat */
#define TICKS       4

static const char blue[] = "#2f7fc1";

struct panel {
	struct pe_text *out;
	const struct pe_evolution *evolution;
	const struct pe_line *line;
	double x, y, width, height; /* of the area that is drawn in */
	double low, high;           /* values at its foot and head */
};

static double x_at(const struct panel *panel, size_t revision)
{
	size_t n = panel->evolution->n_revisions;

	return panel->x + panel->width * (n > 1 ? (double)revision / (double)(n - 1) : 0.5);
}

static double y_at(const struct panel *panel, double value)
{
	double part = (value - panel->low) / (panel->high - panel->low);

	return panel->y + panel->height * (1 - fmax(0, fmin(1, part)));
}

/* --- What is drawn --- */

static bool is_measured(const struct pe_point *point)
{
	return point->outcome == PE_MEASURED && isfinite(point->value);
}

static void choose_range(struct panel *panel)
{
	double low = INFINITY, high = -INFINITY, span;

	for (size_t i = 0; i < panel->line->n_points; i++) {
		const struct pe_point *point = &panel->line->points[i];

		if (!is_measured(point))
			continue;
		low = fmin(low, fmin(point->value, isfinite(point->q25) ? point->q25 : INFINITY));
		high = fmax(high,
			    fmax(point->value, isfinite(point->q75) ? point->q75 : -INFINITY));
	}
	if (!isfinite(low))
		low = high = 0;
	span = fmax(high - low, LEAST_RANGE * fmax(fabs(high), fabs(low)));
	span = span > 0 ? span : 1;
	panel->low = (low + high) / 2 - 0.56 * span;
	panel->high = (low + high) / 2 + 0.56 * span;
	if (low >= 0 && panel->low < 0)
		panel->low = 0;
}

/* The next of 1, 2 and 5 times a power of ten; of bytes, of their prefix. */
static double nice_step(double least, const char *unit)
{
	bool binary = strcmp(unit, "bytes") == 0 && least >= 1024;
	double prefix = binary ? pow(1024, floor(log2(least) / 10)) : 1;
	double power = prefix * pow(10, floor(log10(least / prefix))), part = least / power;

	return power * (part <= 1 ? 1 : part <= 2 ? 2 : part <= 5 ? 5 : 10);
}

/* --- Parts of a panel --- */

static void put_axis(const struct panel *panel)
{
	double step = nice_step((panel->high - panel->low) / TICKS, panel->line->metric->unit);
	const double first = ceil(panel->low / step);
	pe_auto_text text = PE_TEXT_INIT;

	/* Counted: a step may be too small to be seen in the values. */
	for (int i = 0; i <= 3 * TICKS && (first + i) * step <= panel->high; i++) {
		double tick = (first + i) * step;
		double y = y_at(panel, tick);

		pe_text_add(panel->out, "<path class=\"rule\" d=\"");
		pe_svg_point(panel->out, 'M', panel->x, y);
		pe_text_addc(panel->out, 'h');
		pe_svg_coordinate(panel->out, panel->width);
		pe_text_add(panel->out, "\"/>\n");
		pe_format_value(&text, fabs(tick) < step / 1000 ? 0 : tick,
				panel->line->metric->unit);
		pe_svg_text(panel->out, panel->x - 6, y + 4, "end dim small", pe_text_str(&text),
			    0);
		pe_text_clear(&text);
	}
}

static void put_revision(const struct panel *panel, size_t revision, const char *class)
{
	const struct pe_evolution *evolution = panel->evolution;
	pe_auto_text text = PE_TEXT_INIT;

	pe_add_short_id(&text, evolution, revision);
	pe_text_addc(&text, ' ');
	pe_format_date(&text, evolution->revisions[revision].time_s);
	pe_svg_text(panel->out, x_at(panel, revision), panel->y + panel->height + 18, class,
		    pe_text_str(&text), 0);
}

/* Append the points of a path from a column of values, in either direction. */
static void put_points(const struct panel *panel, const struct pe_point *points, size_t n,
		       size_t offset, bool back)
{
	for (size_t i = 0; i < n; i++) {
		const struct pe_point *point = &points[back ? n - 1 - i : i];
		double value;

		memcpy(&value, (const char *)point + offset, sizeof(value));
		pe_svg_point(panel->out, i == 0 && !back ? 'M' : 'L', x_at(panel, point->revision),
			     y_at(panel, value));
	}
}

/* The middle 50 % of the runs of points, which have no gap between them, and the line through their values. */
static void put_stroke(const struct panel *panel, const struct pe_point *points, size_t n)
{
	pe_text_addf(panel->out, "<path fill=\"%s\" fill-opacity=\"0.18\" d=\"", blue);
	put_points(panel, points, n, offsetof(struct pe_point, q75), false);
	put_points(panel, points, n, offsetof(struct pe_point, q25), true);
	pe_text_addf(panel->out,
		     "Z\"/>\n<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.4\" d=\"", blue);
	put_points(panel, points, n, offsetof(struct pe_point, value), false);
	pe_text_add(panel->out, "\"/>\n");
}

static void put_dots(const struct panel *panel, const struct pe_point *points, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		pe_text_addf(panel->out, "<circle r=\"%s\" stroke=\"%s\" %s",
			     points[i].reused ? "2" : "2.4", blue,
			     points[i].reused ? "class=\"ground\"" : "");
		if (!points[i].reused)
			pe_text_addf(panel->out, "fill=\"%s\"", blue);
		pe_svg_number(panel->out, "cx", x_at(panel, points[i].revision));
		pe_svg_number(panel->out, "cy", y_at(panel, points[i].value));
		pe_text_add(panel->out, "/>\n");
	}
}

static void put_curve(const struct panel *panel)
{
	const struct pe_point *points = panel->line->points;
	const size_t n = panel->line->n_points;

	for (size_t i = 0, end; i < n; i = end + 1) {
		for (end = i; end < n && is_measured(&points[end]);)
			end++;
		if (end == i)
			continue;
		put_stroke(panel, points + i, end - i);
		if (panel->evolution->n_revisions <= MOST_DOTS)
			put_dots(panel, points + i, end - i);
	}
}

/* A cross at the foot for every revision at which the benchmark, or the build, failed; a pixel has one at most. */
static void put_failures(const struct panel *panel)
{
	const struct pe_evolution *evolution = panel->evolution;
	double y = panel->y + panel->height - 4;
	long at = -1;

	for (size_t i = 0; i < evolution->n_failures; i++) {
		const struct pe_failure *failure = &evolution->failures[i];
		double x = x_at(panel, failure->revision);

		if ((failure->benchmark != NULL &&
		     strcmp(failure->benchmark, panel->line->benchmark) != 0) ||
		    lround(x) == at)
			continue;
		at = lround(x);
		pe_svg_text(panel->out, x, y, "mid dim", "×", 0);
	}
}

/* An upright line where a level begins, dashed while it is a suspect; the label leaves out what has no room. */
static void put_jumps(const struct panel *panel)
{
	double free_from = panel->x;

	for (size_t i = 0; i < panel->line->n_jumps; i++) {
		const struct pe_jump *jump = &panel->line->jumps[i];
		double x = x_at(panel, jump->after), width;
		pe_auto_text text = PE_TEXT_INIT;

		pe_text_addf(panel->out, "<path stroke=\"%s\" stroke-width=\"1.2\"%s d=\"",
			     jump->regression ? "#c0392b" : "#0b6e99",
			     jump->state == PE_JUMP_CONFIRMED ? "" : " stroke-dasharray=\"4 3\"");
		pe_svg_point(panel->out, 'M', x, panel->y);
		pe_svg_point(panel->out, 'L', x, panel->y + panel->height);
		pe_text_add(panel->out, "\"/>\n");
		pe_text_add(&text, jump->regression ? "▲ " : "▼ ");
		pe_format_change(&text, jump->relative);
		pe_text_addf(&text, " %s", pe_jump_status_name(jump));
		width = pe_svg_text_width(pe_text_str(&text));
		x = fmin(x + 3, panel->x + panel->width - width);
		if (x >= free_from) {
			pe_svg_text(panel->out, x, panel->y + 10,
				    jump->regression ? "bad small" : "good small",
				    pe_text_str(&text), 0);
			free_from = x + width;
		}
	}
}

static void put_panel(struct panel *panel)
{
	pe_auto_text title = PE_TEXT_INIT;
	size_t n = panel->evolution->n_revisions;

	choose_range(panel);
	pe_text_addf(&title, "%s, %s", panel->line->benchmark,
		     panel->line->metric->label != NULL ? panel->line->metric->label
							: panel->line->metric->name);
	pe_svg_text(panel->out, panel->x, panel->y - 12, "bold", pe_text_str(&title), panel->width);
	put_axis(panel);
	put_curve(panel);
	put_failures(panel);
	put_jumps(panel);
	if (n > 0)
		put_revision(panel, 0, "dim small");
	if (n > 1)
		put_revision(panel, n - 1, "end dim small");
}

void pe_evolution_svg(struct pe_text *out, const struct pe_evolution *evolution)
{
	bool alone = evolution->n_lines == 1;
	double width = alone ? WIDE : PANEL, height = alone ? WIDE_HIGH : PANEL_HIGH;
	size_t columns = alone ? 1 : 2, rows = (evolution->n_lines + columns - 1) / columns;
	pe_auto_text title = PE_TEXT_INIT;
	pe_auto_arena arena = PE_ARENA_INIT;
	size_t n;
	const struct pe_commit_block *blocks = pe_commit_blocks(&n, evolution, &arena);

	pe_text_addf(&title, "%s: performance over its history",
		     evolution->project != NULL ? evolution->project : "perfevo");
	pe_svg_begin(out, 2 * MARGIN + WIDE, HEAD + (double)rows * height + MARGIN,
		     pe_text_str(&title));
	pe_svg_text(out, MARGIN, 28, "head", pe_text_str(&title), WIDE);
	pe_text_clear(&title);
	pe_commit_blocks_add_headline(&title, evolution, blocks, n);
	pe_svg_text(out, MARGIN, 48, "dim", pe_text_str(&title), WIDE);
	for (size_t i = 0; i < evolution->n_lines; i++) {
		struct panel panel = {
			.out = out,
			.evolution = evolution,
			.line = &evolution->lines[i],
			.x = MARGIN + (double)(i % columns) * width + LEFT,
			.y = HEAD + (double)(i / columns) * height + TOP,
			.width = width - LEFT - RIGHT,
			.height = height - TOP - BOTTOM,
		};

		put_panel(&panel);
	}
	pe_svg_end(out);
}
