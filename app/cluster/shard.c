#include "app/cluster/shard.h"

#include "app/cluster/spool.h"
#include "core/base/sort.h"
#include "core/base/vec.h"
#include "core/json/tree.h"
#include "core/json/writer.h"

#include <stdlib.h>
#include <string.h>

enum { FORMAT = 1 };

/* --- The document --- */

void pe_shard_write(struct pe_text *out, const struct pe_shard *shard)
{
	const struct pe_track_request *request = &shard->request;
	struct pe_json json = PE_JSON_INIT(out);

	pe_json_begin_object(&json, NULL);
	pe_json_put(&json, "format", FORMAT);
	pe_json_members(&json, shard, store, machine, recipe, node, avoid, quick, whole);
	pe_json_members(&json, request, first, steps, max_runs, budget_s, adaptive, all,
			all_parents, no_confirm);
	pe_json_texts(&json, "names", shard->names.at, shard->names.n);
	pe_json_texts(&json, "versions", shard->versions.at, shard->versions.n);
	pe_json_texts(&json, "metrics", shard->metrics.at, shard->metrics.n);
	pe_json_texts(&json, "revisions", shard->revisions.at, shard->revisions.n);
	pe_json_finish(&json);
}

static size_t read_size(const struct pe_json_value *value)
{
	const int64_t whole = pe_json_whole(value, 0);

	return whole > 0 ? (size_t)whole : 0;
}

static void read_request(struct pe_track_request *out, const struct pe_json_value *from)
{
	const double budget_s = pe_json_number(pe_json_member(from, "budget_s"));

	*out = (struct pe_track_request){
		.first = pe_json_string(pe_json_member(from, "first")),
		.steps = read_size(pe_json_member(from, "steps")),
		.max_runs = read_size(pe_json_member(from, "max_runs")),
		.budget_s = budget_s > 0 ? budget_s : 0,
		.adaptive = pe_json_true(pe_json_member(from, "adaptive")),
		.all = pe_json_true(pe_json_member(from, "all")),
		.all_parents = pe_json_true(pe_json_member(from, "all_parents")),
		.no_confirm = pe_json_true(pe_json_member(from, "no_confirm")),
	};
}

static bool is_plain_name(const char *name)
{
	return name != NULL && name[0] != '.' && strchr(name, '/') == NULL && name[0] != '\0';
}

int pe_shard_read(struct pe_shard *out, const char *document, size_t n, struct pe_arena *arena,
		  struct pe_err *err)
{
	const struct pe_json_value *top;

	PE_TRY(pe_json_tree(&top, document, n, arena, err));
	*out = (struct pe_shard){
		.store = pe_json_string(pe_json_member(top, "store")),
		.machine = pe_json_string(pe_json_member(top, "machine")),
		.recipe = pe_json_string(pe_json_member(top, "recipe")),
		.node = pe_json_string(pe_json_member(top, "node")),
		.avoid = pe_json_string(pe_json_member(top, "avoid")),
		.quick = pe_json_true(pe_json_member(top, "quick")),
		.whole = pe_json_true(pe_json_member(top, "whole")),
		.names = pe_json_strings(pe_json_member(top, "names"), arena),
		.versions = pe_json_strings(pe_json_member(top, "versions"), arena),
		.metrics = pe_json_strings(pe_json_member(top, "metrics"), arena),
		.revisions = pe_json_strings(pe_json_member(top, "revisions"), arena),
	};
	read_request(&out->request, top);
	if (pe_json_whole(pe_json_member(top, "format"), 0) != FORMAT)
		return pe_fail(err, PE_EUNSUPPORTED,
			       "the work was written by another version of perfevo");
	if (!is_plain_name(out->store) || out->machine == NULL || out->recipe == NULL ||
	    out->request.first == NULL || out->names.n == 0 || out->names.n != out->versions.n ||
	    out->revisions.n == 0)
		return pe_fail(err, PE_EINVALID, "it is no description of work");
	return PE_OK;
}

/* --- Division --- */

/* One that is sorted by what it takes; longest first, then as they came. */
struct weight {
	double seconds;
	size_t part;
};

static int longest_first(const void *a, const void *b)
{
	const struct weight *x = a, *y = b;

	if (x->seconds != y->seconds)
		return x->seconds < y->seconds ? 1 : -1;
	return x->part > y->part ? 1 : -1;
}

static double mean_known(const struct pe_shard_part *parts, size_t n)
{
	double sum = 0;
	size_t known = 0;

	for (size_t i = 0; i < n; i++)
		if (parts[i].seconds > 0) {
			sum += parts[i].seconds;
			known++;
		}
	return known > 0 ? sum / (double)known : 1;
}

/* A shard for each node that benchmarks stay on. @return how many */
static size_t divide_pinned(struct pe_shard_part *parts, size_t n)
{
	pe_auto_free PE_VEC(const char *) nodes = {NULL, 0, 0};

	for (size_t i = 0; i < n; i++) {
		size_t k = 0;

		if (parts[i].node == NULL)
			continue;
		while (k < nodes.n && strcmp(nodes.data[k], parts[i].node) != 0)
			k++;
		if (k == nodes.n)
			pe_vec_push(&nodes, parts[i].node);
		parts[i].shard = k;
	}
	return nodes.n;
}

static size_t least_of(const double *load, size_t n)
{
	size_t least = 0;

	for (size_t i = 1; i < n; i++)
		if (load[i] < load[least])
			least = i;
	return least;
}

size_t pe_shards_divide(struct pe_shard_part *parts, size_t n, size_t workers)
{
	const size_t pinned = divide_pinned(parts, n);
	/* Where every node has its own already, the rest is one more, for the first that is done. */
	const size_t others = workers > pinned ? workers - pinned : 1;
	pe_auto_free struct weight *free_ones = pe_realloc(NULL, n + 1, sizeof(*free_ones));
	pe_auto_free double *load = pe_realloc(NULL, others, sizeof(*load));
	const double mean = mean_known(parts, n);
	size_t m = 0;

	for (size_t i = 0; i < n; i++)
		if (parts[i].node == NULL)
			free_ones[m++] =
				(struct weight){parts[i].seconds > 0 ? parts[i].seconds : mean, i};
	pe_sort(free_ones, m, longest_first);
	for (size_t i = 0; i < others; i++)
		load[i] = 0;
	for (size_t i = 0; i < m; i++) {
		const size_t k = least_of(load, others);

		load[k] += free_ones[i].seconds;
		parts[free_ones[i].part].shard = pinned + k;
	}
	return pinned + (m < others ? m : others);
}

int pe_shard_get(struct pe_shard *out, struct pe_app *app, const char *spool, const char *name,
		 struct pe_arena *arena)
{
	pe_auto_text text = PE_TEXT_INIT;

	PE_TRY(pe_spool_get(&text, app, spool, "shards", name));
	return pe_shard_read(out, pe_text_str(&text), text.len, arena, app->err);
}
