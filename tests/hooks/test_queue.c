/* Numbers in parentheses are the promises of hooks/queue.h. */
#include "hooks/queue.h"
#include "tests/support/test.h"
#include "tests/support/tmp_repo.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define ONE "1111111111111111111111111111111111111111"
#define TWO "2222222222222222222222222222222222222222"

static struct tmp_repo tmp;
static struct pe_arena arena;
static struct pe_err err;
static char *folder;
static struct pe_queued *queue;
static size_t n;

static void make(void)
{
	tmp_repo_init(&tmp);
	folder = tmp_repo_path(&tmp, "perfevo/hooks");
}

static void drop(void)
{
	free(folder);
	pe_arena_release(&arena);
	tmp_repo_release(&tmp);
}

TestSuite(queue, .init = make, .fini = drop, .timeout = 600);

static void add(const char *id)
{
	struct pe_queued one = {.tree = "/some/tree", .git_dir = ""};

	strcpy(one.id, id);
	cr_assert_eq(pe_queue_add(folder, &one, &err), PE_OK, "%s", err.message);
}

static void list(void)
{
	cr_assert_eq(pe_queue_list(&queue, &n, folder, &arena, &err), PE_OK, "%s", err.message);
}

Test(queue, an_absent_folder_is_empty)
{
	struct pe_worker_state state;

	list();
	cr_expect(eq(sz, n, 0));
	cr_expect(not(pe_worker_ask(&state, folder)));
}

Test(queue, gives_the_newest_first_and_each_once)
{
	add(ONE);
	add(TWO);
	add(ONE);
	list();
	cr_assert(eq(sz, n, 2));
	cr_expect_str_eq(queue[0].id, ONE);
	cr_expect_str_eq(queue[1].id, TWO);
	cr_expect_str_eq(queue[0].tree, "/some/tree");
	cr_expect_str_eq(queue[0].git_dir, "");
	cr_expect(eq(int, pe_queue_drop(folder, ONE, &arena, &err), PE_OK));
	list();
	cr_assert(eq(sz, n, 1));
	cr_expect_str_eq(queue[0].id, TWO);
}

Test(queue, counts_attempts) /* (1) */
{
	add(ONE);
	list();
	cr_expect(eq(uint, queue[0].attempts, 0));
	cr_expect(eq(int, pe_queue_note(folder, &queue[0], 1, &err), PE_OK));
	list();
	cr_assert(eq(sz, n, 1));
	cr_expect(eq(uint, queue[0].attempts, 1));
	cr_expect_str_eq(queue[0].tree, "/some/tree");
}

Test(queue, passes_over_what_is_being_written)
{
	add(ONE);
	tmp_repo_sh(&tmp, "cd perfevo/hooks/queue; f=$(ls); cp \"$f\" \"$f.AbCdEf\"; touch x");
	list();
	cr_expect(eq(sz, n, 1));
}

Test(queue, has_one_worker) /* (2) */
{
	struct pe_worker_state state = {.pid = getpid(), .since_s = 7, .done = 3, .total = 9};
	int first, second;

	cr_assert(eq(int, pe_worker_lock(&first, folder, &err), PE_OK));
	cr_expect(eq(int, pe_worker_lock(&second, folder, &err), PE_EBUSY));
	strcpy(state.id, ONE);
	strcpy(state.phase, "run");
	pe_worker_report(folder, &state);
	memset(&state, 0, sizeof(state));
	cr_expect(pe_worker_ask(&state, folder));
	cr_expect(eq(i64, state.pid, getpid()));
	cr_expect(eq(u64, state.done, 3));
	cr_expect(eq(u64, state.total, 9));
	cr_expect_str_eq(state.id, ONE);
	cr_expect_str_eq(state.phase, "run");
	pe_worker_leave(first, folder);
	cr_expect(not(pe_worker_ask(&state, folder)));
	tmp_repo_sh(&tmp, "[ ! -e perfevo/hooks/worker ]");
	cr_expect(eq(int, pe_worker_lock(&second, folder, &err), PE_OK));
	close(second);
}

Test(queue, a_killed_worker_lets_go) /* (2) */
{
	struct pe_worker_state state;
	int ready[2], fd;
	char byte;
	pid_t pid;

	cr_assert_eq(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		byte = pe_worker_lock(&fd, folder, NULL) == PE_OK ? 'y' : 'n';
		if (write(ready[1], &byte, 1) == 1)
			pause();
		_exit(0);
	}
	cr_assert(eq(sz, (size_t)read(ready[0], &byte, 1), 1));
	cr_expect(byte == 'y');
	cr_expect(pe_worker_ask(&state, folder));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	cr_expect(not(pe_worker_ask(&state, folder)));
}

Test(queue, keeps_results_until_they_are_shown)
{
	struct pe_hook_result result = {
		.verdict = PE_RESULT_SUSPECTED,
		.found_s = 1700000000,
		.text = "slower:\nby much",
		.subject = "add a cache",
	};
	struct pe_hook_result *found;

	strcpy(result.id, ONE);
	cr_assert_eq(pe_result_add(folder, &result, &arena, &err), PE_OK, "%s", err.message);
	cr_assert(eq(int, pe_result_list(&found, &n, folder, true, &arena, &err), PE_OK));
	cr_assert(eq(sz, n, 1));
	cr_expect_str_eq(found[0].id, ONE);
	cr_expect_str_eq(found[0].text, "slower: by much");
	cr_expect_str_eq(found[0].subject, "add a cache");
	cr_expect(eq(int, (int)found[0].verdict, PE_RESULT_SUSPECTED));
	cr_expect(eq(i64, found[0].found_s, 1700000000));
	cr_expect(not(found[0].shown));
	cr_expect(pe_result_shown(folder, &found[0], &arena));
	cr_expect(not(pe_result_shown(folder, &found[0], &arena)), "one of two shows it");
	cr_assert(eq(int, pe_result_list(&found, &n, folder, true, &arena, &err), PE_OK));
	cr_assert(eq(sz, n, 1));
	cr_expect(found[0].shown);
	cr_assert(eq(int, pe_result_list(&found, &n, folder, false, &arena, &err), PE_OK));
	cr_expect(eq(sz, n, 0));
}

Test(queue, forgets_results_of_long_ago)
{
	struct pe_hook_result result = {.text = "", .subject = ""};
	struct pe_hook_result *found;

	strcpy(result.id, TWO);
	for (int i = 0; i < 60; i++)
		cr_assert(eq(int, pe_result_add(folder, &result, &arena, &err), PE_OK));
	cr_assert(eq(int, pe_result_list(&found, &n, folder, true, &arena, &err), PE_OK));
	cr_expect(eq(sz, n, 50));
}
