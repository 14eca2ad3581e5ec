/* What is known of changed methods: kept as it was put, void by other rules, dropped when it is asked. */
#include "fixture.h"

#include "tests/support/test.h"

#define A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define C "cccccccccccccccccccccccccccccccccccccccc"

static struct fixture at;

TestSuiteWith(methods, fixture_open_filled(&at), fixture_close(&at), .timeout = 600);

#define NAMED(file, is, types, first, last)                                                        \
	.component = (file), .name = (is), .signature = (types), .first_line = (first),            \
	.last_line = (last)
#define METHOD(...) (&(const struct pe_method){NAMED(__VA_ARGS__)})

static const struct pe_method unclear = {NAMED("a.c", "g", "(int)", 4, UINT32_MAX),
					 .uncertain = true};

static struct pe_method_change every_kind[] = {
	{PE_METHOD_ADDED, NULL, METHOD("a.c", "f", "", 1, 3), 0},
	{PE_METHOD_DELETED, &unclear, NULL, 0},
	{PE_METHOD_MODIFIED, METHOD("a.c", "h", "", 5, 6), METHOD("a.c", "h", "", 6, 9), 0.25},
	{PE_METHOD_RENAMED, METHOD("a.c", "i", "", 7, 8), METHOD("a.c", "j", "", 9, 9), 0.875},
	{PE_METHOD_MOVED, METHOD("a.c", "N::k", "", 7, 8), METHOD("b.c", "N::k", "", 9, 9), 1},
};

static void put(const char *revision, const char *before, const char *rules, size_t n)
{
	const struct pe_compared compared = {revision, before, rules, .files = 7, .unread = 2};

	OK(pe_store_put_changes(at.store, &compared,
				&(struct pe_method_changes){.at = every_kind, .n = n}, &at.err));
}

static int get(struct pe_method_changes *out, const char *revision, const char *before,
	       const char *rules)
{
	struct pe_compared compared = {revision, before, rules, 0, 0};
	int rc = pe_store_get_changes(out, &compared, at.store, &at.arena, &at.err);

	if (rc == PE_OK)
		cr_expect_text("7 2", compared.files, compared.unread);
	return rc;
}

static const char *describe(const struct pe_method *of)
{
	return of == NULL ? "none"
			  : pe_arena_printf(&at.arena, "%s %s %s %u %u %d", of->component, of->name,
					    of->signature, of->first_line, of->last_line,
					    of->uncertain);
}

Test(methods, changes_come_back_as_they_were_put)
{
	struct pe_method_changes found;

	put(A, B, "rules", 5);
	fixture_reopen(&at, PE_OPEN_READONLY);
	OK(get(&found, A, B, "rules"));
	cr_assert(eq(sz, found.n, 5));
	for (size_t i = 0; i < found.n; i++) {
		cr_expect(eq(int, found.at[i].kind, every_kind[i].kind));
		cr_expect(eq(sz, found.count[i], 1));
		cr_expect_str_eq(describe(found.at[i].before), describe(every_kind[i].before));
		cr_expect_str_eq(describe(found.at[i].after), describe(every_kind[i].after));
		cr_expect(eq(dbl, found.at[i].likeness, every_kind[i].likeness));
	}
}

Test(methods, an_empty_list_is_knowledge_too)
{
	struct pe_method_changes found;

	cr_expect(eq(int, get(&found, A, B, "rules"), PE_ENOTFOUND));
	put(A, B, "rules", 0);
	OK(get(&found, A, B, "rules"));
	cr_expect(eq(sz, found.n, 0));
}

Test(methods, other_rules_and_another_parent_void_what_was_known)
{
	struct pe_method_changes found;

	put(A, "", "rules", 5);
	cr_expect(eq(int, get(&found, A, "", "others"), PE_ENOTFOUND));
	/* A shallow clone was deepened: the commit has a parent now. */
	cr_expect(eq(int, get(&found, A, B, "rules"), PE_ENOTFOUND));
	cr_expect(eq(int, get(&found, C, "", "rules"), PE_ENOTFOUND));
	put(A, B, "others", 1);
	cr_expect(eq(int, get(&found, A, "", "rules"), PE_ENOTFOUND));
	OK(get(&found, A, B, "others"));
	cr_expect(eq(sz, found.n, 1));
	cr_expect(eq(i64, fixture_rows(&at, "changed_methods"), 1));
	fixture_expect_whole(&at);
}

static struct pe_stored_crossing crossing(const char *recipe, const char *benchmarks)
{
	return (struct pe_stored_crossing){
		.machine = fixture_ask(&at, "SELECT min(key) FROM machines"),
		.before = A,
		.after = B,
		.recipe = recipe,
		.benchmarks = benchmarks,
	};
}

static void put_crossing(const char *benchmarks, const char *name)
{
	struct pe_stored_crossing put = crossing("recipe", benchmarks);
	struct pe_stored_code codes[] = {
		{false, {NAMED("a.c", name, "", 1, 3)}, 1, "header a.h changed"},
		{true, {NAMED("a.c", name, "(int)", 2, 4)}, -1, ""}};

	put.at = codes;
	put.n = 2;
	OK(pe_store_put_crossing(at.store, &put, &at.err));
}

static int get_crossing(struct pe_stored_crossing *out, const char *recipe, const char *benchmarks)
{
	*out = crossing(recipe, benchmarks);
	return pe_store_get_crossing(out, at.store, &at.arena, &at.err);
}

/* What two builds told is found for the same pair and recipe, by the programs of all benchmarks that are asked for. */
Test(methods, machine_code_of_a_pair_is_kept)
{
	struct pe_stored_crossing found;

	put_crossing("json\nparse\n", "f");
	put_crossing("parse\n", "g");
	put_crossing("parse\n", "h");
	OK(get_crossing(&found, "recipe", "parse\n"));
	cr_assert(eq(sz, found.n, 2));
	cr_expect_str_eq(found.at[0].method.name, "h", "the latest of the same benchmarks");
	cr_expect(not(found.at[0].in_new));
	cr_expect_text("1 header a.h changed 1 (int) 4 -1", found.at[0].recompiled,
		       found.at[0].reason, found.at[1].in_new, found.at[1].method.signature,
		       found.at[1].method.last_line, found.at[1].recompiled);
	OK(get_crossing(&found, "recipe", "json\n"));
	cr_expect_str_eq(found.at[0].method.name, "f", "those of more benchmarks do");
	cr_expect(eq(int, get_crossing(&found, "recipe", "pars\n"), PE_ENOTFOUND));
	cr_expect(eq(int, get_crossing(&found, "other", "parse\n"), PE_ENOTFOUND));
	cr_expect(eq(i64, fixture_rows(&at, "recompiled"), 4));
	fixture_expect_whole(&at);
}

Test(methods, mc_counts_added_deleted_and_modified)
{
	struct pe_changes_count *counts;
	size_t n;

	put(B, A, "rules", 5);
	put(A, "", "rules", 1);
	put(C, B, "others", 0);
	OK(pe_store_count_changes(&counts, &n, at.store, NULL, &at.arena, &at.err));
	cr_assert(eq(sz, n, 3));
	cr_expect_str_eq(counts[0].revision, A);
	cr_expect_str_eq(counts[0].before, "");
	cr_expect(eq(u64, counts[0].mc, 1));
	cr_expect_str_eq(counts[1].revision, B);
	cr_expect_str_eq(counts[1].before, A);
	cr_expect_text("3 7 0", counts[1].mc, counts[1].files, counts[2].mc);
	OK(pe_store_count_changes(&counts, &n, at.store, "rules", &at.arena, &at.err));
	cr_expect(eq(sz, n, 2));
}

Test(methods, an_unknown_kind_is_refused_and_nothing_is_kept)
{
	struct pe_method_change wrong = {PE_N_METHOD_CHANGES, NULL, METHOD("a", "b", "", 1, 1), 0};
	const struct pe_compared compared = {A, "", "rules", 0, 0};
	const struct pe_method_changes changes = {.at = &wrong, .n = 1};

	cr_expect(eq(int, pe_store_put_changes(at.store, &compared, &changes, &at.err), PE_ESTORE));
	cr_expect(eq(i64, fixture_rows(&at, "compared"), 0));
}

Test(methods, the_view_names_the_side_that_there_is)
{
	put(A, B, "rules", 5);
	cr_expect_str_eq(
		fixture_ask_text(&at, "SELECT group_concat(kind || ' ' || component || "
				      "':' || name, ', ') FROM methods_changed"
				      " WHERE revision = '" A "'"),
		"added a.c:f, deleted a.c:g, modified a.c:h, renamed a.c:j, moved b.c:N::k");
}

static void put_extraction(const char *blob, const char *language, uint32_t version,
			   const char *bytes, size_t n)
{
	pe_auto_text data = PE_TEXT_INIT;

	pe_text_addn(&data, bytes, n);
	OK(pe_store_put_extraction(at.store, blob, language, version, &data, &at.err));
}

static int get_extraction(struct pe_text *out, const char *blob, const char *language,
			  uint32_t version)
{
	pe_text_clear(out);
	return pe_store_get_extraction(out, at.store, blob, language, version, &at.err);
}

Test(methods, extractions_are_bytes_by_blob_language_and_version)
{
	pe_auto_text data = PE_TEXT_INIT;

	put_extraction(A, "c", 1, "nul\0inside", 10);
	put_extraction(A, "cpp", 1, "", 0);
	OK(get_extraction(&data, A, "c", 1));
	cr_expect(eq(sz, data.len, 10));
	cr_expect_eq(memcmp(data.data, "nul\0inside", 10), 0);
	OK(get_extraction(&data, A, "cpp", 1));
	cr_expect(eq(sz, data.len, 0));
	cr_expect(eq(int, get_extraction(&data, A, "c", 2), PE_ENOTFOUND));
	cr_expect(eq(int, get_extraction(&data, B, "c", 1), PE_ENOTFOUND));
	/* Another version takes the place. */
	put_extraction(A, "c", UINT32_MAX, "new", 3);
	OK(get_extraction(&data, A, "c", UINT32_MAX));
	cr_expect(eq(sz, data.len, 3));
	cr_expect(eq(int, get_extraction(&data, A, "c", 1), PE_ENOTFOUND));
	cr_expect(eq(i64, fixture_rows(&at, "extractions"), 2));
}

Test(methods, gc_keeps_what_is_known_of_the_commits_that_are_kept)
{
	const char *keep = A;
	struct pe_store_gc what = {.unreachable = true, .keep = {&keep, 1}};
	struct pe_store_gc_result result;
	struct pe_method_changes found;

	put(A, "", "rules", 5);
	put(B, A, "rules", 5);
	put_crossing("parse\n", "f");
	put_extraction(A, "c", 1, "x", 1);
	OK(pe_store_collect(&result, at.store, &(struct pe_store_gc){.before_s = 1}, &at.err));
	cr_expect(eq(i64, fixture_rows(&at, "changed_methods"), 10));
	what.dry_run = true;
	OK(pe_store_collect(&result, at.store, &what, &at.err));
	OK(get(&found, B, A, "rules"));
	what.dry_run = false;
	OK(pe_store_collect(&result, at.store, &what, &at.err));
	OK(get(&found, A, "", "rules"));
	cr_expect(eq(int, get(&found, B, A, "rules"), PE_ENOTFOUND));
	cr_expect(eq(i64, fixture_rows(&at, "changed_methods"), 5));
	cr_expect(eq(i64, fixture_rows(&at, "recompiled"), 0), "of A and B");
	cr_expect(eq(i64, fixture_rows(&at, "extractions"), 1));
	fixture_expect_whole(&at);
}

Test(methods, gc_empties_the_cache_when_asked)
{
	struct pe_store_gc what = {.extractions = true, .dry_run = true};
	struct pe_store_gc_result result;

	put(A, "", "rules", 5);
	put_extraction(A, "c", 1, "x", 1);
	put_extraction(B, "c", 1, "x", 1);
	OK(pe_store_collect(&result, at.store, &what, &at.err));
	cr_expect(eq(u64, result.extractions, 2));
	cr_expect(eq(i64, fixture_rows(&at, "extractions"), 2));
	what.dry_run = false;
	OK(pe_store_collect(&result, at.store, &what, &at.err));
	cr_expect_text("2 0 1", result.extractions, fixture_rows(&at, "extractions"),
		       fixture_rows(&at, "compared"));
}

/* --- Charges --- */

Test(methods, charges_of_a_pair_are_replaced_and_found)
{
	struct pe_charge of[] = {{"f", "(int)", "a.c", 1, 2, 9, "pow", 7, 7, 700, 7, "exp", 8, 6},
				 {"g", "", "a.c", 5, 0, 0, "", 0, 0, 0, 0, "", 0, 0}};
	const struct pe_charges charges = {of, 2}, none = {NULL, 0};
	struct pe_charges_query query = {fixture_machine(&at, "host"),
					 fixture_benchmark(&at, "b", "1"), A, B};
	struct pe_charges found;

	cr_expect(eq(int, pe_store_get_charges(&found, at.store, &query, &at.arena, &at.err),
		     PE_ENOTFOUND));
	OK(pe_store_put_charges(at.store, &query, &charges, &at.err));
	OK(pe_store_get_charges(&found, at.store, &query, &at.arena, &at.err));
	cr_assert(eq(sz, found.n, 2));
	cr_expect_text("f (int) 2 9 pow 7 700 exp 8 6 5", found.at[0].name, found.at[0].signature,
		       found.at[0].new_instructions, found.at[0].varies, found.at[0].callee,
		       found.at[0].old_calls, found.at[0].old_cost, found.at[0].replaced,
		       found.at[0].old_others, found.at[0].new_others,
		       found.at[1].old_instructions);
	OK(pe_store_put_charges(at.store, &query, &none, &at.err));
	OK(pe_store_get_charges(&found, at.store, &query, &at.arena, &at.err));
	cr_expect(eq(sz, found.n, 0), "that nothing differs is knowledge, too");
	query.after = C;
	cr_expect(eq(int, pe_store_get_charges(&found, at.store, &query, &at.arena, &at.err),
		     PE_ENOTFOUND));
	fixture_expect_whole(&at);
}
