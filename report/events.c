#include "report/events.h"

#include "core/base/number.h"
#include "json/writer.h"
#include "report/format.h"
#include "report/query.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* The cause of a jump that has none of its own stored with the evolution: it is the only one of it. */
static const struct pe_event *event_of(const struct pe_evolution *evolution,
				       const struct pe_jump *jump, struct pe_arena *arena)
{
	struct pe_event *event;

	if (jump->event < evolution->n_events)
		return &evolution->events[jump->event];
	event = pe_arena_new(arena, struct pe_event, 1);
	*event = (struct pe_event){.commit = jump->after,
				   .first = jump->first,
				   .last = jump->last,
				   .sure = jump->sure};
	return event;
}

static bool is_same_benchmark(const struct pe_ranked_jump *one, const struct pe_ranked_jump *other)
{
	return strcmp(one->line->benchmark, other->line->benchmark) == 0;
}

void pe_event_count(struct pe_ranked_event *event)
{
	event->worse = event->better = 0;
	/* Regressions come first: a benchmark that was counted as worse is not better, too. */
	for (size_t i = 0; i < event->n; i++) {
		bool counted = false;

		for (size_t k = 0; k < i && !counted; k++)
			counted = is_same_benchmark(&event->jumps[k], &event->jumps[i]);
		if (counted)
			continue;
		if (event->jumps[i].jump->regression)
			event->worse++;
		else
			event->better++;
	}
}

/* By jump: its number among the events, in the order in which they first appear. @return  how many there are */
static size_t number_events(size_t *number, size_t *count, const struct pe_evolution *evolution,
			    const struct pe_ranked_jump *jumps, size_t n, struct pe_arena *arena)
{
	size_t *known = pe_arena_new(arena, size_t, evolution->n_events), n_events = 0;

	for (size_t i = 0; i < n; i++) {
		const size_t event = jumps[i].jump->event;

		if (event >= evolution->n_events || known[event] == 0) {
			number[i] = n_events++;
			if (event < evolution->n_events)
				known[event] = n_events;
		} else {
			number[i] = known[event] - 1;
		}
		count[number[i]]++;
	}
	return n_events;
}

struct pe_ranked_event *pe_evolution_events(size_t *n, const struct pe_evolution *evolution,
					    struct pe_arena *arena)
{
	size_t n_jumps, at = 0;
	const struct pe_ranked_jump *jumps = pe_evolution_rank(&n_jumps, evolution, arena);
	struct pe_ranked_jump *sorted = pe_arena_new(arena, struct pe_ranked_jump, n_jumps);
	size_t *number = pe_arena_new(arena, size_t, n_jumps);
	size_t *count = pe_arena_new(arena, size_t, n_jumps);
	struct pe_ranked_event *events = pe_arena_new(arena, struct pe_ranked_event, n_jumps);

	*n = number_events(number, count, evolution, jumps, n_jumps, arena);
	for (size_t e = 0; e < *n; e++) {
		events[e].jumps = &sorted[at];
		at += count[e];
	}
	for (size_t i = 0; i < n_jumps; i++) {
		struct pe_ranked_event *event = &events[number[i]];

		if (event->n == 0)
			event->event = event_of(evolution, jumps[i].jump, arena);
		sorted[(size_t)(event->jumps - sorted) + event->n++] = jumps[i];
	}
	for (size_t e = 0; e < *n; e++)
		pe_event_count(&events[e]);
	return events;
}

const size_t *pe_events_numbers(const struct pe_evolution *evolution, struct pe_arena *arena)
{
	size_t *numbers = pe_arena_new(arena, size_t, evolution->n_events), n;
	const struct pe_ranked_event *events = pe_evolution_events(&n, evolution, arena);

	for (size_t e = 0; e < evolution->n_events; e++)
		numbers[e] = SIZE_MAX;
	for (size_t i = 0; i < n; i++)
		if (events[i].jumps[0].jump->event < evolution->n_events)
			numbers[events[i].jumps[0].jump->event] = i;
	return numbers;
}

size_t pe_events_open(const struct pe_ranked_event *events, size_t n)
{
	size_t open = 0;

	while (open < n && events[open].jumps[0].jump->state != PE_JUMP_ACCEPTED)
		open++;
	return open;
}

bool pe_event_is_wide(const struct pe_ranked_event *event)
{
	return event->worse + event->better > 1;
}

void pe_event_add_counts(struct pe_text *out, const struct pe_ranked_event *event)
{
	const struct pe_ranked_jump *worst = &event->jumps[0];
	const size_t first = event->worse > 0 ? event->worse : event->better;

	pe_format_plural(out, first, "benchmark");
	pe_text_addf(out, event->worse > 0 ? " worse (%s %s " : " better (%s %s ",
		     event->worse > 0 ? "worst" : "most", worst->line->benchmark);
	pe_format_change(out, worst->jump->relative);
	pe_text_addc(out, ')');
	if (event->worse > 0 && event->better > 0)
		pe_text_addf(out, ", %zu better", event->better);
}

void pe_event_add_functions(struct pe_text *out, const struct pe_ranked_event *event)
{
	enum { MOST = 3 };
	const struct pe_event *one = event->event;

	for (size_t i = 0; i < one->n_functions && i < MOST; i++)
		pe_text_addf(out, "%s%s", i > 0 ? ", " : "", one->functions[i]);
	if (one->n_functions > MOST)
		pe_text_addf(out, " and %zu more", one->n_functions - MOST);
}

/* Whether a jump is the first of its benchmark at its commit. */
static bool is_first(const struct pe_ranked_event *event, size_t which)
{
	for (size_t i = 0; i < which; i++)
		if (event->jumps[i].jump->after == event->jumps[which].jump->after &&
		    is_same_benchmark(&event->jumps[i], &event->jumps[which]))
			return false;
	return true;
}

void pe_event_add_elsewhere(struct pe_text *out, const struct pe_evolution *evolution,
			    const struct pe_ranked_event *event)
{
	enum { MOST = 2 };

	for (size_t commit = 0; commit < evolution->n_revisions; commit++) {
		size_t n = 0;

		for (size_t i = 0; commit != event->event->commit && i < event->n; i++) {
			if (event->jumps[i].jump->after != commit || !is_first(event, i))
				continue;
			if (n == 0) {
				pe_text_add(out, "; rather at ");
				pe_add_short_id(out, evolution, commit);
			}
			if (n < MOST)
				pe_text_addf(out, "%s %s", n == 0 ? ":" : ",",
					     event->jumps[i].line->benchmark);
			n++;
		}
		if (n > MOST)
			pe_text_addf(out, " and %zu more", n - MOST);
	}
}

/* --- Headline --- */

static const char *noun_of(const struct pe_jump *jump)
{
	static const char *const nouns[2][PE_N_JUMP_STATES] = {
		{"suspected improvement", "confirmed improvement", "accepted jump",
		 "refuted improvement"},
		{"suspected regression", "confirmed regression", "accepted jump",
		 "refuted regression"},
	};

	return nouns[jump->regression][jump->state];
}

/** How many events there are of a kind: "1 confirmed regression, 2 suspected improvements, 1 accepted jump". */
static void add_kinds(struct pe_text *out, const struct pe_ranked_event *events, size_t n)
{
	/* Ranked events of a kind stand together. */
	for (size_t i = 0, next; i < n; i = next) {
		const char *noun = noun_of(events[i].jumps[0].jump);

		for (next = i + 1;
		     next < n && strcmp(noun_of(events[next].jumps[0].jump), noun) == 0;)
			next++;
		pe_text_add(out, i > 0 ? ", " : "");
		pe_format_plural(out, next - i, noun);
	}
}

void pe_evolution_add_headline(struct pe_text *out, const struct pe_evolution *evolution,
			       const struct pe_ranked_event *events, size_t n)
{
	struct pe_arena arena = PE_ARENA_INIT;
	size_t benchmarks;

	pe_evolution_benchmarks(&benchmarks, evolution, &arena);
	if (n == 0)
		pe_text_add(out, benchmarks > 0 ? "No jumps" : "Nothing was measured");
	add_kinds(out, events, n);
	pe_text_add(out, " in ");
	pe_format_plural(out, evolution->n_revisions - evolution->first, "revision");
	if (evolution->first > 0)
		pe_text_addf(out, " (analysed with %zu before them)", evolution->first);
	if (benchmarks > 0) {
		pe_text_add(out, " of ");
		pe_format_plural(out, benchmarks, "benchmark");
	}
	pe_arena_release(&arena);
}

/* --- For programs --- */

static void put_jump(struct pe_json *json, const struct pe_ranked_jump *ranked)
{
	pe_json_begin_object(json, NULL);
	pe_json_put(json, "benchmark", ranked->line->benchmark);
	pe_json_put(json, "metric", ranked->line->metric->name);
	pe_json_computed(json, "relative", ranked->jump->relative);
	pe_json_put(json, "state", pe_jump_state_name(ranked->jump->state));
	pe_json_end(json);
}

void pe_event_json(struct pe_json *json, const struct pe_evolution *evolution,
		   const struct pe_ranked_event *ranked)
{
	const struct pe_event *event = ranked->event;
	const struct pe_revision *revisions = evolution->revisions;

	pe_json_put(json, "commit", revisions[event->commit].id);
	pe_json_put(json, "subject", revisions[event->commit].subject);
	pe_json_put(json, "first", revisions[event->first].id);
	pe_json_put(json, "last", revisions[event->last].id);
	pe_json_computed(json, "sure", event->sure);
	pe_json_put(json, "state", pe_jump_state_name(ranked->jumps[0].jump->state));
	pe_json_bool(json, "regression", ranked->jumps[0].jump->regression);
	pe_json_put(json, "benchmarks", ranked->worse + ranked->better);
	pe_json_members(json, ranked, worse, better);
	pe_json_each(json, "functions", i, event->n_functions,
		     pe_json_put(json, NULL, event->functions[i]));
	pe_json_each(json, "jumps", i, ranked->n, put_jump(json, &ranked->jumps[i]));
}

static void put_event(struct pe_json *json, const struct pe_evolution *evolution,
		      const struct pe_ranked_event *ranked)
{
	pe_json_begin_object(json, NULL);
	pe_event_json(json, evolution, ranked);
	pe_json_end(json);
}

void pe_events_json(struct pe_json *json, const struct pe_evolution *evolution)
{
	struct pe_arena arena = PE_ARENA_INIT;
	size_t n;
	const struct pe_ranked_event *events = pe_evolution_events(&n, evolution, &arena);

	pe_json_each_row(json, "events", i, n, put_event(json, evolution, &events[i]));
	pe_arena_release(&arena);
}

static void add_row(struct pe_text *out, const struct pe_evolution *evolution,
		    const struct pe_ranked_event *ranked)
{
	const struct pe_event *event = ranked->event;
	const struct pe_revision *revisions = evolution->revisions;
	const struct pe_ranked_jump *worst = &ranked->jumps[0];
	pe_auto_text functions = PE_TEXT_INIT;

	pe_text_addf(out, "%s,%s,%s,", revisions[event->commit].id, revisions[event->first].id,
		     revisions[event->last].id);
	if (isfinite(event->sure))
		pe_number_rounded(out, event->sure, 12);
	pe_text_addf(out, ",%s,%zu,%zu,", pe_jump_state_name(worst->jump->state), ranked->worse,
		     ranked->better);
	pe_escape_csv(out, worst->line->benchmark);
	pe_text_addc(out, ',');
	pe_escape_csv(out, worst->line->metric->name);
	pe_text_addc(out, ',');
	if (isfinite(worst->jump->relative))
		pe_number_rounded(out, worst->jump->relative, 12);
	for (size_t i = 0; i < event->n_functions; i++)
		pe_text_addf(&functions, "%s%s", i > 0 ? " " : "", event->functions[i]);
	pe_text_addc(out, ',');
	pe_escape_csv(out, pe_text_str(&functions));
	pe_text_addc(out, ',');
	pe_escape_csv(out, revisions[event->commit].subject);
	pe_text_add(out, "\r\n");
}

void pe_events_csv(struct pe_text *out, const struct pe_evolution *evolution)
{
	struct pe_arena arena = PE_ARENA_INIT;
	size_t n;
	const struct pe_ranked_event *events = pe_evolution_events(&n, evolution, &arena);

	pe_text_add(out, "commit,first,last,sure,state,worse,better,worst_benchmark,worst_metric,"
			 "worst_change,functions,subject\r\n");
	for (size_t i = 0; i < n; i++)
		add_row(out, evolution, &events[i]);
	pe_arena_release(&arena);
}
