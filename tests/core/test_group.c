/* Groups: the right files get the right values, and what the kernel wrote is read right; in folders like cgroups. */
#include "core/base/arena.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "probe/launcher/group.h"
#include "tests/support/test.h"

static struct pe_arena arena;
static char dir[64];
static int folder;

static const char *path_of(const char *file)
{
	return pe_arena_printf(&arena, "%s/%s", dir, file);
}

static void put(const char *file, const char *text)
{
	pe_auto_text content = PE_TEXT_INIT;

	pe_text_add(&content, text);
	cr_assert(eq(int, pe_text_write_file(&content, path_of(file), NULL), PE_OK));
}

static void expect_file(const char *file, const char *expected)
{
	pe_auto_text text = PE_TEXT_INIT;

	cr_assert(eq(int, pe_text_read_file(&text, path_of(file), NULL), PE_OK));
	cr_expect(eq(int, strcmp(pe_text_str(&text), expected), 0), "%s: '%s' instead of '%s'",
		  file, pe_text_str(&text), expected);
}

static void set_up(void)
{
	strcpy(dir, "/tmp/perfevo-group-XXXXXX");
	cr_assert(ne(ptr, mkdtemp(dir), NULL));
	folder = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static void tear_down(void)
{
	close(folder);
	cr_expect(eq(int, pe_files_remove(dir, NULL), PE_OK));
	pe_arena_release(&arena);
}

TestSuite(group, .init = set_up, .fini = tear_down);

Test(group, bounds_go_into_their_files)
{
	static const char *const files[] = {"memory.max", "memory.swap.max", "memory.oom.group",
					    "pids.max"};
	struct pe_group group = {.memory_bytes = UINT64_C(6) << 30,
				 .processes = 512,
				 .bounds_memory = true,
				 .bounds_processes = true};

	for (size_t i = 0; i < 4; i++)
		put(files[i], "");
	cr_assert(pe_group_bound(folder, &group));
	expect_file("memory.max", "6442450944");
	expect_file("memory.swap.max", "0");
	expect_file("memory.oom.group", "1");
	expect_file("pids.max", "512");
}

Test(group, a_bound_that_cannot_be_written_is_none)
{
	struct pe_group group = {.memory_bytes = 1, .processes = 1, .bounds_memory = true};

	cr_expect(not(pe_group_bound(folder, &group)), "there is no memory.max");
	group.bounds_memory = false;
	cr_expect(pe_group_bound(folder, &group), "no controller, no file");
	group.bounds_processes = true;
	cr_expect(not(pe_group_bound(folder, &group)), "there is no pids.max");
}

Test(group, controllers_are_given_where_they_are_wanted)
{
	struct pe_group group = {.memory_bytes = 1};

	put("cgroup.subtree_control", "cpu memory_recursive pids\n");
	pe_group_give_controllers(folder, &group);
	cr_expect(group.bounds_memory && !group.bounds_processes, "memory alone is wanted");
	/* A kernel's file adds; this one holds what was written. */
	expect_file("cgroup.subtree_control", "+memoryory_recursive pids\n");
	put("cgroup.subtree_control", "cpu memory pids\n");
	group.processes = 1;
	pe_group_give_controllers(folder, &group);
	cr_expect(group.bounds_memory && group.bounds_processes);
	expect_file("cgroup.subtree_control", "cpu memory pids\n");
}

Test(group, what_the_kernel_counted_is_told)
{
	static const struct {
		const char *memory, *processes;
		bool memory_full, processes_full;
	} cases[] = {
		{"low 0\nhigh 0\nmax 9\noom 1\noom_kill 2\noom_group_kill 1\n", "max 0\n", true,
		 false},
		/* The machine's want, not the group's own bound. */
		{"low 0\nhigh 0\nmax 0\noom 0\noom_kill 2\noom_group_kill 1\n", "max 3\n", false,
		 true},
		/* Met, and freed again. */
		{"low 0\nhigh 0\nmax 9\noom 0\noom_kill 0\noom_group_kill 0\n", "", false, false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct pe_group_events events;

		put("memory.events", cases[i].memory);
		put("pids.events", cases[i].processes);
		events = pe_group_read(folder);
		cr_expect(events.memory_full == cases[i].memory_full &&
				  events.processes_full == cases[i].processes_full,
			  "case %zu", i);
	}
}

Test(group, a_folder_that_is_not_there_bounds_nothing)
{
	const struct pe_wire_limit limit = {.memory_bytes = 1 << 20, .processes = 5};
	struct pe_wire_limited why;
	struct pe_group group;

	pe_group_open(&group, path_of("none"), &limit, &why);
	cr_expect(eq(int, group.session, -1));
	cr_expect(eq(int, (int)why.memory_by_group, 0));
	cr_expect_has(why.what, path_of("none"));
	pe_group_close(&group);
}
