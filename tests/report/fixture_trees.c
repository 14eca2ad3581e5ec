#include "fixture_trees.h"

#include "tests/support/random.h"

#include <string.h>

/* --- A program that is written down --- */

struct method {
	const char *name, *signature, *file;
	uint32_t line;
	enum pe_source_change source;
	enum pe_binary_change code;
};

static const struct method methods[] = {
	{"main", "", "src/main.c", 20, PE_SOURCE_SAME, PE_BINARY_SAME},
	{"read_file", "", "src/input.c", 12, PE_SOURCE_SAME, PE_BINARY_SAME},
	{"buffer_grow", "", "src/buffer.c", 31, PE_SOURCE_SAME, PE_BINARY_SAME},
	{"memcpy", "", "libc.so.6", 0, PE_SOURCE_UNKNOWN, PE_BINARY_UNKNOWN},
	{"json::parse_document", "(json::buffer const&)", "src/parse.cc", 88, PE_SOURCE_MODIFIED,
	 PE_BINARY_RECOMPILED},
	{"json::next_token", "(json::lexer&)", "src/lex.cc", 40, PE_SOURCE_SAME, PE_BINARY_SAME},
	{"skip_space", "", "src/lex.cc", 22, PE_SOURCE_SAME, PE_BINARY_SAME},
	{"intern", "", "src/intern.c", 57, PE_SOURCE_MODIFIED, PE_BINARY_RECOMPILED},
	{"hash_probe", "", "src/hash.c", 102, PE_SOURCE_MODIFIED, PE_BINARY_RECOMPILED},
	{"hash_bytes", "", "src/hash.c", 61, PE_SOURCE_SAME, PE_BINARY_SAME},
	{"json::check_token", "(json::token const&)", "src/check.cc", 9, PE_SOURCE_ADDED,
	 PE_BINARY_UNKNOWN},
	{"utf8_valid", "", "src/utf8.c", 14, PE_SOURCE_ADDED, PE_BINARY_UNKNOWN},
	{"legacy_scan", "", "src/legacy.c", 11, PE_SOURCE_DELETED, PE_BINARY_UNKNOWN},
	{"legacy_compare", "", "src/legacy.c", 44, PE_SOURCE_DELETED, PE_BINARY_UNKNOWN},
	{"normalise", "", "src/parse.cc", 61, PE_SOURCE_ADDED, PE_BINARY_UNKNOWN},
	{"make_node", "", "src/node.c", 66, PE_SOURCE_SAME, PE_BINARY_RECOMPILED},
	{"pool_alloc", "", "src/pool.c", 19, PE_SOURCE_SAME, PE_BINARY_SAME},
	{"emit", "", "src/emit.c", 8, PE_SOURCE_SAME, PE_BINARY_SAME},
	{"write_string", "", "src/emit.c", 41, PE_SOURCE_RENAMED, PE_BINARY_SAME},
	{"write_number", "", "src/emit.c", 73, PE_SOURCE_MODIFIED, PE_BINARY_RECOMPILED},
	{"format_double", "", "src/number.c", 120, PE_SOURCE_SAME, PE_BINARY_SAME},
};

enum { N_METHODS = sizeof(methods) / sizeof(methods[0]) };

/* A context: its depth below the benchmark, where it is called, and what it does itself. */
struct row {
	int level;
	const char *name;
	uint32_t site;
	uint64_t calls, self_us, allocations;
};

static const struct row old_rows[] = {
	{1, "main", 0, 1, 5, 1},
	{2, "read_file", 24, 3, 40, 6},
	{3, "buffer_grow", 18, 12, 22, 12},
	{4, "memcpy", 36, 12, 60, 0},
	{2, "json::parse_document", 26, 3, 20, 0},
	{3, "json::next_token", 95, 9000, 210, 0},
	{4, "skip_space", 44, 9000, 80, 0},
	{4, "intern", 52, 3000, 90, 40},
	{5, "hash_probe", 63, 3000, 120, 0},
	{6, "hash_bytes", 110, 3000, 60, 0},
	{3, "make_node", 103, 3000, 45, 3000},
	{4, "pool_alloc", 71, 3000, 50, 0},
	{3, "legacy_scan", 108, 3, 48, 3},
	{4, "legacy_compare", 15, 600, 30, 0},
	{2, "emit", 28, 3, 18, 0},
	{3, "write_string", 14, 1500, 75, 0},
	{3, "write_string", 19, 500, 25, 0},
	{3, "write_number", 22, 1000, 60, 300},
	{4, "format_double", 79, 400, 92, 0},
};

static const struct row new_rows[] = {
	{1, "main", 0, 1, 5, 1},
	{2, "read_file", 24, 3, 40, 6},
	{3, "buffer_grow", 18, 12, 22, 12},
	{4, "memcpy", 36, 12, 60, 0},
	{2, "json::parse_document", 26, 3, 22, 0},
	{3, "json::next_token", 97, 9000, 210, 0},
	{4, "skip_space", 44, 9000, 80, 0},
	{4, "intern", 52, 3000, 110, 40},
	{5, "hash_probe", 66, 9000, 330, 9000},
	{6, "hash_bytes", 114, 9000, 175, 0},
	{4, "json::check_token", 56, 9000, 48, 0},
	{5, "utf8_valid", 12, 9000, 61, 0},
	{3, "normalise", 105, 3000, 16, 0},
	{4, "make_node", 63, 3000, 45, 3000},
	{5, "pool_alloc", 71, 3000, 88, 0},
	{2, "emit", 28, 3, 18, 0},
	{3, "write_string", 14, 1500, 75, 0},
	{3, "write_string", 19, 500, 25, 0},
	{3, "write_number", 22, 1000, 38, 0},
	{4, "format_double", 79, 250, 58, 0},
};

/* The sources of those that a reader would want; a NULL is a side that lacks the method. */
struct text {
	const char *name;
	const char *texts[2];
	uint32_t same[12];
	size_t n_same;
};

static const struct text texts[] = {
	{"hash_probe",
	 {"size_t hash_probe(const struct table *table, const char *key, size_t n)\n{\n"
	  "\tsize_t slot = hash_bytes(key, n) & table->mask;\n\n"
	  "\twhile (table->slots[slot] != NULL)\n\t\tslot = (slot + 1) & table->mask;\n"
	  "\treturn slot;\n}\n",
	  "size_t hash_probe(const struct table *table, const char *key, size_t n)\n{\n"
	  "\tchar *copy = strndup(key, n); /* the caller's may move */\n"
	  "\tsize_t slot = hash_bytes(copy, n) & table->mask;\n\n"
	  "\twhile (table->slots[slot] != NULL)\n\t\tslot = (slot + 1) & table->mask;\n"
	  "\tfree(copy);\n\treturn slot;\n}\n"},
	 {1, 1, 2, 4, 5, 3, 7, 9, 2},
	 9},
	{"intern",
	 {"const char *intern(struct table *table, const char *key, size_t n)\n{\n"
	  "\tsize_t slot = hash_probe(table, key, n);\n\n"
	  "\tif (table->slots[slot] == NULL)\n"
	  "\t\ttable->slots[slot] = copy_of(key, n);\n\treturn table->slots[slot];\n}\n",
	  "const char *intern(struct table *table, const char *key, size_t n)\n{\n"
	  "\tfor (int part = 0; part < 3; part++)\n"
	  "\t\ttable->last[part] = hash_probe(table, key, n);\n\n"
	  "\tif (table->slots[table->last[0]] == NULL)\n"
	  "\t\ttable->slots[table->last[0]] = copy_of(key, n);\n"
	  "\treturn table->slots[table->last[0]];\n}\n"},
	 {1, 1, 2, 4, 5, 1, 8, 9, 1},
	 9},
	{"write_number",
	 {"void write_number(struct out *out, double value)\n{\n\tchar *text = malloc(32);\n\n"
	  "\tformat_double(text, value);\n\twrite_bytes(out, text);\n\tfree(text);\n}\n",
	  "void write_number(struct out *out, double value)\n{\n\tchar text[32];\n\n"
	  "\tif (write_whole(out, value))\n\t\treturn;\n"
	  "\tformat_double(text, value);\n\twrite_bytes(out, text);\n}\n"},
	 {1, 1, 2, 4, 4, 1, 5, 7, 2, 8, 9, 1},
	 12},
	{"json::check_token",
	 {NULL, "bool json::check_token(const token &token)\n{\n"
		"\tif (token.kind != token::string)\n\t\treturn true;\n"
		"\treturn utf8_valid(token.at, token.n); // RFC 8259, section 8.1\n}\n"},
	 {0},
	 0},
	{"legacy_scan",
	 {"void legacy_scan(const struct node *node)\n{\n"
	  "\tfor (; node != NULL; node = node->next)\n\t\tlegacy_compare(node, \"<!--\");\n}\n",
	  NULL},
	 {0},
	 0},
};

static const char *const hostile_names[] = {
	"<script>alert(1)</script>",
	"\"><img src=x onerror=alert(2)>",
	"it's `quoted` \\ & <b>bold</b>",
	"\xe2\x80\xaegnp.evil\xe2\x80\xac",
	"\033[31mred\007\001",
	"\xff\xfe not UTF-8 \xc0",
	"operator<<(std::ostream&, T&&)",
	"__proto__",
};

struct written {
	const struct fixture_trees_opts *opts;
	struct fixture_trees *out;
	struct pe_arena *arena;
	uint32_t frame_of[N_METHODS];
};

static size_t method_named(const char *name)
{
	size_t m = 0;

	while (strcmp(methods[m].name, name) != 0)
		m++;
	return m;
}

static enum pe_source_change swapped_change(enum pe_source_change change)
{
	return change == PE_SOURCE_ADDED     ? PE_SOURCE_DELETED
	       : change == PE_SOURCE_DELETED ? PE_SOURCE_ADDED
					     : change;
}

static void add_frames(struct written *written)
{
	struct pe_frame_change *changes =
		pe_arena_new(written->arena, struct pe_frame_change, N_METHODS);
	struct fixture_trees *out = written->out;
	enum { N_HOSTILE = sizeof(hostile_names) / sizeof(hostile_names[0]) };

	for (size_t m = 0; m < N_METHODS; m++) {
		struct pe_frame frame = {.name = methods[m].name,
					 .signature = methods[m].signature,
					 .component = methods[m].file,
					 .module = "jsonbench",
					 .line = methods[m].line};

		if (written->opts->hostile) {
			frame.name = hostile_names[m % N_HOSTILE];
			frame.component = pe_arena_printf(written->arena, "src/<%zu>/%s", m,
							  hostile_names[(m + 3) % N_HOSTILE]);
		}
		written->frame_of[m] = pe_frames_add(out->frames, &frame);
		changes[written->frame_of[m]].source =
			(uint8_t)(written->opts->swapped ? swapped_change(methods[m].source)
							 : methods[m].source);
		changes[written->frame_of[m]].code = (uint8_t)methods[m].code;
		if (strcmp(methods[m].name, "write_number") == 0)
			changes[written->frame_of[m]].executed =
				written->opts->swapped ? PE_EXECUTED_MORE : PE_EXECUTED_FEWER;
	}
	out->changes = (struct pe_changes){changes, N_METHODS};
}

static const struct pe_cct *make_run(struct written *written, const struct row *rows, size_t n,
				     struct pe_random *random)
{
	const bool sampled = written->opts->sampled;
	struct pe_cct_builder *builder = pe_cct_builder_new(
		written->out->frames,
		sampled ? PE_CCT_TIME
			: PE_CCT_CALLS | PE_CCT_TIME | PE_CCT_ALLOCATIONS | PE_CCT_SITES);
	const struct pe_cct_facts facts = {.source = sampled ? "perf script" : "timed"};
	const struct pe_frame waiting = {.name = "(waiting)", .kind = PE_FRAME_WAITING};
	uint32_t path[16] = {0}, node;

	for (size_t i = 0; i < n; i++) {
		const struct row *row = &rows[i];
		struct pe_cct_values *values;

		node = pe_cct_builder_child(builder, path[row->level - 1],
					    written->frame_of[method_named(row->name)],
					    sampled ? 0 : row->site);
		path[row->level] = node;
		values = pe_cct_builder_at(builder, node);
		values->calls = row->calls;
		values->allocations = row->allocations;
		values->allocated_bytes = 24 * row->allocations;
		values->self_ns += (uint64_t)((double)row->self_us * 1e3 *
					      (1 + 0.01 * pe_random_normal(random)));
	}
	node = pe_cct_builder_child(builder, 0, pe_frames_add(written->out->frames, &waiting), 0);
	pe_cct_builder_at(builder, node)->self_ns =
		(uint64_t)(4e4 * (1 + 0.1 * pe_random_normal(random)));
	return pe_cct_builder_finish(builder, &facts, written->arena);
}

static void add_sources(struct written *written)
{
	enum { N_TEXTS = sizeof(texts) / sizeof(texts[0]) };
	const bool swapped = written->opts->swapped;
	struct fixture_trees *out = written->out;

	out->sources = pe_arena_new(written->arena, struct pe_page_source, N_TEXTS);
	out->n_sources = N_TEXTS;
	for (size_t i = 0; i < N_TEXTS; i++) {
		struct pe_page_source *source = &out->sources[i];
		uint32_t *same = pe_arena_new(written->arena, uint32_t, texts[i].n_same);

		source->frame = written->frame_of[method_named(texts[i].name)];
		for (int side = 0; side < 2; side++) {
			const char *text = texts[i].texts[side ^ swapped];

			if (text == NULL)
				continue;
			source->path[side] = out->frames->at[source->frame].component;
			source->line[side] =
				methods[method_named(texts[i].name)].line + (unsigned)side * 3;
			source->text[side] = written->opts->hostile
						     ? pe_arena_printf(written->arena,
								       "%s</script>\xe2\x80\xa8%s",
								       text, hostile_names[i])
						     : text;
		}
		for (size_t s = 0; s < texts[i].n_same; s++) /* old line, new line, count */
			same[s] = texts[i].same[swapped && s % 3 < 2 ? s - s % 3 + (s % 3 ^ 1) : s];
		source->same = same;
		source->n_same = texts[i].n_same;
	}
}

void fixture_trees_written(struct fixture_trees *out, struct pe_frames *frames,
			   const struct fixture_trees_opts *opts, struct pe_arena *arena)
{
	struct written written = {.opts = opts, .out = out, .arena = arena};
	struct pe_random random = random_of(11);

	*out = (struct fixture_trees){.frames = frames, .n = FIXTURE_RUNS};
	add_frames(&written);
	for (int run = 0; run < FIXTURE_RUNS; run++) {
		out->at[opts->swapped][run] = make_run(
			&written, old_rows, sizeof(old_rows) / sizeof(old_rows[0]), &random);
		out->at[!opts->swapped][run] = make_run(
			&written, new_rows, sizeof(new_rows) / sizeof(new_rows[0]), &random);
	}
	add_sources(&written);
}
