/* Profiles of confirmed jumps leave once and come in whole, beside what is there; what is not a tree comes in not at all. */
#include "fixture.h"

#include "analysis/profile/cct.h"
#include "store/exchange.h"
#include "tests/support/test.h"

static struct fixture at, other;
static struct pe_frames frames;

TestSuiteWith(exchange_profiles,
	      (fixture_open_filled(&at), fixture_identify(&at), fixture_open(&other)),
	      (pe_frames_release(&frames), fixture_close(&at), fixture_close(&other)),
	      .timeout = 600);

#define THERE(call) cr_assert_eq((call), PE_OK, "%s", other.err.message)

/* A root that calls n methods `base` times each. */
static struct pe_cct *tree(unsigned n, uint64_t base)
{
	struct pe_cct_builder *builder = pe_cct_builder_new(&frames, PE_CCT_CALLS);
	struct pe_cct_facts facts = {.source = "counting"};

	for (unsigned i = 0; i < n; i++) {
		const struct pe_frame frame = {
			.name = pe_arena_printf(&at.arena, "f%u", i % 100),
			.component = "a.c",
			.signature = "(int)",
			.module = "prog",
			.line = 10 + i % 100,
		};
		uint32_t node = pe_cct_builder_child(builder, 0, pe_frames_add(&frames, &frame), i);

		pe_cct_builder_at(builder, node)->calls = base;
	}
	return pe_cct_builder_finish(builder, &facts, &at.arena);
}

static int64_t put(struct fixture *fixture, int64_t machine, unsigned r, unsigned n, uint64_t base,
		   int64_t taken_s)
{
	const struct pe_stored_profile profile = {
		.machine = machine,
		.benchmark = fixture->benchmarks[0],
		.revision = pe_arena_printf(&fixture->arena, "%040x", r),
		.kind = "counting",
		.settings = "s",
		.note = "a note",
		.taken_s = taken_s,
	};
	const struct pe_cct *trees[] = {tree(n, base), tree(n, base + 1)};
	int64_t key = 0;

	cr_assert_ok(pe_store_put_profile(&key, fixture->store, &profile, trees, 2, &fixture->err),
		     fixture->err.message);
	return key;
}

static void confirm(unsigned before, unsigned after)
{
	struct pe_run run = fixture_run(0, 1, 100);
	struct pe_stored_confirmation row = {
		.machine = at.machine,
		.benchmark = at.benchmarks[0],
		.metric = "wall",
		.before = at.revisions[before],
		.after = at.revisions[after],
		.first = at.revisions[before],
		.last = at.revisions[after],
		.direction = 1,
		.opts = PE_CONFIRM_DEFAULTS,
	};

	fixture_put(&at, before, 0, &run);
	OK(pe_store_put_confirmation(at.store, &row, &at.err));
	row.answer = PE_CONFIRMED;
	row.settled = true;
	OK(pe_store_put_confirmation(at.store, &row, &at.err));
}

static size_t to_share(void)
{
	struct pe_stored_profile *profiles;
	size_t n;

	OK(pe_store_profiles_to_share(&profiles, &n, at.store, &at.arena, &at.err));
	return n;
}

static const char *pack(int64_t key)
{
	struct pe_document packed;
	const char *text;

	OK(pe_store_pack_profile(&packed, at.store, key, &at.err));
	text = pe_arena_strdup(&at.arena, pe_text_str(&packed.text));
	pe_text_release(&packed.text);
	return text;
}

/* Into the other store, whose repository has its commits or has them not. */
static int take(struct pe_results_sum *sum, const char *document, bool here)
{
	const struct pe_results_source source = {
		.origin = PE_UNSIGNED, .remote = "hub", .now_s = 100};
	struct pe_results results;

	*sum = (struct pe_results_sum){0};
	PE_TRY(pe_results_read(&results, other.store, document, &other.arena, &other.err));
	for (size_t i = 0; here && i < results.n_revisions; i++) {
		struct pe_revision revision = {.time_s = 1, .author = "", .subject = ""};
		int64_t key;

		memcpy(revision.id, results.revisions[i], sizeof(revision.id));
		THERE(pe_store_put_revision(&key, other.store, &revision, &other.err));
	}
	return pe_store_take_in(sum, other.store, &source, &other.err);
}

#define THEIRS " FROM profiles p JOIN machines m ON m.key = p.machine WHERE m.origin = 'unsigned'"

Test(exchange_profiles, those_of_both_sides_leave_once)
{
	int64_t before = put(&at, at.machine, 0, 3, 1, 5);

	put(&at, at.machine, 1, 3, 2, 5);
	put(&at, at.machine, 2, 3, 3, 5);
	cr_expect(eq(sz, to_share(), 0), "nothing is confirmed");
	confirm(0, 1);
	cr_expect(eq(sz, to_share(), 2));
	OK(pe_store_profile_left(at.store, before, &at.err));
	cr_expect(eq(sz, to_share(), 1));
	put(&at, at.machine, 0, 3, 4, 6);
	cr_expect(eq(sz, to_share(), 2), "one that was taken again leaves again");
}

Test(exchange_profiles, come_in_with_every_tree_and_method)
{
	const char *results = pack(put(&at, at.machine, 0, 3, 7, 5));
	struct pe_results_sum sum;
	struct pe_frames table = PE_FRAMES_INIT;
	struct pe_cct *found;

	THERE(take(&sum, results, true));
	cr_expect(eq(sz, sum.profiles, 1));
	for (size_t i = 0; i < 2; i++) {
		THERE(pe_store_get_tree(&found, other.store, 1, i, &table, &other.arena,
					&other.err));
		cr_assert(eq(u32, found->n, 4));
		cr_expect(eq(u64, found->calls[3], 7 + i));
		cr_expect_text("f2 a.c (int) prog 12", pe_cct_frame(found, 3)->name,
			       pe_cct_frame(found, 3)->component, pe_cct_frame(found, 3)->signature,
			       pe_cct_frame(found, 3)->module, pe_cct_frame(found, 3)->line);
	}
	cr_expect(
		eq(i64, fixture_ask(&other, "SELECT count(*)" THEIRS " AND p.note = 'a note'"), 1));
	pe_frames_release(&table);
	fixture_expect_whole(&other);
}

Test(exchange_profiles, replace_older_ones_of_their_origin_alone)
{
	const char *first = pack(put(&at, at.machine, 0, 3, 7, 5));
	const char *second = pack(put(&at, at.machine, 0, 4, 9, 6));
	struct pe_results_sum sum;

	other.benchmarks[0] = fixture_benchmark(&other, "other", "1");
	put(&other, fixture_machine(&other, "here"), 0, 2, 1, 1);
	THERE(take(&sum, second, true));
	cr_expect(eq(sz, sum.profiles, 1));
	THERE(take(&sum, first, true));
	cr_expect(eq(sz, sum.profiles, 0), "an older one");
	THERE(take(&sum, second, true));
	cr_expect(eq(sz, sum.profiles, 0), "the same");
	cr_expect(eq(i64, fixture_ask(&other, "SELECT p.taken_s" THEIRS), 6));
	cr_expect(
		eq(i64,
		   fixture_ask(&other, "SELECT p.taken_s FROM profiles p JOIN machines m ON m.key ="
				       " p.machine WHERE m.origin = ''"),
		   1));
}

Test(exchange_profiles, of_commits_that_are_not_here_wait)
{
	const char *results = pack(put(&at, at.machine, 0, 3, 7, 5));
	struct pe_results_sum sum;

	THERE(take(&sum, results, false));
	cr_expect(eq(sz, sum.profiles, 0));
	THERE(take(&sum, results, true));
	cr_expect(eq(sz, sum.profiles, 1));
}

/* What becomes of a document ?1 after SQLite's functions changed something in it. */
static void expect_refused(const char *document, const char *sql)
{
	const char **edited;
	size_t n;
	struct pe_results_sum sum;

	OK(pe_sql_texts(&edited, &n, at.store, sql, ARGS(TEXT(document)), &at.arena, &at.err));
	cr_assert(eq(sz, n, 1));
	cr_expect(eq(int, take(&sum, edited[0], true), PE_EINVALID), "%s", sql);
	cr_expect(eq(i64,
		     fixture_ask(&other, "SELECT (SELECT count(*) FROM profiles) + (SELECT count(*)"
					 " FROM frames) + (SELECT count(*) FROM machines)"),
		     0),
		  "%s", sql);
}

#define SET(path, value) "SELECT json_set(?1, '" path "', " value ")"
#define AT(path)         "json_extract(?1, '" path "')"

Test(exchange_profiles, that_are_none_are_refused)
{
	const char *good = pack(put(&at, at.machine, 0, 3, 7, 5));

	expect_refused(good, SET("$.trees", "json_array()"));
	/* another checksum, a shortened tree */
	expect_refused(good, SET("$.trees[0][2]", "replace(" AT("$.trees[0][2]") ", substr(" AT(
							  "$.trees[0][2]") ", -8, 4), 'AAAA')"));
	expect_refused(good, SET("$.trees[0][2]", "substr(" AT("$.trees[0][2]") ", 1, 40)"));
	/* a part of a number, methods that are too few, or not there */
	expect_refused(good, SET("$.trees[0][1]", "'AAAA'"));
	expect_refused(good, SET("$.trees[0][1]", "'AAAAAA=='"));
	expect_refused(good, SET("$.trees[0][1]", "replace(" AT("$.trees[0][1]") ", 'A', '/')"));
	expect_refused(good, SET("$.frames[0][0]", "''"));
	expect_refused(good, SET("$.trees[0][0]", "1"));
	expect_refused(good, "SELECT json_set(?1, '$.profiles[1]', json(" AT(
				     "$.profiles[0]") "), '$.trees[0][0]', 1)");
}

Test(exchange_profiles, have_a_bounded_number_of_nodes)
{
	const char *good = pack(put(&at, at.machine, 0, 60000, 7, 5));

	/* 1.2 million */
	expect_refused(good, "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n"
			     " WHERE i < 20) SELECT json_set(?1, '$.trees', (SELECT"
			     " json_group_array(json(" AT("$.trees[0]") ")) FROM n))");
}
