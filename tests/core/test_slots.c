#include "core/exec/slots.h"

#include "core/base/files.h"
#include "tests/support/test.h"

static const char A[] = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
static const char B[] = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";
static const char RECIPE[] = "0123456789abcdef0123456789abcdef";
static const uint64_t PLENTY = 1ull << 40;

static struct pe_arena arena = PE_ARENA_INIT;
static char root[96];

static void make_root(void)
{
	strcpy(root, "/tmp/pe-slots-XXXXXX");
	cr_assert(mkdtemp(root) != NULL);
}

static void remove_root(void)
{
	pe_files_remove(root, NULL);
	pe_arena_release(&arena);
}

TestSuite(slots, .init = make_root, .fini = remove_root);

static struct pe_slots open_slots(uint64_t budget)
{
	struct pe_slots slots;

	cr_assert(eq(int, pe_slots_open(&slots, root, budget, &arena, NULL), PE_OK));
	return slots;
}

static void write_kib(const struct pe_slot *slot, size_t kib)
{
	const char *path = pe_arena_printf(&arena, "%s/tree", slot->dir);
	FILE *file;

	cr_assert(eq(int, pe_files_make_dir(path, NULL), PE_OK));
	file = fopen(pe_arena_printf(&arena, "%s/data", path), "w");
	cr_assert(file != NULL);
	for (size_t i = 0; i < kib * 1024; i++)
		putc('x', file);
	fclose(file);
}

static struct pe_slot *build(struct pe_slots *slots, const char *id, size_t kib)
{
	struct pe_slot *slot = pe_slots_take(slots);

	if (slot == NULL)
		return NULL;
	cr_assert(eq(int, pe_slot_forget(slot, NULL), PE_OK));
	write_kib(slot, kib);
	cr_assert(eq(int, pe_slot_remember(slot, id, RECIPE, NULL), PE_OK));
	pe_slots_touch(slots, slot);
	slot->held = true;
	return slot;
}

Test(slots, remember_across_processes)
{
	struct pe_slots slots = open_slots(PLENTY);
	struct pe_slot *slot = build(&slots, A, 100);
	struct pe_slots again;

	slot->build_ns = 1234567890;
	cr_assert(eq(int, pe_slot_write_state(slot, NULL), PE_OK));
	again = open_slots(PLENTY);

	cr_assert(eq(sz, again.n, 1));
	cr_expect(eq(str, again.at[0].id, (char *)A));
	cr_expect(eq(u64, again.at[0].bytes, slot->bytes));
	cr_expect(again.at[0].bytes >= 100 * 1024);
	cr_expect(eq(u64, again.at[0].build_ns, 1234567890));
	cr_expect(pe_slot_is_of_this_boot(&again.at[0]));
	/* What was not synced may have been lost since. */
	memset(slot->boot, '0', 8);
	cr_assert(eq(int, pe_slot_write_state(slot, NULL), PE_OK));
	again = open_slots(PLENTY);
	cr_expect(not(pe_slot_is_of_this_boot(&again.at[0])));
	cr_expect(pe_slots_find(&again, A, RECIPE) == &again.at[0]);
	cr_expect(pe_slots_find(&again, B, RECIPE) == NULL);
	cr_expect(pe_slots_find(&again, A, "fedcba9876543210fedcba9876543210") == NULL);
}

Test(slots, all_paths_have_one_length)
{
	struct pe_slots slots = open_slots(PLENTY);
	size_t length = strlen(build(&slots, A, 1)->tree);

	for (int i = 0; i < 12; i++)
		cr_expect(eq(sz, strlen(build(&slots, B, 1)->tree), length));
}

Test(slots, a_forgotten_slot_is_not_found_after_a_crash)
{
	struct pe_slots slots = open_slots(PLENTY);
	struct pe_slot *slot = build(&slots, A, 1);
	struct pe_slots again;

	cr_assert(eq(int, pe_slot_forget(slot, NULL), PE_OK));
	again = open_slots(PLENTY);
	cr_expect(pe_slots_find(&again, A, RECIPE) == NULL);
	cr_expect(eq(str, again.at[0].id, (char *)""));
}

Test(slots, a_torn_state_says_nothing)
{
	struct pe_slots slots = open_slots(PLENTY);
	struct pe_slot *slot = build(&slots, A, 1);
	const char *state = pe_arena_printf(&arena, "%s/state", slot->dir);
	struct stat info;
	struct pe_slots again;

	cr_assert(eq(int, stat(state, &info), 0));
	cr_assert(eq(int, truncate(state, info.st_size - 1), 0));
	again = open_slots(PLENTY);
	cr_expect(eq(str, again.at[0].id, (char *)""));
}

/* The cache is moved: a build that saw its own path is not the build of the new place. */
Test(slots, a_moved_build_is_none)
{
	static const bool one_path[] = {false, true};

	for (size_t i = 0; i < 2; i++) {
		struct pe_slots slots = open_slots(PLENTY);
		struct pe_slot *slot = build(&slots, A, 1);
		const char *moved = pe_arena_printf(&arena, "%s-moved", root);

		slot->one_path = one_path[i];
		cr_assert(eq(int, pe_slot_write_state(slot, NULL), PE_OK));
		slots = open_slots(PLENTY);
		cr_expect(pe_slots_find(&slots, A, RECIPE) == &slots.at[0]);
		cr_assert(eq(int, rename(root, moved), 0));
		strcpy(root, moved);
		slots = open_slots(PLENTY);
		cr_expect(eq(int, pe_slots_find(&slots, A, RECIPE) != NULL, one_path[i]));
	}
}

Test(slots, the_budget_ends_the_batch)
{
	struct pe_slots slots = open_slots(1000 * 1024);

	cr_assert(build(&slots, A, 300) != NULL);
	cr_assert(build(&slots, B, 300) != NULL);
	cr_assert(build(&slots, A, 300) != NULL);
	cr_expect(pe_slots_take(&slots) == NULL);
}

Test(slots, a_budget_too_small_for_anything_still_gives_one)
{
	struct pe_slots slots = open_slots(1);

	cr_assert(build(&slots, A, 100) != NULL);
	cr_expect(pe_slots_take(&slots) == NULL);
}

Test(slots, the_one_not_used_for_longest_goes_first)
{
	struct pe_slots slots = open_slots(1000 * 1024);
	struct pe_slot *first = build(&slots, A, 300);
	struct pe_slot *second = build(&slots, B, 300);

	build(&slots, B, 300);
	pe_slots_touch(&slots, first);
	pe_slots_release(&slots);
	cr_expect(pe_slots_take(&slots) == second);
}

Test(files, remove_takes_read_only_folders_and_leaves_what_links_point_at)
{
	const char *outside, *inside;

	strcpy(root, "/tmp/pe-files-XXXXXX");
	cr_assert(mkdtemp(root) != NULL);
	outside = pe_arena_printf(&arena, "%s/outside", root);
	inside = pe_arena_printf(&arena, "%s/dir/sub", root);
	cr_assert(eq(int, pe_files_make_dir(inside, NULL), PE_OK));
	close(open(outside, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	cr_assert(eq(int, symlink(outside, pe_arena_printf(&arena, "%s/link", inside)), 0));
	cr_assert(eq(int, chmod(inside, 0500), 0));
	cr_expect(eq(int, pe_files_remove(pe_arena_printf(&arena, "%s/dir", root), NULL), PE_OK));
	cr_expect(eq(int, access(outside, F_OK), 0));
	cr_expect(eq(int, access(pe_arena_printf(&arena, "%s/dir", root), F_OK), -1));
	remove_root();
}

Test(slots, builds_at_work_count_as_the_largest_one_or_as_a_gibibyte)
{
	struct pe_slots slots = open_slots(100 * 1024);
	struct pe_slot *first, *second;

	first = pe_slots_take(&slots);
	first->held = first->building = true;
	cr_expect(eq(ptr, pe_slots_take(&slots), NULL), "nobody knows what the first one takes");
	first->held = first->building = false;
	build(&slots, A, 30);
	second = pe_slots_take(&slots);
	cr_assert(ne(ptr, second, NULL));
	cr_expect(ne(ptr, second, first));
	second->held = second->building = true;
	cr_expect(eq(ptr, pe_slots_take(&slots), NULL), "as much as that is to come, and more");
	pe_slots_release(&slots);
	second->building = false;
}
