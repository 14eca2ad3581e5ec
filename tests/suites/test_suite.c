/* Suites: cases of each format (cases/), ids, and inputs that nobody should make. */
#include "reading.h"
#include "suites/suite_internal.h"
#include "tests/support/cases.h"

TestSuite(suite, .timeout = 600);

static void expect_id(const char *expected, const char *name, size_t n,
		      const struct pe_suite_param *params, const char *said)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	pe_auto_text id = PE_TEXT_INIT, found = PE_TEXT_INIT;
	struct pe_strings texts;

	pe_suite_id_add(&id, name, params, n);
	cr_expect(TEXT(pe_text_str(&id), expected));
	texts = pe_suite_id_params(pe_text_str(&id), &arena);
	for (size_t i = 0; i < texts.n; i++)
		pe_text_addf(&found, "%s|", texts.at[i]);
	cr_expect(TEXT(pe_text_str(&found), said));
}

Test(suite, ids_have_their_parameters)
{
	expect_id("BM_Parse", "BM_Parse", 0, NULL, "");
	expect_id("BM_Copy<int, 4>/x y", "BM_Copy<int, 4>/x y", 0, NULL, "");
	expect_id("f[8,3,a=1,b=2]", "f", 4,
		  (struct pe_suite_param[]){{"b", "2"}, {"", "8"}, {"a", "1"}, {"", "3"}},
		  "8|3|a=1|b=2|");
	expect_id("\"f[1]\"[\"a,b=c\"=\"[x]\"]", "f[1]", 1,
		  (struct pe_suite_param[]){{"a,b=c", "[x]"}}, "\"a,b=c\"=\"[x]\"|");
	expect_id("\"\\\"q\\\\\"[\"\"]", "\"q\\", 1, (struct pe_suite_param[]){{"", ""}}, "\"\"|");
	expect_id("\" a\\n\\t\\u001b\\xff\\u202e\"", " a\n\t\x1b\xff\xe2\x80\xae", 0, NULL, "");
	expect_id("gr\xc3\xb6\xc3\x9f"
		  "e[\xe2\x82\xac=1]",
		  "gr\xc3\xb6\xc3\x9f"
		  "e",
		  1, (struct pe_suite_param[]){{"\xe2\x82\xac", "1"}}, "\xe2\x82\xac=1|");
}

Test(suite, formats_have_names)
{
	for (unsigned i = 0; i < PE_SUITE_N_FORMATS; i++)
		cr_expect(eq(int, (int)pe_suite_format_find(pe_suite_format_name(i)), (int)i));
	cr_expect(eq(int, (int)pe_suite_format_find("nonsense"), (int)PE_SUITE_N_FORMATS));
	cr_expect_null(pe_suite_format_name(PE_SUITE_N_FORMATS));
}

/* The output with its entries, a metric in [unit, better, kind] with a bar between processes. */
static void describe(struct pe_text *out, const struct pe_suite_output *output)
{
	static const char *const states[] = {"", " failed", " skipped"};
	static const char *const better[] = {"lower", "higher"};
	static const char *const kinds[] = {"", ", exact", ", context"};

	pe_text_addf(out, "%s %s", pe_suite_format_name(output->format), output->version);
	if (output->cut_short)
		pe_text_addf(out, " cut short while '%s' ran", output->running);
	for (size_t i = 0; i < output->n_notes; i++)
		pe_text_addf(out, "\nnote %d: %s", (int)output->notes[i].kind,
			     output->notes[i].text);
	for (size_t i = 0; i < output->n_entries; i++) {
		const struct pe_suite_entry *entry = &output->entries[i];

		pe_text_addf(out, "\n%s '%s' x %.10g%s%s%s", entry->id, entry->selector,
			     entry->iterations, states[entry->state],
			     entry->message[0] != '\0' ? ": " : "", entry->message);
		for (size_t m = 0; m < entry->n_metrics; m++) {
			const struct pe_suite_metric *metric = &entry->metrics[m];
			const size_t *end = metric->ends;

			pe_text_addf(out, "; %s [%s, %s%s]", metric->name, metric->unit,
				     better[metric->better == PE_HIGHER_IS_BETTER],
				     kinds[metric->kind]);
			for (size_t v = 0; v < metric->n_values; v++) {
				end += v == *end;
				pe_text_addf(out, "%s %.10g", v > 0 && v == end[-1] ? " |" : "",
					     metric->values[v]);
			}
		}
	}
}

/* WORD: the format, with "!" where any cut is to give what came before it, with "?" where it is to be told. */
static void read_case(struct pe_text *result, const char *word, const char *input, size_t n)
{
	char name[64];
	enum pe_suite_format format;

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(word, "!?"), word);
	format = name[0] != '\0' ? pe_suite_format_find(name) : PE_SUITE_AUTO;
	{
		auto_reading read = reading_of(input, n, format);

		if (read.rc != PE_OK) {
			cr_expect(eq(int, read.rc, PE_EINVALID));
			pe_text_addf(result, "refused: %s", read.err.message);
			return;
		}
		describe(result, &read.out);
		pe_text_addn(&read.text, input, n);
		if (strchr(word, '!') != NULL)
			reading_cut_everywhere(&read, format, 1 + n / 400);
	}
	for (size_t cut = 0; strchr(word, '?') != NULL && cut + 1 < n; cut++) {
		auto_reading part = reading_of(input, cut, format);

		cr_expect(part.rc != 0 || part.out.cut_short, "a cut at %zu is not told", cut);
	}
}

Test(suite, of_each_format_reads_its_cases)
{
	static const char *const names[] = {"lines",  "google_benchmark", "catch2", "go",
					    "python", "formats",          "suite"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		cases_check("suites/cases", names[i], read_case);
}

/* One that says too much of itself is left out, or what is too much of it, with a word; the others are read. */
Test(suite, what_is_too_much_is_left_out)
{
	pe_auto_text text = PE_TEXT_INIT;
	const char *note;

	pe_text_add(&text, "{\"value\":1,\"name\":\"");
	for (size_t i = 0; i <= PE_SUITE_MAX_NAME; i++)
		pe_text_addc(&text, 'x');
	pe_text_add(&text, "\"}\n{\"name\":\"many\",\"value\":1,\"parameters\":[true,false");
	for (size_t i = 2; i <= PE_SUITE_MAX_PARAMS; i++)
		pe_text_addf(&text, ",%zu", i);
	pe_text_add(
		&text,
		"]}\n"
		"{\"name\":\"size\",\"value\":2,\"unit\":\"KiB\",\"metric\":\"m\"}\n"
		"{\"name\":\"rate\",\"value\":2,\"unit\":\"1/s\",\"metric\":\"r\",\"better\":\"lower\"}\n"
		"{\"name\":\"none\",\"skipped\":\"not here\"}\n"
		"{\"name\":\"plain\",\"value\":3,\"unit\":\"\",\"metric\":\"n\"}\n");
	{
		auto_reading read = reading_of(text.data, text.len, PE_SUITE_LINES);

		cr_assert(zero(int, read.rc));
		cr_expect(eq(sz, read.out.n_entries, 5));
		cr_expect(eq(sz, read.out.entries[0].n_params, PE_SUITE_MAX_PARAMS));
		note = reading_note(&read, PE_SUITE_NOTE_LIMIT);
		cr_assert_not_null(note);
		cr_expect_has(note, "were left out, the first begins with 'xxx");
		cr_expect(epsilon_eq(dbl, reading_value(&read, "size", "m"), 2048, 1e-9));
		cr_expect(eq(int, reading_find(&read, "none")->state, PE_SUITE_SKIPPED));
		cr_expect(TEXT(reading_metric(&read, "plain", "n")->unit, "1"));
		cr_expect(eq(int, reading_metric(&read, "rate", "r")->better, PE_LOWER_IS_BETTER),
			  "what it says, not what a rate is as a rule");
	}
}

Test(suite, xml_depth_and_length_are_bounded)
{
	pe_auto_text text = PE_TEXT_INIT;

	pe_text_add(&text, "<Catch name=\"s\">");
	for (int i = 0; i < 100000; i++)
		pe_text_add(&text, "<Section name=\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\">");
	{
		auto_reading read = reading_of(text.data, text.len, PE_SUITE_AUTO);

		cr_expect_text("0 1", read.out.n_entries, read.out.cut_short);
	}
	pe_text_clear(&text);
	pe_text_add(&text, "<Catch name=\"");
	for (int i = 0; i < 2000000; i++)
		pe_text_add(&text, "aaaaaaaa");
	{
		auto_reading read = reading_of(text.data, text.len, PE_SUITE_AUTO);

		cr_expect(eq(sz, read.out.n_entries, 0));
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
		struct pe_text text = repeated(texts[i], 30000);
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
	cr_expect_text("20000 0", read.out.entries[0].metrics[0].n_processes, read.out.n_notes);
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

		cr_expect_text("0 0", read.rc, read.out.n_entries);
		cr_expect_not_null(reading_note(&read, PE_SUITE_NOTE_DAMAGED));
	}
	pe_text_release(&text);
	pe_text_release(&deep);
}

Test(suite, many_of_one_name_are_told_apart)
{
	pe_auto_text text = PE_TEXT_INIT;

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
}

Test(suite, metrics_of_an_entry_are_bounded)
{
	pe_auto_text text = PE_TEXT_INIT;

	for (int i = 0; i < 1000; i++)
		pe_text_addf(&text, "{\"name\": \"a\", \"metric\": \"m%d\", \"value\": 1}\n", i);
	{
		auto_reading read = reading_of(text.data, text.len, PE_SUITE_AUTO);

		cr_expect(eq(sz, read.out.entries[0].n_metrics, PE_SUITE_MAX_METRICS));
		cr_expect_not_null(reading_note(&read, PE_SUITE_NOTE_LIMIT));
	}
}
