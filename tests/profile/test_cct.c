/* The tree: what is built in any order lies in preorder, with its sums. */
#include "analysis/profile/cct.h"

#include "tests/support/random.h"
#include "tests/support/test.h"

static struct pe_frames frames;
static struct pe_arena arena;

TestSuiteWith(cct, (void)0, (pe_frames_release(&frames), pe_arena_release(&arena)), .timeout = 600);

static uint32_t method(const char *name)
{
	return pe_frames_add_method(&frames, name, "a.c");
}

static struct pe_cct *finish(struct pe_cct_builder *builder)
{
	struct pe_cct_facts facts = {.source = "test"};

	return pe_cct_builder_finish(builder, &facts, &arena);
}

Test(cct, frames_of_one_identity_are_one)
{
	struct pe_frame f = {.name = "f", .component = "a.c", .line = 3};
	struct pe_frame again = {.name = "f", .component = "a.c", .line = 9};
	struct pe_frame elsewhere = {.name = "f", .component = "b.c"};
	struct pe_frame overloaded = {.name = "f", .component = "a.c", .signature = "(int)"};

	cr_expect(eq(u32, pe_frames_find(&frames, &f), PE_FRAME_NONE));
	cr_expect_text("0 0 1 2 1 3", pe_frames_add(&frames, &f), pe_frames_add(&frames, &again),
		       pe_frames_add(&frames, &elsewhere), pe_frames_add(&frames, &overloaded),
		       pe_frames_find(&frames, &elsewhere), frames.at[0].line);
}

Test(cct, many_frames_keep_their_numbers)
{
	for (int round = 0; round < 2; round++)
		for (uint32_t i = 0; i < 10000; i++) {
			char name[32];

			snprintf(name, sizeof(name), "method_%u", i);
			cr_assert(eq(u32, method(name), i));
		}
}

Test(cct, children_stand_below_their_parents_in_the_order_they_came)
{
	struct pe_cct_builder *builder = pe_cct_builder_new(&frames, PE_CCT_CALLS | PE_CCT_TIME);
	uint32_t a = pe_cct_builder_child(builder, 0, method("a"), 1);
	uint32_t b = pe_cct_builder_child(builder, 0, method("b"), 2);
	uint32_t under_a = pe_cct_builder_child(builder, a, method("c"), 3);
	struct pe_err err = PE_ERR_INIT;
	struct pe_cct *cct;

	cr_expect(eq(u32, pe_cct_builder_child(builder, 0, method("a"), 1), a));
	cr_expect(ne(u32, pe_cct_builder_child(builder, 0, method("a"), 7), a), "another site");
	pe_cct_builder_at(builder, under_a)->self_ns = 5;
	pe_cct_builder_at(builder, a)->self_ns = 2;
	pe_cct_builder_at(builder, b)->self_ns = 1;
	cct = finish(builder);

	cr_assert(eq(u32, cct->n, 5));
	cr_expect(eq(int, pe_cct_check(cct, &err), PE_OK));
	cr_expect_text("a c b 2 3", pe_cct_frame(cct, 1)->name, pe_cct_frame(cct, 2)->name,
		       pe_cct_frame(cct, 3)->name, pe_cct_first(cct, 1), pe_cct_next(cct, 1));
	cr_expect(eq(u32, pe_cct_next(cct, 2), PE_CCT_NONE));
	cr_expect(eq(u32, pe_cct_first(cct, 3), PE_CCT_NONE));
	cr_expect_text("8 7 8", cct->total_ns[0], cct->total_ns[1], cct->facts.duration_ns);
	cr_expect(cct->allocations == NULL, "unknown is not zero");
}

Test(cct, recursion_folds_into_the_node_on_the_path)
{
	struct pe_cct_builder *builder = pe_cct_builder_new(&frames, PE_CCT_CALLS);
	uint32_t even = pe_cct_builder_fold(builder, 0, method("even"), 1);
	uint32_t odd = pe_cct_builder_fold(builder, even, method("odd"), 2);
	uint32_t again = pe_cct_builder_fold(builder, odd, method("even"), 3);
	struct pe_cct *cct;

	cr_expect(ne(u32, again, even), "another call site is another context");
	cr_expect(eq(u32, pe_cct_builder_fold(builder, again, method("odd"), 2), odd));
	cr_expect(eq(u32, pe_cct_builder_fold(builder, odd, method("even"), 3), again));
	cct = finish(builder);
	cr_expect(eq(u32, cct->n, 4));
	cr_expect(eq(int, cct->flags[2] & PE_CCT_FOLDED, PE_CCT_FOLDED));
	cr_expect(eq(int, cct->flags[1] & PE_CCT_FOLDED, 0));
}

/* What a node of the finished tree must be, told from the builder's view. */
Test(cct, random_trees_are_whole)
{
	struct pe_random random = random_of(11);

	for (int tree = 0; tree < 200; tree++) {
		struct pe_cct_builder *builder = pe_cct_builder_new(&frames, PE_CCT_TIME);
		uint32_t wanted = 1 + (uint32_t)(pe_random_next(&random) % 400);
		struct pe_err err = PE_ERR_INIT;
		uint64_t sum = 0;
		struct pe_cct *cct;

		while (pe_cct_builder_count(builder) < wanted) {
			uint32_t parent =
				(uint32_t)(pe_random_next(&random) % pe_cct_builder_count(builder));
			char name[8];
			uint32_t node;

			snprintf(name, sizeof(name), "m%u",
				 (unsigned)(pe_random_next(&random) % 5));
			node = pe_cct_builder_child(builder, parent, method(name),
						    (uint32_t)(pe_random_next(&random) % 3));
			pe_cct_builder_at(builder, node)->self_ns += 1 + node;
			sum += 1 + node;
		}
		cct = finish(builder);
		cr_assert_ok(pe_cct_check(cct, &err), err.message);
		cr_assert(eq(u64, cct->total_ns[0], sum));
		for (uint32_t i = 0; i < cct->n; i++) {
			uint64_t below = cct->self_ns[i];

			for (uint32_t c = pe_cct_first(cct, i); c != PE_CCT_NONE;
			     c = pe_cct_next(cct, c)) {
				cr_assert(eq(u32, cct->nodes[c].parent, i));
				below += cct->total_ns[c];
			}
			cr_assert(eq(u64, cct->total_ns[i], below));
		}
	}
}

Test(cct, a_tree_out_of_order_is_noticed)
{
	struct pe_cct_builder *builder = pe_cct_builder_new(&frames, 0);
	uint32_t a = pe_cct_builder_child(builder, 0, method("a"), 0);
	struct pe_cct_node *nodes;
	struct pe_cct_node good[4];
	struct pe_cct *cct;

	pe_cct_builder_child(builder, a, method("b"), 0);
	pe_cct_builder_child(builder, 0, method("c"), 0);
	cct = finish(builder);
	nodes = cct->nodes;
	memcpy(good, nodes, sizeof(good));
	for (int field = 0; field < 3; field++)
		for (uint32_t i = 0; i < 4; i++)
			for (uint32_t value = 0; value < 6; value++) {
				uint32_t *at = field == 0   ? &nodes[i].parent
					       : field == 1 ? &nodes[i].end
							    : &nodes[i].frame;
				uint32_t was = *at;
				struct pe_err err = PE_ERR_INIT;

				*at = value;
				if (value != was && !(field == 2 && value < frames.n))
					cr_expect(eq(int, pe_cct_check(cct, &err), PE_EINVALID),
						  "field %d of node %u = %u", field, i, value);
				memcpy(nodes, good, sizeof(good));
			}
}

Test(cct, a_chain_of_a_million_needs_no_stack)
{
	struct pe_cct_builder *builder = pe_cct_builder_new(&frames, PE_CCT_TIME);
	uint32_t node = 0;
	struct pe_err err = PE_ERR_INIT;
	struct pe_cct *cct;

	for (uint32_t i = 0; i < 1000000; i++) {
		node = pe_cct_builder_child(builder, node, method("f"), 0);
		pe_cct_builder_at(builder, node)->self_ns = 1;
	}
	cct = finish(builder);
	cr_expect(eq(int, pe_cct_check(cct, &err), PE_OK));
	cr_expect_text("1000000 1", cct->total_ns[0], cct->total_ns[1000000]);
}

Test(cct, an_interval_covers_the_share_and_narrows_with_samples)
{
	struct pe_cct cct = {.facts = {.samples = 100, .duration_ns = 1000}};
	double low, high, narrow_low, narrow_high;

	/* Wilson's interval for 20 of 100 at z = 1.96: 0.1334 to 0.2888 (Agresti and Coull 1998, table) */
	cr_assert(pe_cct_share_interval(&cct, 20, 1.96, &low, &high));
	cr_expect(lt(dbl, fabs(low - 133.4), 0.1));
	cr_expect(lt(dbl, fabs(high - 288.8), 0.1));
	cct.facts.samples = 10000;
	cr_assert(pe_cct_share_interval(&cct, 2000, 1.96, &narrow_low, &narrow_high));
	cr_expect(lt(dbl, narrow_high - narrow_low, high - low));
	cct.facts.samples = 0;
	cr_expect(not(pe_cct_share_interval(&cct, 0, 1.96, &low, &high)));
}
