/* Writes a fixture as a report: pe_fixture_report KIND html|json|csv|term|log|show > FILE */
#include "fixture.h"

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
		pe_evolution_log(out, evolution, &term);
	else if (strcmp(format, "show") == 0 && evolution->n_revisions > 0)
		pe_evolution_show(out, evolution, evolution->n_revisions / 2, &term);
	else
		return false;
	return true;
}

int main(int argc, char **argv)
{
	struct fixture fixture;
	struct pe_text text = PE_TEXT_INIT;
	int status = EXIT_FAILURE;

	if (argc != 3 || !fixture_make(&fixture, argv[1])) {
		fprintf(stderr, "usage: %s KIND FORMAT\n", argv[0]);
		return EXIT_FAILURE;
	}
	if (write_as(&text, &fixture, argv[2]) &&
	    fwrite(pe_text_str(&text), 1, text.len, stdout) == text.len && fflush(stdout) == 0)
		status = EXIT_SUCCESS;
	pe_text_release(&text);
	fixture_release(&fixture);
	return status;
}
