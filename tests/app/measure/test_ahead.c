/* Builds side by side (app/measure/ahead.h), with commands that are not started. Numbers in comments are its promises. */
#include "app/measure/ahead.h"

#include "core/base/clock.h"
#include "tests/support/app_fixture.h"
#include "tests/support/test.h"

#include <pthread.h>
#include <time.h>

static struct app_fixture fixture;
static struct site place; /* of the running test */

TestSuiteWith(ahead, (void)0, app_fixture_close(&fixture), .timeout = 600);

enum { COMMITS = 8, LANES = 4 };

static const char four_lanes[] = "build: {steps: [./build], parallel: 4, jobs: 8}\n"
				 "disk: 100GB\n"
				 "benchmarks: {only: {command: ./only, warmup: 0, repeats: 2}}\n";

/* Who is at work, as the commands see it. */
struct site {
	pthread_mutex_t lock;
	pthread_cond_t moved;
	unsigned now, most;  /* builds */
	unsigned most_after; /* since `again` was tried alone */
	unsigned together;   /* a build ends when so many are there, the first time; 0: at once */
	unsigned met;        /* so many were */
	unsigned takes_ms;   /* each build */
	unsigned tries[COMMITS];
	unsigned bad;               /* revision that comes to a bad end */
	struct pe_proc_result ends; /* how */
	bool alone_too;             /* also when it is alone */
};

static void enter(struct site *site)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 600;
	site->now++;
	site->most = site->now > site->most ? site->now : site->most;
	site->met = site->now > site->met ? site->now : site->met;
	pthread_cond_broadcast(&site->moved);
	while (site->met < site->together)
		if (pthread_cond_timedwait(&site->moved, &site->lock, &until) == ETIMEDOUT)
			break;
}

static void answer(struct pe_proc_result *result, const struct fake_command *command, void *payload)
{
	struct site *site = payload;
	unsigned r = command->revision;

	const struct timespec takes = {.tv_nsec = 1000000L * site->takes_ms};

	if (strcmp(command->text, "./build") == 0)
		nanosleep(&takes, NULL);
	pthread_mutex_lock(&site->lock);
	if (strcmp(command->text, "./build") == 0) {
		site->tries[r]++;
		enter(site);
		if (site->tries[site->bad] > 1 && site->now > site->most_after)
			site->most_after = site->now;
		if (r == site->bad && site->ends.end != PE_PROC_EXITED + 100 &&
		    (site->alone_too || site->tries[r] == 1))
			*result = site->ends;
		site->now--;
	}
	pthread_mutex_unlock(&site->lock);
}

static const struct pe_proc_result good = {.end = PE_PROC_EXITED + 100},
				   fails = {.end = PE_PROC_EXITED, .status = 2},
				   killed = {.end = PE_PROC_SIGNALED, .status = SIGKILL},
				   slow = {.end = PE_PROC_TIMED_OUT};

static void open_site(struct site *site, const char *config)
{
	app_fixture_open(&fixture, COMMITS, config);
	*site = (struct site){
		.lock = PTHREAD_MUTEX_INITIALIZER, .moved = PTHREAD_COND_INITIALIZER, .ends = good};
	fixture.executor.answer = answer;
	fixture.executor.payload = site;
}

static int measure(void)
{
	struct pe_session session;
	int rc;

	app_fixture_open_session(&fixture, &session, COMMITS);
	rc = pe_session_measure(&session);
	pe_session_close(&session);
	return rc;
}

Test(ahead, durations_are_shares_of_the_time_that_passed)
{
	uint64_t began_ns, stored_ns;

	open_site(&place, four_lanes);
	place.takes_ms = 100;
	began_ns = pe_clock_ns();
	OK(measure());
	stored_ns = (uint64_t)app_fixture_ask(&fixture, "SELECT SUM(duration_ns) FROM builds");
	cr_expect(lt(u64, stored_ns, pe_clock_ns() - began_ns));
	cr_expect(gt(u64, stored_ns, 100000000), "no time is lost");
}

/* (2) */
Test(ahead, a_build_that_is_killed_beside_others_is_tried_again_alone)
{
	const struct pe_proc_result ends[] = {killed, slow};

	for (size_t i = 0; i < 2; i++) {
		open_site(&place, four_lanes);
		place.together = LANES;
		place.bad = 2;
		place.ends = ends[i];
		OK(measure());
		cr_expect(eq(uint, place.tries[2], 2));
		cr_expect(eq(sz, RAN("./build", UINT_MAX), COMMITS + 1));
		EXPECT_ROWS("builds WHERE outcome = 0", COMMITS);
		cr_expect(le(uint, place.most_after, LANES / 2), "fewer from then on");
		cr_expect_has(pe_text_str(&fixture.notes), "2 at a time");
		app_fixture_close(&fixture);
	}
}

/* (2) */
Test(ahead, what_fails_alone_too_is_a_fact_and_the_next_failure_is_believed)
{
	open_site(&place, four_lanes);
	place.together = LANES;
	place.bad = 1;
	place.ends = fails;
	place.alone_too = true;
	OK(measure());
	cr_expect(eq(uint, place.tries[1], 2));
	EXPECT_ROWS("builds", COMMITS);
	cr_expect(eq(sz,
		     strlen(pe_text_str(&fixture.notes)) > 0 &&
			     strstr(pe_text_str(&fixture.notes), "at a time") != NULL,
		     0));
}

/* (2) A recipe whose builds disturb each other. */
Test(ahead, what_fails_beside_others_alone_ends_building_side_by_side)
{
	open_site(&place, four_lanes);
	place.together = LANES;
	place.bad = 1;
	place.ends = fails;
	OK(measure());
	cr_expect(eq(uint, place.most_after, 1));
	cr_expect_has(pe_text_str(&fixture.notes), "1 at a time");
	EXPECT_ROWS("builds WHERE outcome = 0", COMMITS);
}

struct interrupting {
	struct app_fixture *fixture;
	unsigned begun;
};

/* Ctrl-C once so many builds began: all of them are at work. */
static void interrupt(const struct pe_progress_event *event, void *payload)
{
	struct interrupting *interrupting = payload;

	if (event->phase == PE_PROGRESS_BUILD && ++interrupting->begun == LANES)
		interrupting->fixture->interrupts = 1;
}

/* (1) */
Test(ahead, after_ctrl_c_those_at_work_are_stored_and_only_the_others_are_built_again)
{
	struct interrupting interrupting = {.fixture = &fixture};

	open_site(&place, four_lanes);
	place.together = LANES;
	fixture.app.progress = (struct pe_progress){interrupt, &interrupting};
	cr_assert(eq(int, measure(), PE_ESTOPPED));
	EXPECT_ROWS("builds", LANES);
	cr_expect(eq(sz, RAN("./only", UINT_MAX), 0));
	app_fixture_reopen(&fixture);
	fixture.executor.answer = answer;
	OK(measure());
	cr_expect(eq(sz, RAN("./build", UINT_MAX), COMMITS - LANES));
}

/* (4) */
Test(ahead, sides_that_are_kept_apart_are_never_at_work_together)
{
	struct pe_session session;

	open_site(&place, four_lanes);
	app_fixture_open_session(&fixture, &session, COMMITS);
	session.apart = true;
	OK(pe_session_measure(&session));
	pe_session_close(&session);
	cr_expect(eq(uint, place.most, 1));
}

Test(ahead, a_budget_for_few_builds_holds_over_all_lanes)
{
	open_site(&place, "build: {steps: [./build], parallel: 4}\n"
			  "disk: 1MB\n"
			  "benchmarks: {only: {command: ./only, warmup: 0, repeats: 2}}\n");
	OK(measure());
	cr_expect(eq(uint, place.tries[0], 1));
	EXPECT_ROWS("builds", COMMITS);
}
