#include "tests/vcs/fixture.h"

#include "tests/support/test.h"

static struct fixture f;
static char first[41], second[41], third[41];

/* repo has lib (two versions), which has inner. */
static void make(void)
{
	fixture_init(&f);
	tmp_repo_sh(&f.tmp,
		    "git init -q inner && cd inner && echo 'int inner;' > inner.c && git add . && "
		    "git commit -q -m inner && cd .. && git init -q lib && cd lib && "
		    "git submodule --quiet add ../inner parts/inner && echo 'int lib;' > lib.c && "
		    "mkdir src && echo 1 > src/one && printf '*.crlf text eol=crlf\\n' > "
		    ".gitattributes && "
		    "printf 'a\\nb\\n' > x.crlf && git add . && git commit -q -m lib");
	tmp_repo_write(&f.tmp, "main.c", "int main;\n");
	tmp_repo_write(&f.tmp, "third_party.txt", "sorts between lib and its slash\n");
	tmp_repo_git(&f.tmp, "submodule --quiet add ../lib third_party && "
			     "git -C repo submodule --quiet update --init --recursive");
	memcpy(first, tmp_repo_commit(&f.tmp, "with lib"), 41);
	tmp_repo_sh(&f.tmp, "cd lib && echo 'int lib2;' > lib.c && git commit -q -a -m lib2");
	tmp_repo_sh(&f.tmp, "cd repo/third_party && git pull -q");
	memcpy(second, tmp_repo_commit(&f.tmp, "lib moves"), 41);
	tmp_repo_git(&f.tmp, "rm -q -r third_party");
	tmp_repo_write(&f.tmp, "third_party", "a file\n");
	memcpy(third, tmp_repo_commit(&f.tmp, "no lib"), 41);
}

static void drop(void)
{
	fixture_release(&f);
}

TestSuite(submodule, .init = make, .fini = drop, .timeout = 600);

Test(submodule, is_filled_recursively_at_its_recorded_commit)
{
	struct pe_fill filled;

	fixture_fill_as_git(&f, NULL, first, PE_CLEAN_ALWAYS);
	filled = fixture_fill(&f, first, second, PE_CLEAN_ALWAYS);
	cr_expect_eq(filled.written, 1, "only lib.c differs");
	fixture_matches_git(&f, second);
	fixture_fill_as_git(&f, second, third, PE_CLEAN_NEVER);
	fixture_fill_as_git(&f, third, first, PE_CLEAN_NEVER);
}

Test(submodule, is_restored_where_a_build_changed_it)
{
	fixture_fill(&f, NULL, first, PE_CLEAN_ALWAYS);
	tmp_repo_sh(&f.tmp,
		    "cd slot/third_party && echo x > src/one && echo y > parts/inner/inner.c && "
		    "touch product");
	cr_expect_eq(fixture_fill(&f, first, first, PE_CLEAN_ALWAYS).written, 2);
	fixture_matches_git(&f, first);
}

/* Removed from the checkout: its objects still lie in .git/modules. */
Test(submodule, needs_no_checkout)
{
	tmp_repo_git(&f.tmp, "checkout -q HEAD");
	cr_assert_not(fixture_exists(&f, "repo/third_party/lib.c"));
	fixture_fill_as_git(&f, NULL, second, PE_CLEAN_ALWAYS);
}

/* Old git kept the repository inside of the checkout. */
Test(submodule, is_found_in_its_checkout)
{
	tmp_repo_git(&f.tmp,
		     "checkout -q %s && git -C repo submodule --quiet update --init --recursive",
		     second);
	tmp_repo_sh(&f.tmp, "cd repo && rm third_party/.git && mv .git/modules/third_party "
			    "third_party/.git && git config --file third_party/.git/config --unset "
			    "core.worktree");
	fixture_fill(&f, NULL, second, PE_CLEAN_ALWAYS);
	cr_expect(fixture_exists(&f, "slot/third_party/lib.c"));
}

Test(submodule, that_is_not_here_is_refused_with_the_way_out)
{
	tmp_repo_sh(&f.tmp, "git clone -q repo fresh && git -C fresh checkout -q %s", first);
	fixture_open(&f, "fresh");
	cr_expect_fails(fixture_try_fill(&f, NULL, first), PE_EUNSUPPORTED, f.err.message,
			"submodule 'third_party' is not here");
	cr_expect_has(f.err.message, "submodule update --init --recursive");
	tmp_repo_sh(&f.tmp, "git -C fresh submodule --quiet update --init --recursive");
	fixture_open(&f, "fresh");
	fixture_fill_as_git(&f, NULL, first, PE_CLEAN_ALWAYS);
}

Test(submodule, commit_that_is_not_here_is_refused_with_the_way_out)
{
	tmp_repo_sh(&f.tmp, "cd lib && echo 'int lib3;' > lib.c && git commit -q -a -m lib3");
	tmp_repo_git(&f.tmp,
		     "checkout -q %s && git -C repo update-index --cacheinfo "
		     "160000,$(git -C lib rev-parse HEAD),third_party && "
		     "git -C repo commit -q -m 'not fetched'",
		     second);
	memcpy(third, f.tmp.head, 41);
	{
		char *id = tmp_repo_output(&f.tmp, "git -C repo rev-parse HEAD");

		cr_expect_fails(fixture_try_fill(&f, NULL, id), PE_EUNSUPPORTED, f.err.message,
				"lacks a commit");
		cr_expect_has(f.err.message, "fetch --all");
	}
}

Test(submodule, that_the_user_leaves_out_is_an_empty_folder)
{
	tmp_repo_sh(&f.tmp, "git clone -q repo fresh && "
			    "git -C fresh config submodule.third_party.update none");
	fixture_open(&f, "fresh");
	fixture_fill(&f, NULL, first, PE_CLEAN_ALWAYS);
	cr_expect(fixture_exists(&f, "slot/third_party"));
	cr_expect_not(fixture_exists(&f, "slot/third_party/lib.c"));
	cr_expect(fixture_exists(&f, "slot/main.c"));
}

Test(submodule, without_a_section_is_an_empty_folder)
{
	char *id;

	tmp_repo_git(&f.tmp,
		     "checkout -q %s && git -C repo rm -q --cached .gitmodules && "
		     "git -C repo commit -q -m 'lost .gitmodules'",
		     first);
	id = tmp_repo_output(&f.tmp, "git -C repo rev-parse HEAD");
	fixture_fill(&f, NULL, id, PE_CLEAN_ALWAYS);
	cr_expect(fixture_exists(&f, "slot/third_party"));
	cr_expect_not(fixture_exists(&f, "slot/third_party/lib.c"));
}

/* `[submodule "../../x"]` may not lead out of the git directory. */
Test(submodule, name_cannot_lead_elsewhere)
{
	char *id;

	tmp_repo_git(&f.tmp, "checkout -q %s", first);
	tmp_repo_sh(&f.tmp,
		    "cp -r repo/.git/modules/third_party evil && "
		    "rm -r repo/.git/modules repo/third_party && mkdir -p repo/.git/modules");
	tmp_repo_write(&f.tmp, ".gitmodules",
		       "# comment\n[core]\n\tpath = third_party\n[submodule \"../../../evil\"]\n"
		       "\tpath = \"third_party\" ; comment\n\turl = ../lib\n");
	tmp_repo_git(&f.tmp, "add .gitmodules && git -C repo commit -q -m evil");
	id = tmp_repo_output(&f.tmp, "git -C repo rev-parse HEAD");
	cr_expect_eq(fixture_try_fill(&f, NULL, id), PE_EUNSUPPORTED, "%s", f.err.message);
}

/* The submodule itself as the repository. */
Test(submodule, checkout_is_a_repository)
{
	char *id;

	tmp_repo_git(&f.tmp,
		     "checkout -q %s && git -C repo submodule --quiet update --init --recursive",
		     first);
	fixture_open(&f, "repo/third_party/src");
	cr_expect_str_eq(pe_repo_name(f.repo), "third_party");
	cr_expect_str_eq(strrchr(pe_repo_workdir(f.repo), '/'), "/third_party");
	id = tmp_repo_output(&f.tmp, "git -C repo/third_party rev-parse HEAD");
	fixture_fill(&f, NULL, id, PE_CLEAN_ALWAYS);
	cr_expect(fixture_exists(&f, "slot/parts/inner/inner.c"));
}
