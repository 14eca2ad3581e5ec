#include "fixture.h"

#include "tests/support/random.h"
#include "report/page.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLES    25
#define FIRST_TIME 1714557600 /* 2024-05-01 10:00 UTC */

/** A benchmark that moves: the level is multiplied by the factor from the revision on. */
struct step {
	size_t benchmark;
	const char *metric;
	double at; /* share of the history */
	double factor;
};

/** A revision whose build is identical to another's, for one benchmark. */
struct twin {
	size_t benchmark, revision, source;
};

#define EVERY_BENCHMARK SIZE_MAX

struct plan {
	const char *kind;
	size_t revisions, benchmarks;
	bool throughput, failures, hostile;
	const struct step *steps;
	size_t n_steps;
	const struct twin *twins;
	size_t n_twins;
};

static const struct step small_steps[] = {
	{0, "wall", 0.4, 1.18},        {0, "wall", 0.8, 0.9},  {1, "wall", 0.7, 1.062},
	{0, "allocations", 0.4, 1.31}, {2, "wall", 0.5, 0.78}, {4, "wall", 0.9, 3.6},
	{3, "throughput", 0.6, 0.85},
};

static const struct step long_steps[] = {
	{0, "wall", 0.1, 1.2},  {0, "wall", 0.55, 0.8},   {1, "wall", 0.3, 1.09},
	{2, "wall", 0.75, 1.5}, {3, "wall", 0.9003, 0.7},
};

static const struct step hundred_steps[] = {
	{0, "wall", 0.2, 1.3}, {1, "wall", 0.4, 1.2},   {2, "wall", 0.55, 1.12},
	{3, "wall", 0.7, 0.8}, {4, "wall", 0.85, 1.08},
};

static const struct step events_steps[] = {
	{0, "wall", 0.4, 1.18}, {1, "wall", 0.4, 1.3}, {0, "allocations", 0.4, 1.31},
	{2, "wall", 0.4, 0.78}, {4, "wall", 0.9, 3.6},
};

static const struct step hostile_steps[] = {{0, "wall", 0.5, 1.3}};

/* 11 is the last one before a jump; 19 follows two that failed; 22 was measured before 20 and 21 were built. */
static const struct twin small_twins[] = {
	{EVERY_BENCHMARK, 4, 3},
	{EVERY_BENCHMARK, 9, 8},
	{0, 11, 10},
	{5, 14, 13},
	{5, 15, 13},
	{5, 19, 16},
	{5, 20, 22},
	{5, 21, 22},
};

static const struct twin quiet_twins[] = {{EVERY_BENCHMARK, 4, 3}, {EVERY_BENCHMARK, 6, 3}};

static const struct plan plans[] = {
	{"small", 30, 6, true, true, false, small_steps, 7, small_twins, 8},
	{"hostile", 12, 4, false, true, true, hostile_steps, 1, NULL, 0},
	{"quiet", 8, 2, false, false, false, NULL, 0, quiet_twins, 2},
	{"events", 30, 6, false, false, false, events_steps, 5, NULL, 0},
	{"many", 60, 120, false, true, false, NULL, 0, NULL, 0},
	{"hundred", 100, 10, false, true, false, hundred_steps, 5, NULL, 0},
	{"huge", 10000, 100, false, true, false, hundred_steps, 5, NULL, 0},
	{"long", 10000, 4, false, false, false, long_steps, 5, NULL, 0},
	{"empty", 0, 0, false, false, false, NULL, 0, NULL, 0},
};

static const struct pe_metric throughput = {
	"throughput", "ops/s", "throughput", PE_HIGHER_IS_BETTER, PE_METRIC_NOISY, 0.02, 1, false};

static const char *const small_names[] = {"parse/large-file",  "parse/small-file",
					  "query[index=hash]", "render/svg",
					  "compress/text",     "startup"};

static const char *const hostile_names[] = {
	"</script><img src=x onerror=alert(1)>", "=cmd|' /C calc'!A0",
	"\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e \xf0\x9f\x8e\x89",
	"a\033[31mred\033[0m \"q\" 'q' & \\ \xff\xc0 \xe2\x80\xaelive"};

static const char *const subjects[] = {"parser: copy tokens before they are kept",
				       "Merge branch 'fix-escapes'",
				       "docs: name the options",
				       "index: hash keys once",
				       "render: clip paths to the page",
				       "build: warn about shadowed names",
				       "alloc: round sizes up to a cache line",
				       "tests: cover empty documents",
				       "query: plan joins by cost",
				       "Fix a leak on malformed input"};

static const char *const hostile_subjects[] = {
	"<img src=x onerror=\"window.hacked=1\">",
	"</script><script>window.hacked=1</script>",
	"<!-- --> ]]> &amp; \"",
	"@SUM(1+1)*cmd|'x'",
	"\xe5\xae\xbd\xe5\xad\x97\xe7\xac\xa6 wide \xff bytes\033[2J",
	"line\xe2\x80\xa8separator, with commas"};

static const char *const authors[] = {"Ada Lovelace", "Grace Hopper", "Edsger Dijkstra"};

static void make_revisions(struct fixture *out, const struct plan *plan)
{
	struct pe_evolution *evolution = &out->evolution;
	size_t n = plan->revisions;

	evolution->n_revisions = n;
	evolution->revisions = pe_arena_new(&out->arena, struct pe_revision, n);
	evolution->decorations = pe_arena_new(&out->arena, const char *, n);
	for (size_t i = 0; i < n; i++) {
		struct pe_revision *revision = &evolution->revisions[i];
		char(*parent)[PE_OID_HEX] = pe_arena_alloc(&out->arena, 1, sizeof(*parent));

		snprintf(revision->id, PE_OID_HEX, "%08x%032x",
			 (unsigned)(i * 2654435761u) & 0xffffffffu, (unsigned)i);
		if (i > 0)
			memcpy(parent[0], evolution->revisions[i - 1].id, PE_OID_HEX);
		revision->parents = (const char(*)[PE_OID_HEX])parent;
		revision->n_parents = i > 0;
		revision->time_s = FIRST_TIME + (int64_t)i * 39600;
		revision->author = plan->hostile ? hostile_names[i % 4] : authors[i * 7 % 3];
		revision->subject = plan->hostile ? hostile_subjects[i % 6] : subjects[i * 3 % 10];
		if (n >= 20 && i % (n / 3) == n / 6)
			evolution->decorations[i] =
				pe_arena_printf(&out->arena, "v1.%zu", i / (n / 3));
	}
}

static int by_value(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return left < right ? -1 : left > right;
}

static void summarise(struct pe_point *point, double *values)
{
	double middle;

	qsort(values, SAMPLES, sizeof(*values), by_value);
	middle = values[SAMPLES / 2];
	point->n = SAMPLES;
	point->value = point->median = middle;
	point->q25 = values[SAMPLES / 4];
	point->q75 = values[SAMPLES * 3 / 4];
	point->min = values[0];
	point->max = values[SAMPLES - 1];
	for (size_t i = 0; i < SAMPLES; i++)
		values[i] = fabs(values[i] - middle);
	qsort(values, SAMPLES, sizeof(*values), by_value);
	point->mad = values[SAMPLES / 2];
}

/** Right-skewed noise about a level, with outliers; nothing of it for deterministic metrics. */
static void measure(struct pe_point *point, double level, const struct pe_metric *metric,
		    struct pe_random *random)
{
	double values[SAMPLES];

	for (size_t i = 0; i < SAMPLES; i++) {
		double noise = fabs(pe_random_normal(random)) * 0.012;

		if (pe_random_unit(random) < 0.04)
			noise += 0.05 * pe_random_unit(random);
		if (metric->kind == PE_METRIC_DETERMINISTIC)
			noise = 0;
		values[i] = round(level * (1 + noise));
	}
	point->outcome = PE_MEASURED;
	summarise(point, values);
}

static bool fails_at(const struct plan *plan, size_t benchmark, size_t revision)
{
	size_t n = plan->revisions;

	if (!plan->failures)
		return false;
	return revision == n / 2 + 2 || revision == n / 2 + 3 ||
	       (benchmark == 1 && revision == n / 4);
}

/** The factor that a line has reached; `many` moves every tenth benchmark half way up or down. */
static double factor_at(const struct plan *plan, size_t benchmark, const char *metric,
			size_t revision)
{
	double factor = 1;

	for (size_t i = 0; i < plan->n_steps; i++) {
		const struct step *step = &plan->steps[i];

		if (step->benchmark == benchmark && strcmp(step->metric, metric) == 0 &&
		    revision >= (size_t)(step->at * (double)plan->revisions))
			factor *= step->factor;
	}
	if (strcmp(plan->kind, "many") == 0 && benchmark % 10 == 3 && strcmp(metric, "wall") == 0 &&
	    revision >= plan->revisions / 3 + benchmark % 7)
		factor *= benchmark % 20 == 3 ? 1.1 + (double)benchmark / 400 : 0.85;
	return factor;
}

static void add_jump(struct fixture *out, struct pe_line *line, size_t before, size_t after,
		     double change)
{
	struct pe_jump *jumps = pe_arena_new(&out->arena, struct pe_jump, line->n_jumps + 1);
	bool more = change > 0;

	if (line->n_jumps > 0)
		memcpy(jumps, line->jumps, line->n_jumps * sizeof(*jumps));
	jumps[line->n_jumps++] = (struct pe_jump){
		.before = before,
		.after = after,
		.commits = after - before,
		.old_level = line->points[before].level,
		.new_level = line->points[after].level,
		.relative = change,
		.low = line->metric->kind == PE_METRIC_DETERMINISTIC ? change : change - 0.006,
		.high = line->metric->kind == PE_METRIC_DETERMINISTIC ? change : change + 0.007,
		.estimate = line->metric->kind == PE_METRIC_DETERMINISTIC ? PE_ESTIMATE_EXACT
									  : PE_ESTIMATE_LEVELS,
		.strength = 12,
		.regression = more == (line->metric->better == PE_LOWER_IS_BETTER),
		.p = NAN,
		.sure = NAN,
		.first = after,
		.last = after,
		.least = NAN,
	};
	line->jumps = jumps;
}

static void carry_point(struct pe_line *line, size_t revision, size_t source)
{
	line->points[revision] = line->points[source];
	line->points[revision].revision = revision;
	line->points[revision].reused = true;
	line->points[revision].source = source;
}

/** Give the identical builds of a benchmark the values of their sources; in `long` every third is one. */
static void carry_over(const struct plan *plan, struct pe_line *line, size_t benchmark)
{
	for (size_t i = 0; i < plan->n_twins; i++) {
		const struct twin *twin = &plan->twins[i];

		if (twin->benchmark == EVERY_BENCHMARK || twin->benchmark == benchmark)
			carry_point(line, twin->revision, twin->source);
	}
	for (size_t r = 2; strcmp(plan->kind, "long") == 0 && r < line->n_points; r += 3)
		carry_point(line, r, r - 1);
}

static void make_line(struct fixture *out, const struct plan *plan, size_t benchmark,
		      const struct pe_metric *metric, double level, struct pe_random *random)
{
	struct pe_line *line = &out->evolution.lines[out->evolution.n_lines++];
	size_t last = plan->revisions;
	double was = 1;

	line->benchmark = plan->hostile ? hostile_names[benchmark]
			  : plan->benchmarks <= 6
				  ? small_names[benchmark]
				  : pe_arena_printf(&out->arena, "suite/case-%03zu", benchmark);
	line->metric = metric;
	line->judged = true;
	line->n_points = plan->revisions;
	line->points = pe_arena_new(&out->arena, struct pe_point, plan->revisions);
	for (size_t i = 0; i < plan->revisions; i++) {
		double factor = factor_at(plan, benchmark, metric->name, i);
		struct pe_point *point = &line->points[i];

		point->revision = i;
		point->level = NAN;
		point->least = metric->kind == PE_METRIC_DETERMINISTIC ? 0 : 0.021;
		point->outcome =
			benchmark == 1 && i == plan->revisions / 4 ? PE_CRASHED : PE_BUILD_FAILED;
		if (fails_at(plan, benchmark, i))
			continue;
		measure(point, level * factor, metric, random);
		point->level =
			round(level * factor * (metric->kind == PE_METRIC_NOISY ? 1.008 : 1));
		if (factor != was && last < i)
			add_jump(out, line, last, i, factor / was - 1);
		was = factor;
		last = i;
	}
	carry_over(plan, line, benchmark);
}

static void make_failures(struct fixture *out, const struct plan *plan)
{
	struct pe_evolution *evolution = &out->evolution;
	size_t n = plan->revisions;
	const char *log = plan->hostile
				  ? "<b>error</b> </script> \033[31mred\033[0m \xff\n=1+1\n"
				  : "src/index.c: In function 'index_put':\n"
				    "src/index.c:214:9: error: 'key' undeclared (first use in this "
				    "function)\nninja: build stopped: subcommand failed.\n";

	if (!plan->failures)
		return;
	evolution->failures = pe_arena_new(&out->arena, struct pe_failure, 3);
	evolution->n_failures = 3;
	evolution->failures[0] = (struct pe_failure){n / 4,
						     plan->hostile           ? hostile_names[1]
						     : plan->benchmarks <= 6 ? small_names[1]
									     : "suite/case-001",
						     PE_CRASHED, 11, "Segmentation fault\n"};
	evolution->failures[1] = (struct pe_failure){n / 2 + 2, NULL, PE_BUILD_FAILED, 1, log};
	evolution->failures[2] = (struct pe_failure){n / 2 + 3, NULL, PE_BUILD_FAILED, 1, log};
	evolution->left_out = pe_arena_alloc(&out->arena, 1, sizeof(*evolution->left_out));
	evolution->n_left_out = 1;
	evolution->left_out[0].name = plan->hostile ? hostile_names[0] : "test_index_grow";
	evolution->left_out[0].reason = "tests/test_index.c was modified by 9b3779b1 and 3 more";
}

/* An event a revision, as if the jumps of one had one cause. */
static void make_events(struct fixture *out)
{
	static const struct pe_function_share functions[] = {{"arena_grow", 3100000, "modified"},
							     {"<b>round_up", 1200000, NULL},
							     {"hash_probe", -20000, NULL},
							     {"intern", 420, NULL}};
	struct pe_evolution *evolution = &out->evolution;
	struct pe_event *events =
		pe_arena_new(&out->arena, struct pe_event, evolution->n_revisions);

	for (size_t i = 0; i < evolution->n_revisions; i++)
		events[i] = (struct pe_event){.commit = i, .first = i, .last = i, .sure = NAN};
	evolution->events = events;
	evolution->n_events = evolution->n_revisions;
	for (size_t i = 0; i < evolution->n_lines; i++)
		for (size_t k = 0; k < evolution->lines[i].n_jumps; k++) {
			struct pe_jump *jump = &evolution->lines[i].jumps[k];

			jump->event = jump->after;
			jump->functions = functions;
			jump->n_functions = jump->after == 12 ? 4 : 0;
		}
}

bool fixture_make(struct fixture *out, const char *kind)
{
	const struct plan *plan = NULL;
	struct pe_random random = random_of(7);

	*out = (struct fixture){.arena = PE_ARENA_INIT};
	for (size_t i = 0; i < sizeof(plans) / sizeof(plans[0]); i++)
		if (strcmp(plans[i].kind, kind) == 0)
			plan = &plans[i];
	if (plan == NULL)
		return false;
	out->evolution.project =
		plan->hostile ? "</title><script>window.hacked=1</script>" : "roadrunner";
	out->evolution.machine = "AMD EPYC 7B13, 2 cores, 24 GiB, Linux 6.1";
	out->evolution.version = "0.1.0";
	out->evolution.generated_s = FIRST_TIME + 30 * 86400;
	make_revisions(out, plan);
	out->evolution.lines = pe_arena_new(&out->arena, struct pe_line, 3 * plan->benchmarks);
	for (size_t w = 0; w < plan->benchmarks; w++) {
		double level = 1.2e6 * (1 + (double)(w * 5 % 7) * 1.7);

		make_line(out, plan, w, &pe_metrics[PE_WALL], level, &random);
		make_line(out, plan, w, &pe_metrics[PE_ALLOCATIONS], 1200 + 731 * (double)w,
			  &random);
		if (plan->throughput && w == 3)
			make_line(out, plan, w, &throughput, 52000, &random);
	}
	make_failures(out, plan);
	if (strcmp(kind, "events") == 0)
		make_events(out);
	return true;
}

void fixture_release(struct fixture *fixture)
{
	pe_arena_release(&fixture->arena);
}

void fixture_page(struct pe_text *out, const struct fixture *fixture)
{
	pe_auto_text title = PE_TEXT_INIT;
	struct pe_page page = {.evolution = &fixture->evolution};

	pe_text_addf(&title, "%s: performance over its history", fixture->evolution.project);
	page.title = title.data;
	pe_page_html(out, &page);
}
