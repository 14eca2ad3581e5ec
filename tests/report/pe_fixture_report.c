/*
 * Writes a fixture as a report: pe_fixture_report KIND html|json|csv|term|log|show > FILE; of the kinds that begin
 * with "page-": html.
 */
#include "fixture_page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool write_as(struct pe_text *out, const struct fixture *fixture, const char *format)
{
	const struct pe_evolution *evolution = &fixture->evolution;
	const struct pe_term term = {.width = 120, .colour = true, .unicode = true};

	if (strcmp(format, "html") == 0)
		fixture_page(out, fixture);
	else if (strcmp(format, "json") == 0)
		pe_evolution_json(out, evolution);
	else if (strcmp(format, "csv") == 0)
		pe_evolution_csv(out, evolution);
	else if (strcmp(format, "term") == 0)
		pe_evolution_term(out, evolution, &term);
	else if (strcmp(format, "log") == 0)
		pe_evolution_log(out, evolution, NULL, &term);
	else if (strcmp(format, "show") == 0 && evolution->n_revisions > 0)
		pe_evolution_show(out, evolution, evolution->n_revisions / 2, &term);
	else
		return false;
	return true;
}

static int print(const struct pe_text *text)
{
	return fwrite(pe_text_str(text), 1, text->len, stdout) == text->len && fflush(stdout) == 0
		       ? EXIT_SUCCESS
		       : EXIT_FAILURE;
}

static int print_evolution(const char *kind, const char *format)
{
	struct fixture fixture;
	pe_auto_text text = PE_TEXT_INIT;
	int status = EXIT_FAILURE;

	if (fixture_make(&fixture, kind) && write_as(&text, &fixture, format))
		status = print(&text);
	fixture_release(&fixture);
	return status;
}

static int print_report(const char *kind, const char *format)
{
	struct fixture_report report;
	pe_auto_text text = PE_TEXT_INIT;
	int status = EXIT_FAILURE;

	if (fixture_report_make(&report, kind)) {
		if (strcmp(format, "html") == 0)
			pe_page_html(&text, &report.page);
		if (text.len > 0)
			status = print(&text);
	}
	fixture_report_release(&report);
	return status;
}

int main(int argc, char **argv)
{
	int status = EXIT_FAILURE;

	if (argc == 3 && strncmp(argv[1], "page-", 5) == 0)
		status = print_report(argv[1], argv[2]);
	else if (argc == 3)
		status = print_evolution(argv[1], argv[2]);
	if (status != EXIT_SUCCESS)
		fprintf(stderr, "usage: %s KIND FORMAT\n", argv[0]);
	return status;
}
