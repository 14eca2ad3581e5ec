#include "vcs/history.h"

#include "core/base/text.h"
#include "tests/support/test.h"
#include "tests/vcs/fixture.h"

static struct fixture f;

TestSuiteWith(history, fixture_init(&f), fixture_release(&f), .timeout = 600);

#define QUERY(...) ((struct pe_repo_history_query){__VA_ARGS__})

static struct pe_repo_history read_query(struct pe_repo_history_query query)
{
	struct pe_repo_history history;

	if (f.repo == NULL)
		fixture_open(&f, "repo");
	cr_assert_eq(pe_repo_history(&history, f.repo, &query, &f.arena, &f.err), 0, "%s",
		     f.err.message);
	return history;
}

/* "7:6 6:3,5 ..": subjects with their parents' subjects, '.' for one that is not shown; "+" when cut. */
static const char *show(struct pe_repo_history_query query)
{
	struct pe_repo_history history = read_query(query);
	pe_auto_text text = PE_TEXT_INIT;
	const char *copy;

	for (size_t i = 0; i < history.n; i++) {
		const struct pe_repo_commit *one = &history.at[i];

		pe_text_addf(&text, "%s%s:", i != 0 ? " " : "", one->revision.subject);
		for (size_t p = 0; p < one->revision.n_parents; p++) {
			size_t row = 0;

			while (row < history.n &&
			       strcmp(history.at[row].revision.id, one->revision.parents[p]) != 0)
				row++;
			cr_assert(row > i);
			pe_text_addf(&text, "%s%s", p > 0 ? "," : "",
				     row < history.n ? history.at[row].revision.subject : ".");
		}
	}
	pe_text_add(&text, history.cut ? " +" : "");
	copy = pe_arena_strdup(&f.arena, pe_text_str(&text));
	return copy;
}

static const char *refs_of(const struct pe_repo_history *history, const char *subject)
{
	pe_auto_text text = PE_TEXT_INIT;
	const char *copy;

	for (size_t i = 0; i < history->n; i++)
		if (strcmp(history->at[i].revision.subject, subject) == 0)
			for (size_t r = 0; r < history->at[i].n_refs; r++)
				pe_text_addf(&text, "%s%s", r > 0 ? "|" : "",
					     history->at[i].refs[r]);
	copy = pe_arena_strdup(&f.arena, pe_text_str(&text));
	return copy;
}

Test(history, follows_every_parent_newest_first)
{
	fixture_make_merge(&f);
	cr_expect_str_eq(show(QUERY(0)), "7:6 6:3,5 5:4 4:2 3:2 2:1 1:");
	cr_expect_str_eq(show(QUERY(.spec = "later")), "8:5 5:4 4:2 2:1 1:");
}

Test(history, all_begins_at_every_branch_and_tag)
{
	fixture_make_merge(&f);
	cr_expect_str_eq(show(QUERY(.all = true)), "8:5 7:6 6:3,5 5:4 4:2 3:2 2:1 1:");
	tmp_repo_git(&f.tmp, "branch -q -D side later");
	pe_repo_close(f.repo);
	f.repo = NULL;
	cr_expect_str_eq(show(QUERY(.spec = "v2", .all = true)), "7:6 6:3,5 5:4 4:2 3:2 2:1 1:");
}

Test(history, limits_cut_and_say_so)
{
	fixture_make_merge(&f);
	cr_expect_str_eq(show(QUERY(.last = 3)), "7:6 6:.,5 5:. +");
	cr_expect_str_eq(show(QUERY(.last = 7)), "7:6 6:3,5 5:4 4:2 3:2 2:1 1:");
	cr_expect_str_eq(show(QUERY(.since_s = TMP_REPO_EPOCH_S + 120)), "7:6 6:3,5 5:4 4:. 3:. +");
	cr_expect_str_eq(show(QUERY(.until_s = TMP_REPO_EPOCH_S + 120)), "3:2 2:1 1:");
	cr_expect_str_eq(show(QUERY(.spec = "v2..main")), "7:6 6:3,5 5:4 4:. 3:. +");
	cr_expect_str_eq(show(QUERY(.spec = "main..v2")), "");
}

Test(history, more_ids_are_more_beginnings)
{
	char *side,
		*unknown = pe_arena_strdup(&f.arena, "1234567890123456789012345678901234567890");
	const char *ids[2];

	fixture_make_merge(&f);
	side = tmp_repo_output(&f.tmp, "git -C repo rev-parse later");
	ids[0] = unknown;
	ids[1] = side;
	cr_expect_str_eq(show(QUERY(.spec = "v2", .also = {ids, 2})), "8:5 5:4 4:2 2:1 1:");
}

Test(history, names_stand_with_their_commits)
{
	struct pe_repo_history history;

	fixture_make_merge(&f);
	tmp_repo_git(&f.tmp, "branch also-here");
	tmp_repo_git(&f.tmp, "update-ref refs/remotes/origin/main main~1");
	tmp_repo_git(&f.tmp, "tag -a now -m now");
	history = read_query(QUERY(.all = true));
	cr_expect_text("HEAD|main|tag: now|tag: v7|also-here later origin/main tag: v5|side",
		       refs_of(&history, "7"), refs_of(&history, "8"), refs_of(&history, "6"),
		       refs_of(&history, "5"));
	cr_expect_str_eq(refs_of(&history, "4"), "");
	tmp_repo_git(&f.tmp, "checkout -q --detach v2");
	pe_repo_close(f.repo);
	f.repo = NULL;
	history = read_query(QUERY(.all = true));
	cr_expect_str_eq(refs_of(&history, "2"), "HEAD|tag: v2");
	cr_expect_str_eq(refs_of(&history, "7"), "tag: now|tag: v7|also-here|main");
}

Test(history, before_the_first_commit_it_is_empty)
{
	struct pe_repo_history history;

	cr_expect_str_eq(show(QUERY(0)), "");
	cr_expect_str_eq(show(QUERY(.all = true)), "");
	cr_expect_eq(pe_repo_history(&history, f.repo, &QUERY(.spec = "v9"), &f.arena, &f.err),
		     PE_ENOTFOUND);
}

Test(history, ends_where_a_shallow_clone_was_cut)
{
	fixture_make_merge(&f);
	tmp_repo_sh(&f.tmp, "git clone -q --depth 2 \"file://$PWD/repo\" shallow");
	fixture_open(&f, "shallow");
	cr_expect_str_eq(show(QUERY(0)), "7:6 6:.,. +");
}

/* A merge of several roots, and an octopus. */
Test(history, roots_and_octopuses)
{
	tmp_repo_commit(&f.tmp, "a");
	tmp_repo_git(&f.tmp, "checkout -q --orphan other");
	tmp_repo_commit(&f.tmp, "b");
	tmp_repo_git(&f.tmp, "checkout -q --orphan third");
	tmp_repo_commit(&f.tmp, "c");
	tmp_repo_git(&f.tmp,
		     "update-ref refs/heads/main "
		     "$(git -C repo commit-tree -m m -p main -p other -p third third^{tree})");
	tmp_repo_git(&f.tmp, "symbolic-ref HEAD refs/heads/main");
	cr_expect_str_eq(show(QUERY(0)), "m:a,b,c c: b: a:");
}

/* A commit that is older than its parent stands before it nonetheless. */
Test(history, clocks_lie_and_children_stay_first)
{
	tmp_repo_commit(&f.tmp, "1");
	tmp_repo_commit(&f.tmp, "2");
	f.tmp.clock_s -= 86400;
	tmp_repo_commit(&f.tmp, "3");
	f.tmp.clock_s += 2 * 86400;
	tmp_repo_commit(&f.tmp, "4");
	cr_expect_str_eq(show(QUERY(0)), "4:3 3:2 2:1 1:");
	cr_expect_str_eq(show(QUERY(.last = 2)), "4:3 3:. +");
}
