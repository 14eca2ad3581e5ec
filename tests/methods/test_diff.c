/*
 * How two revisions' methods differ: the laws (nothing against itself, swapping the sides, one rename for one
 * rename) on trees made at random from fixed seeds, and the cases that the rounds of analysis/methods/diff.c are for.
 */
#include "tests/methods/reading.h"

#include "core/base/random.h"

#include <stdio.h>
#include <stdlib.h>

static struct pe_arena arena = PE_ARENA_INIT;

TestSuiteWith(diff, (void)0, pe_arena_release(&arena), .timeout = 600);

static struct pe_method_changes diff(const struct pe_methods *before,
				     const struct pe_methods *after)
{
	struct pe_method_changes changes;

	pe_methods_diff(&changes, before, after, &arena);
	return changes;
}

static struct pe_method_changes diff_texts(const char *path, const char *before, const char *after)
{
	struct pe_methods old = read_text(path, before, &arena),
			  new = read_text(path, after, &arena);

	return diff(&old, &new);
}

/* Two files together, as a tree. */
static struct pe_methods join(struct pe_methods a, struct pe_methods b)
{
	struct pe_methods all = {.n = a.n + b.n, .files = a.files + b.files};

	all.at = pe_arena_new(&arena, struct pe_method, all.n);
	for (size_t i = 0; i < all.n; i++)
		all.at[i] = i < a.n ? a.at[i] : b.at[i - a.n];
	return all;
}

static void expect_counts(const struct pe_method_changes *changes, size_t added, size_t deleted,
			  size_t modified, size_t renamed, size_t moved)
{
	char expected[128], got[128];
	const size_t *count = changes->count;

	snprintf(expected, sizeof(expected),
		 "%zu added, %zu deleted, %zu modified, %zu renamed, %zu moved: %zu, mc %zu", added,
		 deleted, modified, renamed, moved, added + deleted + modified + renamed + moved,
		 added + deleted + modified);
	snprintf(got, sizeof(got),
		 "%zu added, %zu deleted, %zu modified, %zu renamed, %zu moved: %zu, mc %zu",
		 count[PE_METHOD_ADDED], count[PE_METHOD_DELETED], count[PE_METHOD_MODIFIED],
		 count[PE_METHOD_RENAMED], count[PE_METHOD_MOVED], changes->n,
		 pe_method_changes_mc(changes));
	cr_expect_str_eq(got, expected);
}

/* ---- trees at random ---- */

enum { N_FUNCTIONS = 24, N_STATEMENTS = 12 };

/* A function's body is given by its seed; how many of its statements are other ones, by `edits`. */
struct function {
	unsigned name, file;
	uint64_t seed;
	unsigned edits;
};

struct tree {
	struct function at[N_FUNCTIONS];
	size_t n;
};

static struct tree random_tree(struct pe_random *random)
{
	struct tree tree = {.n = N_FUNCTIONS};

	for (unsigned i = 0; i < N_FUNCTIONS; i++)
		tree.at[i] = (struct function){.name = i,
					       .file = (unsigned)pe_random_below(random, 3),
					       .seed = pe_random_next(random)};
	return tree;
}

static void write_function(struct pe_text *out, const struct function *function, const char *gap)
{
	struct pe_random random;

	pe_random_seed(&random, function->seed);
	pe_text_addf(out, "%sint function_%u(int a,%sint b)\n{\n", gap, function->name, gap);
	for (unsigned i = 0; i < N_STATEMENTS; i++) {
		uint64_t x = pe_random_below(&random, 100000), y = pe_random_below(&random, 100000);

		if (i < function->edits)
			x += 100000;
		pe_text_addf(out, "\ta =%sa * %u +%sf%u(b - %u);\n", gap, (unsigned)x, gap,
			     (unsigned)y, (unsigned)(x ^ y));
	}
	pe_text_addf(out, "\treturn a > 2 ? b : function_%u(a, b);\n}\n", function->name);
}

static struct pe_methods read_tree(const struct tree *tree, const char *gap)
{
	struct pe_methods all = {0};

	for (unsigned file = 0; file < 3; file++) {
		struct pe_text text = PE_TEXT_INIT;
		char path[32];

		for (size_t i = 0; i < tree->n; i++)
			if (tree->at[i].file == file)
				write_function(&text, &tree->at[i], gap);
		snprintf(path, sizeof(path), "file_%u.c", file);
		all = join(all, read_text(path, pe_text_str(&text), &arena));
		pe_text_release(&text);
	}
	cr_assert(eq(sz, all.n, tree->n));
	return all;
}

/* Change a tree in every way there is. */
static void shake(struct tree *tree, struct pe_random *random)
{
	for (size_t i = 0; i < tree->n; i++) {
		struct function *function = &tree->at[i];

		switch (pe_random_below(random, 8)) {
		case 0:
			function->name += 100;
			break;
		case 1:
			function->edits = (unsigned)pe_random_below(random, N_STATEMENTS + 1);
			break;
		case 2:
			function->file = (function->file + 1) % 3;
			break;
		case 3:
			function->seed = pe_random_next(random);
			function->name += 200;
			break;
		case 4:
			function->name += 100;
			function->edits = 2;
			break;
		case 5:
			tree->at[i] = tree->at[--tree->n];
			break;
		default:
			break;
		}
	}
}

static uint64_t laws_cases[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};

static const struct pe_method_change *find_swapped(const struct pe_method_changes *changes,
						   const struct pe_method_change *change)
{
	for (size_t i = 0; i < changes->n; i++)
		if (changes->at[i].before == change->after &&
		    changes->at[i].after == change->before)
			return &changes->at[i];
	return NULL;
}

TestOver(uint64_t *seed, laws_cases, diff, laws)
{
	struct pe_random random;
	struct tree tree;
	struct pe_methods before, after, spread;
	struct pe_method_changes there, back, same;

	pe_random_seed(&random, *seed);
	tree = random_tree(&random);
	before = read_tree(&tree, " ");
	spread = read_tree(&tree, " /* another comment */\n\t ");
	shake(&tree, &random);
	after = read_tree(&tree, " ");

	same = diff(&before, &before);
	cr_expect(eq(sz, same.n, 0), "a tree differs from itself");
	same = diff(&before, &spread);
	cr_expect(eq(sz, same.n, 0), "white space and comments count");

	there = diff(&before, &after);
	back = diff(&after, &before);
	cr_expect(gt(sz, there.n, 0));
	expect_counts(&back, there.count[PE_METHOD_DELETED], there.count[PE_METHOD_ADDED],
		      there.count[PE_METHOD_MODIFIED], there.count[PE_METHOD_RENAMED],
		      there.count[PE_METHOD_MOVED]);
	for (size_t i = 0; i < there.n; i++) {
		const struct pe_method_change *mirrored = find_swapped(&back, &there.at[i]);

		cr_assert(mirrored != NULL, "a pair is lost on the way back");
		cr_expect(mirrored->likeness == there.at[i].likeness);
	}
}

/* A tree at random against itself with one function that is another in these ways. */
static struct pe_method_changes change(uint64_t seed, size_t which, struct function ways)
{
	struct pe_random random;
	struct tree tree;
	struct pe_methods *before = pe_arena_new(&arena, struct pe_methods, 2);
	struct function *one = &tree.at[which];

	pe_random_seed(&random, seed);
	tree = random_tree(&random);
	before[0] = read_tree(&tree, " ");
	one->name = ways.name != 0 ? ways.name : one->name;
	one->file = (one->file + ways.file) % 3;
	one->seed += ways.seed;
	one->edits = ways.edits;
	before[1] = read_tree(&tree, " ");
	return diff(&before[0], &before[1]);
}

Test(diff, one_rename_is_one_rename)
{
	static const size_t which[] = {0, 5, 11, 17, 23};

	for (size_t i = 0; i < 5; i++) {
		struct pe_method_changes changes =
			change(99, which[i], (struct function){.name = 1000});

		expect_counts(&changes, 0, 0, 0, 1, 0);
		cr_expect_text("function_1000 1", changes.at[0].after->name,
			       changes.at[0].likeness);
	}
}

Test(diff, a_rename_with_a_small_edit_is_a_rename)
{
	struct pe_method_changes changes =
		change(5, 3, (struct function){.name = 1000, .edits = 1});

	expect_counts(&changes, 0, 0, 0, 1, 0);
	cr_expect(changes.at[0].likeness > 0.6 && changes.at[0].likeness < 1.0);
}

Test(diff, another_body_under_another_name_is_another_method_and_a_moved_one_is_moved)
{
	struct pe_method_changes changes = change(6, 3, (struct function){.name = 1000, .seed = 1});

	expect_counts(&changes, 1, 1, 0, 0, 0);
	changes = change(8, 7, (struct function){.file = 1});
	expect_counts(&changes, 0, 0, 0, 0, 1);
}

Test(diff, a_moved_file_moves_its_methods_alone)
{
	static const char text[] = "int get(void) { return 0; }\nint set(int a) { return a; }\n";
	struct pe_methods before = read_text("old.c", text, &arena),
			  after = read_text("new.c", text, &arena);
	struct pe_method_changes changes = diff(&before, &after);

	expect_counts(&changes, 0, 0, 0, 0, 2);
	cr_expect_text("get get", changes.at[0].after->name, changes.at[0].before->name);
}

/* ---- near-copies ---- */

/* Methods that differ in one number, as tests do. */
static void write_copies(struct pe_text *out, unsigned from, unsigned to)
{
	for (unsigned i = from; i < to; i++)
		pe_text_addf(
			out,
			"int case_%u(int a)\n{\n\tint b = prepare(a, \"x\");\n\tif (b < "
			"0)\n\t\treturn fail(b);\n"
			"\tb = run(b, %u);\n\tcheck(a, b, 17);\n\treturn finish(b) ? a : b;\n}\n",
			i, i);
}

/* The first of a family goes, another of its kind comes: that is no rename. */
Test(diff, near_copies_are_not_taken_for_each_other)
{
	static const unsigned sizes[] = {2, 3, 10, 60};

	for (size_t i = 0; i < 4; i++) {
		pe_auto_text before = PE_TEXT_INIT, after = PE_TEXT_INIT;
		struct pe_method_changes changes;

		write_copies(&before, 0, sizes[i]);
		write_copies(&after, 1, sizes[i] + 1);
		changes = diff_texts("a.c", before.data, after.data);
		expect_counts(&changes, 1, 1, 0, 0, 0);
	}
}

Test(diff, short_bodies_elsewhere_are_chance)
{
	struct pe_methods before = read_text("a.c", "int one(void) { return 0; }\n", &arena);
	struct pe_methods after = read_text("b.c", "int two(void) { return 0; }\n", &arena);
	struct pe_method_changes changes = diff(&before, &after);

	expect_counts(&changes, 1, 1, 0, 0, 0);
}

/* Bodies that cannot be told apart are let be; parameters and overloads make or keep a method's identity. */
Test(diff, small_files_differ_by_what_is_added_deleted_and_modified)
{
	static const struct {
		const char *path, *before, *after;
		size_t added, deleted, modified;
	} cases[] = {
		{"a.c", "int a(void) { return 0; }\nint b(void) { return 0; }\n",
		 "int c(void) { return 0; }\n", 1, 2, 0},
		{"a.c", "int f(int a) { return a; }\n", "int f(int a, int b) { return a; }\n", 0, 0,
		 1},
		{"a.cpp", "int f(int a) { return a; }\n", "int f(int a, int b) { return a; }\n", 0,
		 0, 1},
		{"A.java", "class A { int f(int a) { return a; } }",
		 "class A { int f(long a) { return a; } }", 0, 0, 1},
		{"a.cpp", "int f(int a) { return a; }\n",
		 "int f(int a) { return a; }\nint f(long a) { return 1; }\n", 1, 0, 0},
	};

	for (size_t i = 0; i < 5; i++) {
		struct pe_method_changes changes =
			diff_texts(cases[i].path, cases[i].before, cases[i].after);

		expect_counts(&changes, cases[i].added, cases[i].deleted, cases[i].modified, 0, 0);
		if (i == 4)
			cr_expect_str_eq(changes.at[0].after->signature, "(long)");
	}
}

Test(diff, alternatives_of_one_name_pair_by_body_and_order)
{
	struct pe_method_changes changes = diff_texts(
		"a.c",
		"#ifdef A\nint f(void) { return 1; }\n#else\nint f(void) { return 2; }\n#endif\n",
		"#ifdef A\nint f(void) { return 1; }\n#else\nint f(void) { return 3; }\n#endif\n");

	expect_counts(&changes, 0, 0, 1, 0, 0);
	cr_expect(eq(u32, changes.at[0].before->first_line, 4));
	changes = diff_texts(
		"a.c",
		"#ifdef A\nint f(void) { return 1; }\n#else\nint f(void) { return 2; }\n#endif\n",
		"#ifdef A\nint f(void) { return 2; }\n#else\nint f(void) { return 1; }\n#endif\n");
	expect_counts(&changes, 0, 0, 0, 0, 0);
}

Test(diff, is_sorted_by_place)
{
	struct pe_method_changes changes =
		diff_texts("a.c",
			   "int a(void) { return 1; }\nint b(void) { return 2; }\nint c(void) { "
			   "return call(3); }\n",
			   "int d(void) { if (x()) return y(); }\nint b(void) { return 3; }\nint "
			   "a(void) { return 4; }\n");

	cr_assert(eq(sz, changes.n, 4));
	for (size_t i = 1; i < changes.n; i++) {
		const struct pe_method_change *x = &changes.at[i - 1], *y = &changes.at[i];

		uint32_t left = x->after != NULL ? x->after->first_line : x->before->first_line;
		uint32_t right = y->after != NULL ? y->after->first_line : y->before->first_line;

		cr_expect(left <= right);
	}
}

/* Thousands of methods on both sides, all of one kind: no square of them. */
Test(diff, stays_fast_with_many_copies)
{
	pe_auto_text before = PE_TEXT_INIT, after = PE_TEXT_INIT;
	struct pe_method_changes changes;

	write_copies(&before, 0, 3000);
	write_copies(&after, 3000, 6000);
	changes = diff_texts("a.c", before.data, after.data);
	cr_expect(eq(sz, changes.count[PE_METHOD_ADDED], changes.count[PE_METHOD_DELETED]));
	cr_expect(eq(sz, changes.count[PE_METHOD_ADDED] + changes.count[PE_METHOD_RENAMED], 3000));
}
