/*
 * SVG: the parts that our pictures share. A picture has its own style sheet, follows the viewer's light or dark,
 * needs no font but a plain one, and no script; foreign names are text, never markup.
 */
#pragma once

#include "core/base/text.h"

#include <stddef.h>

/** Begin a picture of a size in pixels: the root with its style sheet, a ground, and a title for readers. */
void pe_svg_begin(struct pe_text *out, double width, double height, const char *title);

/** End it. */
void pe_svg_end(struct pe_text *out);

/**
 * Append a line of text.
 *
 * @param x       where it begins; with the class "end" where it ends, with "mid" its middle
 * @param y       its base line
 * @param class   of the style sheet, several with blanks between them: "head", "dim", "good", "bad", "small",
 *                "end", "mid"; or NULL
 * @param string  foreign text: escaped, control characters dropped
 * @param width   pixels that it may take, cut with a sign; 0: as it is
 */
void pe_svg_text(struct pe_text *out, double x, double y, const char *class, const char *string,
		 double width);

/** Append an attribute with at most two decimals: " name=\"12.5\"". */
void pe_svg_number(struct pe_text *out, const char *name, double value);

/** Append a coordinate of a path: at most two decimals, no blank. */
void pe_svg_coordinate(struct pe_text *out, double value);

/** Append a command of a path and its point: "M12 3.5". */
void pe_svg_point(struct pe_text *out, char command, double x, double y);

/** Append a title element: what a viewer shows where the mouse rests. */
void pe_svg_title(struct pe_text *out, const char *string);

/** Columns of text that so many pixels have room for. */
size_t pe_svg_columns(double width);

/** Pixels that a text takes, about. */
double pe_svg_text_width(const char *string);

/** Attributes x, y, width and height. */
void pe_svg_rect(struct pe_text *out, double x, double y, double width, double height);
