/* Profiles that the store has, found without a config: of which benchmark, version and machine. */
#include "app/profiling/stored_profiles.h"

#include "tests/support/app_fixture.h"
#include "tests/support/test.h"

static const char first_version[] = "build: ./build\n"
				    "benchmarks:\n"
				    "  parse: {command: ./parse}\n"
				    "  parse-all: {command: ./all}\n";

static struct app_fixture fixture;
static struct pe_found_profile found; /* of the running test */
static struct pe_session session;
static const char *revision;

TestSuiteWith(stored_profiles,
	      (app_fixture_open(&fixture, 1, first_version),
	       app_fixture_open_session(&fixture, &session, 1),
	       revision = fixture.commits.at[0].id),
	      (pe_session_close(&session), app_fixture_close(&fixture)), .timeout = 600);

static int64_t put(int64_t machine, int64_t benchmark, const char *kind)
{
	const struct pe_stored_profile profile = {.machine = machine,
						  .benchmark = benchmark,
						  .revision = revision,
						  .kind = kind,
						  .taken_s = 1700000000};
	struct pe_frames frames = PE_FRAMES_INIT;
	struct pe_cct_builder *builder = pe_cct_builder_new(&frames, PE_CCT_CALLS);
	const struct pe_cct_facts facts = {.source = kind, .processes = 1};
	const struct pe_cct *cct = pe_cct_builder_finish(builder, &facts, &fixture.arena);
	int64_t key;
	OK(pe_store_put_profile(&key, fixture.app.store, &profile, &cct, 1, &fixture.err));
	pe_frames_release(&frames);
	return key;
}

static int64_t benchmark_key(size_t i)
{
	return session.benchmarks.data[i]->key;
}

static int find(struct pe_found_profile *out, const char *bench)
{
	return pe_profile_find(out, &fixture.app, revision, bench);
}

Test(stored_profiles, of_one_benchmark_need_no_choice)
{
	int64_t key = put(session.machine_key, benchmark_key(0), "counting");

	OK(find(&found, NULL));
	cr_expect(eq(i64, found.row.key, key));
	cr_expect_str_eq(found.benchmark, "parse");
}

Test(stored_profiles, of_several_are_chosen_by_their_exact_name)
{
	int64_t key = put(session.machine_key, benchmark_key(0), "counting");

	put(session.machine_key, benchmark_key(1), "counting");
	cr_expect_fails(find(&found, NULL), PE_EINVALID, fixture.err.message, "'parse'");
	cr_expect_has(fixture.err.message, "'parse-all'");
	cr_expect(eq(int, find(&found, "pars"), PE_EINVALID));
	OK(find(&found, "parse"));
	cr_expect(eq(i64, found.row.key, key));
	OK(find(&found, "-all$"));
	cr_expect_str_eq(found.benchmark, "parse-all");
}

Test(stored_profiles, of_a_newer_version_of_a_benchmark_come_first)
{
	struct pe_benchmark newer = *session.benchmarks.data[0];
	int64_t key, benchmark;

	strcpy(newer.version, "0123456789abcdef0123456789abcdef");
	OK(pe_store_put_benchmark(&benchmark, fixture.app.store, &newer, &fixture.err));
	key = put(session.machine_key, benchmark, "counting");
	put(session.machine_key, benchmark_key(0), "counting");
	OK(find(&found, "parse"));
	cr_expect(eq(i64, found.row.key, key));
}

Test(stored_profiles, of_this_machine_come_before_those_of_others)
{
	struct pe_machine other = session.machine;
	int64_t machine, theirs, ours;

	memset(other.fingerprint, 'e', sizeof(other.fingerprint) - 1);
	OK(pe_store_put_machine(&machine, fixture.app.store, &other, &fixture.err));
	theirs = put(machine, benchmark_key(0), "counting");
	OK(find(&found, "parse"));
	cr_expect(eq(i64, found.row.key, theirs));
	ours = put(session.machine_key, benchmark_key(0), "counting");
	OK(find(&found, "parse"));
	cr_expect(eq(i64, found.row.key, ours));
}

Test(stored_profiles, that_are_not_there_are_named_with_what_collects_them)
{
	cr_expect_fails(find(&found, "parse"), PE_ENOTFOUND, fixture.err.message,
			"'perfevo profile -b parse ");
	cr_expect(eq(int, find(&found, "("), PE_EINVALID));
}
