/* ZAM: what the graph takes for a cause in sampled profiles whose methods are known to be what they were, or modified. */
#include "analysis/compare/zam.h"

#include "core/base/text.h"
#include "trees.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

static struct pe_frames frames;
static struct pe_arena arena;

static void release(void)
{
	pe_frames_release(&frames);
	pe_arena_release(&arena);
}

TestSuite(zam_same, .fini = release, .timeout = 600);

static const struct pe_cct *sampled(const char *text)
{
	struct pe_cct *cct = tree(&frames, text, &arena);

	cct->facts.samples = 2000;
	return cct;
}

/* modified: the name of a method; behind "~" to no effect on its code. */
static struct pe_zam compare(const char *old_text, const char *new_text, const char *modified)
{
	bool to_no_effect = *modified == '~';
	const struct pe_cct *a = sampled(old_text), *b = sampled(new_text);
	struct pe_frame_change *states = pe_arena_new(&arena, struct pe_frame_change, frames.n);
	struct pe_changes changes = {.at = states, .n = frames.n};
	struct pe_zam_opts opts = PE_ZAM_DEFAULTS;
	struct pe_err err = PE_ERR_INIT;
	struct pe_zam zam;

	for (uint32_t i = 0; i < frames.n; i++) {
		bool is_modified = strcmp(frames.at[i].name, modified + to_no_effect) == 0;

		states[i].source = is_modified ? PE_SOURCE_MODIFIED : PE_SOURCE_SAME;
		states[i].code =
			is_modified && !to_no_effect ? PE_BINARY_RECOMPILED : PE_BINARY_SAME;
	}
	opts.changes = &changes;
	cr_assert(eq(int, pe_zam_make(&zam, &a, &b, 1, &opts, &arena, &err), PE_OK));
	return zam;
}

/* "help<aa blames aa; ...": each cause with its caller, and whom it is put down to. */
static void expect_causes(const struct pe_zam *zam, const char *expected)
{
	struct pe_text text = PE_TEXT_INIT;

	for (uint32_t i = 1; i < zam->n; i++) {
		const struct pe_zam_node *node = &zam->nodes[i];

		if (node->cause)
			pe_text_addf(&text, "%s<%s blames %s; ", frames.at[node->frame].name,
				     frames.at[zam->nodes[node->parent].frame].name,
				     frames.at[zam->nodes[node->blamed].frame].name);
	}
	cr_expect_str_eq(pe_text_str(&text), expected, "%s", pe_text_str(&text));
	pe_text_release(&text);
}

/*
 * Samples of zlib, in us, scaled to what the timed runs took: of the 29 ms that a loop in main() took there, the build
 * that is sampled had half, and the other half went to all methods alike.
 */
static const char ZLIB_OLD[] =
	"r{main*2:200{compress:590{match*384:97170 slow*228:11400} "
	"uncompress:150{fast*326:5180} slide*103:4760 crc*491:3170 block*18:2750}}";

Test(zam_same, what_came_to_all_methods_alike_is_no_cause)
{
	struct pe_zam zam =
		compare(ZLIB_OLD,
			"r{main*2:15700{compress:540{match*384:107040 slow*228:11700} "
			"uncompress:160{fast*326:5600} slide*103:4280 crc*491:3810 block*18:3250}}",
			"main");

	expect_causes(&zam, "main<r blames main; ");
	/* Half of that, and nobody modified: what the machine did. */
	zam = compare(ZLIB_OLD,
		      "r{main*2:200{compress:590{match*384:104040 slow*228:11900} "
		      "uncompress:150{fast*326:5480} slide*103:5160 crc*491:3370 block*18:2950}}",
		      "nobody");
	expect_causes(&zam, "");
	/* PARCS section 3.2: a source that made the code that was there is no change. */
	zam = compare(ZLIB_OLD,
		      "r{main*2:200{compress:590{match*384:104040 slow*228:11900} "
		      "uncompress:150{fast*326:5480} slide*103:5160 crc*491:3370 block*18:2950}}",
		      "~match");
	expect_causes(&zam, "");
}

Test(zam_same, what_the_others_did_not_gain_is_a_cause)
{
	/* Handed more work by who was modified. */
	struct pe_zam zam =
		compare(ZLIB_OLD,
			"r{main*2:200{compress:590{match*384:130000 slow*228:11400} "
			"uncompress:150{fast*326:5180} slide*103:4760 crc*491:3170 block*18:2750}}",
			"compress");

	expect_causes(&zam, "match<compress blames compress; ");
	/* Nothing else is there that could say. */
	zam = compare("r{main{hot*10:99000}}", "r{main{hot*10:128000}}", "main");
	expect_causes(&zam, "hot<main blames main; ");
	zam = compare("r{main{hot*10:99000}}", "r{main{hot*10:119000}}", "main");
	expect_causes(&zam, "hot<main blames main; ");
	/* Something else is that explains it. */
	zam = compare("r{main{hot*10:99000}}", "r{main:15000{hot*10:119000}}", "main");
	expect_causes(&zam, "main<r blames main; ");
	/* More calls are no doing of the machine. */
	zam = compare("r{main{hot*100:60000 cold*9:60000}}", "r{main{hot*120:72000 cold*9:60000}}",
		      "main");
	expect_causes(&zam, "hot<main blames main; ");
}

Test(zam_same, a_context_does_not_vouch_for_those_of_another_cause)
{
	/* cc's gain is above mu and within the noise of its own samples. */
	struct pe_zam zam = compare("r{main{aa{help*9:2000} bb{help*9:2000} cc{help*9:2000} "
				    "rest*9:110000}}",
				    "r{main{aa{help*9:9000} bb{help*9:2000} cc{help*9:3400} "
				    "rest*9:110000}}",
				    "aa");

	expect_causes(&zam, "help<aa blames aa; ");
}

Test(zam_same, the_modified_method_between_many_places_and_their_caller_is_blamed)
{
	/* mu is 100: no context got slower by as much, all together by 240. */
	struct pe_zam zam = compare("r{work:7000{aa:800{mod{slow*9:10}} bb:800{mod{slow*9:10}} "
				    "cc:800{mod{slow*9:10}} dd:560{mod{slow*9:10}}}}",
				    "r{work:7000{aa:800{mod{slow*9:70}} bb:800{mod{slow*9:70}} "
				    "cc:800{mod{slow*9:70}} dd:560{mod{slow*9:70}}}}",
				    "mod");

	expect_causes(&zam, "slow<mod blames mod; ");
	cr_assert(eq(u32, zam.n, 4));
	cr_expect(eq(u32, zam.nodes[2].places, 4));
	cr_expect(eq(dbl, zam.nodes[2].new_ns, 280));
	/* One of many is not what stands behind all. */
	zam = compare("r{work:7000{aa:800{mod{slow*9:10}} bb:800{slow*9:10} "
		      "cc:800{slow*9:10} dd:560{slow*9:10}}}",
		      "r{work:7000{aa:800{mod{slow*9:70}} bb:800{slow*9:70} "
		      "cc:800{slow*9:70} dd:560{slow*9:70}}}",
		      "mod");
	expect_causes(&zam, "slow<work blames slow; ");
}
