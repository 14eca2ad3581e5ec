/*
 * One JSON document:
 *
 *	{
 *	  "format": "perfevo-parcs", "version": 1,
 *	  "old": {"name": "3f2a91c0", "id": "...", "subject": "..."}, "new": {...},
 *	  "source": {"files": [12, 13], "methods": [120, 121],                 old, new; null where unknown
 *	             "added": 2, "deleted": 1, "modified": 3, "renamed": 0, "moved": 0},
 *	  "benchmarks": [
 *	    {"name": "parse", "same": false, "problem": null,
 *	     "nodes": [1200, 1210], "nodes_without_sites": [800, 810],         old, new
 *	     "matched": 1192,                                                  pairs by the rule of --match
 *	     "counting_runs": [2, 8],
 *	     "common": 1190, "common_share": 0.99,                             of the old tree
 *	     "stages": {
 *	       "deleted method": {"subtrees": 1, "nodes": 3, "subtrees_without_sites": 1}, ...
 *	     },
 *	     "cuts": [
 *	       {"reason": "direct modification", "in": "new", "function": "hash_probe",
 *	        "component": "src/hash.c", "caller": "intern", "node": 77, "nodes": 12, "modified": ["intern"]}, ...
 *	     ],
 *	     "weights": {
 *	       "time": {"overlap": 0.94, "adjusted": 0.97, "threshold": 0.97, "own_noise": true, "own_doing": 2,
 *	                "pairs": [{"function": "f", "component": "a.c", "caller": "g", "nodes": [5, 6],
 *	                           "old_share": 0.1, "new_share": 0.2, "overlap": 0.95}, ...]}, ...
 *	     }}, ...
 *	  ]
 *	}
 *
 * "counting_runs" are old's and new's, 0 where unknown; "differs_in" is there where some differ. "own_doing" counts
 * pairs that are left out, because runs of one revision differ by as much. "node" is the root of a cut, and "nodes" of a pair are its two, by their numbers in preorder of their trees;
 * "modified" names the modified methods from the subtree up to the root, nearest first.
 */
#include "report/compare_text.h"

#include "report/format.h"
#include "report/json_out.h"
#include "report/profile_text.h"

static void put_name(struct pe_text *out, const char *key, const struct pe_cct *cct, uint32_t node)
{
	struct pe_text name = PE_TEXT_INIT;

	if (node != PE_CCT_NONE)
		pe_compare_add_method(&name, cct->frames, cct->nodes[node].frame);
	pe_json_put_text(out, key, node != PE_CCT_NONE ? pe_text_str(&name) : NULL);
	pe_text_release(&name);
}

static void put_two(struct pe_text *out, const char *key, double old_value, double new_value)
{
	pe_json_open(out, key, '[');
	pe_json_number(out, old_value);
	pe_json_number(out, new_value);
	pe_text_addc(out, ']');
}

static void put_side(struct pe_text *out, const char *key, const struct pe_compare_side *side)
{
	pe_json_open(out, key, '{');
	pe_json_put_text(out, "name", side->name);
	pe_json_put_text(out, "id", side->id);
	pe_json_put_text(out, "subject", side->subject);
	pe_text_addc(out, '}');
}

void pe_compare_json_source(struct pe_text *out, const struct pe_compare_source *source)
{
	if (!source->known) {
		pe_json_put_text(out, "source", NULL);
		return;
	}
	pe_json_open(out, "source", '{');
	put_two(out, "files", (double)source->files[0], (double)source->files[1]);
	put_two(out, "methods", (double)source->methods[0], (double)source->methods[1]);
	pe_json_put_number(out, "added", (double)source->added);
	pe_json_put_number(out, "deleted", (double)source->deleted);
	pe_json_put_number(out, "modified", (double)source->modified);
	pe_json_put_number(out, "renamed", (double)source->renamed);
	pe_json_put_number(out, "moved", (double)source->moved);
	pe_text_addc(out, '}');
}

static void put_stages(struct pe_text *out, const struct pe_compare_pair *pair)
{
	pe_json_open(out, "stages", '{');
	for (int reason = 0; reason < PE_N_PARCS_REASONS; reason++) {
		pe_json_open(out, pe_parcs_reason_name((enum pe_parcs_reason)reason), '{');
		pe_json_put_number(out, "subtrees", pair->parcs->subtrees[reason]);
		pe_json_put_number(out, "nodes", pair->parcs->nodes[reason]);
		if (pair->parcs_without_sites != NULL)
			pe_json_put_number(out, "subtrees_without_sites",
					   pair->parcs_without_sites->subtrees[reason]);
		pe_text_addc(out, '}');
	}
	pe_text_addc(out, '}');
}

static void put_cut(struct pe_text *out, const struct pe_compare_pair *pair,
		    const struct pe_parcs_cut *cut)
{
	const struct pe_cct *cct = cut->in_new ? pair->new_runs->cct : pair->old_runs->cct;

	pe_json_put_comma(out);
	pe_text_addc(out, '{');
	pe_json_put_text(out, "reason", pe_parcs_reason_name(cut->reason));
	pe_json_put_text(out, "in", cut->in_new ? "new" : "old");
	put_name(out, "function", cct, cut->node);
	pe_json_put_text(out, "component", pe_cct_frame(cct, cut->node)->component);
	put_name(out, "caller", cct, cut->caller);
	pe_json_put_number(out, "node", cut->node);
	pe_json_put_number(out, "nodes", cut->nodes);
	pe_json_open(out, "modified", '[');
	for (uint32_t i = 0; i < cut->n_modified; i++) {
		struct pe_text name = PE_TEXT_INIT;

		pe_compare_add_method(&name, cct->frames, cct->nodes[cut->modified[i]].frame);
		pe_json_put_comma(out);
		pe_escape_json(out, pe_text_str(&name));
		pe_text_release(&name);
	}
	pe_text_addc(out, ']');
	pe_profile_json_differs(out, cct, cut->node);
	pe_text_addc(out, '}');
}

static void put_pair(struct pe_text *out, const struct pe_cct *cct, const struct pe_parcs_pair *one)
{
	pe_json_put_comma(out);
	pe_text_addc(out, '{');
	put_name(out, "function", cct, one->new_node);
	pe_json_put_text(out, "component", pe_cct_frame(cct, one->new_node)->component);
	put_name(out, "caller", cct, cct->nodes[one->new_node].parent);
	put_two(out, "nodes", one->old_node, one->new_node);
	pe_json_put_computed(out, "old_share", one->old_share);
	pe_json_put_computed(out, "new_share", one->new_share);
	pe_json_put_computed(out, "overlap", one->overlap);
	pe_text_addc(out, '}');
}

static void put_weights(struct pe_text *out, const struct pe_compare_pair *pair)
{
	static const char *const names[PE_N_PARCS_WEIGHTS] = {
		[PE_PARCS_TIME] = "time",
		[PE_PARCS_CALLS] = "calls",
		[PE_PARCS_ALLOCATIONS] = "allocations",
	};

	pe_json_open(out, "weights", '{');
	for (int weight = 0; weight < PE_N_PARCS_WEIGHTS; weight++) {
		const struct pe_parcs_overlap *overlap = &pair->parcs->weights[weight];

		if (!overlap->known)
			continue;
		pe_json_open(out, names[weight], '{');
		pe_json_put_computed(out, "overlap", overlap->initial);
		pe_json_put_computed(out, "adjusted", overlap->adjusted);
		pe_json_put_computed(out, "threshold", overlap->threshold);
		pe_json_put_bool(out, "own_noise", overlap->own_noise);
		pe_json_put_number(out, "own_doing", overlap->own_doing);
		pe_json_open(out, "pairs", '[');
		for (uint32_t i = 0; i < overlap->n_pairs; i++)
			put_pair(out, pair->new_runs->cct, &overlap->pairs[i]);
		pe_text_add(out, "]}");
	}
	pe_text_addc(out, '}');
}

void pe_parcs_json_benchmark(struct pe_text *out, const struct pe_compare_pair *pair)
{
	pe_json_put_comma(out);
	pe_text_addc(out, '{');
	pe_json_put_text(out, "name", pair->name);
	pe_json_put_bool(out, "same", pair->same);
	pe_json_put_text(out, "problem", pair->problem);
	if (pair->parcs != NULL) {
		put_two(out, "nodes", pair->old_runs->cct->n, pair->new_runs->cct->n);
		if (pair->parcs_without_sites != NULL)
			put_two(out, "nodes_without_sites", pair->nodes_without_sites[0],
				pair->nodes_without_sites[1]);
		pe_json_put_number(out, "matched", pair->delta->both);
		put_two(out, "counting_runs", pair->old_runs->cct->facts.counting_runs,
			pair->new_runs->cct->facts.counting_runs);
		pe_json_put_number(out, "common", pair->parcs->common.pairs);
		pe_json_put_computed(out, "common_share", pair->parcs->common_share);
		put_stages(out, pair);
		pe_json_open(out, "cuts", '[');
		for (uint32_t i = 0; i < pair->parcs->n_cuts; i++)
			put_cut(out, pair, &pair->parcs->cuts[i]);
		pe_text_addc(out, ']');
		put_weights(out, pair);
	}
	pe_text_addc(out, '}');
}

void pe_parcs_json(struct pe_text *out, const struct pe_compare *compare)
{
	pe_text_addc(out, '{');
	pe_json_put_text(out, "format", "perfevo-parcs");
	pe_json_put_number(out, "version", 1);
	put_side(out, "old", &compare->old_side);
	put_side(out, "new", &compare->new_side);
	pe_compare_json_source(out, &compare->source);
	pe_json_open(out, "benchmarks", '[');
	for (size_t p = 0; p < compare->n_pairs; p++)
		pe_parcs_json_benchmark(out, &compare->pairs[p]);
	pe_text_add(out, "]}\n");
}
