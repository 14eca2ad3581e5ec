/*
 * The three stages on a terminal, in the columns of PARCS's tables 2 to 5, a row a benchmark; then of each
 * benchmark what went and why, and which of the nodes that both have weigh differently (sections 3.3 to 3.5).
 */
#include "report/compare_text.h"

#include "report/document.h"
#include "core/base/number.h"

#include <math.h>

/* Rows of a list that are printed unless an option wants more. */
enum { MOST_CUTS = 20, MOST_PAIRS = 10, MOST_NAMED = 4 };

static void put_count(struct pe_table *table, uint64_t count)
{
	pe_table_value(table, PE_PLAIN, (double)count, "1");
}

static void add_percent(struct pe_text *out, double share)
{
	pe_number_fixed(out, 100 * share, 2);
	pe_text_add(out, " %");
}

static void put_percent(struct pe_table *table, double share)
{
	pe_auto_text text = PE_TEXT_INIT;

	if (isfinite(share))
		add_percent(&text, share);
	pe_table_take(table, PE_PLAIN, &text);
}

static const char *name_of(const struct pe_compare_pair *pair)
{
	return pair->name != NULL ? pair->name : "profile";
}

static void add_title(struct pe_text *out, const struct pe_term *term, const char *title)
{
	pe_text_addc(out, '\n');
	pe_term_line(out, term, PE_BOLD, title);
}

/* A table with its title, unless it is empty. */
static void put_table(struct pe_doc *doc, const char *title, struct pe_table *table)
{
	if (table->cells.n > 0)
		add_title(doc->out, doc->term, title);
	pe_doc_table(doc, table, true);
}

/* --- The tables --- */

static void add_source(struct pe_doc *doc, const struct pe_compare *compare)
{
	static const struct pe_column columns[] = {
		{"", false, 0},       {"files in old", true, 0},
		{"in new", true, 0},  {"methods in old", true, 0},
		{"in new", true, 0},  {"added", true, 0},
		{"deleted", true, 0}, {"modified", true, 0},
		{"renamed", true, 0}, {"moved", true, 0},
	};
	const struct pe_compare_source *source = &compare->source;
	struct pe_table table;

	if (!source->known)
		return;
	pe_table_init(&table, columns, sizeof(columns) / sizeof(*columns), doc->term);
	pe_table_put(&table, PE_PLAIN, "");
	for (int side = 0; side < 2; side++)
		put_count(&table, source->files[side]);
	for (int side = 0; side < 2; side++)
		put_count(&table, source->methods[side]);
	put_count(&table, source->added);
	put_count(&table, source->deleted);
	put_count(&table, source->modified);
	put_count(&table, source->renamed);
	put_count(&table, source->moved);
	put_table(doc, "Source", &table);
}

static void add_topology(struct pe_doc *doc, const struct pe_compare *compare)
{
	const struct pe_column columns[] = {
		{"benchmark", false, 8},   {"common tree", true, 0},  {"of old", true, 0},
		{"deleted", true, 0},      {"nodes", true, 0},        {"added", true, 0},
		{"nodes", true, 0},        {"modified", true, 0},     {"nodes", true, 0},
		{"side effects", true, 0}, {"nodes", true, 0},        {"non-determinism", true, 0},
		{"nodes", true, 0},        {compare->match, true, 0},
	};
	struct pe_table table;

	pe_table_init(&table, columns, sizeof(columns) / sizeof(*columns), doc->term);
	for (size_t p = 0; p < compare->n_pairs; p++) {
		const struct pe_parcs *parcs = compare->pairs[p].parcs;

		if (parcs == NULL)
			continue;
		pe_table_put(&table, PE_PLAIN, name_of(&compare->pairs[p]));
		put_count(&table, parcs->common.pairs);
		put_percent(&table, parcs->common_share);
		for (int reason = 0; reason < PE_N_PARCS_REASONS; reason++) {
			put_count(&table, parcs->subtrees[reason]);
			put_count(&table, parcs->nodes[reason]);
		}
		/* What the rule of --match pairs, which lets inner calls come and go, beside relaxed's common tree. */
		put_count(&table, compare->pairs[p].delta->both);
	}
	put_table(doc, "Subtrees and nodes that only one tree has, by stage", &table);
}

/* Subtrees and sizes where all calls of a method by another are one. */
static void add_without_sites(struct pe_doc *doc, const struct pe_compare *compare)
{
	static const struct pe_column columns[] = {
		{"benchmark", false, 8}, {"deleted", true, 0},      {"added", true, 0},
		{"modified", true, 0},   {"side effects", true, 0}, {"non-determinism", true, 0},
		{"old nodes", true, 0},  {"with sites", true, 0},   {"new nodes", true, 0},
		{"with sites", true, 0},
	};
	struct pe_table table;

	pe_table_init(&table, columns, sizeof(columns) / sizeof(*columns), doc->term);
	for (size_t p = 0; p < compare->n_pairs; p++) {
		const struct pe_compare_pair *pair = &compare->pairs[p];

		if (pair->parcs_without_sites == NULL)
			continue;
		pe_table_put(&table, PE_PLAIN, name_of(pair));
		for (int reason = 0; reason < PE_N_PARCS_REASONS; reason++)
			put_count(&table, pair->parcs_without_sites->subtrees[reason]);
		put_count(&table, pair->nodes_without_sites[0]);
		put_count(&table, pair->old_runs->cct->n);
		put_count(&table, pair->nodes_without_sites[1]);
		put_count(&table, pair->new_runs->cct->n);
	}
	put_table(doc, "Subtrees and sizes of the trees, when call sites are not told apart",
		  &table);
}

/* --- What went, and why --- */

static void add_quoted(struct pe_text *out, const struct pe_cct *cct, uint32_t node)
{
	pe_text_addc(out, '`');
	pe_compare_add_method(out, cct->frames, cct->nodes[node].frame);
	pe_text_addc(out, '`');
}

static void add_cut(struct pe_doc *doc, const struct pe_compare_pair *pair,
		    const struct pe_parcs_cut *cut)
{
	const struct pe_cct *cct = cut->in_new ? pair->new_runs->cct : pair->old_runs->cct;
	const struct pe_cct_range *range = pe_cct_range_of(cct, cut->node);
	pe_auto_text line = PE_TEXT_INIT;

	pe_text_addf(&line, "%s, only in %s: ", pe_parcs_reason_name(cut->reason),
		     cut->in_new ? "new" : "old");
	add_quoted(&line, cct, cut->node);
	if (cut->caller != PE_CCT_NONE) {
		pe_text_add(&line, cct->nodes[cut->caller].frame == cct->nodes[0].frame
					   ? " at the top"
					   : " called by ");
		if (cct->nodes[cut->caller].frame != cct->nodes[0].frame)
			add_quoted(&line, cct, cut->caller);
	}
	pe_text_addf(&line, ", %u node%s", cut->nodes, cut->nodes == 1 ? "" : "s");
	if (range != NULL)
		pe_text_addf(&line, "; differs in %u of %u runs", range->runs,
			     cct->facts.counting_runs);
	for (uint32_t i = 0; i < cut->n_modified && i < MOST_NAMED; i++) {
		pe_text_add(&line, i == 0 ? "; modified above it: " : ", ");
		add_quoted(&line, cct, cut->modified[i]);
	}
	if (cut->n_modified > MOST_NAMED)
		pe_text_addf(&line, " and %u more", cut->n_modified - MOST_NAMED);
	pe_doc_say(doc, PE_PLAIN, "  ", "    ", &line);
}

static void add_cuts(struct pe_doc *doc, const struct pe_compare_pair *pair)
{
	const struct pe_parcs *parcs = pair->parcs;
	pe_auto_text line = PE_TEXT_INIT;

	for (uint32_t i = 0; i < parcs->n_cuts && i < MOST_CUTS; i++)
		add_cut(doc, pair, &parcs->cuts[i]);
	if (parcs->n_cuts > MOST_CUTS) {
		pe_text_add(&line, "  ");
		pe_compare_add_more(&line, parcs->n_cuts - MOST_CUTS, "subtree",
				    "--format json has them all");
		pe_doc_line(doc, PE_DIM, &line);
	}
	if (parcs->n_cuts == 0)
		pe_term_line(doc->out, doc->term, PE_PLAIN, "  both trees have the same shape");
}

/* --- Weights --- */

static void add_pairs(struct pe_doc *doc, const struct pe_compare_pair *pair,
		      const struct pe_parcs_overlap *overlap)
{
	static const struct pe_column columns[] = {
		{"", false, 0},        {"of old", true, 0},
		{"of new", true, 0},   {"overlap then", true, 0},
		{"method", false, 20}, {"called by", false, 12},
	};
	const size_t n_columns = sizeof(columns) / sizeof(*columns);
	const struct pe_cct *cct = pair->new_runs->cct;
	pe_auto_text name = PE_TEXT_INIT;
	struct pe_table table;

	if (overlap->n_pairs == 0)
		return;
	pe_table_init(&table, columns, n_columns, doc->term);
	for (uint32_t i = 0; i < overlap->n_pairs && i < MOST_PAIRS; i++) {
		const struct pe_parcs_pair *one = &overlap->pairs[i];
		const uint32_t parent = cct->nodes[one->new_node].parent;

		pe_table_put(&table, PE_PLAIN, "  ");
		put_percent(&table, one->old_share);
		put_percent(&table, one->new_share);
		put_percent(&table, one->overlap);
		pe_compare_add_method(&name, cct->frames, cct->nodes[one->new_node].frame);
		pe_table_function(&table, PE_PLAIN, "", pe_text_str(&name));
		pe_text_clear(&name);
		if (parent != PE_CCT_NONE)
			pe_compare_add_method(&name, cct->frames, cct->nodes[parent].frame);
		pe_table_function(&table, PE_DIM, "", pe_text_str(&name));
		pe_text_clear(&name);
	}
	pe_doc_table(doc, &table, true);
	if (overlap->n_pairs > MOST_PAIRS) {
		pe_text_add(&name, "  ");
		pe_compare_add_more(&name, overlap->n_pairs - MOST_PAIRS, "pair",
				    "--format json has them all");
		pe_doc_line(doc, PE_DIM, &name);
	}
}

static void add_weight(struct pe_doc *doc, const struct pe_compare_pair *pair,
		       enum pe_parcs_weight weight)
{
	static const char *const names[PE_N_PARCS_WEIGHTS] = {
		[PE_PARCS_TIME] = "time",
		[PE_PARCS_CALLS] = "calls",
		[PE_PARCS_ALLOCATIONS] = "allocations",
	};
	const struct pe_parcs_overlap *overlap = &pair->parcs->weights[weight];
	pe_auto_text line = PE_TEXT_INIT;

	if (!overlap->known)
		return;
	pe_text_addf(&line, "%s: old and new overlap by ", names[weight]);
	add_percent(&line, overlap->initial);
	if (overlap->n_pairs > 0) {
		pe_text_addf(&line, ", and by ");
		add_percent(&line, overlap->adjusted);
		pe_text_addf(&line, " once %u pair%s of nodes weigh%s the same", overlap->n_pairs,
			     overlap->n_pairs == 1 ? "" : "s", overlap->n_pairs == 1 ? "s" : "");
	}
	pe_text_add(&line,
		    overlap->own_noise ? "; two runs of new overlap by " : "; looked for was ");
	add_percent(&line, overlap->threshold);
	if (overlap->own_doing > 0)
		pe_text_addf(&line,
			     "; %u pair%s left out, where runs of one revision differ as much",
			     overlap->own_doing, overlap->own_doing == 1 ? " is" : "s are");
	if (overlap->unchanged > 0)
		pe_text_addf(&line, "; %u pair%s left out, where no method changed",
			     overlap->unchanged, overlap->unchanged == 1 ? " is" : "s are");
	pe_doc_say(doc, PE_PLAIN, "  ", "    ", &line);
	add_pairs(doc, pair, overlap);
}

void pe_parcs_term(struct pe_text *out, const struct pe_compare *compare,
		   const struct pe_term *term)
{
	struct pe_doc doc = {.out = out, .term = term};
	pe_compare_put_sides(&doc, compare);
	add_source(&doc, compare);
	add_topology(&doc, compare);
	add_without_sites(&doc, compare);
	for (size_t p = 0; p < compare->n_pairs; p++) {
		const struct pe_compare_pair *pair = &compare->pairs[p];

		add_title(out, term, name_of(pair));
		if (pair->same)
			pe_term_line(out, term, PE_PLAIN, "  old and new execute the same");
		else if (pair->problem != NULL)
			pe_term_wrap(out, term, PE_PLAIN, "  ", "  ", pair->problem);
		if (pair->parcs == NULL)
			continue;
		add_cuts(&doc, pair);
		pe_doc_gap(&doc);
		for (int weight = 0; weight < PE_N_PARCS_WEIGHTS; weight++)
			add_weight(&doc, pair, (enum pe_parcs_weight)weight);
	}
}
