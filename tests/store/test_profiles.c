/* Profiles: trees come back as they were put, whole or not at all; methods stand once, and go when unused. */
#include "fixture.h"

#include "analysis/profile/cct.h"
#include "tests/support/test.h"

#define NOWHERE "ffffffffffffffffffffffffffffffffffffffff"

static struct fixture at;
static struct pe_stored_profile found; /* of the running test */
static struct pe_frames frames;

TestSuiteWith(profiles, fixture_open_filled(&at), (pe_frames_release(&frames), fixture_close(&at)),
	      .timeout = 600);

static const char *revision(unsigned number)
{
	return pe_arena_printf(&at.arena, "%040x", number);
}

/* A root, and below it n methods in a chain whose names begin as told; `base` shows in every value. */
static struct pe_cct *tree(const char *prefix, unsigned n, uint64_t base)
{
	struct pe_cct_builder *builder =
		pe_cct_builder_new(&frames, PE_CCT_CALLS | PE_CCT_SITES | PE_CCT_TIME);
	struct pe_cct_facts facts = {.source = "counting",
				     .samples = UINT64_MAX,
				     .samples_lost = 7,
				     .processes = 2,
				     .peak_bytes = base};
	uint32_t node = 0;

	for (unsigned i = 0; i < n; i++) {
		const struct pe_frame frame = {
			.name = pe_arena_printf(&at.arena, "%s::f%u", prefix, i),
			.component = i % 2 == 0 ? "a.cc" : "b.cc",
			.signature = "(int, char const*)",
			.module = "prog",
			.line = 10 + i,
			.kind = i == 0 ? PE_FRAME_PROCESS : PE_FRAME_METHOD,
		};

		node = pe_cct_builder_child(builder, node, pe_frames_add(&frames, &frame), i);
		pe_cct_builder_at(builder, node)->calls = base + i;
		pe_cct_builder_at(builder, node)->self_ns = 1000 * base + i;
		pe_cct_builder_flag(builder, node, PE_CCT_UNSTABLE);
	}
	return pe_cct_builder_finish(builder, &facts, &at.arena);
}

static struct pe_stored_profile subject(unsigned r, unsigned w, const char *kind)
{
	return (struct pe_stored_profile){
		.machine = at.machine,
		.benchmark = at.benchmarks[w],
		.revision = revision(r),
		.kind = kind,
		.settings = "s",
		.tool = "perfevo",
		.note = "a note",
		.taken_s = 1700000000,
	};
}

static int64_t put(const struct pe_stored_profile *profile, const struct pe_cct *cct)
{
	int64_t key = 0;

	OK(pe_store_put_profile(&key, at.store, profile, &cct, 1, &at.err));
	return key;
}

static int64_t put_at(unsigned r, unsigned w, const char *prefix)
{
	const struct pe_stored_profile profile = subject(r, w, "counting");

	return put(&profile, tree(prefix, 3, 1));
}

static int find(struct pe_stored_profile *out, unsigned r, unsigned w, const char *kind)
{
	const struct pe_profile_query query = {
		.machine = at.machine,
		.benchmark = at.benchmarks[w],
		.revision = revision(r),
		.kind = kind,
	};

	return pe_store_find_profile(out, at.store, &query, &at.arena, &at.err);
}

static void expect_tree(int64_t key, size_t repetition, const struct pe_cct *expected)
{
	struct pe_frames table = PE_FRAMES_INIT;
	struct pe_cct *stored;

	pe_frames_add_method(&table, "of another tree", "");
	OK(pe_store_get_tree(&stored, at.store, key, repetition, &table, &at.arena, &at.err));
	cr_assert(eq(u32, stored->n, expected->n));
	cr_expect(eq(uint, stored->known, expected->known));
	for (uint32_t i = 0; i < stored->n; i++) {
		const struct pe_frame *a = pe_cct_frame(expected, i), *b = pe_cct_frame(stored, i);

		cr_expect_str_eq(b->name, a->name);
		cr_expect_str_eq(b->signature, a->signature);
		cr_expect_str_eq(b->component, a->component);
		cr_expect_str_eq(b->module, a->module);
		cr_expect(eq(u32, b->line, a->line));
		cr_expect(eq(int, b->kind, a->kind));
		cr_expect(eq(u32, stored->nodes[i].parent, expected->nodes[i].parent));
		cr_expect(eq(u32, stored->nodes[i].site, expected->nodes[i].site));
		cr_expect(eq(u64, stored->calls[i], expected->calls[i]));
		cr_expect(eq(u64, stored->total_ns[i], expected->total_ns[i]));
		cr_expect(eq(int, stored->flags[i], expected->flags[i]));
	}
	cr_expect_str_eq(stored->facts.source, expected->facts.source);
	cr_expect(eq(u64, stored->facts.samples, expected->facts.samples));
	cr_expect(eq(u64, stored->facts.peak_bytes, expected->facts.peak_bytes));
	pe_frames_release(&table);
}

Test(profiles, trees_come_back_in_another_table_from_a_file_opened_to_read)
{
	const struct pe_cct *trees[] = {tree("a", 5, 1), tree("a", 9, 2), tree("b", 1, 3)};
	const struct pe_stored_profile profile = subject(1, 0, "counting");
	struct pe_cct *none;
	int64_t key;

	OK(pe_store_put_profile(&key, at.store, &profile, trees, 3, &at.err));
	fixture_reopen(&at, PE_OPEN_READONLY);
	OK(find(&found, 1, 0, NULL));
	cr_expect(eq(i64, found.key, key));
	cr_expect(eq(i64, found.machine, at.machine));
	cr_expect(eq(i64, found.benchmark, at.benchmarks[0]));
	cr_expect_str_eq(found.revision, revision(1));
	cr_expect_text("counting s perfevo", found.kind, found.settings, found.tool);
	cr_expect_str_eq(found.file, "");
	cr_expect_text("a note 1700000000 3", found.note, found.taken_s, found.n_trees);
	cr_expect(eq(u64, found.nodes, 6 + 10 + 2));
	cr_expect(gt(u64, found.bytes, 0));
	cr_expect(not(found.reused));
	for (size_t i = 0; i < 3; i++)
		expect_tree(key, i, trees[i]);
	cr_expect(eq(int, pe_store_get_tree(&none, at.store, key, 3, &frames, &at.arena, &at.err),
		     PE_ENOTFOUND));
	cr_expect(eq(int,
		     pe_store_get_tree(&none, at.store, key + 1, 0, &frames, &at.arena, &at.err),
		     PE_ENOTFOUND));
	fixture_expect_whole(&at);
}

Test(profiles, a_method_stands_once_in_the_store)
{
	put_at(0, 0, "a");
	cr_expect(eq(i64, fixture_rows(&at, "frames"), 4));
	/* 4 names, of which the root's is one, 1 signature, 2 components, and the empty text */
	cr_expect(eq(i64, fixture_rows(&at, "strings WHERE text <> ''"),
		     fixture_rows(&at, "strings") - 1));
	put_at(1, 0, "a");
	put_at(1, 1, "a");
	cr_expect(eq(i64, fixture_rows(&at, "frames"), 4));
	put_at(2, 1, "b");
	cr_expect(eq(i64, fixture_rows(&at, "frames"), 7));
	cr_expect_str_eq(fixture_ask_text(&at, "SELECT kind || ' ' || name || signature || ' ' || "
					       "component FROM frames_named WHERE name = 'a::f1'"),
			 "method a::f1(int, char const*) b.cc");
}

Test(profiles, the_same_subject_is_replaced_and_others_stay)
{
	struct pe_stored_profile profile = subject(0, 0, "counting");
	struct pe_stored_profile *all;
	int64_t first = put(&profile, tree("a", 3, 1)), second, imported;
	size_t n;

	second = put(&profile, tree("a", 4, 2));
	cr_expect(gt(i64, second, first));
	OK(find(&found, 0, 0, "counting"));
	cr_expect(eq(i64, found.key, second));
	cr_expect(eq(u64, found.nodes, 5));
	profile.kind = "folded";
	profile.file = "out.folded";
	imported = put(&profile, tree("a", 2, 3));
	OK(find(&found, 0, 0, NULL));
	cr_expect(eq(i64, found.key, imported));
	cr_expect_str_eq(found.file, "out.folded");
	OK(find(&found, 0, 0, "counting"));
	cr_expect(eq(i64, found.key, second));
	profile.file = "more.folded";
	put(&profile, tree("a", 2, 3));
	put_at(0, 1, "a");
	OK(pe_store_profiles(&all, &n, at.store, at.machine, &at.arena, &at.err));
	cr_assert(eq(sz, n, 4));
	cr_expect(eq(i64, all[0].key, second));
	cr_expect(eq(i64, all[1].key, imported));
	cr_expect(eq(i64, all[3].benchmark, at.benchmarks[1]));
	OK(pe_store_profiles(&all, &n, at.store, fixture_machine(&at, "elsewhere"), &at.arena,
			     &at.err));
	cr_expect(eq(sz, n, 0));
}

Test(profiles, other_settings_are_another_profile)
{
	struct pe_stored_profile profile = subject(0, 0, "counting");
	struct pe_profile_query query = {.machine = at.machine,
					 .benchmark = at.benchmarks[0],
					 .revision = revision(0),
					 .settings = "s"};
	int64_t key = put(&profile, tree("a", 3, 1));

	profile.settings = "other";
	put(&profile, tree("a", 4, 1));
	OK(pe_store_find_profile(&found, at.store, &query, &at.arena, &at.err));
	cr_expect(eq(i64, found.key, key));
	query.settings = "third";
	cr_expect(eq(int, pe_store_find_profile(&found, at.store, &query, &at.arena, &at.err),
		     PE_ENOTFOUND));
}

static void carry(unsigned r, unsigned w, unsigned source)
{
	const struct pe_coverage one = {.revision = at.revisions[r],
					.benchmark = at.benchmarks[w],
					.source = at.revisions[source]};

	OK(pe_store_put_reused(at.store, at.machine, &one, &at.err));
}

Test(profiles, a_reused_revision_finds_the_profile_of_its_source)
{
	int64_t key = put_at(0, 0, "a"), own;

	carry(2, 0, 0);
	carry(3, 0, 0);
	cr_expect(eq(int, find(&found, 1, 0, NULL), PE_ENOTFOUND));
	cr_expect(eq(int, find(&found, 2, 1, NULL), PE_ENOTFOUND), "another benchmark");
	cr_expect(eq(int, find(&found, 2, 0, "timed"), PE_ENOTFOUND), "another kind");
	OK(find(&found, 2, 0, NULL));
	cr_expect(eq(i64, found.key, key));
	cr_expect(found.reused);
	cr_expect_str_eq(found.revision, revision(0));
	own = put_at(2, 0, "a");
	OK(find(&found, 2, 0, NULL));
	cr_expect(eq(i64, found.key, own));
	cr_expect(not(found.reused));
}

/* Whichever of them was profiled. */
Test(profiles, a_source_and_its_siblings_find_the_profile_of_a_reused_revision)
{
	int64_t key;

	carry(2, 0, 0);
	carry(3, 0, 0);
	key = put_at(3, 0, "a");
	for (unsigned r = 0; r <= 2; r += 2) {
		OK(find(&found, r, 0, NULL));
		cr_expect(eq(i64, found.key, key));
		cr_expect(found.reused);
	}
	cr_expect(eq(int, find(&found, 1, 0, NULL), PE_ENOTFOUND));
}

Test(profiles, a_commit_that_was_never_measured_has_profiles_too)
{
	struct pe_stored_profile profile = subject(0, 0, "counting");
	struct pe_profile_query query = {
		.machine = at.machine, .benchmark = at.benchmarks[0], .revision = NOWHERE};

	profile.revision = NOWHERE;
	put(&profile, tree("a", 3, 1));
	OK(pe_store_find_profile(&found, at.store, &query, &at.arena, &at.err));
	cr_expect(eq(i64, fixture_rows(&at, "revisions"), N_REVISIONS));
	cr_expect(eq(i64, fixture_rows(&at, "profiles_named"), 1));
}

Test(profiles, whole_or_not_at_all)
{
	struct pe_cct broken = *tree("b", 3, 1);
	const struct pe_cct *trees[] = {tree("a", 3, 1), &broken};
	const struct pe_stored_profile profile = subject(0, 0, "counting");
	int64_t key, before = put_at(0, 0, "a");

	broken.n--;
	cr_expect(eq(int, pe_store_put_profile(&key, at.store, &profile, trees, 2, &at.err),
		     PE_EINVALID));
	cr_expect(eq(int, pe_store_put_profile(&key, at.store, &profile, trees, 0, &at.err),
		     PE_EINVALID));
	OK(find(&found, 0, 0, NULL));
	cr_expect(eq(i64, found.key, before));
	/* Nor does one in a transaction that is not kept. */
	OK(pe_store_begin(at.store, &at.err));
	put_at(0, 0, "c");
	pe_store_rollback(at.store);
	OK(find(&found, 0, 0, NULL));
	cr_expect(eq(i64, found.key, before));
	cr_expect(eq(i64, fixture_rows(&at, "frames"), 4));
}

/* A tree that does not pack: every value is another. */
static struct pe_cct *large_tree(uint32_t n)
{
	struct pe_cct_builder *builder = pe_cct_builder_new(&frames, PE_CCT_CALLS | PE_CCT_TIME);
	struct pe_cct_facts facts = {.source = "counting"};
	uint32_t f = pe_frames_add_method(&frames, "f", "");

	for (uint32_t i = 0; i < n; i++) {
		const uint64_t mixed = (i ^ (uint64_t)i << 21) * UINT64_C(0x9e3779b97f4a7c15);

		pe_cct_builder_at(builder, pe_cct_builder_child(builder, 0, f, i))->calls =
			(mixed ^ mixed >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
	}
	return pe_cct_builder_finish(builder, &facts, &at.arena);
}

Test(profiles, a_tree_beyond_the_databases_bound_says_how_to_make_it_smaller)
{
	const struct pe_stored_profile profile = subject(0, 0, "counting");
	const struct pe_cct *large = large_tree(200000);
	int64_t key;

	sqlite3_limit(at.store->db, SQLITE_LIMIT_LENGTH, 1000000);
	cr_expect_fails(pe_store_put_profile(&key, at.store, &profile, &large, 1, &at.err),
			PE_EINVALID, at.err.message, "200001 nodes");
	cr_expect_has(at.err.message, "exclude:");
	cr_expect(eq(i64, fixture_rows(&at, "profiles"), 0));
}

static void damage(const char *sql)
{
	OK(pe_sql_script(at.store, sql, &at.err));
}

Test(profiles, damage_names_the_file_the_tree_the_place_and_the_remedy)
{
	static const char *const damages[] = {
		"UPDATE trees SET data = CAST(zeroblob(40) || substr(data, 41) AS BLOB)",
		"UPDATE trees SET data = x''",
		"UPDATE trees SET frames = substr(frames, 1, 10)",
		"DELETE FROM frames WHERE key = (SELECT max(key) FROM frames)",
		"DELETE FROM strings WHERE text = 'a::f1'",
	};

	for (size_t i = 0; i < sizeof(damages) / sizeof(*damages); i++) {
		int64_t key = put_at(0, 0, "a");
		struct pe_cct *cct;

		damage(damages[i]);
		cr_expect(eq(int,
			     pe_store_get_tree(&cct, at.store, key, 0, &frames, &at.arena, &at.err),
			     PE_ESTORE),
			  "%s", damages[i]);
		cr_expect_null(cct);
		cr_expect_has(at.err.message, at.path);
		cr_expect_has(at.err.message, "is damaged: tree 0 of profile ");
		cr_expect_has(at.err.message, "collect that profile again");
	}
}

/* --- What gc drops --- */

static struct pe_store_gc_result collect(const struct pe_store_gc *what)
{
	struct pe_store_gc_result result;

	OK(pe_store_collect(&result, at.store, what, &at.err));
	fixture_expect_whole(&at);
	return result;
}

static struct pe_strings keep_only(unsigned r)
{
	const char **keep = pe_arena_new(&at.arena, const char *, 1);

	keep[0] = pe_arena_printf(&at.arena, "%040x", r);
	return (struct pe_strings){keep, 1};
}

/* Of each revision its own methods, and runs beside them. */
static void fill(void)
{
	for (unsigned r = 0; r < N_REVISIONS; r++) {
		struct pe_run run = fixture_run(0, 5, r);

		put_at(r, 0, r == 0 ? "a" : r == 1 ? "b" : "c");
		fixture_put(&at, r, 0, &run);
	}
}

Test(profiles, gc_drops_trees_and_the_methods_that_no_other_needs_and_never_samples)
{
	struct pe_store_gc what = {.profiles = true, .dry_run = true};
	struct pe_store_gc_result result;

	fill();
	what.keep_profiles = keep_only(1);
	result = collect(&what);
	cr_expect(eq(u64, result.profiles, N_REVISIONS - 1));
	cr_expect(eq(i64, fixture_rows(&at, "trees"), N_REVISIONS), "a dry run drops nothing");
	what.dry_run = false;
	result = collect(&what);
	cr_expect(eq(u64, result.profiles, N_REVISIONS - 1));
	cr_expect_text("0 1 1 4 3 0", result.runs + result.revisions, fixture_rows(&at, "profiles"),
		       fixture_rows(&at, "trees"), fixture_rows(&at, "frames"),
		       fixture_rows(&at, "frames_named WHERE name LIKE 'b::%'"),
		       fixture_rows(&at, "strings WHERE text LIKE 'a::%' OR text LIKE 'c::%'"));
	cr_expect(eq(i64, fixture_rows(&at, "samples"), 5 * N_REVISIONS));
	OK(find(&found, 1, 0, NULL));
	expect_tree(found.key, 0, tree("b", 3, 1));
	/* All of them. */
	result = collect(&(struct pe_store_gc){.profiles = true});
	cr_expect(eq(u64, result.profiles, 1));
	cr_expect(eq(i64,
		     fixture_rows(&at, "frames") + fixture_rows(&at, "strings") +
			     fixture_rows(&at, "trees"),
		     0));
	cr_expect(eq(i64, fixture_rows(&at, "samples"), 5 * N_REVISIONS));
	/* The keys of methods begin anew; the handle does not remember old ones. */
	put_at(1, 0, "d");
	OK(find(&found, 1, 0, NULL));
	expect_tree(found.key, 0, tree("d", 3, 1));
}

Test(profiles, gc_drops_the_profiles_of_revisions_and_versions_that_go)
{
	struct pe_store_gc what = {.unreachable = true};
	struct pe_stored_profile elsewhere = subject(0, 0, "counting");

	fill();
	elsewhere.revision = NOWHERE;
	put(&elsewhere, tree("e", 2, 1));
	what.keep = keep_only(2);
	cr_expect(eq(u64, collect(&what).profiles, N_REVISIONS));
	cr_expect(eq(i64, fixture_rows(&at, "trees"), 1));
	put_at(2, 1, "other");
	fixture_benchmark(&at, "parse", "v2"); /* benchmarks[0] is old now */
	cr_expect(eq(u64, collect(&(struct pe_store_gc){.old_versions = true}).profiles, 1));
	cr_expect_text("1 3 4", fixture_rows(&at, "profiles"),
		       fixture_rows(&at, "frames_named WHERE name LIKE 'other::%'"),
		       fixture_rows(&at, "frames"));
}

Test(profiles, gc_keeps_what_it_can_where_a_tree_is_damaged)
{
	fill();
	damage("UPDATE trees SET frames = x'00' WHERE profile = (SELECT min(profile) FROM trees)");
	collect(&(struct pe_store_gc){0});
	OK(find(&found, 1, 0, NULL));
	expect_tree(found.key, 0, tree("b", 3, 1));
}

/* --- What people see --- */

/* A bit for each key up to the highest was 2^59 bytes here. */
Test(profiles, gc_takes_memory_for_the_methods_and_not_for_their_keys)
{
	fixture_ask(&at, "INSERT INTO frames VALUES (4611686018427387904, 1, 1, 1, 3),"
			 " (-5, 1, 1, 1, 4)");
	collect(&(struct pe_store_gc){0});
	cr_expect(eq(i64, fixture_rows(&at, "frames WHERE abs(key) = 5 OR key > 1 << 60"), 0));
	fixture_expect_whole(&at);
}

Test(profiles, views_name_what_they_show)
{
	put_at(0, 0, "a");
	cr_expect_str_eq(
		fixture_ask_text(&at,
				 "SELECT revision || ' ' || subject || ' ' || benchmark || ' ' "
				 "|| version || ' ' || kind || ' ' || repetition || ' ' || nodes "
				 "|| ' ' || machine FROM profiles_named"),
		pe_arena_printf(&at.arena, "%s change something parse v1 counting 0 4 alpha",
				revision(0)));
	cr_expect(eq(i64, fixture_rows(&at, "profiles_named WHERE bytes > 0 AND lost IS NOT NULL"),
		     1));
	cr_expect(eq(i64, fixture_rows(&at, "profiles_named WHERE samples = 9223372036854775807"),
		     1));
}
