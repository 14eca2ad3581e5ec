#include "tests/vcs/fixture.h"

#include "core/base/text.h"
#include "tests/support/test.h"

#include <git2.h>

/*
 * libgit2 1.5 forgets the match data of a regular expression that does not match, which it asks for when it
 * opens a repository of format version 1. Nothing of perfevo links PCRE.
 */
const char *__lsan_default_suppressions(void);

const char *__lsan_default_suppressions(void)
{
	return "leak:libpcre2-8.so\n";
}

void fixture_init(struct fixture *fixture)
{
	memset(fixture, 0, sizeof(*fixture));
	tmp_repo_init(&fixture->tmp);
	git_libgit2_init();
	git_libgit2_opts(GIT_OPT_SET_SEARCH_PATH, GIT_CONFIG_LEVEL_GLOBAL, NULL);
	git_libgit2_opts(GIT_OPT_SET_SEARCH_PATH, GIT_CONFIG_LEVEL_XDG, NULL);
	git_libgit2_opts(GIT_OPT_SET_SEARCH_PATH, GIT_CONFIG_LEVEL_SYSTEM, "");
	fixture->dir = tmp_repo_path(&fixture->tmp, "slot");
}

void fixture_release(struct fixture *fixture)
{
	pe_repo_close(fixture->repo);
	pe_arena_release(&fixture->arena);
	free(fixture->dir);
	git_libgit2_shutdown();
	tmp_repo_release(&fixture->tmp);
}

void fixture_open(struct fixture *fixture, const char *name)
{
	char *path = tmp_repo_path(&fixture->tmp, name);

	pe_repo_close(fixture->repo);
	fixture->repo = NULL;
	cr_assert_eq(pe_repo_open(&fixture->repo, path, &fixture->err), 0, "%s",
		     fixture->err.message);
}

static int fill(struct pe_fill *out, struct fixture *fixture, const char *have, const char *id,
		enum pe_clean clean)
{
	struct pe_fill_spec spec = {.dir = fixture->dir, .have = have, .id = id, .clean = clean};
	struct pe_source source;

	if (fixture->repo == NULL)
		fixture_open(fixture, "repo");
	source = pe_repo_source(fixture->repo);
	return source.fill(out, &spec, source.payload, &fixture->err);
}

struct pe_fill fixture_fill(struct fixture *fixture, const char *have, const char *id,
			    enum pe_clean clean)
{
	struct pe_fill filled;

	cr_assert_eq(fill(&filled, fixture, have, id, clean), 0, "%s", fixture->err.message);
	return filled;
}

int fixture_try_fill(struct fixture *fixture, const char *have, const char *id)
{
	struct pe_fill filled;

	return fill(&filled, fixture, have, id, PE_CLEAN_ALWAYS);
}

void fixture_matches_git(struct fixture *fixture, const char *id)
{
	static const char list[] = "find . -name .git -prune -o -printf '%P %y %m %l\\n' | sort";

	/* Folders' permissions and sizes are nobody's business; those of files are compared by the list. */
	cr_assert_str_eq(
		tmp_repo_output(
			&fixture->tmp,
			"[ -e oracle.%s ] || { git clone -q --no-checkout repo oracle && cd oracle && "
			"git checkout -q %s && "
			"if [ -f .gitmodules ]; then git submodule --quiet update --init --recursive; fi && "
			"cd .. && mv oracle oracle.%s && (cd oracle.%s && %s) >oracle.%s.list; } || exit; "
			"diff -r --no-dereference -x .git oracle.%s slot; (cd slot && %s) >slot.list; "
			"diff oracle.%s.list slot.list; true",
			id, id, id, id, list, id, id, list, id),
		"");
}

void fixture_fill_as_git(struct fixture *fixture, const char *have, const char *id,
			 enum pe_clean clean)
{
	fixture_fill(fixture, have, id, clean);
	fixture_matches_git(fixture, id);
}

char *fixture_read(struct fixture *fixture, const char *path)
{
	char *full = tmp_repo_path(&fixture->tmp, path);
	pe_auto_text text = PE_TEXT_INIT;

	cr_assert_eq(pe_text_read_file(&text, full, &fixture->err), 0, "%s", fixture->err.message);
	return pe_arena_strdup(&fixture->arena, pe_text_str(&text));
}

int fixture_exists(struct fixture *fixture, const char *path)
{
	char *full = tmp_repo_path(&fixture->tmp, path);
	struct stat st;
	int found = lstat(full, &st) == 0;

	return found;
}

int64_t fixture_mtime_ns(struct fixture *fixture, const char *path)
{
	char *full = tmp_repo_path(&fixture->tmp, path);
	struct stat st;

	cr_assert_eq(lstat(full, &st), 0, "%s", path);
	return (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
}

void fixture_age(struct fixture *fixture, const char *path)
{
	const struct timespec old[2] = {{1000000000, 0}, {1000000000, 0}};
	char *full = tmp_repo_path(&fixture->tmp, path);

	cr_assert_eq(utimensat(AT_FDCWD, full, old, AT_SYMLINK_NOFOLLOW), 0, "%s", path);
}

void fixture_make_merge(struct fixture *fixture)
{
	struct tmp_repo *tmp = &fixture->tmp;

	tmp_repo_commit(tmp, "1");
	tmp_repo_commit(tmp, "2");
	tmp_repo_git(tmp, "tag v2");
	tmp_repo_git(tmp, "branch side");
	tmp_repo_commit(tmp, "3");
	tmp_repo_git(tmp, "checkout -q side");
	tmp_repo_commit(tmp, "4");
	tmp_repo_commit(tmp, "5");
	tmp_repo_git(tmp, "tag -a v5 -m five");
	tmp_repo_git(tmp, "checkout -q main && git -C repo merge -q --no-ff -m 6 side");
	tmp->clock_s += 60;
	tmp_repo_commit(tmp, "7");
	tmp_repo_git(tmp, "tag v7");
	tmp_repo_git(tmp, "checkout -q -b later side");
	tmp_repo_commit(tmp, "8");
	tmp_repo_git(tmp, "checkout -q main");
}
