/* The stages as one JSON document: report/schema/stages.schema.json describes its members. */
#include "report/compare_text.h"

#include "core/json/writer.h"
#include "report/profile_text.h"

static void put_name(struct pe_json *json, const char *key, const struct pe_cct *cct, uint32_t node)
{
	pe_compare_json_method(json, key, cct->frames,
			       node != PE_CCT_NONE ? cct->nodes[node].frame : PE_FRAME_NONE);
}

void pe_compare_json_source(struct pe_json *json, const struct pe_compare_source *source)
{
	if (!pe_json_begin_maybe(json, "source", source->known))
		return;
	pe_json_pair(json, "files", source->files[0], source->files[1]);
	pe_json_pair(json, "methods", source->methods[0], source->methods[1]);
	pe_json_members(json, source, added, deleted, modified, renamed, moved);
	pe_json_end(json);
}

static void put_stages(struct pe_json *json, const struct pe_compare_pair *pair)
{
	pe_json_begin_object(json, "stages");
	for (int reason = 0; reason < PE_N_PARCS_REASONS; reason++) {
		pe_json_begin_object(json, pe_parcs_reason_name((enum pe_parcs_reason)reason));
		pe_json_put(json, "subtrees", pair->parcs->subtrees[reason]);
		pe_json_put(json, "nodes", pair->parcs->nodes[reason]);
		if (pair->parcs_without_sites != NULL)
			pe_json_put(json, "subtrees_without_sites",
				    pair->parcs_without_sites->subtrees[reason]);
		pe_json_end(json);
	}
	pe_json_end(json);
}

static void put_cut(struct pe_json *json, const struct pe_compare_pair *pair,
		    const struct pe_parcs_cut *cut)
{
	const struct pe_cct *cct = cut->in_new ? pair->new_runs->cct : pair->old_runs->cct;

	pe_json_begin_object(json, NULL);
	pe_json_put(json, "reason", pe_parcs_reason_name(cut->reason));
	pe_json_put(json, "in", cut->in_new ? "new" : "old");
	put_name(json, "function", cct, cut->node);
	pe_json_put(json, "component", pe_cct_frame(cct, cut->node)->component);
	put_name(json, "caller", cct, cut->caller);
	pe_json_members(json, cut, node, nodes);
	pe_json_each(json, "modified", i, cut->n_modified,
		     put_name(json, NULL, cct, cut->modified[i]));
	pe_profile_json_differs(json, cct, cut->node);
	pe_json_end(json);
}

static void put_pair(struct pe_json *json, const struct pe_cct *cct,
		     const struct pe_parcs_pair *one)
{
	pe_json_begin_object(json, NULL);
	put_name(json, "function", cct, one->new_node);
	pe_json_put(json, "component", pe_cct_frame(cct, one->new_node)->component);
	put_name(json, "caller", cct, cct->nodes[one->new_node].parent);
	pe_json_pair(json, "nodes", one->old_node, one->new_node);
	pe_json_computed_members(json, one, old_share, new_share, overlap);
	pe_json_end(json);
}

static void put_weights(struct pe_json *json, const struct pe_compare_pair *pair)
{
	static const char *const names[PE_N_PARCS_WEIGHTS] = {
		[PE_PARCS_TIME] = "time",
		[PE_PARCS_CALLS] = "calls",
		[PE_PARCS_ALLOCATIONS] = "allocations",
	};

	pe_json_begin_object(json, "weights");
	for (int weight = 0; weight < PE_N_PARCS_WEIGHTS; weight++) {
		const struct pe_parcs_overlap *overlap = &pair->parcs->weights[weight];

		if (!overlap->known)
			continue;
		pe_json_begin_object(json, names[weight]);
		pe_json_computed(json, "overlap", overlap->initial);
		pe_json_computed_members(json, overlap, adjusted, threshold);
		pe_json_members(json, overlap, own_noise, own_doing);
		if (overlap->unchanged > 0)
			pe_json_put(json, "unchanged", overlap->unchanged);
		pe_json_each(json, "pairs", i, overlap->n_pairs,
			     put_pair(json, pair->new_runs->cct, &overlap->pairs[i]));
		pe_json_end(json);
	}
	pe_json_end(json);
}

void pe_parcs_json_benchmark(struct pe_json *json, const char *key,
			     const struct pe_compare_pair *pair)
{
	pe_json_begin_object(json, key);
	pe_json_members(json, pair, name, same, problem);
	if (pair->parcs != NULL) {
		pe_json_pair(json, "nodes", pair->old_runs->cct->n, pair->new_runs->cct->n);
		if (pair->parcs_without_sites != NULL)
			pe_json_pair(json, "nodes_without_sites", pair->nodes_without_sites[0],
				     pair->nodes_without_sites[1]);
		pe_json_put(json, "matched", pair->delta->both);
		pe_json_pair(json, "counting_runs", pair->old_runs->cct->facts.counting_runs,
			     pair->new_runs->cct->facts.counting_runs);
		pe_json_put(json, "common", pair->parcs->common.pairs);
		pe_json_computed(json, "common_share", pair->parcs->common_share);
		put_stages(json, pair);
		pe_json_each(json, "cuts", i, pair->parcs->n_cuts,
			     put_cut(json, pair, &pair->parcs->cuts[i]));
		put_weights(json, pair);
	}
	pe_json_end(json);
}

void pe_parcs_json(struct pe_text *out, const struct pe_compare *compare)
{
	struct pe_json json = PE_JSON_INIT(out);

	pe_json_begin_object(&json, NULL);
	pe_json_put(&json, "format", "perfevo-parcs");
	pe_json_put(&json, "version", 1);
	pe_compare_json_sides(&json, compare);
	pe_compare_json_source(&json, &compare->source);
	pe_json_each(&json, "benchmarks", p, compare->n_pairs,
		     pe_parcs_json_benchmark(&json, NULL, &compare->pairs[p]));
	pe_json_finish(&json);
}
