/*
 * Archives of arbitrary bytes. An even first byte: the rest is an archive as it stands. An odd one: the rest is
 * the count and the content of an archive's frame, which gets the right length and checksum, so that what lies behind
 * them is reached. Whatever it is, it is refused, or gives a tree that keeps its promises and comes back when it is
 * archived again.
 */
#include "analysis/profile/archive.h"
#include "core/base/packed.h"
#include "analysis/profile/timeline.h"
#include "tests/fuzz/require.h"

#include <string.h>

enum { MOST_NODES = 100000, MOST_FRAMES = 1000 };

static void seal(struct pe_text *out, const char *magic, const uint8_t *data, size_t size)
{
	struct pe_packed_writer writer;

	pe_packed_begin(&writer, magic, 5, data[0], out);
	pe_packed_put_bytes(&writer, data + 1, size - 1);
	pe_packed_end(&writer);
}

static void check_frames(const struct pe_text *bytes)
{
	struct pe_archive_frames frames;
	pe_auto_arena arena = PE_ARENA_INIT;
	struct pe_err err = PE_ERR_INIT;

	if (pe_archive_frames(&frames, bytes->data, bytes->len, &arena, &err) == PE_OK)
		for (size_t i = 1; i < frames.n; i++)
			require(frames.ids[i - 1] < frames.ids[i], "ascending identifiers");
	else
		require(err.message[0] != '\0', "a sentence");
}

static void check_timeline(const struct pe_timeline *old, const struct pe_timeline *again)
{
	require((old == NULL) == (again == NULL), "the timeline comes back");
	if (old == NULL)
		return;
	require(again->n_lanes == old->n_lanes && again->n_stacks == old->n_stacks &&
			again->n_segments == old->n_segments &&
			memcmp(again->segments, old->segments,
			       old->n_segments * sizeof(*old->segments)) == 0,
		"the same timeline comes back");
}

static void check_again(const struct pe_cct *cct, const uint64_t *ids)
{
	struct pe_archive archive = PE_ARCHIVE_INIT;
	struct pe_archive_frames needed;
	pe_auto_arena arena = PE_ARENA_INIT;
	struct pe_err err = PE_ERR_INIT;
	uint32_t *numbers;
	struct pe_cct *again;

	pe_archive_pack(&archive, cct, ids);
	require(pe_archive_frames(&needed, archive.frames.data, archive.frames.len, &arena, &err) ==
			PE_OK,
		"what is packed comes back");
	numbers = pe_arena_new(&arena, uint32_t, needed.n);
	for (size_t i = 0; i < needed.n; i++)
		numbers[i] = (uint32_t)needed.ids[i];
	require(pe_archive_unpack(&again, archive.tree.data, archive.tree.len, cct->frames, numbers,
				  needed.n, &arena, &err) == PE_OK,
		"what is packed comes back");
	require(again->n == cct->n && again->known == cct->known &&
			memcmp(again->nodes, cct->nodes, cct->n * sizeof(*cct->nodes)) == 0 &&
			memcmp(again->flags, cct->flags, cct->n) == 0,
		"the same tree comes back");
	check_timeline(cct->facts.timeline, again->facts.timeline);
	pe_archive_release(&archive);
}

/* The tree says itself how many methods it needs, but not to us: each number is tried that is likely. */
static void check_tree(const struct pe_text *bytes, struct pe_frames *frames,
		       const uint32_t *numbers, const uint64_t *ids, size_t n_frames)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	struct pe_err err = PE_ERR_INIT;
	struct pe_cct *cct;

	if (pe_archive_unpack(&cct, bytes->data, bytes->len, frames, numbers, n_frames, &arena,
			      &err) == PE_OK) {
		require(pe_cct_check(cct, &err) == PE_OK, "a whole tree");
		check_again(cct, ids);
	} else {
		require(cct == NULL && err.message[0] != '\0', "no tree, and a sentence");
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct pe_frames frames;
	static uint32_t numbers[MOST_FRAMES];
	static uint64_t ids[MOST_FRAMES];
	pe_auto_text tree = PE_TEXT_INIT, list = PE_TEXT_INIT;
	uint32_t n = 0;

	if (size < 3)
		return 0;
	for (uint32_t i = frames.n; i < MOST_FRAMES; i++) {
		char name[16];

		snprintf(name, sizeof(name), "f%u", i);
		ids[i] = numbers[i] = pe_frames_add_method(&frames, name, "");
	}
	if (data[0] % 2 == 0) {
		pe_text_addn(&tree, (const char *)data + 2, size - 2);
		pe_text_addn(&list, (const char *)data + 2, size - 2);
	} else {
		seal(&tree, "pevt", data + 2, size - 2);
		seal(&list, "pevf", data + 2, size - 2);
	}
	check_frames(&list);
	/* Zeros pack well: a short archive may hold more nodes than there is memory for here. */
	if (pe_archive_nodes(&n, tree.data, tree.len, NULL) == PE_OK && n <= MOST_NODES)
		check_tree(&tree, &frames, numbers, ids, data[1]);
	return 0;
}
