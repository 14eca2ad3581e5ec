/* The archive: what is unpacked is what was packed, and damage of any kind is noticed. */
#include "analysis/profile/archive.h"

#include "core/base/packed.h"
#include "analysis/profile/timeline.h"
#include "tests/support/random.h"
#include "tests/support/test.h"

enum { EVERYTHING = 63 - 8 };

static struct pe_frames frames, others;
static struct pe_arena arena;
static struct pe_archive archive;

static void release(void)
{
	pe_archive_release(&archive);
	pe_frames_release(&frames);
	pe_frames_release(&others);
	pe_arena_release(&arena);
}

TestSuite(archive, .fini = release, .timeout = 600);

/* Of any size, most of them small. */
static uint64_t any_number(struct pe_random *random)
{
	return pe_random_next(random) >> pe_random_below(random, 64);
}

static uint32_t any_method(struct pe_random *random, unsigned n)
{
	char name[16], module[8];
	struct pe_frame frame = {.name = name, .component = "a.c", .module = module};

	snprintf(name, sizeof(name), "m%u", (unsigned)pe_random_below(random, n));
	snprintf(module, sizeof(module), "%.*s", (int)strlen(name) / 3, "libx");
	frame.line = (uint32_t)any_number(random);
	frame.signature = pe_random_below(random, 4) == 0 ? "(int)" : "";
	return pe_frames_add(&frames, &frame);
}

static void any_values(struct pe_cct_builder *builder, uint32_t node, struct pe_random *random)
{
	*pe_cct_builder_at(builder, node) = (struct pe_cct_values){
		.calls = any_number(random),
		.self_ns = any_number(random),
		.allocations = any_number(random),
		.allocated_bytes = any_number(random),
		.frees = any_number(random),
		.samples = any_number(random),
	};
	pe_cct_builder_flag(builder, node, (unsigned)pe_random_below(random, 256));
}

/* How far counting runs are apart, at some nodes; 8 runs. */
static void any_range(struct pe_cct_builder *builder, uint32_t node, unsigned known,
		      struct pe_random *random)
{
	const struct pe_cct_values *values = pe_cct_builder_at(builder, node);
	const uint64_t counts[] = {
		(known & PE_CCT_CALLS) != 0 ? values->calls : 0,
		(known & PE_CCT_ALLOCATIONS) != 0 ? values->allocations : 0,
		(known & PE_CCT_ALLOCATIONS) != 0 ? values->allocated_bytes : 0,
	};
	struct pe_cct_range range = {.runs = (uint32_t)pe_random_below(random, 9)};

	if (pe_random_below(random, 3) != 0)
		return;
	for (int c = 0; c < PE_CCT_N_COUNTS; c++) {
		range.less[c] = pe_random_below(random, 2) != 0 ? counts[c] : counts[c] / 3;
		range.more[c] = pe_random_below(random, 2) != 0 ? UINT64_MAX - counts[c] : 1;
	}
	if (counts[0] < UINT64_MAX && counts[1] < UINT64_MAX && counts[2] < UINT64_MAX)
		pe_cct_builder_vary(builder, node, &range);
}

/* Some lanes whose segments stand apart, below chains of calls of methods that the tree may lack. */
static struct pe_timeline *any_timeline(struct pe_random *random)
{
	struct pe_timeline *timeline = pe_arena_new(&arena, struct pe_timeline, 1);
	uint64_t at_us = 0;

	timeline->n_lanes = 1 + (uint32_t)pe_random_below(random, 5);
	timeline->n_stacks = (uint32_t)pe_random_below(random, 9);
	timeline->n_segments = (uint32_t)pe_random_below(random, 60);
	timeline->left_out = (uint32_t)pe_random_below(random, 3);
	timeline->lanes = pe_arena_new(&arena, struct pe_timeline_lane, timeline->n_lanes);
	timeline->stacks = pe_arena_new(&arena, struct pe_timeline_stack, timeline->n_stacks);
	timeline->segments = pe_arena_new(&arena, struct pe_timeline_segment, timeline->n_segments);
	for (uint32_t i = 0; i < timeline->n_lanes; i++)
		timeline->lanes[i] = (struct pe_timeline_lane){any_method(random, 90), i + 1,
							       (uint32_t)any_number(random), i};
	for (uint32_t i = 0; i < timeline->n_stacks; i++)
		timeline->stacks[i] = (struct pe_timeline_stack){
			(uint32_t)pe_random_below(random, i + 1) - 1, any_method(random, 90)};
	for (uint32_t i = 0; i < timeline->n_segments; i++) {
		struct pe_timeline_segment *segment = &timeline->segments[i];

		*segment = i > 0 ? segment[-1] : (struct pe_timeline_segment){.lane = 0};
		if (segment->lane + 1 < timeline->n_lanes && pe_random_below(random, 9) == 0) {
			segment->lane++;
			at_us = 0;
		}
		segment->begin_us = at_us + pe_random_below(random, 1000);
		segment->end_us = at_us = segment->begin_us + pe_random_below(random, 1000);
		segment->stack = (uint32_t)pe_random_below(random, timeline->n_stacks + 1) - 1;
		segment->waited_us = pe_random_below(random, 1000);
		segment->path_us = pe_random_below(random, 1000);
	}
	return timeline;
}

/* Chains, stars and what lies between: the parent is the latest node, the root, or any. */
static struct pe_cct *any_tree(struct pe_random *random, uint32_t n, unsigned known)
{
	struct pe_cct_builder *builder = pe_cct_builder_new(&frames, known);
	struct pe_cct_facts facts = {
		.source = "counting+samples",
		.duration_ns = any_number(random),
		.samples = any_number(random),
		.samples_lost = any_number(random),
		.interval_ns = any_number(random),
		.processes = (uint32_t)any_number(random),
		.threads = (uint32_t)any_number(random),
		.peak_bytes = any_number(random),
		.counting_runs = 8,
		.own_overlap = {pe_random_unit(random), 1},
		.timeline = pe_random_below(random, 2) == 0 ? any_timeline(random) : NULL,
	};
	unsigned methods = 1 + (unsigned)pe_random_below(random, 50);
	uint64_t shape = pe_random_below(random, 3);

	for (uint32_t i = 1; i < n; i++) {
		uint32_t count = pe_cct_builder_count(builder);
		uint32_t parent = shape == 0   ? count - 1
				  : shape == 1 ? 0
					       : (uint32_t)pe_random_below(random, count);
		uint32_t node = pe_cct_builder_child(builder, parent, any_method(random, methods),
						     (uint32_t)any_number(random));
		bool fresh = pe_cct_builder_count(builder) > count;

		if (!fresh)
			continue;
		any_values(builder, node, random);
		any_range(builder, node, known, random);
	}
	return pe_cct_builder_finish(builder, &facts, &arena);
}

/* Identifiers that are neither in the order of the numbers nor near each other. */
static uint64_t *name_frames(void)
{
	uint64_t *ids = pe_arena_new(&arena, uint64_t, frames.n);

	for (uint32_t i = 0; i < frames.n; i++)
		ids[i] = (uint64_t)(i ^ 1) * 0x9e3779b97f4a7c15u;
	return ids;
}

static void pack(const struct pe_cct *cct)
{
	pe_text_clear(&archive.frames);
	pe_text_clear(&archive.tree);
	pe_archive_pack(&archive, cct, name_frames());
}

/* Into another table, which gives other numbers. */
static int unpack(struct pe_cct **out, struct pe_err *err)
{
	const uint64_t *ids = name_frames();
	struct pe_archive_frames needed;
	uint32_t *numbers;
	int rc = pe_archive_frames(&needed, archive.frames.data, archive.frames.len, &arena, err);

	if (rc != PE_OK)
		return rc;
	if (others.n == 0)
		pe_frames_add_method(&others, "of another tree", "");
	numbers = pe_arena_new(&arena, uint32_t, needed.n);
	for (size_t i = 0; i < needed.n; i++) {
		struct pe_frame frame = {.name = ""};

		for (uint32_t f = 0; f < frames.n; f++)
			if (ids[f] == needed.ids[i])
				frame = frames.at[f];
		cr_assert(strlen(frame.name) > 0, "an identifier of no frame");
		cr_expect(eq(u32, needed.lines[i], frame.line));
		cr_expect_str_eq(needed.modules[i], frame.module);
		numbers[i] = pe_frames_add(&others, &frame);
	}
	return pe_archive_unpack(out, archive.tree.data, archive.tree.len, &others, numbers,
				 needed.n, &arena, err);
}

/* The same but for the numbers of frames. */
static void expect_timeline(const struct pe_cct *a, const struct pe_cct *b)
{
	const struct pe_timeline *x = a->facts.timeline, *y = b->facts.timeline;

	cr_assert(eq(int, x == NULL, y == NULL));
	if (x == NULL)
		return;
	cr_assert(eq(u32, y->n_lanes, x->n_lanes));
	cr_assert(eq(u32, y->n_stacks, x->n_stacks));
	cr_assert(eq(u32, y->n_segments, x->n_segments));
	cr_expect(eq(u32, y->left_out, x->left_out));
	for (uint32_t i = 0; i < x->n_lanes; i++) {
		cr_expect_str_eq(b->frames->at[y->lanes[i].frame].name,
				 a->frames->at[x->lanes[i].frame].name);
		cr_expect(eq(u32, y->lanes[i].threads, x->lanes[i].threads));
		cr_expect(eq(u32, y->lanes[i].pid, x->lanes[i].pid));
		cr_expect(eq(u32, y->lanes[i].tid, x->lanes[i].tid));
	}
	for (uint32_t i = 0; i < x->n_stacks; i++) {
		cr_expect(eq(u32, y->stacks[i].parent, x->stacks[i].parent));
		cr_expect_str_eq(b->frames->at[y->stacks[i].frame].name,
				 a->frames->at[x->stacks[i].frame].name);
	}
	cr_expect(memcmp(y->segments, x->segments, x->n_segments * sizeof(*x->segments)) == 0);
}

static void expect_columns(const struct pe_cct *a, const struct pe_cct *b)
{
	const uint64_t *of_a[] = {a->calls,      a->self_ns, a->allocations, a->allocated_bytes,
				  a->frees,      a->samples, a->total_ns,    a->total_allocations,
				  a->total_bytes};
	const uint64_t *of_b[] = {b->calls,      b->self_ns, b->allocations, b->allocated_bytes,
				  b->frees,      b->samples, b->total_ns,    b->total_allocations,
				  b->total_bytes};

	for (size_t c = 0; c < sizeof(of_a) / sizeof(*of_a); c++) {
		cr_assert(eq(int, of_a[c] == NULL, of_b[c] == NULL), "column %zu", c);
		if (of_a[c] != NULL)
			cr_expect(memcmp(of_a[c], of_b[c], a->n * sizeof(uint64_t)) == 0,
				  "column %zu", c);
	}
	cr_expect(memcmp(a->flags, b->flags, a->n) == 0);
}

static void expect_same(const struct pe_cct *a, const struct pe_cct *b)
{
	cr_assert(eq(u32, b->n, a->n));
	cr_expect(eq(uint, b->known, a->known));
	for (uint32_t i = 0; i < a->n; i++) {
		cr_assert(eq(u32, b->nodes[i].parent, a->nodes[i].parent), "node %u", i);
		cr_assert(eq(u32, b->nodes[i].end, a->nodes[i].end), "node %u", i);
		cr_assert(eq(u32, b->nodes[i].site, a->nodes[i].site), "node %u", i);
		cr_assert_str_eq(pe_cct_frame(b, i)->name, pe_cct_frame(a, i)->name);
		cr_assert_str_eq(pe_cct_frame(b, i)->signature, pe_cct_frame(a, i)->signature);
		cr_assert(eq(int, pe_cct_frame(b, i)->kind, pe_cct_frame(a, i)->kind));
	}
	expect_columns(a, b);
	cr_expect_str_eq(b->facts.source, a->facts.source);
	cr_expect(eq(u64, b->facts.duration_ns, a->facts.duration_ns));
	cr_expect(eq(u64, b->facts.samples, a->facts.samples));
	cr_expect(eq(u64, b->facts.samples_lost, a->facts.samples_lost));
	cr_expect(eq(u64, b->facts.interval_ns, a->facts.interval_ns));
	cr_expect(eq(u32, b->facts.processes, a->facts.processes));
	cr_expect(eq(u32, b->facts.threads, a->facts.threads));
	cr_expect(eq(u64, b->facts.peak_bytes, a->facts.peak_bytes));
	cr_expect(eq(u32, b->facts.counting_runs, a->facts.counting_runs));
	cr_expect(eq(dbl, b->facts.own_overlap[0], a->facts.own_overlap[0]));
	cr_expect(eq(dbl, b->facts.own_overlap[1], a->facts.own_overlap[1]));
	cr_assert(eq(u32, b->n_ranges, a->n_ranges));
	if (a->n_ranges > 0)
		cr_expect(memcmp(b->ranges, a->ranges, a->n_ranges * sizeof(*a->ranges)) == 0);
	expect_timeline(a, b);
}

static void expect_round_trip(const struct pe_cct *cct)
{
	struct pe_err err = PE_ERR_INIT;
	struct pe_cct *again;

	pack(cct);
	cr_assert_ok(unpack(&again, &err), err.message);
	expect_same(cct, again);
}

Test(archive, every_tree_comes_back_with_every_column_flag_and_fact)
{
	struct pe_random random = random_of(4);

	for (unsigned known = 0; known <= EVERYTHING; known++)
		for (int round = 0; round < 3; round++)
			expect_round_trip(any_tree(&random,
						   1 + (uint32_t)pe_random_below(&random, 600),
						   known & EVERYTHING));
	expect_round_trip(any_tree(&random, 1, 0));
	expect_round_trip(any_tree(&random, 1, EVERYTHING));
	expect_round_trip(any_tree(&random, 150000, EVERYTHING));
	cr_expect(gt(sz, archive.tree.len, 2 << 20), "values of 64 bits do not pack");
}

/* Names of a star's children are all different calls; a chain's depth is its size. */
Test(archive, chains_and_stars_of_a_hundred_thousand_come_back)
{
	for (int star = 0; star < 2; star++) {
		struct pe_cct_builder *builder = pe_cct_builder_new(&frames, PE_CCT_CALLS);
		struct pe_cct_facts facts = {.source = "test"};
		uint32_t f = pe_frames_add_method(&frames, "f", ""), node = 0;

		for (uint32_t i = 0; i < 100000; i++)
			node = pe_cct_builder_child(builder, star ? 0 : node, f, star ? i : 0);
		expect_round_trip(pe_cct_builder_finish(builder, &facts, &arena));
		cr_expect(lt(sz, archive.tree.len, 4096), "what is regular takes no room");
	}
}

Test(archive, only_methods_that_the_tree_needs_are_named)
{
	struct pe_random random = random_of(7);
	struct pe_cct *cct;
	struct pe_archive_frames needed;
	struct pe_err err = PE_ERR_INIT;
	uint32_t *used, nodes;
	size_t n;

	for (int i = 0; i < 100; i++)
		any_method(&random, 1000);
	cct = any_tree(&random, 20, 0);
	cct->facts.timeline = NULL;
	pe_archive_used(&used, &n, cct, &arena);
	for (size_t i = 1; i < n; i++)
		cr_assert(lt(u32, used[i - 1], used[i]));
	cr_assert(lt(sz, n, 21));
	pack(cct);
	cr_assert(eq(
		int,
		pe_archive_frames(&needed, archive.frames.data, archive.frames.len, &arena, &err),
		PE_OK));
	cr_expect(eq(sz, needed.n, n));
	for (size_t i = 1; i < n; i++)
		cr_assert(lt(u64, needed.ids[i - 1], needed.ids[i]));
	cr_assert(eq(int, pe_archive_nodes(&nodes, archive.tree.data, archive.tree.len, &err),
		     PE_OK));
	cr_expect(eq(u32, nodes, cct->n));
}

/* PE_EINVALID, a sentence, and no tree. */
static void expect_refused(const char *what, size_t where)
{
	struct pe_err err = PE_ERR_INIT;
	struct pe_cct *cct = NULL;

	cr_assert(eq(int, unpack(&cct, &err), PE_EINVALID), "%s %zu: %s", what, where, err.message);
	cr_expect_null(cct);
	cr_expect_has(err.message, "damaged: ");
}

/* The tree comes back, where zstd has no use for the bit, or nothing does. */
static void expect_noticed(const char *what, size_t where, const struct pe_cct *expected)
{
	struct pe_err err = PE_ERR_INIT;
	struct pe_cct *cct = NULL;

	if (unpack(&cct, &err) == PE_OK)
		expect_same(expected, cct);
	else
		expect_refused(what, where);
}

/* One bit in three: of any three bytes, each place in a byte. */
Test(archive, flipped_bits_are_noticed)
{
	struct pe_random random = random_of(8);
	struct pe_cct *cct;

	cct = any_tree(&random, 60, EVERYTHING);
	pack(cct);
	for (int part = 0; part < 2; part++) {
		struct pe_text *text = part == 0 ? &archive.frames : &archive.tree;

		for (size_t bit = 0; bit < 8 * text->len; bit += 13) {
			text->data[bit / 8] ^= (char)(1 << bit % 8);
			expect_noticed(part == 0 ? "bit of the frames" : "bit of the tree", bit,
				       cct);
			text->data[bit / 8] ^= (char)(1 << bit % 8);
		}
	}
}

Test(archive, every_shortened_or_lengthened_archive_is_noticed_and_methods_of_another_tree)
{
	struct pe_random random = random_of(9);
	struct pe_text kept;

	pack(any_tree(&random, 40, EVERYTHING));
	for (int part = 0; part < 2; part++) {
		struct pe_text *text = part == 0 ? &archive.frames : &archive.tree;
		size_t n = text->len;

		for (text->len = 0; text->len < n; text->len++)
			expect_refused("length", text->len);
		pe_text_addn(text, "\0", 1);
		expect_refused("length", text->len);
		text->len = n;
	}
	kept = archive.tree;
	archive.tree = (struct pe_text)PE_TEXT_INIT;
	pack(any_tree(&random, 5, 0));
	pe_text_release(&archive.tree);
	archive.tree = kept;
	expect_refused("methods", 0);
}

Test(archive,
     what_an_earlier_version_kept_is_measured_again_and_a_later_one_asks_for_a_newer_perfevo)
{
	static const struct {
		char version;
		const char *said;
	} cases[] = {{4, "measure again"}, {9, "version 9, this one knows 5"}};
	struct pe_random random = random_of(14);
	struct pe_err err = PE_ERR_INIT;
	struct pe_cct *cct;

	pack(any_tree(&random, 5, 0));
	for (int i = 0; i < 2; i++) {
		archive.tree.data[4] = cases[i].version;
		archive.tree.data[6] = (char)~cases[i].version;
		cr_expect_fails(unpack(&cct, &err), PE_EUNSUPPORTED, err.message, cases[i].said);
	}
}

/* With right checksums and wrong content: what only a program of ours with a fault could write. */
Test(archive, content_that_cannot_be_is_refused)
{
	struct pe_random random = random_of(13);

	pack(any_tree(&random, 3, 0));
	for (int round = 0; round < 2000; round++) {
		struct pe_err err = PE_ERR_INIT;
		struct pe_packed_writer writer;
		struct pe_cct *cct;
		uint32_t numbers[8] = {0};
		size_t n = 1 + (size_t)pe_random_below(&random, 40);
		int rc;

		pe_text_clear(&archive.tree);
		pe_packed_begin(&writer, "pevt", 5, 1 + pe_random_below(&random, 6), &archive.tree);
		for (size_t i = 0; i < n; i++)
			pe_packed_put(&writer, pe_random_below(&random, 40) == 0
						       ? any_number(&random)
						       : pe_random_below(&random, 4));
		pe_packed_end(&writer);
		pe_frames_add_method(&others, "one", "");
		rc = pe_archive_unpack(&cct, archive.tree.data, archive.tree.len, &others, numbers,
				       1 + (size_t)pe_random_below(&random, 3), &arena, &err);
		cr_assert(rc == PE_EINVALID || pe_cct_check(cct, &err) == PE_OK);
		if (round % 500 == 0)
			pe_arena_release(&arena);
	}
}

Test(archive, what_follows_the_content_is_refused)
{
	struct pe_err err = PE_ERR_INIT;
	struct pe_packed_writer writer;
	struct pe_packed_reader reader;

	pe_text_clear(&archive.tree);
	pe_packed_begin(&writer, "pevt", 5, 0, &archive.tree);
	pe_packed_put(&writer, 1);
	pe_packed_put(&writer, 2);
	pe_packed_end(&writer);
	cr_assert_ok(pe_packed_look(&reader, "pevt", 5, "a tree", archive.tree.data,
				    archive.tree.len, &err),
		     err.message);
	cr_assert_ok(pe_packed_open(&reader), err.message);
	cr_expect(eq(u64, pe_packed_get(&reader), 1));
	cr_expect(eq(int, pe_packed_finish(&reader), PE_EINVALID), "the 2 was not read");
	pe_packed_close(&reader);
}
