/* The commit graph: the lanes of its rows as characters of a terminal. */
#include "report/history.h"

#include "core/base/search.h"
#include "core/base/sort.h"
#include "report/ink.h"

enum { UP = 1, DOWN = 2, LEFT = 4, RIGHT = 8 };

/* A column of the row: where lines leave it to, and whose colour the character takes. */
struct cell {
	uint8_t lines;
	bool dot, painted;
	uint32_t colour;
};

struct row {
	struct cell *cells;
	size_t n; /* columns */
};

static void join(struct row *row, size_t column, unsigned lines, uint32_t colour)
{
	struct cell *cell;

	if (column >= row->n)
		return;
	cell = &row->cells[column];
	cell->lines |= (uint8_t)lines;
	/* What stands upright keeps its colour where something crosses it. */
	if (!cell->painted || (lines & (UP | DOWN)) != 0)
		cell->colour = colour;
	cell->painted = true;
}

/* A line across, from the dot's lane to another. */
static void cross(struct row *row, uint32_t dot, uint32_t lane, uint32_t colour)
{
	size_t from = 2 * (size_t)(dot < lane ? dot : lane),
	       to = 2 * (size_t)(dot < lane ? lane : dot);

	join(row, from, RIGHT, colour);
	for (size_t column = from + 1; column < to && column < row->n; column++)
		join(row, column, LEFT | RIGHT, colour);
	join(row, to, LEFT, colour);
}

/*
 * An edge from a dot to another lane turns at once, unless it goes on in the branch's colour: then it is the
 * commit's own branch that ends in the next row's dot, and turns there.
 */
static bool turns_at_once(const struct pe_lane_edge *edge, const struct pe_lane_row *from)
{
	return edge->from != edge->to && edge->from == from->lane && edge->colour != from->colour;
}

static void arrive(struct row *row, const struct pe_lane_edge *edge, const struct pe_lane_row *from,
		   uint32_t dot)
{
	if (edge->from == edge->to || turns_at_once(edge, from)) {
		join(row, 2 * (size_t)edge->to, UP, edge->colour);
		return;
	}
	join(row, 2 * (size_t)edge->from, UP, edge->colour);
	cross(row, dot, edge->from, edge->colour);
}

static void leave(struct row *row, const struct pe_lane_edge *edge, const struct pe_lane_row *from)
{
	if (!turns_at_once(edge, from)) {
		join(row, 2 * (size_t)edge->from, DOWN, edge->colour);
		return;
	}
	join(row, 2 * (size_t)edge->to, DOWN, edge->colour);
	cross(row, from->lane, edge->to, edge->colour);
}

static const char *sign_of(const struct cell *cell, bool measured, bool unicode)
{
	/* by UP, DOWN, LEFT, RIGHT */
	static const char *const box[16] = {
		" ", "│", "│", "│", "─", "╯", "╮", "┤", "─", "╰", "╭", "├", "─", "┴", "┬", "┼",
	};
	static const char *const ascii[16] = {
		" ", "|", "|", "|", "-", "'", ".", "+", "-", "`", ".", "+", "-", "+", "+", "+",
	};

	if (cell->dot)
		return unicode ? (measured ? "●" : "○") : (measured ? "*" : "o");
	return unicode ? box[cell->lines] : ascii[cell->lines];
}

static void print(struct pe_text *out, const struct row *row, bool measured, bool cut,
		  const struct pe_term *term)
{
	for (size_t column = 0; column < row->n; column++) {
		const struct cell *cell = &row->cells[column];
		bool last = cut && column + 1 == row->n;

		if (last) {
			pe_text_add(out, term->unicode ? "…" : "~");
		} else if (!cell->painted) {
			pe_text_addc(out, ' ');
		} else {
			pe_ink_begin(out, term, &pe_ink_branches[cell->colour % pe_n_ink_branches]);
			pe_text_add(out, sign_of(cell, measured, term->unicode));
			pe_ink_end(out, term);
		}
	}
}

/* --- Lay-out --- */

PE_SORT_POINTERS_BY(compare_ids, struct pe_history_commit, revision.id);

static const struct pe_history_commit *find_commit(struct pe_history_commit *const *sorted,
						   size_t n, const char *id)
{
	size_t at = 0;

	pe_search(at, n, i, strcmp(sorted[i]->revision.id, id) < 0);
	return at < n && strcmp(sorted[at]->revision.id, id) == 0 ? sorted[at] : NULL;
}

void pe_history_lay_out(struct pe_history *history, struct pe_arena *arena)
{
	const size_t n = history->n;
	pe_auto_arena work = PE_ARENA_INIT;
	struct pe_history_commit **sorted = pe_arena_new(&work, struct pe_history_commit *, n);
	struct pe_lane_commit *lanes = pe_arena_new(&work, struct pe_lane_commit, n);

	for (size_t i = 0; i < n; i++)
		sorted[i] = &history->commits[i];
	pe_sort(sorted, n, compare_ids);
	for (size_t i = 0; i < n; i++) {
		struct pe_history_commit *commit = &history->commits[i];
		uint32_t *rows = pe_arena_new(&work, uint32_t, commit->revision.n_parents);

		for (size_t p = 0; p < commit->revision.n_parents; p++) {
			const struct pe_history_commit *parent =
				find_commit(sorted, n, commit->revision.parents[p]);

			rows[p] =
				parent != NULL ? (uint32_t)(parent - history->commits) : UINT32_MAX;
			if (p == 0)
				commit->parent = parent;
		}
		lanes[i] = (struct pe_lane_commit){rows, commit->revision.n_parents};
	}
	pe_lanes_make(&history->lanes, lanes, n, arena);
}

/* --- A row --- */

void pe_history_graph(struct pe_text *out, const struct pe_history *history, size_t at,
		      size_t columns, const struct pe_term *term)
{
	const struct pe_lanes *lanes = &history->lanes;
	const struct pe_lane_row *here = &lanes->rows[at];
	pe_auto_arena arena = PE_ARENA_INIT;
	struct row row = {pe_arena_new(&arena, struct cell, columns), columns};

	for (size_t e = 0; at > 0 && e < lanes->rows[at - 1].n_edges; e++)
		arrive(&row, &lanes->edges[lanes->rows[at - 1].first_edge + e],
		       &lanes->rows[at - 1], here->lane);
	for (size_t e = 0; e < here->n_edges; e++)
		leave(&row, &lanes->edges[here->first_edge + e], here);
	if (2 * (size_t)here->lane < columns) {
		struct cell *dot = &row.cells[2 * (size_t)here->lane];

		*dot = (struct cell){.dot = true, .painted = true, .colour = here->colour};
	}
	print(out, &row, history->commits[at].point != SIZE_MAX,
	      2 * (size_t)here->width > columns + 1, term);
}
