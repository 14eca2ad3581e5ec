#include "fixture_gate.h"

#include "core/model/layout.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define HOSTILE "<script>alert(1)</script> \"x\" `y` | @all\n::error::z %0A ]]> & \033[31m"

static const struct pe_gate_cause causes[] = {
	{"78 % of +12.1 ms: `hash_probe` is called 3.0× as often from `intern` (modified here)",
	 "src/intern table.c", 42},
	{"the rest: `grow` allocates more in each call", NULL, 0},
};

static const struct pe_gate_cause hostile_causes[] = {{HOSTILE, "src/<a>&\"b\":c,d.c", 7}};

static struct pe_gate_check checks[1000];

static struct pe_gate_check check(const char *benchmark, enum pe_metric_id metric,
				  enum pe_gate_answer answer, double from, double relative)
{
	return (struct pe_gate_check){.benchmark = benchmark,
				      .metric = &pe_metrics[metric],
				      .answer = answer,
				      .old_value = from,
				      .new_value = from * (1 + relative),
				      .relative = relative,
				      .low = relative - 0.01,
				      .high = relative + 0.01,
				      .least = 0.015,
				      .pairs = 18,
				      .p = 0.0001};
}

static size_t every(void)
{
	checks[0] = check("parse", PE_WALL, PE_GATE_REGRESSED, 100e6, 0.121);
	checks[0].causes = causes;
	checks[0].n_causes = 2;
	checks[0].more_causes = 4;
	checks[1] = check("parse", PE_ALLOCATIONS, PE_GATE_PASSED, 1000, 0);
	checks[1].low = checks[1].high = checks[1].least = NAN;
	checks[2] = check("print", PE_WALL, PE_GATE_IMPROVED, 50e6, -0.2);
	checks[3] = check("print", PE_MAX_RSS, PE_GATE_INCONCLUSIVE, 3e6, 0.03);
	checks[4] = check("sort", PE_WALL, PE_GATE_ACCEPTED, 1e9, 0.05);
	checks[4].why = "the check is worth it";
	checks[5] = check("sort", PE_MAX_RSS, PE_GATE_PASSED, 3e6, 0.001);
	checks[6] = (struct pe_gate_check){.benchmark = "load",
					   .answer = PE_GATE_FAILED,
					   .old_value = NAN,
					   .new_value = NAN,
					   .relative = NAN,
					   .low = NAN,
					   .high = NAN,
					   .least = NAN,
					   .p = NAN,
					   .why = "crashed",
					   .log = "Segmentation fault\n"};
	checks[7] = checks[6];
	checks[7].benchmark = "new";
	checks[7].answer = PE_GATE_SKIPPED;
	checks[7].why = "it is not there at the base";
	checks[7].log = NULL;
	checks[8] = check("walk", PE_WALL, PE_GATE_LAYOUT, 2e6, 0.04);
	checks[8].layout = true;
	checks[8].why = PE_LAYOUT_WHY;
	return 9;
}

static size_t hostile(void)
{
	checks[0] = check(HOSTILE, PE_WALL, PE_GATE_REGRESSED, 100e6, 0.121);
	checks[0].causes = hostile_causes;
	checks[0].n_causes = 1;
	checks[1] = check(HOSTILE, PE_MAX_RSS, PE_GATE_ACCEPTED, 100e6, 0.121);
	checks[1].why = HOSTILE;
	checks[2] = check(HOSTILE, PE_WALL, PE_GATE_FAILED, NAN, NAN);
	checks[2].metric = NULL;
	checks[2].why = HOSTILE;
	checks[2].log = HOSTILE "\n```\n";
	return 3;
}

/* A suite of 60 benchmarks, of which 40 got slower and 11 faster, in no order. */
static size_t wide(void)
{
	static char names[60][32];

	for (size_t i = 0; i < 60; i++) {
		const size_t place = i * 7 % 60;

		snprintf(names[i], sizeof(names[i]), "micro/BM_Parse[size=%zu]", place);
		checks[i] = check(names[i], PE_WALL,
				  place < 40   ? PE_GATE_REGRESSED
				  : place < 51 ? PE_GATE_IMPROVED
				  : place < 56 ? PE_GATE_INCONCLUSIVE
					       : PE_GATE_PASSED,
				  1e6,
				  place < 40   ? 0.05 + 0.001 * (double)place
				  : place < 51 ? -0.05 - 0.001 * (double)place
					       : 0.002);
		if (place < 40) {
			checks[i].causes = &causes[1];
			checks[i].n_causes = 1;
		}
	}
	return 60;
}

/* More of everything than the comment of a pull request has room for. */
static size_t flood(void)
{
	static char names[1000][256];

	for (size_t i = 0; i < 1000; i++) {
		memset(names[i], 'a' + (int)(i % 26), sizeof(names[i]) - 1);
		checks[i] = check(names[i], PE_WALL,
				  i % 2 == 0 ? PE_GATE_REGRESSED : PE_GATE_PASSED, 1e6, 0.1);
	}
	return 1000;
}

bool fixture_gate(struct pe_gate *out, const char *kind)
{
	pe_auto_arena arena = PE_ARENA_INIT;

	*out = (struct pe_gate){
		.limits = PE_GATE_LIMITS_DEFAULT,
		.project = "tool",
		.machine = "AMD EPYC, 2 cores, 24 GiB, Linux 6.1",
		.version = "0.1.0",
		.base = {.id = "1111111111111111111111111111111111111111", .subject = "one"},
		.tip = {.id = "2222222222222222222222222222222222222222", .subject = "two"},
		.base_name = "origin/main",
		.config = "perfevo.yml",
		.checks = checks,
		.took_ns = UINT64_C(83000000000),
	};
	if (strcmp(kind, "every") == 0)
		out->n_checks = every();
	else if (strcmp(kind, "hostile") == 0)
		out->n_checks = hostile();
	else if (strcmp(kind, "wide") == 0)
		out->n_checks = wide();
	else if (strcmp(kind, "flood") == 0)
		out->n_checks = flood();
	else if (strcmp(kind, "broken") == 0)
		out->build_log = "cc: error <stdin>: no & such file\n";
	else if (strcmp(kind, "quiet") == 0) {
		checks[0] = check("parse", PE_WALL, PE_GATE_PASSED, 100e6, 0.001);
		out->n_checks = 1;
	} else
		return false;
	if (strcmp(kind, "hostile") == 0)
		out->base_name = out->tip.subject = out->base.subject = HOSTILE;
	pe_gate_apply_limits(out, &arena);
	pe_gate_rank(out);
	return true;
}
