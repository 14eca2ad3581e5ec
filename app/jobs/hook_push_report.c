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

	pe_text_addf(out, "  %s %s ", finding->benchmark->name,
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

void pe_pushing_tell(const struct pe_pushing *pushing, const struct pe_pushing_commit *commit,
		     const struct pe_ab_test_answer *answer)
{
	static const char *const verdicts[] = {
		[PE_AB_TEST_PASSES] = "no regression since",
		[PE_AB_TEST_REGRESSED] = "worse than",
		[PE_AB_TEST_INCONCLUSIVE] = "inconclusive against",
	};
	enum { MOST = 5 };
	pe_auto_text line = PE_TEXT_INIT;

	pe_text_addf(&line, "%s %s: %s %s, after ", commit->ref,
		     pe_hook_short(commit->tip.id, pushing->app->arena), verdicts[answer->verdict],
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
	for (size_t i = 0; i < answer->n_worse && i < MOST; i++) {
		pe_text_clear(&line);
		add_finding(&line, &answer->worse[i]);
		say(pushing, &line);
	}
	if (answer->n_worse > MOST) {
		pe_text_clear(&line);
		pe_text_addf(&line, "  and %zu more", answer->n_worse - MOST);
		say(pushing, &line);
	}
}
