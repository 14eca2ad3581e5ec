/* How work is divided, and the document that says it. */
#include "app/cluster/shard.h"

#include "tests/support/test.h"

TestSuite(shard, .timeout = 600);

static double load_of(const struct pe_shard_part *parts, size_t n, size_t shard)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += parts[i].shard == shard ? parts[i].seconds : 0;
	return sum;
}

Test(shard, workers_end_together)
{
	struct pe_shard_part parts[] = {{.seconds = 10}, {.seconds = 70}, {.seconds = 30},
					{.seconds = 20}, {.seconds = 60}, {.seconds = 20}};

	cr_expect(eq(sz, pe_shards_divide(parts, 6, 3), 3));
	for (size_t k = 0; k < 3; k++)
		cr_expect(eq(dbl, load_of(parts, 6, k), 70));
}

Test(shard, fewer_benchmarks_than_workers_are_one_each)
{
	struct pe_shard_part parts[] = {{.seconds = 1}, {.seconds = NAN}};

	cr_expect(eq(sz, pe_shards_divide(parts, 2, 100), 2));
	cr_expect(ne(sz, parts[0].shard, parts[1].shard));
	cr_expect(eq(sz, pe_shards_divide(parts, 2, 1), 1));
	cr_expect(eq(sz, pe_shards_divide(parts, 0, 4), 0));
}

/* What nobody knows counts as the others do, so that it does not all go to one. */
Test(shard, what_is_not_known_is_shared_out)
{
	struct pe_shard_part parts[8];
	size_t n[2] = {0};

	for (size_t i = 0; i < 8; i++)
		parts[i] = (struct pe_shard_part){.seconds = NAN};
	cr_expect(eq(sz, pe_shards_divide(parts, 8, 2), 2));
	for (size_t i = 0; i < 8; i++)
		n[parts[i].shard]++;
	cr_expect(eq(sz, n[0], 4));
}

Test(shard, benchmarks_stay_on_their_nodes)
{
	struct pe_shard_part parts[] = {{.seconds = 1, .node = "b"},
					{.seconds = 1},
					{.seconds = 9, .node = "a"},
					{.seconds = 1, .node = "b"},
					{.seconds = 1}};

	cr_expect(eq(sz, pe_shards_divide(parts, 5, 3), 3));
	cr_expect(eq(sz, parts[0].shard, parts[3].shard));
	cr_expect(ne(sz, parts[0].shard, parts[2].shard));
	cr_expect(eq(sz, parts[1].shard, parts[4].shard));
	/* Every node has its own: the rest waits for the first that is done. */
	cr_expect(eq(sz, pe_shards_divide(parts, 5, 2), 3));
}

static struct pe_shard example(void)
{
	static const char *names[] = {"one", "t\"wo\nlines"}, *versions[] = {"v1", "v2"},
			  *ids[] = {"aa", "bb", "cc"}, *metrics[] = {"wall"};

	return (struct pe_shard){
		.store = "7.db",
		.machine = "0123",
		.recipe = "4567",
		.avoid = "n1",
		.names = {names, 2},
		.versions = {versions, 2},
		.metrics = {metrics, 1},
		.revisions = {ids, 3},
		.request = {.first = "aa", .max_runs = 12, .budget_s = 2.5, .all = true},
	};
}

Test(shard, its_document_says_all_of_it)
{
	const struct pe_shard shard = example();
	pe_auto_text once = PE_TEXT_INIT, again = PE_TEXT_INIT;
	pe_auto_arena arena = PE_ARENA_INIT;
	struct pe_err err = PE_ERR_INIT;
	struct pe_shard read;

	pe_shard_write(&once, &shard);
	cr_assert_ok(pe_shard_read(&read, once.data, once.len, &arena, &err), err.message);
	pe_shard_write(&again, &read);
	cr_expect(eq(str, again.data, once.data));
	cr_expect(zero(int, strcmp(read.names.at[1], "t\"wo\nlines")));
	cr_expect(eq(dbl, read.request.budget_s, 2.5));
	cr_expect(read.node == NULL && read.request.all);
}

/* Cut anywhere, or with a path where a name must be, it is refused. */
Test(shard, what_is_none_is_refused)
{
	struct pe_shard shard = example();
	pe_auto_text text = PE_TEXT_INIT;
	pe_auto_arena arena = PE_ARENA_INIT;
	struct pe_err err = PE_ERR_INIT;
	struct pe_shard read;

	pe_shard_write(&text, &shard);
	for (size_t n = 0; n + 2 < text.len; n++)
		cr_expect(lt(int, pe_shard_read(&read, text.data, n, &arena, &err), 0), "%zu bytes",
			  n);
	shard.store = "../../perfevo.db";
	pe_text_clear(&text);
	pe_shard_write(&text, &shard);
	cr_expect(eq(int, pe_shard_read(&read, text.data, text.len, &arena, &err), PE_EINVALID));
	shard = example();
	shard.versions.n = 1;
	pe_text_clear(&text);
	pe_shard_write(&text, &shard);
	cr_expect(eq(int, pe_shard_read(&read, text.data, text.len, &arena, &err), PE_EINVALID));
}
