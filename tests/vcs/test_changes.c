#include "tests/vcs/fixture.h"

#include "tests/support/test.h"

static struct fixture f;

TestSuiteWith(changes, fixture_init(&f), fixture_release(&f), .timeout = 600);

/* The answer as lines: "path before after flags", where an id is its first 7 digits and "" is "-". */
static char *ask(const struct pe_changes_query *query)
{
	struct pe_changed_files files;
	pe_auto_text text = PE_TEXT_INIT;
	char *lines;

	cr_assert_eq(pe_repo_changes(&files, f.repo, query, &f.arena, &f.err), 0, "%s",
		     f.err.message);
	for (size_t i = 0; i < files.n; i++) {
		const struct pe_changed_file *file = &files.at[i];

		pe_text_addf(&text, "%s %.7s %.7s%s%s\n", file->path,
			     file->before[0] != '\0' ? file->before : "-",
			     file->after[0] != '\0' ? file->after : "-",
			     file->generated ? " generated" : "",
			     file->vendored ? " vendored" : "");
	}
	lines = pe_arena_strdup(&f.arena, pe_text_str(&text));
	return lines;
}

static char *between(const char *before, const char *after)
{
	const struct pe_changes_query query = {.before = before, .after = after};

	return ask(&query);
}

/* What git's own diff says of regular files, in the same lines. */
static char *git_says(const char *before, const char *after)
{
	char *found = tmp_repo_output(
		&f.tmp,
		"git -C repo diff-tree -r --no-renames --abbrev=7 %s %s | sed 's/^://' |"
		" awk '$3 != $4 { b = $1 ~ /^100/ ? $3 : \"-\"; a = $2 ~ /^100/ ? $4 : \"-\";"
		" if (b != a) print $6, b, a }'",
		before, after);
	char *lines = pe_arena_printf(&f.arena, "%s%s", found, found[0] != '\0' ? "\n" : "");

	return lines;
}

#define EMPTY_TREE "4b825dc642cb6eb9a060e54bf8d69288fbee4904"

Test(changes, agree_with_git)
{
	char ids[4][41];

	tmp_repo_write(&f.tmp, "a", "a\n");
	tmp_repo_write(&f.tmp, "a.c", "before a/\n");
	tmp_repo_write(&f.tmp, "b/x/deep.c", "1\n");
	tmp_repo_write(&f.tmp, "b/y.c", "2\n");
	tmp_repo_write(&f.tmp, "mode", "same\n");
	tmp_repo_sh(&f.tmp, "cd repo && ln -s a link && ln -s a turns");
	memcpy(ids[0], tmp_repo_commit(&f.tmp, "root"), 41);
	tmp_repo_sh(&f.tmp,
		    "cd repo && rm a turns && mkdir a && echo new > a/b && echo x > turns &&"
		    " chmod +x mode && echo 3 > b/x/deep.c && ln -sf mode link");
	memcpy(ids[1], tmp_repo_commit(&f.tmp, "a file becomes a folder"), 41);
	tmp_repo_sh(&f.tmp, "cd repo && rm -r b turns && mv a.c z.c && ln -s a turns");
	memcpy(ids[2], tmp_repo_commit(&f.tmp, "a folder goes"), 41);
	memcpy(ids[3], tmp_repo_commit(&f.tmp, "nothing"), 41);
	fixture_open(&f, "repo");
	for (int i = 0; i < 4; i++)
		for (int j = 0; j < 4; j++)
			cr_expect_str_eq(between(ids[i], ids[j]), git_says(ids[i], ids[j]),
					 "%d..%d", i, j);
	cr_expect_str_eq(between("", ids[1]), git_says(EMPTY_TREE, ids[1]));
	/* What is compared by itself: the first parent, at the root nothing. */
	cr_expect_str_eq(between(NULL, ids[0]), git_says(EMPTY_TREE, ids[0]));
	cr_expect_str_eq(between(NULL, ids[2]), git_says(ids[1], ids[2]));
	cr_expect_str_eq(between(NULL, ids[3]), "");
	cr_expect_str_neq(between(ids[0], ids[1]), "");
}

Test(changes, submodules_are_left_out)
{
	char before[41], after[41];

	tmp_repo_write(&f.tmp, "a.c", "1\n");
	memcpy(before, tmp_repo_commit(&f.tmp, "root"), 41);
	tmp_repo_git(&f.tmp, "update-index --add --cacheinfo 160000,%s,lib", before);
	tmp_repo_git(&f.tmp, "commit -q -m submodule");
	{
		char *head = tmp_repo_output(&f.tmp, "git -C repo rev-parse HEAD");

		memcpy(after, head, 41);
	}
	fixture_open(&f, "repo");
	cr_expect_str_eq(between(before, after), "");
}

static bool is_c(const char *path, void *payload)
{
	size_t n = strlen(path);

	++*(int *)payload;
	return n > 2 && strcmp(path + n - 2, ".c") == 0;
}

Test(changes, wanted_is_asked_about_every_file_that_differs)
{
	int asked = 0;
	struct pe_changes_query query = {.wanted = is_c, .payload = &asked};
	char id[41];

	tmp_repo_write(&f.tmp, "a.c", "1\n");
	tmp_repo_commit(&f.tmp, "root");
	tmp_repo_write(&f.tmp, "b.c", "1\n");
	tmp_repo_write(&f.tmp, "text/b.txt", "1\n");
	memcpy(id, tmp_repo_commit(&f.tmp, "two files"), 41);
	fixture_open(&f, "repo");
	query.after = id;
	cr_expect_str_eq(ask(&query), "b.c - d00491f\n");
	cr_expect(eq(int, asked, 2));
}

Test(changes, at_the_end_of_a_shallow_clone_are_not_guessed)
{
	struct pe_changes_query query = {0};
	struct pe_changed_files files;

	tmp_repo_write(&f.tmp, "a.c", "1\n");
	tmp_repo_commit(&f.tmp, "root");
	tmp_repo_write(&f.tmp, "a.c", "2\n");
	tmp_repo_commit(&f.tmp, "second");
	tmp_repo_sh(&f.tmp, "git clone -q --depth 1 file://$PWD/repo shallow");
	fixture_open(&f, "shallow");
	query.after = f.tmp.head;
	cr_expect(eq(int, pe_repo_changes(&files, f.repo, &query, &f.arena, &f.err), PE_ENOTFOUND));
	cr_expect_neq(strstr(f.err.message, "--unshallow"), NULL, "%s", f.err.message);
	query.before = "";
	cr_expect(eq(int, pe_repo_changes(&files, f.repo, &query, &f.arena, &f.err), PE_OK));
	cr_expect(eq(sz, files.n, 1));
}

Test(changes, blobs_are_read_as_they_are)
{
	const char bytes[] = "crlf\r\nnul\0end";
	pe_auto_text text = PE_TEXT_INIT;
	char *id;

	tmp_repo_write(&f.tmp, ".gitattributes", "* text eol=crlf\n");
	tmp_repo_write_bytes(&f.tmp, "blob", bytes, sizeof(bytes));
	id = tmp_repo_output(&f.tmp, "git -C repo hash-object -w --no-filters blob");
	fixture_open(&f, "repo");
	pe_text_add(&text, "before ");
	cr_assert_eq(pe_repo_blob(&text, f.repo, id, &f.err), 0, "%s", f.err.message);
	cr_expect(eq(sz, text.len, 7 + sizeof(bytes)));
	cr_expect_eq(memcmp(text.data + 7, bytes, sizeof(bytes)), 0);
	cr_expect(eq(int, pe_repo_blob(&text, f.repo, EMPTY_TREE, &f.err), PE_EVCS));
	cr_expect(eq(int, pe_repo_blob(&text, f.repo, "x", &f.err), PE_EINVALID));
}

Test(changes, a_missing_object_is_a_sentence)
{
	struct pe_changes_query query = {0};
	struct pe_changed_files files;
	char first[41];

	tmp_repo_write(&f.tmp, "dir/a.c", "1\n");
	memcpy(first, tmp_repo_commit(&f.tmp, "root"), 41);
	tmp_repo_write(&f.tmp, "dir/a.c", "2\n");
	tmp_repo_commit(&f.tmp, "second");
	tmp_repo_sh(&f.tmp,
		    "cd repo && t=$(git rev-parse HEAD:dir) && rm -f .git/objects/$(echo $t |"
		    " cut -c1-2)/$(echo $t | cut -c3-)");
	fixture_open(&f, "repo");
	query.after = f.tmp.head;
	cr_expect(eq(int, pe_repo_changes(&files, f.repo, &query, &f.arena, &f.err), PE_EVCS));
	cr_expect_neq(strstr(f.err.message, "missing"), NULL, "%s", f.err.message);
	query.after = "0123456789012345678901234567890123456789";
	cr_expect(eq(int, pe_repo_changes(&files, f.repo, &query, &f.arena, &f.err), PE_EVCS));
	query.after = first;
	cr_expect(eq(int, pe_repo_changes(&files, f.repo, &query, &f.arena, &f.err), PE_OK));
	query.after = "HEAD";
	cr_expect(eq(int, pe_repo_changes(&files, f.repo, &query, &f.arena, &f.err), PE_EINVALID));
}

static bool refuse(const char *path, void *payload)
{
	size_t *n = payload;

	(void)path;
	++*n;
	return false;
}

Test(changes, end_in_a_tree_that_names_the_same_folders_again_and_again)
{
	size_t asked = 0;
	struct pe_changes_query query = {.before = "", .wanted = refuse, .payload = &asked};
	struct pe_changed_files files;
	char *id;

	tmp_repo_write(&f.tmp, "a.c", "1\n");
	tmp_repo_commit(&f.tmp, "root");
	id = tmp_repo_output(
		&f.tmp,
		"cd repo && t=$(git rev-parse HEAD:a.c) kind='100644 blob' &&"
		" for level in 1 2 3 4 5 6 7 8 9 10; do"
		" t=$(for i in 0 1 2 3 4 5 6 7 8 9; do printf '%%s %%s\\t%%s\\n' \"$kind\" $t $i; done |"
		" git mktree); kind='040000 tree'; done && git commit-tree -m bomb $t");
	fixture_open(&f, "repo");
	query.after = id;
	cr_expect(eq(int, pe_repo_changes(&files, f.repo, &query, &f.arena, &f.err), PE_OK));
	cr_expect(files.cut);
	cr_expect(lt(sz, asked, 1u << 21));
}

/* --- Names --- */

struct meeting {
	struct pe_text text;
	size_t most;
};

static bool meet(const struct pe_changed_name *name, void *payload)
{
	struct meeting *all = payload;

	pe_text_addf(&all->text, "%s%s%s%s%s%s\n", name->path, name->before ? " before" : "",
		     name->after ? " after" : "", name->was_dir ? " was-dir" : "",
		     name->is_dir ? " is-dir" : "", name->is_file ? " file" : "");
	return --all->most > 0;
}

static void expect_met(const char *before, const char *after, size_t most, const char *expected)
{
	struct meeting all = {PE_TEXT_INIT, most};
	const struct pe_changes_query query = {
		.before = before, .after = after, .meet = meet, .payload = &all};
	struct pe_changed_files files;

	cr_assert_eq(pe_repo_changes(&files, f.repo, &query, &f.arena, &f.err), 0, "%s",
		     f.err.message);
	cr_expect_eq(files.n, 0);
	cr_expect_str_eq(pe_text_str(&all.text), expected);
	pe_text_release(&all.text);
}

Test(changes, every_name_that_differs_is_met_with_modes_links_and_folders)
{
	char before[41], after[41];

	tmp_repo_write(&f.tmp, "d/e/x", "1\n");
	tmp_repo_write(&f.tmp, "run", "1\n");
	tmp_repo_write(&f.tmp, "same", "1\n");
	tmp_repo_write(&f.tmp, "kind", "1\n");
	tmp_repo_sh(&f.tmp, "cd repo && ln -s same link");
	memcpy(before, tmp_repo_commit(&f.tmp, "one"), 41);
	tmp_repo_sh(&f.tmp, "cd repo && echo 2 > d/e/x && chmod +x run && ln -sfn run link &&"
			    " rm kind && mkdir kind new && echo 1 > kind/in && echo 1 > new/in");
	memcpy(after, tmp_repo_commit(&f.tmp, "two"), 41);
	fixture_open(&f, "repo");
	expect_met(
		before, after, 100,
		"d/e/x before after file\nkind before file\nkind after is-dir\nkind/in after file\n"
		"link before after\nnew after is-dir\nnew/in after file\nrun before after file\n");
	expect_met(before, after, 1, "d/e/x before after file\n");
	expect_met(before, before, 1, "");
}
