/* Profiles of confirmed jumps leave once and come in whole, beside what is there; what is not a tree comes in not at all. */
#include "fixture.h"

#include "analysis/profile/cct.h"
#include "store/exchange.h"
#include "tests/support/test.h"

static struct fixture at, other;
static struct pe_frames frames;

TestSuiteWith(exchange_profiles, (fixture_open_filled(&at), fixture_open(&other)),
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

static struct pe_results pack(int64_t key)
{
	struct pe_results results;

	OK(pe_store_pack_profile(&results, at.store, key, &at.arena, &at.err));
	return results;
}

/* Into the other store, whose repository has its commits or has them not. */
static int take(struct pe_results_sum *sum, const struct pe_results *results, bool here)
{
	int64_t *keys = pe_arena_new(&other.arena, int64_t, results->n_revisions);
	const struct pe_results_source source = {
		.origin = PE_UNSIGNED, .remote = "hub", .revisions = keys};

	*sum = (struct pe_results_sum){0};
	for (size_t i = 0; here && i < results->n_revisions; i++) {
		struct pe_revision revision = {.time_s = 1, .author = "", .subject = ""};

		memcpy(revision.id, results->revisions[i].id, sizeof(revision.id));
		THERE(pe_store_put_revision(&keys[i], other.store, &revision, &other.err));
	}
	return pe_store_take_in(sum, other.store, results, &source, &other.err);
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
	struct pe_results results = pack(put(&at, at.machine, 0, 3, 7, 5));
	struct pe_results_sum sum;
	struct pe_frames table = PE_FRAMES_INIT;
	struct pe_cct *found;

	THERE(take(&sum, &results, true));
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
	const struct pe_results first = pack(put(&at, at.machine, 0, 3, 7, 5));
	const struct pe_results second = pack(put(&at, at.machine, 0, 4, 9, 6));
	struct pe_results_sum sum;

	other.benchmarks[0] = fixture_benchmark(&other, "other", "1");
	put(&other, fixture_machine(&other, "here"), 0, 2, 1, 1);
	THERE(take(&sum, &second, true));
	cr_expect(eq(sz, sum.profiles, 1));
	THERE(take(&sum, &first, true));
	cr_expect(eq(sz, sum.profiles, 0), "an older one");
	THERE(take(&sum, &second, true));
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
	struct pe_results results = pack(put(&at, at.machine, 0, 3, 7, 5));
	struct pe_results_sum sum;

	THERE(take(&sum, &results, false));
	cr_expect(eq(sz, sum.profiles, 0));
	THERE(take(&sum, &results, true));
	cr_expect(eq(sz, sum.profiles, 1));
}

/* What becomes of a document after something in it was changed. */
static void expect_refused(const struct pe_results *results, const char *what)
{
	struct pe_results_sum sum;

	cr_expect(eq(int, take(&sum, results, true), PE_EINVALID), "%s", what);
	cr_expect(eq(i64,
		     fixture_ask(&other, "SELECT (SELECT count(*) FROM profiles) + (SELECT count(*)"
					 " FROM frames) + (SELECT count(*) FROM machines)"),
		     0),
		  "%s", what);
}

Test(exchange_profiles, that_are_none_are_refused)
{
	const struct pe_results good = pack(put(&at, at.machine, 0, 3, 7, 5));
	struct pe_results_tree trees[2] = {good.trees[0], good.trees[1]};
	struct pe_results_frame its_frames[8];
	uint8_t bytes[4096];
	struct pe_results bad = good;

	cr_assert(le(sz, good.n_frames, 8));
	cr_assert(le(sz, trees[0].data.n, sizeof(bytes)));
	bad.trees = trees;
	bad.n_trees = 0;
	expect_refused(&bad, "no tree");
	bad.n_trees = 2;
	memcpy(bytes, trees[0].data.at, trees[0].data.n);
	bytes[trees[0].data.n - 1] ^= 1;
	trees[0].data.at = bytes;
	expect_refused(&bad, "a tree with another checksum");
	trees[0] = good.trees[0];
	trees[0].data.n--;
	expect_refused(&bad, "a shortened tree");
	trees[0] = good.trees[0];
	trees[0].frames.n--;
	expect_refused(&bad, "a part of a number");
	trees[0].frames.n -= 3;
	expect_refused(&bad, "a method too few");
	trees[0] = good.trees[0];
	memset(bytes, 0xff, sizeof(bytes));
	trees[0].frames.at = bytes;
	expect_refused(&bad, "methods that are not there");
	trees[0] = good.trees[0];
	memcpy(its_frames, good.frames, good.n_frames * sizeof(*its_frames));
	bad.frames = its_frames;
	its_frames[0].name = "";
	expect_refused(&bad, "a method without a name");
}

Test(exchange_profiles, have_a_bounded_number_of_nodes_and_stand_in_order)
{
	const struct pe_results good = pack(put(&at, at.machine, 0, 60000, 7, 5));
	struct pe_results_profile profiles[2] = {good.profiles[0], good.profiles[0]};
	struct pe_results_tree trees[20];
	struct pe_results bad = good;

	for (size_t i = 0; i < 20; i++)
		trees[i] = good.trees[i % 2];
	bad.trees = trees;
	bad.n_trees = 20;
	expect_refused(&bad, "1.2 million nodes");
	bad.n_trees = 2;
	bad.profiles = profiles;
	bad.n_profiles = 2;
	trees[0].profile = 1;
	expect_refused(&bad, "trees out of order");
}
