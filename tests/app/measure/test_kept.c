#define _GNU_SOURCE /* memmem(3) */
#include "app/measure/kept.h"

#include "core/base/clock.h"
#include "core/base/files.h"
#include "tests/support/test.h"
#include "vcs/digest.h"

#include <git2.h>
#include <time.h>

/* A slot with a tree, and commands that are run "in" it: here each is a function that changes files. */
static struct pe_arena arena = PE_ARENA_INIT;
static char root[64];
static struct pe_slots slots;
static struct pe_slot *slot;
static struct pe_outside outside;
static struct pe_executor executor;

static const char ID[] = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
static const char RECIPE[] = "0123456789abcdef0123456789abcdef";

static const char *in_tree(const char *name)
{
	return pe_arena_printf(&arena, "%s/%s", slot->tree, name);
}

static void put(const char *name, const char *text)
{
	FILE *file = fopen(in_tree(name), "w");

	cr_assert(file != NULL);
	fputs(text, file);
	fclose(file);
}

static void (*command)(void);

static int run(struct pe_proc_result *out, const struct pe_proc_spec *spec, void *payload,
	       struct pe_err *err)
{
	(void)spec;
	(void)payload;
	(void)err;
	command();
	*out = (struct pe_proc_result){.end = PE_PROC_EXITED};
	return PE_OK;
}

static void expect_text(const char *found, const char *expected)
{
	cr_expect(strcmp(found, expected) == 0, "'%s' in place of '%s'", found, expected);
}

/* Longer than the clock of files takes to tick. */
static void tick(void)
{
	nanosleep(&(struct timespec){.tv_nsec = 30 * 1000 * 1000}, NULL);
}

static void set_up(void)
{
	git_libgit2_init();
	strcpy(root, "/tmp/pe-kept-XXXXXX");
	cr_assert(mkdtemp(root) != NULL);
	cr_assert(eq(int, pe_slots_open(&slots, root, 1ull << 40, &arena, NULL), PE_OK));
	slot = pe_slots_take(&slots);
	cr_assert(eq(int, pe_files_make_dir(in_tree("dir"), NULL), PE_OK));
	put("tool", "as built");
	put("dir/data", "data");
	cr_assert(eq(int, symlink("tool", in_tree("link")), 0));
	tick();
	cr_assert(eq(int, pe_kept_record(slot, NULL), PE_OK));
	cr_assert(eq(int, pe_slot_remember(slot, ID, RECIPE, NULL), PE_OK));
	outside = (struct pe_outside){.slots = &slots, .arena = &arena};
	executor = pe_outside_executor(&outside, (struct pe_executor){.run = run});
	tick();
}

static void tear_down(void)
{
	pe_outside_close(&outside, false);
	pe_files_remove(root, NULL);
	pe_arena_release(&arena);
	git_libgit2_shutdown();
}

TestSuite(kept, .init = set_up, .fini = tear_down, .timeout = 600);

static void run_in(const char *tree, void (*what)(void))
{
	struct pe_proc_spec spec = {.places = {tree}};
	struct pe_proc_result result;

	command = what;
	tick();
	cr_assert(eq(int, executor.run(&result, &spec, executor.payload, NULL), PE_OK));
	tick();
}

/* What the next session would find: nothing is known of whose turn it was, and the state is read again. */
static const char *difference_later(void)
{
	struct pe_slots again;
	const char *difference;

	cr_assert(eq(int, pe_slots_open(&again, root, 1ull << 40, &arena, NULL), PE_OK));
	cr_assert(eq(int, pe_kept_compare(&difference, NULL, &again.at[0], &arena, NULL), PE_OK));
	return pe_arena_strdup(&arena, difference != NULL ? difference : "");
}

static const char *difference_now(void)
{
	const char *difference;

	cr_assert(eq(int, pe_kept_compare(&difference, &outside, slot, &arena, NULL), PE_OK));
	return pe_arena_strdup(&arena, difference != NULL ? difference : "");
}

Test(kept, what_is_left_alone_is_what_was_built)
{
	expect_text(difference_now(), "");
	expect_text(difference_later(), "");
}

static void change(void)
{
	put("tool", "poisoned");
}

static void add(void)
{
	put("new", "");
}

static void take_away(void)
{
	cr_assert(eq(int, unlink(in_tree("dir/data")), 0));
}

static void relink(void)
{
	cr_assert(eq(int, unlink(in_tree("link")), 0));
	cr_assert(eq(int, symlink("dir/data", in_tree("link")), 0));
}

static void make_executable(void)
{
	cr_assert(eq(int, chmod(in_tree("dir/data"), 0755), 0));
}

static void change_with_old_times(void)
{
	const struct timespec old[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};

	put("tool", "as guilt"); /* of the same length */
	cr_assert(eq(int, utimensat(AT_FDCWD, in_tree("tool"), old, 0), 0));
}

static const struct {
	void (*what)(void);
	const char *difference;
} deeds[] = {
	{change, "tool differs"},
	{add, "new was added"},
	{make_executable, "dir/data differs"},
	{take_away, "dir/data is gone"},
	{relink, "link differs"},
	{change_with_old_times, "tool differs"},
};

Test(kept, what_another_commit_changes_is_told)
{
	for (size_t i = 0; i < sizeof(deeds) / sizeof(*deeds); i++) {
		if (i > 0) {
			tear_down();
			set_up();
		}
		run_in("/another/tree", deeds[i].what);
		expect_text(difference_now(), deeds[i].difference);
		expect_text(difference_later(), deeds[i].difference);
	}
}

Test(kept, what_its_own_runs_change_is_taken_into_the_list)
{
	for (size_t i = 0; i < sizeof(deeds) / sizeof(*deeds); i++) {
		run_in("/another/tree", tick);
		run_in(slot->tree, deeds[i].what);
		run_in("/another/tree", tick);
		expect_text(difference_now(), "");
		expect_text(difference_later(), "");
	}
}

/* Of two trees at one time, after a turn of the first and before one of another. */
static void run_together(const char *const trees[2], void (*what)(void))
{
	int64_t since_ns, now_ns;

	run_in(trees[0], tick);
	since_ns = pe_outside_begin_turn(&outside, "", PE_OUTSIDE_RUN);
	what();
	tick();
	now_ns = pe_clock_file_ns();
	for (int i = 0; i < 2; i++)
		pe_outside_add_turn(&outside, pe_outside_id(&outside, trees[i]), since_ns, now_ns,
				    PE_OUTSIDE_RUN);
	run_in("/a/third/tree", tick);
}

Test(kept, what_runs_at_one_time_is_the_turn_of_each)
{
	const char *const with[] = {"/another/tree", slot->tree}, *const without[] = {
									  "/another/tree", "/b"};

	run_together(with, deeds[0].what);
	expect_text(difference_now(), "");
	run_together(without, deeds[1].what);
	expect_text(difference_now(), deeds[1].difference);
}

static void touch(void)
{
	const struct timespec old[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};

	cr_assert(eq(int, utimensat(AT_FDCWD, in_tree("tool"), old, 0), 0));
	cr_assert(eq(int, link(in_tree("tool"), pe_arena_printf(&arena, "%s/hard", root)), 0));
	cr_assert(eq(int, rename(in_tree("dir/data"), in_tree("dir/moved")), 0));
	put("dir/data", "data");
	cr_assert(eq(int, unlink(in_tree("dir/moved")), 0));
}

Test(kept, the_same_content_is_the_same_build)
{
	run_in("/another/tree", touch);
	expect_text(difference_now(), "");
	expect_text(difference_later(), "");
}

/* Shorter after the list was made than the clock ticks: stat alone could not tell. */
Test(kept, a_change_in_the_same_tick_is_told)
{
	for (int i = 0; i < 50; i++) {
		put("tool", "as built");
		cr_assert(eq(int, pe_kept_record(slot, NULL), PE_OK));
		put("tool", "as guilt");
		expect_text(difference_now(), "tool differs");
	}
}

/* Put one text of the list in place of another of the same length, and make the slot's state speak of it. */
static void edit_list(const char *from, const char *to)
{
	const char *path = pe_arena_printf(&arena, "%s/list", slot->dir);
	pe_auto_text text = PE_TEXT_INIT;
	char *at;

	cr_assert(eq(int, pe_text_read_file(&text, path, NULL), PE_OK));
	at = memmem(text.data, text.len, from, strlen(from));
	cr_assert(at != NULL);
	memcpy(at, to, strlen(to));
	cr_assert(eq(int, pe_text_write_file(&text, path, NULL), PE_OK));
	cr_assert(eq(int, pe_digest_bytes(slot->list, text.data, text.len), 0));
	cr_assert(eq(int, pe_slot_write_state(slot, NULL), PE_OK));
}

/* Of eight bytes, as pe_digest_fd() does it: of the digests of its pieces. */
static void hash_content(char hex[PE_OID_HEX], const char *bytes)
{
	pe_digest_bytes(hex, bytes, 8);
	pe_digest_bytes(hex, pe_arena_strdup(&arena, hex), PE_OID_HEX - 1);
}

/*
 * A power cut leaves a file of the right name, size, inode and time without its bytes. Here the list has the stat of what is
 * there and the content of what was built.
 */
Test(kept, content_is_compared_again_after_a_boot)
{
	char built[PE_OID_HEX], lost[PE_OID_HEX], boot[PE_BOOT_ID];

	pe_clock_boot(boot);
	hash_content(built, "as built");
	hash_content(lost, "\0\0\0\0\0\0\0\0");
	edit_list(boot, "00000000-0000-0000-0000-000000000000");
	expect_text(difference_later(), "");
	/* The list was written again: it is of this boot now. */
	cr_assert(eq(int, pe_slots_open(&slots, root, 1ull << 40, &arena, NULL), PE_OK));
	slot = &slots.at[0];
	edit_list(boot, boot);
	cr_assert(eq(int, truncate(in_tree("tool"), 0), 0));
	cr_assert(eq(int, truncate(in_tree("tool"), 8), 0));
	tick();
	cr_assert(eq(int, pe_kept_record(slot, NULL), PE_OK));
	edit_list(lost, built);
	expect_text(difference_later(), "");
	edit_list(boot, "00000000-0000-0000-0000-000000000000");
	expect_text(difference_later(), "tool differs");
}
