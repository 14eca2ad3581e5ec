/*
 * What `track` found, for a comment on a pull request: the jumps as a table, by commit, the worst first; what was accepted,
 * failed or left out is folded.
 */
#include "report/evolution.h"

#include "report/commit_blocks.h"
#include "report/markdown.h"
#include "report/query.h"

static void put_blocks(struct pe_text *out, const struct pe_evolution *evolution,
		       const struct pe_commit_block *blocks, size_t n)
{
	pe_text_addc(out, '\n');
	pe_commit_blocks_markdown(out, evolution, blocks, n);
}

static void open_details(struct pe_text *out, size_t n, const char *noun)
{
	pe_text_addf(out, "\n<details><summary>%zu %s%s</summary>\n\n", n, noun, n == 1 ? "" : "s");
}

static void put_failures(struct pe_text *out, const struct pe_evolution *evolution)
{
	if (evolution->n_failures == 0)
		return;
	open_details(out, evolution->n_failures, "failure");
	for (size_t i = 0; i < evolution->n_failures; i++) {
		const struct pe_failure *failure = &evolution->failures[i];

		pe_text_add(out, "- ");
		if (failure->benchmark != NULL) {
			pe_md_code(out, failure->benchmark, PE_MD_LINE);
			pe_text_addc(out, ' ');
		}
		pe_text_addf(out, "%s at ", pe_outcome_say(failure->outcome));
		pe_add_short_id(out, evolution, failure->revision);
		pe_text_addc(out, ' ');
		pe_md_text(out, evolution->revisions[failure->revision].subject, PE_MD_LINE);
		pe_text_addc(out, '\n');
	}
	pe_text_add(out, "\n</details>\n");
}

static void put_left_out(struct pe_text *out, const struct pe_evolution *evolution)
{
	if (evolution->n_left_out == 0)
		return;
	pe_text_addf(out, "\n<details><summary>%zu test%s left out</summary>\n\n",
		     evolution->n_left_out, evolution->n_left_out == 1 ? "" : "s");
	for (size_t i = 0; i < evolution->n_left_out; i++) {
		pe_text_add(out, "- ");
		pe_md_code(out, evolution->left_out[i].name, PE_MD_LINE);
		pe_text_add(out, ": ");
		pe_md_text(out, evolution->left_out[i].reason, PE_MD_LINE);
		pe_text_addc(out, '\n');
	}
	pe_text_add(out, "\n</details>\n");
}

void pe_evolution_md(struct pe_text *out, const struct pe_evolution *evolution)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	size_t n;
	const struct pe_commit_block *blocks = pe_commit_blocks(&n, evolution, &arena);
	size_t open = pe_commit_blocks_open(blocks, n);

	pe_text_add(out, "### perfevo: ");
	pe_commit_blocks_add_headline(out, evolution, blocks, n);
	pe_text_addc(out, '\n');
	if (open > 0)
		put_blocks(out, evolution, blocks, open);
	if (open < n) {
		open_details(out, n - open, "accepted commit");
		put_blocks(out, evolution, blocks + open, n - open);
		pe_text_add(out, "\n</details>\n");
	}
	put_failures(out, evolution);
	put_left_out(out, evolution);
	if (evolution->machine != NULL && evolution->n_lines > 0) {
		pe_text_add(out, "\nMeasured on ");
		pe_md_text(out, evolution->machine, PE_MD_LINE);
		pe_text_add(out, ".\n");
	}
	if (evolution->machine_drift != NULL) {
		pe_auto_text line = PE_TEXT_INIT;

		pe_machine_drift_add(&line, evolution->machine_drift, evolution->generated_s);
		pe_text_addf(out, "\nM%s.\n", pe_text_str(&line) + 1);
	}
}
