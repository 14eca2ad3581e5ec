#include "tests/vcs/fixture.h"

#include "core/base/text.h"
#include "tests/support/test.h"

static struct fixture f;

TestSuiteWith(walk, fixture_init(&f), fixture_release(&f), .timeout = 600);

/* The subjects of a walk, in its order, with blanks between them. */
static const char *walk(struct pe_range range)
{
	struct pe_revisions revisions;
	pe_auto_text text = PE_TEXT_INIT;
	const char *copy;

	if (f.repo == NULL)
		fixture_open(&f, "repo");
	cr_assert_eq(pe_repo_walk(&revisions, f.repo, &range, &f.arena, &f.err), 0, "%s",
		     f.err.message);
	for (size_t i = 0; i < revisions.n; i++)
		pe_text_addf(&text, "%s%s", i != 0 ? " " : "", revisions.at[i].subject);
	if (revisions.cut_short)
		pe_text_add(&text, " (cut short)");
	copy = pe_arena_strdup(&f.arena, pe_text_str(&text));
	return copy;
}

static int try_walk(struct pe_range range)
{
	struct pe_revisions revisions;

	if (f.repo == NULL)
		fixture_open(&f, "repo");
	return pe_repo_walk(&revisions, f.repo, &range, &f.arena, &f.err);
}

#define RANGE(...) ((struct pe_range){__VA_ARGS__})

Test(walk, ranges_leave_out_what_the_left_side_reaches)
{
	fixture_make_merge(&f);
	cr_expect_text("3 6 7 3 6 7 7 3 6 7 4 5", walk(RANGE(.spec = "v2..main")),
		       walk(RANGE(.spec = "v2..")), walk(RANGE(.spec = "main~1..")),
		       walk(RANGE(.spec = "side..main")), walk(RANGE(.spec = "main~2..side")));
	cr_expect_str_eq(walk(RANGE(.spec = "main..side")), "");
	cr_expect_str_eq(walk(RANGE(.spec = "..side")), "");
	cr_expect_str_eq(walk(RANGE(.spec = "main..main")), "");
	cr_expect_fails(try_walk(RANGE(.spec = "v2...main")), PE_EINVALID, f.err.message,
			"write A..B");
	cr_expect_eq(try_walk(RANGE(.spec = "v3..main")), PE_ENOTFOUND);
}

/* The left side on a branch that was merged: first parents never meet it. */
Test(walk, ranges_from_a_merged_branch_end_where_it_began)
{
	fixture_make_merge(&f);
	tmp_repo_git(&f.tmp, "branch -f old side~1");
	cr_expect_str_eq(walk(RANGE(.spec = "old..main", .last = 4)), "3 6 7");
	cr_expect_str_eq(walk(RANGE(.spec = "old..main", .last = 1)), "7");
	cr_expect_str_eq(walk(RANGE(.spec = "old..main", .all_parents = true)), "3 5 6 7");
}

Test(walk, filters_by_time_and_tag)
{
	fixture_make_merge(&f);
	cr_expect_text(
		"3 6 7 1 2 3 2 3 2 7 2 5 7 2 4 5 6 7",
		walk(RANGE(.since_s = TMP_REPO_EPOCH_S + 120)),
		walk(RANGE(.until_s = TMP_REPO_EPOCH_S + 120)),
		walk(RANGE(.since_s = TMP_REPO_EPOCH_S + 60, .until_s = TMP_REPO_EPOCH_S + 120)),
		walk(RANGE(.tags = true)), walk(RANGE(.tags = true, .all_parents = true)),
		walk(RANGE(.tags = true, .last = 1, .until_s = TMP_REPO_EPOCH_S + 300)),
		walk(RANGE(.since_s = TMP_REPO_EPOCH_S + 180, .all_parents = true)));
	cr_expect_str_eq(walk(RANGE(.since_s = TMP_REPO_EPOCH_S + 9999)), "");
}

/* A clock that was wrong for a while hides nothing that is young enough. */
Test(walk, since_is_not_stopped_by_a_wrong_clock)
{
	int64_t now;

	tmp_repo_commit(&f.tmp, "1");
	tmp_repo_commit(&f.tmp, "2");
	now = f.tmp.clock_s;
	f.tmp.clock_s = 1000;
	tmp_repo_commit(&f.tmp, "old");
	f.tmp.clock_s = now;
	tmp_repo_commit(&f.tmp, "3");
	cr_expect_str_eq(walk(RANGE(.since_s = TMP_REPO_EPOCH_S + 60)), "2 3");
	cr_expect_str_eq(walk(RANGE(.since_s = TMP_REPO_EPOCH_S + 60, .all_parents = true)), "2 3");
	/* Parents first, whatever the clock says. */
	cr_expect_str_eq(walk(RANGE(.all_parents = true)), "1 2 old 3");
	cr_expect_str_eq(walk(RANGE(.spec = "HEAD~2..", .all_parents = true)), "old 3");
}

Test(walk, ids_are_put_in_order_once_each)
{
	const char *ids[] = {"main", "v2", "side", "main~4", "HEAD", "v5"};
	struct pe_strings strings = {ids, 6};
	const char *bad[] = {"main", "nothing"};

	fixture_make_merge(&f);
	cr_expect_text("1 2 5 7 5 7 2 5 7", walk(RANGE(.ids = strings)),
		       walk(RANGE(.ids = strings, .last = 2)),
		       walk(RANGE(.ids = strings, .tags = true)));
	cr_expect_eq(try_walk(RANGE(.ids = {bad, 2})), PE_ENOTFOUND);
	cr_expect_str_eq(f.err.message, "no revision 'nothing'");
}

/* Commits of one second, as a rebase makes them: only the parents tell the order. */
Test(walk, ids_of_one_second_are_put_in_order_by_their_parents)
{
	const char *ids[] = {"HEAD~1", "HEAD", "HEAD~3", "HEAD~2"};
	struct pe_strings strings = {ids, 4};

	for (int i = 1; i <= 5; i++) {
		char subject[8];

		snprintf(subject, sizeof(subject), "%d", i);
		f.tmp.clock_s = TMP_REPO_EPOCH_S;
		tmp_repo_commit(&f.tmp, subject);
	}
	cr_expect_str_eq(walk(RANGE(.ids = strings)), "2 3 4 5");
	cr_expect_str_eq(walk(RANGE(.all_parents = true)), "1 2 3 4 5");
}

Test(walk, says_where_a_shallow_clone_was_cut)
{
	fixture_make_merge(&f);
	tmp_repo_sh(&f.tmp, "git clone -q --depth 2 file://$PWD/repo shallow");
	fixture_open(&f, "shallow");
	cr_expect(pe_repo_is_shallow(f.repo));
	cr_expect_text("6 7 (cut short) 6 7 (cut short) 6 7 6 7 (cut short) 7", walk(RANGE(0)),
		       walk(RANGE(.all_parents = true)), walk(RANGE(.last = 2)),
		       walk(RANGE(.last = 3)), walk(RANGE(.spec = "HEAD~1..")));
	cr_expect_fails(try_walk(RANGE(.spec = "HEAD~4..")), PE_ENOTFOUND, f.err.message,
			"git fetch --unshallow");
}

Test(walk, unrelated_histories_hide_nothing_of_each_other)
{
	tmp_repo_commit(&f.tmp, "1");
	tmp_repo_commit(&f.tmp, "2");
	tmp_repo_git(&f.tmp, "checkout -q --orphan other");
	tmp_repo_commit(&f.tmp, "3");
	cr_expect_str_eq(walk(RANGE(.spec = "other..main")), "1 2");
	cr_expect_str_eq(walk(RANGE(.spec = "main..other")), "3");
}

/* A history of merges in a random shape, with clocks that go back and forth. */
static void make_random_history(int seed)
{
	tmp_repo_sh(&f.tmp,
		    "awk -v seed=%d 'BEGIN { srand(seed); for (i = 1; i <= 300; i++) {"
		    " printf \"commit refs/heads/r%%d\\nmark :%%d\\n\", seed, i;"
		    " printf \"committer A <a@x> %%d +0000\\n\", 1700000000 + int(rand() * 5000);"
		    " printf \"data %%d\\n%%s\\n\", length(i \"\"), i;"
		    " if (i > 1) { p = i - 1 - int(rand() * (i > 6 ? 5 : i - 1));"
		    " printf \"from :%%d\\n\", p;"
		    " if (rand() < 0.3 && i > 3) { q = 1 + int(rand() * (i - 1));"
		    " if (q != p) printf \"merge :%%d\\n\", q } } } }' |"
		    " git -C repo fast-import --quiet",
		    seed);
}

/* Every commit that git lists, once, and each after its parents. */
static void expect_what_git_lists(const char *spec, bool all_parents)
{
	struct pe_range range = {.spec = spec, .all_parents = all_parents};
	struct pe_revisions revisions;
	pe_auto_text got = PE_TEXT_INIT;

	cr_assert_eq(pe_repo_walk(&revisions, f.repo, &range, &f.arena, &f.err), 0, "%s",
		     f.err.message);
	cr_expect_gt(revisions.n, 0);
	for (size_t i = 0; i < revisions.n; i++) {
		pe_text_addf(&got, "%s\n", revisions.at[i].id);
		for (size_t p = 0; p < revisions.at[i].n_parents; p++)
			for (size_t j = i; j < revisions.n; j++)
				cr_assert_str_neq(revisions.at[j].id, revisions.at[i].parents[p]);
	}
	tmp_repo_sh(&f.tmp, "cat > got << 'END'\n%sEND\n", pe_text_str(&got));
	cr_expect_str_eq(tmp_repo_output(&f.tmp,
					 "git -C repo rev-list %s %s | sort > expected; sort got | "
					 "diff expected - | head -5",
					 all_parents ? "" : "--first-parent", spec),
			 "");
}

Test(walk, random_histories_agree_with_git)
{
	for (int seed = 1; seed <= 3; seed++) {
		char spec[64];

		make_random_history(seed);
		fixture_open(&f, "repo");
		snprintf(spec, sizeof(spec), "r%d~9..r%d", seed, seed);
		expect_what_git_lists(spec, true);
		expect_what_git_lists(spec, false);
	}
}
