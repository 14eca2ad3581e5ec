#include "report/commit_blocks.h"

#include "core/base/sort.h"
#include "core/json/writer.h"
#include "report/format.h"
#include "report/short_name.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* --- Order --- */

/* The size of a jump whichever way it goes: doubling and halving are equal. Undefined is largest. */
static double size_of(const struct pe_jump *jump)
{
	double size = fabs(log1p(jump->relative));

	return isnan(size) ? INFINITY : size;
}

/* Places of the things that stand first; smaller stands first. */
static int standing_rank(const struct pe_jump *jump)
{
	static const int ranks[PE_N_JUMP_STATES] = {
		[PE_JUMP_CONFIRMED] = 0,
		[PE_JUMP_SUSPECT] = 2,
		[PE_JUMP_ACCEPTED] = 3,
		[PE_JUMP_REFUTED] = 4,
	};

	return jump->state == PE_JUMP_CONFIRMED && jump->layout == PE_LAYOUT_ONLY
		       ? 1
		       : ranks[jump->state];
}

static int metric_rank(const struct pe_metric *metric)
{
	return metric->primary ? -1 : (int)pe_metric_measures(metric);
}

/* By commit, then the leading jump first. */
static int by_importance(const void *a, const void *b)
{
	const struct pe_ranked_jump *left = a, *right = b;
	const double l = size_of(left->jump), r = size_of(right->jump);
	int order;

	if (left->commit != right->commit)
		return left->commit < right->commit ? -1 : 1;
	order = standing_rank(left->jump) - standing_rank(right->jump);
	if (order == 0)
		order = metric_rank(left->line->metric) - metric_rank(right->line->metric);
	if (order == 0 && l != r)
		order = l > r ? -1 : 1;
	if (order == 0)
		order = strcmp(left->line->benchmark, right->line->benchmark);
	if (order == 0)
		order = strcmp(left->line->metric->name, right->line->metric->name);
	if (order != 0)
		return order;
	return left->jump->after < right->jump->after ? -1 : left->jump->after > right->jump->after;
}

static bool is_same_benchmark(const struct pe_ranked_jump *one, const struct pe_ranked_jump *other)
{
	return strcmp(one->line->benchmark, other->line->benchmark) == 0;
}

/* Put the jumps of a benchmark together, where its leading one stands. */
static void group(struct pe_ranked_jump *jumps, size_t n)
{
	for (size_t i = 1, at; i < n; i++) {
		const struct pe_ranked_jump one = jumps[i];

		for (at = i; at > 0 && !is_same_benchmark(&jumps[at - 1], &one);)
			at--;
		if (at == 0)
			continue;
		memmove(&jumps[at + 1], &jumps[at], (i - at) * sizeof(one));
		jumps[at] = one;
	}
}

static int by_block(const void *a, const void *b)
{
	const struct pe_commit_block *left = a, *right = b;
	const double l = size_of(left->jumps[0].jump), r = size_of(right->jumps[0].jump);
	int order = (int)left->class.standing - (int)right->class.standing;

	if (order == 0)
		order = (int)left->class.class - (int)right->class.class;
	if (order == 0 && l != r)
		order = l > r ? -1 : 1;
	if (order != 0)
		return order;
	return left->commit < right->commit ? 1 : left->commit > right->commit ? -1 : 0;
}

/* --- Blocks --- */

/* The commit of a jump's cause; of one without an event, where it begins. */
static size_t commit_of(const struct pe_evolution *evolution, const struct pe_jump *jump)
{
	return jump->event < evolution->n_events ? evolution->events[jump->event].commit
						 : jump->after;
}

static struct pe_class_jump class_jump_of(const struct pe_ranked_jump *ranked)
{
	const struct pe_jump *jump = ranked->jump;

	return (struct pe_class_jump){
		.benchmark = ranked->line->benchmark,
		.metric = ranked->line->metric,
		.relative = jump->relative,
		.worse = jump->regression,
		.confirmed = jump->state == PE_JUMP_CONFIRMED,
		.accepted = jump->state == PE_JUMP_ACCEPTED,
		.layout = jump->layout == PE_LAYOUT_ONLY,
	};
}

static struct pe_class_jump *class_jumps(const struct pe_commit_block *block,
					 struct pe_arena *arena)
{
	struct pe_class_jump *jumps = pe_arena_new(arena, struct pe_class_jump, block->n);

	for (size_t i = 0; i < block->n; i++)
		jumps[i] = class_jump_of(&block->jumps[i]);
	return jumps;
}

void pe_commit_block_classify(struct pe_commit_block *block, struct pe_arena *arena)
{
	block->class = pe_commit_class_of(class_jumps(block, arena), block->n);
}

enum pe_gate_rule pe_commit_block_rule(const struct pe_commit_block *block, size_t jump,
				       const struct pe_gate_limits *limits, struct pe_arena *arena)
{
	const struct pe_class_jump *jumps = class_jumps(block, arena);

	return pe_gate_rule_of(&jumps[jump], jumps, block->n, limits);
}

size_t pe_commit_block_run(const struct pe_commit_block *block, size_t from)
{
	size_t n = 1;

	while (from + n < block->n &&
	       is_same_benchmark(&block->jumps[from], &block->jumps[from + n]))
		n++;
	return n;
}

static size_t count_jumps(const struct pe_evolution *evolution)
{
	size_t n = 0;

	for (size_t l = 0; l < evolution->n_lines; l++)
		n += evolution->lines[l].n_jumps;
	return n;
}

struct pe_commit_block *pe_commit_blocks(size_t *n, const struct pe_evolution *evolution,
					 struct pe_arena *arena)
{
	const size_t n_jumps = count_jumps(evolution);
	struct pe_ranked_jump *all = pe_arena_new(arena, struct pe_ranked_jump, n_jumps);
	struct pe_commit_block *blocks = pe_arena_new(arena, struct pe_commit_block, n_jumps);
	size_t n_all = 0;

	for (size_t l = 0; l < evolution->n_lines; l++)
		for (size_t j = 0; j < evolution->lines[l].n_jumps; j++) {
			struct pe_jump *jump = &evolution->lines[l].jumps[j];

			all[n_all++] = (struct pe_ranked_jump){&evolution->lines[l], jump,
							       commit_of(evolution, jump)};
		}
	pe_sort(all, n_all, by_importance);
	*n = 0;
	for (size_t at = 0, end; at < n_all; at = end) {
		for (end = at; end < n_all && all[end].commit == all[at].commit;)
			end++;
		group(&all[at], end - at);
		blocks[*n] = (struct pe_commit_block){
			.commit = all[at].commit, .jumps = &all[at], .n = end - at};
		pe_commit_block_classify(&blocks[(*n)++], arena);
	}
	pe_sort(blocks, *n, by_block);
	return blocks;
}

struct pe_ranked_jump *pe_evolution_rank(size_t *n, const struct pe_evolution *evolution,
					 struct pe_arena *arena)
{
	size_t n_blocks;
	const struct pe_commit_block *blocks = pe_commit_blocks(&n_blocks, evolution, arena);
	struct pe_ranked_jump *ranked =
		pe_arena_new(arena, struct pe_ranked_jump, count_jumps(evolution));

	*n = 0;
	for (size_t b = 0; b < n_blocks; b++)
		for (size_t i = 0; i < blocks[b].n; i++)
			ranked[(*n)++] = blocks[b].jumps[i];
	return ranked;
}

const size_t *pe_commit_blocks_by_event(const struct pe_evolution *evolution,
					struct pe_arena *arena)
{
	size_t *numbers = pe_arena_new(arena, size_t, evolution->n_events), n;
	const struct pe_commit_block *blocks = pe_commit_blocks(&n, evolution, arena);

	for (size_t e = 0; e < evolution->n_events; e++)
		numbers[e] = SIZE_MAX;
	for (size_t b = 0; b < n; b++)
		for (size_t i = 0; i < blocks[b].n; i++)
			if (blocks[b].jumps[i].jump->event < evolution->n_events)
				numbers[blocks[b].jumps[i].jump->event] = b;
	return numbers;
}

size_t pe_commit_blocks_open(const struct pe_commit_block *blocks, size_t n)
{
	size_t open = 0;

	while (open < n && blocks[open].class.standing != PE_STANDING_ACCEPTED)
		open++;
	return open;
}

struct pe_class_counts pe_commit_blocks_count(const struct pe_commit_block *blocks, size_t n)
{
	struct pe_class_counts counts = {0};

	for (size_t i = 0; i < n; i++)
		pe_class_counts_take(&counts, &blocks[i].class);
	return counts;
}

/* --- Words --- */

void pe_commit_blocks_add_headline(struct pe_text *out, const struct pe_evolution *evolution,
				   const struct pe_commit_block *blocks, size_t n)
{
	struct pe_class_counts counts = pe_commit_blocks_count(blocks, n);
	pe_auto_arena arena = PE_ARENA_INIT;
	pe_auto_text where = PE_TEXT_INIT;
	size_t benchmarks;

	counts.untimed = evolution->counts_only;
	pe_evolution_benchmarks(&benchmarks, evolution, &arena);
	pe_text_add(&where, "in ");
	pe_format_plural(&where, evolution->n_revisions - evolution->first, "commit");
	if (evolution->first > 0)
		pe_text_addf(&where, " (analysed with %zu before them)", evolution->first);
	if (benchmarks > 0) {
		pe_text_add(&where, " of ");
		pe_format_plural(&where, benchmarks, "benchmark");
	}
	if (n == 0)
		pe_text_addf(out, "%s %s", benchmarks > 0 ? "No jumps" : "Nothing was measured",
			     pe_text_str(&where));
	else
		pe_class_counts_add(out, &counts, pe_text_str(&where));
	if (evolution->counts_only)
		pe_text_add(out, " (" PE_COUNTS_ONLY ")");
}

void pe_jump_add_functions(struct pe_text *out, const struct pe_jump *jump)
{
	enum { MOST = 3, COLUMNS = 32 };
	const size_t n = jump->n_functions < MOST ? jump->n_functions : MOST;
	pe_auto_arena arena = PE_ARENA_INIT;
	struct pe_short_name names[MOST];

	for (size_t i = 0; i < n; i++)
		names[i] = (struct pe_short_name){jump->functions[i].name, COLUMNS, NULL};
	pe_short_names_fit(names, n, "…", &arena);
	for (size_t i = 0; i < n; i++) {
		const struct pe_function_share *one = &jump->functions[i];

		pe_text_addf(out, "%s%s", i > 0 ? ", " : "", names[i].shown);
		if (one->change != NULL)
			pe_text_addf(out, " (%s)", one->change);
		if (one->amount != 0) {
			pe_text_addc(out, ' ');
			pe_format_amount(out, (double)one->amount);
		}
	}
	if (jump->n_functions > n)
		pe_text_addf(out, " and %zu more", jump->n_functions - n);
}

void pe_commit_block_add_short(struct pe_text *out, const struct pe_commit_block *block)
{
	const struct pe_ranked_jump *leading = &block->jumps[0];
	const struct pe_metric *metric = leading->line->metric;
	size_t others = 0;

	pe_commit_class_add(out, &block->class);
	pe_text_addf(out, ": %s %s ", leading->line->benchmark,
		     metric->label != NULL ? metric->label : metric->name);
	pe_format_change(out, leading->jump->relative);
	for (size_t i = pe_commit_block_run(block, 0); i < block->n;
	     i += pe_commit_block_run(block, i))
		others++;
	if (others > 0)
		pe_text_addf(out, ", %zu more benchmark%s", others, others == 1 ? "" : "s");
}

void pe_commit_block_add_line(struct pe_text *out, const struct pe_evolution *evolution,
			      const struct pe_commit_block *block)
{
	const struct pe_jump *leading = block->jumps[0].jump;

	pe_commit_block_add_short(out, block);
	if (pe_commit_block_run(block, 0) < block->n)
		pe_text_addc(out, ',');
	pe_text_add(out, leading->commits > 1 ? " " : " at ");
	pe_jump_add_place(out, evolution, leading);
}

/* --- For programs --- */

static void put_function(struct pe_json *json, const struct pe_function_share *function)
{
	pe_json_begin_object(json, NULL);
	pe_json_put(json, "name", function->name);
	pe_json_put(json, "amount", (double)function->amount);
	pe_json_put(json, "change", function->change);
	pe_json_end(json);
}

static void put_jump(struct pe_json *json, const struct pe_ranked_jump *ranked)
{
	const struct pe_jump *jump = ranked->jump;

	pe_json_begin_object(json, NULL);
	pe_json_put(json, "benchmark", ranked->line->benchmark);
	pe_json_put(json, "metric", ranked->line->metric->name);
	pe_json_computed(json, "relative", jump->relative);
	pe_json_bool(json, "regression", jump->regression);
	pe_json_put(json, "state", pe_jump_state_name(jump->state));
	pe_jump_json_caveats(json, jump);
	pe_json_each(json, "functions", i, jump->n_functions,
		     put_function(json, &jump->functions[i]));
	pe_json_end(json);
}

/* The cause of a block's leading jump. */
static struct pe_event event_of(const struct pe_evolution *evolution,
				const struct pe_commit_block *block)
{
	const struct pe_jump *jump = block->jumps[0].jump;

	if (jump->event < evolution->n_events)
		return evolution->events[jump->event];
	return (struct pe_event){.commit = jump->after,
				 .first = jump->first,
				 .last = jump->last,
				 .sure = jump->sure};
}

void pe_commit_block_json(struct pe_json *json, const struct pe_evolution *evolution,
			  const struct pe_commit_block *block)
{
	const struct pe_event event = event_of(evolution, block);
	const struct pe_revision *revisions = evolution->revisions;
	const unsigned direction = pe_commit_class_direction(&block->class);
	pe_auto_text words = PE_TEXT_INIT, summary = PE_TEXT_INIT;

	pe_commit_class_add(&words, &block->class);
	pe_commit_block_add_short(&summary, block);
	pe_jump_add_range(&summary, block->jumps[0].jump);
	pe_json_put(json, "commit", revisions[block->commit].id);
	pe_json_put(json, "subject", revisions[block->commit].subject);
	pe_json_put(json, "first", revisions[event.first].id);
	pe_json_put(json, "last", revisions[event.last].id);
	pe_json_computed(json, "sure", event.sure);
	pe_json_put(json, "class", pe_class_name(block->class.class));
	pe_json_put(json, "standing", pe_standing_name(block->class.standing));
	pe_json_put(json, "words", pe_text_str(&words));
	pe_json_bool(json, "worse", (direction & PE_MOVED_WORSE) != 0);
	pe_json_bool(json, "better", (direction & PE_MOVED_BETTER) != 0);
	pe_json_put(json, "summary", pe_text_str(&summary));
	pe_json_put(json, "contradiction", pe_commit_class_contradiction(&block->class));
	pe_json_each(json, "jumps", i, block->n, put_jump(json, &block->jumps[i]));
}

static void put_block(struct pe_json *json, const struct pe_evolution *evolution,
		      const struct pe_commit_block *block)
{
	pe_json_begin_object(json, NULL);
	pe_commit_block_json(json, evolution, block);
	pe_json_end(json);
}

void pe_commit_blocks_json(struct pe_json *json, const struct pe_evolution *evolution)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	pe_auto_text headline = PE_TEXT_INIT;
	size_t n;
	const struct pe_commit_block *blocks = pe_commit_blocks(&n, evolution, &arena);

	pe_commit_blocks_add_headline(&headline, evolution, blocks, n);
	pe_json_put(json, "headline", pe_text_str(&headline));
	pe_json_each_row(json, "events", i, n, put_block(json, evolution, &blocks[i]));
}

static void add_row(struct pe_text *out, const struct pe_evolution *evolution,
		    const struct pe_commit_block *block, const struct pe_ranked_jump *ranked)
{
	const struct pe_event event = event_of(evolution, block);
	const struct pe_revision *revisions = evolution->revisions;
	const struct pe_jump *jump = ranked->jump;
	const double values[] = {jump->old_level, jump->new_level, jump->relative, jump->low,
				 jump->high};
	pe_auto_text functions = PE_TEXT_INIT;
	const char *const names[] = {pe_class_name(block->class.class),
				     pe_standing_name(block->class.standing),
				     ranked->line->benchmark, ranked->line->metric->name};
	const char *ends[] = {jump->regression ? "worse" : "better",
			      pe_jump_state_name(jump->state), NULL,
			      revisions[block->commit].subject};

	for (size_t i = 0; i < jump->n_functions; i++)
		pe_text_addf(&functions, "%s%s", i > 0 ? " " : "", jump->functions[i].name);
	ends[2] = pe_text_str(&functions);
	pe_text_addf(out, "%s,%s,%s", revisions[block->commit].id, revisions[event.first].id,
		     revisions[event.last].id);
	pe_csv_add_numbers(out, &event.sure, 1, true);
	pe_csv_add_texts(out, names, sizeof(names) / sizeof(*names));
	pe_csv_add_numbers(out, values, sizeof(values) / sizeof(*values), true);
	pe_csv_add_texts(out, ends, sizeof(ends) / sizeof(*ends));
	pe_text_add(out, "\r\n");
}

void pe_commit_blocks_csv(struct pe_text *out, const struct pe_evolution *evolution)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	size_t n;
	const struct pe_commit_block *blocks = pe_commit_blocks(&n, evolution, &arena);

	pe_text_add(out, "commit,first,last,sure,class,standing,benchmark,metric,old_level,"
			 "new_level,relative,low,high,direction,state,functions,subject\r\n");
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < blocks[i].n; k++)
			add_row(out, evolution, &blocks[i], &blocks[i].jumps[k]);
}
