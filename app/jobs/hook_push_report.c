/* The report of a push: a line a commit, "main 3f2a91c8: no regression since 1a2b3c4d, after 12 s (...)". */
#include "app/jobs/hook_push.h"

#include "app/jobs/hook.h"
#include "core/base/clock.h"
#include "core/model/layout.h"
#include "report/format.h"

#include <math.h>

static void say(const struct pe_pushing *pushing, const struct pe_text *line)
{
	pe_app_note(pushing->app, "%s", pe_text_str(line));
}

static void add_finding(struct pe_text *out, const struct pe_ab_test_finding *finding)
{
	const struct pe_metric *metric = finding->metric;

	pe_text_addf(out, "%s %s ", finding->benchmark->name,
		     metric->label != NULL ? metric->label : metric->name);
	pe_format_change(out, finding->relative);
	if (isfinite(finding->low)) {
		pe_text_add(out, " [");
		pe_format_change(out, finding->low);
		pe_text_add(out, ", ");
		pe_format_change(out, finding->high);
		pe_text_add(out, "]");
	}
	if (finding->layout)
		pe_text_add(out, " (layout: " PE_LAYOUT_WHY ")");
	if (finding->accepted)
		pe_text_add(out, " (accepted)");
	else if (finding->rule == PE_GATE_BELOW)
		pe_text_add(out, " (below the gate)");
	else if (finding->rule == PE_GATE_OUTWEIGHED)
		pe_text_add(out, " (takes less time)");
}

/* Doubling and halving are equal; undefined is largest. */
static double size_of(const struct pe_ab_test_finding *finding)
{
	const double size = fabs(log1p(finding->relative));

	return isnan(size) ? INFINITY : size;
}

/* Whether one is worse than another: what stops a push before what does not, then by size. */
static bool is_worse(const struct pe_ab_test_finding *one, const struct pe_ab_test_finding *other)
{
	const bool fails = one->rule == PE_GATE_FAILS;

	if (fails != (other->rule == PE_GATE_FAILS))
		return fails;
	return size_of(one) > size_of(other);
}

/* The worst findings, each on its line; of more than a few how many there are, and the worst. */
static void report_findings(const struct pe_pushing *pushing,
			    const struct pe_ab_test_answer *answer)
{
	enum { MOST = 5 };
	const struct pe_ab_test_finding *worst = answer->worse;
	pe_auto_text line = PE_TEXT_INIT;

	for (size_t i = 0; i < answer->n_worse; i++) {
		if (is_worse(&answer->worse[i], worst))
			worst = &answer->worse[i];
		if (answer->n_worse > MOST)
			continue;
		pe_text_clear(&line);
		pe_text_add(&line, "  ");
		add_finding(&line, &answer->worse[i]);
		say(pushing, &line);
	}
	if (answer->n_worse > MOST) {
		pe_text_addf(&line, "  %zu regressions, the worst ", answer->n_worse);
		add_finding(&line, worst);
		say(pushing, &line);
	}
}

static void add_counts(struct pe_text *out, const struct pe_ab_test_answer *answer)
{
	if (answer->looked_at > 0)
		pe_text_addf(out, "%zu benchmark%s measured", answer->looked_at,
			     answer->looked_at == 1 ? "" : "s");
	if (answer->same > 0)
		pe_text_addf(out, "%s%zu with identical builds", answer->looked_at > 0 ? ", " : "",
			     answer->same);
	if (answer->open > 0)
		pe_text_addf(out, "%s%zu without an answer",
			     answer->looked_at + answer->same > 0 ? ", " : "", answer->open);
}

void pe_pushing_report(const struct pe_pushing *pushing, const struct pe_pushing_commit *commit,
		       const struct pe_ab_test_answer *answer, const struct pe_commit_class *class)
{
	static const char *const verdicts[] = {
		[PE_AB_TEST_PASSES] = "no regression since",
		[PE_AB_TEST_REGRESSED] = "worse than",
		[PE_AB_TEST_INCONCLUSIVE] = "inconclusive against",
	};
	pe_auto_text line = PE_TEXT_INIT;

	pe_text_addf(&line, "%s %s: ", commit->ref,
		     pe_hook_short(commit->tip.id, pushing->app->arena));
	if (class->class < PE_N_CLASSES) {
		pe_commit_class_add(&line, class);
		pe_text_addf(&line, ", ");
	}
	pe_text_addf(&line, "%s %s, after ", verdicts[answer->verdict],
		     pe_hook_short(commit->base.id, pushing->app->arena));
	pe_format_duration(&line, pe_clock_ns() - pushing->began_ns);
	pe_text_add(&line, " (");
	if (answer->base_unbuilt)
		pe_text_add(&line, "what the remote has does not build");
	else if (answer->tip_unbuilt)
		pe_text_add(&line, "what is pushed does not build");
	else
		add_counts(&line, answer);
	pe_text_add(&line, ")");
	say(pushing, &line);
	report_findings(pushing, answer);
	if (answer->n_worse > 0) {
		pe_text_clear(&line);
		pe_text_add(&line, "  gate: ");
		pe_gate_limits_add(&line, &pushing->app->config->gate);
		say(pushing, &line);
	}
}
