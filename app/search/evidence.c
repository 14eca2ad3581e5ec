#include "app/search/evidence.h"

#include "core/stats/compare.h"

#include <math.h>

struct paired_values {
	double *base, *head;
	bool any; /* a pair has both values */
};

static struct paired_values load_values(const struct pe_evidence_pair *pairs, size_t n,
					enum pe_metric_id metric, struct pe_arena *arena)
{
	struct paired_values out = {pe_arena_new(arena, double, n), pe_arena_new(arena, double, n),
				    false};

	for (size_t i = 0; i < n; i++) {
		const char *name = pe_metrics[metric].name;

		out.base[i] = pe_cell_value(pairs[i].old_cell, (unsigned)i, name);
		out.head[i] = pe_cell_value(pairs[i].new_cell, (unsigned)i, name);
		out.any = out.any || (isfinite(out.base[i]) && isfinite(out.head[i]));
	}
	return out;
}

bool pe_evidence_denies(const struct pe_evidence_pair *pairs, size_t n, double relative,
			double instructions)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	const struct paired_values cpu = load_values(pairs, n, PE_CPU, &arena);
	const struct paired_values switches =
		load_values(pairs, n, PE_INVOLUNTARY_SWITCHES, &arena);
	const struct pe_compare_evidence evidence = {
		.cpu = pe_compare_way_of_pairs(cpu.base, cpu.head, n),
		.switches = pe_compare_way_of_pairs(switches.base, switches.head, n),
		.counts_switches = switches.any,
		.instructions = instructions,
	};

	return pe_compare_is_denied(relative, &evidence);
}
