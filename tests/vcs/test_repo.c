#define _XOPEN_SOURCE 700
#include "tests/vcs/fixture.h"

#include "tests/support/test.h"

static struct fixture f;
static struct pe_revision revision; /* of the running test */
static char first[41], second[41];

static void make(void)
{
	fixture_init(&f);
	tmp_repo_write(&f.tmp, "src/a.c", "int a;\n");
	memcpy(first, tmp_repo_commit(&f.tmp, "first"), 41);
	tmp_repo_git(&f.tmp, "tag -a v1.0 -m one");
	tmp_repo_write(&f.tmp, "src/a.c", "int b;\n");
	memcpy(second, tmp_repo_commit(&f.tmp, "second"), 41);
}

static void drop(void)
{
	fixture_release(&f);
}

TestSuite(repo, .init = make, .fini = drop, .timeout = 600);

static int try_open(const char *name)
{
	char *path = tmp_repo_path(&f.tmp, name);
	int rc = pe_repo_open(&f.repo, path, &f.err);

	return rc;
}

static int resolve(const char *spec, struct pe_revision *out)
{
	if (f.repo == NULL)
		fixture_open(&f, "repo");
	return pe_repo_resolve(out, f.repo, spec, &f.arena, &f.err);
}

Test(repo, worktrees_share_identity_and_name)
{
	char identity[33], *common;

	fixture_open(&f, "repo");
	strcpy(identity, pe_repo_identity(f.repo));
	common = strdup(pe_repo_common_dir(f.repo));
	tmp_repo_git(&f.tmp, "worktree add -q ../elsewhere HEAD~1");
	fixture_open(&f, "elsewhere");
	cr_expect_str_eq(pe_repo_identity(f.repo), identity);
	cr_expect_str_eq(pe_repo_common_dir(f.repo), common);
	cr_expect_str_eq(pe_repo_name(f.repo), "repo");
	cr_expect_str_eq(strrchr(pe_repo_workdir(f.repo), '/'), "/elsewhere");
	tmp_repo_sh(&f.tmp, "cp -r repo other");
	fixture_open(&f, "other");
	cr_expect_str_neq(pe_repo_identity(f.repo), identity);
	free(common);
}

Test(repo, outside_of_any_repository_is_not_found)
{
	tmp_repo_sh(&f.tmp, "mkdir outside");
	cr_expect_fails(try_open("outside"), PE_ENOTFOUND, f.err.message, "no git repository");
	cr_expect_eq(try_open("nothing/there"), PE_ENOTFOUND);
}

/* A hook's GIT_DIR is followed only where nothing else leads to the repository. */
Test(repo, git_dir_of_the_environment_is_the_last_resort)
{
	char *path = tmp_repo_path(&f.tmp, "repo/.git"), *elsewhere = tmp_repo_path(&f.tmp, "x");

	tmp_repo_sh(&f.tmp, "mkdir x && git init -q decoy");
	setenv("GIT_DIR", path, 1);
	setenv("GIT_WORK_TREE", elsewhere, 1);
	cr_assert_eq(chdir(elsewhere), 0);
	cr_assert_eq(pe_repo_open(&f.repo, NULL, &f.err), 0, "%s", f.err.message);
	cr_expect_str_eq(pe_repo_name(f.repo), "repo");
	cr_expect_str_eq(pe_repo_workdir(f.repo), elsewhere);
	pe_repo_close(f.repo);
	cr_assert_eq(chdir("../decoy"), 0);
	cr_assert_eq(pe_repo_open(&f.repo, NULL, &f.err), 0, "%s", f.err.message);
	cr_expect_str_eq(pe_repo_name(f.repo), "decoy");
	unsetenv("GIT_DIR");
	unsetenv("GIT_WORK_TREE");
}

Test(repo, refuses_what_libgit2_cannot_read_with_the_way_out)
{
	tmp_repo_sh(&f.tmp, "git init -q --object-format=sha256 sha && git init -q tables && "
			    "git -C tables config core.repositoryFormatVersion 1 && "
			    "git -C tables config extensions.refStorage reftable && "
			    "git init -q strange && "
			    "git -C strange config core.repositoryFormatVersion 1 && "
			    "git -C strange config extensions.fromTheFuture true");
	cr_expect_fails(try_open("sha"), PE_EUNSUPPORTED, f.err.message, "SHA-1 clone");
	cr_expect_fails(try_open("tables"), PE_EUNSUPPORTED, f.err.message, "--ref-format=files");
	cr_expect_fails(try_open("strange"), PE_EUNSUPPORTED, f.err.message, "fromthefuture");
}

Test(repo, reads_repositories_with_harmless_extensions)
{
	tmp_repo_git(&f.tmp, "config core.repositoryFormatVersion 1 && "
			     "git -C repo config extensions.worktreeConfig true && "
			     "git -C repo config extensions.preciousObjects true && "
			     "git -C repo config extensions.partialClone origin");
	/* Debian 12's git does not know this one, and would refuse to write it. */
	tmp_repo_sh(&f.tmp,
		    "printf '[extensions]\\n\\trelativeWorktrees = true\\n' >> repo/.git/config");
	fixture_open(&f, "repo");
	fixture_fill(&f, NULL, first, PE_CLEAN_ALWAYS);
}

/* Only root can make a repository that belongs to another. */
Test(repo, ownership_refusal_names_the_way_out)
{
	char *path = tmp_repo_path(&f.tmp, "repo");

	/* A namespace may have no second user. */
	if (geteuid() == 0 && chown(path, 12345, 12345) == 0) {
		tmp_repo_sh(&f.tmp, "chown -R 12345 repo");
		cr_expect_fails(try_open("repo/src"), PE_EUNSUPPORTED, f.err.message,
				"git config --global --add safe.directory");
		cr_expect_has(f.err.message, path);
		cr_expect(strstr(f.err.message, "/src'") == NULL, "%s", f.err.message);
		/* The advice is taken. */
		tmp_repo_sh(&f.tmp, "git config --global --add safe.directory %s", path);
		cr_expect_eq(try_open("repo/src"), 0, "%s", f.err.message);
		fixture_fill(&f, NULL, first, PE_CLEAN_ALWAYS);
		tmp_repo_sh(&f.tmp, "git config --global --unset-all safe.directory && "
				    "git config --global safe.directory '*'");
		pe_repo_close(f.repo);
		f.repo = NULL;
		cr_expect_eq(try_open("repo/src"), 0, "%s", f.err.message);
	}
}

Test(repo, resolves_what_git_resolves)
{
	static const char *const specs[] = {"HEAD~1", "v1.0", "main^", "c1e1e45", "v1.0^{commit}"};

	for (size_t i = 0; i < sizeof(specs) / sizeof(specs[0]); i++) {
		cr_assert_eq(resolve(specs[i], &revision), 0, "%s", f.err.message);
		cr_expect_str_eq(revision.id, first, "%s", specs[i]);
	}
	cr_assert_eq(resolve("main", &revision), 0);
	cr_expect_str_eq(revision.id, second);
	cr_expect_str_eq(revision.subject, "second");
	cr_expect_str_eq(revision.author, "Ada Author");
	cr_expect_eq(revision.time_s, TMP_REPO_EPOCH_S + 60);
	cr_assert_eq(revision.n_parents, 1);
	cr_expect_str_eq(revision.parents[0], first);
}

Test(repo, helps_with_a_misspelt_revision)
{
	cr_expect_eq(resolve("v1", &revision), PE_ENOTFOUND);
	cr_expect_str_eq(f.err.message, "no revision 'v1' (did you mean 'v1.0'?)");
	cr_expect_eq(resolve("mian~1", &revision), PE_ENOTFOUND);
	cr_expect_str_eq(f.err.message, "no revision 'mian~1' (did you mean 'main'?)");
	cr_expect_eq(resolve("something-else", &revision), PE_ENOTFOUND);
	cr_expect_str_eq(f.err.message, "no revision 'something-else'");
	cr_expect_eq(resolve("HEAD~7", &revision), PE_ENOTFOUND);
	cr_expect_str_eq(f.err.message, "no revision 'HEAD~7'");
}

Test(repo, says_what_names_no_commit)
{
	cr_expect_fails(resolve("HEAD:src", &revision), PE_EINVALID, f.err.message,
			"is a tree and names no commit");
	cr_expect_eq(resolve("HEAD~1..HEAD", &revision), PE_EINVALID);
	cr_expect_eq(resolve("", &revision), PE_EINVALID);
	cr_expect_eq(resolve("a b^{", &revision), PE_EINVALID, "%s", f.err.message);
}

Test(repo, says_that_there_are_no_commits_yet)
{
	tmp_repo_sh(&f.tmp, "git init -q empty");
	fixture_open(&f, "empty");
	cr_expect_eq(resolve("HEAD", &revision), PE_ENOTFOUND);
	cr_expect_str_eq(f.err.message, "this repository has no commits yet");
}

Test(repo, reads_names_and_subjects_as_utf8)
{
	tmp_repo_git(&f.tmp, "-c i18n.commitEncoding=ISO-8859-1 commit -q --allow-empty "
			     "-m \"$(printf 'caf\\351')\" --author \"$(printf 'Ren\\351 <r@x>')\"");
	cr_assert_eq(resolve("HEAD", &revision), 0);
	cr_expect_str_eq(revision.subject, "caf\xC3\xA9");
	cr_expect_str_eq(revision.author, "Ren\xC3\xA9");
	tmp_repo_git(&f.tmp, "commit -q --allow-empty -F - << 'END'\n\n\nfirst line\nsecond\nEND");
	cr_assert_eq(resolve("HEAD", &revision), 0);
	cr_expect_str_eq(revision.subject, "first line");
	/* Not UTF-8 and not said to be anything else. */
	tmp_repo_sh(&f.tmp, "cd repo && { git cat-file commit HEAD | sed '/^$/,$d'; "
			    "printf '\\nbad \\377 byte\\n'; } > ../raw && "
			    "git reset -q --soft $(git hash-object -t commit -w ../raw)");
	cr_assert_eq(resolve("HEAD", &revision), 0);
	cr_expect_str_eq(revision.subject, "bad \xEF\xBF\xBD byte");
}

Test(repo, decorates_with_a_tag_before_a_branch)
{
	fixture_open(&f, "repo");
	cr_expect_str_eq(pe_repo_decoration(f.repo, first, &f.arena), "v1.0");
	cr_expect_str_eq(pe_repo_decoration(f.repo, second, &f.arena), "main");
	tmp_repo_git(&f.tmp, "commit -q --allow-empty -m third");
	tmp_repo_git(&f.tmp, "tag light");
	fixture_open(&f, "repo");
	cr_expect_null(pe_repo_decoration(f.repo, second, &f.arena));
}

static bool are_own(const char *base, const char *tip)
{
	struct pe_revision from, to;

	cr_assert_ok(resolve(base, &from), f.err.message);
	cr_assert_ok(resolve(tip, &to), f.err.message);
	return pe_repo_are_own_commits(f.repo, from.id, to.id);
}

/* Authors are the same everywhere here: what a commit says of itself does not count. */
Test(repo, commits_are_own_where_they_were_made)
{
	tmp_repo_git(&f.tmp, "config core.logAllRefUpdates true");
	tmp_repo_sh(&f.tmp, "rm -f repo/.git/logs/HEAD repo/.git/logs/refs/heads/*");
	tmp_repo_write(&f.tmp, "own", "1");
	tmp_repo_commit(&f.tmp, "commit: own");
	tmp_repo_sh(&f.tmp,
		    "git clone -q repo theirs && cd theirs && echo 1 >theirs && git add . &&"
		    "git commit -qm 'commit: theirs'");
	tmp_repo_git(&f.tmp, "tag start");
	cr_expect(are_own("start~1", "start"));
	cr_expect(are_own("start", "start"), "of no commit, all are");
	cr_expect_not(are_own("start~2", "start"), "no reflog tells of the one below");

	tmp_repo_sh(&f.tmp, "cd repo && git pull -q --ff-only ../theirs HEAD");
	cr_expect_not(are_own("start", "HEAD"), "pulled");
	tmp_repo_write(&f.tmp, "own", "2");
	tmp_repo_commit(&f.tmp, "on top");
	cr_expect(are_own("HEAD~1", "HEAD"));
	cr_expect_not(are_own("start", "HEAD"), "one of two");
	tmp_repo_sh(&f.tmp, "cd repo && git rebase -q --onto start HEAD~1");
	cr_expect(are_own("start", "HEAD"), "rebased");
	tmp_repo_sh(&f.tmp, "cd repo && git cherry-pick $(git -C ../theirs rev-parse HEAD)");
	cr_expect_not(are_own("start", "HEAD"), "picked");

	/* A merge of our own, and one of theirs that begins with our commit and is fast-forwarded to. */
	tmp_repo_sh(&f.tmp,
		    "cd repo && git reset -q --hard start && git switch -qc side && echo 3 >side &&"
		    "git add . && git commit -qm side && git switch -q - && echo 4 >own &&"
		    "git commit -qam own && git merge -q --no-edit side");
	cr_expect(are_own("start", "HEAD"), "merged here");
	tmp_repo_sh(
		&f.tmp,
		"cd theirs && git fetch -q ../repo side && git reset -q --hard FETCH_HEAD~1 &&"
		"git merge -q --no-ff -m theirs FETCH_HEAD && cd ../repo &&"
		"git switch -q side && git reset -q --hard start && git pull -q ../theirs HEAD");
	cr_expect_not(are_own("start", "HEAD"), "merged there");
}

/* Each leaves one commit above `start`, with content that somebody else committed. */
Test(repo, commits_of_others_stay_theirs)
{
	static const char *const ways[] = {
		"git reset -q --hard $theirs && git commit -q --amend -m reworded",
		"git cherry-pick -n $theirs && git commit -qm mine",
		"git cherry-pick $theirs && git commit -q --amend --reset-author -m mine",
		"git merge -q --squash $theirs && git commit -qm squashed",
		"git checkout -q $theirs -- evil && git commit -qm restored",
		"git commit -q --allow-empty -m x --author 'e <e@e>'",
		"git format-patch -q -1 --stdout $theirs | git am -q",
		"GIT_REFLOG_ACTION='commit: x' git merge -q --ff-only $theirs",
		"GIT_EDITOR='sed -i s/pick/reword/' GIT_SEQUENCE_EDITOR='sed -i s/^pick/reword/' "
		"git rebase -q -i start $theirs",
		"git switch -qc side && echo s >side && git add . && git commit -qm side &&"
		"git -C ../theirs fetch -q ../repo side && git -C ../theirs reset -q --hard start &&"
		"git -C ../theirs merge -q --no-ff -m m FETCH_HEAD &&"
		"git pull -q --rebase ../theirs HEAD",
		"printf 'if x:\\n  a\\nb\\n' >script && git add . && git commit -qm own &&"
		"git -C ../theirs fetch -q ../repo HEAD && git -C ../theirs reset -q --hard FETCH_HEAD &&"
		"printf 'if x:\\n  a\\n  b\\n' >../theirs/script &&"
		"git -C ../theirs commit -qa --amend -C HEAD && git reset -q --hard start &&"
		"git pull -q ../theirs HEAD",
	};

	tmp_repo_git(&f.tmp, "config core.logAllRefUpdates true");
	tmp_repo_git(&f.tmp, "tag start");
	tmp_repo_sh(&f.tmp,
		    "git clone -q repo theirs && cd theirs && echo 1 >evil && git add . &&"
		    "GIT_AUTHOR_DATE=2001-01-01T00:00:00Z GIT_COMMITTER_DATE=2001-01-01T00:00:00Z "
		    "git commit -qm theirs && cd ../repo && git fetch -q ../theirs HEAD &&"
		    "git update-ref refs/remotes/x/y FETCH_HEAD");
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		tmp_repo_sh(&f.tmp,
			    "cd repo && rm -rf .git/logs && git switch -q --detach start &&"
			    "theirs=x/y && %s",
			    ways[i]);
		cr_expect_not(are_own("start", "HEAD"), "%s", ways[i]);
		tmp_repo_sh(&f.tmp, "cd repo && git branch -qD side 2>/dev/null || :");
	}
	tmp_repo_sh(&f.tmp, "cd repo && git switch -q --detach start && echo 2 >mine &&"
			    "git add . && git commit -qm mine && git commit -q --amend -m better");
	cr_expect(are_own("start", "HEAD"), "reworded here");
}
