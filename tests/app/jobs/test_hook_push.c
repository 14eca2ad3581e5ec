/* Before a push: what is compared with what, and what stops it. `perfevo ci` is a script here. */
#define _XOPEN_SOURCE 700
#include "app/jobs/hook.h"

#include "tests/app/jobs/fake_track.h"
#include "tests/support/app_fixture.h"
#include "tests/support/test.h"

#define ZERO "0000000000000000000000000000000000000000"

static const char config[] = "build: ./build\nbenchmarks:\n  parse: {command: ./parse}\n";

static struct app_fixture fixture;

TestSuiteWith(hook_push, (void)0, app_fixture_close(&fixture), .timeout = 600);

/* @param ci  a script in place of `perfevo ci` */
static void open_push(const char *more, const char *ci)
{
	struct pe_text text = PE_TEXT_INIT;

	pe_text_addf(&text, "%s%s", config, more);
	app_fixture_open(&fixture, 3, pe_text_str(&text));
	tmp_repo_write(&fixture.repo, "perfevo.yml", pe_text_str(&text));
	pe_text_release(&text);
	fake_track_set(&fixture.repo, ci);
	/* The hook opens it itself. */
	fixture.app.config = NULL;
}

static const char *id_of(size_t i)
{
	return i < fixture.commits.n ? fixture.commits.at[i].id : ZERO;
}

/* Git's lines for the hook, and whether it stops the push. */
static bool push_lines(const char *lines)
{
	pe_auto_text text = PE_TEXT_INIT;
	char *path = tmp_repo_path(&fixture.repo, "lines");
	bool blocked;

	pe_text_add(&text, lines);
	OK(pe_text_write_file(&text, path, NULL));
	cr_assert(freopen(path, "r", stdin) != NULL);
	OK(pe_hook_push(&blocked, &fixture.app, "origin"));
	return blocked;
}

static bool is_said(const char *part)
{
	return strstr(pe_text_str(&fixture.notes), part) != NULL;
}

#define SAID pe_text_str(&fixture.notes)

/* How often `perfevo ci` compared two commits; past the last: any. */
static size_t n_compared(size_t base, size_t tip)
{
	char *calls = fake_track_calls(&fixture.repo);
	const char *wanted =
		base < fixture.commits.n
			? pe_arena_printf(&fixture.arena, "--base %s %s", id_of(base), id_of(tip))
			: " ci --no-profile --no-tests --budget ";
	size_t n = 0;

	for (const char *at = calls; (at = strstr(at, wanted)) != NULL; at++)
		n++;
	return n;
}

#define MAIN(new, old) "refs/heads/main " new " refs/heads/main " old "\n"

/* "exit 1": a regression. Ids of commits are $0 to $2, of none $3. */
static struct pushed {
	const char *what, *config, *ci, *lines;
	bool stopped;
	size_t compared; /* pairs of commits */
	const char *said;
} cases[] = {
	{"a regression", "", "exit 1", MAIN("$2", "$0"), true, 1,
	 "the push is stopped; 'perfevo compare "},
	{"no regression", "", "exit 0", MAIN("$2", "$1"), false, 1, ""},
	{"not measurable", "", "exit 125", MAIN("$2", "$1"), false, 1, ""},
	{"a failure", "", "exit 128", MAIN("$2", "$1"), false, 1, ""},
	{"a kill", "", "kill -KILL $$", MAIN("$2", "$1"), false, 1, ""},
	{"told and not stopped", "hooks: {pre-push: {block: false}}\n", "exit 1", MAIN("$1", "$0"),
	 false, 1, "pushed anyway"},
	{"nothing new", "", "exit 1", MAIN("$1", "$1"), false, 0, NULL},
	{"a reference that is deleted", "", "exit 1", MAIN("$3", "$1"), false, 0, NULL},
	{"notes", "", "exit 1", "refs/notes/x $1 refs/notes/x $0\n", false, 0, NULL},
	{"nothing", "", "exit 1", "", false, 0, NULL},
	{"two branches at one commit", "", "exit 1",
	 MAIN("$1", "$0") "refs/heads/b $1 refs/heads/b $0\n", true, 1, ""},
	{"a remote that nothing is known of", "", "exit 1", MAIN("$2", "$3"), false, 0,
	 "run 'git fetch' first"},
	{"what takes too long", "hooks: {pre-push: {budget: 1s}}\n", "exec sleep 31415",
	 MAIN("$1", "$0"), false, 1, ""},
	{"any words of the user for the local side", "", "exit 1",
	 "\nHEAD@{1 day ago} $2 refs/heads/main $0", true, 1, ""},
	{"lines that are not git's", "", "exit 1", "a $1 b $1\na $1 b\n", false, 0,
	 "this push was not tested: line 2 of what git says"},
	{"ids that are none", "", "exit 1", "a 123 b 456\n", false, 0, ""},
	{"blanks", "", "exit 1", "   \n", false, 0, ""},
};

TestOver(struct pushed *of, cases, hook_push, is_stopped_by_a_regression_alone)
{
	pe_auto_text lines = PE_TEXT_INIT;

	open_push(of->config, of->ci);
	for (const char *at = of->lines; *at != '\0'; at++)
		if (*at == '$')
			pe_text_add(&lines, id_of((size_t)(*++at - '0')));
		else
			pe_text_addc(&lines, *at);
	cr_expect(eq(int, push_lines(pe_text_str(&lines)), of->stopped), "%s", of->what);
	cr_expect(eq(sz, n_compared(9, 9), of->compared), "%s", of->what);
	cr_expect(of->said != NULL ? is_said(of->said) : *SAID == '\0', "%s: %s", of->what, SAID);
}

Test(hook_push, compares_what_is_pushed_with_what_is_there)
{
	open_push("", "exit 1");
	cr_expect(
		push_lines(pe_arena_printf(&fixture.arena, MAIN("%s", "%s"), id_of(2), id_of(0))));
	cr_expect(eq(sz, n_compared(0, 2), 1));
	cr_expect(is_said(pe_arena_printf(&fixture.arena, "testing main: %.8s against %.8s",
					  id_of(2), id_of(0))),
		  "%s", SAID);
}

Test(hook_push, is_stopped_by_nothing_that_is_wrong_with_the_config)
{
	open_push("", "exit 1");
	tmp_repo_sh(&fixture.repo, "echo 'build: [' >perfevo.yml");
	cr_expect(not(
		push_lines(pe_arena_printf(&fixture.arena, MAIN("%s", "%s"), id_of(1), id_of(0)))));
	cr_expect(is_said("this push was not tested: "), "%s", SAID);
}
