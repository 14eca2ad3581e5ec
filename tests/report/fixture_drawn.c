/* A program drawn from a seed, as large as the bars of the report ask. */
#include "fixture_trees.h"

#include "tests/support/random.h"

#include <math.h>
#include <string.h>

enum { METHODS = 600, CALLEES = 5, DEEPEST = 40, SOURCES = 60, LINES = 36, DRAWN_RUNS = 2 };

/* What a context does itself on both sides; calls are 0 on a side that lacks it. */
struct context {
	uint32_t parent; /* among the contexts; the first is its own */
	uint32_t method, site;
	uint64_t calls[2], self_ns[2], allocations[2];
};

struct drawn {
	struct fixture_trees *out;
	struct pe_arena *arena;
	struct pe_random random;
	uint32_t callees[METHODS][CALLEES];
	struct context *at;
	uint32_t *depth;
	uint32_t n;
};

static uint32_t below(struct drawn *drawn, uint32_t bound)
{
	return (uint32_t)pe_random_below(&drawn->random, bound);
}

static bool happens(struct drawn *drawn, double probability)
{
	return pe_random_unit(&drawn->random) < probability;
}

static void add_methods(struct drawn *drawn)
{
	static const char *const verbs[] = {"read",  "find", "merge", "split",   "emit",
					    "check", "pack", "visit", "resolve", "fold"};
	static const char *const nouns[] = {"node",  "token", "table", "block", "symbol", "range",
					    "frame", "page",  "entry", "list",  "key",    "scope"};
	struct pe_frame_change *changes =
		pe_arena_new(drawn->arena, struct pe_frame_change, METHODS);
	struct fixture_trees *out = drawn->out;

	for (uint32_t m = 0; m < METHODS; m++) {
		const char *file = pe_arena_printf(drawn->arena, "src/%s/%s_%u.cc",
						   nouns[m / 5 % 12], verbs[m % 10], m / 60);
		const char *name = pe_arena_printf(drawn->arena, "%s::%s_%s_%u", nouns[m / 5 % 12],
						   verbs[m % 10], nouns[m / 7 % 12], m);
		uint32_t frame = pe_frames_add_method(out->frames, name, file);

		out->frames->at[frame].line = 10 + m % 60 * 17;
		changes[frame].source = m % 20 == 3 ? PE_SOURCE_MODIFIED : PE_SOURCE_SAME;
		changes[frame].code =
			m % 20 == 3 || m % 50 == 4 ? PE_BINARY_RECOMPILED : PE_BINARY_SAME;
		for (uint32_t c = 0; c < CALLEES; c++)
			drawn->callees[m][c] = below(drawn, METHODS);
	}
	out->changes = (struct pe_changes){changes, METHODS};
}

static struct context draw_context(struct drawn *drawn, uint32_t parent)
{
	uint32_t caller = drawn->at[parent].method, callee = below(drawn, CALLEES);
	struct context context = {
		.parent = parent, .method = drawn->callees[caller][callee], .site = 3 + callee * 4};
	uint64_t calls = drawn->at[parent].calls[0];

	calls = 1 + (uint64_t)((double)(calls > 0 ? calls : drawn->at[parent].calls[1]) *
			       exp(0.6 * pe_random_normal(&drawn->random)));
	for (int side = 0; side < 2; side++) {
		context.calls[side] = calls;
		context.self_ns[side] =
			(uint64_t)(2e3 * exp(1.5 * pe_random_normal(&drawn->random)));
		context.allocations[side] = context.method % 9 == 0 ? calls / 2 : 0;
	}
	context.self_ns[1] = context.self_ns[0];
	return context;
}

/* What became of a context: most stay, some went or came, some cost more or are called more often. */
static void change_context(struct drawn *drawn, struct context *context)
{
	const struct context *parent = &drawn->at[context->parent];

	for (int side = 0; side < 2; side++)
		if (parent->calls[side] == 0 || happens(drawn, side == 0 ? 0.02 : 0.01))
			context->calls[side] = 0;
	if (context->calls[0] == 0 && context->calls[1] == 0)
		context->calls[parent->calls[0] == 0] = 1;
	if (context->method % 20 == 3)
		context->self_ns[1] = context->self_ns[1] * 9 / 5;
	if (happens(drawn, 0.03))
		context->calls[1] *= 2 + below(drawn, 3);
	if (happens(drawn, 0.03))
		context->self_ns[1] /= 2;
	if (happens(drawn, 0.02))
		context->allocations[1] *= 3;
}

static void draw_contexts(struct drawn *drawn, uint32_t n)
{
	drawn->at = pe_arena_new(drawn->arena, struct context, n);
	drawn->depth = pe_arena_new(drawn->arena, uint32_t, n);
	drawn->at[0] = (struct context){.calls = {1, 1}, .self_ns = {5000, 5000}};
	for (drawn->n = 1; drawn->n < n; drawn->n++) {
		uint32_t parent = below(drawn, drawn->n);

		if (drawn->depth[parent] + 1 >= DEEPEST)
			parent = 0;
		drawn->at[drawn->n] = draw_context(drawn, parent);
		drawn->depth[drawn->n] = drawn->depth[parent] + 1;
		change_context(drawn, &drawn->at[drawn->n]);
	}
}

static const struct pe_cct *make_run(struct drawn *drawn, int side)
{
	struct pe_cct_builder *builder = pe_cct_builder_new(
		drawn->out->frames, PE_CCT_CALLS | PE_CCT_TIME | PE_CCT_ALLOCATIONS | PE_CCT_SITES);
	const struct pe_cct_facts facts = {.source = "timed"};
	uint32_t *place = pe_arena_new(drawn->arena, uint32_t, drawn->n);

	for (uint32_t i = 0; i < drawn->n; i++) {
		const struct context *context = &drawn->at[i];
		double noise = 1 + 0.004 * pe_random_normal(&drawn->random);
		struct pe_cct_values *values;

		if (context->calls[side] == 0)
			continue;
		place[i] = pe_cct_builder_child(builder, i > 0 ? place[context->parent] : 0,
						context->method, context->site);
		values = pe_cct_builder_at(builder, place[i]);
		values->calls += context->calls[side];
		values->self_ns += (uint64_t)((double)context->self_ns[side] * noise);
		values->allocations += context->allocations[side];
		values->allocated_bytes += 48 * context->allocations[side];
	}
	return pe_cct_builder_finish(builder, &facts, drawn->arena);
}

/* A method's lines, with one of them replaced. */
static const char *draw_text(struct drawn *drawn, uint32_t frame, uint32_t replaced)
{
	pe_auto_text text = PE_TEXT_INIT;
	const char *copy;

	pe_text_addf(&text, "int %s(struct scope *scope, int n)\n{\n",
		     drawn->out->frames->at[frame].name);
	for (uint32_t line = 3; line < LINES; line++) {
		uint32_t mixed = (frame * 31 + line) * 2654435761u;

		if (line == replaced)
			pe_text_addf(&text, "\tscope->last[n %% %u] = resolve(scope, n);\n", line);
		else
			pe_text_addf(&text, "\tif (scope->kind[%u] == KIND_%c%u) // case %u\n",
				     mixed % 97, (char)('A' + mixed / 97 % 26), mixed % 13, line);
	}
	pe_text_add(&text, "\treturn n;\n}\n");
	copy = pe_arena_strdup(drawn->arena, text.data);
	return copy;
}

static void draw_sources(struct drawn *drawn)
{
	struct fixture_trees *out = drawn->out;

	out->sources = pe_arena_new(drawn->arena, struct pe_page_source, SOURCES);
	out->n_sources = SOURCES;
	for (uint32_t i = 0; i < SOURCES; i++) {
		uint32_t frame = i * 10 + 3, replaced = 5 + i % 20;
		const uint32_t same[] = {
			1, 1, replaced - 1, replaced + 1, replaced + 1, LINES + 1 - replaced};
		struct pe_page_source *source = &out->sources[i];
		uint32_t *copy = pe_arena_new(drawn->arena, uint32_t, 6);

		memcpy(copy, same, sizeof(same));
		*source = (struct pe_page_source){.frame = frame, .same = copy, .n_same = 6};
		for (int side = 0; side < 2; side++) {
			source->path[side] = out->frames->at[frame].component;
			source->line[side] = out->frames->at[frame].line;
			source->text[side] = draw_text(drawn, frame, side == 0 ? 0 : replaced);
		}
	}
}

void fixture_trees_drawn(struct fixture_trees *out, struct pe_frames *frames, uint32_t n,
			 uint64_t seed, struct pe_arena *arena)
{
	struct drawn drawn = {.out = out, .arena = arena};

	*out = (struct fixture_trees){.frames = frames, .n = DRAWN_RUNS};
	pe_random_seed(&drawn.random, seed);
	add_methods(&drawn);
	draw_contexts(&drawn, n);
	for (int side = 0; side < 2; side++)
		for (int run = 0; run < DRAWN_RUNS; run++)
			out->at[side][run] = make_run(&drawn, side);
	draw_sources(&drawn);
}
