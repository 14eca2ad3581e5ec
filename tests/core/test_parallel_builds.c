/* How many builds are at work side by side. */
#include "core/exec/parallel_builds.h"

#include "tests/support/test.h"

static const uint64_t GIB = 1u << 30;

static struct pe_recipe recipe_of(const struct pe_command *steps, size_t n, unsigned jobs)
{
	return (struct pe_recipe){.steps = {steps, n}, .jobs = jobs};
}

Test(parallel_builds, as_many_as_jobs_with_a_gibibyte_each)
{
	const struct pe_command make = {.text = "make -C build/tmp"};
	struct pe_recipe recipe = recipe_of(&make, 1, 8);

	cr_expect_text("8 3 1", pe_parallel_builds_count(&recipe, 64 * GIB, false),
		       pe_parallel_builds_count(&recipe, 3 * GIB + 5, false),
		       pe_parallel_builds_count(&recipe, 0, false));
	recipe.jobs = 1000;
	cr_expect(eq(uint, pe_parallel_builds_count(&recipe, UINT64_MAX, false),
		     PE_PARALLEL_BUILDS_MAX));
	recipe.parallel = 5;
	cr_expect(eq(uint, pe_parallel_builds_count(&recipe, GIB, false), 5), "who says it knows");
	recipe.parallel = 1000000;
	cr_expect(eq(uint, pe_parallel_builds_count(&recipe, GIB, false), PE_PARALLEL_BUILDS_MAX));
}

Test(parallel_builds, one_where_all_builds_would_share_a_folder)
{
	static const char *const sharing[] = {"cmake -B /tmp/out", "cp x /var/tmp",
					      "O=/tmp make",       "cd \"$TMPDIR\"; make",
					      "make >/tmp/log",    "make DESTDIR=/dev/shm/x"};

	for (size_t i = 0; i < sizeof(sharing) / sizeof(*sharing); i++) {
		const struct pe_command commands[] = {{.text = "true"}, {.text = sharing[i]}};
		struct pe_recipe recipe = recipe_of(commands, 2, 4);

		cr_expect(eq(uint, pe_parallel_builds_count(&recipe, 64 * GIB, false), 1), "%s",
			  sharing[i]);
		cr_expect(eq(uint, pe_parallel_builds_count(&recipe, 64 * GIB, true), 4), "%s",
			  sharing[i]);
		recipe.parallel = 2;
		cr_expect(eq(uint, pe_parallel_builds_count(&recipe, 64 * GIB, false), 2), "%s",
			  sharing[i]);
	}
}

Test(parallel_builds, what_is_redirected_out_of_the_tree_is_one_for_all)
{
	static const char *const outside[] = {"./bench >/srv/out",
					      "./bench <in 2>> '/srv/log' && true",
					      "./a >b && ./a >$HOME/out", "./a &> ~/out"};
	static const char *const inside[] = {"./bench </srv/in >out 2>&1", "./bench > /dev/null",
					     "./bench 2>/dev/null >>log/out", "./bench /srv/in"};

	for (size_t i = 0; i < 4; i++) {
		const struct pe_command one[] = {{.text = outside[i]}, {.text = inside[i]}};

		cr_expect(eq(int,
			     (int)pe_parallel_builds_write_elsewhere(
				     &(struct pe_commands){&one[0], 1}),
			     1),
			  "%s", outside[i]);
		cr_expect(eq(int,
			     (int)pe_parallel_builds_write_elsewhere(
				     &(struct pe_commands){&one[1], 1}),
			     0),
			  "%s", inside[i]);
	}
}

Test(parallel_builds, all_together_have_the_jobs_of_one)
{
	/* Two on eight processors; the second is over and a third begins; four in eight lanes; eleven. */
	cr_expect_text("4 4 1 1 8", pe_parallel_builds_jobs(8, 0, 2),
		       pe_parallel_builds_jobs(8, 4, 1), pe_parallel_builds_jobs(8, 0, 8),
		       pe_parallel_builds_jobs(8, 7, 1), pe_parallel_builds_jobs(8, 0, 1));
	cr_expect(eq(uint, pe_parallel_builds_jobs(2, 2, 1), 1), "no build is without any");
	cr_expect(eq(uint, pe_parallel_builds_jobs(8, 0, 3), 2));
}
