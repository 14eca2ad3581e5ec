/* Writes a gate of known content: pe_fixture_gate KIND term|json|markdown|junit|sarif|github|gitlab. */
#include "fixture_gate.h"

#include <stdio.h>
#include <string.h>

static void term(struct pe_text *out, const struct pe_gate *gate)
{
	const struct pe_term wide = {.width = 120, .unicode = true};

	pe_gate_term(out, gate, &wide);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*write)(struct pe_text *out, const struct pe_gate *gate);
	} writers[] = {
		{"term", term},
		{"json", pe_gate_json},
		{"markdown", pe_gate_markdown},
		{"junit", pe_gate_junit},
		{"sarif", pe_gate_sarif},
		{"github", pe_gate_github},
		{"gitlab", pe_gate_gitlab},
	};
	pe_auto_text out = PE_TEXT_INIT;
	struct pe_gate gate;

	if (argc != 3 || !fixture_gate(&gate, argv[1]))
		return 129;
	for (size_t i = 0; i < sizeof(writers) / sizeof(*writers); i++)
		if (strcmp(argv[2], writers[i].name) == 0)
			writers[i].write(&out, &gate);
	fputs(pe_text_str(&out), stdout);
	return 0;
}
