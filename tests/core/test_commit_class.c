/* Commit class: one answer for all jumps of a commit, in which times outweigh memory, and memory counts. */
#include "core/model/commit_class.h"

#include "tests/support/test.h"

TestSuite(commit_class, .timeout = 600);

/*
 * A jump in a word: its benchmark, its metric (t time, m memory, i instructions, a allocations, o other counts), + worse or
 * - better; then ? not confirmed, ! accepted, l layout.
 */
static struct pe_class_jump jump_of(const char *word)
{
	static const char *const names[] = {"a", "b"};
	static const struct {
		char letter;
		enum pe_metric_id id;
	} metrics[] = {{'t', PE_WALL},
		       {'m', PE_MAX_RSS},
		       {'i', PE_INSTRUCTIONS},
		       {'a', PE_ALLOCATIONS},
		       {'o', PE_SYSTEM_CALLS}};
	struct pe_class_jump jump = {
		.benchmark = names[word[0] == 'b'],
		.relative = word[2] == '+' ? 0.02 : -0.02,
		.worse = word[2] == '+',
		.confirmed = strpbrk(word, "?!") == NULL,
		.accepted = strchr(word, '!') != NULL,
		.layout = strchr(word, 'l') != NULL,
	};

	for (size_t i = 0; i < sizeof(metrics) / sizeof(*metrics); i++)
		if (metrics[i].letter == word[1])
			jump.metric = &pe_metrics[metrics[i].id];
	cr_assert(jump.metric != NULL, "%s", word);
	return jump;
}

static size_t jumps_of(struct pe_class_jump *out, const char *words)
{
	size_t n = 0, length;

	for (const char *at = words; *at != '\0'; at += length + (at[length] == ' ')) {
		char word[8];

		length = strcspn(at, " ");
		snprintf(word, sizeof(word), "%.*s", (int)length, at);
		out[n++] = jump_of(word);
	}
	return n;
}

Test(commit_class, is_that_of_the_jumps_that_decide)
{
	static const struct {
		const char *jumps, *words;
		enum pe_class class;
		enum pe_standing standing;
	} table[] = {
		{"at+", "slower", PE_CLASS_SLOWER, PE_STANDING_CONFIRMED},
		{"at-", "faster", PE_CLASS_FASTER, PE_STANDING_CONFIRMED},
		{"at+ bt-", "mixed", PE_CLASS_MIXED, PE_STANDING_CONFIRMED},
		{"at- am+ ai+", "faster, more memory", PE_CLASS_FASTER, PE_STANDING_CONFIRMED},
		{"at+ am-", "slower, less memory", PE_CLASS_SLOWER, PE_STANDING_CONFIRMED},
		{"am- bm+", "more and less memory", PE_CLASS_COUNTS, PE_STANDING_CONFIRMED},
		{"ai+ aa-", "executes more, allocates less", PE_CLASS_COUNTS,
		 PE_STANDING_CONFIRMED},
		{"ao+", "counts rise", PE_CLASS_COUNTS, PE_STANDING_CONFIRMED},
		{"ao+ ai-", "executes less", PE_CLASS_COUNTS, PE_STANDING_CONFIRMED},
		{"at+l", "layout alone", PE_CLASS_LAYOUT, PE_STANDING_CONFIRMED},
		{"at+l bi-", "executes less", PE_CLASS_COUNTS, PE_STANDING_CONFIRMED},
		{"at+? bi-", "executes less", PE_CLASS_COUNTS, PE_STANDING_CONFIRMED},
		{"at+?", "slower, suspected", PE_CLASS_SLOWER, PE_STANDING_SUSPECTED},
		{"at+? bt-?", "mixed, suspected", PE_CLASS_MIXED, PE_STANDING_SUSPECTED},
		{"at+! bt-", "faster", PE_CLASS_FASTER, PE_STANDING_CONFIRMED},
		{"at+! bt-?", "faster, suspected", PE_CLASS_FASTER, PE_STANDING_SUSPECTED},
		{"at+! ai+!", "slower, accepted", PE_CLASS_SLOWER, PE_STANDING_ACCEPTED},
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		struct pe_class_jump jumps[8];
		const size_t n = jumps_of(jumps, table[i].jumps);
		const struct pe_commit_class class = pe_commit_class_of(jumps, n);
		pe_auto_text words = PE_TEXT_INIT;

		pe_commit_class_add(&words, &class);
		cr_expect_str_eq(pe_text_str(&words), table[i].words, "%s: %s", table[i].jumps,
				 pe_text_str(&words));
		cr_expect_eq(class.class, table[i].class, "%s", table[i].jumps);
		cr_expect_eq(class.standing, table[i].standing, "%s", table[i].jumps);
	}
}

Test(commit_class, says_where_time_and_instructions_of_one_benchmark_disagree)
{
	static const struct {
		const char *jumps, *words;
	} table[] = {
		{"at+ ai-", "executes fewer instructions, and takes longer"},
		{"at- ai+", "executes more instructions, and takes less time"},
		{"at+ ai+", "none"},
		{"at+ bi-", "none"},
		{"at+l ai-", "none"},
		{"at+ ai-?", "none"},
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		struct pe_class_jump jumps[8];
		const size_t n = jumps_of(jumps, table[i].jumps);
		const struct pe_commit_class class = pe_commit_class_of(jumps, n);
		const char *words = pe_commit_class_contradiction(&class);

		cr_expect_str_eq(words != NULL ? words : "none", table[i].words, "%s",
				 table[i].jumps);
	}
}

Test(commit_class, counts_are_said_in_one_sentence)
{
	struct pe_class_counts counts = {0};
	pe_auto_text none = PE_TEXT_INIT, untimed = PE_TEXT_INIT, all = PE_TEXT_INIT;

	counts.n[PE_STANDING_CONFIRMED][PE_CLASS_COUNTS] = 1;
	pe_class_counts_add(&none, &counts, "in 5 commits");
	cr_expect_str_eq(pe_text_str(&none),
			 "None slower or faster in 5 commits; 1 changes counts alone");
	counts.untimed = true;
	pe_class_counts_add(&untimed, &counts, "in 5 commits");
	cr_expect_str_eq(pe_text_str(&untimed), "1 changes counts in 5 commits");
	counts.n[PE_STANDING_CONFIRMED][PE_CLASS_COUNTS] = 4;
	counts.memory = 1;
	counts.n[PE_STANDING_CONFIRMED][PE_CLASS_SLOWER] = 2;
	counts.n[PE_STANDING_CONFIRMED][PE_CLASS_FASTER] = 3;
	counts.n[PE_STANDING_CONFIRMED][PE_CLASS_MIXED] = 1;
	counts.n[PE_STANDING_CONFIRMED][PE_CLASS_LAYOUT] = 1;
	counts.n[PE_STANDING_SUSPECTED][PE_CLASS_SLOWER] = 1;
	counts.n[PE_STANDING_ACCEPTED][PE_CLASS_SLOWER] = 2;
	pe_class_counts_add(&all, &counts, "in 25 commits");
	cr_expect_str_eq(
		pe_text_str(&all),
		"2 slower, 3 faster, 1 mixed in 25 commits; 1 more changes memory; 3 more change "
		"counts alone; 1 by layout alone; suspected: 1 slower; 2 accepted");
}

Test(commit_class, a_gate_fails_by_what_is_confirmed_and_over_its_limit)
{
	static const struct {
		const char *jumps; /* the first one is asked about */
		double relative;
		enum pe_gate_rule rule;
	} table[] = {
		{"at+", 0.03, PE_GATE_FAILS},        {"at+", 0.029, PE_GATE_BELOW},
		{"at-", -0.5, PE_GATE_IGNORES},      {"at+?", 0.5, PE_GATE_IGNORES},
		{"at+!", 0.5, PE_GATE_IGNORES},      {"at+l", 0.5, PE_GATE_IGNORES},
		{"ai+", 0.01, PE_GATE_FAILS},        {"ai+ at-", 0.2, PE_GATE_OUTWEIGHED},
		{"ai+ at-?", 0.2, PE_GATE_FAILS},    {"ai+ bt-", 0.2, PE_GATE_FAILS},
		{"am+ at-", 0.2, PE_GATE_FAILS},     {"am+", 0.049, PE_GATE_BELOW},
		{"aa+ at- at+", 0.2, PE_GATE_FAILS}, {"ao+", 0.009, PE_GATE_BELOW},
	};
	struct pe_gate_limits limits = PE_GATE_LIMITS_DEFAULT;
	struct pe_class_jump jumps[8];
	size_t n;

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		n = jumps_of(jumps, table[i].jumps);
		jumps[0].relative = table[i].relative;
		cr_expect_eq(pe_gate_rule_of(&jumps[0], jumps, n, &limits), table[i].rule,
			     "%s by %g", table[i].jumps, table[i].relative);
	}
	n = jumps_of(jumps, "at+l");
	jumps[0].relative = 0.5;
	limits.layout_fails = true;
	cr_expect_eq(pe_gate_rule_of(&jumps[0], jumps, n, &limits), PE_GATE_FAILS);
	limits.wall = INFINITY;
	cr_expect_eq(pe_gate_rule_of(&jumps[0], jumps, n, &limits), PE_GATE_BELOW);
}
