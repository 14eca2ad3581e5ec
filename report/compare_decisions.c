/* What was decided of methods: as a sentence, and as JSON. */
#include "report/compare_text.h"

#include "report/format.h"

#include <math.h>

static const char *const names[] = {
	[PE_DECIDED_NOT] = "undecided",
	[PE_DECIDED_MORE] = "more",
	[PE_DECIDED_LESS] = "less",
	[PE_DECIDED_SAME] = "same",
};

/* What would decide the rest, and how long that takes; recorded profiles know no time, and nobody adds to them. */
static void add_cost(struct pe_text *out, const struct pe_compare_pair *pair, double share)
{
	const struct pe_decisions *decisions = pair->decisions;

	if (decisions->n_never < decisions->n_open) {
		pe_text_add(out, "; ");
		if (pair->name != NULL && decisions->more_ns > 0) {
			pe_format_duration(out, (uint64_t)decisions->more_ns);
			pe_text_add(out, " more of samples");
		} else {
			pe_text_addf(out, "%.0f times as many samples", ceil(decisions->times));
		}
		pe_text_addf(out, " decide changes of %g %% of the execution%s", 100 * share,
			     decisions->n_never > 0 ? " in the others" : "");
		if (pair->name != NULL)
			pe_text_addf(out, " (--min-change %g%%)", 100 * share);
	}
	if (decisions->n_never > 0)
		pe_text_addf(
			out,
			"; of %u no samples do: more timed runs are needed, which say how the whole of both compares",
			decisions->n_never);
}

void pe_compare_say_decisions(struct pe_text *out, const struct pe_compare_pair *pair)
{
	const struct pe_decisions *decisions = pair->decisions;
	uint32_t changed = decisions->n_counted + decisions->n_timed;
	double old_ns = (double)pe_delta_values(pair->delta, 0, PE_DELTA_TOTAL_NS).old_value;
	double share = old_ns > 0 ? decisions->least_ns / old_ns : 0;

	pe_text_addf(out, "methods: %u of %u changed for sure", changed,
		     changed + decisions->n_open + decisions->n_same);
	if (decisions->n_counted > 0 && decisions->n_timed > 0)
		pe_text_addf(out, " (%u by exact counts, %u by their samples)",
			     decisions->n_counted, decisions->n_timed);
	else if (changed > 0)
		pe_text_addf(out, " (by %s)",
			     decisions->n_counted > 0 ? "exact counts" : "their samples");
	if (decisions->n_same > 0) {
		pe_text_addf(out, "; %u did not, or by less than %g %% of the execution",
			     decisions->n_same, 100 * share);
	}
	if (decisions->n_open == 0)
		return;
	pe_text_addf(out, "; %u %s undecided, `", decisions->n_open,
		     decisions->n_open == 1 ? "is" : "are");
	pe_text_add(out, pair->delta->frames->at[decisions->at[changed].frame].name);
	pe_text_addf(out, "`%s", decisions->n_open == 1 ? "" : " the most");
	add_cost(out, pair, share);
}

void pe_compare_say_decision(struct pe_text *out, const struct pe_decision *one)
{
	bool changed = one->what == PE_DECIDED_MORE || one->what == PE_DECIDED_LESS;

	pe_text_add(out, one->what == PE_DECIDED_SAME ? "the same" : names[one->what]);
	if (changed)
		pe_text_add(out, one->counted ? ", by exact counts" : ", by its samples");
}

static void put_decision(struct pe_json *json, const struct pe_compare_pair *pair, bool numbered,
			 const struct pe_decision *one)
{
	const struct pe_frame *frame = &pair->delta->frames->at[one->frame];
	struct pe_text words = PE_TEXT_INIT;

	pe_json_begin_object(json, NULL);
	if (numbered) {
		pe_compare_say_decision(&words, one);
		pe_json_put(json, "frame", one->frame);
		pe_json_take(json, "text", &words);
	} else {
		pe_json_members(json, frame, name, signature, component);
	}
	pe_json_put(json, "change", names[one->what]);
	pe_json_put(json, "by",
		    one->counted                  ? "counts"
		    : one->what == PE_DECIDED_NOT ? NULL
						  : "samples");
	pe_json_computed_members(json, one, old_ns, new_ns, beyond_ns, error_ns, q, worth_ns);
	pe_json_put(json, "instructions", one->instructions);
	pe_json_end(json);
}

void pe_compare_json_decisions(struct pe_json *json, const struct pe_compare_pair *pair,
			       bool numbered)
{
	const struct pe_decisions *decisions = pair->decisions;
	struct pe_text sentence = PE_TEXT_INIT;

	if (!pe_json_begin_maybe(json, "decisions", decisions != NULL))
		return;
	pe_compare_say_decisions(&sentence, pair);
	pe_json_take(json, "text", &sentence);
	pe_json_put(json, "counted", decisions->n_counted);
	pe_json_put(json, "sampled", decisions->n_timed);
	pe_json_put(json, "undecided", decisions->n_open);
	pe_json_put(json, "same", decisions->n_same);
	pe_json_computed_members(json, decisions, least_ns, more_ns);
	pe_json_put(json, "never", decisions->n_never);
	pe_json_each(json, "methods", i,
		     decisions->n_counted + decisions->n_timed + decisions->n_open,
		     put_decision(json, pair, numbered, &decisions->at[i]));
	pe_json_end(json);
}
