/* The writer: one document of every kind of value, what is escaped, and that it reads back. */
#include "core/json/writer.h"

#include "core/json/fields.h"
#include "tests/support/test.h"

static struct pe_text text;

TestSuiteWith(writer, (void)0, pe_text_release(&text), .timeout = 600);

struct thing {
	const char *name;
	char id[4];
	uint64_t large;
	int64_t small;
	double half;
	uint8_t byte;
	bool good;
};

static const struct thing thing = {"a", "b", UINT64_MAX, INT64_MIN, 0.5, 255, true};

static void expect(const char *document)
{
	cr_expect(eq(str, (char *)pe_text_str(&text), (char *)document));
}

Test(writer, sets_commas_and_brackets)
{
	static const char *const texts[] = {"x", NULL};
	struct pe_json json = PE_JSON_INIT(&text);

	pe_json_begin_object(&json, NULL);
	pe_json_begin_array(&json, "empty");
	pe_json_end(&json);
	pe_json_each_row(&json, "rows", i, 2, pe_json_pair(&json, NULL, i, i + 1));
	pe_json_texts(&json, "texts", texts, 2);
	if (pe_json_begin_maybe(&json, "there", true))
		pe_json_end(&json);
	pe_json_begin_maybe(&json, "not", false);
	pe_json_raw(&json, "raw", "{\"a\":[]}");
	pe_json_begin_array(&json, "open");
	pe_json_begin_object(&json, NULL);
	pe_json_finish(&json);
	expect("{\"empty\":[],\"rows\":[\n[0,1],\n[1,2]],\"texts\":[\"x\",null],\"there\":{},"
	       "\"not\":null,\"raw\":{\"a\":[]},\"open\":[{}]}\n");
}

Test(writer, chooses_the_form_by_the_type)
{
	struct pe_json json = PE_JSON_INIT(&text);

	pe_json_begin_array(&json, NULL);
	pe_json_begin_object(&json, NULL);
	pe_json_members(&json, &thing, name, id, large, small, half, byte, good);
	pe_json_end(&json);
	pe_json_row(&json, NULL, &thing, large, good);
	pe_json_put(&json, NULL, 0.1);
	pe_json_put(&json, NULL, 1e300);
	pe_json_put(&json, NULL, -0.0);
	pe_json_put(&json, NULL, NAN);
	pe_json_computed(&json, NULL, 100.00000000000004);
	pe_json_computed(&json, NULL, -INFINITY);
	pe_json_rounded(&json, NULL, 9007199254740991.0, 3);
	pe_json_rounded(&json, NULL, 1.0 / 3, 3);
	pe_json_index(&json, NULL, 3, UINT32_MAX);
	pe_json_index(&json, NULL, UINT32_MAX, UINT32_MAX);
	pe_json_bool(&json, NULL, 2 > 1);
	pe_json_time(&json, NULL, 1714564800);
	pe_json_finish(&json);
	expect("[{\"name\":\"a\",\"id\":\"b\",\"large\":18446744073709551615,"
	       "\"small\":-9223372036854775808,\"half\":0.5,\"byte\":255,\"good\":true},"
	       "[18446744073709551615,true],0.1,1e+300,0,null,100,null,9007199254740991,0.333,"
	       "3,null,true,\"2024-05-01T12:00:00Z\"]\n");
}

#define EXPECT_QUOTED(string, expected)                                                            \
	do {                                                                                       \
		pe_text_clear(&text);                                                              \
		pe_json_quote(&text, string);                                                      \
		expect(expected);                                                                  \
	} while (0)

Test(writer, text_is_safe_inside_a_script)
{
	EXPECT_QUOTED("a\"b\\c\nd", "\"a\\\"b\\\\c\\nd\"");
	EXPECT_QUOTED("</script><!--&", "\"\\u003c/script\\u003e\\u003c!--\\u0026\"");
	EXPECT_QUOTED("\xe2\x80\xa8\x7f\x01", "\"\\u2028\\u007f\\u0001\"");
	EXPECT_QUOTED("\xe2\x80\xaeok\xc2\x85", "\"\\u202eok\\u0085\"");
	EXPECT_QUOTED(NULL, "null");
}

Test(writer, what_is_not_utf8_is_replaced_by_maximal_subparts)
{
	/* The Unicode Standard, table 3-8 and its neighbours */
	EXPECT_QUOTED("\x61\xf1\x80\x80\xe1\x80\xc2\x62\x80\x63\x80\xbf\x64", "\"a���b�c��d\"");
	EXPECT_QUOTED("\xc0\xaf\xe0\x80\xbf\xf0\x81\x82\x41", "\"��������A\"");
	EXPECT_QUOTED("\xed\xa0\x80\xf4\x91\x92\x93\xff", "\"��������\"");
	EXPECT_QUOTED("\xe2\x82", "\"�\"");
}

static int supply(const char **bytes, size_t *n, void *payload, struct pe_err *err)
{
	bool *given = payload;

	(void)err;
	*bytes = text.data;
	*n = *given ? 0 : text.len;
	*given = true;
	return PE_OK;
}

Test(writer, every_character_of_ascii_reads_back)
{
	bool given = false;
	struct pe_json_stream *stream = pe_json_stream_new("x", 0, supply, &given);
	struct pe_json_token token = {0};
	struct pe_err err = PE_ERR_INIT;
	char all[0x80];

	for (int i = 1; i < 0x80; i++)
		all[i - 1] = (char)i;
	all[0x7f] = '\0';
	pe_json_quote(&text, all);
	cr_assert_ok(pe_json_next(stream, &token, &err), err.message);
	cr_expect(pe_json_is(&token, all));
	pe_json_stream_free(stream);
}

#ifndef NDEBUG
Test(writer, a_member_needs_a_key, .signal = SIGABRT)
{
	struct pe_json json = PE_JSON_INIT(&text);

	pe_json_begin_object(&json, NULL);
	pe_json_put(&json, NULL, 1);
}

Test(writer, an_element_has_no_key, .signal = SIGABRT)
{
	struct pe_json json = PE_JSON_INIT(&text);

	pe_json_begin_array(&json, NULL);
	pe_json_put(&json, "key", 1);
}

Test(writer, nothing_is_ended_that_was_not_begun, .signal = SIGABRT)
{
	struct pe_json json = PE_JSON_INIT(&text);

	pe_json_begin_array(&json, NULL);
	pe_json_end(&json);
	pe_json_end(&json);
}

Test(writer, a_document_is_one_value, .signal = SIGABRT)
{
	struct pe_json json = PE_JSON_INIT(&text);

	pe_json_put(&json, NULL, 1);
	pe_json_put(&json, NULL, 2);
}
#endif
