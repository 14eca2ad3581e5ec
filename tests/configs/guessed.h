/* What the tests of `init` share: a tree, and the config that is written for it. */
#ifndef PE_TESTS_CONFIGS_GUESSED_H
#define PE_TESTS_CONFIGS_GUESSED_H

#include "configs/config.h"

#include "scratch.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdlib.h>

static struct scratch scratch;
static struct pe_guess guess;
static struct pe_config config;
static struct pe_err err;

static void init(void)
{
	scratch_init(&scratch);
	/* Without ninja on PATH, whatever this machine has. */
	setenv("PATH", "/nowhere", 1);
}

static void release(void)
{
	setenv("PATH", "/usr/bin:/bin", 1);
	scratch_release(&scratch);
}

static void look(const char *system)
{
	err = (struct pe_err)PE_ERR_INIT;
	cr_assert(eq(int, pe_config_guess(&guess, scratch.dir, &scratch.arena, &err), PE_OK), "%s",
		  err.message);
	cr_assert(eq(int,
		     pe_config_load(&config, "perfevo.yml", scratch.dir, guess.yaml, &scratch.arena,
				    &err),
		     PE_OK),
		  "%s\n%s", err.message, guess.yaml);
	if (system != NULL)
		cr_expect_str_eq(guess.system, system);
	else
		cr_expect(eq(ptr, (void *)guess.system, NULL));
}

#endif
