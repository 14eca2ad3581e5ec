/* Suites: ids, recognising, and inputs that nobody should make. */
#include "reading.h"

TestSuite(suite, .timeout = 600);

static void expect_id(const char *expected, const char *name, size_t n,
		      const struct pe_suite_param *params)
{
	struct pe_arena arena = PE_ARENA_INIT;
	struct pe_err err = PE_ERR_INIT;
	const char *id = pe_suite_id(name, params, n, &arena), *back;
	const struct pe_suite_param *found;
	size_t n_found;

	cr_expect(TEXT(id, expected));
	cr_assert(eq(int, pe_suite_id_parse(id, &back, &found, &n_found, &arena, &err), 0), "%s",
		  err.message);
	cr_expect(TEXT(back, (char *)name));
	cr_assert(eq(sz, n_found, n));
	cr_expect(TEXT(pe_suite_id(back, found, n_found, &arena), (char *)id));
	for (size_t i = 0; i < n; i++) {
		bool there = false;

		for (size_t k = 0; k < n; k++)
			there |= strcmp(found[k].name, params[i].name) == 0 &&
				 strcmp(found[k].value, params[i].value) == 0;
		cr_expect(there, "%s lost a parameter", id);
	}
	pe_arena_release(&arena);
}

Test(suite, ids_are_read_back)
{
	expect_id("BM_Parse", "BM_Parse", 0, NULL);
	expect_id("BM_Copy<int, 4>/x y", "BM_Copy<int, 4>/x y", 0, NULL);
	expect_id("f[8,3,a=1,b=2]", "f", 4,
		  (struct pe_suite_param[]){{"b", "2"}, {"", "8"}, {"a", "1"}, {"", "3"}});
	expect_id("\"f[1]\"[\"a,b=c\"=\"[x]\"]", "f[1]", 1,
		  (struct pe_suite_param[]){{"a,b=c", "[x]"}});
	expect_id("\"\\\"q\\\\\"[\"\"]", "\"q\\", 1, (struct pe_suite_param[]){{"", ""}});
	expect_id("\" a\\n\\t\\u001b\\xff\\u202e\"", " a\n\t\x1b\xff\xe2\x80\xae", 0, NULL);
	expect_id("gr\xc3\xb6\xc3\x9f"
		  "e[\xe2\x82\xac=1]",
		  "gr\xc3\xb6\xc3\x9f"
		  "e",
		  1, (struct pe_suite_param[]){{"\xe2\x82\xac", "1"}});
}

Test(suite, what_is_no_id_is_refused)
{
	static const char *const bad[] = {
		"",    "[a]",    "f[",       "f[a", "f[a]b",   "f[a=]",     "f[=b]",    "f[a,]",
		"\"f", "\"f\"g", "f[a=b=c]", "f[]", "\"\\q\"", "\"\\u00\"", "\"\\x0\"", "f[\"a]"};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct pe_arena arena = PE_ARENA_INIT;
		struct pe_err err = PE_ERR_INIT;
		const struct pe_suite_param *params;
		const char *name;
		size_t n;

		cr_expect(eq(int, pe_suite_id_parse(bad[i], &name, &params, &n, &arena, &err),
			     PE_EINVALID),
			  "%s", bad[i]);
		pe_arena_release(&arena);
	}
}

Test(suite, formats_have_names)
{
	for (unsigned i = 0; i < PE_SUITE_N_FORMATS; i++)
		cr_expect(eq(int, (int)pe_suite_format_find(pe_suite_format_name(i)), (int)i));
	cr_expect(eq(int, (int)pe_suite_format_find("nonsense"), (int)PE_SUITE_N_FORMATS));
	cr_expect(eq(ptr, (void *)pe_suite_format_name(PE_SUITE_N_FORMATS), NULL));
}

Test(suite, what_is_no_suite_is_refused)
{
	static const char *const bad[] = {"",
					  "\n",
					  "hello\n",
					  "{",
					  "[",
					  "{}",
					  "{\"a\": 1}",
					  "[{\"a\":[",
					  "{\"benchmarks\": []}",
					  "\xef\xbb\xbf"};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		auto_reading read = reading_text(bad[i]);

		cr_expect(eq(int, read.rc, PE_EINVALID), "%s", bad[i]);
		cr_expect(ne(chr, read.err.message[0], 0));
	}
}

/* Many times the same text. */
static struct pe_text repeated(const char *text, size_t times)
{
	struct pe_text out = PE_TEXT_INIT;

	for (size_t i = 0; i < times; i++)
		pe_text_add(&out, text);
	return out;
}

/* What would take minutes if each beginning were read to the end. */
Test(suite, hostile_beginnings_cost_no_square)
{
	static const char *const texts[] = {
		"[{\"a\":\n",    "{\"a\":[1,\n", "{\"a\":\"\n",
		"[{\"a\":1},\n", "{\"a\":{\n",   "{\"a\":1,\n\"b\":2,\n",
		"\n{\"a\"",      "NaN\n",        "{\"name\": \"a\", \"value\": NaN}\n"};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct pe_text text = repeated(texts[i], 60000);
		auto_reading read = reading_of(text.data, text.len, PE_SUITE_AUTO);

		cr_expect(eq(int, read.out.cut_short, 0));
		pe_text_release(&text);
	}
}

Test(suite, many_short_documents_are_all_read)
{
	struct pe_text text = repeated("{\"a\":{\"latency\":{\"value\":1}}}\nother\n", 20000);
	auto_reading read = reading_of(text.data, text.len, PE_SUITE_AUTO);

	cr_assert(eq(sz, read.out.n_entries, 1));
	cr_expect(eq(sz, read.out.entries[0].metrics[0].n_processes, 20000));
	cr_expect(eq(sz, read.out.n_notes, 0));
	pe_text_release(&text);
}

Test(suite, nesting_is_bounded)
{
	struct pe_text text = PE_TEXT_INIT, deep = repeated("[", 1000000);

	pe_text_add(&text, "{\"context\": {\"num_cpus\": 1}, \"benchmarks\": [{\"name\": \"a\", "
			   "\"real_time\": 1, \"x\": ");
	pe_text_add(&text, pe_text_str(&deep));
	{
		auto_reading read = reading_of(text.data, text.len, PE_SUITE_AUTO);

		cr_expect(eq(int, read.rc, 0));
		cr_expect(eq(sz, read.out.n_entries, 0));
		cr_expect(ne(ptr, (void *)reading_note(&read, PE_SUITE_NOTE_DAMAGED), NULL));
	}
	pe_text_release(&text);
	pe_text_release(&deep);
}

Test(suite, many_of_one_name_are_told_apart)
{
	struct pe_text text = PE_TEXT_INIT;

	pe_text_add(&text, "{\"context\": {\"num_cpus\": 1}, \"benchmarks\": [");
	for (int i = 0; i < 20000; i++)
		pe_text_addf(&text,
			     "%s{\"name\": \"a\", \"family_index\": %d, \"real_time\": 1, "
			     "\"time_unit\": \"ns\"}",
			     i > 0 ? "," : "", i);
	pe_text_add(&text, "]}");
	{
		auto_reading read = reading_of(text.data, text.len, PE_SUITE_AUTO);

		cr_expect(eq(sz, read.out.n_entries, 20000));
		cr_expect(TEXT(read.out.entries[19999].id, "a[#=20000]"));
	}
	pe_text_release(&text);
}

Test(suite, metrics_of_an_entry_are_bounded)
{
	struct pe_text text = PE_TEXT_INIT;

	for (int i = 0; i < 1000; i++)
		pe_text_addf(&text, "{\"name\": \"a\", \"metric\": \"m%d\", \"value\": 1}\n", i);
	{
		auto_reading read = reading_of(text.data, text.len, PE_SUITE_AUTO);

		cr_expect(eq(sz, read.out.entries[0].n_metrics, PE_SUITE_MAX_METRICS));
		cr_expect(ne(ptr, (void *)reading_note(&read, PE_SUITE_NOTE_LIMIT), NULL));
	}
	pe_text_release(&text);
}
