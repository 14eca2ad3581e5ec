/* Callgrind's records as a graph, with owners of code by address. */
#include "analysis/profile/callgraph.h"

#include "core/base/text.h"
#include "tests/support/test.h"

TestSuite(callgraph, .timeout = 600);

/* 0x10 to 0x1f is the code of owner 7, 0x20 to 0x2f that of 8. */
static uint32_t owner_of(void *payload, const char *object, uint64_t address)
{
	(void)payload;
	cr_expect_str_eq(object, "/bin/a");
	return address >= 0x10 && address < 0x30 ? (uint32_t)(address / 0x10) + 6 : UINT32_MAX;
}

#define ADDRESSES "# callgrind format\npositions: instr line\nevents: Ir\nob=/bin/a\n"

static int read_graph(struct pe_callgraph *out, const char *text)
{
	static const struct pe_callgrind_places places = {owner_of, NULL};
	pe_auto_arena work = PE_ARENA_INIT;
	struct pe_err err = PE_ERR_INIT;

	return pe_callgrind_read_graph(out, text, strlen(text), "record", &places, &work, &err);
}

static uint64_t charged(const struct pe_callgraph *graph, uint32_t owner)
{
	bool placed[16];
	uint64_t handed[16], sum = 0;

	cr_assert(le(sz, graph->functions.n, 16));
	for (size_t f = 0; f < graph->functions.n; f++)
		placed[f] = graph->functions.data[f].frame != UINT32_MAX;
	pe_callgraph_handed(handed, NULL, graph, placed);
	for (size_t f = 0; f < graph->functions.n; f++)
		if (graph->functions.data[f].frame == owner)
			sum += graph->functions.data[f].self + handed[f];
	return sum;
}

/* 8 was inlined into 7, and has memcpy() copy, which calls what nobody owns. */
Test(callgraph, code_is_its_owners_wherever_it_was_inlined)
{
	struct pe_callgraph graph;

	cr_assert(eq(int,
		     read_graph(&graph, ADDRESSES
				"fl=a.c\nfn=seven\n0x10 1 5\n+4 2 6\n0x20 9 40\ncfn=memcpy\n"
				"calls=2 0x90 1\n+2 9 300\n"
				"fn=memcpy\n0x90 1 200\ncfn=deep\ncalls=2 0xa0 1\n0x94 1 100\n"
				"fn=deep\n0xa0 1 100\n"),
		     PE_OK));
	cr_expect_text("11 340", charged(&graph, 7), charged(&graph, 8));
	pe_callgraph_release(&graph);
}

/* A sort that calls a comparison back, itself, and memcpy(): its own code works for who calls it, if that is one. */
Test(callgraph, what_leads_back_to_an_owner_is_its_only_callers)
{
	static const char *const others[] = {
		"", "0x20 2 3\ncfn=qsort\ncalls=1 0x90 1\n+4 2 9\n",
		"fn=loader\n0xc0 1 7\ncfn=qsort\ncalls=1 0x90 1\n+4 2 9\n"};
	static const char *const charges[] = {"115 40", "5 43", "5 40"};

	for (int several = 0; several < 3; several++) {
		struct pe_callgraph graph;
		pe_auto_text record = PE_TEXT_INIT;

		pe_text_addf(
			&record,
			ADDRESSES
			"fl=a.c\nfn=seven\n0x10 1 5\ncfn=qsort\ncalls=1 0x90 1\n+4 2 150\n"
			"fn=qsort\n0x90 1 50\ncfn=compare\ncalls=8 0x20 1\n0x94 1 40\n"
			"cfn=qsort\ncalls=2 0x90 1\n0x98 1 70\ncfn=memcpy\ncalls=3 0xb0 1\n0x9c 1 60\n"
			"fn=memcpy\n0xb0 1 60\nfn=compare\n0x20 1 40\n%s",
			others[several]);
		cr_assert(eq(int, read_graph(&graph, record.data), PE_OK));
		cr_expect_text(charges[several], charged(&graph, 7), charged(&graph, 8));
		pe_callgraph_release(&graph);
	}
}

static uint32_t any_owner(void *payload, const char *object, uint64_t address)
{
	(void)payload;
	(void)object;
	return (uint32_t)address;
}

/* Owners come with the lines of costs, while functions are at hand. */
Test(callgraph, owners_come_and_go_on_coming)
{
	static const struct pe_callgrind_places places = {any_owner, NULL};
	enum { OWNERS = 3000 };
	pe_auto_arena work = PE_ARENA_INIT;
	pe_auto_text text = PE_TEXT_INIT;
	struct pe_callgraph graph;
	uint64_t sum = 0;

	pe_text_add(&text, ADDRESSES "fl=a.c\nfn=f\n");
	for (int i = 0; i < OWNERS; i++)
		pe_text_addf(&text, "%#x 1 %d\n", i + 1, i);
	cr_assert(eq(int,
		     pe_callgrind_read_graph(&graph, text.data, text.len, "record", &places, &work,
					     NULL),
		     PE_OK));
	cr_assert(eq(sz, graph.functions.n, OWNERS + 1));
	for (size_t f = 0; f < graph.functions.n; f++)
		sum += graph.functions.data[f].self;
	cr_expect(eq(u64, sum, (uint64_t)OWNERS * (OWNERS - 1) / 2));
	pe_callgraph_release(&graph);
}

Test(callgraph, a_record_without_addresses_has_no_owners)
{
	struct pe_callgraph graph;

	cr_expect(eq(int,
		     read_graph(&graph, "events: Ir\n"
					"ob=/bin/a\nfl=a.c\nfn=f\n1 10\n"),
		     PE_EINVALID));
	pe_callgraph_release(&graph);
	cr_expect(eq(int,
		     read_graph(&graph, ADDRESSES "fl=a.c\nfn=f\n0x10 1\n"
						  "calls=x\n"),
		     PE_EINVALID));
	pe_callgraph_release(&graph);
}
