/*
 * Whether a worse time is layout: the counts of both sides are compared first, and then, while both builds are still in
 * their slots, the machine code that the benchmark executes. Where it cannot be decided the answer is no: a regression is
 * excused only by proof.
 */
#include "app/search/ab_test_internal.h"

#include "app/changes/layout.h"

/* Worse by one of the metrics that placement may move, and by none that shows other work. */
static bool may_be_layout(const struct pe_ab *pairing, const struct pe_ab_subject *subject)
{
	bool any = false;

	for (size_t i = 0; i < pairing->worse.n; i++) {
		const struct pe_ab_finding *finding = &pairing->worse.data[i];

		if (finding->benchmark != pe_ab_benchmark(pairing, subject))
			continue;
		if (finding->metric->kind == PE_METRIC_DETERMINISTIC)
			return false;
		any = any || pe_layout_may_move(finding->metric->name);
	}
	return any;
}

/* Instructions vary by the kernel's share of them; what the program does shows beyond it. */
static bool same_instructions(const struct pe_ab *pairing, const struct pe_ab_subject *subject)
{
	const struct pe_metric *metric = &pe_metrics[PE_INSTRUCTIONS];
	double sums[2] = {0, 0};

	for (unsigned round = 0; round < subject->rounds; round++) {
		double values[2];

		for (size_t side = 0; side < 2; side++)
			values[side] = pe_cell_value(pe_ab_cell(pairing, subject, side), round,
						     metric->name);
		if (!isfinite(values[0]) || !isfinite(values[1]))
			continue;
		sums[0] += values[0];
		sums[1] += values[1];
	}
	return fabs(sums[1] - sums[0]) <= metric->min_relative * fabs(sums[0]);
}

static int look(struct pe_ab *pairing, struct pe_ab_subject *subject)
{
	struct pe_session *session = pairing->session;
	const size_t sides[] = {pairing->question->base, pairing->question->tip};
	enum pe_layout layout;
	int rc = pe_layout_between(&layout, session, subject->benchmark, sides, NULL,
				   subject->trace);

	/* Results so far are kept when the deadline has passed. */
	if (rc == PE_ESTOPPED)
		*session->app->err = (struct pe_err)PE_ERR_INIT;
	subject->layout = rc == PE_OK && layout == PE_LAYOUT_ONLY;
	return rc == PE_ESTOPPED ? PE_OK : rc;
}

int pe_ab_find_layout(struct pe_ab *pairing)
{
	for (size_t i = 0; i < pairing->n; i++) {
		struct pe_ab_subject *subject = &pairing->subjects[i];
		bool equal;

		if (subject->trace == NULL || !may_be_layout(pairing, subject) ||
		    !same_instructions(pairing, subject))
			continue;
		PE_TRY(pe_ab_compare_counts(&equal, pairing, subject));
		if (equal)
			PE_TRY(look(pairing, subject));
	}
	return PE_OK;
}
