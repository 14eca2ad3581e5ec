#include "cmd/ui/term.h"

#include "tests/support/test.h"

TestSuite(term, .timeout = 600);

static struct pe_term detect(const char *name, const char *colorterm, enum pe_colour colour)
{
	int fd = open("/dev/null", O_WRONLY);
	struct pe_term term;

	if (name != NULL)
		setenv("TERM", name, 1);
	else
		unsetenv("TERM");
	if (colorterm != NULL)
		setenv("COLORTERM", colorterm, 1);
	else
		unsetenv("COLORTERM");
	term = pe_term_detect(fd, colour);
	close(fd);
	return term;
}

Test(term, colours_are_as_many_as_the_terminal_says)
{
	cr_expect_eq(detect("xterm", NULL, PE_COLOUR_ALWAYS).colours, 16);
	cr_expect_eq(detect(NULL, NULL, PE_COLOUR_ALWAYS).colours, 16);
	cr_expect_eq(detect("screen-256color", NULL, PE_COLOUR_ALWAYS).colours, 256);
	cr_expect_eq(detect("xterm-256color", "truecolor", PE_COLOUR_ALWAYS).colours, 1u << 24);
	cr_expect_eq(detect("xterm", "24bit", PE_COLOUR_ALWAYS).colours, 1u << 24);
	cr_expect_eq(detect("xterm-direct", NULL, PE_COLOUR_ALWAYS).colours, 1u << 24);
	cr_expect_eq(detect("xterm-256color", "yes", PE_COLOUR_ALWAYS).colours, 256);
}

Test(term, what_is_no_terminal_has_120_columns_and_colours_only_when_asked)
{
	cr_expect(!detect("xterm-256color", "truecolor", PE_COLOUR_AUTO).colour);
	cr_expect(!detect("xterm-256color", "truecolor", PE_COLOUR_NEVER).colour);
	cr_expect(detect("dumb", NULL, PE_COLOUR_ALWAYS).colour);
	unsetenv("COLUMNS");
	cr_expect_eq(detect("xterm", NULL, PE_COLOUR_ALWAYS).width, 120);
	cr_expect(!detect("xterm", NULL, PE_COLOUR_ALWAYS).interactive);
	setenv("COLUMNS", "60", 1);
	cr_expect_eq(detect("xterm", NULL, PE_COLOUR_ALWAYS).width, 60);
}
