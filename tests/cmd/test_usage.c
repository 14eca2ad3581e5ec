/* Usage: one table as help and as a manual page. */
#include "cmd/commands.h"
#include "cmd/ui/usage.h"
#include "tests/support/test.h"

static struct pe_text text;

TestSuiteWith(usage, (void)0, pe_text_release(&text), .timeout = 600);

static const char *const lines[] = {"tool go [-n N] WHERE", "tool stay", NULL};
static const char *const speeds[] = {"slow", "fast", NULL};
static size_t number;
static int speed;
static bool flag;

static const struct pe_opt opts[] = {
	OPT_GROUP("How far"),
	OPT_NUMBER('n', "number", &number, "N",
		   "so many steps, counted from where it starts, whatever lies in between"),
	OPT_CHOICE(0, "speed", &speed, speeds, "how fast"),
	OPT_FLAG(0, "a-very-long-option-name-indeed", &flag, "long"),
	OPT_END,
};

static const struct pe_example examples[] = {
	{"tool go -n 3 .", "three steps"},
	{NULL, NULL},
};

static const struct pe_usage usage = {
	.lines = lines,
	.description = "Goes somewhere.\n\nIt's 'there' \\ or ~ not.\n.start",
	.examples = examples,
};

Test(usage, prints_help_in_two_columns)
{
	const struct pe_term term = {.width = 60, .interactive = true};

	pe_manual_command(&(struct pe_manual){&text, &term}, &usage, opts);
	cr_assert_str_eq(text.data, "usage: tool go [-n N] WHERE\n"
				    "   or: tool stay\n"
				    "\n"
				    "Goes somewhere.\n"
				    "\n"
				    "It's 'there' \\ or ~ not. .start\n"
				    "\n"
				    "How far\n"
				    "  -n, --number N            so many steps, counted from\n"
				    "                            where it starts, whatever lies\n"
				    "                            in between\n"
				    "      --speed slow|fast     how fast\n"
				    "      --a-very-long-option-name-indeed\n"
				    "                            long\n"
				    "\n"
				    "Examples\n"
				    "  tool go -n 3 .\n"
				    "      three steps\n");
}

Test(usage, never_exceeds_the_width)
{
	for (unsigned width = 60; width <= 100; width++) {
		const struct pe_term term = {.width = width, .interactive = true};

		pe_text_clear(&text);
		pe_manual_command(&(struct pe_manual){&text, &term}, &usage, opts);
		for (const char *line = text.data; *line != '\0'; line += strcspn(line, "\n") + 1)
			cr_assert(le(sz, strcspn(line, "\n"), width));
	}
}

Test(usage, writes_a_manual_page_that_roff_takes_literally)
{
	struct pe_manual man = {&text, NULL};

	pe_manual_begin(&man, "tool-go", "go there", "1.2", 86400);
	pe_manual_command(&man, &usage, opts);
	cr_assert(eq(ptr, strstr(text.data, ".TH \"TOOL-GO\" 1 1970-01-02 \"perfevo 1.2\""),
		     text.data));
	cr_assert_has(text.data, "\nIt\\(aqs \\(aqthere\\(aq \\e or \\(ti not.\n\\&.start\n");
	cr_assert_has(text.data, ".TP\n\\fB\\-n, \\-\\-number N\\fR\n");
	cr_assert_has(text.data, ".SS How far\n");
	cr_assert_has(text.data, ".SH EXAMPLES\n");
}

Test(usage, writes_other_characters_by_their_code_point)
{
	pe_manual_escape(&text, "\xce\x94 \xf0\x9f\x98\x80 \xff");
	cr_assert_str_eq(text.data, "\\[u0394] \\[u1F600] \\[uFFFD]");
}

Test(usage, a_page_is_read)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	const struct pe_usage read =
		pe_usage_read("perfevo go A\nperfevo go\n\nOne\nline.\n\nTwo.\n\n"
			      "$ perfevo go x\nwhat x does\n$ perfevo go y\nand y\n",
			      &arena);

	cr_expect(eq(str, (char *)read.lines[1], (char *)"perfevo go"));
	cr_expect(read.lines[2] == NULL);
	cr_expect(eq(str, (char *)read.description, (char *)"One\nline.\n\nTwo."));
	cr_expect(eq(str, (char *)read.examples[1].command, (char *)"perfevo go y"));
	cr_expect(eq(str, (char *)read.examples[1].what, (char *)"and y"));
	cr_expect(read.examples[2].command == NULL);
	cr_expect(pe_usage_read("perfevo go\n\nOne.", &arena).examples[0].command == NULL);
}

Test(usage, every_command_has_a_page)
{
	pe_auto_arena arena = PE_ARENA_INIT;

	for (const struct pe_cmd *cmd = pe_cmds; cmd->name != NULL; cmd++) {
		const struct pe_usage page = pe_usage_of(cmd->name, &arena);

		cr_expect(page.lines[0] != NULL && page.description[0] != '\0', "%s", cmd->name);
	}
	cr_expect(pe_usage_of("com", &arena).lines[0] == NULL);
}
