/*
 * Profiles of others. A packed tree is small and may claim to be large: nodes are counted before one is unpacked, and what
 * comes out of it is packed anew, with this store's own keys of methods.
 */
#include "store/exchange_profiles.h"

#include "analysis/profile/archive.h"
#include "store/sql.h"

#include <string.h>

struct taking {
	struct pe_store *store;
	const struct pe_results *results;
	struct pe_frames frames;
	uint32_t *numbers; /* in the table, by row of the document's */
	size_t *first;     /* tree, by profile; one more for their end */
	struct pe_err *err;
};

static int add_frames(struct taking *taking, struct pe_arena *arena)
{
	const struct pe_results *results = taking->results;

	taking->numbers = pe_arena_new(arena, uint32_t, results->n_frames);
	for (size_t i = 0; i < results->n_frames; i++) {
		const struct pe_results_frame *row = &results->frames[i];
		const struct pe_frame frame = {
			.name = row->name,
			.component = row->component,
			.signature = row->signature,
			.module = row->module,
			.line = row->line,
			.kind = (enum pe_frame_kind)row->kind,
		};

		if (row->name[0] == '\0' || row->kind > PE_FRAME_WAITING)
			return pe_fail(taking->err, PE_EINVALID, "a method has no name or kind");
		taking->numbers[i] = pe_frames_add(&taking->frames, &frame);
	}
	return PE_OK;
}

/* The numbers of a tree's methods, in its own order; NULL: they are none. */
static uint32_t *read_numbers(const struct taking *taking, const struct pe_results_bytes *bytes,
			      struct pe_arena *arena)
{
	uint32_t *numbers = pe_arena_new(arena, uint32_t, bytes->n / 4);

	if (bytes->n % 4 != 0)
		return NULL;
	for (size_t i = 0; i < bytes->n / 4; i++) {
		const uint8_t *at = bytes->at + 4 * i;
		uint32_t row = at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
			       (uint32_t)at[3] << 24;

		if (row >= taking->results->n_frames)
			return NULL;
		numbers[i] = taking->numbers[row];
	}
	return numbers;
}

static int unpack(struct pe_cct **out, struct taking *taking, const struct pe_results_tree *tree,
		  struct pe_arena *arena)
{
	const uint32_t *numbers = read_numbers(taking, &tree->frames, arena);

	if (numbers == NULL)
		return pe_fail(taking->err, PE_EINVALID,
			       "a tree has methods that are not in the document");
	return pe_archive_unpack(out, tree->data.at, tree->data.n, &taking->frames, numbers,
				 tree->frames.n / 4, arena, taking->err);
}

/* Trees stand in the order of their profiles. */
static int look_at_trees(struct taking *taking, struct pe_arena *arena)
{
	const struct pe_results *results = taking->results;
	uint64_t sum = 0;
	size_t profile = 0;
	int rc = PE_OK;

	taking->first = pe_arena_new(arena, size_t, results->n_profiles + 1);
	for (size_t i = 0; rc == PE_OK && i < results->n_trees; i++) {
		const struct pe_results_tree *tree = &results->trees[i];
		uint32_t n;

		if (tree->profile < profile)
			return pe_fail(taking->err, PE_EINVALID, "its trees are out of order");
		while (profile < tree->profile)
			taking->first[++profile] = i;
		rc = pe_archive_nodes(&n, tree->data.at, tree->data.n, taking->err);
		sum += n;
	}
	while (profile < results->n_profiles)
		taking->first[++profile] = results->n_trees;
	if (rc == PE_OK && sum > PE_RESULTS_NODES)
		rc = pe_fail(taking->err, PE_EINVALID, "its trees have more than %d nodes",
			     PE_RESULTS_NODES);
	return rc;
}

/* Whether one of the same kind is there that is not older. */
static int is_known(bool *out, const struct taking *taking, const struct pe_stored_profile *profile)
{
	int64_t taken_s;
	int rc = pe_sql_integer(&taken_s, taking->store,
				"SELECT taken_s FROM profiles WHERE machine = ?1 AND benchmark = ?2"
				" AND revision = ?3 AND kind = ?4 AND settings = ?5 AND file = ?6",
				ARGS(INT(profile->machine), INT(profile->benchmark),
				     TEXT(profile->revision), TEXT(profile->kind),
				     TEXT(profile->settings), TEXT(profile->file)),
				taking->err);

	*out = rc == PE_OK && taken_s >= profile->taken_s;
	return rc == PE_ENOTFOUND ? PE_OK : rc;
}

static int take_profile(struct taking *taking, size_t which,
			const struct pe_stored_profile *profile, struct pe_arena *arena)
{
	const size_t first = taking->first[which], n = taking->first[which + 1] - first;
	struct pe_cct **trees = pe_arena_new(arena, struct pe_cct *, n);
	int64_t key;

	for (size_t i = 0; i < n; i++)
		PE_TRY(unpack(&trees[i], taking, &taking->results->trees[first + i], arena));
	return pe_store_put_profile(&key, taking->store, profile,
				    (const struct pe_cct *const *)trees, n, taking->err);
}

int pe_take_profiles(struct pe_results_sum *sum, struct pe_store *store,
		     const struct pe_results *results, const struct pe_results_source *source,
		     int64_t machine, const int64_t *benchmarks, struct pe_err *err)
{
	struct taking taking = {
		.store = store, .results = results, .frames = PE_FRAMES_INIT, .err = err};
	pe_auto_arena arena = PE_ARENA_INIT;
	int rc = look_at_trees(&taking, &arena);

	if (rc == PE_OK)
		rc = add_frames(&taking, &arena);
	for (size_t i = 0; rc == PE_OK && i < results->n_profiles; i++) {
		const struct pe_results_profile *row = &results->profiles[i];
		const struct pe_stored_profile profile = {
			.machine = machine,
			.benchmark = benchmarks[row->benchmark],
			.revision = results->revisions[row->revision].id,
			.kind = row->kind,
			.settings = row->settings,
			.tool = row->tool,
			.file = row->file,
			.note = row->note,
			.taken_s = row->taken_s,
		};
		bool known = false;

		if (source->revisions[row->revision] == 0)
			continue;
		rc = is_known(&known, &taking, &profile);
		if (rc == PE_OK && !known) {
			rc = take_profile(&taking, i, &profile, &arena);
			sum->profiles += rc == PE_OK;
		}
	}
	pe_frames_release(&taking.frames);
	return rc;
}
