#include "report/lanes.h"

#include "core/base/text.h"
#include "core/base/vec.h"
#include "tests/support/test.h"

static struct pe_arena arena;

TestSuiteWith(lanes, (void)0, pe_arena_release(&arena), .timeout = 600);

#define NONE UINT32_MAX

/* A history in the making: "1 4, 2, 3, -" is a commit a row, each with the rows of its parents. */
static struct pe_lane_commit *read_history(size_t *n, const char *text)
{
	struct pe_lane_commit *commits = pe_arena_new(&arena, struct pe_lane_commit, strlen(text));

	*n = 0;
	while (*text != '\0') {
		uint32_t *parents = pe_arena_new(&arena, uint32_t, strlen(text));
		struct pe_lane_commit *one = &commits[(*n)++];

		one->parents = parents;
		for (; *text != ',' && *text != '\0';
		     text += strcspn(text, " ,"), text += *text == ' ')
			if (*text == 'x')
				parents[one->n_parents++] = NONE;
			else if (*text >= '0' && *text <= '9')
				parents[one->n_parents++] = (uint32_t)strtoul(text, NULL, 10);
		text += *text == ',';
		text += *text == ' ';
	}
	return commits;
}

/* Rows as "lane>edges": "0>00,01 1>00" is a dot in lane 0 with edges 0 to 0 and 0 to 1, and so on. */
static const char *draw(const char *history)
{
	pe_auto_text text = PE_TEXT_INIT;
	struct pe_lanes lanes;
	const char *copy;
	size_t n;
	const struct pe_lane_commit *commits = read_history(&n, history);

	pe_lanes_make(&lanes, commits, n, &arena);
	for (size_t r = 0; r < lanes.n_rows; r++) {
		pe_text_addf(&text, "%s%u>", r > 0 ? " " : "", lanes.rows[r].lane);
		for (size_t e = 0; e < lanes.rows[r].n_edges; e++) {
			const struct pe_lane_edge *edge =
				&lanes.edges[lanes.rows[r].first_edge + e];

			pe_text_addf(&text, "%s%u%u", e > 0 ? "," : "", edge->from, edge->to);
		}
	}
	copy = pe_arena_strdup(&arena, pe_text_str(&text));
	return copy;
}

Test(lanes, a_line_is_one_lane)
{
	cr_expect_str_eq(draw("1, 2, -"), "0>00 0>00 0>");
	cr_expect_str_eq(draw("-"), "0>");
	cr_expect_str_eq(draw(""), "");
}

Test(lanes, a_merged_branch_stands_to_the_right_and_gives_its_lane_back)
{
	cr_expect_str_eq(draw("2 1, 3, 3, -"), "0>00,01 1>00,11 0>00,10 0>");
	cr_expect_str_eq(draw("2 1, 2, 4 3, 4, -"), "0>00,01 1>00,10 0>00,01 1>00,10 0>");
}

Test(lanes, an_octopus_opens_lanes_in_the_order_of_its_parents)
{
	cr_expect_str_eq(draw("1 2 3, 4, 4, 4, -"),
			 "0>00,01,02 0>00,11,22 1>00,11,22 2>00,10,20 0>");
}

Test(lanes, several_heads_and_roots_stand_beside_each_other)
{
	cr_expect_str_eq(draw("2, 3, -, -"), "0>00 1>00,11 0>11 1>");
	/* A root gives its lane back, and the next head takes it. */
	cr_expect_str_eq(draw("2, 3, -, -, -"), "0>00 1>00,11 0>11 1> 0>");
}

/* Two merges of the same two commits, each the first parent of one. */
Test(lanes, a_criss_cross_keeps_both_lines_straight)
{
	cr_expect_str_eq(draw("2 3, 3 2, 4, 4, -"), "0>00,01 2>00,11,22,20 0>00,12,22 2>00,20 0>");
}

Test(lanes, a_merge_into_a_line_that_is_there_takes_no_lane)
{
	/* 0 is a head of main; 1 one of a branch that merged main's commit 2. */
	cr_expect_str_eq(draw("2, 3 2, 3, -"), "0>00 1>00,11,10 0>00,10 0>");
}

Test(lanes, parents_that_are_not_shown_or_come_twice_are_left_out)
{
	cr_expect_text("0>00 0> 0>00 0> 0>00,01 1>00,10 0>", draw("x 1, x"), draw("1 1, -"),
		       draw("2 1 1, 2, -"));
	/* A parent above its child would be a mistake of the caller. */
	cr_expect_str_eq(draw("1, 0 1 7"), "0>00 0>");
}

/* --- Properties --- */

struct random {
	uint64_t state;
};

static uint32_t next_random(struct random *random, uint32_t below)
{
	random->state = random->state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(random->state >> 33) % below;
}

/* Commits with parents below them: mostly one, near; `spread` says how far parents lie. */
static struct pe_lane_commit *make_history(size_t n, uint32_t spread, uint32_t merges,
					   struct random *random)
{
	struct pe_lane_commit *commits = pe_arena_new(&arena, struct pe_lane_commit, n);

	for (size_t i = 0; i < n; i++) {
		uint32_t *parents = pe_arena_new(&arena, uint32_t, 6);
		size_t wanted = 1;

		if (next_random(random, 100) < merges)
			wanted += 1 + (next_random(random, 10) == 0 ? next_random(random, 4) : 0);
		if (next_random(random, 100) == 0)
			wanted = 0;
		for (size_t p = 0; p < wanted; p++) {
			size_t at = i + 1 + next_random(random, spread);

			parents[p] = at < n ? (uint32_t)at : NONE;
		}
		commits[i] = (struct pe_lane_commit){parents, wanted};
	}
	return commits;
}

/* Whether a commit's edge number e leads to the dot of `target`, through lanes that hold no other dot. */
static bool leads_to(const struct pe_lanes *lanes, size_t row, const struct pe_lane_edge *edge,
		     size_t target)
{
	uint32_t lane = edge->to;

	for (size_t r = row + 1; r < lanes->n_rows; r++) {
		const struct pe_lane_row *here = &lanes->rows[r];
		const struct pe_lane_edge *on = NULL;

		if (here->lane == lane)
			return r == target;
		for (size_t e = 0; e < here->n_edges; e++) {
			const struct pe_lane_edge *one = &lanes->edges[here->first_edge + e];

			if (one->from != lane)
				continue;
			/* A lane without a dot has one way to go. */
			if (on != NULL)
				return false;
			on = one;
		}
		if (on == NULL || on->colour != edge->colour)
			return false;
		lane = on->to;
	}
	return false;
}

static void expect_connected(const struct pe_lanes *lanes, const struct pe_lane_commit *commits,
			     size_t row)
{
	const struct pe_lane_row *here = &lanes->rows[row];
	size_t leaving = 0, shown = 0;

	for (size_t e = 0; e < here->n_edges; e++)
		leaving += lanes->edges[here->first_edge + e].from == here->lane;
	for (size_t p = 0; p < commits[row].n_parents; p++) {
		uint32_t parent = commits[row].parents[p];
		bool found = false, again = false;

		for (size_t q = 0; q < p; q++)
			again = again || commits[row].parents[q] == parent;
		if (parent == NONE || again)
			continue;
		shown++;
		for (size_t e = 0; e < here->n_edges && !found; e++) {
			const struct pe_lane_edge *edge = &lanes->edges[here->first_edge + e];

			found = edge->from == here->lane && leads_to(lanes, row, edge, parent);
		}
		cr_assert(found, "row %zu does not lead to its parent %u", row, parent);
	}
	cr_assert_eq(leaving, shown, "row %zu: %zu edges, %zu parents", row, leaving, shown);
}

/*
 * Edges that meet in a lane of the next row go to one commit: the dot that stands there, or the one that the
 * lane leads to. Every lane that an edge comes in by goes on or holds the dot, and none begins of itself.
 */
static void expect_lanes_apart(const struct pe_lanes *lanes, size_t row)
{
	const struct pe_lane_row *here = &lanes->rows[row], *below = &lanes->rows[row + 1];

	for (size_t e = 0; e < here->n_edges; e++) {
		const struct pe_lane_edge *edge = &lanes->edges[here->first_edge + e];
		size_t out = 0;

		cr_assert(edge->from < here->width && edge->to < here->width &&
			  edge->to < below->width);
		for (size_t d = 0; d < e; d++) {
			const struct pe_lane_edge *other = &lanes->edges[here->first_edge + d];

			cr_assert(edge->from != other->from || edge->to != other->to,
				  "row %zu has an edge twice", row);
			cr_assert(edge->to != other->to || edge->to == below->lane ||
					  edge->colour == other->colour,
				  "row %zu: two branches in lane %u", row, edge->to);
		}
		for (size_t d = 0; d < below->n_edges; d++)
			out += lanes->edges[below->first_edge + d].from == edge->to;
		cr_assert(edge->to == below->lane || out == 1, "row %zu: lane %u ends in the air",
			  row, edge->to);
	}
	for (size_t d = 0; d < below->n_edges; d++) {
		uint32_t from = lanes->edges[below->first_edge + d].from;
		bool came = from == below->lane;

		for (size_t e = 0; e < here->n_edges; e++)
			came = came || lanes->edges[here->first_edge + e].to == from;
		cr_assert(came, "row %zu: lane %u begins in the air", row + 1, from);
	}
}

/* A first parent stands in its child's lane, unless it continues another child's. */
static void expect_straight(const struct pe_lanes *lanes, const struct pe_lane_commit *commits,
			    size_t n)
{
	uint32_t *heirs = pe_arena_new(&arena, uint32_t, n);
	bool *has = pe_arena_new(&arena, bool, n);

	for (size_t i = 0; i < n; i++) {
		uint32_t parent = commits[i].n_parents > 0 ? commits[i].parents[0] : NONE;

		if (parent == NONE)
			continue;
		has[parent] = true;
		heirs[parent] += lanes->rows[i].lane == lanes->rows[parent].lane &&
				 lanes->rows[i].colour == lanes->rows[parent].colour;
	}
	for (size_t i = 0; i < n; i++)
		cr_assert(!has[i] || heirs[i] == 1,
			  "row %zu continues the lines of %u first-parent children", i, heirs[i]);
}

static void check(const struct pe_lane_commit *commits, size_t n)
{
	struct pe_lanes lanes;

	pe_lanes_make(&lanes, commits, n, &arena);
	cr_assert_eq(lanes.n_rows, n);
	for (size_t i = 0; i < n; i++)
		expect_connected(&lanes, commits, i);
	for (size_t i = 0; i + 1 < n; i++)
		expect_lanes_apart(&lanes, i);
	cr_assert_eq(n > 0 ? lanes.rows[n - 1].n_edges : 0, 0);
	expect_straight(&lanes, commits, n);
}

Test(lanes, any_history_keeps_the_laws)
{
	struct random random = {20240101};

	for (size_t i = 0; i < 400; i++) {
		size_t n = 1 + next_random(&random, 60);

		check(make_history(n, 1 + next_random(&random, 12), next_random(&random, 60),
				   &random),
		      n);
		pe_arena_release(&arena);
	}
}

Test(lanes, ten_thousand_commits)
{
	struct random random = {7};

	check(make_history(10000, 30, 25, &random), 10000);
}

/* 500 branches that begin at one commit, their commits taking turns. */
Test(lanes, five_hundred_branches_at_once)
{
	enum { BRANCHES = 500, LENGTH = 4 };
	const size_t n = BRANCHES * LENGTH + 1;
	struct pe_lane_commit *commits = pe_arena_new(&arena, struct pe_lane_commit, n);
	struct pe_lanes lanes;

	for (uint32_t i = 0; i < BRANCHES * LENGTH; i++) {
		uint32_t *parent = pe_arena_new(&arena, uint32_t, 1);

		*parent = i + BRANCHES < n ? i + BRANCHES : (uint32_t)n - 1;
		commits[i] = (struct pe_lane_commit){parent, 1};
	}
	pe_lanes_make(&lanes, commits, n, &arena);
	cr_assert_eq(lanes.width, BRANCHES);
	cr_assert_eq(lanes.rows[n - 1].lane, 0);
	for (size_t i = 0; i < n; i++)
		expect_connected(&lanes, commits, i);
	expect_lanes_apart(&lanes, n - 2);
}

/* A merge of 1,500 branches, and one that merges them all again: no lane more, an edge into each. */
Test(lanes, an_octopus_into_lanes_that_are_there_takes_none)
{
	enum { ARMS = 1500, N = ARMS + 2 };
	struct pe_lane_commit *commits = pe_arena_new(&arena, struct pe_lane_commit, N);
	uint32_t *parents = pe_arena_new(&arena, uint32_t, ARMS);
	struct pe_lanes lanes;

	for (uint32_t i = 0; i < ARMS; i++)
		parents[i] = i + 2;
	commits[0] = commits[1] = (struct pe_lane_commit){parents, ARMS};
	pe_lanes_make(&lanes, commits, N, &arena);
	cr_expect_eq(lanes.rows[0].n_edges, ARMS);
	cr_expect_eq(lanes.rows[1].lane, ARMS);
	cr_expect_eq(lanes.rows[1].n_edges, 2 * ARMS);
	cr_expect_eq(lanes.width, ARMS + 1);
	/* The first parent's line is its own, to lane 1500; the rest run into the lanes that are there. */
	for (uint32_t e = 1; e < lanes.rows[1].n_edges; e++) {
		const struct pe_lane_edge *edge = &lanes.edges[lanes.rows[1].first_edge + e];

		cr_assert(edge->from == ARMS || edge->from == edge->to ||
			  edge->to == lanes.rows[2].lane);
	}
}
