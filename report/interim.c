#include "report/interim.h"

#include "report/commit_blocks.h"

static bool is_known(const struct pe_evolution *evolution, size_t revision)
{
	for (size_t i = 0; i < evolution->n_lines; i++) {
		const struct pe_point *point = pe_line_at(&evolution->lines[i], revision);

		if (point != NULL && point->outcome == PE_MEASURED)
			return true;
	}
	return false;
}

struct pe_interim pe_interim_add(struct pe_text *out, const struct pe_evolution *evolution,
				 size_t asked)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	size_t n;
	const struct pe_commit_block *blocks = pe_commit_blocks(&n, evolution, &arena);
	struct pe_interim interim = {.n = pe_commit_blocks_open(blocks, n)};

	for (size_t r = evolution->first; r < evolution->n_revisions; r++)
		interim.known += is_known(evolution, r);
	pe_text_addf(out, "so far %zu of %zu commits are known", interim.known, asked);
	if (interim.n == 0) {
		pe_text_add(out, "; no jump is seen yet");
		return interim;
	}
	interim.commit = blocks[0].commit;
	interim.commits = blocks[0].jumps[0].jump->commits;
	pe_text_add(out, "; ");
	pe_commit_block_add_line(out, evolution, &blocks[0]);
	if (interim.n > 1)
		pe_text_addf(out, "; %zu other commit%s", interim.n - 1, interim.n == 2 ? "" : "s");
	return interim;
}

bool pe_interim_differs(const struct pe_interim *old, const struct pe_interim *now)
{
	return old->n != now->n || old->commit != now->commit || old->commits != now->commits;
}
