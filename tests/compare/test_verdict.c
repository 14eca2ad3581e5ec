/* Verdict: causes of a difference, their kinds, their sum, their words. */
#include "compare/verdict.h"

#include "profile/merge.h"
#include "trees.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

static struct pe_frames frames;
static struct pe_arena arena;
static struct pe_frame_change states[64];
static struct pe_changes changes = {states, 64};

static void release(void)
{
	pe_frames_release(&frames);
	pe_arena_release(&arena);
}

TestSuite(verdict, .fini = release, .timeout = 600);

struct answer {
	struct pe_runs old_runs, new_runs;
	struct pe_match match;
	struct pe_delta delta;
	struct pe_verdict_report report;
};

static struct answer *judge_runs(const struct pe_cct *const *olds, uint32_t n_olds,
				 const struct pe_cct *const *news, uint32_t n_news,
				 const struct pe_verdict_opts *opts)
{
	struct answer *answer = pe_arena_new(&arena, struct answer, 1);

	pe_runs_make(&answer->old_runs, olds, n_olds, &arena);
	pe_runs_make(&answer->new_runs, news, n_news, &arena);
	pe_match_make(&answer->match, answer->old_runs.cct, answer->new_runs.cct, NULL, &arena);
	pe_delta_make(&answer->delta, &answer->old_runs, &answer->new_runs, &answer->match, &arena);
	pe_verdict_make(&answer->report, &answer->delta, opts, &arena);
	return answer;
}

static struct answer *judge_trees(const struct pe_cct *a, const struct pe_cct *b)
{
	const struct pe_cct **at = pe_arena_new(&arena, const struct pe_cct *, 2);
	struct pe_verdict_opts opts = {.changes = &changes};

	at[0] = a;
	at[1] = b;
	return judge_runs(&at[0], 1, &at[1], 1, &opts);
}

static struct answer *judge(const char *old_text, const char *new_text)
{
	return judge_trees(tree(&frames, old_text, &arena), tree(&frames, new_text, &arena));
}

static void source(const char *name, enum pe_source_change change)
{
	states[pe_frames_add_method(&frames, name, "x.c")].source = (uint8_t)change;
}

static void expect_cause(const struct answer *answer, uint32_t i, enum pe_cause_kind kind,
			 const char *frame, int64_t amount)
{
	const struct pe_cause *cause = &answer->report.causes[i];

	cr_assert(gt(u32, answer->report.n, i));
	cr_expect_str_eq(pe_cause_kind_name(cause->kind), pe_cause_kind_name(kind));
	cr_expect_str_eq(frames.at[cause->frame].name, frame);
	cr_expect(eq(i64, cause->amount, amount));
}

static void expect_words(const struct answer *answer, uint32_t i, const char *words)
{
	struct pe_text text = PE_TEXT_INIT;

	pe_verdict_say(&text, &answer->report, i, &answer->delta);
	cr_expect_str_eq(pe_text_str(&text), words, "%s", pe_text_str(&text));
	pe_text_release(&text);
}

/* The issue's own example: 78 % of +12.1 ms. */
Test(verdict, more_calls_belong_to_the_highest_call)
{
	struct answer *answer;

	source("intern", PE_SOURCE_MODIFIED);
	source("hash_probe", PE_SOURCE_SAME);
	answer = judge("main:9000000{intern*500:5000000{hash_probe*1000:3000000{cmp*4000:1719000}} "
		       "io:200000}",
		       "main:9000000{intern*500:5000000{hash_probe*3000:9000000{cmp*12000:5157000}}"
		       " io:2862000}");
	cr_assert(eq(u32, answer->report.n, 2));
	expect_cause(answer, 0, PE_CAUSE_MORE_CALLS, "hash_probe", 6000000 + 3438000);
	expect_words(
		answer, 0,
		"78 % of +12.1 ms: `hash_probe` (source unchanged) is called 3.0× as often from "
		"`intern` (modified here), 1,000 → 3,000 calls; cost per call unchanged");
	expect_cause(answer, 1, PE_CAUSE_DEARER, "io", 2662000);
	cr_expect(eq(i64, answer->report.unsaid, 0));
}

Test(verdict, the_whole_in_words)
{
	struct answer *answer = judge("main:18900000", "main:31000000");
	struct pe_text text = PE_TEXT_INIT;

	pe_verdict_say_whole(&text, &answer->report);
	cr_expect_str_eq(pe_text_str(&text), "new takes 12.1 ms more than old: 18.9 ms → 31.0 ms");
	pe_text_release(&text);
}

Test(verdict, a_dearer_call_is_its_methods_own)
{
	struct answer *answer =
		judge("m{a{f*10:1000} b{f*30:3000}}", "m{a{f*10:1500} b{f*30:4500}}");

	cr_assert(eq(u32, answer->report.n, 1));
	expect_cause(answer, 0, PE_CAUSE_DEARER, "f", 2000);
	cr_expect(eq(u32, answer->report.causes[0].contexts, 2));
	expect_words(answer, 0,
		     "100 % of +2.00 µs: `f` itself costs more per call, 40 calls; self cost "
		     "per call "
		     "100 ns → 150 ns; on 2 call paths");
}

Test(verdict, a_call_added_in_a_loop)
{
	struct answer *answer;

	source("walk", PE_SOURCE_MODIFIED);
	answer = judge("m{walk*10:100}", "m{walk*10:100{check*80:8000{sum*80:800}}}");
	cr_assert(eq(u32, answer->report.n, 1));
	expect_cause(answer, 0, PE_CAUSE_CALL_IN_LOOP, "check", 8800);
	expect_words(answer, 0,
		     "100 % of +8.80 µs: `walk` (modified here) now calls `check` 8.00 times in "
		     "each call, 80 "
		     "calls at 110 ns");
}

Test(verdict, a_call_added_and_one_removed)
{
	struct answer *answer = judge("m{a*10:100 gone*4:400}", "m{a*10:100{fresh*10:900}}");

	cr_assert(eq(u32, answer->report.n, 2));
	expect_cause(answer, 0, PE_CAUSE_CALL_ADDED, "fresh", 900);
	expect_cause(answer, 1, PE_CAUSE_CALL_REMOVED, "gone", -400);
	expect_words(answer, 1, "−80 % of +500 ns: `m` no longer calls `gone`, 4 calls at 100 ns");
}

/* The caller is one that new has, however many stood between that went. */
Test(verdict, calls_below_methods_that_went)
{
	struct answer *answer = judge("m{outer*5{inner*5{f*10:1000}}}", "m{f*20:2000}");

	cr_assert(eq(u32, answer->report.n, 1));
	expect_cause(answer, 0, PE_CAUSE_MORE_CALLS, "f", 1000);
	cr_expect_str_eq(frames.at[answer->report.causes[0].caller].name, "m");
}

/* A method of the same place whose name is new cannot have stopped doing something. */
Test(verdict, what_is_new_stops_no_calls)
{
	struct answer *answer;

	source("m", PE_SOURCE_ADDED);
	answer = judge("m{a*10:100 gone*4:400}", "m{a*10:100}");
	cr_assert(eq(u32, answer->report.n, 1));
	expect_words(answer, 0, "100 % of −400 ns: `gone` is no longer called, 4 calls at 100 ns");
}

/* What others cancel out is no part of what is left: it is told as what it is. */
Test(verdict, more_than_all_is_no_share)
{
	struct answer *answer = judge("m{a*10:100 gone*9:900}", "m{a*10:100{fresh*10:1000}}");

	cr_assert(eq(u32, answer->report.n, 2));
	expect_words(answer, 1, "−900 ns: `m` no longer calls `gone`, 9 calls at 100 ns");
}

Test(verdict, a_call_that_moved_to_another_caller)
{
	struct answer *answer = judge("m{a{f*10:1000{g*10:500}} b}", "m{a b{f*12:1200{g*12:800}}}");

	cr_assert(eq(u32, answer->report.n, 1));
	expect_cause(answer, 0, PE_CAUSE_CALL_MOVED, "f", 500);
	cr_expect_str_eq(frames.at[answer->report.causes[0].caller].name, "b");
	cr_expect_str_eq(frames.at[answer->report.causes[0].other].name, "a");
	answer = judge("m{a{f*10:1000} b}", "m{a b{f*10:1000}}");
	cr_expect(eq(u32, answer->report.n, 0), "and costs the same there");
}

Test(verdict, one_implementation_in_place_of_another)
{
	struct answer *answer = judge("m{sort*5:10{quick*5:500{swap*90:90}}}",
				      "m{sort*5:10{bubble*5:2500{swap*90:90}}}");

	cr_assert(eq(u32, answer->report.n, 1));
	expect_cause(answer, 0, PE_CAUSE_SWAPPED, "bubble", 2000);
	cr_expect_str_eq(frames.at[answer->report.causes[0].other].name, "quick");
	expect_words(answer, 0,
		     "100 % of +2.00 µs: `sort` calls `bubble` in place of `quick`, 5 calls; "
		     "cost per "
		     "call 118 ns → 518 ns");
}

Test(verdict, work_that_moved_into_the_caller)
{
	struct answer *answer = judge("m{a*10:100{leaf*50:1000} z:1}", "m{a*10:1300 z:1}");

	cr_assert(eq(u32, answer->report.n, 1));
	expect_cause(answer, 0, PE_CAUSE_INLINED, "a", 200);
	expect_words(answer, 0,
		     "100 % of +200 ns: `a` does itself what `leaf` did for it (inlined)");
	answer = judge("m{a*10:1300 z:1}", "m{a*10:100{leaf*50:1400} z:1}");
	expect_cause(answer, 0, PE_CAUSE_OUTLINED, "a", 200);
	cr_expect_str_eq(frames.at[answer->report.causes[0].other].name, "leaf");
}

Test(verdict, a_cache_that_no_longer_hits)
{
	struct answer *answer = judge("m{cached_page*1000:1000{load*50:5000{parse*50:500}}}",
				      "m{cached_page*1000:1000{load*600:60000{parse*600:6000}}}");

	cr_assert(eq(u32, answer->report.n, 1));
	expect_cause(answer, 0, PE_CAUSE_CACHE_MISSES, "load", 60500);
	expect_words(answer, 0,
		     "100 % of +60.5 µs: a cache no longer hits as it did: `cached_page` calls "
		     "`load` "
		     "in 5.00 % → "
		     "60.0 % of its calls, 50 → 600 calls; cost per call unchanged");
	answer = judge("m{cached_page*1000:1000{load*600:60000{parse*600:6000}}}",
		       "m{cached_page*1000:1000{load*50:5000{parse*50:500}}}");
	expect_cause(answer, 0, PE_CAUSE_CACHE_HITS, "load", -60500);
}

/* A parser that defers partial tokens: a new function, called by a modified one, hands on fewer calls. */
Test(verdict, fewer_calls_are_no_cache_unless_the_code_says_so)
{
	struct answer *answer;

	source("parse", PE_SOURCE_MODIFIED);
	source("defer", PE_SOURCE_ADDED);
	source("scan", PE_SOURCE_SAME);
	source("emit", PE_SOURCE_SAME);
	answer = judge("m{parse*10:1000{scan*1000:1000{emit*900:90000}}}",
		       "m{parse*10:1000{defer*1000:10{scan*1000:1000{emit*300:30000}}}}");
	cr_assert(gt(u32, answer->report.n, 0));
	expect_cause(answer, 0, PE_CAUSE_FEWER_CALLS, "emit", -60000);
	expect_words(answer, 0,
		     "100 % of −60.0 µs: `defer` (new) probably hands on less work: `emit` (source "
		     "unchanged) is called 66.7 % less often from `scan` (source unchanged), "
		     "900 → 300 calls; cost per call unchanged");
	cr_expect_str_eq(frames.at[pe_cause_blamed(&answer->report.causes[0])].name, "defer");
	answer = judge("m{parse*1000:1000{emit*900:90000}}",
		       "m{parse*1000:1000{defer*1000:10{emit*300:30000}}}");
	cr_assert(gt(u32, answer->report.n, 0));
	expect_cause(answer, 0, PE_CAUSE_FEWER_CALLS, "emit", -60000);
	expect_words(answer, 0,
		     "100 % of −60.0 µs: `emit` (source unchanged) is called 66.7 % less often "
		     "from `defer` (new), 900 → 300 calls; cost per call unchanged");
}

Test(verdict, allocation_in_a_hot_path)
{
	struct answer *answer = judge("m{push*1000:10000!10}", "m{push*1000:50000!1000}");

	cr_assert(eq(u32, answer->report.n, 1));
	expect_cause(answer, 0, PE_CAUSE_ALLOCATES, "push", 40000);
	expect_words(answer, 0,
		     "100 % of +40.0 µs: `push` allocates more: 10 → 1,000 allocations of its own, "
		     "1,000 calls; self cost per call 10 ns → 50 ns");
}

Test(verdict, layout_is_what_neither_counts_nor_code_explain)
{
	struct answer *answer = judge("m{a*10:1000}", "m{a*10:1400}");

	expect_cause(answer, 0, PE_CAUSE_DEARER, "a", 400);
	for (uint32_t i = 0; i < frames.n; i++)
		states[i] =
			(struct pe_frame_change){.source = PE_SOURCE_SAME, .code = PE_BINARY_SAME};
	answer = judge("m{a*10:1000}", "m{a*10:1400}");
	expect_cause(answer, 0, PE_CAUSE_LAYOUT, "a", 400);
	source("m", PE_SOURCE_MODIFIED);
	answer = judge("m{a*10:1000}", "m{a*10:1400}");
	expect_cause(answer, 0, PE_CAUSE_LAYOUT, "a", 400);
	states[pe_frames_add_method(&frames, "m", "x.c")].code = PE_BINARY_RECOMPILED;
	answer = judge("m{a*10:1000}", "m{a*10:1400}");
	expect_cause(answer, 0, PE_CAUSE_DEARER, "a", 400);
}

Test(verdict, time_outside_of_every_context_is_said)
{
	struct pe_cct *a = tree(&frames, "m:1000", &arena), *b = tree(&frames, "m:1000", &arena);
	struct answer *answer;

	b->facts.duration_ns = 1700;
	answer = judge_trees(a, b);
	cr_assert(eq(u32, answer->report.n, 1));
	cr_expect(eq(int, answer->report.causes[0].kind, PE_CAUSE_OUTSIDE));
	cr_expect(eq(i64, answer->report.causes[0].amount, 700));
	expect_words(answer, 0, "100 % of +700 ns: outside of every known call path");
}

Test(verdict, without_times_allocations_are_judged_and_without_these_calls)
{
	struct pe_cct *a = tree(&frames, "m{f*10!10}", &arena);
	struct pe_cct *b = tree(&frames, "m{f*30!30}", &arena);
	struct answer *answer;

	a->self_ns = a->total_ns = NULL;
	answer = judge_trees(a, b);
	cr_expect(eq(int, answer->report.unit, PE_VERDICT_ALLOCATIONS));
	expect_cause(answer, 0, PE_CAUSE_MORE_CALLS, "f", 20);
	expect_words(answer, 0,
		     "100 % of +20 allocations: `f` is called 3.0× as often from `m`, 10 → 30 "
		     "calls; cost per "
		     "call unchanged");
	b->allocations = b->total_allocations = b->allocated_bytes = b->total_bytes = NULL;
	answer = judge_trees(a, b);
	cr_expect(eq(int, answer->report.unit, PE_VERDICT_CALLS));
	expect_cause(answer, 0, PE_CAUSE_MORE_CALLS, "f", 20);
	b->calls = NULL;
	answer = judge_trees(a, b);
	cr_expect(eq(int, answer->report.unit, PE_VERDICT_NOTHING));
	cr_expect(eq(u32, answer->report.n, 0));
}

Test(verdict, what_is_within_noise_is_not_blamed)
{
	const struct pe_cct *olds[] = {tree(&frames, "m{a*3:1000 b*3:1000}", &arena),
				       tree(&frames, "m{a*3:1400 b*3:1001}", &arena),
				       tree(&frames, "m{a*3:1200 b*3:1002}", &arena)};
	const struct pe_cct *news[] = {tree(&frames, "m{a*3:1500 b*3:1700}", &arena),
				       tree(&frames, "m{a*3:1100 b*3:1701}", &arena),
				       tree(&frames, "m{a*3:1300 b*3:1702}", &arena)};
	struct answer *answer = judge_runs(olds, 3, news, 3, NULL);

	cr_assert(eq(u32, answer->report.n, 1));
	expect_cause(answer, 0, PE_CAUSE_DEARER, "b", 700);
	cr_expect(eq(u32, answer->report.within_noise, 1));
	cr_expect(gt(dbl, answer->report.causes[0].noise, 0));
	cr_expect(eq(i64, answer->report.unsaid, 100));
}

/* As a sampler sees it: a short callee comes and goes by itself and is nobody's stand-in. */
Test(verdict, chance_is_no_sign_of_a_swap)
{
	const struct pe_cct *olds[] = {tree(&frames, "m:1000{a:500{brief:90}}", &arena),
				       tree(&frames, "m:1000{a:500}", &arena),
				       tree(&frames, "m:1000{a:500{brief:10}}", &arena)};
	const struct pe_cct *news[] = {tree(&frames, "m:1000{a:500{slow:9000}}", &arena),
				       tree(&frames, "m:1000{a:500{slow:9010}}", &arena),
				       tree(&frames, "m:1000{a:500{slow:8990}}", &arena)};
	struct answer *answer = judge_runs(olds, 3, news, 3, NULL);

	cr_assert(eq(u32, answer->report.n, 1));
	expect_cause(answer, 0, PE_CAUSE_CALL_ADDED, "slow", 9000);
	cr_expect(eq(u32, answer->report.within_noise, 1));
}

/* What is in samples alone may have been called before, too briefly for one. */
Test(verdict, a_callee_that_appears_in_samples_is_no_new_call)
{
	struct answer *answer;

	source("a", PE_SOURCE_SAME);
	source("slow", PE_SOURCE_MODIFIED);
	answer = judge("m*0:1000{a*0:500}", "m*0:1000{a*0:500{slow*0:9000}}");
	expect_words(
		answer, 0,
		"100 % of +9.00 µs: `a` (source unchanged) now spends time in `slow` (modified here)");
	answer = judge("m*0:1000{a*0:500{slow*0:9000}}", "m*0:1000{a*0:500}");
	expect_words(
		answer, 0,
		"100 % of −9.00 µs: `a` (source unchanged) no longer spends time in `slow` (modified here)");
	source("a", PE_SOURCE_ADDED);
	answer = judge("m*0:1000{a*0:500{slow*0:9000}}", "m*0:1000{a*0:500}");
	expect_words(answer, 0, "100 % of −9.00 µs: `slow` (modified here) is in no sample of new");
}

Test(verdict, a_name_without_end_does_not_bury_the_sentence)
{
	char name[400] = "";
	struct pe_text words = PE_TEXT_INIT;
	struct answer *answer;

	memset(name, 'n', sizeof(name) - 1);
	answer = judge("m:1000{x:1000}", "m:1000{x:9000}");
	frames.at[answer->report.causes[0].frame].name = name;
	pe_verdict_say(&words, &answer->report, 0, &answer->delta);
	cr_expect(lt(sz, words.len, 250));
	cr_expect(ne(ptr, strstr(words.data, "nnn…`"), NULL));
	pe_text_release(&words);
}

/* --- Contexts --- */

/* Three runs of each side; the own times of `checksum` below four callers vary by a tenth or so. */
static struct answer *judge_pages(const char *name, uint64_t gain_ns, bool known)
{
	static const uint64_t varied[6][3] = {{1030, 2110, 3900}, {980, 1920, 4210},
					      {1000, 1990, 4050}, {1010, 1890, 4180},
					      {970, 2080, 3850},  {1020, 2010, 4090}};
	const struct pe_cct **at = pe_arena_new(&arena, const struct pe_cct *, 6);
	struct pe_verdict_opts opts = {.changes = known ? &changes : NULL};

	for (int i = 0; i < 6; i++) {
		uint64_t page = 500 + 3 * (uint64_t)(i % 3) + (i < 3 ? 0 : gain_ns);

		at[i] = tree(&frames,
			     pe_arena_printf(&arena,
					     "main{read*10{checksum*10:%" PRIu64
					     "} write*10{checksum*10:%" PRIu64
					     "} verify*10{checksum*10:%" PRIu64
					     "} %s*10{checksum*10:%" PRIu64 "}}",
					     varied[i][0], varied[i][1], varied[i][2], name, page),
			     &arena);
	}
	return judge_runs(&at[0], 3, &at[3], 3, &opts);
}

/* One run of samples of a millisecond each, beside so much waiting; b's callee costs 60 samples more. */
static struct answer *judge_samples(const char *waiting_ms)
{
	static const char *const calls[] = {"read*9{sum*9:2000000000} page*9{sum*9:40000000}",
					    "read*9{sum*9:2010000000} page*9{sum*9:100000000}"};
	struct pe_cct *at[2];

	for (int i = 0; i < 2; i++) {
		at[i] = tree(
			&frames,
			pe_arena_printf(&arena, "r{main{%s} idle:%s000000}", calls[i], waiting_ms),
			&arena);
		frames.at[at[i]->nodes[at[i]->n - 1].frame].kind = PE_FRAME_WAITING;
		pe_cct_sum(at[i]);
		at[i]->facts.samples = i == 0 ? 2040 : 2110;
		at[i]->facts.duration_ns = at[i]->total_ns[0] - pe_cct_waiting_ns(at[i]);
	}
	return judge_trees(at[0], at[1]);
}

static uint32_t method_named(const char *name)
{
	return pe_frames_add_method(&frames, name, "x.c");
}

/* Added up, +300 drowns in what the other three contexts vary by; nobody touched the callee. */
Test(verdict, more_work_for_an_unchanged_callee_is_its_modified_callers)
{
	struct answer *answer;

	source("log_page", PE_SOURCE_MODIFIED);
	states[method_named("checksum")] =
		(struct pe_frame_change){.source = PE_SOURCE_SAME, .code = PE_BINARY_SAME};
	answer = judge_pages("log_page", 300, true);
	cr_assert(eq(u32, answer->report.n, 1));
	expect_cause(answer, 0, PE_CAUSE_DEARER, "checksum", 300);
	cr_expect(eq(u32, answer->report.causes[0].origin, method_named("log_page")));
	cr_expect(eq(u32, pe_cause_blamed(&answer->report.causes[0]), method_named("log_page")));
	cr_expect(not(answer->report.causes[0].probably));
	cr_expect(eq(u32, answer->report.causes[0].contexts, 1));
	cr_expect(eq(u32, answer->report.causes[0].elsewhere, 3));
	cr_expect(eq(u32, answer->report.within_noise, 1), "the other three, as one");
}

Test(verdict, the_words_of_more_work)
{
	struct answer *answer;

	source("log_page", PE_SOURCE_MODIFIED);
	source("checksum", PE_SOURCE_SAME);
	answer = judge("m{read*5{checksum*5:5000} log_page*5{checksum*5:500}}",
		       "m{read*5{checksum*5:5000} log_page*5{checksum*5:1000}}");
	cr_assert(eq(u32, answer->report.n, 1));
	expect_words(
		answer, 0,
		"100 % of +500 ns: `log_page` (modified here) hands on more work: `checksum` "
		"(source unchanged) itself costs more per call, 5 calls; self cost per call 100 "
		"ns → 200 ns; not on 1 other call path");
}

/* f has 40 samples of a millisecond in old, and so many in new, beside 2,000 of another method. */
static uint32_t causes_of_samples(unsigned new_ms, enum pe_executed_change executed)
{
	struct pe_cct *at[2];

	for (int i = 0; i < 2; i++) {
		at[i] = tree(&frames,
			     pe_arena_printf(&arena, "r{main{f*9:%u000000 g*9:2000000000}}",
					     i == 0 ? 40 : new_ms),
			     &arena);
		pe_cct_sum(at[i]);
		at[i]->facts.samples = 2000 + (i == 0 ? 40 : new_ms);
		at[i]->facts.duration_ns = at[i]->total_ns[0];
	}
	states[method_named("f")].executed = (uint8_t)executed;
	return judge_trees(at[0], at[1])->report.n;
}

Test(verdict, exact_counts_decide_what_times_leave_open)
{
	cr_expect(eq(u32, causes_of_samples(68, PE_EXECUTED_UNKNOWN), 0), "2.7 standard errors");
	cr_expect(eq(u32, causes_of_samples(68, PE_EXECUTED_SAME), 0));
	cr_expect(eq(u32, causes_of_samples(68, PE_EXECUTED_FEWER), 0));
	cr_expect(eq(u32, causes_of_samples(68, PE_EXECUTED_MORE), 1));
	cr_expect(eq(u32, causes_of_samples(84, PE_EXECUTED_UNKNOWN), 1), "4 standard errors");
	cr_expect(eq(u32, causes_of_samples(84, PE_EXECUTED_SAME), 0));
	cr_expect(eq(u32, causes_of_samples(84, PE_EXECUTED_FEWER), 0));
	cr_expect(eq(u32, causes_of_samples(140, PE_EXECUTED_SAME), 1), "memory, not work");
}

/* Without the sources the context alone is known. */
Test(verdict, a_context_that_stands_apart_is_told_by_its_caller)
{
	struct answer *answer = judge_pages("log_page", 300, false);

	cr_assert(eq(u32, answer->report.n, 1));
	expect_cause(answer, 0, PE_CAUSE_DEARER, "checksum", 300);
	cr_expect(eq(u32, answer->report.causes[0].origin, PE_FRAME_NONE));
	cr_expect(eq(u32, answer->report.causes[0].caller, method_named("log_page")));
	cr_expect(eq(u32, answer->report.causes[0].elsewhere, 3));
	cr_expect(eq(u32, judge_pages("log_page", 0, false)->report.n, 0));
}

/* Samples are of what ran: waiting beside it does not make them rarer. */
Test(verdict, waiting_takes_no_evidence_from_samples)
{
	const char *const waiting_ms[] = {"1", "5000"};

	source("page", PE_SOURCE_MODIFIED);
	source("sum", PE_SOURCE_SAME);
	for (int i = 0; i < 2; i++) {
		struct answer *answer = judge_samples(waiting_ms[i]);

		cr_assert(ge(u32, answer->report.n, 1), "%s ms", waiting_ms[i]);
		cr_expect(eq(u32, answer->report.causes[0].origin, method_named("page")));
		cr_expect(eq(u32, answer->report.causes[0].elsewhere, 1));
	}
}

/* A context that nothing can be compared with: the modified caller is likely, no more. */
Test(verdict, a_callee_in_one_context_is_probably_its_modified_callers)
{
	struct answer *answer;

	source("page", PE_SOURCE_MODIFIED);
	source("sum", PE_SOURCE_SAME);
	source("fold", PE_SOURCE_SAME);
	answer = judge("m{page*5{sum*5{fold*5:500}}}", "m{page*5{sum*5{fold*5:1000}}}");
	expect_cause(answer, 0, PE_CAUSE_DEARER, "fold", 500);
	cr_expect(eq(u32, answer->report.causes[0].origin, method_named("page")));
	cr_expect(answer->report.causes[0].probably);
	expect_words(
		answer, 0,
		"100 % of +500 ns: `page` (modified here) probably hands on more work: `fold` "
		"(source unchanged) itself costs more per call, 5 calls; self cost per call 100 "
		"ns → 200 ns");
	source("fold", PE_SOURCE_MODIFIED);
	answer = judge("m{page*5{sum*5{fold*5:500}}}", "m{page*5{sum*5{fold*5:1000}}}");
	cr_expect(eq(u32, answer->report.causes[0].origin, PE_FRAME_NONE), "it changed itself");
}

/* A modification that leaves the machine code as it was is no cause, neither its own nor of what is below. */
Test(verdict, what_has_no_effect_on_its_code_is_not_blamed)
{
	static const struct pe_frame_change idle = {.source = PE_SOURCE_MODIFIED,
						    .code = PE_BINARY_SAME};
	struct answer *answer;

	source("page", PE_SOURCE_MODIFIED);
	states[method_named("sum")] = states[method_named("fold")] = idle;
	answer = judge("m{page*5{sum*5{fold*5:500}}}", "m{page*5{sum*5{fold*5:1000}}}");
	cr_expect(eq(u32, answer->report.causes[0].origin, method_named("page")));
	states[method_named("page")] = idle;
	answer = judge("m{page*5{sum*5{fold*5:500}}}", "m{page*5{sum*5{fold*5:1000}}}");
	cr_expect(eq(u32, answer->report.causes[0].origin, PE_FRAME_NONE));
	answer = judge("m{page*5{sum*5{fold*5:500}}}", "m{page*5{sum*5{fold*9:900}}}");
	cr_expect(eq(u32, pe_cause_blamed(&answer->report.causes[0]), method_named("fold")));
}

/* The nearest modified method, not the first one; the other one's calls of the same callee are the proof. */
Test(verdict, calls_that_follow_from_more_work)
{
	struct answer *answer;

	source("main", PE_SOURCE_MODIFIED);
	source("page", PE_SOURCE_MODIFIED);
	answer = judge("main{read*4{sum*4:40{mix*40:400}} page*4{sum*4:40{mix*40:400}}}",
		       "main{read*4{sum*4:40{mix*40:400}} page*4{sum*4:40{mix*80:800}}}");
	cr_assert(eq(u32, answer->report.n, 1));
	expect_cause(answer, 0, PE_CAUSE_MORE_CALLS, "mix", 400);
	expect_words(answer, 0,
		     "100 % of +400 ns: `page` (modified here) hands on more work: `mix` is called "
		     "2.0× as often from `sum`, 40 → 80 calls; cost per call unchanged; not on 1 "
		     "other call path");
	/* What grows alike below all of them is not the doing of one. */
	answer = judge("main{read*4{sum*4:40{mix*40:400}} page*4{sum*4:40{mix*40:400}}}",
		       "main{read*4{sum*4:40{mix*80:800}} page*4{sum*4:40{mix*80:800}}}");
	cr_assert(eq(u32, answer->report.n, 1));
	cr_expect(eq(u32, answer->report.causes[0].contexts, 2));
	cr_expect(eq(u32, answer->report.causes[0].origin, PE_FRAME_NONE));
}

/* Few old calls tell little of their price; that of the many new ones is known, and the same. */
Test(verdict, many_more_calls_are_as_sure_as_their_cost)
{
	const struct pe_cct *olds[] = {tree(&frames, "m:90000{f*10:1000}", &arena),
				       tree(&frames, "m:90010{f*10:2000}", &arena),
				       tree(&frames, "m:89990{f*10:1500}", &arena)};
	const struct pe_cct *news[] = {tree(&frames, "m:90000{f*100:20000}", &arena),
				       tree(&frames, "m:90010{f*100:20500}", &arena),
				       tree(&frames, "m:89990{f*100:21000}", &arena)};
	struct answer *answer = judge_runs(olds, 3, news, 3, NULL);

	cr_assert(eq(u32, answer->report.n, 1));
	expect_cause(answer, 0, PE_CAUSE_MORE_CALLS, "f", 19000);
	cr_expect(gt(dbl, 19000, 10 * answer->report.causes[0].noise));
	cr_expect(eq(i64, answer->report.unsaid, 0));
}

/* Exact values have no noise to be lost in, but contexts all the same. */
Test(verdict, more_work_by_allocations)
{
	struct pe_cct *a = tree(&frames, "m{read*9{pack*9!9} page*4{pack*4!4}}", &arena);
	struct pe_cct *b = tree(&frames, "m{read*9{pack*9!9} page*4{pack*4!12}}", &arena);
	struct answer *answer;

	a->self_ns = a->total_ns = NULL;
	source("page", PE_SOURCE_MODIFIED);
	answer = judge_trees(a, b);
	cr_assert(eq(u32, answer->report.n, 1));
	expect_cause(answer, 0, PE_CAUSE_ALLOCATES, "pack", 8);
	cr_expect(eq(u32, answer->report.causes[0].origin, method_named("page")));
	cr_expect(eq(u32, answer->report.causes[0].elsewhere, 1));
}

/* Each of two modified callers answers for its own contexts. */
Test(verdict, two_callers_that_hand_on_more_work)
{
	struct answer *answer;

	source("a", PE_SOURCE_MODIFIED);
	source("b", PE_SOURCE_MODIFIED);
	answer = judge("m{r*4{sum*4:90000} a*4{sum*4:500} b*4{sum*4:500}}",
		       "m{r*4{sum*4:90000} a*4{sum*4:5500} b*4{sum*4:9500}}");
	cr_assert(eq(u32, answer->report.n, 2));
	expect_cause(answer, 0, PE_CAUSE_DEARER, "sum", 9000);
	cr_expect(eq(u32, answer->report.causes[0].origin, method_named("b")));
	expect_cause(answer, 1, PE_CAUSE_DEARER, "sum", 5000);
	cr_expect(eq(u32, answer->report.causes[1].origin, method_named("a")));
}

/* The whole is sure where no part is: what was modified on the way to most of it is named with a reserve. */
Test(verdict, where_nothing_passes_the_modified_method_on_the_hot_path_is_suspected)
{
	const struct pe_cct **at = pe_arena_new(&arena, const struct pe_cct *, 6);
	struct pe_verdict_opts opts = {.changes = &changes};
	struct pe_text words = PE_TEXT_INIT;
	struct answer *answer;

	source("work", PE_SOURCE_MODIFIED);
	source("other", PE_SOURCE_MODIFIED);
	for (int i = 0; i < 6; i++) {
		uint64_t shift = 400 * (uint64_t)(i % 3), gain = i < 3 ? 0 : 300;

		at[i] = tree(&frames,
			     pe_arena_printf(&arena,
					     "main{other:10 work:10{x:%" PRIu64 " y:%" PRIu64 "}}",
					     1000 + shift + gain, 2000 - shift + gain),
			     &arena);
	}
	answer = judge_runs(&at[0], 3, &at[3], 3, &opts);
	cr_assert(eq(u32, answer->report.n, 1));
	expect_cause(answer, 0, PE_CAUSE_SUSPECT, "work", 600);
	cr_expect(answer->report.causes[0].probably);
	cr_expect(eq(i64, answer->report.unsaid, 0));
	pe_verdict_say(&words, &answer->report, 0, &answer->delta);
	cr_expect(ne(ptr, strstr(pe_text_str(&words), ": probably `work` (modified here): it "),
		     NULL));
	pe_text_release(&words);
	answer = judge_runs(&at[3], 3, &at[0], 3, &opts);
	expect_cause(answer, 0, PE_CAUSE_SUSPECT, "work", -600);
	source("work", PE_SOURCE_SAME);
	cr_expect(eq(u32, judge_runs(&at[0], 3, &at[3], 3, &opts)->report.n, 0));
}

static struct sketch changed(const struct sketch *from, struct pe_random *random)
{
	struct sketch sketch = *from;

	for (uint32_t i = 0; i < sketch.n; i++) {
		if (pe_random_below(random, 2) == 0)
			sketch.at[i].calls = pe_random_below(random, 20);
		if (pe_random_below(random, 2) == 0)
			sketch.at[i].self_ns = pe_random_below(random, 100000);
		if (pe_random_below(random, 5) == 0 && i > 0 && sketch.at[i].parent != 0)
			sketch.at[i].parent = sketch.at[sketch.at[i].parent].parent;
		if (pe_random_below(random, 5) == 0 && i > 0)
			sketch.at[i].frame = sketch.at[pe_random_below(random, sketch.n)].frame;
	}
	return sketch;
}

/* Nothing is left unsaid, or said twice, when everything may be said. */
Test(verdict, causes_sum_to_the_whole)
{
	struct pe_verdict_opts opts = {.min_share = 1e-300, .top = 100000, .changes = &changes};
	struct pe_random random;

	pe_random_seed(&random, 41);
	for (int i = 0; i < 12000; i++) {
		struct sketch one = sketch_random(&frames, &random,
						  1 + (uint32_t)pe_random_below(&random, 24), 6, 3);
		struct sketch other = changed(&one, &random);
		unsigned known = PE_CCT_TIME | (pe_random_below(&random, 4) > 0 ? PE_CCT_CALLS : 0);
		const struct pe_cct *a = sketch_tree(&one, &frames, known, NULL, &arena);
		struct pe_cct *b = sketch_tree(&other, &frames, known, NULL, &arena);
		const struct pe_cct *new_cct = b;
		struct answer *answer;
		int64_t sum = 0;

		b->facts.duration_ns += pe_random_below(&random, 2) * 77;
		for (uint32_t f = 0; f < frames.n; f++)
			states[f].source = (uint8_t)pe_random_below(&random, PE_N_SOURCE_CHANGES);
		answer = judge_runs(&a, 1, &new_cct, 1, &opts);
		for (uint32_t k = 0; k < answer->report.n; k++) {
			struct pe_text text = PE_TEXT_INIT;

			sum += answer->report.causes[k].amount;
			cr_assert(ne(i64, answer->report.causes[k].amount, 0));
			pe_verdict_say(&text, &answer->report, k, &answer->delta);
			cr_assert(gt(sz, text.len, 10));
			pe_text_release(&text);
		}
		cr_assert(eq(i64, sum, answer->report.whole), "case %d", i);
		cr_assert(eq(i64, answer->report.unsaid, 0));
		pe_arena_release(&arena);
	}
}

Test(verdict, identical_executions_have_no_cause)
{
	struct pe_random random;

	pe_random_seed(&random, 42);
	for (int i = 0; i < 4000; i++) {
		struct sketch sketch = sketch_random(
			&frames, &random, 1 + (uint32_t)pe_random_below(&random, 24), 6, 3);
		unsigned known = (unsigned)pe_random_below(&random, 32) & ~(unsigned)PE_CCT_SAMPLES;
		const struct pe_cct *a = sketch_tree(&sketch, &frames, known, NULL, &arena);
		struct answer *answer = judge_trees(a, a);

		cr_assert(eq(u32, answer->report.n, 0));
		cr_assert(eq(u32, answer->report.within_noise, 0));
		cr_assert(eq(i64, answer->report.whole, 0));
		pe_arena_release(&arena);
	}
}

static struct pe_cct *joined(const char *one, const char *other)
{
	struct pe_merge_joint *joint = pe_merge_joint_new(tree(&frames, one, &arena));

	pe_merge_joint_add(joint, tree(&frames, other, &arena));
	return pe_merge_joint_finish(joint, &arena);
}

/* Old allocates 2 or 6 times where new does 5 times or once: no cause; b allocates once more in all runs: one. */
Test(verdict, what_runs_of_one_revision_differ_by_is_no_cause)
{
	struct pe_verdict_opts opts = {.changes = &changes, .cost = PE_COST_ALLOCATIONS};
	const struct pe_cct *olds[] = {joined("m{flip*2!2 b*3!3}", "m{flip*6!6 b*3!3}")};
	const struct pe_cct *news[] = {joined("m{flip*5!5 b*4!4 gone!7}", "m{flip*1!1 b*4!4}")};
	struct answer *answer = judge_runs(olds, 1, news, 1, &opts);

	cr_assert(eq(u32, answer->report.n, 1));
	expect_cause(answer, 0, PE_CAUSE_MORE_CALLS, "b", 1);
}
