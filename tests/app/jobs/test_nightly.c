/* A night: its steps, what is news in the morning, and who is told. */
#define _XOPEN_SOURCE 700
#include "app/jobs/nightly.h"

#include "app/search/track.h"
#include "hooks/journal.h"
#include "tests/app/jobs/fake_track.h"
#include "tests/support/app_fixture.h"
#include "tests/support/test.h"

static const char config[] =
	"build: ./build\n"
	"metrics:\n"
	"  cpu: {judge: false}\n"
	"  max-rss: {judge: false}\n"
	"benchmarks:\n"
	"  only: {command: ./only, warmup: 0, repeats: 6, allocations: false}\n";

static struct app_fixture fixture;
static bool is_unmeasurable; /* of the running test */
static struct pe_newsletter news;
static uint32_t state;

TestSuiteWith(nightly, (void)0, app_fixture_close(&fixture), .timeout = 600);

/* --- What is news --- */

enum { COMMITS = 16, CULPRIT = 9 };

static void jump(struct pe_proc_result *result, const struct fake_command *command, void *payload)
{
	(void)payload;
	state = state * 1664525u + 1013904223u;
	result->cost.wall_ns = 1000000 + (state >> 8) % 20000;
	if (command->revision >= CULPRIT)
		result->cost.wall_ns += 200000;
}

static void open_tracked(bool confirm)
{
	struct pe_track_request request = {.all = true, .no_confirm = !confirm};
	struct pe_session session;

	app_fixture_open(&fixture, COMMITS, config);
	fixture.executor.answer = jump;
	request.first = fixture.commits.at[0].id;
	app_fixture_open_session(&fixture, &session, COMMITS);
	OK(pe_track_measure(&session, &request));
	pe_session_close(&session);
}

static void make_news(size_t last)
{
	int rc = pe_newsletter_make(&news, &fixture.app, "HEAD", last);

	cr_assert_ok(rc, fixture.err.message);
}

static char *read_out(const char *name)
{
	return tmp_repo_output(&fixture.repo, "cat %s 2>/dev/null || true", name);
}

Test(nightly, news_is_what_lies_in_the_last_commits)
{
	open_tracked(true);
	make_news(COMMITS - CULPRIT - 1);
	cr_expect(eq(sz, news.n, 0), "change 9 is older");
	make_news(COMMITS - CULPRIT);
	cr_expect(eq(sz, news.n, 1));
}

Test(nightly, news_is_not_what_is_suspected)
{
	open_tracked(false);
	make_news(COMMITS);
	cr_expect(eq(sz, news.n, 0));
	cr_expect(eq(sz, news.suspects, 1));
}

/* --- What is said --- */

static struct pe_revision revisions[] = {
	{.id = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", .subject = "before"},
	{.id = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb",
	 .subject = "cache the index",
	 .author = "Ada Author"},
};

static struct pe_jump regressed, improved;
static const struct pe_evolution evolution = {.revisions = revisions, .n_revisions = 2};
static const struct pe_line lines[] = {
	{.benchmark = "parse", .metric = &pe_metrics[PE_WALL]},
	{.benchmark = "print\n\033[31m", .metric = &pe_metrics[PE_WALL]},
	{.benchmark = "walk", .metric = &pe_metrics[PE_WALL]},
};
static const struct pe_ranked_jump jumps[] = {
	{&lines[0], &regressed, 1}, {&lines[1], &regressed, 1}, {&lines[2], &improved, 1}};

static struct pe_news news_of(const struct pe_ranked_jump *of, size_t n)
{
	struct pe_news one = {.block = {.commit = 1, .jumps = of, .n = n}};

	pe_commit_block_classify(&one.block, &fixture.arena);
	return one;
}

/* A commit whose jumps are of so many benchmarks. */
static struct pe_news regression(size_t commits, size_t n)
{
	regressed = (struct pe_jump){
		.after = 1,
		.regression = true,
		.state = PE_JUMP_CONFIRMED,
		.commits = commits,
		.old_level = 0.1,
		.new_level = 0.12,
		.relative = 0.2,
		.low = 0.18,
		.high = 0.22,
	};
	improved = regressed;
	improved.regression = false;
	improved.relative = -0.1;
	return news_of(jumps, n);
}

static char *text_of(void)
{
	pe_auto_text text = PE_TEXT_INIT;
	char *copy;

	pe_newsletter_text(&text, &news);
	copy = strdup(pe_text_str(&text));
	return copy;
}

static void expect_text(const char *expected)
{
	char *found = text_of();

	cr_expect_str_eq(found, expected);
	free(found);
}

#define GATE       "news from a change of wall 3 %, instructions 1 %, allocations 1 %, peak 5 % on\n\n"
#define STEP       "   parse  wall time  +20 %  [+18, +22]  100 → 120 ms  confirmed, stored runs\n"
#define WHAT_TO_DO "   by Ada Author; perfevo compare aaaaaaaaaa bbbbbbbbbb\n"

Test(nightly, text_says_what_got_worse_since_when_and_what_to_do)
{
	struct pe_news one;

	app_fixture_open(&fixture, 1, config);
	one = regression(1, 1);
	news = (struct pe_newsletter){.project = "tool",
				      .evolution = &evolution,
				      .report = "/r.html",
				      .at = &one,
				      .n = 1,
				      .gate = fixture.app.config->gate};
	regressed.old_level = 100e6;
	regressed.new_level = 120e6;
	expect_text("1 slower in tool\n" GATE "bbbbbbbb cache the index  slower\n" STEP WHAT_TO_DO
		    "\nreport: /r.html\n");
	regressed.layout = PE_LAYOUT_ONLY;
	expect_text("1 slower in tool\n" GATE "bbbbbbbb cache the index  slower\n" STEP
		    "      layout: " PE_LAYOUT_WHY "\n" WHAT_TO_DO "\nreport: /r.html\n");
	regressed.layout = PE_LAYOUT_WORK;
	regressed.commits = 4;
	regressed.low = regressed.high = NAN;
	news.suspects = 2;
	news.cut_short = true;
	news.report = NULL;
	expect_text("1 slower in tool\n" GATE "in aaaaaaaa..bbbbbbbb (4 commits)  slower\n"
		    "   parse  wall time  +20 %  100 → 120 ms  confirmed, stored runs\n" WHAT_TO_DO
		    "\n2 suspected regressions are not decided yet\n"
		    "time budget exhausted; the next run continues\n");
}

Test(nightly, text_of_a_commit_has_each_of_its_jumps)
{
	struct pe_news one;

	app_fixture_open(&fixture, 1, config);
	one = regression(3, 3);
	regressed.old_level = improved.old_level = 100e6;
	regressed.new_level = improved.new_level = 120e6;
	news = (struct pe_newsletter){.project = "tool",
				      .evolution = &evolution,
				      .at = &one,
				      .n = 1,
				      .gate = fixture.app.config->gate};
	expect_text(
		"1 mixed in tool\n" GATE "in aaaaaaaa..bbbbbbbb (3 commits)  mixed\n"
		"   parse      wall time  +20 %  [+18, +22]  100 → 120 ms  confirmed, stored runs\n"
		"   print[31m  wall time  +20 %  [+18, +22]  100 → 120 ms  confirmed, stored runs\n"
		"   walk       wall time  −10 %  [+18, +22]  100 → 120 ms  confirmed, stored runs\n" WHAT_TO_DO);
	regressed.commits = improved.commits = 1;
	one = news_of(&jumps[1], 2);
	one.again = true;
	expect_text(
		"1 mixed in tool\n" GATE "bbbbbbbb cache the index  mixed\n"
		"   print[31m  wall time  +20 %  [+18, +22]  100 → 120 ms  confirmed, stored runs\n"
		"   walk       wall time  −10 %  [+18, +22]  100 → 120 ms  confirmed, stored runs\n" WHAT_TO_DO
		"   others of its regressions were reported before\n");
}

Test(nightly, text_of_a_quiet_night_is_a_line)
{
	app_fixture_open(&fixture, 1, config);
	news = (struct pe_newsletter){.project = "tool", .report = "/r.html"};
	expect_text("no new regression\n");
	news.suspects = 1;
	expect_text("no new regression\n1 suspected regression is not decided yet\n");
}

/* --- Who is told --- */

/* A sendmail that keeps what it is given, and a night that tells one regression. */
static void open_ways(struct pe_news *one)
{
	const char *path = getenv("PATH");

	app_fixture_open(&fixture, 1, config);
	*one = regression(1, 1);
	news = (struct pe_newsletter){
		.project = "tool\nBcc: x", .evolution = &evolution, .at = one, .n = 1};
	tmp_repo_sh(&fixture.repo,
		    "mkdir bin && printf '#!/bin/sh\\ncat >\"%s/mail\"\\n' >bin/sendmail && "
		    "chmod +x bin/sendmail",
		    fixture.repo.root);
	setenv("PATH", pe_arena_printf(&fixture.arena, "%s/bin:%s", fixture.repo.root, path), 1);
}

static bool is_reported(void)
{
	char *told = tmp_repo_output(&fixture.repo,
				     "cat repo/.git/perfevo/nightly/told 2>/dev/null || true");
	bool is = strstr(told, "parse\twall\tbbbb") != NULL;

	return is;
}

Test(nightly, mail_goes_out_when_there_is_something_alone)
{
	struct pe_news one;
	char *mail;

	open_ways(&one);
	fixture.app.config->nightly.mail = "team@example.org";
	news.n = 0;
	pe_newsletter_send(&fixture.app, &news);
	mail = read_out("mail");
	cr_expect_str_empty(mail);
	news.n = 1;
	pe_newsletter_send(&fixture.app, &news);
	mail = read_out("mail");
	cr_expect(strstr(mail, "To: team@example.org\nSubject: [perfevo] 1 regression in ") == mail,
		  "%s", mail);
	cr_expect(strstr(mail, "\nBcc:") == NULL, "a name adds no header: %s", mail);
	cr_expect_has(mail, "\n\n1 slower in tool");
	cr_expect(is_reported());
}

/* --- The steps --- */

static int run_night(const char *script, struct pe_nightly_plan plan, bool *unmeasurable)
{
	app_fixture_open(&fixture, 2, config);
	fake_track_set(&fixture.repo, script);
	if (plan.budget_ns == 0)
		plan.budget_ns = 600000000000;
	plan.last = 7;
	return pe_nightly_run(&news, unmeasurable, &fixture.app, &plan);
}

Test(nightly, log_is_continued_by_the_next_night)
{
	const struct pe_nightly_plan plan = {
		.report = "/r.html", .budget_ns = 600000000000, .last = 7};

	app_fixture_open(&fixture, 2, config);
	fake_track_set(&fixture.repo, "echo $1");
	for (int i = 0; i < 2; i++)
		OK(pe_nightly_run(&news, &is_unmeasurable, &fixture.app, &plan));
	cr_expect_str_eq(
		tmp_repo_output(
			&fixture.repo,
			"cd repo/.git/perfevo/nightly && grep -c '^== night of 20' *.log && "
			"grep -c -e '^track$' -e '^bisect$' -e '^report$' *.log"),
		"2\n6");
}

static void expect_steps(const char *expected)
{
	char *calls = fake_track_calls(&fixture.repo), *commands;
	pe_auto_text text = PE_TEXT_INIT;

	/* General options aside. */
	for (char *line = strtok(calls, "\n"); line != NULL; line = strtok(NULL, "\n")) {
		commands = strstr(line, "perfevo.db ");
		cr_assert(commands != NULL, "%s", line);
		pe_text_addf(&text, "%s\n", commands + strlen("perfevo.db "));
	}
	cr_expect_str_eq(pe_text_str(&text), expected);
}

Test(nightly, steps_are_track_bisect_and_report)
{
	const struct pe_nightly_plan plan = {.report = "/tmp/nowhere.html"};

	OK(run_night("exit 0", plan, &is_unmeasurable));
	expect_steps("track --no-open --last 7 HEAD\n"
		     "bisect --no-compare\n"
		     "report -o /tmp/nowhere.html --newest-jumps 7 HEAD\n");
	cr_expect(not(is_unmeasurable));
	cr_expect(not(news.cut_short));
	cr_expect_str_eq(news.report, "/tmp/nowhere.html");
}

Test(nightly, track_that_fails_ends_it)
{
	const struct pe_nightly_plan plan = {0};

	cr_expect_fails(run_night("exit 128", plan, &is_unmeasurable), PE_ESYS, fixture.err.message,
			"track ended with status 128");
	expect_steps("track --no-open --last 7 HEAD\n");
}

Test(nightly, unmeasurable_tip_is_no_failure)
{
	const struct pe_nightly_plan plan = {.report = "/r.html"};

	OK(run_night("[ $1 != track ] || exit 125", plan, &is_unmeasurable));
	cr_expect(is_unmeasurable);
	expect_steps("track --no-open --last 7 HEAD\nreport -o /r.html --newest-jumps 7 HEAD\n");
}

Test(nightly, budget_that_is_spent_stops_track_and_leaves_the_report)
{
	const struct pe_nightly_plan plan = {.report = "/r.html", .budget_ns = 3000000000};

	OK(run_night("[ $1 != track ] || exec sleep 60", plan, &is_unmeasurable));
	cr_expect(news.cut_short);
	expect_steps(
		"track --no-open --last 7 HEAD\nreport -o /r.html --newest-jumps 7 HEAD --no-profile\n");
}

Test(nightly, fetch_that_fails_leaves_the_local_commits)
{
	const struct pe_nightly_plan plan = {.fetch = "nowhere", .report = "/r.html"};

	OK(run_night("exit 0", plan, &is_unmeasurable));
	cr_expect_has(pe_text_str(&fixture.notes), "git fetch failed");
}

Test(nightly, one_at_a_time)
{
	const struct pe_nightly_plan plan = {.budget_ns = 1, .last = 1};
	int ready[2], lock;
	char byte = 'x';
	pid_t other;

	app_fixture_open(&fixture, 1, config);
	cr_assert_eq(pipe(ready), 0);
	other = fork();
	if (other == 0) {
		if (pe_job_lock(&lock, pe_nightly_folder(&fixture.app), NULL) == PE_OK &&
		    write(ready[1], &byte, 1) == 1)
			pause();
		_exit(0);
	}
	cr_assert(eq(sz, (size_t)read(ready[0], &byte, 1), 1));
	cr_expect(eq(int, pe_nightly_run(&news, &is_unmeasurable, &fixture.app, &plan), PE_EBUSY));
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
}
