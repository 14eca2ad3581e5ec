/* Numbers in parentheses are the promises of hooks/journal.h. */
#include "hooks/journal.h"
#include "tests/support/test.h"
#include "tests/support/tmp_repo.h"

#define ONE "1111111111111111111111111111111111111111"
#define TWO "2222222222222222222222222222222222222222"

static struct tmp_repo tmp;
static struct pe_arena arena;
static struct pe_err err;
static char *folder;
static struct pe_journal journal, results;

TestSuiteWith(journal, (tmp_repo_init(&tmp), folder = tmp_repo_path(&tmp, "perfevo/hooks")),
	      (pe_arena_release(&arena), tmp_repo_release(&tmp)), .timeout = 600);

static void commit(const char *id)
{
	const struct pe_journal_commit one = {.id = id, .tree = "/some/tree", .git_dir = ""};

	cr_assert_ok(pe_journal_commit(&results, folder, &one, &arena, &err), err.message);
}

static void add(enum pe_journal_event event, const char *id)
{
	static const char *const fields[2] = {"add a cache", "slower:\nby\tmuch"};

	cr_assert_ok(
		pe_journal_add(folder, event, id, event >= PE_JOURNAL_PASS ? fields : NULL, &err),
		err.message);
}

/* The newest that waits, or NULL. */
static const struct pe_journal_commit *waiting(size_t *n)
{
	cr_assert_ok(pe_journal_read(&journal, folder, &arena, &err), err.message);
	return pe_journal_waiting(&journal, n);
}

Test(journal, that_is_absent_is_empty)
{
	size_t n;

	cr_expect(waiting(&n) == NULL);
	cr_expect(eq(sz, n, 0));
	cr_expect(eq(int, pe_job_process(folder), 0));
}

Test(journal, gives_the_newest_that_waits_and_each_once)
{
	const struct pe_journal_commit *newest;
	size_t n;

	commit(ONE);
	commit(TWO);
	commit(ONE);
	newest = waiting(&n);
	cr_assert(eq(sz, n, 2));
	cr_expect_str_eq(newest->id, ONE);
	cr_expect_str_eq(newest->tree, "/some/tree");
	cr_expect_str_eq(newest->git_dir, "");
	add(PE_JOURNAL_SKIPPED, ONE);
	newest = waiting(&n);
	cr_assert(eq(sz, n, 1));
	cr_expect_str_eq(newest->id, TWO);
}

Test(journal, of_a_commit_without_a_result_says_that_it_waits) /* (1) */
{
	commit(ONE);
	add(PE_JOURNAL_BEGUN, ONE);
	cr_expect_str_eq(waiting(NULL)->id, ONE);
	cr_expect(journal.begun == &journal.at[0]);
	cr_expect(journal.begun->begun_s > 0);
	add(PE_JOURNAL_PASS, ONE);
	cr_expect(waiting(NULL) == NULL);
}

Test(journal, of_which_the_last_line_was_cut_off_goes_on_behind_it) /* (1) */
{
	size_t n;

	commit(ONE);
	tmp_repo_sh(&tmp, "printf '1700000000\tcommit\t2222' >>perfevo/hooks/journal");
	waiting(&n);
	cr_expect(eq(sz, n, 1));
	commit(TWO);
	cr_expect_str_eq(waiting(&n)->id, TWO);
	cr_expect(eq(sz, n, 2));
}

Test(journal, passes_over_what_it_cannot_read)
{
	size_t n;

	commit(ONE);
	tmp_repo_sh(&tmp, "printf '1\tcommit\t--html=x\t/tree\t\n\nx\n1\tlater\t" TWO
			  "\n1\tbegun\t" TWO "\n' >>perfevo/hooks/journal");
	cr_expect_str_eq(waiting(&n)->id, ONE);
	cr_expect(eq(sz, n, 1));
	cr_expect(eq(sz, journal.n, 1));
}

Test(journal, has_one_job_and_a_killed_one_lets_go) /* (2) */
{
	int ready[2], fd;
	char byte;
	pid_t pid;

	cr_assert_eq(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		byte = pe_job_lock(&fd, folder, NULL) == PE_OK ? 'y' : 'n';
		if (write(ready[1], &byte, 1) == 1)
			pause();
		_exit(0);
	}
	cr_assert(eq(sz, (size_t)read(ready[0], &byte, 1), 1));
	cr_expect(byte == 'y');
	cr_expect(eq(int, pe_job_lock(&fd, folder, &err), PE_EBUSY));
	cr_expect(eq(int, pe_job_process(folder), pid));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	cr_expect(eq(int, pe_job_process(folder), 0));
	cr_expect(eq(int, pe_job_lock(&fd, folder, &err), PE_OK));
	close(fd);
}

Test(journal, gives_a_result_to_one_hook)
{
	commit(ONE);
	add(PE_JOURNAL_SUSPECTED, ONE);
	commit(TWO);
	cr_assert(eq(sz, results.n, 1));
	cr_expect_str_eq(results.at[0].id, ONE);
	cr_expect_str_eq(results.at[0].subject, "add a cache");
	cr_expect_str_eq(results.at[0].text, "slower: by much");
	cr_expect(eq(int, (int)results.at[0].state, PE_JOURNAL_SUSPECTED));
	commit(TWO);
	cr_expect(eq(sz, results.n, 0));
	waiting(NULL);
	cr_expect(journal.at[0].shown);
}
