/* What the tests of `tests:` share: a tree, a launcher, and what is found in the one by the other. */
#pragma once

#include "configs/config.h"

#include "core/exec/ports.h"
#include "scratch.h"
#include "tests/support/test.h"

static struct scratch scratch;
static struct pe_err err;
static struct pe_config config;
static struct pe_launcher *launcher;
static struct pe_benchmark *found;
static struct pe_left_outs skipped;
static size_t n;

static void init(void)
{
	scratch_init(&scratch);
	cr_assert_ok(pe_launcher_open(&launcher, PE_BINARY_DIR "/launcher/perfevo-launch", &err),
		     err.message);
}

static void release(void)
{
	pe_launcher_close(launcher);
	scratch_release(&scratch);
}

static int discover(const char *text)
{
	struct pe_executor executor = pe_process_executor(launcher);

	err = (struct pe_err)PE_ERR_INIT;
	cr_assert_ok(pe_config_load(&config, "c.yml", scratch.dir, text, &scratch.arena, &err),
		     err.message);
	return pe_tests_discover(&found, &n, &skipped, &config, scratch_path(&scratch, "tree"),
				 &executor, &scratch.arena, &err);
}
