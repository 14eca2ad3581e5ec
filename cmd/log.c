/* Log: what was measured, commit by commit, newest first; one table a benchmark. */
#include "cmd/figures.h"
#include "report/format.h"
#include "report/query.h"
#include "report/terminal.h"

#include <inttypes.h>
#include <string.h>

static const char *const formats[] = {"term", "json", "csv", NULL};

static const char *const lines[] = {
	"perfevo log [-n N] [-b REGEX] [A..B]",
	NULL,
};

static const struct pe_example examples[] = {
	{"perfevo log -n 20", "the newest 20 commits that were measured"},
	{"perfevo log -b '^parse' --metric max-rss", "peak memory of the parser's benchmarks"},
	{"perfevo log v1.0..v2.0 --format csv", "what is known between two releases"},
	{NULL, NULL},
};

static const struct pe_usage usage = {
	.lines = lines,
	.description = "Lists the commits of HEAD's first-parent line that were measured, or those "
		       "of a range, "
		       "with each benchmark's time and allocations and how they differ from the "
		       "commit before. "
		       "With --metric it lists those metrics instead.\n\n"
		       "A difference stands here whether it is noise or not; a jump is coloured. "
		       "mc counts the "
		       "methods that a commit changed (see perfevo changes).",
	.examples = examples,
};

/* Append at most n lines of a text after the first `head`. */
static void add_lines(struct pe_text *out, const struct pe_text *text, size_t head, size_t n)
{
	const char *string = pe_text_str(text), *at = string;

	if (n == 0) {
		pe_text_add(out, string);
		return;
	}
	for (size_t i = 0; i < head + n && *at != '\0'; i++) {
		at += strcspn(at, "\n");
		at += *at == '\n';
	}
	pe_text_addn(out, string, (size_t)(at - string));
}

/* One benchmark with the writer's own columns: a title, a heading and a line a commit. */
static void add_workload(struct pe_text *out, const struct pe_evolution *all, const char *workload,
			 const struct pe_term *term, size_t newest, struct pe_arena *arena)
{
	enum { HEAD_LINES = 2 };
	struct pe_evolution one = *all;
	struct pe_text table = PE_TEXT_INIT;

	one.lines = pe_arena_new(arena, struct pe_line, all->n_lines);
	one.n_lines = 0;
	for (size_t i = 0; i < all->n_lines; i++)
		if (strcmp(all->lines[i].workload, workload) == 0)
			one.lines[one.n_lines++] = all->lines[i];
	pe_evolution_log(&table, &one, term);
	add_lines(out, &table, HEAD_LINES, newest);
	pe_text_release(&table);
}

static void put_figure(struct pe_table *table, const struct pe_evolution *evolution,
		       const struct pe_line *line, const struct pe_point *point)
{
	const struct pe_point *before = pe_line_predecessor(evolution, line, point->revision);
	const struct pe_jump *jump = pe_line_jump_at(line, point->revision);
	enum pe_paint paint = jump == NULL ? PE_PLAIN : jump->regression ? PE_BAD : PE_GOOD;
	struct pe_text text = PE_TEXT_INIT;

	if (point->outcome != PE_MEASURED) {
		pe_table_put(table, PE_DIM, pe_outcome_name(point->outcome));
		pe_table_put(table, PE_PLAIN, "");
		return;
	}
	pe_format_value(&text, point->median, line->metric->unit);
	pe_table_take(table, PE_PLAIN, &text);
	if (before != NULL)
		pe_format_change(&text, point->median == before->median
						? 0
						: pe_relative(before->median, point->median));
	pe_table_take(table, paint, &text);
	pe_text_release(&text);
}

/* One benchmark and metric that was asked for by name. */
static void add_line(struct pe_text *out, const struct pe_evolution *evolution,
		     const struct pe_line *line, const struct pe_term *term, size_t newest)
{
	const struct pe_column columns[] = {
		{"commit", false, 0},
		{"date", false, 0},
		{line->metric->label != NULL ? line->metric->label : line->metric->name, true, 0},
		{"change", true, 0},
		{"mc", true, 0},
		{"subject", false, 8},
	};
	struct pe_table table;
	struct pe_text text = PE_TEXT_INIT;
	size_t shown = 0;

	pe_term_line(out, term, PE_BOLD, line->workload);
	pe_table_init(&table, columns, sizeof(columns) / sizeof(*columns), term);
	for (size_t i = line->n_points; i-- > 0 && (newest == 0 || shown < newest); shown++) {
		const struct pe_point *point = &line->points[i];

		pe_add_short_id(&text, evolution, point->revision);
		pe_table_take(&table, PE_BOLD, &text);
		pe_format_date(&text, evolution->revisions[point->revision].time_s);
		pe_table_take(&table, PE_DIM, &text);
		put_figure(&table, evolution, line, point);
		if (evolution->mc != NULL && evolution->mc[point->revision] >= 0)
			pe_text_addf(&text, "%" PRId64, evolution->mc[point->revision]);
		pe_table_take(&table, PE_PLAIN, &text);
		pe_table_put(&table, PE_PLAIN, evolution->revisions[point->revision].subject);
	}
	pe_table_print(out, &table, true);
	pe_table_release(&table);
	pe_text_release(&text);
}

static void add_tables(struct pe_text *out, struct pe_cmd_ctx *ctx,
		       const struct pe_evolution *evolution, bool by_metric, size_t newest)
{
	size_t n = evolution->n_lines;
	const struct pe_line **first = NULL;

	if (!by_metric)
		first = pe_evolution_workloads(&n, evolution, ctx->arena);
	/* Nothing was measured at all: the commits are listed with the reason. */
	if (n == 0)
		pe_evolution_log(out, evolution, &ctx->out);
	for (size_t i = 0; i < n; i++) {
		if (i > 0)
			pe_text_addc(out, '\n');
		if (by_metric)
			add_line(out, evolution, &evolution->lines[i], &ctx->out, newest);
		else
			add_workload(out, evolution, first[i]->workload, &ctx->out, newest,
				     ctx->arena);
	}
}

int cmd_log(struct pe_cmd_ctx *ctx, int argc, char **argv)
{
	size_t newest = 0;
	int format = PE_OUTPUT_TERM;
	struct pe_figures_asked asked = {0};
	const struct pe_opt opts[] = {
		OPT_NUMBER('n', "number", &newest, "N", "only the newest N commits"),
		OPT_STRING('b', "bench", &asked.bench, "REGEX",
			   "only benchmarks whose name matches"),
		OPT_LIST('m', "metric", &asked.metrics, "NAME",
			 "these metrics, not time and allocations"),
		OPT_CHOICE(0, "format", &format, formats, "how the result is printed"),
		OPT_END,
	};
	struct pe_evolution evolution;
	struct pe_text text = PE_TEXT_INIT;
	int code = pe_cmd_begin(ctx, opts, &usage, &argc, &argv);

	if (code >= 0)
		return code;
	if (argc > 1)
		return pe_cmd_misused(ctx, "one range at most, as 'A..B'");
	asked.range = argc == 1 ? argv[0] : NULL;
	if (pe_figures_load(&evolution, ctx, &asked) != PE_OK)
		return pe_cmd_fail(ctx);
	if (format == PE_OUTPUT_TERM)
		add_tables(&text, ctx, &evolution, asked.metrics.n > 0, newest);
	else
		pe_figures_keep_newest(&evolution, newest);
	if (format == PE_OUTPUT_JSON)
		pe_evolution_json(&text, &evolution);
	else if (format == PE_OUTPUT_CSV)
		pe_evolution_csv(&text, &evolution);
	code = pe_cmd_print(ctx, &text, true) == PE_OK ? PE_EXIT_GOOD : pe_cmd_fail(ctx);
	pe_text_release(&text);
	return code;
}
