#include "configs/config.h"

#include "scratch.h"
#include "tests/support/test.h"

static struct scratch scratch;
static struct pe_config config;
static struct pe_err err;

/* user/: the user's tree; tree/: a measured one; outside/: what must stay as it is. */
static void init(void)
{
	scratch_init(&scratch);
	scratch_shell(&scratch, "mkdir -p user/bench/sub user/.git tree outside\n"
				"printf new > user/bench/b.c; printf run > user/bench/sub/run.sh\n"
				"chmod 755 user/bench/sub/run.sh; chmod 644 user/bench/b.c\n"
				"ln -s ../b.c user/bench/sub/link; printf g > user/bench/.git\n"
				"printf keep > outside/b.c");
	cr_assert(eq(int,
		     pe_config_load(&config, "c.yml", scratch_path(&scratch, "user"),
				    "overlay: [bench]\nbenchmarks: {b: x}\n", &scratch.arena, &err),
		     PE_OK));
}

static void release(void)
{
	scratch_release(&scratch);
}

TestSuite(overlay, .init = init, .fini = release, .timeout = 600);

static void apply(void)
{
	err = (struct pe_err)PE_ERR_INIT;
	cr_assert_ok(pe_config_apply_overlay(&config, scratch_path(&scratch, "tree"), &err),
		     err.message);
	scratch_shell(&scratch, "rm -f user/bench/.git && diff -r user/bench tree/bench\n"
				"test -x tree/bench/sub/run.sh && test ! -x tree/bench/b.c\n"
				"test \"$(readlink tree/bench/sub/link)\" = ../b.c");
}

Test(overlay, copies_files_modes_and_links)
{
	apply();
}

Test(overlay, leaves_other_files_and_replaces_its_own)
{
	scratch_shell(&scratch, "mkdir -p tree/bench; printf old > tree/bench/b.c\n"
				"printf mine > tree/main.c");
	apply();
	cr_expect_str_eq(scratch_read(&scratch, "tree/main.c"), "mine");
}

Test(overlay, never_writes_through_a_link_of_the_tree)
{
	scratch_shell(&scratch, "ln -s ../outside tree/bench");
	apply();
	scratch_shell(&scratch,
		      "rm -r tree/bench; mkdir tree/bench; ln -s ../../outside/b.c tree/bench\n"
		      "ln -s ../../outside tree/bench/sub");
	apply();
	cr_expect_str_eq(scratch_read(&scratch, "outside/b.c"), "keep");
	scratch_shell(&scratch, "test \"$(ls outside)\" = b.c");
}

Test(overlay, a_folder_gives_way_to_a_file_and_a_file_to_a_folder)
{
	scratch_shell(&scratch, "mkdir -p tree/bench/b.c/deep; printf x > tree/bench/b.c/deep/f\n"
				"printf file > tree/bench/sub");
	apply();
}

Test(overlay, equal_files_keep_their_mtimes)
{
	struct stat before, after;

	apply();
	scratch_shell(&scratch, "touch -d 2001-01-01 tree/bench/b.c");
	cr_assert(eq(int, stat(scratch_path(&scratch, "tree/bench/b.c"), &before), 0));
	apply();
	cr_assert(eq(int, stat(scratch_path(&scratch, "tree/bench/b.c"), &after), 0));
	cr_expect(eq(i64, after.st_mtim.tv_sec, before.st_mtim.tv_sec));
	cr_expect(eq(u64, after.st_ino, before.st_ino));
}

Test(overlay, of_a_revision_is_not_taken_from_here)
{
	config.overlay.revision = "v1";
	cr_expect(eq(int, pe_config_apply_overlay(&config, scratch_path(&scratch, "tree"), &err),
		     PE_EUNSUPPORTED));
}
