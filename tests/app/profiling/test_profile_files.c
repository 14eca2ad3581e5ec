/* Profiles in files: what a sample stands for, and which two cannot be compared. */
#include "app/profiling/profile_files.h"

#include "tests/support/app_fixture.h"
#include "tests/support/test.h"

static struct app_fixture fixture;
static struct pe_frames frames;

TestSuiteWith(profile_files,
	      app_fixture_open(&fixture, 1,
			       "build: ./build\nbenchmarks:\n  only: {command: ./only}\n"),
	      (pe_frames_release(&frames), app_fixture_close(&fixture)), .timeout = 600);

static const char *write_text(const char *name, const char *content)
{
	char *path;

	tmp_repo_write(&fixture.repo, name, content);
	path = tmp_repo_path(&fixture.repo, "repo");
	name = pe_arena_printf(&fixture.arena, "%s/%s", path, name);
	return name;
}

static struct pe_recorded read_text(const char *name, const char *content,
				    struct pe_recorded_opts *opts)
{
	const char *path = write_text(name, content);
	struct pe_cct *cct;
	OK(pe_recorded_read(&cct, &fixture.app, path, opts, &frames));
	return (struct pe_recorded){cct, name};
}

static uint64_t total_of(const struct pe_cct *cct)
{
	return cct->total_ns[0];
}

static size_t notes_with(const char *part)
{
	const char *at = pe_text_str(&fixture.notes);
	size_t n = 0;

	while ((at = strstr(at, part)) != NULL) {
		at += strlen(part);
		n++;
	}
	return n;
}

Test(profile_files, of_samples_alone_take_one_for_a_millisecond_and_say_so_once)
{
	struct pe_recorded_opts opts = {0};
	struct pe_recorded one = read_text("a.folded", "main;f 2\nmain;g 3\n", &opts);

	cr_expect(eq(u64, total_of(one.cct), 5000000));
	cr_expect(eq(u64, one.cct->facts.duration_ns, 5000000));
	one = read_text("b.folded", "main;f 4\n", &opts);
	cr_expect(eq(u64, total_of(one.cct), 4000000));
	cr_expect(eq(sz, notes_with("taken for 1 ms"), 1));
}

Test(profile_files, of_samples_alone_take_the_users_word_for_their_distance)
{
	struct pe_recorded_opts opts = {.sample_ns = 250};
	struct pe_recorded one = read_text("a.folded", "main;f 2\n", &opts);

	cr_expect(eq(u64, total_of(one.cct), 500));
	cr_expect(eq(sz, notes_with("taken for 1 ms"), 0));
}

Test(profile_files, with_absurd_counts_end_at_the_greatest_time)
{
	struct pe_recorded_opts opts = {.sample_ns = UINT64_MAX / 2};
	struct pe_recorded one = read_text("a.folded", "main;f 9\nmain;g 9\n", &opts);

	cr_expect(eq(u64, one.cct->facts.duration_ns, UINT64_MAX));
}

Test(profile_files, that_are_none_are_refused_with_their_name)
{
	struct pe_recorded_opts opts = {0};
	struct pe_cct *cct;
	const char *path = write_text("a.txt", "\x01\x02 no profile\n");

	cr_expect_fails(pe_recorded_read(&cct, &fixture.app, path, &opts, &frames), PE_EINVALID,
			fixture.err.message, "a.txt");
	cr_expect(eq(int, pe_recorded_read(&cct, &fixture.app, "/nowhere/x.folded", &opts, &frames),
		     PE_ENOTFOUND));
}

Test(profile_files, of_different_kinds_are_told_apart)
{
	static const char timeline[] =
		"{\"traceEvents\": [{\"ph\": \"X\", \"name\": \"f\", \"ts\": 1, \"dur\": 5, "
		"\"pid\": 1, \"tid\": 1}]}";
	struct pe_recorded_opts opts = {.sample_ns = 1};
	const struct pe_recorded one = read_text("a.folded", "main;f 2\n", &opts);
	const struct pe_recorded same = read_text("b.folded", "start;f 9\n", &opts);
	const struct pe_recorded drawn = read_text("d.json", timeline, &opts);
	const char *why;

	cr_expect(pe_recorded_apart(&one, &same, &fixture.arena) == NULL);
	why = pe_recorded_apart(&one, &drawn, &fixture.arena);
	cr_assert(why != NULL);
	cr_expect(strstr(why, "d.json is a timeline (chrome) and a.folded is not") == why, "%s",
		  why);
	cr_expect(pe_recorded_apart(&drawn, &drawn, &fixture.arena) == NULL);
}
