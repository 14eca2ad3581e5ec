#include "analysis/profile/tree.h"

#include "tests/support/random.h"
#include "tests/support/test.h"

static struct pe_frames frames;
static struct pe_arena arena;

TestSuiteWith(exclude, (void)0, (pe_frames_release(&frames), pe_arena_release(&arena)),
	      .timeout = 600);

enum { KNOWN = PE_CCT_CALLS | PE_CCT_SITES | PE_CCT_TIME | PE_CCT_ALLOCATIONS };

static uint32_t method(const char *name)
{
	return pe_frames_add_method(&frames, name, "a.c");
}

/* A child that was called so often, spent as many ns itself and allocated once a call. */
static uint32_t add(struct pe_cct_builder *builder, uint32_t parent, const char *name,
		    uint32_t site, uint64_t calls)
{
	uint32_t node = pe_cct_builder_child(builder, parent, method(name), site);
	struct pe_cct_values *values = pe_cct_builder_at(builder, node);

	values->calls += calls;
	values->self_ns += calls;
	values->allocations += calls;
	return node;
}

static const struct pe_cct *finish(struct pe_cct_builder *builder)
{
	const struct pe_cct_facts facts = {.source = "counting", .threads = 2};

	return pe_cct_builder_finish(builder, &facts, &arena);
}

static const struct pe_cct *without(const struct pe_cct *cct, const char *name)
{
	bool *excluded = pe_arena_new(&arena, bool, frames.n);

	excluded[method(name)] = true;
	return pe_tree_without_methods(cct, excluded, frames.n, &arena);
}

static const char *name_at(const struct pe_cct *cct, uint32_t node)
{
	return pe_cct_frame(cct, node)->name;
}

Test(exclude, a_tree_without_such_a_method_stays_itself)
{
	struct pe_cct_builder *builder = pe_cct_builder_new(&frames, KNOWN);
	const struct pe_cct *cct;

	add(builder, 0, "main", 0, 1);
	cct = finish(builder);
	cr_expect(eq(ptr, (void *)without(cct, "other"), (void *)cct));
}

Test(exclude, what_it_did_belongs_to_who_called_it)
{
	struct pe_cct_builder *builder = pe_cct_builder_new(&frames, KNOWN);
	uint32_t top = add(builder, 0, "main", 0, 1);
	uint32_t middle = add(builder, top, "each", 7, 10);
	uint32_t leaf = add(builder, middle, "work", 3, 100);
	const struct pe_cct *cct;

	pe_cct_builder_flag(builder, leaf, PE_CCT_UNSTABLE);
	cct = without(finish(builder), "each");
	cr_assert(eq(u32, cct->n, 3));
	cr_expect_text("work 1", name_at(cct, 2), cct->nodes[2].parent);
	cr_expect(eq(u32, cct->nodes[2].site, 7)); /* a line of main, not of each */
	cr_expect_text("1 11 11 100 111", cct->calls[1], cct->self_ns[1], cct->allocations[1],
		       cct->calls[2], cct->total_ns[0]);
	cr_expect(eq(int, cct->flags[2], PE_CCT_UNSTABLE));
	cr_expect(eq(u32, cct->facts.threads, 2));
}

Test(exclude, siblings_of_one_method_and_site_become_one)
{
	struct pe_cct_builder *builder = pe_cct_builder_new(&frames, KNOWN);
	uint32_t top = add(builder, 0, "main", 0, 1);
	uint32_t first, second;
	const struct pe_cct *cct;

	first = add(builder, top, "wrap", 7, 2);
	add(builder, first, "work", 1, 5);
	add(builder, add(builder, first, "wrap", 2, 1), "work", 1, 4);
	second = add(builder, top, "wrap", 8, 2);
	add(builder, second, "work", 1, 3);
	add(builder, top, "last", 9, 1);
	cct = without(finish(builder), "wrap");
	cr_assert(eq(u32, cct->n, 5));
	cr_expect(eq(u64, cct->calls[2], 9)); /* from line 7 */
	cr_expect(eq(u64, cct->calls[3], 3)); /* from line 8 */
	cr_expect_str_eq(name_at(cct, 4), "last");
}

Test(exclude, nothing_is_lost_in_any_tree)
{
	static const char *const names[] = {"a", "b", "c", "d"};
	struct pe_random random = random_of(11);

	for (int round = 0; round < 50; round++) {
		struct pe_cct_builder *builder = pe_cct_builder_new(&frames, KNOWN);
		const struct pe_cct *all, *some;

		for (int i = 0; i < 200; i++)
			add(builder,
			    (uint32_t)pe_random_below(&random, pe_cct_builder_count(builder)),
			    names[pe_random_below(&random, 4)],
			    (uint32_t)pe_random_below(&random, 3), 1 + pe_random_below(&random, 9));
		all = finish(builder);
		some = without(all, "b");
		cr_expect(eq(int, pe_cct_check(some, NULL), PE_OK));
		cr_expect(lt(u32, some->n, all->n));
		cr_expect(eq(u64, some->total_ns[0], all->total_ns[0]));
		cr_expect(eq(u64, some->total_allocations[0], all->total_allocations[0]));
		for (uint32_t i = 0; i < some->n; i++)
			cr_expect_str_neq(name_at(some, i), "b");
	}
}
